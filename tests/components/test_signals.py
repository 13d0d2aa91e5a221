"""Signals between parts: one writer each; sums that an owner accepts; what ports make of both."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import pytest

from ideal_cars import ideal
from jounce.components.model import Signals, VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.errors import ModelError
from jounce.core.fields import choice, quantity
from jounce.sim import car as cars
from jounce.sim.car_model import Structure


def test_an_owner_accepts_what_others_add() -> None:
    signals = Signals("lead.")
    signals.add("torque", lambda: 3.0, "a")
    signals.add("torque", lambda: -5.5, "b")
    assert signals.is_added("torque")
    assert signals.accept("torque") == -2.5
    assert signals.accept("torque") == -2.5, "asked for again"
    assert signals.accept("angle") is None
    signals.check_accepted()


def test_an_addition_that_nobody_accepts_is_an_error_that_names_who_adds() -> None:
    signals = Signals("lead.")
    signals.accept("torque.L1")
    signals.add("torque.L2", lambda: 3.0, "the yaw controller")
    with pytest.raises(ModelError, match=r"lead\.torque\.L2: the yaw controller adds .* did you mean 'torque\.L1'"):
        signals.check_accepted()


def test_an_addition_after_the_sum_is_known_is_an_error() -> None:
    signals = Signals("")
    signals.accept("torque")
    with pytest.raises(ModelError, match="the late one adds to it when it is known already"):
        signals.add("torque", lambda: 1.0, "the late one")


def test_two_writers_of_one_signal_are_an_error_that_names_both() -> None:
    signals = Signals("")
    signals.provide("pressure", lambda: 1.0, "the brakes", usual=True)
    signals.provide("pressure", lambda: 2.0, "a controller")
    assert signals.read("pressure", "a test") == 2.0
    with pytest.raises(ModelError, match="written by a controller and by another one"):
        signals.provide("pressure", lambda: 3.0, "another one")


# ---- parts of a car, assembled but not compiled --------------------------------------------------------------------


class Adds(Part):
    """Adds a constant to a port."""

    family: ClassVar[str] = "controller"
    port: ClassVar[str] = "Brake_System.brk_pres.L1"
    kind: Literal["adds"] = choice("adds", doc="kind")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.add(self.port, lambda: 1e5, "the adding part")


class AddsNowhere(Adds):
    port: ClassVar[str] = "Brake_System.brk_press.L1"


class Flags(Part):
    """Writes a flag."""

    family: ClassVar[str] = "controller"
    kind: Literal["flags"] = choice("flags", doc="kind")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.provide("Main_Damper.activation_flag.L1", lambda: 0.0, "the switching part")


class FlagsToo(Flags):
    kind: Literal["flags_too"] = choice("flags_too", doc="kind")  # type: ignore[assignment]

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.provide("Main_Damper.activation_flag.L1", lambda: 0.0, "the second one")


def assembled(*parts: Part, inputs: Any = ()) -> Any:
    return Structure(cars.describe(ideal("sedan"), inputs=inputs, parts=parts)).system()


def test_an_addition_to_a_port_that_is_not_there_is_an_error_with_near_names() -> None:
    with pytest.raises(ModelError, match=r"the adding part adds .*did you mean 'Brake_System\.brk_pres\.L1'"):
        assembled(AddsNowhere())


def test_two_parts_that_write_one_flag_are_an_error_that_names_both() -> None:
    with pytest.raises(ModelError, match="written by the switching part and by the second one"):
        assembled(Flags(), FlagsToo())


def test_a_part_and_the_run_cannot_both_write_a_flag() -> None:
    name = "Main_Damper.activation_flag.L1"
    with pytest.raises(ModelError, match="given by the run and by the switching part"):
        assembled(Flags(), inputs=[name])


def test_a_part_may_add_to_what_the_run_adds() -> None:
    assembled(Adds(), inputs=["Brake_System.brk_pres.L1"])


class Pushes(Part):
    """Holds a number in a block of its own and adds it to a port."""

    family: ClassVar[str] = "controller"
    kind: Literal["pushes"] = choice("pushes", doc="kind")
    force: float = quantity("N", 1.0, doc="how much")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        block = at.system.block(p.own_name)
        held = block.signal("held", "N")
        block.update(held, p.force)
        at.signals.add("Ext_Body.force.X", lambda: held, p.own_name)


def test_two_parts_of_one_kind_have_names_and_numbers_of_their_own() -> None:
    system = assembled(Pushes(force=3.0), Pushes(force=5.0))
    found = {item.name: item.default for item in system.parameter_list if item.name.startswith("pushes")}
    assert found == {"pushes.force": 3.0, "pushes2.force": 5.0}
    assert [block.name for block in system.blocks] == ["pushes", "pushes2"]
    description = cars.describe(ideal("sedan"), parts=[Pushes(force=4.0), Pushes(force=7.0)])
    assert cars.numbers(description)["pushes2.force"]() == 7.0
