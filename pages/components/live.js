// While a slider is dragged or moved by keys, its charts show frames that the server computed beforehand; when it is let go,
// the page runs and its charts take over. Frames are asked for when somebody reaches for a slider, and where the page wants it
// ahead of that. Charts that stand for one another show, while one of them is pointed at, the frame whose point is nearest there.
const DWELL = 80, IDLE = 300;  // ms over a slider before its frames are asked for, and between two looks whether any are missing
const AWAY = 1000;  // ms after a click elsewhere, which may have left the page: what is asked then would call it back
const REST = 150;  // ms without a move after which Plotly draws what was only sketched
const running = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running";
const plots = (name) => [...document.querySelectorAll(`.${CSS.escape(name)} .js-plotly-plot`)];

class Live {
  constructor() {
    this.listeners = Object.entries({ pointerover: this.reach, focusin: this.reach, pointerdown: this.hold, keydown: this.hold, popstate: this.leave, pointerup: this.let_go, pointercancel: this.let_go })
      .map(([name, does]) => [name, does.bind(this)]);
    for (const [name, does] of this.listeners) window.addEventListener(name, does, true);
    this.observer = new MutationObserver(() => this.moved());
    this.redrawn = new MutationObserver(() => this.watch());
    this.hooked = new WeakSet();
    this.sketched = new Map();
    this.sight = new IntersectionObserver((all) => { for (const one of all) one.target.outOfSight = !one.isIntersecting; });
    this.dealt = new Map();  // by slider, its frames by chart
    this.touched = this.at = this.dealtAt = 0;
    this.away = -AWAY;
  }

  async update(data, send) {
    this.sliders = data.sliders;
    this.pointed = data.pointed;
    this.send = send;
    const turn = this.turn = (this.turn ?? 0) + 1;
    const dealt = new Map(await Promise.all(Object.entries(data.dealt).map(async ([key, { name, decks }]) => {
      const known = this.dealt.get(key);
      if (known?.name === name) return [key, known];
      const charts = Promise.all(Object.entries(decks).map(async ([chart, deck]) => [chart, await Frames.of(deck)]));
      return [key, { name, charts: new Map(await charts) }];
    })));
    if (turn !== this.turn) return;  // newer frames came meanwhile
    if ([...dealt.values()].map((one) => one.name).join() !== [...this.dealt.values()].map((one) => one.name).join()) this.before = null;
    this.dealt = dealt;
    this.dealtAt = performance.now();
    this.redrawn.disconnect();
    for (const { charts } of dealt.values()) for (const name of charts.keys()) for (const box of document.querySelectorAll(`.${CSS.escape(name)}`))
      this.redrawn.observe(box, { childList: true, subtree: true });
    this.watch();
    document.documentElement.dataset.live = [...dealt.keys()].join(" ");
    this.ahead = data.ahead.find((key) => !dealt.has(key));
    this.asked = null;
    this.ask(dealt.size === 0);
    if (this.down) this.moved();
  }

  remove() {
    this.observer.disconnect();
    this.redrawn.disconnect();
    this.sight.disconnect();
    clearTimeout(this.timer);
    clearTimeout(this.idle);
    clearTimeout(this.resting);
    for (const [name, does] of this.listeners) window.removeEventListener(name, does, true);
    delete document.documentElement.dataset.live;
  }

  slider(event) {  // the followed slider under an event, if any
    for (const name of Object.keys(this.sliders ?? {})) {
      const found = event.target.closest?.(`.${CSS.escape(name)}`);
      if (found) return [this.sliders[name], found];
    }
    return [null, null];
  }

  reach(event) {
    const chart = Object.keys(this.pointed ?? {}).find((name) => event.target.closest?.(`.${CSS.escape(name)}`));
    const key = chart ? this.pointed[chart][0] : this.slider(event)[0];
    if (key === this.near) return;
    this.near = key;
    clearTimeout(this.timer);
    if (key && !this.dealt.has(key)) this.timer = setTimeout(() => this.ask(), DWELL);
  }

  ask(first) {  // for the slider somebody is near at once, for others when nothing else runs
    const near = this.near && !this.dealt.has(this.near), key = near ? this.near : this.ahead;
    clearTimeout(this.idle);
    if (!key) return;
    const busy = running() || this.down, left = performance.now() - this.away < AWAY || (running() && this.away > this.dealtAt);
    if (!left && (!busy || first || (near && this.asked !== key))) {
      this.asked = key;
      this.send("wanted", key);
    }
    this.idle = setTimeout(() => this.ask(), IDLE);
  }

  leave() { this.away = performance.now(); }

  hold(event) {
    const [key, box] = this.slider(event);
    if (!key) this.leave();
    if (event.type === "pointerdown") this.down = Boolean(key);
    if (key !== this.key) this.touched = this.at;  // when another control may have been changed
    this.key = key;
    this.at = performance.now();
    if (!key) return;
    if (box !== this.box) {
      this.box = box;
      this.observer.disconnect();
      this.observer.observe(box, { subtree: true, childList: true, attributes: true, attributeFilter: ["value", "aria-valuetext"] });
      this.drawn = this.position();
    }
  }

  let_go() { this.down = false; }

  position() {
    const input = this.box?.querySelector("input[type=range]");
    return input ? Math.round((+input.value - +input.min) / +input.step) : -1;
  }

  fresh() {  // whether the frames belong to what the other controls say
    return this.dealt.has(this.key) && window.Plotly && !(this.touched > this.dealtAt && running());
  }

  moved() {
    if (this.position() === this.drawn || this.waiting || !this.fresh()) return;
    this.waiting = requestAnimationFrame(async () => {
      try { await this.draw(); } finally { this.waiting = null; }
      this.moved();
    });
  }

  async draw() {
    const at = this.drawn = this.position();
    for (const [name, frames] of this.dealt.get(this.key)?.charts ?? []) for (const plot of plots(name))
      if (at >= 0 && at < frames.count && !plot.outOfSight) await this.show(plot, frames, at);
  }

  async show(plot, frames, at) {
    clearTimeout(this.resting);
    if (frames.sketch(plot, at)) this.sketched.set(plot, [frames, at]);
    else await this.settle(plot, frames, at);
    plot.dataset.frame = at;
    plot.dataset.redraws = +(plot.dataset.redraws ?? 0) + 1;
    this.resting = setTimeout(() => this.rest(), REST);
  }

  settle(plot, frames, at) {  // one after the other, as a drawing of Plotly's ends those under way
    const work = async () => {
      this.sketched.delete(plot);
      plot.drawing = true;
      try { await frames.draw(plot, at); } finally { plot.drawing = false; }
      plot.dataset.settled = at;
    };
    return this.settling = (this.settling ?? Promise.resolve()).then(work, work);
  }

  async rest() {  // so that hovering and the legend know what is drawn
    for (const [plot, [frames, at]] of this.sketched) {
      if (!plot.isConnected || !window.Plotly || running()) this.sketched.delete(plot);
      else await this.settle(plot, frames, at);
    }
  }

  watch() {  // the server's answer to an earlier position must not pull the chart back
    const names = new Set([...this.dealt.values()].flatMap(({ charts }) => [...charts.keys()]));
    for (const name of names) for (const plot of plots(name)) {
      if (!plot.on || this.hooked.has(plot)) continue;
      this.hooked.add(plot);
      this.sight.observe(plot);
      if (this.pointed[name]) {
        plot.on("plotly_hover", (event) => this.point(name, plot, event.points[0].x));
        plot.on("plotly_unhover", () => this.point(name, plot, null));
      }
      plot.on("plotly_afterplot", () => {
        const at = this.position(), frames = this.dealt.get(this.key)?.charts.get(name);
        if (!frames || plot.drawing || !plot.isConnected || !this.fresh() || !(this.down || running())) return;
        if (at >= 0 && at < frames.count && !frames.shows(plot, at)) this.show(plot, frames, at);
      });
    }
  }

  async point(name, plot, x) {  // the other charts show what is pointed at; without it, what they showed before
    const [key, trace] = this.pointed[name] ?? [];
    if (!this.dealt.has(key) || this.down || running()) return;
    this.wanted = { key, name, trace, x };
    if (this.pointing) return;
    this.pointing = true;
    try {
      for (let wanted = this.wanted; wanted; wanted = this.wanted) {
        this.wanted = null;
        await this.mark(wanted);
      }
    } finally { this.pointing = false; }
  }

  async mark({ key, name, trace, x }) {
    const decks = this.dealt.get(key)?.charts ?? new Map();
    this.before ??= [...decks].flatMap(([one, frames]) => plots(one).map((plot) => [plot, ...(this.sketched.get(plot) ?? [frames.kept(plot), 0])]));
    if (x === null) {
      const before = this.before;
      this.before = null;
      for (const [plot, frames, at] of before) if (plot.isConnected) await this.show(plot, frames, at);
      return;
    }
    const own = plots(name)[0];
    const at = decks.get(name)?.nearest(trace, x, own?._fullLayout.xaxis.type === "log") ?? -1;
    if (at >= 0) for (const [one, frames] of decks) for (const plot of plots(one)) await this.show(plot, frames, at);
  }
}

let live = null, mounted = 0;

export default function ({ data, setTriggerValue }) {
  if (!live) live = new Live();
  live.update(data, setTriggerValue);
  const mine = ++mounted;
  return () => { if (mine === mounted) { live.remove(); live = null; } };
}
