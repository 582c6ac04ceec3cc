// What happens is seen: positions one after the other, what has changed marked, cards on their way.
import { make, picture } from "./tools.js";
import { word } from "./words.js";

const PACES = [0, 150, 300, 800]; // milliseconds per move: at once, fast, normal, slow
const KEPT = "card_envs.pace";

// How long each move is shown. Whoever asks for less motion gets none, unless it was chosen here.
export function pace() {
  const chosen = localStorage.getItem(KEPT);
  if (chosen !== null) return PACES[chosen];
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 300;
}

export function paceChooser() {
  const select = make("select", { id: "pace" });
  word("paces").split("|").forEach((name, place) => select.add(new Option(name, place)));
  select.value = PACES.indexOf(pace());
  select.addEventListener("change", () => localStorage.setItem(KEPT, select.value));
  return make("label", {}, make("span", { text: word("pace") }), select);
}

// A pause that any key or click ends early.
export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const done = () => { clearTimeout(timer); ended.abort(); resolve(); };
    const ended = new AbortController();
    const timer = setTimeout(done, milliseconds);
    for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, () => { pause.skipped = true; done(); }, { signal: ended.signal });
    signal.addEventListener("abort", done, { signal: ended.signal });
  });
}

// Things in a picture by place and kind: how many, and where on the screen.
function things(svg) {
  const found = new Map();
  for (const element of svg?.querySelectorAll("[data-at]") || []) {
    const { at, kind, count } = element.dataset;
    found.set(`${at} ${kind}`, { at, kind, count: Number(count), element, box: element.getBoundingClientRect() });
  }
  return found;
}

// Put a picture in the place of another; mark what has changed, and let cards move if there is time for it.
export function swap(table, text, { mark = true, time = 0 } = {}) {
  const before = things(table.querySelector("svg"));
  const wasAlarmed = [...before.values()].find((one) => one.kind === "alarm")?.count;
  table.replaceChildren(picture(text));
  if (!before.size || !mark) return;
  const after = things(table.querySelector("svg"));
  const difference = (one, others) => one.count - (others.get(`${one.at} ${one.kind}`)?.count || 0);
  const more = [...after.values()].filter((one) => difference(one, before) > 0);
  const fewer = [...before.values()].filter((one) => difference(one, after) > 0);
  for (const one of after.values()) one.element.classList.toggle("changed", difference(one, before) !== 0);
  const alarm = [...after.values()].find((one) => one.kind === "alarm");
  table.classList.toggle("shock", Boolean(alarm) && wasAlarmed !== undefined && alarm.count > wasAlarmed);
  if (time > 0) fly(fewer.filter((one) => one.kind !== "alarm"), more.filter((one) => one.kind !== "alarm"), time);
}

// From where there are fewer now to where there are more: the same kind, or cards that nobody else may see.
function fly(fewer, more, time) {
  for (const target of more) {
    const alike = fewer.filter((one) => one.kind === target.kind);
    const hidden = fewer.filter((one) => one.kind === "?");
    const sources = alike.length ? alike : target.kind === "?" ? fewer.slice(0, 6) : hidden.slice(0, 1);
    for (const source of sources.slice(0, 6)) if (source.at !== target.at) travel(source, target, time);
  }
}

function travel(source, target, time) {
  const shown = target.kind === "?" ? source : target;
  const icon = source.kind === "?" && target.kind === "?" ? null : shown.element.querySelector("g[transform]");
  const ghost = make("div", { class: "ghost", "aria-hidden": "true" });
  if (icon) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "-2 -2 36 36");
    const copy = icon.cloneNode(true);
    copy.removeAttribute("transform");
    svg.append(copy);
    ghost.append(svg);
  } else ghost.classList.add("back");
  document.body.append(ghost);
  const middle = (box) => `translate(${box.left + box.width / 2 - 18}px, ${box.top + box.height / 2 - 18}px)`;
  ghost.animate([{ transform: middle(source.box) }, { transform: middle(target.element.getBoundingClientRect()) }], { duration: Math.max(time * 0.9, 120), easing: "ease-in-out" })
    .finished.catch(() => {}).then(() => ghost.remove());
}
