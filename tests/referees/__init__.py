"""Independent referees: the games once more, in plain Python, to test the engine against."""
