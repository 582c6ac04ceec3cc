"""Measuring speed: our games, and other libraries' in the same run."""
