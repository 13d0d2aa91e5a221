"""Cars whose maps are polynomials, and a rig to hold them: for tests of one part at a time.

Two cars carry most of it. Their maps are polynomials of at most third order in each variable, which a cubic spline on a
few knots reproduces exactly; so the same functions serve as tables of the car and as the expected result.

    independent   maps over rack and own travel in front, own travel behind; a rack behind the axle; hub motors
    dependent     maps over own and paired travel, in front summed with those over the hand wheel; a beam axle behind

What an element does to the motion is measured by the accelerations with and without it, in units of known forces on the
travels (``acts``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import jounce.vehicle as jv
from cars import AXLES, compact, rates, without_air
from four_wheels import CORNERS
from jounce.runtime.simulation import Simulation
from jounce.sim import car

Array = npt.NDArray[np.float64]


Poly = Callable[..., Any]


TRAVEL = [-0.1, -0.06, -0.01, 0.03, 0.1]


DEFLECTION = [-0.1, -0.06, 0.0, 0.03, 0.1]


RACK = [-0.09, -0.04, 0.01, 0.05, 0.09]


ANGLE = [-9.0, -4.0, 1.0, 5.0, 9.0]


WORDS = {"L1": "front_left", "R1": "front_right", "L2": "rear_left", "R2": "rear_right"}


NAMES = ("x", "y", "steer", "camber", "side_view_angle")


BEAM = 1.53  # m, track of the beam axle


def table(f: Poly, x: list[float], z: list[float] | None = None) -> dict[str, Any]:
    """A function as a table in SI."""
    if z is None:
        return {"x": x, "y": [float(f(a)) for a in x]}
    return {"x": x, "z": z, "y": [[float(f(a, b)) for b in z] for a in x]}


# over own travel, rear left of the independent car and (but for steer) ignored in front
OWN: dict[str, Poly] = {
    "x": lambda j: -0.05 * j + 0.4 * j**2 - 0.9 * j**3,
    "y": lambda j: 0.09 * j - 0.6 * j**2 + 2.0 * j**3,
    "toe": lambda j: 0.05 * j + 0.3 * j**2 - 1.1 * j**3,
    "camber": lambda j: -0.3 * j + 0.8 * j**2 + 2.0 * j**3,
    "side_view_angle": lambda j: -0.35 * j + 0.5 * j**2 - 3.0 * j**3,
}


# over rack travel and own travel, front left
STEERED: dict[str, Poly] = {
    "x": lambda u, j: 0.03 * j + 0.2 * j**2 + 0.6 * u**2 - 0.4 * u * j,
    "y": lambda u, j: 0.08 * j - 0.5 * j**2 - 0.02 * u + 0.7 * u * j,
    "steer": lambda u, j: -7.0 * u + 9.0 * u**2 - 60.0 * u**3 + 0.1 * j + 2.0 * u * j - 0.7 * j**3,
    "camber": lambda u, j: -0.25 * j + 1.1 * j**2 + 0.9 * u + 4.0 * u**2 + 1.5 * u * j**2,
    "side_view_angle": lambda u, j: 0.1 * j - 0.6 * j**2 + 0.5 * u - 1.3 * u * j,
}


# over own and paired travel, left of the dependent front axle
COUPLED: dict[str, Poly] = {
    "x": lambda j, o: 0.02 * j + 0.03 * o + 0.3 * j * o,
    "y": lambda j, o: 0.05 * j - 0.04 * o + 0.2 * j**2 - 0.5 * o**3,
    "toe": lambda j, o: 0.06 * j - 0.05 * o + 0.7 * j * o - 1.2 * j**2 * o,
    "camber": lambda j, o: -0.2 * j + 0.1 * o + 0.9 * o**2,
    "side_view_angle": lambda j, o: 0.12 * j - 0.05 * o - 0.4 * j * o**2,
}


# over the hand wheel angle, front left of the dependent car; its steer is that of STEERED at a rack of -8 mm/rad
ANGLED: dict[str, Poly] = {
    "x": lambda u, j: 4e-4 * u**2 - 0.001 * u * j,
    "y": lambda u, j: -2e-4 * u + 0.002 * u * j,
    "camber": lambda u, j: 0.006 * u + 3e-4 * u**2 * j,
    "side_view_angle": lambda u, j: 0.004 * u - 0.01 * u * j,
}


# a beam axle that turns by s = (J − J_o)/track about x, to the third order
ROLLED: dict[str, Poly] = {
    "x": lambda j, o: 0.0 * j,
    "y": lambda j, o: -(((j - o) / BEAM) ** 2) * BEAM / 4,
    "toe": lambda j, o: 0.0 * j,
    "camber": lambda j, o: -(j - o) / BEAM + ((j - o) / BEAM) ** 3 / 3,
    "side_view_angle": lambda j, o: 0.0 * j,
}


def rack(angle: Any) -> Any:
    """Of a rack behind the wheel centres: falls with the angle, with a ratio that varies."""
    return -0.008 * angle - 1e-5 * angle**3


def independent_guide(place: str, j: Any, _other: Any, angle: Any) -> tuple[Any, ...]:
    """x, y, ψ, camber, side view angle; the right side is the mirror image: u changes its sign, and so do y and ψ."""
    axle, side = CORNERS[place]
    sign = 1.0 if side == "L" else -1.0
    if axle == 2:
        o = OWN
        return o["x"](j), sign * o["y"](j), -sign * o["toe"](j), o["camber"](j), o["side_view_angle"](j)
    u = sign * rack(angle)
    x, y, steer, camber, sva = (STEERED[name](u, j) for name in NAMES)
    return x, sign * y, sign * steer, camber, sva


def dependent_guide(place: str, j: Any, other: Any, angle: Any) -> tuple[Any, ...]:
    axle, side = CORNERS[place]
    sign = 1.0 if side == "L" else -1.0
    own = COUPLED if axle == 1 else ROLLED
    x, y, toe, camber, sva = (own[name](j, other) for name in ("x", "y", "toe", "camber", "side_view_angle"))
    psi = -sign * toe
    y = sign * y
    if axle == 1:
        u = sign * angle
        psi = psi + sign * STEERED["steer"](-0.008 * u, 0.0)
        x, y = x + ANGLED["x"](u, j), y + sign * ANGLED["y"](u, j)
        camber, sva = camber + ANGLED["camber"](u, j), sva + ANGLED["side_view_angle"](u, j)
    return x, y, psi, camber, sva


def spring_force(c: Any) -> Any:
    return 2.4e4 * c + 5e4 * c**2 + 1e5 * c**3


def spring_ratio(j: Any) -> Any:
    return 0.92 * j + 0.5 * j**2


def damper_force(v: Any, x: Any) -> Any:
    return 1500 * v + 300 * v**3 + 4000 * v * x


def damper_ratio(j: Any) -> Any:
    return 0.9 * j - 0.4 * j**2


def bar_ratio(j: Any) -> Any:
    return 3.3 * j + 2.0 * j**2


def bar_torque(a: Any) -> Any:
    return 1200 * a + 900 * a**3


def auxiliary_force(d: Any, mean: Any) -> Any:
    return 4000 * d + 2e5 * d**3 + 3e4 * d * mean


PRELOAD, TORSION = 3900.0, 2600.0


BAR_PRELOAD = 35.0


def exact(vehicle: jv.Vehicle) -> dict[str, Any]:
    return {
        "system.splines.method": "cubic",
        "system.kinematic_maps.extrapolation": "linear",
        "steering.kingpin": None,
        **{f"{axle}_suspension.{n}.offset": 0.0 for axle in AXLES for n in ("toe", "camber")},
        **without_air(vehicle),
    }


def independent_car() -> jv.Vehicle:
    vehicle = compact()
    changes: dict[str, Any] = exact(vehicle)
    for axle in AXLES:
        changes |= {f"{axle}_suspension.{name}": table(f, TRAVEL) for name, f in OWN.items()}
    changes |= {f"steering.{name}": table(f, RACK, TRAVEL) for name, f in STEERED.items()}
    changes |= {
        "system.torque_reaction": "carrier",
        "system.steering_acceleration": True,
        "steering.input": "rack_travel",
        "steering.rack_travel": table(rack, ANGLE),
        "steering.method": "steer_map",
        "steering.steering_dependent_wheel_location": True,
        "front_suspension.spring": {
            "force": table(spring_force, [0.0, 0.05, 0.12, 0.2, 0.3]), "preload": PRELOAD, "free_length": 0.4,
            "ratio": table(spring_ratio, DEFLECTION),
        },
        "front_suspension.dampers": [
            {"name": "main", "force": table(damper_force, [-2.0, -0.7, 0.1, 0.9, 2.0], TRAVEL),
             "ratio": table(damper_ratio, DEFLECTION)},
            {"name": "second", "rate": 400.0, "ratio": 0.5},
        ],
        "front_suspension.anti_roll_bar": {
            "ratio": table(bar_ratio, TRAVEL), "torque": table(bar_torque, [-0.8, -0.3, 0.1, 0.4, 0.8]),
            "preload": BAR_PRELOAD,
        },
        "rear_suspension.spring": {"type": "rotational", "rate": TORSION, "preload": 0.0, "ratio": 4.0},
        "rear_suspension.auxiliary_anti_roll": {
            "force": table(auxiliary_force, [-0.2, -0.07, 0.02, 0.1, 0.2], TRAVEL), "damping": 0.02,
        },
    }  # fmt: skip
    return vehicle.with_(**changes)


def dependent_car() -> jv.Vehicle:
    vehicle = compact()
    changes: dict[str, Any] = exact(vehicle)
    changes |= {f"front_suspension.{name}": table(f, TRAVEL, TRAVEL) for name, f in COUPLED.items()}
    changes |= {f"rear_suspension.{name}": table(f, TRAVEL, TRAVEL) for name, f in ROLLED.items()}
    changes |= {f"steering.{name}": table(f, ANGLE, TRAVEL) for name, f in ANGLED.items()}
    changes |= {
        "rear_suspension.track": BEAM,
        "steering.input": "wheel_angle",
        "steering.steer": table(lambda u: STEERED["steer"](-0.008 * u, 0.0), ANGLE),
        "steering.steering_dependent_wheel_location": True,
        "front_suspension.spring": {
            # over length from that at design: falls
            "force": table(lambda x: 3500.0 - 2.5e4 * x + 4e4 * x**2, [-0.15, -0.1, 0.0, 0.1, 0.15]),
            "axis": "length", "preload": 3900.0, "ratio": 0.95,
        },
        "rear_suspension.spring.scale": 1.5,
    }  # fmt: skip
    return vehicle.with_(**changes)


def rig(vehicle: jv.Vehicle, ground: Any = "level", **parameters: float) -> Simulation:
    """The car at design, the road too low for its wheels."""
    sim = car.simulation(vehicle, ground=ground)
    sim.set_parameters({"ground.height": -5.0, **{k.replace("__", "."): v for k, v in parameters.items()}})
    return sim


def put(sim: Simulation, travel: Mapping[str, float], speeds: Mapping[str, float] | None = None) -> None:
    sim.set_states({f"{c}.jounce": travel.get(c, 0.0) for c in CORNERS})
    sim.set_states({f"{c}.jounce.rate": (speeds or {}).get(c, 0.0) for c in CORNERS})


def pose(sim: Simulation, place: str) -> tuple[float, ...]:
    """x, y, ψ, camber, side view angle as told by channels."""
    return (
        sim.output(f"Wheel.wheel_center_dispx.{WORDS[place]}"), sim.output(f"Wheel.wheel_center_dispy.{WORDS[place]}"),
        sim.output(f"Wheel.Spindle_Steer.{place}"), sim.output(f"wheel_angles.camber_{place}"),
        sim.output(f"Wheel.Side_View_Angle.{place}"),
    )  # fmt: skip


def acts(sim: Simulation, off: Mapping[str, float]) -> dict[str, float]:
    """Generalised forces on the four travels by what the parameters ``off`` switch off.

    The unit is a spring from design of known rate at each wheel (a helper of statics): no travel may be zero.
    """
    with_it = np.array(list(rates(sim).values()))
    was = sim.parameters
    columns = []
    for place in CORNERS:
        name = f"{place}.statics.spring_rate"
        sim.set_parameters({name: 1e4})
        columns.append((np.array(list(rates(sim).values())) - with_it) / (-1e4 * sim.state(f"{place}.jounce")))
        sim.set_parameters({name: was[name]})
    sim.set_parameters(dict(off))
    change = with_it - np.array(list(rates(sim).values()))
    sim.set_parameters({name: was[name] for name in off})
    found, *_ = np.linalg.lstsq(np.column_stack(columns), change, rcond=None)
    left = change - np.column_stack(columns) @ found
    assert np.abs(left).max() <= 1e-6 * max(np.abs(change).max(), 1e-3), "it acts on the travels alone"
    return dict(zip(CORNERS, map(float, found), strict=True))


def slope(f: Callable[[float], float], x: float, width: float = 1e-5) -> float:
    return (f(x + width) - f(x - width)) / (2 * width)


def silent(sim: Simulation, names: Iterable[str] = ("spring", "damper", "bump_stop", "rebound_stop")) -> None:
    """Without elements: what is left are carriers, wheels and tires."""
    words = tuple(names)
    off = {n: 0.0 for n in sim.parameters if n.endswith(".scale") and n.split(".")[1].rstrip("12") in words}
    off |= {n: 0.0 for n in sim.parameters if n.endswith(("anti_roll_bar.scale", "auxiliary_anti_roll.scale"))}
    off |= {n: 0.0 for n in sim.parameters if n.endswith("anti_roll_bar.preload")}
    assert len(off) >= 14
    sim.set_parameters(off)


POSED = {"L1": 0.04, "R1": -0.03, "L2": 0.05, "R2": -0.02}


MOVING = {"L1": 0.5, "R1": -0.3, "L2": 0.4, "R2": 0.2}


def root(f: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (f(middle) > 0) == (f(low) > 0) else (low, middle)
    return 0.5 * (low + high)
