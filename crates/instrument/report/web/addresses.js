// Addresses over time, and strides.
import { bars, el, section } from "./dom.js";
import { grouped, hex, short } from "./data.js";

/** The picture's height, and how many stretches of memory are listed. */
const HEIGHT = 288;
const LISTED = 12;

export function addressView(trace) {
  const canvas = el("canvas", { class: "addresses", role: "img", "aria-label": `accesses over time and address: ${trace.regions.length} stretches of memory, listed below` });
  canvas.style.height = `${HEIGHT}px`;
  const about = el("output", { class: "about", text: "time goes to the right, addresses go down; memory that was not touched is left out" });
  canvas.addEventListener("pointermove", (event) => {
    const column = Math.min(trace.columns - 1, Math.floor((event.offsetX / canvas.clientWidth) * trace.columns));
    const row = Math.min(trace.rows - 1, Math.floor((event.offsetY / HEIGHT) * trace.rows));
    about.textContent = `${grouped(trace.cells[column * trace.rows + row])} accesses at about ${hex(addressAt(trace, row))}, after ${grouped(Math.round((column * trace.accesses) / trace.columns))} of ${grouped(trace.accesses)}`;
  });
  new ResizeObserver(() => paintAddresses(canvas, trace)).observe(canvas);
  const most = [...trace.regions].sort((a, b) => b[2] - a[2]).slice(0, LISTED);
  const regions = most.map(([start, size, count]) => [`${hex(start)} (${grouped(size)} bytes)`, count, short(count)]);
  const all = trace.strides.reduce((sum, [, count]) => sum + count, 0);
  const strides = trace.strides.map(([stride, count]) => [stride === null ? "others" : `${stride} bytes`, count, short(count)]);
  return section("Addresses over time",
    el("p", { text: `${grouped(trace.accesses)} accesses of lanes to global memory.${trace.left_out ? ` ${grouped(trace.left_out)} later ones were not looked at.` : ""}${trace.unread ? ` ${grouped(trace.unread)} records of the run were not read.` : ""}` }),
    canvas, about,
    el("div", { class: "beside" }, section(`Stretches of memory${trace.regions.length > LISTED ? ` (${LISTED} of ${grouped(trace.regions.length)})` : ""}`, bars(regions, trace.accesses)),
      section("From one lane's address to the next lane's", bars(strides, all))));
}

/** The first address of a row: rows are as many touched pieces each. */
function addressAt(trace, row) {
  let piece = Math.ceil((row * trace.pieces) / trace.rows);
  for (const [start, size] of trace.regions) {
    const pieces = size / trace.piece;
    if (piece < pieces) return start + piece * trace.piece;
    piece -= pieces;
  }
  return trace.regions.at(-1)?.[0] ?? 0;
}

function paintAddresses(canvas, trace) {
  const width = canvas.clientWidth;
  if (!width || !trace.rows) return;
  canvas.width = width;
  canvas.height = HEIGHT;
  const context = canvas.getContext("2d");
  const most = trace.cells.reduce((all, count) => Math.max(all, count), 1);
  const [across, down] = [width / trace.columns, HEIGHT / trace.rows];
  // One hue that gets stronger, so that it says the same without colour.
  context.fillStyle = getComputedStyle(canvas).getPropertyValue("--link");
  trace.cells.forEach((count, index) => {
    if (!count) return;
    context.globalAlpha = 0.25 + 0.75 * (Math.log1p(count) / Math.log1p(most));
    context.fillRect(Math.floor(index / trace.rows) * across, (index % trace.rows) * down, Math.ceil(across), Math.ceil(down));
  });
}
