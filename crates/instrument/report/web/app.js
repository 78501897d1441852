// Puts the page of the address on the screen.
import { chunk } from "./data.js";
import { hidden } from "./dom.js";
import { comparedKernel, comparisonPage } from "./comparison.js";
import { kernelPage } from "./kernel.js";
import { kernelTable, overviewPage } from "./overview.js";
import { parse } from "./route.js";
import { timelinePage } from "./timeline.js";

const main = document.querySelector("main");
let turn = 0;

async function show() {
  const own = ++turn;
  const route = parse(location.hash);
  const data = (await chunk("overview")) ?? { comparison: await chunk("comparison") };
  const content = await (data.comparison ? compared(data.comparison, route) : page(data, route));
  // Somebody may have gone elsewhere meanwhile.
  if (own !== turn) return;
  main.replaceChildren(...content.filter(Boolean));
  document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "nearest", block: "nearest" });
  document.querySelectorAll("header nav a").forEach((link) => {
    const current = parse(link.getAttribute("href")).page === (route.page === "kernel" ? "kernels" : route.page);
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  document.documentElement.dataset.milliseconds ??= performance.now();
  document.documentElement.dataset.ready = location.hash || "#";
}

async function page(overview, route) {
  if (route.page === "kernel") return kernelPage(overview, route);
  if (route.page === "kernels") return [hidden("Kernels"), kernelTable(overview).under("Kernels")];
  if (route.page === "timeline") return timelinePage(overview);
  return overviewPage(overview).page;
}

async function compared(comparison, route) {
  return route.page === "compare" ? comparedKernel(comparison, route.item) : comparisonPage(comparison);
}

function colours() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  dispatchEvent(new Event("resize"));
}

document.getElementById("colours").addEventListener("click", colours);
addEventListener("hashchange", show);
addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const goes = { o: "#overview", k: "#kernels", t: "#timeline" }[event.key];
  if (event.key === "/") document.querySelector("main .search")?.focus();
  else if (goes && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest(".scroller.isa")) location.hash = goes;
  else return;
  event.preventDefault();
});
show();
