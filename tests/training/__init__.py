"""Learning, and runs of training."""
