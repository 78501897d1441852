// Addresses over time, and strides.
import { bars, el, facts, section } from "./dom.js";
import { grouped, hex, short } from "./data.js";

/** The picture's height, how many stretches of memory are listed, and how many pixels a name at the axis needs. */
const HEIGHT = 288;
const LISTED = 12;
const NAME = 16;
/** What an access does, and its colour. */
const KINDS = [["loads", "--link"], ["stores and atomics", "--store"], ["both", "--edge"]];

export function addressView(trace) {
  const canvas = el("canvas", { class: "addresses", role: "img", "aria-label": `accesses over time and address: ${trace.regions.length} stretches of memory, listed below` });
  canvas.style.height = `${HEIGHT}px`;
  const about = el("output", { class: "about", text: "time goes to the right, addresses go down; memory that was not touched is left out" });
  canvas.addEventListener("pointermove", (event) => {
    const column = Math.min(trace.columns - 1, Math.floor((event.offsetX / canvas.clientWidth) * trace.columns));
    const row = Math.min(trace.rows - 1, Math.floor((event.offsetY / HEIGHT) * trace.rows));
    const cell = column * trace.rows + row;
    const [at, region] = addressAt(trace, row);
    const writes = trace.writes?.[cell] ?? 0;
    about.textContent = `${grouped(trace.cells[cell])} accesses, of which ${grouped(writes)} write, at about ${hex(at)}${nameOf(trace, region, " in ")}, after ${grouped(Math.round((column * trace.accesses) / trace.columns))} of ${grouped(trace.accesses)}`;
  });
  new ResizeObserver(() => paintAddresses(canvas, trace)).observe(canvas);
  const most = trace.regions.map((region, index) => [...region, index]).sort((a, b) => b[2] - a[2]).slice(0, LISTED);
  const regions = most.map(([start, size, count, index]) => {
    const writes = trace.written?.[index];
    const what = writes === undefined ? "" : writes === count ? ", all write" : writes ? `, ${short(writes)} write` : ", all read";
    return [`${nameOf(trace, index, "", ": ")}${hex(start)} (${grouped(size)} bytes)`, count, short(count) + what];
  });
  const all = trace.strides.reduce((sum, [, count]) => sum + count, 0);
  const strides = trace.strides.map(([stride, count]) => [stride === null ? "others" : `${stride} bytes`, count, short(count)]);
  return section("Addresses over time",
    el("p", {}, `${grouped(trace.accesses)} accesses of lanes to global memory.${trace.left_out ? ` ${grouped(trace.left_out)} later ones were not looked at.` : ""}${trace.unread ? ` ${grouped(trace.unread)} records of the run were not read.` : ""}`,
      KINDS.map(([name, colour]) => el("span", { class: "key", style: `--colour:var(${colour})`, text: name }))),
    el("div", { class: "addressed" }, addressAxis(trace), canvas, el("div", { class: "time" }, el("span", { text: "first access" }), el("span", { text: `time → ${short(trace.accesses)} accesses` }))), about,
    trace.named?.length ? null : facts([["names of buffers", "are missing: add -t launch-log to luthier run, and compile with names of arguments"]]),
    el("div", { class: "across" }, section(`Stretches of memory${trace.regions.length > LISTED ? ` (${LISTED} of ${grouped(trace.regions.length)})` : ""}`, bars(regions, trace.accesses)),
      section("From one lane's address to the next lane's", bars(strides, all))));
}

function nameOf(trace, region, before, behind = "") {
  const name = trace.named?.[region];
  return name ? `${before}${name}${behind}` : "";
}

/** The first byte of each stretch of memory, where it begins in the picture; stretches that are too close share a mark. */
function addressAxis(trace) {
  const axis = el("div", { class: "axis", "aria-hidden": "true" });
  let [pieces, last] = [0, -NAME];
  trace.regions.forEach(([start, size], index) => {
    const from = (pieces / trace.pieces) * HEIGHT;
    pieces += size / trace.piece;
    const middle = Math.min(HEIGHT - NAME / 2, Math.max(NAME / 2, from + NAME / 2));
    if (middle - last < NAME) return;
    last = middle;
    axis.append(el("span", { style: `top:${middle.toFixed(1)}px`, text: `${nameOf(trace, index, "", " ")}${hex(start)} –` }));
  });
  return axis;
}

/** The first address of a row, and the stretch of memory that it is in: rows are as many touched pieces each. */
function addressAt(trace, row) {
  let piece = Math.ceil((row * trace.pieces) / trace.rows);
  for (const [index, [start, size]] of trace.regions.entries()) {
    const pieces = size / trace.piece;
    if (piece < pieces) return [start + piece * trace.piece, index];
    piece -= pieces;
  }
  return [trace.regions.at(-1)?.[0] ?? 0, trace.regions.length - 1];
}

function paintAddresses(canvas, trace) {
  const width = canvas.clientWidth;
  if (!width || !trace.rows) return;
  canvas.width = width;
  canvas.height = HEIGHT;
  const context = canvas.getContext("2d");
  const most = trace.cells.reduce((all, count) => Math.max(all, count), 1);
  const [across, down] = [width / trace.columns, HEIGHT / trace.rows];
  const style = getComputedStyle(canvas);
  const [loads, stores, both] = KINDS.map(([, colour]) => style.getPropertyValue(colour));
  // Stronger where there are more accesses.
  trace.cells.forEach((count, index) => {
    if (!count) return;
    const writes = trace.writes?.[index] ?? 0;
    context.fillStyle = writes === 0 ? loads : writes === count ? stores : both;
    context.globalAlpha = 0.25 + 0.75 * (Math.log1p(count) / Math.log1p(most));
    context.fillRect(Math.floor(index / trace.rows) * across, (index % trace.rows) * down, Math.ceil(across), Math.ceil(down));
  });
}
