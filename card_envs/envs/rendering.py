"""What `render` does in each mode, the same for all environments of one game."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from card_envs.core.options import one_of
from card_envs.drawing.pixels import need_drawing, to_pixels
from card_envs.drawing.window import Window, check_window
from card_envs.errors import OptionError

RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 2


class Renderer:
    """Text, pixels, or a window, made from what an environment may show."""

    def __init__(self, mode: str | None, title: str) -> None:
        self.mode = one_of(mode, "render_mode", (None, *RENDER_MODES))
        self.title = title
        self._window = Window(title, RENDER_FPS)
        if mode == "human":
            check_window()
        if mode == "rgb_array":
            need_drawing('render_mode "rgb_array"')

    def show(self, to_text: Callable[[], str], to_svg: Callable[[], str]) -> str | NDArray[np.uint8] | None:
        """The table as text ("ansi"), as pixels ("rgb_array"), or in the window ("human")."""
        if self.mode is None:
            raise OptionError(
                'this environment was made without a render_mode; make it with render_mode="ansi" for text, '
                '"rgb_array" for pixels or "human" for a window, or call env.unwrapped.to_text() or to_svg()'
            )
        if self.mode == "ansi":
            return to_text()
        if self.mode == "rgb_array":
            return to_pixels(to_svg())
        self._window.show(to_svg())
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()

    def copy(self) -> Renderer:
        """One with a window of its own."""
        return Renderer(self.mode, self.title)
