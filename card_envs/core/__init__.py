"""What every game shares: the engine, chance, layouts, options."""
