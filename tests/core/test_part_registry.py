"""Parts by family and kind: what has no name, whose name is taken, what nobody knows, what cannot be loaded."""

from __future__ import annotations

import importlib.metadata
from types import SimpleNamespace
from typing import ClassVar, Literal

import pytest

from jounce.core.errors import ParameterError
from jounce.core.fields import Data, choice
from jounce.core.part_registry import Registry


class First(Data):
    family: ClassVar[str] = "thing"
    kind: Literal["first"] = choice("first", doc="kind of thing")


class Taker(Data):
    family: ClassVar[str] = "thing"
    kind: Literal["first"] = choice("first", doc="kind of thing")


class Nameless(Data):
    pass


@pytest.fixture
def registry() -> Registry:
    return Registry("jounce.core", "jounce.nothing")


def test_a_part_says_its_family_and_kind(registry: Registry) -> None:
    with pytest.raises(ParameterError, match="Nameless: a part says its family"):
        registry.register(Nameless)


def test_a_name_is_given_once(registry: Registry) -> None:
    registry.register(First)
    assert registry.register(First) is First, "the same class again is no other"
    with pytest.raises(ParameterError, match=r"Taker: kind 'first' of 'thing' is taken by .*First; choose another"):
        registry.register(Taker)
    registry.forget(First)
    assert registry.register(Taker) is Taker


def test_an_unknown_kind_is_named_with_those_there_are(registry: Registry) -> None:
    registry.register(First)
    assert registry.find("thing", "first") is First
    with pytest.raises(ParameterError, match=r"unknown kind.*'first'"):
        registry.find("thing", "frist")


def test_a_package_that_fails_is_named(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> None:
        raise ImportError("no module named wheel")

    point = SimpleNamespace(name="odd", value="odd.parts:Wheel", load=load)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [point] if group == "jounce.nothing" else [])
    with pytest.raises(ParameterError, match=r"entry point 'odd' of group 'jounce.nothing' \(odd.parts:Wheel\).*wheel"):
        registry.kinds("thing")
