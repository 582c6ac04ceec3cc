"""A referee for Zum Kuhkuck: the two-player game in plain Python, to check the engine against."""

from collections.abc import Iterable, Sequence

from tests.referees.randomness import Dice

COLOURS = ["boots", "bell", "milking stool", "milk churn", "brush"]
ELECTRICITY = "electricity"
TYPES = [*COLOURS, ELECTRICITY]
COPIES = {"boots": 11, "bell": 11, "milking stool": 11, "milk churn": 11, "brush": 10, ELECTRICITY: 5}

SMALLEST_HAND = 5  # the fewest cards with which a score may be announced
LARGEST_HAND = 20  # with so many cards no further card may be drawn
RESHUFFLE_AT = 2  # cards left in the pile
POINTS_PER_COLOUR_CARD = 2
BONUS = 10
SCORE_TABLE = (4, 5, 7, 9, 12, 15, 18, 21, 24, 27, 30, 35, 40, 45, 50, 55)  # info card: 5 to 20 cards


def sort_cards(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=TYPES.index)


def count(cards: list[str], types: list[str]) -> dict[str, int]:
    return {card: cards.count(card) for card in types}


class Referee:
    def __init__(self, seed: int, players: int = 2, score_table: Sequence[int] = SCORE_TABLE) -> None:
        if players != 2:
            raise ValueError("Zum Kuhkuck is a game for two")
        if len(score_table) != LARGEST_HAND - SMALLEST_HAND + 1:
            raise ValueError("the score table needs 16 numbers, for 5 to 20 cards")
        self.score_table = list(score_table)
        self.dice = Dice(seed)
        self.to_act: int | None = self.dice.below(2)
        self.pile = [card for card in TYPES for _ in range(COPIES[card])]
        self.discards: list[str] = []
        self.hands: list[list[str]] = [[], []]
        self.sheets: list[dict[str, int | None]] = [dict.fromkeys(COLOURS) for _ in range(2)]
        # The part of the discards each seat has seen: announced and handed-in hands, and its own.
        self.known_discards: list[list[str]] = [[], []]

    # What the seat to act may do

    def legal(self) -> set[str]:
        if self.to_act is None:
            return set()
        actions = {f"announce {colour}" for colour in self._colours_to_announce(self.to_act)}
        if len(self.hands[self.to_act]) < LARGEST_HAND:
            actions.add("draw")
        # Ruling: a full hand without a card of an open colour can only be handed in.
        return actions or {"hand in"}

    def _colours_to_announce(self, seat: int) -> list[str]:
        hand = self.hands[seat]
        if len(hand) < SMALLEST_HAND:
            return []
        return [colour for colour in COLOURS if colour in hand and self.sheets[seat][colour] is None]

    # A turn

    def play(self, action: str) -> None:
        seat = self.to_act
        if seat is None:
            raise ValueError("the game is over")
        if action not in self.legal():
            raise ValueError(f"{action!r} is not legal now")
        if action == "draw":
            self._draw(seat)
        elif action == "hand in":
            self._discard_hand(seat, seen_by=[0, 1])  # face up, so that the other can check that it had to be
        else:
            self._announce(seat, action.removeprefix("announce "))
        finished = None not in self.sheets[seat].values()  # the fifth announcement ends the game at once
        self.to_act = None if finished else 1 - seat

    def _draw(self, seat: int) -> None:
        card = self.pile.pop(self.dice.below(len(self.pile)))
        if card == ELECTRICITY:
            self._discard_hand(seat, seen_by=[seat])  # face down: the opponent sees only how many
            self.discards.append(card)
        else:
            self.hands[seat].append(card)
        # Ruling: the card just drawn has found its place before the reshuffle.
        if len(self.pile) == RESHUFFLE_AT:
            self._reshuffle()

    def _worth(self, seat: int) -> dict[str, int | None]:
        hand, colours = self.hands[seat], self._colours_to_announce(seat)
        return {
            colour: self.score_table[len(hand) - SMALLEST_HAND] + POINTS_PER_COLOUR_CARD * hand.count(colour)
            if colour in colours
            else None
            for colour in COLOURS
        }

    def _announce(self, seat: int, colour: str) -> None:
        self.sheets[seat][colour] = self._worth(seat)[colour]
        self._discard_hand(seat, seen_by=[0, 1])

    def _discard_hand(self, seat: int, seen_by: list[int]) -> None:
        hand = self.hands[seat]
        self.discards += hand
        for witness in seen_by:
            self.known_discards[witness] += hand
        self.hands[seat] = []

    def _reshuffle(self) -> None:
        self.pile = sort_cards(self.pile + self.discards)
        self.discards = []
        self.known_discards = [[], []]

    # The end

    def results(self) -> dict[str, object]:
        if self.to_act is not None:
            raise ValueError("the game is not over")
        sheet = [self._final_sheet(seat) for seat in range(2)]
        points = [sum(columns.values()) for columns in sheet]
        ranks = [1 + sum(other > own for other in points) for own in points]
        return {"points": points, "ranks": ranks, "sheet": sheet}

    def _final_sheet(self, seat: int) -> dict[str, int]:
        columns = {}
        for colour in COLOURS:
            columns[colour] = self.sheets[seat][colour] or 0
            columns[f"{colour} bonus"] = self._bonus(seat, colour)
        return columns

    def _bonus(self, seat: int, colour: str) -> int:
        own, other = self.sheets[seat][colour], self.sheets[1 - seat][colour]
        if own is None or other is None:
            return 0  # only for colours which both have announced
        return BONUS if own > other else 0  # ruling: nobody gets it when both have the same

    def snapshot(self) -> dict[str, object]:
        return {
            "to_act": self.to_act,
            "pile": len(self.pile),
            "discards": len(self.discards),
            "electricity_discarded": self.discards.count(ELECTRICITY),
            "hands": [{"size": len(hand), "cards": count(hand, COLOURS)} for hand in self.hands],
            "sheets": [dict(sheet) for sheet in self.sheets],
            "pile_cards": count(self.pile, TYPES),
            "discard_cards": count(self.discards, TYPES),
            "known_discards": [count(cards, COLOURS) for cards in self.known_discards],
            "points_for_cards": dict(enumerate(self.score_table, 5)),
            "worth": [self._worth(seat) for seat in range(2)],
            "points_now": [sum(self._final_sheet(seat).values()) for seat in range(2)],
        }
