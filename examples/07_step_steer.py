"""Step steer with half the front anti-roll bar. Expected: 18 % more roll, within 2 % of what the stiffnesses say."""

import math

import jounce as jn
from jounce.core.constants import GRAVITY
from jounce.sim.car import describe
from jounce.sim.standing import standing

sedan = jn.load("sedan")
soft = sedan.with_(**{"name": "half front bar", "front_suspension.anti_roll_bar.scale": 0.5})
event = jn.events.StepSteer(speed="100 km/h", lateral_acceleration="4 m/s2")  # finds the hand wheel angle for it
before, after = jn.run(sedan, event), jn.run(soft, event)  # only numbers differ: the second compiles nothing
print(jn.compare(before, after))


def roll_stiffness(car: jn.Vehicle) -> float:
    """Springs and bars in series with the tires, less what the leaning mass takes away; N.m/rad."""
    at_rest = {name: value for name, (value, unit) in standing(describe(car)).figures().items()}  # as `jounce show`
    total = 0.0
    for axle in ("front", "rear"):
        suspension = at_rest[f"roll_stiffness_{axle}"] / math.radians(1.0)
        tires = 0.5 * at_rest[f"track_{axle}"] ** 2 * at_rest[f"tire_rate_{axle}"] * 1e3
        total += suspension * tires / (suspension + tires)
    roll_axis = 0.5e-3 * (at_rest["roll_centre_front"] + at_rest["roll_centre_rear"])
    return total - at_rest["sprung_mass"] * GRAVITY * (at_rest["cg_height"] - roll_axis)


measured = after.kpis["roll_steady"][0] / before.kpis["roll_steady"][0]
expected = roll_stiffness(sedan) / roll_stiffness(soft)  # the same moment on both cars
print(f"roll angle grows by a factor of {measured:.3f}, stiffnesses say {expected:.3f}")
assert math.isclose(measured, expected, rel_tol=0.02)
assert math.isclose(after.kpis["steering_step"][0], before.kpis["steering_step"][0], rel_tol=0.01)
