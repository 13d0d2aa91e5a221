"""What the integration itself leaves, for tolerances of cases that simulate.

Applied to a harmonic motion ẋ = iωx, the formulae of AM-4 have the principal root

    ρ = exp(z) (1 - C z⁵ + O(z⁶)),    z = iωh,    C = 59/2880                                            (1)

so a motion of frequency ω loses the phase C ω⁵ h⁴ per unit time and, to this order, no amplitude.  (C follows from
inserting exp(z k) into predictor and corrector.)  A motion with harmonics is as bad as its worst one: the third with
a tenth of the amplitude counts 3⁵/10 = 24 times.
"""

from __future__ import annotations

AM4_CONSTANT = 59 / 2880
HARMONICS = 25.0


def am4_phase(time: float, frequency: float, step: float) -> float:
    """Phase in rad that AM-4 loses in ``time`` s of a motion of ``frequency`` rad/s, (1)."""
    return AM4_CONSTANT * time * frequency**5 * step**4
