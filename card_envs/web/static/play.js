// A seat at a table: the picture, what can be played, what happened, the coach, the result.
import { fillRules, open } from "./home.js";
import { ask, games, go, keep, logLine, make, picture, resultTable, say, shape } from "./tools.js";
import { word } from "./words.js";

export async function join(view, id, seat, invitation) {
  if (!games()[id]) {
    const claimed = await ask(`/games/${id}/claim`, { body: { seat: Number(seat), invitation } });
    keep(id, { key: claimed.key, seat: claimed.seat, game: "", when: new Date().toISOString() });
  }
  go(`/play/${id}`);
}

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
  const away = new AbortController();

  const status = make("p", { id: "status", role: "status" });
  const latest = make("p", { id: "latest", "aria-live": "polite" }); // on a phone the log is far below
  const table = make("div", { id: "table" });
  const moves = make("div", { id: "moves" });
  const coachSwitch = make("input", { type: "checkbox", id: "coach" });
  const bars = make("div", { id: "bars" });
  const log = make("ol", { id: "log", tabindex: 0, "aria-label": word("log") });
  const rules = make("details", { class: "rules" }, make("summary", { text: word("rules") }));
  const result = make("section", { id: "result", hidden: true });
  const invitations = make("section", { id: "invitations", hidden: true });
  view.append(
    make("div", { class: "room" },
      make("div", { class: "stage" }, status, latest, invitations, result, table),
      make("aside", {},
        make("h1", { class: "unseen", id: "title" }),
        make("section", { class: "card" }, make("h2", { text: word("moves") }), moves),
        make("section", { class: "card" },
          make("label", { class: "switch" }, coachSwitch, make("span", { text: word("coach") })), bars),
        make("section", { class: "card" }, make("h2", { text: word("log") }), log),
        make("section", { class: "card" }, rules))));

  function show() {
    document.title = `${state.title} · card_envs`;
    document.getElementById("title").textContent = state.title;
    status.textContent = state.over ? word("over") : state.open_seats.length ? word("waitingOthers")
      : state.your_turn ? word(narrowed ? "chooseSecond" : "yourTurn") : word("waiting", state.to_act);
    status.className = state.your_turn ? "turn" : "";
    table.replaceChildren(picture(state.picture));
    table.dataset.version = state.version;
    for (const element of table.querySelectorAll("[data-actions]")) {
      const actions = element.dataset.actions.split(" ").map(Number);
      element.classList.toggle("dim", Boolean(narrowed) && !actions.some((action) => narrowed.includes(action)));
    }
    showMoves();
    showLog();
    showResult();
    showInvitations();
  }

  function showMoves() {
    const offered = state.actions.filter((action) => !narrowed || narrowed.includes(action.number));
    moves.replaceChildren(
      ...(offered.length ? [make("p", { class: "hint keys", text: word("moveHint") })] : []),
      make("ol", { class: "moves" }, ...offered.map((action, place) =>
        make("li", {}, make("button", { type: "button", "data-action": action.number, onclick: () => send(action.number) },
          make("span", { class: "number", text: place + 1 }), make("span", { text: action.text }))))),
      ...(narrowed ? [make("button", { type: "button", class: "quiet", text: word("all"), onclick: () => narrow(null) })] : []));
    if (byKeyboard && offered.length) moves.querySelector("button").focus({ preventScroll: true });
  }

  function showLog() {
    log.replaceChildren(...state.log.map((line) => {
      const item = logLine(line, state.names, state.seat);
      if (line.move >= seen) item.classList.add("new");
      return item;
    }));
    log.scrollTop = log.scrollHeight;
    const others = state.log.filter((line) => line.move >= seen && line.seat !== state.seat);
    latest.textContent = others.map((line) => `${line.seat === null ? "" : `${word("player", line.seat)}: `}${line.text}`).join(" · ");
  }

  function showResult() {
    result.hidden = !state.over;
    if (!state.over) return;
    const names = state.result.names.map((name, seat) => (seat === state.seat ? word("you") : name));
    result.replaceChildren(
      make("h2", { text: word("result") }),
      resultTable({ ...state.result, names }),
      make("p", { class: "buttons" },
        make("a", { class: "button", href: `#/film/${id}`, text: word("stepThrough") }),
        about.seats && make("button", { type: "button", id: "again", text: word("again"), onclick: () => open(state.game, about.seats).catch((error) => say(error.message)) })),
      make("p", { class: "hint", text: word("seed", state.seed) }));
  }

  function showInvitations() {
    const waiting = (about.invitations || []).filter((one) => state.open_seats.includes(one.seat));
    invitations.hidden = !waiting.length;
    invitations.replaceChildren(make("p", { text: word("waitingSeats") }), make("ul", {}, ...waiting.map((one) => {
      const link = `${location.origin}/#/join/${id}/${one.seat}/${one.invitation}`;
      return make("li", {}, `${word("seat", one.seat)}: `, make("code", { class: "link", text: link }), " ",
        make("button", { type: "button", class: "quiet", text: word("copy"), onclick: (event) => navigator.clipboard.writeText(link).then(() => (event.target.textContent = word("copied"))) }));
    })));
  }

  function narrow(actions, element = null) {
    narrowed = actions;
    clicked = element;
    show();
  }

  // A click on something in the picture: its one action, or the ones it takes part in, of which a second click decides.
  function pick(element) {
    const actions = element.dataset.actions.split(" ").map(Number);
    if (actions.length === 1) return send(actions[0]);
    if (narrowed && element.getAttribute("aria-label") === clicked) {
      return element.dataset.twice ? send(Number(element.dataset.twice)) : narrow(null);
    }
    const left = narrowed ? actions.filter((action) => narrowed.includes(action)) : actions;
    if (left.length === 1) return send(left[0]);
    return narrow(left.length ? left : actions, element.getAttribute("aria-label"));
  }

  table.addEventListener("click", (event) => {
    const element = event.target.closest("[data-actions]");
    if (element) pick(element);
  });

  async function send(action) {
    if (busy || !state.your_turn) return;
    busy = true;
    view.classList.add("busy");
    say("");
    try {
      const body = { action, version: state.version };
      const before = state.version;
      take(await ask(`/games/${id}/moves`, { key, body, shape: shape() }), before);
    } catch (error) {
      say(error.message);
      if (error.status === 409) await refresh();
    } finally {
      busy = false;
      view.classList.remove("busy");
    }
  }

  function take(found, before) {
    if (state && found.version < state.version) return;
    seen = before ?? seen;
    narrowed = null;
    clicked = null;
    state = found;
    if (about.title !== state.title) keep(id, { title: state.title, game: state.game });
    show();
    advise();
  }

  async function refresh() {
    const found = await ask(`/games/${id}`, { key, shape: shape() });
    if (JSON.stringify(found) === JSON.stringify(state)) return; // so that nothing is lost that one has begun to choose
    take(found, !state ? 0 : found.version > state.version ? state.version : undefined);
  }

  async function advise() {
    if (!coachSwitch.checked || !state?.your_turn) return bars.replaceChildren();
    try {
      const advice = await ask(`/games/${id}/coach`, { key });
      if (advice.version !== state.version || !coachSwitch.checked) return;
      bars.replaceChildren(make("h3", { text: word("coachSays", advice.adviser) }),
        make("ul", { class: "bars" }, ...advice.bars.filter((bar, place) => place < 8 && bar.probability > 0.0005).map((bar) => {
          const percent = `${(bar.probability * 100).toFixed(bar.probability < 0.1 ? 1 : 0)} %`;
          const line = make("span", { class: "bar", "aria-hidden": "true" });
          line.style.width = `${Math.max(bar.probability * 100, 1)}%`;
          return make("li", { "data-action": bar.number }, make("span", { class: "words" }, make("span", { text: bar.text }), make("b", { text: percent })), line);
        })));
    } catch (error) {
      if (error.status !== 409) say(error.message);
    }
  }

  coachSwitch.addEventListener("change", () => {
    localStorage.setItem("card_envs.coach", coachSwitch.checked ? "on" : "");
    advise();
  });

  // Numbers play at once where no longer number could be meant; arrows go through the list; Enter is the button's own.
  function onKey(event) {
    byKeyboard = true;
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const buttons = [...moves.querySelectorAll("button[data-action]")];
    const drawn = event.target.closest?.("[data-actions]");
    if (drawn && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      pick(drawn);
    } else if (/^\d$/.test(event.key) && buttons.length) {
      typed += event.key;
      const number = Number(typed);
      if (number < 1 || number > buttons.length) typed = "";
      else if (number * 10 > buttons.length) {
        typed = "";
        buttons[number - 1].click();
      } else {
        buttons[number - 1].focus();
        clearTimeout(onKey.timer);
        onKey.timer = setTimeout(() => (typed = ""), 900);
      }
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const at = buttons.indexOf(document.activeElement);
      if (!buttons.length || (at < 0 && log.contains(document.activeElement))) return;
      event.preventDefault();
      buttons[(at + (event.key === "ArrowDown" ? 1 : -1) + buttons.length) % buttons.length].focus();
    } else if (event.key === "Escape" && narrowed) narrow(null);
  }

  // The stream says only that something has changed; what it is, is asked with the own key.
  async function listen() {
    while (!away.signal.aborted) {
      try {
        const answer = await fetch(`/api/games/${id}/events`, { headers: { "X-Seat-Key": key }, signal: away.signal });
        if (!answer.ok) return;
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          rest += value;
          const events = rest.split("\n\n");
          rest = events.pop();
          if (events.some((event) => /^event: (hello|moved)/m.test(event)) && !busy) await refresh();
        }
      } catch {
        if (away.signal.aborted) return;
      }
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
  }

  let shapeNow = shape();
  const onResize = () => {
    if (shape() !== shapeNow) {
      shapeNow = shape();
      refresh().catch(() => {});
    }
  };
  coachSwitch.checked = localStorage.getItem("card_envs.coach") === "on";
  await refresh();
  fillRules(rules, state.game);
  document.addEventListener("keydown", onKey, { signal: away.signal });
  document.addEventListener("pointerdown", () => (byKeyboard = false), { signal: away.signal });
  window.addEventListener("resize", onResize, { signal: away.signal });
  listen();
  return () => away.abort();
}
