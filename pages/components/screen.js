// A phone has a narrow window, a projector a wide and high one; the page is told once whenever that changes.
const NARROW = 640, WIDE = 1600, HIGH = 900;  // pixels
const CALM = 300;  // ms without a change of size

const measured = () => window.innerWidth <= NARROW ? "phone" : window.innerWidth >= WIDE && window.innerHeight >= HIGH ? "large" : "usual";

let known = null, sent = null, send = null, timer = null;

const tell = () => {
  const size = measured();
  if (size === known) sent = null;
  else if (size !== sent) { sent = size; send("size", size); }
};

export default function ({ data, parentElement, setStateValue }) {
  (parentElement.host ?? parentElement).closest("[data-testid=stElementContainer]")?.style.setProperty("display", "none");
  known = document.documentElement.dataset.screen = data.size;
  send = setStateValue;
  const changed = () => { clearTimeout(timer); timer = setTimeout(tell, CALM); };
  window.addEventListener("resize", changed);
  tell();
  return () => window.removeEventListener("resize", changed);
}
