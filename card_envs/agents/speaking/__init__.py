"""Agents that are told a position in words and answer with an action: programs, and models behind an address.

`options` is how they are spelt, `question` what they are asked, `answer` how strictly they are read, `agent` asks them
again and lets them forfeit, `program` and `endpoint` are the two ways to reach them, `serve` is the other side: one of
our agents as such a program. Nothing here is started or opened but what its user has named.
"""
