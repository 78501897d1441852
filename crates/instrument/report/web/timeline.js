// Launches and copies over time, and which host threads enqueued them.
import { el, hidden } from "./dom.js";
import { chunk, grouped, time } from "./data.js";
import { emulated } from "./overview.js";
import { Table } from "./table.js";

// Okabe and Ito: told apart with every kind of colour vision; names are written into the boxes too.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"];
const BAND = 34;
const MARKS = 28;
const TOP = 24;
// Lines of one thread that are closer than this, in pixels, are left out until somebody zooms in.
const APART = 3;

export async function timelinePage(overview) {
  const data = await chunk("timeline");
  if (!data) return [hidden("Timeline"), el("p", { class: "empty", text: missing(overview) })];
  const whose = emulated(overview) ? "emulated " : "";
  const end = data.start.reduce((last, start, index) => Math.max(last, start + data.duration[index]), 1);
  const view = { from: 0, to: end };
  const canvas = el("canvas", { class: "timeline", tabindex: "0", role: "img", "aria-label": `${data.start.length} launches and copies in ${data.rows.length} rows, from ${data.threads.length} host threads; the table below has the same` });
  const about = el("output", { class: "about", text: "wheel: zoom, drag: move, + − ← → on the keyboard" });
  const draw = () => paint(canvas, data, view);
  const zoom = (factor, at = 0.5) => {
    const middle = view.from + (view.to - view.from) * at;
    const length = Math.max(100, Math.min(end * 1.02, (view.to - view.from) * factor));
    view.from = middle - length * at;
    view.to = view.from + length;
    draw();
  };
  const move = (share) => {
    const by = (view.to - view.from) * share;
    view.from += by;
    view.to += by;
    draw();
  };
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(event.deltaY < 0 ? 0.8 : 1.25, event.offsetX / canvas.clientWidth); }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const act = { "+": () => zoom(0.7), "-": () => zoom(1.4), ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2) }[event.key];
    if (act) { act(); event.preventDefault(); }
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) { move(-event.movementX / canvas.clientWidth); return; }
    const index = hit(data, view, event.offsetX, event.offsetY, canvas.clientWidth);
    if (index >= 0) about.textContent = `${data.names[data.name[index]]}: ${time(data.duration[index])} from ${time(data.start[index])}${enqueuer(data, index)}; ${data.detail[index]}`;
  });
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  canvas.style.height = `${queueTop(data, data.rows.length) + 4}px`;
  const rows = data.start.map((_, index) => index);
  const table = new Table([
    { title: `${whose}start`, number: true, width: "8.5rem", value: (row) => data.start[row], text: (row) => time(data.start[row]) },
    { title: `${whose}duration`, number: true, bar: true, width: "11rem", hint: whose ? "of the launch on the emulated device: it says nothing about hardware" : undefined, value: (row) => data.duration[row], text: (row) => time(data.duration[row]) },
    { title: "kernel or copy", width: "14rem", value: (row) => data.names[data.name[row]], text: (row) => data.names[data.name[row]] },
    { title: "row", width: "15rem", value: (row) => data.row[row], text: (row) => data.rows[data.row[row]] },
    ...(data.threads.length ? threadColumns(data) : []),
    { title: "details", wide: true, value: (row) => data.detail[row], text: (row) => data.detail[row] },
  ], rows, { label: "launches and copies", search: (row) => `${data.names[data.name[row]]} ${data.rows[data.row[row]]} ${threadOf(data, row)} ${data.detail[row]}`,
    open: (row) => { const length = Math.max(100, data.duration[row] * 4); view.from = data.start[row] - length / 3; view.to = view.from + length; draw(); } });
  table.sort(0);
  table.scroller.redraw();
  const left = data.left_out ? el("p", { text: `${grouped(data.left_out)} later ones are left out.` }) : null;
  return [hidden("Timeline"), el("section", {}, el("h2", { text: "Launches and copies over time" }), el("p", { text: `While launches are timed, those of one queue do not overlap. ${whose ? "Times are those of the emulated device, and say nothing about hardware." : "Times are those of the GPU."} A mark in the row of a host thread is where it enqueued a launch or a copy; the line leads there.` }), left, canvas, about),
    table.under("Launches and copies")];
}

/** Which option would have told. */
function missing(overview) {
  const ran = overview.tools.includes("launch-log");
  return ran ? "The tool launch-log ran, and no launch was timed: no kernel was chosen, or none was launched."
    : "Nothing says when launches ran, because the tool launch-log did not run: add -t launch-log (luthier run --report without -t has it).";
}

const queueTop = (data, row) => TOP + data.threads.length * MARKS + row * BAND;
const threadTop = (thread) => TOP + thread * MARKS;

function threadOf(data, row) {
  const by = data.enqueued[row];
  return by ? data.threads[by[0]].join(", ") : "";
}

function threadColumns(data) {
  const enqueued = (row) => data.enqueued[row]?.[1];
  // (The column of rows has the process.)
  const name = (row) => (data.enqueued[row] ? data.threads[data.enqueued[row][0]][1] : "–");
  // (Clocks of devices may differ from the host's by a little.)
  const waited = (row) => (data.enqueued[row] ? Math.max(0, data.start[row] - enqueued(row)) : null);
  return [
    { title: "host thread", width: "9rem", value: (row) => threadOf(data, row), text: name },
    { title: "enqueued", number: true, value: enqueued, text: (row) => time(enqueued(row)) },
    { title: "waited", number: true, value: waited, text: (row) => time(waited(row)) },
  ];
}

function enqueuer(data, index) {
  const by = data.enqueued[index];
  return by ? `, enqueued by ${threadOf(data, index)} at ${time(by[1])}` : "";
}

/// The launch at a place: its box, or the nearest mark of it.
function hit(data, view, x, y, width) {
  const scale = width / (view.to - view.from);
  const at = view.from + x / scale;
  const queue = Math.floor((y - queueTop(data, 0)) / BAND);
  if (queue >= 0) return data.start.findIndex((start, index) => data.row[index] === queue && start <= at && at <= start + data.duration[index]);
  const thread = Math.floor((y - TOP) / MARKS);
  let [found, least] = [-1, 5 / scale];
  data.enqueued.forEach((by, index) => {
    const away = by?.[0] === thread ? Math.abs(by[1] - at) : least;
    if (away < least) [found, least] = [index, away];
  });
  return found;
}

function paint(canvas, data, view) {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (!width || !height) return;
  const dense = devicePixelRatio || 1;
  canvas.width = width * dense;
  canvas.height = height * dense;
  const context = canvas.getContext("2d");
  context.scale(dense, dense);
  const style = getComputedStyle(canvas);
  const [ink, faint] = [style.getPropertyValue("--ink"), style.getPropertyValue("--line")];
  const scale = width / (view.to - view.from);
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = ink;
  context.strokeStyle = faint;
  const step = 10 ** Math.ceil(Math.log10((view.to - view.from) / 10));
  for (let tick = Math.ceil(view.from / step) * step; tick <= view.to; tick += step) {
    const x = (tick - view.from) * scale;
    context.beginPath();
    context.moveTo(x, 16);
    context.lineTo(x, height);
    context.stroke();
    context.fillText(time(tick), x + 3, 12);
  }
  paintThreads(context, data, view, scale, width);
  const painted = new Float64Array(data.rows.length).fill(-1);
  for (let index = 0; index < data.start.length; index += 1) {
    const x = (data.start[index] - view.from) * scale;
    const long = data.duration[index] * scale;
    const row = data.row[index];
    if (x > width || x + long < 0 || (long < 0.5 && x - painted[row] < 0.5)) continue;
    painted[row] = x;
    const y = queueTop(data, row);
    const colour = COLOURS[data.name[index] % COLOURS.length];
    context.fillStyle = colour;
    context.fillRect(x, y + 13, Math.max(1, long), BAND - 16);
    if (long > 40) {
      context.save();
      context.beginPath();
      context.rect(x, y, long - 3, BAND);
      context.clip();
      context.fillStyle = ["#e69f00", "#56b4e9", "#f0e442", "#999999"].includes(colour) ? "#000" : "#fff";
      context.fillText(data.names[data.name[index]], Math.max(x, 0) + 4, y + 26);
      context.restore();
    }
  }
  context.fillStyle = ink;
  // Names stay legible where lines cross them.
  context.strokeStyle = style.getPropertyValue("--paper");
  context.lineWidth = 4;
  const name = (text, y) => { context.strokeText(text, 4, y); context.fillText(text, 4, y); };
  data.rows.forEach((text, row) => name(text, queueTop(data, row) + 10));
  data.threads.forEach((text, thread) => name(text.join(", "), threadTop(thread) + 10));
}

/// Marks where launches were enqueued, and lines to where they began.
function paintThreads(context, data, view, scale, width) {
  const marked = new Float64Array(data.threads.length).fill(-1);
  const led = new Float64Array(data.threads.length).fill(-APART);
  data.enqueued.forEach((by, index) => {
    if (!by) return;
    const [thread, at] = by;
    const x = (at - view.from) * scale;
    const to = (data.start[index] - view.from) * scale;
    const bottom = threadTop(thread) + MARKS - 4;
    context.fillStyle = context.strokeStyle = COLOURS[data.name[index] % COLOURS.length];
    const inSight = Math.max(x, to) >= 0 && Math.min(x, to) <= width;
    if (inSight && Math.abs(x - led[thread]) >= APART) {
      led[thread] = x;
      context.beginPath();
      context.moveTo(x, bottom);
      context.lineTo(to, queueTop(data, data.row[index]) + 13);
      context.stroke();
    }
    if (x < -4 || x > width + 4 || Math.abs(x - marked[thread]) < 0.5) return;
    marked[thread] = x;
    context.beginPath();
    context.moveTo(x - 4, bottom - 8);
    context.lineTo(x + 4, bottom - 8);
    context.lineTo(x, bottom);
    context.fill();
  });
}
