// While a figure fills the window, the parts of the page that stay on screen are marked, and the figure gets the space
// that they leave. The keys for this mode, and those of a game, also work while a slider or a toggle has the focus.
const root = document.documentElement;
const PAGE = '[data-testid="stMain"]', BOX = '[data-testid="stElementContainer"]';
const BUTTONS = { f: "lecture_mode", s: "lecture_numbers", n: "lecture_figure", 1: "home_guess_1", 2: "home_guess_2" };
const height = (box) => (box ? box.offsetHeight : 0);
const shown = (box) => box.offsetHeight > 100 || box.dataset.lecture;

class Lecture {
  constructor() {
    this.key = this.key.bind(this);
    this.resized = () => this.soon();
    this.watched = new MutationObserver(this.resized);
    this.grown = new ResizeObserver(this.resized);  // the observer above does not see the content of a drawing arrive
    document.addEventListener("keydown", this.key, true);
    window.addEventListener("resize", this.resized);
  }

  update(data) {
    this.data = data;
    this.watched.disconnect();
    if (data.on) this.watched.observe(document.querySelector('[data-testid="stApp"]'), { childList: true, subtree: true });
    this.arrange();
  }

  remove() {
    this.watched.disconnect();
    this.grown.disconnect();
    clearTimeout(this.timer);
    document.removeEventListener("keydown", this.key, true);
    window.removeEventListener("resize", this.resized);
    this.mark({});
  }

  key(event) {
    const held = event.ctrlKey || event.metaKey || event.altKey, typed = "textarea, [contenteditable=true], input:not([type=range], [type=checkbox], [type=radio])";
    if (event.key.toLowerCase() === "a" && !held && !event.target.closest(typed)) document.querySelector(".st-key-lecture_answer a")?.click();
    const button = BUTTONS[event.key.toLowerCase()];
    if (!button || !["range", "checkbox"].includes(event.target.type) || held) return;
    document.querySelector(`.st-key-${button} button`)?.click();
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.arrange(), 60);
  }

  figures() {  // the charts and drawings of the page, except those in tabs
    const found = [...document.querySelectorAll(`${PAGE} ${BOX}`)].filter((box) => !box.closest('[role="tabpanel"]'));
    return found.filter((box) => box.querySelector('[data-testid="stPlotlyChart"]') || (this.drawing(box) && shown(box)));
  }

  drawing(box) { return box.querySelector('[data-testid^="stBidiComponent"]'); }

  // The slider that moves the figure: one named for this page, else the page's main control, else the first one.
  slider(figure) {
    const all = [...document.querySelectorAll('[data-testid="stSlider"]')].map((one) => one.closest(BOX));
    const is = (box, key) => box.classList.contains(`st-key-${key}`);
    const named = Object.entries(this.data.sliders).filter(([, but]) => !but.some((key) => is(figure, key)));
    const free = (box) => !box.closest('[role="tabpanel"], [data-testid="stExpander"]') && !box.querySelector("input:disabled");
    return named.map(([key]) => all.find((box) => is(box, key))).find(Boolean) ?? all.find((box) => free(box) && box.closest(".st-key-main_control")) ?? all.find(free);
  }

  parts() {
    const all = this.figures();
    const figure = all[(this.data.figure - 1) % all.length];
    if (!this.data.on || !figure) return {};
    const other = document.querySelector(".st-key-lecture_figure");
    if (other) other.style.display = all.length > 1 ? "" : "none";
    const rows = [...document.querySelectorAll(`${PAGE} [data-testid="stHorizontalBlock"]:has([data-testid="stMetric"])`)]
      .filter((row) => row.offsetHeight && !row.closest('.st-key-lecture_top, [data-testid="stExpander"], [role="tabpanel"]'));
    return {
      [figure.querySelector('[data-testid="stPlotlyChart"]') ? "figure" : "drawing"]: figure,
      slider: this.slider(figure),
      bar: document.querySelector(".st-key-lecture_bar"),
      strip: document.querySelector(".st-key-lecture_strip"),
      top: document.querySelector(".st-key-lecture_top"),
      act: document.querySelector(".st-key-lecture_act"),
      cards: this.data.numbers ? rows.at(-1) : null,
      note: document.querySelector(".st-key-confidential"),
    };
  }

  mark(parts) {
    const wanted = new Map(Object.entries(parts).filter(([, box]) => box).map(([name, box]) => [box, name]));
    for (const box of document.querySelectorAll("[data-lecture]")) if (!wanted.has(box)) {
      delete box.dataset.lecture;
      box.style.zoom = "";
    }
    for (const [box, name] of wanted) if (box.dataset.lecture !== name) box.dataset.lecture = name;
    for (const box of this.seen ?? []) if (!wanted.has(box)) this.grown.unobserve(box);
    this.seen = [...wanted.keys()];
    for (const box of this.seen) this.grown.observe(box);
    if (wanted.size) root.dataset.fullWindow = "";
    else delete root.dataset.fullWindow;
  }

  arrange() {
    const parts = this.parts();
    this.mark(parts);
    if (!parts.bar) return;
    const set = (name, pixels) => root.style.setProperty(`--lecture-${name}`, `${pixels}px`);
    const row = Math.max(height(parts.slider), height(parts.bar), height(parts.act)) + 16;
    const cards = parts.cards ? height(parts.cards) + 16 : 0, strip = parts.strip ? height(parts.strip) + 16 : 8;
    const top = Math.max(parts.top ? strip + height(parts.top) + 8 : strip, 16);
    const bottom = row + cards + height(parts.note) + 8;
    set("row", row);
    set("cards", cards);
    set("strip", strip);
    set("top", top);
    set("bottom", bottom);
    set("bar", parts.bar.offsetWidth);
    set("buttons", parts.bar.offsetWidth + (parts.act ? parts.act.offsetWidth + 16 : 0));
    if (parts.drawing) this.enlarge(parts.drawing, window.innerHeight - top - bottom);
  }

  enlarge(box, room) {
    box.style.zoom = "";
    const zoom = Math.max(0.7, room / Math.max(box.offsetHeight, 1));
    root.style.setProperty("--lecture-zoom", zoom);
    box.style.zoom = zoom;
  }
}

let lecture = null, mounted = 0;

export default function ({ data }) {
  if (!lecture) lecture = new Lecture();
  lecture.update(data);
  const mine = ++mounted;
  return () => { if (mine === mounted) { lecture.remove(); lecture = null; } };
}
