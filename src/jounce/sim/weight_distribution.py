"""The tension of the chains of a weight-distribution hitch, for a wanted front axle load restoration.

Three loads of the first axle are found by statics: W_uncoupled of the towing unit alone, W_without with the trailer
and the chains off, W_with (``components/towing/weight_distribution.py`` (3)). The last one rises nearly in proportion
to the preload F_0 of the chains, so that secants find it:

    F_0 ← F_0 + (FALR* − FALR) ΔF_0/ΔFALR                                                                         (1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jounce.core.errors import ParameterError
from jounce.sim import car
from jounce.sim.statics import settle

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.vehicle.schema import Vehicle

FIRST = 2000.0  # N, chains of which the first secant is drawn
CLOSE = 1e-5  # of FALR
MOST = 12  # secants
LOADS = "Tire.Ground_Surface_Force_Z"


@dataclass(frozen=True)
class Distributed:
    """What the chains do."""

    vehicle: Vehicle  # with the preload that was found
    preload: float  # N
    falr: float
    uncoupled: float  # N, loads of the first axle
    without: float
    with_chains: float
    moment: float  # N.m, of both chains on the towing unit about the coupling, nose down


def distribute(vehicle: Vehicle, falr: float = 1.0) -> Distributed:
    """Hang in the chains so that the first axle has the share ``falr`` of the load back that its trailer took.

    Raises
    ------
    ParameterError
        Where nothing is towed by such a hitch, the trailer takes nothing from the first axle, or no tension does it.
    """
    place = vehicle.layout
    if len(place.units) < 2:
        raise ParameterError("distribute: the vehicle tows nothing; give it a trailer")
    hitch = place.units[1].data.hitch
    index = next((i for i, d in enumerate(hitch.devices) if getattr(d, "kind", "") == "weight_distribution"), None)
    if index is None:
        raise ParameterError("distribute: the hitch of unit 2 has no weight_distribution among its devices")
    keys = "trailers[0]" if vehicle.trailers else "units[1]"
    path, name = f"{keys}.hitch.devices[{index}]", f"unit2.hitch.device{index + 1}"
    alone = vehicle.with_(**({"trailers": []} if vehicle.trailers else {"units": [vehicle.units[0]]}))
    wheels = [wheel.name for wheel in place.axles[0].wheels]

    def first_axle(sim: Simulation) -> float:
        return sum(sim.output(f"{LOADS}.{wheel}") for wheel in wheels)

    described = car.describe(alone)
    free = car.simulation(described)
    settle(free, described)
    uncoupled = first_axle(free)
    described = car.describe(vehicle)
    sim = car.simulation(described)

    def load(preload: float, active: float = 1.0) -> float:
        sim.set_parameters({f"{name}.preload": preload, f"{name}.active": active})
        settle(sim, described)
        return first_axle(sim)

    without = load(0.0, 0.0)
    if not without < uncoupled:
        raise ParameterError(
            f"distribute: the trailer takes nothing from the first axle ({uncoupled:.6g} N alone, {without:.6g} N with)"
        )

    def restored(preload: float) -> float:
        return (load(preload) - without) / (uncoupled - without)

    a, b = 0.0, FIRST
    at_a, at_b = restored(a), restored(b)
    for _ in range(MOST):
        if abs(at_b - falr) < CLOSE:
            break
        if at_b == at_a:
            raise ParameterError(f"distribute: chains of {b:.6g} N change nothing; are they slack, or in line with it?")
        a, b, at_a = b, b + (falr - at_b) * (b - a) / (at_b - at_a), at_b  # (1)
        at_b = restored(b)
    else:
        raise ParameterError(f"distribute: no tension restores {falr:.3g}; {b:.6g} N restore {at_b:.3g}")
    found = vehicle.with_(**{f"{path}.preload": b})
    moment = float(sim.output("unit2.Weight_Distribution.moment"))
    return Distributed(found, b, at_b, uncoupled, without, first_axle(sim), moment)
