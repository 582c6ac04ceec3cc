// The first page: the games, each with a picture and a button; who sits where, for whoever wants to say; games under way.
import { tellMessage } from "./invitations.js";
import { ask, forget, games, go, keep, make, picture, say } from "./tools.js";
import { word } from "./words.js";

const LAST = "card_envs.last";
const NAME = "card_envs.name";

export async function home(view) {
  document.title = "card_envs";
  const setup = await ask("/setup");
  const cards = setup.games.map(gameCard);
  view.append(
    make("h1", { text: "card_envs" }),
    make("p", { class: "lead", text: word("intro") }),
    make("div", { class: "shelf" }, ...cards.map((card) => card.place)),
    make("div", { class: "columns" }, await newGame(setup), yourGames(), setup.tournaments ? tournaments() : null),
  );
  if (view.isConnected) tellMessage();
  showPictures(cards);
}

// One after the other: where nothing has been compiled yet, each takes its time, and the others shall not wait for all.
async function showPictures(cards) {
  for (const card of cards) await card.draw().catch(() => {}); // a game can be played without its picture
}

const strongest = (agents) => ["champion", "bot", "random"].find((id) => agents.some((agent) => agent.id === id));

// A picture, a sentence, how many play, how long it takes, and off you go.
function gameCard(game) {
  const place = make("div", { class: "preview", "aria-hidden": "true" });
  const about = make("p", { class: "hint", text: word("forPlayers", spread(game.players)) });
  const start = make("button", { type: "button", class: "main", "data-play": game.name, text: word("playNow") });
  const rules = make("details", { class: "rules" }, make("summary", { text: word("rules") }));
  start.addEventListener("click", () => begin(start, word("playNow"), async () => {
    const agents = await ask(`/agents/${game.name}/${game.default_players}`);
    return [game.name, ["me", ...Array(game.default_players - 1).fill(strongest(agents))]];
  }));
  rules.addEventListener("toggle", () => fillRules(rules, game.name).catch((error) => say(error.message)), { once: true });
  async function draw() {
    const preview = await ask(`/preview/${game.name}`);
    place.replaceChildren(picture(preview.picture));
    about.textContent += ` · ${word("turnsEach", preview.turns)}`;
  }
  const card = make("article", { class: "card game" }, make("h2", { text: game.title }), place, make("p", { text: game.aim }), about, start, rules);
  return { place: card, draw };
}

const spread = (numbers) => (numbers.length > 1 ? `${numbers[0]}–${numbers.at(-1)}` : numbers[0]);

// A button that opens a table, and is itself again if that fails.
async function begin(button, label, wanted) {
  button.disabled = true;
  button.textContent = word("dealing");
  try {
    await open(...(await wanted()));
  } catch (error) {
    say(error.message);
    button.disabled = false;
    button.textContent = label;
  }
}

async function newGame(setup) {
  const remembered = JSON.parse(localStorage.getItem(LAST) || "{}");
  const game = make("select", { id: "game" });
  for (const one of setup.games) game.add(new Option(one.title, one.name));
  if (setup.games.some((one) => one.name === remembered.game)) game.value = remembered.game;
  const players = make("select", { id: "players" });
  const seats = make("div", { class: "seats" });
  const start = make("button", { class: "main", type: "submit", id: "start" });
  const name = make("input", { type: "text", id: "name", maxlength: 24, pattern: "[\\p{L}\\p{N}_ .'\\-]*", autocomplete: "nickname", value: localStorage.getItem(NAME) || "" });
  const chosen = () => setup.games.find((one) => one.name === game.value);
  const selects = () => [...seats.querySelectorAll("select")];
  const label = () => word(selects().some((select) => select.value === "me") ? "play" : "watch");

  async function fillSeats() {
    const wanted = `${game.value}/${players.value}`;
    const agents = await ask(`/agents/${wanted}`);
    if (wanted !== `${game.value}/${players.value}`) return; // something else has been chosen meanwhile
    const best = strongest(agents);
    seats.replaceChildren();
    for (let seat = 0; seat < Number(players.value); seat++) {
      const select = make("select", { id: `seat-${seat}` });
      select.add(new Option(word("me"), "me"));
      select.add(new Option(word("person"), "person"));
      for (const agent of agents) select.add(new Option(agent.name, agent.id));
      const before = remembered.game === game.value && remembered.seats?.length === Number(players.value) && remembered.seats[seat];
      select.value = before || (seat === 0 ? "me" : best);
      if (!select.value) select.value = best;
      select.addEventListener("change", () => {
        if (select.value === "me") selects().filter((other) => other !== select && other.value === "me").forEach((other) => (other.value = best));
        start.textContent = label();
      });
      seats.append(make("label", {}, make("span", { text: word("seat", seat + 1) }), select));
    }
    seats.dataset.for = wanted;
    start.textContent = label();
  }

  async function fillPlayers() {
    const { players: numbers, default_players: usual } = chosen();
    players.replaceChildren(...numbers.map((number) => new Option(number, number)));
    players.value = remembered.game === game.value && numbers.includes(remembered.seats?.length) ? remembered.seats.length : usual;
    await fillSeats();
  }

  game.addEventListener("change", () => fillPlayers().catch((error) => say(error.message)));
  players.addEventListener("change", () => fillSeats().catch((error) => say(error.message)));
  await fillPlayers();

  function submit(event) {
    event.preventDefault();
    localStorage.setItem(NAME, name.value.trim());
    begin(start, label(), async () => [game.value, selects().map((select) => select.value)]);
  }

  return make("section", { class: "card" }, make("details", { id: "more" },
    make("summary", {}, make("h2", { text: word("more") })),
    make("form", { onsubmit: submit },
      make("label", {}, make("span", { text: word("game") }), game),
      make("label", {}, make("span", { text: word("players") }), players),
      seats, make("label", {}, make("span", { text: word("yourName") }), name), start)));
}

// Open a table and go there.
export async function open(game, seats) {
  const opened = await ask("/games", { body: { game, seats, name: localStorage.getItem(NAME) || "" } });
  localStorage.setItem(LAST, JSON.stringify({ game, seats }));
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
