// Move the main slider from its position to its end, or from its beginning if it is at the end. The page learns only
// the last position, from a key pressed there.
const PACE = 110;  // ms between two positions
const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;

export default function ({ parentElement }) {
  const button = parentElement.querySelector("button.play");
  const slider = () => document.querySelector(".st-key-main_control input[type=range]");
  let timer = null;

  const press = (key) => slider()?.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true }));
  const move = (to) => {
    write.call(slider(), to);
    slider().dispatchEvent(new Event("input", { bubbles: true }));
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    button.textContent = "▶ Play";
    const at = +slider()?.value;
    if (at > 0) { move(at - 1); press("ArrowRight"); }
  };
  const step = () => {
    if (!slider()) return stop();  // another view is shown
    const { value, max } = slider();
    if (+value < +max) move(+value + 1);
    if (!(+value + 1 < +max)) stop();
  };
  const start = () => {
    if (!slider()) return;
    press("Shift");  // this key does not move the slider, but makes the script that follows sliders follow this one
    if (slider().value === slider().max) move(0);
    button.textContent = "❚❚ Pause";
    timer = setInterval(step, PACE);
  };

  button.onclick = () => (timer === null ? start() : stop());
  return () => clearInterval(timer);
}
