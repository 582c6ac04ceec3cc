"""What agents are called in standings: short names that tell runs and steps apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

RUN = "checkpoints"  # a training keeps its players in <run>/checkpoints
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
UNITS = ((10**9, "G"), (10**6, "M"), (10**3, "k"))


def printable(text: str) -> str:
    """The text with a mark for whatever a table cannot show, or a terminal would obey."""
    return (
        text
        if text.isprintable()
        else "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)
    )


def checkpoint_titles(path: Path, step: int, options: str) -> list[str]:
    """Names for a checkpoint, the shortest first: `king:best (step 950 k)` for runs/king/checkpoints/best.safetensors.

    Longer ones have more and more of the folders that it is in, and at last the exact step.
    """
    *folders, stem = path.with_suffix("").parts
    if path.anchor:
        folders = folders[1:]
    name = stem
    if len(folders) > 1 and folders[-1] == RUN:
        *folders, run, _ = folders
        name = run if _tells(stem, step) else f"{run}:{stem}"
    name += options
    titles = [name]
    if step and not (name == stem and _tells(stem, step)):
        titles = [f"{name} (step {short_number(step)})", f"{name} (step {step})"]
    places = ["", *("/".join((*folders[-depth:], "")) for depth in range(1, len(folders) + 1))]
    return [f"{place}{title}" for title in titles for place in places]


def training_step(name: str, source: str) -> tuple[str, int] | None:
    """The run and the step of an agent that is a checkpoint of a run, from its name and where it came from."""
    parts = Path(source).parts
    if len(parts) < 3 or parts[-2] != RUN:
        return None
    told = re.search(r"\(step ([0-9.]+)(?: ([kMG]))?\)", name)
    stem = re.fullmatch(r"step-([0-9]{1,18})", Path(source).stem)
    if stem:
        return parts[-3], int(stem[1])
    if told is None or told[1].count(".") > 1 or told[1] == ".":
        return None
    sizes = {unit: size for size, unit in UNITS}
    return parts[-3], round(float(told[1]) * sizes.get(told[2], 1))


def _tells(stem: str, step: int) -> bool:
    """Whether a file's name is its step, as those of snapshots are."""
    word, _, number = stem.partition("-")
    return word == "step" and number.isdecimal() and int(number) == step


def short_number(number: int) -> str:
    """950 k for 950,000."""
    for size, unit in UNITS:
        if number >= size:
            return f"{number / size:.2f}".rstrip("0").rstrip(".") + f" {unit}"
    return str(number)


def free_title(titles: Sequence[str], taken: Collection[str], *, repeated: bool) -> str:
    """The first that nobody has; with a number for one who takes part again, or where all are taken."""
    free = [title for title in titles if title not in taken]
    if free and not repeated:
        return free[0]
    number = 2
    while f"{titles[0]} #{number}" in taken:
        number += 1
    return f"{titles[0]} #{number}"
