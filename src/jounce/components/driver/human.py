"""A driver who is no machine: he sees late and coarsely, his arms are slow, and they tremble.

Around the law of a driver of a path (``lateral``), at its samples of h = 10 ms:

*Seeing.* Speed, side slip, yaw rate, offset and error of heading x are rounded to what he can tell apart, go through a
low-pass and come τ later,

    x_q = q round(x/q),    ẋ_f = 2π f (x_q − x_f),    x_p(t) = x_f(t − τ)                                          (1)

What has happened since then he expects: he knows what his hands δ did, how the car answers them, and sees the curvature
κ of the path. Over the time θ of his delays, as far as he is skilled (η),

    ε̇ = δ v/(i (L + C v²)) − κ v cos ε,    ḋ = v sin(ε + β),    θ = τ + 1/(2π f) + 2ζ/ω_n                          (2)
    ε ← ε + η (ε(θ) − ε),   d ← d + η (d(θ) − d),   ψ̇ ← ψ̇ + η (δ(θ) − δ(0)) v/(i (L + C v²))

with the ratio i, the wheelbase L and the slip C of the steered axle that the law has, too; for the lag of his arms, the
last part of θ, his hands stay where they are. (A driver who went on with the yaw rate that he saw would lose the car:
over half a second it has changed.)

*Acting.* He takes the steering for more direct than it is by the share e, and his arms are a system of second order
with a largest rate; the unrest of his hand is noise in front of them,

    δ̈ = ω_n² ((1 + e) δ_law + n − δ) − 2ζ ω_n δ̇,    ζ = 0.7,   |δ̇| ≤ rate                                         (3)

by the implicit rule of Euler. n is uniform noise, from a generator of [ParkMiller1988] that begins with the seed,
through a low-pass of a = 3 rad/s (the remnant of [McRuer1974]), as large as gives the hand wheel its standard deviation
σ: its variance before both is 2σ² (b_1 b_2 − b_0)/(h b_0 b_2) with b_0 = a ω_n², b_1 = ω_n² + 2ζ ω_n a,
b_2 = a + 2ζ ω_n. So a worse driver has more of it, at lower frequencies.

*Torque.* Where ``arms`` are given and the steering has a hand wheel with inertia that the run lets go
(``steering_release`` = 1), the hand wheel is not moved but pushed: with the angle δ_w of the hand wheel,

    T = K (δ − δ_w) + B (δ̇ − δ̇_w)                                                                               (4)

Numbers by skill are ours, of the order of [Macadam2003]; delays are whole samples. With a skill of ``robot`` there is
nothing of all this. While a human drives, laws do not anticipate and look at least one second ahead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from jounce.core.derived import derived
from jounce.core.fields import Data, choice, part, quantity
from jounce.symbolic.ops import clip, cos, floor, fmod, if_else, sin

if TYPE_CHECKING:
    from jounce.components.model import VehicleModel
    from jounce.components.part import Symbols

DEGREE = math.pi / 180
DAMPING = 0.7  # ζ
REMNANT = 3.0  # rad/s, a
LEAST_PREVIEW = 1.0  # s
MODULUS, FACTOR = 2147483647.0, 16807.0  # of the generator
WARM_UP = 3  # numbers that are thrown away: neighbouring seeds begin alike
PERIOD = 0.01  # s, of the driver's samples
RESOLUTION = {
    "speed": 0.1,
    "side_slip": 0.1 * DEGREE,
    "yaw_rate": 0.1 * DEGREE,
    "offset": 0.02,
    "heading_error": 0.1 * DEGREE,
}
TORQUE = "Steering_Assist.steering_torque.torque"


@dataclass(frozen=True)
class Skill:
    """Numbers of a skill."""

    delay: float  # s
    filter: float  # Hz
    arms: float  # rad/s
    rate: float  # rad/s
    pedals: float  # s
    gain_error: float
    noise: float  # rad
    prediction: float


SKILLS = {
    "professional": Skill(0.10, 10.0, 25.0, 1000 * DEGREE, 0.08, 0.0, 0.2 * DEGREE, 0.95),
    "standard": Skill(0.18, 5.0, 15.0, 600 * DEGREE, 0.15, 0.1, 0.5 * DEGREE, 0.8),
    "novice": Skill(0.28, 3.0, 10.0, 400 * DEGREE, 0.25, 0.2, 1.0 * DEGREE, 0.6),
}
NONE = Skill(0.0, 1e3, 1e3, 1e3, 0.0, 0.0, 0.0, 0.0)


class Arms(Data):
    """Of a hand that pushes rather than moves the hand wheel (4)."""

    stiffness: float = quantity("N.m/rad", 30.0, gt=0, typical=(5.0, 200.0), doc="of both arms at the hand wheel, K")
    damping: float = quantity("N.m.s/rad", 1.5, ge=0, typical=(0.1, 10.0), doc="of both arms at the hand wheel, B")


class Human(Data):
    """What makes a driver human."""

    skill: Literal["robot", "professional", "standard", "novice"] = choice("robot", doc="how well he drives")
    seed: float = quantity("-", 1.0, ge=1, le=1e6, doc="of his noise: a whole number; the same seed, the same run")
    resolves: float = quantity("-", 1.0, gt=0, typical=(0.1, 10.0), doc="factor on what he can tell apart")
    arms: Arms | None = part(None, doc="hands that push the hand wheel; absent: they move it")

    @property
    def numbers(self) -> Skill:
        return SKILLS.get(self.skill, NONE)

    @derived("Hz", doc="up to which he sees, f", low=1e-3)
    def filter(self, place: Any) -> float:
        return self.numbers.filter

    @derived("rad/s", doc="of his arms, ω_n", low=1e-3)
    def arm_frequency(self, place: Any) -> float:
        return self.numbers.arms

    @derived("rad/s", doc="largest rate of the hand wheel", low=0.0)
    def fastest(self, place: Any) -> float:
        return self.numbers.rate

    @derived("-", doc="by which he takes the steering for more direct, e")
    def gain_error(self, place: Any) -> float:
        return self.numbers.gain_error

    @derived("rad", doc="standard deviation of the hand wheel by the unrest of his hand, σ", low=0.0)
    def noise(self, place: Any) -> float:
        return self.numbers.noise

    @derived("-", doc="share of his delays that he expects, η", low=0.0)
    def prediction(self, place: Any) -> float:
        return self.numbers.prediction

    # -- seeing ----------------------------------------------------------------------------------------------------

    def perceive(
        self, p: Symbols, block: Any, measured: dict[str, Any], curvature: Any, answer: Callable[[Any], Any]
    ) -> dict[str, Any]:  # fmt: skip
        """What he takes for the measured signals (1), (2); ``answer``: yaw rate per hand wheel angle over the speed."""
        h, samples = block.period, round(self.numbers.delay / PERIOD)
        begun = block.signal("seen.begun", "-", "1 once he has seen something")
        first = begun < 0.5
        block.update(begun, 1.0)
        share = clip(2 * math.pi * p.filter * h / (1 + 2 * math.pi * p.filter * h), 0.0, 1.0)
        seen = {}
        for name, value in measured.items():
            unit = {"speed": "m/s", "offset": "m", "yaw_rate": "rad/s"}.get(name, "rad")
            q = RESOLUTION[name] * p.resolves
            rounded = q * floor(value / q + 0.5)
            filtered = block.signal(f"seen.{name}", unit, "as his eyes filter it")
            new = if_else(first, value, filtered + share * (rounded - filtered))
            block.update(filtered, new)
            for k in range(samples):
                held = block.signal(f"seen.{name}.{k + 1}", unit, f"{k + 1} samples ago")
                block.update(held, if_else(first, value, new))
                new = if_else(first, value, held)
            seen[name] = new
        late = round(1 / (2 * math.pi * self.numbers.filter) / PERIOD)
        did = [block.signal(f"did.{k}", "rad", f"what his hands did {k} samples ago") for k in range(samples + late)]
        p.kept.update(did=did)
        if did:
            arms = 2 * DAMPING / p.arm_frequency
            v, gain = seen["speed"], answer(seen["speed"])
            error, offset = seen["heading_error"], seen["offset"]
            for hands, time in [*((hands, h) for hands in reversed(did)), (did[0], arms)]:
                turns = gain * hands - curvature * v * cos(error)
                offset = offset + time * v * sin(error + seen["side_slip"] + 0.5 * time * turns)  # (2)
                error = error + time * turns
            seen["yaw_rate"] = seen["yaw_rate"] + p.prediction * gain * (did[0] - did[-1])
            seen["offset"] = seen["offset"] + p.prediction * (offset - seen["offset"])
            seen["heading_error"] = seen["heading_error"] + p.prediction * (error - seen["heading_error"])
        return seen

    # -- acting ----------------------------------------------------------------------------------------------------

    def act(self, p: Symbols, block: Any, demand: Any, starts: Any, last: Any) -> Any:
        """What his arms make of a demand (3)."""
        h = block.period
        random = block.signal("random", "-", "last number of his generator")
        angle = block.signal("arms.angle", "rad", "of his hands")
        rate = block.signal("arms.rate", "rad/s", "of his hands")
        seeded = floor(p.seed)
        for _ in range(WARM_UP):
            seeded = fmod(FACTOR * seeded, MODULUS)
        number = if_else(random > 0.5, fmod(FACTOR * random, MODULUS), seeded)
        block.update(random, number)
        omega = p.arm_frequency
        b0, b1 = REMNANT * omega * omega, omega * omega + 2 * DAMPING * omega * REMNANT
        b2 = REMNANT + 2 * DAMPING * omega
        size = p.noise * (2 * (b1 * b2 - b0) / (h * b0 * b2)) ** 0.5
        unrest = block.signal("unrest", "rad", "of his hands")
        drawn = size * math.sqrt(12.0) * (number / MODULUS - 0.5)
        unrested = unrest + REMNANT * h / (1 + REMNANT * h) * (drawn - unrest)
        block.update(unrest, unrested)
        wanted = (1 + p.gain_error) * demand + unrested
        was, turned = if_else(starts, last, angle), if_else(starts, 0.0, rate)
        turns = (turned + h * omega * omega * (wanted - was)) / (1 + 2 * DAMPING * omega * h + (omega * h) ** 2)
        turns = clip(turns, -p.fastest, p.fastest)
        block.update(rate, turns)
        now = was + h * turns
        block.update(angle, now)
        did = p.kept["did"]
        for k, signal in enumerate(did):
            block.update(signal, if_else(starts, now, now if k == 0 else did[k - 1]))
        return now

    def push(self, at: VehicleModel, p: Symbols, by: str) -> None:
        """Add the torque of his hands to the hand wheel (4); in the phase ``provide``."""

        def torque() -> Any:
            steered = at.place.steered
            axle = next(item for item in at.axles if item.place is steered)
            _, speed, rate = axle.linkage.free
            behind = axle.linkage.hand - at.signals.read("steering_wheel", by)
            return -p.arms.stiffness * behind - p.arms.damping * (speed - rate)

        at.signals.add(TORQUE, torque, by)


def pedal_lag(skill: str) -> float | None:
    """Time constant of the foot of a skill, s; None of a robot."""
    return SKILLS[skill].pedals if skill in SKILLS else None
