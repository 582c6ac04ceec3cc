"""Players: whoever chooses actions from observations and masks."""
