// Lines over a common axis, as SVG: what seats expect by move, what a run has learned by decisions.
const SVG = "http://www.w3.org/2000/svg";
const HIGH = 180;
const EDGE = { left: 44, right: 10, top: 8, bottom: 22 };

function shape(tag, about, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(about)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const digits = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(2)).toString());

// `lines`: [{ name, points: [[x, y], ...] }]. `pick(x)` is called where somebody clicks. Returns { place, mark }.
export function curve({ label, lines, pick, low, high, xText = (x) => Math.round(x), band }) {
  const WIDE = window.innerWidth < 760 ? 340 : 600; // so that letters are large enough on a phone
  const all = lines.flatMap((line) => line.points);
  const xs = all.map(([x]) => x);
  const ys = [...all.map(([, y]) => y), ...(low === undefined ? [] : [low]), ...(high === undefined ? [] : [high])];
  const [x0, x1] = [Math.min(...xs), Math.max(Math.max(...xs), Math.min(...xs) + 1)];
  const room = (Math.max(...ys) - Math.min(...ys)) * 0.05 || 0.1;
  const [y0, y1] = [Math.min(...ys) - room, Math.max(...ys) + room];
  const across = (x) => EDGE.left + ((x - x0) / (x1 - x0)) * (WIDE - EDGE.left - EDGE.right);
  const up = (y) => HIGH - EDGE.bottom - ((y - y0) / (y1 - y0)) * (HIGH - EDGE.top - EDGE.bottom);
  const place = shape("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "curve", role: "img", "aria-label": label });
  for (const y of [y0 + room, (y0 + y1) / 2, y1 - room]) {
    place.append(shape("line", { class: "grid", x1: EDGE.left, x2: WIDE - EDGE.right, y1: up(y), y2: up(y) }),
      shape("text", { x: EDGE.left - 6, y: up(y) + 4, "text-anchor": "end" }, digits(y)));
  }
  for (const [x, anchor] of [[x0, "start"], [x1, "end"]]) place.append(shape("text", { x: across(x), y: HIGH - 6, "text-anchor": anchor }, xText(x)));
  if (band !== undefined && band > y0 && band < y1) place.append(shape("line", { class: "even", x1: EDGE.left, x2: WIDE - EDGE.right, y1: up(band), y2: up(band) }));
  lines.forEach((line, number) => {
    if (!line.points.length) return;
    const path = line.points.map(([x, y], at) => `${at ? "L" : "M"}${across(x).toFixed(1)} ${up(y).toFixed(1)}`).join("");
    place.append(shape("path", { class: `series line-${number % 6}`, d: path }));
    if (line.points.length < 40) line.points.forEach(([x, y]) => place.append(shape("circle", { class: `dot line-${number % 6}`, cx: across(x), cy: up(y), r: 2.6 })));
  });
  const cursor = shape("line", { class: "cursor", x1: -9, x2: -9, y1: EDGE.top, y2: HIGH - EDGE.bottom });
  place.append(cursor);
  if (pick) {
    place.classList.add("clickable");
    place.addEventListener("click", (event) => {
      const box = place.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * WIDE;
      pick(Math.min(Math.max(x0 + ((x - EDGE.left) / (WIDE - EDGE.left - EDGE.right)) * (x1 - x0), x0), x1));
    });
  }
  return {
    place,
    mark(x) {
      cursor.setAttribute("x1", across(x));
      cursor.setAttribute("x2", across(x));
    },
  };
}
