"""A caravan, empty and loaded high: hitch load, lane change, sway. Expected: loaded it rolls more; damping falls."""

import tempfile
from pathlib import Path

import numpy as np

import jounce as jn
from jounce import events
from jounce.results.compare import compare
from jounce.sim import car as cars
from jounce.sim.standing import standing

PAYLOAD = "trailers[0].body.payloads[0]"
base = jn.load("car_caravan")
empty = base.with_(**{f"{PAYLOAD}.mass": "1 kg"})
loaded = base.with_(**{f"{PAYLOAD}.mass": "420 kg", f"{PAYLOAD}.location.z": "1.3 m"})

# what stands on the coupling: the lever about the axle of the caravan
for car in (empty, loaded):
    caravan = car.layout.units[1]
    mass, centre, _ = caravan.data.body.rigid()  # in its own frame: the coupling is at 0
    (cargo,) = caravan.data.body.payloads
    weights = [(mass * 9.80665, centre[0]), (cargo.mass * 9.80665, cargo.location.x)]
    lever = sum(weight * (1 - x / caravan.axles[0].x) for weight, x in weights)
    found = standing(cars.describe(car)).figures()["coupling_load_unit2"][0]
    print(f"on the coupling {found:.1f} N, by the lever {lever:.1f} N")
    assert abs(found - lever) < 25.0  # the coupling comes down by 3 cm with the car, the centre of gravity forward

# the same sine of the hand wheel for both
lane = events.find("lateral-transient")(speed="80 km/h")
runs = [jn.run(car, lane) for car in (empty, loaded)]
both = compare(*runs, labels=["empty", "loaded"])
rolls = [np.ptp(run["unit2.chassis_displacements.roll"]) for run in runs]
print(both, f"\nroll of the caravan {np.degrees(rolls[0]):.2f} and {np.degrees(rolls[1]):.2f} deg")
assert rolls[1] > 1.2 * rolls[0]
page = Path(tempfile.mkdtemp()) / "caravan.html"
both.report(page, channels=["unit2.Articulation.yaw", "Hook_rear.Local_force_Y", "Hook_rear.Local_force_Z"])
print("hitch force and articulation:", page)

# sway: damping falls with speed until there is none
series = jn.run(loaded, events.find("trailer-sway")(first_speed="70 km/h", speed="110 km/h", speed_step="20 km/h"))
damping = [trial.figure("sway_damping") for trial in series.trials]
limit = series.kpis["zero_damping_speed"][0]
print("damping", np.round(damping, 3), f"none at {limit:.0f} km/h")
assert all(np.diff(damping) < 0) and limit > 70
