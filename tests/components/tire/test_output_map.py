"""The map of 300 outputs: places and names, and its values for native and user tires of a car."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cars
from four_wheels import CORNERS
from jounce.components.tire import contact as geometry
from jounce.components.tire import output_map
from jounce.components.tire.output_map import ENTRIES, INDEX, NAMES, REQUIRED, of_run, of_simulation
from jounce.components.tire.sti import library_tire
from jounce.core.errors import ParameterError
from jounce.files.library import library_file
from jounce.files.tir import read_tir
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from tire_models import EXAMPLE
from tire_models import tire as tire_of
from user_tires import compile_tire


def test_places_and_names() -> None:
    assert len(NAMES) == output_map.SIZE == 300 and len(INDEX) == len(ENTRIES)
    assert NAMES[:3] == ("fx", "fy", "fz") and NAMES[37:43] == tuple(f"iso_{n}" for n in NAMES[:6])
    known = {"alpha": 6, "kappa": 7, "gamma": 8, "matrix_xy": 14, "centre_x": 22, "sae_fx": 25, "hub_mz": 36,
             "penetration": 43, "contact_vz": 44, "speed": 47, "spin": 49, "kappa_no_lag": 51, "sigma_alpha": 60,
             "contact_x": 65, "normal_z": 70, "loaded_radius": 94, "profile": 98, "temperature_1": 155,
             "pressure": 159, "user_1": 160, "user_20": 179, "off_road": 183, "material": 184}  # fmt: skip
    assert {name: INDEX[name] for name in known} == known
    wanted = {*range(9), *range(37, 52), *range(65, 71), 94}
    assert set(REQUIRED) == wanted
    reserved = {*range(74, 94), *range(99, 149), *range(152, 155), *range(180, 183), *range(185, 300)}
    assert {i for i, name in enumerate(NAMES) if not name} == reserved
    with pytest.raises(ParameterError, match="did you mean 'pressure'"):
        output_map.find("presure")


def cornering(sim: Simulation, description: car.Description) -> Recording:
    settle(sim, description)
    cars.rolling(sim, 18.0)
    program = Program(Phase("turn", [Open("steering_wheel", Ramp(0.9, 0.4)), Open("brake", 0.05)], duration=0.8))
    return sim.run(program=program, interval=0.05)


@pytest.fixture(scope="module")
def native() -> tuple[Simulation, Recording]:
    vehicle = cars.compact()
    description = car.describe(vehicle)
    sim = car.simulation(description)
    return sim, cornering(sim, description)


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> tuple[Simulation, Recording]:
    library: Path = compile_tire("spring", tmp_path_factory.mktemp("tires"))
    # it remembers nothing, but a tire that is told about steps shows what it is asked with
    tire = library_tire(library, "linear_sti", interface="STI", radius=0.32, remembers=True)
    description = car.describe(cars.compact(), dict.fromkeys(CORNERS, tire))
    sim = car.simulation(description)
    return sim, cornering(sim, description)


@pytest.mark.parametrize("which", ["native", "user"])
@pytest.mark.parametrize("corner", list(CORNERS))
def test_the_map_of_a_cornering_car(request: pytest.FixtureRequest, which: str, corner: str) -> None:
    sim, run = request.getfixturevalue(which)
    table = of_run(run, corner)
    assert table.shape == (len(run.time), 300) and np.all(np.isfinite(table[:, REQUIRED]))
    assert np.array_equal(table[:, :6], table[:, 37:43])
    assert np.array_equal(table[:, 25:31], table[:, :6] * [1, -1, -1, 1, -1, -1])
    last = table[-1]
    assert abs(last[1]) > 200 and last[2] > 1000 and last[0] < -20, "braked in a turn"
    # second derivation: the frames of the contact from matrix and normal, forces moved by hand
    matrix, normal, centre, patch = last[13:22].reshape(3, 3), last[68:71], last[22:25], last[65:68]
    assert np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-14)
    touch = geometry.touch(matrix[:, 1], normal, float(np.dot(centre - patch, normal)))
    assert touch.gamma == pytest.approx(last[8], abs=1e-12) and touch.radius == pytest.approx(last[94], rel=1e-12)
    total = geometry.wrench(touch, last[:3], last[3:6])
    assert np.allclose(last[31:34], matrix.T @ np.array(total.force), rtol=1e-10, atol=1e-7)
    assert np.allclose(last[34:37], matrix.T @ np.array(total.moment), rtol=1e-10, atol=1e-7)
    world = matrix @ last[10:13]
    v = [run[f"Wheel.Global_V{a}.{corner}"][-1] for a in "xyz"]
    assert np.allclose(world, v, rtol=0, atol=1e-12)
    assert last[45] == pytest.approx(last[47] - last[49] * last[48], abs=1e-12)
    assert last[51] == pytest.approx(-last[45] / abs(last[47]), rel=1e-9)
    now = of_simulation(sim, corner)
    assert now.shape == (300,) and np.allclose(now[:9], last[:9], rtol=1e-6, atol=1e-6)


def test_user_tires_add_what_only_they_know(user: tuple[Simulation, Recording]) -> None:
    _, run = user
    table = of_run(run, "R2")
    assert np.all(table[:, INDEX["temperature_2"]] == pytest.approx(40.0)), "degrees Celsius in the map"
    assert np.all(run["Tire.Temperature_2.R2"] == pytest.approx(313.15)), "SI in channels"
    assert np.all(table[:, INDEX["user_1"]] == 1.0) and np.all(run["Tire.User_Channel_1.R2"] == 1.0)
    assert "Tire.Pressure.R2" in run and "Tire.User_Channel_20.L1" in run
    asked = np.column_stack([run[f"R2.tire.asked.matrix.{i}{j}"] for i in "xyz" for j in "xyz"])
    assert np.allclose(table[:, 13:22], asked, rtol=0, atol=1e-13), "from angles as from the model"


def test_native_tires_leave_open_what_nobody_knows(native: tuple[Simulation, Recording]) -> None:
    _, run = native
    table = of_run(run, "L1")
    assert np.all(np.isnan(table[:, INDEX["temperature_1"]])) and np.all(table[:, 185:] == 0.0)
    few = {"Tire.Ground_Surface_Force_Z.L1": np.zeros(3)}
    with pytest.raises(ParameterError, match=r"no channel 'Tire.Ground_Surface_Force_X\.L1'"):
        of_run(few, "L1")


@pytest.mark.slow
def test_a_second_tire_of_a_twin_wheel_has_a_complete_map() -> None:
    vehicle = cars.compact(**{"rear_wheels.twin": {"offset": 0.3}})
    description = car.describe(vehicle)
    sim = car.simulation(description)
    run = cornering(sim, description)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        first, second = of_run(run, f"{side}2")[-1], of_run(run, f"{side}2_twin")[-1]
        assert np.all(np.isfinite(second[list(REQUIRED)])) and np.all(np.isfinite(second[10:37]))
        assert np.array_equal(second[10:25], first[10:25]), "one hub"
        matrix, normal, patch = second[13:22].reshape(3, 3), second[68:71], second[65:68]
        centre = second[22:25] + 0.3 * sign * matrix[:, 1]  # its own, from the offset
        touch = geometry.touch(matrix[:, 1], normal, float(np.dot(centre - patch, normal)))
        assert touch.gamma == pytest.approx(second[8], abs=1e-12)
        assert touch.radius == pytest.approx(second[94], rel=1e-9)
        total = geometry.wrench(touch, second[:3], second[3:6])
        moment = np.array(total.moment) + np.cross(centre - second[22:25], total.force)
        assert np.allclose(second[31:34], matrix.T @ np.array(total.force), rtol=1e-9, atol=1e-6)
        assert np.allclose(second[34:37], matrix.T @ moment, rtol=1e-9, atol=1e-6)
        assert second[45] == pytest.approx(second[47] - second[49] * second[48], abs=1e-12)
        assert second[51] == pytest.approx(-second[45] / abs(second[47]), rel=1e-9)
        assert second[44] == pytest.approx(-run[f"Tire.Effective_Closing_Speed.{side}2_twin"][-1] * np.cos(second[8]))
        assert abs(second[2] - first[2]) > 10 and abs(second[47] - first[47]) > 1e-3, "not the same tire"


def test_the_flag_of_a_cross_section(native: tuple[Simulation, Recording]) -> None:
    tire = read_tir(library_file("tires", "example_pac_mc")).tire
    assert tire.model.profile
    sim = car.simulation(car.describe(cars.compact(), dict.fromkeys(CORNERS, tire)))
    assert [of_simulation(sim, corner)[98] for corner in CORNERS] == [1.0] * 4
    _, run = native
    assert np.all(of_run(run, "L1")[:, 98] == 0.0)
    told = {name: run[name] for name in run.names} | {"L1.tire.map.profile": np.full(len(run.time), 2.0)}
    assert np.all(of_run(told, "L1")[:, 98] == 2.0), "as the tire says"


def test_off_road_and_material_of_a_run(native: tuple[Simulation, Recording]) -> None:
    _, run = native
    flags = np.arange(len(run.time)) % 2.0
    told = {name: run[name] for name in run.names}
    assert np.all(np.isnan(of_run(told, "R1")[:, 183:185])), "nobody said"
    told |= {"Road.Off_Road_Flag.R1": flags, "Road.Material.R1": 3.0 * flags}
    table = of_run(told, "R1")
    assert np.array_equal(table[:, 183], flags) and np.array_equal(table[:, 184], 3.0 * flags)


def test_rates_of_the_contact_deflections(native: tuple[Simulation, Recording]) -> None:
    """A rolling contact: σ dκ/dt = -Vsx - |Vx| κ and σ d(tan α)/dt = Vsy - |Vx| tan α, by other places of the map."""
    sim, run = native
    for corner in CORNERS:
        now = of_simulation(sim, corner)
        alpha, kappa, vsx, vy, vx = now[[6, 7, 45, 46, 47]]
        assert np.all(np.abs(now[52:54]) > 1e-7)
        assert np.allclose(now[52:54], [-vsx - abs(vx) * kappa, vy - abs(vx) * np.tan(alpha)], rtol=1e-7, atol=1e-11)
    assert np.all(np.isnan(of_run(run, "L1")[:, 52:54])), "not among the channels of a run"


def test_parts_of_the_forces_of_a_cornering_car(native: tuple[Simulation, Recording]) -> None:
    """Forces and moments of the run put together again from the parts that the map tells, on both sides of the car."""
    sim, run = native
    tires = car.tires_of(cars.compact())
    for corner in CORNERS:
        tire = tires[corner]
        table = of_run(run, corner, tire=tire)
        assert np.all(np.isfinite(table[:, 54:65]))
        alone, channels = of_run(run, corner)[:, 54:65], [56 - 54, 59 - 54, 60 - 54]
        assert np.all(np.isnan(np.delete(alone, channels, axis=1))), "not without the tire"
        assert np.allclose(alone[:, channels], table[:, [56, 59, 60]], rtol=1e-12), "these are channels"
        fx, fy, mz = table[:, 0], table[:, 1], table[:, 5]
        trail, residual, arm, gyroscopic, induced = (table[:, i] for i in (56, 57, 58, 61, 62))
        again = -trail * (fy - induced) + residual + arm * fx + gyroscopic
        assert np.allclose(again, mz, rtol=1e-9, atol=1e-7)
        assert np.ptp(trail) > 1e-3 and np.all(trail[:2] > 0.01) and np.abs(induced).max() > 0.01
        last = table[-1]
        at = tire.at_load(last[2], tire.sign_on("left" if corner[0] == "L" else "right") * last[8])
        assert last[59:61] == pytest.approx([float(at.sigma_kappa), float(at.sigma_alpha)], rel=1e-12)
        now = of_simulation(sim, corner, tire=tire)
        assert np.allclose(now[54:65], last[54:65], rtol=1e-5, atol=1e-5)


def rolling_free(load: float) -> dict[str, np.ndarray]:
    """The least that a run must say, for one instant."""
    told = dict.fromkeys(("Ground_Surface_Force_X", "Ground_Surface_Force_Y", "Lateral_Slip_With_Lag"), 0.0)
    told |= {"Longitudinal_Slip_With_Lag": 0.0, "Road_Friction": 1.0, "Ground_Surface_Force_Z": load}
    told |= {"Ground_Surface_Contact_Patch_Vx": 16.7, "Effective_Rolling_Radius": 0.31}
    run = {f"Tire.{name}.{c}": np.array([value]) for name, value in told.items() for c in ("L1", "R1")}
    wheel = {"Omega": 54.0, "Inclination": 0.0}
    return run | {f"Wheel.{name}.{c}": np.array([value]) for name, value in wheel.items() for c in ("L1", "R1")}


def test_parts_have_known_values() -> None:
    """Of the example tire at 4 kN: trail and relaxation lengths by hand, peaks and shifts from its curves."""
    tire = tire_of(EXAMPLE)
    left, right = (of_run(rolling_free(4000.0), corner, tire=tire)[0] for corner in ("L1", "R1"))
    assert left[56] == pytest.approx(0.03134, abs=5e-6)
    assert left[59] == pytest.approx(0.3135, abs=5e-5) and left[60] == pytest.approx(0.52668, abs=5e-6)
    kappa = np.linspace(-0.4, 0.4, 4001)
    fx = np.asarray(tire.steady(4000.0, kappa).fx) - left[63]
    assert np.abs(fx).max() / 4000 == pytest.approx(left[54], rel=1e-6), "the peak above the shift"
    alpha = np.linspace(-0.5, 0.5, 4001)
    fy = np.asarray(tire.steady(4000.0, 0.0, alpha).fy) - left[64]
    assert np.abs(fy).max() / 4000 == pytest.approx(left[55], rel=1e-3)
    # a mirrored tire has these turned round
    sided, same = [57, 58, 62, 64], [54, 55, 56, 59, 60, 63]
    assert tire.sign_on("right") == -1 and np.any(left[sided] != 0)
    assert np.allclose(right[sided], -left[sided], rtol=1e-12) and np.allclose(right[same], left[same], rtol=1e-12)


def test_the_gyroscopic_moment_needs_the_rates() -> None:
    tire = tire_of({**EXAMPLE, "QTZ1": 0.2, "MBELT": 7.0})
    run = rolling_free(4000.0)
    assert np.isnan(of_run(run, "L1", tire=tire)[0, 61])
    run["L1.tire.map.rate_2"] = np.array([0.05])
    row = of_run(run, "L1", tire=tire)[0]
    # QTZ1 m Ω re v̇, lessened by cos(atan(Br αr)) as the residual torque
    assert row[61] == pytest.approx(0.2 * 7.0 * 54.0 * 0.31 * 0.05, rel=0.02)
