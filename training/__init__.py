"""Scripts that train players: read ppo.py first, then self_play.py."""
