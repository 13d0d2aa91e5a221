"""The report: self-contained, complete, the same for the same run; and the numbers it shows."""

from __future__ import annotations

import base64
import json
import math
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.core.units import check_unit, convert
from jounce.results import comparison_report
from jounce.results.compare import Band, compare
from jounce.results.display import PROFILES, number, pretty, shown
from jounce.results.identities import identities
from jounce.results.plausibility import Range, classes, ranges
from jounce.results.report import extremes, render
from jounce.results.run import Run
from jounce.results.words import figure
from result_runs import drive


class Checker(HTMLParser):
    """Balanced elements, and every reference to something outside."""

    VOID = frozenset({"meta", "rect", "circle", "br", "link", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.outside += [str(v) for k, v in attrs if k in ("src", "href", "srcset", "action") and v]

    def handle_endtag(self, tag: str) -> None:
        if tag in self.VOID:
            return
        assert self.open, tag
        assert self.open.pop() == tag


def check(page: str) -> None:
    parser = Checker()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    assert parser.outside == []
    assert "http" not in page
    assert "@import" not in page


def test_a_report_needs_nothing_else(step_run: Run, tmp_path: Path) -> None:
    page = step_run.report(tmp_path / "a.html").read_text(encoding="utf-8")
    check(page)
    assert page == render(step_run)
    for word in ("sedan · Step steer", "Key figures", "Yaw rate: response time to 90 %", "Vehicle", "Event"):
        assert word in page
    for word in ("Identities", "Plots", "Extremes", "Provenance", "160 × real time", "yaw_rate_t90", "inside"):
        assert word in page


def plotted(page: str) -> tuple[list[dict], list[np.ndarray]]:
    found = re.search(r'<script type="application/json" id="plots">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    return data["plots"], [np.frombuffer(base64.b64decode(text), dtype="<f4") for text in data["data"]]


def test_the_curves_are_those_of_the_run(step_run: Run) -> None:
    plots, arrays = plotted(render(step_run))
    yaw = next(p for p in plots if p["unit"] == "deg/s")
    series = yaw["series"][0]
    assert np.allclose(arrays[series["x"]], step_run.time, atol=1e-6)
    assert np.allclose(arrays[series["y"]], np.degrees(step_run["chassis_velocities.yaw"]), rtol=1e-6)
    assert len({p["series"][0]["x"] for p in plots if p["group"] == "time"}) == 1  # time is stored once
    si, si_arrays = plotted(render(step_run, profile="si"))
    rate = next(p for p in si if p["unit"] == "rad/s")
    assert np.allclose(si_arrays[rate["series"][0]["y"]], step_run["chassis_velocities.yaw"], rtol=1e-6)


def test_channels_can_be_chosen(step_run: Run) -> None:
    plots, _ = plotted(render(step_run, channels=["chassis_velocities.*", "*Force_Z*"]))
    assert [len(p["series"]) for p in plots] == [2, 4]
    with pytest.raises(ParameterError, match="not in this run"):
        render(step_run, channels=["nothing"])


@pytest.mark.parametrize("kind", ["step_steer", "ramp_steer"])
def test_every_kind_gives_a_page(kind: str) -> None:
    check(render(drive(kind, end=20.0)))


def test_a_sweep_shows_its_frequency_response() -> None:
    run = drive("step_steer", end=30.0)
    t = run.time
    wheel = 0.1 * np.sin(2 * math.pi * (0.1 * t + 0.05 * t * t))
    run = run.with_channels({"driver_demands.steering": wheel, "chassis_velocities.yaw": 0.3 * wheel}, {})
    plots, arrays = plotted(render(run.with_metadata(event={"kind": "swept_steer", "parameters": {}})))
    gain = next(p for p in plots if p["log"] and p["unit"] == "1/s")
    assert np.allclose(arrays[gain["series"][0]["y"]], 0.3, rtol=1e-3)


@pytest.mark.parametrize(("profile", "unit", "factor"), [("engineering", "deg/s", 180 / math.pi), ("si", "rad/s", 1.0)])
def test_extremes_carry_the_unit_of_their_numbers(profile: str, unit: str, factor: float) -> None:
    run = drive("step_steer")
    (yaw,) = [item for item in extremes(run, profile) if item.signal == "yaw_rate"]
    assert (yaw.unit, yaw.channel) == (unit, "chassis_velocities.yaw")
    values = factor * run["chassis_velocities.yaw"]
    assert (yaw.low, yaw.high) == pytest.approx((values.min(), values.max()), rel=1e-12)
    assert yaw.high_at == run.time[np.argmax(values)]
    page = render(run, profile=profile)
    row = page[page.index("<td>Yaw rate</td>", page.index("Extremes")) :].partition("</tr>")[0]
    assert number(yaw.high) in row and f">{unit}<" in row


def test_extremes_do_not_show_rounding() -> None:
    run = drive("step_steer")
    noise = np.where(np.arange(len(run)) % 2, -3e-17, 2e-12)
    left, straight = np.maximum(run["chassis_velocities.yaw"], 0.0) + noise, noise
    found = {}
    for name, values in (("left", left), ("straight", straight)):
        (found[name],) = [
            e
            for e in extremes(run.with_channels({"chassis_velocities.yaw": values}, {}), "si")
            if e.signal == "yaw_rate"
        ]
    assert (found["left"].low, found["left"].high) == (0.0, left.max())
    assert (found["straight"].low, found["straight"].high, found["straight"].mean) == (0.0, 0.0, 0.0)


def test_a_script_of_the_user_replaces_the_report(tmp_path: Path) -> None:
    drive("step_steer").to_csv(tmp_path / "run.csv")
    script = """
import sys
from jounce.results.report import extremes
from jounce.results.run import Run
run = Run.read(sys.argv[1])
print("\\n".join(f"{e.channel} {e.low:.6g} {e.high:.6g} {e.unit}" for e in extremes(run, "si")))
"""
    (tmp_path / "mine.py").write_text(script)
    command = [sys.executable, str(tmp_path / "mine.py"), str(tmp_path / "run.csv")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    yaw = drive("step_steer")["chassis_velocities.yaw"]
    assert f"chassis_velocities.yaw {yaw.min():.6g} {yaw.max():.6g} rad/s" in lines


def test_a_partial_run_says_so() -> None:
    run = drive("step_steer", status="partial", reason="state x is not finite", warnings=["spline extrapolated"])
    page = render(run)
    check(page)
    assert "The run ended early at 7.99 s." in page
    assert "state x is not finite" in page
    assert "spline extrapolated" in page
    empty = Run([], {}, {}, {"status": "partial", "reason": "did not start"})
    check(render(empty))


def test_text_cannot_break_out_of_the_page(step_run: Run) -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=1>"
    run = step_run.with_metadata(
        vehicle={"name": evil, "summary": {evil: evil}},
        event={"kind": evil, "parameters": {evil: evil}},
        warnings=[evil],
    )
    run = run.with_channels({f"{evil}.x": run.time}, {f"{evil}.x": "m"})
    page = render(run, title=evil, channels=[f"{evil}.x"])
    check(page)
    assert "alert(1)</script>" not in page
    assert page.count("<script") == 2


def test_a_value_outside_its_range_is_marked(step_run: Run) -> None:
    page = render(step_run, plausible={"yaw_rate_t90": Range(1.0, 2.0, "s")})
    assert '<span class="out">outside</span>' in page
    assert "tile outside" in page
    assert "outside</span>" not in render(step_run, plausible={"yaw_rate_t90": Range(10.0, 1000.0, "ms")})
    assert "Plausible" not in render(step_run, plausible={})


def test_a_comparison_as_a_page(tmp_path: Path) -> None:
    a, b = drive("step_steer", label="base"), drive("step_steer", front=85e3, label="soft", parameters={"bar": "0.5"})
    found = compare(a, b, bands={"chassis_velocities.yaw": Band(relative=0.02)})
    page = found.report(tmp_path / "c.html").read_text(encoding="utf-8")
    check(page)
    assert page == comparison_report.render(found)
    for word in ("What is different", "parameters.bar", "Tolerance bands", "outside a band", "soft"):
        assert word in page
    plots, arrays = plotted(page)
    band = plots[0]["bands"][0]
    assert np.all(arrays[band["low"]] < arrays[band["high"]])
    assert len(plots[0]["series"]) == 2


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium")
def test_the_page_draws_in_a_browser(step_run: Run, tmp_path: Path) -> None:
    page = step_run.report(tmp_path / "a.html")
    text = page.read_text(encoding="utf-8").replace(
        "</body>",
        "<script>document.title = Array.from(document.querySelectorAll('canvas')).map(function (c) {"
        "return new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size > 3; }).join();"
        "</script></body>",
    )
    page.write_text(text, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom"]
    done = subprocess.run(
        ["chromium", *options, page.as_uri()], capture_output=True, text=True, timeout=120, check=False
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout)
    assert title is not None
    drawn = title[1].split(",")
    assert len(drawn) >= 7
    assert set(drawn) == {"true"}


# --- identities, ranges, units ---------------------------------------------------------------------------------------


def test_identities_of_a_sound_run(step_run: Run) -> None:
    found = {item.name: item for item in identities(step_run)}
    assert all(item.ok for item in found.values())
    turn = found["Lateral acceleration against v·ψ̇"]
    assert turn.measured == pytest.approx(turn.expected, rel=1e-3)
    assert found["Sum of wheel loads against m·g"].ok
    assert found["Length of the path against ∫v dt"].ok


def test_identities_hold_uphill_and_while_a_car_slides(step_run: Run) -> None:
    """The way is that along the slope; a path turns by yaw and by side slip."""
    t = np.arange(0.0, 10.0, 0.01)
    speed, grade, yaw, slip = 12.0, 0.2, 0.13, -0.021
    angle = np.arctan(grade)
    way = speed * np.cos(angle) * t
    channels = {
        "System_Mass_Center.Global_X": way,
        "System_Mass_Center.Global_Y": 0.0 * t,
        "System_Mass_Center.Global_Z": grade * way,
        "System_Mass_Center.Speed": speed + 0.0 * t,
        "chassis_velocities.yaw": yaw + 0.0 * t,
        "System_Mass_Center.Side_Slip_Angle": slip * t,
        "System_Mass_Center.Tracking_Ay": speed * (yaw + slip) * np.cos(slip * t),
    }
    run = Run(t, channels, dict.fromkeys(channels, "-"))
    found = {item.name: item for item in identities(run)}
    assert found["Length of the path against ∫v dt"].measured == pytest.approx(speed * (t[-1] - t[0]), rel=1e-9)
    turn = found["Lateral acceleration against v·ψ̇"]
    assert turn.expected == pytest.approx(turn.measured, rel=1e-3) and turn.ok
    without = {name: values for name, values in channels.items() if "Side_Slip" not in name}
    wrong = {item.name: item for item in identities(Run(t, without, dict.fromkeys(without, "-")))}
    assert not wrong["Lateral acceleration against v·ψ̇"].ok


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_circle_is_that_of_before_a_car_leaves_it(side: float) -> None:
    """Drive goes at 5 s: it turns in, steadily again, on a circle that nobody asked for."""
    t = np.arange(0.0, 10.0, 0.01)
    speed, radius = np.where(t < 5.0, 20.0, 18.0), np.where(t < 5.0, 80.0, 61.0)
    channels = {
        "System_Mass_Center.Speed": speed,
        "chassis_velocities.yaw": side * speed / radius,
        "System_Mass_Center.Tracking_Ay": side * speed**2 / radius,
    }
    told = {"event": {"kind": "power-off-in-turn", "parameters": {"radius": 80.0}}}
    found = {item.name: item for item in identities(Run(t, channels, dict.fromkeys(channels, "-"), told))}
    assert all(item.ok for item in found.values())
    assert found["Lateral acceleration against v²/R"].expected == pytest.approx(side * 5.0)
    assert found["Yaw rate against v/R"].expected == pytest.approx(side * 0.25)
    assert found["Lateral acceleration against v·ψ̇"].measured == pytest.approx(side * 18.0**2 / 61.0)
    other = {"event": {"kind": "power-off-in-turn", "parameters": {"radius": 61.0}}}
    wrong = {item.name: item for item in identities(Run(t, channels, dict.fromkeys(channels, "-"), other))}
    assert not wrong["Yaw rate against v/R"].ok and not wrong["Lateral acceleration against v²/R"].ok


def test_identities_show_a_wrong_sign_and_a_wrong_radius(step_run: Run) -> None:
    flipped = step_run.with_channels({"chassis_velocities.yaw": -step_run["chassis_velocities.yaw"]}, {})
    assert not next(i for i in identities(flipped) if "v·ψ̇" in i.name).ok
    v, r = 27.78, step_run["chassis_velocities.yaw"][-1]
    event = {"kind": "constant_radius", "parameters": {"radius": [v / r, "m"]}}
    turned = [i for i in identities(step_run.with_metadata(event=event)) if "R" in i.name]
    assert len(turned) == 2 and all(i.ok for i in turned)
    event["parameters"]["radius"] = [0.5 * v / r, "m"]
    assert not any(i.ok for i in identities(step_run.with_metadata(event=event)) if "R" in i.name)


def test_ranges_of_every_class() -> None:
    assert classes() == [
        *("compact", "sedan", "suv", "sports", "light_truck", "bev", "formula"),
        *("tractor_semitrailer", "rigid_truck", "box_van", "car_caravan"),
    ]
    for name in classes():
        for key, item in ranges(name).items():
            assert item.low < item.high, key
            if key != "consumption":  # the trade's per 100 km is a name: nothing is converted to it
                check_unit(item.unit, key)
            assert item.contains(0.5 * (item.low + item.high), item.unit) is True
    assert ranges("sedan")["understeer_gradient"] == Range(1.2, 2.6, "deg/g_0")
    assert ranges("nothing") == {}
    sedan = ranges("sedan")["yaw_rate_t90"]
    assert sedan.contains(150.0, "ms") is True
    assert sedan.contains(0.5, "s") is False
    assert sedan.contains(math.nan, "s") is None


def test_display_factors_agree_with_the_unit_library() -> None:
    names = {"g": "g_0", "°C": "degC", "N·s/mm": "N.s/mm", "N·m/deg": "N.m/deg", "deg/s²": "deg/s2", "deg/g": "deg/g_0"}
    names |= {"g/deg": "g_0/deg"}
    for unit, choices in PROFILES["engineering"].items():
        for _, item in choices:
            label = names.get(item.label, item.label)
            assert item.factor * 7.0 + item.offset == pytest.approx(convert(7.0, unit, label), rel=1e-12), unit


def test_units_follow_the_size_of_the_numbers() -> None:
    assert shown("m", size=0.05).label == "mm"
    assert shown("m", size=500.0).label == "m"
    assert shown("m/s", size=30.0).label == "km/h"
    assert shown("m", "si", 0.05).label == "m"
    assert shown("kg.m2").label == "kg·m²"
    with pytest.raises(ParameterError, match="profile 'english'"):
        shown("m", "english")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1234.567, "1235"), (0.123456, "0.1235"), (-2.5, "−2.5"), (1e-7, "1.000e−07"), (math.nan, "–")],
)  # fmt: skip
def test_numbers_as_printed(value: float, text: str) -> None:
    assert number(value) == text


def test_words() -> None:
    assert pretty("m/s2") == "m/s²"
    assert pretty("deg/g_0") == "deg/g"
    assert figure("yaw_rate_t90") == "Yaw rate: response time to 90 %"
    assert figure("t_80_120", "straight_acceleration") == "80–120 km/h"
    assert figure("release_ay_settling", "steering-release") == "Lateral acceleration after release: settling"
    assert figure("mfdd", "step-steer", "straight_braking") == "Mean fully developed deceleration"
    assert figure("something_new") == "Something new"
