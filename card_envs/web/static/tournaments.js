// Tournaments: the list, the standings of one, and each of its games.
import { film } from "./film.js";
import { ask, go, make } from "./tools.js";
import { word } from "./words.js";

export async function tournaments(view) {
  document.title = `${word("tournaments")} · card_envs`;
  const found = await ask("/tournaments");
  view.append(make("h1", { text: word("tournaments") }), make("ul", { class: "plain" },
    ...found.map((one) => make("li", { class: "card" },
      one.problem ? make("span", { text: `${one.name}: ${one.problem}` }) : make("a", { href: `#/tournament/${one.id}`, text: one.name }),
      one.problem ? null : make("small", { text: ` ${one.title}, ${one.players} ${word("players")}, ${one.games} ${word("games")}` }))),
    ...(found.length ? [] : [make("li", { text: word("none") })])));
}

const digits = { rating: 0, win_share: 3, points: 2, rank: 2 };
const shown = (value, name) => (value === null ? "–" : value.toFixed(digits[name]));

export async function tournament(view, id) {
  const about = await ask(`/tournaments/${id}`);
  document.title = `${about.name} · card_envs`;
  const figures = [["rating", "rating"], ["win_share", "winShare"], ["points", "points"], ["rank", "rank"]];
  const head = make("tr", {}, make("th", { scope: "col", text: word("agent") }),
    ...figures.map(([, label]) => make("th", { scope: "col", text: word(label) })), make("th", { scope: "col", text: word("games") }));
  const rows = about.rows.map((row) => make("tr", {},
    make("th", { scope: "row", text: row.mark ? `${row.name} (${row.mark})` : row.name }),
    ...figures.map(([name]) => {
      const [value, low, high] = row[name];
      return make("td", {}, make("b", { text: shown(value, name) }), make("small", { text: ` ${shown(low, name)} … ${shown(high, name)}` }));
    }),
    make("td", { text: row.games })));
  const number = make("input", { type: "number", id: "number", min: 0, max: Math.max(about.games - 1, 0), value: 0, required: true });
  const openGame = (event) => { event.preventDefault(); go(`/game/${id}/${number.value}`); };
  view.append(
    make("h1", { text: about.name }),
    make("p", { text: `${about.title}, ${about.players} ${word("players")}, ${about.games} / ${about.games_in_all} ${word("games")} · ${word("interval")}` }),
    make("div", { class: "scroll card", tabindex: 0, role: "region", "aria-label": word("standings") },
      make("table", { class: "standings" }, make("thead", {}, head), make("tbody", {}, ...rows))),
    make("form", { class: "card inline", onsubmit: openGame },
      make("label", {}, make("span", { text: word("openGame", about.games - 1) }), number),
      make("button", { class: "main", type: "submit", text: word("open") })));
}

export async function tournamentGame(view, id, number) {
  return film(view, `/tournaments/${id}/games/${Number(number)}/film`);
}
