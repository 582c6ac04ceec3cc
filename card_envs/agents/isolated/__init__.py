"""Agents of other packages in processes of their own, which get observations, masks and lots and nothing else.

`wire` is how the two sides talk, `host` is the other side, `agent` is ours. Nothing that comes from the other side is
unpickled, and every wait has an end.
"""
