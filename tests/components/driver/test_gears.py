"""Gears along their timeline on the small rig: a mass on two flywheels, with an engine, a clutch and five gears."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from drivelines import CLUTCH, ENGINE, GEARBOX, REAR, RWD
from driver_rig import RADIUS, rig
from jounce.components.driver.gears import DriverGears, planned
from jounce.core.tables import Table
from jounce.manoeuvre.settings import GearRow, Gears, ScheduledGears, ScheduledRow, ShiftTiming
from jounce.runtime.program import Constant, FromTable, Open, Phase, Program
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation

RATIOS = GEARBOX["ratios"]
FINAL = REAR["ratio"]
# all numbers differ, from gear to gear and from one direction to the other
UP = [
    ShiftTiming(
        duration=0.31 + 0.02 * g, throttle_release=0.04 + 0.01 * g, clutch_open=0.06 + 0.005 * g,
        clutch_close=0.11 + 0.01 * g, throttle_press=0.17 + 0.01 * g, throttle_release_delay=-0.01 * g,
        throttle_press_delay=0.03 + 0.004 * g,
    )
    for g in range(5)
]  # fmt: skip
DOWN = [
    ShiftTiming(
        duration=0.42 + 0.02 * g, throttle_release=0.07 + 0.01 * g, clutch_open=0.09 + 0.005 * g,
        clutch_close=0.14 + 0.01 * g, throttle_press=0.21 + 0.01 * g, throttle_release_delay=0.02,
        throttle_press_delay=-0.02,
    )
    for g in range(5)
]  # fmt: skip
UPS, DOWNS = [300.0, 320.0, 345.0, 360.0, 999.0], [0.0, 118.0, 131.0, 140.0, 150.0]


def table(**more: Any) -> Gears:
    rows = [
        GearRow(gear=g + 1, upshift=UPS[g], downshift=DOWNS[g], up=UP[g], down=DOWN[g]) for g in range(5)
    ]  # fmt: skip
    return Gears(table=tuple(rows), minimum=1, maximum=5, **more)


@lru_cache
def shifter() -> Simulation:
    return rig({**RWD, "clutch": {**CLUTCH, "automatic": False}}, gears=DriverGears.of(table()))


def run(
    sim: Simulation, seconds: float, first: float, numbers: dict[str, float] | None = None, **inputs: Any
) -> Recording:
    """Run from a speed on, with parameters that are put back."""
    sim.set_program(None)
    sim.restart(defaults=True)
    sim.set_states(dict.fromkeys(("L1.spin", "R1.spin"), first / RADIUS))
    numbers = {f"longitudinal.{name}": value for name, value in (numbers or {}).items()}
    kept = {name: sim.parameters[name] for name in numbers}
    sim.set_parameters(numbers)
    channels = [
        Open(name.replace("__", "."), Constant(value) if isinstance(value, float) else value)
        for name, value in inputs.items()
    ]
    sim.set_inputs({k.replace("__", "."): v for k, v in inputs.items() if isinstance(v, float)})
    following = [i for i, v in enumerate(sim.model.memories) if v.role == "follow"]
    sim.m[following] = sim.derivatives()[1][following]  # the gear at the start, as a start finds it
    try:
        return sim.run(program=Program(Phase("run", channels, duration=seconds)), interval=0.001)
    finally:
        sim.set_parameters(kept)


def smooth(x: Any) -> Any:
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3 - 2 * x)


def shifts(found: Recording) -> list[tuple[float, int]]:
    """Times at which shifts begin, with the direction."""
    way = found["driver.shift"]
    begins = np.flatnonzero((way[1:] != 0) & (way[:-1] == 0)) + 1
    return [(float(found.time[i]), int(way[i])) for i in begins]


def expected(times: ShiftTiming, tau: Any) -> tuple[Any, Any]:
    """Clutch and throttle factor of the timeline, written again."""
    ends = times.duration - times.clutch_close
    clutch = smooth(tau / times.clutch_open) - smooth((tau - ends) / times.clutch_close)
    falls = 1 - smooth((tau - times.throttle_release_delay) / times.throttle_release)
    rises = smooth((tau - ends - times.throttle_press_delay) / times.throttle_press)
    return clutch, falls + rises


@pytest.mark.parametrize("way", [1, -1])
def test_clutch_and_throttle_follow_the_timeline_within_a_sample(way: int) -> None:
    """With an open throttle: every row between those of the timeline one sample earlier and one later."""
    if way > 0:
        found, level = run(shifter(), 4.0, 4.0, driver__active=0.0, throttle=0.83), 0.83
    else:
        found, level = run(shifter(), 9.0, 17.0, driver__active=0.0, throttle=0.02, rig__slope=0.13), 0.02
    begin = next(t for t, direction in shifts(found) if direction == way)
    gear = found["Transmission.gear"]
    left = int(gear[np.searchsorted(found.time, begin) - 1])
    times = (UP if way > 0 else DOWN)[left - 1]
    window = (found.time > begin - 0.02) & (found.time < begin + times.duration + 0.3)
    tau = found.time[window] - begin
    for channel, number, scale in (("driver_demands.clutch", 0, 1.0), ("driver_demands.throttle", 1, level)):
        late, early = (scale * expected(times, tau + shift)[number] for shift in (-0.0021, 0.0011))
        values = found[channel][window]
        low, high = np.minimum(late, early), np.maximum(late, early)
        assert np.all(values > low - 1e-9) and np.all(values < high + 1e-9), channel
        assert values.max() - values.min() > 0.99 * scale
    moved = float(found.time[window][np.flatnonzero(np.diff(gear[window]))[0] + 1])
    assert moved - begin == pytest.approx(times.clutch_open, abs=0.0021)
    # the ratio has gone over before the clutch begins to close
    ratio = np.interp(begin + times.duration - times.clutch_close + 0.002, found.time, found["Transmission.ratio"])
    assert ratio == pytest.approx(RATIOS[left - 1 + way], rel=1e-6)


def test_gears_change_at_their_speeds_up_and_down() -> None:
    up = run(shifter(), 9.0, 4.0, driver__active=0.0, throttle=1.0)
    for number, (begin, way) in enumerate(shifts(up)[:3]):
        speed = np.interp(begin, up.time, up["Clutch.clutch_rpm"])
        assert way == 1 and speed == pytest.approx(UPS[number], abs=0.6)  # of two samples, at 200 rad/s²
    assert len(shifts(up)) >= 2
    down = run(shifter(), 12.0, 21.0, driver__active=0.0, throttle=0.0, rig__slope=0.09)
    first = int(down["Transmission.gear"][0])
    for number, (begin, way) in enumerate(shifts(down)[:2]):
        speed = np.interp(begin, down.time, down["Clutch.clutch_rpm"])
        assert way == -1 and speed == pytest.approx(DOWNS[first - 1 - number], abs=0.6)
    assert first > 2 and len(shifts(down)) >= 2


def test_no_shift_within_the_delay_after_another() -> None:
    free = shifts(run(shifter(), 6.0, 8.0, driver__active=0.0, throttle=1.0, rig__slope=-0.2))
    assert len(free) >= 2
    gap = free[1][0] - free[0][0]
    delay = gap + 0.37
    late = shifts(run(shifter(), 7.0, 8.0, {"gears.up_after_up": delay, "gears.up_after_down": 0.0}, driver__active=0.0,
                      throttle=1.0, rig__slope=-0.2))  # fmt: skip
    ended = free[0][0] + UP[0].duration  # of a shift, at the least
    assert late[0][0] == pytest.approx(free[0][0], abs=1e-9)
    assert late[1][0] >= ended + delay - 0.1 and late[1][0] > free[1][0] + 0.3
    other = shifts(run(shifter(), 6.0, 8.0, {"gears.down_after_up": 5.0}, driver__active=0.0, throttle=1.0,
                       rig__slope=-0.2))  # fmt: skip
    assert other[1][0] == pytest.approx(free[1][0], abs=1e-9), "a delay of another pair of directions"


def test_the_flag_leaves_an_open_throttle_alone() -> None:
    found = run(shifter(), 3.0, 4.0, {"gears.cuts_throttle": 0.0}, driver__active=0.0, throttle=0.83)
    assert shifts(found) and np.all(found["driver_demands.throttle"] == 0.83)
    assert found["driver_demands.clutch"].max() > 0.999
    cut = run(shifter(), 3.0, 4.0, driver__active=0.0, throttle=0.83)
    assert cut["driver_demands.throttle"].min() < 1e-6


def test_a_given_gear_at_the_start_and_the_lever_of_the_run() -> None:
    found = run(shifter(), 0.2, 8.0, driver__active=0.0, throttle=0.1, driver__first_gear=3.0)
    assert found["Transmission.gear"][0] == 3 and found["Transmission.ratio"][0] == RATIOS[2]
    assert run(shifter(), 0.2, 8.0, driver__active=0.0, throttle=0.1)["Transmission.gear"][0] != 3
    back = run(shifter(), 1.0, -1.5, driver__active=0.0, throttle=0.0, driver__first_gear=-1.0, driver__shifts=0.0,
               gear=-1.0)  # fmt: skip
    assert np.all(back["Transmission.gear"] == -1) and np.all(back["Engine.engine_rpm"] > 0)
    # a lever that the run moves
    lever = run(shifter(), 1.5, 9.0, driver__active=0.0, throttle=0.2, driver__shifts=0.0, gear=4.0)
    assert lever["Transmission.gear"][-1] == 4 and not shifts(lever)


def test_a_standing_start_revs_holds_and_ends_with_the_clutch_closed() -> None:
    """Three seconds at the starting speed with the clutch open, then away; closed in the end, no stall."""
    sim = shifter()
    revs = FromTable(Table([np.array([0.0, 3.0, 3.001, 9.0])], np.array([1.0, 1.0, 0.0, 0.0]), method="linear"))
    trace = FromTable(
        Table([np.array([0.0, 3.0, 9.0])], np.array([0.0, 0.0, 15.0]), method="linear", extrapolation="flat")
    )
    speed = 3000 * np.pi / 30
    found = run(
        sim, 9.0, 0.0, {"start_speed": speed}, driver__active=1.0, driver__revs=revs, driver__target_speed=trace
    )
    engine, clutch = found["Engine.engine_rpm"], found["driver_demands.clutch"]
    revved = (found.time > 2.0) & (found.time < 3.0)
    assert np.abs(engine[revved] / speed - 1).max() < 0.05
    assert np.all(clutch[(found.time > 0.1) & (found.time < 3.0)] == 1.0)
    assert np.abs(found["rig.speed"][found.time < 3.0]).max() < 0.01
    slip = engine - found["Clutch.clutch_rpm"]
    begins = int(np.argmax(found["rig.speed"] > 0.02))
    ends = begins + int(np.argmax(slip[begins:] < 5.0))
    held = slice(begins + (ends - begins) // 5, ends)
    assert ends - begins > 300 and np.abs(engine[held] / speed - 1).max() < 0.1
    assert clutch[-1] == 0.0 and engine.min() > 70.0
    assert found["rig.speed"][-1] > 12.0


@lru_cache
def kicking() -> Simulation:
    rows = tuple(
        GearRow(gear=g + 1, upshift=600.0, downshift=100.0, up=UP[g]) for g in range(5)
    )  # fmt: skip
    gears = DriverGears.of(Gears(table=rows, minimum=1, maximum=5), kick_down=True)
    return rig({**RWD, "clutch": {**CLUTCH, "automatic": False}}, gears=gears)


@pytest.mark.parametrize(("speed", "first"), [(14.0, 4.0), (24.0, 5.0), (31.0, 5.0)])
def test_kick_down_takes_the_gear_with_most_force(speed: float, first: float) -> None:
    """Full load of the engine, 250 N.m up to 120 kW, over all gears that keep it below 600 rad/s, by hand."""
    found = run(kicking(), 1.2, speed, driver__active=0.0, throttle=1.0, driver__first_gear=first)
    begin, way = shifts(found)[0]
    v = float(np.interp(begin, found.time, found["rig.speed"]))
    forces = {}
    for g, ratio in enumerate(RATIOS):
        n = v / RADIUS * FINAL * ratio
        if n < 600.0:
            forces[g + 1] = ratio * min(ENGINE["max_torque"], ENGINE["max_power"] / n)
    best = max(forces, key=forces.__getitem__)
    reached = int(np.interp(begin + 0.3, found.time, found["Transmission.gear"]))
    assert way == -1 and begin < 0.05 and reached == best != first
    calm = run(kicking(), 0.6, speed, driver__active=0.0, throttle=0.5, driver__first_gear=first)
    assert not shifts(calm)


@pytest.mark.parametrize(("gain", "kicks"), [(1.012, False), (1.03, True)])
def test_a_kick_down_is_worth_two_hundredths_of_force(gain: float, kicks: bool) -> None:
    """Where the gear below runs at full power, its force over that of the gear in use is P/(T n)."""
    n = ENGINE["max_power"] / ENGINE["max_torque"] / gain
    assert n * RATIOS[3] / RATIOS[4] < 600.0  # it may be taken
    speed = n * RADIUS / (FINAL * RATIOS[4])
    found = run(kicking(), 0.1, speed, driver__active=0.0, throttle=1.0, driver__first_gear=5.0)
    assert bool(shifts(found)) is kicks


def test_scheduled_speeds_are_lines_over_station_or_time() -> None:
    rows = []
    for g in range(5):
        for place, up in ((0.0, 260.0 + 10 * g), (40.0, 380.0 + 10 * g)):
            rows.append(ScheduledRow(gear=g + 1, at=place, upshift=up, downshift=0.1, up=UP[g]))
    rows.append(ScheduledRow(gear=2, at=20.0, upshift=300.0, downshift=0.1, up=UP[1]))  # with a place of its own
    schedule = ScheduledGears(over="station", minimum=1, maximum=5, rows=tuple(rows))
    gears = DriverGears.of(Gears(), schedule)
    values = gears.upshift.table("up", method="linear")
    for g, s in ((1.0, 13.0), (2.0, 7.0), (2.0, 31.0), (5.0, 40.0), (3.0, 55.0)):
        ends = (260.0 + 10 * (g - 1), 380.0 + 10 * (g - 1))
        points = ([0.0, 20.0, 40.0], [ends[0], 300.0, ends[1]]) if g == 2 else ([0.0, 40.0], ends)
        assert float(values(g, s)) == pytest.approx(np.interp(s, *points), abs=1e-9)
    sim = rig({**RWD, "clutch": {**CLUTCH, "automatic": False}}, gears=gears)
    found = run(sim, 5.0, 4.0, driver__active=0.0, throttle=0.9)
    way = np.concatenate([[0.0], np.cumsum(0.5e-3 * (found["rig.speed"][1:] + found["rig.speed"][:-1]))])
    (begin, _), *others = shifts(found)
    station = float(np.interp(begin, found.time, way))
    assert 2.0 < station < 38.0 and len(others) >= 1
    speed = np.interp(begin, found.time, found["Clutch.clutch_rpm"])
    assert speed == pytest.approx(np.interp(station, [0.0, 40.0], [260.0, 380.0]), abs=0.8)
    # counted from another station on
    later = run(sim, 5.0, 4.0, driver__active=0.0, throttle=0.9, driver__schedule_start=-40.0)
    assert shifts(later)[0][0] > begin
    # the clutch still opens before the engine stalls
    stops = run(sim, 6.0, 4.0, driver__active=1.0, driver__target_speed=FromTable(
        Table([np.array([0.0, 3.0])], np.array([4.0, 0.0]), method="linear", extrapolation="flat")))  # fmt: skip
    assert stops["Engine.engine_rpm"].min() > 70.0 and stops["driver_demands.clutch"][-1] > 0.99


def test_a_plan_takes_the_place_of_speeds() -> None:
    gears = DriverGears(over="station", plan=planned([0.0, 21.0, 33.0, 60.0], [2, 3, 2, 1]))
    sim = rig({**RWD, "clutch": {**CLUTCH, "automatic": False}}, gears=gears)
    found = run(sim, 8.0, 9.0, driver__active=1.0, driver__target_speed=9.0, driver__first_gear=2.0)
    way = np.concatenate([[0.0], np.cumsum(0.5e-3 * (found["rig.speed"][1:] + found["rig.speed"][:-1]))])
    places = [float(np.interp(t, found.time, way)) for t, _ in shifts(found)]
    assert [direction for _, direction in shifts(found)] == [1, -1, -1]
    assert places == pytest.approx([21.0, 33.0, 60.0], abs=0.05)


def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValidationError, match="second axis"):
        DriverGears(upshift={"x": [1.0, 2.0], "z": [0.0, 9.0], "y": [[1.0, 2.0], [3.0, 4.0]]})
    with pytest.raises(ValidationError, match="over the station"):
        DriverGears(over="time", plan=planned([0.0, 5.0], [1, 2]))
    with pytest.raises(Exception, match="no table of gear 3"):
        rows = tuple(ScheduledRow(gear=g, at=0.0) for g in (1, 2, 4))
        DriverGears.of(Gears(), ScheduledGears(minimum=1, maximum=4, rows=rows))
