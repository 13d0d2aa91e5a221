"""What the parts of a car share while it is assembled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jounce.components.tire import wheel
from jounce.components.tire.base import Tire
from jounce.core.curves import Curve
from jounce.core.errors import ParameterError
from jounce.road.ground import Ground, Plane
from jounce.road.inputs import Raised
from jounce.symbolic.system import System
from jounce.vehicle.schema import MAPS, Side, Vehicle

CORNERS: dict[str, tuple[int, Side]] = {"L1": (1, "L"), "R1": (1, "R"), "L2": (2, "L"), "R2": (2, "R")}
# corners in the words of some channels
WORDS = {"L1": "front_left", "R1": "front_right", "L2": "rear_left", "R2": "rear_right"}
TWINS = {"L2": "L2_twin", "R2": "R2_twin"}  # second tires, outside the first
Relaxation = Literal["states", "exact"]  # of tires: integrated with the car, or an exact update from step to step
PAIRED = {"L1": "R1", "R1": "L1", "L2": "R2", "R2": "L2"}


@dataclass
class Inputs:
    """What drives the car."""

    steering_wheel: Any
    throttle: Any
    brake: Any


@dataclass
class Corner:
    """A carrier with its wheel: what other parts of the car ask of it."""

    carrier: Any  # frame, origin in the wheel centre
    rotor: Any
    tire: wheel.Mounted
    psi: Any  # rotation about chassis z
    camber: Any  # user sign
    side_view_angle: Any  # user sign
    x: Any  # displacement of the wheel centre from design
    y: Any
    drive_torque: Any = 0.0
    brake_torque: Any = 0.0  # on the wheel, from the carrier
    twin: wheel.Mounted | None = None  # second tire

    @property
    def load(self) -> Any:
        """What its tires carry."""
        return self.tire.values["fz"] if self.twin is None else self.tire.values["fz"] + self.twin.values["fz"]


def twins(vehicle: Vehicle) -> dict[str, str]:
    """Names of the second tires of a vehicle, by corner."""
    return {place: twin for place, twin in TWINS.items() if vehicle.wheels(*CORNERS[place]).twin is not None}


class Context:
    """The system under construction, the vehicle's data, and what the parts have made so far."""

    def __init__(
        self,
        vehicle: Vehicle,
        system: System,
        inclined: bool,
        ground: Ground | Mapping[str, Ground] | None,
        road_inputs: bool = False,
        relaxation: Relaxation = "states",
        tire_inputs: Sequence[str] = (),
    ) -> None:
        self.vehicle = vehicle
        self.system = system
        self.relaxation, self.tire_inputs = relaxation, tuple(tire_inputs)
        settings = vehicle.system
        gravity = system.parameter("gravity", settings.gravity, "m/s2", "acceleration of gravity, downwards", low=0.0)
        system.world.gravity[2] = -gravity
        for i, axis in enumerate("xy"):
            system.world.gravity[i] = system.parameter(
                f"gravity.{axis}", 0.0, "m/s2", "further gravity along a world axis, for tilt tests and statics"
            )
        # one ground, or one per wheel; the body's heights and angles are then taken over that of the first.
        # A second tire has that of its wheel, unless it is given one of its own
        plane = ground if ground is not None else Plane.declare(system, inclined=inclined)
        self.grounds = dict(plane) if isinstance(plane, Mapping) else dict.fromkeys(CORNERS, plane)
        for place, twin in twins(vehicle).items():
            self.grounds.setdefault(twin, self.grounds[place])
        self.ground: Ground = self.grounds["L1"]
        self.inputs = Inputs(
            system.input(
                "steering_wheel",
                "rad",
                "hand wheel angle, left positive",
                rate=True,
                acceleration=settings.steering_acceleration,
            ),
            system.input("throttle", "-", "drive demand, 0 to 1"),
            system.input("brake", "-", "brake demand, 0 to 1"),
        )
        self.road_heights: dict[str, Any] = {}  # by corner: what is added to the ground under it
        for place in CORNERS if road_inputs else ():
            self._raise_ground(place)
        self.chassis: Any = None  # frame of the sprung mass (of its rear half, when split)
        self.frames: dict[int, Any] = {}  # by axle: the frame that carries it
        self.origins: dict[int, Any] = {}  # by axle: origin of that frame at design, in the vehicle reference frame
        self.masses: list[tuple[Any, Any]] = []  # frame with its origin in the centre of mass, mass
        self.steer_input: Any = None
        self.linkage: Any = None  # hand wheel to rack, see steering.py
        self.steering_loads: list[Any] = []  # of elements on the angle of the linkage, by virtual work
        self.travel: dict[str, tuple[Any, Any]] = {}
        self.blocks: dict[int, wheel.Block] = {}
        self.corners: dict[str, Corner] = {}
        self._shared: dict[str, Any] = {}

    def _raise_ground(self, place: str) -> None:
        """An input that lifts the ground under a corner, with its rate."""
        system, name = self.system, f"road.{place}"
        height = system.input(name, "m", "height added to the ground, upwards", rate=True)
        self.road_heights[place] = height
        for tire in (place, twins(self.vehicle).get(place)):
            if tire is not None:
                self.grounds[tire] = Raised(self.grounds[tire], height, system.rate_of(height))

    def tire_factors(self, scope: Any, tire: Tire, place: str) -> dict[str, Any]:
        """Inputs ``place.tire.KEY``: factors on scaling factors of a tire that change within a run."""
        known = tire.model.scalable()
        for key in self.tire_inputs:
            if key not in known:
                allowed = f"; its scaling factors: {', '.join(known)}" if known else "; it has no scaling factors"
                raise ParameterError(f"tire_inputs: {key!r} is unknown to the tire {tire.name!r} of {place}{allowed}")
        docs = {c.name: c.doc for c in tire.model.coefficients}
        return {
            key: scope.input(f"tire.{key}", "-", f"factor of this wheel on the {docs[key]}", 1.0)
            for key in self.tire_inputs
        }

    def declare_travel(self) -> None:
        """One coordinate per corner: the travel J of the wheel."""
        self.travel = {
            place: self.system.scope(place).coordinate("jounce", unit="m", doc="wheel travel", on=self.frames[axle])
            for place, (axle, _) in CORNERS.items()
        }

    def place(self, scope: Any, name: str, point: Any, axle: int = 2) -> list[Any]:
        """A point of the vehicle reference frame in the frame that carries an axle, as three parameters."""
        origin = self.origins[axle]
        return [
            scope.parameter(f"{name}.{axis}", float(point[i] - origin[i]), "m", "from the origin of its body")
            for i, axis in enumerate("xyz")
        ]

    def shared(self, name: str, value: float, unit: str, doc: str) -> Any:
        """A parameter of the whole car, declared at first use."""
        if name not in self._shared:
            self._shared[name] = self.system.parameter(name, value, unit, doc)
        return self._shared[name]

    def channel(self, name: str, value: Any, unit: str, doc: str, watch: bool = False) -> None:
        """An output of the car, under its name in the channel catalogue."""
        self.system.output(name, value, unit, doc, watch=watch)

    def curve(self, scope: Any, name: str, curve: Curve, arguments: Sequence[Any]) -> Any:
        """A curve as an expression of its first arguments: a rate or a value is a parameter, a table a look-up."""
        if curve.constant is not None:
            unit = curve.units.of_constant
            value = scope.parameter(f"{name}.{curve.units.constant}", curve.constant, unit)
            return value * arguments[0] if curve.units.constant == "rate" else value
        kinematic = name in MAPS or name.startswith("steering.")
        options = self.vehicle.system.kinematic_maps
        method = "polynomial" if kinematic and options.polynomial else self.vehicle.system.splines.method
        beyond = options.extrapolation if kinematic else self.vehicle.system.splines.element_extrapolation
        order = options.polynomial_order if method == "polynomial" else None
        table = curve.table(f"{scope.prefix}{name}", method=method, extrapolation=beyond, order=order)
        return scope.table(name, table)(*arguments[: curve.n_axes])

    def slope(self, value: Any, over: Any) -> Any:
        return self.system.calls.jacobian(value, over)[0, 0]

    def act(self, speed: Any, force: Any, deflection: Any, over: Any) -> Any:
        """Virtual work of an element, force times ∂(deflection)/∂J on the travel; returns that generalised force."""
        value = force * self.slope(deflection, over)
        self.system.generalized_force(speed, value)
        return value
