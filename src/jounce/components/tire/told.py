"""What a tire tells besides its forces: its relaxation lengths and its pneumatic trail.

    σκ, σα   of the tire at its load, for small slip, (1) and (2) of ``transient``; of use modes with relaxation
    t        in  Mz = -t Fy + ...,  (1) of ``output_map``: behind the wheel positive when it rolls forward, in front of
             it, and negative, in reverse; of models that know one

What the limit of the step (8) and large slip (9) make of the lengths in ``transient`` is not in them. They are computed
from the results of the tire, load, slips and speeds, by a leaf function of its own that only channels call: the
right-hand side of a vehicle does not know it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from jounce.components.tire.transient import leaf_name, leaf_with, slowness, turn_of

if TYPE_CHECKING:
    from jounce.components.tire.base import Curve, Numbers, TireModel
    from jounce.symbolic.leaf import Leaf

INPUTS = ("fz", "gamma", "friction", "side", "kappa", "alpha", "vx", "vy", "spin")
LENGTHS = ("sigma_kappa", "sigma_alpha")


def told_inputs(model: TireModel) -> tuple[str, ...]:
    """By the names of ``transient.inputs`` and ``transient.outputs``."""
    return INPUTS + (("yaw_rate",) if model.turn_slip else ())


def told_names(model: TireModel) -> tuple[str, ...]:
    """What a tire of this structure tells."""
    return (LENGTHS if model.transient else ()) + (("trail",) if model.has_trail else ())


def tell(
    model: TireModel, p: Numbers, x: Mapping[str, Any], curves: Mapping[str, Curve] | None = None
) -> dict[str, Any]:
    """``told_names`` from ``told_inputs``, with numbers or symbols."""
    side, vx = x["side"], x["vx"]
    moves = 1 - slowness(p, vx).stands if model.transient else 1.0
    turn = turn_of(p, x, moves) if model.turn_slip else None
    at = model.at_load(p, x["fz"], side * x["gamma"], x["friction"], turn=turn, curves=curves)
    found = {"sigma_kappa": at.sigma_kappa, "sigma_alpha": at.sigma_alpha}
    if model.has_trail:
        found |= model.parts(p, at, x["kappa"], side * x["alpha"], vx, x["spin"])
    return {name: found[name] for name in told_names(model)}


@cache
def told_leaf(model: TireModel, factors: tuple[str, ...] = ()) -> Leaf:
    """The leaf function of a structure, made once and shared by all wheels and systems."""

    def body(p: Numbers, x: Mapping[str, Any], curves: Mapping[str, Curve]) -> list[Any]:
        return list(tell(model, p, x, curves).values())

    return leaf_with(model, leaf_name(model, ["told"], factors), told_inputs(model), body, factors)
