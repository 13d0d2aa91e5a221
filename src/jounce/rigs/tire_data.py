"""Measured forces of a tire as points: slips, load and forces, in contact axes (ISO W) and SI units.

    data = read_tire_data("run7.csv")                          columns by their usual names, units from the file
    data = read_tire_data("run8.dat", axes="sae", columns={"alpha": "SA", "fy": {"column": "FY", "unit": "lbf"}})
    data = read_tire_data("a.tdx", "b.tdx")                    files joined

Axis systems (the first is that of the formulas; signs of the others are turned here):

    iso           x forward, y left, z up; α > 0 to the left; Fz > 0
    sae           x forward, y right, z down; α > 0 to the right; Fz < 0: Fy, My, Mz, Fz and α change sign           (1)
    adapted_sae   x forward, y right, z down; α > 0 makes Fy > 0; Fz > 0: Fy, My and Mz change sign                 (2)

γ > 0, the top to the right, is the same in all three.  Forces in wheel axes (C, or ``wheel_axes=True``) with the
origin in the wheel centre are moved to the contact, with r the loaded radius:

    Fy_W = Fy cos γ - Fz sin γ,   Fz_W = Fy sin γ + Fz cos γ                                                        (3)
    Mx_W = Mx - r Fy,   My_W = (My + r Fx) cos γ - Mz sin γ,   Mz_W = (My + r Fx) sin γ + Mz cos γ                   (4)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError, did_you_mean
from jounce.core.limits import is_file, reading
from jounce.core.units import convert

Array = npt.NDArray[np.float64]

UNITS: dict[str, str] = {
    **dict.fromkeys(("fx", "fy", "fz"), "N"),
    **dict.fromkeys(("mx", "my", "mz"), "N.m"),
    "kappa": "-",
    "alpha": "rad",
    "gamma": "rad",
    "speed": "m/s",
    "pressure": "Pa",
    "radius": "m",
    "deflection": "m",
    "weight": "-",
    "time": "s",
    "frequency": "1/s",
    "gain": "N/rad",
    "phase": "rad",
}
# Names of columns by which quantities are recognised, without case, blanks and underscores.
NAMES: dict[str, tuple[str, ...]] = {
    "fx": ("fx", "longitudinalforce"),
    "fy": ("fy", "lateralforce"),
    "fz": ("fz", "load", "verticalforce", "normalforce"),
    "mx": ("mx", "overturningmoment"),
    "my": ("my", "rollingresistancemoment"),
    "mz": ("mz", "aligningmoment", "aligningtorque", "selfaligningmoment"),
    "kappa": ("kappa", "sr", "sl", "slip", "slipratio", "longitudinalslip", "longslip"),
    "alpha": ("alpha", "sa", "slipangle"),
    "gamma": ("gamma", "ia", "camber", "inclination", "inclinationangle", "camberangle"),
    "speed": ("speed", "v", "vx", "velocity"),
    "pressure": ("pressure", "p", "inflationpressure"),
    "radius": ("radius", "rl", "loadedradius"),
    "deflection": ("deflection", "rho"),
    "weight": ("weight",),
    "time": ("time", "et", "elapsedtime"),
    "frequency": ("frequency", "freq"),
    "gain": ("gain",),
    "phase": ("phase",),
}
TYDEX: dict[str, tuple[str, ...]] = {
    "fx": ("FX", "FXW", "FXH", "FXC"),
    "fy": ("FYW", "FYH", "FYC"),
    "fz": ("FZW", "FZH", "FZC"),
    "mx": ("MXW", "MXH", "MXC"),
    "my": ("MYW", "MYH", "MYC"),
    "mz": ("MZW", "MZH", "MZC"),
    "kappa": ("LONGSLIP",),
    "alpha": ("SLIPANGL",),
    "gamma": ("INCLANGL",),
    "speed": ("TRAJVELW", "TRAJVELC", "TRAJVELH", "VXW", "LONGVEL"),
    "pressure": ("INFLPRES",),
    "radius": ("DSTGRWHC", "LOADRADI"),
    "deflection": ("DEFLRADI",),
    "time": ("RUNTIME", "MEASTIME"),
}
AXES = ("iso", "sae", "adapted_sae")
_TURNED = {"iso": (), "sae": ("fy", "fz", "my", "mz", "alpha"), "adapted_sae": ("fy", "my", "mz")}
FORCES = ("fx", "fy", "mx", "my", "mz")
SLIPS = ("kappa", "alpha", "gamma")


@dataclass(frozen=True)
class TireData:
    """Points of a measurement; every column has one value per point."""

    columns: Mapping[str, Array]
    source: str = ""
    warnings: Sequence[str] = field(default_factory=tuple)
    others: Sequence[str] = field(default_factory=tuple)  # columns of the file that nothing was made of

    def __post_init__(self) -> None:
        unknown = [name for name in self.columns if name not in UNITS]
        if unknown:
            raise ParameterError(f"tire data: no quantity {unknown[0]!r}{did_you_mean(unknown[0], UNITS)}")
        if "fz" not in self.columns:
            raise ParameterError(f"tire data {self.source}: the wheel load (fz) is missing")
        sizes = {len(np.atleast_1d(values)) for values in self.columns.values()}
        if len(sizes) != 1 or not min(sizes):
            raise ParameterError(
                f"tire data {self.source}: columns of {sorted(sizes)} points; all must have the same, above 0"
            )

    def __len__(self) -> int:
        return len(self.columns["fz"])

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> Array:
        """A column; slips that were not measured are zero."""
        if name in self.columns:
            return self.columns[name]
        if name in SLIPS:
            return np.zeros(len(self))
        raise ParameterError(f"tire data {self.source}: {name!r} was not measured; there are {', '.join(self.columns)}")

    def where(self, chosen: npt.NDArray[np.bool_]) -> TireData:
        """The points for which a condition holds."""
        return TireData({k: v[chosen] for k, v in self.columns.items()}, self.source, self.warnings, self.others)

    def joined(self, other: TireData) -> TireData:
        """All points of both; slips that one of them lacks are zero there, other columns must be in both."""
        names = [n for n in UNITS if (n in self and n in other) or (n in SLIPS and (n in self or n in other))]
        return TireData(
            {name: np.concatenate([self[name], other[name]]) for name in names},
            ", ".join(dict.fromkeys(s for part in (self, other) for s in part.source.split(", ") if s)),
            tuple(dict.fromkeys((*self.warnings, *other.warnings))),
            tuple(dict.fromkeys((*self.others, *other.others))),
        )


def unused(data: TireData) -> list[str]:
    """How to use columns whose names say nothing, for messages."""
    if not data.others:
        return []
    named, more = ", ".join(map(repr, data.others[:12])), "" if len(data.others) <= 12 else ", ..."
    return [f'columns not recognised: {named}{more}; say what they are: --column "fy={data.others[0]}:N"']


def tire_data(source: str = "", axes: str = "iso", *, wheel_axes: bool = False, **columns: npt.ArrayLike) -> TireData:
    """Points from arrays in SI units, turned into the axes of the formulas (1-4)."""
    if axes not in AXES:
        raise ParameterError(f"axes = {axes!r}: unknown{did_you_mean(axes, AXES)}")
    values = {name: np.atleast_1d(np.asarray(column, dtype=np.float64)) for name, column in columns.items()}
    for name in _TURNED[axes]:
        if name in values:
            values[name] = -values[name]
    if wheel_axes:
        values = _at_contact(values, source)
    good = np.ones(len(values.get("fz", ())), dtype=bool)
    for column in values.values():
        if len(column) == len(good):
            good &= np.isfinite(column)
    warnings = []
    if not np.all(good):
        warnings.append(f"{np.count_nonzero(~good)} of {len(good)} points have a value that is no number; left out")
        values = {name: column[good] for name, column in values.items()}
        if not np.any(good):
            empty = [name for name, column in columns.items() if not np.any(np.isfinite(np.asarray(column, float)))]
            why = f"nothing but no numbers in: {', '.join(empty)}" if empty else "each has a value that is no number"
            raise ParameterError(f"tire data {source}: none of {len(good)} points can be used; {why}")
    data = TireData(values, source, tuple(warnings))
    load = float(np.median(data["fz"]))
    if load <= 0:
        given = "positive" if axes == "sae" else "negative"
        hint = "'iso' or 'adapted_sae'" if axes == "sae" else "'sae'"
        raise ParameterError(
            f"tire data {source}: half of the loads are {given}, which axes = {axes!r} does not have; axes = {hint} "
            "(--axes)?"
        )
    if np.any(data["fz"] <= 0):
        lifted = int(np.count_nonzero(data["fz"] <= 0))
        warnings.append(f"{lifted} points have no load; left out")
        data = data.where(data["fz"] > 0)
    return TireData(data.columns, source, tuple(warnings))


def _at_contact(values: dict[str, Array], source: str) -> dict[str, Array]:
    """From wheel axes and centre to contact axes and point (3, 4)."""
    result = dict(values)
    gamma = values.get("gamma", np.zeros(len(values["fz"])))
    c, s = np.cos(gamma), np.sin(gamma)
    fx, fy, fz = (values.get(name, np.zeros(len(gamma))) for name in ("fx", "fy", "fz"))
    if "fy" in values:
        result["fy"] = fy * c - fz * s
    result["fz"] = fy * s + fz * c
    moments = [name for name in ("mx", "my", "mz") if name in values]
    if moments and "radius" not in values:
        raise ParameterError(f"tire data {source}: moments in wheel axes need the loaded radius as a column")
    r = values.get("radius", np.zeros(len(gamma)))
    mx, my, mz = (values.get(name, np.zeros(len(gamma))) for name in ("mx", "my", "mz"))
    if "mx" in values:
        result["mx"] = mx - r * fy
    if "my" in values:
        result["my"] = (my + r * fx) * c - mz * s
    if "mz" in values:
        result["mz"] = (my + r * fx) * s + mz * c
    return result


def read_tire_data(
    *paths: str | Path, axes: str = "iso", columns: Mapping[str, Any] | None = None, wheel_axes: bool = False
) -> TireData:
    """Read measurements and join them.

    Parameters
    ----------
    paths : CSV (also .txt, .dat: any table of numbers with a line of names), TYDEX (.tdx, .tyd, .tydex), MATLAB (.mat)
    axes : ``iso``, ``sae`` or ``adapted_sae``; TYDEX is always ISO
    columns : quantity -> column, or -> {column, unit, scale}; others are found by their usual names
    wheel_axes : forces and moments are at the wheel centre, in axes of the wheel; TYDEX files say it by their names
    """
    if not paths:
        raise ParameterError("tire data: no file given")
    result: TireData | None = None
    for path in paths:
        place = Path(path)
        with reading(place), np.errstate(invalid="ignore"):  # points with a value that is no number are left out
            if place.suffix.lower() in (".tdx", ".tyd", ".tydex"):
                found = _from_tydex(place)
            else:
                found = _from_table(place, axes, columns or {}, wheel_axes)
        result = found if result is None else result.joined(found)
    assert result is not None
    return result


def _from_table(place: Path, axes: str, chosen: Mapping[str, Any], wheel_axes: bool) -> TireData:
    available = _table(place)
    unknown = [name for name in chosen if name not in UNITS]
    if unknown:
        raise ParameterError(f"columns: no quantity {unknown[0]!r}{did_you_mean(unknown[0], UNITS)}")
    taken = {
        str(about["column"] if isinstance(about, Mapping) and "column" in about else about) for about in chosen.values()
    }
    others = [name for name in available if name not in taken]
    values: dict[str, Array] = {}
    used: set[str] = set()
    bare: list[tuple[str, str]] = []
    for quantity, unit in UNITS.items():
        about = chosen.get(quantity)
        if about is None:
            name = _recognised(quantity, others)
            if name is None:
                continue
            about = {"column": name}
        elif not isinstance(about, Mapping):
            about = {"column": str(about)}
        extra = [key for key in about if key not in ("column", "unit", "scale")]
        if extra or "column" not in about:
            raise ParameterError(f"columns, {quantity}: expected column, unit and scale, found {', '.join(about)}")
        name = str(about["column"])
        if name not in available:
            raise ParameterError(f"{place}: {quantity}: no column {name!r}{did_you_mean(name, available, 12)}")
        column, own = available[name]
        used.add(name)
        given = str(about.get("unit", own) or ("s" if quantity == "time" else ""))
        if not given and unit != "-":
            bare.append((quantity, name))
            continue
        try:
            factor = convert(1.0, given or "-", unit)
        except ParameterError as error:
            raise ParameterError(f"{place}: column {name!r} ({quantity}): {error}") from None
        values[quantity] = float(about.get("scale", 1.0)) * factor * column
    if bare:
        options = " ".join(f'--column "{quantity}={name}:{UNITS[quantity]}"' for quantity, name in bare)
        quantity, name = bare[0]
        raise ParameterError(
            f"{place}: these columns have no unit: {', '.join(name for _, name in bare)}; say it in a second line of "
            f"the file, or, each with its own unit: {options}; in Python "
            f"columns={{{quantity!r}: {{'column': {name!r}, 'unit': {UNITS[quantity]!r}}}}}"
        )
    used.update(taken)
    rest = tuple(name for name in available if name not in used)
    if "fz" not in values:
        there = ", ".join(list(available)[:30])
        example = f'; say which: --column "fz={rest[0]}:N"' if rest else ""
        raise FormatError(f"{place}: no column of the wheel load; there are {there}{example}")
    data = tire_data(place.name, axes, wheel_axes=wheel_axes, **values)
    data = replace(data, others=rest)
    missing = [slip for slip in SLIPS if slip not in values]
    if missing and rest and "frequency" not in values:
        text = f"{place.name}: no column of {', '.join(missing)}: counts as zero; {unused(data)[0]}"
        data = replace(data, warnings=(*data.warnings, text))
    return data


def _table(place: Path) -> dict[str, tuple[Array, str]]:
    """Columns of a file with their units, "" where it says none."""
    if not is_file(place):
        raise FormatError(f"{place}: there is no such file")
    if place.suffix.lower() == ".mat":
        from jounce.results.files import mat

        found = {}
        for name, value in mat.load(place).items():
            if isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.size > 1:
                found[name] = (np.ravel(value).astype(np.float64), "")
        return found
    from jounce.results.files import text

    table = text.load(place)
    units = table.units or [""] * len(table.names)
    return {name: (table.values[:, k], _unit(units[k])) for k, name in enumerate(table.names)}


def _unit(text: str) -> str:
    """Spellings of units that are met in tables of measurements."""
    usual = {"kph": "km/h", "kmh": "km/h", "nm": "N.m", "n-m": "N.m", "degrees": "deg", "none": "-", "n/a": "-"}
    return usual.get(text.strip().lower(), text.strip())


def _recognised(quantity: str, available: Sequence[str]) -> str | None:
    for wanted in NAMES[quantity]:
        for name in available:
            if name.lower().replace("_", "").replace(" ", "") == wanted:
                return name
    return None


def _from_tydex(place: Path) -> TireData:
    from jounce.files.tydex import read_tydex

    file = read_tydex(place)
    values: dict[str, Array] = {}
    systems = set()
    for quantity, names in TYDEX.items():
        unit = UNITS[quantity]
        channel = next((name for name in names if name in file.channels), None)
        fixed = next((name for name in names if name in file.constants), None)
        if channel is not None:
            values[quantity] = file.channel(channel, unit)
            if quantity in ("fy", "fz", "mx", "my", "mz"):
                systems.add(channel[-1])
        elif fixed is not None and not isinstance(file.constants[fixed].value, str):
            values[quantity] = np.full(len(file), file.constant(fixed, unit))
    if "fz" not in values:
        raise FormatError(f"{place}: no channel FZW, FZH or FZC; there are {', '.join(file.channels)}")
    if len(systems) > 1:
        raise FormatError(f"{place}: channels in the axis systems {', '.join(sorted(systems))}; one is expected")
    if systems == {"H"} and any(name in values for name in ("mx", "my", "mz")):
        values = _from_h(values, place)
    return tire_data(place.name, "iso", wheel_axes=systems == {"C"}, **values)


def _from_h(values: dict[str, Array], place: Path) -> dict[str, Array]:
    """Moments about the wheel centre in directions of W, moved to the contact: M_W = M_H - (Cp - C) × F."""
    if "radius" not in values:
        raise FormatError(f"{place}: moments in H axes need the loaded radius (channel DSTGRWHC)")
    gamma = values.get("gamma", np.zeros(len(values["fz"])))
    r = values["radius"]
    y, z = r * np.sin(gamma), -r * np.cos(gamma)  # of the contact from the wheel centre
    fx, fy, fz = (values.get(name, np.zeros(len(r))) for name in ("fx", "fy", "fz"))
    result = dict(values)
    if "mx" in values:
        result["mx"] = values["mx"] - (y * fz - z * fy)
    if "my" in values:
        result["my"] = values["my"] - z * fx
    if "mz" in values:
        result["mz"] = values["mz"] + y * fx
    return result
