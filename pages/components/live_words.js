// The words of a page at each position of a slider, in place of those it said last. These are React's and stay as they are, set
// aside, until they are new. What is not known beforehand is hidden meanwhile, and keeps its room.
const OWN = '[data-testid="stMarkdownContainer"]:not([data-foretold])';
const PARTS = {  // each in what, and where in it
  title: ["stHeading", OWN], label: ["stMetric", `[data-testid="stMetricLabel"] ${OWN}`], value: ["stMetric", `[data-testid="stMetricValue"] ${OWN}`],
  delta: ["stMetric", `[data-testid="stMetricDelta"] ${OWN}`], tone: ["stMetric", '[data-testid="stMetricDelta"]'], text: ["stMarkdown", OWN],
  caption: ["stMarkdown", '[data-testid="stCaptionContainer"]:not([data-foretold])'],
};
const UNFORETOLD = '[class*="st-key-unforetold_"]', TOLD = ".st-key-headline, [class*='st-key-told_']";
const isStale = (node) => Boolean(node.closest('[data-stale="true"]') || node.querySelector('[data-stale="true"]'));

async function sayings(wire) {
  const packed = new Blob([Uint8Array.from(atob(wire.packed), (char) => char.charCodeAt(0))]);
  const { texts, slots } = await new Response(packed.stream().pipeThrough(new DecompressionStream("deflate"))).json();
  return slots.map(([box, part, nth, which]) => ({ box, part, nth, at: (i) => texts[which[i]] }));
}

class Speech {
  constructor() { this.changed = new Map(); }  // by node set aside or hidden, what stands for it

  get silent() { return this.changed.size === 0; }

  say(words, at, before) {  // without words nothing is known
    for (const node of document.querySelectorAll(words ? UNFORETOLD : `${UNFORETOLD}, ${TOLD}`)) this.hide(node);
    for (const slot of words ?? []) {
      const node = this.find(slot), text = slot.at(at);
      if (node && slot.part === "tone") this.color(node, text !== slot.at(before));
      else if (node && (text === null || !this.put(node, slot.part, text))) this.hide(node);
    }
  }

  find({ box, part, nth }) {
    const [outer, inner] = PARTS[part];
    return document.querySelectorAll(`.st-key-${box} [data-testid="${outer}"]`)[nth]?.querySelector(inner);
  }

  color(node, other) {  // a comparison that will have another colour, and no arrow or another one
    if (other) this.hide(node);
    else if (node.dataset.spoken === "unknown") this.end((one) => one === node);
  }

  hide(node) {
    this.changed.get(node)?.remove();
    this.changed.set(node, null);
    node.dataset.spoken = "unknown";
  }

  put(node, part, text) {  // whether it can be written
    let mine = this.changed.get(node);
    if (!mine?.isConnected) {
      mine = node.cloneNode(true);
      mine.dataset.foretold = part;
      delete mine.dataset.spoken;
      for (const one of mine.querySelectorAll("[id]")) one.removeAttribute("id");
    }
    const place = part === "title" ? mine.querySelector("[data-heading-text]") : mine;
    place.innerHTML = text;
    for (const one of place.querySelectorAll("[data-tex]")) {
      const formula = [...document.querySelectorAll(".katex")].find((other) => other.querySelector("annotation")?.textContent === one.dataset.tex);
      if (!formula) return false;
      one.replaceWith(formula.cloneNode(true));
    }
    if (!mine.isConnected) node.after(mine);
    node.dataset.spoken = "aside";
    this.changed.set(node, mine);
    return true;
  }

  end(which = () => true) {  // what stood there comes back
    for (const [node, mine] of this.changed) if (!node.isConnected || which(node)) {
      mine?.remove();
      delete node.dataset.spoken;
      this.changed.delete(node);
    }
  }
}
