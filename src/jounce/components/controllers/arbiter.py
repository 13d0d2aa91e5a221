"""The arbiter: it alone decides pressures in brakes, demand of the drive and torques of controllers at the wheels.

A controller enters what it wants of a quantity (``pressure.L1``, ``throttle``, ``torque.L1``; ``regeneration``, the
brake demand that motors see; ``coupling``, the share of its torque that a converter or a clutch without a foot
carries) in the phase ``provide``, under its name, which has a place in the order of priorities (``PRIORITY``). The
arbiter takes them one after the other, what matters most last, each on what those before it have left:

    q_0 = what the driver asks for;   q_k = max(q_k−1, w), min(q_k−1, w), q_k−1 + w  or  w · q_k−1                (1)

for a controller that raises, limits, adds or scales. Anti-lock control is last: whatever asks for pressure, it lets as
much through as the wheel bears. The share of each is what it changed, q_k − q_k−1, so that all shares add up to the
result; they are channels: ``Brake_Share.<name>.<wheel>``, ``Drive_Share.<name>``.

Programs of users enter through ports, in the place ``outside``, before anti-lock control:
``Brake_Arbiter.raised.<wheel>``, ``Brake_Arbiter.limit.<wheel>``, ``Drive_Arbiter.raised``, ``Drive_Arbiter.limit``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from jounce.components.model import VehicleModel
from jounce.core.errors import ModelError, did_you_mean
from jounce.symbolic.ops import fmax, fmin

How = Literal["raise", "limit", "add", "scale", "between"]

# What matters more comes later; one controller has one place for each quantity.
PRIORITY = {
    "cruise_control": 10,
    "brake_blending": 20,
    "torque_vectoring": 30,
    "traction_control": 40,
    "stability_control": 50,
    "roll_stability": 55,
    "hill_hold": 60,
    "outside": 70,
    "abs": 100,
}
UNITS = {"pressure": "Pa", "throttle": "-", "torque": "N.m"}
DOCS = {
    "pressure": "of the pressure in the brake: what {} changed of it",
    "throttle": "of the demand of the drive: what {} changed of it",
    "torque": "torque that {} adds at the wheel",
}
CHANNEL = {"pressure": "Brake_Share", "throttle": "Drive_Share", "torque": "Torque_Share"}


@dataclass(frozen=True)
class Demand:
    """What one controller wants of a quantity."""

    by: str
    how: How
    value: Callable[[], Any]


class Arbiter:
    """Demands of all controllers of a vehicle."""

    def __init__(self) -> None:
        self._demands: dict[str, list[Demand]] = {}
        self._decided: dict[str, Any] = {}

    def enter(self, quantity: str, by: str, how: How, value: Callable[[], Any]) -> None:
        """A controller wants something of a quantity; in the phase ``provide``."""
        if by not in PRIORITY:
            raise ModelError(f"arbiter, {quantity}: {by!r} has no priority{did_you_mean(by, PRIORITY)}")
        if any(known.by == by for known in self._demands.get(quantity, ())):
            raise ModelError(
                f"arbiter, {quantity}: two controllers are {by!r}; one of them must go, or they need one that is both"
            )
        if quantity in self._decided:
            raise ModelError(f"arbiter, {quantity}: {by!r} enters when it is decided already; enter in provide")
        self._demands.setdefault(quantity, []).append(Demand(by, how, value))

    def has(self, quantity: str, by: str = "") -> bool:
        """Whether somebody, or one in particular, wants something of a quantity."""
        return any(not by or demand.by == by for demand in self._demands.get(quantity, ()))

    def before(self, at: VehicleModel, quantity: str, by: str) -> Any:
        """What those of less weight have made of a quantity, for one in the middle; after `decide` was called."""
        kind, _, place = quantity.partition(".")
        brake = at.wheels[place].axle.place.data.brake if kind == "pressure" else None
        if kind == "pressure" and (brake is None or not brake.pressed):  # none, or worked by the push of a trailer
            return 0.0
        return at.signals.read(f"arbiter.{quantity}.{by}", by)

    def apply(self, quantity: str, given: Any) -> Any:
        """What demands make of another value of a quantity, without a word: pedals of several machines."""
        for demand in sorted(self._demands.get(quantity, ()), key=lambda demand: PRIORITY[demand.by]):
            given = _after(demand.how, given, demand.value())
        return given

    def decide(self, at: VehicleModel, quantity: str, given: Any) -> Any:
        """The quantity after all demands (1), with the channels of their shares."""
        kind, _, place = quantity.partition(".")
        demands = sorted(self._demands.get(quantity, ()), key=lambda demand: PRIORITY[demand.by])
        self._decided[quantity] = given
        if not demands:
            return given
        value, end = given, f".{place}" if place else ""
        shares = [("driver", given)] if kind != "torque" else []
        for demand in demands:
            last = value
            at.signals.provide(f"arbiter.{quantity}.{demand.by}", partial(_itself, last), "the arbiter")
            value = _after(demand.how, last, demand.value())  # (1)
            shares.append((demand.by, value - last))
        for by, share in shares:
            doc = DOCS[kind].format("the driver asks for" if by == "driver" else by)
            at.channel(f"{CHANNEL[kind]}.{by}{end}", share, UNITS[kind], doc)
        return value


def _itself(value: Any) -> Any:
    return value


def _after(how: How, last: Any, wanted: Any) -> Any:
    if how == "raise":
        return fmax(last, wanted)
    if how == "limit":
        return fmin(last, wanted)
    if how == "between":
        return fmin(fmax(last, wanted[0]), wanted[1])
    return last + wanted if how == "add" else wanted * last


def arbiter(at: VehicleModel) -> Arbiter:
    """The arbiter of a vehicle."""
    at.signals.provide("arbiter", Arbiter, "the arbiter", usual=True)
    found: Arbiter = at.signals.read("arbiter", "a controller")
    return found


def decided_pressure(at: VehicleModel, wheel: str, line: Any) -> Any:
    """Pressure in the brake of a wheel after the arbiter, from that of its line."""
    raised = at.outside(f"Brake_Arbiter.raised.{wheel}", "Pa", "least pressure in the brake", "command", 0.0)
    limit = at.outside(f"Brake_Arbiter.limit.{wheel}", "Pa", "largest pressure in the brake", "command", UNLIMITED)
    _from_outside(at, f"pressure.{wheel}", raised, limit)
    return arbiter(at).decide(at, f"pressure.{wheel}", line)


def decided_throttle(at: VehicleModel, given: Any, *, tell: bool = True) -> Any:
    """Demand of the drive after the arbiter; ``tell``: with the channels of shares, once for a vehicle."""
    raised = at.outside("Drive_Arbiter.raised", "-", "least demand of the drive", "command", 0.0)
    limit = at.outside("Drive_Arbiter.limit", "-", "largest demand of the drive", "command", 1.0)
    _from_outside(at, "throttle", raised, limit)
    return arbiter(at).decide(at, "throttle", given) if tell else arbiter(at).apply("throttle", given)


UNLIMITED = 1e9  # Pa: no brake has this pressure


def _from_outside(at: VehicleModel, quantity: str, raised: Any, limit: Any) -> None:
    """What programs of users want; the limit wins."""
    found = arbiter(at)
    if (raised is None and limit is None) or found.has(quantity, "outside"):
        return
    if raised is None:
        found.enter(quantity, "outside", "limit", lambda: limit)
    elif limit is None:
        found.enter(quantity, "outside", "raise", lambda: raised)
    else:
        found.enter(quantity, "outside", "between", lambda: (raised, limit))
