"""What a parallel hybrid does with its pedal: motor alone, engine and motor, engine that charges.

With the pedal u, the speed v of the car and the state of charge s, sampled. The engine takes part (on = 1) from

    u > u_on,  v > v_on  or  s < s_low   until   u < u_off,  v < v_off  and  s > s_low + Δs                          (1)

Both machines together make the same torque of a pedal either way; with g = (T_engine + T_motor)/T_motor,

    off:   engine 0,            motor min(1, g u),   clutch open
    on:    engine min(1, u + c),  motor u − (g − 1) c,  clutch closed                                               (2)

c = c₀ clip((s_t − s)/Δs, 0, 1) charges below the target s_t while the car moves; a negative share of the motor is that
of its largest torque, backwards. The clutch closes in a time. Rules of this kind: [Guzzella2013] chapter 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.drive.base import Station
from jounce.components.drive.control import Control
from jounce.core.fields import choice, problem, quantity
from jounce.symbolic.ops import clip, fmax, if_else, logic_and, logic_or

ASLEEP = 0.005  # pedal below which nothing is charged at rest


class ParallelHybrid(Control):
    """Shares the pedal between engine and motor, after rules."""

    kind: Literal["parallel_hybrid"] = choice("parallel_hybrid", doc="kind of part")
    on_throttle: float = quantity("-", 0.35, gt=0, le=1, typical=(0.05, 1.0), doc="pedal that starts the engine, u_on")
    off_throttle: float = quantity("-", 0.2, ge=0, le=1, typical=(0.0, 0.8), doc="below which it may stop, u_off")
    on_speed: float = quantity("m/s", 22.0, gt=0, typical=(2.0, 60.0), doc="speed that starts the engine, v_on")
    off_speed: float = quantity("m/s", 18.0, gt=0, typical=(1.0, 55.0), doc="below which it may stop, v_off")
    low_charge: float = quantity("-", 0.3, ge=0, lt=1, typical=(0.05, 0.8), doc="charge that starts the engine, s_low")
    target_charge: float = quantity("-", 0.55, gt=0, le=1, typical=(0.1, 0.95), doc="below which it charges, s_t")
    band: float = quantity("-", 0.05, gt=0, lt=1, typical=(0.005, 0.3), doc="of charge, Δs")
    torque_ratio: float = quantity("-", 1.7, gt=1, typical=(1.05, 10.0), doc="torques of both over the motor's, g")
    charging: float = quantity("-", 0.15, ge=0, le=1, typical=(0.0, 0.5), doc="pedal more of the engine to charge, c₀")
    time: float = quantity("s", 0.4, gt=0, typical=(0.05, 3.0), doc="that closing the clutch takes")

    @model_validator(mode="after")
    def _hysteresis(self) -> Self:
        for low, high in (("off_throttle", "on_throttle"), ("off_speed", "on_speed")):
            if getattr(self, low) >= getattr(self, high):
                raise problem(f"{getattr(self, low):g}: must be below {high}, {getattr(self, high):g}", low)
        return self

    flag: ClassVar[str] = "hybrid"
    says: ClassVar[Mapping[str, str]] = {
        "hybrid": "1 while the engine takes part",
        "engine_pedal": "share of the pedal that the engine has",
        "motor_pedal": "share of the pedal that the motor has, negative: it charges",
        "coupled": "how far the clutch may be closed",
    }

    def law(self, here: Station) -> dict[str, tuple[Any, Any]]:
        p, last = here.p, here.kept
        u: Any = here.read("throttle")
        v, s = here.read("driveline.vehicle_speed"), here.read_or("battery.charge", 1.0)
        start = logic_or(logic_or(u > p.on_throttle, v > p.on_speed), s < p.low_charge)
        stays = logic_or(logic_or(u > p.off_throttle, v > p.off_speed), s < p.low_charge + p.band)
        on = if_else(logic_or(start, logic_and(last["hybrid"] > 0.5, stays)), 1.0, 0.0)  # (1)
        moving = logic_or(v > p.off_speed / 4, u > ASLEEP)
        c = if_else(moving, p.charging * clip((p.target_charge - s) / p.band, 0.0, 1.0), 0.0)
        engine = on * if_else(u + c > 1, 1.0, u + c)  # (2)
        together = fmax(-1.0, u - (p.torque_ratio - 1) * c)
        motor = if_else(on > 0.5, together, if_else(p.torque_ratio * u > 1, 1.0, p.torque_ratio * u))
        step = last["block"].period / p.time
        closing = clip(last["coupled"] + if_else(on > 0.5, step, -step), 0.0, 1.0)
        closing = if_else(last["started"] > 0.5, closing, on)
        return {
            "hybrid": (on, on),
            "engine_pedal": (engine, engine),
            "motor_pedal": (motor, motor),
            "coupled": (closing, on),
        }
