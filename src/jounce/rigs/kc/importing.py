"""From the files of a rig to a changed vehicle: load cases are read, maps made and written, and the sweeps replayed.

Kinematics and compliance are told apart by turns: the guidance p comes from vertical sweeps less what the loads on the
wheels in them make of the compliance ε, and the compliance from load sweeps less what their travel makes of p,

    p = measured - ε(loads),     ε = measured - p(J_i; J_o)                                                        (1)

where the files have both; each turn makes what is left smaller by the product of the two small shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from jounce.components.basics import SIDES, Side
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.limits import reading
from jounce.rigs.kc import compliance as _compliance
from jounce.rigs.kc import elastic
from jounce.rigs.kc import kinematics as _kinematics
from jounce.rigs.kc import steering as _steering
from jounce.rigs.kc.cases import Case, Programme, Settings, Sweep, check_sides, detect, read_programme, read_sweep
from jounce.rigs.kc.channels import PROPERTIES, Array
from jounce.rigs.kc.fitting import Fit
from jounce.rigs.kc.guidance import evaluated, pose, present, travel_of
from jounce.rigs.kc.kinematics import OTHER, Kinematics
from jounce.rigs.kc.writing import Stage, Writer
from jounce.vehicle.kingpin import refresh
from jounce.vehicle.reading import read
from jounce.vehicle.schema import Vehicle

TURNS = 4  # of (1)
IDLE = {"fx": 20.0, "fy": 20.0, "mz": 2.0}  # N, N m: loads below these are no loads
KINGPIN_GRID = (13, 7)
SMALL = 0.01  # m, rad: steps of figures


@dataclass(frozen=True)
class Residual:
    """How far the changed vehicle is from a measured channel, sensor zero taken off; SI."""

    case: str
    file: str
    channel: str
    unit: str
    rms: float
    largest: float
    span: float


@dataclass
class Imported:
    """What an import made. ``figures``: name, value, unit."""

    vehicle: Vehicle
    axle: int
    word: str
    sweeps: list[Sweep]
    settings: Settings
    kinematics: Kinematics | None = None
    compliance: _compliance.Compliance | None = None
    steering: _steering.SteeringMaps | None = None
    spring: elastic.Spring | None = None
    anti_roll: elastic.AntiRoll | None = None
    figures: list[tuple[str, float, str]] = field(default_factory=list)
    residuals: list[Residual] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    @property
    def fits(self) -> dict[str, Fit]:
        found: dict[str, Fit] = {}
        for part in (self.kinematics, self.compliance, self.steering, self.spring, self.anti_roll):
            if part is not None:
                found |= part.fits
        return found


def axle_number(vehicle: Vehicle, word: str | int) -> int:
    """The number of an axle by its word (front, rear, axle3) or number."""
    axles = vehicle.layout.axles
    text = str(word).strip().lower()
    for axle in axles:
        if text in (axle.word, str(axle.number), f"axle{axle.number}"):
            return axle.number
    raise ParameterError(f"axle = {word!r}: unknown{did_you_mean(text, [axle.word for axle in axles])}")


def kc_import(
    files: Sequence[str | Path],
    into: str | Path | Vehicle,
    axle: str | int = "front",
    *,
    mapping: str | Path | None = None,
    out: str | Path | None = None,
    **settings: Any,
) -> Imported:
    """Make maps of sweeps and write them into a vehicle.

    Parameters
    ----------
    files : tables of sweeps (csv, mat, mf4, parquet), or one mapping file (yaml) that names them
    into : the vehicle that gets them
    axle : front, rear, axle3, or a number
    mapping : channels, signs, units, settings and load cases (`jounce.rigs.kc.cases`)
    out : folder of the changed vehicle; default: its own files
    settings : of `jounce.rigs.kc.cases.Settings`, over those of the mapping

    Raises
    ------
    FormatError, ParameterError
        Naming file, line and column; nothing is written then.
    """
    vehicle = into if isinstance(into, Vehicle) else read(into)
    number = axle_number(vehicle, axle)
    place = vehicle.layout.axles[number - 1]
    if len(place.sides) != 2:
        raise ParameterError(f"axle {place.word}: has a single wheel; K&C sweeps are of two")
    given = [Path(item) for item in files]
    tables = [path for path in given if path.suffix.lower() not in (".yaml", ".yml")]
    mappings = [path for path in given if path not in tables] + ([Path(mapping)] if mapping is not None else [])
    if len(mappings) > 1:
        raise ParameterError(f"more than one mapping: {', '.join(map(str, mappings))}")
    programme = read_programme(mappings[0], lambda word: axle_number(vehicle, word)) if mappings else Programme()
    options = replace(programme.settings, **settings) if settings else programme.settings
    result = Imported(vehicle, number, place.word, [], options)
    with reading((mappings or tables or [Path()])[0]):
        result.sweeps = _sweeps(programme, tables, number, result.remarks)
        _make(result, place, bool(programme.cases))
    _write(result, place, None if out is None else Path(out).expanduser().absolute())
    return result


def maps_of(files: Sequence[str | Path], axle: int, **settings: Any) -> Kinematics:
    """The guidance of an axle from sweeps alone, without a vehicle; files as for `kc_import`."""
    given = [Path(item) for item in files]
    tables = [path for path in given if path.suffix.lower() not in (".yaml", ".yml")]
    mappings = [path for path in given if path not in tables]
    with reading(given[0]):
        programme = read_programme(mappings[0], int) if mappings else Programme()
        options = replace(programme.settings, **settings)
        sweeps = [s for s in _sweeps(programme, tables, axle, []) if s.case.tab == "kinematics"]
        return _kinematics.build(sweeps, options, options.travel)


def _sweeps(programme: Programme, tables: Sequence[Path], axle: int, remarks: list[str]) -> list[Sweep]:
    found: list[Sweep] = []
    for case in programme.cases:
        if not case.axles or axle in case.axles:
            found.append(read_sweep(case, axle, programme.map))
    for path in tables:
        sweep = read_sweep(Case(path, header=programme.header), axle, programme.map)
        cases, words = detect(sweep)
        remarks.append(f"{path.name}: {words}, taken as {cases[0].type}")
        found += [replace(sweep, case=case) for case in cases]
    if not found:
        raise ParameterError("no sweeps: give files, or load cases of this axle in a mapping")
    for sweep in found:
        check_sides(sweep)
    return found


def _make(result: Imported, place: Any, declared: bool) -> None:
    """Maps from sweeps."""
    tabs = {
        tab: [s for s in result.sweeps if s.case.tab == tab] for tab in ("kinematics", "roll", "compliance", "steering")
    }
    settings = result.settings
    travel = settings.travel or travel_of(place)
    dependent = None if declared else place.data.suspension.dependent
    now = present(place, travel or (-0.05, 0.05), settings.points, settings.columns)
    loads = any(_loaded(s) for s in (*tabs["kinematics"], *tabs["steering"]))

    def values(sweep: Sweep, name: str, side: Side) -> Array:
        channel = sweep[f"{name}.{side}"]
        if result.compliance is None or not settings.separate:
            return channel
        sign = (-1.0 if side == "L" else 1.0) if name == "steer" else 1.0
        return channel - sign * result.compliance.added("toe" if name == "steer" else name, side, sweep)

    def guided(name: str, side: Side, sweep: Sweep) -> Array:
        guidance = result.kinematics or now
        return guidance.maps[side][name](sweep[f"travel.{side}"], sweep[f"travel.{OTHER[side]}"])

    for _ in range(TURNS):  # (1)
        if tabs["kinematics"]:
            result.kinematics = _kinematics.build(
                tabs["kinematics"], settings, travel, dependent=dependent, values=values
            )
        if not tabs["compliance"]:
            break
        result.compliance = _compliance.build(
            tabs["compliance"], settings, guided=guided if settings.separate else None
        )
        if not (loads and settings.separate):
            break
    reach = travel or _reach(result.kinematics) or (-0.05, 0.05)
    if tabs["steering"]:
        _turned(result, place, tabs["steering"], reach, values)
    elif result.kinematics is not None and place.data.steering is not None:
        result.steering = _steering.shifted(place, result.kinematics, reach, settings)
    if settings.spring == "wheel":
        masses = {side: settings.wheel_mass or place.data.wheels_on(side).unsprung_mass for side in SIDES}
        loads_at = elastic.corner_loads(result.vehicle)
        static = None if loads_at is None else {side: loads_at[f"{side}{result.axle}"] for side in SIDES}
        weights = {side: GRAVITY * mass for side, mass in masses.items()}
        result.spring = elastic.spring(tabs["kinematics"], settings, reach, weights, static)
    kind = settings.anti_roll
    if kind == "auto":
        opposite = any(s.case.type == "opposite travel" for s in tabs["roll"])
        kind = "none" if not (declared and tabs["roll"]) else "single" if opposite else "dual"
    if kind != "none":
        result.anti_roll = elastic.anti_roll(tabs["roll"], replace(settings, anti_roll=kind), reach)
    for part in (result.kinematics, result.compliance, result.steering, result.spring, result.anti_roll):
        if part is not None:
            result.remarks += part.remarks
    if result.kinematics is not None:
        result.remarks += _sign_doubts(result.kinematics)


def _reach(found: Kinematics | None) -> tuple[float, float] | None:
    if found is None:
        return None
    own = found.maps["L"]["x"].x
    return float(own[0]), float(own[-1])


def _loaded(sweep: Sweep) -> bool:
    return any(
        float(np.nanmax(np.abs(sweep[f"{name}.{side}"]))) > least
        for name, least in IDLE.items()
        for side in SIDES
        if f"{name}.{side}" in sweep
    )


def _turned(result: Imported, place: Any, sweeps: list[Sweep], reach: tuple[float, float], values: Any) -> None:
    steering = place.data.steering
    if steering is None:
        raise ParameterError(
            f"{sweeps[0].case.where}: a test of the steering, but the {place.word} axle is not steered"
        )
    over = "m" if steering.input == "rack_travel" else "rad"
    result.steering = _steering.build(
        sweeps, result.settings, over, travel=reach, rack_of=_rack_of(place), guidance=result.kinematics, values=values
    )


def _rack_of(place: Any) -> Any:
    """Rack travel over the hand wheel, of the vehicle."""
    steering = place.data.steering
    if steering is None or steering.travel is None:
        return None

    def rack(hand: Array) -> Array:
        return evaluated(steering.travel, place.settings, hand / steering.gear_ratio_scale, 0.0 * hand)

    return rack


def _sign_doubts(found: Kinematics) -> list[str]:
    """Lateral displacements that go the same way on both sides: a convention of outwards, not of left."""
    left, right = found.maps["L"]["y"], found.maps["R"]["y"]
    if found.dependent or left.y.shape != right.y.shape:
        return []
    both = float(np.sum(left.y * right.y)) / max(float(np.sqrt(np.sum(left.y**2) * np.sum(right.y**2))), 1e-300)
    if both > 0.9:
        return ["y of both wheels goes the same way in parallel travel; if it is outwards, say signs: {y: outwards}"]
    return []


# ---- writing and replay -------------------------------------------------------------------------------------


def _write(result: Imported, place: Any, out: Path | None) -> None:
    vehicle = result.vehicle
    sources = ", ".join(dict.fromkeys(s.case.file.name for s in result.sweeps))
    comment = f"{vehicle.name}, {result.word} axle, made by jounce kc import from {sources}"
    writer = Writer(vehicle, result.axle, result.word, comment)
    kinematics = result.kinematics
    if kinematics is not None:
        if result.steering is not None and kinematics.dependent:
            kinematics = _steering.split(kinematics)
        writer.kinematics(kinematics, result.settings.alignment)
    if result.steering is not None:
        writer.steering_maps(result.steering)
    if result.spring is not None:
        writer.spring(result.spring)
    if result.anti_roll is not None:
        writer.anti_roll(result.anti_roll)
    if result.compliance is not None:
        writer.compliance(result.compliance)
    with Stage(vehicle, out) as stage:
        if result.steering is not None and place.data.steering.kingpin is not None:
            _kingpin(result, writer, stage.change(writer.changes))
        result.remarks = list(dict.fromkeys([*result.remarks, *writer.changes.remarks]))
        result.vehicle, result.files = stage.commit(writer.changes)
    result.residuals = list(replay(result))
    result.figures = list(figures(result))


def _kingpin(result: Imported, writer: Writer, vehicle: Vehicle) -> None:
    """The steering axis of the new maps, in place of the one of the old maps."""
    assert result.steering is not None
    left, right = (result.steering.maps[side]["steer"] for side in SIDES)
    inputs = np.linspace(max(left.x[0], right.x[0]), min(left.x[-1], right.x[-1]), KINGPIN_GRID[0])
    travel = (-0.05, 0.05) if left.z is None else (float(left.z[0]), float(left.z[-1]))
    changed, pitch = refresh(vehicle, inputs.tolist(), np.linspace(*travel, KINGPIN_GRID[1]).tolist())
    writer.kingpin(changed.layout.axles[result.axle - 1].data.steering.kingpin, result.steering.over)
    result.remarks.append(
        f"steering axis made anew from the maps; it moves along itself by {1e3 * pitch:.2g} mm/rad at most"
    )


def replay(result: Imported) -> Any:
    """Every sweep of travel, steering and loads against what the changed vehicle does with the same inputs."""
    axle = result.vehicle.layout.axles[result.axle - 1]
    steering = axle.data.steering
    over = "rad" if steering is None or steering.input == "wheel_angle" else "m"
    seen: set[tuple[Path, str]] = set()
    for sweep in result.sweeps:
        if sweep.case.tab == "roll" or (sweep.case.file, sweep.case.tab) in seen:
            continue
        seen.add((sweep.case.file, sweep.case.tab))
        full = _steering.with_steer(sweep)
        u = np.zeros(len(full["travel.L"]))
        if sweep.case.tab == "steering" and steering is not None:
            full = _steering.with_input(full, over, _rack_of(axle), result.settings)
            u = full[_steering.INPUT]
        names = _steering.NAMES if sweep.case.tab == "steering" else PROPERTIES
        for side in SIDES:
            model = pose(axle, side, u, full[f"travel.{side}"], full[f"travel.{OTHER[side]}"])
            for name in names:
                expected = model[name]
                if result.compliance is not None:
                    sign = (-1.0 if side == "L" else 1.0) if name == "steer" else 1.0
                    expected = expected + sign * result.compliance.added("toe" if name == "steer" else name, side, full)
                gap = full[f"{name}.{side}"] - expected
                good = np.isfinite(gap)
                gap = gap[good] - np.mean(gap[good])
                unit = "m" if name in ("x", "y") else "rad"
                yield Residual(
                    sweep.case.type, sweep.case.file.name, f"{name}.{side}", unit, float(np.sqrt(np.mean(gap**2))),
                    float(np.max(np.abs(gap))), float(np.ptp(full[f"{name}.{side}"][good])),
                )  # fmt: skip


def figures(result: Imported) -> Any:
    """Key figures of what was made, mean of both sides; names and senses of the plausible ranges."""
    word, degrees = result.word, float(np.degrees(1.0))
    axle = result.vehicle.layout.axles[result.axle - 1]
    steered = axle.data.steering is not None
    h = np.array([SMALL, -SMALL])
    if result.kinematics is not None:
        maps = result.kinematics.maps

        def gain(name: str) -> float:
            rates = [float(np.diff(maps[s][name](h[::-1], h[::-1]))[0]) / (2 * SMALL) for s in SIDES]
            return degrees * float(np.mean(rates))

        yield f"bump_steer_{word}", -gain("toe") if steered else gain("toe"), "deg/m"
        yield f"camber_gain_{word}", gain("camber"), "deg/m"
    if result.steering is not None:
        steer = result.steering.maps
        step = 0.02 * result.steering.maps["L"]["steer"].x[-1]
        at = np.array([-step, step])
        rate = float(np.mean([np.diff(steer[s]["steer"](at, np.zeros(2)))[0] / (2 * step) for s in SIDES]))
        rack = _rack_of(axle) if result.steering.over == "m" else None
        hand = np.array([-SMALL, SMALL])
        per = float(np.diff(rack(hand))[0]) / (2 * SMALL) if rack is not None else 1.0
        if rate * per:
            yield "steering_ratio", 1.0 / (rate * per), "-"
    if result.anti_roll is not None:
        yield f"anti_roll_rate_{word}", result.anti_roll.rate / 1e3, "N/mm"
    if result.spring is not None:
        rates = [np.diff(result.spring.maps[s](h[::-1]))[0] / (2 * SMALL) for s in SIDES]
        yield f"wheel_rate_{word}", float(np.mean(rates)) / 1e3, "N/mm"
    if result.compliance is not None:
        yield from _coefficients(result.compliance, word)


def _coefficients(found: _compliance.Compliance, word: str) -> Any:
    """Slopes at no load and design travel."""
    degrees = float(np.degrees(1.0))
    for slot, maps in found.slots.items():
        per = 1e3
        for name in PROPERTIES:
            slopes = []
            for side, grids in maps.direct.items():
                if name in grids:
                    step = 0.1 * float(grids[name].x[-1])
                    at = np.array([-step, step])
                    mirror = (
                        (-1.0 if name == "y" else 1.0) * (-1.0 if slot in ("fy", "mz") else 1.0) if side == "R" else 1.0
                    )
                    slopes.append(mirror * float(np.diff(grids[name](at, np.zeros(2)))[0]) / (2 * step))
            if slopes:
                length = name in ("x", "y")
                value = float(np.mean(slopes)) * per * (1e3 if length else degrees)
                unit = f"{'mm' if length else 'deg'}/{'kN.m' if slot == 'mz' else 'kN'}"
                yield f"{name}_by_{slot}_{word}", value, unit
    if "mz" in found.slots:
        maps = found.slots["mz"]
        total = []
        for side in SIDES:
            sign = -1.0 if side == "L" else 1.0
            rows = [g[side]["toe"] for g in (maps.direct, maps.cross) if side in g and "toe" in g[side]]
            step = 10.0
            total.append(
                sum(sign * float(np.diff(r(np.array([-step, step]), np.zeros(2)))[0]) / (2 * step) for r in rows)
            )
        yield f"mz_steer_{word}", 100.0 * degrees * float(np.mean(total)), "deg/(100 N.m)"
