"""Tracking on a rig of posts: pads that make the car do what was measured, found by iteration.

A real rig and this one are asked the same question: which motion z(t) of the pads makes the hubs (or the springs) move
as they did on the road. With H(iω) the response of the car on the rig, here from its exact linearisation where it
stands, the answer is improved from run to run, line by line of the spectra,

    Z ← Z + g (HᴴH + λ²)⁻¹ Hᴴ (Y⁰ - Y),    λ = 0.02 σ_max(H)                                                       (1)

Y⁰ the reference, Y what the last run gave, g the gain of the controller, between the frequencies of the reference. The
largest singular value σ_max at each line keeps what hardly answers (slow heave of a spring) from being shaken for it.
The roll and the pitch of the pads (a plane through their heights) below a frequency are taken away where their
compensation is on: on a flat road they are drift.

This is how road simulators are driven: B. W. Cryer and others, SAE paper 760361 (1976).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import SimulationError
from jounce.events.post_signals import FADE, band, instants, led, passes
from jounce.results.key_figures.posts import BODY
from jounce.results.key_figures.ride import LOADS
from jounce.results.signals import Array
from jounce.sim import car as cars

if TYPE_CHECKING:
    from jounce.events.start import Start
    from jounce.sim.linear import LinearModel

Complex = npt.NDArray[np.complex128]

HARD = 0.02  # λ over σ_max
ENOUGH = 0.003  # relative error after which no more is asked
SETTLES = 1.0  # s that brakes are given
JUDGED = (0.5, 20.0)  # Hz, where the error is told


@dataclass(frozen=True)
class Tracked:
    """The pads that were found, and how well they do."""

    pads: Array  # rows by wheels, m
    errors: tuple[float, ...]  # relative, of each run
    by_wheel: tuple[float, ...]  # relative, of the last run


def linear_model(start: Start) -> LinearModel:
    """The car where it stands on its pads: from their heights and rates to hubs, springs, loads and body.

    Its wheels are held as the event holds them: a car whose wheels roll pitches otherwise.
    """
    wheels, known = start.description.wheels, {v.name for v in start.sim.model.outputs}
    inputs = [name for wheel in wheels for name in (f"road.{wheel}", f"road.{wheel}.rate")]
    outputs = [f"Global_upright_acc.{wheel.words}" for wheel in wheels.values()]
    outputs += [pattern.format(wheel) for pattern in ("Spring.Jounce.{}", LOADS) for wheel in wheels]
    outputs += [BODY["heave"], BODY["pitch"]]
    chosen = [name for name in outputs if name in known]  # all of them: one linearisation for all purposes
    sim, found = start.sim, cars.lineariser(start.description, inputs, chosen)
    here = sim.snapshot()
    try:
        held = float(getattr(start.event, "held", 0.0))
        if held:  # until pressures are there
            sim.set_inputs({"brake": held})
            sim.advance(round(SETTLES / sim.step))
        return found.with_sticking(sim)
    finally:
        sim.restore(here)


def response(start: Start, wheels: list[str], outputs: list[str], frequency: Array) -> Complex:
    """Response of outputs to the heights of the pads, where the car stands: (line, output, wheel)."""
    linear = linear_model(start)
    rows = [linear.outputs.index(name) for name in outputs]
    heights = [linear.inputs.index(f"road.{name}") for name in wheels]
    rates = [linear.inputs.index(f"road.{name}.rate") for name in wheels]
    s = 2j * math.pi * frequency
    moved = np.linalg.solve(s[:, None, None] * np.eye(len(linear.A)) - linear.A, linear.B[:, heights + rates] + 0j)
    whole = linear.C[rows] @ moved + linear.D[np.ix_(rows, heights + rates)]
    n = len(wheels)
    return np.asarray(whole[:, :, :n] + s[:, None, None] * whole[:, :, n:])


def without_tilt(pads: Array, places: Array, step: float, below: float, *, roll: bool, pitch: bool) -> Array:
    """Pads without the slow roll or pitch of the plane through them; ``places``: x and y of the wheels."""
    if not (roll or pitch):
        return pads
    plane = np.column_stack([np.ones(len(places)), places - np.mean(places, axis=0)])
    found = pads @ np.linalg.pinv(plane).T  # heave, slope along x, slope along y
    slow = found - band(found, step, below, 0.4 / step)
    slow[:, 0] = 0.0
    slow[:, 1] *= pitch
    slow[:, 2] *= roll
    slow *= led(instants(len(pads), step), 0.5 * FADE)[:, None]  # pads begin and end at rest at zero
    return np.asarray(pads - slow @ plane.T)


def track(
    start: Start,
    reference: Array,
    step: float,
    *,
    wheels: list[str],
    outputs: list[str],
    sign: float,
    run: Callable[[Array], dict[str, Array]],
    band_of: tuple[float, float],
    gain: float,
    most: int,
    shaped: Callable[[Array], Array],
) -> Tracked:
    """The pads that make outputs follow a reference (rows by outputs); ``run``: a run with pads -> outputs."""
    count = len(reference)
    length = 2 ** math.ceil(math.log2(count + round(4.0 / step)))
    f: Array = np.asarray(np.fft.rfftfreq(length, step), dtype=np.float64)
    inside = (f >= 0.5 * band_of[0]) & (f <= 1.3 * band_of[1])
    h = sign * response(start, wheels, outputs, f[inside])
    largest = np.linalg.norm(h, ord=2, axis=(1, 2))
    held = (HARD * largest) ** 2
    adjoint = np.conj(np.swapaxes(h, 1, 2))
    inverse = np.linalg.solve(adjoint @ h + held[:, None, None] * np.eye(len(wheels)), adjoint)
    inverse = inverse * passes(f[inside], *band_of)[:, None, None]
    window = led(instants(count, step), 0.5 * FADE)[:, None]
    pads = np.zeros((count, len(wheels)))
    best, errors = Tracked(pads, (), ()), []
    answer = np.zeros_like(reference)
    least = math.inf
    for _ in range(most):
        spectrum = np.zeros((len(f), len(wheels)), dtype=complex)
        missing = np.fft.rfft(reference - answer, length, axis=0)[inside]
        spectrum[inside] = np.einsum("fwo,fo->fw", inverse, missing)
        pads = shaped(pads + gain * window * np.fft.irfft(spectrum, length, axis=0)[:count])
        told = run(pads)
        if any(len(told[name]) < count or not np.all(np.isfinite(told[name])) for name in outputs):
            raise SimulationError("tracking: a run with the pads that were found did not come to its end")
        answer = sign * np.column_stack([told[name][:count] for name in outputs])
        answer = answer - answer[0]
        wheelwise = relative_errors(reference, answer, step)
        errors.append(float(np.max(wheelwise)))
        if errors[-1] < least:
            least, best = errors[-1], Tracked(pads, (), tuple(wheelwise))
        if errors[-1] < ENOUGH or errors[-1] > 3 * least:
            break
    return Tracked(best.pads, tuple(errors), best.by_wheel)


def relative_errors(reference: Array, answer: Array, step: float) -> Any:
    """rms of the difference over that of the reference, by column, between the frequencies of `JUDGED`, without the
    time in which the reference is led in and out."""
    rows = slice(round(1.5 * FADE / step), len(reference) - round(1.5 * FADE / step))
    wanted = band(reference, step, *JUDGED)[rows]
    wrong = band(answer - reference, step, *JUDGED)[rows]
    size = np.sqrt(np.mean(wanted**2, axis=0))
    return np.where(size > 0, np.sqrt(np.mean(wrong**2, axis=0)) / np.maximum(size, 1e-300), 0.0)
