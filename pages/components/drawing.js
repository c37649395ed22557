// A plot whose handles are dragged by mouse, finger or arrow keys. The page sends curves and handle heights; this sends back
// the heights, at most one message on the way at a time.
const NS = "http://www.w3.org/2000/svg";
const DASHES = { solid: "", dash: "8 5", dot: "2 4", dashdot: "9 4 2 4" };
const MARGIN = { left: 48, right: 12, top: 8, bottom: 40 };
const GAP = 60, PATIENCE = 900;  // ms between two messages, and until an unanswered one is given up
const views = new WeakMap();

const make = (name, attributes = {}, parent = null, text = "") => {
  const node = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  if (parent) parent.appendChild(node);
  return node;
};

const ticks = (low, high, wanted) => {
  const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const found = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + 1e-9 * step; t += step) found.push(Math.round(t / step) * step);
  return found.map((t) => [t, String(+t.toPrecision(6)).replace("-", "−")]);
};

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const snap = (value, step) => +(Math.round(value / step) * step).toFixed(4);

class View {
  constructor(root) {
    this.root = root;
    this.legend = root.querySelector(".legend");
    this.hint = root.querySelector(".hint");
    this.svg = root.querySelector("svg.plot");
    this.followed = {};
    this.held = null;
    this.waiting = null;
    this.dirty = false;
    this.sentAt = 0;
    this.width = 0;
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, (event) => this.release(event));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(root);
  }

  update(data, send) {
    this.send = send;
    const answered = this.waiting === null || JSON.stringify(data.series.map((s) => s.values)) === this.waiting;
    const late = performance.now() - this.sentAt > PATIENCE;
    if (answered) this.waiting = null;
    const keep = this.data && (this.held || this.dirty || (!answered && !late));
    if (keep) for (const s of data.series) {
      const mine = this.data.series.find((one) => one.id === s.id);
      if (mine && mine.values.length === s.values.length) s.values = mine.values;
    }
    if (this.held && this.data) data.y = this.data.y;  // the scale stands still under the pointer
    const shape = JSON.stringify(data.series.map((s) => [s.id, s.name, s.values.length, s.color]));
    this.data = data;
    this.watch();
    for (const [name, value] of Object.entries(data.theme)) this.root.style.setProperty(`--${name}`, value);
    this.svg.setAttribute("height", data.height);
    this.svg.setAttribute("aria-label", data.label);
    this.hint.textContent = data.hint;
    this.active = this.active && data.series.some((s) => s.id === this.active) ? this.active : data.series[0].id;
    if (shape !== this.shape) { this.shape = shape; this.handles = null; }
    this.draw();
  }

  watch() {  // sliders whose moves the lines and the riding handle follow, before the page has run
    const riding = this.data.series.find((one) => one.sideways);
    this.follow_slider("lines", this.data.slider, (input) => {
      const heights = this.data.frames[Math.round((+input.value - +input.min) / +input.step)];
      this.data.lines.forEach((line, i) => { if (heights) line.y = heights[i]; });
    });
    this.follow_slider("handle", this.data.shades.length ? `st-key-${riding?.id}` : "", (input) => {
      if (!this.held && !this.dirty) this.data.series.find((one) => one.sideways).values = [+input.value];
    });
  }

  follow_slider(what, name, change) {
    const box = name ? document.querySelector(`.${CSS.escape(name)}`) : null, old = this.followed[what];
    if (box === (old?.box ?? null)) return;
    old?.observer.disconnect();
    delete this.followed[what];
    if (!box) return;
    const observer = new MutationObserver(() => {
      const input = box.querySelector("input[type=range]");
      if (!input) return;
      change(input);
      this.draw();
    });
    observer.observe(box, { subtree: true, childList: true, attributes: true, attributeFilter: ["value", "aria-valuetext"] });
    this.followed[what] = { box, observer };
  }

  resize() {
    if (this.data && Math.abs(this.root.clientWidth - this.width) > 1) this.draw();
  }

  X(x) { const [a, b] = this.data.x; return MARGIN.left + ((x - a) / (b - a)) * (this.width - MARGIN.left - MARGIN.right); }
  Y(y) { const [a, b] = this.data.y; return MARGIN.top + ((b - y) / (b - a)) * (this.data.height - MARGIN.top - MARGIN.bottom); }

  draw() {
    const { data, svg } = this;
    this.width = Math.max(this.root.clientWidth, 200);
    svg.setAttribute("viewBox", `0 0 ${this.width} ${data.height}`);
    if (!this.back) {
      const clip = make("clipPath", { id: "frame" }, make("defs", {}, svg));
      this.frame = make("rect", {}, clip);
      this.back = make("g", {}, svg);
      this.shaded = make("g", { "clip-path": "url(#frame)" }, svg);
      this.curves = make("g", { "clip-path": "url(#frame)" }, svg);
      this.front = make("g", {}, svg);
    }
    const bottom = data.height - MARGIN.bottom, right = this.width - MARGIN.right;
    for (const [key, value] of Object.entries({ x: MARGIN.left, y: MARGIN.top, width: right - MARGIN.left, height: bottom - MARGIN.top }))
      this.frame.setAttribute(key, value);
    this.back.replaceChildren();
    for (const [t, text] of ticks(...data.x, 8)) {
      make("line", { class: "grid", x1: this.X(t), x2: this.X(t), y1: MARGIN.top, y2: bottom }, this.back);
      make("text", { x: this.X(t), y: bottom + 17, "text-anchor": "middle" }, this.back, text);
    }
    for (const [t, text] of ticks(...data.y, 6)) {
      make("line", { class: "grid", x1: MARGIN.left, x2: right, y1: this.Y(t), y2: this.Y(t) }, this.back);
      make("text", { x: MARGIN.left - 7, y: this.Y(t) + 4, "text-anchor": "end" }, this.back, text);
    }
    make("text", { x: (MARGIN.left + right) / 2, y: data.height - 5, "text-anchor": "middle" }, this.back, data.xTitle);
    const middle = (MARGIN.top + bottom) / 2;
    make("text", { x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` }, this.back, data.yTitle);
    this.curves.replaceChildren();
    for (const area of data.areas) {
      const most = Math.max(...data.areas.flatMap((one) => one.y));
      const points = area.x.map((x, i) => `${this.X(x)},${bottom - (area.y[i] / most) * 0.4 * (bottom - MARGIN.top)}`);
      make("polygon", { class: "area", fill: area.color, points: [`${this.X(area.x[0])},${bottom}`, ...points, `${this.X(area.x.at(-1))},${bottom}`].join(" ") }, this.curves);
      make("polyline", { class: "line", stroke: area.color, "stroke-width": 1.2, points: points.join(" ") }, this.curves);
    }
    for (const line of data.lines)
      make("polyline", {
        class: "line", stroke: line.color, "stroke-width": line.width, "stroke-dasharray": DASHES[line.dash],
        points: line.x.map((x, i) => `${this.X(x).toFixed(1)},${clamp(this.Y(line.y[i]), -2000, 4000).toFixed(1)}`).join(" "),
      }, this.curves);
    for (const mark of data.marks) {
      make("line", { x1: this.X(mark.x), x2: this.X(mark.x), y1: MARGIN.top, y2: bottom, stroke: mark.color }, this.curves);
      make("text", { x: clamp(this.X(mark.x) + 5, MARGIN.left, right - 130), y: MARGIN.top + 14 }, this.curves, mark.text);
    }
    this.drawShades();
    this.drawLegend();
    this.drawHandles();
  }

  drawShades() {  // what the riding handle cuts off
    this.shaded.replaceChildren();
    const s = this.data.series.find((one) => one.sideways);
    if (!this.data.shades.length || !s) return;
    const at = s.values[0], bottom = this.data.height - MARGIN.bottom;
    for (const shade of this.data.shades) {
      const line = this.data.lines.find((one) => one.name === shade.line);
      const inside = line.x.map((x, i) => [x, line.y[i]]).filter(([x]) => (shade.side === "left" ? x < at : x > at));
      const edge = [at, this.height(line, at)], path = shade.side === "left" ? [...inside, edge] : [edge, ...inside];
      const points = path.map(([x, y]) => `${this.X(x).toFixed(1)},${this.Y(y).toFixed(1)}`);
      const foot = (x) => `${this.X(x).toFixed(1)},${bottom}`;
      make("polygon", { class: "shade", fill: shade.color, points: [foot(path[0][0]), ...points, foot(path.at(-1)[0])].join(" ") }, this.shaded);
    }
    make("line", { class: "plumb", x1: this.X(at), x2: this.X(at), y1: MARGIN.top, y2: bottom }, this.shaded);
  }

  drawLegend() {
    this.legend.replaceChildren();
    for (const line of this.data.lines.filter((one) => one.name)) {
      const entry = document.createElement("span");
      const swatch = make("svg", { viewBox: "0 0 30 10", "aria-hidden": "true" }, entry);
      make("line", { x1: 0, x2: 30, y1: 5, y2: 5, stroke: line.color, "stroke-width": line.width, "stroke-dasharray": DASHES[line.dash] }, swatch);
      entry.append(line.name);
      this.legend.append(entry);
    }
  }

  drawHandles() {
    if (!this.handles) {
      this.front.replaceChildren();
      this.reading = make("text", { class: "reading", "aria-hidden": "true" });
      this.handles = this.data.series.flatMap((s) => s.values.map((_, i) => {
        const node = make("g", { class: "handle", role: "slider", tabindex: 0, "aria-orientation": s.sideways ? "horizontal" : "vertical" }, this.front);
        make("circle", { class: "grip", r: 18 }, node);
        make("circle", { class: "ring", r: 12 }, node);
        make("circle", { class: "dot", r: 7, fill: s.color }, node);
        const handle = { node, id: s.id, i };
        node.addEventListener("focus", () => { this.active = s.id; this.tell(handle); });
        node.addEventListener("blur", () => { this.reading.textContent = ""; });
        return handle;
      }));
      this.front.appendChild(this.reading);
    }
    for (const handle of this.handles) this.place(handle);
    const focused = this.handles.find((one) => one === this.held || one.node === this.root.getRootNode().activeElement);
    if (focused) this.tell(focused);
    else this.reading.textContent = "";
  }

  series(handle) { return this.data.series.find((one) => one.id === handle.id); }

  place(handle) {
    const s = this.series(handle), value = s.values[handle.i];
    const at = s.sideways ? [this.X(value), this.Y(this.follow(s, value))] : [this.X(s.x[handle.i]), this.Y(value + s.lift[handle.i])];
    handle.node.setAttribute("transform", `translate(${at[0].toFixed(1)} ${at[1].toFixed(1)})`);
    handle.at = at;
    const words = s.sideways ? s.name : `${s.name} at ${this.data.xTitle} = ${s.x[handle.i]}`;
    const [low, high] = s.range;
    for (const [key, text] of Object.entries({ "aria-label": words, "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": value }))
      handle.node.setAttribute(key, text);
  }

  follow(s, x) { return this.height(this.data.lines.find((one) => one.name === s.rides), x); }

  height(line, x) {
    const i = line.x.findIndex((one) => one >= x);
    if (i <= 0) return line.y.at(i);
    const share = (x - line.x[i - 1]) / (line.x[i] - line.x[i - 1]);
    return line.y[i - 1] + share * (line.y[i] - line.y[i - 1]);
  }

  tell(handle) {
    const s = this.series(handle), [x, y] = handle.at, right = x > this.width - 90;
    this.reading.setAttribute("x", x + (right ? -14 : 14));
    this.reading.setAttribute("text-anchor", right ? "end" : "start");
    this.reading.setAttribute("y", Math.max(y - 14, 14));
    this.reading.textContent = String(s.values[handle.i]).replace("-", "−");
  }

  set(handle, value) {
    const s = this.series(handle), next = clamp(snap(value, s.step), ...s.range);
    if (next === s.values[handle.i]) return;
    s.values = s.values.map((old, i) => (i === handle.i ? next : old));
    this.place(handle);
    this.tell(handle);
    if (s.sideways) this.drawShades();
    this.dirty = true;
    this.pump();
  }

  pump() {
    clearTimeout(this.timer);
    if (!this.dirty) return;
    const passed = performance.now() - this.sentAt;
    if (passed < GAP || (this.waiting !== null && passed < PATIENCE)) { this.timer = setTimeout(() => this.pump(), 20); return; }
    this.dirty = false;
    this.sentAt = performance.now();
    this.waiting = JSON.stringify(this.data.series.map((s) => s.values));
    this.send("moved", Object.fromEntries(this.data.series.map((s) => [s.id, s.values])));
  }

  pixel(event) {  // in the drawing's own pixels, however much the page magnifies it
    const box = this.svg.getBoundingClientRect(), zoom = box.width / this.width;
    return [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom];
  }

  point(event) {
    const at = this.pixel(event), [a, b] = this.data.x, [c, d] = this.data.y;
    const inner = [this.width - MARGIN.left - MARGIN.right, this.data.height - MARGIN.top - MARGIN.bottom];
    return [
      a + ((at[0] - MARGIN.left) / inner[0]) * (b - a),
      d - ((at[1] - MARGIN.top) / inner[1]) * (d - c),
    ];
  }

  press(event) {
    const at = this.pixel(event);
    const away = (one) => Math.hypot(one.at[0] - at[0], one.at[1] - at[1]) - (this.series(one).sideways ? 6 : 0);  // it lies on top
    const near = this.handles.map((one) => [away(one), one]).sort((p, q) => p[0] - q[0])[0];
    this.sweeping = near[0] > 20;
    this.held = this.sweeping ? this.under(event) : near[1];
    if (!this.held) return;
    event.preventDefault();
    this.svg.setPointerCapture(event.pointerId);
    this.grab(this.held);
    if (this.sweeping) this.move(event);
  }

  grab(handle) {
    for (const one of this.handles) one.node.classList.toggle("held", one === handle);
    this.held = handle;
    this.active = handle.id;
    this.front.insertBefore(handle.node, this.reading);  // before the focus, which a node that is moved loses
    handle.node.focus({ preventScroll: true, focusVisible: false });
  }

  under(event) {  // the active curve's handle in this column: sweeping over the picture draws
    const s = this.data.series.find((one) => one.id === this.active && !one.sideways) ?? this.data.series.find((one) => !one.sideways);
    if (!s) return null;
    const x = this.point(event)[0], i = s.x.reduce((best, one, j) => (Math.abs(one - x) < Math.abs(s.x[best] - x) ? j : best), 0);
    return this.handles.find((one) => one.id === s.id && one.i === i);
  }

  move(event) {
    if (!this.held) return;
    if (this.sweeping) {
      const next = this.under(event);
      if (next !== this.held) this.grab(next);
    }
    const [x, y] = this.point(event), s = this.series(this.held);
    this.set(this.held, s.sideways ? x : y - s.lift[this.held.i]);
  }

  release() {
    if (!this.held) return;
    this.held.node.classList.remove("held");
    this.held = null;
    this.pump();
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
  if (!views.has(root)) views.set(root, new View(root));
  views.get(root).update(data, setTriggerValue);
}
