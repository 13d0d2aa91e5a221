"""Gears that a driver changes by clutch, lever and throttle: when, and along which timeline.

**When.** With the speed n of the gearbox's input shaft in gear g, both limits over the gear and, where a schedule is
given, over the station of the path or the time of the stage,

    g → g + 1 where n > n_up(g),    g → g − 1 where n < n_down(g)                                                 (1)

not before the last shift has ended and the delay for this pair of directions has passed, within the lowest and the
highest gear. A plan g(s) takes the place of (1). With kick-down, while the driver asks for more than full throttle
gives, the gear is that with most force at the wheels, if it has 2 % more than the one in use and is below n_up:

    g = argmax F(g),    F(g) = Σ f i(g) T_full(i(g) ω_out)                                                        (2)

**How.** With S(x) = 3x² − 2x³ of x from 0 to 1, the time τ since the begin of a shift, its duration T (no shorter than
opening and closing of the clutch), T_e = T − t_close,

    clutch    S(τ/t_open) − S((τ − T_e)/t_close)                                                                  (3)
    throttle  times  1 − S((τ − δ_1)/t_release) + S((τ − T_e − δ_2)/t_press),  from 0 to 1                        (4)
    lever     moves at t_open; the ratio goes over while the clutch is open (``drive/shifting`` (2))

Times are those of the gear that is left, one set for each direction. A shift has ended when both ramps have. The
throttle is that of the driver or, with ``cuts_throttle``, also that of a run.

**Standing start.** While the input ``driver.revs`` is 1 the clutch is open and the throttle holds the speed at which
the driver starts; when it falls to 0 he starts as ``longitudinal`` (4) says,

    u = 4 e + 10 ∫e dt,    e = (n_start − n)/n_start                                                              (5)

The times and rules are those of the reference tool's driver files; n is that of the input shaft rather than of the
engine, so that an engine that revs behind an open clutch changes no gear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import model_validator

from jounce.components.drive.base import constant
from jounce.core.curves import Curve, CurveUnits
from jounce.core.fields import Data, choice, curve, problem, quantity
from jounce.symbolic.ops import clip, floor, fmax, fmin, if_else, logic_and, logic_or

if TYPE_CHECKING:
    from jounce.components.drive.thrust import Thrust
    from jounce.components.model import VehicleModel
    from jounce.components.part import Symbols
    from jounce.manoeuvre.settings import GearRow, Gears, ScheduledGears

RPM = 0.10471975511965977
LONG_AGO = 1e3  # s, since the last shift at the start
SHORTEST = 1e-6  # s: a ramp of no time
SYNCHRONISED = 0.02  # s: least time in which the ratio goes over
BETTER = 1.02  # force of another gear over that of the one in use, for a kick-down
REVVING = 4.0, 10.0  # gains of (5): of the relative error, and per second
FULL = 0.99  # throttle that counts as pressed down
STEP = 0.01  # m, of a plan: half the way over which its table rises
TIMES = {
    "duration": (0.3, "of the whole shift, T"),
    "throttle_release": (0.05, "in which the throttle falls, t_release"),
    "clutch_open": (0.05, "in which the clutch opens, t_open"),
    "clutch_close": (0.15, "in which the clutch closes, t_close"),
    "throttle_press": (0.2, "in which the throttle comes back, t_press"),
    "throttle_release_delay": (0.0, "of the throttle after the clutch begins to open, δ_1"),
    "throttle_press_delay": (0.05, "of the throttle after the clutch begins to close, δ_2"),
}
SIGNALS = {
    "begin": ("s", "when the last shift began", -LONG_AGO),
    "ended": ("s", "when the last shift ended", -LONG_AGO),
    "way": ("-", "1 of the last shift up, -1 down", 0.0),
    "left": ("-", "gear that it leaves", 1.0),
    "chosen": ("-", "gear that it leads to", 1.0),
    "busy": ("-", "1 while it lasts", 0.0),
    "cut": ("-", "share of the throttle that it leaves", 1.0),
    "pedal": ("-", "clutch pedal of the shift", 0.0),
    "lever": ("-", "gear that is in", 1.0),
    "revving": ("-", "integral of the error of engine speed before a start", 0.0),
}


def _time(way: str, name: str) -> Any:
    value, doc = TIMES[name]
    said = f"shifting {way}, {doc}"
    return curve("-", "s", constant(value, "-", "s", "-"), z="-", constant="value", how="lines", doc=said)


def _speed(value: float, doc: str) -> Any:
    return curve(
        "-", "rad/s", constant(value, "-", "rad/s", "-"), z="-", constant="value", how="lines",
        typical=(30.0, 2500.0), doc=doc,
    )  # fmt: skip


class DriverGears(Data):
    """Shift speeds and times by gear, and by what a schedule is over."""

    over: Literal["none", "station", "time"] = choice("none", doc="what the second axis of the curves is, and the plan")
    kick_down: bool = choice(False, doc="take the gear with most force where full throttle is not enough")
    upshift: Curve = _speed(5500 * RPM, "speed of the input shaft above which the next gear is taken, by gear")
    downshift: Curve = _speed(1500 * RPM, "speed of the input shaft below which the one before is taken, by gear")
    up_duration: Curve = _time("up", "duration")
    up_throttle_release: Curve = _time("up", "throttle_release")
    up_clutch_open: Curve = _time("up", "clutch_open")
    up_clutch_close: Curve = _time("up", "clutch_close")
    up_throttle_press: Curve = _time("up", "throttle_press")
    up_throttle_release_delay: Curve = _time("up", "throttle_release_delay")
    up_throttle_press_delay: Curve = _time("up", "throttle_press_delay")
    down_duration: Curve = _time("down", "duration")
    down_throttle_release: Curve = _time("down", "throttle_release")
    down_clutch_open: Curve = _time("down", "clutch_open")
    down_clutch_close: Curve = _time("down", "clutch_close")
    down_throttle_press: Curve = _time("down", "throttle_press")
    down_throttle_release_delay: Curve = _time("down", "throttle_release_delay")
    down_throttle_press_delay: Curve = _time("down", "throttle_press_delay")
    plan: Curve | None = curve("m", "-", None, constant="value", how="lines", doc="gear over the station, instead")
    lowest: float = quantity("-", 1.0, doc="gear that may be used")
    highest: float = quantity("-", 99.0, doc="gear that may be used")
    up_after_up: float = quantity("s", 0.0, ge=0, typical=(0.0, 10.0), doc="least time between two shifts")
    up_after_down: float = quantity("s", 0.0, ge=0, typical=(0.0, 10.0), doc="least time between two shifts")
    down_after_up: float = quantity("s", 0.0, ge=0, typical=(0.0, 10.0), doc="least time between two shifts")
    down_after_down: float = quantity("s", 0.0, ge=0, typical=(0.0, 10.0), doc="least time between two shifts")
    cuts_throttle: float = quantity("-", 1.0, ge=0, le=1, doc="1: shifts release the throttle of a run, too; 0: none")

    @model_validator(mode="after")
    def _scheduled(self) -> Self:
        for name in type(self).model_fields:
            found = getattr(self, name)
            if isinstance(found, Curve) and found.z and self.over == "none":
                raise problem("has a second axis; say in `over` what it is: station or time", name)
        if self.plan is not None and self.over != "station":
            raise problem(f"{self.over}: a plan of gears is over the station", "over")
        if self.plan is not None and self.kick_down:
            raise problem("stands beside a plan of gears; give one or the other", "kick_down")
        return self

    @classmethod
    def of(cls, table: Gears, scheduled: ScheduledGears | None = None, **more: Any) -> Self:
        """From the gear table of a manoeuvre, or from one that changes along the path or in time."""
        limits = {"lowest": float(max(table.minimum, 1)), "highest": float(table.maximum)}
        for name in ("up_after_up", "up_after_down", "down_after_up", "down_after_down"):
            limits[name] = getattr(table, name)
        if scheduled is None:
            rows = sorted(table.table, key=lambda row: row.gear)
            return cls(**_by_gear(rows), **{**limits, **more})
        limits |= {"lowest": float(max(scheduled.minimum, 1)), "highest": float(scheduled.maximum)}
        return cls(over=scheduled.over, **_by_place(scheduled), **{**limits, **more})

    # -- the model -------------------------------------------------------------------------------------------------

    def signals(self, block: Any, system: Any) -> dict[str, Any]:
        """What the driver's block keeps for it."""
        made = {f"shift.{name}": block.signal(f"shift.{name}", *said) for name, said in SIGNALS.items()}
        # stands in speeds of shafts: it jumps where nothing hangs on it, and has no rate
        time = made["shift.time"] = block.signal(
            "shift.time", "s", "in which the ratio goes over", SYNCHRONISED, rate=True
        )
        block.update(system.rate_of(time), 0.0)
        made["started.gears"] = block.signal("started.gears", "-", "1 once he has seen the gear")
        return made

    def change(
        self, at: VehicleModel, p: Symbols, s: dict[str, Any], block: Any, thrust: Thrust, wants: Wants
    ) -> None:  # fmt: skip
        """The state machine: updates of its signals."""
        now = at.system.time
        x = self.abscissa(at, now)
        gear = if_else(wants.starts, thrust.gear, s["shift.chosen"])
        n = thrust.input_speed if thrust.input_speed is not None else thrust.machine_speed
        top = fmin(p.highest, float(thrust.gears))

        # which gear
        if self.plan is not None:
            planned = clip(floor(p.plan(x) + 0.5), p.lowest, top)
            more, less = planned > gear + 0.5, planned < gear - 0.5
            target = if_else(more, gear + 1.0, gear - 1.0)
        else:
            more = logic_and(n > p.upshift(gear, x), gear < top - 0.5)
            less = logic_and(n < p.downshift(gear, x), gear > p.lowest + 0.5)
            target = gear + if_else(more, 1.0, -1.0)
        if self.kick_down:
            best = self._best(at, p, thrust, gear, top, x, wants.radius, wants.speed)
            kicks = logic_and(wants.throttle > FULL, best < gear - 0.5)
            more, less = if_else(kicks, 0.0, more), logic_or(kicks, less)
            target = if_else(kicks, best, target)
        forwards = gear > 0.5  # reverse and neutral are left by hand
        more, less = logic_and(more, forwards), logic_and(less, forwards)
        if wants.no_upshift is not None:
            more = logic_and(more, wants.no_upshift < 0.5)
        last_up = s["shift.way"] > 0.5
        since = now - s["shift.ended"]
        up = logic_and(more, since >= if_else(last_up, p.up_after_up, p.up_after_down))
        down = logic_and(less, since >= if_else(last_up, p.down_after_up, p.down_after_down))
        free = logic_and(s["shift.busy"] < 0.5, if_else(wants.starts, 0.0, wants.ready))
        up, down = logic_and(free, up), logic_and(free, logic_and(down, 1 - up))
        begins = logic_or(up, down)

        # where it stands
        begin = if_else(begins, now, s["shift.begin"])
        way = if_else(up, 1.0, if_else(down, -1.0, s["shift.way"]))
        left = if_else(begins, gear, if_else(wants.starts, gear, s["shift.left"]))
        chosen = if_else(begins, target, gear)
        time = {
            name: if_else(way > 0, getattr(p, f"up_{name}")(left, x), getattr(p, f"down_{name}")(left, x))
            for name in TIMES
        }
        tau = now - begin
        whole = fmax(time["duration"], time["clutch_open"] + time["clutch_close"])
        closes = whole - time["clutch_close"]
        pedal = ramp(tau, 0.0, time["clutch_open"]) - ramp(tau, closes, time["clutch_close"])  # (3)
        back = closes + time["throttle_press_delay"]
        cut = 1 - ramp(tau, time["throttle_release_delay"], time["throttle_release"])
        cut = clip(cut + ramp(tau, back, time["throttle_press"]), 0.0, 1.0)  # (4)
        ends = fmax(whole, fmax(back + time["throttle_press"],
                                time["throttle_release_delay"] + time["throttle_release"]))  # fmt: skip
        was = logic_or(s["shift.busy"] > 0.5, begins)
        busy = logic_and(was, tau < ends - 1e-9)
        over = logic_and(was, tau >= ends - 1e-9)
        given = wants.given_gear
        chosen = if_else(wants.shifts, chosen, given)
        for name, value in (
            ("begin", begin), ("way", way), ("left", left), ("chosen", chosen),
            ("busy", if_else(logic_and(busy, wants.shifts), 1.0, 0.0)),
            ("ended", if_else(over, now, s["shift.ended"])),
            ("cut", if_else(logic_and(was, wants.shifts), cut, 1.0)),
            ("pedal", if_else(logic_and(was, wants.shifts), clip(pedal, 0.0, 1.0), 0.0)),
            ("lever", if_else(logic_and(busy, tau < time["clutch_open"] - 1e-9), left, chosen)),
            ("time", fmax(closes - time["clutch_open"], SYNCHRONISED)),
        ):  # fmt: skip
            block.update(s[f"shift.{name}"], value)

    def fitting(self, p: Symbols, turns: Sequence[Any]) -> Any:
        """The lowest gear that is not shifted up at once, from the speeds of the input shaft in all gears."""
        found: Any = fmin(p.highest, float(len(turns)))
        for number in range(len(turns), 0, -1):
            allowed = logic_and(turns[number - 1] < p.upshift(float(number), 0.0), found > number - 0.5)
            found = if_else(logic_and(allowed, number >= p.lowest), float(number), found)
        return found

    def abscissa(self, at: VehicleModel, now: Any) -> Any:
        """What a schedule is over: the station, or the time, since the input ``driver.schedule_start``."""
        if self.over == "none":
            return 0.0
        begin = at.scope("driver").input(
            "schedule_start", "-", "station in m or time in s at which a schedule of gears begins", in_statics=False
        )
        return (at.signals.read("driver.station", "the gears") if self.over == "station" else now) - begin

    def _best(
        self, at: VehicleModel, p: Symbols, thrust: Thrust, gear: Any, top: Any, x: Any, radius: Any, speed: Any
    ) -> Any:  # fmt: skip
        """The gear with most force (2)."""
        assert thrust.in_gear is not None
        own = thrust.in_gear(gear, radius, speed)[0]
        best, most = gear, BETTER * own
        for number in range(1, int(thrust.gears) + 1):
            force, n = thrust.in_gear(float(number), radius, speed)
            allowed = logic_and(n < p.upshift(float(number), x), logic_and(number >= p.lowest, number <= top))
            wins = logic_and(allowed, force > most)
            best, most = if_else(wins, float(number), best), if_else(wins, force, most)
        return best

    def revs(self, s: dict[str, Any], block: Any, revving: Any, engine: Any, start_speed: Any) -> Any:
        """Throttle that holds the engine before a start (5)."""
        error = (start_speed - engine) / start_speed
        grown = clip(s["shift.revving"] + block.period * error, -0.1, 1.0 / REVVING[1])
        block.update(s["shift.revving"], if_else(revving, grown, 0.0))
        return clip(REVVING[0] * error + REVVING[1] * grown, 0.0, 1.0)


class Wants:
    """What the rest of the driver tells the gears."""

    def __init__(self, **told: Any) -> None:
        self.starts = told["starts"]  # the first sample
        self.ready = told["ready"]  # the clutch is closed, nothing is launched
        self.throttle = told["throttle"]
        self.shifts = told["shifts"]  # whether he changes gears at all
        self.given_gear = told["given_gear"]
        self.radius, self.speed = told["radius"], told["speed"]
        self.no_upshift = told.get("no_upshift")  # 1 while tires spin


def ramp(tau: Any, begin: Any, time: Any) -> Any:
    """S((τ − begin)/time)."""
    d = clip((tau - begin) / fmax(time, SHORTEST), 0.0, 1.0)
    return d * d * (3 - 2 * d)


def planned(stations: Sequence[float], gears: Sequence[float]) -> Curve:
    """A plan: gears[i] from stations[i] on; the table of `DriverGears.plan`, whose rounding steps there."""
    x, y = [float(stations[0])], [float(gears[0])]
    for station, before, after in zip(stations[1:], gears, gears[1:], strict=False):
        low, high = max(float(station) - STEP, x[-1] + 0.1 * STEP), float(station) + STEP
        x += [low, max(high, low + 0.1 * STEP)]
        y += [float(before), float(after)]
    x.append(x[-1] + 1.0)
    y.append(y[-1])
    return Curve(CurveUnits("m", "-", "", "value"), x=tuple(x), y=tuple(y))


# ---- from the tables of a manoeuvre ----------------------------------------------------------------------------------


def _columns(row: GearRow) -> dict[str, float]:
    """All numbers of a gear under the names of the curves."""
    down = row.up if row.down is None else row.down
    found = {"upshift": row.upshift, "downshift": row.downshift}
    for name in TIMES:
        found |= {f"up_{name}": getattr(row.up, name), f"down_{name}": getattr(down, name)}
    return found


def _by_gear(rows: Sequence[GearRow]) -> dict[str, Any]:
    if not rows:
        return {}
    columns = [_columns(row) for row in rows]
    x = [float(row.gear) for row in rows]
    return {name: _curve(x, [0.0], [[c[name]] for c in columns], name) for name in columns[0]}


def _by_place(scheduled: ScheduledGears) -> dict[str, Any]:
    """Rows of several gears, each with places of its own: all at the places of all, where lines are as exact."""
    import numpy as np

    gears = sorted({row.gear for row in scheduled.rows})
    missing = [g for g in range(scheduled.minimum, scheduled.maximum + 1) if g not in gears]
    if missing:
        raise problem(f"has no table of gear {missing[0]}; its gears are {gears}", "rows")
    places = sorted({row.at for row in scheduled.rows})
    by_gear = {g: sorted((row for row in scheduled.rows if row.gear == g), key=lambda row: row.at) for g in gears}
    found: dict[str, Any] = {}
    for name in _columns(scheduled.rows[0]):
        grid = [
            np.interp(places, [row.at for row in by_gear[g]], [_columns(row)[name] for row in by_gear[g]]).tolist()
            for g in gears
        ]
        found[name] = _curve([float(g) for g in gears], places, grid, name)
    return found


def _curve(x: list[float], z: list[float], grid: list[list[float]], name: str) -> Curve:
    unit = "rad/s" if name in ("upshift", "downshift") else "s"
    if len(x) == 1:  # a table needs two points
        x, grid = [x[0], x[0] + 1.0], [grid[0], grid[0]]
    if len(z) == 1:
        return Curve(CurveUnits("-", unit, "-", "value"), x=tuple(x), y=tuple(float(row[0]) for row in grid))
    flat = tuple(float(v) for row in grid for v in row)
    return Curve(CurveUnits("-", unit, "-", "value"), x=tuple(x), z=tuple(z), y=flat)


__all__ = ["DriverGears", "Wants", "planned", "ramp"]
