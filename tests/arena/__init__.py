"""Tournaments: played, killed, resumed, told."""
