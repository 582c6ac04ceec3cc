"""Every error that card_envs raises on purpose. Each says what was given, what was expected and what to do."""

from __future__ import annotations


class CardEnvsError(Exception):
    """The root of all of them, so that one `except` catches whatever this package refuses."""


class OptionError(CardEnvsError, ValueError):
    """An option that does not exist, or a value that it cannot have."""


class MissingExtraError(OptionError, ImportError):
    """Something that needs a library which is not installed."""


class UnknownGameError(CardEnvsError, KeyError):
    """A name that no registered game has."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would put a whole sentence in quotation marks.
        return str(self.args[0])


class IllegalActionError(CardEnvsError, ValueError):
    """An action that the rules do not allow now. The game is as it was before."""


class ActionTypeError(CardEnvsError, TypeError):
    """Something that is not an action at all: a float, a string, None, an array of the wrong shape."""


class GameOverError(CardEnvsError, RuntimeError):
    """A move in a game that has ended, or that has not begun."""


class CheckpointError(CardEnvsError, ValueError):
    """A checkpoint that is missing, damaged, or of something else."""


class RunStateError(CardEnvsError, ValueError):
    """A state of a training from which it cannot go on: damaged, or of something else."""


class CacheError(CardEnvsError):
    """A folder for compiled code that cannot or must not be used."""


class InUseError(CardEnvsError, RuntimeError):
    """A batch that another thread is just using. Nothing has moved."""


class TournamentError(CardEnvsError, RuntimeError):
    """A tournament that cannot be played, resumed, read or replayed as it is."""


class ClusterError(CardEnvsError, RuntimeError):
    """A Ray cluster that is not there, cannot be used, or has gone."""


class LostWorkersError(ClusterError):
    """Workers on a cluster that have gone, with whatever they had; others can do it again."""


class DamagedError(CardEnvsError):
    """Half a sentence about what is wrong with a tournament's file; whoever reads the file says the whole one."""


class NoAnswerError(CardEnvsError):
    """An agent in a process of its own did not answer. `reason` says why, in two words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UnreadableError(CardEnvsError):
    """An answer of an agent that speaks which names no action, with one sentence for whoever gave it."""
