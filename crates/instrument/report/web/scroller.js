// A list of which only the rows in sight exist.
import { el } from "./dom.js";

const BESIDE = 12;
const PRINTED = 1000;

export class Scroller {
  /** `draw(index)` gives the element of a row; every row is `height` pixels high. */
  constructor(height, draw, properties = {}) {
    this.height = height;
    this.draw = draw;
    this.count = 0;
    this.from = this.to = 0;
    // The row to be shown once the list has a size.
    this.wanted = -1;
    this.space = el("div", { class: "space" });
    this.element = el("div", { tabindex: "0", ...properties, class: `scroller ${properties.class ?? ""}` }, this.space);
    this.element.addEventListener("scroll", () => this.update(), { passive: true });
    new ResizeObserver(() => {
      if (this.wanted >= 0 && this.element.clientHeight) this.show(this.wanted);
      this.update();
    }).observe(this.element);
    addEventListener("beforeprint", () => this.element.isConnected && this.fill(0, Math.min(this.count, PRINTED)));
    addEventListener("afterprint", () => this.element.isConnected && this.redraw());
  }

  /** There are so many rows now, or they look different. */
  redraw(count = this.count) {
    this.count = count;
    this.space.style.height = `${count * this.height}px`;
    this.from = this.to = 0;
    this.space.replaceChildren();
    this.update();
  }

  update() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.height) - BESIDE);
    const last = Math.min(this.count, Math.ceil((this.element.scrollTop + this.element.clientHeight) / this.height) + BESIDE);
    if (first >= this.from && last <= this.to) return;
    this.fill(first, last);
  }

  fill(first, last) {
    const rows = [];
    for (let index = first; index < last; index += 1) {
      const row = this.draw(index);
      row.style.top = `${index * this.height}px`;
      row.style.height = `${this.height}px`;
      rows.push(row);
    }
    this.space.replaceChildren(...rows);
    this.from = first;
    this.to = last;
  }

  /** Brings a row into the middle unless it is in sight. */
  show(index) {
    const top = index * this.height;
    const { scrollTop, clientHeight } = this.element;
    this.wanted = clientHeight ? -1 : index;
    if (top < scrollTop || top + this.height > scrollTop + clientHeight) {
      this.element.scrollTop = Math.max(0, top - clientHeight / 2);
    }
    this.update();
  }
}
