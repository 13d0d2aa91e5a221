"""A driver who steers along a path by optimal preview control.

At every sample the hand begins to turn with

    w = −Σ kᵢ (ξᵢ − ξ₀ᵢ κ̄),    ξ = (v_y, r, e, ψ, δ, η),    κ̄ = Σ_j p_j κ(s + v t_j)                                (1)

lateral velocity and yaw rate of the reference point of the car, its offset from the path, the heading less that of the
path, the hand wheel angle and the integral of the offset, of each towed unit its articulation γ and the rate of it,
each less what it is in a steady turn of the car with the mean curvature κ̄ of the path ahead. Feedback k, steady turns
ξ₀ and shares p are tables over the speed and the lateral acceleration, which follow from the exact linearisation of the
car itself (``sim/preview.py`` (5), (6)): v r says which
k, v² κ̄ which ξ₀. With a reaction ``delay`` of d samples the law knows the d values of w that have not acted yet.

Nobody can come back to the path faster than the tires allow. With the lateral acceleration a that the turn leaves of
the largest one, an offset counts up to where its own part of the hand wheel angle would take all of it:

    |e| ≤ a k_δ δ₀/(k_e v²),    δ₀ the hand wheel angle per curvature                                                (2)

No tire follows a bend sharper than a_max/v²: κ̄ counts up to it, and the wheels stay within α_max of the direction in
which the steered axle moves, l ahead of the reference point (``sim/preview_schedule.py`` (7)). Beyond it more angle
gives no more force, and the hand would be late when the path turns to the other side:

    |δ − i atan((v_y + l ψ̇)/v)| ≤ i α_max,   above 3 m/s                                                          (3)

κ̄ is built from curvatures, not from offsets ahead: the path may turn by any angle within the preview, and beyond the
end of an open path the road goes straight on. A car that reverses has a speed below zero, and looks behind.

η stands still while the hand is at its limits, while the offset is large and at rest. Ours, from the sources of
``sim/preview.py``.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from jounce.components.basics import Array
from jounce.components.driver.lateral import SLOW, Lateral, View, steered_at, swinging
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice
from jounce.core.tables import Table
from jounce.symbolic.ops import atan2, clip, cos, fabs, fmax, if_else, logic_and, logic_not, sin, sqrt, tan

NODES = 33  # curvatures ahead
GAINS = 6  # kᵢ; then δ₀ and v_y₀ per curvature, the gains of what has not acted, k_γ, k_γ̇ and γ₀ of each towed unit
STRAIGHT = 5  # largest lateral acceleration, time between nodes, δ, v_y straight ahead, α_max; then the shares, then γ
LARGE = 1.0  # m: a larger offset is not integrated
AT_REST = 0.3  # m/s
STEADY = 0.75  # part of the largest lateral acceleration up to which feedback follows it: no nervous hands at the limit
LEAST_SPEED = 3.0  # m/s, of (3)
SPARE = 0.15  # part of it that is always there to come back to the path


class Preview(Lateral):
    """Steers along a path by optimal preview control."""

    kind: Literal["preview"] = choice("preview", doc="kind of driver")
    delay: int = choice(0, ge=0, le=30, doc="reaction time in samples")

    @derived("m", doc="from the driver frame ahead to the axle that steers", at="vehicle")
    def steered(self, place: VehiclePlace) -> float:
        return float((place.units[0].local(np.array([steered_at(place), 0.0, 0.0])) - self.frame(place))[0])

    @derived("m", doc="origin of the driver frame, from that of the body", at="vehicle")
    def frame(self, place: VehiclePlace) -> Array:
        unit = place.units[0]
        point = unit.data.body.reference(unit)
        return np.zeros(3) if point is None else np.asarray(point, dtype=float)

    def law(self, at: VehicleModel, p: Symbols, view: View) -> Any:
        block, h = p.kept["block"], view.period
        s = {
            name: block.signal(name, unit, doc)
            for name, unit, doc in (
                ("integral", "m.s", "of the offset"),
                ("target_curvature", "1/m", "mean of the path ahead"),
                ("target_x", "m", "middle of what he looks at, world"),
                ("target_y", "m", "middle of what he looks at, world"),
                ("target_station", "m", "of it on the path"),
            )
        }
        late = [block.signal(f"late{i + 1}", "rad/s", "that has not acted yet") for i in range(self.delay)]

        # in axes of the car, which may face the path either way and go backwards
        way = view.direction
        v = way * view.speed
        sideways = way * tan(clip(view.side_slip, -1.5, 1.5)) * fmax(view.speed, SLOW)
        offset = way * view.offset
        facing = way * view.along
        away = atan2(facing * sin(view.heading_error), facing * cos(view.heading_error))

        # the schedule
        name = p.own_name
        towed = swinging(at)
        first = GAINS + 2 + self.delay  # of what belongs to towed units
        blank = np.zeros((2, 2, first + 3 * len(towed)))
        gains = at.system.table(f"{name}.gains", Table(([0.0, 1.0], [0.0, 1.0]), blank))
        ahead = np.ones((2, STRAIGHT + NODES + len(towed)))
        straight = at.system.table(f"{name}.straight", Table([0.0, 1.0], ahead))
        most, spacing, level, drift, slip, *further = straight(v)
        shares, in_line = further[:NODES], further[NODES:]
        most = fmax(most, 1.0)
        bends = [view.curvature(view.speed * spacing * j) for j in range(NODES)]
        mean = way * sum(share * bend for share, bend in zip(shares, bends, strict=True))  # κ̄
        k = gains(v, clip(v * view.yaw_rate / most, -STEADY, STEADY))
        sharpest = most / fmax(v * v, 1e-9)
        bend = clip(mean, -sharpest, sharpest)  # no tire follows what is sharper
        turn = gains(v, v * v * bend / most)
        angle, side = level + turn[GAINS] * bend, drift + turn[GAINS + 1] * bend
        spare = most * fmax(1.0 - fabs(v * v * bend) / most, SPARE)
        reach = spare * fabs(k[4] * k[GAINS]) / fmax(fabs(k[2]) * v * v, 1e-9)  # (2)
        total = way * sqrt(v * v + sideways * sideways)
        apart = (
            sideways - side,
            view.yaw_rate - total * bend,
            clip(offset, -reach, reach),
            away + way * atan2(side, fmax(fabs(v), AT_REST)),
            view.last - angle,
            s["integral"],
        )
        wanted = -sum(gain * value for gain, value in zip(k[:GAINS], apart, strict=True))  # (1)
        wanted = wanted - sum((gain * value for gain, value in zip(k[GAINS + 2 : first], late, strict=True)), 0.0)
        for i, (articulation, its_rate) in enumerate(towed):
            j = first + 3 * i
            wanted = wanted - k[j] * (articulation - in_line[i] - turn[j + 2] * bend) - k[j + 1] * its_rate
        rate = if_else(view.starts, 0.0, clip(wanted, -p.fastest, p.fastest))

        counts = logic_and(logic_and(fabs(offset) < LARGE, fabs(v) > AT_REST), logic_not(view.starts))
        counts = logic_and(counts, logic_and(fabs(wanted) < p.fastest, fabs(view.last) < p.lock))
        grown = if_else(view.starts, 0.0, s["integral"] + if_else(counts, h * offset, 0.0))
        block.update(s["integral"], grown)
        acts = [*late, rate]
        for signal, value in zip(late, acts[1:], strict=True):
            block.update(signal, if_else(view.starts, 0.0, value))
        seen = NODES // 2
        middle = view.on_path(view.speed * spacing * seen)
        for told, value in (
            ("target_curvature", mean),
            ("target_x", middle.x),
            ("target_y", middle.y),
            ("target_station", view.station + view.along * view.speed * spacing * seen),
        ):
            block.update(s[told], value)
        p.kept["preview"] = s
        moves = level + view.ratio * atan2(sideways - drift + p.steered * view.yaw_rate, fmax(v, LEAST_SPEED))
        room = view.ratio * slip
        demand = view.last + h * acts[0]
        return if_else(v > LEAST_SPEED, clip(demand, moves - room, moves + room), demand)  # (3)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        super().tell(at, p)
        s = p.kept["preview"]
        for name, unit, doc in (
            ("target_x", "m", "middle of what he looks at, world"),
            ("target_y", "m", "middle of what he looks at, world"),
            ("target_station", "m", "of it on the path"),
            ("target_curvature", "1/m", "mean of the path ahead"),
        ):
            at.channel(f"driver.{name}", s[name], unit, doc, watch=name == "target_station")
