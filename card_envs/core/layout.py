"""The observation's fields by name: one table yields the space, the docs page, printing and the layout's hash."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADINGS = ("field", "slice", "shape", "1.0 stands for", "meaning")


@dataclass(frozen=True)
class Field:
    """One named piece of an observation. `scale` is what 1.0 stands for."""

    name: str
    shape: tuple[int, ...]
    scale: float
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers the field takes."""
        return int(np.prod(self.shape))


class Layout(Mapping[str, slice]):
    """Where each field stands in the flat observation: `layout["king"]` is a slice."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields
        self._slices: dict[str, slice] = {}
        self.size = 0
        for field in fields:
            if field.name in self._slices:
                raise ValueError(f"two fields of the layout are called {field.name!r}; give each its own name")
            self._slices[field.name] = slice(self.size, self.size + field.size)
            self.size += field.size

    def __getitem__(self, name: str) -> slice:
        if name not in self._slices:
            raise KeyError(f"the observation has no field {name!r}; it has {', '.join(self._slices)}")
        return self._slices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._slices)

    def __len__(self) -> int:
        return len(self._slices)

    def reorder(self, axes: Mapping[str, int], order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where each number comes from if, along the named axis of each named field, things change places by `order`.

        `observation[..., layout.reorder(axes, order)]` shows first what `order` names first.
        """
        source = np.arange(self.size)
        for field in self.fields:
            if field.name in axes:
                place = source[self[field.name]].reshape(field.shape)
                source[self[field.name]] = place.take(order, axis=axes[field.name]).reshape(-1)
        return source

    @property
    def hash(self) -> str:
        """Changes whenever a field moves, grows, or means another quantity; kept in checkpoints."""
        text = "\n".join(f"{field.name} {field.shape} {field.scale}" for field in self.fields)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def read(self, observation: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """The fields of one observation, or of a batch of them, in their own shapes and units."""
        leading = observation.shape[:-1]
        return {
            field.name: observation[..., self[field.name]].reshape(leading + field.shape) * np.float32(field.scale)
            for field in self.fields
        }

    def __repr__(self) -> str:
        return f"<Layout of {len(self)} fields, {self.size} numbers>"

    def __str__(self) -> str:
        lines = [HEADINGS, *self._cells()]
        widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS) - 1)]
        told = ["  ".join([*map(str.ljust, line, widths), line[-1]]) for line in lines]
        return "\n".join([*told, f"In all {self.size} numbers. The layout's hash is {self.hash}."])

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"

        rows = "".join(line(cells, "td") for cells in self._cells())
        note = f"{self.size} numbers, hash {self.hash}"
        return f"<table><caption>{note}</caption><thead>{line(HEADINGS, 'th')}</thead><tbody>{rows}</tbody></table>"

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (row["name"], f"{row['from']}:{row['to']}", row["shape"], row["scale"], row["meaning"])
            for row in self.rows()
        ]

    def rows(self) -> list[dict[str, Any]]:
        """The table of fields, for docs and printing."""
        return [
            {
                "name": field.name,
                "from": self[field.name].start,
                "to": self[field.name].stop,
                "shape": " x ".join(map(str, field.shape)),
                "scale": f"{field.scale:g}",
                "meaning": field.meaning,
            }
            for field in self.fields
        ]
