"""Where the energy of a drive goes: work and losses as integrals, each computed by itself.

With the power of every source (crankshafts; terminals of the battery, or of motors without one) and of every loss, as
the parts say them (``base.Energy``),

    W_sources = W_hubs + Σ W_lost + W_auxiliary + Δ(½ Σ J ω²) + ΔE_springs                                          (1)

for all shafts before the hubs. The work at the hubs is that of the torques there, less what the inertia of the shafts
that turn with them takes: P = Σ T ω_hub − Σ J ω ω̇. No term is found as the rest of the others; what (1) does not meet
is the error of integration. Along the road,

    W_drag = ∫F v,   W_rolling = −∫Σ M_y Ω,   W_slip = ∫Σ F_x (Ω r − v_x),   W_brakes = −∫Σ M_b Ω                   (2)

All are states with a rate and nothing that depends on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from jounce.components.drive.hub import hub
from jounce.components.drive.thrust import Thrust
from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.fields import choice
from jounce.symbolic.ops import fabs, fmax

if TYPE_CHECKING:
    from jounce.components.drive.base import Energy

GROUP, BY, DRAG = "Energy", "the energy account", "aero_forces.drag_force"


class EnergyAccount(Part):
    """Integrals of all powers of a drive."""

    family: ClassVar[str] = "sensor"

    kind: Literal["energy_account"] = choice("energy_account", doc="kind of sensor")

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        thrust: Thrust = at.signals.read("drive.thrust", BY)
        found: dict[str, Energy] = at.signals.read("drive.energies", BY) if "drive.energies" in at.signals else {}
        wheels = at.wheels.values()
        hubs = sum((w.drive_torque * hub(w).speed for w in wheels), 0.0) - thrust.inertial_power
        electric = _said(found, "electric")
        sources = [*_said(found, "source"), *electric]
        source = sum(sources, 0.0) if sources else hubs
        powers: dict[str, tuple[Any, str]] = {
            "sources": (source, "work of crankshafts and battery terminals; at the hubs of an ideal drive"),
            "turned_over": (fabs(source), "the same with all powers positive"),
            "hubs": (hubs, "work at the hubs"),
            "drag": (_drag(at) * at.units[0].chassis.v[0], "against the air"),
            "brakes": (-sum((w.brake_torque * w.rotor.spin for w in wheels), 0.0), "that brakes make heat"),
        }
        tires = [(w, tire) for w in wheels for tire in (w.tire, w.twin) if tire is not None]
        rolls = -sum(tire.values["my"] * w.rotor.spin for w, tire in tires)
        slips = sum(t.values["fx"] * (w.rotor.spin * t.values["radius"] - t.motion.vx) for w, t in tires)
        powers["rolling"] = (rolls, "that rolling resistance makes heat")
        powers["slip"] = (slips, "that longitudinal slip makes heat")
        if electric:
            powers["regenerated"] = (sum(fmax(-power, 0.0) for power in electric), "given back by motors")
        if auxiliary := _said(found, "auxiliary"):
            powers["auxiliary"] = (sum(auxiliary, 0.0), "of auxiliaries at the battery")
        for place, energy in found.items():
            if energy.lost is not None:
                powers[f"lost.{place}"] = (energy.lost, f"that {place} makes heat")
        scope = at.scope("energy")
        for name, (power, doc) in powers.items():
            state = scope.state(name, "J", doc, role="free")
            scope.derivative(state, power)
            at.channel(f"{GROUP}.{name}", state, "J", doc)
        at.channel(f"{GROUP}.kinetic", thrust.kinetic, "J", "of the shafts before the hubs")
        at.channel(f"{GROUP}.stored", sum(_said(found, "stored"), 0.0), "J", "in springs of clutches and shafts")


def _said(found: Mapping[str, Energy], name: str) -> list[Any]:
    """What all parts say of one kind."""
    return [value for value in (getattr(energy, name) for energy in found.values()) if value is not None]


def _drag(at: VehicleModel) -> Any:
    """Of the first unit, wherever it acts, N."""
    names = [f"{at.place.prefix}{DRAG}{where}" for where in ("", "_front", "_rear")]
    return sum((o.symbol for o in at.system.outputs if o.name in names), 0.0)
