"""The framework of the verification book: what a row is, when it fails, what a case that cannot run leaves behind."""

from __future__ import annotations

import json
import math
import re
from html import unescape
from pathlib import Path

import pytest

from jounce.core.errors import CompileError, ParameterError, SimulationError
from jounce.verify import book, html
from jounce.verify.book import Case, Page
from jounce.verify.chapters import CHAPTERS, chapter_at

ROOT = Path(__file__).resolve().parents[2]


def page(**changes: float) -> Page:
    """A page with one row, by default a good one."""

    def function(page: Page) -> None:
        """Half a turn."""
        numbers = {"expected": math.pi, "measured": math.pi + 1e-9, "tolerance": 1e-8} | changes
        page.row("half a turn", unit="rad", kind="closed form", source="Archimedes", why="rounding", **numbers)

    return Case("circle", "A circle", 1, function).run()


def test_a_row_passes_within_its_tolerance() -> None:
    assert page().ok


def test_a_wrong_expected_value_fails() -> None:
    assert not page(expected=3.14).ok


def test_a_measured_value_that_is_no_number_fails_and_is_null_in_json() -> None:
    (row,) = book.to_dicts([page(measured=math.nan)])
    assert row["ok"] is False
    assert row["measured"] is None
    json.dumps(row, allow_nan=False)


def test_rows_have_the_promised_keys_and_types() -> None:
    (row,) = json.loads(json.dumps(book.to_dicts([page()]), allow_nan=False))
    assert list(row) == ["name", "expected", "measured", "unit", "tolerance", "kind", "source", "ok"]
    assert row["name"] == "circle: half a turn"
    assert row["ok"] is True
    assert all(isinstance(row[key], float) for key in ("expected", "measured", "tolerance"))


def test_an_expected_value_must_be_a_number() -> None:
    with pytest.raises(ValueError, match="cannot be compared"):
        page(expected=math.nan)


def test_a_missing_package_is_a_failing_row_with_the_command_that_installs_it() -> None:
    left = Case("x", "Needs something", 1, lambda page: None, {"no_such_module": "no-such-package"}).run()
    (row,) = left.rows
    assert not row.ok
    assert "pip install no-such-package" in row.source


def test_a_failed_simulation_is_a_failing_row() -> None:
    def function(page: Page) -> None:
        raise SimulationError("the top fell over at t = 3 s")

    (row,) = Case("x", "A top", 1, function).run().rows
    assert not row.ok
    assert "fell over" in row.source


def test_a_case_without_a_comparison_is_a_failing_row() -> None:
    assert not Case("x", "Nothing", 1, lambda page: None).run().ok


@pytest.mark.parametrize("error", [CompileError("no compiler"), ZeroDivisionError()])
def test_what_concerns_all_cases_and_bugs_of_ours_are_raised(error: Exception) -> None:
    def function(page: Page) -> None:
        raise error

    with pytest.raises(type(error)):
        Case("x", "A bug", 1, function).run()


def test_cases_are_found_in_the_order_of_their_chapters() -> None:
    chapters = [case.chapter for case in book.cases()]
    assert chapters == sorted(chapters)
    assert len(chapters) >= 8


def test_cases_are_selected_by_name_with_either_kind_of_dash() -> None:
    assert [case.name for case in book.select(["top", "rigid_body"])] == ["rigid-body", "top"]


def test_an_unknown_case_gets_a_hint() -> None:
    with pytest.raises(ParameterError, match="did you mean 'bicycle'"):
        book.select(["bycicle"])


def test_every_case_says_what_it_checks() -> None:
    for case in book.cases():
        assert len(case.text) > 100, case.name
        assert "(1)" in case.equations, case.name


def test_the_page_is_self_contained_and_the_same_every_time() -> None:
    pages = book.run(["friction"])
    text = html.render(pages)
    assert text == html.render(book.run(["friction"]))
    assert pages[0].case.title in text
    assert "data:image/svg+xml;base64," in text
    assert not re.search(r'(?:src|href)="(?!data:|#)', text)
    assert "All 5 checks pass" in text


def test_every_chapter_has_cases_and_says_where_the_model_ends() -> None:
    """And one reference at least that is not of this package: another program, a print, a law, a textbook."""
    found = {chapter: [c for c in book.cases() if chapter_at(c.chapter) == chapter] for chapter in CHAPTERS}
    for chapter, items in found.items():
        assert items and len(chapter.limits) > 80, chapter.title
    assert [chapter.first for chapter in CHAPTERS] == sorted(chapter.first for chapter in CHAPTERS)


def test_the_page_has_chapters_with_a_table_of_contents_and_tolerances_where_they_are_used() -> None:
    pages = book.run(["drum", "cycles"])
    text = html.render(pages)
    for title in ("Brakes and controllers", "Events"):
        number = [chapter.title for chapter in CHAPTERS].index(title) + 1
        assert f'href="#chapter-{number}"' in text and f'id="chapter-{number}"' in text
        assert f'<span class="number">{number}.1</span>' in text
    assert (
        text.index('id="chapter-11"')
        < text.index('id="drum"')
        < text.index('id="chapter-14"')
        < text.index('id="cycles"')
    )
    assert text.count("Where the model ends.") == 2
    for page in pages:
        for row in page.rows:
            assert row.why in unescape(text) and row.source in unescape(text)


def test_equations_that_cases_share_stand_there_once() -> None:
    text = html.render(book.run(["courses", "cycles"]))
    assert text.count("<pre>") == 1 and 'see <a href="#courses">14.1</a>' in text


def test_the_page_shows_what_failed() -> None:
    text = html.render([page(expected=3.0)])
    assert "1 of 1 checks failed" in text
    assert "class=failed" in text


def test_every_work_cited_stands_in_the_bibliography() -> None:
    known = set(
        re.findall(r"^@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text(encoding="utf-8"), re.MULTILINE)
    )
    for path in sorted((ROOT / "src").rglob("*.py")):
        cited = set(re.findall(r"\[([A-Z][A-Za-z]+\d{4})\]", path.read_text(encoding="utf-8")))
        assert cited <= known, f"{path.name}: {cited - known} missing in docs/references.bib"
