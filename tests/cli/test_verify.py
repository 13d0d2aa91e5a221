"""``jounce verify`` as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.verify.cases import order

runner = CliRunner()
KEYS = ["name", "expected", "measured", "unit", "tolerance", "kind", "source", "ok"]


def test_a_good_book_exits_with_zero_and_says_so() -> None:
    result = runner.invoke(app, ["verify", "friction"])
    assert result.exit_code == 0
    assert "all 5 checks pass" in result.output


def test_a_line_per_case_and_details_on_demand() -> None:
    result = runner.invoke(app, ["verify", "order", "friction"])
    lines = [line for line in result.output.splitlines() if line.startswith("ok")]
    assert [line.split()[1] for line in lines] == ["order", "friction"]
    assert lines[1].endswith("(5 checks)") and len(result.output.splitlines()) == 3
    detailed = runner.invoke(app, ["verify", "friction", "--details"]).output
    assert detailed.count(" ok") == 5 and "expected" in detailed and "…" not in detailed


def test_a_wrong_expected_value_fails_the_book(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(order.ORDERS, "Euler", 2)
    result = runner.invoke(app, ["verify", "order", "--json"])
    assert result.exit_code == 1
    (failed,) = [row for row in json.loads(result.stdout) if not row["ok"]]
    assert failed["name"] == "order: order of Euler"
    assert failed["measured"] == pytest.approx(1.0, abs=0.1)
    result = runner.invoke(app, ["verify", "order"])
    assert result.exit_code == 1
    assert "1 of 8 checks failed" in result.output
    assert "FAIL" in result.output and "order of Euler" in result.output and "order of AB-2" not in result.output


def test_json_is_all_there_is_on_stdout() -> None:
    command = [sys.executable, "-m", "jounce", "verify", "rigid_body", "friction", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert all(list(row) == KEYS and row["ok"] is True for row in rows)
    assert {row["name"].partition(":")[0] for row in rows} == {"rigid-body", "friction"}


def test_the_cases_can_be_listed() -> None:
    result = runner.invoke(app, ["verify", "--list"])
    assert result.exit_code == 0
    names = [line.split()[0] for line in result.output.splitlines()]
    assert {"order", "rigid-body", "top", "chain", "trees", "carrier", "bicycle"} <= set(names)


def test_the_page_is_written(tmp_path: Path) -> None:
    result = runner.invoke(app, ["verify", "friction", "--html", str(tmp_path / "book.html")])
    assert result.exit_code == 0
    assert (tmp_path / "book.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["bycicle"], "did you mean 'bicycle'"),
        (["friction", "--html", "no/such/folder/book.html"], "does not exist"),
        (["friction", "--html", "."], "is a folder"),
    ],
)
def test_a_wrong_request_exits_with_one_and_a_message(arguments: list[str], text: str) -> None:
    result = runner.invoke(app, ["verify", *arguments])
    assert result.exit_code == 1
    assert text in result.output
    assert "Traceback" not in result.output
