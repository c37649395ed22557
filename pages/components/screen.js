// A phone has a narrow window, a projector a wide and high one. When the kind of window changes, the page is told once.
const NARROW = 640, WIDE = 1600, HIGH = 900;  // pixels
const CALM = 300;  // ms without a change of size after which the size is measured

const measured = () => window.innerWidth <= NARROW ? "phone" : window.innerWidth >= WIDE && window.innerHeight >= HIGH ? "large" : "usual";

const HEADER = 56, SHEET = .46;  // pixels above the page, and the share of a phone's window that its controls take

let known = null, sent = null, send = null, timer = null;

const tell = () => {
  const size = measured();
  if (size === known) sent = null;
  else if (size !== sent) { sent = size; send("size", size); }
};

const uncover = () => {  // when the sheet of controls opens on a phone, scroll the visible chart above it
  if (document.querySelector('[data-testid="stSidebar"]')?.dataset.collapsed === "true" || measured() !== "phone") return;
  const seen = (box) => Math.min(box.bottom, window.innerHeight) - Math.max(box.top, HEADER);
  const charts = document.querySelectorAll('[data-testid="stMain"] :is([data-testid="stPlotlyChart"], [data-testid^="stBidiComponent"])');
  const best = [...charts].map((chart) => chart.getBoundingClientRect()).sort((a, b) => seen(b) - seen(a))[0];
  if (best && seen(best) > 40 && (best.top < HEADER || best.bottom > (1 - SHEET) * window.innerHeight))
    document.querySelector('[data-testid="stMain"]').scrollBy({ top: best.top - HEADER, behavior: "smooth" });
};

new MutationObserver(uncover).observe(document.body, { subtree: true, attributeFilter: ["data-collapsed"] });

// Copy the theme's colours, which only components of Streamlit get, so that style sheets of the whole page have them.
const colored = (element) => {
  const told = getComputedStyle(element);
  for (const name of ["--st-primary-color", "--st-background-color", "--st-secondary-background-color", "--st-border-color"])
    document.documentElement.style.setProperty(name, told.getPropertyValue(name));
};

export default function ({ data, parentElement, setStateValue }) {
  colored(parentElement);
  known = document.documentElement.dataset.screen = data.size;
  send = setStateValue;
  const changed = () => { clearTimeout(timer); timer = setTimeout(tell, CALM); };
  window.addEventListener("resize", changed);
  tell();
  return () => window.removeEventListener("resize", changed);
}
