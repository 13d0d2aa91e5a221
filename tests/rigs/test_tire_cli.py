"""`jounce tire`: what a user sees, exit codes, files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.files.tir import read_tir, tir_text
from jounce.results.run import Run
from jounce.rigs.tire_report import check_file, check_tire
from jounce.rigs.tire_rig import find_tire
from tire_models import EXAMPLE, tire

SEDAN = "sedan_225_50r17"


def call(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["tire", *map(str, arguments)])
    return result.exit_code, result.output


def test_show_a_tire_of_the_library(tmp_path: Path) -> None:
    code, text = call("show", SEDAN, "--png", tmp_path / "a.png", "--report", tmp_path / "a.html")
    assert code == 0
    assert "pneumatic_trail" in text and "N/deg" in text
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    page = (tmp_path / "a.html").read_text()
    assert "cornering stiffness" in page and "data:image/png;base64" in page and "http" not in page


def test_show_as_json() -> None:
    code, text = call("show", SEDAN, "--json", "--load", "3 kN")
    data = json.loads(text)
    assert code == 0
    assert data["figures"]["load"] == {"value": 3000.0, "unit": "N"}
    assert data["figures"]["lateral_relaxation_length"]["value"] == pytest.approx(
        float(find_tire(SEDAN).at_load(3000.0).sigma_alpha)
    )


def test_all_tires_of_the_library_pass_the_check() -> None:
    from jounce.files.library import library_files

    code, text = call("check", *library_files("tires"))
    assert code == 0, text


@pytest.mark.parametrize(
    ("change", "level", "key"),
    [
        ({"PKY1": 18.0}, "error", "cornering_stiffness"),  # axes of another convention
        ({"PKX1": -22.0}, "error", "slip_stiffness"),
        ({"PHY3": -0.1}, "remark", "camber_stiffness"),
        ({"PDY2": -2.0}, "error", "lateral_friction"),  # friction turns round within the range of loads
        ({"RBX1": 0.0, "RBY1": 0.0}, "remark", "friction_ellipse"),
        ({"PKX2": 1e6}, "remark", "PKX2"),
        ({"FZMIN": 5000.0}, "remark", "FNOMIN"),
        ({"QDZ1": -0.1}, "remark", "aligning_stiffness"),
    ],
)
def test_wrong_tires_are_found(change: dict[str, float], level: str, key: str) -> None:
    findings = check_tire(tire({**EXAMPLE, **change}))
    assert any(f.level == level and f.key == key for f in findings), [str(f) for f in findings]


def test_the_square_friction_ellipse_is_told_with_its_excess() -> None:
    findings = check_tire(tire({**EXAMPLE, "RBX1": 0.0, "RBY1": 0.0, "RVY1": 0.0, "RVY3": 0.0}))
    (found,) = [f for f in findings if f.key == "friction_ellipse"]
    assert "by 41." in found.message, "both peaks at once: the root of two"


def test_check_exits_with_one_on_errors_only(tmp_path: Path) -> None:
    good, bad, broken = tmp_path / "good.tir", tmp_path / "bad.tir", tmp_path / "broken.tir"
    good.write_text(tir_text(tire(EXAMPLE)))
    bad.write_text(tir_text(tire({**EXAMPLE, "PKY1": 18.0})))
    broken.write_text("[MODEL]\nnothing")
    assert call("check", good)[0] == 0
    code, text = call("check", good, bad)
    assert code == 1 and "are the axes ISO?" in text
    code, text = call("check", broken, "--json")
    assert code == 1
    assert json.loads(text)[0]["ok"] is False
    assert not check_file(broken).ok
    assert call("check", "sedan_225_50r71")[0] == 1


def test_fit_from_a_table(tmp_path: Path) -> None:
    truth = find_tire(SEDAN)
    rng = np.random.default_rng(0)
    n = 1500
    alpha, gamma = rng.uniform(-0.2, 0.2, n), np.radians(rng.choice([-3.0, 0.0, 3.0], n))
    fz = rng.choice([2000.0, 4000.0, 6000.0], n)
    f = truth.steady(fz, 0.0, alpha, gamma)
    fy, mz = f.fy + 30 * rng.normal(size=n), f.mz + rng.normal(size=n)
    lines = ["slip;wheel load;FY;MZ;IA", "deg;N;N;Nm;deg"]
    table = np.column_stack([np.degrees(alpha), fz, fy, mz, np.degrees(gamma)])
    lines += [";".join(f"{x:.6f}" for x in row) for row in table]
    (tmp_path / "run.csv").write_text("\n".join(lines))
    options = ("--out", tmp_path / "mine.tir", "--base", SEDAN, "--report", tmp_path / "fit.html", "--json")
    columns = ("--column", "alpha=slip", "--column", "fz=wheel load:N")
    code, text = call("fit", tmp_path / "run.csv", *options, *columns)
    assert code == 0, text
    assert json.loads(text)["quality"]["fy"]["r_squared"] > 0.999
    fitted = read_tir(tmp_path / "mine.tir").tire
    grid = np.linspace(-0.15, 0.15, 31)
    exact = np.asarray(truth.steady(4000.0, 0.0, grid).fy)
    # 30 N of noise, some 20 coefficients, 1500 points: 30 √(20/1500) = 3.5 N, four times
    assert np.abs(np.asarray(fitted.steady(4000.0, 0.0, grid).fy) - exact).max() < 14
    assert "standard error" in (tmp_path / "fit.html").read_text()
    code, text = call("fit", tmp_path / "run.csv", "--base", SEDAN, "--column", "alpha")
    assert code == 1 and "quantity=column" in text


def test_rig_from_a_file_and_by_name(tmp_path: Path) -> None:
    (tmp_path / "mine.tir").write_text(tir_text(find_tire(SEDAN)))
    text = "[VIGRADE_HEADER]\nFILE_TYPE = 'vtt'\n[MODEL]\nTIRE_PROPERTY_FILE = 'mine.tir'\nPRELOAD_CONSTANT = 4000\n"
    text += (
        "[SYSTEM]\nINTEGRATION_STEP = 0.001\n[ANALYSIS]\nOUTPUT_PREFIX = 'sweep'\nOUTPUT_STEP = 0.01\nEND_TIME = 1\n"
    )
    text += "VELOCITY = 20\nCSV_OUTPUT = 1\nTAB_OUTPUT = 1\nTYPE = 'LATERAL'\nTOE_AMPLITUDE = 0.1\n"
    (tmp_path / "a.vtt").write_text(text)
    code, output = call("rig", tmp_path / "a.vtt", "--out", tmp_path / "out", "--png", tmp_path / "a.png")
    assert code == 0, output
    run = Run.read(tmp_path / "out" / "sweep")
    assert run["tire.slip_angle"].max() == pytest.approx(0.1, rel=1e-2)
    assert {p.name for p in (tmp_path / "out").iterdir()} >= {"sweep.csv", "sweep.tab", "sweep.xml"}
    assert (tmp_path / "a.png").exists()
    code, output = call("rig", SEDAN, "--test", "relaxation", "--json")
    assert code == 0 and "relaxation length: 0.38" in output
    assert call("rig", SEDAN, "--test", "latteral")[0] == 1


def test_unknown_requests() -> None:
    assert call("shwo", SEDAN)[0] == 1
    assert call("show", "nothing.tir")[0] == 1


def test_places_that_cannot_be_written_are_told_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place, message in (
        (tmp_path / "none" / "a.png", "there is no such folder"),
        (tmp_path / "file" / "a.png", "is not a folder"),
        (tmp_path / "a.xyz", "pictures end in .png, .svg, .pdf"),
        (tmp_path / "a", "pictures end in"),
    ):
        for action in (("show", SEDAN), ("rig", SEDAN), ("fit", tmp_path / "no data.csv")):
            code, text = call(*action, "--png", place)
            # a fit would complain of its missing file first, had it begun
            assert code == 1 and message in text.replace("\n", " ") and "Traceback" not in text, text
    code, text = call("fit", tmp_path / "no data.csv", "--out", tmp_path / "none" / "a.tir")
    assert code == 1 and "there is no such folder" in text


def test_loads_beyond_the_range_are_told() -> None:
    code, text = call("show", SEDAN, "--load", "40 kN")
    assert code == 0 and "warning: sedan_225_50r17: a load of 4e+04 N is outside" in text
    assert "warning" not in call("show", SEDAN, "--load", "4 kN")[1]
    code, text = call("rig", SEDAN, "--test", "vertical-stiffness", "--load", "20 kN")
    assert "is outside of the valid loads" in text


def test_several_tires_in_one_picture(tmp_path: Path) -> None:
    from jounce.rigs.tire_plots import overlay

    code, _ = call("show", SEDAN, "suv_235_60r18", "--png", tmp_path / "both.svg")
    assert code == 0 and "<svg" in (tmp_path / "both.svg").read_text()
    tires = [find_tire(SEDAN), find_tire("suv_235_60r18")]
    drawn = overlay(tires, [3000.0]).axes[1].lines[:2]
    for line, t in zip(drawn, tires, strict=True):
        x, y = line.get_xydata().T
        assert np.allclose(1e3 * y, np.asarray(t.steady(3000.0, 0.0, np.radians(x)).fy)) and line.get_label() == t.name


def test_a_fit_that_does_not_pass_the_check_ends_with_one(tmp_path: Path) -> None:
    truth = find_tire(SEDAN)
    base = truth.with_values(QSY1=-0.02)
    (tmp_path / "base.tir").write_text(tir_text(base))
    alpha = np.tile(np.linspace(-0.2, 0.2, 61), 3)
    fz = np.repeat([2000.0, 4000.0, 6000.0], 61)
    rows = np.column_stack([np.degrees(alpha), fz, np.asarray(truth.steady(fz, 0.0, alpha).fy)])
    np.savetxt(tmp_path / "run.csv", rows, delimiter=",", header="SA,FZ,FY\ndeg,N,N", comments="")
    code, text = call("fit", tmp_path / "run.csv", "--base", tmp_path / "base.tir", "--out", tmp_path / "mine.tir")
    assert code == 1 and "rolling_resistance" in text and "was written, but" in text
    assert (tmp_path / "mine.tir").is_file() and not check_file(tmp_path / "mine.tir").ok
    code, text = call("fit", tmp_path / "run.csv", "--base", SEDAN, "--out", tmp_path / "mine.tir")
    assert code == 0, text


def test_a_tire_without_a_force_is_remarked(tmp_path: Path) -> None:
    findings = check_tire(tire(EXAMPLE, mode=2))
    assert [f.level for f in findings if "cannot drive or brake a car" in f.message] == ["remark"]


def test_pictures_lean_a_motorcycle_as_far_as_it_goes() -> None:
    from jounce.rigs.tire_plots import characteristics

    leans = {name: characteristics(find_tire(name)).axes[5].get_legend() for name in (SEDAN, "example_pac_mc")}
    shown = {name: [t.get_text() for t in legend.get_texts()] for name, legend in leans.items()}
    assert shown[SEDAN] == ["γ = -4°", "γ = 0°", "γ = 4°"]
    assert shown["example_pac_mc"][-1] == "γ = 45°"
