"""King Lui refereed in plain Python, from the rulebook and the rulings alone."""

from itertools import combinations_with_replacement

from .randomness import Dice

DISHES = ["bread", "cake", "cheese", "chicken", "fruit", "ham", "wine"]
EMERALD = "emerald"
PORTIONS_PER_DISH = 15
EMERALDS = 5


def count(cards: list[str], types: list[str]) -> dict[str, int]:
    """How many cards of each type, zeros included."""
    return {card: cards.count(card) for card in types}


def feeding(first: str, second: str) -> str:
    """The name of the action that feeds the dragon these two portions."""
    return f"feed {first} + {second}"


class Referee:
    """One game of King Lui for 3 to 5 players."""

    def __init__(self, seed: int, players: int) -> None:
        if not 3 <= players <= 5:
            raise ValueError(f"King Lui is for 3 to 5 players, not {players}")
        self.players = players
        self.dice = Dice(seed)
        self.supply = [dish for dish in DISHES for _ in range(PORTIONS_PER_DISH)] + [EMERALD] * EMERALDS
        self.table: list[str] = []  # dishes only: Emeralds lie beside them and stay from course to course
        self.table_emeralds = 0
        self.king: list[str] = []
        self.fed: list[str] = []
        self.fed_emeralds = 0
        self.taken: list[list[str]] = [[] for _ in range(players)]  # seen by all
        self.drawn: list[list[str]] = [[] for _ in range(players)]  # known to their owner only
        self.emerald_drawn = False  # it is held by the seat to act, neither on the table nor fed
        self.chef = self.dice.below(players)
        self.course = 1
        self.to_act: int | None = None
        self.lay_out_course()

    # A course: laying out, one action each, serving the king.

    def lay_out_course(self) -> None:
        """Two cards for each player, no matter how many Emeralds are left from before."""
        for _ in range(2 * self.players):
            card = self.dice.draw(self.supply)
            if card == EMERALD:
                self.table_emeralds += 1
            else:
                self.table.append(card)
        self.to_act = self.chef

    def legal(self) -> set[str]:
        """The names of everything the seat to act may do; nothing when the game is over."""
        if self.to_act is None:
            return set()
        if self.emerald_drawn:
            return self.feedings() | {"place emerald"}
        if not self.table and self.supply:
            return {"draw"}  # a must, even if an Emerald could be fed
        actions = {f"take {dish}" for dish in self.table}
        if self.supply:
            actions.add("draw")
        if self.table_emeralds:
            actions |= self.feedings()
        return actions or {"pass"}  # nobody may pass who can do anything else

    def feedings(self) -> set[str]:
        """Every way to take two portions from the king: of two dishes, or of one he has twice."""
        return {
            feeding(first, second)
            for first, second in combinations_with_replacement(DISHES, 2)
            if (first != second and first in self.king and second in self.king)
            or (first == second and self.king.count(first) >= 2)
        }

    def play(self, action: str) -> None:
        """Carry out the action of the seat to act."""
        seat = self.to_act
        if seat is None:
            raise ValueError("the game is over")
        if action not in self.legal():
            raise ValueError(f"seat {seat} may not {action!r}")
        verb, _, what = action.partition(" ")
        if verb == "take":
            self.take_dish(seat, what)
        elif verb == "draw":
            self.draw_from_supply(seat)
        elif verb == "feed":
            self.feed_emerald(what.split(" + "))
        elif verb == "place":
            self.place_emerald()
        if not self.emerald_drawn:  # else the same player goes on and decides about it
            self.end_turn(seat)

    def take_dish(self, seat: int, dish: str) -> None:
        """All portions of a dish, never only some of them."""
        self.taken[seat] += [card for card in self.table if card == dish]
        self.table = [card for card in self.table if card != dish]

    def draw_from_supply(self, seat: int) -> None:
        """A portion goes unseen into the hand; an Emerald is shown, and no other card comes instead."""
        card = self.dice.draw(self.supply)
        if card != EMERALD:
            self.drawn[seat].append(card)
        elif self.feedings():
            self.emerald_drawn = True
        else:
            self.place_emerald()  # the king has too little to feed it: there is nothing to decide

    def feed_emerald(self, portions: list[str]) -> None:
        """An Emerald (the one just drawn, if any) and two of the king's portions leave the game."""
        for dish in portions:
            self.king.remove(dish)
            self.fed.append(dish)
        if self.emerald_drawn:
            self.emerald_drawn = False
        else:
            self.table_emeralds -= 1
        self.fed_emeralds += 1

    def place_emerald(self) -> None:
        self.emerald_drawn = False
        self.table_emeralds += 1

    def end_turn(self, seat: int) -> None:
        """On to the left neighbour; the course is over when that is the chef again."""
        self.to_act = (seat + 1) % self.players
        if self.to_act == self.chef:
            self.end_course()

    def end_course(self) -> None:
        """The king gets what is left; then a new course, if the supply is enough for all of it."""
        self.king += self.table
        self.table = []
        if len(self.supply) < 2 * self.players:
            self.to_act = None
            return
        self.chef = (self.chef + 1) % self.players
        self.course += 1
        self.lay_out_course()

    # The position and the result.

    def snapshot(self) -> dict[str, object]:
        """The whole position, secrets included."""
        return {
            "players": self.players,
            "course": self.course,
            "chef": self.chef,
            "to_act": self.to_act,
            "emerald_drawn": self.emerald_drawn,
            "table": count(self.table, DISHES),
            "table_emeralds": self.table_emeralds,
            "king": count(self.king, DISHES),
            "fed": count(self.fed, DISHES),
            "fed_emeralds": self.fed_emeralds,
            "supply": len(self.supply),
            "supply_cards": count(self.supply, [*DISHES, EMERALD]),
            "hands": [
                {"taken": count(taken, DISHES), "drawn": count(drawn, DISHES), "drawn_count": len(drawn)}
                for taken, drawn in zip(self.taken, self.drawn, strict=True)
            ],
            "points_now": [
                sum(self.score(taken + drawn)[dish] for dish in DISHES)
                for taken, drawn in zip(self.taken, self.drawn, strict=True)
            ],
        }

    def results(self) -> dict[str, object]:
        """Points, ranks and how the points came about; only when the game is over."""
        if self.to_act is not None:
            raise ValueError("the game is not over")
        sheet = [self.score(taken + drawn) for taken, drawn in zip(self.taken, self.drawn, strict=True)]
        points = [sum(line[dish] for dish in DISHES) for line in sheet]
        # More points first; on equal points whoever discarded fewer cards; then the place is shared.
        standing = [(total, -line["discarded"]) for total, line in zip(points, sheet, strict=True)]
        ranks = [1 + sum(other > own for other in standing) for own in standing]
        return {"points": points, "ranks": ranks, "sheet": sheet}

    def score(self, hand: list[str]) -> dict[str, int]:
        """Per dish portions times the king's portions; with more than the king all are discarded."""
        line = {"discarded": 0}
        for dish in DISHES:
            own, kings = hand.count(dish), self.king.count(dish)
            line[dish] = own * kings if own <= kings else 0
            if own > kings:
                line["discarded"] += own
        return line
