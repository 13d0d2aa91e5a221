"""Trains that cannot be: each named with its place when the data are read, long before anything is compiled."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from ruamel.yaml import YAML

import jounce.vehicle as jv
from axle_lists import as_axles, as_units, vehicle_of
from ideal_cars import ideal
from jounce.core.errors import ParameterError
from jounce.core.paths import dotted
from jounce.vehicle import layout_text
from trains import lead, plain_axle, raw_car, towed, trailer

Raw = dict[str, Any]


def train(**changes: Any) -> Raw:
    return {**raw_car(), "trailers": [{**trailer(), **changes}]}


def two_trailers() -> Raw:
    """A second trailer behind the first one."""
    second = trailer()
    second["hitch"]["location"] = [-5.1, 0.0, 0.43]
    raw = train()
    raw["trailers"].append({**second, "name": "second"})
    return raw


def refused(raw: Raw) -> str:
    """Path and text of the only problem."""
    with pytest.raises(ValidationError) as caught:
        vehicle_of(raw)
    (found,) = caught.value.errors()
    ((keys, text, *_),) = found["ctx"]["problems"]
    return f"{dotted((*found['loc'], *keys))}: {text}"


def with_(raw: Raw, change: Callable[[Raw], Any]) -> Raw:
    raw = copy.deepcopy(raw)
    change(raw)
    return raw


def test_what_is_spoiled_below_is_good() -> None:
    for raw in (train(), two_trailers(), {**lead(2), "trailers": [towed(3, back=-3.4)]}):
        assert len(vehicle_of(raw).layout.units) == 1 + len(raw["trailers"])


def first_of_units() -> Raw:
    raw = as_units(as_axles(ideal("compact")))
    raw["units"][0]["hitch"] = trailer()["hitch"]
    return raw


# what is wrong -> the data, where it is, what is said
CASES: dict[str, tuple[Callable[[], Raw], str, str]] = {
    "a first unit with a hitch": (first_of_units, "units[0].hitch", "a hitch without a partner: no unit is before"),
    "a trailer without a hitch": (lambda: train(hitch=None), "trailers[0].hitch", "missing; how unit 2 is coupled"),
    "a partner that comes later": (
        lambda: with_(two_trailers(), lambda raw: raw["trailers"][0]["hitch"].update(to=3)),
        "trailers[0].hitch.to",
        "3: a hitch without a partner; unit 2 is towed by one before it, 1 to 1",
    ),
    "a unit that tows itself": (
        lambda: with_(two_trailers(), lambda raw: raw["trailers"][1]["hitch"].update(to=3)),
        "trailers[1].hitch.to",
        "3: a hitch without a partner; unit 3 is towed by one before it, 1 to 2",
    ),
    "no axles on a ball": (lambda: train(axles=[]), "trailers[0].axles", "fall over: it has no axles"),
    "all axles ahead of the coupling": (
        lambda: train(axles=[plain_axle(0.4)]),
        "trailers[0].axles[0].suspension.wheel_centre_x",
        "0.4 m: the unit would fall over: no axle is behind its coupling",
    ),
    "the weight ahead of the coupling": (
        lambda: with_(train(), lambda raw: raw["trailers"][0]["body"]["cg"].update(x=0.21)),
        "trailers[0].body.cg.x",
        "0.21 m: the unit would fall over: its centre of gravity must be behind",
    ),
    "a trailer so heavy ahead of its axle that the car sits down": (
        lambda: with_(train(), lambda raw: raw["trailers"][0]["body"].update(mass=4100.0, cg={"x": -1.1, "z": 0.9})),
        "trailers[0].hitch.location.x",
        "-3.53 m: unit 2 presses on its coupling with the weight of 2910 kg, so that the front axle of the first unit",
    ),
    "a trailer so heavy behind its axle that it lifts the car": (
        lambda: with_(train(), lambda raw: raw["trailers"][0]["body"].update(mass=4100.0, cg={"x": -4.6, "z": 0.9})),
        "trailers[0].hitch.location.x",
        "-3.53 m: unit 2 lifts its coupling by the weight of 876 kg, so that the rear axle of the first unit would",
    ),
    "a fifth wheel that lets roll": (
        lambda: with_(train(), lambda raw: raw["trailers"][0]["hitch"].update(coupling="fifth_wheel")),
        "trailers[0].hitch.roll",
        "missing; stiffness with which a fifth wheel resists roll",
    ),
    "a pin that lets pitch": (
        lambda: with_(
            train(), lambda raw: raw["trailers"][0]["hitch"].update(coupling="pin", pitch={"stiffness": 1e4})
        ),
        "trailers[0].hitch.pitch",
        "a pin lets no pitch",
    ),
    "two axles of a unit in one place": (
        lambda: train(axles=[plain_axle(-3.79), plain_axle(-4.1)]),
        "trailers[0].axles[1].suspension.wheel_centre_x",
        "overlaps axle 3: 0.31 m apart, their wheels need 0.6",
    ),
    "an axle in that of the car": (
        lambda: train(axles=[plain_axle(0.83), plain_axle(-3.9)]),
        "trailers[0].axles[0].suspension.wheel_centre_x",
        "overlaps axle 2",
    ),
    "a payload through the wall of its box": (
        lambda: with_(
            train(),
            lambda raw: raw["trailers"][0]["body"].update(
                cargo={"front": -2.0, "length": 3.0, "width": 1.9, "floor": 0.6},
                payloads=[{"name": "crate", "mass": 140.0, "location": [-2.7, 0.7, 1.0], "size": [0.6, 0.8, 0.5]}],
            ),
        ),
        "trailers[0].body.payloads[0].location.y",
        "outside its box, 0.15 m left of its wall",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_train_that_cannot_be_is_refused_with_its_place(case: str) -> None:
    make, place, words = CASES[case]
    message = refused(make())
    assert message.startswith(f"{place}: ") and words in message, message


def test_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    file = vehicle_of(two_trailers()).save(tmp_path / "train.yaml")
    text = file.read_text()
    lines = text.splitlines()
    place = next(i for i, row in enumerate(lines) if "wheel_centre_x: -3.79 m" in row)
    lines[place] = lines[place].replace("-3.79", "0.79")
    file.write_text("\n".join(lines))
    with pytest.raises(ParameterError, match=rf"line {place + 1}  .*trailers\[0\]\.axles\[0\].*fall over"):
        jv.load(file)


@pytest.mark.parametrize(("text", "position"), [("S__", 4), ("__S", 1), ("S_X", 3), ("S___S", 4), ("", 0)])
def test_a_layout_text_says_where_it_is_wrong(text: str, position: int) -> None:
    where = re.escape(f"position {position}" if text else "empty")
    with pytest.raises(ParameterError, match=where):
        layout_text.parse(text)


def test_parts_of_a_trailer_may_stand_in_files_and_be_swapped(tmp_path: Path) -> None:
    """Body, suspension and wheels of a trailer by their files; another file is another trailer."""
    whole = vehicle_of(train())
    file = whole.save(tmp_path / "folder")
    yaml = YAML(typ="safe")
    data = yaml.load(file.read_text())
    (towed,) = data["trailers"]
    for owner, name in ((towed, "body"), (towed["axles"][0], "suspension"), (towed["axles"][0], "wheels")):
        with (file.parent / f"trailer_{name}.yaml").open("w") as stream:
            yaml.dump(owner[name], stream)
        owner[name] = f"trailer_{name}.yaml"
    with file.open("w") as stream:
        yaml.dump(data, stream)
    found = jv.load(file)
    assert found.layout.units[1].data.body == whole.layout.units[1].data.body
    assert found.suspension(3) == whole.suspension(3)
    body = file.parent / "trailer_body.yaml"
    text = body.read_text()
    assert text.count("1103") == 1
    body.write_text(text.replace("1103", "907"))
    assert jv.load(file).mass() == pytest.approx(whole.mass() - 196.0)
    body.write_text(text.replace("1103", "-907"))
    with pytest.raises(ParameterError, match=r"trailer_body\.yaml\n  line \d+  mass = .*must be > 0"):
        jv.load(file)
