"""How wide a text is, read from the font that is shipped along."""

from __future__ import annotations

import functools
import struct
from pathlib import Path

FONT_FOLDER = Path(__file__).parent / "font"
FONT_FILES = {False: FONT_FOLDER / "Inter-Regular.otf", True: FONT_FOLDER / "Inter-Bold.otf"}


@functools.cache
def widths(bold: bool) -> dict[int, float]:
    """The width of each character, as a part of the font size. From the font's tables cmap (format 4) and hmtx."""
    data = FONT_FILES[bold].read_bytes()
    tables = {
        data[at : at + 4]: struct.unpack_from(">II", data, at + 8)
        for at in range(12, 12 + 16 * struct.unpack_from(">H", data, 4)[0], 16)
    }
    units = struct.unpack_from(">H", data, tables[b"head"][0] + 18)[0]
    measured = struct.unpack_from(">H", data, tables[b"hhea"][0] + 34)[0]
    advances = [struct.unpack_from(">H", data, tables[b"hmtx"][0] + 4 * glyph)[0] for glyph in range(measured)]
    return {
        code: advances[min(glyph, measured - 1)] / units for code, glyph in _glyphs(data, tables[b"cmap"][0]).items()
    }


def _glyphs(data: bytes, cmap: int) -> dict[int, int]:
    """The glyph of each character, from the first subtable that has format 4."""
    for number in range(struct.unpack_from(">H", data, cmap + 2)[0]):
        at = cmap + struct.unpack_from(">I", data, cmap + 4 + 8 * number + 4)[0]
        if struct.unpack_from(">H", data, at)[0] == 4:
            break
    else:
        raise ValueError("the font has no character map of format 4")
    count = struct.unpack_from(">H", data, at + 6)[0] // 2
    ends, starts, deltas, ranges = (at + 14, at + 16 + 2 * count, at + 16 + 4 * count, at + 16 + 6 * count)
    found: dict[int, int] = {}
    for segment in range(count):
        first, last, delta, offset = (
            struct.unpack_from(">H", data, table + 2 * segment)[0] for table in (starts, ends, deltas, ranges)
        )
        for code in range(first, min(last, 0xFFFE) + 1):
            glyph = code
            if offset:
                glyph = struct.unpack_from(">H", data, ranges + 2 * segment + offset + 2 * (code - first))[0]
            if glyph:
                found[code] = (glyph + delta) % 65536
    return found


@functools.lru_cache(8192)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a line of text; a character that the font lacks counts as a broad one."""
    table = widths(bold)
    return size * sum(table.get(ord(character), 1.0) for character in text)


def fit_size(text: str, width: float, size: float, bold: bool = False, least: float = 10.0) -> float:
    """The font size, at most `size`, at which a text fits into a width; never below `least`."""
    return max(min(size, size * width / max(text_width(text, size, bold), 1e-9)), least)


def shorten(text: str, width: float, size: float, bold: bool = False) -> str:
    """The text itself if it fits, else its beginning with an ellipsis."""
    if text_width(text, size, bold) <= width:
        return text
    while text and text_width(text + "…", size, bold) > width:
        text = text[:-1]
    return text.rstrip() + "…"
