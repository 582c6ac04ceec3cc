"""A picture as pixels: by resvg, with the font that is shipped along and no other, so that every machine agrees."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.drawing.metrics import FONT_FILES
from card_envs.extras import need

FRAME = (1200, 900)  # width and height of every frame of a game, so that frames make a film
_SIZE = re.compile(r'(<svg [^>]*?)width="[\d.]+" height="[\d.]+"')


def need_drawing(what: str, module: str = "resvg_py") -> None:
    """An error unless the library that this needs is installed."""
    need(what, module, "draw")


def to_png(svg: str, frame: tuple[int, int] | None = FRAME, background: str = "#F1F3EE") -> bytes:
    """A picture as a PNG file: as large as fits into the frame and centred there, or with no frame in its own size."""
    need_drawing("a picture in pixels")
    import resvg_py

    if frame is not None:
        svg = _SIZE.sub(rf'\1width="{frame[0]}" height="{frame[1]}"', svg, count=1)
    fonts = [str(path) for path in FONT_FILES.values()]
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        background=background,
        skip_system_fonts=True,
        font_files=fonts,
        font_family="Inter",
        sans_serif_family="Inter",
    )


def to_pixels(svg: str, frame: tuple[int, int] | None = FRAME) -> NDArray[np.uint8]:
    """A picture as an array (height, width, 3) of bytes."""
    need_drawing("a picture in pixels", "PIL")
    from PIL import Image

    with Image.open(io.BytesIO(to_png(svg, frame))) as image:
        pixels: NDArray[Any] = np.asarray(image.convert("RGB"))
    return pixels.copy()
