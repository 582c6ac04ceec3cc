// What an agent thinks of a position, as bars. The coach and the analysis show it alike.
import { make } from "./tools.js";
import { word } from "./words.js";

export const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)}`;

export function opinionBars(bars, played = null, most = 8) {
  const best = bars.filter((bar) => bar.value !== null).sort((a, b) => b.value - a.value)[0]; // shown however unlikely
  return make("ul", { class: "bars" }, ...bars.filter((bar, place) => bar.number === played || (place < most && bar.probability > 0.0005) || best === bar).map((bar) => {
    const percent = `${(bar.probability * 100).toFixed(bar.probability < 0.1 ? 1 : 0)} %`;
    const line = make("span", { class: "bar", "aria-hidden": "true" });
    line.style.width = `${Math.max(bar.probability * 100, 1)}%`;
    const text = make("span", {}, bar.text, bar.number === played ? make("em", { class: "played", text: word("played") }) : null);
    const numbers = make("b", { text: bar.value === null ? percent : `${percent} · ${signed(bar.value)}` });
    return make("li", { "data-action": bar.number, class: bar.number === played ? "chosen" : null }, make("span", { class: "words" }, text, numbers), line);
  }));
}
