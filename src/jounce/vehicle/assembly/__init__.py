"""The car as a system of equations: a sprung body on four wheel carriers guided by maps, four spinning wheels on tires.

The chassis frame has its origin in the centre of gravity of the sprung mass with everything on board. A carrier's pose
in it is (signs of docs/conventions.md)

    p = p_design + (x, y, J),     R = Rz(ψ) Rx(φ) Ry(θ)                                                      (1)
    left:  ψ = -toe (or steer),  φ = -camber,  θ = -side view angle;    right:  ψ = +toe (or steer),  φ = +camber

with every map a function of own travel J, of the paired wheel's travel, or of the steering input.  Inertia and jacking
forces follow from (1) by differentiation (symbolic/kane.py); nothing of them is written here.

Numbers are parameters and tables of the system; choices of the vehicle's data are structure. Outputs have the names of
the channel catalogue, values in SI and ISO 8855 signs. One file per part of the car:

    context     what the parts share, and how curves become expressions
    body        the sprung mass, in one piece or split in two
    steering    from the hand wheel to the input of the steering maps; kingpin moments, hand torque
    corner      guidance, carrier, wheel, tire
    elements    springs, dampers, stops, anti-roll devices
    brakes, drive, aero
    road_plane  what heights over the road refer to
    channels    what is told of the motion of the whole car
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jounce.components.tire.base import Tire
from jounce.road.ground import Ground
from jounce.symbolic.system import System
from jounce.vehicle.assembly import aero, body, channels, corner, elements, road_plane, steering
from jounce.vehicle.assembly.context import CORNERS, PAIRED, TWINS, Context, Relaxation, twins
from jounce.vehicle.schema import Vehicle

__all__ = ["CORNERS", "PAIRED", "TWINS", "Relaxation", "assemble", "twins"]


def assemble(
    vehicle: Vehicle,
    tires: Mapping[str, Tire],
    *,
    inclined: bool = False,
    name: str = "car",
    ground: Ground | Mapping[str, Ground] | None = None,
    system: System | None = None,
    road_inputs: bool = False,
    relaxation: Relaxation = "states",
    tire_inputs: Sequence[str] = (),
) -> System:
    """The car as a system.

    Parameters
    ----------
    vehicle : its data
    tires : tire of each corner (L1, R1, L2, R2), of second tires under L2_twin, R2_twin (absent: as the first); the
        same object at several places is declared once
    inclined : whether the built-in plane may be inclined (a matter of structure)
    ground : another ground than the built-in plane, or one for each corner (and for second tires, if they have others)
    system : an empty system to use instead of a new one
    road_inputs : whether the inputs ``road.L1`` … add a height to the ground under each wheel (a matter of structure)
    relaxation : contact deflections of transient tires as ``states``, or by the ``exact`` update from step to step
    tire_inputs : scaling factors of the tires on which inputs ``L1.tire.LMUY`` … are factors, for example ("LMUY",)
    """
    on = system if system is not None else System(name)
    context = Context(vehicle, on, inclined, ground, road_inputs, relaxation, tire_inputs)
    body.add(context)
    steering.add_input(context)
    context.declare_travel()
    for place in CORNERS:
        corner.add(context, place, tires[place], tires.get(TWINS.get(place, "")))
    for axle in (1, 2):
        elements.add_anti_roll(context, axle)
    steering.add_feedback(context)
    road_plane.add(context)
    aero.add(context)
    channels.add(context)
    return context.system
