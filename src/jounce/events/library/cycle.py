"""Drive cycle: a speed over time, followed by the longitudinal driver; energy, consumption, misses of the trace.

A row of the trace is missed where the speed is outside the band that the tolerance ε makes around the trace, within one
second to either side,

    min v*(t ± 1 s) − ε ≤ v(t) ≤ max v*(t ± 1 s) + ε,    ε = 2 km/h, of American cycles 2 mph                        (1)

UN GTR 15 annex 6, 40 CFR 1066.425. A car that cannot follow is a result, with its misses. Consumption is the volume of
fuel, or the work of the battery's terminals with auxiliaries, over the distance driven. The account of energy is that
of ``components/drive/energy`` (1); what it does not meet is ``energy_residual``.

``mode: quasi_static`` computes backwards from the wheel instead (``sim/quasi_static``).
"""

from __future__ import annotations

import contextlib
import math
import time as clock
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from jounce.core.errors import ParameterError
from jounce.core.fields import choice, flag, quantity, text
from jounce.core.tables import Table
from jounce.events.base import Event, safety_ends
from jounce.events.follow import follow, follower
from jounce.events.options import INTERVAL
from jounce.events.straight import driver, straight_ahead
from jounce.files.cycles import load_cycle
from jounce.results.figures import Figures
from jounce.results.key_figures.common import Array, travelled
from jounce.results.kinds import Kind
from jounce.results.panels import signals
from jounce.results.run import Run
from jounce.results.sankey import sankey
from jounce.runtime.program import FromTable, Phase, Program
from jounce.sim.charge import LIMIT, Balance, balance, is_hybrid, sustained

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.options import Options
    from jounce.events.start import Start
    from jounce.vehicle.schema import Vehicle

WINDOW = 1.0  # s to either side
ROWS = 0.1  # s
SAMPLE = 0.01  # s, of the driver
SETTLING = 1.0  # s after the last row of the cycle
LISTED = 5  # misses in words
PREVIEW = 2.5  # s at 10 m/s: 25 m at all speeds
KWH = 3.6e6  # J
TARGET, SPEED, GROUP = "driver.target_speed", "chassis_velocities.longitudinal", "Energy."
FUEL, CHARGE = "fuel_consumption.overall", "Battery.Battery_SOC"
KEPT = (
    "Energy.", "driver", "chassis_velocities.longitudinal", "chassis_displacements.", "Engine.", "Transmission.",
    "Battery.", "Motor_to", "Clutch.", "Torque_Converter.", "fuel_consumption.", "aero_forces.drag_force",
    "Tire.Ground_Surface_Moment_Y.", "Wheel.Omega.", "Wheel.Drive_Moment.", "Brake_Moment.", "Driveline.",
    "System_Mass_Center.Tracking_A",
)  # fmt: skip
WORDS = {
    "consumption": "Consumption",
    "energy_residual": "Energy not accounted for",
    "trace_miss_time": "Time outside the tolerance",
    "trace_error_rms": "Speed error, effective",
    "energy_source": "Work of engine or battery",
    "energy_hubs": "Work at the hubs",
    "energy_drag": "Work against the air",
    "energy_rolling": "Rolling resistance",
    "energy_slip": "Slip of the tires",
    "energy_brakes": "Heat of the brakes",
    "energy_regenerated": "Into the battery",
    "energy_lost": "Lost in the driveline",
    "energy_auxiliary": "Auxiliaries",
    "distance": "Distance",
    "charge_begin": "Charge at the start",
    "charge_end": "Charge at the end",
    "charge_balance": "Change of the battery over energy of the fuel",
    "consumption_quasi_static": "Consumption, quasi-static",
    "quasi_static_difference": "Quasi-static over dynamic work",
}
FIRST = ("consumption", "energy_residual", "trace_miss_time", "trace_error_rms")


# --- key figures -----------------------------------------------------------------------------------------------------


def missed(time: Array, speed: Array, trace_time: Array, trace: Array, tolerance: float) -> npt.NDArray[np.bool_]:
    """Whether each row is outside the tolerance (1)."""
    low, high = np.full(len(time), np.inf), np.full(len(time), -np.inf)
    # the extremes of a piecewise linear trace within the window: at its ends, or at corners of the trace inside
    for shift in (-WINDOW, 0.0, WINDOW):
        there = np.interp(time + shift, trace_time, trace)
        low, high = np.minimum(low, there), np.maximum(high, there)
    first = np.searchsorted(trace_time, time - WINDOW)
    last = np.searchsorted(trace_time, time + WINDOW, side="right")
    for k in range(int((last - first).max(initial=0))):
        inside = first + k < last
        corner = trace[np.minimum(first + k, len(trace) - 1)]
        low, high = np.where(inside, np.minimum(low, corner), low), np.where(inside, np.maximum(high, corner), high)
    return np.asarray((speed < low - tolerance) | (speed > high + tolerance))


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    figures = Figures()
    kept = run.metadata.get("cycle")
    if not isinstance(kept, Mapping) or SPEED not in run:
        figures.missing(["consumption"], "", "cycle: the run does not say which cycle it followed")
        return figures
    time, speed = run.time, run[SPEED]
    _trace(figures, time, speed, kept)
    distance = float(travelled(time, speed)[-1])
    figures.put("distance", distance / 1000, "km")
    grown = {name.removeprefix(GROUP): float(run[name][-1] - run[name][0]) for name in run.names
             if name.startswith(GROUP)}  # fmt: skip
    _energy(figures, grown)
    _consumption(figures, run, grown, distance)
    other = kept.get("quasi_static")
    if isinstance(other, Mapping):
        if other.get("consumption") is not None:  # an ideal drive has none
            figures.put("consumption_quasi_static", other["consumption"], other["unit"])
        work = grown.get("sources", math.nan)
        if work:
            figures.put("quasi_static_difference", 100 * (other["source"] / work - 1), "%")
    return figures


def _trace(figures: Figures, time: Array, speed: Array, kept: Mapping[str, Any]) -> None:
    trace_time, trace = np.asarray(kept["time"]), np.asarray(kept["speed"])
    inside = time <= trace_time[-1]
    t, v = time[inside], speed[inside]
    wrong = missed(t, v, trace_time, trace, float(kept["tolerance"]))
    spacing = np.gradient(t) if len(t) > 1 else np.zeros(len(t))
    figures.put("trace_miss_time", float(spacing[wrong].sum()), "s")
    error = v - np.interp(t, trace_time, trace)
    figures.put("trace_error_rms", float(np.sqrt(np.mean(error**2))), "m/s")
    edges = np.flatnonzero(np.diff(np.concatenate([[0], wrong.astype(int), [0]])))
    spans = [f"{t[a]:.1f}–{t[b - 1]:.1f} s" for a, b in zip(edges[::2], edges[1::2], strict=True)]
    if spans:
        more = f" and {len(spans) - LISTED} more" if len(spans) > LISTED else ""
        figures.warn(f"cycle: the trace is missed {len(spans)} times: {', '.join(spans[:LISTED])}{more}")


def _energy(figures: Figures, grown: Mapping[str, float]) -> None:
    lost = {name: value for name, value in grown.items() if name.startswith("lost.")}
    if "sources" in grown:
        accounted = (
            grown["hubs"] + sum(lost.values()) + grown.get("auxiliary", 0.0) + grown["kinetic"] + grown["stored"]
        )
        over = max(grown["turned_over"], 1.0)
        figures.put("energy_residual", 100 * (grown["sources"] - accounted) / over, "%")
        figures.put("energy_source", grown["sources"], "J")
    for name in ("hubs", "drag", "rolling", "slip", "brakes", "regenerated", "auxiliary"):
        if name in grown:
            figures.put(f"energy_{name}", grown[name], "J")
    figures.put("energy_regenerated", grown.get("regenerated", 0.0), "J")
    if lost:
        figures.put("energy_lost", sum(lost.values()), "J")


def _consumption(figures: Figures, run: Run, grown: Mapping[str, float], distance: float) -> None:
    if distance <= 0:
        figures.missing(["consumption"], "", "cycle: the car did not move")
        return
    fuels = [name for name in run.names if name.endswith(FUEL)]
    electric = any(name.startswith("Battery.") or name.endswith(".electric_power") for name in run.names)
    if fuels:
        volume = sum(float(run[name][-1] - run[name][0]) for name in fuels)
        figures.put("consumption", 1000 * volume / distance * 1e5, "l/100km")
        if electric:
            _charge(figures, run, distance)
    elif electric:
        figures.put("consumption", grown["sources"] / KWH / distance * 1e5, "kWh/100km")
    else:
        why = "an ideal drive burns nothing" if not any(n.startswith("lost.") for n in grown) else (
            "the engine has no fuel data (driveline.engine.fuel)")  # fmt: skip
        figures.missing(["consumption"], "l/100km", f"cycle: no consumption, {why}")


def _charge(figures: Figures, run: Run, distance: float) -> None:
    """Of a hybrid: how far its battery is from where it began."""
    kept = run.metadata["cycle"].get("charge")
    if not isinstance(kept, Mapping):
        return
    found = Balance(**{name: float(value) for name, value in kept.items()})
    figures.put("consumption_electric", found.net / KWH / distance * 1e5, "kWh/100km")
    figures.put("charge_begin", 100 * found.begin, "%")
    figures.put("charge_end", 100 * found.end, "%")
    figures.put("charge_balance", 100 * found.share, "%")
    if not found.met:
        figures.warn(
            f"cycle: the battery lost {found.net / KWH:.3g} kWh, {100 * found.share:.3g} % of the energy of the fuel "
            f"(SAE J1711: at most {100 * LIMIT:g} %): consumption is not that of a charge which is sustained"
        )


# --- the event -------------------------------------------------------------------------------------------------------


def balance_of(vehicle: Vehicle, run: Run) -> Balance:
    """Battery and fuel of a run."""
    charge = run[CHARGE]
    volume = sum(float(run[name][-1] - run[name][0]) for name in run.names if name.endswith(FUEL))
    return balance(vehicle, float(charge[0]), float(charge[-1]), volume)


class Cycle(Event):
    """A speed over time, followed on a straight road."""

    kind: ClassVar[str] = "cycle"
    title: ClassVar[str] = "Drive cycle"
    standard: ClassVar[str] = "UN GTR 15, 40 CFR 1066"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (signals("forward_speed", "longitudinal_acceleration", "throttle", "brake"),),
        WORDS,
        FIRST,
        (sankey,),
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "wltc": {}, "udds": {"cycle": "udds"}, "hwfet": {"cycle": "hwfet"}, "us06": {"cycle": "us06"}
    }  # fmt: skip

    cycle: str = text("wltc_3b", doc="name of the library (wltc_3a, wltc_3b, udds, hwfet, us06) or file (CSV)")
    mode: Literal["dynamic", "quasi_static"] = choice(
        "dynamic", doc="the whole vehicle forwards in time, or backwards from the wheel"
    )
    speed: float = quantity("m/s", 0.0, ge=0, typical=(0.0, 75.0), doc="speed at the start; absent: that of the cycle")
    end_time: float = quantity(
        "s", 1801.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run; absent: that of the cycle and a second"
    )
    charge: Literal["sustained", "given"] = choice(
        "sustained", doc="of a hybrid: repeated until its battery ends as it began (SAE J1711), or as the vehicle says"
    )
    launch: Literal["mild", "sporty"] = choice(
        "mild", doc="how he starts with a clutch that has a pedal: at 1500 or at 3500 rpm"
    )
    tolerance: float | None = quantity(
        "m/s", None, gt=0, typical=(0.1, 3.0), doc="of the trace; absent: 2 km/h, of American cycles 2 mph"
    )
    steer: float = quantity("rad", 0.0, typical=(0.0, 20.0), doc="hand wheel angle when not driving straight")
    straight_line: bool = flag(True, doc="steer to stay on the line; otherwise hold the hand wheel")
    preview: float = quantity("s", PREVIEW, gt=0, typical=(0.1, 5.0), doc="how far ahead the driver of the line looks")

    @model_validator(mode="before")
    @classmethod
    def _as_long_as_the_cycle(cls, raw: Any) -> Any:
        if not isinstance(raw, Mapping):
            return raw
        name = raw.get("cycle", "wltc_3b")
        if not isinstance(name, str) or ("end_time" in raw and "speed" in raw):
            return raw
        found = load_cycle(name)
        return {"end_time": float(found.time[-1]) + SETTLING, "speed": float(found.speed[0]), **raw}

    def parts(self) -> tuple[Part, ...]:
        from jounce.components.drive.energy import EnergyAccount
        from jounce.components.driver.longitudinal import STARTS

        return (*driver(self), follower(shifts=True, **STARTS[self.launch]), EnergyAccount())

    def program(self, start: Start) -> Program:
        found = load_cycle(self.cycle)
        table = Table([found.time], found.speed, method="linear", extrapolation="flat")
        pedals = follow(start, FromTable(table), changes=True)
        start.sim.set_block_period("driver.pedals", SAMPLE)
        return Program(
            Phase(
                "follow",
                [*straight_ahead(self, start), *pedals],
                duration=self.end_time,
                ends=safety_ends(start.vehicle),
            )
        )

    def recording(self, start: Start, options: Options) -> Options:
        if options.channels is not None:
            return options
        names = [v.name for v in start.sim.model.outputs if v.name.startswith(KEPT)]
        every = options.interval if options.interval != INTERVAL else round(ROWS / options.step) * options.step
        return replace(options, channels=names, interval=every)

    def completed(self, start: Start, result: Run) -> Run:
        kept = self._trace()
        try:
            kept["quasi_static"] = self._backwards(start.vehicle)[0]
        except ParameterError as why:  # a part of one's own whose law has states
            result = result.with_metadata(warnings=[*result.metadata["warnings"], str(why)])
        if is_hybrid(start.vehicle):
            kept["charge"] = asdict(balance_of(start.vehicle, result))
        return result.with_metadata(cycle=kept)

    def computed(self, vehicle: Vehicle, options: Options) -> Run | None:
        if self.mode == "dynamic":
            repeats = self.charge == "sustained" and is_hybrid(vehicle)
            return self._repeated(vehicle, options) if repeats else None
        begun = clock.perf_counter()
        fast, rows = self._backwards(vehicle)
        units = {name: unit for name, (_, unit) in rows.items()}
        time = rows.pop("time")[0]
        taken = clock.perf_counter() - begun
        metadata = {
            "vehicle": {"name": vehicle.name, "class": vehicle.category},
            "event": {"kind": self.kind, "name": self.title, "parameters": self.parameters()},
            "cycle": self._trace() | {name: fast[name] for name in ("charge", "repetitions") if name in fast},
            "timing": {"simulated": float(time[-1]), "wall": taken, "total": taken},
            "warnings": list(fast["warnings"]),
            "status": "complete",
            "reason": "quasi-static",
        }
        return Run(time, {name: values for name, (values, _) in rows.items()}, units, metadata)

    def _repeated(self, vehicle: Vehicle, options: Options) -> Run:
        """The cycle from the charge that it sustains, first tried from where the quasi-static one finds it."""
        from jounce.events.engine import drive

        assert vehicle.driveline is not None and vehicle.driveline.battery is not None
        begin, fast = vehicle.driveline.battery.state_of_charge, {}
        with contextlib.suppress(ParameterError):
            fast = {"quasi_static": self._backwards(vehicle)[0]}
            begin = fast["quasi_static"]["charge"]["begin"]

        once, runs = self.model_copy(update={"charge": "given"}), {}

        def trial(charge: float) -> Balance:
            run = drive(vehicle.with_(**{"driveline.battery.state_of_charge": charge}), once, options)
            found = balance_of(vehicle, run)
            runs[found.begin] = run
            return found

        found, count = sustained(trial, begin)
        run = runs[found.begin]
        return run.with_metadata(cycle={**run.metadata["cycle"], **fast, "repetitions": count})

    def _backwards(self, vehicle: Vehicle) -> tuple[dict[str, Any], dict[str, tuple[Array, str]]]:
        from jounce.sim.quasi_static import quasi_static

        found = load_cycle(self.cycle)
        inside = found.time <= self.end_time
        return quasi_static(vehicle, found.time[inside], found.speed[inside], self.uphill, self.charge == "sustained")

    def _trace(self) -> dict[str, Any]:
        found = load_cycle(self.cycle)
        own = found.tolerance if self.tolerance is None else self.tolerance
        return {
            "name": found.name, "time": found.time.tolist(), "speed": found.speed.tolist(),
            "tolerance": own,
        }  # fmt: skip
