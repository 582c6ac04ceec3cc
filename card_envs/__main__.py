"""`python -m card_envs` is `card-envs`."""

from card_envs.cli import main

main()
