"""The exception family. Messages say what, where, what was found, what is allowed, what to try."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 20_000  # characters of a message: a file may have lines of megabytes


class JounceError(Exception):
    """Base of everything jounce raises on purpose."""

    def __str__(self) -> str:
        text = super().__str__()
        left_out = len(text) - LONGEST
        if left_out <= 0:
            return text
        return f"{text[: LONGEST * 3 // 4]} … ({left_out} characters are left out) … {text[-LONGEST // 4 :]}"


class ParameterError(JounceError):
    """A number, name or unit given by the user is wrong."""


class FormatError(JounceError):
    """A file cannot be read as what it claims to be."""


class ModelError(JounceError):
    """A model is not well formed: found before anything is compiled."""


class CompileError(JounceError):
    """No compiler, or the compiler refused the generated code."""


class StaticsError(JounceError):
    """No equilibrium was found."""


class SetupError(JounceError):
    """Targets of a set-up that were not reached; ``report`` says how far it got and what stands in the way."""

    def __init__(self, message: str, report: object = None) -> None:
        super().__init__(message)
        self.report = report


class SimulationError(JounceError):
    """A run could not go on."""


class UnstableStepError(SimulationError):
    """A run blew up because its step is beyond the stability limit of its method."""


class PlausibilityWarning(UserWarning):
    """A number that nothing on the road has: perhaps in another unit than its author thought of."""


def did_you_mean(name: str, known: Iterable[str], limit: int = 8) -> str:
    """Return ``"; did you mean 'x'?  known: a, b"`` for messages about unknown names."""
    names, name = list(known), name[:100]  # the search takes time by the square of the length
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    shown = ", ".join(names[:limit]) + (", …" if len(names) > limit else "")
    return f"{hint}  known: {shown or '(none)'}"
