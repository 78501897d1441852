// Executed instructions by the functions that were inlined into each other.
import { el, section } from "./dom.js";
import { grouped, percent, short } from "./data.js";
import { Table } from "./table.js";

/** Boxes that are narrower, as a part of the whole, are not drawn; the table has them. */
const NARROWEST = 0.002;

/** A tree of { name, total, own, place, children }: outermost functions first. `place` is where most was executed. */
export function flames(code) {
  const make = (name) => ({ name, total: 0, own: 0, place: null, most: 0, children: new Map() });
  const root = make("");
  const ownerOf = (at) => code.functions.find((known) => known.first <= at && at < known.end)?.name ?? "?";
  code.waves.forEach((waves, at) => {
    if (!waves) return;
    const frames = code.places[code.place[at]];
    const path = frames.length ? [...frames].reverse() : [{ function: ownerOf(at), file: "", line: 0 }];
    let node = root;
    node.total += waves;
    for (const frame of path) {
      const name = frame.function || ownerOf(at);
      if (!node.children.has(name)) node.children.set(name, make(name));
      node = node.children.get(name);
      node.total += waves;
      if (waves > node.most) { node.most = waves; node.place = frame.file ? `${frame.file}:${frame.line}` : null; }
    }
    node.own += waves;
  });
  return root;
}

/** `open(place)`: somebody chose a function whose hottest line this is. */
export function flameView(code, open) {
  const root = flames(code);
  if (!root.total) return el("p", { class: "empty", text: "Nobody counted instructions of this kernel; the tool hotspots does." });
  const rows = [];
  const gather = (node, depth) => {
    if (depth) rows.push({ ...node, depth });
    [...node.children.values()].sort((a, b) => b.total - a.total).forEach((child) => gather(child, depth + 1));
  };
  gather(root, 0);
  const box = (node, whole) => el("div", { class: "flame", style: `width:${((node.total * 100) / whole).toFixed(3)}%` },
    el("button", { text: node.name, title: `${node.name}\n${grouped(node.total)} wave instructions (${percent(node.total, root.total)}), of which ${grouped(node.own)} in its own code`, onclick: () => node.place && open(node.place) }),
    children(node));
  const children = (node) => {
    const shown = [...node.children.values()].filter((child) => child.total >= root.total * NARROWEST).sort((a, b) => b.total - a.total);
    return shown.length ? el("div", { class: "flames" }, shown.map((child) => box(child, node.total))) : null;
  };
  const table = new Table([
    { title: "function", wide: true, value: (row) => row.name, text: (row) => row.name },
    { title: "with inlined", number: true, bar: true, width: "11rem", hint: "wave instructions of the function and of all that is inlined into it", value: (row) => row.total, text: (row) => short(row.total) },
    { title: "share", number: true, width: "5rem", value: (row) => row.total, text: (row) => percent(row.total, root.total) },
    { title: "own", number: true, width: "6rem", hint: "wave instructions of its own lines", value: (row) => row.own, text: (row) => short(row.own) },
    { title: "depth", number: true, width: "5rem", hint: "functions that it is inlined into, itself included", value: (row) => row.depth, text: (row) => row.depth },
  ], rows, { label: "functions", sort: 1, search: (row) => row.name, open: (row) => row.place && open(row.place) });
  return el("div", { class: "stack" }, section("Inlined functions",
    el("p", { text: "The width of a box is what the function and all that is inlined into it executed. What is inlined stands below. A click shows the hottest line." }),
    el("div", { class: "flames whole" }, [...root.children.values()].sort((a, b) => b.total - a.total).map((child) => box(child, root.total)))), table.under("By function"));
}
