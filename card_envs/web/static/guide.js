// A first game explains itself: one note at a time, each once, when it fits the position. Notes lie over the page, so
// that nothing moves under the thumb when one goes; there is room below all else to scroll what they cover into view.
import { make } from "./tools.js";
import { word } from "./words.js";

const KEPT = "card_envs.guide"; // notes that have been read, by game; "all" for whoever has had enough
const read = () => JSON.parse(localStorage.getItem(KEPT) || "{}");

function remember(game, key) {
  const all = read();
  localStorage.setItem(KEPT, JSON.stringify({ ...all, [game]: [...new Set([...(all[game] || []), key])] }));
}

export const endOfGuide = (game) => remember(game, "all");

export function guide(place) {
  let now = null;
  return {
    show(game, notes) {
      const seen = read()[game] || [];
      now = seen.includes("all") ? null : notes.find((note) => !seen.includes(note.key)) || null;
      place.hidden = !now;
      if (now) place.closest(".room").classList.add("first");
      if (!now) return place.replaceChildren();
      const more = (key) => () => { remember(game, key); this.show(game, notes); };
      place.replaceChildren(
        make("p", {}, make("b", { text: `${word("note")}: ` }), now.text),
        make("p", { class: "buttons" },
          make("button", { type: "button", class: "quiet", text: word("gotIt"), onclick: more(now.key) }),
          make("button", { type: "button", class: "quiet", text: word("noNotes"), onclick: more("all") })));
    },
    played(game) { // whoever plays has read what stood there
      if (now) remember(game, now.key);
    },
  };
}
