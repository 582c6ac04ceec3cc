// What those who played a game thought at each position, beside a second agent of one's choice.
import { address, asked } from "./address.js";
import { curve } from "./curve.js";
import { opinionBars, signed } from "./opinions.js";
import { ask, called, make, say } from "./tools.js";
import { word } from "./words.js";

const AGAIN = 400; // milliseconds after which is asked how far it is

export function analysisPanel({ base, key, about, goTo }) {
  const choice = make("select", { id: "second" });
  const begin = make("button", { type: "button", id: "analyse", text: word("analyse"), onclick: () => run() });
  const progress = make("progress", { hidden: true, "aria-label": word("analysis") });
  const status = make("p", { class: "hint", role: "status" });
  const found = make("div", { id: "analysed" });
  const place = make("section", { class: "card", id: "analysis" },
    make("h2", { text: word("analysis") }),
    make("div", { class: "inline" }, make("label", {}, make("span", { text: word("secondAgent") }), choice), begin),
    progress, status, found);
  let result = null;
  let position = 0;
  let drawn = null;
  let ticket = 0;
  const names = called(about.names);

  async function fill() {
    const agents = await ask(`/agents/${about.game}/${about.names.length}`);
    choice.replaceChildren(...agents.map((agent) => new Option(agent.name, agent.id)));
    const before = asked().get("second") || localStorage.getItem("card_envs.second");
    if (agents.some((agent) => agent.id === before)) choice.value = before;
    if (asked().get("second")) run();
  }

  async function run() {
    const mine = ++ticket;
    const second = choice.value;
    localStorage.setItem("card_envs.second", second);
    address({ second });
    begin.disabled = true;
    try {
      let answer = await ask(`${base}/analysis`, { key, second });
      while (!answer.rows && mine === ticket) {
        progress.hidden = false;
        progress.max = answer.of;
        progress.value = answer.done;
        status.textContent = word("analysing", answer.done, answer.of);
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
        if (mine === ticket) answer = await ask(`${base}/analysis`, { key, second });
      }
      if (mine === ticket) tell(answer);
    } catch (error) {
      if (mine === ticket) say(error.message);
    } finally {
      if (mine === ticket) {
        begin.disabled = false;
        progress.hidden = true;
        status.textContent = "";
      }
    }
  }

  function tell(answer) {
    result = answer;
    const jump = (id, text, move) => move === null ? null
      : make("button", { type: "button", id, text: word(text, move + 1), onclick: () => goTo(move) });
    const which = make("select", { id: "values-of" });
    which.add(new Option(answer.second, "second"));
    which.add(new Option(word("thoseWhoActed"), "acting"));
    const has = (who) => answer.curves[who].some((points) => points.length);
    which.value = has("second") || !has("acting") ? "second" : "acting";
    const chart = make("div", { id: "value-curve" });
    const now = make("div", { id: "thoughts", class: "columns" });
    const drawCurve = () => {
      drawn = null;
      if (!has(which.value)) return chart.replaceChildren(make("p", { class: "hint", text: word("noValues") }));
      const lines = answer.curves[which.value].map((points, seat) => ({ name: names[seat], points }));
      drawn = curve({ label: word("valueCurve"), lines, pick: (x) => goTo(Math.round(x)), band: 0 });
      const legend = make("ul", { class: "legend" }, ...lines.map((line, seat) => make("li", { class: `line-${seat % 6}`, text: line.name })));
      chart.replaceChildren(make("p", { class: "hint", text: word("valueCurve") }), drawn.place, legend);
      drawn.mark(position);
    };
    which.addEventListener("change", drawCurve);
    found.replaceChildren(
      make("p", { class: "buttons" }, jump("widest", "widest", answer.widest), jump("costliest", "costliest", answer.costliest)),
      make("label", {}, make("span", { text: word("valuesOf") }), which), chart, now);
    drawCurve();
    show(position);
  }

  function show(wanted) {
    position = wanted;
    if (!result) return;
    drawn?.mark(position);
    const now = document.getElementById("thoughts");
    const row = result.rows[position];
    if (!row) return now.replaceChildren(make("p", { class: "hint", text: word("gameEnd") }));
    const column = (name, opinion) => make("div", {},
      make("h3", { text: name }),
      opinion.value === null ? null : make("p", { class: "hint", text: word("expects", signed(opinion.value)) }),
      opinionBars(opinion.bars, row.action));
    const cost = row.cost === null ? null : make("p", { id: "cost", text: word(row.cost_how === "search" ? "costBySearch" : "costByValues", row.cost.toFixed(2), row.cost_by) });
    now.replaceChildren(
      column(names[row.seat], row.acting),
      column(result.second, row.second),
      make("div", {}, make("h3", { text: `${position + 1}. ${row.text}` }),
        row.disagreement === null ? null : make("p", { id: "disagreement", text: word("disagreement", (row.disagreement * 100).toFixed(0)) }), cost));
  }

  fill().catch((error) => say(error.message));
  return { place, show, leave: () => { ticket++; } };
}
