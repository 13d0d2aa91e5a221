"""The map of 300 outputs: places and names, and its values for native and user tires of a car."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cars
from jounce.components.tire import contact as geometry
from jounce.components.tire import output_map
from jounce.components.tire.output_map import ENTRIES, INDEX, NAMES, REQUIRED, of_run, of_simulation
from jounce.components.tire.sti import library_tire
from jounce.core.errors import ParameterError
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.vehicle.assembly import CORNERS
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
