// A seat at a table: the picture, what can be played, what happened, the coach, the result.
import { coachPanel } from "./coach.js";
import { ending } from "./ending.js";
import { endOfGuide, guide } from "./guide.js";
import { fillRules } from "./home.js";
import { invitationList } from "./invitations.js";
import { spectatorButton } from "./links.js";
import { listen } from "./listen.js";
import { entriesOf, moveList, point } from "./moves.js";
import { pace, paceChooser, pause, swap } from "./motion.js";
import { ask, games, go, keep, logLine, make, say, shape } from "./tools.js";
import { word } from "./words.js";

const GUARD = 400; // milliseconds in which nobody can have seen a new position: what is clicked then was meant for the last

export async function play(view, id) {
  const about = games()[id];
  if (!about) throw new Error(word("noKey"));
  const { key } = about;
  let state = null;
  let narrowed = null; // actions left after a click on something that takes part in several
  let clicked = null;
  let busy = false;
  let typed = "";
  let byKeyboard = false;
  let seen = 0;
  let shownAt = 0;
  const away = new AbortController();

  const status = make("p", { id: "status", role: "status" });
  const latest = make("ul", { id: "latest", class: "plain", "aria-live": "polite" }); // on a phone the log is far below
  const table = make("div", { id: "table" });
  const moves = make("div", { id: "moves" });
  const back = make("button", { type: "button", id: "take-back", class: "quiet", text: word("takeBack"), hidden: true, onclick: takeBack });
  const choices = make("section", { class: "card" }, make("h2", { text: word("moves") }), moves, back);
  const coach = coachPanel(id, key, () => state);
  const log = make("ol", { id: "log", tabindex: 0, "aria-label": word("log") });
  const rules = make("details", { class: "rules" }, make("summary", { text: word("rules") }));
  const result = make("section", { id: "result", hidden: true });
  const invitations = make("section", { id: "invitations", hidden: true });
  const note = make("section", { id: "guide", hidden: true, "aria-live": "polite" });
  const notes = guide(note);
  view.append(
    make("div", { class: "room" },
      make("div", { class: "stage" }, status, latest, note, invitations, result, table),
      make("aside", {},
        make("h1", { class: "unseen", id: "title" }),
        make("section", { class: "card news" }, make("h2", { text: word("log") }), log),
        choices,
        coach.place,
        make("section", { class: "card" }, paceChooser(), spectatorButton(id, key), rules))));

  function show(moving = 0) {
    shownAt = performance.now();
    document.getElementById("title").textContent = state.title;
    showStatus();
    swap(table, state.picture, { mark: state.version > 0, time: moving });
    table.dataset.version = state.version;
    dim();
    showMoves();
    showLog();
    showResult();
    back.hidden = !state.can_take_back;
    choices.hidden = state.over || state.open_seats.length > 0;
    coach.place.hidden = state.over;
    invitationList(invitations, id, about.invitations, state.open_seats);
    notes.show(state.game, state.notes);
  }

  function showStatus() {
    const mine = state.your_turn && !state.over;
    status.textContent = state.over ? word("over") : state.open_seats.length ? word("waitingOthers")
      : mine ? word(!narrowed ? "yourTurn" : lackTwo() ? "chooseFirst" : "chooseSecond") : word("waiting", state.called[state.to_act]);
    status.className = mine ? "turn" : "";
    document.title = `${mine ? `● ${word("yourTurn")} · ` : ""}${state.title} · card_envs`;
  }

  // Things that take part in several moves, and those of them of which all moves are that can still be meant.
  const several = () => [...table.querySelectorAll("[data-actions]")].map((one) => one.dataset.actions.split(" ").map(Number)).filter((actions) => actions.length > 1);
  const inAll = (moves) => several().filter((actions) => moves.every((move) => actions.includes(move)));

  // Something of which all such moves are (an Emerald) was chosen, and of the two other things that they need none is clear yet.
  const lackTwo = () => clicked.group && inAll(narrowed).length < 2;

  // Things that take no part in what has been begun.
  function dim() {
    for (const element of table.querySelectorAll("[data-actions]")) {
      const actions = element.dataset.actions.split(" ").map(Number);
      element.classList.toggle("dim", Boolean(narrowed) && !actions.some((action) => narrowed.includes(action)));
    }
  }

  function showMoves() {
    const offered = state.actions.filter((action) => !narrowed || narrowed.includes(action.number));
    const entries = entriesOf(offered, Boolean(narrowed));
    moves.replaceChildren(
      ...(offered.length ? [make("p", { class: "hint", text: word("turnHint") }), make("p", { class: "hint keys", text: word("moveHint") })] : []),
      moveList(entries, (entry, event) => choose(entry.actions, event), (numbers) => point(table, moves, numbers)),
      ...(narrowed ? [make("button", { type: "button", class: "quiet", text: word("all"), onclick: () => narrow(null) })] : []));
    if (byKeyboard && offered.length) moves.querySelector("button").focus({ preventScroll: true });
  }

  function showLog(upTo = Infinity) {
    const lines = state.log.filter((line) => line.move <= upTo);
    log.replaceChildren(...lines.map((line) => {
      const item = logLine(line, state.called, state.seat);
      if (line.move >= seen) item.classList.add("new");
      return item;
    }));
    log.scrollTop = log.scrollHeight;
    // One line for each of the others, and one for what happens by itself, whether there is something to say or not.
    const news = [...state.called.keys()].filter((seat) => seat !== state.seat).concat([null]).map((seat) => lines.findLast((line) => line.seat === seat && line.move >= seen));
    const short = state.called.map((name) => name.split(" · ")[0]);
    latest.replaceChildren(...news.map((line) => line ? logLine(line, short, state.seat) : make("li", { "aria-hidden": "true", text: "\u00a0" })));
  }

  function showResult() {
    const before = result.hidden;
    result.hidden = !state.over;
    if (!state.over) return;
    endOfGuide(state.game);
    result.replaceChildren(...ending(state.result, state.seat, [
      make("button", { type: "button", id: "again", class: "main", text: word(state.rematch ? "rematch" : "again"), onclick: again }),
      make("a", { class: "button", href: `#/film/${id}`, text: word("stepThrough") }),
      make("a", { class: "button", href: "#/", text: word("otherGame") })], word("seed", state.seed)));
    if (before) result.scrollIntoView({ block: "nearest" });
  }

  async function again() {
    try {
      const following = await ask(`/games/${id}/again`, { key, body: {} });
      keep(following.id, { key, seat: following.seat, game: state.game, title: state.title, when: new Date().toISOString() });
      go(`/play/${following.id}`);
    } catch (error) {
      say(error.message);
    }
  }

  function narrow(actions, element = null) {
    narrowed = actions;
    clicked = element;
    showStatus();
    dim();
    showMoves();
  }

  // What was meant for a position that is past, or comes from a key held down or a second click, plays nothing.
  const meant = (event) => !busy && state.your_turn && !event?.repeat && !(event?.detail > 1) && performance.now() - shownAt >= GUARD;

  function choose(actions, event) {
    if (!meant(event)) return;
    if (actions.length === 1) send(actions[0].number);
    else narrow(actions.map((action) => action.number), { label: null, group: true });
  }

  // A click on something in the picture: its one action, or the ones it takes part in, of which a second click decides.
  function pick(element, event) {
    if (!meant(event)) return undefined;
    const actions = element.dataset.actions.split(" ").map(Number);
    const label = element.getAttribute("aria-label");
    if (actions.length === 1) return send(actions[0]);
    if (narrowed && label === clicked?.label) return element.dataset.twice ? send(Number(element.dataset.twice)) : narrow(null);
    const left = narrowed ? actions.filter((action) => narrowed.includes(action)) : actions;
    if (left.length === 1) return send(left[0]);
    return narrow(left.length ? left : actions, { label, group: several().flat().every((action) => actions.includes(action)) });
  }

  table.addEventListener("click", (event) => {
    const element = event.target.closest("[data-actions]");
    if (element) pick(element, event);
  });
  table.addEventListener("pointerover", (event) => {
    const numbers = event.target.closest("[data-actions]")?.dataset.actions.split(" ").map(Number) || [];
    point(table, moves, numbers.length < 6 ? numbers : []);
  });

  async function send(action) {
    busy = true;
    view.classList.add("busy");
    say("");
    const body = { action, version: state.version, taken_back: state.taken_back };
    try {
      const found = await patiently(() => ask(`/games/${id}/moves`, { key, body, shape: shape(), since: pace() ? state.version : null }), action);
      notes.played(state.game);
      await take(found, body.version);
    } catch (error) {
      if (away.signal.aborted) return;
      say(error.status === 409 ? "" : error.message);
      if (error.status === 409) await refresh(true);
    } finally {
      busy = false;
      view.classList.remove("busy");
    }
  }

  // A server that does not answer is asked again; the move is kept meanwhile. One that came through is not played twice,
  // for it was for another version.
  async function patiently(request, action) {
    for (;;) {
      try {
        const found = await request();
        say("");
        return found;
      } catch (error) {
        if (![0, 502, 504].includes(error.status) || away.signal.aborted) throw error;
        say(word("kept", state.actions.find((one) => one.number === action).text));
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  async function takeBack() {
    if (busy) return;
    try {
      seen = Infinity;
      await take(await ask(`/games/${id}/back`, { key, body: { version: state.version, taken_back: state.taken_back }, shape: shape() }), Infinity);
    } catch (error) {
      say(error.message);
    }
  }

  // What has happened since is shown move by move, unless somebody is in a hurry.
  async function take(found, before) {
    if (state && (found.taken_back - state.taken_back || found.version - state.version) < 0) return; // an answer that was overtaken
    const time = pace();
    seen = before ?? seen;
    narrowed = null;
    clicked = null;
    const last = state;
    state = { ...found, your_turn: false, actions: [], notes: [] };
    if (about.title !== state.title) keep(id, { title: state.title, game: state.game });
    pause.skipped = false;
    if (last && time) {
      moves.replaceChildren();
      back.hidden = true;
      status.textContent = word("othersMove");
      status.className = "";
      table.dataset.moving = "";
      for (const step of found.steps) {
        if (pause.skipped || away.signal.aborted) break;
        swap(table, step.picture, { time });
        showLog(step.move);
        await pause(time, away.signal);
      }
      delete table.dataset.moving;
    }
    if (away.signal.aborted) return;
    state = found;
    show(last && !pause.skipped ? time : 0);
    coach.advise();
  }

  async function refresh(anyway = false) {
    const since = state && pace() ? state.version : null;
    const found = await ask(`/games/${id}`, { key, shape: shape(), since });
    if (busy && !anyway) return; // a move is under way, and its answer is newer
    const same = state && JSON.stringify({ ...found, steps: [] }) === JSON.stringify({ ...state, steps: [] });
    if (!same) await take(found, !state ? 0 : found.version > state.version ? state.version : undefined); // else nothing is lost that one has begun to choose
  }

  // Numbers play at once where no longer number could be meant; arrows go through the list; Enter is the button's own.
  function onKey(event) {
    byKeyboard = true;
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.repeat && /^(\d|Enter| )$/.test(event.key)) return event.preventDefault();
    const buttons = [...moves.querySelectorAll("button[data-number]")];
    const drawn = event.target.closest?.("[data-actions]");
    if (drawn && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      pick(drawn, event);
    } else if (/^\d$/.test(event.key) && buttons.length) {
      typed += event.key;
      const possible = buttons.filter((button) => button.dataset.number.startsWith(typed));
      const exact = possible.find((button) => button.dataset.number === typed);
      if (!possible.length) typed = "";
      else if (exact && possible.length === 1) {
        typed = "";
        exact.click();
      } else {
        (exact || possible[0]).focus();
        clearTimeout(onKey.timer);
        onKey.timer = setTimeout(() => (typed = ""), 900);
      }
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const at = buttons.indexOf(document.activeElement);
      if (!buttons.length || (at < 0 && log.contains(document.activeElement))) return undefined;
      event.preventDefault();
      buttons[(at + (event.key === "ArrowDown" ? 1 : -1) + buttons.length) % buttons.length].focus();
    } else if (event.key === "Escape" && narrowed) narrow(null);
    return undefined;
  }

  let shapeNow = shape();
  const onResize = () => {
    if (shape() === shapeNow) return;
    shapeNow = shape();
    refresh().catch(() => {});
  };
  await refresh();
  fillRules(rules, state.game);
  document.addEventListener("keydown", onKey, { signal: away.signal });
  document.addEventListener("pointerdown", () => (byKeyboard = false), { signal: away.signal });
  window.addEventListener("resize", onResize, { signal: away.signal });
  listen(id, key, away.signal, () => (busy ? null : refresh()), (gone) => !busy && say(gone ? word("lost") : ""));
  return () => { away.abort(); };
}
