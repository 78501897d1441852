// Elements without a framework.

/** An element with properties (`class`, `text`, `on…`, attributes) and children. */
export function el(tag, properties = {}, ...children) {
  const svg = ["svg", "g", "path", "rect", "text", "title", "defs", "marker", "polygon"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") element.style.cssText = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A list of names and values. */
export function facts(rows) {
  const list = el("dl", { class: "facts" });
  for (const [name, value] of rows) {
    if (value === null || value === undefined || value === "") continue;
    list.append(el("dt", { text: name }), el("dd", {}, value instanceof Node ? value : String(value)));
  }
  return list;
}

/** A bar with its figure beside it; the bar's length says what its colour says too. */
export function bar(share, text, label) {
  const width = Math.max(0, Math.min(1, share || 0)) * 100;
  return el("span", { class: "bar", title: label },
    el("span", { class: "track" }, el("span", { class: "fill", style: `width:${width.toFixed(2)}%` })),
    el("span", { class: "value", text }));
}

/** What columns mean that have a hint; nothing if none has one. */
export function legend(columns) {
  const told = columns.filter((column) => column.hint);
  return told.length ? el("details", { class: "legend" }, el("summary", { text: "what the columns say" }), facts(told.map(({ title, hint }) => [title, hint]))) : null;
}

/** Headings that stay where they are when a list scrolls down, and go along when it scrolls to the side. */
export function headings(head, list, properties = {}) {
  const frame = el("div", { class: "heads", ...properties }, head);
  list.addEventListener("scroll", () => { frame.scrollLeft = list.scrollLeft; }, { passive: true });
  return frame;
}

/** Rows of [name, value, text] with bars, longest first. */
export function bars(rows, total) {
  const most = Math.max(1, ...rows.map((row) => row[1]));
  const body = el("tbody");
  for (const [name, value, text] of rows) {
    const share = total ? ` (${((value * 100) / total).toFixed(1)} %)` : "";
    body.append(el("tr", {}, el("th", { scope: "row", text: name }), el("td", {}, bar(value / most, text + share))));
  }
  return el("table", { class: "bars" }, body);
}

export function section(title, ...content) {
  return el("section", {}, el("h2", { text: title }), ...content);
}

/** A heading for those who hear the page; the others see which tab is chosen. */
export function hidden(title) {
  return el("h1", { class: "hidden", text: title });
}
