// How a game has ended: one line, the ranking, and how the points came about for whoever wants to know.
import { make, resultTable } from "./tools.js";
import { word } from "./words.js";

export function ending(result, own, buttons, footnote) {
  const order = result.names.map((_, seat) => seat).sort((a, b) => result.ranks[a] - result.ranks[b] || a - b);
  return [
    make("h2", { class: "headline", text: result.headline }),
    make("ol", { class: "ranking" }, ...order.map((seat) => make("li", { class: seat === own ? "mine" : "" },
      make("span", { class: "place", text: `${result.ranks[seat]}.` }), make("span", { class: "who", text: result.names[seat] }),
      make("b", { text: result.points[seat] })))),
    make("p", { class: "buttons" }, ...buttons),
    make("details", { class: "sheet" }, make("summary", { text: word("details") }), resultTable(result)),
    footnote ? make("p", { class: "hint", text: footnote }) : null,
  ].filter(Boolean);
}
