"""`jounce examples`: what it finds in a source tree, that it runs, and that a failure is one."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from jounce.cli.examples import found, source_tree
from jounce.cli.main import main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("examples", "docs", "tests"):
        (tmp_path / name).mkdir()
    (tmp_path / "examples" / "01_first.py").write_text('"""Says one.\n\nMore."""\nopen("left.txt", "w").write("1")\n')
    (tmp_path / "examples" / "02_second.py").write_text('"""Fails."""\nraise SystemExit("no such luck")\n')
    page = "# Page\n```python\nimport math\nx = math.pi\n```\n```python\nx + 1  # no program\n```\n"
    page += "```python\nimport math\nmath.sqrt(x)  # a name of another block\n```\n"
    page += '```python\n# needs log.csv, a file of yours\nimport math\nopen("log.csv")\n```\n'
    page += "```python\nimport os\nassert os.environ['MPLBACKEND'] == 'Agg'\nassert 'x' not in globals()\n```\n"
    (tmp_path / "docs" / "page.md").write_text(page)
    (tmp_path / "docs" / "words.md").write_text("nothing to run\n")
    rows = [
        ["key", "feature", "status", "test", "note"],
        ["wf/WF-01", "A story", "done", "tests/test_it.py::test_a", ""],
        ["wf/WF-02", "Not yet", "missing", "", ""],
        ["sus/SUS-01", "No story", "done", "tests/test_it.py::test_b", ""],
    ]
    with (tmp_path / "docs" / "features.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    (tmp_path / "tests" / "test_it.py").write_text(
        "def test_a():\n    assert True\n\ndef test_b():\n    assert False\n"
    )
    return tmp_path


def call(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(w) for w in words])
    return int(ended.value.code or 0)


def test_all_of_a_tree_is_found_and_run_and_a_failure_is_the_exit_code(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = call("examples", "test", "--folder", tree, "--out", tree / "times.csv", "--json")
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert {name: row["status"] for name, row in rows.items()} == {
        "01_first": "passed", "02_second": "failed", "page.md": "passed", "wf/WF-01": "passed",
    }  # fmt: skip
    assert code == 1 and "no such luck" in rows["02_second"]["problem"]
    assert all(row["seconds"] > 0 for row in rows.values())
    assert rows["01_first"]["says"] == "Says one." and rows["page.md"]["says"] == "2 programs"
    with (tree / "times.csv").open(newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == list(rows)
    assert not (tree / "left.txt").exists() and not Path("left.txt").exists(), "nothing is left behind"


def test_some_of_them(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("examples", "test", "--folder", tree, "--only", "story", "--only", "first") == 0
    assert "2 of 2 passed" in capsys.readouterr().out
    assert call("examples", "--folder", tree, "--only", "page") == 0
    assert capsys.readouterr().out.split()[:2] == ["page", "page.md"]
    assert call("examples", "--folder", tree, "--only", "third") == 1
    assert call("examples", "--folder", tree / "docs") == 1
    assert "no source tree" in capsys.readouterr().err


def test_one_that_never_ends_is_ended(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "examples" / "03_third.py").write_text('"""Waits."""\nimport threading\nthreading.Event().wait()\n')
    assert call("examples", "test", "--folder", tree, "--only", "third", "--timeout", "0.5") == 1
    assert "still running after 0.5 s" in capsys.readouterr().out


def test_the_tree_of_the_package_has_examples_pages_and_stories() -> None:
    assert source_tree() == ROOT
    kinds = [item.kind for item in found(ROOT)]
    assert kinds.count("example") >= 8 and kinds.count("page") >= 20 and kinds.count("story") >= 8
    assert all(item.says for item in found(ROOT))


@pytest.mark.slow
def test_examples_of_the_package_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("examples", "test", "--only", "example") == 0
    assert "failed" not in capsys.readouterr().out
