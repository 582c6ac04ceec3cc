// A game that is over, position by position, by hand or by itself at a speed of one's choice.
import { address, asked as wanted } from "./address.js";
import { analysisPanel } from "./analysis.js";
import { ending } from "./ending.js";
import { linksPanel } from "./links.js";
import { moveLog } from "./film_moves.js";
import { pace, swap } from "./motion.js";
import { ask, games, go, logLine, make, say, shape } from "./tools.js";
import { word } from "./words.js";

// With a key in the address it is somebody's link: to be watched as long as the game lasts, and then stepped through.
export async function filmOfGame(view, id, linkKey) {
  const about = games()[id];
  const key = linkKey || about?.key;
  if (!key) throw new Error(word("noKey"));
  const share = async () => `#/film/${id}/${(await ask(`/games/${id}/spectator`, { key })).key}`;
  try {
    return await film(view, `/games/${id}`, key, share, about?.seat === null && !linkKey);
  } catch (error) {
    if (error.status !== 409 || !linkKey) throw error;
    go(`/watch/${id}/${linkKey}`);
  }
}

// `share` gives the address under which others find this game, without a position.
export async function film(view, base, key, share, runAtOnce = false) {
  const path = `${base}/film`;
  const about = await ask(path, { key });
  document.title = `${about.title} · card_envs`;
  const last = about.positions - 1;
  const away = new AbortController();
  let position = Number(wanted().get("move")) || 0;
  let asked = 0;
  let before = 0; // the position shown until now
  let timer = null;

  const table = make("div", { id: "table" });
  const slider = make("input", { type: "range", id: "position", min: 0, max: last, value: 0, "aria-label": word("position") });
  const counter = make("output", { id: "counter", for: "position" });
  const told = make("ul", { id: "told", class: "plain", "aria-live": "polite" });
  const viewer = make("select", { id: "viewer" });
  viewer.add(new Option(word("table"), ""));
  about.result.names.forEach((name, seat) => viewer.add(new Option(name, seat)));
  viewer.value = wanted().get("seat") ?? "";
  if (viewer.selectedIndex < 0) viewer.value = "";
  const goTo = (place) => { stop(); show(place); };
  const analysis = analysisPanel({ base, key, about, goTo });
  const links = linksPanel({ base, key, about, share, at: () => ({ move: position, seat: viewer.value }) });
  const list = moveLog({ path, key, goTo });
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
      table, analysis.place, result),
    make("aside", {},
      make("h1", { text: about.title }),
      make("section", { class: "card" },
        make("label", {}, make("span", { text: word("view") }), viewer),
        make("label", {}, make("span", { text: word("speed") }), speed)),
      make("section", { class: "card" }, make("h2", { text: word("log") }), told, list.place), links.place)));
  result.append(...ending(about.result, -1, []));

  async function show(wanted) {
    position = Math.min(Math.max(wanted, 0), last);
    slider.value = position;
    counter.textContent = `${position} / ${last}`;
    result.hidden = position < last;
    if (position === last) stop();
    address({ move: position, seat: viewer.value });
    analysis.show(position);
    links.show();
    const ticket = ++asked;
    try {
      const how = { key, viewer: viewer.value === "" ? null : viewer.value, shape: shape() };
      const at = position;
      const [frame, earlier] = await Promise.all([ // the move that led here is marked, wherever one comes from
        ask(`${path}/${at}`, how), at > 0 && before !== at - 1 ? ask(`${path}/${at - 1}`, how) : null]);
      if (ticket !== asked) return; // somebody has moved on meanwhile
      if (earlier) swap(table, earlier.picture, { mark: false });
      swap(table, frame.picture, { mark: frame.position > 0, time: timer || earlier ? 0 : pace() });
      before = frame.position;
      list.mark(position);
      table.dataset.position = frame.position;
      told.replaceChildren(...frame.log.map((line) => logLine(line, about.result.names, -1)));
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
    if (event.target.tagName === "SELECT" || event.target.type === "number" || event.target.type === "text" || event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = { ArrowRight: position + 1, ArrowLeft: position - 1, Home: 0, End: last };
    if (event.key in steps) { event.preventDefault(); stop(); show(steps[event.key]); }
    if (event.key === " " && !/^(INPUT|BUTTON|SUMMARY|A)$/.test(event.target.tagName)) { event.preventDefault(); timer ? stop() : start(); }
  }, { signal: away.signal });
  window.addEventListener("resize", () => show(position), { signal: away.signal });
  labelRunning();
  await show(position);
  if (runAtOnce && !wanted().get("second") && !position) start();
  return () => { stop(); away.abort(); analysis.leave(); links.leave(); };
}
