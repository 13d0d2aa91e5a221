"""Controllers in runs: compiled parts, callables and C functions give the same; order, loops, writers, searches."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

import jounce as jn
from ideal_cars import ideal
from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.errors import ParameterError
from jounce.core.fields import choice, quantity
from jounce.events import StepSteer
from jounce.events.export import export_c
from jounce.events.record import run_keywords
from jounce.runtime.blocks import BlockState, OutsideBlock
from jounce.runtime.compile import find_compiler
from jounce.runtime.program import Constant
from jounce.sim import car as cars
from jounce.sim.car_model import Structure

GAIN = 8300.0  # N.m.s/rad
RATE, MOMENT, OTHER = "chassis_velocities.yaw", "Ext_Body.moment.Z", "Ext_Body.moment.X"
STEP = StepSteer(amplitude="35 deg", end_time="1.5 s", start_time="0.2 s", speed="25 m/s")
CHANNELS = ["chassis_*", "Tire.Ground_Surface_Force_?.*"]


class YawDamper(Part):
    """A moment against the yaw rate, by a block that runs at every step."""

    family: ClassVar[str] = "controller"
    kind: Literal["yaw_damper"] = choice("yaw_damper", doc="kind of controller")
    gain: float = quantity("N.m.s/rad", GAIN, doc="moment per yaw rate")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        block = at.system.block(p.own_name)
        p.kept["block"], p.kept["moment"] = block, block.signal("moment", "N.m")
        at.signals.add(MOMENT, lambda: p.kept["moment"], "the yaw damper")

    def declare(self, at: VehicleModel, p: Symbols) -> None:
        p.kept["block"].update(p.kept["moment"], -p.gain * at.units[0].chassis.w[2])


def by_python(**options: Any) -> OutsideBlock:
    return OutsideBlock(lambda t, u: -GAIN * u[0], (RATE,), (MOMENT,), name="damper", **{"stateless": True, **options})


@pytest.fixture(scope="module")
def car() -> jn.Vehicle:
    return jn.load("sedan")


def run(car: jn.Vehicle, *blocks: Any, event: Any = STEP, inputs: Any = None, **options: Any) -> Any:
    """One structure for all outside blocks: both inputs are there."""
    written = [name for block in blocks if isinstance(block, OutsideBlock) for name in block.writes]
    given = {OTHER: 0.0} if inputs is None and written and OTHER not in written else inputs
    return jn.run(car, event, blocks=blocks, inputs=given, channels=CHANNELS, **options)


def bits(run: Any) -> bytes:
    return b"".join(run[name].tobytes() for name in run.names)


@pytest.fixture(scope="module")
def free(car: jn.Vehicle) -> Any:
    return run(car)


@pytest.fixture(scope="module")
def damped(car: jn.Vehicle) -> Any:
    return run(car, by_python())


@pytest.mark.slow
def test_a_compiled_part_and_a_callable_give_the_same_run(car: jn.Vehicle, free: Any, damped: Any) -> None:
    """Both are sampled at every step and act at the same instant: to rounding of the sum of moments."""
    compiled = run(car, YawDamper())
    assert compiled.complete and damped.complete
    assert np.abs(damped[RATE] - free[RATE]).max() > 0.01, "it does something"
    for name in damped.names:
        size = np.abs(damped[name]).max()
        assert np.abs(compiled[name] - damped[name]).max() <= 1e-9 * size, name


def test_the_moment_of_the_controller_is_that_of_its_law(car: jn.Vehicle, free: Any, damped: Any) -> None:
    """Steady: less moment of the tires is needed the other way; the car turns less."""
    assert damped[RATE][-1] < 0.97 * free[RATE][-1]
    other = run(car, by_python(), event=STEP.changed(amplitude=-STEP.amplitude))
    assert -other[RATE][-1] == pytest.approx(damped[RATE][-1], rel=0.02), "and alike to the other side"


@pytest.mark.slow
def test_the_numbers_of_a_compiled_part_need_no_new_model(car: jn.Vehicle, free: Any) -> None:
    """A gain of zero is the car alone, with the same binary."""
    one = cars.library(cars.describe(car, parts=[YawDamper()]))
    assert cars.library(cars.describe(car, parts=[YawDamper(gain=0.0)])).model.name == one.model.name
    idle = run(car, YawDamper(gain=0.0))
    assert np.abs(idle[RATE] - free[RATE]).max() < 1e-12


SOURCE = """
void damper(void *context, double t, const double *in, double *out) {
    (void)t;
    out[0] = -((double *)context)[0] * in[0];
}
"""


def test_a_c_function_is_the_callable_to_the_bit(car: jn.Vehicle, damped: Any, tmp_path: Path) -> None:
    (tmp_path / "damper.c").write_text(SOURCE, encoding="utf-8")
    command = [*find_compiler().command, "-O1", "-ffp-contract=off", "-fPIC", "-shared", "damper.c", "-o", "damper.so"]
    subprocess.run(command, check=True, cwd=tmp_path)
    library = ctypes.CDLL(str(tmp_path / "damper.so"))
    gain = ctypes.c_double(GAIN)
    block = OutsideBlock(
        library.damper, (RATE,), (MOMENT,), name="damper", stateless=True, context=ctypes.addressof(gain)
    )
    found = run(car, block)
    assert bits(found) == bits(damped)


def test_outside_code_cannot_be_exported(car: jn.Vehicle, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'damper': outside code stays here"):
        export_c(tmp_path / "out", car, STEP, blocks=[by_python()], inputs={OTHER: 0.0})


def test_a_slower_block_holds_what_it_wrote(car: jn.Vehicle, damped: Any) -> None:
    seen: list[tuple[float, float]] = []

    def slow(t: float, values: Any) -> float:
        seen.append((t, float(values[0])))
        return -GAIN * float(values[0])

    found = run(car, OutsideBlock(slow, (RATE,), (MOMENT,), period="20 ms", stateless=True))
    times = [t for t, _ in seen]
    assert np.diff(times) == pytest.approx(0.02, abs=1e-12)
    delayed = np.abs(found[RATE] - damped[RATE]).max()
    assert 1e-6 < delayed < 0.02, "half a period late"


# ---- order ---------------------------------------------------------------------------------------------------------


def test_blocks_run_in_the_order_of_what_they_read(car: jn.Vehicle) -> None:
    """The second reads what the first writes at the same sample, whichever is given first."""
    seen: dict[str, list[float]] = {"first": [], "second": []}

    def first(t: float, values: Any) -> float:
        seen["first"].append(1000.0 * t)
        return 1000.0 * t

    def second(t: float, values: Any) -> float:
        seen["second"].append(float(values[0]))
        return 0.0

    a = OutsideBlock(first, (), (MOMENT,), stateless=True)
    b = OutsideBlock(second, (MOMENT,), (OTHER,), stateless=True)
    short = STEP.changed(end_time=0.05, start_time=0.01)
    for order in ((a, b), (b, a)):
        seen["first"].clear()
        seen["second"].clear()
        run(car, *order, event=short)
        assert seen["second"] == seen["first"]


def test_a_loop_of_outside_blocks_has_one_sample_of_delay_that_is_told(car: jn.Vehicle) -> None:
    seen: list[float] = []

    def ahead(t: float, values: Any) -> float:
        seen.append(float(values[0]))
        return 1000.0 * t

    a = OutsideBlock(ahead, (OTHER,), (MOMENT,), stateless=True, name="ahead")
    b = OutsideBlock(lambda t, u: 2 * u[0], (MOMENT,), (OTHER,), stateless=True, name="behind")
    found = run(car, a, b, event=STEP.changed(end_time=0.05, start_time=0.01), step=0.001)
    assert seen[:4] == pytest.approx([0.0, 0.0, 2.0, 4.0]), "what the other wrote one sample before"
    warnings = [text for text in found.metadata["warnings"] if "loop" in text]
    assert warnings == [f"blocks read each other in a loop: {OTHER} -> ahead one sample late"]


class Link(Part):
    """Reads the signal of another and provides its own."""

    family: ClassVar[str] = "controller"
    kind: Literal["link"] = choice("link", doc="kind")
    reads: ClassVar[str] = ""
    writes: ClassVar[str] = ""

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        block = at.system.block(self.writes)
        p.kept["block"], p.kept["value"] = block, block.signal("value")
        at.signals.provide(f"test.{self.writes}", lambda: p.kept["value"], self.writes)

    def declare(self, at: VehicleModel, p: Symbols) -> None:
        other = at.signals.read(f"test.{self.reads}", self.writes) if self.reads else 1.0
        p.kept["block"].update(p.kept["value"], other + 1.0)


class Early(Link):
    kind: Literal["early"] = choice("early", doc="kind")  # type: ignore[assignment]
    writes: ClassVar[str] = "early"


class Late(Link):
    kind: Literal["late"] = choice("late", doc="kind")  # type: ignore[assignment]
    reads: ClassVar[str] = "early"
    writes: ClassVar[str] = "late"


class InLoop(Early):
    kind: Literal["in_loop"] = choice("in_loop", doc="kind")  # type: ignore[assignment]
    reads: ClassVar[str] = "late"


@pytest.mark.slow
def test_compiled_parts_run_in_the_order_of_what_they_read() -> None:
    car = ideal("sedan")  # whose drive has no blocks
    for parts in ((Early(), Late()), (Late(), Early())):
        model = Structure(cars.describe(car, parts=parts)).system().generate()
        assert [block.name for block in model.blocks] == ["early", "late"]
        assert "block_delays" not in model.notes
    model = Structure(cars.describe(car, parts=(InLoop(), Late()))).system().generate()
    assert model.notes["block_delays"] == ["late.value -> early"]


# ---- writers -------------------------------------------------------------------------------------------------------


def test_two_blocks_that_write_one_port_are_an_error_that_names_both(car: jn.Vehicle) -> None:
    again = OutsideBlock(lambda t, u: 0.0, (), (MOMENT,), name="again", stateless=True)
    with pytest.raises(ParameterError, match="'damper' and by block 'again'"):
        run(car, by_python(), again)


def test_a_block_and_a_reference_cannot_both_write_a_port(car: jn.Vehicle) -> None:
    with pytest.raises(ParameterError, match=rf"'{MOMENT}' is driven by .* and by block 'damper'"):
        run(car, by_python(), inputs={MOMENT: 3.0, OTHER: 0.0})


def test_what_the_event_drives_cannot_be_given_under_any_name(car: jn.Vehicle) -> None:
    with pytest.raises(
        ParameterError, match=r"'Driver_Demands\.str_swa', which is 'steering_wheel', is driven by the event"
    ):
        run(car, inputs={"Driver_Demands.str_swa": 0.1})
    with pytest.raises(ParameterError, match="'steering_wheel' is driven by the event itself"):
        run(car, inputs={"steering_wheel": 0.1})
    two = SimpleNamespace(inputs={"Irregularity.road.L1": 0.01, "road.L1": 0.01})
    sim = SimpleNamespace(model=SimpleNamespace(aliases={"Irregularity.road.L1": "road.L1"}))
    with pytest.raises(ParameterError, match=r"'Irregularity\.road\.L1' are the same input"):
        run_keywords(sim, jn.Program(jn.Phase("one", [], duration=1.0)), two)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"Driver_Demands\.geer.*no port"):
        run(car, inputs={"Driver_Demands.geer": 1.0})


def test_demands_by_their_names_in_the_catalogue(car: jn.Vehicle) -> None:
    """In a simulation and in a program both names mean the same."""
    sim = cars.simulation(car)
    sim.set_inputs({"Driver_Demands.str_swa": 0.21, "Driver_Demands.throttle": 0.4, "Driver_Demands.brake": 0.1})
    assert [sim.input(name) for name in ("steering_wheel", "throttle", "brake")] == [0.21, 0.4, 0.1]
    program = jn.Program(jn.Phase("one", [jn.Open("Driver_Demands.throttle", Constant(0.7))], duration=0.01))
    sim.run(program=program)
    assert sim.input("throttle") == 0.7


# ---- searches ------------------------------------------------------------------------------------------------------


class Integrating:
    """A block that keeps something."""

    def __init__(self) -> None:
        self.kept = 0.0

    def __call__(self, t: float, values: Any) -> float:
        self.kept += 0.001 * float(values[0])
        return -0.5 * GAIN * float(values[0]) - 900.0 * self.kept


class Told(Integrating):
    def get_state(self) -> list[float]:
        return [self.kept]

    def set_state(self, values: Any) -> None:
        self.kept = float(values[0])


SEARCHING = STEP.changed(amplitude=None, lateral_acceleration=2.5, end_time=2.0)


def test_a_search_refuses_a_block_that_cannot_begin_anew(car: jn.Vehicle) -> None:
    block = OutsideBlock(Integrating(), (RATE,), (MOMENT,), name="integral")
    with pytest.raises(ParameterError, match=r"(?s)'integral'.*runs several times.*stateless=True.*BlockState"):
        run(car, block, event=SEARCHING)
    assert run(car, OutsideBlock(Integrating(), (RATE,), (MOMENT,)), event=STEP.changed(end_time=0.3)).complete


def test_a_search_with_a_block_that_tells_its_state_repeats_to_the_bit(car: jn.Vehicle) -> None:
    told = Told()
    one = run(car, OutsideBlock(told, (RATE,), (MOMENT,)), event=SEARCHING)
    two = run(car, OutsideBlock(Told(), (RATE,), (MOMENT,)), event=SEARCHING)
    silent = Integrating()
    state = BlockState(lambda: [silent.kept], lambda values: setattr(silent, "kept", float(values[0])))
    three = run(car, OutsideBlock(silent, (RATE,), (MOMENT,), state=state), event=SEARCHING)
    assert bits(one) == bits(two) == bits(three)
    assert told.kept != 0.0
    # the found amplitude, run alone from the beginning, is the run of the search
    amplitude = one.metadata["event"]["parameters"]["amplitude"][0]
    alone = run(car, OutsideBlock(Told(), (RATE,), (MOMENT,)), event=SEARCHING.changed(amplitude=amplitude))
    assert bits(alone) == bits(one)
