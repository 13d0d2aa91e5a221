"""A tire of every model, for tests that hold for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jounce.components.tire.base import Tire
from jounce.components.tire.fiala import Fiala
from jounce.components.tire.linear import Linear
from jounce.components.tire.measured import from_grid
from jounce.components.tire.mf6 import Mf6
from jounce.components.tire.pac_mc import PacMc
from mf6_reference import FULL_62, MOTORCYCLE
from tire_models import FULL, tire

SIZE = {"UNLOADED_RADIUS": 0.31, "VERTICAL_STIFFNESS": 2e5, "FNOMIN": 4000.0, "FZMAX": 9000.0}
FIALA = {**SIZE, "CSLIP": 9e4, "CALPHA": 6e4, "UMAX": 1.0, "UMIN": 0.9, "CGAMMA": 2e3, "ROLLING_RESISTANCE": 0.003}
LINEAR = {**SIZE, "CSLIP": 8e4, "CALPHA": 6e4, "CGAMMA": 2e3, "TRAIL": 0.03, "LOAD_PROPORTIONAL": 1.0}


def made(model: Any, values: dict[str, float]) -> Tire:
    return Tire(model, model.complete(values), side="left", name=model.kind)


def table(mode: int) -> Tire:
    """From the Magic Formula, on a grid with zero slip as a point of it."""
    source = tire({k: v for k, v in FULL.items() if k not in ("PHX1", "PVX1", "PHX2", "PVX2")}, 4)
    source = source.with_values(**dict.fromkeys(source.model.sided, 0.0), RHY1=0.0, RHY2=0.0)
    axes = np.linspace(500, 8500, 5), np.linspace(-0.5, 0.5, 41), np.linspace(-0.5, 0.5, 41)
    f = source.steady(*np.meshgrid(*axes, indexing="ij"))
    grid = np.stack([f.fx, f.fy, f.mz], axis=-1)
    return from_grid(*axes, grid, {**SIZE, "CGAMMA": 2e3}, mode=mode, name="grid")


MODELS: dict[str, Callable[[int], Tire]] = {
    "pac2002": lambda mode: tire(FULL, mode),
    "mf_05": lambda mode: tire(FULL, mode, "MF_05"),
    "mf_52": lambda mode: tire(FULL, mode, "MF_52"),
    "mf_61": lambda mode: made(Mf6(mode=mode, version=61), FULL_62),
    "mf_62": lambda mode: made(Mf6(mode=mode), FULL_62),
    "mf_62 turn slip": lambda mode: made(Mf6(mode=mode, turn_slip=True), FULL_62),
    "pac_mc": lambda mode: made(PacMc(mode=mode), MOTORCYCLE),
    "fiala": lambda mode: made(Fiala(mode=mode), FIALA),
    "linear": lambda mode: made(Linear(mode=mode), LINEAR),
    "table": table,
}
