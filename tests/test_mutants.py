"""The tool that plants faults: it finds the places that matter, touches nothing else, and judges rightly."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import mutate  # noqa: E402
from mutants import Mutant, mutants  # noqa: E402

PYTHON = b'''"""1 + 1 is no code."""

from typing import Final

LIMIT: Final = 2.0


@frozen(order=True)
def shared(load: int | None, of: float = 0.0) -> float:
    """Half < all."""
    if load is None or of > LIMIT:
        raise ValueError(f"{load + 1}: no load")
    total = load - of  # a - b
    told(total)
    return -min(total, LIMIT) * (
        of
    )
'''

C = b"""#if defined(A) && B > 3
/* a + b */
double f[4], last;
static double share(const double *x, int n) {
  if (n < 2) return 0.0;
  tell("n == 3", x->a);
  x->sum += fmin(x[0], 1.5) * x[1]; // x * y
  return x[0] - last;
}
"""


def changes(path: str, source: bytes) -> set[tuple[str, str]]:
    """What stands where, and what instead."""
    return {(source[m.start : m.end].decode(), m.text) for m in mutants(path, source)}


def test_python_is_changed_where_it_acts_and_nowhere_else() -> None:
    assert changes("a.py", PYTHON) == {
        ("2.0", "2.2"),
        ("0.0", "1.0"),
        ("is", "is not"),
        ("or", "and"),
        (">", ">="),
        ("load is None or of > LIMIT", "(not (load is None or of > LIMIT))"),
        ('raise ValueError(f"{load + 1}: no load")', "pass"),
        ("-", "+"),
        ("told(total)", "pass"),
        ("-min(total, LIMIT)", "(min(total, LIMIT))"),
        ("min", "max"),
        ("*", "/"),
    }


def test_c_is_changed_where_it_acts_and_nowhere_else() -> None:
    assert changes("a.c", C) == {
        ("<", "<="),
        ("(n < 2)", "(!(n < 2))"),
        ("2", "3"),
        ("0.0", "1.0"),
        ('tell("n == 3", x->a);', ";"),
        ("+=", "-="),
        ("x->sum += fmin(x[0], 1.5) * x[1];", ";"),
        ("fmin", "fmax"),
        ("0", "1"),
        ("1.5", repr(1.5 * 1.1)),
        ("1", "2"),
        ("*", "/"),
        ("-", "+"),
    }


@pytest.mark.parametrize("name", ["core/units.py", "components/suspension/damper.py", "sim/stability.py"])
def test_a_fault_changes_one_place_and_is_still_python(name: str) -> None:
    source = (ROOT / mutate.PACKAGE / name).read_bytes()
    found = mutants(name, source)
    assert len(found) > 20
    for fault in found:
        changed = fault.applied(source)
        assert changed != source
        ast.parse(changed)
        _, before, after = fault.lines(source)
        assert before != after or b"\n" in source[fault.start : fault.end]


def test_a_sample_is_that_of_its_seed_and_leaves_out_what_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    first = mutate.sample(ROOT, 5, 30, "core")
    assert first == mutate.sample(ROOT, 5, 30, "core") != mutate.sample(ROOT, 6, 30, "core")
    assert len({(m.path, m.start) for m in first}) == 30
    fault = first[3]
    _, before, after = fault.lines((ROOT / fault.path).read_bytes())
    monkeypatch.setattr(mutate, "equivalent", lambda: {(fault.path, before, after)})
    assert [m for m in mutate.sample(ROOT, 5, 30, "core") if m in first] == [m for m in first if m != fault]


def test_tests_go_from_near_to_far() -> None:
    found = list(mutate.stages(ROOT, "src/jounce/components/suspension/damper.py"))
    assert found[0][1][0] == "tests/components/suspension/test_damper.py"
    assert found[1][0] == "documents" and "tests/test_schema_docs.py" in found[1][1]
    assert [what for _, what in found[2:5]] == [
        ["tests/components/suspension"],
        ["tests/components"],
        ["tests/vehicle"],
    ]
    assert "tests/test_examples.py" in found[-1][1]
    assert not any("tests/core" in what for _, what in found)
    beside = [what for _, what in mutate.stages(ROOT, "src/jounce/runtime/c/jn_road.c")]
    assert beside[0][0] == "tests/runtime/test_road_c.py" and "tests/road/test_query.py" in beside[0]
    assert beside[2] == ["tests/runtime"] and "tests/road" in beside[3]
    assert {word for word, _ in found} <= set(mutate.STAGES)
    header = dict(mutate.stages(ROOT, "src/jounce/runtime/c/jn_line.h"))["own"]  # included by the road's
    assert "tests/runtime/test_road_c.py" in header


def test_equivalent_faults_are_still_in_the_code_and_have_a_reason() -> None:
    for path, before, after in mutate.equivalent():
        source = (ROOT / path).read_bytes()
        assert any(m.lines(source)[1:] == (before, after) for m in mutants(path, source)), (path, before)


@pytest.fixture
def field(tmp_path: Path) -> mutate.Field:
    """A package of one function, whose test looks at one of its two branches."""
    (tmp_path / mutate.PACKAGE / "core").mkdir(parents=True)
    (tmp_path / "tests/core").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[[tool.importlinter.contracts]]\nlayers = ["core"]\n')
    (tmp_path / mutate.PACKAGE / "__init__.py").touch()
    (tmp_path / mutate.PACKAGE / "core/half.py").write_text("def half(x):\n    return x / 2 if x > 0 else x + 7\n")
    test = "from jounce.core.half import half\n\n\ndef test_half():\n    assert half(6.0) == 3.0\n"
    (tmp_path / "tests/core/test_half.py").write_text(test)
    return mutate.Field(tmp_path, 1, False)


def test_a_fault_is_killed_by_a_test_that_notices_and_survives_otherwise(field: mutate.Field) -> None:
    path = f"{mutate.PACKAGE}/core/half.py"
    source = (field.root / path).read_bytes()
    found = {source[m.start : m.end].decode(): m for m in mutants(path, source)}
    noticed, unseen = field.judged(found["/"]), field.judged(found["+"])
    assert noticed["killed"] and "test_half" in str(noticed["by"])
    assert not unseen["killed"] and unseen["until"] == "above"
    assert not field.judged(found["/"], after="own")["killed"], "the only tests were done"
    assert (field.root / path).read_bytes() == source
    assert "1 of    2   50%" in mutate.score([noticed, unseen])


def test_a_fault_tells_its_line() -> None:
    fault = Mutant("a.py", 8, 9, "-", "operator")
    assert fault.lines(b"a = 1\nb + c\n") == (2, "b + c", "b - c")
