"""Adapters: the same games as PettingZoo environments. None of them knows a rule."""
