"""Reports by a template of the user: pieces where it says, nothing lost, and errors with their line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jounce.core.errors import FormatError
from jounce.results.report import render
from result_runs import drive

ROOT = Path(__file__).parents[2]


def write(folder: Path, text: str) -> Path:
    path = folder / "house.html"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_template_decides_what_stands_where(tmp_path: Path) -> None:
    run = drive("step_steer")
    usual = render(run)
    path = write(tmp_path, "<h1>House: {{title}}</h1><i>{{ plots }}</i><b>{{ figures }}</b>{{ script }}")
    page = render(run, template=path)
    assert page.startswith("<h1>House: ") and "<style>" not in page and "Extremes" not in page
    plots, figures = re.fullmatch(r".*?<i>(.*?)</i><b>(.*?)</b>(?=<script).*", page, re.DOTALL).groups()  # type: ignore[union-attr]
    assert plots in usual and figures in usual and usual.index(figures) < usual.index(plots)
    assert "<canvas" in plots and all(f"{value:.3g}"[:3] in figures for value, _ in list(run.kpis.values())[:1])


def test_the_usual_page_by_a_template_loses_nothing(tmp_path: Path) -> None:
    run = drive("step_steer")
    usual = render(run, title="<&>")
    body = usual[usual.index("<main>\n") + 7 : usual.index("<footer>")]
    page = render(run, title="<&>", template=write(tmp_path, "{{title}}|{{content}}|{{script}}"))
    assert page.split("|", 1)[0] == "&lt;&amp;&gt;" and body in page
    assert usual[usual.index('<script type="application/json"') : usual.index("</body>")] in page


def test_the_template_of_the_documentation_works(tmp_path: Path) -> None:
    shown = re.search(r"```html\n(.*?)```", (ROOT / "docs" / "results.md").read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    page = render(drive("step_steer"), template=write(tmp_path, shown[1]))
    assert "Test department" in page and "{{" not in page[: page.index("<script")] and "<canvas" in page


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<p>\n{{ figurs }}", r"house.html:2: .*figurs.*did you mean 'figures'"),
        ("{{title}}", "nothing of the report would be shown"),
        ("{{content}}", "plots need"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        render(drive("step_steer"), template=write(tmp_path, text))
    with pytest.raises(FormatError, match="cannot be read"):
        render(drive("step_steer"), template=tmp_path / "none.html")
