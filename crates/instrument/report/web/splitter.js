// A bar between two panes, which the mouse and the arrow keys move.
import { el } from "./dom.js";

const LEAST = 15;
const MOST = 85;
/** The left pane's part in percent; the next kernel begins with it. */
let part = 40;

export function splitter(frame, label) {
  const handle = el("div", { class: "splitter", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": label, "aria-valuemin": LEAST, "aria-valuemax": MOST });
  const put = (wanted) => {
    part = Math.max(LEAST, Math.min(MOST, wanted));
    frame.style.setProperty("--part", `${part}%`);
    handle.setAttribute("aria-valuenow", Math.round(part));
  };
  handle.addEventListener("pointerdown", (event) => { handle.setPointerCapture(event.pointerId); event.preventDefault(); handle.focus(); });
  handle.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    const box = frame.getBoundingClientRect();
    put(((event.clientX - box.left) * 100) / box.width);
  });
  handle.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -2, ArrowRight: 2, Home: -100, End: 100 }[event.key];
    if (!step) return;
    put(part + step);
    event.preventDefault();
  });
  put(part);
  return handle;
}
