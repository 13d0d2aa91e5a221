"""Unevenness: spectra per octave, coherency and phase, the same for the same seed, both wheel tracks of a road."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError
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


@pytest.mark.parametrize("road_class", "ABCDE")
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
    assert levels == [16e-6 * 4**k for k in range(5)]
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
    one = waves(density, density, 0.5, 20.0, 400, 4000.0, seed=2, one_sided=True)
    np.testing.assert_allclose(one.left * math.sqrt(2), tracks.left, atol=1e-12)


def test_coherent_waves_are_turned_by_the_phase_and_others_are_independent() -> None:
    density = log_log([1.0, 10.0], [1e-5, 1e-6])
    same = waves(density, density, 1.0, 10.0, 200, 2000.0, phase=0.0)
    np.testing.assert_array_equal(same.left, same.right)
    turned = waves(density, density, 1.0, 10.0, 200, 2000.0, phase=math.pi)
    np.testing.assert_allclose(turned.right, -turned.left, atol=1e-12)
    other = waves(density, density, 1.0, 10.0, 200, 2000.0, coherent=False)
    assert abs(np.corrcoef(other.left, other.right)[0, 1]) < 0.1


def test_wheels_roll_over_the_same_track_one_after_the_other() -> None:
    tracks = synthesise(iso_8608("C"), 500.0, seed=5)
    road = LineRoad(path=Path.straight(500.0), left=4.0, right=4.0, unevenness=tracks.faded(5.0).curves())
    s = np.linspace(20, 400, 2000)
    front, rear = road.query(s, 0.8), road.query(s - 2.7, 0.8)
    np.testing.assert_array_equal(front.height, road.query(s - 2.7 + 2.7, 0.8).height)
    shifted = road.query(np.linspace(20 - 2.7, 400 - 2.7, 2000), 0.8).height
    np.testing.assert_allclose(rear.height, shifted, atol=1e-12)
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
