"""Tests play the game whether or not the package is installed."""

from __future__ import annotations

import card_envs

card_envs.register_game("my_game")
