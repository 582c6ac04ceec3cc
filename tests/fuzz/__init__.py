"""Proofs in large numbers, by seed: each has a command line for the thousands, and a small version in `make test`."""
