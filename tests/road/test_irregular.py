"""Unevenness: spectra per octave, coherency and phase, the same for the same seed, both wheel tracks of a road."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.files.rdf import parse_rdf
from jounce.road.irregular import ISO_8608, Tracks, iso_8608, log_log, synthesise, waves
from jounce.road.line import LineRoad
from jounce.road.path import Path


def octaves(values: np.ndarray, step: float, first: float, last: float) -> list[tuple[float, float, float]]:
    """(from, to, mean square) of octave bands, from the Fourier transform of the whole (periodic) record."""
    spectrum = np.abs(np.fft.rfft(values)) ** 2 * 2 / len(values) ** 2
    n = np.fft.rfftfreq(len(values), step)
    out = []
    low = first
    while 2 * low <= last * 1.001:
        band = (n >= low) & (n < 2 * low)
        out.append((low, 2 * low, float(spectrum[band].sum())))
        low *= 2
    return out


@pytest.mark.parametrize("road_class", "ABCDEFGH")
def test_iso_8608_within_a_decibel_per_octave(road_class: str) -> None:
    tracks = synthesise(iso_8608(road_class), 2000.0, coherency=0.5, seed=4, n_max=8.0)
    for values in (tracks.left, tracks.right):
        for low, high, power in octaves(values, tracks.step, 0.02, 8.0):
            # ∫ G_d(n) dn with G_d = G_0 (n/n_0)^-2
            target = ISO_8608[road_class] * 0.1**2 * (1 / low - 1 / high)
            assert abs(10 * math.log10(power / target)) < 1.0
    # the variance over the whole band, n_min to n_max
    total = ISO_8608[road_class] * 0.01 * (1 / 0.01 - 1 / 8)
    assert np.var(tracks.left) == pytest.approx(total, rel=0.05)


def test_the_classes_are_a_factor_four_apart() -> None:
    levels = list(ISO_8608.values())
    assert list(ISO_8608) == list("ABCDEFGH") and levels == [16e-6 * 4**k for k in range(8)]
    omega = np.array([2 * math.pi * 0.1])
    # G_d(Ω) = G_d(n)/2π
    assert iso_8608("C")(omega)[0] == pytest.approx(256e-6 / (2 * math.pi))


def coherence(tracks: Tracks, segments: int = 64) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wave number, coherency (magnitude) and phase, averaged over segments."""
    n = len(tracks.left) // segments
    window = np.hanning(n)
    left, right = (
        np.fft.rfft(values[: n * segments].reshape(segments, n) * window, axis=1)
        for values in (tracks.left, tracks.right)
    )
    cross = np.mean(np.conj(left) * right, axis=0)
    power = np.sqrt(np.mean(np.abs(left) ** 2, axis=0) * np.mean(np.abs(right) ** 2, axis=0))
    return np.fft.rfftfreq(n, tracks.step), np.abs(cross) / power, np.angle(cross)


@pytest.mark.parametrize("gamma", [0.0, 0.4, 0.8, 1.0])
def test_coherency(gamma: float) -> None:
    tracks = synthesise(iso_8608("C"), 20000.0, coherency=gamma, seed=3, n_max=2.0)
    n, found, _ = coherence(tracks, 400)
    band = (n > 0.1) & (n < 1.9)
    # the mean over 400 segments scatters by 1/√400; averaged over the band it is far below
    assert np.mean(found[band]) == pytest.approx(gamma, abs=0.06)


def test_scipy_shows_the_square_of_the_coherency() -> None:
    from scipy.signal import coherence

    tracks = synthesise(iso_8608("C"), 20_000.0, coherency=0.7, n_max=2.0, seed=4)
    n, squared = coherence(tracks.left, tracks.right, 1 / tracks.step, nperseg=1024)
    band = (n > 0.1) & (n < 1.5)
    # 20 km give about 300 overlapping parts: the estimate is spread by (1 - γ²)/√150 per line, far less in the mean
    assert float(np.mean(squared[band])) == pytest.approx(0.7**2, abs=0.02)


def test_coherency_and_phase_may_depend_on_the_wave_number() -> None:
    tracks = synthesise(
        iso_8608("B"),
        20000.0,
        coherency=lambda w: np.exp(-w / 6),
        phase=lambda w: 0.5 * np.ones_like(w),
        seed=8,
        n_max=2.0,
    )
    n, found, phase = coherence(tracks, 400)
    for low, high in ((0.1, 0.3), (0.5, 0.7), (1.2, 1.6)):
        band = (n > low) & (n < high)
        assert np.mean(found[band]) == pytest.approx(np.mean(np.exp(-2 * math.pi * n[band] / 6)), abs=0.06)
    band = (n > 0.1) & (n < 0.5)
    assert np.mean(phase[band]) == pytest.approx(0.5, abs=0.05)


def test_the_same_seed_gives_the_same_road_and_another_does_not() -> None:
    a, b, c = (synthesise(iso_8608("A"), 200.0, seed=s) for s in (1, 1, 2))
    assert np.array_equal(a.left, b.left) and np.array_equal(a.right, b.right)
    assert not np.array_equal(a.left, c.left)
    # a fixed number: the stream of the generator is part of the promise
    assert np.random.Generator(np.random.PCG64(1)).uniform() == pytest.approx(0.5118216247002567, abs=1e-15)


def test_the_sum_of_waves_has_its_variance_and_does_not_repeat() -> None:
    density = log_log([0.5, 20.0], [1e-5, 1e-7])
    tracks = waves(density, density, 0.5, 20.0, 400, 4000.0, seed=2)
    omega = np.linspace(0.5, 20.0, 400)
    # σ² = ½ Σ a², a = 2 √(S Δω)
    expected = 2 * np.sum(density(omega)) * (omega[1] - omega[0])
    assert np.var(tracks.left) == pytest.approx(expected, rel=0.05)
    period = round(2 * math.pi / (omega[1] - omega[0]) / tracks.step)
    assert abs(np.corrcoef(tracks.left[:-period], tracks.left[period:])[0, 1]) < 0.9
    # octave by octave: the waves of a band carry ½ Σ a²
    for low, high, power in octaves(tracks.left, tracks.step, 0.6 / (2 * math.pi), 20.0 / (2 * math.pi)):
        inside = (omega >= 2 * math.pi * low) & (omega < 2 * math.pi * high)
        target = 2 * np.sum(density(omega[inside])) * (omega[1] - omega[0])
        assert abs(10 * math.log10(power / target)) < 1.0, (low, high)
    one = waves(density, density, 0.5, 20.0, 400, 4000.0, seed=2, one_sided=True)
    np.testing.assert_allclose(one.left * math.sqrt(2), tracks.left, atol=1e-12)


def test_coherent_waves_are_turned_by_the_phase_and_others_are_independent() -> None:
    density = log_log([1.0, 10.0], [1e-5, 1e-6])
    same = waves(density, density, 1.0, 10.0, 200, 2000.0, phase=0.0)
    np.testing.assert_array_equal(same.left, same.right)
    turned = waves(density, density, 1.0, 10.0, 200, 2000.0, phase=math.pi)
    np.testing.assert_allclose(turned.right, -turned.left, atol=1e-12)
    # a phase of neither 0 nor π shows its sign: cos(ω s + φ) on the left, cos(ω s + φ + ψ) on the right, so that the
    # cross spectrum of left and right, conj(L) R, has the phase +ψ in every wave
    for psi in (0.6, -0.6, 0.5 * math.pi):
        ahead = waves(density, density, 1.0, 10.0, 200, 2000.0, phase=psi)
        n, found, angle = coherence(ahead, 8)
        band = (2 * math.pi * n > 1.5) & (2 * math.pi * n < 9.5) & (found > 0.99)
        assert band.sum() > 100 and np.max(np.abs(angle[band] - psi)) < 0.15
        assert np.mean(angle[band]) == pytest.approx(psi, abs=0.01)
    other = waves(density, density, 1.0, 10.0, 200, 2000.0, coherent=False)
    assert abs(np.corrcoef(other.left, other.right)[0, 1]) < 0.1


RDF = """[MDI_HEADER]
FILE_TYPE='rdf'
FILE_VERSION=12
FILE_FORMAT='ASCII'
[UNITS]
LENGTH='meter'
ANGLE='degrees'
FORCE='newton'
MASS='kg'
TIME='second'
[MODEL]
TYPE='ANALYTIC'
[GLOBAL]
FRICTION='STANDARD'
IRREGULARITIES='ANALYTIC_PSD'
LEFT_EDGE='FLAT'
RIGHT_EDGE='FLAT'
[WIDTH]
LEFT_SIDE_WIDTH=4
RIGHT_SIDE_WIDTH=4
[PLANT_PATH]
{s curvature}
0 0
2000 0
[VERTICAL_PATH]
{s height}
0 0
2000 0
[BANK_ANGLE_PATH]
{s angle}
0 0
2000 0
[IRREGULARITIES]
MODEL='ANALYTIC_PSD'
FFT_POINTS=200
COHERENCY=1
OMEGA_1=1
OMEGA_2=10
LEFT_PSD_O1=1e-5
LEFT_PSD_O2=1e-6
RIGHT_PSD_O1=1e-5
RIGHT_PSD_O2=1e-6
"""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("PHASE=35\n", lambda w: 35 + 0 * w),
        ("PHASE=-50\n", lambda w: -50 + 0 * w),
        ("PHASE_TABLE='YES'\n[PSD_PHASE_TABLE]\n{omega phase}\n1 10\n10 100\n", lambda w: 10 * w),
    ],
)
def test_the_phase_of_a_file_turns_the_right_track_ahead(lines: str, expected: Callable[[np.ndarray], Any]) -> None:
    """Degrees in the file; conj(L) R of the tracks of the road has this phase, with its sign."""
    road = parse_rdf(RDF + lines).road()
    s = np.arange(100.0, 1900.0, 0.05)
    left, right = (road.query(s, side).height for side in (1.0, -1.0))
    n, found, angle = coherence(Tracks(100.0, 0.05, left, right), 8)
    omega = 2 * math.pi * n
    band = (omega > 1.5) & (omega < 9.5) & (found > 0.99)
    assert band.sum() > 100
    assert np.mean(np.degrees(angle[band]) - expected(omega[band])) == pytest.approx(0, abs=1.0)
    assert np.max(np.abs(np.degrees(angle[band]) - expected(omega[band]))) < 10


def test_wheels_roll_over_the_same_track_one_after_the_other() -> None:
    tracks = synthesise(iso_8608("C"), 500.0, seed=5)
    road = LineRoad(path=Path.straight(500.0), left=4.0, right=4.0, unevenness=tracks.faded(5.0).curves())
    # what the front wheels meet the rear ones meet a wheelbase later: here a whole number of samples of time
    wheelbase, speed = 2.7, 13.5
    t = np.arange(0.0, 25.0, 0.002)
    lag = round(wheelbase / speed / 0.002)
    for side in (0.8, -0.8):
        front = road.query(20 + wheelbase + speed * t, side).height
        rear = road.query(20 + speed * t, side).height
        np.testing.assert_allclose(rear[lag:], front[:-lag], rtol=0, atol=1e-12)
        late = [float(np.corrcoef(rear[400:], front[400 - k : len(t) - k])[0, 1]) for k in range(400)]
        assert int(np.argmax(late)) == lag and late[lag] > 1 - 1e-9 and late[lag // 2] < 0.99
    k = np.arange(400, 8000)
    at = tracks.start + tracks.step * k
    # samples are passed exactly; the right side has its own
    np.testing.assert_allclose(road.query(at, 0.8).height, tracks.left[k], atol=1e-12)
    np.testing.assert_allclose(road.query(at, -0.8).height, tracks.right[k], atol=1e-12)


def test_nonsense_is_refused() -> None:
    for make in (
        lambda: iso_8608("X"),
        lambda: synthesise(iso_8608("A"), -1.0),
        lambda: synthesise(iso_8608("A"), 100.0, coherency=1.5),
        lambda: synthesise(iso_8608("A"), 100.0, n_max=10.0, step=1.0),
        lambda: log_log([1.0, 0.5], [1.0, 1.0]),
        lambda: waves(iso_8608("A"), iso_8608("A"), 2.0, 1.0, 10, 100.0),
    ):
        with pytest.raises(ParameterError):
            make()
