"""The command `card-envs`."""

from card_envs.cli.main import app, main

__all__ = ["app", "main"]
