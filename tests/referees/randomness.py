"""The chance of a seeded game in plain Python: splitmix64 and draws from a sorted stack."""

WORD = 2**64
GAMMA = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    """Scramble a 64-bit number (the output function of splitmix64)."""
    z %= WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
    return z ^ z >> 31


class Dice:
    """The one source of chance of a game; the same seed gives the same game."""

    def __init__(self, seed: int) -> None:
        self.state = mix(seed + GAMMA)

    def next(self) -> int:
        """The next 64-bit number."""
        self.state = (self.state + GAMMA) % WORD
        return mix(self.state)

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, made from the upper 32 bits."""
        return (self.next() >> 32) * n >> 32

    def draw(self, stack: list[str]) -> str:
        """Take a card out of a stack that is kept sorted in the deck's order of types."""
        return stack.pop(self.below(len(stack)))
