// Source and instructions side by side.
import { bar, el, headings, legend } from "./dom.js";
import { chunk, grouped, hex, ofWaves, short, tail } from "./data.js";
import { added, metricColumns } from "./metrics.js";
import { Scroller } from "./scroller.js";
import { splitter } from "./splitter.js";

const LINE = 20;
/** Pixels of a character of code, rounded up. */
const CHARACTER = 7.6;
const TAB = 4;
const SOURCE = [
  { title: "line" }, { title: "wave instr.", hint: "instructions of this line that waves executed, with those of what is inlined into it" },
  { title: "lanes", hint: "active lanes on average" }, { title: "source" },
];

/** Of each instruction, what checkers found there. */
function found(remarks) {
  const at = new Map();
  for (const remark of remarks.filter(({ grade }) => grade)) {
    const places = [remark.at, remark.other].filter((place) => (place ?? null) !== null);
    for (const place of new Set(places)) at.set(place, [...(at.get(place) ?? []), remark.title]);
  }
  return at;
}

/** A sign before a line with findings. */
function flag(titles) {
  if (!titles?.length) return null;
  const said = [...new Set(titles)].join("\n");
  return el("span", { class: "finding", text: "⚠ ", title: said, role: "img", "aria-label": said });
}

export class Listing {
  /** place: { pc } or { line: "file:number" } to begin with; moved(query): the address of what was chosen; remarks: of the kernel. */
  constructor(overview, code, place, moved, remarks = []) {
    this.overview = overview;
    this.code = code;
    this.moved = moved;
    this.columns = metricColumns(code);
    this.live = code.live?.some(Boolean);
    this.most = code.waves.reduce((most, waves) => Math.max(most, waves ?? 0), 0);
    this.folded = new Set();
    this.unrun = false;
    this.chosen = -1;
    this.file = null;
    this.lines = new Map();
    this.marked = new Set();
    this.found = found(remarks);
    this.blockOf = new Int32Array(code.pc.length).fill(-1);
    code.blocks.forEach((block, number) => this.blockOf.fill(number, block.first, block.end));
    this.atLines();
    this.isa = new Scroller(LINE, (index) => this.drawRow(index), { class: "isa", role: "list", "aria-label": "instructions" });
    this.source = new Scroller(LINE, (index) => this.drawLine(index), { class: "source", role: "list", "aria-label": "source lines" });
    this.frames = el("div", { class: "frames", "aria-live": "polite" });
    this.files = el("select", { "aria-label": "source file", onchange: () => this.openFile(this.files.value) });
    this.element = this.build();
    this.isa.element.addEventListener("keydown", (event) => this.key(event));
    this.lay();
    this.ready = this.begin(place);
  }

  build() {
    const longest = this.code.text.reduce((most, text) => Math.max(most, text.length), 0);
    const text = `max(21rem, ${Math.ceil(longest * CHARACTER)}px)`;
    const shown = [
      { title: "address", width: "4rem" }, { title: "waves", width: "6.5rem", hint: "waves that executed it" }, { title: "lanes", width: "3rem", hint: "active lanes on average" },
      { title: "instruction", width: text },
      ...(this.live ? [{ title: "live VGPRs", width: "5rem", hint: "VGPRs whose values may still be read before the instruction: most at once decide how many a wave needs" }] : []),
      ...this.columns.map(({ title, hint }) => ({ title, hint, width: "6rem" })),
    ];
    const columns = shown.map(({ width }) => (width === text ? `minmax(${text}, 1fr)` : width)).join(" ");
    const least = `calc(${shown.map(({ width }) => width).join(" + ")} + ${(0.5 * shown.length + 0.6).toFixed(1)}rem)`;
    const head = el("div", { class: "line head" }, shown.map(({ title, hint }) => el("span", { class: title === "instruction" ? "" : "number", text: title, title: hint })));
    const hide = el("label", {}, el("input", { type: "checkbox", onchange: (event) => { this.unrun = event.target.checked; this.lay(); } }), " hide what never ran");
    const find = el("input", { type: "search", class: "search", placeholder: "find instruction (press /)", "aria-label": "find instruction",
      onkeydown: (event) => { if (event.key === "Enter") { this.find(event.target.value, event.shiftKey); event.preventDefault(); } } });
    const right = el("div", { class: "pane right" },
      el("div", { class: "tools" }, find,
        el("button", { text: "next hot", title: "the next hottest block (n)", onclick: () => this.nextHot() }),
        el("button", { text: "fold all", onclick: () => { this.code.blocks.forEach((_, number) => this.folded.add(number)); this.lay(); } }),
        el("button", { text: "unfold all", onclick: () => { this.folded.clear(); this.lay(); } }), hide, legend(shown)),
      headings(head, this.isa.element), this.isa.element, this.frames);
    right.style.setProperty("--columns", columns);
    right.style.setProperty("--least", least);
    this.left = el("div", { class: "pane left" }, el("div", { class: "tools" }, this.files, legend(SOURCE)),
      headings(el("div", { class: "line head" }, SOURCE.map(({ title, hint }) => el("span", { class: title === "source" ? "" : "number", text: title, title: hint }))), this.source.element),
      this.source.element);
    const listing = el("div", { class: "listing" }, this.left);
    listing.append(splitter(listing, "between source and instructions"), right);
    return listing;
  }

  /** Executed instructions of each source line, by its own code and by what is inlined into it. */
  atLines() {
    const { code } = this;
    this.byFile = new Map();
    for (let at = 0; at < code.pc.length; at += 1) {
      for (const frame of code.places[code.place[at]]) {
        if (!this.byFile.has(frame.file)) this.byFile.set(frame.file, new Map());
        const lines = this.byFile.get(frame.file);
        if (!lines.has(frame.line)) lines.set(frame.line, { waves: 0, lanes: 0, at: [] });
        const line = lines.get(frame.line);
        if (line.at.at(-1) === at) continue;
        line.waves += code.waves[at] ?? 0;
        line.lanes += code.lanes[at] ?? 0;
        line.at.push(at);
      }
    }
  }

  async begin(place) {
    const heat = (lines) => [...lines.values()].reduce((sum, line) => sum + line.waves, 0);
    const named = [...this.byFile].sort((a, b) => heat(b[1]) - heat(a[1]) || b[1].size - a[1].size);
    this.files.replaceChildren(...named.map(([file]) => el("option", { value: file, text: tail(file), title: file })));
    this.left.hidden = named.length === 0;
    this.element.classList.toggle("alone", named.length === 0);
    if (place.line) {
      const [, file, line] = place.line.match(/^(.*):(\d+)$/) ?? [];
      const known = named.find(([name]) => name === file || name.endsWith(`/${file}`));
      if (known) {
        await this.openFile(known[0]);
        this.chooseLine(Number(line));
        return;
      }
    }
    // The kernel's own file is where the outermost frames are.
    const outer = new Map();
    for (const at of this.code.place) {
      const frame = this.code.places[at].at(-1);
      if (frame) outer.set(frame.file, (outer.get(frame.file) ?? 0) + 1);
    }
    const own = [...outer].sort((a, b) => b[1] - a[1])[0]?.[0] ?? named[0]?.[0];
    if (own) await this.openFile(own);
    const at = place.pc === undefined ? -1 : this.code.pc.indexOf(parseInt(place.pc, 16));
    if (at >= 0) await this.choose(at);
  }

  /** Rows: numbers of instructions, and -1 - b for the heading of block b. */
  lay() {
    const rows = [];
    this.code.blocks.forEach((block, number) => {
      if (this.unrun && !this.code.waves[block.first]) return;
      rows.push(-1 - number);
      if (!this.folded.has(number)) for (let at = block.first; at < block.end; at += 1) rows.push(at);
    });
    this.rows = rows;
    this.rowOf = new Map(rows.map((at, row) => [at, row]));
    this.isa.redraw(rows.length);
  }

  drawRow(index) {
    const at = this.rows[index];
    return at < 0 ? this.drawBlock(-1 - at) : this.drawInstruction(at);
  }

  drawBlock(number) {
    const { code } = this;
    const block = code.blocks[number];
    const begins = code.functions.find((known) => known.first === block.first);
    const open = !this.folded.has(number);
    return el("div", { class: "line block", role: "listitem" },
      el("button", { class: "fold", "aria-expanded": open, text: `${open ? "▾" : "▸"} bb${number}`,
        onclick: () => { if (open) this.folded.add(number); else this.folded.delete(number); this.lay(); } }),
      el("span", { class: "about", text: `${begins ? `${begins.name} · ` : ""}${block.end - block.first} instructions · ${ofWaves(code.waves[block.first])} · ${block.exit.replace("_", " ")}` }));
  }

  drawInstruction(at) {
    const { code } = this;
    const waves = code.waves[at];
    const lanes = waves ? (code.lanes[at] / waves).toFixed(1) : "–";
    const classes = ["line"];
    if (at === this.chosen) classes.push("current");
    if (this.marked.has(at)) classes.push("marked");
    if (waves === 0) classes.push("cold");
    return el("div", { class: classes.join(" "), role: "listitem", "aria-current": at === this.chosen, "data-pc": code.pc[at].toString(16), onclick: () => this.choose(at) },
      el("span", { class: "number pc", text: code.pc[at].toString(16) }),
      waves === null ? el("span", { class: "number", text: "–" }) : el("span", { class: "number" }, bar(this.most ? waves / this.most : 0, short(waves), grouped(waves))),
      el("span", { class: "number", text: lanes }),
      el("span", { class: `text kind${code.kind[at]}`, title: `${code.text[at]}\n${code.kinds[code.kind[at]]}` }, flag(this.found.get(at)), code.text[at]),
      this.live ? el("span", { class: "number", text: code.live[at]?.[0] ?? "", title: code.live[at] ? `${code.live[at][1]} AccVGPRs, ${code.live[at][2]} SGPRs` : undefined }) : null,
      this.columns.map((column) => {
        const sum = column.sums.get(at);
        return el("span", { class: "number", text: sum ? column.text(sum) : "", title: sum ? column.names.map((name, index) => `${name} ${grouped(sum[index])}`).join(", ") : undefined });
      }));
  }

  async openFile(file) {
    if (this.file === file) return;
    this.file = file;
    this.files.value = file;
    const number = this.overview.sources.indexOf(file);
    const text = number < 0 ? null : await chunk(`source-${number}`);
    const lines = this.byFile.get(file) ?? new Map();
    this.text = text === null ? null : text.split("\n");
    // Without its text a file is the list of its lines that have code.
    this.numbers = this.text ? null : [...lines.keys()].sort((a, b) => a - b);
    this.lines = lines;
    const width = (line) => [...line].reduce((at, character) => (character === "\t" ? at - (at % TAB) + TAB : at + 1), 0);
    const longest = (this.text ?? []).reduce((most, line) => Math.max(most, width(line)), 0);
    this.left.style.setProperty("--least", `calc(15.5rem + ${Math.ceil(longest * CHARACTER)}px)`);
    this.mostLine = Math.max(1, ...[...lines.values()].map((line) => line.waves));
    this.source.redraw(this.text ? this.text.length : this.numbers.length);
    const first = [...lines].sort((a, b) => b[1].waves - a[1].waves || a[0] - b[0])[0];
    if (first) this.source.show(this.rowOfLine(first[0]));
  }

  rowOfLine(line) {
    return this.numbers ? this.numbers.indexOf(line) : line - 1;
  }

  drawLine(index) {
    const number = this.numbers ? this.numbers[index] : index + 1;
    const line = this.lines.get(number);
    const classes = ["line"];
    if (number === this.line) classes.push("current");
    if (line && line.waves === 0) classes.push("cold");
    return el("div", { class: classes.join(" "), role: "listitem", "aria-current": number === this.line, "data-line": number, onclick: () => line && this.chooseLine(number) },
      el("span", { class: "number pc", text: number }),
      el("span", { class: "number" }, line ? bar(line.waves / this.mostLine, short(line.waves), grouped(line.waves)) : ""),
      el("span", { class: "number", text: line && line.waves ? (line.lanes / line.waves).toFixed(1) : "" }),
      el("span", { class: "text" }, flag(line?.at.flatMap((at) => this.found.get(at) ?? [])), this.text ? this.text[index] : "(the source is not in this page)"));
  }

  /** A source line: all its instructions are marked, the first one is shown. */
  chooseLine(number) {
    const line = this.lines.get(number);
    this.line = number;
    this.marked = new Set(line?.at ?? []);
    this.chosen = -1;
    this.source.redraw();
    this.source.show(this.rowOfLine(number));
    this.isa.redraw();
    if (line?.at.length) {
      this.unfold(line.at[0]);
      this.isa.show(this.rowOf.get(line.at[0]) ?? 0);
    }
    const sums = this.columns.map((column) => [column, added((line?.at ?? []).map((at) => column.sums.get(at)))]).filter(([, sum]) => sum);
    this.frames.replaceChildren(el("span", { text: `${tail(this.file)}:${number}: ${line?.at.length ?? 0} instructions, ${grouped(line?.waves ?? 0)} executed by waves` }),
      ...sums.map(([column, sum]) => el("span", { text: ` · ${column.text(sum)} ${column.title}` })));
    this.moved({ line: `${this.file}:${number}` });
  }

  /** An instruction: its source line is shown, and what it is inlined into. */
  async choose(at) {
    this.chosen = at;
    this.marked = new Set();
    this.unfold(at);
    const frames = this.code.places[this.code.place[at]];
    this.frames.replaceChildren(el("strong", { text: hex(this.code.pc[at]) }), ...frames.map((frame, depth) =>
      el("button", { class: "frame", title: frame.file, onclick: async () => { await this.openFile(frame.file); this.line = frame.line; this.source.redraw(); this.source.show(this.rowOfLine(frame.line)); },
        text: `${depth ? "inlined into " : ""}${tail(frame.file)}:${frame.line}${frame.column ? `:${frame.column}` : ""} ${frame.function}` })),
      ...(this.found.get(at) ?? []).map((title) => el("span", { class: "finding", text: ` ⚠ ${title}` })));
    this.isa.redraw();
    this.isa.show(this.rowOf.get(at) ?? 0);
    this.moved({ pc: this.code.pc[at].toString(16) });
    const [shown] = frames;
    if (shown) {
      await this.openFile(shown.file);
      this.line = shown.line;
      this.source.redraw();
      this.source.show(this.rowOfLine(shown.line));
    }
  }

  unfold(at) {
    const block = this.blockOf[at];
    const hidden = this.unrun && !this.rowOf.has(at);
    if (this.folded.delete(block) || hidden) {
      if (hidden) this.unrun = false;
      this.lay();
    }
  }

  find(words, back) {
    const wanted = words.toLowerCase();
    const count = this.code.text.length;
    for (let step = 1; step <= count; step += 1) {
      const at = (this.chosen + (back ? -step : step) + 2 * count) % count;
      if (this.code.text[at].toLowerCase().includes(wanted)) {
        this.choose(at);
        return;
      }
    }
  }

  nextHot() {
    this.hot ??= this.code.blocks.map((block, number) => [number, (this.code.waves[block.first] ?? 0) * (block.end - block.first)])
      .sort((a, b) => b[1] - a[1]).map(([number]) => number);
    this.turn = ((this.turn ?? -1) + 1) % this.hot.length;
    this.choose(this.code.blocks[this.hot[this.turn]].first);
  }

  key(event) {
    const row = this.rowOf.get(this.chosen) ?? -1;
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    if (event.key === "n") this.nextHot();
    else if (step) {
      let next = row + step;
      while (this.rows[next] < 0) next += step;
      if (this.rows[next] !== undefined) this.choose(this.rows[next]);
    } else return;
    event.preventDefault();
  }
}
