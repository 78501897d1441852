// A table that sorts, searches, and stays fast with many rows.
import { bar, el, headings, legend } from "./dom.js";
import { Scroller } from "./scroller.js";

const ROW = 28;

export class Table {
  /**
   * columns: { title, value(row), text(row), hint, wide, number, bar, tone(row) }: `value` sorts, `text` is shown, `bar` adds a bar
   * that compares with the column's largest value, `tone` is a class of the cell. open(row): a row was chosen. link(row): where it
   * leads.
   */
  constructor(columns, rows, { open, link, search, sort = 0, label }) {
    this.columns = columns;
    this.rows = rows;
    this.open = open;
    this.link = link;
    this.most = columns.map((column) => (column.bar ? rows.reduce((most, row) => Math.max(most, column.value(row) ?? 0), 0) : 0));
    this.order = rows.map((_, index) => index);
    this.current = -1;
    this.head = el("div", { class: "row head", role: "row" });
    this.scroller = new Scroller(ROW, (index) => this.draw(index), { role: "rowgroup", class: "body", "aria-label": label });
    this.scroller.element.addEventListener("keydown", (event) => this.key(event));
    this.found = el("output", { class: "found" });
    this.query = el("input", {
      type: "search", class: "search", placeholder: `search ${label} (press /)`, "aria-label": `search ${label}`,
      oninput: () => this.filter(),
    });
    this.texts = search ? rows.map((row) => search(row).toLowerCase()) : null;
    this.element = el("div", { class: "table" },
      el("div", { class: "tools" }, search ? [this.query, this.found] : null, legend(columns)),
      el("div", { class: "rows", role: "table", "aria-label": label, "aria-rowcount": rows.length }, headings(this.head, this.scroller.element, { role: "rowgroup" }), this.scroller.element));
    const widths = columns.map((column) => column.width ?? (column.wide ? "14rem" : "7.5rem"));
    this.element.style.setProperty("--columns", widths.map((width, index) => (columns[index].wide ? `minmax(${width}, 1fr)` : width)).join(" "));
    this.element.style.setProperty("--least", `${(widths.reduce((sum, width) => sum + parseFloat(width), 0) + 0.6 * widths.length + 0.8).toFixed(1)}rem`);
    this.sort(sort);
    this.filter();
  }

  /** A section of the page that is as high as its rows need, or as there is room for. */
  under(title) {
    const section = el("section", { class: "grow" }, el("h2", { text: title }), this.element);
    section.style.setProperty("--rows", this.rows.length);
    return section;
  }

  heading() {
    this.head.replaceChildren(...this.columns.map((column, index) => {
      const sorted = index === this.sorted ? (this.down ? "descending" : "ascending") : "none";
      const arrow = { descending: " ▼", ascending: " ▲", none: "" }[sorted];
      return el("span", { role: "columnheader", "aria-sort": sorted, class: column.number ? "number" : "" }, el("button", {
        title: column.hint, text: column.title + arrow, onclick: () => { this.sort(index); this.scroller.redraw(); },
      }));
    }));
  }

  /** By a column: numbers first fall, texts first rise; again turns it round. */
  sort(index) {
    this.down = index === this.sorted ? !this.down : Boolean(this.columns[index].number);
    this.sorted = index;
    const value = this.columns[index].value;
    const keys = new Map(this.order.map((row) => [row, value(this.rows[row])]));
    const sign = this.down ? -1 : 1;
    this.order.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      // What nobody knows comes last, whichever way.
      if (x === null || x === undefined || y === null || y === undefined) return (x ?? null) === (y ?? null) ? a - b : x === null || x === undefined ? 1 : -1;
      return (x < y ? -sign : x > y ? sign : 0) || a - b;
    });
    this.heading();
  }

  filter() {
    const words = this.query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = this.rows.map((_, index) => index);
    this.order = words.length && this.texts ? all.filter((row) => words.every((word) => this.texts[row].includes(word))) : all;
    this.found.textContent = `${this.order.length} of ${this.rows.length}`;
    this.current = -1;
    const column = this.sorted;
    this.down = !this.down;
    this.sort(column);
    this.scroller.element.scrollTop = 0;
    this.scroller.redraw(this.order.length);
  }

  draw(index) {
    const row = this.rows[this.order[index]];
    const cells = this.columns.map((column, number) => {
      const text = column.text(row);
      const value = column.bar ? column.value(row) : null;
      const content = value !== null && value !== undefined && this.most[number] ? bar(value / this.most[number], text) : text;
      const inside = number === 0 && this.link ? el("a", { href: this.link(row), tabindex: "-1" }, content) : content;
      return el("span", { role: "cell", class: `${column.number ? "number" : ""} ${column.tone?.(row) ?? ""}`.trim(), title: column.wide ? text : undefined }, inside);
    });
    const properties = {
      class: `row${index === this.current ? " current" : ""}`, role: "row", "aria-rowindex": index + 1,
      "aria-current": index === this.current,
    };
    const go = () => { if (this.link) location.hash = this.link(row); else { this.choose(index); this.open?.(row); } };
    // The link in the row goes there by itself, also into another tab.
    return el("div", { ...properties, onclick: (event) => event.target.closest("a") || go() }, ...cells);
  }

  choose(index) {
    this.current = index;
    this.scroller.redraw();
    this.scroller.show(index);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.scroller.element.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) {
      this.choose(Math.max(0, Math.min(this.order.length - 1, this.current + steps[event.key])));
    } else if (event.key === "Enter" && this.current >= 0) {
      const row = this.rows[this.order[this.current]];
      if (this.link) location.hash = this.link(row);
      else this.open?.(row);
    } else return;
    event.preventDefault();
  }
}
