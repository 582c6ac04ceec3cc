// A running game for those who watch: what the table may know, and the whole game once it is over.
import { ending } from "./ending.js";
import { listen } from "./listen.js";
import { ask, called, logLine, make, picture, shape } from "./tools.js";
import { word } from "./words.js";

export async function watch(view, id, key) {
  const away = new AbortController();
  const status = make("p", { id: "status", role: "status" });
  const table = make("div", { id: "table" });
  const result = make("section", { id: "result", hidden: true });
  const log = make("ol", { id: "log", tabindex: 0, "aria-label": word("log") });
  const title = make("h1", { class: "unseen" });
  view.append(make("div", { class: "room" },
    make("div", { class: "stage" }, make("p", { class: "hint", text: word("spectating") }), status, result, table),
    make("aside", {}, title, make("section", { class: "card" }, make("h2", { text: word("log") }), log))));

  async function refresh() {
    const state = await ask(`/games/${id}/table`, { key, shape: shape() });
    const names = called(state.names);
    document.title = `${state.title} · card_envs`;
    title.textContent = state.title;
    status.textContent = state.over ? word("over") : state.open_seats.length ? word("waitingOthers") : word("turnOf", names[state.to_act]);
    table.replaceChildren(picture(state.picture));
    table.dataset.version = state.version;
    log.replaceChildren(...state.log.map((line) => logLine(line, names, -1)));
    log.scrollTop = log.scrollHeight;
    result.hidden = !state.over;
    if (state.over) result.replaceChildren(...ending(state.result, -1, [make("a", { class: "button", href: `#/film/${id}/${key}`, text: word("stepThrough") })]));
  }

  await refresh();
  window.addEventListener("resize", () => refresh().catch(() => {}), { signal: away.signal });
  listen(id, key, away.signal, refresh);
  return () => away.abort();
}
