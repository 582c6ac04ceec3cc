// Training runs: what there is, how each learns, and a seat against its newest player.
import { curve } from "./curve.js";
import { open } from "./home.js";
import { ask, make, say } from "./tools.js";
import { language, word } from "./words.js";

const AGAIN = 4000; // milliseconds between looks at what training has written
const ago = (changed) => new Date(changed * 1000).toLocaleString(language());
export const short = (number) => {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (number >= size) return `${Number((number / size).toFixed(2))} ${unit}`;
  return String(Math.round(number));
};

// Against a player: you on the first seat, it on all others of the smallest table that it knows.
const playAgainst = (about, id) => open(about.game, ["me", ...Array(about.players[0] - 1).fill(id)]).catch((error) => say(error.message));

// Ask again and again for as long as the page is shown; `changed` hears of what is not as before.
function follow(path, changed) {
  let left = false;
  let before = null;
  (async () => {
    while (!left) {
      try {
        const found = document.hidden && before ? null : await ask(path);
        if (!left && found && JSON.stringify(found) !== before) {
          before = JSON.stringify(found);
          changed(found);
        }
        say("");
      } catch (error) {
        if (!left) say(error.message);
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  })();
  return () => { left = true; };
}

export async function runs(view) {
  document.title = `${word("runs")} · card_envs`;
  const list = make("ul", { class: "plain runs" });
  view.append(make("h1", { text: word("runs") }), list);
  return follow("/runs", (found) => {
    list.replaceChildren(...found.map((one) => make("li", { class: "card" },
      make("a", { href: `#/run/${one.id}`, text: one.name }),
      make("small", { text: ` ${[one.title, one.step === null ? "" : word("step", short(one.step)), word("lastWritten", ago(one.changed))].filter(Boolean).join(" · ")} ` }),
      one.newest && one.title ? make("button", { type: "button", class: "quiet", text: word("playNewest"), onclick: () => playAgainst(one, one.newest) }) : null)));
    if (!found.length) list.replaceChildren(make("li", { text: word("noRuns") }));
  });
}

export async function run(view, id) {
  const title = make("h1");
  const about = make("p", { id: "run-about", role: "status" });
  const newest = make("button", { type: "button", class: "main", id: "play-newest", text: word("playNewest") });
  const chart = make("section", { class: "card", id: "learning" });
  const players = make("section", { class: "card" });
  const league = make("section", { class: "card" });
  const cups = make("section", { class: "card", id: "cups", hidden: true });
  view.append(title, about, make("p", { class: "inline" }, newest), chart, make("div", { class: "columns wide-columns" }, players, league), cups);

  function show(found) {
    document.title = `${found.name} · card_envs`;
    title.textContent = found.name;
    about.textContent = [found.title, word("forPlayers", found.players.join(", ")), word("step", short(found.decisions || found.step || 0)), word("lastWritten", ago(found.changed))].filter(Boolean).join(" · ");
    newest.hidden = !(found.newest && found.title);
    newest.onclick = () => playAgainst(found, found.newest);
    showCurve(found);
    players.replaceChildren(make("h2", { text: word("checkpoints") }), make("ul", { class: "plain" }, ...found.players_of_run.map((one) =>
      make("li", { class: "spread" }, make("span", { text: one.name }),
        found.title ? make("button", { type: "button", class: "quiet", "aria-label": `${word("playThis")}: ${one.name}`, text: word("playThis"), onclick: () => playAgainst(found, one.id) }) : null))));
    league.hidden = !found.league.length;
    league.replaceChildren(make("h2", { text: word("league") }), table([word("agent"), word("winShare"), word("games")],
      found.league.map((row) => [row.name, row.share.toFixed(3), Math.round(row.games)]), word("league")));
  }

  function showCurve(found) {
    const lines = found.curves.filter((one) => one.points.length).map((one) => ({ name: one.against, points: one.points.map(([x, y]) => [x, y]), last: one.points.at(-1) }));
    if (!lines.length) return chart.replaceChildren(make("h2", { text: word("learningCurve") }), make("p", { class: "hint", text: word("noCurve") }));
    const most = lines.slice(0, 6);
    const drawn = curve({ label: word("learningCurve"), lines: most, low: 0, high: 1, xText: short });
    chart.replaceChildren(make("h2", { text: word("learningCurve") }), drawn.place,
      make("ul", { class: "legend" }, ...most.map((line, number) => make("li", { class: `line-${number % 6}`, text: `${word("against", line.name)}: ${line.last[1].toFixed(3)}${line.last[2] ? ` ± ${(1.96 * line.last[2]).toFixed(3)}` : ""}` }))));
  }

  async function showCups() {
    const found = await ask(`/runs/${id}/standings`);
    cups.hidden = !found.length;
    cups.replaceChildren(make("h2", { text: word("inTournaments") }), ...found.flatMap((cup) => [
      make("h3", {}, make("a", { href: `#/tournament/${cup.id}`, text: cup.name })),
      table(["", word("agent"), word("rating"), word("interval"), word("winShare")], cup.rows.map((row, place) =>
        [`${cup.places[place]} / ${cup.of}`, row.name, number(row.rating[0], 0), `${number(row.rating[1], 0)} … ${number(row.rating[2], 0)}`, number(row.win_share[0], 3)]), cup.name)]));
  }

  showCups().catch((error) => say(error.message));
  return follow(`/runs/${id}`, show);
}

const number = (value, digits) => (value === null ? "–" : value.toFixed(digits));

export function table(head, rows, label) {
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    make("table", { class: "plain-table" }, make("thead", {}, make("tr", {}, ...head.map((text) => make(text ? "th" : "td", { scope: text ? "col" : null, text })))),
      make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell) => (cell instanceof Node ? make("td", {}, cell) : make("td", { text: cell }))))))));
}
