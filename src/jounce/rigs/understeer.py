"""Understeer budget: which part of the understeer gradient comes from what.

A car runs steadily at a speed, with the hand wheel a little to the left and to the right; all that follows is the
difference of both states over their difference of lateral acceleration. Of every wheel, the direction in which its
contact travels is slip angle plus steer, β_w = α_w + ψ_w. With the means over the wheels of an axle, steer that the
hand wheel makes (δ/i) taken apart, and β_f - β_r = L κ,

    K = d(δ/i - L κ)/da_y = Σ_axles s d(ᾱ + ψ̄)/da_y,    s = -1 front, +1 rear                                      (1)

exactly. ψ is taken apart by putting the travels, the steering and what gives way of one state into the other, one after
the other. α follows from dFy = Cα dα + Cγ dγ + C_F dFz of the tires as they stand,

    ᾱ = (m_axle a_y + (ΣdFy - m_axle a_y) - ΣCγ dγ - ΣC_F dFz)/ΣCα                                                   (2)

in this order: weight, moments (aligning moments; drive forces), camber, load transfer. Inclination against the road is
that of a body that rolls with its wheels (body_roll), that of the wheels against the body as they travel (roll_camber)
and as they are steered (steer_camber), and what gives way.

Weight, moments, load transfer and body roll are told of the car without air; what air changes in them (wheel loads and
with them Cα, drive forces) is the term aero. All else is told of the car in air.

What gives way is taken apart by load: ε = Σ_f ε_f (``components/suspension/compliance`` (1)), where ε_f is found as the
rate that ε gets when the maps of the load f are switched off, ε̇ = -ε_f/τ, with τ a long lag that is the same for all.
Its toe is the term ``fy_steer``, ``mz_steer``, …, its camber is taken from dγ of (2) as ``fy_camber``, …. Wheels that
run straight with toe and camber give way to the forces of these, and load transfer finds them so: of C_F dFz,

    dFy = Σ_f (C_γF γ_f - C_αF ψ_f) dFz,    C_αF = ∂²Fy/∂α∂Fz,   C_γF = ∂²Fy/∂γ∂Fz                                 (3)

with ψ_f and γ_f of running straight, belongs to what gives way to f and is in its terms, too. So does what travel from
design makes of toe and camber of a car that does not stand at design: it is in roll_steer and roll_camber; that the air
moves wheels further goes away with either (`Budget.effect`). What steers besides (column, torsion bar) is told as
other_steer. What (1) and (2) leave over (sides that differ, contacts that are not below the wheel centres) is told as
rest. Steer camber follows the hand wheel, and so K itself: with C = Σ steer_camber/(d(δ/i)/da_y), a term t that goes
away takes

    ΔK = t/(1 - C)                                                                                               (4)

with it. The sums over an axle are the cornering compliances of [Bundorf1976], that
of the rear axle with a minus.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError
from jounce.sim import car, statics
from jounce.sim.steady import run_steadily

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]

HAND = math.radians(0.5)  # of the hand wheel, to either side
SPEED = 100 / 3.6
LOADS = ("fx", "fy", "fz", "mz")  # that wheels give way to
OF_TIRES = ("weight", "moments", "load_transfer", "body_roll")
TERMS = (
    *(*OF_TIRES, "roll_camber", "steer_camber", "roll_steer"),
    *(f"{load}_{what}" for what in ("steer", "camber") for load in LOADS),
    *("other_steer", "aero", "rest"),
)
STATIC = {"static_roll_steer": "roll_steer", "static_roll_camber": "roll_camber"}  # parts of these terms
AIR = "aero.active"  # parameters that switch the air off
LAG = 1e6  # s: τ, beside which all else in it is nothing
_GAIN = re.compile(r"(\w+)\.compliance\.(?:.+\.)?(toe|camber)\.(f[xyz]|mz)(?:_\w+)?\.gain")
STEER = "steering_wheel"
SLIP, LOAD = math.radians(0.02), 20.0  # steps of the differences of tires: rad, N


@dataclass(frozen=True)
class Budget:
    """Terms of the gradient, rad per m/s²; understeer is positive."""

    terms: Mapping[tuple[str, str], float]  # by term and axle
    gradient: float
    speed: float
    steer: float  # of the wheels by the hand wheel, rad per m/s²
    lowered: Mapping[str, float]  # by axle: what the air adds to roll_steer and roll_camber, as it moves wheels

    def effect(self, term: str, axle: str) -> float:
        """What the gradient loses with a term (4)."""
        follows = math.fsum(value for (name, _), value in self.terms.items() if name == "steer_camber")
        lost = self.terms[term, axle] + (self.lowered[axle] if term == "aero" else 0.0)
        return lost / (1 - follows / self.steer)

    def axle(self, word: str) -> float:
        """Sum of an axle: minus the cornering compliance of the rear one."""
        return math.fsum(value for (_, axle), value in self.terms.items() if axle == word)

    def in_degrees(self) -> dict[str, float]:
        """Terms, and their sum, in deg/g."""
        per_g = math.degrees(GRAVITY)
        named = {f"{term}_{axle}": per_g * value + 0.0 for (term, axle), value in self.terms.items()}
        return named | {"understeer_gradient": per_g * self.gradient}


def understeer_budget(vehicle: Vehicle, speed: float = SPEED) -> Budget:
    """The budget of a car with one steered axle, the first, and one behind it."""
    axles = vehicle.layout.axles
    if len(axles) != 2 or axles[0].data.steering is None or any(len(a.wheels) != 2 for a in axles):
        raise ParameterError("understeer budget: for cars with two axles of two wheels, the front one steered")
    still, _, _ = _Budgeting(vehicle, speed, air=False).terms()
    terms, gradient, steer = _Budgeting(vehicle, speed, air=True).terms()
    lowered: dict[str, float] = {}
    for axle in axles:
        terms["aero", axle.word] = math.fsum(terms[name, axle.word] - still[name, axle.word] for name in OF_TIRES)
        lowered[axle.word] = math.fsum(terms[part, axle.word] - still[part, axle.word] for part in STATIC)
        terms |= {(name, axle.word): still[name, axle.word] for name in OF_TIRES}
        for part, name in STATIC.items():
            terms[name, axle.word] += terms.pop((part, axle.word))
    return Budget(terms, gradient, speed, steer, lowered)


class _Budgeting:
    """The terms of a car in air, or without it."""

    def __init__(self, vehicle: Vehicle, speed: float, air: bool) -> None:
        self.vehicle, self.speed = vehicle, speed
        self.description = car.describe(vehicle)
        self.sim: Simulation = car.simulation(self.description)
        statics.settle(self.sim, self.description)
        self.loads = {w: self.sim.output(f"Tire.Ground_Surface_Force_Z.{w}") for w in vehicle.layout.wheels}
        if not air:
            self.sim.set_parameters({name: 0.0 for name in self.sim.parameters if name.endswith(AIR)})
        self.states = {}
        standing = self.sim.snapshot()
        for sign in (1.0, 0.0, -1.0):
            self.sim.restore(standing)
            self.sim.set_inputs({STEER: sign * HAND})
            run_steadily(self.sim, self.description, speed)
            self.states[sign] = (self.sim.x.copy(), self.sim.m.copy(), self.sim.u.copy())
        self.names = [v.name for v in self.sim.model.outputs]
        self.found = {sign: self._outputs(*state) for sign, state in self.states.items()}

    def _outputs(self, x: Array, m: Array, u: Array) -> dict[str, float]:
        return dict(zip(self.names, map(float, self.sim.outputs(x=x, m=m, u=u)), strict=True))

    def _difference(self, channel: str) -> float:
        return (self.found[1.0][channel] - self.found[-1.0][channel]) / 2

    def terms(self) -> tuple[dict[tuple[str, str], float], float, float]:
        """By name and axle; the gradient; the steer of the front wheels by the hand wheel, over a_y."""
        a = self._difference("System_Mass_Center.Tracking_Ay")
        front, rear = self.vehicle.layout.axles
        stages, (gives, given) = self._stages(), self._gives()
        given |= self._travelled()
        by_hand = float(np.mean([stages["hand", "steer", w.name] for w in front.wheels]))
        curvature = self._difference("chassis_velocities.yaw") / self.speed
        gradient = (by_hand - self.vehicle.wheelbase * curvature) / a
        terms: dict[tuple[str, str], float] = {}
        for axle, s in ((front, -1.0), (rear, 1.0)):
            angles = self._axle([w.name for w in axle.wheels], a, stages, gives, given)
            terms |= {(name, axle.word): s * angles.get(name, 0.0) / a for name in (*TERMS, *STATIC)}
        # contacts are not below the wheel centres: what is left of L κ
        terms["rest", rear.word] += gradient - math.fsum(terms.values())
        return terms, gradient, by_hand / a

    def _axle(
        self,
        wheels: list[str],
        a: float,
        stages: Mapping[tuple[str, str, str], float],
        gives: Mapping[tuple[str, str, str], float],
        given: Mapping[tuple[str, str, str], float],
    ) -> dict[str, float]:
        """Parts of ᾱ + ψ̄ of an axle, without what the hand wheel does."""
        slopes = {w: self._tire(w) for w in wheels}
        stiffness = math.fsum(c["alpha"] for c in slopes.values())

        def by_camber(inclination: Callable[[str], float]) -> float:
            return -math.fsum(c["gamma"] * inclination(w) for w, c in slopes.items())

        def mean(values: Callable[[str], float]) -> float:
            return float(np.mean([values(w) for w in wheels]))

        force = math.fsum(self._difference(f"Tire.Ground_Surface_Force_Y.{w}") for w in wheels)
        weight = math.fsum(self.loads[w] for w in wheels) / GRAVITY * a
        transfer = {w: self._difference(f"Tire.Ground_Surface_Force_Z.{w}") for w in wheels}
        moved = math.fsum(c["load"] * transfer[w] for w, c in slopes.items())

        def of_static(what: str, load: str, slope: str, sign: float) -> float:
            """(3), by one load."""
            return -math.fsum(
                sign * c[slope] * given.get((what, load, w), 0.0) * transfer[w] for w, c in slopes.items()
            )

        by_toe = {cause: of_static("toe", cause, "alpha_load", -1.0) for cause in (*LOADS, "travel")}
        by_lean = {cause: of_static("camber", cause, "gamma_load", 1.0) for cause in (*LOADS, "travel")}
        left = -moved - math.fsum(by_toe.values()) - math.fsum(by_lean.values())
        forces = {"weight": weight, "moments": force - weight, "load_transfer": left}
        for name, stage in (("roll_camber", "travel"), ("steer_camber", "hand")):
            forces[name] = by_camber(lambda w, stage=stage: stages[stage, "camber", w])  # type: ignore[misc]
        for load in LOADS:
            forces[f"{load}_camber"] = by_camber(lambda w, load=load: gives.get(("camber", load, w), 0.0))  # type: ignore[misc]
        on_body = math.fsum(value for name, value in forces.items() if name.endswith("camber"))
        forces["body_roll"] = by_camber(lambda w: self._difference(f"Wheel.Inclination.{w}")) - on_body
        for load in LOADS:
            forces[f"{load}_camber"] += by_lean[load]
            forces[f"{load}_steer"] = by_toe[load]
        forces |= {"static_roll_steer": by_toe["travel"], "static_roll_camber": by_lean["travel"]}
        angles = {name: value / stiffness for name, value in forces.items()}
        slip = mean(lambda w: self._difference(f"Tire.Lateral_Slip_With_Lag.{w}"))
        angles["rest"] = slip - math.fsum(angles.values())
        angles["roll_steer"] = mean(lambda w: stages["travel", "steer", w])
        steers = {f"{load}_steer": mean(lambda w, load=load: gives.get(("toe", load, w), 0.0)) for load in LOADS}  # type: ignore[misc]
        angles["other_steer"] = mean(lambda w: stages["other", "steer", w]) - math.fsum(steers.values())
        return angles | {name: angles[name] + value for name, value in steers.items()}

    def _stages(self) -> dict[tuple[str, str, str], float]:
        """Steer and inclination of each wheel by travel, by the hand wheel and by all else, per half of the difference
        of states: by stage, angle and wheel."""
        places = self.vehicle.layout.wheels
        known = {wheel.travel for wheel in places.values()}
        travels = [i for i, v in enumerate(self.sim.model.states) if v.name in known]
        result: dict[tuple[str, str, str], float] = {}
        for sign in (1.0, -1.0):
            x, m, u = (values.copy() for values in self.states[0.0])
            there = self.states[sign]
            seen = [("", self._outputs(x, m, u))]
            x[travels] = there[0][travels]
            seen.append(("travel", self._outputs(x, m, u)))
            u[:] = there[2]
            x += self._turned(sign * HAND)
            seen.append(("hand", self._outputs(x, m, u)))
            seen.append(("other", self._outputs(*there)))
            for (_, before), (stage, after) in pairwise(seen):
                for w, place in places.items():
                    for angle, channel, of_map in (
                        ("steer", f"Wheel.Spindle_Steer.{w}", 1.0),
                        ("camber", f"wheel_angles.camber_{w}", -place.outwards),
                    ):
                        change = sign * of_map * (after[channel] - before[channel]) / 2
                        result[stage, angle, w] = result.get((stage, angle, w), 0.0) + change
        return result

    def _travelled(self) -> dict[tuple[str, str, str], float]:
        """Steer (left) and inclination (top to the right) that the travels of running straight make."""
        places = self.vehicle.layout.wheels
        known = {wheel.travel for wheel in places.values()}
        x, m, u = (values.copy() for values in self.states[0.0])
        here = self._outputs(x, m, u)
        x[[i for i, v in enumerate(self.sim.model.states) if v.name in known]] = 0.0
        there = self._outputs(x, m, u)
        found = {}
        for w, place in places.items():
            steer, camber = f"Wheel.Spindle_Steer.{w}", f"wheel_angles.camber_{w}"
            found["toe", "travel", w] = here[steer] - there[steer]
            found["camber", "travel", w] = -place.outwards * (here[camber] - there[camber])
        return found

    def _turned(self, hand: float) -> Array:
        """What the hand wheel alone changes in states: a rack that has one follows it, but for the torsion bar."""
        place = self.vehicle.layout.axles[0]
        moved = place.data.steering.turned(place, hand)
        return np.array([moved.get(v.name, 0.0) for v in self.sim.model.states])

    def _gives(self) -> tuple[dict[tuple[str, str, str], float], dict[tuple[str, str, str], float]]:
        """Steer (left) and inclination (top to the right) by property, load and wheel: per half of the difference, and
        of running straight."""
        sim = self.sim
        states = {v.name: i for i, v in enumerate(sim.model.states)}
        gains: dict[tuple[str, str, str], list[str]] = {}
        for name in sim.parameters:
            match = _GAIN.fullmatch(name)
            if match is not None and f"{match[1]}.compliance.{match[2]}" in states:
                gains.setdefault((match[2], match[3], match[1]), []).append(name)
        lags = {name: sim.parameter(name) for name in sim.parameters if name.endswith(".compliance.lag")}
        found, straight = {}, {}
        sim.set_parameters(dict.fromkeys(lags, LAG))
        for (what, load, wheel), names in gains.items():
            at = states[f"{wheel}.compliance.{what}"]
            kept = {name: sim.parameter(name) for name in names}
            own = {}
            for sign, (x, m, u) in self.states.items():
                whole = sim.derivatives(x=x, m=m, u=u)[0][at]
                sim.set_parameters(dict.fromkeys(names, 0.0))
                own[sign] = LAG * (whole - sim.derivatives(x=x, m=m, u=u)[0][at])
                sim.set_parameters(kept)
            outwards = self.vehicle.layout.wheels[wheel].outwards
            found[what, load, wheel] = -outwards * (own[1.0] - own[-1.0]) / 2
            straight[what, load, wheel] = -outwards * own[0.0]
        sim.set_parameters(lags)
        return found, straight

    def _tire(self, wheel: str) -> dict[str, float]:
        """Slopes of the lateral force over slip angle, inclination and load, and those of the first two over load, as
        the wheel runs straight."""
        place = self.vehicle.layout.wheels[wheel]
        tire = self.description.tires[wheel]
        here = self.found[0.0]
        at = {
            "load": here[f"Tire.Ground_Surface_Force_Z.{wheel}"],
            "alpha": here[f"Tire.Lateral_Slip_With_Lag.{wheel}"],
            "gamma": here[f"Wheel.Inclination.{wheel}"],
        }
        kappa = here[f"Tire.Longitudinal_Slip_With_Lag.{wheel}"]
        side = "left" if place.side == "L" else "right"

        def force(**changes: float) -> float:
            p = at | changes
            f = tire.steady(p["load"], kappa, p["alpha"], p["gamma"], mounted=side, vx=self.speed)
            return float(f.fy)

        steps = {"alpha": SLIP, "gamma": SLIP, "load": LOAD}

        def slope(name: str, **changes: float) -> float:
            h = steps[name]
            up, down = (force(**changes, **{name: at[name] + step}) for step in (h, -h))
            return (up - down) / (2 * h)

        result = {name: slope(name) for name in steps}
        for name in ("alpha", "gamma"):
            up, down = (slope(name, load=at["load"] + step) for step in (LOAD, -LOAD))
            result[f"{name}_load"] = (up - down) / (2 * LOAD)
        return result
