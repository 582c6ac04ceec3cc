// One's own games, measured as agents are. Keys stay in this browser; the server keeps nothing about people.
import { download } from "./links.js";
import { table } from "./runs.js";
import { ask, games, go, keep, make, say } from "./tools.js";
import { language, word } from "./words.js";

const AT_ONCE = 150; // games that are looked up with one request: as many as it may have
const number = (value, digits) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const interval = ([value, low, high], digits) => `${number(value, digits)} (${number(low, digits)} … ${number(high, digits)})`;

async function sameDeal(one, about) {
  const opened = await ask(`/games/${one.id}/same-deal`, { key: about.key, body: {} });
  keep(opened.id, { key: opened.key, seat: opened.seat, game: one.game, title: one.title, seats: null, when: new Date().toISOString(), invitations: [] });
  go(`/play/${opened.id}`);
}

function csv(results, kept) {
  const cell = (text) => (/[",\n]/.test(text) ? `"${String(text).replaceAll('"', '""')}"` : text);
  const rows = results.map((one) => [kept[one.id].when, one.game, one.names.length, one.seat + 1, one.points[one.seat], one.ranks[one.seat],
    one.names.map((name, seat) => (seat === one.seat ? "you" : name || "person")).join(" | "), one.points.join(" | "), one.seed, one.id]);
  return [["when", "game", "players", "seat", "points", "rank", "names", "all points", "seed", "id"], ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

export async function you(view) {
  document.title = `${word("yourResults")} · card_envs`;
  const kept = games();
  const own = Object.entries(kept).filter(([, about]) => about.seat !== null).sort(([, a], [, b]) => (a.when < b.when ? 1 : -1)).slice(0, AT_ONCE);
  view.append(make("h1", { text: word("yourResults") }));
  const found = await ask("/people", { body: { games: own.map(([id, about]) => ({ id, key: about.key })) } });
  if (!found.results.length) {
    view.append(make("p", { text: word("noResults") }));
    return;
  }
  view.append(make("div", { class: "columns wide-columns" }, ...found.tables.map(kindOfTable)));
  const rows = found.results.map((one) => [
    make("a", { href: `#/film/${one.id}`, text: kept[one.id].when ? new Date(kept[one.id].when).toLocaleString(language()) : one.id }),
    one.title,
    one.names.map((name, seat) => `${seat === one.seat ? word("you") : name || word("aPerson")} ${one.points[seat]}`).join(" · "),
    `${one.ranks[one.seat]} / ${one.names.length}`,
    make("span", { class: "buttons" },
      make("a", { class: "button quiet", href: `#/film/${one.id}?second=champion`, text: word("analysis") }),
      one.alone ? make("button", { type: "button", class: "quiet", text: word("sameDeal"), onclick: () => sameDeal(one, kept[one.id]).catch((error) => say(error.message)) }) : null)]);
  const everything = () => ({ ...found, results: found.results.map((one) => ({ ...one, when: kept[one.id].when })) });
  view.append(make("section", { class: "card", id: "history" },
    table([word("when"), word("game"), word("points"), word("rank"), ""], rows, word("yourResults")),
    make("p", { class: "buttons" },
      make("button", { type: "button", id: "export-csv", text: word("exportCsv"), onclick: () => download(new Blob([csv(found.results, kept)], { type: "text/csv" }), "games.csv") }),
      make("button", { type: "button", id: "export-json", text: word("exportJson"), onclick: () => download(new Blob([JSON.stringify(everything(), null, 1)], { type: "application/json" }), "games.json") }))));
}

function kindOfTable(one) {
  const fact = (name, value) => [make("dt", { text: name }), make("dd", { text: value })];
  return make("section", { class: "card own-table" },
    make("h2", { text: `${one.title}, ${word("forPlayers", one.players)}` }),
    make("dl", {}, ...fact(word("games"), one.games), ...fact(word("deals"), one.deals),
      ...fact(word("winShare"), interval(one.win_share, 3)), ...fact(word("points"), number(one.points, 2)), ...fact(word("rank"), number(one.rank, 2)),
      ...(one.scale ? fact(word("onScaleOf", one.scale.name), interval(one.rating, 0)) : [])),
    one.scale ? null : make("p", { class: "hint", text: word("noScale") }),
    table([word("opponents"), word("winShare"), word("games")], one.against.map((row) => [row.name || word("aPerson"), interval(row.ahead, 3), row.games]), word("opponents")));
}
