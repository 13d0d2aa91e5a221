"""A driver who steers along a path by optimal preview control.

The hand wheel turns with

    w = −Σ kᵢ (ξᵢ − ξ₀ᵢ κ̄),    ξ = (v_y, r, e, ψ, δ, η),    κ̄ = Σ_j p_j κ(s + v t_j)                                    (1)

lateral velocity and yaw rate of the guided point, its offset from the path, the heading less that of the path, the hand
wheel angle and the integral of the offset, each less what it is in a steady turn of the car with the mean curvature κ̄ of
the path ahead. Feedback k, steady turns ξ₀ and shares p are tables over the speed and the lateral acceleration, which
follow from the exact linearisation of the car itself (``sim/preview.py`` (5), (6)): v r says which k, v² κ̄ which ξ₀. With a
reaction ``delay`` of d samples the law knows the d values of w that have not acted yet.

κ̄ is built from curvatures, not from offsets ahead: the path may turn by any angle within the preview, and beyond the end of
an open path the road goes straight on. Speeds below zero follow the path backwards.

The law is sampled; the hand turns evenly in between, not faster than ``hand_rate`` and not further than ``lock``. η stands
still while the hand is at its limits, while the offset is large and at rest. Until ``driver.steers`` is 1 the hand wheel is
what a run gives, and the driver's hand follows it.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np

from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.fields import choice, quantity
from jounce.core.tables import Table
from jounce.road.paths import ANYWHERE, PathService
from jounce.symbolic.ops import atan2, clip, cos, fabs, fmax, if_else, logic_and, sin, sqrt

NODES = 33  # curvatures ahead
GAINS = 6  # kᵢ; then δ₀ and v_y₀ per curvature, then the gains of what has not acted
STRAIGHT = 4  # largest lateral acceleration, time between nodes, δ and v_y straight ahead; then the shares
LARGE = 1.0  # m: a larger offset is not integrated
AT_REST = 0.3  # m/s


class Preview(Part):
    """Steers along a path."""

    family: ClassVar[str] = "driver"

    kind: Literal["preview"] = choice("preview", doc="kind of driver")
    delay: int = choice(0, ge=0, le=30, doc="reaction time in samples")
    hand_rate: float = quantity("rad/s", 1000 * math.pi / 180, gt=0, typical=(0.5, 50.0), doc="fastest turn of the hands")
    lock: float = quantity("rad", 4 * math.pi, ge=0, typical=(0.1, 20.0), doc="largest hand wheel angle")
    period: float = quantity("s", 0.01, gt=0, typical=(1e-3, 0.2), doc="between two samples")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.provide("steering_wheel", lambda: self._demand(at, p), "the preview driver")

    def _demand(self, at: VehicleModel, p: Symbols) -> Any:
        scope = at.scope("driver")
        given = at.signals.read("given.steering_wheel", "the preview driver")
        steers = scope.input("steers", "-", "1: the driver has the hand wheel, 0: the run", in_statics=False)
        which = scope.input("path", "-", "number of the path that he follows", in_statics=False)
        law = scope.block("preview", period=self.period, doc="steers along a path")
        hand = scope.block("hand", doc="turns the hand wheel")
        more = hand.signal("more", "rad", "hand wheel angle of the driver less that of the run", rate=True)
        p.kept.update(law=law, hand=hand, more=more, steers=steers, path=which, given=given)
        return given + more

    def declare(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.read("steering_wheel", "the preview driver")  # makes the blocks where nobody asked yet
        law, hand, more, steers, given = (p.kept[name] for name in ("law", "hand", "more", "steers", "given"))
        angle = given + more
        paths = PathService.declare(at.system)
        s = {
            name: law.signal(name, unit, doc, start)
            for name, unit, doc, start in (
                ("station", "m", "on the path, of the guided point", ANYWHERE),
                ("rate", "rad/s", "with which the hand turns", 0.0),
                ("integral", "m.s", "of the offset", 0.0),
            )
        }
        late = [law.signal(f"late{i + 1}", "rad/s", "that has not acted yet", 0.0) for i in range(self.delay)]

        # what he feels and sees
        unit = at.units[0]
        chassis = unit.chassis
        body = at.place.units[0].data.body
        point = [0.0, 0.0, 0.0] if body.reference_point is None else unit.symbols(body, "body").reference
        x, y, z = chassis.point(point)
        velocity, yaw_rate = chassis.point_velocity(point), chassis.w[2]
        v, sideways = velocity[0], velocity[1]
        ahead = chassis.to_world([1.0, 0.0, 0.0])
        foot = paths.project(p.kept["path"], x, y, z, s["station"])
        away = atan2(ahead[1], ahead[0]) - foot.heading
        away = atan2(sin(away), cos(away))

        # the schedule
        name = p.own_name
        blank = np.zeros((2, 2, GAINS + 2 + self.delay))
        gains = at.system.table(f"{name}.gains", Table(([0.0, 1.0], [0.0, 1.0]), blank))
        straight = at.system.table(f"{name}.straight", Table([0.0, 1.0], np.ones((2, STRAIGHT + NODES))))
        most, spacing, level, drift, *shares = _all(straight(v))
        most = fmax(most, 1.0)
        places = [paths.at(p.kept["path"], foot.station + v * spacing * j) for j in range(NODES)]
        bend = sum(share * place.curvature for share, place in zip(shares, places, strict=True))  # κ̄
        k = _all(gains(v, clip(v * yaw_rate / most, -1.0, 1.0)))
        turn = _all(gains(v, clip(v * v * bend / most, -1.0, 1.0)))
        angle_then, sideways_then = level + turn[GAINS] * bend, drift + turn[GAINS + 1] * bend
        safe = if_else(v < 0, -1.0, 1.0) * fmax(fabs(v), AT_REST)
        total = sqrt(v * v + sideways * sideways) * if_else(v < 0, -1.0, 1.0)
        apart = (
            sideways - sideways_then,
            yaw_rate - total * bend,
            foot.offset,
            away + atan2(sideways_then, fabs(safe)) * if_else(v < 0, -1.0, 1.0),
            angle - angle_then,
            s["integral"],
        )
        wanted = -sum(gain * value for gain, value in zip(k[:GAINS], apart, strict=True))
        wanted = wanted - sum((gain * value for gain, value in zip(k[GAINS + 2 :], late, strict=True)), 0.0)
        rate = clip(wanted, -p.hand_rate, p.hand_rate)

        drives = steers > 0.5
        counts = logic_and(fabs(foot.offset) < LARGE, fabs(v) > AT_REST)
        counts = logic_and(counts, logic_and(fabs(wanted) < p.hand_rate, fabs(angle) < p.lock))
        grown = s["integral"] + if_else(counts, law.period * foot.offset, 0.0)
        law.update(s["station"], foot.station)
        law.update(s["integral"], if_else(drives, grown, 0.0))
        new = if_else(drives, rate, 0.0)
        acts = [*late, new]
        law.update(s["rate"], acts[0])
        for i, signal in enumerate(late):
            law.update(signal, acts[i + 1])

        h = hand.period
        moved = clip(angle + h * s["rate"], -p.lock, p.lock)
        turned = if_else(drives, (moved - angle) / h - at.system.time_derivative(given), 0.0)
        hand.update(more, if_else(drives, moved - given, 0.0))
        hand.update(at.system.rate_of(more), turned)

        seen = places[NODES // 2]
        for told, value, unit_, doc in (  # held between samples, as he sees them
            ("path_s", foot.station, "m", "station on the path"),
            ("path_distance", foot.offset, "m", "offset from the path, left positive"),
            ("path_curvature", foot.curvature, "1/m", "of the path at its station"),
            ("heading_error", away, "rad", "heading less that of the path"),
            ("target_curvature", bend, "1/m", "mean of the path ahead"),
            ("preview_x", seen.x, "m", "middle of what he looks at, world"),
            ("preview_y", seen.y, "m", "middle of what he looks at, world"),
        ):
            signal = law.signal(told, unit_, doc)
            law.update(signal, value)
            at.channel(f"driving_machine_monitor.{told}", signal, unit_, doc, watch=True)
        doc = "hand wheel angle of the driver"
        at.channel("driving_machine_monitor.driver_steering", angle, "rad", doc, watch=True)


def _all(found: Any) -> list[Any]:
    """Outputs of a table as a list."""
    return list(found) if isinstance(found, list | tuple) else [found[i] for i in range(found.numel())]
