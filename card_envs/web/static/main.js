// Which page is shown follows from the address behind the #; language and theme are the same for all of them.
import { tournament, tournamentGame, tournaments } from "./tournaments.js";
import { filmOfGame } from "./film.js";
import { home } from "./home.js";
import { join, play } from "./play.js";
import { say } from "./tools.js";
import { language, languages, setLanguage, word } from "./words.js";

const PAGES = { "": home, play, join, film: filmOfGame, tournaments, tournament, game: tournamentGame };
let leave = null;

async function show() {
  if (leave) leave();
  leave = null;
  say("");
  const [page, ...parts] = location.hash.replace(/^#\/?/, "").split("/");
  const view = document.getElementById("view");
  view.replaceChildren();
  const here = location.hash;
  try {
    const left = await (PAGES[page] || home)(view, ...parts.map(decodeURIComponent));
    if (location.hash === here) leave = left || null;
    else if (left) left();
  } catch (error) {
    say(error.message);
  }
}

function dress() {
  document.getElementById("language-label").textContent = word("language");
  document.getElementById("theme").setAttribute("aria-label", word("theme"));
}

const chooser = document.getElementById("language");
for (const [code, name] of Object.entries(languages)) chooser.add(new Option(name, code));
chooser.value = language();
chooser.addEventListener("change", () => {
  setLanguage(chooser.value);
  dress();
  show();
});

const theme = localStorage.getItem("card_envs.theme");
if (theme) document.documentElement.dataset.theme = theme;
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("card_envs.theme", root.dataset.theme);
});

addEventListener("hashchange", show);
dress();
show();
