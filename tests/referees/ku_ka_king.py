"""A referee for Ku-Ka-King: the game for two to four in plain Python, to check the engine against."""

from collections.abc import Iterable, Mapping

from tests.referees.randomness import Dice

ANIMALS = ["sheep", "horse", "pig", "cow", "goat", "goose", "chicken", "rabbit"]
VICTORY_POINTS = {"victory 2": 2, "victory 3": 3, "victory 4": 4}
TYPES = ["king", "knight", "church", "farmer", "farmer's wife", "farmhouse", *VICTORY_POINTS, *ANIMALS]
# These go to the box after the first scoring; the others stay.
RED_CROSS = {"church", "farmer", "farmer's wife", "farmhouse", *VICTORY_POINTS}

DECK_SIZE = 112
DECK = {"king": 10, "knight": 12, "church": 8, "farmer": 8, "farmer's wife": 8, "farmhouse": 8}
DECK |= dict.fromkeys(VICTORY_POINTS, 6) | dict.fromkeys(ANIMALS, 5)

ROWS = {2: 6, 3: 7, 4: 8}
CARDS_USED = {2: 80, 3: 102, 4: 112}
ROW_LENGTH = 3
CARDS_FOR_FIRST_SCORING = 13
CATEGORIES = ["kings", "churches", "victory points", "knights", "animals", "farm"]


def sort_cards(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=TYPES.index)


def count(cards: list[str]) -> dict[str, int]:
    return {card: cards.count(card) for card in TYPES}


def cards_of(deck: Mapping[str, int]) -> list[str]:
    if not set(deck) <= set(TYPES):
        raise ValueError(f"no such cards: {set(deck) - set(TYPES)}")
    if min(deck.values(), default=0) < 0 or sum(deck.values()) != DECK_SIZE:
        raise ValueError(f"the deck must add up to {DECK_SIZE} cards")
    return [card for card in TYPES for _ in range(deck.get(card, 0))]


class Referee:
    def __init__(self, seed: int, players: int, deck: Mapping[str, int] | None = None) -> None:
        if players not in ROWS:
            raise ValueError("Ku-Ka-King is a game for two to four")
        self.players = players
        self.dice = Dice(seed)
        # Nobody can tell the pile from the cards put away unseen, so they are one list until drawn.
        self.unseen = cards_of(DECK if deck is None else deck)
        self.pile = CARDS_USED[players]
        self.box: list[str] = []  # what went there face up; all of it once it has been shuffled
        self.rows: list[list[str]] = [[] for _ in range(ROWS[players])]
        self.collections: list[list[str]] = [[] for _ in range(players)]
        self.round = 0
        self.last_round = False
        self.over = False
        self.scored = False
        self.first_scoring = [dict.fromkeys(CATEGORIES, 0) for _ in range(players)]
        self.last_reveal: list[int | None] = [None] * players
        self._start_round()

    # Laying out a round

    def _start_round(self) -> None:
        self.round += 1
        self.row_taken = [False] * len(self.rows)
        self.waiting = list(range(self.players))
        self.choices: list[int | None] = [None] * self.players
        self._fill_rows()
        self.last_round = self.pile == 0  # it ran out, or the last card just sufficed

    def _fill_rows(self) -> None:
        for row in self.rows:
            while len(row) < ROW_LENGTH:
                if self.pile > 0:
                    row.append(self._draw_from_pile())
                elif self.box or self.unseen:
                    row.append(self._draw_from_box())
                else:
                    return

    def _draw_from_pile(self) -> str:
        self.pile -= 1
        return self.unseen.pop(self.dice.below(len(self.unseen)))

    def _draw_from_box(self) -> str:
        # With the pile gone, all unseen cards are the ones put away at the start. They lie in the box too,
        # and once it is shuffled nobody can tell them from the others.
        self.box = sort_cards(self.box + self.unseen)
        self.unseen = []
        return self.box.pop(self.dice.below(len(self.box)))

    # A reveal: one choice after the other, hidden until the last is in

    @property
    def to_act(self) -> int | None:
        """The lowest seat that has still to choose; None when the game is over."""
        return next((seat for seat in self.waiting if self.choices[seat] is None), None)

    def legal(self) -> set[str]:
        if self.to_act is None:
            return set()
        return {f"row {number}" for number in self._rows_left()}

    def _rows_left(self) -> list[int]:
        return [
            number
            for number, (row, taken) in enumerate(zip(self.rows, self.row_taken, strict=True), start=1)
            if row and not taken
        ]

    def play(self, action: str) -> None:
        seat = self.to_act
        if seat is None:
            raise ValueError("the game is over")
        if action not in self.legal():
            raise ValueError(f"{action!r} is not legal now")
        self.choices[seat] = int(action.removeprefix("row "))
        if self.to_act is None:
            self._reveal()

    def _reveal(self) -> None:
        shown = self.choices
        for number in self._rows_left():
            claimants = [seat for seat in self.waiting if shown[seat] == number]
            if len(claimants) == 1:
                self._take_row(claimants[0], number)
            elif claimants:
                self.box.append(self.rows[number - 1].pop())  # one card, however many players clashed
        self.last_reveal = list(shown)
        self.choices = [None] * self.players
        # Ruling: with one row or none left, those still waiting go without.
        if not self.waiting or len(self._rows_left()) <= 1:
            self._end_round()

    def _take_row(self, seat: int, number: int) -> None:
        self.collections[seat] += self.rows[number - 1]
        self.rows[number - 1] = []
        self.row_taken[number - 1] = True
        self.waiting.remove(seat)

    # The end of a round

    def _end_round(self) -> None:
        if self.last_round:
            self.over = True
            self.waiting = []
            return
        longest = max(len(collection) for collection in self.collections)
        if not self.scored and longest >= CARDS_FOR_FIRST_SCORING:
            self._score_first_time()
        self._start_round()

    def _score_first_time(self) -> None:
        self.scored = True
        self.first_scoring = self._score()
        for seat, collection in enumerate(self.collections):
            self.box += [card for card in collection if card in RED_CROSS]
            self.collections[seat] = [card for card in collection if card not in RED_CROSS]

    # Scoring

    def _score(self) -> list[dict[str, int]]:
        most_churches = max(collection.count("church") for collection in self.collections)
        most_knights = max(collection.count("knight") for collection in self.collections)
        return [
            {
                "kings": self._score_kings(cards.count("king")),
                "churches": self._score_churches(cards.count("church"), most_churches),
                "victory points": sum(VICTORY_POINTS.get(card, 0) for card in cards),
                "knights": self._score_knights(cards.count("knight"), most_knights),
                "animals": sum(self._score_animal(cards.count(animal)) for animal in ANIMALS),
                "farm": self._score_farm(*map(cards.count, ("farmer", "farmer's wife", "farmhouse"))),
            }
            for cards in self.collections
        ]

    @staticmethod
    def _score_kings(kings: int) -> int:
        return min((kings - 1) ** 2, 36) if kings else 0

    @staticmethod
    def _score_churches(churches: int, most: int) -> int:
        return 10 if churches and churches == most else 0  # ruling: nothing for having none

    @staticmethod
    def _score_knights(knights: int, most: int) -> int:
        return 2 * knights if knights == most else knights

    @staticmethod
    def _score_animal(animals: int) -> int:
        return animals * (animals + 1) // 2

    @staticmethod
    def _score_farm(farmers: int, wives: int, houses: int) -> int:
        pairs = min(farmers, wives)
        with_house = min(pairs, houses)
        return 7 * (pairs - with_house) + 14 * with_house

    # The end

    def results(self) -> dict[str, object]:
        if not self.over:
            raise ValueError("the game is not over")
        # If nobody had 13 cards in time, the only scoring is this one and the first stays at zero (ruling).
        sheet = [
            {f"first {category}": first[category] for category in CATEGORIES}
            | {f"second {category}": second[category] for category in CATEGORIES}
            for first, second in zip(self.first_scoring, self._score(), strict=True)
        ]
        points = [sum(columns.values()) for columns in sheet]
        ranks = [1 + sum(other > own for other in points) for own in points]
        return {"points": points, "ranks": ranks, "sheet": sheet}

    def snapshot(self) -> dict[str, object]:
        return {
            "players": self.players,
            "round": self.round,
            "last_round": self.last_round,
            "scored": self.scored,
            "to_act": self.to_act,
            "waiting": list(self.waiting),
            "rows": [list(row) for row in self.rows],
            "row_taken": list(self.row_taken),
            "choices": list(self.choices),
            "last_reveal": list(self.last_reveal),
            "collections": [count(collection) for collection in self.collections],
            "pile": self.pile,
            "box": count(self.box),
            "unseen": count(self.unseen),
            "first_scoring": [dict(points) for points in self.first_scoring],
            "points_now": [
                sum(first.values()) + sum(second.values())
                for first, second in zip(self.first_scoring, self._score(), strict=True)
            ],
        }
