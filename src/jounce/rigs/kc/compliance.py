"""Compliance maps from load sweeps.

A wheel gives way to its own load by D and to that of the other wheel by C. Over its own load F, whatever the side,

    aiding (both wheels +F):    A(F) = D(F) + C(F)                                                                 (1)
    opposing (the other -F):    O(F) = D(F) + C(-F) = D(F) - C(F)     for an odd C
    D = (A + O)/2,   C = (A - O)/2                                                                                 (2)
    single (the other 0):       D(F) = p of the loaded wheel,   C(F) = p of the other one                          (3)

With aiding alone (1) is booked as D. (3) needs nothing to be odd. What is left at no load is taken off; so is what the
wheel guidance does with the travel that the load causes. Several files at different travels make columns over travel.

Loads are those on the wheel in the axes of docs/conventions.md; slots are those of the model: longitudinal force at the
contact counts in braking (``fx_brake``), at the wheel centre in driving (``fx_drive``); a lateral force at the wheel
centre has no slot of its own and is used only where there is none at the contact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from jounce.components.basics import SIDES, Side
from jounce.core.errors import ParameterError
from jounce.rigs.kc.cases import FAMILIES, Settings, Sweep, moved_side, need
from jounce.rigs.kc.channels import ODD, PROPERTIES, Array
from jounce.rigs.kc.fitting import Fit, fit_curve, grid, points_of
from jounce.rigs.kc.kinematics import OTHER, Grid, Values, raw

ORDER = 5  # of polynomials over load
SAME = 0.002  # m: travels of two files that are one column
UNEVEN = 0.2  # of the smaller of two ranges


@dataclass
class Slot:
    """All maps of one load: by side and property, over load or load and travel; ``cross``: by the other wheel's."""

    direct: dict[Side, dict[str, Grid]]
    cross: dict[Side, dict[str, Grid]] = field(default_factory=dict)


@dataclass
class Compliance:
    """Slots of the model with their maps."""

    slots: dict[str, Slot] = field(default_factory=dict)
    fits: dict[str, Fit] = field(default_factory=dict)
    symmetry: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def added(self, name: str, side: Side, sweep: Sweep) -> Array:
        """What the loads in a sweep add to a property of a wheel."""
        total = np.zeros(len(sweep[f"travel.{side}"]))
        for slot, maps in self.slots.items():
            load = {"fx_brake": "fx", "fx_drive": "fx"}.get(slot, slot)
            if slot == "fx_drive" and "fx_brake" in self.slots:
                continue  # a rig that does not turn the wheel pushes at the contact
            for by, found in ((side, maps.direct), (OTHER[side], maps.cross)):
                grid_ = found.get(side, {}).get(name)
                values = sweep.values.get(f"{load}.{by}")
                if grid_ is not None and values is not None:
                    total = total + grid_(values, sweep[f"travel.{side}"])
        return total


def build(
    sweeps: Sequence[Sweep],
    settings: Settings,
    *,
    guided: Callable[[str, Side, Sweep], Array] | None = None,
    names: Sequence[str] = PROPERTIES,
    values: Values = raw,
) -> Compliance:
    """All slots that the files give; ``guided``: what the guidance does with the travel in a sweep."""
    result = Compliance()
    families = [f for f in FAMILIES if any(s.case.family == f for s in sweeps)]
    if "centre lateral" in families:
        result.remarks.append(
            "a lateral force at the wheel centre has no moment about the contact, which the model cannot tell apart: "
            + ("not used, there is one at the contact" if "contact lateral" in families else "taken as at the contact")
        )
        if "contact lateral" in families:
            families.remove("centre lateral")
    for family in families:
        load, slot = FAMILIES[family]
        own = [s for s in sweeps if s.case.family == family]
        for sweep in own:
            wanted = [f"travel.{side}" for side in SIDES]
            need(sweep, *wanted, *(f"{name}.{side}" for name in (load, *names) for side in SIDES))
        result.slots[slot] = _family(own, load, settings, guided, names, values, result)
        first = next((s for s in own if s.case.way in ("aiding", "single")), own[0])
        symmetry = first.case.symmetry or settings.symmetry
        result.symmetry[slot] = symmetry
        for maps in (result.slots[slot].direct, result.slots[slot].cross):
            symmetrise(maps, load, symmetry)
    result.remarks = list(dict.fromkeys(result.remarks))
    return result


def _family(
    sweeps: Sequence[Sweep], load: str, settings: Settings, guided: Callable[[str, Side, Sweep], Array] | None,
    names: Sequence[str], values: Values, result: Compliance,
) -> Slot:  # fmt: skip
    by_way = {way: [s for s in sweeps if s.case.way == way] for way in ("aiding", "opposing", "single")}
    if by_way["single"] and by_way["aiding"]:
        result.remarks.append(f"{load}: single and aiding files; the single ones are used")
    if not by_way["single"] and not by_way["aiding"]:
        raise ParameterError(
            f"{sweeps[0].case.where}: opposing loads alone do not tell direct from cross; add aiding ones"
        )

    def variation(sweep: Sweep, name: str, side: Side, over: Side) -> Fit:
        """Of a property of a wheel over the load of a wheel, zero without it."""
        channel = values(sweep, name, side)
        if guided is not None:
            channel = channel - guided(name, side, sweep)
        label = f"{name}.{side} over {load}.{over}, {sweep.case.label}"
        points = points_of(sweep, f"{load}.{over}", f"{name}.{side}", channel, settings.smooth)
        fit = fit_curve([points], settings, order=min(settings.order, ORDER)).minus(0.0)
        result.fits[label] = fit
        result.remarks += [f"{sweep.case.file.name}: {label}: {text}" for text in fit.warnings]
        return fit

    direct: dict[Side, dict[str, Grid]] = {side: {} for side in SIDES}
    cross: dict[Side, dict[str, Grid]] = {}
    if by_way["single"]:
        for side in SIDES:
            own = _sorted([s for s in by_way["single"] if moved_side(s, load) == side], side)
            if not own:
                continue
            cross.setdefault(OTHER[side], {})
            for name in names:
                fits = [variation(s, name, side, side) for s in own]
                direct[side][name] = _grid(fits, own, side, settings)
                fits = [variation(s, name, OTHER[side], side) for s in own]
                cross[OTHER[side]][name] = _grid(fits, own, side, settings)
        return Slot(direct, cross)
    aiding = by_way["aiding"]
    for side in SIDES:
        own = _sorted(aiding, side)
        for name in names:
            by_file = {id(s): variation(s, name, side, side) for s in own}
            if not by_way["opposing"]:
                direct[side][name] = _grid([by_file[id(s)] for s in own], own, side, settings)
                continue
            pairs = [(by_file[id(s)], variation(_beside(s, by_way["opposing"], side), name, side, side)) for s in own]
            _check_ranges(pairs, own, result)
            both = [combined(a, o) for a, o in pairs]
            direct[side][name] = _grid([d for d, _ in both], own, side, settings)
            cross.setdefault(side, {})[name] = _grid([c for _, c in both], own, side, settings)
    return Slot(direct, cross)


def combined(aiding: Fit, opposing: Fit) -> tuple[Fit, Fit]:
    """D and C of (2)."""
    low, high = max(aiding.low, opposing.low), min(aiding.high, opposing.high)

    def half(sign: float) -> Fit:
        return Fit(low, high, "half", lambda f: 0.5 * (aiding.inside(f) + sign * opposing.inside(f)))

    return half(1.0), half(-1.0)


def _check_ranges(pairs: Sequence[tuple[Fit, Fit]], sweeps: Sequence[Sweep], result: Compliance) -> None:
    for (a, o), sweep in zip(pairs, sweeps, strict=True):
        spans = sorted([a.high - a.low, o.high - o.low])
        if spans[1] > (1 + UNEVEN) * spans[0]:
            text = f"aiding from {a.low:.0f} to {a.high:.0f}, opposing from {o.low:.0f} to {o.high:.0f}"
            result.remarks.append(f"{sweep.case.file.name}: {text}; only what both have is used")


def _travel(sweep: Sweep, side: Side) -> float:
    return float(np.nanmedian(sweep[f"travel.{side}"]))


def _sorted(sweeps: Sequence[Sweep], side: Side) -> list[Sweep]:
    """By travel; two at one travel are refused."""
    found = sorted(sweeps, key=lambda s: _travel(s, side))
    for a, b in pairwise(found):
        if _travel(b, side) - _travel(a, side) < SAME:
            raise ParameterError(
                f"{b.case.where}: the same test at the same travel as in {a.case.file.name}, "
                f"{1e3 * _travel(b, side):.1f} mm"
            )
    return found


def _beside(sweep: Sweep, others: Sequence[Sweep], side: Side) -> Sweep:
    """The opposing file at the travel of an aiding one."""
    found = min(others, key=lambda s: abs(_travel(s, side) - _travel(sweep, side)))
    if abs(_travel(found, side) - _travel(sweep, side)) > max(SAME, 0.005):
        raise ParameterError(
            f"{sweep.case.where}: aiding at {1e3 * _travel(sweep, side):.1f} mm of travel, but no opposing file there"
        )
    return found


def _grid(fits: Sequence[Fit], sweeps: Sequence[Sweep], side: Side, settings: Settings) -> Grid:
    """Over load, or over load and travel, on the interval that all files have."""
    low, high = max(fit.low for fit in fits), min(fit.high for fit in fits)
    if not low < 0.0 < high:
        raise ParameterError(
            f"{sweeps[0].case.where}: loads from {low:.0f} to {high:.0f}; a sweep of loads passes zero"
        )
    loads = grid(low, high, settings.load_points)
    if len(fits) == 1:
        return Grid(loads, fits[0](loads))
    return Grid(loads, np.column_stack([fit(loads) for fit in fits]), np.array([_travel(s, side) for s in sweeps]))


# ---- symmetry -----------------------------------------------------------------------------------------------


def mirrored(name: str, load: str, found: Grid) -> Grid:
    """μ · map(λ F), with λ and μ of the mirror image."""
    value = -1.0 if name in ODD else 1.0
    if load not in ODD:
        return found.times(value)
    return Grid(-found.x[::-1] + 0.0, value * found.y[::-1] + 0.0, found.z)


def symmetrise(maps: dict[Side, dict[str, Grid]], load: str, symmetry: str) -> None:
    """Make both sides mirror images of each other, in place."""
    if symmetry == "none" or not maps:
        return
    names = {name for side in maps.values() for name in side}
    for name in names:
        left, right = maps.get("L", {}).get(name), maps.get("R", {}).get(name)
        if symmetry == "left to right" and left is not None:
            maps.setdefault("R", {})[name] = mirrored(name, load, left)
        elif symmetry == "right to left" and right is not None:
            maps.setdefault("L", {})[name] = mirrored(name, load, right)
        elif symmetry == "average" and left is not None and right is not None:
            other = mirrored(name, load, right)
            low, high = max(left.x[0], other.x[0]), min(left.x[-1], other.x[-1])
            loads = grid(float(low), float(high), len(left.x))
            mean = replace(left, x=loads, y=0.5 * (on_loads(left, loads) + on_loads(other, loads)))
            maps["L"][name], maps["R"][name] = mean, mirrored(name, load, mean)


def on_loads(found: Grid, loads: Array) -> Array:
    """A map on other loads, with its own travels."""
    if found.z is None:
        return found(loads)
    return np.column_stack([found(loads, np.full(len(loads), z)) for z in found.z])
