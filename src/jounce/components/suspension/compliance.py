"""Compliance: wheels give way under the loads of their tires.

To the pose that the maps of an axle guide a carrier along (``guidance``) every load adds its own part, its own loads
f_i at its travel J_i and those of the other wheel, f_o, at J*:

    ε* = c · ( Σ_f D_f(f_i; J_i) + Σ_f C_f(f_o; J*) ),   J* = J_i or J_o                                            (1)

for each of x, y, toe, camber and side view angle; maps, gains, signs and mirror images are in ``compliance_maps``, c is
the factor of the axle. F_y, F_z and M_z are those of the contact axes of ISO 8855 (W, ``tire/contact`` (2)) at the
contact point, so is F_x while the wheel is braked; F_x of a wheel that is not braked acts at the wheel centre, in wheel
axes (C), whose x axis is the same. With several sets, each for one travel a_s of the other wheel, (1) is linear in J_o
between them and constant beyond.

The loop tire -> force -> pose -> tire. By default (``loop: states``) what gives way has no mass and follows (1) with a
lag of a few steps:

    ε̇ = (ε* - ε)/τ                                                                                              (2)
    τ = max(lag, n T_DT (1 + g)) + s_x d_x + s_y d_y,    g = s_x k_x + s_y k_y + s_ψ K_α                             (3)

n = ``STEPS``. s_x, s_y (of the contact point: y and camber times radius) and s_ψ are the steepest slopes of the maps
over their own force, k, d and K_α stiffness and damping of the contact and cornering stiffness (``tire/transient``
(11)). With its carrier the contact goes along and across the wheel, which strains and damps it:

    σ = ẋ Xw_x + ẏ Xw_y,   η = ẋ Yw_x + ẏ Yw_y + r φ̇;    u̇ -= σ,  v̇ += η,   F_x -= d_x σ,  F_y -= d_y η              (4)

So a wheel is a spring 1/s in a row with the spring k of its contact: together they are faster than τ by 1 + s k, which
is what (3) makes up for, whatever s k is. At standstill d is not zero: with F = F₀ - d ε̇, τ₀ ε̇ = C F - ε has the
solution ε̇ = (C F₀ - ε)/(τ₀ + C d), which is (2) with ε* of F₀, the force on a carrier that is held. A turn about the
spin axis does not move the contact: a wheel that is not locked keeps its spin.

At rest and in steady running ε = ε* exactly, and ε is part of every linearisation. Two other ways are options, with
memories instead of states (they are no part of a linearisation): ``previous_step``, ε = ε* of the loads at the last
evaluation; and ``iterated``, which evaluates the tires again at the new poses, ε ← ε + ω (ε* - ε), ``iterations``
times.

Velocity (``velocity``): ``full`` is (4); ``filtered`` gives the hub the speed v of a first-order filter, all five,

    v̇ = ω_c (ε̇ - v), with memories v ← v + a ((ε - ε_old)/Δt - v),  a = ω_c Δt/(1 + ω_c Δt);   ω_c = 2π cutoff     (5)

``off`` none.  What the own F_x does along x may be left to a freedom of its own (``x_dof``).  Equations (1), (5) and
the two options are those of the usual K&C descriptions; (2) to (4) are ours (docs/decisions/0029).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.model import WheelModel
from jounce.components.part import Level, Part, Symbols, derived
from jounce.components.places import AxlePlace, WheelPlace
from jounce.components.suspension.compliance_checks import check_covered, check_definite, check_sets, slope_of
from jounce.components.suspension.compliance_maps import (
    LONGITUDINAL,
    Angle,
    ComplianceMap,
    ComplianceSet,
    CrossMaps,
    Forward,
    Sideways,
    maps_of,
)
from jounce.components.suspension.guidance import MAPS
from jounce.components.suspension.x_dof import freedom_of
from jounce.core.fields import Data, choice, part, problem, quantity
from jounce.symbolic.ops import clip, fabs, fmax, fmin, if_else, pi

if TYPE_CHECKING:
    from jounce.components.tire.mounted import Mounted

STEPS = 3.0  # n of (3)
TRAIL = 0.1  # m: largest moment of a tire over its lateral force, in s_ψ of (3)
OUTSIDE_CORNERING = 30.0  # 1/rad, over the load: cornering stiffness of tires that do not tell it
SHORTEST = 1e-9  # s, of the interval between evaluations
WIDTH = 1e-9  # N m, of the change from driving to braking where none is given
UNITS = {"x": "m", "y": "m", "toe": "rad", "camber": "rad", "side_view_angle": "rad"}
CHANNELS = {"x": "base", "y": "track", "toe": "toe", "camber": "camber", "side_view_angle": "side_view"}
# inputs that scale a part of (1) within a run
SCALED = {
    ("x", "fx"): "Base_vs_ContactPatch_Fx",
    ("x", "fx_brake"): "Base_vs_ContactPatch_Fx",
    ("x", "fx_drive"): "Base_vs_ContactPatch_Fx",
    ("y", "fy"): "Track_vs_ContactPatch_Fy",
    ("side_view_angle", "fx_brake"): "Sva_vs_ContactPatch_FxBraking",
    ("camber", "fy"): "Camber_vs_ContactPatch_Fy",
    ("toe", "mz"): "Toe_vs_ContactPatch_Mz",
}


class Compliance(Part):
    """How the wheels of an axle give way under the loads of their tires: maps by property and load."""

    level: ClassVar[Level] = "wheel"
    family: ClassVar[str] = "compliance"
    rank: ClassVar[int] = 1

    kind: Literal["maps"] = choice("maps", doc="kind of compliance")
    x: Forward | None = part(None, doc="wheel centre forward")
    y: Sideways | None = part(None, doc="wheel centre to the left")
    toe: Angle | None = part(None, doc="toe-in")
    camber: Angle | None = part(None, doc="camber, top outwards")
    side_view_angle: Angle | None = part(None, doc="rotation in side view, top rearwards")
    cross: CrossMaps | None = part(None, doc="what the loads of the other wheel do")
    sets: tuple[ComplianceSet, ...] = part(
        (), each="set", doc="several sets of these maps instead, each for one travel of the other wheel"
    )
    factor: float = quantity("-", 1.0, ge=0, typical=(0.01, 100.0), doc="on everything that gives way")
    loop: Literal["states", "previous_step", "iterated"] = choice(
        "states", doc="how the loop from forces to pose to forces is closed"
    )
    iterations: int = choice(3, ge=1, le=10, doc="of the loop `iterated`")
    relaxation: float = quantity("-", 1.0, gt=0, le=1, doc="share of a correction that an iteration makes")
    lag: float = quantity("s", 0.0, ge=0, typical=(0.0, 0.5), doc="least time constant; 0: of a few steps")
    velocity: Literal["full", "filtered", "off"] = choice(
        "full", doc="how the speed with which wheels give way enters the slip of their tires"
    )
    cutoff: float = quantity("Hz", 20.0, gt=0, typical=(0.5, 500.0), doc="of the filter of a `filtered` velocity")
    cross_travel: Literal["own", "other"] = choice("own", doc="the wheel whose travel counts in the maps of `cross`")
    brake_width: float = quantity(
        "N.m", 0.0, ge=0, typical=(0.0, 5e3), doc="brake moment over which braking takes the place of driving"
    )
    load_reference: float = quantity("N", 0.0, typical=(0.0, 1e5), doc="wheel load at which maps over it begin")
    translational_threshold: float = quantity(
        "m", 0.0, ge=0, typical=(0.0, 0.01), doc="tables of x and y whose largest value is smaller do not count"
    )
    rotational_threshold: float = quantity(
        "rad", 0.0, ge=0, typical=(0.0, 0.05), doc="tables of angles whose largest value is smaller do not count"
    )
    contributions: bool = choice(False, doc="a channel for each load on each property")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        given = [name for name in (*MAPS, "cross") if getattr(self, name) is not None]
        if self.sets and given:
            raise problem("stands beside sets; give one set of maps here, or several there", given[0])
        if not self.sets and not given:
            raise problem(f"nothing gives way; give some of {', '.join(MAPS)}, cross, or sets")
        if self.loop != "states" and self.velocity == "full":
            text = f"'full' goes with the loop 'states'; with '{self.loop}' give 'filtered' or 'off'"
            raise problem(text, "velocity")
        check_sets(self.sets)
        return self

    # -- data --------------------------------------------------------------------------------------

    @property
    def groups_of_maps(self) -> tuple[Data, ...]:
        """What has maps: the sets, or this part itself."""
        return self.sets or (self,)

    @property
    def properties(self) -> tuple[str, ...]:
        """Those that give way."""
        found = {keys[-2] for data in self.groups_of_maps for keys, _ in maps_of(data)}
        return tuple(name for name in MAPS if name in found)

    def negligible(self, found: ComplianceMap) -> bool:
        """Whether a table is below its threshold."""
        angle = found.curve.units.y == "rad"
        return found.largest < (self.rotational_threshold if angle else self.translational_threshold)

    def check(self, axle: AxlePlace, path: tuple[str | int, ...]) -> None:
        """Raise where it cannot be, on this axle; ``path``: where it stands in the data of the vehicle."""
        if len(axle.sides) == 1:
            for i, data in enumerate(self.groups_of_maps):
                if getattr(data, "cross", None) is not None:
                    where = ("sets", i) if self.sets else ()
                    raise problem("an axle with a single wheel has no other one", *path, *where, "cross")
        check_definite(self, axle, path)

    def slope(self, place: WheelPlace, name: str, *loads: str) -> float:
        """The steepest slope of a property over one of some loads, its own wheel's and the other's."""
        total = 0.0
        for cross in (False, True):
            slopes = [
                found.on(place.side).steepest
                for data in self.groups_of_maps
                for keys, found in maps_of(data)
                if keys[-2:-1] == (name,) and keys[-1] in loads and (keys[0] == "cross") is cross
            ]
            total += max(slopes, default=0.0)
        return total

    @derived("m/N", doc="steepest slope of x over the longitudinal force", at="wheel")
    def slope_x(self, place: WheelPlace) -> float:
        return self.slope(place, "x", *LONGITUDINAL)

    @derived("m/N", doc="steepest slope of y over the lateral force", at="wheel")
    def slope_y(self, place: WheelPlace) -> float:
        return self.slope(place, "y", "fy")

    @derived("rad/N", doc="steepest slope of camber over the lateral force", at="wheel")
    def slope_camber(self, place: WheelPlace) -> float:
        return self.slope(place, "camber", "fy")

    @derived("rad/N", doc="steepest slope of toe over the lateral force, itself and by its moment", at="wheel")
    def slope_toe(self, place: WheelPlace) -> float:
        return self.slope(place, "toe", "fy") + TRAIL * self.slope(place, "toe", "mz")

    def groups(self, place: Any) -> Iterator[tuple[str, Data]]:
        if isinstance(place, WheelPlace):
            yield from ((f"{place.name}.compliance.set{i + 1}", item) for i, item in enumerate(self.sets))

    # -- the model ---------------------------------------------------------------------------------

    def frames(self, at: WheelModel, p: Symbols) -> None:
        if at.place.settings.simplified_model != 0:
            return
        from jounce.components.tire.mounted import Yielding

        own, doc = at.scope.scope("compliance"), "by which it gives way, sign of its map"
        states = self.loop == "states"
        for name in self.properties:
            what = (name, UNITS[name], f"{name.replace('_', ' ')} {doc}")
            at.gives[name] = (
                own.state(*what, role="balance", massless=True) if states else own.memory(*what, role="follow")
            )
        x, y, camber = (at.gives.get(name, 0.0) for name in ("x", "y", "camber"))
        if (found := freedom_of(at)) is not None:
            x = found[0].in_speed(found[1]) * x
        moved = (x, y, -at.place.outwards * camber)
        slip: tuple[Any, ...] = ()
        speeds: dict[str, Any] = {}
        moves = any(name in at.gives for name in ("x", "y", "camber")) or found is not None
        if self.velocity == "full" and moves:
            slip = (own.later("along"), own.later("across"))
        elif self.velocity == "filtered":
            for name in at.gives:
                what = (f"{name}.speed", f"{UNITS[name]}/s", f"filtered rate of {name}")
                speeds[name] = own.state(*what, role="zero") if states else own.memory(*what, role="zero")
        tried = [
            {name: own.later(f"{name}.tried{i + 1}", held=True) for name in at.gives}
            for i in range(self.iterations if self.loop == "iterated" else 0)
        ]
        at.yielding = Yielding(moved, slip, _hub_speeds(at, speeds), tried)
        p.kept["speeds"] = speeds

    def close(self, at: WheelModel, p: Symbols) -> None:
        if not at.gives:
            return
        from jounce.components.tire.contact import contact_speeds

        if self.loop != "states":
            self._follow(at, p)
            return
        rates = self.rates(at)
        for name, state in at.gives.items():
            at.scope.derivative(state, rates[name])
        assert at.yielding is not None
        if at.yielding.slip:
            x, y, camber = (rates.get(name, 0.0) for name in ("x", "y", "camber"))
            if (found := freedom_of(at)) is not None:
                freedom, own = found
                x = freedom.in_speed(own) * x + freedom.rate_along(at, own)
            speeds = contact_speeds(at.tire.contact, (x, y, -at.place.outwards * camber))
            for symbol, value in zip(at.yielding.slip, speeds, strict=True):
                at.scope.define(symbol, value)
        for name, speed in p.kept["speeds"].items():
            at.scope.derivative(speed, 2 * pi * p.cutoff * (rates[name] - speed))

    def rates(self, at: WheelModel) -> dict[str, Any]:
        """(2) of all properties that are states; none of memories."""
        p = at.symbols(self, "compliance")
        if "rates" not in p.kept and self.loop == "states":
            p.kept["parts"] = list(self._parts(at))
            tau = self._lag(at, p)
            targets = {name: sum(v for keys, v in p.kept["parts"] if keys[-2] == name) for name in at.gives}
            p.kept["rates"] = {name: (targets[name] - state) / tau for name, state in at.gives.items()}
        return p.kept["rates"]

    def _along(self, data: Data) -> Iterator[tuple[tuple[str, ...], ComplianceMap]]:
        """Maps of x over the longitudinal force of the own wheel."""
        yield from ((k, item) for k, item in maps_of(data) if k[0] == "x" and k[-1] in LONGITUDINAL)

    @property
    def gives_along(self) -> bool:
        """Whether x gives way to the longitudinal force of the own wheel."""
        return any(True for data in self.groups_of_maps for _ in self._along(data))

    def straight_along(self, side: str) -> bool:
        """Whether all of these maps are rates."""
        return all(m.on(side).curve.constant is not None for data in self.groups_of_maps for _, m in self._along(data))

    def slope_along(self, side: str) -> float:
        """Of these maps at no load, of the first set, m/N; the smaller one of braking and driving."""
        slopes = {keys[-1]: slope_of(found.on(side)) for keys, found in self._along(self.groups_of_maps[0])}
        return self.factor * min(slopes.values(), default=0.0)

    def along(self, at: WheelModel, force: Any) -> Any:
        """How far these maps let a wheel go along x under a force."""
        return sum(value for _, value in self._parts(at, force=force))

    def _follow(self, at: WheelModel, p: Symbols) -> None:
        """Memories: (1) of the loads of this evaluation, or of iterations; and their speeds (5)."""
        assert at.yielding is not None
        now = at.gives
        for i in range(len(at.yielding.tried) + 1):
            parts = list(self._parts(at, i))
            share = p.relaxation if at.yielding.tried else 1.0
            sums = {name: sum(value for keys, value in parts if keys[-2] == name) for name in now}
            then = {name: before + share * (sums[name] - before) for name, before in now.items()}
            if i < len(at.yielding.tried):
                for name, symbol in at.yielding.tried[i].items():
                    at.scope.define(symbol, then[name])
                then = at.yielding.tried[i]
            now = then
        p.kept["parts"], p.kept["rates"] = parts, {}
        faster, elapsed = 2 * pi * p.cutoff, at.system.elapsed
        for name, memory in at.gives.items():
            at.scope.next_memory(memory, now[name])
            speed = p.kept["speeds"].get(name)
            if speed is not None:
                step = faster / (1 + faster * elapsed) * (now[name] - memory - elapsed * speed)
                at.scope.next_memory(speed, speed + step)

    def _lag(self, at: WheelModel, p: Symbols) -> Any:
        """(3)"""
        mounted = [at.tire, *([at.twin] if at.twin is not None else [])]
        k_x, k_y, d_x, d_y = (
            sum(item.values.get(key, 0.0) for item in mounted)
            for key in ("stiffness_x", "stiffness_y", "damping_x", "damping_y")
        )
        loads = [fmax(item.values["fz"], 0.0) for item in mounted]  # outside tires may pull
        cornering = sum(
            item.values.get("cornering", OUTSIDE_CORNERING * load) for item, load in zip(mounted, loads, strict=True)
        )
        sideways = p.slope_y + at.tire.contact.radius * p.slope_camber
        gain = p.slope_x * k_x + sideways * k_y + p.slope_toe * cornering
        steps = STEPS * fmax(at.system.t_dt, SHORTEST)
        least = fmax(p.lag, steps * (1 + p.factor * gain))
        damped = p.slope_x * d_x + sideways * d_y
        return least + p.factor * damped if at.yielding is not None and at.yielding.slip else least

    def _parts(self, at: WheelModel, tried: int = 0, force: Any = None) -> Iterator[tuple[tuple[str, ...], Any]]:
        """The summands of (1) by their keys: (cross,) property, load; ``tried``: with the loads of which iteration.

        ``force``: only those of x by the longitudinal force of the own wheel, which is given instead.
        """
        sets = self.groups_of_maps
        weights = _weights(at, sets) if self.sets else [None]
        found: dict[tuple[str, ...], Any] = {}
        for i, (data, weight) in enumerate(zip(sets, weights, strict=True)):
            symbols = at.symbols(data, f"compliance.set{i + 1}" if self.sets else "compliance")
            for keys, item in maps_of(data) if force is None else self._along(data):
                value = self._part(at, symbols, keys, item, tried, force)
                value = value if weight is None else weight * value
                found[keys] = found[keys] + value if keys in found else value
        yield from found.items()

    def _part(
        self, at: WheelModel, symbols: Symbols, keys: tuple[str, ...], data: ComplianceMap, tried: int, given: Any
    ) -> Any:
        name, load = keys[-2:]
        cross = keys[0] == "cross"
        here = at.paired if cross else at
        travel = at.paired.travel if cross and self.cross_travel == "other" else at.travel
        own = symbols
        for key in keys:
            own = getattr(own, key)
        whole = at.symbols(self, "compliance")
        force = loads(here, tried)[load.split("_")[0]] if given is None else given
        if load == "fz":
            force = force - whole.load_reference
        gain = whole.factor * own.gain
        found = freedom_of(at) if given is None and not cross and name == "x" and load in LONGITUDINAL else None
        if found is not None and found[0].takes_force:
            gain = (1 - found[1].share) * gain
        curve = data.on(at.place.side).curve
        label = f"{own.own_name.removeprefix(at.place.prefix)}.{'effective' if given is None else 'along'}"
        if curve.constant is not None:  # one factor, computed before a run
            unit, doc = curve.units.of_constant, "slope, times all factors"
            value = _once(at, label, lambda: gain * own.used(1.0), unit, doc) * force
        else:
            value = _once(at, label, lambda: gain, "-", "all factors on the map") * own.used(force, travel)
        if load == "fx_brake":
            value = value * braked(here, whole.brake_width)
        elif load == "fx_drive":
            value = value * (1 - braked(here, whole.brake_width))
        word = None if cross else SCALED.get((name, load))
        if word is not None:
            port = f"External_Compliance_Scaling.{at.axle.place.word}.{word}"
            factor = at.vehicle.outside(port, "-", f"factor on {name} by {load} of the contact", "scale", 1.0)
            value = value if factor is None else factor * value
        return value

    def tell(self, at: WheelModel, p: Symbols) -> None:
        place = at.place.name
        for name, value in at.gives.items():
            word, unit, doc = CHANNELS[name], UNITS[name], f"{name.replace('_', ' ')} by compliance, sign of its map"
            speed = p.kept["speeds"].get(name, p.kept["rates"].get(name, 0.0))
            if name == "x" and at.along is not None and (found := freedom_of(at)) is not None:
                share = found[0].in_pose(found[1])
                value, speed = (share * a + b for a, b in zip((value, speed), at.along, strict=True))
            at.channel(f"{word}_compliance.{place}", value, unit, doc)
            at.channel(f"{word}_compliance_velocity.{place}", speed, f"{unit}/s", f"rate of the {doc}")
            if self.contributions:
                parts = [(keys, part) for keys, part in p.kept["parts"] if keys[-2] == name]
                whole = sum(part for _, part in parts)
                at.channel(f"{word}_compliance_map.{place}", whole, unit, f"{doc}, of the loads of this moment")
                for keys, value_of in parts:
                    by = "_".join((*keys[:-2], keys[-1]))
                    at.channel(f"{word}_compliance_by_{by}.{place}", value_of, unit, f"{doc}, part of {by}")

    # -- remarks -----------------------------------------------------------------------------------

    def remarks(self) -> Iterator[tuple[str, str]]:
        for i, data in enumerate(self.groups_of_maps):
            for keys, left in maps_of(data):
                path = ".".join((f"sets[{i}]", *keys) if self.sets else keys)
                for side, found in (("", left), (".right", left.right)):
                    if found is not None and self.negligible(found):
                        limit = "rotational" if found.curve.units.y == "rad" else "translational"
                        text = f"not used: its largest value, {found.largest:.3g} {found.curve.units.y}, is below "
                        yield f"{path}{side}", f"{text}{limit}_threshold"

    def remarks_on(self, suspension: Any) -> Iterator[tuple[str, str]]:
        """What does not fit the maps that guide the wheels."""
        yield from check_covered(self, suspension)


def _once(at: WheelModel, label: str, value: Callable[[], Any], unit: str, doc: str) -> Any:
    """A number that is computed before a run, declared when it is first asked for."""
    known = at.symbols(at.axle.place.data.suspension.compliance, "compliance").kept.setdefault("numbers", {})
    if label not in known:
        known[label] = at.scope.derived(label, value(), unit, doc)
    return known[label]


def _hub_speeds(at: WheelModel, speeds: dict[str, Any]) -> tuple[Any, ...]:
    """Forward, to the left, about the x axis of the wheel, about its spin axis, about z of the body; none: empty."""
    if not speeds:
        return ()
    x, y, toe, camber, side = (speeds.get(name, 0.0) for name in MAPS)
    if (found := freedom_of(at)) is not None:
        x = found[0].in_speed(found[1]) * x
    out = at.place.outwards
    return (x, y, -out * camber, -side, -out * toe)


def _weights(at: WheelModel, sets: tuple[Data, ...]) -> list[Any]:
    """Shares of sets: linear in the travel of the other wheel between them, constant beyond."""
    places = [at.symbols(data, f"compliance.set{i + 1}").other_travel for i, data in enumerate(sets)]
    passed: list[Any] = [1.0]
    for a, b in pairwise(places):
        passed.append(clip((at.paired.travel - a) / (b - a), 0.0, 1.0))
    passed.append(0.0)
    return [before - after for before, after in pairwise(passed)]


def braked(at: WheelModel, width: Any) -> Any:
    """How far a brake moment has taken the place of driving: 0 without, 1 from the width on."""
    if isinstance(at.brake_torque, int | float):
        return 0.0
    moment = fabs(at.brake_torque)
    return if_else(moment > 0, fmin(moment / fmax(width, WIDTH), 1.0), 0.0)


def loads(at: WheelModel, tried: int = 0) -> dict[str, Any]:
    """Loads of all tires of a wheel on a carrier that is held, contact axes at the first contact point.

    ``tried``: in which iteration, where there are some.
    """
    total = _loads_of(at.tire, tried)
    if at.twin is None:
        return total
    more = _loads_of(at.twin, tried)
    out = [b - a for a, b in zip(at.tire.centre, at.twin.centre, strict=True)]
    along, across = (sum(a * b for a, b in zip(out, axis, strict=True)) for axis in at.tire.contact[:2])
    lever = along * more["fy"] - across * more["fx"]
    return {key: total[key] + more[key] + (lever if key == "mz" else 0.0) for key in total}


def _loads_of(tire: Mounted, tried: int) -> dict[str, Any]:
    contact = tire.contact
    v = tire.tried[tried] if tried < len(tire.tried) else tire.values
    if not tire.changed:
        return {"fx": v.get("fx_held", v["fx"]), "fy": v.get("fy_held", v["fy"]), "fz": v["fz"], "mz": v["mz"]}
    from jounce.symbolic.frames import cross, dot

    force, lever = tire.wrench.force, cross(list(contact.arm), tire.wrench.force)
    moment = [m - part for m, part in zip(tire.wrench.moment, lever, strict=True)]
    axes = [list(axis) for axis in (contact.forward, contact.lateral, contact.normal)]
    forces = (dot(force, axis) for axis in axes)
    return dict(zip(("fx", "fy", "fz", "mz"), (*forces, dot(moment, axes[2])), strict=True))
