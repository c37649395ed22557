// Streamlit keeps controls in the address: it overwrites the browser's entry when a reader moves one, and adds several entries
// when a button moves many. Here whatever follows from one act of the reader is one step that Back undoes.
const TOGETHER = 1000;  // ms: arrow keys on one control in quick succession are one act

const watch = () => {
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  let act = 0, stepped = 0, returning = false, key = { target: null, at: 0 };

  const acted = (event) => {
    const more = event.type === "keydown" && event.target === key.target && performance.now() - key.at < TOGETHER;
    key = event.type === "keydown" ? { target: event.target, at: performance.now() } : { target: null, at: 0 };
    if (!more || returning) act += 1;
    returning = false;
  };
  for (const name of ["pointerdown", "keydown"]) window.addEventListener(name, acted, true);
  window.addEventListener("popstate", () => { returning = true; }, true);

  history.pushState = (state, title, url) => {
    const first = !returning && act !== stepped;
    stepped = act;
    (first ? push : replace)(state, title, url);
  };
  history.replaceState = (state, title, url) => {
    const same = url === undefined || url === null || new URL(url, location.href).href === location.href;
    (same ? replace : history.pushState)(state, title, url);
  };
};

const places = new WeakMap();

export default function ({ data, parentElement }) {
  (parentElement.host ?? parentElement).closest("[data-testid=stElementContainer]")?.style.setProperty("display", "none");
  if (!history.steps) {
    history.steps = true;
    watch();
  }
  if (places.has(parentElement) && places.get(parentElement) !== data.place)
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  places.set(parentElement, data.place);
}
