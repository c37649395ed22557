"""A blank page for one script of the app, without a server; the script's clock stands still until a test lets time pass."""

from pathlib import Path

import plotly

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
STYLE = "<style>body { margin: 0 } svg.plot { display: block; width: 100% }</style>"
TOOLS = """{
  let now = 100000, last = 0;
  const due = new Map();
  const setTimeout = (does, after = 0) => { due.set(++last, [now + after, does]); return last; };
  window.stage = {
    sent: [],
    clock: {
      performance: { now: () => now }, setTimeout, clearTimeout: (id) => due.delete(id),
      requestAnimationFrame: (does) => setTimeout(does, 16),
    },
    real: () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    async pass(ms) {  // and wait for what the script does meanwhile
      const end = now + ms;
      for (;;) {
        await new Promise((done) => window.setTimeout(done));  // observers and promises first
        const [id, [at, does]] = [...due].sort((a, b) => a[1][0] - b[1][0])[0] ?? [0, [Infinity]];
        if (at > end) break;
        due.delete(id);
        now = at;
        await does();
      }
      now = end;
    },
    async mount(text) { this.run = (await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })))).default; },
    update(data, from = document) {
      const parentElement = from, setTriggerValue = (name, value) => this.sent.push([name, value]);
      return this.run({ data: structuredClone(data), parentElement, setTriggerValue });
    },
  };
}"""
CLOCK = "const { performance, setTimeout, clearTimeout, requestAnimationFrame } = window.stage.clock;\n"


class Stage:
    """The page, and what a script is given on it."""

    def __init__(self, page) -> None:
        self.page = page
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.set_content(STYLE)
        page.add_script_tag(path=PLOTLY)

    def open(self, script: str, html: str) -> None:
        """Begin anew with a fresh copy of the script and a body of this HTML."""
        self.page.mouse.move(1270, 710)
        self.page.evaluate(TOOLS)
        self.page.evaluate(
            "async ([html, text]) => { document.body.innerHTML = html; await stage.mount(text); }",
            [html, CLOCK + script],
        )

    def let_pass(self, milliseconds: float) -> None:
        self.page.evaluate("(ms) => stage.pass(ms)", milliseconds)

    def sent(self) -> list:
        """What the script has sent since this was asked last."""
        return self.page.evaluate("() => stage.sent.splice(0)")
