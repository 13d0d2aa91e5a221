"""A driver of a path on a kinematic single-track car, on a plane that may be inclined: compiled in seconds.

    ξ̇ = v cos φ,   η̇ = v sin φ,   φ̇ = v tan δ/L          of the rear axle, in the axes of the plane

with the steer angle δ of the hand wheel over the ratio, through a lag, less with v² (understeer), wandering by a noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from jounce.components.driver.demands import Demands
from jounce.components.driver.lateral import Car
from jounce.components.model import Choices, VehicleModel
from jounce.components.part import Symbols
from jounce.components.places import AxlePlace, UnitPlace, VehiclePlace, WheelPlace
from jounce.components.settings import Settings
from jounce.road.path import Path
from jounce.road.paths import PathSet
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic import System
from jounce.symbolic.ops import atan2, cos, fmax, if_else, sin, tan
from jounce.vehicle.assembly import Placed, run_phases

WHEELBASE, RATIO = 2.63, 14.5


def _plant(at: VehicleModel) -> Car:
    system = at.system
    s = system.scope("car")
    v = s.input("speed", "m/s", rate=True)
    lag = s.parameter("lag", 0.0, "s", low=0.0)
    understeer = s.parameter("understeer", 0.0, "s2/m2")
    noise = s.input("noise", "rad", "added to the yaw rate seen and to the steer angle")
    normal = [s.parameter(f"normal_{axis}", d, "-") for axis, d in zip("xyz", (0.0, 0.0, 1.0), strict=True)]
    xi, eta, phi = (s.state(name, unit) for name, unit in (("xi", "m"), ("eta", "m"), ("phi", "rad")))
    wheel = s.state("wheel", "rad", "hand wheel behind the lag")
    hand = at.signals.read("steering_wheel", "rig")
    s.derivative(wheel, (hand - wheel) / fmax(lag, 0.02))
    steer = if_else(lag > 0, wheel, hand) / RATIO / (1 + understeer * v * v) + noise
    turning = v * tan(steer) / WHEELBASE
    s.derivative(xi, v * cos(phi))
    s.derivative(eta, v * sin(phi))
    s.derivative(phi, turning)
    nx, ny, nz = normal
    size = (nz * nz + nx * nx) ** 0.5
    e1 = (nz / size, 0.0 * nx, -nx / size)
    e2 = (ny * e1[2] - nz * e1[1], nz * e1[0] - nx * e1[2], nx * e1[1] - ny * e1[0])
    place = tuple(xi * a + eta * b for a, b in zip(e1, e2, strict=True))
    ahead = tuple(cos(phi) * a + sin(phi) * b for a, b in zip(e1, e2, strict=True))
    for name, value in (("x", place[0]), ("y", place[1]), ("phi", phi), ("turning", turning)):
        s.output(name, value, "m" if name in "xy" else "rad" if name == "phi" else "rad/s")
    s.output("hand", hand, "rad")
    return Car(place, atan2(ahead[1], ahead[0]), v, 0.0 * v, turning, tuple(normal), place)  # type: ignore[arg-type]


def rig(driver: type, plant: Callable[[VehicleModel], Car] = _plant, **settings: Any) -> Any:
    """The compiled library of a driver, by his class, on the kinematic car or another plant."""

    class Rider(driver):  # type: ignore[misc]
        """The driver, with the rig under him."""

        def provide(self, at: VehicleModel, p: Symbols) -> None:
            super().provide(at, p)
            at.path_rig = lambda: plant(at)  # type: ignore[attr-defined]

        def car(self, at: VehicleModel, p: Symbols) -> Car:
            found: Car = at.path_rig()  # type: ignore[attr-defined]
            return found

    place = VehiclePlace("", Settings.model_validate({}), SimpleNamespace())
    # the reference point of the rig is that of its driver frame, the rear axle
    body = SimpleNamespace(reference=lambda unit: unit.local(np.array([-WHEELBASE, 0.0, 0.0])))
    unit = UnitPlace(place, 1, SimpleNamespace(body=body), {"": 0.0})
    for number, x in ((1, 0.0), (2, -WHEELBASE)):
        data = SimpleNamespace(steering=object() if number == 1 else None, suspension=SimpleNamespace(wheel_centre_x=x))
        axle = AxlePlace(unit, number, data, "", ("L", "R"))
        axle.wheels += [WheelPlace(axle, side) for side in ("L", "R")]
        unit.axles.append(axle)
    place.units.append(unit)
    place.__class__ = _Unsteered
    system = System("ridden_path")
    model = VehicleModel(place, system, {}, dict.fromkeys(place.wheels, object()), Choices(frozenset()))
    run_phases(model, [Placed(Demands(), place, ""), Placed(Rider(steering_ratio=RATIO, **settings), place, "rider.")])
    return build(system)


class _Unsteered(VehiclePlace):
    """Nobody asks for its steering."""

    @property
    def steered(self) -> None:  # type: ignore[override]
        return None


def ride(
    library: Any,
    paths: Sequence[Path],
    *,
    speed: float,
    x: float = 0.0,
    y: float = 0.0,
    heading: float = 0.0,
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0),
    car: dict[str, float] | None = None,
    step: float = 1e-3,
    **driver: float,
) -> Simulation:
    """A simulation of the rig on its paths; x and y in the axes of the plane."""
    sim = Simulation(library, step=step)
    PathSet(paths).bind(sim)
    size = math.hypot(*normal)
    numbers = {f"car.normal_{axis}": n / size for axis, n in zip("xyz", normal, strict=True)}
    sim.set_parameters(numbers | {f"car.{k}": v for k, v in (car or {}).items()})
    sim.set_parameters({f"rider.{k}": v for k, v in driver.items()})
    sim.set_states({"car.xi": x, "car.eta": y, "car.phi": heading})
    sim.set_inputs({"car.speed": speed, "driver.steers": 1.0})
    return sim
