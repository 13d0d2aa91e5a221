"""A steering column, forces and moments that are modelled elsewhere: what a run gives the steering through its ports.

    ζ   = hand wheel over the scale of the gear, plus wind-up; or τ⁻¹ of a rack travel, or an input u, that is given (1)
    M_K, tie rods, rack force, hand torque: as computed, or as given                                              (2)

A value that is given counts where its flag is 0, or nobody gives the flag; signs are those of the channels, so that
recorded values give the same again. Names are those of the catalogue, of the
left wheel of the axle where they have a corner: a steering is of an axle.

| value | flag |
|---|---|
| ``Driver_Demands.rack_displacement`` | ``Subsystem_Activation.Internal_Steering_Column_Activity`` |
| ``Steering.L1.SuspensionSplinesInput``, ``…Velocity``; ``Steering.L1.RackDisplacement`` | ``Steering.L1.InternalSteeringColumnFlag`` |
| ``Steering.L1.KingpinMomentLeft``, ``…KingPinMomentRight`` | ``Steering.L1.InternalKingpinMomentFlag`` |
| ``Steering.L1.LeftTierodForceOnRackDirection``, ``…Right…``, ``…RackForce``, ``…SteeringTorque`` | ``…InternalForceAndMomentFeedbackFlag`` |
| ``Steering.Hand_Wheel_Torque`` | ``Steering.Internal_Hand_Wheel_Torque_Computation`` |

``Steering.L1.SteeringCompliance`` is added to the angle of the car's own column. A rack with inertia (``rack_pinion``) has forces instead (``Steering_Assist``); there the first two lines and the last
have no port. Sampled steering models write these inputs as blocks (``jounce.OutsideBlock``).
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jounce.components.model import AxleModel
from jounce.symbolic.ops import if_else

COLUMN = "Subsystem_Activation.Internal_Steering_Column_Activity"
RACK = "Driver_Demands.rack_displacement"
INPUT = "SuspensionSplinesInput"
FORCES = "InternalForceAndMomentFeedbackFlag"
MOMENTS = ("KingpinMomentLeft", "KingPinMomentRight")  # capital P as the catalogue has it
KINGPINS = "InternalKingpinMomentFlag"
TURNING = ("RackDisplacement", INPUT, f"{INPUT}Velocity", "SteeringCompliance", "InternalSteeringColumnFlag")
SHOWN = ("Steering.Hand_Wheel_Torque", "Steering.Internal_Hand_Wheel_Torque_Computation")


def name(at: AxleModel, what: str) -> str:
    """An input of the steering of an axle."""
    return f"Steering.L{at.place.number}.{what}"


def turns_wheels(port: str) -> bool:
    """Whether what a run gives by an input says how far the wheels turn (1)."""
    return port in (RACK, COLUMN) or (port.startswith("Steering.L") and port.split(".")[-1] in TURNING)


def given_angle(at: AxleModel, angle: Any, back: Any, unit: str) -> Any:
    """ζ after what the run gives (1); ``back``: from u to ζ, ``unit``: of u."""
    port, kept = at.vehicle.outside, "1 keeps, 0 removes the steering column"
    rack = port(RACK, "m", "rack travel instead of that of the column", "replacing", rate=True)
    keep = port(COLUMN, "-", kept, "flag", 1.0, rate=True)
    if rack is not None and back is not None:
        angle = back(rack) if keep is None else keep * angle + (1 - keep) * back(rack)
    wound = port(name(at, "SteeringCompliance"), "rad", "added to the angle of the column", "added", rate=True)
    if wound is not None:
        angle = angle + wound
    keep = port(name(at, "InternalSteeringColumnFlag"), "-", kept, "flag", 1.0, rate=True)
    # where both are given, the input of the maps counts
    for what, measure in (("RackDisplacement", "m"), (INPUT, unit)):
        u = port(name(at, what), measure, "instead of what the column gives", "replacing", rate=True)
        if u is not None and (measure == "rad" or back is not None):
            there = u if measure == "rad" else back(u)
            angle = there if keep is None else keep * angle + (1 - keep) * there
    full = f"{at.vehicle.place.prefix}{name(at, INPUT)}"
    if full in at.vehicle.choices.inputs:
        at.system.alias_input(f"{full}Velocity", f"{full}.rate")
    return angle


def given(at: AxleModel, value: Callable[[], Any], what: str, flag: str, unit: str) -> Any:
    """What the run gives instead of a force or moment (2), while its flag says so; None where nobody gives it."""
    named = what if "." in what else name(at, what)
    outside = at.vehicle.outside(named, unit, "instead of the computed one", "replacing")
    named = flag if "." in flag else name(at, flag)
    keep = at.vehicle.outside(named, "-", "1: the computed one counts, 0: the given one", "flag", 1.0)
    if outside is None:
        return None
    return outside if keep is None else if_else(keep > 0.5, value(), outside)
