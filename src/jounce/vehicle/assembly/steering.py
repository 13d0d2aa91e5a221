"""From the hand wheel to the input of the steering maps."""

from __future__ import annotations

from jounce.vehicle.assembly.context import Context


def add_input(context: Context) -> None:
    """The input u of the steering maps: hand wheel angle or rack travel."""
    steering = context.vehicle.steering
    scope = context.system.scope("steering")
    scale = scope.parameter("gear_ratio_scale", steering.gear_ratio_scale, "-", "divides the hand wheel angle")
    angle = context.inputs.steering_wheel / scale
    rack = None
    if steering.rack_travel is not None:
        rack = context.curve(scope, "rack_travel", steering.rack_travel, [angle])
        context.channel("Steering_System.Rack_Displacement", rack, "m", "rack travel")
    if steering.input == "rack_travel":
        assert rack is not None
        context.steer_input = rack
    else:
        context.steer_input = angle
    context.channel("driver_demands.steering", context.inputs.steering_wheel, "rad", "hand wheel angle, left positive")


def add_feedback(context: Context) -> None:
    """Moments about the kingpins and what the driver feels of them."""
