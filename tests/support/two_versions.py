"""The second version of a game, which comes without any of the optional things."""

from dataclasses import replace

from card_envs.templates.my_game import GAME as FIRST

SECOND = replace(FIRST, version=1, home=f"{__name__}:SECOND", bot=None)
