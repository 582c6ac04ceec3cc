"""What a user gets wrong; mypy finds each line that says so."""

from __future__ import annotations

import card_envs
from card_envs import king_lui_v0, ku_ka_king_v0

king_lui_v0.env(nonsense=1)  # wrong
king_lui_v0.env(players="four")  # wrong
king_lui_v0.env(reward="money")  # wrong
king_lui_v0.env(4)  # wrong
king_lui_v0.parallel_env(action_mask="nowhere")  # wrong
ku_ka_king_v0.parallel_env(render_mode="video")  # wrong
ku_ka_king_v0.env(score_table=range(16))  # wrong
card_envs.make_batch("king_lui", 8, illegal_action="ignore")  # wrong
card_envs.make_batch("king_lui")  # wrong
card_envs.make_env("king_lui", language="es")  # wrong
card_envs.play_match("king_lui", ["bot"] * 4, reward="money")  # wrong
card_envs.play_match("king_lui", [1, 2, 3])  # wrong
card_envs.search(model="bot", playouts="many")  # wrong
card_envs.rollout("bot")  # wrong
card_envs.nothing_of_this_name()  # wrong
card_envs.king_lui_v0.env().step("draw")  # wrong
