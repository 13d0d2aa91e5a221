"""Unevenness of roads from spectra: left and right wheel track with their coherency, the same for the same seed.

A spectrum is a one-sided power density S(ω) of height over the angular wave number ω = 2π n, in m³/rad:

    σ² = ∫ S dω                                                                                              (1)

ISO 8608 writes G_d(n) over the wave number n in cycles per metre, n₀ = 0.1 1/m, so that S(ω) = G_d(ω/2π)/2π:

    G_d(n) = G_d(n₀) (n/n₀)^−w,   w = 2;   G_d(n₀) = 16 · 4ᵏ · 10⁻⁶ m³, k = 0 … 7 for classes A … H            (2)

(the geometric means of the classes; A to E are made roads, F to H tracks and fields).

Synthesis (`synthesise`): waves at equal distances Δω = 2π/L with the amplitude √(2 S Δω) and random phases, by an
inverse Fourier transform; the track repeats after its length L. The amplitudes are exact, so the spectrum is, not
only on average. The right track has the same amplitudes rule; each of its waves is turned against the left one by the
phase ψ(ω) plus or minus arccos γ(ω), with a random sign. The mean over waves is then the coherency γ e^{iψ}, while both
spectra stay exact. γ = |G_lr|/√(G_l G_r); what scipy.signal.coherence and most analysers show is its square.

Sum of waves (`waves`): as road files define it [ω' = ω_i + X Δω, random X in ±½, so that it does not repeat]; amplitude
2 √(S Δω) for the two-sided densities of such files, √2 √(S Δω) for one-sided ones.

Random numbers: PCG64 of numpy, whose stream is fixed for a seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, did_you_mean
from jounce.road.block import Array
from jounce.road.curve import Samples

ISO_8608 = {name: 16e-6 * 4**k for k, name in enumerate("ABCDEFGH")}  # G_d(n0), m3
N0 = 0.1  # reference wave number, 1/m
DEFAULT_SEED = 12345
Spectrum = Callable[[Array], Array]


def iso_8608(road_class: str | float, waviness: float = 2.0) -> Spectrum:
    """S(ω), m³/rad, of a class A … H, or of G_d(n₀) given in m³."""
    if isinstance(road_class, str):
        if road_class.upper() not in ISO_8608:
            raise ParameterError(f"ISO 8608 class {road_class!r}: unknown{did_you_mean(road_class.upper(), ISO_8608)}")
        level = ISO_8608[road_class.upper()]
    else:
        level = float(road_class)
        if not 0 < level < math.inf:
            raise ParameterError(f"G_d(n0) = {level:g} m3; must be > 0")

    def density(omega: Array) -> Array:
        n = np.asarray(omega, dtype=float) / (2 * math.pi)
        return np.asarray(level * (n / N0) ** -waviness / (2 * math.pi))

    return density


def log_log(omega: npt.ArrayLike, psd: npt.ArrayLike) -> Spectrum:
    """Straight lines in a log-log plot through points; the end values are held outside."""
    w, p = np.asarray(omega, dtype=float), np.asarray(psd, dtype=float)
    if (
        w.shape != p.shape
        or w.ndim != 1
        or len(w) < 2
        or not np.all(np.diff(w) > 0)
        or not (w[0] > 0 and np.all(p > 0))
    ):
        raise ParameterError("spectrum: needs two or more ascending positive wave numbers with positive densities")
    lw, lp = np.log(w), np.log(p)
    return lambda omega: np.asarray(np.exp(np.interp(np.log(np.maximum(omega, 1e-300)), lw, lp)))


@dataclass(frozen=True, eq=False)
class Tracks:
    """Left and right wheel track at equal distances."""

    start: float
    step: float
    left: Array
    right: Array
    periodic: bool = False

    def curves(self) -> tuple[Samples, Samples]:
        """For ``LineRoad(unevenness=…)``: smooth, zero beyond the ends (or repeated)."""
        border = "repeat" if self.periodic else "zero"

        def one(values: Array) -> Samples:
            v = np.append(values, values[0]) if self.periodic else values
            return Samples(self.start, self.step, v, border)

        return one(self.left), one(self.right)

    def faded(self, length: float) -> Tracks:
        """The same, coming out of zero and going back to it over a length at both ends; no longer periodic."""
        n = len(self.left)
        s = self.step * np.arange(n)
        q = np.clip(np.minimum(s, s[-1] - s) / length, 0.0, 1.0)
        w = q**3 * (10 - 15 * q + 6 * q * q)
        return Tracks(self.start, self.step, self.left * w, self.right * w)


def _values(value: float | Spectrum, omega: Array, what: str, low: float, high: float) -> Array:
    found = np.broadcast_to(np.asarray(value(omega) if callable(value) else value, dtype=float), omega.shape)
    if not np.all(np.isfinite(found)) or np.any(found < low) or np.any(found > high):
        raise ParameterError(f"{what}: must lie between {low:g} and {high:g}")
    return found


def _generator(seed: int, legacy: bool = False) -> np.random.Generator:
    if seed != int(seed) or seed < 0:
        raise ParameterError(f"seed: found {seed:g}; must be a whole number, 0 or larger")
    return np.random.Generator(np.random.MT19937(int(seed)) if legacy else np.random.PCG64(int(seed)))


def synthesise(
    spectrum: Spectrum,
    length: float,
    *,
    right: Spectrum | None = None,
    coherency: float | Spectrum = 1.0,
    phase: float | Spectrum = 0.0,
    n_min: float = 0.01,
    n_max: float = 10.0,
    step: float | None = None,
    start: float = 0.0,
    seed: int = DEFAULT_SEED,
) -> Tracks:
    """Two tracks with a given spectrum and coherency.

    Parameters
    ----------
    spectrum, right : S(ω) of the left and the right track (the same by default), m³/rad
    length : after which the tracks repeat, m
    coherency : γ between 0 and 1, a number or a function of ω; not its square
    phase : of the right track before the left one, rad
    n_min, n_max : wave numbers, cycles/m
    step : distance of samples, m; four per shortest wave by default
    """
    if not (math.isfinite(length) and length > 0 and 0 < n_min < n_max):
        raise ParameterError(
            f"unevenness: length {length:g} m, wave numbers {n_min:g} to {n_max:g} 1/m do not make sense"
        )
    if length * n_min < 0.5:
        n_min = 0.5 / length
    step = step or 1 / (4 * n_max)
    count = max(8, math.ceil(length / step))
    if count > 50_000_000:
        raise ParameterError(f"unevenness: {count} samples are too many; use a shorter length or fewer short waves")
    step = length / count
    if n_max > 0.5 / step:
        raise ParameterError(f"unevenness: a step of {step:g} m is too long for waves of {1 / n_max:g} m")
    k = np.arange(count // 2 + 1)
    omega = np.asarray(2 * math.pi * k / length, dtype=np.float64)
    band = (k / length >= n_min * (1 - 1e-12)) & (k / length <= n_max * (1 + 1e-12))
    if not band.any():
        raise ParameterError("unevenness: no wave fits between the smallest and the largest wave number")
    w = omega[band]
    rng = _generator(seed)
    phases = rng.uniform(0, 2 * math.pi, len(k))[band]
    signs = np.where(rng.uniform(size=len(k)) < 0.5, -1.0, 1.0)[band]
    width = 2 * math.pi / length
    turn = _values(phase, w, "phase", -math.inf, math.inf) + signs * np.arccos(
        _values(coherency, w, "coherency", 0.0, 1.0)
    )
    left, other = (np.zeros(count // 2 + 1, dtype=complex) for _ in range(2))
    for target, density, angle in ((left, spectrum, phases), (other, right or spectrum, phases + turn)):
        amplitude = np.sqrt(2 * np.maximum(density(w), 0.0) * width)
        target[band] = 0.5 * count * amplitude * np.exp(1j * angle)
    return Tracks(start, step, np.fft.irfft(left, count), np.fft.irfft(other, count), periodic=True)


def waves(
    left: Spectrum,
    right: Spectrum,
    first: float,
    last: float,
    count: int,
    length: float,
    *,
    coherent: bool = True,
    phase: float | Spectrum = 0.0,
    one_sided: bool = False,
    scale: float = 1.0,
    start: float = 0.0,
    seed: int = DEFAULT_SEED,
    legacy: bool = False,
    step: float | None = None,
) -> Tracks:
    """The sum of ``count`` waves between two angular wave numbers (rad/m), as road files define it.

    ``coherent`` takes the same random numbers on both sides, turned by ``phase``. ``legacy`` takes MT19937.
    """
    if not (0 < first < last and count >= 2 and length > 0):
        raise ParameterError(
            f"unevenness: {count} waves from {first:g} to {last:g} rad/m over {length:g} m do not make sense"
        )
    step = step or math.pi / (8 * last)
    n = math.ceil(length / step) + 1
    if n * count > 4_000_000_000:
        raise ParameterError(
            f"unevenness: {count} waves at {n} places are too many; take fewer waves or a shorter part"
        )
    rng = _generator(seed, legacy)
    width = (last - first) / (count - 1)
    omega = np.asarray(first + width * np.arange(count), dtype=np.float64)
    jitter, angle = rng.uniform(-0.5, 0.5, count), rng.uniform(0, 2 * math.pi, count)
    factor = math.sqrt(2.0) if one_sided else 2.0
    sigma = np.linspace(0.0, length, n)
    tracks = []
    for side, density in enumerate((left, right)):
        if side and not coherent:
            jitter, angle = rng.uniform(-0.5, 0.5, count), rng.uniform(0, 2 * math.pi, count)
        shift = _values(phase, omega, "phase", -math.inf, math.inf) if side and coherent else np.zeros(count)
        amplitude = scale * factor * np.sqrt(width * density(omega))
        tracks.append(_sum(sigma, omega + jitter * width, angle + shift, amplitude))
    return Tracks(start, length / (n - 1), tracks[0], tracks[1])


def _sum(s: Array, omega: Array, angle: Array, amplitude: Array) -> Array:
    """Σ a cos(ω s + φ) at equally spaced places, by turning each wave from place to place in blocks."""
    block, group = 512, 64
    h = float(s[1] - s[0])
    # cos(ω (s_b + k h) + φ) = Re[ e^{i(ω s_b + φ)} e^{iω k h} ]
    inner = np.exp(1j * np.outer(omega, h * np.arange(block)))
    starts = s[::block]
    out = np.empty(len(starts) * block)
    for at in range(0, len(starts), group):
        outer = amplitude * np.exp(1j * (np.outer(starts[at : at + group], omega) + angle))
        part = (outer @ inner).real
        out[at * block : at * block + part.size] = part.reshape(-1)
    return out[: len(s)]
