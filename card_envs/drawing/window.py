"""A window that follows a game. By pygame, which other environments use too; tkinter is missing on many machines."""

from __future__ import annotations

import os
from typing import Any

from card_envs.drawing.pixels import need_drawing, to_pixels
from card_envs.errors import OptionError

INVISIBLE = ("dummy", "offscreen")  # what SDL falls back to where there is no display, unless somebody has asked for it


class Window:
    """Opens with the first picture and shows one after the other, none shorter than a reader needs."""

    def __init__(self, title: str, pictures_per_second: float) -> None:
        self.title, self.pictures_per_second = title, pictures_per_second
        self._window: Any = None
        self._clock: Any = None
        self._closed_by_user = False

    def show(self, svg: str) -> None:
        """Show a picture. Once somebody has closed the window, it stays closed until `close`."""
        if self._closed_by_user:
            return
        import pygame

        pixels = to_pixels(svg)
        if self._window is None:
            self._open(pygame, (pixels.shape[1], pixels.shape[0]))
        for event in pygame.event.get():
            if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
                self.close()
                self._closed_by_user = True
                return
        picture = pygame.image.frombuffer(pixels.tobytes(), (pixels.shape[1], pixels.shape[0]), "RGB")
        surface = self._window.get_surface()
        surface.blit(pygame.transform.smoothscale(picture, surface.get_size()), (0, 0))
        self._window.flip()
        if pygame.display.get_driver() != "dummy":  # nobody watches that one
            self._clock.tick(self.pictures_per_second)

    def _open(self, pygame: Any, size: tuple[int, int]) -> None:
        try:
            pygame.display.init()
            if pygame.display.get_driver() in INVISIBLE and "SDL_VIDEODRIVER" not in os.environ:
                pygame.display.quit()
                raise pygame.error("there is no display")
            room = pygame.display.get_desktop_sizes()[0]
            scale = min(1.0, 0.9 * room[0] / size[0], 0.85 * room[1] / size[1])
            self._window = pygame.Window(self.title, (int(size[0] * scale), int(size[1] * scale)))
        except pygame.error as error:
            raise OptionError(
                f'render_mode "human" cannot open a window here ({error}); use "rgb_array" or "ansi" instead'
            ) from None
        self._clock = pygame.time.Clock()

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._window is not None:
            self._window.destroy()
        self._window, self._closed_by_user = None, False

    def __reduce__(self) -> Any:
        # A copy of an environment opens a window of its own.
        return Window, (self.title, self.pictures_per_second)


def check_window() -> None:
    """An OptionError unless a window could be drawn in."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    need_drawing('render_mode "human"')
    need_drawing('render_mode "human"', "pygame")
