"""What the Build page shows of a vehicle: trees, rows, filters, units, curves; for any number of axles and units."""

from __future__ import annotations

import dataclasses
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pytest

import jounce as jn
from axle_lists import as_units, truck, vehicle_of
from jounce.app.build import curves
from jounce.app.build.describe import Group, Shown, fields_of, files_of, group_of, kinds_at, matches, rows, tree
from jounce.app.scene.drawing import drawing_of, places_of
from jounce.core.curves import Curve, CurveUnits
from jounce.core.errors import JounceError, ParameterError
from jounce.core.fields import meta, to_raw, walk
from jounce.core.units import convert
from jounce.vehicle.reading import library_names, read
from trains import car_trailer


@pytest.fixture(scope="module")
def sedan() -> Group:
    return group_of(jn.load("sedan"))


def paths(nodes: list[dict[str, Any]]) -> list[str]:
    """All groups of a tree."""
    return [path for node in nodes for path in (node["path"], *paths(node["children"])) if not path.startswith("#")]


def test_both_orders_have_the_same_parameters(sedan: Group) -> None:
    groups = {group.path: group for group in sedan.walk()}
    sets = []
    for order in ("subsystem", "component"):
        found = paths(tree(sedan, Shown(), order=order))
        assert len(found) == len(set(found))
        sets.append({at for path in found for at, _, _ in fields_of(groups[path])})
    assert sets[0] == sets[1]


@pytest.mark.parametrize("name", library_names())
def test_every_value_of_a_vehicle_is_a_row(name: str) -> None:
    vehicle = jn.load(name)
    root = group_of(vehicle)
    shown = {row["path"]: row for row in rows(root, Shown(), pattern="*")}
    for path, value, info in walk(vehicle):
        kind = meta(info).get("kind") if info is not None else ""
        if path.endswith(".kind") or path == "kind" or kind == "part" or info is None:
            continue
        row = shown[path]
        if kind == "quantity" and value is not None:
            assert convert(float(row["text"]), row["shown"], row["unit"]) == pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", library_names())
def test_every_group_opens_its_rows(name: str) -> None:
    root = group_of(jn.load(name))
    for group in root.walk():
        head, *rest = rows(root, Shown(), group.path, deep=False)
        assert (head["t"], head["path"]) == ("head", group.path)
        values = [row["path"] for row in rest if row["t"] != "absent"]
        assert values == [path for path, _, _ in fields_of(group)]


def test_a_group_says_in_which_file_it_stands(sedan: Group) -> None:
    shown = Shown(files=files_of(sedan.data))
    assert shown.file("front_suspension.dampers[0].force") == "front_suspension.yaml"
    assert shown.file("brakes.front") == shown.file("") == "vehicle.yaml"
    (root,) = tree(sedan, shown)
    assert next(n for n in root["children"] if n["path"] == "steering")["file"] == "steering.yaml"


def test_every_row_has_its_unit_limits_and_help(sedan: Group) -> None:
    found = {row["path"]: row for row in rows(sedan, Shown(), "front_suspension")}
    rate = found["front_suspension.spring.rate"]
    assert (rate["text"], rate["shown"], rate["limits"], rate["usual"]) == ("66.9", "N/mm", "> 0", "1 … 5000")
    assert rate["units"] == ["N/mm", "N/m", "kN/m", "lbf/inch"]
    assert found["front_suspension.toe.curve"]["form"] == "table"
    assert all(row["doc"] for row in found.values() if row["t"] in ("number", "choice", "flag", "curve", "absent"))
    other = rows(sedan, Shown(units={"N/m": "lbf/inch"}), "front_suspension.spring")
    assert float(next(r for r in other if r["path"].endswith("rate"))["text"]) == pytest.approx(66.9 * 5.710147)
    nonsense = rows(sedan, Shown(units={"N/m": "kg"}), "front_suspension.spring")
    assert next(r for r in nonsense if r["path"].endswith("rate"))["shown"] == "N/mm"


@pytest.mark.parametrize(
    "pattern",
    ["*", "*rate", "*RATE", "front*", "?ody.mass", "body.[mc]*", "*toe*", "*.x", "*suspension*spring*", "x", "*[0]*"],
)
def test_the_filter_is_that_of_a_shell_in_any_case(sedan: Group, pattern: str) -> None:
    _compare(sedan, pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "*[!a-s]",
        "??dy*",
        "*dampers*scale",
        "STEERING.*",
        "*.cg.?",
        "brakes.front.m?",
        "*.i[xyz][xyz]",
        "no such",
        "*.*",
    ],
)
def test_the_filter_knows_sets_and_single_characters(sedan: Group, pattern: str) -> None:
    _compare(sedan, pattern)


def _compare(sedan: Group, pattern: str) -> None:
    everything = [row["path"] for row in rows(sedan, Shown(), pattern="*") if row["t"] != "head"]
    found = [row["path"] for row in rows(sedan, Shown(), pattern=pattern) if row["t"] != "head"]
    wild = any(c in pattern for c in "*?[")
    wanted = pattern.lower() if wild else f"*{pattern.lower()}*"
    assert found == [path for path in everything if fnmatchcase(path.lower(), wanted)]
    kept = set(paths(tree(sedan, Shown(), pattern=pattern)))
    assert all(any(path.startswith(k) for k in kept) for path in found)
    assert bool(kept) == bool(found)


def test_what_is_changed_and_doubted_is_marked_up_to_the_root(sedan: Group) -> None:
    shown = Shown(was={"front_suspension.spring.rate": "70 N/mm"}, doubts={"body.cg.height_per_track": "low"})
    (root,) = tree(sedan, shown)
    assert root["changed"] and root["doubted"]
    marked = set(_marked(root))
    assert marked == {"", "front_suspension", "front_suspension.spring"}
    row = next(r for r in rows(sedan, shown, "front_suspension.spring") if r["path"].endswith(".rate"))
    assert row["changed"] and row["was"] == "70 N/mm"
    assert not next(r for r in rows(sedan, shown, "rear_suspension.spring") if r["path"].endswith(".rate"))["changed"]


def _marked(node: dict[str, Any]) -> list[str]:
    return [node["path"]] * node["changed"] + [path for child in node["children"] for path in _marked(child)]


@pytest.mark.parametrize(("spelled", "at"), [(lambda raw: raw, ""), (as_units, "units[0].")])
def test_three_axles_are_shown_like_two(spelled: Any, at: str) -> None:
    vehicle = vehicle_of(spelled(truck()))
    root = group_of(vehicle)
    found = paths(tree(root, Shown()))
    assert {f"{at}axles[{k}].suspension.spring" for k in range(3)} <= set(found)
    row = next(r for r in rows(root, Shown(), f"{at}axles[2]") if r["path"] == f"{at}axles[2].suspension.track")
    assert row["text"] == "1660"
    assert vehicle.with_(**{row["path"]: "1.5 m"}).get(row["path"]) == 1.5
    look = drawing_of(vehicle)
    assert sum(shape["kind"] == "wheel" for body in look["bodies"].values() for shape in body) == len(
        vehicle.layout.tires
    )
    measures = [shape["label"] for shape in look["bodies"]["body"] if shape["kind"] == "measure"]
    assert len(measures) == 5 and "track 1.660 m" in measures
    for shape in look["bodies"]["body"]:
        if shape["kind"] == "centre":  # with what is added to the body
            assert vehicle.get(shape["path"]) == vehicle.main_body.cg
        elif "path" in shape:
            assert np.allclose([getattr(vehicle.get(shape["path"]), c) for c in "xyz"], shape["at"], atol=1e-4)


def test_a_trailer_stands_behind_its_car() -> None:
    vehicle = car_trailer()
    groups = {group.path for group in group_of(vehicle).walk()}
    assert {"trailers[0].hitch", "trailers[0].axles[0].suspension.spring"} <= groups
    look, places = drawing_of(vehicle), places_of(vehicle)
    assert list(look["bodies"]) == list(places)
    hitch = vehicle.trailers[0].hitch.location.array
    axle = vehicle.trailers[0].axles[0].suspension.wheel_centre_x
    assert places["L3"][0] == pytest.approx(hitch[0] + axle) and places["unit2"][0] == pytest.approx(hitch[0])
    (centre,) = [shape for shape in look["bodies"]["unit2"] if shape["kind"] == "centre"]
    assert vehicle.get(centre["path"]) == vehicle.trailers[0].body.cg
    shells = [
        np.reshape(look["bodies"][name][0]["points"], (-1, 3))[:, 0] + places[name][0] for name in ("body", "unit2")
    ]
    assert shells[0].min() > shells[1].max()  # one behind the other


def test_what_may_be_added_is_offered(sedan: Group) -> None:
    suspension = jn.load("sedan").front_suspension
    absent = {row["path"]: row for row in rows(sedan, Shown(), "front_suspension") if row["t"] == "absent"}
    assert absent["front_suspension.dampers"]["list"]
    assert "front_suspension.spring" not in absent
    kinds = kinds_at(suspension, "elements")
    assert len(kinds) > 3 and all(kinds)


def test_wildcards_without_any_contain() -> None:
    assert matches("front_suspension.Toe", "TOE") and not matches("front_suspension.toe", "toe?")


UNITS = CurveUnits("m", "rad", "m")
SHOWN = Shown()


def test_a_curve_comes_back_bit_for_bit_where_it_was_not_touched() -> None:
    third, seventh = 1 / 3, 1 / 7  # nothing that ten digits can say
    curve = Curve(CurveUnits("m", "rad"), x=(-third, 0.0, seventh), y=(0.1, third, -seventh))
    told = curves.displayed(curve, curve.units, SHOWN)
    assert (told["xu"], told["yu"]) == ("mm", "deg") and told["x"][2] == 142.8571429
    told["y"][1][0] = 5.0
    back = curves.taken(told, curve, curve.units, SHOWN)
    assert back["x"] == list(curve.x) and (back["y"][0], back["y"][2]) == (0.1, -seventh)
    assert back["y"][1] == pytest.approx(convert(5.0, "deg", "rad"), rel=1e-15)


def test_a_map_keeps_its_shape() -> None:
    curve = Curve(UNITS, x=(0.0, 0.1, 0.2), z=(-0.05, 0.07), y=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    told = curves.displayed(curve, UNITS, SHOWN)
    assert len(told["y"]) == 3 and told["z"] == [-50.0, 70.0]
    assert curves.taken(told, curve, UNITS, SHOWN)["y"] == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    told["y"][1] = [1.0]
    with pytest.raises(ParameterError, match="too few"):
        curves.taken(told, curve, UNITS, SHOWN)


@pytest.mark.parametrize("constant", ["rate", "value"])
def test_a_constant_as_a_table_says_the_same(constant: Any) -> None:
    curve = Curve(dataclasses.replace(UNITS, constant=constant), constant=-0.37)
    table = curves.table_of(curve)
    made = Curve(curve.units, x=tuple(table["x"]), y=tuple(table["y"]))
    for x in (-0.08, 0.0, 0.03):
        assert made(x) == pytest.approx(curve(x), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "never"),
    [
        ("sedan", {"axles", "units"}),
        ("tractor_semitrailer", {"front_suspension", "rear_suspension", "front_wheels", "rear_wheels", "units"}),
    ],
)
def test_what_would_be_refused_beside_the_others_is_not_offered(name: str, never: set[str]) -> None:
    """A car of named axles takes no list of them, a vehicle of a list no named ones; the vehicle itself says so."""
    from jounce.vehicle.layout import excluded

    vehicle = read(name)
    offered = {row["path"] for row in rows(group_of(vehicle), Shown(), "", deep=False) if row["t"] == "absent"}
    assert not offered & never and never <= set(excluded(vehicle)) and "sensors" in offered and "trailers" in offered
    if name == "sedan":  # of a list of axles, named ones are other words for the first and the last
        with pytest.raises(JounceError, match=r"beside|one or the other"):
            vehicle.with_(axles=to_raw(read("tractor_semitrailer"))["axles"])


def test_the_drawing_of_a_body_follows_its_data() -> None:
    """What the file says of its shell is what is drawn: roof, front end and width move with the numbers."""
    sizes = []
    for height, front, width in ((1.41, 0.83, 1.77), (1.68, 0.97, 1.91)):
        shell = {"kind": "shell", "height": height, "front_end": front, "width": width}
        look = drawing_of(jn.load("sedan").with_(contacts=[shell]), details=False)
        (mesh,) = (shape for shape in look["bodies"]["body"] if shape["kind"] == "mesh")
        corners = np.reshape(mesh["points"], (-1, 3))
        assert not mesh["usual"]
        sizes.append((corners[:, 2].max(), corners[:, 0].max(), np.ptp(corners[:, 1])))
        assert sizes[-1] == pytest.approx((height, front, width), abs=1e-3)
    assert sizes[0] < sizes[1]
