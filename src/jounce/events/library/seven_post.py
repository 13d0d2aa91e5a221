"""Seven-post rig: a car on pads, or held at its hubs, shaken by a sine, a sweep or a file, with downforce actuators.

The car stands; its wheels are held by the brakes unless ``unlock_wheels``. Pads are the ground under each tire,
raised; actuators at the hubs come with a stake or with a fixed body (``components/body/seven_post.py``). What the posts
do is in ``post_signals.py``, how they follow a measured signal in ``post_tracking.py``; an SPC file says all of it
(``files/spc.py``). Any number of axles: front of the middle of the axles counts as front.

Downforces are led in over the first second. With the vehicle's model of the air they are those of its built-in forces
in a wind of that speed at the heights where the car stands, put on the actuators with their sum and their moment about
y kept. With compensation of accelerations three forces ΔF are added, downwards at (x_i, y_i) from the centre of
gravity, whose height over the pads is h, for a mass m of the car:

    ΣΔF = 0,   ΣΔF x = -m a_x h,   ΣΔF y = -m a_y h                                                              (1)

Figures: variation of the wheel loads (`ride`), natural frequency and damping of the body by a fit to its response, the
largest error of what is tracked, the statistics of every post.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.body.seven_post import ACTUATORS, CONTROL, INPUTS, PostRig, code
from jounce.core.errors import ParameterError
from jounce.core.fields import choice, flag, problem, quantity, text
from jounce.core.tables import Table
from jounce.events.base import HOLDING, Event
from jounce.events.options import INTERVAL, Options
from jounce.events.post_signals import DROPPED, between_rows, instants, led, signs, sine, sweep, tracked
from jounce.events.post_tracking import Tracked, track, without_tilt
from jounce.files.spc import DOWN, Spc, read_spc
from jounce.results.key_figures import posts
from jounce.results.kinds import Kind
from jounce.results.panels import wheels as wheel_panels
from jounce.runtime.program import Channel, Constant, FromTable, Open, Phase, Program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.results.run import Run
    from jounce.results.signals import Array
    from jounce.road.path import Path as RoadPath
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle

PREFIX = "seven_post."
NEUTRAL = "neutral"
ROWS = 0.002  # s, of signals and of recorded rows
SLOW_ROWS = 0.01  # s, of downforces
WIND = tuple(f"Aerodynamic.wind_{axis}" for axis in "xy")
AIR = "aero_forces.{}_downforce"
SPEEDS = 25  # at which the model of the air is asked where a file says the speed
LOADED = {
    "FX_BRK": "Tire_Force_x",
    "FX_DRV": "Tire_Force_wc_x",
    "FY": "Tire_Force_y",
    "MX": "Tire_Moment_x",
    "MY": "Tire_Moment_y",
    "MZ": "Tire_Moment_z",
}
Asked = Literal["file", "on", "off"]


@lru_cache(maxsize=8)
def _read(path: str, _changed: int) -> Spc:
    return read_spc(path)


class SevenPost(Event):
    """A sine, a sweep or a file on a rig of posts."""

    kind: ClassVar[str] = "seven-post"
    title: ClassVar[str] = "Seven-post rig"
    results: ClassVar[Kind] = Kind(
        (posts.of_run,), (posts.spectra, posts.movements, wheel_panels("loads", "travel")), posts.WORDS, posts.FIRST
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "sweep": {"excitation": "sweep"},
        "warp": {"excitation": "sweep", "mode": "warp"},
        "sine": {"excitation": "sine", "frequency": 1.5},
    }

    speed: float = quantity("m/s", 0.0, ge=0, le=0, doc="always 0")
    end_time: float = quantity("s", 20.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run, and of a sweep")
    excitation: Literal["sine", "sweep", "file"] = choice("sweep", doc="what the posts do")
    mode: Literal["heave", "pitch", "roll", "warp"] = choice("heave", doc="signs of the posts of a sine or a sweep")
    frequency: float = quantity("Hz", 1.5, gt=0, typical=(0.1, 50.0), doc="of a sine")
    first_frequency: float = quantity("Hz", 0.5, gt=0, typical=(0.05, 50.0), doc="of a sweep at its start")
    last_frequency: float = quantity("Hz", 25.0, gt=0, typical=(0.05, 60.0), doc="of a sweep at its end")
    peak_velocity: float = quantity("m/s", 0.1, gt=0, typical=(0.005, 2.0), doc="of the posts of a sine or a sweep")
    drift_compensation: bool = flag(True, doc="a sweep without the drift of its displacement")
    file: str = text(doc="SPC file, for excitation 'file'")
    actuators: Literal["contact_patch", "hub"] = choice("contact_patch", doc="pads under the tires, or at the hubs")
    body_fix: Literal["none", "design", "setup"] = choice(
        "none",
        doc="hold the body where it is at design, or where it stands after its set-up; none: a stake in x, y, yaw",
    )
    unlock_wheels: bool = flag(False, doc="wheels turn freely on their pads; otherwise the brakes hold them")
    aerodynamics: Literal["file", "off", "model"] = choice(
        "file", doc="downforce actuators: by the file (off without one), off, or by the vehicle's model of the air"
    )
    aero_speed: float = quantity(
        "m/s",
        0.0,
        ge=0,
        typical=(0.0, 120.0),
        doc="at which the model of the air is asked, unless a file says the speed",
    )
    accel_compensation: Asked = choice("file", doc="load transfer of the accelerations of a file")
    roll_compensation: Asked = choice("file", doc="no slow roll of the pads when they track")
    pitch_compensation: Asked = choice("file", doc="no slow pitch of the pads when they track")
    controller_gain: float = quantity("-", 0.9, gt=0, le=1, typical=(0.05, 1.0), doc="of one step of tracking")
    iterations: float = quantity("-", 8.0, ge=1, le=50, doc="runs in which tracking finds the pads")
    low_cut: float = quantity("Hz", 0.3, gt=0, typical=(0.05, 2.0), doc="lowest frequency that is tracked")
    high_cut: float = quantity("Hz", 60.0, gt=0, le=100, typical=(5.0, 100.0), doc="highest frequency that is tracked")
    drift_cut: float = quantity("Hz", 0.3, gt=0, typical=(0.05, 3.0), doc="below which roll and pitch count as drift")
    actuator_min_jounce: float = quantity("m", -0.15, le=0, typical=(0.0, 0.5), doc="lowest position of a post")
    actuator_max_jounce: float = quantity("m", 0.15, ge=0, typical=(0.0, 0.5), doc="highest position of a post")
    stake: bool = flag(True, doc="hold the body in x, y and yaw")
    stake_x: float = quantity("N/m", 1e5, ge=0, typical=(0.0, 1e8), doc="stiffness of the stake along x")
    stake_y: float = quantity("N/m", 1e5, ge=0, typical=(0.0, 1e8), doc="stiffness of the stake along y")
    stake_yaw: float = quantity("N.m/rad", 1e5, ge=0, typical=(0.0, 1e8), doc="stiffness of the stake about z")
    hub_kp: float = quantity("N/m", 2e6, ge=0, typical=(0.0, 1e8), doc="of actuators at the hubs")
    hub_ki: float = quantity("N/(m.s)", 2e7, ge=0, typical=(0.0, 1e9), doc="of actuators at the hubs")
    hub_kd: float = quantity("N.s/m", 1e4, ge=0, typical=(0.0, 1e6), doc="of actuators at the hubs")
    front_x: float | None = quantity(
        "m", None, typical=(0.0, 10.0), doc="of the front downforce; absent: the first axle"
    )
    front_y: float = quantity("m", 0.0, typical=(0.0, 3.0), doc="of the front downforce")
    rear_x: float | None = quantity("m", None, typical=(0.0, 20.0), doc="of the rear downforces; absent: the last axle")
    rear_y: float = quantity(
        "m", 0.5, gt=0, typical=(0.1, 3.0), doc="of the rear left downforce; the right one opposite"
    )
    actuator_z: float = quantity("m", 0.3, typical=(0.0, 3.0), doc="height of the downforces at design")
    psd_segment: float = quantity("-", 2048.0, ge=8, typical=(64.0, 65536.0), doc="rows of a section of power spectra")
    psd_overlap: float = quantity("-", 0.5, ge=0, lt=1, doc="of sections, as a share")
    psd_fft: float = quantity("-", 2048.0, ge=8, typical=(64.0, 65536.0), doc="rows of a transform, a power of 2")
    psd_sampling: float | None = quantity(
        "Hz", None, gt=0, typical=(50.0, 2000.0), doc="of power spectra; absent: of the rows"
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.road or self.wheel_roads or self.inclined:
            raise problem("the pads of a rig are its road; leave roads, grade and bank out", "road")
        if (self.excitation == "file") != bool(self.file):
            raise problem("goes with excitation = 'file', and that with a file", "file")
        if self.excitation == "sweep" and self.first_frequency == self.last_frequency:
            raise problem("the same as first_frequency; a sweep goes from one frequency to another", "last_frequency")
        if self.psd_fft < self.psd_segment or math.log2(self.psd_fft) % 1.0:
            raise problem("must be a power of 2, and not below psd_segment", "psd_fft")
        return self

    # -- what the file says ---------------------------------------------------------------------------------------

    @property
    def spc(self) -> Spc | None:
        """The file, if there is one."""
        if not self.file:
            return None
        path = Path(self.file).expanduser()
        return _read(str(path), os.stat(path).st_mtime_ns if path.is_file() else 0)

    @property
    def operating(self) -> str:
        """How the posts are driven."""
        found = self.spc
        return "OPEN" if found is None else found.operating_mode

    @property
    def held(self) -> float:
        """Brake demand that holds the wheels."""
        return 0.0 if self.unlock_wheels or self.hubs else HOLDING

    def _on(self, name: str) -> bool:
        asked, found = getattr(self, name), self.spc
        return bool(found is not None and getattr(found, name)) if asked == "file" else asked == "on"

    @property
    def _air(self) -> str:
        """Where downforces come from: OFF, DATA, MODEL."""
        if self.aerodynamics != "file":
            return self.aerodynamics.upper()
        return "OFF" if self.spc is None else self.spc.aerodynamics

    @property
    def hubs(self) -> bool:
        return self.actuators == "hub"

    # -- what the engine asks ---------------------------------------------------------------------------------------

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[RoadPath, ...]]:
        found = self._checked(vehicle)
        changes: dict[str, Any] = {"static_setup": "none"} if self.body_fix == "design" else {}
        if found is not None and len(found.time) and self.operating in ("OPEN", "TRACK_HUBACC", "TRACK_SPRING"):
            lasts = float(found.time[-1] - found.time[0]) - (2 * DROPPED if self.operating != "OPEN" else 0.0)
            changes["end_time"] = min(self.end_time, lasts) if "end_time" in self.model_fields_set else lasts
        return (self.changed(**changes) if changes else self), ()

    def _checked(self, vehicle: Vehicle) -> Spc | None:
        """The file, that goes with this vehicle and this rig."""
        found = self.spc
        if found is None:
            if self._on("accel_compensation"):
                raise ParameterError("seven-post: accel_compensation: needs the accelerations of a file")
            return None
        places = list(vehicle.layout.wheels)
        for name in (*found.posts, *found.loads):
            wheel = name.partition("_")[0]
            if wheel not in places:
                raise ParameterError(f"seven-post: {self.file}: column of {wheel}; the vehicle has {', '.join(places)}")
        if found.loads and (not self.hubs or self.body_fix == "none"):
            raise ParameterError(
                "seven-post: loads at the hubs go with actuators = 'hub' and body_fix = 'design' or 'setup'"
            )
        if found.operating_mode.startswith("TRACK"):
            if self.hubs:
                raise ParameterError(
                    f"seven-post: {found.operating_mode} goes with pads; say actuators = 'contact_patch'"
                )
            missing = [name for name in places if name not in found.posts]
            if missing:
                raise ParameterError(
                    f"seven-post: {self.file}: {found.operating_mode} needs a column of {missing[0]}, too"
                )
        if self._on("accel_compensation") and not {"lonacc", "latacc"} <= set(found.columns):
            raise ParameterError(f"seven-post: {self.file}: accel_compensation needs the columns lonacc and latacc")
        return found

    def parts(self) -> tuple[Part, ...]:
        part = PostRig(hubs=self.hubs, fixed=self.body_fix != "none")
        return (part,)

    def opens(self, vehicle: Vehicle) -> Mapping[str, float]:
        wheels = list(vehicle.layout.wheels)
        found: dict[str, float] = dict.fromkeys((f"road.{name}" for name in wheels), 0.0)
        if not self.hubs and self.operating == "OPEN":
            found |= dict(zip(found, (float(z) for z in self._posts(vehicle)[1][0]), strict=True))
        if self.hubs and self.body_fix != "none":  # all of them: one structure for all files
            found |= {f"Testrig_Loadcase.{load}.{name}": 0.0 for name in wheels for load in INPUTS}
            found |= {f"Testrig_Loadcase.{CONTROL}.{name}": 1.0 for name in wheels}
        if self._air == "MODEL":
            found |= dict.fromkeys(WIND, 0.0)
        return found

    def prepared(self, start: Start) -> Self:
        self._hold(start)
        start.found["downforce"] = self._downforces(start)
        if self.operating.startswith("TRACK"):
            start.found["tracked"] = self._track(start)
        return self

    def program(self, start: Start) -> Program:
        channels: list[Channel] = [
            self._steering(start),
            Open("throttle", Constant(0.0)),
            Open("brake", Constant(self.held)),
        ]
        if any(v.name == NEUTRAL for v in start.sim.model.inputs):  # of a driveline: no engine creeps
            channels.append(Open(NEUTRAL, Constant(1.0)))
        given = set(start.options.given)
        wheels = list(start.description.wheels)
        if self.operating != "PASSTHROUGH":
            name = "posts.hub_{}" if self.hubs else "road.{}"
            time, pads = self._drive(start)
            table = Table([time], pads, method="cubic", extrapolation="flat")
            channels += [Open(name.format(wheel), FromTable(table, column=i)) for i, wheel in enumerate(wheels)]
        if (forces := start.found["downforce"]) is not None:
            time, values = forces
            table = Table([time], values, method="linear", extrapolation="flat")
            channels += [Open(f"posts.downforce_{a}", FromTable(table, column=i)) for i, a in enumerate(ACTUATORS)]
        if (spc := self.spc) is not None:
            for name, column in spc.loads.items():
                wheel, _, load = name.partition("_")
                port = f"Testrig_Loadcase.{LOADED[load]}.{wheel}"
                table = Table([spc.time - spc.time[0]], column, method="linear", extrapolation="flat")
                if port in given:
                    raise ParameterError(f"inputs: {port!r} is driven by the column {name} of {self.file}")
                channels.append(Open(port, FromTable(table)))
        return Program(Phase(self.kind, channels, duration=self.end_time))

    def recording(self, start: Start, options: Options) -> Options:
        if options.interval != INTERVAL:
            return options
        return replace(options, interval=max(1, round(ROWS / options.step)) * options.step)

    def completed(self, start: Start, result: Run) -> Run:
        """Targets, what the posts were sent, and what was tracked how well."""
        from scipy.interpolate import CubicSpline

        wheels, now = start.description.wheels, result.time
        channels: dict[str, Array] = {}
        units: dict[str, str] = {}

        def tell(name: str, values: Any, unit: str) -> None:
            channels[name], units[name] = np.asarray(values, dtype=np.float64), unit

        if self.operating != "PASSTHROUGH":
            time, pads = self._drive(start)
            time, sent, target, unit = self._targets(start, time, pads)
            for i, wheel in enumerate(wheels.values()):
                spline = CubicSpline(time, sent[:, i])
                tell(f"sevenpost.{code(wheel.words)}_preprocessed", spline(now), "m")
                tell(f"sevenpost.{code(wheel.words)}_target", np.interp(now, time, target[:, i]), unit)
                pad = CubicSpline(time, pads[:, i])
                if not self.hubs:
                    tell(f"Global_pad_acc.{wheel.words}", pad(now, 2), "m/s2")
        aimed = start.found.get("aimed")
        for i, name in enumerate(ACTUATORS):
            told = np.zeros(len(now)) if aimed is None else np.interp(now, aimed[0], aimed[1][:, i])
            tell(f"sevenpost.{name}_aero_target", told, "N")
        for wheel in wheels.values():
            name = f"testrig.wheel_travel_wrt_design.{wheel.words}"
            if name in result:
                tell(f"testrig.wheel_travel.{wheel.words}", result[name] - result[name][0], "m")
        result = result.with_channels(channels, units)
        found: Tracked | None = start.found.get("tracked")
        kept: dict[str, Any] = {"mode": self.operating, "offset": DROPPED if found is not None else 0.0}
        if found is not None:
            kept |= {"errors": list(found.errors), "by_wheel": dict(zip(wheels, found.by_wheel, strict=True))}
        return result.with_metadata(seven_post=kept)

    # -- posts --------------------------------------------------------------------------------------------------------

    def _posts(self, vehicle: Vehicle) -> tuple[Array, Array]:
        """Time, and heights of all posts without tracking, as they are asked for."""
        wheels = list(vehicle.layout.wheels.values())
        found = self.spc
        time = instants(math.ceil(self.end_time / ROWS - 1e-9) + 1, ROWS)
        if found is None:
            if self.excitation == "sine":
                one = sine(time, self.frequency, self.peak_velocity)
            else:
                one = sweep(
                    time, self.first_frequency, self.last_frequency, self.end_time, self.peak_velocity,
                    compensated=self.drift_compensation,
                )  # fmt: skip
            return time, one[:, None] * signs(wheels, self.mode)[None, :]
        times = ("DISPLACEMENT", "VELOCITY", "ACCELERATION").index(found.actuators_mode)
        pads = np.zeros((len(time), len(wheels)))
        for i, wheel in enumerate(wheels):
            if self.operating == "OPEN" and wheel.name in found.posts:
                pads[:, i] = between_rows(found.time - found.time[0], found.posts[wheel.name], time, times)
        return time, pads

    def _drive(self, start: Start) -> tuple[Array, Array]:
        """Time, and what the posts do."""
        if self.operating.startswith("TRACK"):
            time = instants(len(start.found["drive"]), ROWS)
            return time, start.found["drive"]
        time, pads = self._posts(start.vehicle)
        if self.hubs:  # they start from where the wheels stand
            pads = pads - pads[0] if self.spc is None else pads
        return time, self._within(start, pads)

    def _within(self, start: Start, pads: Array) -> Array:
        """Heights within the stroke of the posts; what is cut off is told."""
        low, high = self.actuator_min_jounce, self.actuator_max_jounce
        if np.min(pads) >= low and np.max(pads) <= high:
            return pads
        why = (
            f"posts: their way from {1e3 * np.min(pads):.4g} to {1e3 * np.max(pads):.4g} mm is cut off at their "
            f"stroke, {1e3 * low:g} to {1e3 * high:g} mm"
        )
        if why not in start.warnings and not start.found.get("searching"):
            start.warnings.append(why)
        return np.clip(pads, low, high)

    def _targets(self, start: Start, time: Array, pads: Array) -> tuple[Array, Array, Array, str]:
        """Time, displacements sent, targets as the file has them, and their unit."""
        found = self.spc
        if self.operating.startswith("TRACK"):
            return time, start.found["sent"], start.found["reference"], found.unit("L1") if found else "m"
        if found is None or not found.posts or self.operating != "OPEN":
            return time, pads, pads, "m"
        target = np.zeros_like(pads)
        for i, wheel in enumerate(start.description.wheels):
            if wheel in found.posts:
                target[:, i] = np.interp(time, found.time - found.time[0], found.posts[wheel])
        return time, pads, target, found.unit("L1")

    def _track(self, start: Start) -> Tracked:
        """The pads that make the car move as the file says."""
        found, places = self.spc, start.description.wheels
        assert found is not None
        wheels = list(places)
        values = np.column_stack([found.posts[name] for name in wheels])
        _, reference = tracked(found.time, values, ROWS, self.low_cut, self.high_cut)
        count = min(len(reference), math.floor(self.end_time / ROWS + 1e-9) + 1)
        reference = reference[:count]
        hub = found.operating_mode == "TRACK_HUBACC"
        pattern = "Global_upright_acc.{}" if hub else "Spring.Jounce.{}"
        outputs = [pattern.format(places[name].words if hub else name) for name in wheels]
        units = {v.name: v.unit for v in start.sim.model.outputs}
        for name in outputs:
            if units.get(name) not in (("m/s2",) if hub else ("m",)):
                raise ParameterError(f"seven-post: {found.operating_mode}: this vehicle has no channel {name} in m")
        at = np.array([w.centre[:2] for w in places.values()])
        start.found["searching"] = True

        def run(pads: Array) -> dict[str, Array]:
            start.found["drive"] = pads
            start.restart()
            recorded = start.record(self, interval=ROWS, channels=outputs)
            return {name: np.asarray(recorded[name]) for name in outputs}

        def shaped(pads: Array) -> Array:
            level = without_tilt(
                pads, at, ROWS, self.drift_cut, roll=self._on("roll_compensation"), pitch=self._on("pitch_compensation")
            )
            return self._within(start, level)

        result = track(
            start, reference, ROWS, wheels=wheels, outputs=outputs, sign=1.0 if hub else -1.0, run=run,
            band_of=(self.low_cut, self.high_cut), gain=self.controller_gain, most=round(self.iterations),
            shaped=shaped,
        )  # fmt: skip
        del start.found["searching"]
        self._within(start, result.pads * 1.0000001)  # told once, of what is kept
        sent = np.column_stack([between(reference[:, i]) for i in range(len(wheels))]) if hub else reference
        start.found.update(drive=result.pads, reference=reference, sent=sent)
        if max(result.by_wheel) > 0.05:
            start.warnings.append(
                f"tracking: {100 * max(result.by_wheel):.3g} % of what one post should do is missing between 0.5 and "
                f"20 Hz after {len(result.errors)} runs"
            )
        return result

    # -- the body ------------------------------------------------------------------------------------------------

    def _hold(self, start: Start) -> None:
        """Tell the rig where the car stands, and its numbers."""
        sim, place = start.sim, start.description.places[0]
        axles = [axle.x for axle in place.axles]
        stake = 1.0 if self.stake else 0.0
        numbers: dict[str, float] = {
            "active": 1.0,
            "stake_x": stake * self.stake_x, "stake_y": stake * self.stake_y, "stake_yaw": stake * self.stake_yaw,
            **{f"place_{axis}": sim.output(f"Seven_Post.Held_{axis.upper()}") for axis in "xyz"},
            **{f"place_{name}": sim.output(f"chassis_displacements.{name}") for name in ("yaw", "pitch", "roll")},
        }  # fmt: skip
        if self.hubs:
            numbers |= {name: getattr(self, name) for name in ("hub_kp", "hub_ki", "hub_kd")}
        for name, wheel in place.wheels.items():
            numbers[f"height_{name}"] = sim.output(f"Wheel.Global_Z.{name}")
            if self.hubs:
                tires = [name, *([wheel.twin] if wheel.twin else [])]
                numbers[f"load_{name}"] = math.fsum(sim.output(f"Tire.Hub_Carrier_Force_Global_Z.{t}") for t in tires)
        origin = place.units[0].origins[""]
        for word, point in zip(("front", "rear_left", "rear_right"), self._places(axles), strict=True):
            numbers |= {f"{word}.{axis}": float(v - o) for axis, v, o in zip("xyz", point, origin, strict=True)}
        known = sim.parameters
        sim.set_parameters({f"{PREFIX}{name}": value for name, value in numbers.items() if f"{PREFIX}{name}" in known})

    def _places(self, axles: Sequence[float]) -> Array:
        """Of the actuators at design: front, rear left, rear right."""
        front = max(axles) if self.front_x is None else self.front_x
        rear = min(axles) if self.rear_x is None else self.rear_x
        z = self.actuator_z
        return np.array([[front, self.front_y, z], [rear, self.rear_y, z], [rear, -self.rear_y, z]])

    def _steering(self, start: Start) -> Channel:
        found = self.spc
        if found is None or found.steer_mode != "FILE":
            return Open("steering_wheel", Constant(0.0))
        time, values = self._over_run(found, found.columns["steer"])
        return Open("steering_wheel", FromTable(Table([time], values, method="linear", extrapolation="flat")))

    def _over_run(self, found: Spc, column: Array) -> tuple[Array, Array]:
        """A column of the file over the time of the run."""
        late = DROPPED if self.operating.startswith("TRACK") else 0.0
        return found.time - found.time[0] - late, column

    # -- downforces ----------------------------------------------------------------------------------------------------

    def _downforces(self, start: Start) -> tuple[Array, Array] | None:
        """Time and forces of the actuators, None where they do nothing."""
        found = self.spc
        time = instants(math.ceil(self.end_time / SLOW_ROWS) + 1, SLOW_ROWS)
        aimed = np.zeros((len(time), len(ACTUATORS)))
        if self._air == "DATA" and found is not None:
            aimed = np.column_stack([np.interp(time, *self._over_run(found, found.columns[name])) for name in DOWN])
        elif self._air == "MODEL":
            aimed = self._of_the_air(start, time)
        start.found["aimed"] = (time, aimed * led(time, out=False)[:, None])
        forces = aimed
        if self._on("accel_compensation") and found is not None:
            ax, ay = (np.interp(time, *self._over_run(found, found.columns[name])) for name in ("lonacc", "latacc"))
            forces = forces + self._transfer(start, ax, ay)
        if not np.any(forces):
            return None
        return time, forces * led(time, out=False)[:, None]

    def _transfer(self, start: Start, ax: Array, ay: Array) -> Array:
        """Forces that move the load as accelerations do (1)."""
        sim, place = start.sim, start.description.places[0]
        here = self._places([axle.x for axle in place.axles])
        centre = np.array([sim.output(f"System_Mass_Center.Global_{axis}") for axis in "XY"])
        origin = np.array([sim.output(f"Vehicle.Origin_Global_{axis}") for axis in "XY"])
        c, s = math.cos(self.heading), math.sin(self.heading)
        away = centre - origin
        centre = np.array([c * away[0] + s * away[1], c * away[1] - s * away[0]])
        x, y = here[:, 0] - centre[0], here[:, 1] - centre[1]
        h = sim.output("System_Mass_Center.Global_Z") - float(np.mean([sim.input(f"road.{n}") for n in place.wheels]))
        mass = start.vehicle.mass()
        wanted = -mass * h * np.column_stack([np.zeros(len(ax)), ax, ay])
        return np.asarray(wanted @ np.linalg.inv(np.array([np.ones(3), x, y])).T)

    def _of_the_air(self, start: Start, time: Array) -> Array:
        """Forces as those of the vehicle's model of the air, where the car stands."""
        found, sim = self.spc, start.sim
        if start.vehicle.aero is None:
            raise ParameterError("seven-post: aerodynamics 'model': the vehicle has no model of the air")
        speed = np.full(len(time), self.aero_speed)
        if found is not None and found.speed_mode == "FILE" and "lonvel" in found.columns:
            speed = np.interp(time, *self._over_run(found, found.columns["lonvel"]))
        known = {v.name for v in sim.model.outputs}
        names = [word for word in ("front", "rear", "center") if AIR.format(word) in known]
        at = np.unique(np.linspace(np.min(speed), np.max(speed), SPEEDS))
        values = np.zeros((len(at), len(names)))
        for i, v in enumerate(at):
            sim.set_inputs(dict(zip(WIND, (-v * math.cos(self.heading), -v * math.sin(self.heading)), strict=True)))
            values[i] = [sim.output(AIR.format(word)) for word in names]
        sim.set_inputs(dict.fromkeys(WIND, 0.0))
        if not np.any(values) and np.any(at > 0):
            start.warnings.append("downforce: the model of the air gives none at these speeds")
        axles = [axle.x for axle in start.description.places[0].axles]
        places = self._places(axles)
        front, rear = places[0, 0], places[1, 0]
        split = np.zeros((len(names), len(ACTUATORS)))
        for k, word in enumerate(names):
            share = (_air_at(start.vehicle.aero, word, axles) - rear) / (
                front - rear
            )  # sum and moment about y are kept
            split[k] = [share, 0.5 * (1 - share), 0.5 * (1 - share)]
        forces = values @ split
        return np.column_stack([np.interp(speed, at, forces[:, i]) for i in range(len(ACTUATORS))])


def between(acceleration: Array) -> Array:
    """The displacement of a reference acceleration, by its spectrum."""
    length = 2 ** math.ceil(math.log2(2 * len(acceleration)))
    f = np.fft.rfftfreq(length, ROWS)
    spectrum = np.fft.rfft(acceleration, length)
    spectrum[1:] = np.where(f[1:] > 0.1, -spectrum[1:] / (2 * math.pi * f[1:]) ** 2, 0.0)
    spectrum[0] = 0.0
    result: Array = np.fft.irfft(spectrum, length)[: len(acceleration)]
    return result


def _air_at(aero: Any, word: str, axles: Sequence[float]) -> float:
    """x of a point of the air at design."""
    item = getattr(aero, f"{word}_downforce", None)
    point = getattr(item, "location", None) or getattr(aero, f"{word}_location", None)
    if point is not None:
        return float(point.array[0])
    return {"front": max(axles), "rear": min(axles)}.get(word, 0.5 * (max(axles) + min(axles)))
