"""Scrub of a tire near its limit: a disturbance of its lateral force that hands and body feel, for simulators.

    g_M = 1 for m ≤ m₀, else exp(-½ (S_m (m - m₀)/300 N)²)         m: lateral margin (``limits``)                    (1)
    g_κ = 1 for |κ| ≤ κ₀, else exp(-½ (S_κ (|κ| - κ₀)/0.01)²)                                                        (2)
    g_F = min(1, (Fz/F₁)⁴)                                                                                          (3)
    φ̇ = 2π f₀ |Ω|/Ω₁                                                                                                (4)
    ΔFy = G F₀ g_M g_κ g_F sin φ · sign Fy                                                                          (5)

The phase is integrated, so that the frequency changes without jumps; over a cycle the disturbance has no mean. It acts
at the contact: at the wheel centre with the moment that its lever makes about the wheel's x axis, through the ports
``Tire_Force.Fy`` and ``Tire_Moment.Mx``, so that the feedback of the steering has it, too. The gains and their baseline
are those of the reference tool; it does not publish its formulae, (1) to (5) are ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from jounce.components.body.attached import Force
from jounce.components.model import WheelModel
from jounce.components.part import Level, Number, Symbols
from jounce.components.places import Place
from jounce.components.tire.base import Tire
from jounce.components.tire.limits import Asked, limits_table, margins_of, table_number
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import exp, fabs, fmax, fmin, pi, sign, sin

MARGIN_WIDTH, SLIP_WIDTH = 300.0, 0.01  # N and -, of (1) and (2)


class TireScrub(Force, Asked):
    """A disturbance of lateral tire forces near their limit."""

    level: ClassVar[Level] = "wheel"

    kind: Literal["tire_scrub"] = choice("tire_scrub", doc="kind of force")
    margin_threshold: float = quantity("N", 2000.0, ge=0, typical=(10.0, 5e4), doc="lateral margin below which it acts")
    margin_smoothness: float = quantity("-", 1.0, gt=0, typical=(0.01, 10.0), doc="the higher, the steeper it fades")
    slip_threshold: float = quantity("-", 0.1, ge=0, typical=(0.01, 1.0), doc="slip above which it fades")
    slip_smoothness: float = quantity("-", 1.0, gt=0, typical=(0.01, 10.0), doc="the higher, the steeper it fades")
    full_load: float = quantity("N", 1e4, gt=0, typical=(500.0, 1e5), doc="wheel load from which it is complete")
    speed: float = quantity("rad/s", 1.0, gt=0, typical=(0.1, 100.0), doc="wheel speed of the frequency: Ω₁")
    frequency: float = quantity("Hz", 0.3, ge=0, typical=(0.01, 50.0), doc="at that wheel speed: f₀")
    amplitude: float = quantity("N", 100.0, ge=0, typical=(1.0, 1e4), doc="of the force where the gain is 1: F₀")
    scale: float = quantity("-", 1.7, ge=0, typical=(0.01, 100.0), doc="gain of all: G")

    def tire_numbers(self, place: Place, tire: Tire, prefix: str) -> Iterator[tuple[str, Number]]:
        yield from table_number(self, place, tire, prefix)

    def provide(self, at: WheelModel, p: Symbols) -> None:
        place, by = at.place.name, "the scrub of a tire"
        scope = at.system.scope(p.own_name)
        for name, port in (("force", "Tire_Force.Fy"), ("moment", "Tire_Moment.Mx")):
            symbol = p.kept[name] = scope.later(name)  # known once the tire is mounted
            at.vehicle.signals.add(f"{port}.{place}", lambda symbol=symbol: symbol, by)  # type: ignore[misc]

    def connect(self, at: WheelModel, p: Symbols) -> None:
        values = at.tire.values
        scope = at.system.scope(p.own_name)
        phase = scope.state("phase", "rad", "of the disturbance", role="free")
        scope.derivative(phase, 2 * pi * p.frequency * fabs(at.rotor.spin) / p.speed)  # (4)
        margin = margins_of(at, limits_table(self, at, p)).closest(1)[0]
        gain = self._gain(margin, p.margin_threshold, p.margin_smoothness / MARGIN_WIDTH)  # (1)
        gain = gain * self._gain(fabs(values["kappa"]), p.slip_threshold, p.slip_smoothness / SLIP_WIDTH)  # (2)
        share = fmax(values["fz"], 0.0) / p.full_load
        gain = gain * fmin(share * share * share * share, 1.0)  # (3)
        force = p.scale * p.amplitude * gain * sin(phase) * sign(values["fy"])  # (5)
        scope.define(p.kept["force"], force)
        scope.define(p.kept["moment"], at.tire.contact.radius * force)
        p.kept.update(told=force, gain=gain)

    def _gain(self, value: Any, threshold: Any, steepness: Any) -> Any:
        beyond = steepness * fmax(value - threshold, 0.0)
        return exp(-0.5 * fmin(beyond * beyond, 1400.0))  # beyond is nothing left

    def tell(self, at: WheelModel, p: Symbols) -> None:
        at.channel(f"tirescrub.force.{at.place.name}", p.kept["told"], "N", "disturbance of the lateral force")
        at.channel(f"tirescrub.gain.{at.place.name}", p.kept["gain"], "-", "how far the disturbance acts, 0 to 1")
