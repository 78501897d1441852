// One kernel: its code, its graph, what it executes, what it touches, what it occupies.
import { addressView } from "./addresses.js";
import { bars, el, facts, section } from "./dom.js";
import { chunk, grouped, hex, percent, short, tail, time } from "./data.js";
import { flameView } from "./flame.js";
import { graph } from "./graph.js";
import { Listing } from "./listing.js";
import { metricColumns } from "./metrics.js";
import { address, note } from "./route.js";
import { Table } from "./table.js";

const VIEWS = [["code", "Source and ISA"], ["remarks", "What stands out"], ["flame", "Flame graph"], ["graph", "Graph"], ["mix", "Instructions"], ["memory", "Memory and branches"], ["resources", "Resources"]];

export async function kernelPage(overview, route) {
  const number = Number(route.item);
  const kernel = overview.kernels[number];
  if (!kernel) return [el("p", { class: "empty", text: `There is no kernel ${route.item} in this page.` })];
  const view = VIEWS.some(([name]) => name === route.view) ? route.view : "code";
  const tabs = el("nav", { class: "tabs", "aria-label": "views of the kernel" }, VIEWS.map(([name, title]) =>
    el("a", { href: address("kernel", number, { view: name }), "aria-current": name === view ? "page" : undefined, text: title })));
  const head = el("div", { class: "title" }, el("h1", { text: kernel.name }),
    el("p", { class: "about", text: [
      kernel.target.split(":")[0], `${grouped(kernel.launches)} ${kernel.launches === 1 ? "launch" : "launches"}`, kernel.waves === null ? "" : `${short(kernel.waves)} wave instructions`,
      kernel.waves ? `${(kernel.lanes / kernel.waves).toFixed(1)} lanes of ${kernel.wave_size ?? "?"}` : "", kernel.nanoseconds === null ? "" : `${time(kernel.nanoseconds)} on the emulated device`, kernel.status,
    ].filter(Boolean).join(" · ") }));
  const code = kernel.code ? await chunk(`code-${number}`) : null;
  const moved = (query) => note("kernel", number, { view: "code", ...query });
  const body = { code: codeView, remarks: remarksView, flame: flamesView, graph: graphView, mix: mixView, memory: memoryView, resources: resourcesView }[view];
  const content = code || view === "resources" ? await body({ overview, kernel, number, code, route, moved })
    : el("p", { class: "empty", text: "The code of this kernel is not in this page: it was not seen by tools, or the run did not keep code objects (luthier run --report does)." });
  return [head, tabs, content];
}

async function codeView({ overview, kernel, code, route, moved }) {
  const listing = new Listing(overview, code, { pc: route.pc, line: route.line }, moved, kernel.remarks);
  await listing.ready;
  return listing.element;
}

/** What checkers found and what rules say, each with a link to its instruction. */
function remarksView({ kernel, number, code }) {
  const remarks = kernel.remarks ?? [];
  if (!remarks.length) return el("p", { class: "empty", text: "No rule says anything of this kernel. A rule whose tool did not run says nothing." });
  const link = (at, text) => el("a", { href: address("kernel", number, { view: "code", pc: code.pc[at].toString(16) }), text });
  return el("div", { class: "stack" }, el("ol", { class: "remarks" }, remarks.map((remark) => {
    const place = [remark.place ? tail(remark.place) : "", remark.instruction].filter(Boolean).join(": ");
    return el("li", { class: remark.grade ? "found" : undefined },
      el("h2", { text: remark.title }), el("p", { class: "about", text: [remark.grade, remark.rule, remark.share ? `${(remark.share * 100).toFixed(1)} % of the kernel's wave instructions` : ""].filter(Boolean).join(" · ") }),
      el("p", { text: remark.evidence }), place ? el("p", {}, remark.at === null ? place : link(remark.at, place)) : null,
      (remark.other ?? null) === null ? null : el("p", {}, link(remark.other, code.text[remark.other])),
      remark.more ? el("p", { text: remark.grade ? `found ${grouped(remark.more)} more times` : `and at ${grouped(remark.more)} more places` }) : null);
  })));
}

function graphView({ code, number }) {
  return graph(code, (at) => { location.hash = address("kernel", number, { view: "code", pc: code.pc[at].toString(16) }); });
}

function flamesView({ code, number }) {
  return flameView(code, (line) => { location.hash = address("kernel", number, { view: "code", line }); });
}

/** Executions by kind and by mnemonic. */
function mixView({ code }) {
  const kinds = code.kinds.map(() => 0);
  const opcodes = new Map();
  let total = 0;
  code.text.forEach((text, at) => {
    const waves = code.waves[at] ?? 0;
    kinds[code.kind[at]] += waves;
    total += waves;
    const mnemonic = text.split(" ")[0];
    const row = opcodes.get(mnemonic) ?? { mnemonic, waves: 0, lanes: 0, places: 0, kind: code.kinds[code.kind[at]] };
    row.waves += waves;
    row.lanes += code.lanes[at] ?? 0;
    row.places += 1;
    opcodes.set(mnemonic, row);
  });
  const rows = kinds.map((count, kind) => [code.kinds[kind], count, short(count)]).filter((row) => row[1]).sort((a, b) => b[1] - a[1]);
  const table = new Table([
    { title: "mnemonic", wide: true, value: (row) => row.mnemonic, text: (row) => row.mnemonic },
    { title: "kind", width: "11rem", value: (row) => row.kind, text: (row) => row.kind },
    { title: "waves", number: true, bar: true, width: "10rem", value: (row) => row.waves, text: (row) => short(row.waves) },
    { title: "share", number: true, value: (row) => row.waves, text: (row) => percent(row.waves, total) },
    { title: "lanes", number: true, hint: "active lanes on average", value: (row) => (row.waves ? row.lanes / row.waves : null), text: (row) => (row.waves ? (row.lanes / row.waves).toFixed(1) : "–") },
    { title: "places", number: true, value: (row) => row.places, text: (row) => grouped(row.places) },
  ], [...opcodes.values()], { label: "mnemonics", sort: 2, search: (row) => `${row.mnemonic} ${row.kind}` });
  return el("div", { class: "stack" }, total ? section("By kind", bars(rows, total)) : null, table.under("By mnemonic"));
}

/** What tools counted at single instructions. */
async function memoryView({ code, number }) {
  const columns = metricColumns(code);
  const trace = await chunk(`trace-${number}`);
  const without = trace ? null : el("p", { class: "empty", text: "A picture of addresses over time is missing: add -t mem-trace to luthier run." });
  if (!columns.length && !trace) return el("div", {}, el("p", { class: "empty", text: "No tool counted at single instructions here; -t mem-coalesce, -t lds-conflicts and -t branch-divergence do." }), without);
  return el("div", { class: "stack" }, trace ? addressView(trace) : without, columns.map((column) => {
    const rows = [...column.sums].map(([at, sum]) => ({ at, sum, frame: code.places[code.place[at]][0] }));
    const place = (row) => (row.frame ? `${tail(row.frame.file)}:${row.frame.line}` : "");
    const table = new Table([
      { title: "instruction", wide: true, value: (row) => row.at, text: (row) => code.text[row.at] },
      { title: "source", width: "16rem", value: place, text: place },
      { title: column.title, number: true, bar: true, hint: column.hint, value: (row) => column.value(row.sum), text: (row) => column.text(row.sum) },
      ...column.names.map((name, index) => ({ title: name, number: true, value: (row) => row.sum[index], text: (row) => short(row.sum[index]) })),
    ], rows, { label: `places of ${column.tool}`, sort: 3, search: (row) => `${code.text[row.at]} ${place(row)}`, link: (row) => address("kernel", number, { view: "code", pc: code.pc[row.at].toString(16) }) });
    table.element.classList.add("short");
    return section(column.tool, column.hint ? el("p", { text: column.hint }) : null, table.element);
  }));
}

/** Where most registers are live at once. */
function fullest(code, number) {
  let most = -1;
  (code.live ?? []).forEach((live, at) => { if (live && (most < 0 || live[0] > code.live[most][0])) most = at; });
  if (most < 0) return null;
  const [vgprs, agprs, sgprs] = code.live[most];
  return el("span", {}, `${vgprs} VGPRs, ${agprs} AccVGPRs and ${sgprs} SGPRs before `, el("a", { href: address("kernel", number, { view: "code", pc: code.pc[most].toString(16) }), text: code.text[most] }));
}

function resourcesView({ kernel, number, code }) {
  const names = ["VGPRs", "SGPRs", "LDS (bytes a workgroup)", "scratch (bytes a work-item)", "waves of a SIMD"];
  const content = [];
  if (kernel.before) {
    content.push(section("Occupied by a wave", el("table", { class: "plain" },
      el("thead", {}, el("tr", {}, el("td"), ["original", "with tools"].map((text) => el("th", { scope: "col", text })))),
      el("tbody", {}, names.map((name, index) => el("tr", {}, el("th", { scope: "row", text: name }),
        [kernel.before, kernel.after].map((usage) => el("td", { class: "number", text: usage ? grouped(usage[index]) : "–" })))))),
    el("p", { text: kernel.limit ? `${kernel.limit} keep more waves from running.` : code ? "The number of waves is at the hardware's maximum." : "" })));
  }
  const about = code?.facts;
  if (about) {
    const { registers, occupancy } = about;
    content.push(section("Code object", facts([
      ["symbol", el("code", { text: kernel.symbol })], ["signature", kernel.full], ["entry", hex(about.entry)], ["code", `${grouped(about.code_size)} bytes, ${grouped(kernel.instructions)} instructions`],
      ["wave size", about.wave_size], ["kernel arguments", `${about.arguments.length} (${about.kernarg_size} bytes)`], ["largest workgroup", about.max_workgroup_size],
      ["VGPRs used", registers.vgprs], ["AccVGPRs used", registers.agprs], ["SGPRs used", registers.sgprs], ["VGPRs allocated", registers.allocated_vgprs], ["SGPRs allocated", registers.allocated_sgprs],
      ["most live at once", fullest(code, number)], ["spilled", `${registers.vgpr_spills} VGPRs, ${registers.sgpr_spills} SGPRs`], ["occupancy", `${occupancy.waves_per_simd} of ${occupancy.max_waves_per_simd} waves${occupancy.limited_by ? `, limited by ${occupancy.limited_by}` : ""}`],
      ["dynamic stack", about.dynamic_stack ? "yes" : "no"], ["registers at entry", about.initial_sgprs.map(([name, count]) => `${name} (${count})`).join(", ")], ["object", el("code", { text: kernel.object })],
    ])));
  }
  const rows = about?.occupancy.what_if ?? [];
  if (rows.length) {
    const { waves_per_simd: waves, max_waves_per_simd: most } = about.occupancy;
    const row = ({ of, now, waves_per_simd, less, waves_with_less }) => el("tr", {}, el("th", { scope: "row", text: of }),
      [now, waves_per_simd, less, waves_with_less].map((count) => el("td", { class: "number", text: grouped(count) })));
    content.push(section("What a piece less would give", el("table", { class: "plain" },
      el("thead", {}, el("tr", {}, ["resource", "needed", "waves by it alone", "a piece less", "waves then"].map((text) => el("th", { scope: "col", text })))),
      el("tbody", {}, rows.map(row))),
    el("p", { text: `${waves} of ${most} waves of a SIMD run now. Registers are given to a wave, LDS to a workgroup, in pieces of a fixed size.` })));
  }
  const notes = [...(kernel.reason ? [kernel.reason] : []), ...kernel.notes];
  if (notes.length) content.push(section("Notes of the tools", el("ul", {}, notes.map((text) => el("li", { text })))));
  return el("div", { class: "stack" }, content);
}
