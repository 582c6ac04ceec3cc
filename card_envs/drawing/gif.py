"""A row of pictures as an animated GIF."""

from __future__ import annotations

import io
from collections.abc import Iterable

from card_envs.drawing.pixels import need_drawing, to_pixels

SIZE = (800, 600)
COLOURS = 128


def to_gif(pictures: Iterable[str], per_second: float) -> bytes:
    """The pictures one after the other, the last one longer, over and over again."""
    need_drawing("an animated picture", "PIL")
    from PIL import Image

    frames = [Image.fromarray(to_pixels(svg, SIZE)).quantize(COLOURS) for svg in pictures]
    shown = [round(1000 / per_second)] * len(frames)
    shown[-1] = max(shown[-1], 3000)
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=shown, loop=0, optimize=True)
    return out.getvalue()
