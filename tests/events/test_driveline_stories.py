"""Stories of drivelines: a cycle and what it takes, regeneration, a hybrid strategy in Python, parts swapped."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
import jounce.components.drive as drive
from cars import compact
from drivelines import BATTERY, CLUTCH, ENGINE, GEARBOX, MOTOR, REAR
from jounce import events
from jounce.cli.main import main
from jounce.core.errors import ParameterError
from jounce.core.part_registry import PARTS, kind_of
from jounce.results.run import Run

TRACE = ((0, 0.0), (2, 0.0), (12, 11.0), (18, 11.0), (25, 21.0), (30, 21.0), (38, 4.0), (42, 0.0), (43, 0.0))


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("cycle") / "trace.csv"
    path.write_text("time,speed\ns,m/s\n" + "".join(f"{t},{v}\n" for t, v in TRACE), encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_the_sedan_follows_the_wltc_and_prints_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    """All 1800 s inside the tolerance; litres per 100 km in words and as JSON."""
    command = ["run", "cycle", "--vehicle", "sedan", "--set", "cycle=wltc_3b"]
    with pytest.raises(SystemExit) as done:
        main([*command, "--json"])
    assert done.value.code == 0
    told = json.loads(capsys.readouterr().out)
    figures = {name: value["value"] if isinstance(value, dict) else value for name, value in told["kpis"].items()}
    assert figures["trace_miss_time"] == 0.0 and figures["trace_error_rms"] < 0.3
    assert figures["distance"] == pytest.approx(23.27, rel=0.005)  # km, of class 3b
    assert 4.0 < figures["consumption"] < 9.0 and abs(figures["energy_residual"]) < 0.1


# -- an electric car with and without regeneration ---------------------------------------------------------------------


def electric(trace: str, *, regenerates: bool) -> Run:
    motor = MOTOR if regenerates else {**MOTOR, "regeneration": 0.0, "coasting": {"x": [0.0, 1200.0], "y": [0.0, 0.0]}}
    ends = {"front": {**REAR, "ratio": 1.1}, "rear": {**REAR, "ratio": 1.1}}
    motors = {"rear_motor": motor, "front_motor": {**motor, "ratio": 7.0}}
    line = {"layout": "dual_motor_awd", **motors, **ends, "battery": BATTERY}
    return jn.run(compact().with_(drive={}, driveline=line), events.Cycle(cycle=trace))


@pytest.mark.slow
def test_an_electric_car_with_and_without_regeneration(trace: str) -> None:
    """Without it the charge only falls and no current comes back; with it more is left in the end."""
    kept, lost = (electric(trace, regenerates=which) for which in (True, False))
    charge, current = lost["Battery.Battery_SOC"], lost["Battery.Battery_Current"]
    assert np.all(np.diff(charge) <= 0) and current.min() >= 0
    assert kept["Battery.Battery_SOC"][-1] > charge[-1] + 1e-4
    assert kept["Battery.Battery_Current"].min() < -1.0
    for run in (kept, lost):
        assert run.kpis["trace_miss_time"][0] == 0.0
        assert abs(run.kpis["energy_residual"][0]) < 0.1  # 1 is what is asked for
        assert run.kpis["consumption"][1] == "kWh/100km"
    assert kept.kpis["consumption"][0] < 0.9 * lost.kpis["consumption"][0]
    assert lost.kpis["energy_regenerated"][0] == 0.0


# -- a strategy of a hybrid in Python ----------------------------------------------------------------------------------

SMALL = 0.12  # of the pedal: below it the motor is alone
ENGINE_INPUTS = ("Engine.control_mode", "Engine.engine_trq")
MOTOR_INPUTS = ("Generic_Engine_to_Gearbox.control_mode", "Generic_Engine_to_Gearbox.engine_torque")


def split(t: float, seen: Any) -> list[float]:
    """Torques of engine and motor: a small demand is the motor's, what it cannot give and a large one are shared."""
    pedal, motor_most, engine_most = seen
    demand = pedal * (motor_most + engine_most)
    motor = min(demand, motor_most) if pedal < SMALL else min(0.3 * demand, motor_most)
    engine = min(demand - motor, engine_most)
    return [0.0, engine, 0.0, motor]


@pytest.fixture(scope="module")
def hybrid_run(trace: str) -> Run:
    box = {**GEARBOX, "ratios": [3.6]}
    motor = {**MOTOR, "ratio": 1.0, "efficiency": 0.92}
    line = {"layout": "rwd", "engine": ENGINE, "gearbox": box, "rear": REAR, "main_motor": motor, "battery": BATTERY}
    strategy = jn.OutsideBlock(
        split,
        ("Engine.effective_throttle", "Motor_to_Gearbox.Max_Engine_torque", "Engine.Max_Engine_torque"),
        (*ENGINE_INPUTS, *MOTOR_INPUTS), stateless=True,
    )  # fmt: skip
    return jn.run(compact().with_(drive={}, driveline=line), events.Cycle(cycle=trace), blocks=[strategy])


@pytest.mark.slow
def test_a_hybrid_strategy_in_python_splits_the_demand(hybrid_run: Run) -> None:
    """The sum is the demand within the limits; little is electric alone; the charge follows the sign of the power."""
    run = hybrid_run
    pedal = run["Engine.effective_throttle"]
    engine, motor = run["Engine.torque"], run["Motor_to_Gearbox.torque"]
    most = [run["Engine.Max_Engine_torque"], run["Motor_to_Gearbox.Max_Engine_torque"]]
    asked = pedal * (most[0] + most[1])
    drives = (pedal > 0.01) & (run["chassis_velocities.longitudinal"] > 1.0)
    # what it wrote a step ago: the pedal of the driver moves by a share of a percent in a step
    calm = drives & (np.abs(np.gradient(pedal, run.time)) < 1.0)
    assert calm.sum() > 50
    assert np.abs(engine + motor - asked)[calm].max() < 0.02 * (most[0] + most[1]).max()
    assert np.all(engine <= most[0] + 1e-6) and np.all(motor <= most[1] + 1e-6)
    little, much = calm & (pedal < 0.9 * SMALL), calm & (pedal > 1.1 * SMALL)
    assert little.sum() > 20 and much.sum() > 20
    assert np.all(engine[little] == 0.0) and engine[much].min() > 10.0
    power, change = run["Battery.power"], np.gradient(run["Battery.Battery_SOC"], run.time)
    large = np.abs(power) > 2000.0
    assert np.all(np.sign(change[large]) == -np.sign(power[large]))


# -- parts that are swapped --------------------------------------------------------------------------------------------

COPIED = {"engine_simple": "simple_engine", "clutch": "clutch", "gearbox": "manual_gearbox",
          "differential": "open_differential"}  # fmt: skip
ROLES = {"engine": "simple_engine", "clutch": "clutch", "gearbox": "manual_gearbox",
         **dict.fromkeys(("central", "front", "rear"), "open_differential")}  # fmt: skip


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The laws of the parts written again in files outside the package."""
    folder, made = tmp_path_factory.mktemp("copies"), []
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        for module, kind in COPIED.items():
            text = (Path(drive.__path__[0]) / f"{module}.py").read_text(encoding="utf-8")
            old, new = (f'Literal["{word}"] = choice("{word}"' for word in (kind, f"own_{kind}"))
            (folder / f"swapped_{module}.py").write_text(text.replace(old, new), encoding="utf-8")
        try:
            for module, kind in COPIED.items():
                found = importlib.import_module(f"swapped_{module}")
                cls = next(c for c in vars(found).values() if isinstance(c, type) and kind_of(c) == f"own_{kind}")
                made.append(PARTS.register(cls))
            yield
        finally:
            for cls in made:
                PARTS.forget(cls)
            for module in COPIED:
                sys.modules.pop(f"swapped_{module}", None)


def all_wheels(swapped: str = "") -> jn.Vehicle:
    """With one of its parts, or none, from outside."""
    parts: dict[str, dict[str, Any]] = {
        "engine": ENGINE, "clutch": CLUTCH, "gearbox": GEARBOX, "front": {**REAR, "ratio": 3.1}, "rear": REAR,
        "central": {**REAR, "ratio": 1.2, "share": 0.4, "inertia": 0.011},
    }  # fmt: skip
    parts["rear"] = {**REAR, "ratio": 3.1, "efficiency": 0.94}
    if swapped:
        parts[swapped] = {**parts[swapped], "kind": f"own_{ROLES[swapped]}"}
    return compact().with_(drive={}, driveline={"layout": "awd", **parts})


@pytest.mark.slow
def test_each_part_of_a_driveline_swapped_by_an_equal_law_drives_the_same(copies: None, trace: str) -> None:
    """Launch, shifts, lift and stop: the way after every row to 0.1 %; it is the same to rounding."""
    own = jn.run(all_wheels(), events.Cycle(cycle=trace))
    assert own.complete and own["Transmission.gear"].max() >= 3
    for place in ROLES:
        other = jn.run(all_wheels(place), events.Cycle(cycle=trace))
        for name in ("chassis_displacements.longitudinal", "chassis_velocities.longitudinal", "Engine.engine_rpm"):
            assert np.abs(other[name] - own[name]).max() <= 1e-3 * np.abs(own[name]).max(), (place, name)
        assert other.metadata["vehicle"]["quantities"] == own.metadata["vehicle"]["quantities"]
        assert other.kpis["quasi_static_difference"] == own.kpis["quasi_static_difference"]


def test_a_speed_that_is_not_there_is_an_error_with_its_name() -> None:
    block = jn.OutsideBlock(lambda t, w: 0.0, ("Clutch.inputplate_rmp",), ("Clutch.clutch_trq",), stateless=True)
    with pytest.raises(ParameterError, match=r"Clutch\.inputplate_rmp"):
        jn.run(jn.load("compact"), events.StraightAcceleration(), blocks=[block])
