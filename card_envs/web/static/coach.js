// The coach: what an agent of one's choice thinks of the position, from what the own seat may know.
import { opinionBars, signed } from "./opinions.js";
import { ask, make, say } from "./tools.js";
import { word } from "./words.js";

const KEPT = "card_envs.coach.agent";

export function coachPanel(id, key, state) {
  const on = make("input", { type: "checkbox", id: "coach" });
  const who = make("select", { id: "coach-agent" });
  const choice = make("label", { hidden: true }, make("span", { text: word("coachWho") }), who);
  const bars = make("div", { id: "bars" });
  on.checked = localStorage.getItem("card_envs.coach") === "on";

  async function choices() {
    if (who.length) return;
    const { game, names } = state();
    const agents = await ask(`/agents/${game}/${names.length}`);
    who.replaceChildren(...agents.map((agent) => new Option(agent.name, agent.id)));
    const before = localStorage.getItem(KEPT);
    if (agents.some((agent) => agent.id === before)) who.value = before;
    choice.hidden = false;
  }

  async function advise() {
    if (!on.checked || !state()?.your_turn) return bars.replaceChildren();
    try {
      await choices();
      const agent = who.value;
      bars.replaceChildren(make("p", { class: "hint", text: word("coachThinks", who.selectedOptions[0].text) }));
      const advice = await ask(`/games/${id}/coach`, { key, agent });
      if (advice.version !== state().version || advice.taken_back !== state().taken_back || !on.checked || agent !== who.value) return undefined;
      bars.replaceChildren(make("h3", { text: word("coachSays", advice.adviser) }),
        ...(advice.value === null ? [] : [make("p", { class: "hint", text: word("expects", signed(advice.value)) })]), opinionBars(advice.bars));
    } catch (error) {
      bars.replaceChildren();
      if (![0, 409].includes(error.status)) say(error.message);
    }
    return undefined;
  }

  on.addEventListener("change", () => {
    localStorage.setItem("card_envs.coach", on.checked ? "on" : "");
    choice.hidden = !on.checked || !who.length;
    advise();
  });
  who.addEventListener("change", () => {
    localStorage.setItem(KEPT, who.value);
    advise();
  });
  const place = make("section", { class: "card" }, make("label", { class: "switch" }, on, make("span", { text: word("coach") })), choice, bars);
  return { place, advise };
}
