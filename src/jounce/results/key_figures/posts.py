"""Figures of a rig of posts: how hubs and body move, how loads change, spectra, and transfer functions of the pads.

Power spectra are those of `vibration` with the sections that the run asks for. The transfer function of a mode is
from the pads in that mode (their mean in heave, the slopes of the plane through them in pitch and roll) to the body,

    heave: z of its centre of gravity,   pitch and roll: its angles                                                  (1)

by the spectra of the whole run (`frequency`), and its natural frequency and damping those of the fit
(b₁s + b₀)/(s² + 2ζω₀s + ω₀²) between half and one and a half times the frequency of its largest gain, so that the
wheels on their tires, which are far above, have little to say.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from jounce.core.errors import JounceError, ParameterError
from jounce.results.figures import Figures
from jounce.results.key_figures import vibration
from jounce.results.key_figures.common import Array
from jounce.results.key_figures.frequency import USABLE, FrequencyResponse, frequency_response, second_order
from jounce.results.key_figures.ride import LOADS, by_wheel, contact
from jounce.results.panels import Curve, Panel, View
from jounce.results.plots import COLOURS
from jounce.results.run import Run
from jounce.results.signals import sample_step

BODY = {"heave": "Vehicle.CM_Global_Z", "pitch": "chassis_displacements.pitch", "roll": "chassis_displacements.roll"}
PADS = "Tire.User_Input_Contact_Patch_Global_Z_Perturbation.{}"
HUB_ACC, PAD, HUB = "Global_upright_acc.", "Global_pad_disp.", "Global_upright_disp."
SHOWN = (0.3, 50.0)  # Hz
SLOW = 5.0  # Hz

WORDS = {
    "heave_frequency": "Heave: natural frequency",
    "heave_damping": "Heave: damping ratio",
    "pitch_frequency": "Pitch: natural frequency",
    "pitch_damping": "Pitch: damping ratio",
    "roll_frequency": "Roll: natural frequency",
    "roll_damping": "Roll: damping ratio",
    "body_heave_rms": "Body: heave, effective",
    "body_pitch_rms": "Body: pitch, effective",
    "hub_acceleration_rms": "Hubs: largest acceleration, effective",
    "load_variation": "Wheel loads: largest variation",
    "load_least": "Wheel loads: least over mean",
    "load_off": "Wheel loads: time off the pads",
    "tracking_error": "Tracking: largest error of a post, 0.5 to 20 Hz",
}
FIRST = ("tracking_error", "heave_frequency", "heave_damping", "load_variation", "load_least")


def sections_of(run: Run) -> vibration.Sections:
    """Sections of power spectra as the run asks for them."""
    rows, overlap, fft = (run.number(name, "-") for name in ("psd_segment", "psd_overlap", "psd_fft"))
    if math.isnan(rows):
        return vibration.sections(run.time, 0.25)
    count = len(_sampled(run))
    return vibration.Sections(int(min(rows, count)), 0.5 if math.isnan(overlap) else overlap, int(max(fft, 0)))


def _sampled(run: Run) -> Array:
    """The instants at which power spectra look at a run."""
    rate = run.number("psd_sampling", "Hz")
    if math.isnan(rate):
        return run.time
    count = math.floor((run.time[-1] - run.time[0]) * rate * (1 + 1e-12)) + 1
    result: Array = run.time[0] + np.arange(count) / rate
    return result


def spectral_signals(run: Run) -> dict[str, tuple[Array, str]]:
    """What power spectra are made of: hub accelerations, loads, heave at both ends and in the middle, pitch."""
    found = {name: (run[name], "m/s2") for name in run.names if name.startswith(HUB_ACC)}
    found |= {LOADS.format(wheel): (load, "N") for wheel, load in by_wheel(run, LOADS).items()}
    if all(name in run for name in (BODY["heave"], BODY["pitch"])):
        z, pitch = run[BODY["heave"]], run[BODY["pitch"]]
        for name, ahead in _ends(run).items():
            found[f"heave {name}"] = (z - ahead * np.sin(pitch), "m")
        found["heave cg"] = (z, "m")
        found["pitch"] = (pitch, "rad")
    return found


def _ends(run: Run) -> dict[str, float]:
    """How far the first and the last axle are ahead of the centre of gravity of the body, where they stand first."""
    x = {wheel: values[0] for wheel, values in by_wheel(run, "Wheel.Global_X.{}").items()}
    y = {wheel: values[0] for wheel, values in by_wheel(run, "Wheel.Global_Y.{}").items()}
    if not x or set(x) != set(y) or "Vehicle.CM_Global_X" not in run:
        return {}
    yaw = float(run["chassis_displacements.yaw"][0]) if "chassis_displacements.yaw" in run else 0.0
    centre = float(run["Vehicle.CM_Global_X"][0]), float(run["Vehicle.CM_Global_Y"][0])
    axles: dict[int, list[float]] = {}
    for wheel in x:
        ahead = (x[wheel] - centre[0]) * math.cos(yaw) + (y[wheel] - centre[1]) * math.sin(yaw)
        axles.setdefault(int(wheel[1:]), []).append(ahead)
    return {"front": float(np.mean(axles[min(axles)])), "rear": float(np.mean(axles[max(axles)]))}


def psd(run: Run) -> tuple[Array, dict[str, tuple[Array, str]]]:
    """Frequencies in Hz, and the power spectrum of each of `spectral_signals` with the unit of the signal."""
    how, at = sections_of(run), _sampled(run)
    found: dict[str, tuple[Array, str]] = {}
    frequency = np.zeros(0)
    for name, (values, unit) in spectral_signals(run).items():
        sampled = values if at is run.time else np.interp(at, run.time, values)
        frequency, density = vibration.power(at, sampled, how)
        found[name] = density, unit
    return frequency, found


def write_psd(run: Run, path: str | Path) -> None:
    """Write the power spectra as columns over frequency, with a line of names and one of units."""
    from jounce.core.writing import write_atomically

    frequency, found = psd(run)
    if not found:
        raise ParameterError("power spectra: the run has no channels of a rig of posts")
    lines = [",".join(["frequency", *found]), ",".join(["Hz", *(f"({unit})2/Hz" for _, unit in found.values())])]
    columns = np.column_stack([frequency, *(density for density, _ in found.values())])
    lines += [",".join(repr(float(v)) for v in row) for row in columns]
    write_atomically(path, "\n".join(lines) + "\n")


def transfer(run: Run, mode: str) -> FrequencyResponse | None:
    """The transfer function of a mode (1); None where the run has none."""
    pads = by_wheel(run, PADS)
    if mode not in BODY or BODY[mode] not in run or not pads:
        return None
    moved = modal(run, pads)[mode]
    answer = run[BODY[mode]]
    if np.ptp(moved) < 1e-9 or np.ptp(answer) == 0.0:
        return None
    try:
        return response(run, moved, answer)
    except JounceError:
        return None


def response(run: Run, pads: Array, answer: Array) -> FrequencyResponse:
    """The response of an answer to pads, between the frequencies that were swept, where it is coherent.

    Of a sweep of constant speed most of the displacement is slow and most of the acceleration fast: below `SLOW` the
    signals themselves tell, above it their rates.
    """
    ends = sorted(run.number(name, "Hz") for name in ("first_frequency", "last_frequency"))
    low, high = max(SHOWN[0], ends[0]), min(SHOWN[1], 0.9 * ends[1])
    rate, answered = (np.asarray(np.gradient(values, run.time)) for values in (pads, answer))
    slow = frequency_response(run.time, pads, answer).between(low, min(SLOW, high))
    fast = frequency_response(run.time, rate, answered).between(max(SLOW, low) + 1e-9, high)
    f, h, c = (
        np.concatenate([getattr(part, name) for part in (slow, fast)])
        for name in ("frequency", "response", "coherence")
    )
    rows = c > USABLE
    return FrequencyResponse(f[rows], h[rows], c[rows])


def modal(run: Run, pads: dict[str, Array]) -> dict[str, Array]:
    """Heave, pitch and roll of the plane through the pads, in the signs of the body."""
    x, y = (np.array([run[f"Wheel.Global_{axis}.{wheel}"][0] for wheel in pads]) for axis in "XY")
    yaw = float(run["chassis_displacements.yaw"][0]) if "chassis_displacements.yaw" in run else 0.0
    ahead, left = x * math.cos(yaw) + y * math.sin(yaw), y * math.cos(yaw) - x * math.sin(yaw)
    plane = np.column_stack([np.ones(len(pads)), ahead - ahead.mean(), left - left.mean()])
    found = np.linalg.pinv(plane) @ np.array(list(pads.values()))
    return {"heave": found[0], "pitch": -found[1], "roll": found[2]}  # nose down and right side down are positive


def of_run(run: Run) -> Figures:
    """Key figures of a run on a rig of posts."""
    figures = Figures()
    kept = run.metadata.get("seven_post") or {}
    wheelwise = kept.get("by_wheel") or {}
    if wheelwise:
        figures.put("tracking_error", 100.0 * max(wheelwise.values()), "%")
        for wheel, error in wheelwise.items():
            figures.put(f"tracking_error_{wheel}", 100.0 * error, "%")
    loads = by_wheel(run, LOADS)
    if loads and run.parameter("actuators") != "hub":  # tires do nothing then
        figures.join(contact(loads))
    accelerations = {name.removeprefix(HUB_ACC): run[name] for name in run.names if name.startswith(HUB_ACC)}
    if accelerations:
        sizes = {name: float(np.std(values)) for name, values in accelerations.items()}
        figures.put("hub_acceleration_rms", max(sizes.values()), "m/s2")
        for name, size in sizes.items():
            figures.put(f"hub_acceleration_rms_{name}", size, "m/s2")
    for name, unit, factor in (("heave", "mm", 1e3), ("pitch", "deg", 180 / math.pi)):
        if BODY[name] in run:
            figures.put(f"body_{name}_rms", factor * float(np.std(run[BODY[name]])), unit)
    mode = run.parameter("mode") if run.parameter("excitation") == "sweep" else ""
    if mode in BODY:
        _mode(figures, run, str(mode))
    return figures


def _mode(figures: Figures, run: Run, mode: str) -> None:
    """Natural frequency and damping of a mode of the body."""
    names = [(f"{mode}_frequency", "Hz"), (f"{mode}_damping", "-")]
    found = transfer(run, mode)
    why = "the pads or the body do not move in it"
    if found is not None and len(found.frequency) > 8:
        slow = found.between(SHOWN[0], 6.0)
        top = float(slow.frequency[int(np.argmax(slow.gain))])
        part = found.between(0.5 * top, 1.5 * top)
        natural, damping, _ = second_order(part)
        if 0.5 * top <= natural <= 1.5 * top:
            figures.put(names[0][0], natural, "Hz")
            figures.put(names[1][0], damping, "-")
            return
        why = "no pair of poles fits near the largest gain"
    for name, unit in names:
        figures.missing([name], unit, f"{mode}: natural frequency and damping cannot be told: {why}")


# --- panels ----------------------------------------------------------------------------------------------------------


def movements(view: View) -> list[Panel]:
    """What the pads and the hubs do over time; of one run."""
    if view.many or not view.runs:
        return []
    run, found = view.runs[0], []
    for title, prefix in (("Pads: displacement", PAD), ("Hubs: displacement", HUB)):
        names = [name for name in run.names if name.startswith(prefix)]
        curves = [
            Curve(name.removeprefix(prefix).replace("_", " "), run.time, 1e3 * run[name], COLOURS[k % len(COLOURS)])
            for k, name in enumerate(names)
        ]
        if curves and any(np.ptp(curve.y) > 0 for curve in curves):
            found.append(Panel(title, "time / s", "mm", curves))
    return found


def spectra(view: View) -> list[Panel]:
    """Transfer functions of the mode that is shaken, or power spectra of the hubs and the loads."""
    found = _transfers(view)
    if view.many or not view.runs:
        return found
    run = view.runs[0]
    try:
        frequency, densities = psd(run)
    except JounceError:
        return found
    rows = (frequency >= SHOWN[0]) & (frequency <= min(SHOWN[1], 0.5 / sample_step(run.time)))
    common: dict[str, Any] = {"group": "frequency", "xunit": "Hz", "log": True}
    for title, start, unit in (
        ("Hubs: root of the power spectrum", HUB_ACC, "(m/s²)/√Hz"),
        ("Wheel loads: root of the power spectrum", LOADS.format(""), "N/√Hz"),
        ("Body: root of the power spectrum of heave", "heave ", "mm/√Hz"),
    ):
        names = [name for name in densities if name.startswith(start)]
        scale = 1e3 if unit.startswith("mm") else 1.0
        curves = [
            Curve(
                name.removeprefix(start).replace("_", " "),
                frequency[rows],
                scale * np.sqrt(densities[name][0][rows]),
                COLOURS[k % len(COLOURS)],
            )
            for k, name in enumerate(names)
        ]
        if curves and any(np.any(curve.y > 0) for curve in curves):
            found.append(Panel(title, "frequency / Hz", unit, curves, **common))
    return found


def _transfers(view: View) -> list[Panel]:
    gain, phase, loads = [], [], []
    for run, label, colour in view.having():
        mode = str(run.parameter("mode")) if run.parameter("excitation") == "sweep" else ""
        found = transfer(run, mode)
        if found is None:
            continue
        gain.append(Curve(label or f"body, {mode}", found.frequency, found.gain, colour))
        phase.append(Curve(label or f"body, {mode}", found.frequency, np.degrees(found.phase), colour))
        pads = by_wheel(run, PADS)
        for k, (wheel, load) in enumerate(by_wheel(run, LOADS).items()):
            if wheel in pads and np.ptp(pads[wheel]) > 1e-9 and np.ptp(load) > 0 and not view.many:
                over = response(run, pads[wheel], load)
                loads.append(Curve(wheel, over.frequency, 1e-3 * over.gain, COLOURS[k % len(COLOURS)]))
    common: dict[str, Any] = {"group": "frequency", "xunit": "Hz", "log": True}
    panels = []
    if gain:
        panels.append(Panel("Pads to body: gain", "frequency / Hz", "-", gain, **common))
        panels.append(Panel("Pads to body: phase", "frequency / Hz", "deg", phase, **common))
    if loads:
        panels.append(Panel("Pad to wheel load: gain", "frequency / Hz", "N/mm", loads, **common))
    return panels
