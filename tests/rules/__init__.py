"""The rules of each game, one example each."""
