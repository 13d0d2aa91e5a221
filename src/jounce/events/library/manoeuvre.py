"""A manoeuvre: stages that say what drives each channel and when they are over, from a file or a program.

>>> run(load("sedan"), Manoeuvre(file="lane_change.yaml"))
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.core.errors import ParameterError
from jounce.core.fields import choice, hidden, part, quantity, text, to_raw
from jounce.events.base import Event
from jounce.events.follow import follow, follower
from jounce.manoeuvre import Manoeuvre as Stages
from jounce.results.figures import Figures
from jounce.results.kinds import Kind
from jounce.results.panels import signals

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.results.run import Run
    from jounce.road.surface import Road
    from jounce.runtime.program import Program
    from jounce.vehicle.schema import Vehicle

SAMPLE = "step_steer.vdf"  # of the library
LONGEST = 600.0  # s, of a manoeuvre whose stages do not say


def of_run(run: Run) -> Figures:
    """Key figures: how far, how long, how many stages."""
    figures = Figures()
    log = run.metadata.get("triggers", [])
    figures.put("duration", float(run.time[-1] - run.time[0]), "s")
    figures.put("stages_ended", float(len(log)), "")
    if "driver.distance" in run:
        figures.put("distance", float(run["driver.distance"][-1]), "m")
    return figures


class Manoeuvre(Event):
    """Stages of a file or a program."""

    kind: ClassVar[str] = "manoeuvre"
    title: ClassVar[str] = "Manoeuvre"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (signals("steering", "forward_speed", "lateral_acceleration", "yaw_rate", "throttle", "brake"),),
        {"duration": "Duration", "stages_ended": "Stages that ended", "distance": "Distance"},
        ("duration", "distance", "stages_ended"),
    )

    file: str = text(doc="a manoeuvre (YAML, VDF, SDF, DCF, XML); absent: its keys stand here")
    manoeuvre: Stages | None = part(None, doc="the manoeuvre")
    parameters_from: Literal["file", "vehicle"] = choice(
        "file", doc="settings of the driver and of shifting: those of the file, or those of the vehicle"
    )
    speed: float = quantity("m/s", 0.0, typical=(0.0, 75.0), doc="speed at the start; absent: that of the manoeuvre")
    end_time: float = quantity("s", LONGEST, gt=0, typical=(1e-3, 7200.0), doc="end of the run at the latest")
    seed: float = quantity("-", 1.0, ge=1, le=1e6, doc="of the unrest of a human driver: the same seed, the same run")
    folder: str = hidden("", doc="of the file, in which it looks for others")
    remarks: tuple[str, ...] = part((), doc="of the reader of the file")

    @model_validator(mode="before")
    @classmethod
    def _from_file(cls, raw: Any) -> Any:
        if not isinstance(raw, Mapping):
            return raw
        data = dict(raw)
        if data.get("file") and data.get("manoeuvre") is None:
            from jounce.events.manoeuvre_files import manoeuvre_and_remarks

            place = Path(str(data["file"]))
            data["manoeuvre"], data["remarks"] = manoeuvre_and_remarks(place)
            data["folder"] = str(place.resolve().parent)
        own = [key for key in data if key in Stages.model_fields and key not in cls.model_fields]
        if own and "stages" in data:
            data["manoeuvre"] = {key: data.pop(key) for key in own}
        found = data.get("manoeuvre")
        if found is None:
            from jounce.core.library import LIBRARY
            from jounce.events.manoeuvre_files import read_manoeuvre

            data["manoeuvre"] = found = read_manoeuvre(Path(str(LIBRARY)) / "events" / SAMPLE)
        if isinstance(found, Mapping):
            data["manoeuvre"] = found = Stages(**found)
        times = [stage.abort_time for stage in found.driven]
        jumps = any(c.next for stage in found.driven for _, c in found.conditions_of(stage))
        known = [time for time in times if time is not None]
        whole = LONGEST if jumps or len(known) < len(times) else math.fsum(known) + 1.0
        return {"speed": found.begin.speed, "end_time": whole, **data}

    @property
    def initial_steer(self) -> float:
        return self._whole.begin.steering

    @property
    def _whole(self) -> Stages:
        if self.manoeuvre is None:
            raise ParameterError("manoeuvre: give file, or the stages of a manoeuvre")
        return self.manoeuvre

    def parameters(self) -> dict[str, list[Any]]:
        found = super().parameters()
        return {name: [to_raw(value), unit] for name, (value, unit) in found.items()}

    def doubts(self) -> list[str]:
        own = self.manoeuvre.remarks() if self.manoeuvre is not None else ()
        return [*super().doubts(), *self.remarks, *own]

    def parts(self) -> tuple[Part, ...]:
        from jounce.components.driver.monitor import Monitor
        from jounce.events.along import steerer
        from jounce.events.manoeuvre_parts import hand_parts
        from jounce.events.manoeuvres import driver_kind, watched

        limits: dict[str, float] = {}
        for name, own in (("throttle", "throttle"), ("brake", "braking"), ("clutch", "clutch")):
            found = getattr(self._whole, own)
            limits |= {f"{name}_low": found.minimum / found.full, f"{name}_high": found.maximum / found.full}
        kind = driver_kind(self._whole)
        more = hand_parts(self._whole, self.seed) if self.parameters_from == "file" else {}
        lateral: tuple[Any, ...] = (steerer(kind, **more),) if kind else ()
        return (self._follower(), *lateral, Monitor(watched=watched(self._whole), **limits))

    def _follower(self) -> Part:
        from jounce.components.driver.gears import DriverGears
        from jounce.events.manoeuvre_parts import pedal_parts

        whole = self._whole
        more = pedal_parts(whole) if self.parameters_from == "file" else {}
        if whole.gears.table and self.parameters_from == "file":
            stages = whole.driven
            scheduled = next((found for s in stages if (found := whole.module_of(s, "scheduled_gears"))), None)
            kick_down = any(whole.controller_of(stage).kick_down for stage in stages)
            cuts = float(whole.clutch.throttle_in_shifts)
            more["gears"] = DriverGears.of(whole.gears, scheduled, kick_down=kick_down, cuts_throttle=cuts)
        elif (whole.begin.gear or 0) < 0:
            more["gears"] = DriverGears()  # he has the lever
        return follower(shifts=True, **more)

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Any, ...]]:
        from jounce.events.manoeuvres import Routes

        folder = Path(self.folder) if self.folder else None
        return self, tuple(Routes(self._whole, (self.x, self.y, self.heading), self.speed, folder).paths)

    @property
    def initial_gear(self) -> int | None:
        return self._whole.begin.gear

    def program(self, start: Start) -> Program:
        from jounce.events.manoeuvres import Compiler
        from jounce.runtime.program import Constant

        whole = self._whole
        follow(start, Constant(self.speed), changes=True)  # what the driver knows of the vehicle
        if whole.begin.setup == "off":
            demands = {"throttle": whole.throttle, "brake": whole.braking, "clutch": whole.clutch}
            known = {v.name for v in start.sim.model.inputs}
            first = {"throttle": whole.begin.throttle, "brake": whole.begin.braking, "clutch": whole.begin.clutch}
            given = {name: first[name] / demands[name].full for name in demands if name in known}
            if whole.driven[0].clutch.method != "machine" and "driver.share.clutch" in known:
                given["driver.share.clutch"] = 0.0  # as the pedal is, not as the driver would have it
            start.sim.set_inputs(given)
        self._tell(start)
        folder = Path(self.folder) if self.folder else None
        return Compiler(whole, start, folder, settings=self.parameters_from == "file").program()

    def _tell(self, start: Start) -> None:
        """Warn of what the manoeuvre says and the run does not do."""
        from jounce.events.manoeuvre_parts import MODULES, first_of, unused
        from jounce.events.manoeuvres import driver_kind

        whole, model = self._whole, start.sim.model
        if self.parameters_from == "file":
            found = unused(
                whole,
                driver=driver_kind(whole),
                inputs={v.name for v in model.inputs},
                numbers={v.name for v in model.parameters},
                given=start.options.given,
            )
        else:
            modules = [name for name in MODULES if first_of(whole, name) is not None]
            what = ", ".join(("controllers, gears", *modules))
            found = [f"parameters_from vehicle: settings of the manoeuvre are not used ({what})"]
        wanted, shown = whole.begin.gear, "Transmission.gear"
        if wanted is not None and shown in {v.name for v in model.outputs}:
            has = start.sim.output(shown)
            if has != wanted:
                found.append(
                    f"begin.gear = {wanted}: not used, the gearbox chooses by itself and starts in gear {has:g}"
                )
        start.warnings += [text for item in found if (text := f"manoeuvre: {item}") not in start.warnings]
