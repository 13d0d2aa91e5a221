"""Bands from a file: curves over a channel and over time, to both sides."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from jounce.cli.main import main
from jounce.core.errors import FormatError
from jounce.results.bands import read_bands
from jounce.results.compare import Band, compare
from jounce.results.run import Run

STEERING, AY, YAW = "driver_demands.steering", "System_Mass_Center.Tracking_Ay", "chassis_velocities.yaw"


def circle(gain: float, sign: float = 1.0, delay: float = 0.0) -> Run:
    """A slow ramp: steering proportional to lateral acceleration, and a pulse of yaw rate."""
    t = np.linspace(0.0, 10.0, 501)
    ay = sign * 0.7 * t
    yaw = sign * np.exp(-4.0 * (t - 5.0 - delay) ** 2)  # nothing at both ends
    return Run(t, {STEERING: gain * ay, AY: ay, YAW: yaw}, {STEERING: "rad", AY: "m/s2", YAW: "rad/s"})


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_steady_state_curve_is_inside_up_to_the_width_of_its_band(tmp_path: Path, sign: float) -> None:
    """δ = k a, other δ = (k + d) a: largest distance 7 d at the end; across e allows k e more, but not at the end."""
    file = tmp_path / "b.yaml"
    file.write_text(f"{STEERING}: {{x: {AY}, absolute: 0.07 rad}}\n")
    bands = read_bands(file)
    assert bands == {STEERING: Band(absolute="0.07 rad", x=AY)}
    base = circle(0.2, sign)
    assert compare(base, circle(0.2 + 0.0099, sign), bands=bands).ok
    assert compare(base, circle(0.2 - 0.0099, sign), bands=bands).ok
    for gain in (0.2101, 0.1899):
        found = compare(base, circle(gain, sign), bands=bands)
        assert not found.ok and found.inside[0].excess == pytest.approx(7 * 0.0101 - 0.07, abs=1e-12)
        assert found.inside[0].at == pytest.approx(sign * 7.0)


def test_a_time_band_allows_a_shift_in_time(tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    file.write_text(f"# ISO 19365\n{YAW}: {{across: 60 ms}}\n")
    for sign in (1.0, -1.0):
        assert compare(circle(1.0, sign), circle(1.0, sign, 0.04), bands=read_bands(file)).ok, "rows are 20 ms apart"
        assert compare(circle(1.0, sign), circle(1.0, sign, -0.04), bands=read_bands(file)).ok
        for delay in (0.2, -0.2):
            found = compare(circle(1.0, sign), circle(1.0, sign, delay), bands=read_bands(file))
            # the pulse rises by at most √8·exp(−1/2) = 1.716 1/s: beyond the band by the part of the shift it forbids
            assert not found.ok and 0.15 < found.inside[0].excess <= 1.716 * 0.14


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no bands"),
        ("a: 3\n", "line 1: a: found 3; expected keys of absolute"),
        ("a: {absolute: 1}\nb: {absolut: 1}\n", "line 2: b: 'absolut' is unknown; did you mean 'absolute'"),
        ("a: {x: b}\n", "line 1: a: no width"),
        ("a: {relative: 5 kg}\n", "line 1: a: "),
        ("a: {relative: -5 %}\n", "must be 0 or more"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "b.yaml"
    file.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_bands(file)


def test_the_command_tells_and_its_exit_code_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    circle(0.2).to_parquet(tmp_path / "a.parquet")
    circle(0.21).to_parquet(tmp_path / "b.parquet")
    for width, code in (("5.1 %", 0), ("4.9 %", 1)):  # 0.01 of 0.2 is 5 %
        (tmp_path / "bands.yaml").write_text(f"{STEERING}: {{x: {AY}, relative: {width}}}\n")
        places = [str(tmp_path / name) for name in ("a.parquet", "b.parquet")]
        with pytest.raises(SystemExit) as stopped:
            main(["compare", *places, "--bands", str(tmp_path / "bands.yaml"), "--json"])
        data = json.loads(capsys.readouterr().out)
        assert int(stopped.value.code or 0) == code and data["bands"][0]["inside"] is (code == 0)
