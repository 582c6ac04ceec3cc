// All moves of a finished game in words; a click goes there.
import { ask, make, say } from "./tools.js";
import { word } from "./words.js";

export function moveLog({ path, key, goTo }) {
  const list = make("ol", { id: "film-moves", class: "plain", tabindex: 0, "aria-label": word("moveList") });
  const place = make("details", {}, make("summary", { text: word("moveList") }), list);
  let at = 0;

  function mark(position) {
    at = position;
    for (const button of list.querySelectorAll("button")) {
      const here = Number(button.dataset.position) === at;
      button.classList.toggle("here", here);
      if (here) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      if (here && place.open) list.scrollTop = button.offsetTop - list.clientHeight / 2;
    }
  }

  place.addEventListener("toggle", async () => {
    try {
      const moves = await ask(`${path}/moves`, { key });
      list.replaceChildren(...moves.map((move) => make("li", {}, make("button", { type: "button", class: "quiet", "data-position": move.position, onclick: () => goTo(move.position) },
        make("span", { class: "number", text: move.position }), make("span", { text: move.text })))));
      mark(at);
    } catch (error) {
      say(error.message);
    }
  }, { once: true });
  return { place, mark };
}
