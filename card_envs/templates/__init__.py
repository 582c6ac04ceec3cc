"""What `card-envs new-game` writes: a small game that works, its tests, and the files around them.

The game in `my_game` is a real one, read by the same checks as all other code. `card_envs.cli.new_game` puts another
name in place of `my_game`, `My Game` and `MyGame`.
"""
