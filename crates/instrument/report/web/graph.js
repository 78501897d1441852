// The control flow graph with counts on its edges.
import { el } from "./dom.js";
import { grouped, ofWaves, percent, short } from "./data.js";
import { Table } from "./table.js";
import { layout } from "./layout.js";

/** Graphs with more blocks are shown without what never ran, and if that is not enough, not at all. */
const BLOCKS = 1500;
const SHOWN = 6;
/** A graph of so few blocks has room for more of each. */
const FEW = 4;
const SHOWN_OF_FEW = 24;

export function graph(code, open) {
  let blocks = code.blocks.map((_, number) => number).filter((number) => code.blocks[number].end > code.blocks[number].first);
  const notes = [];
  const counted = code.waves.some((waves) => waves !== null);
  if (blocks.length > BLOCKS && counted) {
    const all = blocks.length;
    blocks = blocks.filter((number) => code.waves[code.blocks[number].first]);
    notes.push(`Of ${grouped(all)} blocks the ${grouped(blocks.length)} that ran are shown.`);
  }
  if (blocks.length > BLOCKS) {
    return el("p", { class: "empty", text: `The graph has ${grouped(blocks.length)} blocks, too many to draw; the list of instructions shows them all.` });
  }
  if (!blocks.length) return el("p", { class: "empty", text: "There is no block to draw." });
  const position = new Map(blocks.map((number, index) => [number, index]));
  const edges = code.edges.filter((edge) => position.has(edge.from) && position.has(edge.to));
  const heat = (number) => code.waves[code.blocks[number].first];
  const most = Math.max(1, ...blocks.map((number) => heat(number) ?? 0));
  const shown = blocks.length > FEW ? SHOWN : SHOWN_OF_FEW;
  const texts = blocks.map((number) => {
    const block = code.blocks[number];
    const lines = code.text.slice(block.first, Math.min(block.end, block.first + shown)).map((text) => (text.length > 44 ? `${text.slice(0, 43)}…` : text));
    if (block.end - block.first > shown) lines.push(`… ${block.end - block.first - shown} more`);
    return [`bb${number}   ${ofWaves(heat(number))}`, ...lines];
  });
  const nodes = texts.map((lines) => ({ width: 16 + 6.7 * Math.max(...lines.map((line) => line.length)), height: 12 + 14 * lines.length }));
  const placed = layout(nodes, edges.map((edge) => ({ from: position.get(edge.from), to: position.get(edge.to) })));
  const margin = 24;
  const svg = el("svg", {
    class: "graph", width: placed.width + 2 * margin, height: placed.height + 2 * margin,
    viewBox: `${-margin} ${-margin} ${placed.width + 2 * margin} ${placed.height + 2 * margin}`, role: "group", "aria-label": `control flow graph of ${blocks.length} blocks`,
  }, el("defs", {}, el("marker", { id: "arrow", viewBox: "0 0 8 8", refX: "7", refY: "4", markerUnits: "userSpaceOnUse", markerWidth: "9", markerHeight: "9", orient: "auto-start-reverse" }, el("path", { d: "M0 0 L8 4 L0 8 z" }))));
  edges.forEach((edge, index) => svg.append(drawEdge(edge, placed.edges[index], most)));
  blocks.forEach((number, index) => {
    const { x, y } = placed.nodes[index];
    const { width, height } = nodes[index];
    const share = (heat(number) ?? 0) / most;
    const box = el("g", { class: `node${heat(number) === 0 ? " cold" : ""}`, transform: `translate(${x - width / 2} ${y})`, tabindex: "0", role: "link", "aria-label": texts[index][0],
      onclick: () => open(code.blocks[number].first), onkeydown: (event) => event.key === "Enter" && open(code.blocks[number].first) },
      el("rect", { width, height, rx: 4 }), el("rect", { class: "heat", width: 5, y: height * (1 - share), height: height * share }));
    texts[index].forEach((text, line) => box.append(el("text", { x: 10, y: 16 + 14 * line, class: line ? "" : "name", text })));
    svg.append(box);
  });
  return el("div", { class: "graphs" }, notes.map((note) => el("p", { text: note })),
    el("div", { class: "drawn" }, el("div", { class: "drawing" }, zoomable(svg, placed.width + 2 * margin, placed.height + 2 * margin)), blockTable(code, blocks, open)));
}

/** What the drawing says, as a list. */
function blockTable(code, blocks, open) {
  const rows = blocks.map((number) => {
    const { first, end, exit } = code.blocks[number];
    const executed = code.waves.slice(first, end).reduce((sum, waves) => sum + (waves ?? 0), 0);
    return { number, first, size: end - first, waves: code.waves[first], executed, exit: exit.replace("_", " ") };
  });
  const total = rows.reduce((sum, row) => sum + row.executed, 0);
  const table = new Table([
    { title: "block", wide: true, width: "5rem", value: (row) => row.number, text: (row) => `bb${row.number}` },
    { title: "waves", number: true, width: "5.5rem", hint: "waves that entered the block", value: (row) => row.waves, text: (row) => short(row.waves) },
    { title: "instr.", number: true, width: "4.5rem", hint: "instructions in the block", value: (row) => row.size, text: (row) => grouped(row.size) },
    { title: "share", number: true, bar: true, width: "8rem", hint: "part of all wave instructions", value: (row) => row.executed, text: (row) => percent(row.executed, total) },
    { title: "ends with", width: "7rem", value: (row) => row.exit, text: (row) => row.exit },
  ], rows, { label: "blocks", sort: 3, open: (row) => open(row.first) });
  return table.element;
}

function drawEdge(edge, points, most) {
  const width = edge.waves ? 1 + 4 * Math.sqrt(edge.waves / most) : 1;
  let path = `M${points[0].x} ${points[0].y}`;
  for (let index = 1; index < points.length; index += 1) {
    const [from, to] = [points[index - 1], points[index]];
    const middle = (from.y + to.y) / 2;
    path += ` C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
  }
  const label = points[Math.floor((points.length - 1) / 2)];
  const next = points[Math.floor((points.length - 1) / 2) + 1];
  return el("g", { class: `edge${edge.waves === 0 ? " cold" : ""}` },
    el("path", { d: path, "stroke-width": width.toFixed(1), "marker-end": "url(#arrow)" }),
    el("title", { text: edge.waves === null ? "nobody counted it" : ofWaves(edge.waves, grouped(edge.waves)) }),
    edge.waves === null ? null : el("text", { x: (label.x + next.x) / 2 + 5, y: (label.y + next.y) / 2 + 4, text: short(edge.waves) }));
}

/** Buttons and Ctrl+wheel change the size; the scroll bars move. */
function zoomable(svg, width, height) {
  const frame = el("div", { class: "frame", tabindex: "0", role: "region", "aria-label": "graph, which scrolls" }, svg);
  let scale = 1;
  const size = (wanted) => {
    scale = Math.max(0.1, Math.min(3, wanted));
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
  };
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    size(scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
  }, { passive: false });
  const tools = el("div", { class: "tools" },
    el("button", { text: "−", "aria-label": "smaller", onclick: () => size(scale / 1.25) }), el("button", { text: "+", "aria-label": "larger", onclick: () => size(scale * 1.25) }),
    el("button", { text: "whole graph", onclick: () => size(Math.min(1, (frame.clientWidth - 16) / width, (frame.clientHeight - 16) / height)) }), el("button", { text: "1 : 1", onclick: () => size(1) }));
  // A graph that is larger than its frame begins whole, if one can still read it; a small one is not blown up.
  new ResizeObserver((_, observer) => {
    if (!frame.clientWidth) return;
    observer.disconnect();
    const fits = Math.min(1, (frame.clientWidth - 16) / width);
    if (fits >= 0.6) size(fits);
  }).observe(frame);
  return [tools, frame];
}
