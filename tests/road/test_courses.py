"""Paths through courses of cones that ask for little."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.road.courses import CONE_BASE, eased, iso_3888_1


def test_an_eased_path_keeps_its_margin_and_asks_for_less() -> None:
    """Inside all lanes with the margin, with a fraction of the curvature of the middle lines."""
    width, margin = 1.9, 0.12
    course = iso_3888_1(width, start=40.0)
    path = eased(course, width, margin)
    for x, left, right in course.gates:
        y = float(np.interp(x, path.x, path.y))
        assert right + CONE_BASE + 0.5 * width + margin - 2e-3 <= y <= left - CONE_BASE - 0.5 * width - margin + 2e-3
    assert np.abs(path.curvature).max() < 0.4 * np.abs(course.path.curvature).max()
    assert (path.x[0], path.y[0]) == pytest.approx((course.path.x[0], course.path.y[0]))
    assert np.diff(path.s) == pytest.approx(0.5, rel=0.01)  # half of the usual metre
    assert np.diff(eased(course, width, margin, step=0.5).s) == pytest.approx(0.25, rel=0.01)
    with pytest.raises(ParameterError, match="does not fit"):
        eased(course, width, 0.4)
