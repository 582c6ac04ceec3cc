// Tournaments: the list, the standings of one with ways to its games, games worth seeing, and each game.
import { asked } from "./address.js";
import { film } from "./film.js";
import { copyButton } from "./links.js";
import { table } from "./runs.js";
import { ask, go, make, say } from "./tools.js";
import { counted, word } from "./words.js";

export async function tournaments(view) {
  document.title = `${word("tournaments")} · card_envs`;
  const found = await ask("/tournaments");
  view.append(make("h1", { text: word("tournaments") }), make("ul", { class: "plain" },
    ...found.map((one) => make("li", { class: "card" },
      one.problem ? make("span", { text: `${one.name}: ${one.problem}` }) : make("a", { href: `#/tournament/${one.id}`, text: one.name }),
      one.problem ? null : make("small", { text: ` ${one.title}, ${word("forPlayers", one.players)}, ${counted("manyGames", one.games)}` }))),
    ...(found.length ? [] : [make("li", { text: word("none") })])));
}

const digits = { rating: 0, win_share: 3, points: 2, rank: 2 };
const shown = (value, name) => (value === null ? "–" : value.toFixed(digits[name]));
const gamesLink = (id, wanted) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) for (const one of [value].flat()) query.append(name, one);
  return `#/games/${id}?${query}`;
};

// A click on a heading sorts the table by its column.
function sorting(place) {
  const body = place.querySelector("tbody");
  place.querySelectorAll("thead th").forEach((head, at) => {
    const sort = () => {
      const up = head.getAttribute("aria-sort") === "descending";
      place.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const value = (row) => row.cells[at].dataset.v ?? row.cells[at].textContent;
      const order = (a, b) => (isNaN(a) || isNaN(b) ? String(a).localeCompare(b) : a - b);
      body.append(...[...body.rows].sort((a, b) => (up ? 1 : -1) * order(value(a), value(b))));
    };
    const button = make("button", { type: "button", class: "sort", text: head.textContent, onclick: sort });
    head.replaceChildren(button);
  });
  return place;
}

export async function tournament(view, id) {
  const about = await ask(`/tournaments/${id}`);
  document.title = `${about.name} · card_envs`;
  const figures = [["rating", "rating"], ["win_share", "winShare"], ["points", "points"], ["rank", "rank"]];
  const head = make("tr", {}, make("th", { scope: "col", text: word("agent") }),
    ...figures.map(([, label]) => make("th", { scope: "col", text: word(label) })), make("th", { scope: "col", text: word("games") }));
  const rows = about.rows.map((row) => make("tr", {},
    make("th", { scope: "row" }, make("a", { href: gamesLink(id, { agent: row.name }), text: row.mark ? `${row.name} (${row.mark})` : row.name })),
    ...figures.map(([name]) => {
      const [value, low, high] = row[name];
      return make("td", { "data-v": value ?? -1e9 }, make("b", { text: shown(value, name) }), make("small", { text: ` ${shown(low, name)} … ${shown(high, name)}` }));
    }),
    make("td", { "data-v": row.games, text: row.games })));
  const number = make("input", { type: "number", id: "number", min: 0, max: Math.max(about.games - 1, 0), value: 0, required: true });
  const openGame = (event) => { event.preventDefault(); go(`/game/${id}/${number.value}`); };
  view.append(
    make("h1", { text: about.name }),
    make("p", { text: `${about.title}, ${word("forPlayers", about.players)}, ${about.games < about.games_in_all ? `${about.games} / ` : ""}${counted("manyGames", about.games_in_all)} · ${word("interval")}` }),
    make("p", { class: "buttons" },
      make("a", { class: "button", id: "worth-seeing", href: `#/games/${id}?upsets=true&first=upset`, text: word("worthSeeing") }),
      make("a", { class: "button", id: "report", href: `/api/tournaments/${id}/report`, target: "_blank", rel: "noopener", text: word("report") })),
    sorting(make("div", { class: "scroll card", tabindex: 0, role: "region", "aria-label": word("standings") },
      make("table", { class: "standings" }, make("thead", {}, head), make("tbody", {}, ...rows)))),
    ...about.forfeits.map((sentence) => make("p", { text: sentence })),
    make("form", { class: "card inline", onsubmit: openGame },
      make("label", {}, make("span", { text: word("openGame", about.games - 1) }), number),
      make("button", { class: "main", type: "submit", text: word("open") })),
    headToHead(id, about), points(id, about), lineUps(id, about));
}

function headToHead(id, about) {
  const names = about.rows.slice(0, about.head_to_head.length).map((row) => row.name);
  const head = make("tr", {}, make("td"), ...names.map((name) => make("th", { scope: "col", class: "turned", title: name }, make("span", { text: name }))));
  const rows = about.head_to_head.map((shares, one) => make("tr", {}, make("th", { scope: "row", title: names[one], text: names[one] }),
    ...shares.map((share, other) => {
      if (one === other || share === null) return make("td", { text: one === other ? "" : "–" });
      const cell = make("td", { class: "heat" }, make("a", { href: gamesLink(id, { agent: names[one], ahead_of: names[other] }), text: share.toFixed(3) }));
      cell.style.setProperty("--heat", Math.abs(share - 0.5) * 0.8);
      cell.classList.add(share >= 0.5 ? "ahead" : "behind");
      return cell;
    })));
  return make("section", { class: "card" }, make("h2", { text: word("headToHead") }), make("p", { class: "hint", text: word("clickForGames") }),
    make("div", { class: "scroll many", tabindex: 0, role: "region", "aria-label": word("headToHead") },
      make("table", { id: "head-to-head" }, make("thead", {}, head), make("tbody", {}, ...rows))));
}

function points(id, about) {
  const { low, wide, bars } = about.histograms;
  const place = make("section", { class: "card", id: "histograms" }, make("h2", { text: word("points") }), make("p", { class: "hint", text: word("clickForGames") }));
  about.rows.forEach((row, at) => {
    const most = Math.max(...bars[at], 1);
    const line = make("div", { class: "histogram", role: "group", "aria-label": word("pointsOf", row.name) });
    bars[at].forEach((count, number) => {
      const from = low + number * wide;
      const text = `${from}${wide > 1 ? `–${from + wide - 1}` : ""}: ${count}`;
      const bar = count ? make("a", { href: gamesLink(id, { agent: row.name, points_from: from, points_to: from + wide - 1 }), title: text, "aria-label": text }) : make("span");
      bar.style.setProperty("--share", count / most);
      line.append(bar);
    });
    place.append(make("h3", { text: row.name }), line);
  });
  place.append(make("p", { class: "hint spread" }, make("span", { text: low }), make("span", { text: low + wide * (bars[0]?.length || 1) - 1 })));
  return place;
}

function lineUps(id, about) {
  const rows = about.line_ups.map((one) => [
    make("a", { href: gamesLink(id, { line_up: one.agents }), text: one.agents.map((name, at) => `${name} ${one.win_shares[at] === null ? "" : one.win_shares[at].toFixed(3)}`).join(", ") }), one.games]);
  return make("details", { class: "card", id: "line-ups" }, make("summary", { text: `${word("lineUps")}: ${about.line_ups_in_all}` }), table([word("lineUp"), word("games")], rows, word("lineUps")));
}

// All line-ups that the page was told of, and the one that the address asks for.
function lineUpChoice(about, asked) {
  const known = about.line_ups.map((one) => one.agents);
  const value = JSON.stringify(asked);
  if (asked.length && !known.some((one) => JSON.stringify(one) === value)) known.unshift(asked);
  const select = make("select", { id: "line-up" }, new Option(word("anyAgent"), "[]"), ...known.map((one) => new Option(one.join(", "), JSON.stringify(one))));
  select.value = value;
  return select;
}

// Games of a tournament by all that the address asks for. The form changes the address.
export async function games(view, id) {
  const about = await ask(`/tournaments/${id}`);
  document.title = `${word("worthSeeing")} · card_envs`;
  const names = about.rows.map((row) => row.name);
  const wanted = asked();
  const choice = (name) => {
    const select = make("select", { id: name.replace("_", "-") }, new Option(word("anyAgent"), ""), ...names.map((one) => new Option(one, one)));
    select.value = wanted.get(name) || "";
    return select;
  };
  const field = (name) => make("input", { type: "number", id: name.replace("_", "-"), value: wanted.get(name) || "" });
  const fields = { agent: choice("agent"), ahead_of: choice("ahead_of"), margin_from: field("margin_from"), margin_to: field("margin_to"), points_from: field("points_from"), points_to: field("points_to") };
  const upsets = make("input", { type: "checkbox", id: "upsets", checked: wanted.get("upsets") === "true" });
  const first = make("select", { id: "first" }, ...[["number", "sortNumber"], ["margin", "sortMargin"], ["close", "sortClose"], ["upset", "sortUpset"], ["points", "sortPoints"]].map(([value, text]) => new Option(word(text), value)));
  first.value = wanted.get("first") || "number";
  const lineUp = lineUpChoice(about, wanted.getAll("line_up"));
  const place = make("div", { id: "found" });
  const label = (text, element) => make("label", {}, make("span", { text: word(text) }), element);

  async function search() {
    const query = new URLSearchParams();
    for (const [name, element] of Object.entries(fields)) if (element.value !== "") query.set(name, element.value);
    if (upsets.checked) query.set("upsets", "true");
    query.set("first", first.value);
    JSON.parse(lineUp.value).forEach((name) => query.append("line_up", name));
    history.replaceState(null, "", `#/games/${id}?${query}`);
    try {
      const found = await ask(`/tournaments/${id}/games?${query}`);
      const rows = found.games.map((game) => [
        make("a", { href: `#/game/${id}/${game.number}`, text: game.number }),
        game.agents.map((name, seat) => `${game.ranks[seat]}. ${name} ${game.points[seat]}`).sort((a, b) => parseInt(a) - parseInt(b)).join(" · "),
        game.margin, game.upset.toFixed(0)]);
      place.replaceChildren(make("p", { role: "status", text: word("gamesFound", found.count, rows.length) }),
        table([word("number"), word("result"), word("margin"), word("upset")], rows, word("worthSeeing")),
        make("p", {}, make("code", { class: "link", id: "command", text: found.command }), copyButton("copy-command", "copyCommand", () => found.command)));
    } catch (error) {
      say(error.message);
    }
  }

  view.append(
    make("h1", { text: word("worthSeeing") }),
    make("p", {}, make("a", { href: `#/tournament/${id}`, text: about.name })),
    make("form", { class: "card filters", onsubmit: (event) => { event.preventDefault(); say(""); search(); } },
      label("withAgent", fields.agent), label("aheadOf", fields.ahead_of), label("marginFrom", fields.margin_from), label("marginTo", fields.margin_to),
      label("pointsFrom", fields.points_from), label("marginTo", fields.points_to), label("onlyUpsets", upsets), label("sortBy", first),
      make("label", { class: "whole-line" }, make("span", { text: word("lineUp") }), lineUp),
      make("button", { class: "main", type: "submit", text: word("search") })),
    make("section", { class: "card" }, place));
  await search();
}

export async function tournamentGame(view, id, number) {
  return film(view, `/tournaments/${id}/games/${Number(number)}`, undefined, () => `#/game/${id}/${Number(number)}`);
}
