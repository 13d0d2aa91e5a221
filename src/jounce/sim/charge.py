"""Charge that a cycle sustains: hybrids are compared at a battery that ends as it began (SAE J1711).

With the charge q that the battery lost, its voltage at rest V, and the mass m_f of fuel of the net heating value H,

    NEC = q V,    |NEC| ≤ 1 % m_f H                                                                               (1)

Found by repetition, as on a test bench: the next cycle begins with the charge at which the last one ended, or, with two
of them, where the line through their changes is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle

LIMIT = 0.01  # of the energy of the fuel, (1)
MOST = 10  # repetitions
FURTHEST = 1.5  # changes of one cycle by which the next one may begin beyond all before
ENDS = (0.02, 0.98)  # charges to begin with


@dataclass(frozen=True)
class Balance:
    """The battery and the fuel over one cycle."""

    begin: float  # state of charge
    end: float
    net: float  # energy that the battery lost, J
    fuel: float  # energy of the fuel, J

    @property
    def share(self) -> float:
        """NEC over the energy of the fuel (1)."""
        return self.net / self.fuel if self.fuel > 0 else float("inf")

    @property
    def met(self) -> bool:
        return abs(self.share) <= LIMIT


def is_hybrid(vehicle: Vehicle) -> bool:
    """Whether it has both a battery and an engine whose fuel is known."""
    line: Any = vehicle.driveline
    if line is None or line.battery is None:
        return False
    return any(getattr(part, "fuel", None) is not None for _, part in line.parts_by_key())


def balance(vehicle: Vehicle, begin: float, end: float, volume: float) -> Balance:
    """(1), of the volume of fuel burnt, m³; engines burn alike."""
    line: Any = vehicle.driveline
    battery = line.battery
    fuel = next(part.fuel for _, part in line.parts_by_key() if getattr(part, "fuel", None) is not None)
    constant = battery.voltage.constant
    voltage = constant if constant is not None else float(battery.voltage(0.5 * (begin + end)))
    net = (begin - end) * battery.capacity * voltage
    return Balance(begin, end, net, volume * fuel.density * fuel.heating_value)


def sustained(trial: Callable[[float], Balance], begin: float) -> tuple[Balance, int]:
    """Repeat a cycle until (1) is met: the balance found, or the best one, and how often it was driven."""
    tried: list[Balance] = []
    charge = begin
    while True:
        tried.append(trial(charge))
        if tried[-1].met or len(tried) == MOST:
            return min(tried, key=lambda found: abs(found.share)), len(tried)
        charge = _next(tried)


def _next(tried: list[Balance]) -> float:
    """Charge to begin with: that at the end of the last cycle, or where the line through two changes is zero."""
    last = tried[-1]
    found = last.end
    gains = [b for b in tried if b.end > b.begin]
    losses = [b for b in tried if b.end <= b.begin]
    if gains and losses:
        low, high = max(gains, key=lambda b: b.begin), min(losses, key=lambda b: b.begin)
        more, less = low.end - low.begin, high.end - high.begin
        # the line alone stays on one side where rules of a unit make a jump
        part = 0.5 if len(tried) % 2 else more / (more - less)
        found = low.begin + (high.begin - low.begin) * part
    elif len(tried) > 1:
        before, change = tried[-2], last.end - last.begin
        slope = (change - (before.end - before.begin)) / (last.begin - before.begin or 1.0)
        step, far = -change / slope if slope < 0 else change, FURTHEST * abs(change)
        found = last.begin + min(max(step, -far), far)
    return min(max(found, ENDS[0]), ENDS[1])
