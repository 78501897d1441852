// Where in the page one is: everything after `#`, so that every place has an address.

/** `#kernel/3?view=code&pc=1a40` as { page: "kernel", item: "3", view: "code", pc: "1a40" }. */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split("?");
  const [page = "", item = ""] = path.split("/").map(decodeURIComponent);
  return { page: page || "overview", item, ...Object.fromEntries(new URLSearchParams(query)) };
}

export function address(page, item, query = {}) {
  const rest = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  const text = rest.toString();
  return `#${page}${item === undefined || item === "" ? "" : `/${encodeURIComponent(item)}`}${text ? `?${text}` : ""}`;
}

/** Changes the address without going anywhere. */
export function note(page, item, query) {
  history.replaceState(null, "", address(page, item, query));
}
