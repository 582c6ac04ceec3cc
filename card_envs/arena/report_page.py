"""How the report looks, and the little that moves in it: tables that sort, and commands that list a cell's games."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape

STYLE = """
:root { color-scheme: light dark;
  --ink: #1c1d20; --paper: #fdfdfb; --faint: #62656d; --line: #d9dad6; --blue: #1e6edc; --shade: rgba(0,0,0,.18); }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e4; --paper: #17181b; --faint: #a3a6af; --line: #34363c; --blue: #6ea8ff;
    --shade: rgba(255,255,255,.22); }
}
body { margin: 0 auto; max-width: 66rem; padding: 1rem 1rem 5rem; font: 1rem/1.45 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1rem 0 .2rem; }
p { color: var(--faint); margin: .3rem 0; max-width: 45rem; }
.wide { overflow-x: auto; max-height: 85vh; background:
  linear-gradient(to right, var(--paper) 30%, transparent) left / 40px 100% local,
  linear-gradient(to left, var(--paper) 30%, transparent) right / 40px 100% local,
  linear-gradient(to right, var(--shade), transparent) left / 14px 100% scroll,
  linear-gradient(to left, var(--shade), transparent) right / 14px 100% scroll; background-repeat: no-repeat; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .5rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { font-weight: 600; color: var(--faint); } .name { text-align: left; } td.name { max-width: 16rem; overflow: hidden;
  text-overflow: ellipsis; } .long { white-space: normal; overflow-wrap: anywhere; text-align: left; min-width: 11rem; }
th.sorts { cursor: pointer; } th.sorts:focus-visible, button:focus-visible { outline: 2px solid var(--blue); }
th[aria-sort=ascending]::after { content: " \\25B2"; } th[aria-sort=descending]::after { content: " \\25BC"; }
small { color: var(--faint); } svg { display: block; width: 100%; min-width: 7rem; overflow: visible; }
.picture { width: 34%; } .bar { fill: var(--blue); opacity: .75; } line { stroke: var(--ink); stroke-width: 1.5; }
.value { stroke: var(--blue); stroke-width: 3; } .mark { stroke: var(--faint); stroke-dasharray: 3 3; stroke-width: 1; }
.away { fill: none; stroke: var(--blue); stroke-width: 2.5; } .axis { stroke: var(--line); }
.curve { fill: none; stroke: var(--blue); stroke-width: 2; } circle { fill: var(--blue); }
.chart { max-width: 44rem; } .chart text { font-size: 13px; fill: var(--faint); }
.many { border-collapse: separate; border-spacing: 0; width: auto; }
.many td { padding: 0; min-width: 3.2rem; } .many td.name { padding: .3rem .5rem; }
.many th, .many .name { background: var(--paper); } .many thead th { position: sticky; top: 0; z-index: 1;
  vertical-align: bottom; }
.many .name { position: sticky; left: 0; z-index: 2; max-width: 11rem; overflow: hidden; text-overflow: ellipsis; }
.many .turned span { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 12rem; overflow: hidden;
  text-overflow: ellipsis; display: inline-block; text-align: left; }
button { font: inherit; color: inherit; background: none; border: 0; padding: .3rem .5rem; width: 100%;
  text-align: right; } .scripted button, .scripted rect[data-from] { cursor: pointer; }
.long button { text-align: left; padding: 0; white-space: normal; }
summary { cursor: pointer; font-weight: 600; padding: .4rem 0; }
#command { position: fixed; left: 0; right: 0; bottom: 0; background: var(--ink); color: var(--paper);
  padding: .7rem 1rem; display: flex; gap: 1rem; align-items: center; z-index: 5; } #command[hidden] { display: none; }
#command code { overflow-wrap: anywhere; flex: 1; } #command button { width: auto; border: 1px solid currentColor;
  border-radius: 6px; }
@media (max-width: 40rem) { .extra { display: none; } th, td { padding: .25rem .35rem; font-size: .9rem; }
  .many td { min-width: 2.6rem; } .many .name { max-width: 7rem; } }
"""

SCRIPT = """
const root = document.body, names = JSON.parse(root.dataset.names), folder = root.dataset.folder;
root.classList.add("scripted");
const value = (row, at) => {
  const cell = row.cells[at];
  return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
};
for (const head of document.querySelectorAll("th.sorts")) {
  const sort = () => {
    const body = head.closest("table").tBodies[0], at = head.cellIndex;
    const up = head.getAttribute("aria-sort") === "descending";
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    body.append(...[...body.rows].sort((a, b) => (up ? 1 : -1) * order(value(a, at), value(b, at))));
  };
  head.tabIndex = 0;
  head.addEventListener("click", sort);
  head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
}
const quoted = (text) => /^[\\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\"'\\"'") + "'";
const bar = document.getElementById("command"), text = bar.querySelector("code");
const tell = (...parts) => {
  text.textContent = ["card-envs", "find", folder, ...parts].map(quoted).join(" ");
  bar.hidden = false;
};
document.addEventListener("click", (event) => {
  const at = event.target.closest("[data-a], [data-line], [data-from]");
  if (!at) return;
  if (at.dataset.line) tell(...at.dataset.line.split(" ").flatMap((one) => ["--line-up", names[one]]));
  else if (at.dataset.from) {
    const agent = names[at.closest("tr").dataset.agent];
    tell("--agent", agent, "--points-from", at.dataset.from, "--points-to", at.dataset.to);
  } else tell("--agent", names[at.dataset.a], "--ahead-of", names[at.dataset.b]);
});
bar.querySelector("button").addEventListener("click", () => {
  const range = document.createRange();
  range.selectNodeContents(text);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  if (navigator.clipboard) navigator.clipboard.writeText(text.textContent).catch(() => {});
});
"""

SCRIPT_HASH = "sha256-" + base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'"


def whole_page(title: str, body: str, names: Sequence[str], folder: str) -> str:
    """The page around the sections. Its one script is known by its hash; nothing else runs."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f'<body data-names="{escape(json.dumps(list(names)))}" data-folder="{escape(folder)}">'
        f"<main><h1>{escape(title)}</h1>{body}</main>"
        '<aside id="command" aria-label="Command" hidden><code></code><button type="button">Copy</button></aside>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )
