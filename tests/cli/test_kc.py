"""`jounce kc`: figures as a table, as JSON, and a page with curves."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

from jounce.cli.main import main


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(stopped.value.code or 0), captured.out, captured.err


def test_figures_as_json_follow_a_change(capsys: pytest.CaptureFixture[str]) -> None:
    """Twice the toe map is twice the bump steer, and nothing else moves."""
    found = []
    for change in ((), ("--set", "rear_suspension.toe.scale=2")):
        code, out, _ = call(capsys, "kc", "sedan", "--json", *change)
        assert code == 0
        found.append({item["name"]: item for item in json.loads(out)})
    before, after = found
    assert set(before["bump_steer_rear"]) == {"name", "axle", "value", "unit", "low", "high"}
    assert after["bump_steer_rear"]["value"] == pytest.approx(2 * before["bump_steer_rear"]["value"], rel=1e-6)
    assert after["bump_steer_front"]["value"] == pytest.approx(before["bump_steer_front"]["value"], rel=1e-9)
    assert before["camber_gain_rear"] == pytest.approx(after["camber_gain_rear"])
    assert before["roll_centre_front"]["axle"] == "front" and before["roll_centre_front"]["unit"] == "mm"


@pytest.mark.slow
def test_a_page_has_every_figure_and_a_picture_per_axle(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "kc.html"
    code, out, _ = call(capsys, "kc", "sedan", "--report", str(page))
    assert code == 0 and "camber_gain_front" in out and "-28 to -10" in out
    text = page.read_text()
    assert all(f"<code>{name}</code>" in text for name in ("anti_squat", "mechanical_trail", "steering_ratio"))
    pictures = [base64.b64decode(item) for item in re.findall(r"base64,([^\"]+)", text)]
    assert len(pictures) == 3 and "Understeer budget" in text
    assert all(p.startswith(b"\x89PNG") and len(p) > 15_000 for p in pictures)


def test_an_unknown_car_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "kc", "sedna")
    assert code == 1 and "sedan" in err
