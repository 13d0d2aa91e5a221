"""Compliance from load sweeps: direct and cross, slots, columns over travel, mirror images."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.rigs.kc import compliance as c
from jounce.rigs.kc.cases import FAMILIES, WAYS, Settings, Sweep
from jounce.rigs.kc.channels import ODD, PROPERTIES
from jounce.rigs.kc.kinematics import Grid
from jounce.rigs.kc.writing import write_compliance
from synthetic_kc import as_sweep, triangle

TRI = triangle(240)
ZERO = 0.0 * TRI
RATE = dict(zip(PROPERTIES, (3e-6, 1.1e-6, -8e-7, -4e-6, 2e-6), strict=True))
SMALL = {"mz": 0.05}  # loads of moments are smaller


def direct(name: str, f: np.ndarray, side: str, even: float = 0.0) -> np.ndarray:
    """Odd in the load, unless there is an even part; the right side is no mirror image."""
    a = RATE[name] * (1.0 if side == "L" else 0.8)
    return np.asarray(a * f + 0.04 * a * f**3 / 1e6 + even * a * f**2 / 1e3)


def cross(name: str, f: np.ndarray, side: str) -> np.ndarray:
    a = RATE[name] * (0.2 if side == "L" else 0.15)
    return np.asarray(-a * f + 0.02 * a * f**3 / 1e6)


def loaded(
    family: str, way: str, *, side: str = "L", travel: float = 0.0, even: float = 0.0, zero: float = 0.002
) -> Sweep:
    load = FAMILIES[family][0]
    f = (0.05 if load == "mz" else 1.0) * 2500.0 * TRI
    other = {"aiding": f, "opposing": -f, "single": ZERO}[way]
    loads = {"L": f, "R": other} if side == "L" else {"L": other, "R": f}
    channels = {"travel.L": ZERO + travel, "travel.R": ZERO + travel}
    channels |= {f"{load}.{s}": loads[s] for s in "LR"}
    for name in PROPERTIES:
        for s, o in (("L", "R"), ("R", "L")):
            grown = 1.0 + 4.0 * travel
            channels[f"{name}.{s}"] = grown * (direct(name, loads[s], s, even) + cross(name, loads[o], s)) + zero
    return as_sweep(channels, f"{family} {way}", "compliance", f"{family}_{way}".replace(" ", "_"))


def test_aiding_loads_alone_are_booked_as_direct() -> None:
    found = c.build([loaded("contact lateral", "aiding")], Settings())
    slot = found.slots["fy"]
    assert not slot.cross
    for side in "LR":
        for name in PROPERTIES:
            grid = slot.direct[side][name]  # type: ignore[index]
            expected = direct(name, grid.x, side) + cross(name, grid.x, side)
            np.testing.assert_allclose(grid.y, expected, atol=1e-9 * np.ptp(expected))
            assert grid(np.zeros(1))[0] == pytest.approx(0.0, abs=1e-15)  # a variation: nothing without load


def test_aiding_and_opposing_loads_tell_direct_from_cross_exactly() -> None:
    # before any fit: odd D and C in closed form
    f = np.linspace(-2500.0, 2500.0, 101)
    fit = {
        way: c.Fit(-2500.0, 2500.0, "exact", lambda x, s=sign: direct("y", x, "L") + cross("y", s * x, "L"))
        for way, sign in (("aiding", 1.0), ("opposing", -1.0))
    }
    d, x = c.combined(fit["aiding"], fit["opposing"])
    np.testing.assert_allclose(d(f), direct("y", f, "L"), atol=1e-10 * np.ptp(direct("y", f, "L")))
    np.testing.assert_allclose(x(f), cross("y", f, "L"), atol=1e-10 * np.ptp(cross("y", f, "L")))
    # and by way of files, either side its own
    found = c.build([loaded("contact lateral", way) for way in ("opposing", "aiding")], Settings()).slots["fy"]
    for side in "LR":
        for name in PROPERTIES:
            for law, maps in ((direct, found.direct), (cross, found.cross)):
                grid = maps[side][name]  # type: ignore[index]
                expected = law(name, grid.x, side)
                np.testing.assert_allclose(grid.y, expected, atol=1e-8 * np.ptp(expected))
    with pytest.raises(ParameterError, match="opposing loads alone do not tell direct from cross; add aiding ones"):
        c.build([loaded("contact lateral", "opposing")], Settings())


def test_single_loads_keep_what_is_not_odd() -> None:
    data = [loaded("contact lateral", "single", side=side, even=0.3) for side in "LR"]
    found = c.build(data, Settings()).slots["fy"]
    for side, other in (("L", "R"), ("R", "L")):
        for name in PROPERTIES:
            grid = found.direct[side][name]  # type: ignore[index]
            expected = direct(name, grid.x, side, 0.3)
            np.testing.assert_allclose(grid.y, expected, atol=1e-8 * np.ptp(expected))
            assert abs(grid.y[0] + grid.y[-1]) > 0.1 * np.ptp(grid.y)  # the even part is there
            grid = found.cross[other][name]  # type: ignore[index]
            expected = cross(name, grid.x, other)
            np.testing.assert_allclose(grid.y, expected, atol=1e-8 * np.ptp(expected))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("way", WAYS)
def test_every_family_goes_to_its_slot_with_its_sign(family: str, way: str) -> None:
    ways = ("aiding", "opposing") if way == "opposing" else (way,)
    found = c.build([loaded(family, w) for w in ways], Settings())
    slot = FAMILIES[family][1]
    assert list(found.slots) == [slot]
    assert slot == {"contact longitudinal": "fx_brake", "centre longitudinal": "fx_drive", "aligning torque": "mz"}.get(
        family, "fy"
    )
    for name in PROPERTIES:
        grid = found.slots[slot].direct["L"][name]
        slope = (grid(np.array([10.0])) - grid(np.array([-10.0])))[0] / 20.0
        assert slope == pytest.approx(RATE[name] * (0.8 if way == "aiding" else 1.0), rel=0.01)
    assert any("wheel centre has no moment" in text for text in found.remarks) == (family == "centre lateral")


def test_a_lateral_force_at_the_wheel_centre_counts_only_without_one_at_the_contact() -> None:
    at_centre = loaded("centre lateral", "aiding")
    doubled = as_sweep({k: 2 * v if "." in k and k[0] in "xy" else v for k, v in at_centre.values.items()}, *(
        at_centre.case.type, "compliance"))  # fmt: skip
    both = c.build([loaded("contact lateral", "aiding"), doubled], Settings())
    alone = c.build([loaded("contact lateral", "aiding")], Settings())
    np.testing.assert_array_equal(both.slots["fy"].direct["L"]["y"].y, alone.slots["fy"].direct["L"]["y"].y)
    assert any("not used, there is one at the contact" in text for text in both.remarks)


def test_files_at_several_travels_are_sorted_columns() -> None:
    data = [loaded("contact lateral", "aiding", travel=t) for t in (0.06, -0.05, 0.0)]
    found = c.build(data, Settings()).slots["fy"].direct["L"]
    np.testing.assert_allclose(found["y"].z, [-0.05, 0.0, 0.06])
    between = found["camber"](np.array([2000.0]), np.array([0.03]))[0]
    expected = (1 + 4 * 0.03) * (direct("camber", np.array([2000.0]), "L") + cross("camber", np.array([2000.0]), "L"))[
        0
    ]
    assert between == pytest.approx(expected, rel=1e-6)
    with pytest.raises(
        ParameterError, match=r"the same test at the same travel as in contact_lateral_aiding.csv, 60.0 mm"
    ):
        c.build([*data, data[0]], Settings())
    with pytest.raises(ParameterError, match=r"aiding at -50.0 mm of travel, but no opposing file there"):
        c.build([*data, loaded("contact lateral", "opposing")], Settings())


@pytest.mark.parametrize("load", ["fx", "fy", "mz"])
@pytest.mark.parametrize("symmetry", ["left to right", "right to left", "average"])
def test_mirror_images_of_every_property_and_load(load: str, symmetry: str) -> None:
    f = np.array([-3.0, -1.0, 0.0, 2.0, 3.0])
    rng = np.random.default_rng(4)
    maps = {side: {name: Grid(f, rng.standard_normal(5)) for name in PROPERTIES} for side in "LR"}
    before = {side: dict(maps[side]) for side in "LR"}
    c.symmetrise(maps, load, symmetry)  # type: ignore[arg-type]
    at = np.linspace(-2.0, 2.0, 9)
    turn = -1.0 if load in ODD else 1.0
    for name in PROPERTIES:
        sign = -1.0 if name == "y" else 1.0
        np.testing.assert_allclose(maps["R"][name](at), sign * maps["L"][name](turn * at), atol=1e-12)
        if symmetry == "average":
            nodes = maps["L"][name].x
            mean = 0.5 * (before["L"][name](nodes) + sign * before["R"][name](turn * nodes))
            np.testing.assert_allclose(maps["L"][name].y, mean, atol=1e-12)
        if symmetry == "left to right":
            np.testing.assert_array_equal(maps["L"][name].y, before["L"][name].y)
        if symmetry == "right to left":
            np.testing.assert_array_equal(maps["R"][name].y, before["R"][name].y)


def test_travel_under_load_is_the_guidance_and_not_compliance() -> None:
    base = loaded("contact lateral", "aiding")
    moved = dict(base.values)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        moved[f"travel.{side}"] = sign * 0.004 * TRI
        moved[f"toe.{side}"] = moved[f"toe.{side}"] + 0.07 * moved[f"travel.{side}"]
    sweep = as_sweep(moved, base.case.type, "compliance")

    def guided(name: str, side: str, of: Sweep) -> np.ndarray:
        return 0.07 * of[f"travel.{side}"] if name == "toe" else ZERO

    apart = c.build([sweep], Settings(), guided=guided).slots["fy"].direct  # type: ignore[arg-type]
    clean = c.build([base], Settings()).slots["fy"].direct
    mixed = c.build([sweep], Settings()).slots["fy"].direct
    for side in "LR":
        expected = clean[side]["toe"].y  # type: ignore[index]
        np.testing.assert_allclose(apart[side]["toe"].y, expected, atol=1e-10)  # type: ignore[index]
        assert np.max(np.abs(mixed[side]["toe"].y - expected)) > 1e-4  # type: ignore[index]


def test_the_form_in_which_compliance_is_written() -> None:
    found = c.build([loaded("contact lateral", w) for w in ("aiding", "opposing")], Settings())
    for side in "LR":
        found.slots["fy"].direct[side]["x"] = found.slots["fy"].direct[side]["x"].times(0.0)  # type: ignore[index]
    document, tables = write_compliance(found, "rear", lambda side: "from a test")
    entry = document["toe"]["fy"]
    assert entry["file"] == "maps/kc_rear_compliance_fy.csv" and entry["column"] == "toe"
    assert entry["right"] == {"file": "maps/kc_rear_compliance_fy_right.csv", "column": "toe"}
    assert document["cross"]["camber"]["fy"]["file"] == "maps/kc_rear_compliance_fy_cross.csv"
    assert "x" not in document and "x" in document["cross"]  # what does not give way is not written
    lines = tables["maps/kc_rear_compliance_fy.csv"].splitlines()
    assert lines[1:3] == ["fy,y,toe,camber,side_view_angle", "N,mm,deg,deg,deg"]
    first = [float(cell) for cell in lines[3].split(",")]
    grid = found.slots["fy"].direct["L"]["toe"]
    assert first[0] == pytest.approx(grid.x[0]) and first[2] == pytest.approx(np.degrees(grid.y[0]), rel=1e-8)


def test_loads_that_do_not_pass_zero_are_refused() -> None:
    base = loaded("contact lateral", "aiding")
    shifted = as_sweep(
        {k: v + 4000 if k.startswith("fy") else v for k, v in base.values.items()}, base.case.type, "compliance"
    )
    with pytest.raises(ParameterError, match=r"loads from 15.* a sweep of loads passes zero"):
        c.build([shifted], Settings())
