// The data that lies packed in the page, and how numbers are written.

const unpacked = new Map();

/** The bytes of a chunk as JSON; null if the page has none of that name. */
export function chunk(name) {
  if (!unpacked.has(name)) unpacked.set(name, unpack(name));
  return unpacked.get(name);
}

async function unpack(name) {
  const element = document.getElementById(`data-${name}`);
  if (!element) return null;
  const bytes = Uint8Array.from(atob(element.textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

/** Digits in groups of three. */
export function grouped(number) {
  if (number === null || number === undefined) return "–";
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** At most four digits and a unit. */
export function short(number) {
  if (number === null || number === undefined) return "–";
  const units = ["", " k", " M", " G", " T", " P", " E"];
  let unit = 0;
  while (Math.abs(number) >= 9999.5 && unit + 1 < units.length) {
    number /= 1000;
    unit += 1;
  }
  const digits = unit === 0 && Number.isInteger(number) ? String(number) : number.toPrecision(4).replace(/\.?0+$/, "");
  return digits + units[unit];
}

/** A number of waves in words. */
export function ofWaves(number, text = short(number)) {
  return `${text} ${number === 1 ? "wave" : "waves"}`;
}

export function time(nanoseconds) {
  if (nanoseconds === null || nanoseconds === undefined) return "–";
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
  for (const [size, name] of units) {
    if (nanoseconds >= size) return `${(nanoseconds / size).toPrecision(4)} ${name}`;
  }
  return `${nanoseconds} ns`;
}

export function percent(part, whole) {
  return whole ? `${((part * 100) / whole).toFixed(1)} %` : "–";
}

export function hex(number) {
  return `0x${number.toString(16)}`;
}

/** The last two parts of a path. */
export function tail(path) {
  return path.split("/").slice(-2).join("/");
}
