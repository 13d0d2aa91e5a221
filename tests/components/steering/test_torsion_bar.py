"""The torsion bar."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from jounce.components.steering.torsion_bar import TorsionBar


def test_its_slope_changes_at_the_limit_and_its_torque_does_not_jump() -> None:
    data = {"stiffness": 117.0, "damping": 0.4, "limit": 0.06, "limit_stiffness": 1900.0}
    bar, p = TorsionBar.model_validate(data), SimpleNamespace(**data)
    for side in (1.0, -1.0):
        assert bar.torque(p, side * 0.05, 0.0) == pytest.approx(side * 117.0 * 0.05, rel=1e-13)
        assert bar.torque(p, side * 0.07, 0.0) == pytest.approx(side * (117.0 * 0.06 + 1900.0 * 0.01), rel=1e-13)
        inside, outside = (bar.torque(p, side * (0.06 + e), 0.0) for e in (-1e-9, 1e-9))
        assert inside == pytest.approx(outside, abs=3e-6)  # 2e-9 rad of the stiffer slope
        assert bar.told(p, side * 0.07) == side * 0.06
    assert bar.torque(p, 0.0, -1.3) == pytest.approx(-0.4 * 1.3)
    with pytest.raises(ValidationError, match="belong together"):
        TorsionBar.model_validate({"stiffness": 117.0, "limit": 0.06})
