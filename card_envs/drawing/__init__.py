"""Pictures of a table: what all games' drawings share. Each game draws itself in games/<game>/drawing.py."""

from card_envs.drawing.look import Look

__all__ = ["Look"]
