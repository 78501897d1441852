// What is shown beside an instruction or a source line, from what tools counted there.

/** For known tools: how their counters make one figure, and when it is bad. */
const KNOWN = {
  "mem-coalesce": { title: "lines/access", of: ["lines", "accesses"], hint: "cache lines of 128 bytes that one access of a wave touches", digits: 2 },
  "lds-conflicts": { title: "turns/access", of: ["turns", "accesses"], hint: "turns that the LDS banks need for one access; 128 bytes need one if no two lanes want the same bank", digits: 2 },
  "branch-divergence": { title: "split %", of: ["splits", "executions"], hint: "of the waves that came here, how many parted", digits: 1, scale: 100 },
};

/** Columns of a code: { title, hint, text(sum), value(sum) } and the sums by instruction. */
export function metricColumns(code) {
  return code.metrics.filter((metric) => metric.at.length).map((metric) => {
    const known = KNOWN[metric.tool];
    const column = known
      ? ratio(metric, known)
      : { title: metric.tool, hint: metric.names.join(", "), value: (sum) => sum[0], text: (sum) => sum.join(" / ") };
    return { ...column, tool: metric.tool, names: metric.names, sums: new Map(metric.at.map((at, index) => [at, metric.values[index]])) };
  });
}

function ratio(metric, { title, hint, of, digits, scale = 1 }) {
  const [part, whole] = of.map((name) => metric.names.indexOf(name));
  const value = (sum) => (sum[whole] ? (sum[part] * scale) / sum[whole] : null);
  return { title, hint, value, text: (sum) => value(sum)?.toFixed(digits) ?? "–" };
}

/** Adds up counters; null if there are none. */
export function added(sums) {
  let total = null;
  for (const sum of sums) {
    if (sum) total = total ? total.map((count, index) => count + sum[index]) : [...sum];
  }
  return total;
}
