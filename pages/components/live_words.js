// Show the words of a page for each position of a slider. The page's own words belong to React, so they are not changed
// but hidden until the page has new ones. Words not known in advance are hidden meanwhile and keep their space.
const OWN = '[data-testid="stMarkdownContainer"]:not([data-foretold])';
const PARTS = {  // part → the element of Streamlit that contains it, and where it is inside
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
  constructor() { this.changed = new Map(); }  // hidden node → the node that is shown instead, or null

  get silent() { return this.changed.size === 0; }

  say(words, at, before) {  // without words, everything that may change is hidden
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

  color(node, other) {  // hide a comparison whose colour and arrow will be different
    if (other) this.hide(node);
    else if (node.dataset.spoken === "unknown") this.end((one) => one === node);
  }

  hide(node) {
    this.changed.get(node)?.remove();
    this.changed.set(node, null);
    node.dataset.spoken = "unknown";
  }

  put(node, part, text) {  // show a text instead of a node; returns whether this is possible
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

  end(which = () => true) {  // show the page's own nodes again
    for (const [node, mine] of this.changed) if (!node.isConnected || which(node)) {
      mine?.remove();
      delete node.dataset.spoken;
      this.changed.delete(node);
    }
  }
}
