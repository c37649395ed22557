// The figure with its words as one picture: finding and caption above, other words below, lines broken at the edge.
const WIDTH = 1200, HEIGHT = 675, EDGE = 40, FONT = '"Source Sans", "Source Sans Pro", "Segoe UI", Helvetica, Arial, sans-serif';
const SPACE = "http://www.w3.org/2000/svg";
const pen = document.createElement("canvas").getContext("2d");

function lines(text, size, weight) {
  pen.font = `${weight} ${size}px ${FONT}`;
  const found = [""];
  for (const word of text.split(" ").flatMap((one) => one.match(/.{1,90}/gu) ?? [])) {
    const longer = found.at(-1) ? `${found.at(-1)} ${word}` : word;
    if (pen.measureText(longer).width <= WIDTH - 2 * EDGE || !found.at(-1)) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found;
}

function write(svg, text, from, size, weight, color) {
  let at = from;
  for (const line of lines(text, size, weight)) {
    at += 1.35 * size;
    const one = document.createElementNS(SPACE, "text");
    for (const [key, value] of Object.entries({ x: EDGE, y: at, fill: color, "font-size": size, "font-weight": weight, "font-family": FONT }))
      one.setAttribute(key, value);
    one.textContent = line;
    svg.append(one);
  }
  return at;
}

async function picture() {
  const drawn = await Plotly.toImage(figure, { format: "svg", width: WIDTH, height: HEIGHT });
  const inner = new DOMParser().parseFromString(decodeURIComponent(drawn.slice(drawn.indexOf(",") + 1)), "image/svg+xml").documentElement;
  const svg = document.createElementNS(SPACE, "svg"), [finding, caption, ...below] = words;
  const paper = svg.appendChild(document.createElementNS(SPACE, "rect"));
  let at = write(svg, caption, write(svg, finding, 16, 26, 600, "#1B2430"), 17, 400, "#1B2430") + 8;
  inner.setAttribute("y", at);
  svg.append(inner);
  at += HEIGHT + 4;
  for (const text of below.filter(Boolean)) at = write(svg, text, at, 14, 400, "#5A6675") + 2;
  const height = Math.ceil(at + 20);
  for (const [one, fill] of [[svg, "none"], [paper, "#FFFFFF"]]) {
    one.setAttribute("width", WIDTH);
    one.setAttribute("height", height);
    one.setAttribute("fill", fill);
  }
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  return { text: new XMLSerializer().serializeToString(svg), height };
}

async function png({ text, height }) {
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  [canvas.width, canvas.height] = [2 * WIDTH, 2 * height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

for (const format of ["png", "svg"]) document.getElementById(format).onclick = async () => {
  const made = await picture();
  const file = format === "svg" ? new Blob([made.text], { type: "image/svg+xml" }) : await png(made);
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: `${name}.${format}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};
