// The list of moves: numbers that mean what they say, long groups as one entry that opens.
import { make } from "./tools.js";
import { word } from "./words.js";

const MANY = 4; // moves that begin alike become one entry

// What stands before the colon: "row 3", "feed Emerald".
const head = (action) => action.text.split(/\s?: /)[0];

// The number that plays each move: that of the row, where all moves are numbered things; else its place in the list.
export function numbersOf(actions) {
  const own = actions.map((action) => /^\S+ (\d+)$/.exec(head(action))?.[1]);
  return actions.map((_, place) => (own.every(Boolean) ? Number(own[place]) : place + 1));
}

// Entries: a move, or several that begin alike and are chosen from when the entry is opened.
export function entriesOf(actions, opened) {
  const entries = [];
  for (const action of actions) {
    const group = actions.filter((other) => head(other) === head(action));
    if (group.length < MANY || opened || group.length === actions.length) entries.push({ text: action.text, actions: [action] });
    else if (group[0] === action) entries.push({ text: head(action), actions: group });
  }
  return entries;
}

export function moveList(entries, chosen, pointed) {
  const numbers = numbersOf(entries.map((entry) => ({ text: entry.text })));
  return make("ol", { class: "moves" }, ...entries.map((entry, place) => {
    const about = entry.actions.length > 1 ? { "data-group": entry.actions.map((one) => one.number).join(" "), "aria-haspopup": "true" } : { "data-action": entry.actions[0].number };
    const button = make("button", { type: "button", ...about, "data-number": numbers[place], onclick: (event) => chosen(entry, event) },
      make("span", { class: "number", text: numbers[place] }), make("span", { text: entry.text }),
      entry.actions.length > 1 ? make("small", { text: `${word("options", entry.actions.length)} ›` }) : null);
    const numbersIn = entry.actions.map((one) => one.number);
    for (const name of ["pointerenter", "focus"]) button.addEventListener(name, () => pointed(numbersIn));
    for (const name of ["pointerleave", "blur"]) button.addEventListener(name, () => pointed([]));
    return make("li", {}, button);
  }));
}

// Marks in the picture what a move is about, and in the list what can be done with a thing.
export function point(table, list, numbers) {
  const meant = (text) => text.split(" ").map(Number).some((number) => numbers.includes(number));
  for (const element of table.querySelectorAll("[data-actions]")) element.classList.toggle("pointed", meant(element.dataset.actions) && numbers.length < 6);
  for (const button of list.querySelectorAll("button[data-action], button[data-group]")) {
    button.classList.toggle("pointed", meant(button.dataset.action ?? button.dataset.group));
  }
}
