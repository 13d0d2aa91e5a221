"""What docs/how-to/user_tires.md and docs/tires.md print as files can be read and run."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.components.tire import registry, trust
from jounce.files.tir import parse_tir, read_tir, write_tir
from jounce.files.vtt import MODEL, SYSTEM, TYPES, read_vtt
from jounce.rigs.tire_rig import TireRig, find_tire
from user_tires import compile_tire

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def printed(page: str, language: str, beginning: str) -> str:
    found = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    return next(text for kind, text in found if kind == language and beginning in text)


def test_the_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    exec(compile(printed("how-to/user_tires.md", "python", "class MyTire"), "page", "exec"), {"__name__": __name__})
    file = parse_tir(printed("how-to/user_tires.md", "text", "jounce::mine"))
    assert not file.report.warnings
    found = file.tire.steady(4000.0, 0.0, 0.05)
    # Fy = -µ Fz tanh(18 α/µ), µ = 0.95
    assert float(found.fy) == pytest.approx(-0.95 * 4000 * math.tanh(18 * 0.05 / 0.95), rel=1e-6)


def test_the_file_of_a_library_tire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "_folders", [])
    trust.trust(tmp_path)
    compile_tire("spring", tmp_path)
    text = printed("how-to/user_tires.md", "text", "mytires::tire_sti").replace(
        "mytires::tire_sti", "spring::linear_sti"
    )
    path = tmp_path / "sti.tir"
    path.write_text(text, encoding="utf-8")
    file = read_tir(path)
    assert not file.report.warnings
    assert file.tire.values["RADIUS_DROP"] == 0.33
    # neither figures nor a check, and no accident
    assert CliRunner().invoke(app, ["tire", "check", str(path)]).exit_code == 0
    shown = CliRunner().invoke(app, ["tire", "show", str(path)])
    assert shown.exit_code == 1
    assert "an outside tire has no formula here" in shown.output


def test_a_test_as_a_file(tmp_path: Path) -> None:
    text = printed("tires.md", "text", "FILE_TYPE = 'vtt'")
    write_tir(tmp_path / "mine.tir", find_tire("sedan_225_50r17"))
    (tmp_path / "lateral.vtt").write_text(text, encoding="utf-8")
    test = read_vtt(tmp_path / "lateral.vtt")
    assert not test.warnings
    assert test.toe_amplitude == pytest.approx(math.radians(12))
    run = TireRig(test.tire).run(test)
    assert run.complete
    assert run["tire.slip_angle"].max() == pytest.approx(math.radians(12), rel=1e-4)
    page = (DOCS / "tires.md").read_text(encoding="utf-8")
    for key in (*MODEL, *TYPES, *(k for k in SYSTEM if k != "BUFFER_OUTPUT")):
        assert key in page, key
