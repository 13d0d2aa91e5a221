"""A weight-distribution hitch: two spring bars that lift the drawbar and press the axles of the car and the trailer.

Each bar is a lever of the towing unit: it turns freely about the z axis of that at its hinge, and is stiff up and
down. A chain holds its end to the drawbar. With the hinge h and the far end of the chain t in axes of the towing unit,
the bar points from h to t as seen from above, so that the chain, which pulls in its plane, does not turn it:

    e = h + ρ (t − h)_xy/|(t − h)_xy| + (e_z − h_z) ẑ,   ρ = |(e − h)_xy| at design                                 (1)
    F = max(0, F_0 + k (l − l_0) + c l̇),   l = |t − e|                                                             (2)

l_0 is the length at design, F_0 the tension there: what the links of the chain are hung in by. F pulls at t on the
towed unit and at e on the towing one. A chain never pushes; with F_0 = 0 and no length to give it hangs loose.

How much of the load that the trailer took from the first axle comes back is the front axle load restoration,

    FALR = (W_with − W_without)/(W_uncoupled − W_without)                                                         (3)

Of the pitch moment M that the bars make at the coupling, with the load W of the drawbar without them, the distance e
from the last axle of the car to the coupling and d from there to the axle of the trailer,

    FALR = M (d + e)/(W e d)                                                                                      (4)

``jounce.sim.weight_distribution.distribute`` finds the F_0 of a wanted FALR by statics.

Places are those of the left bar; the right one is its mirror image. Hinge and end are in the frame of reference of the
towing unit, the chain's end in that of the towed one.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from jounce.components.basics import Array, Point
from jounce.components.body.bushing import pose_in
from jounce.components.model import UnitModel
from jounce.components.part import Symbols, derived
from jounce.components.places import UnitPlace
from jounce.components.towing.hitch import HitchDevice
from jounce.core.fields import choice, part, quantity
from jounce.symbolic.frames import add, times
from jounce.symbolic.ops import fmax, sqrt

SIDES = {"left": 1.0, "right": -1.0}


class WeightDistribution(HitchDevice):
    """Spring bars and chains that bring load back to the first axle."""

    kind: Literal["weight_distribution"] = choice("weight_distribution", doc="kind of device")
    active: float = quantity("-", 1.0, ge=0, le=1, doc="1: it acts, 0: chains are off")
    hinge: Point = part(doc="of the left bar, on the towing unit")
    bar_end: Point = part(doc="of the left bar at design, in the frame of the towing unit")
    chain_end: Point = part(doc="of the left chain on the towed unit, in the frame of that")
    preload: float = quantity(
        "N", 0.0, typical=(100.0, 2e4), doc="tension of each chain at design, F_0; negative: slack"
    )
    stiffness: float = quantity("N/m", 1e6, gt=0, typical=(1e4, 1e8), doc="of each chain with its bar, k")
    damping: float = quantity("N.s/m", 100.0, ge=0, typical=(1.0, 1e5), doc="of each chain, c")

    @property
    def _bar(self) -> float:
        return float(np.linalg.norm((self.bar_end.array - self.hinge.array)[:2]))

    def _mirrored(self, point: Point, side: float) -> Array:
        return point.array * [1.0, side, 1.0]

    @derived("m", doc="of the left bar, from the origin of the towing body", label="hinge", at="unit")
    def held(self, place: UnitPlace) -> Array:
        assert place.parent is not None
        return place.parent.local(self.hinge.array)

    @derived("m", doc="of the right bar, from the origin of the towing body", label="hinge_right", at="unit")
    def held_right(self, place: UnitPlace) -> Array:
        assert place.parent is not None
        return place.parent.local(self._mirrored(self.hinge, -1.0))

    @derived("m", doc="of the left chain, from the origin of the towed body", label="chain_end", at="unit")
    def hung(self, place: UnitPlace) -> Array:
        return place.local(self.chain_end.array)

    @derived("m", doc="of the right chain, from the origin of the towed body", label="chain_end_right", at="unit")
    def hung_right(self, place: UnitPlace) -> Array:
        return place.local(self._mirrored(self.chain_end, -1.0))

    @derived("m", doc="of a bar, as seen from above", at="unit")
    def bar_length(self, place: UnitPlace) -> float:
        return self._bar

    @derived("m", doc="of the end of a bar above its hinge", at="unit")
    def bar_rise(self, place: UnitPlace) -> float:
        return self.bar_end.z - self.hinge.z

    @derived("m", doc="of a chain at design, l_0", at="unit")
    def chain_length(self, place: UnitPlace) -> float:
        """With the bar that points to it: by (1)."""
        hitch = place.data.hitch
        t = hitch.location.array + self.chain_end.array - [0.0, 0.0, hitch.own_height]
        h = self.hinge.array
        ahead = (t - h)[:2] / np.linalg.norm((t - h)[:2])
        e = np.array([*(h[:2] + self._bar * ahead), self.bar_end.z])
        return float(np.linalg.norm(t - e))

    def connect(self, at: UnitModel, p: Symbols) -> None:
        assert at.parent is not None
        towing = at.parent.chassis
        r, turn = pose_in(at.chassis, towing)
        p.kept["chains"] = {}
        for side, hinge, hung in (("left", p.held, p.hung), ("right", p.held_right, p.hung_right)):
            t = add(r, times(turn, list(hung)))
            away = [b - a for a, b in zip(hinge, t, strict=True)]
            flat = sqrt(away[0] * away[0] + away[1] * away[1])
            e = [h + p.bar_length * a / flat for h, a in zip(hinge[:2], away[:2], strict=True)]
            e.append(hinge[2] + p.bar_rise)  # (1)
            line = [b - a for a, b in zip(e, t, strict=True)]
            length = sqrt(line[0] * line[0] + line[1] * line[1] + line[2] * line[2])
            stretched = p.stiffness * (length - p.chain_length) + p.damping * at.system.time_derivative(length)
            force = p.active * fmax(p.preload + stretched, 0.0)  # (2)
            pull = [force * x / length for x in line]
            at.system.force(towing, pull, at=e)
            at.system.force(at.chassis, [-x for x in pull], at=hung, axes=towing)
            p.kept["chains"][side] = (length, force)
            arm = [a - b for a, b in zip(e, _coupling(at), strict=True)]
            about = arm[2] * pull[0] - arm[0] * pull[2]
            p.kept["moment"] = p.kept.get("moment", 0.0) + about

    def tell(self, at: UnitModel, p: Symbols) -> None:
        for side, (length, force) in p.kept["chains"].items():
            at.channel(f"Weight_Distribution.length_{side}", length, "m", f"of the {side} chain")
            at.channel(f"Weight_Distribution.force_{side}", force, "N", f"tension of the {side} chain")
        doc = "of the chains on the towing unit about the coupling, front down positive"
        at.channel("Weight_Distribution.moment", p.kept["moment"], "N.m", doc)


def _coupling(at: UnitModel) -> list[Any]:
    """The coupling, from the origin of the towing body."""
    assert at.coupling is not None
    return list(at.coupling.frame.r)
