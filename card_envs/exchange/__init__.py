"""Players to and from other libraries: their networks as our checkpoints, and the way back. See docs/exchange.md."""
