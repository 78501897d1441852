// Two runs: what changed, by kernel, source line and mnemonic.
import { el, facts, hidden, section } from "./dom.js";
import { chunk, grouped, short, tail } from "./data.js";
import { address } from "./route.js";
import { Table } from "./table.js";

function change(row) {
  if (row.a === null || row.b === null) return row.a === row.b ? "–" : row.a === null ? "only B" : "only A";
  if (row.a === row.b) return "same";
  const sign = row.b > row.a ? "+" : "−";
  const share = row.a ? `${sign}${Math.abs(((row.b - row.a) * 100) / row.a).toFixed(1)} %` : "new";
  return `${row.b > row.a ? "▲" : "▼"} ${share}`;
}

/** What fewer instructions and registers, and more waves, are called. */
const lessIsBetter = (a, b) => (a === null || b === null || a === undefined || b === undefined || a === b ? "" : b < a ? "better" : "worse");
const told = { better: "fewer: better", worse: "more: worse" };

/** `8 → 6 ▼`: the sign says what the colour says. */
function both([a, b]) {
  if (a === b) return a ?? "–";
  const sign = a === null || b === null || a === undefined || b === undefined ? "" : b > a ? " ▲" : " ▼";
  return `${a ?? "–"} → ${b ?? "–"}${sign}`;
}

function columns(title) {
  const difference = (row) => Math.abs((row.b ?? 0) - (row.a ?? 0));
  return [
    { title, wide: true, value: (row) => row.name, text: (row) => row.name },
    { title: "A", number: true, value: (row) => row.a, text: (row) => short(row.a) },
    { title: "B", number: true, value: (row) => row.b, text: (row) => short(row.b) },
    { title: "B − A", number: true, bar: true, width: "10rem", hint: "sorted by size, whichever way it went", value: difference, text: (row) => `${(row.b ?? 0) < (row.a ?? 0) ? "−" : ""}${short(difference(row))}` },
    { title: "change", number: true, width: "8rem", hint: "▼ and green: B executes fewer instructions than A; ▲ and orange: more", value: (row) => (row.a ? ((row.b ?? 0) - row.a) / row.a : null), text: change, tone: (row) => lessIsBetter(row.a, row.b) },
  ];
}

export function comparisonPage(comparison) {
  const rows = comparison.kernels.map((kernel, number) => ({ ...kernel, number, a: kernel.waves[0], b: kernel.waves[1] }));
  const sum = (key) => rows.reduce((total, row) => total + (row[key] ?? 0), 0);
  const list = columns("kernel");
  list.push(
    { title: "launches", number: true, width: "9rem", value: (row) => row.launches[1] - row.launches[0], text: (row) => row.launches.map(grouped).join(" → ") },
    { title: "VGPRs", number: true, width: "7.5rem", hint: "registers of a lane: fewer leave room for more waves", value: (row) => (row.vgprs[1] ?? 0) - (row.vgprs[0] ?? 0), text: (row) => both(row.vgprs), tone: (row) => lessIsBetter(...row.vgprs) },
    { title: "waves/SIMD", number: true, hint: "waves that fit on a SIMD: more are better", value: (row) => (row.occupancy[1] ?? 0) - (row.occupancy[0] ?? 0), text: (row) => both(row.occupancy), tone: (row) => lessIsBetter(row.occupancy[1], row.occupancy[0]) },
  );
  const table = new Table(list, rows, { label: "kernels", sort: 3, search: (row) => `${row.name} ${row.symbol}`, link: (row) => address("compare", row.number) });
  const total = lessIsBetter(sum("a"), sum("b"));
  return [hidden("Comparison"), section("Runs", facts([
    ["A", `${comparison.titles[0]} ${comparison.commands[0]}`], ["B", `${comparison.titles[1]} ${comparison.commands[1]}`],
    ["wave instructions", el("span", { class: total, text: `${grouped(sum("a"))} → ${grouped(sum("b"))} (${change({ a: sum("a"), b: sum("b") })}${total ? `, ${told[total]}` : ""})` })],
    ["kernels", `${rows.length}, of which ${rows.filter((row) => row.a !== row.b).length} changed`],
  ])), table.under("Kernels")];
}

export async function comparedKernel(comparison, item) {
  const kernel = comparison.kernels[Number(item)];
  if (!kernel) return [el("p", { class: "empty", text: `There is no kernel ${item} in this page.` })];
  const parts = await chunk(`compare-${item}`);
  const of = (title, rows) => {
    const table = new Table(columns(title), rows.map(([name, a, b]) => ({ name: title === "line" ? name.replace(/^.*:/, (path) => `${tail(path.slice(0, -1))}:`) : name, a, b })),
      { label: `${title}s`, sort: 3, search: (row) => row.name });
    return table.under(`By ${title}`);
  };
  return [el("div", { class: "title" }, el("h1", { text: kernel.name }), el("p", { class: "about", text: `wave instructions ${kernel.waves.map(grouped).join(" → ")}` })),
    el("div", { class: "beside" }, of("line", parts?.lines ?? []), of("mnemonic", parts?.opcodes ?? []))];
}
