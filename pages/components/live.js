// While a slider is dragged or moved by keys, its charts and words show frames that the server has computed before.
// When the slider is released, the page runs and draws its charts. Frames are requested when the pointer or the focus
// is on a slider, or earlier if the page wants this. Some charts also follow the pointer: while it is on one of them,
// all of them show the frame whose point is nearest to the pointer.
//
// DWELL: ms over a slider before its frames are requested. IDLE: ms between two checks for missing frames.
const DWELL = 80, IDLE = 300;
// Ms after a click elsewhere in which nothing is requested: the click may lead to another page, and a request would run
// this page again.
const AWAY = 1000;
const REST = 150;  // ms without a move after which Plotly draws a frame that was only sketched
// ANSWER: ms after a release before the page's own words may come back. LOOK: ms between two checks for them.
const ANSWER = 400, LOOK = 50;
const state = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState;
const running = () => state() === "running";
const all = (name, inside = "") => [...document.querySelectorAll(`.${CSS.escape(name)}${inside}`)];
const plots = (name) => all(name, " .js-plotly-plot");
const under = (event, places) => Object.keys(places).find((name) => event.target.closest?.(`.${CSS.escape(name)}`));

class Live {
  constructor() {
    this.removed = new AbortController();
    const does = {
      pointerover: this.reach, focusin: this.reach, pointerdown: this.hold, keydown: this.hold,
      popstate: this.leave, pointerup: this.letGo, pointercancel: this.letGo,
    };
    const way = { capture: true, signal: this.removed.signal };
    for (const [name, answer] of Object.entries(does)) window.addEventListener(name, answer.bind(this), way);
    this.slid = new MutationObserver(() => this.moved());
    this.redrawn = new MutationObserver(() => this.watch());
    this.sight = new IntersectionObserver((found) => { for (const one of found) one.target.outOfSight = !one.isIntersecting; });
    this.hooked = new WeakSet();
    this.sketched = new Map();  // plot → the frames and the position that Plotly has not drawn yet
    this.settling = Promise.resolve();
    this.speech = new Speech();
    this.dealt = new Map();  // slider → its frames by chart
    this.turn = this.touched = this.at = this.dealtAt = 0;
    this.away = -AWAY;
  }

  async update(data, send) {
    Object.assign(this, { sliders: data.sliders, pointed: data.pointed, send });
    const turn = ++this.turn;
    this.unpacking = Promise.all(Object.entries(data.dealt).map(async (one) => [one[0], await this.unpacked(...one)]));
    const dealt = new Map(await this.unpacking);
    if (turn !== this.turn) return;  // newer frames came meanwhile
    this.dealt = dealt;
    this.dealtAt = performance.now();
    this.redrawn.disconnect();
    for (const name of this.charts()) for (const box of all(name)) this.redrawn.observe(box, { childList: true, subtree: true });
    this.watch();
    const told = [...dealt.keys()].filter((key) => !dealt.get(key).more);
    Object.assign(document.documentElement.dataset, { live: [...dealt.keys()].join(" "), told: told.join(" ") });
    this.ahead = data.ahead.find((key) => this.lacks(key));
    this.asked = null;
    this.ask(dealt.size === 0);
    if (!this.down) return;
    if (this.moving) this.speak(this.drawn, this.drawn);
    this.moved();
  }

  // whether frames or words of a slider are still missing
  lacks(key) { return Boolean(key) && (!this.dealt.has(key) || Boolean(this.dealt.get(key).more)); }

  // unpack the frames of a slider, by chart, and its words; those with a known name are unpacked already
  async unpacked(key, { name, decks, words, more }) {
    const known = this.dealt.get(key);
    if (known?.name === name) return known;
    const charts = Object.entries(decks).map(async ([chart, deck]) => [chart, await Frames.of(deck)]);
    return { name, charts: new Map(await Promise.all(charts)), words: words && (await sayings(words)), more };
  }

  charts() { return new Set([...this.dealt.values()].flatMap(({ charts }) => [...charts.keys()])); }

  remove() {  // charts that stay on the page will still call this object, so it has no frames from now on
    this.removed.abort();
    this.dealt = new Map();
    for (const observer of [this.slid, this.redrawn, this.sight]) observer.disconnect();
    for (const timer of [this.timer, this.idle, this.resting, this.tending]) clearTimeout(timer);
    this.speech.end();
    for (const mark of ["live", "told", "moving", "followed"]) delete document.documentElement.dataset[mark];
  }

  reach(event) {
    const key = this.pointed[under(event, this.pointed)]?.[0] ?? this.sliders[under(event, this.sliders)];
    if (key === this.near) return;
    this.near = key;
    clearTimeout(this.timer);
    if (this.lacks(key)) this.timer = setTimeout(() => this.ask(), DWELL);
  }

  ask(first) {  // request frames: at once for the slider under the pointer, for others when nothing else runs
    const near = this.lacks(this.near), key = near ? this.near : this.ahead;
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
    const name = under(event, this.sliders), key = this.sliders[name];
    if (!key) this.leave();
    if (event.type === "pointerdown") this.down = Boolean(key);
    if (key !== this.key) {
      this.touched = this.at;  // the last time at which another control may have been changed
      delete document.documentElement.dataset.followed;
    }
    this.key = key;
    this.at = performance.now();
    if (key) this.take(event.target.closest(`.${CSS.escape(name)}`));
  }

  take(box) {  // follow this slider from now on
    if (box === this.box) return;
    this.box = box;
    this.slid.disconnect();
    this.slid.observe(box, { subtree: true, childList: true, attributes: true, attributeFilter: ["value", "aria-valuetext"] });
    this.drawn = this.position();
  }

  get moving() { return document.documentElement.dataset.moving === this.key; }

  letGo() {
    this.down = false;
    this.spoke = performance.now();
  }

  position() {
    const input = this.box?.querySelector("input[type=range]");
    return input ? Math.round((+input.value - +input.min) / +input.step) : -1;
  }

  fresh() {  // whether the frames belong to the current values of the other controls
    return this.dealt.has(this.key) && !(this.touched > this.dealtAt && running());
  }

  moved() {
    if (this.position() === this.drawn || this.waiting || !this.fresh()) return;
    this.waiting = requestAnimationFrame(async () => {
      try { await this.draw(); } finally { this.waiting = null; }
      this.moved();
    });
  }

  async draw() {
    const before = this.drawn, at = this.drawn = this.position();
    this.speak(at, before);
    for (const [name, frames] of this.dealt.get(this.key)?.charts ?? []) for (const plot of plots(name))
      if (frames.has(at) && !plot.outOfSight) {
        this.before?.shown.set(plot, [frames, at]);
        await this.show(plot, frames, at);
      }
  }

  speak(at, before) {
    const { words, charts } = this.dealt.get(this.key) ?? {};
    if (this.speech.silent) this.unspoken = before;
    if (at < 0 || !(charts?.size || words)) return;  // before there are frames, neither charts nor words move
    this.speech.say(words, at, this.unspoken);
    for (const mark of ["moving", "followed"]) document.documentElement.dataset[mark] = this.key;
    this.spoke = performance.now();
    this.tend();
  }

  tend() {  // show the page's own words again as soon as they answer the released slider
    clearTimeout(this.tending);
    const early = this.down || performance.now() - this.spoke < ANSWER || state() === "rerunRequested";
    if (!early) this.speech.end((node) => !isStale(node));
    if (this.speech.silent && !early && !running()) delete document.documentElement.dataset.moving;
    else this.tending = setTimeout(() => this.tend(), LOOK);
  }

  async show(plot, frames, at) {
    clearTimeout(this.resting);
    if (frames.sketch(plot, at)) this.sketched.set(plot, [frames, at]);
    else await this.settle(plot, frames, at);
    plot.dataset.frame = at;
    plot.dataset.redraws = +(plot.dataset.redraws ?? 0) + 1;
    this.resting = setTimeout(() => this.rest(), REST);
  }

  settle(plot, frames, at) {  // let Plotly draw one frame after the other, since a new drawing ends an unfinished one
    const work = async () => {
      this.sketched.delete(plot);
      plot.drawing = true;
      try { await frames.draw(plot, at); } finally { plot.drawing = false; }
      plot.dataset.settled = at;
    };
    return this.settling = this.settling.then(work, work);
  }

  // Let Plotly draw sketched frames, so that hover texts and the legend are right. After a release the page does this.
  async rest() {
    for (const [plot, [frames, at]] of this.sketched) {
      if (!plot.isConnected || (running() && !this.down)) this.sketched.delete(plot);
      else await this.settle(plot, frames, at);
    }
  }

  watch() {  // attach to charts that the page has drawn, or has drawn again
    for (const name of this.charts()) for (const plot of plots(name)) if (plot.on && !this.hooked.has(plot)) this.hook(name, plot);
  }

  hook(name, plot) {
    this.hooked.add(plot);
    this.sight.observe(plot);
    plot.on("plotly_afterplot", () => this.answered(name, plot));
    plot.on("plotly_hover", (event) => this.point(name, event.points[0].x));
    plot.on("plotly_unhover", () => this.point(name, null));
  }

  answered(name, plot) {  // an answer of the server to an earlier position must not move the chart back
    if (plot.drawing || !plot.isConnected) return;
    this.unmarked(name, plot);
    const at = this.position(), frames = this.dealt.get(this.key)?.charts.get(name);
    if (!frames || !this.fresh() || !(this.down || running())) return;
    if (frames.has(at) && !frames.shows(plot, at)) this.show(plot, frames, at);
  }

  // If the page redraws a chart while it shows a mark, remember the new drawing as the one without the mark.
  unmarked(name, plot) {
    const { decks, shown, at } = this.before ?? {}, frames = decks?.get(name), [kept, i] = shown?.get(plot) ?? [];
    if (frames && !kept?.shows(plot, i) && !(frames.has(at) && frames.shows(plot, at))) shown.set(plot, [frames.kept(plot), 0]);
  }

  async point(name, x) {  // mark the place of the pointer; of several requests only the last one counts
    const [key, trace] = this.pointed[name] ?? [];
    if (!this.dealt.has(key) || this.down || running()) return;
    this.wanted = { key, name, trace, x };
    if (this.pointing) return;
    this.pointing = true;
    try {
      for (let wanted = this.wanted; wanted; wanted = this.wanted) {
        await this.unpacking;
        wanted = this.wanted;
        this.wanted = null;
        await this.mark(wanted);
      }
    } finally { this.pointing = false; }
  }

  // Show in all charts the frame for the pointer's place in one of them; without a place, what they showed before.
  async mark({ key, name, trace, x }) {
    const decks = this.dealt.get(key)?.charts ?? new Map();
    const moving = [...decks].flatMap(([one, frames]) => plots(one).map((plot) => [plot, frames]));
    if (x === null || this.before?.decks !== decks) await this.restore();
    if (x === null) return;
    const shown = ([plot, frames]) => [plot, this.sketched.get(plot) ?? [frames.kept(plot), 0]];
    this.before ??= { decks, shown: new Map(moving.map(shown)) };
    const log = plots(name)[0]?._fullLayout.xaxis.type === "log", at = decks.get(name)?.nearest(trace, x, log);
    this.before.at = at;
    for (const [plot, frames] of moving) if (frames.has(at)) await this.show(plot, frames, at);
  }

  async restore() {
    const { shown } = this.before ?? { shown: [] };
    this.before = null;
    for (const [plot, [frames, at]] of shown) if (plot.isConnected) await this.show(plot, frames, at);
  }
}

let live = null, mounted = 0;

export default function ({ data, setTriggerValue }) {
  if (!live) live = new Live();
  live.update(data, setTriggerValue);
  const mine = ++mounted;
  return () => { if (mine === mounted) { live.remove(); live = null; } };
}
