// Streamlit keeps controls in the address: it replaces the entry of the browser's history when a reader moves one, and
// adds several entries when a button moves many. This script makes each act of the reader one step, which Back undoes.
const TOGETHER = 1000;  // ms: keys on one control that follow each other more quickly are one act

const watch = () => {
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  let act = 0, stepped = 0, returning = false, key = { target: null, at: 0 };
  let moved = {};  // parameters that the reader's own act changed; an answer of the server may not contain them yet

  const acted = (event) => {
    const more = event.type === "keydown" && event.target === key.target && performance.now() - key.at < TOGETHER;
    key = event.type === "keydown" ? { target: event.target, at: performance.now() } : { target: null, at: 0 };
    if (!more || returning) { act += 1; moved = {}; }
    returning = false;
  };
  for (const name of ["pointerdown", "keydown", "drop"]) window.addEventListener(name, acted, true);
  window.addEventListener("change", (event) => { if (event.target.type === "file") acted(event); }, true);
  window.addEventListener("popstate", () => { returning = true; moved = {}; }, true);

  const go = (state, title, url) => {
    const first = !returning && act !== stepped;
    stepped = act;
    (first ? push : replace)(state, title, url);
  };
  history.pushState = (state, title, url) => {
    const next = new URL(url, location.href);
    if (next.pathname === location.pathname)
      for (const [name, values] of Object.entries(moved)) {
        next.searchParams.delete(name);
        for (const value of values) next.searchParams.append(name, value);
      }
    go(state, title, next.href);
  };
  history.replaceState = (state, title, url) => {
    const next = new URL(url ?? location.href, location.href), here = new URL(location.href);
    if (returning || next.href === here.href) return replace(state, title, url);
    for (const name of new Set([...here.searchParams.keys(), ...next.searchParams.keys()])) {
      const values = next.searchParams.getAll(name);
      if (values.join() !== here.searchParams.getAll(name).join()) moved[name] = values;
    }
    go(state, title, url);
  };
};

const places = new WeakMap();

export default function ({ data, parentElement }) {
  if (!history.steps) {
    history.steps = true;
    watch();
  }
  if (places.has(parentElement) && places.get(parentElement) !== data.place)
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  places.set(parentElement, data.place);
}
