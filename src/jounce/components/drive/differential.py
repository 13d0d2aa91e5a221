"""Differentials: what all of them have, and the open one.

With the ratio i of input to carrier, and the share b of the first output (½ between the wheels of an axle),

    ω_in = i (b ω_1 + (1 − b) ω_2),    T_1 = b i T_in,   T_2 = (1 − b) i T_in                                      (1)

less what is lost (``train`` (3)). A lock takes ΔT from the first output and gives it to the second one,

    T_1 = b i T_in − ½ ΔT,   T_2 = (1 − b) i T_in + ½ ΔT                                                          (2)

against δω = ω_1 − ω_2: of power −½ ΔT δω. Outputs are left and right, or front and rear of a central differential.
The inertia is on the input shaft. [Milliken1995] chapter 20.

What bears the housing has

    M = T_in a_in − T_1 w_1 − T_2 w_2                                                                            (3)

On the body T_in cancels with what bears engine and gearbox. A solid axle bears it by its carriers: the torques of the
wheels react there, and T_in rolls axle and body against each other.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.drive.base import DIRECTIONS, DrivePart, Energy, Geared, Station
from jounce.core.fields import choice, quantity


class OpenDifferential(DrivePart):
    """An open differential; with `share` that of a central one."""

    ports: ClassVar[tuple[str, ...]] = ("input", "left", "right")

    kind: Literal["open_differential"] = choice("open_differential", doc="kind of part")
    ratio: float = quantity("-", 1.0, gt=0, typical=(0.3, 20.0), doc="input speed over that of the carrier")
    efficiency: float = quantity("-", 1.0, gt=0, le=1, typical=(0.8, 1.0), doc="output power over input power")
    inertia: float = quantity("kg.m2", 0.0, ge=0, typical=(1e-5, 5.0), doc="of rotating parts, on the input shaft")
    share: float = quantity("-", 0.5, gt=0, lt=1, typical=(0.1, 0.9), doc="of the torque to the first output, b")
    housing: Literal["chassis", "engine", "suspension", "none"] = choice(
        "chassis", doc="what bears it: the body, a suspended engine, the carriers (a solid axle), or nothing"
    )
    input_axis: Literal["X+", "X-"] = choice("X-", doc="way in which the input of a solid axle turns, driving forwards")

    def geared(self, p: Any, gear: Any) -> Geared:
        return Geared((1.0, -p.ratio * p.share, -p.ratio * (1 - p.share)), p.efficiency)  # (1)

    def inertias(self, p: Any, gear: Any) -> tuple[Any, ...]:
        return (p.inertia,)

    def act(self, here: Station) -> None:
        assert here.relation is not None
        here.relation.passing = lambda: self._lock(here)

    def _lock(self, here: Station) -> None:
        """(2), once the torque on the input is known."""
        delta = self.locking(here)
        _, first, second = here.shafts
        if here.group in GROUPS:
            delta = self._replaced(here, delta)
        here.kept["delta"] = delta
        here.train.push(first, -0.5 * delta)
        here.train.push(second, 0.5 * delta)
        self.roll(here)
        carried = here.p.ratio * here.shafts[0].torque  # what the housing bears: outputs less input
        here.react(carried - here.shafts[0].torque)

    def roll(self, here: Station) -> None:
        """(3): the torque of the input rolls a solid axle against the body."""
        wheels = [here.model.wheels[s.name] for s in here.shafts[1:] if s.name in here.model.wheels]
        if self.housing != "suspension" or not wheels:
            return
        torque = here.shafts[0].torque * DIRECTIONS[self.input_axis][0]
        for wheel in wheels:
            here.model.system.torque(wheel.carrier, [torque / len(wheels), 0.0, 0.0], axes=wheel.axle.frame)
        here.model.system.torque(wheels[0].axle.frame, [-torque, 0.0, 0.0])

    def _replaced(self, here: Station, delta: Any) -> Any:
        """What a run gives in the place of this differential: its flag, and torques of its outputs."""
        assert here.relation is not None
        end = next(k for k, v in ENDS.items() if v == here.group)
        words = [f"wheel_{end}_left", f"wheel_{end}_right"]
        words = words if end != "central" else ["diff_front_inputshaft", "diff_rear_inputshaft"]
        flag = f"Subsystem_Activation.Internal_{end.capitalize()}Differential_Activity"
        active = here.model.outside(flag, "-", "1 keeps, 0 removes the torques of this differential", "flag", 1.0)
        for word, output in zip(words, here.shafts[1:], strict=True):
            doc = "added to the torque of this output of the differential"
            given = here.model.outside(f"{here.group}.{word}_torque", "N.m", doc, "added")
            if given is not None:
                here.train.push(output, given)
        if active is None:
            return delta
        here.relation.kept = active
        return active * delta

    def locking(self, here: Station) -> Any:
        """ΔT."""
        return 0.0

    def told(self, here: Station) -> None:
        relation = here.relation
        assert relation is not None and relation.solved is not None
        shaft, first, second = here.shafts
        p, delta = here.p, here.kept["delta"]
        if "held" in here.kept:  # with what the implicit step adds
            delta = 2 * here.kept["held"].carried
        carried = shaft.torque * relation.factor * relation.kept * p.ratio
        torques = [p.share * carried - 0.5 * delta, (1 - p.share) * carried + 0.5 * delta]
        here.channel("input_omega", shaft.speed, "rad/s", "speed of the input shaft")
        here.channel("input_torque", shaft.torque, "N.m", "torque on the input shaft, without that of inertia")
        if here.group not in GROUPS:
            return
        end = next(k for k, v in ENDS.items() if v == here.group)
        words, sign = (("front", "rear"), 1.0) if end == "central" else (("left", "right"), -1.0)
        channel = here.model.channel
        difference = "front minus rear" if end == "central" else "right minus left"
        speeds = first.speed - second.speed
        channel(f"Differential_Speeds.halfshaft_omega_delta_{end}", sign * speeds, "rad/s", difference)
        of_lock = delta if end != "central" else -delta
        channel(f"Differential_Torques.differential_torque_{end}", of_lock, "N.m", f"of the lock, {difference}")
        for word, output, torque in zip(words, (first, second), torques, strict=True):
            place = f"central_{word}" if end == "central" else f"{word}_{end}"
            if output.angle is not None:
                told = f"diff_{word}_inputshaft" if end == "central" else f"wheel_{end}_{word}"
                here.channel(f"{told}_angle", output.angle, "rad", "turned by the shaft since the start")
            channel(f"Differential_Speeds.halfshaft_omega_{place}", output.speed, "rad/s", "speed of the output shaft")
            channel(f"Differential_Torques.output_torque_{place}", torque, "N.m", "torque of the output shaft")

    def energy(self, here: Station) -> Energy:
        assert here.relation is not None
        return Energy(lost=here.relation.lost + self.lost(here))

    def lost(self, here: Station) -> Any:
        """Power that the lock makes heat, ½ ΔT δω."""
        _, first, second = here.shafts
        return 0.5 * here.kept["delta"] * (first.speed - second.speed)


ENDS = {"front": "Differential_Front", "rear": "Differential_Rear", "central": "Differential_Central"}
GROUPS = tuple(ENDS.values())
