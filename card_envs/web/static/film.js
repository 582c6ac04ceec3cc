// A game that is over, position by position, by hand or by itself at a speed of one's choice.
import { ask, games, logLine, make, picture, resultTable, say, shape } from "./tools.js";
import { word } from "./words.js";

export async function filmOfGame(view, id) {
  const about = games()[id];
  if (!about) throw new Error(word("noKey"));
  return film(view, `/games/${id}/film`, about.key, about.seat === null);
}

export async function film(view, path, key, runAtOnce = false) {
  const about = await ask(path, { key });
  document.title = `${about.title} · card_envs`;
  const last = about.positions - 1;
  const away = new AbortController();
  let position = 0;
  let asked = 0;
  let timer = null;

  const table = make("div", { id: "table" });
  const slider = make("input", { type: "range", id: "position", min: 0, max: last, value: 0, "aria-label": word("position") });
  const counter = make("output", { id: "counter", for: "position" });
  const told = make("ul", { id: "told", class: "plain", "aria-live": "polite" });
  const viewer = make("select", { id: "viewer" });
  viewer.add(new Option(word("table"), ""));
  about.names.forEach((name, seat) => viewer.add(new Option(name ? `${word("player", seat)} (${name})` : word("player", seat), seat)));
  const speed = make("select", { id: "speed" });
  for (const rate of [0.5, 1, 2, 4, 8]) speed.add(new Option(rate, rate));
  speed.value = localStorage.getItem("card_envs.speed") || 2;
  const button = (name, text, onclick) => make("button", { type: "button", id: name, "aria-label": word(name), title: word(name), text, onclick });
  const running = make("button", { type: "button", id: "run", onclick: () => (timer ? stop() : start()) });
  const result = make("section", { id: "result" });

  view.append(make("div", { class: "room" },
    make("div", { class: "stage" },
      make("div", { class: "controls" },
        button("first", "«", () => show(0)), button("back", "‹", () => show(position - 1)), running,
        button("forward", "›", () => show(position + 1)), button("last", "»", () => show(last)),
        slider, counter),
      table, result),
    make("aside", {},
      make("h1", { text: about.title }),
      make("section", { class: "card" },
        make("label", {}, make("span", { text: word("view") }), viewer),
        make("label", {}, make("span", { text: word("speed") }), speed)),
      make("section", { class: "card" }, make("h2", { text: word("log") }), told))));
  result.append(make("h2", { text: word("result") }), resultTable(about.result));

  async function show(wanted) {
    position = Math.min(Math.max(wanted, 0), last);
    slider.value = position;
    counter.textContent = `${position} / ${last}`;
    result.hidden = position < last;
    if (position === last) stop();
    const ticket = ++asked;
    try {
      const frame = await ask(`${path}/${position}`, { key, viewer: viewer.value === "" ? null : viewer.value, shape: shape() });
      if (ticket !== asked) return; // somebody has moved on meanwhile
      table.replaceChildren(picture(frame.picture));
      table.dataset.position = frame.position;
      told.replaceChildren(...frame.log.map((line) => logLine(line, about.names, -1)));
    } catch (error) {
      stop();
      say(error.message);
    }
  }

  function start() {
    if (position === last) position = 0;
    timer = setInterval(() => show(position + 1), 1000 / Number(speed.value));
    labelRunning();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    labelRunning();
  }
  function labelRunning() {
    running.textContent = word(timer ? "pause" : "run");
  }

  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  viewer.addEventListener("change", () => show(position));
  speed.addEventListener("change", () => {
    localStorage.setItem("card_envs.speed", speed.value);
    if (timer) { stop(); start(); }
  });
  document.addEventListener("keydown", (event) => {
    if (/^(INPUT|SELECT|BUTTON)$/.test(event.target.tagName)) return;
    const steps = { ArrowRight: position + 1, ArrowLeft: position - 1, Home: 0, End: last };
    if (event.key in steps) { event.preventDefault(); stop(); show(steps[event.key]); }
    if (event.key === " ") { event.preventDefault(); timer ? stop() : start(); }
  }, { signal: away.signal });
  window.addEventListener("resize", () => show(position), { signal: away.signal });
  labelRunning();
  await show(0);
  if (runAtOnce) start();
  return () => { stop(); away.abort(); };
}
