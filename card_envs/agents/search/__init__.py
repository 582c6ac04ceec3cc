"""Players that think ahead: how they are set (options), who plays in imagined games (models), a file per method."""
