"""YAML nodes that are kept: the same values, lines and complaints as those of the parser."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import jounce.vehicle as jv
from jounce.core.errors import JounceError
from jounce.vehicle import composed
from jounce.vehicle.composed import compose
from jounce.vehicle.reading import VEHICLES


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "cache"))


def content(node) -> object:  # type: ignore[no-untyped-def]
    value = node.value
    if node.id == "sequence":
        value = [content(item) for item in value]
    elif node.id == "mapping":
        value = [(content(key), content(item)) for key, item in value]
    return node.id, node.start_mark.line, value, node.style if node.id == "scalar" else None


@pytest.mark.parametrize("file", sorted(VEHICLES.rglob("*.yaml")), ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_kept_nodes_are_those_of_the_parser(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    parsed, kept = compose(text), compose(text)
    assert isinstance(kept, composed.Node)
    assert content(kept) == content(parsed)


def test_a_vehicle_from_kept_nodes_is_the_same_and_needs_no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    first = jv.load("sedan")
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)  # importing it fails from here on
    with pytest.raises(ImportError):
        compose("a: 1")
    again = jv.load("sedan")
    assert again == first
    assert again.structure_key() == first.structure_key()


def test_complaints_name_the_line_also_when_the_text_is_known(tmp_path: Path) -> None:
    folder = tmp_path / "car"
    jv.load("sedan").save(folder)
    main = folder / "vehicle.yaml"
    text = main.read_text()
    wrong = text + "\n" * 3 + "no_such_key: 1\n"
    main.write_text(wrong)
    said = []
    for _ in range(2):
        with pytest.raises(JounceError) as caught:
            jv.load(folder)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert f"{wrong[: wrong.index('no_such_key')].count(chr(10)) + 1}" in said[0]


def test_a_text_that_refers_to_itself_is_parsed_every_time() -> None:
    text = "a: &name [1, 2]\nb: *name\n"
    assert not isinstance(compose(text), composed.Node)
    assert not isinstance(compose(text), composed.Node)
