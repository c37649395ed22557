// A plot whose handles are dragged by mouse, finger or arrow keys. The page sends curves and heights of handles; this
// script sends the heights back, with at most one unanswered message at a time.
const NS = "http://www.w3.org/2000/svg";
const DASHES = { solid: "", dash: "8 5", dot: "2 4", dashdot: "9 4 2 4" };
const MARGIN = { left: 48, right: 12, top: 8, bottom: 40 };
const GAP = 60, PATIENCE = 900;  // ms: least time between two messages, and time after which no answer is waited for

const give = (node, attributes) => { for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value); };
const make = (name, attributes, parent, text = "") => {
  const node = parent.appendChild(document.createElementNS(NS, name));
  give(node, attributes);
  node.textContent = text;
  return node;
};

const ticks = (low, high, wanted) => {
  const finest = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(finest));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= finest);
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => [(first + i) * step, minus(+((first + i) * step).toPrecision(6))]);
};

const minus = (value) => String(value).replace("-", "−");
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

const height = (line, x) => {  // height of a line at x; beyond an end, the height of this end
  const i = line.x.findIndex((one) => one >= x);
  if (i <= 0) return line.y.at(i);
  const share = (x - line.x[i - 1]) / (line.x[i] - line.x[i - 1]);
  return line.y[i - 1] + share * (line.y[i] - line.y[i - 1]);
};

// the area under a polyline
const area = (path) => path.slice(1).reduce((sum, [x, y], i) => sum + 0.5 * (x - path[i][0]) * (y + path[i][1]), 0);

class View {
  constructor(root) {
    this.root = root;
    for (const name of ["legend", "hint", "plot", "frame", "back", "shaded", "curves", "front"]) this[name] = root.querySelector(`.${name}`);
    this.waiting = null;  // the values sent that the page has not yet answered
    this.sentAt = -PATIENCE;
    const does = { pointerdown: this.press, pointermove: this.move, pointerup: this.release, pointercancel: this.release, keydown: this.key };
    for (const [name, answer] of Object.entries(does)) this.plot.addEventListener(name, answer.bind(this));
    new ResizeObserver(() => this.draw()).observe(root);
    this.slid = new MutationObserver(() => this.follow());
  }

  update(data, send) {
    this.send = send;
    this.keepMine(data);
    const shape = JSON.stringify(data.series.map((s) => [s.id, s.name, s.values.length, s.color]));
    if (shape !== this.shape) this.handles = null;
    this.shape = shape;
    this.data = data;
    this.rider = data.series.find((one) => one.sideways);
    this.watch();
    for (const [name, value] of Object.entries(data.theme)) this.root.style.setProperty(`--${name}`, value);
    give(this.plot, { height: data.height, "aria-label": data.label });
    this.hint.textContent = data.hint;
    this.draw();
  }

  keepMine(data) {  // an answer to an earlier position must not move a handle that is being dragged, nor the scale
    if (JSON.stringify(data.series.map((s) => s.values)) === this.waiting) this.waiting = null;
    const unanswered = this.waiting !== null && performance.now() - this.sentAt <= PATIENCE;
    if (this.held || this.dirty || unanswered) for (const s of data.series) {
      const mine = this.data.series.find((one) => one.id === s.id);
      if (mine?.values.length === s.values.length) s.values = mine.values;
    }
    if (this.held) data.y = this.data.y;
  }

  watch() {  // observe the sliders, so that lines and riding handle follow them before the page has run
    this.sliders = [this.data.slider, this.data.shades.length ? `st-key-${this.rider.id}` : ""]
      .map((name) => (name ? document.querySelector(`.${CSS.escape(name)}`) : null));
    this.slid.disconnect();
    for (const box of this.sliders.filter(Boolean))
      this.slid.observe(box, { subtree: true, childList: true, attributes: true, attributeFilter: ["value", "aria-valuetext"] });
  }

  follow() {
    const [lines, handle] = this.sliders.map((box) => box?.querySelector("input[type=range]"));
    const at = lines && Math.round((lines.value - lines.min) / lines.step), heights = lines && this.data.frames[at];
    if (heights) this.data.lines.forEach((line, i) => { line.y = heights[i]; });
    if (heights && this.data.axes.length) {
      [this.data.x, this.data.y] = this.data.axes[at];
      const [a, b] = this.data.x;
      for (const line of this.data.lines) line.x = line.y.map((_, i) => a + (i / (line.y.length - 1)) * (b - a));
    }
    if (handle && !this.held && !this.dirty) this.rider.values = [+handle.value];
    this.draw();
  }

  X(x) { const [a, b] = this.data.x; return MARGIN.left + ((x - a) / (b - a)) * (this.right - MARGIN.left); }
  Y(y) { const [a, b] = this.data.y; return MARGIN.top + ((b - y) / (b - a)) * (this.bottom - MARGIN.top); }
  pixels(x, y) { return `${this.X(x).toFixed(1)},${clamp(this.Y(y), -2000, 4000).toFixed(1)}`; }

  draw() {
    this.width = Math.max(this.root.clientWidth, 200);
    this.right = this.width - MARGIN.right;
    this.bottom = this.data.height - MARGIN.bottom;
    this.plot.setAttribute("viewBox", `0 0 ${this.width} ${this.data.height}`);
    give(this.frame, { x: MARGIN.left, y: MARGIN.top, width: this.right - MARGIN.left, height: this.bottom - MARGIN.top });
    this.drawAxes();
    this.drawCurves();
    this.drawShades();
    this.drawLegend();
    this.drawHandles();
  }

  drawAxes() {
    const { back, right, bottom, data } = this, center = (MARGIN.left + right) / 2, middle = (MARGIN.top + bottom) / 2;
    back.replaceChildren();
    for (const [t, text] of ticks(...data.x, 8)) {
      this.upright(t, { class: "grid" }, back);
      make("text", { x: this.X(t), y: bottom + 17, "text-anchor": "middle" }, back, text);
    }
    for (const [t, text] of ticks(...data.y, 6)) {
      make("line", { class: "grid", x1: MARGIN.left, x2: right, y1: this.Y(t), y2: this.Y(t) }, back);
      make("text", { x: MARGIN.left - 7, y: this.Y(t) + 4, "text-anchor": "end" }, back, text);
    }
    make("text", { x: center, y: data.height - 5, "text-anchor": "middle" }, back, data.xTitle);
    make("text", { x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` }, back, data.yTitle);
  }

  upright(x, attributes, parent) {
    make("line", { x1: this.X(x), x2: this.X(x), y1: MARGIN.top, y2: this.bottom, ...attributes }, parent);
  }

  drawCurves() {
    const { curves, bottom, data } = this;
    curves.replaceChildren();
    const most = Math.max(...data.areas.flatMap((one) => one.y));
    for (const area of data.areas) {  // the highest area takes two fifths of the height of the plot
      const points = area.x.map((x, i) => `${this.X(x)},${bottom - (area.y[i] / most) * 0.4 * (bottom - MARGIN.top)}`);
      const ends = [`${this.X(area.x[0])},${bottom}`, `${this.X(area.x.at(-1))},${bottom}`];
      make("polygon", { class: "area", fill: area.color, points: [ends[0], ...points, ends[1]].join(" ") }, curves);
      make("polyline", { class: "line", stroke: area.color, "stroke-width": 1.2, points: points.join(" ") }, curves);
    }
    for (const line of data.lines)
      make("polyline", { class: "line", ...this.stroke(line), points: line.x.map((x, i) => this.pixels(x, line.y[i])).join(" ") }, curves);
    for (const mark of data.marks) {
      this.upright(mark.x, { stroke: mark.color }, curves);
      make("text", { x: clamp(this.X(mark.x) + 5, MARGIN.left, this.right - 130), y: MARGIN.top + 14 }, curves, mark.text);
    }
  }

  stroke(line) { return { stroke: line.color, "stroke-width": line.width, "stroke-dasharray": DASHES[line.dash] }; }

  drawShades() {  // shade the areas that the riding handle cuts off
    this.shaded.replaceChildren();
    if (!this.data.shades.length) return;
    const at = clamp(this.rider.values[0], ...this.data.x), foot = (x) => `${this.X(x).toFixed(1)},${this.bottom}`;
    for (const shade of this.data.shades) {
      const line = this.line(shade.line), left = shade.side === "left";
      const inside = line.x.map((x, i) => [x, line.y[i]]).filter(([x]) => (left ? x < at : x > at));
      const edge = [at, height(line, at)], path = left ? [...inside, edge] : [edge, ...inside];
      const points = [foot(path[0][0]), ...path.map((one) => this.pixels(...one)), foot(path.at(-1)[0])];
      make("polygon", { class: "shade", fill: shade.color, points: points.join(" ") }, this.shaded);
      if (!shade.name) continue;
      const share = area(path) / area(line.x.map((x, i) => [x, line.y[i]])), words = [`${(100 * share).toFixed(1)} %`, shade.name];
      const x = left ? Math.max(this.X(at) - 9, MARGIN.left + 75) : Math.min(this.X(at) + 9, this.right - 75);
      for (const [i, word] of words.entries())
        make("text", { class: "share", x, y: this.bottom - 30 + 18 * i, "text-anchor": left ? "end" : "start" }, this.shaded, word);
    }
    this.upright(at, { class: "plumb" }, this.shaded);
  }

  line(name) { return this.data.lines.find((one) => one.name === name); }

  drawLegend() {
    this.legend.replaceChildren();
    for (const line of this.data.lines.filter((one) => one.name)) {
      const entry = this.legend.appendChild(document.createElement("span"));
      const swatch = make("svg", { viewBox: "0 0 30 10", "aria-hidden": "true" }, entry);
      make("line", { x1: 0, x2: 30, y1: 5, y2: 5, ...this.stroke(line) }, swatch);
      entry.append(line.name);
    }
  }

  drawHandles() {
    if (!this.handles) this.makeHandles();
    for (const handle of this.handles) this.place(handle);
    const focused = this.handles.find((one) => one.node === this.root.getRootNode().activeElement);
    if (focused) this.tell(focused);
    else this.reading.textContent = "";
  }

  makeHandles() {
    this.front.replaceChildren();
    this.handles = this.data.series.flatMap((s) => s.values.map((_, i) => {
      const node = make("g", { class: "handle", role: "slider", tabindex: 0, "aria-orientation": s.sideways ? "horizontal" : "vertical" }, this.front);
      if (s.sideways && this.data.shades.length) {  // the whole vertical line can be dragged, and a text says so
        make("line", { class: "rail" }, node);
        make("text", { class: "says" }, node, "◂ drag the line ▸");
      }
      make("circle", { class: "grip", r: 18 }, node);
      make("circle", { class: "ring", r: 12 }, node);
      make("circle", { class: "dot", r: 7, fill: s.color }, node);
      const handle = { node, id: s.id, i };
      node.addEventListener("focus", () => { this.active = s.id; this.tell(handle); });
      node.addEventListener("blur", () => { this.reading.textContent = ""; });
      return handle;
    }));
    this.reading = make("text", { class: "reading", "aria-hidden": "true" }, this.front);
  }

  series(handle) { return this.data.series.find((one) => one.id === handle.id); }

  place(handle) {
    const s = this.series(handle), value = s.values[handle.i], x = s.sideways ? clamp(value, ...this.data.x) : s.x[handle.i];
    handle.at = [this.X(x), this.Y(s.sideways ? height(this.line(s.rides), x) : value + s.lift[handle.i])];
    give(handle.node, {
      transform: `translate(${handle.at.map((one) => one.toFixed(1)).join(" ")})`,
      "aria-label": s.sideways ? s.name : `${s.name} at ${this.data.xTitle} = ${x}`,
      "aria-valuemin": s.range[0], "aria-valuemax": s.range[1], "aria-valuenow": value,
    });
    const rail = handle.node.querySelector(".rail"), says = handle.node.querySelector(".says");
    if (!rail) return;
    const left = handle.at[0] > this.right - 130;
    give(rail, { y1: MARGIN.top - handle.at[1], y2: this.bottom - handle.at[1] });
    give(says, { x: left ? -9 : 9, y: MARGIN.top + 13 - handle.at[1], "text-anchor": left ? "end" : "start" });
  }

  tell(handle) {  // write the value beside the handle, on the side with enough space
    const [x, y] = handle.at, right = x > this.width - 90;
    give(this.reading, { x: x + (right ? -14 : 14), y: Math.max(y - 14, 14), "text-anchor": right ? "end" : "start" });
    this.reading.textContent = minus(this.series(handle).values[handle.i]);
  }

  set(handle, value) {
    const s = this.series(handle), next = clamp(+(Math.round(value / s.step) * s.step).toFixed(4), ...s.range);
    if (next === s.values[handle.i]) return;
    s.values = s.values.map((old, i) => (i === handle.i ? next : old));
    this.place(handle);
    this.tell(handle);
    if (s.sideways) this.drawShades();
    this.dirty = true;
    this.pump();
  }

  pump() {  // send changed heights, once the page has answered the last message or its time is up
    clearTimeout(this.timer);
    if (!this.dirty) return;
    const passed = performance.now() - this.sentAt;
    if (passed < (this.waiting === null ? GAP : PATIENCE)) {
      this.timer = setTimeout(() => this.pump(), 20);
      return;
    }
    this.dirty = false;
    this.sentAt = performance.now();
    this.waiting = JSON.stringify(this.data.series.map((s) => s.values));
    this.send("moved", Object.fromEntries(this.data.series.map((s) => [s.id, s.values])));
  }

  pixel(event) {  // the place of an event in the drawing's own pixels, even if the page magnifies it
    const box = this.plot.getBoundingClientRect(), zoom = box.width / this.width;
    return [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom];
  }

  point(event) {  // the place of an event in the numbers of the axes
    const [x, y] = this.pixel(event), [a, b] = this.data.x, [c, d] = this.data.y;
    return [
      a + ((x - MARGIN.left) / (this.right - MARGIN.left)) * (b - a),
      d - ((y - MARGIN.top) / (this.bottom - MARGIN.top)) * (d - c),
    ];
  }

  press(event) {  // take the nearest handle, or begin to sweep; the riding handle has priority
    const [x, y] = this.pixel(event);
    const upright = (id) => id === this.rider?.id && this.data.shades.length;
    const away = ({ at, id }) => Math.hypot(at[0] - x, upright(id) ? 0 : at[1] - y) - (id === this.rider?.id ? 6 : 0);
    const nearest = this.handles.reduce((best, one) => (away(one) < away(best) ? one : best));
    this.sweeping = away(nearest) > 20;
    const handle = this.sweeping ? this.under(event) : nearest;
    if (!handle) return;
    event.preventDefault();
    this.plot.setPointerCapture(event.pointerId);
    this.grab(handle);
    if (this.sweeping) this.move(event);
  }

  grab(handle) {
    for (const one of this.handles) one.node.classList.toggle("held", one === handle);
    this.held = handle;
    this.front.insertBefore(handle.node, this.reading);  // must come before the focus, since a moved node loses it
    handle.node.focus({ preventScroll: true, focusVisible: false });
  }

  under(event) {  // the handle of the active curve nearest in x, so that sweeping over the picture draws the curve
    const drawn = this.data.series.filter((one) => !one.sideways), s = drawn.find((one) => one.id === this.active) ?? drawn[0];
    if (!s) return null;
    const x = this.point(event)[0], far = (i) => Math.abs(s.x[i] - x);
    const nearest = s.x.reduce((best, _, i) => (far(i) < far(best) ? i : best), 0);
    return this.handles.find((one) => one.id === s.id && one.i === nearest);
  }

  move(event) {
    if (!this.held) return;
    if (this.sweeping && this.under(event) !== this.held) this.grab(this.under(event));
    const [x, y] = this.point(event), s = this.series(this.held);
    this.set(this.held, s.sideways ? x : y - s.lift[this.held.i]);
  }

  release() {
    if (!this.held) return;
    this.held.node.classList.remove("held");
    this.held = null;
  }

  key(event) {
    const handle = this.handles.find((one) => one.node === event.target);
    if (!handle) return;
    const s = this.series(handle), big = 10 * s.step, now = s.values[handle.i];
    const next = {
      ArrowUp: now + s.step, ArrowRight: now + s.step, ArrowDown: now - s.step, ArrowLeft: now - s.step,
      PageUp: now + big, PageDown: now - big, Home: s.range[0], End: s.range[1],
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.set(handle, next);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".drawing");
  (root.view ??= new View(root)).update(data, setTriggerValue);
}
