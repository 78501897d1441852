// What ran, what did not, and where instructions went.
import { bars, el, facts, hidden, section } from "./dom.js";
import { grouped, percent, short, time } from "./data.js";
import { address } from "./route.js";
import { Table } from "./table.js";

/** Whether times of the device are those of an emulated one. */
export function emulated(overview) {
  return overview.devices.some((device) => /emulated/i.test(device)) || overview.kernels.some((kernel) => kernel.nanoseconds !== null && kernel.nanoseconds !== undefined);
}

export function kernelColumns(overview) {
  const waves = overview.kernels.reduce((sum, kernel) => sum + (kernel.waves ?? 0), 0);
  const lanes = (row) => (row.waves ? row.lanes / row.waves : null);
  return [
    { title: "kernel", value: (row) => row.name, text: (row) => row.name, wide: true },
    { title: "launches", number: true, value: (row) => row.launches, text: (row) => grouped(row.launches) },
    { title: "wave instr.", number: true, bar: true, width: "10rem", hint: "executed instructions, one for each wave", value: (row) => row.waves, text: (row) => short(row.waves) },
    { title: "share", number: true, width: "5rem", value: (row) => row.waves, text: (row) => (row.waves === null ? "–" : percent(row.waves, waves)) },
    { title: "lanes", number: true, width: "5rem", hint: "active lanes of a wave, on average over instructions", value: lanes, text: (row) => (row.waves ? lanes(row).toFixed(1) : "–") },
    { title: "emulated time", number: true, width: "8rem", hint: "from start to end of its launches on the emulated device: it says nothing about hardware", value: (row) => row.nanoseconds, text: (row) => time(row.nanoseconds) },
    { title: "waves/SIMD", number: true, width: "6.5rem", hint: "occupancy of the original code", value: (row) => row.before?.[4], text: (row) => row.before?.[4] ?? "–" },
    { title: "VGPRs", number: true, width: "5rem", value: (row) => row.before?.[0], text: (row) => row.before?.[0] ?? "–" },
    { title: "remarks", number: true, width: "5.5rem", hint: "what stands out in the kernel", value: (row) => row.remarks?.length ?? 0, text: (row) => grouped(row.remarks?.length ?? 0) },
    { title: "target", width: "6rem", value: (row) => row.target, text: (row) => row.target.split(":")[0] },
    { title: "tools", width: "8rem", hint: "what became of the kernel", value: (row) => row.status, text: (row) => row.status },
  ];
}

export function kernelTable(overview) {
  return new Table(kernelColumns(overview), overview.kernels.map((kernel, number) => ({ ...kernel, number })), {
    label: "kernels", sort: overview.kernels.some((kernel) => kernel.waves) ? 2 : 1,
    search: (row) => `${row.full} ${row.symbol} ${row.target} ${row.status}`,
    link: (row) => address("kernel", row.number),
  });
}

/** Reasons, and the kernels and instructions that they concern. */
function exactness(rows, meanings) {
  if (!rows.length) return el("p", { text: "Every executed instruction is one whose result is specified." });
  return el("dl", { class: "facts" }, [...new Set(rows.map(([reason]) => reason))].flatMap((reason) => {
    const of = new Map();
    rows.filter((row) => row[0] === reason).forEach(([, kernel, op, waves]) => of.set(kernel, [...(of.get(kernel) ?? []), `${op} ${grouped(waves)}`]));
    return [el("dt", { text: reason }), el("dd", {}, el("p", { text: meanings[reason] ?? "" }),
      el("ul", {}, [...of].map(([kernel, ops]) => el("li", { text: `${kernel}: ${ops.join(", ")} wave instructions` }))))];
  }));
}

/** Uses of results that are not exact, by kernel. */
function reached(rows) {
  if (!rows.length) return el("p", { text: "No address, no branch and no output depends on such results." });
  const of = new Map();
  rows.forEach(([kernel, ...use]) => of.set(kernel, [...(of.get(kernel) ?? []), use]));
  return el("dl", { class: "facts" }, [...of].flatMap(([kernel, uses]) => [el("dt", { text: kernel }), el("dd", {}, el("ul", {},
    uses.map(([what, by, from, times]) => el("li", { text: `${what}: ${by}, from ${from}, ${times === 1 ? "once" : `${grouped(times)} times`}` }))))]));
}

export function overviewPage(overview) {
  const sum = (key) => overview.kernels.reduce((total, kernel) => total + (kernel[key] ?? 0), 0);
  const [waves, lanes] = [sum("waves"), sum("lanes")];
  const refused = overview.kernels.filter((kernel) => kernel.status === "refused" || kernel.status === "late");
  const table = kernelTable(overview);
  const top = [
    section("Run",
      facts([
        ["command", overview.command && el("code", { text: overview.command })],
        ["devices", overview.devices.join("; ")],
        ["tools", overview.tools.join(", ")],
        ["kernels", grouped(overview.kernels.length)],
        ["launches", grouped(overview.launches)],
        ["wave instructions", waves ? grouped(waves) : ""],
        ["lane instructions", lanes ? `${grouped(lanes)} (${(lanes / waves).toFixed(1)} lanes of a wave)` : ""],
        [emulated(overview) ? "wall time of the emulation" : "wall time", overview.seconds ? `${overview.seconds.toFixed(2)} s` : ""],
        ["processes", [...overview.processes, ...(overview.sessions ?? [])].join(", ")],
      ])),
  ];
  if (overview.mix.length) {
    top.push(section("Executed instructions by kind", bars(overview.mix.map(([kind, count]) => [kind, count, short(count)]), waves)));
  }
  const hottest = overview.kernels.map((kernel, number) => ({ kernel, number })).filter(({ kernel }) => kernel.remarks?.length)
    .sort((a, b) => (b.kernel.waves ?? 0) - (a.kernel.waves ?? 0)).slice(0, 5);
  if (hottest.length) {
    top.push(section("What stands out", el("ul", {}, hottest.map(({ kernel, number }) => el("li", {},
      el("a", { href: address("kernel", number, { view: "remarks" }), text: kernel.name }), `: ${kernel.remarks[0].title}`,
      kernel.remarks.length > 1 ? ` and ${grouped(kernel.remarks.length - 1)} more` : "")))));
  }
  if (overview.inexact) top.push(section("Exactness", exactness(overview.inexact, overview.reasons ?? {})));
  if (overview.reached) top.push(section("Uses of inexact results", reached(overview.reached)));
  const page = [hidden("Overview"), el("div", { class: "across" }, top), table.under("Kernels")];
  if (refused.length || overview.unknown_launches) {
    page.push(section("Not instrumented", el("ul", {},
      refused.map((kernel) => el("li", {}, el("code", { text: kernel.name }), `: ${kernel.reason ?? "instrumenting took longer than a launch may wait"}`)),
      overview.unknown_launches ? el("li", { text: `${grouped(overview.unknown_launches)} launches of code that was loaded before the tools, or without the loader` }) : null)));
  }
  if (overview.records.length) {
    page.push(section("Records", el("ul", {}, overview.records.map(([name, written, dropped]) =>
      el("li", { text: `${name}: ${grouped(written)} written, ${grouped(dropped)} dropped` })))));
  }
  if (overview.notes.length) page.push(section("Notes", el("ul", {}, overview.notes.map((note) => el("li", { text: note })))));
  if (overview.files.length) {
    page.push(section("Files beside this data", el("ul", {}, overview.files.map(([name, size]) => el("li", { text: `${name} (${grouped(size)} bytes)` })))));
  }
  return { page, table };
}
