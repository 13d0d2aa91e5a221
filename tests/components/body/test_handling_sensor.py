"""Figures of handling: rates by differences along the motion, the stability factor by its formula, the way of a run."""

from __future__ import annotations

import numpy as np
import pytest

from body_rig import moving, put, turn, vehicle
from ideal_cars import ideal
from jounce.sim import car as cars
from jounce.sim.standing import standing as show
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from models import derivative

WHEELS = {"L1": "left_front", "R1": "right_front", "L2": "left_rear", "R2": "right_rear"}


def test_rates_are_those_of_the_channels_beside_them() -> None:
    sim = moving()
    x, f = sim.x.copy(), sim.derivatives()[0]
    known = [v.name for v in sim.model.outputs]

    def rate(*names: str) -> tuple[np.ndarray, np.ndarray]:
        which = [known.index(n) for n in names]
        return derivative(lambda t: sim.outputs(x=x + t * f)[which], h=5e-3)

    found, error = rate("Vehicle.Side_Slip_Angle")
    assert sim.output("Vehicle.Side_Slip_Angle_Rate") == pytest.approx(found[0], abs=float(error[0]) + 1e-9)
    assert abs(found[0]) > 0.05
    for wheel, words in WHEELS.items():
        found, error = rate(f"Wheel.Global_Vz.{wheel}")
        here = sim.output(f"upright_accelerometer.Z_{words}")
        assert here == pytest.approx(found[0], abs=float(error[0]) + 1e-8)


def test_the_way_is_the_integral_of_the_speed_of_the_origin() -> None:
    """In free flight the origin of the vehicle goes along a curve; its length by points, one per millisecond."""
    sim = moving(**{"chassis.z": 30.0})
    names = ["Vehicle.Origin_Distance_Traveled", *(f"Vehicle.Origin_Global_{a}" for a in "XYZ")]
    found = sim.run(0.8, method="AM-4", step=0.001, interval=0.001, channels=names)
    way, points = found.data[:, 0], found.data[:, 1:]
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    # a chord is shorter than its arc by a²h³/(24 v): 1e-9 of a metre here
    assert way[-1] - way[0] == pytest.approx(chords.sum(), rel=1e-6)
    assert way[-1] > 5.0


def test_side_slip_of_the_reference_point_and_stability_factor() -> None:
    sim = moving()
    r = turn(sim)
    v, w = (np.array([sim.state(f"chassis.{k}{a}") for a in "xyz"]) for k in "vw")
    heading = np.arctan2(r[1, 0], r[0, 0])
    there = r @ v  # the reference point of this car is its centre of gravity
    along = np.cos(heading) * there[0] + np.sin(heading) * there[1]
    across = np.cos(heading) * there[1] - np.sin(heading) * there[0]
    assert sim.output("condition_sensors.side_slip_angle") == pytest.approx(np.arctan2(across, along), abs=1e-12)
    steer = (sim.output("Wheel.Spindle_Steer.L1") + sim.output("Wheel.Spindle_Steer.R1")) / 2
    base, yaw = vehicle().wheelbase, (r @ w)[2]
    factor = (steer * along - base * yaw) / (base * yaw * along**2)
    assert sim.output("Vehicle.Understeer_Stability_Factor") == pytest.approx(factor, rel=1e-11)
    assert sim.output("Vehicle.Understeer_Gradient") == pytest.approx(factor * base, rel=1e-11)


@pytest.mark.parametrize(("axle", "word"), [(1, "front"), (2, "rear")])
@pytest.mark.parametrize("travels", [(0.0, 0.0), (0.031, -0.017), (-0.024, 0.042)])
def test_a_roll_centre_is_where_normals_of_the_feet_meet_the_middle(
    axle: int, word: str, travels: tuple[float, float]
) -> None:
    """By differences of the channels of both wheels as they travel in turns; at design ½ t dy/dJ of either side."""
    sim = moving()
    names = [f"L{axle}", f"R{axle}"]
    states = [f"{n}.jounce" for n in names]
    sim.set_states(dict(zip(states, travels, strict=True)))
    car = vehicle()
    radii = [sim.output(f"Tire.Loaded_Radius.{n}") for n in names]
    half = [place.centre[1] for place in (car.layout.wheels[n] for n in names)]

    def feet() -> np.ndarray:
        """y and z of both, from the height of the centres at design."""
        found = []
        for i, n in enumerate(names):
            side = "left" if i == 0 else "right"
            outwards = 1.0 if i == 0 else -1.0
            lean = -outwards * sim.output(f"wheel_angles.camber_{n}")
            y = half[i] + sim.output(f"Wheel.wheel_center_dispy.{word}_{side}")
            down = radii[i] * np.cos(lean)
            across = radii[i] * np.sin(lean) * np.cos(sim.output(f"Wheel.Spindle_Steer.{n}"))
            found.append((y + across, sim.state(states[i]) - down))
        return np.array(found)

    here, h, meets = feet(), 1e-4, []
    for i in (0, 1):
        ways = []
        for j in (i, 1 - i):
            seen = []
            for step in (h, -h):
                sim.set_states({states[j]: travels[j] + step})
                seen.append(feet()[i])
            sim.set_states({states[j]: travels[j]})
            ways.append((seen[0] - seen[1]) / (2 * h))
        way = ways[0] - ways[1]
        meets.append(here[i][1] + here[i][0] * way[0] / way[1])
    (yl, zl), (yr, zr) = here
    tilt = (zl - zr) / (yl - yr)
    expected = (np.mean(meets) - (zl - tilt * yl)) / np.hypot(1.0, tilt)
    found = sim.output(f"Suspension.Roll_Center_Height.{word}")
    assert found == pytest.approx(expected, abs=1e-6)  # splines: h² times a curvature of 10 1/m
    assert abs(found) > 0.01


@pytest.mark.slow
def test_figures_of_a_steady_circle_are_those_of_hand_formulas() -> None:
    """δ = L/R (1 + K_s v²) with R of the way that was driven; loads across, at the nose and to the side; both ways."""
    car = ideal("compact").with_(sensors=[{"kind": "handling"}], **{"steering.rack_pinion": None})
    description = cars.describe(car)
    sim = cars.simulation(description)
    settle(sim, description)
    standing = sim.snapshot()
    figures = {f"roll_centre_{word}": sim.output(f"Suspension.Roll_Center_Height.{word}") for word in ("front", "rear")}
    told = show(description, sim)
    for name, height in figures.items():  # in the middle of design and of where it stands
        assert 1e3 * height == pytest.approx(told[name], rel=0.02, abs=0.5)
    factors = []
    for hand in (0.5, -0.5):
        sim.restore(standing)
        sim.set_inputs({"steering_wheel": hand})
        run_steadily(sim, description, 18.0)
        vx, (v, a) = sim.output("Vehicle.CM_Tracking_Vx"), (
            np.array([sim.output(f"Vehicle.CM_Global_{kind}{axis}") for axis in "xy"]) for kind in "VA"
        )  # fmt: skip
        radius = vx * np.linalg.norm(v) / (a @ [-v[1], v[0]] / np.linalg.norm(v))  # v²/a, of the way along the car
        steer = 0.5 * (sim.output("Wheel.Spindle_Steer.L1") + sim.output("Wheel.Spindle_Steer.R1"))
        factors.append(sim.output("Vehicle.Understeer_Stability_Factor"))
        assert factors[-1] == pytest.approx((steer * radius / car.wheelbase - 1) / vx**2, rel=1e-3)
        loads = {w: sim.output(f"Tire.Ground_Surface_Force_Z.{w}") for w in WHEELS}
        total = sum(loads.values())
        for name, pair in (("crossL1R2", ("L1", "R2")), ("crossR1L2", ("R1", "L2")), ("nose", ("L1", "R1")),
                           ("side_right", ("R1", "R2"))):  # fmt: skip
            share = sum(loads[w] for w in pair) / total
            assert sim.output(f"cross_weight.{name}_ratio") == pytest.approx(share, rel=1e-12)
        assert (sim.output("cross_weight.side_right_ratio") > 0.55) == (hand > 0)
    assert factors[0] == pytest.approx(factors[1], rel=0.02) and factors[0] > 0.0


def test_shares_of_wheel_loads_that_are_all_different() -> None:
    sim = put(moving(), position=(3.0, -2.0, 0.42), q=(1.0, 0.012, 0.008, 0.4))
    sim.set_states({"L1.jounce": 0.021, "R1.jounce": -0.004, "L2.jounce": 0.013, "R2.jounce": -0.017})
    loads = {w: sim.output(f"Tire.Ground_Surface_Force_Z.{w}") for w in WHEELS}
    total = sum(loads.values())
    assert len({round(load / total, 2) for load in loads.values()}) == 4 and min(loads.values()) > 0.05 * total
    for name, pair in (("crossL1R2", "L1 R2"), ("crossR1L2", "R1 L2"), ("nose", "L1 R1"), ("side_right", "R1 R2")):
        share = sum(loads[w] for w in pair.split()) / total
        assert sim.output(f"cross_weight.{name}_ratio") == pytest.approx(share, rel=1e-12)


def test_a_car_at_rest_has_no_figures() -> None:
    sim = put(moving(), v=(0, 0, 0), w=(0, 0, 0))
    for name in ("Side_Slip_Angle_Rate", "Understeer_Stability_Factor", "Understeer_Gradient"):
        assert sim.output(f"Vehicle.{name}") == 0.0


def test_the_front_ride_height_in_the_middle_lies_between_both() -> None:
    sim = moving()
    left, right = (sim.output(f"Suspension.Ride_Height.{c}") for c in ("L1", "R1"))
    assert left != pytest.approx(right, abs=0.01)
    # both sensors stand half a track from the middle
    assert sim.output("Vehicle.front_ride_height_at_center_point") == pytest.approx((left + right) / 2, abs=1e-12)
