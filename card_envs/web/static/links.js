// Addresses and files of a position: what to send to somebody else, or to keep.
import { here } from "./address.js";
import { ask, make, say } from "./tools.js";
import { language, word } from "./words.js";

export function copyButton(id, label, text, kind = "quiet") {
  return make("button", { type: "button", id, class: kind, text: word(label), onclick: async (event) => {
    const button = event.currentTarget;
    try {
      await navigator.clipboard.writeText(await text());
      button.textContent = word("copied");
      setTimeout(() => (button.textContent = word(label)), 1500);
    } catch (error) {
      say(error.message);
    }
  } });
}

export function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A file that may take a while: the server says with 202 how far it is.
async function fetchFile(path, key, query, progress) {
  const url = new URL(`/api${path}`, location.origin);
  for (const [name, value] of Object.entries({ language: language(), ...query })) if (value !== "" && value !== undefined) url.searchParams.set(name, value);
  for (;;) {
    const answer = await fetch(url, { headers: key ? { "X-Seat-Key": key } : {} });
    if (answer.status === 200) return answer.blob();
    const told = await answer.json().catch(() => ({ error: answer.statusText }));
    if (answer.status !== 202) throw new Error(told.error);
    if (!progress(told)) return null;
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}

const quoted = (command, at) => `${command}${at.move === undefined ? "" : ` --move ${at.move}`}${at.seat === "" ? "" : ` --seat ${at.seat}`} --svg position.svg`;

export function linksPanel({ base, key, about, share, at }) {
  let left = false;
  const command = make("code", { id: "command", class: "link" });
  const second = () => new URLSearchParams(location.hash.split("?")[1]).get("second");
  const position = async () => here(await share(), { ...at(), second: second() });
  const svg = make("button", { type: "button", id: "save-svg", class: "quiet", text: word("saveSvg"), onclick: save(svgFile) });
  const gif = make("button", { type: "button", id: "save-gif", class: "quiet", text: word("saveGif"), onclick: save(gifFile) });
  const game = base.startsWith("/games") && make("button", { type: "button", id: "save-game", class: "quiet", text: word("saveGame"), onclick: save(gameFile) });

  function save(make_) {
    return async (event) => {
      const button = event.currentTarget;
      button.disabled = true;
      const text = button.textContent;
      try {
        await make_(button);
      } catch (error) {
        say(error.message);
      } finally {
        button.disabled = false;
        button.textContent = text;
      }
    };
  }

  async function svgFile() {
    const { move, seat } = at();
    download(await fetchFile(`${base}/film/${move}/svg`, key, { viewer: seat }), `${about.game}-${move}.svg`);
  }

  async function gifFile(button) {
    const blob = await fetchFile(`${base}/gif`, key, { viewer: at().seat }, ({ done, of }) => {
      button.textContent = word("drawing", done, of);
      return !left;
    });
    if (blob) download(blob, `${about.game}.gif`);
  }

  async function gameFile() {
    const told = await ask(`${base}/file`, { key });
    download(new Blob([JSON.stringify(told, null, 1)], { type: "application/json" }), "game.json");
  }

  const place = make("section", { class: "card", id: "links" },
    make("h2", { text: word("keepAndShare") }),
    make("p", { class: "buttons" }, copyButton("copy-position", "copyPosition", position), svg, gif, game || null),
    make("p", {}, command, " ", copyButton("copy-command", "copyCommand", () => command.textContent)));
  return { place, show: () => (command.textContent = quoted(about.command, at())), leave: () => (left = true) };
}

// A button at the table that copies the link for spectators.
export const spectatorButton = (id, key) => copyButton("spectators", "spectatorLink", async () =>
  here(`#/watch/${id}/${(await ask(`/games/${id}/spectator`, { key })).key}`));
