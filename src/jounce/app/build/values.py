"""Units in which numbers are shown and typed: those of the trade first, any other by writing it behind the number."""

from __future__ import annotations

from functools import lru_cache

from jounce.core.errors import ParameterError
from jounce.core.units import convert, dimensions

# SI unit -> units that are offered, that of the trade first
_OFFERED: dict[str, tuple[str, ...]] = {
    "m": ("mm", "m", "cm", "inch"),
    "m2": ("m2", "mm2", "cm2"),
    "m3": ("l", "m3"),
    "rad": ("deg", "rad"),
    "rad/s": ("rpm", "rad/s", "deg/s"),
    "rad/m": ("deg/m", "rad/m", "deg/mm"),
    "m/rad": ("mm/turn", "m/rad", "mm/deg"),
    "kg": ("kg", "g", "lb"),
    "kg.m2": ("kg.m2", "kg.mm2"),
    "N": ("N", "kN", "lbf"),
    "N/m": ("N/mm", "N/m", "kN/m", "lbf/inch"),
    "N.s/m": ("N.s/m", "N.s/mm", "kN.s/m"),
    "N.m": ("N.m", "kN.m", "lbf.ft"),
    "N.m/rad": ("N.m/deg", "N.m/rad", "kN.m/deg"),
    "N.m.s/rad": ("N.m.s/rad", "N.m.s/deg"),
    "Pa": ("bar", "MPa", "kPa", "Pa", "psi"),
    "m/s": ("m/s", "km/h", "mph"),
    "m/s2": ("m/s2", "g_0"),
    "s": ("s", "ms"),
    "W": ("kW", "W", "horsepower"),
    "J": ("kJ", "J", "kWh"),
    "K": ("degC", "K"),
    "1/m": ("1/m", "1/mm"),
    "-": ("-", "percent"),
}


@lru_cache(maxsize=512)
def offered(unit: str) -> tuple[str, ...]:
    """Units of the same kind that are offered, the usual one first."""
    if not unit:
        return ()
    if unit in _OFFERED:
        return _OFFERED[unit]
    try:
        measured = dimensions(unit)
        return next((found for known, found in _OFFERED.items() if dimensions(known) == measured), (unit,))
    except ParameterError:
        return (unit,)


def usual_unit(unit: str) -> str:
    """The unit of the trade."""
    return (offered(unit) or ("",))[0]


def number_text(value: float, unit: str, shown: str) -> str:
    """A number in another unit, as short as it can be without changing what people would write."""
    number = convert(value, unit, shown) if shown and shown != unit else value
    return f"{number:.10g}"
