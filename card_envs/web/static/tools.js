// Small helpers: elements, requests to the server, keys of games.
import { language, word } from "./words.js";

// make("button", { class: "x", onclick: f, text: "..." }, child, ...)
export function make(tag, about = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(about)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

export async function ask(path, { key, body, ...query } = {}) {
  const url = new URL(`/api${path}`, location.origin);
  for (const [name, value] of Object.entries({ language: language(), ...query })) {
    if (value !== null && value !== undefined) url.searchParams.set(name, value);
  }
  const headers = {};
  if (key) headers["X-Seat-Key"] = key;
  if (body) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(url, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Refused(0, word("lost"));
  }
  const found = await answer.json().catch(() => ({ error: answer.statusText }));
  if (!answer.ok) throw new Refused(answer.status, found.error || answer.statusText);
  return found;
}

// A picture comes as text; it is read as SVG, which never runs anything.
export function picture(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const svg = document.importNode(parsed, true);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  const { width, height } = svg.viewBox.baseVal;
  svg.style.setProperty("--least", `${height * (width > 500 ? 0.85 : 0.95)}px`); // lower, and letters get too small
  return svg;
}

// By the width that the picture gets: drawn for a large screen, letters get too small on less than this.
const WIDE = 880;
export const shape = () => ((document.querySelector(".stage")?.clientWidth || window.innerWidth) < WIDE ? "tall" : "wide");

// What to call people who sit at a table: as the server does in pictures and words.
export const called = (names, own = -1) => names.map((name, seat) => (seat === own ? word("you") : `${word("player", seat + 1)}${name ? ` · ${name}` : ""}`));

const KEPT = "card_envs.games";
export const games = () => JSON.parse(localStorage.getItem(KEPT) || "{}");
export function keep(id, about) {
  localStorage.setItem(KEPT, JSON.stringify({ ...games(), [id]: { ...games()[id], ...about } }));
}
export function forget(id) {
  const all = games();
  delete all[id];
  localStorage.setItem(KEPT, JSON.stringify(all));
}

export function say(sentence) {
  const place = document.getElementById("say");
  place.textContent = sentence;
  place.hidden = !sentence;
}

export function go(hash) {
  location.hash = hash;
}

export function resultTable(result) {
  const winners = result.ranks.map((rank) => rank === 1);
  const cells = (values, tag = "td") => values.map((value, seat) => make(tag, { text: value, class: winners[seat] && "best" }));
  const { names } = result;
  const head = make("tr", {}, make("td"), ...names.map((name) => make("th", { text: name.split(" · ")[0], title: name, scope: "col" })));
  const body = [];
  for (const part of result.parts) {
    if (part.title) body.push(make("tr", {}, make("th", { text: part.title, scope: "rowgroup", colspan: names.length + 1, class: "part" })));
    for (const row of part.rows) body.push(make("tr", {}, make("th", { text: row.label, scope: "row" }), ...cells(row.values)));
  }
  body.push(make("tr", { class: "total" }, make("th", { text: `${word("points")}, ${word("total")}`, scope: "row" }), ...cells(result.points)));
  body.push(make("tr", { class: "total" }, make("th", { text: word("rank"), scope: "row" }), ...cells(result.ranks)));
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": word("result") },
    make("table", { class: "result" }, make("thead", {}, head), make("tbody", {}, ...body)));
}

// `names` is what everybody is called.
export function logLine(line, names, seat) {
  return make("li", { class: line.seat === null ? "itself" : line.seat === seat ? "mine" : "", "data-move": line.move },
    line.seat === null ? null : make("b", { text: `${names[line.seat]}: ` }), line.text);
}
