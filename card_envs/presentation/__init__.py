"""A game for people: words in four languages, whole games as text, finished games position by position."""
