"""A driver who reverses with a towed unit: he guides its axle along a path.

His frame is that of the towed unit, in the middle of its axles; distance from the path, heading and station are its
own. Backwards a train folds up by itself, so that an articulation is what he steers by, and the hand wheel moves first
to the wrong side. With the articulation γ, the offset e, the heading less that of the path ψ, the hand wheel angle δ,
the integral of the offset over the way η, and the mean κ̄ = Σ p_j κ(s + j Δ) of the curvatures ahead,

    γ_w = γ₀ − (k_e e + k_ψ (ψ − ψ₀) + k_η η)/k_γ                                                                 (1)
    w = −|V|/V₀ (k_γ (γ − γ_w) + k_δ (δ − δ₀))                                                                    (2)

with δ₀, γ₀ and ψ₀ of a steady turn backwards with the curvature κ̄. Gains are tables over γ, turns over κ̄, found at the
speed V₀ from the vehicle's own linearisation (``sim/backing.py``): the optimal law of that problem, written as an
articulation that is wanted, and a hand that brings it about. |e| counts up to 0.6 k_ψ/k_e: nobody comes back to the
path more steeply. |γ_w| stays below 0.85 of the articulation that the lock can still hold; beyond that one the train
has jack-knifed, and only driving forwards stretches it. η stands still while the hand is at its limits.

Ours; the cascade of path, articulation and steering is usual for trains in reverse, as in [Altafini2001].
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from jounce.components.basics import Array
from jounce.components.driver.lateral import Lateral, View, swinging
from jounce.components.model import UnitModel, VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.errors import ModelError
from jounce.core.fields import choice
from jounce.core.tables import Table
from jounce.symbolic.ops import atan2, clip, cos, fabs, fmax, if_else, logic_and, logic_not, sin

NODES = 33  # curvatures ahead
GAINS = 5  # of γ, e, ψ, δ, η
TURN = 3  # δ₀, γ₀, −ψ₀
SEEN = 3  # V₀, Δ, articulation of the jack-knife; then the shares
STEEPEST = 0.6  # rad, between towed unit and path on the way back to it
ROOM = 0.85  # of the largest articulation that can be held
LARGE = 0.5  # m: a larger offset is not integrated
AT_REST = 0.05  # m/s


class Backing(Lateral):
    """Guides the axle of a towed unit along a path, in reverse."""

    kind: Literal["backing"] = choice("backing", doc="kind of driver")
    guided: ClassVar[int] = 2  # number of the unit whose place on the path counts

    @derived("m", doc="origin of the driver frame, from that of the towed body", at="vehicle")
    def frame(self, place: VehiclePlace) -> Array:
        unit = self.unit_of(place)
        places = [axle.x for axle in unit.axles]
        return unit.local(np.array([sum(places) / len(places), 0.0, 0.0]))

    def unit_of(self, place: VehiclePlace) -> Any:
        """The unit that is guided; a vehicle without one has no use for this driver."""
        if len(place.units) != self.guided or not place.units[-1].axles:
            raise ModelError(
                f"driver 'backing': the vehicle has {len(place.units)} units; he reverses with one towed unit, by its "
                "axle; without one take preview or contour"
            )
        return place.units[-1]

    def sensed(self, at: VehicleModel) -> UnitModel:
        self.unit_of(at.units[0].place.vehicle)
        found: UnitModel = at.units[self.guided - 1]
        return found

    def law(self, at: VehicleModel, p: Symbols, view: View) -> Any:
        block, h = p.kept["block"], view.period
        s = {
            name: block.signal(name, unit, doc)
            for name, (unit, doc) in {
                "integral": ("m2", "of the offset over the way"),
                "target_curvature": ("1/m", "mean of the path behind, as the train sees it"),
                "wanted_articulation": ("rad", "of the towed unit"),
                "target_x": ("m", "middle of what he looks at, world"),
                "target_y": ("m", "middle of what he looks at, world"),
                "target_station": ("m", "of it on the path"),
            }.items()
        }
        ((gamma, _),) = swinging(at)
        name = p.own_name
        ends = [0.0, 1.0]
        gains = at.system.table(f"{name}.gains", Table(ends, np.ones((2, GAINS))))
        turns = at.system.table(f"{name}.turns", Table(ends, np.zeros((2, TURN))))
        ahead = at.system.table(f"{name}.ahead", Table(ends, np.ones((2, SEEN + NODES))))
        pace, spacing, largest, *shares = ahead(0.0 * gamma)

        # in axes of the towed unit, which may face the path either way and go backwards
        way = view.direction
        facing = way * view.along
        offset = way * view.offset
        away = atan2(facing * sin(view.heading_error), facing * cos(view.heading_error))
        places = [view.on_path(spacing * j) for j in range(NODES)]
        mean = way * sum(share * place.curvature for share, place in zip(shares, places, strict=True))  # κ̄
        level, bent, slip = turns(mean)
        of_bend, of_offset, of_heading, of_hand, of_sum = gains(gamma)

        reach = STEEPEST * fabs(of_heading) / fmax(fabs(of_offset), 1e-9)
        back = of_offset * clip(offset, -reach, reach) + of_heading * (away + slip) + of_sum * s["integral"]
        firm = if_else(of_bend < 0, -1.0, 1.0) * fmax(fabs(of_bend), 1e-9)
        wanted = clip(bent - back / firm, -ROOM * largest, ROOM * largest)  # (1)
        speed = fmax(view.speed, 0.0)
        asked = -speed / fmax(pace, AT_REST) * (of_bend * (gamma - wanted) + of_hand * (view.last - level))  # (2)
        rate = if_else(view.starts, 0.0, clip(asked, -p.fastest, p.fastest))

        counts = logic_and(logic_and(fabs(offset) < LARGE, speed > AT_REST), logic_not(view.starts))
        counts = logic_and(counts, logic_and(fabs(asked) < p.fastest, fabs(view.last) < 0.999 * p.lock))
        grown = s["integral"] + if_else(counts, h * speed / fmax(pace, AT_REST) * offset, 0.0)
        seen = NODES // 2
        for told, value in (
            ("integral", if_else(view.starts, 0.0, grown)),
            ("target_curvature", mean),
            ("wanted_articulation", wanted),
            ("target_x", places[seen].x),
            ("target_y", places[seen].y),
            ("target_station", view.station + view.along * spacing * seen),
        ):
            block.update(s[told], value)
        p.kept["backing"] = s
        p.kept["jack_knife"] = fabs(gamma) - largest
        return view.last + h * rate

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        super().tell(at, p)
        s = p.kept["backing"]
        for name, unit, doc in (
            ("target_x", "m", "middle of what he looks at, world"),
            ("target_y", "m", "middle of what he looks at, world"),
            ("target_station", "m", "of it on the path"),
            ("target_curvature", "1/m", "mean of the path ahead"),
            ("wanted_articulation", "rad", "of the towed unit, as the driver wants it"),
        ):
            at.channel(f"driver.{name}", s[name], unit, doc, watch=name == "target_station")
        doc = "articulation beyond that from which the train can be brought back in reverse"
        at.channel("driver.jack_knife", p.kept["jack_knife"], "rad", doc, watch=True)
