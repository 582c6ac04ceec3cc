// Which page is shown follows from the address behind the #; language and theme are the same for all of them.
import { games, tournament, tournamentGame, tournaments } from "./tournaments.js";
import { filmOfGame } from "./film.js";
import { home } from "./home.js";
import { join } from "./invitations.js";
import { you } from "./people.js";
import { play } from "./play.js";
import { run, runs } from "./runs.js";
import { make, say } from "./tools.js";
import { watch } from "./watch.js";
import "./lab_words.js";
import { language, languages, setLanguage, word } from "./words.js";

const PAGES = { "": home, play, join, watch, film: filmOfGame, tournaments, tournament, game: tournamentGame, games, runs, run, you };
const MENU = [["tournaments", "tournaments"], ["runs", "runs"], ["you", "you_page"]];
let leave = null;
let shown = 0;

async function show() {
  if (leave) leave();
  leave = null;
  say("");
  const [page, ...parts] = location.hash.replace(/^#\/?/, "").split("?")[0].split("/");
  const view = make("div"); // of this page alone: one that was left before it had all it asked for shows nothing any more
  document.getElementById("view").replaceChildren(view);
  const ticket = ++shown; // a page may change what stands behind the ? of its own address
  try {
    const left = await (PAGES[page] || home)(view, ...parts.map(decodeURIComponent));
    if (ticket === shown) leave = left || null;
    else if (left) left();
  } catch (error) {
    if (ticket === shown) say(error.message);
  }
}

function dress() {
  document.getElementById("language-label").textContent = word("language");
  document.getElementById("theme").setAttribute("aria-label", word("theme"));
  document.getElementById("menu").replaceChildren(...MENU.map(([page, name]) => make("a", { href: `#/${page}`, text: word(name) })));
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
