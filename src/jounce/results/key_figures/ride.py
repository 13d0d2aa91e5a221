"""Figures of a ride and of a shaker rig: comfort at a seat, and how the loads of the wheels change.

Weightings and their figures are those of `vibration`: W_d along x and y, W_k along z, the seat being a seat surface. Of
the load F of a wheel,

    variation = √(mean (F − F̄)²) / F̄,    least = min F / F̄,    off = share of the time with F ≤ 0                (1)
"""

from __future__ import annotations

import math

import numpy as np

from jounce.core.errors import JounceError
from jounce.results.figures import Figures
from jounce.results.key_figures import vibration
from jounce.results.key_figures.common import Array, unsound
from jounce.results.panels import TIRE, Curve, Panel, View, tires_of
from jounce.results.plots import COLOURS
from jounce.results.run import Run
from jounce.results.signals import sample_step

SEAT = {axis: f"Seat_Point.Acceleration_{axis.upper()}" for axis in "xyz"}
USED: dict[str, vibration.Weighting] = {"x": "Wd", "y": "Wd", "z": "Wk"}
LOADS = "Tire.Ground_Surface_Force_Z.{}"
HUBS = "Wheel.Global_Vz.{}"
ROADS = "Road.Contact_Patch_Global_Z.{}"
LINES = 0.2  # Hz, between the lines of spectra
SHOWN = 50.0  # Hz, up to which they are shown
LEAST = 0.3  # Hz: slower than this a ride is a hill

WORDS = {
    "seat_av": "Comfort: vibration total value",
    "seat_aw_x": "Comfort: weighted acceleration x",
    "seat_aw_y": "Comfort: weighted acceleration y",
    "seat_aw_z": "Comfort: weighted acceleration z",
    "seat_vdv_z": "Comfort: vibration dose value z, in m/s^1.75",
    "seat_mtvv_z": "Comfort: largest running value z",
    "seat_crest_z": "Comfort: crest factor z",
    "seat_factor": "Seat: weighted acceleration over that of the floor",
    "load_variation": "Wheel loads: largest variation",
    "load_least": "Wheel loads: least over mean",
    "load_off": "Wheel loads: time off the road",
}
FIRST = ("seat_av", "seat_aw_z", "seat_vdv_z", "seat_mtvv_z", "load_variation", "load_least")


def comfort(
    time: Array,
    accelerations: dict[str, Array],
    *,
    natural: float | None = None,
    damping: float = 0.3,
) -> Figures:
    """Figures of ISO 2631-1 at a seat.

    Parameters
    ----------
    time, accelerations : of the floor by axis, m/s²
    natural, damping : of the seat with a person on it (`vibration` (8)), Hz; None: the seat is rigid

    Returns
    -------
    seat_aw_x … seat_aw_z, seat_av, seat_mtvv_z (m/s2), seat_vdv_z (m/s^1.75, which no unit of ours spells),
    seat_crest_z, and with a seat seat_factor
    """
    figures = Figures()
    named = {f"seat_aw_{axis}": "m/s2" for axis in accelerations}
    units = named | {"seat_av": "m/s2", "seat_vdv_z": "-", "seat_mtvv_z": "m/s2", "seat_crest_z": "-"}
    why = unsound(time, *accelerations.values(), least=16)
    found: dict[str, Array] = {}
    if not why:
        try:
            found = {axis: vibration.weighted(time, a, USED[axis]) for axis, a in accelerations.items()}
        except JounceError as error:
            why = str(error)
    if why:
        for name, unit in units.items():
            figures.missing([name], unit, f"ride: {why}")
        return figures
    on = dict(found)
    if natural is not None and "z" in on:
        on["z"] = vibration.passed(time, on["z"], lambda f: vibration.seat(f, natural, damping))
        floor = vibration.rms(found["z"])
        figures.put("seat_factor", vibration.rms(on["z"]) / floor if floor > 0 else math.nan, "-")
    sizes = {axis: vibration.rms(a) for axis, a in on.items()}
    for axis, size in sizes.items():
        figures.put(f"seat_aw_{axis}", size, "m/s2")
    figures.put("seat_av", vibration.total(sizes), "m/s2")
    if "z" in on:
        z = on["z"]
        figures.put("seat_vdv_z", vibration.dose(time, z), "-")
        figures.put("seat_mtvv_z", vibration.largest_running(time, z), "m/s2")
        figures.put("seat_crest_z", float(np.max(np.abs(z))) / sizes["z"] if sizes["z"] > 0 else math.nan, "-")
    return figures


def contact(loads: dict[str, Array]) -> Figures:
    """How much the loads of wheels change (1): of each ``load_variation_L1`` …, and the worst of all."""
    figures = Figures()
    names = ("load_variation", "load_least", "load_off")
    sound = {wheel: f for wheel, f in loads.items() if len(f) > 1 and np.all(np.isfinite(f)) and np.mean(f) > 0}
    if not sound or len(sound) < len(loads):
        figures.missing(names, "%", "wheel loads: of some wheel they are missing, not finite, or nothing on the mean")
        return figures
    variation = {wheel: float(np.std(f) / np.mean(f)) for wheel, f in sound.items()}
    figures.put("load_variation", 100.0 * max(variation.values()), "%")
    figures.put("load_least", 100.0 * min(float(np.min(f) / np.mean(f)) for f in sound.values()), "%")
    figures.put("load_off", 100.0 * max(float(np.mean(f <= 0.0)) for f in sound.values()), "%")
    for wheel, value in variation.items():
        figures.put(f"load_variation_{wheel}", 100.0 * value, "%")
    return figures


def by_wheel(run: Run, pattern: str) -> dict[str, Array]:
    """A channel of every wheel, without second tires."""
    places = [place for place in tires_of(run, pattern) if not (m := TIRE.fullmatch(place)) or not m.group(3)]
    return {place: run[pattern.format(place)] for place in places}


def of_run(run: Run) -> Figures:
    """Key figures of a ride."""
    figures = Figures()
    missing = [name for name in SEAT.values() if name not in run]
    if missing:
        figures.missing(["seat_av"], "m/s2", f"ride: the run has no channel {missing[0]}")
    else:
        natural = run.number("seat_frequency", "Hz")
        damping = run.number("seat_damping", "-")
        given = {} if math.isnan(natural) else {"natural": natural, "damping": damping}
        figures.join(comfort(run.time, {axis: run[name] for axis, name in SEAT.items()}, **given))
    figures.join(contact(by_wheel(run, LOADS)))
    return figures


# --- panels ----------------------------------------------------------------------------------------------------------


def spectra(view: View) -> list[Panel]:
    """Power spectra of the seat as it moves and as it is felt, of the hubs, and what the road becomes on its way."""
    return [*_of_seat(view), *_of_hubs(view)]


def _of_seat(view: View) -> list[Panel]:
    plain, felt, run_over = [], [], []
    for run, label, colour in view.having():
        if any(name not in run for name in SEAT.values()):
            continue
        how, z = vibration.sections(run.time, LINES), run[SEAT["z"]]
        f, density = vibration.power(run.time, z, how)
        rows = (f >= LEAST) & (f <= min(SHOWN, 0.5 / sample_step(run.time)))
        plain.append(Curve(label or "as it moves", f[rows], np.sqrt(density[rows]), colour))
        weight = np.abs(vibration.weighting("Wk", f[rows]))
        felt.append(
            Curve(
                f"{label} · weighted" if label else "as it is felt (Wk)",
                f[rows],
                weight * np.sqrt(density[rows]),
                colour if label else COLOURS[1],
                (4, 3) if label else (),
            )
        )
        roads = by_wheel(run, ROADS)
        if roads and any(np.ptp(height) > 0 for height in roads.values()):
            below = np.mean([vibration.power(run.time, height, how)[1] for height in roads.values()], axis=0)
            below = below[rows] * (2 * np.pi * f[rows]) ** 4  # as accelerations
            run_over.append(Curve(label, f[rows], np.sqrt(density[rows] / np.maximum(below, 1e-300)), colour))
    title = "Seat: root of the power spectrum"
    common = {"group": "frequency", "xunit": "Hz", "log": True}
    found = [Panel(title, "frequency / Hz", "(m/s²)/√Hz", [*plain, *felt], **common)] if plain else []  # type: ignore[arg-type]
    if run_over:
        title = "Transmissibility: road to seat"
        found.append(Panel(title, "frequency / Hz", "-", run_over, **common))  # type: ignore[arg-type]
    return found


def _of_hubs(view: View) -> list[Panel]:
    """How much of the road each hub follows; of one run only, a curve for each wheel."""
    if view.many or not view.runs:
        return []
    run = view.runs[0]
    hubs, roads = by_wheel(run, HUBS), by_wheel(run, ROADS)
    if not hubs or set(hubs) - set(roads) or not all(np.ptp(roads[wheel]) > 0 for wheel in hubs):
        return []
    how, curves = vibration.sections(run.time, LINES), []
    for k, (wheel, speed) in enumerate(hubs.items()):
        f, below = vibration.power(run.time, roads[wheel], how)
        above = vibration.power(run.time, speed, how)[1]
        rows = (f >= LEAST) & (f <= SHOWN)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.sqrt(above[rows] / (below[rows] * (2 * np.pi * f[rows]) ** 2))
        curves.append(Curve(wheel, f[rows], ratio, COLOURS[k % len(COLOURS)]))
    title = "Transmissibility: road to hubs"
    return [Panel(title, "frequency / Hz", "-", curves, "frequency", "Hz", log=True)]
