"""Where the energy of a drive goes: work and losses as integrals, each computed by itself.

With the power of every source (crankshafts; terminals of the battery, or of motors without one) and of every loss that
a part tells (its channel ``lost_power``),

    W_sources = W_hubs + Σ W_lost + W_auxiliary + Δ(½ Σ J ω²) + ΔE_springs                                          (1)

for all shafts before the hubs. The work at the hubs is that of the torques there, less what the inertia of the shafts
that turn with them takes: P = Σ T ω_hub − Σ J ω ω̇. No term is found as the rest of the others; what (1) does not meet
is the error of integration. Along the road,

    W_drag = ∫F v,   W_rolling = −∫Σ M_y Ω,   W_slip = ∫Σ F_x (Ω r − v_x),   W_brakes = −∫Σ M_b Ω                   (2)

All are states with a rate and nothing that depends on them.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.drive.hub import hub
from jounce.components.drive.thrust import Thrust
from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.fields import choice
from jounce.symbolic.ops import fabs, fmax

GROUP = "Energy"
LOST, SHAFT, ELECTRIC, STORED = ".lost_power", ".Power_KW", ".electric_power", ".stored_energy"


class EnergyAccount(Part):
    """Integrals of all powers of a drive."""

    family: ClassVar[str] = "sensor"

    kind: Literal["energy_account"] = choice("energy_account", doc="kind of sensor")

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        told = {o.name.removeprefix(at.place.prefix): o.symbol for o in at.system.outputs}
        thrust: Thrust = at.signals.read("drive.thrust", "the energy account")
        wheels = at.wheels.values()
        hubs = sum((w.drive_torque * hub(w).speed for w in wheels), 0.0) - thrust.inertial_power
        sources = self._sources(told)
        source = sum(sources.values(), 0.0) if sources else hubs
        powers: dict[str, tuple[Any, str]] = {
            "sources": (source, "work of crankshafts and battery terminals; at the hubs of an ideal drive"),
            "turned_over": (fabs(source), "the same with all powers positive"),
            "hubs": (hubs, "work at the hubs"),
            "drag": (self._drag(told) * at.units[0].chassis.v[0], "against the air"),
            "brakes": (-sum((w.brake_torque * w.rotor.spin for w in wheels), 0.0), "that brakes make heat"),
        }
        tires = [(w, tire) for w in wheels for tire in (w.tire, w.twin) if tire is not None]
        rolls = -sum(tire.values["my"] * w.rotor.spin for w, tire in tires)
        slips = sum(t.values["fx"] * (w.rotor.spin * t.values["radius"] - t.motion.vx) for w, t in tires)
        powers["rolling"] = (rolls, "that rolling resistance makes heat")
        powers["slip"] = (slips, "that longitudinal slip makes heat")
        if "Battery.power" in told:
            powers["regenerated"] = (fmax(-told["Battery.power"], 0.0), "into the battery")
            powers["auxiliary"] = (self._auxiliary(at), "of auxiliaries at the battery")
        elif any(name.endswith(ELECTRIC) for name in told):
            back = sum(fmax(-value, 0.0) for name, value in told.items() if name.endswith(ELECTRIC))
            powers["regenerated"] = (back, "that motors give back")
        for name, value in told.items():
            if name.endswith(LOST):
                place = name.removesuffix(LOST).removeprefix("Driveline.")
                powers[f"lost.{place}"] = (value, f"that {place} makes heat")
        scope = at.scope("energy")
        for name, (power, doc) in powers.items():
            state = scope.state(name, "J", doc, role="free")
            scope.derivative(state, power)
            at.channel(f"{GROUP}.{name}", state, "J", doc)
        at.channel(f"{GROUP}.kinetic", thrust.kinetic, "J", "of the shafts before the hubs")
        springs = sum((value for name, value in told.items() if name.endswith(STORED)), 0.0)
        at.channel(f"{GROUP}.stored", springs, "J", "in springs of clutches and shafts")

    def _drag(self, told: dict[str, Any]) -> Any:
        """All drag that the air forces tell, wherever it acts."""
        names = [f"aero_forces.drag_force{where}" for where in ("", "_front", "_rear")]
        found = [told[name] for name in names if name in told]
        return sum(found[1:], found[0]) if found else 0.0

    def _sources(self, told: dict[str, Any]) -> dict[str, Any]:
        """Powers of what drives."""
        motors = {name.removesuffix(ELECTRIC) for name in told if name.endswith(ELECTRIC)}
        found = {
            name: value
            for name, value in told.items()
            if name.endswith(SHAFT) and name.removesuffix(SHAFT) not in motors
        }
        found = {name: value for name, value in found.items() if not name.endswith("Theoretical_Power_KW")}
        if "Battery.power" in told:
            return found | {"battery": told["Battery.power"]}
        return found | {name: told[name + ELECTRIC] for name in motors}

    def _auxiliary(self, at: VehicleModel) -> Any:
        battery = at.place.data.driveline.battery
        return at.symbols(battery, "driveline.battery").auxiliary_power
