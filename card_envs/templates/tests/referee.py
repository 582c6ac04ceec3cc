"""My Game refereed in plain Python: the same rules a second time. Random games are played by both and compared.

A referee is worth most if somebody else writes it, from the rulebook alone, without having seen the game's own code:
then a rule that one of the two has misunderstood shows at once. This one was written along with the game. Replace it.
"""

from __future__ import annotations

from card_envs.testing import Dice


class Referee:
    """One game of My Game for 2 to 4 players."""

    def __init__(self, seed: int, players: int, throws: int = 3) -> None:
        self.players, self.throws = players, throws
        self.dice = Dice(seed)
        self.stack = [value for value in range(1, 11) for _ in range(4)]
        self.kept: list[list[int]] = [[] for _ in range(players)]
        self.thrown: list[list[int]] = [[] for _ in range(players)]
        self.to_act: int | None = self.dice.below(players)
        self.drawn: int | None = self.dice.draw(self.stack)

    def legal(self) -> set[str]:
        """The names of everything that the seat to act may do; nothing when the game is over."""
        if self.to_act is None:
            return set()
        return {"keep", "throw away"} if len(self.thrown[self.to_act]) < self.throws else {"keep"}

    def play(self, action: str) -> None:
        """Carry out the action of the seat to act."""
        if self.to_act is None or self.drawn is None:
            raise ValueError("the game is over")
        pile = self.kept if action == "keep" else self.thrown
        pile[self.to_act].append(self.drawn)
        following = [(self.to_act + away) % self.players for away in range(1, self.players + 1)]
        needy = [player for player in following if len(self.kept[player]) < 3]
        self.to_act = needy[0] if needy else None
        self.drawn = self.dice.draw(self.stack) if needy else None

    def snapshot(self) -> dict[str, object]:
        """The whole position, secrets included, in the form of the game's `view(state, None)`."""
        return {
            "to_act": self.to_act,
            "drawn": self.drawn,
            "stack": len(self.stack),
            "stack_cards": self.stack,
            "player": [
                {
                    "cards": len(kept),
                    "kept": sorted(kept),
                    "throws_left": self.throws - len(thrown),
                    "thrown": sorted(thrown),
                }
                for kept, thrown in zip(self.kept, self.thrown, strict=True)
            ],
        }

    def results(self) -> dict[str, object]:
        """Points, ranks and the score sheet; only when the game is over."""
        points = [sum(kept) for kept in self.kept]
        sheet = [{"thrown": len(thrown)} for thrown in self.thrown]
        standing = [(total, -row["thrown"]) for total, row in zip(points, sheet, strict=True)]
        ranks = [1 + sum(other > own for other in standing) for own in standing]
        return {"points": points, "ranks": ranks, "sheet": sheet}
