// Choose a game, who sits where, and start; continue games of this browser; find tournaments.
import { ask, forget, games, go, keep, make, say } from "./tools.js";
import { word } from "./words.js";

export async function home(view) {
  document.title = "card_envs";
  const setup = await ask("/setup");
  view.append(
    make("h1", { text: "card_envs" }),
    make("p", { class: "lead", text: word("intro") }),
    make("div", { class: "columns" }, await newGame(setup), yourGames(), setup.tournaments ? tournaments() : null),
  );
}

async function newGame(setup) {
  const remembered = JSON.parse(localStorage.getItem("card_envs.last") || "{}");
  const game = make("select", { id: "game" });
  for (const one of setup.games) game.add(new Option(one.title, one.name));
  if (setup.games.some((one) => one.name === remembered.game)) game.value = remembered.game;
  const players = make("select", { id: "players" });
  const seats = make("div", { class: "seats" });
  const start = make("button", { class: "main", type: "submit", id: "start" });
  const rules = make("details", { class: "rules" });
  const chosen = () => setup.games.find((one) => one.name === game.value);
  const selects = () => [...seats.querySelectorAll("select")];

  function label() {
    start.textContent = word(selects().some((select) => select.value === "me") ? "play" : "watch");
  }

  async function fillSeats() {
    const wanted = `${game.value}/${players.value}`;
    const agents = await ask(`/agents/${wanted}`);
    if (wanted !== `${game.value}/${players.value}`) return; // something else has been chosen meanwhile
    const strongest = ["champion", "bot", "random"].find((id) => agents.some((agent) => agent.id === id));
    seats.replaceChildren();
    for (let seat = 0; seat < Number(players.value); seat++) {
      const select = make("select", { id: `seat-${seat}` });
      select.add(new Option(word("me"), "me"));
      select.add(new Option(word("person"), "person"));
      for (const agent of agents) select.add(new Option(agent.name, agent.id));
      const before = remembered.game === game.value && remembered.seats?.length === Number(players.value) && remembered.seats[seat];
      select.value = before || (seat === 0 ? "me" : strongest);
      if (!select.value) select.value = strongest;
      select.addEventListener("change", () => {
        if (select.value === "me") selects().filter((other) => other !== select && other.value === "me").forEach((other) => (other.value = strongest));
        label();
      });
      seats.append(make("label", {}, make("span", { text: word("seat", seat) }), select));
    }
    seats.dataset.for = wanted;
    label();
  }

  async function fillPlayers() {
    const { players: numbers, default_players: usual } = chosen();
    players.replaceChildren(...numbers.map((number) => new Option(number, number)));
    players.value = remembered.game === game.value && numbers.includes(remembered.seats?.length) ? remembered.seats.length : usual;
    await Promise.all([fillSeats(), fillRules(rules, game.value)]);
  }

  game.addEventListener("change", fillPlayers);
  players.addEventListener("change", fillSeats);
  await fillPlayers();

  async function begin(event) {
    event.preventDefault();
    start.disabled = true;
    start.textContent = word("dealing");
    try {
      await open(game.value, selects().map((select) => select.value));
    } catch (error) {
      say(error.message);
      start.disabled = false;
      label();
    }
  }

  return make("section", { class: "card" },
    make("h2", { text: word("newGame") }),
    make("form", { onsubmit: begin },
      make("label", {}, make("span", { text: word("game") }), game),
      make("label", {}, make("span", { text: word("players") }), players),
      seats, start),
    rules);
}

// Open a table and go there. Also used for another game with the same players.
export async function open(game, seats) {
  const opened = await ask("/games", { body: { game, seats } });
  localStorage.setItem("card_envs.last", JSON.stringify({ game, seats }));
  const when = new Date().toISOString();
  keep(opened.id, { key: opened.key, seat: opened.seat, game, seats, when, invitations: opened.invitations });
  go(opened.seat === null ? `/film/${opened.id}` : `/play/${opened.id}`);
}

export async function fillRules(place, game) {
  const sections = await ask(`/rules/${game}`);
  place.replaceChildren(make("summary", { text: word("rules") }),
    ...sections.flatMap((section) => [
      make("h3", { text: section.heading }),
      make("ul", {}, ...section.sentences.map((sentence) => make("li", { text: sentence }))),
    ]));
}

function yourGames() {
  const list = make("ul", { class: "plain" });
  const all = Object.entries(games()).sort(([, a], [, b]) => (a.when < b.when ? 1 : -1));
  for (const [id, about] of all) {
    const where = about.seat === null ? `#/film/${id}` : `#/play/${id}`;
    const when = new Date(about.when).toLocaleString();
    const item = make("li", {},
      make("a", { href: where, text: `${about.title || about.game.replaceAll("_", " ")}` }),
      make("small", { text: ` ${when} ` }),
      make("button", { type: "button", class: "quiet", "aria-label": `${word("forget")}: ${when}`, text: "×", onclick: () => { forget(id); item.remove(); } }));
    list.append(item);
  }
  if (!all.length) list.append(make("li", { text: word("none") }));
  return make("section", { class: "card" }, make("h2", { text: word("yourGames") }), list);
}

function tournaments() {
  return make("section", { class: "card" },
    make("h2", { text: word("tournaments") }),
    make("p", {}, make("a", { href: "#/tournaments", text: word("standings") })));
}
