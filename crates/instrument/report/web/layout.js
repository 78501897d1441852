// Places for the nodes of a control flow graph: layers by longest path, orders by barycentres, long edges through empty places.

/**
 * nodes: [{ width, height }], edges: [{ from, to }], as positions. Gives { width, height, nodes: [{ x, y }], edges: [[{ x, y }, …]] };
 * y is the upper side, x the middle.
 */
export function layout(nodes, edges, gap = { x: 28, y: 44 }) {
  const back = backEdges(nodes.length, edges);
  const layers = layering(nodes.length, edges, back);
  const places = nodes.map((node, index) => ({ width: node.width, height: node.height, layer: layers[index], up: [], down: [] }));
  const chains = edges.map((edge, index) => chain(places, edge, back[index]));
  const rows = [];
  places.forEach((place, index) => (rows[place.layer] ??= []).push(index));
  for (let sweep = 0; sweep < 8; sweep += 1) order(rows, places, sweep % 2 === 0);
  spread(rows, places, gap.x);
  let y = 0;
  for (const row of rows) {
    const height = Math.max(...row.map((index) => places[index].height));
    for (const index of row) {
      places[index].y = y;
      // An edge passes the whole row straight down.
      if (index >= nodes.length) places[index].height = height;
    }
    y += height + gap.y;
  }
  const least = Math.min(...places.map((place) => place.x - place.width / 2));
  for (const place of places) place.x -= least;
  const width = Math.max(...places.map((place) => place.x + place.width / 2));
  return {
    width,
    height: y - gap.y,
    nodes: places.slice(0, nodes.length).map(({ x, y: top }) => ({ x, y: top })),
    edges: chains.map((points, index) => line(points.map((point) => places[point]), back[index])),
  };
}

/** Edges that close a loop, found by walking depth first without recursion. */
function backEdges(count, edges) {
  const out = Array.from({ length: count }, () => []);
  edges.forEach((edge, index) => out[edge.from].push(index));
  const state = new Uint8Array(count);
  const back = new Array(edges.length).fill(false);
  for (let start = 0; start < count; start += 1) {
    if (state[start]) continue;
    const stack = [[start, 0]];
    state[start] = 1;
    while (stack.length) {
      const top = stack.at(-1);
      const edge = out[top[0]][top[1]];
      top[1] += 1;
      if (edge === undefined) {
        state[top[0]] = 2;
        stack.pop();
      } else if (state[edges[edge].to] === 1) back[edge] = true;
      else if (state[edges[edge].to] === 0) {
        state[edges[edge].to] = 1;
        stack.push([edges[edge].to, 0]);
      }
    }
  }
  return back;
}

function layering(count, edges, back) {
  const layer = new Int32Array(count);
  const into = new Int32Array(count);
  const out = Array.from({ length: count }, () => []);
  edges.forEach((edge, index) => {
    if (back[index]) return;
    into[edge.to] += 1;
    out[edge.from].push(edge.to);
  });
  const ready = [];
  for (let node = 0; node < count; node += 1) if (!into[node]) ready.push(node);
  while (ready.length) {
    const node = ready.pop();
    for (const next of out[node]) {
      layer[next] = Math.max(layer[next], layer[node] + 1);
      into[next] -= 1;
      if (!into[next]) ready.push(next);
    }
  }
  return layer;
}

/** The places that an edge passes, from its upper end to its lower one. */
function chain(places, edge, turned) {
  const [upper, lower] = turned ? [edge.to, edge.from] : [edge.from, edge.to];
  const points = [upper];
  for (let layer = places[upper].layer + 1; layer < places[lower].layer; layer += 1) {
    places.push({ width: 6, height: 0, layer, up: [], down: [] });
    points.push(places.length - 1);
  }
  if (lower !== upper) points.push(lower);
  for (let index = 1; index < points.length; index += 1) {
    places[points[index - 1]].down.push(points[index]);
    places[points[index]].up.push(points[index - 1]);
  }
  return points;
}

function order(rows, places, down) {
  const numbers = () => rows.forEach((row) => row.forEach((index, at) => { places[index].at = at; }));
  numbers();
  for (const row of down ? rows : [...rows].reverse()) {
    const middle = new Map(row.map((index) => {
      const beside = down ? places[index].up : places[index].down;
      const sum = beside.reduce((total, other) => total + places[other].at, 0);
      return [index, beside.length ? sum / beside.length : places[index].at];
    }));
    row.sort((a, b) => middle.get(a) - middle.get(b) || places[a].at - places[b].at);
    row.forEach((index, at) => { places[index].at = at; });
  }
}

/** Draws each place towards the middle of those above and below, as far as its neighbours leave room. */
function spread(rows, places, gap) {
  for (const row of rows) {
    let x = 0;
    for (const index of row) {
      places[index].x = x + places[index].width / 2;
      x += places[index].width + gap;
    }
  }
  const pull = (row, sides) => {
    const wish = row.map((index) => {
      const beside = sides(places[index]);
      return beside.length ? beside.reduce((sum, other) => sum + places[other].x, 0) / beside.length : places[index].x;
    });
    // Neighbours that would overlap are moved together, so that all of them are off by as much.
    const groups = [];
    row.forEach((index, at) => {
      let group = { members: [index], wish: wish[at], width: places[index].width, offsets: [0] };
      while (groups.length) {
        const last = groups.at(-1);
        const distance = last.offsets.at(-1) + places[last.members.at(-1)].width / 2 + gap + places[group.members[0]].width / 2;
        if (last.wish + distance <= group.wish) break;
        groups.pop();
        const [a, b] = [last.members.length, group.members.length];
        group = {
          members: [...last.members, ...group.members],
          offsets: [...last.offsets, ...group.offsets.map((offset) => offset + distance)],
          wish: (last.wish * a + (group.wish - distance) * b) / (a + b),
        };
      }
      groups.push(group);
    });
    for (const group of groups) group.members.forEach((index, at) => { places[index].x = group.wish + group.offsets[at]; });
  };
  for (let sweep = 0; sweep < 6; sweep += 1) {
    for (const row of rows) pull(row, (place) => place.up);
    for (const row of [...rows].reverse()) pull(row, (place) => place.down);
  }
  for (const row of rows) pull(row, (place) => [...place.up, ...place.down]);
}

function line(points, turned) {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length === 1) {
    const right = first.x + first.width / 2;
    return [{ x: right, y: first.y + first.height * 0.7 }, { x: right + 16, y: first.y + first.height / 2 }, { x: right, y: first.y + first.height * 0.3 }];
  }
  const shift = turned ? 10 : 0;
  const path = [{ x: first.x + shift, y: first.y + first.height }, ...points.slice(1, -1).flatMap(({ x, y, height }) => [{ x: x + shift, y }, { x: x + shift, y: y + height }]), { x: last.x + shift, y: last.y }];
  return turned ? path.reverse() : path;
}
