"""A picture as a user holds it: the text of an SVG that shows itself in a notebook."""

from __future__ import annotations


class Picture(str):
    """SVG. Write it to a file, or let a notebook show it."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)
