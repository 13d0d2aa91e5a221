"""Settings that stay: what the panels of the preferences show, and what is allowed in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.units import parse

Kind = Literal["flag", "colour", "time"]
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True)
class Setting:
    """One of them.

    Attributes
    ----------
    panel : of the preferences
    empty : what an empty field means
    """

    name: str
    panel: str
    title: str
    doc: str
    kind: Kind
    default: Any
    empty: str = ""

    def check(self, value: Any) -> Any:
        """The value as it is kept; ParameterError where it is not allowed."""
        if self.kind == "flag":
            if not isinstance(value, bool):
                raise ParameterError(f"{self.name}: found {value!r}, expected true or false")
            return value
        text = str(value).strip() if isinstance(value, str) else None
        if text is None:
            raise ParameterError(f"{self.name}: found {value!r}, expected text")
        if not text:
            return ""
        if self.kind == "colour" and not COLOUR.fullmatch(text):
            raise ParameterError(f"{self.name}: found {text!r}, expected a colour such as #fffdf5, or nothing")
        if self.kind == "time" and not 0 < parse(text, "s", self.name) <= 10:
            raise ParameterError(f"{self.name}: found {text!r}, expected a time up to 10 s, such as 5 ms, or nothing")
        return text


SETTINGS = {
    item.name: item
    for item in (
        Setting(
            "plot_background",
            "General",
            "Background of plots",
            "a colour such as #fffdf5",
            "colour",
            "",
            "that of the page, light or dark",
        ),
        Setting(
            "trailers",
            "General",
            "Offer trailers and further units",
            "whether the Build page offers to add what is towed; what a vehicle tows is always shown",
            "flag",
            True,
        ),
        Setting("step", "Runs", "Step of integration", "of every run that is started here", "time", "", "1 ms"),
        Setting("interval", "Runs", "Time between recorded rows", "of every run started here", "time", "", "10 ms"),
        Setting(
            "buffer",
            "Runs",
            "Write results only when a run has ended",
            "nothing is written while it goes on, so there are no live plots, and a crash keeps nothing",
            "flag",
            False,
        ),
        Setting(
            "report",
            "After a run",
            "Write a report beside every run",
            "report.html in the folder of the run",
            "flag",
            False,
        ),
    )
}

OF_RUNS = ("step", "interval", "buffer", "report")


def checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they are kept: those that differ from the default; ParameterError for the first that is wrong."""
    kept = {}
    for name, value in values.items():
        if name not in SETTINGS:
            raise ParameterError(f"setting {name!r}: unknown{did_you_mean(name, SETTINGS)}")
        found = SETTINGS[name].check(value)
        if found != SETTINGS[name].default:
            kept[name] = found
    return kept
