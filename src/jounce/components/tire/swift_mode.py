"""USE_MODE of files for MF-Tyre/MF-Swift: three digits BCD, what they mean, and who can do it.

    B  contact     0, 1 smooth road, one point; 2 circular section; 3 moving road; 4 road by distance; 5 enveloping
    C  dynamics    0 steady; 1, 2 linear, nonlinear relaxation; 3 rigid ring; 4 rigid ring with belt statics
    D  forces      0 Fz; 1 Fx, My; 2 Fy, Mx, Mz; 3 both; 4 combined; 5 combined with turn slip

The Magic Formula 6.x of this package does B 0, 1 with C 0, 1, 2 and every D.  Moving roads nobody does here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from jounce.core.errors import ParameterError

CONTACTS = {
    0: "one point",
    1: "smooth road",
    2: "circular cross-section",
    3: "moving road",
    4: "road by travelled distance",
    5: "enveloping",
}
DYNAMICS = {
    0: "steady",
    1: "linear relaxation",
    2: "nonlinear relaxation",
    3: "rigid ring",
    4: "rigid ring with belt statics",
}
NATIVE_ROADS = (0, 1, 2, 5)  # contacts that go with roads of this package
BELT = "mass and inertia of the belt must be taken off the wheel"


class SwiftMode(NamedTuple):
    """The three digits."""

    contact: int
    dynamics: int
    forces: int

    @property
    def native(self) -> bool:
        """Whether the Magic Formula of this package runs the mode as it is."""
        return self.contact <= 1 and self.dynamics <= 2


class Remark(NamedTuple):
    """Something to say about a mode."""

    level: Literal["error", "warning"]
    text: str


def decode_swift_mode(code: int) -> SwiftMode:
    """The digits of a use mode BCD."""
    size = abs(code)
    mode = SwiftMode(size // 100, size // 10 % 10, size % 10)
    if mode.contact > 5 or mode.dynamics > 4 or mode.forces > 5:
        raise ParameterError(f"use mode {code}: digits are contact 0-5, dynamics 0-4, forces 0-5")
    return mode


def own_remarks(code: int) -> list[Remark]:
    """What the Magic Formula of this package says to a mode: what it refuses, and where it does less."""
    mode, found = decode_swift_mode(code), []
    if mode.contact in (2, 3, 4):
        what = f"contact {mode.contact} ({CONTACTS[mode.contact]})"
        found.append(Remark("error", f"found {code}: {what} is not available; use 0 or 1"))
    if mode.contact == 5:
        found.append(Remark("warning", f"found {code}: enveloping is not available yet; the contact is one point"))
    if mode.dynamics >= 3:
        text = f"found {code}: the rigid ring is not available yet; nonlinear relaxation instead (the belt stays with "
        found.append(Remark("warning", text + "the wheel: nothing is taken off its mass)"))
    return found


def library_remarks(code: int, version: str = "6.2") -> list[Remark]:
    """What is to be said when the library of MF-Swift runs a mode on roads of this package; version 6.2 or 2020.1."""
    mode, found = decode_swift_mode(code), []
    if mode.contact == 3:
        found.append(Remark("error", f"found {code}: moving roads are not available"))
    elif mode.contact not in NATIVE_ROADS:
        text = f"found {code}: contact {mode.contact} ({CONTACTS[mode.contact]}) does not go with roads of this package"
        found.append(Remark("warning", f"{text}; use 0, 1, 2 or 5"))
    if version != "6.2" and mode.contact in (2, 4):
        text = f"found {code}: contact {mode.contact} ({CONTACTS[mode.contact]}) is not part of version {version}"
        found.append(Remark("error", text))
    if version != "6.2" and mode.dynamics == 4:
        found.append(
            Remark("warning", f"found {code}: version {version} always starts with belt statics; 3 is the same")
        )
    if mode.dynamics >= 3:
        found.append(Remark("warning", f"found {code}: with the rigid ring {BELT}"))
    return found
