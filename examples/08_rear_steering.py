"""Rear steering with a yaw control of one's own. Expected: less than half the error of the yaw rate.

    r* = v δ/i / (L (1 + (v/v_ch)²))                  yaw rate that a driver expects                              (1)
    s* = clip(gain · (r* - r), -travel, travel)       travel of both actuators                                    (2)
    τ/2 ẋ = s* - x,   τ/2 ṡ = x - s                   which follow with their lag                                 (3)

δ hand wheel angle, i steering ratio, L wheelbase, v_ch the speed at which (1) is largest ([Milliken1995] ch. 5). Too
little yaw rate to the left wants rear wheels to the right: the sign of ``gain`` is that of the maps.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import jounce as jn
from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.components.steering.actuated import PORT
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip


class YawControl(Part):
    """Rear steering by the error of the yaw rate."""

    family: ClassVar[str] = "controller"

    kind: Literal["yaw_control"] = choice("yaw_control", doc="kind of controller")
    gain: float = quantity("m.s/rad", typical=(1e-4, 1.0), doc="travel of the actuators per error of the yaw rate")
    travel: float = quantity("m", 0.02, gt=0, typical=(1e-3, 0.1), doc="largest travel")
    lag: float = quantity("s", 0.05, gt=0, typical=(5e-3, 0.5), doc="of the actuators, τ")
    steering_ratio: float = quantity("-", 15.0, gt=0, typical=(5.0, 40.0), doc="hand wheel over wheels, i")
    wheelbase: float = quantity("m", gt=0, typical=(1.0, 10.0), doc="L")
    characteristic_speed: float = quantity("m/s", 25.0, gt=0, typical=(5.0, 100.0), doc="v_ch")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for side in ("left", "right"):
            at.signals.add(f"{PORT}.{side}", lambda: self._travel(at, p), "the yaw control")

    def _travel(self, at: VehicleModel, p: Symbols) -> Any:
        if "travel" not in p.kept:
            scope, system, chassis = at.scope("rear_actuators"), at.system, at.units[0].chassis
            asked = scope.declare_coordinate("asked", "m", system.world, doc="travel half-way", role="balance")
            travel = scope.declare_coordinate("travel", "m", system.world, doc="of the actuators", role="balance")
            hand = at.signals.read("steering_wheel", "the yaw control")
            v = chassis.v[0]
            relative = v / p.characteristic_speed
            expected = v * hand / p.steering_ratio / (p.wheelbase * (1 + relative * relative))  # (1)
            wanted = clip(p.gain * (expected - chassis.w[2]), -p.travel, p.travel)  # (2)
            # both rates at once: others ask how fast the wheels turn as soon as they steer
            system.set_coordinate_rate(travel, (asked - travel) / (0.5 * p.lag))  # (3)
            system.set_coordinate_rate(asked, (wanted - asked) / (0.5 * p.lag))
            p.kept.update(travel=travel, expected=expected)
        return p.kept["travel"]

    def close(self, at: VehicleModel, p: Symbols) -> None:
        self._travel(at, p)
        expected = p.kept["expected"]
        at.channel("Yaw_Control.Expected_Yaw_Rate", expected, "rad/s", "yaw rate that a driver expects")


def four_wheels_steered() -> jn.Vehicle:
    """The sedan with actuators that turn its rear wheels by 4 degrees per centimetre, against their travel."""
    return jn.load("sedan").with_(rear_steering={"steer": "-4 deg/cm"})


if __name__ == "__main__":
    car, event, error = four_wheels_steered(), jn.events.StepSteer(speed="90 km/h", amplitude="30 deg"), {}
    for gain in (0.0, 0.1):  # only numbers differ: the second compiles nothing
        run = jn.run(car, event, blocks=[YawControl(gain=gain, wheelbase=car.wheelbase, characteristic_speed=35.0)])
        error[gain] = abs(run["Yaw_Control.Expected_Yaw_Rate"][-1] - run["chassis_velocities.yaw"][-1])
        moved = run["Rear_Steering_System.actuator_displacement.left"][-1]
        print(f"gain {gain}: yaw rate off by {error[gain]:.4f} rad/s, actuators at {1e3 * moved:.2f} mm")
    assert error[0.1] < 0.5 * error[0.0]
