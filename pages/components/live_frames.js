// Frames of one chart are drawn in two ways. While a slider moves, paths of lines and places of marks that Plotly has
// drawn are changed directly. When it rests, or when anything else changes, Plotly draws the frame.
const close = (a, b) => a === b || Math.abs(a - b) <= 1e-5 * Math.max(Math.abs(a), Math.abs(b)) || (Number.isNaN(a) && !Number.isFinite(b));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const within = (root, path) => path.split(/[.[\]]+/).filter(Boolean).reduce((part, name) => part?.[name], root);
const LINE = /^M([^,]+),([^L]+)L([^,]+),(.+)$/, END = /^layout\.shapes\[(\d+)\]\.([xy])([01])$/;

async function unpacked(text, width) {  // floats from deflated bytes: the first byte of each, then the second ones, …
  const packed = new Blob([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))]);
  const planes = new Uint8Array(await new Response(packed.stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
  const count = planes.length / width, bytes = new Uint8Array(planes.length);
  for (let i = 0; i < count; i++) for (let byte = 0; byte < width; byte++) bytes[width * i + byte] = planes[byte * count + i];
  return new (width === 4 ? Float32Array : Float64Array)(bytes.buffer);
}

// The pixel of a number on an axis, NaN where Plotly leaves a gap. A line may go down to 0 even on a logarithmic axis.
const pixel = (axis, value, line = false) => (value === null ? NaN : axis.c2p(value, line));
const seen = (x, y) => Number.isFinite(x) && Number.isFinite(y);

function runsOf(x, y) {  // the points of a line in pixels, as one list for each piece between gaps
  const runs = [[]];
  for (const [i, one] of x.entries()) {
    if (seen(one, y[i])) runs.at(-1).push([one, y[i]]);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 1);
}

const pathOf = (run) => "M" + run.map((point) => point.map((one) => one.toFixed(2)).join()).join("L");

class Frames {
  static async of({ count, numbers, rest }) {
    const decoded = await Promise.all(numbers.map(async ({ trace, name, ends, width, floats }) => {
      const all = await unpacked(floats, width);
      return { trace, name, at: (i) => all.subarray(i ? ends[i - 1] : 0, ends[i]) };
    }));
    return new Frames(count, decoded, rest);
  }

  constructor(count, numbers, rest) {
    Object.assign(this, { count, numbers, rest });
    this.traces = [...new Set(numbers.map((one) => one.trace))];
  }

  has(i) { return i >= 0 && i < this.count; }

  data(i) {
    const found = new Map(this.traces.map((trace) => [trace, {}]));
    for (const one of this.numbers) found.get(one.trace)[one.name] = one.at(i);
    return [...found.values()];
  }

  async draw(plot, i) {
    const layout = {}, style = {};
    for (const { path, values } of this.rest) {
      if (same(within(plot, path), values[i])) continue;  // avoids a redraw
      const own = /^data\[(\d+)\]\.(.*)$/.exec(path);
      if (own) (style[own[1]] ??= {})[own[2]] = [values[i]];
      else layout[path.replace("layout.", "")] = values[i];
    }
    for (const [trace, changes] of Object.entries(style)) await window.Plotly.restyle(plot, changes, [+trace]);
    const data = this.data(i), { traces } = this;
    // Other traces than "scatter" are drawn in one update, in which undefined values change nothing.
    if (!traces.every((trace) => plot.data[trace].type === "scatter")) {
      const names = [...new Set(data.flatMap(Object.keys))];
      return window.Plotly.update(plot, Object.fromEntries(names.map((name) => [name, data.map((own) => own[name])])), layout, traces);
    }
    const once = { mode: "immediate", frame: { duration: 0, redraw: false }, transition: { duration: 0 } };
    if (traces.length) await window.Plotly.animate(plot, { data, traces }, once);
    if (Object.keys(layout).length) await window.Plotly.relayout(plot, layout);
  }

  sketch(plot, i) {  // draw the frame without Plotly if possible; returns whether it was
    const writes = [];
    for (const { path, values } of this.rest) {
      const end = END.exec(path);
      if (end ? !this.straight(plot, end, values[i], writes) : !same(within(plot, path), values[i])) return false;
    }
    for (const [k, own] of this.data(i).entries()) if (!this.trace(plot, this.traces[k], own, writes)) return false;
    for (const [node, name, value] of writes) node.setAttribute(name, value);
    return true;
  }

  straight(plot, [, shape, along, end], value, writes) {  // move one end of a straight line across the chart
    const { type, [along + "ref"]: ref } = plot._fullLayout.shapes[shape] ?? {};
    const axis = plot._fullLayout[ref?.replace(along, along + "axis")], place = axis && pixel(axis, value);
    const node = plot.querySelector(`.shapelayer path[data-index="${shape}"]`);
    const before = writes.findLast((one) => one[0] === node), ends = LINE.exec(before?.[2] ?? node?.getAttribute("d"))?.slice(1);
    if (type !== "line" || !Number.isFinite(place) || !ends) return false;
    ends[2 * end + (along === "y")] = axis._offset + place;
    writes.push([node, "d", `M${ends[0]},${ends[1]}L${ends[2]},${ends[3]}`]);
    return true;
  }

  trace(plot, at, own, writes) {
    const full = plot._fullData[at];
    if (full?.type !== "scatter") return false;
    if (full.visible !== true) return true;
    const node = plot.querySelector(`.scatterlayer .trace${CSS.escape(full.uid)}`);
    const axes = ["x", "y"].map((name) => plot._fullLayout[full[name + "axis"].replace(name, name + "axis")]);
    const values = ["x", "y"].map((name) => own[name] ?? full[name] ?? []);
    if (!node || values[0].length !== values[1].length || axes.some(({ type }) => type !== "linear" && type !== "log")) return false;
    const places = values.map((some, k) => Array.from(some, (value) => pixel(axes[k], value, full.mode !== "markers")));
    if (full.mode === "markers") return this.marks(full, node, ...places, writes);
    return full.mode === "lines" && full.line.shape === "linear" && this.line(full, node, runsOf(...places), axes[1], writes);
  }

  marks({ marker }, node, x, y, writes) {
    const shown = [...x.keys()].filter((i) => seen(x[i], y[i])), marks = node.querySelectorAll(".points path");
    if (marks.length !== shown.length || marker.maxdisplayed) return false;
    for (const [k, i] of shown.entries()) writes.push([marks[k], "transform", `translate(${x[i]},${y[i]})`]);
    return true;
  }

  line({ fill }, node, runs, axis, writes) {  // only a line without gaps can have its area down to zero filled
    const [first, ...others] = node.querySelectorAll("path.js-line"), area = node.querySelector("path.js-fill");
    if (!first && runs.length) return false;
    if (first) writes.push([first, "d", runs.map(pathOf).join("") || "M0,0"]);
    for (const other of others) writes.push([other, "d", "M0,0"]);
    if (!fill || fill === "none") return true;
    if (fill !== "tozeroy" || axis.type !== "linear" || runs.length !== 1 || !area) return false;
    const zero = axis.c2p(0);
    writes.push([area, "d", pathOf([[runs[0][0][0], zero], ...runs[0], [runs[0].at(-1)[0], zero]]) + "Z"]);
    return true;
  }

  nearest(trace, x, log) {  // the position of the slider at which the point of a trace is nearest to x
    const places = this.numbers.find((one) => one.trace === trace && one.name === "x")?.at;
    const far = (i) => log ? Math.abs(Math.log(places(i)[0] / x)) : Math.abs(places(i)[0] - x);
    let best = -1;
    if (places) for (let i = 0; i < this.count; i++) if (far(i) < (best < 0 ? Infinity : far(best))) best = i;
    return best;
  }

  kept(plot) {  // what the chart shows now, as frames with a single position
    return new Frames(1, this.numbers.map(({ trace, name }) => {
      const now = plot._fullData[trace][name];
      return { trace, name, at: () => now };
    }), this.rest.map(({ path }) => ({ path, values: [within(plot, path)] })));
  }

  shows(plot, i) {  // whether Plotly already has the chart at this position
    return this.numbers.every(({ trace, name, at }) => {
      const mine = at(i), theirs = plot._fullData?.[trace]?.[name];
      return theirs?.length === mine.length && mine.every((value, k) => close(value, theirs[k]));
    });
  }
}
