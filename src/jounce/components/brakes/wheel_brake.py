"""What brakes at a wheel have in common: friction that sticks, inputs of a run, heat, and what is told.

With the moment M(p) of the kind of brake (``disc``, ``drum``), which is against the spin, and the torque M_p of a
parking brake, which pulls at the same pads,

    M = M(p) + added + M_p                                                                                      (1)

What is added is that of a run: to the friction of the pads, to the moment before the brake may stick
(``brk_mmag_sign``), and a torque besides with a sign of its own (``brk_mmag_unsign``). A run may also switch off the
brake of a wheel.

A wheel that stands is held by the spring and the damper of its pads (``symbolic/friction``), given by the natural
frequency f and the damping ratio ζ of the spin inertia I on them. While they stick, with the angle θ from where their
spring has no load,

    M = -K θ - C ω,   K = I (2π f)²,   C = 2 ζ I 2π f                                                           (2)

and the channels of the lock tell M, both its parts and θ; while they slide or are off these are zero. θ at the moment
of locking is that of the sliding brake, M/K, where the reference tool begins at zero.

With heat (``heat``), which is off unless it is given, the brake has one temperature T, of what is heated quickly (the
ring of a disc, the drum), and the friction of its pads fades with it:

    C_b Ṫ = |M ω| − (h₀ + h_v |v|)(T − T_air),     µ(T) = fade(T) µ                                                 (3)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from jounce.components.controllers.slip_control import limited
from jounce.components.model import WheelModel
from jounce.components.part import Level, Part, Symbols
from jounce.core.curves import Curve, CurveUnits
from jounce.core.fields import Data, choice, curve, part, quantity
from jounce.symbolic.friction import bristle
from jounce.symbolic.ops import fabs, fmax, if_else, pi

# Grey iron and organic pads, from cold over warm to red-hot: a made-up curve of the usual shape.
FADE = Curve(
    CurveUnits("K", "-", "", "value"),
    x=(293.15, 473.15, 673.15, 873.15, 1073.15),
    y=(0.95, 1.0, 0.97, 0.8, 0.6),
)


class BrakeHeat(Data):
    """Temperature of a brake, and friction that depends on it."""

    capacity: float = quantity("J/K", gt=0, typical=(200.0, 5e4), doc="of what is heated quickly, C_b")
    cooling: float = quantity("W/K", 5.0, ge=0, typical=(0.5, 100.0), doc="to the air at rest, h_0")
    cooling_by_speed: float = quantity(
        "W.s/(K.m)", 1.0, ge=0, typical=(0.05, 20.0), doc="what every m/s of the car adds to it, h_v"
    )
    air: float = quantity("K", 293.15, gt=0, typical=(230.0, 330.0), doc="temperature of the air around")
    initial: float = quantity("K", 293.15, gt=0, typical=(230.0, 900.0), doc="temperature at the start of a run")
    fade: Curve = curve(
        "K",
        "-",
        FADE,
        constant="value",
        typical=(0.1, 2.0),
        doc="factor on the friction of the pads over temperature",
    )


class WheelBrake(Part):
    """Base of the brakes at a wheel."""

    level: ClassVar[Level] = "wheel"
    family: ClassVar[str] = "brake"
    pressed: ClassVar[bool] = True
    """Whether the pressure of the brake system works it."""
    aliases: ClassVar[Mapping[str, str]] = {"model": "kind"}

    kind: Literal[""] = choice("", doc="kind of brake")
    lockup_natural_frequency: float = quantity(
        "Hz", 30.0, gt=0, typical=(1.0, 300.0), doc="of the spin inertia on the spring of a locked brake"
    )
    lockup_damping_ratio: float = quantity("-", 1.0, ge=0, typical=(0.0, 10.0), doc="its damping relative to critical")
    lockup_speed: float = quantity(
        "m/s", 0.139, gt=0, typical=(1e-3, 5.0), doc="rolling speed below which the brake may lock"
    )
    heat: BrakeHeat | None = part(None, silent=True, doc="temperature and fade; absent: the friction is constant")

    # -- for kinds of brakes ---------------------------------------------------------------------------------------

    def pressure(self, at: WheelModel) -> Any:
        """Pressure in the brake."""
        place = at.place.name
        return at.vehicle.signals.read(f"brake_pressure.{place}", f"the brake of {place}")

    def moment(self, at: WheelModel, p: Symbols, mu: Any, pressure: Any) -> Any:
        """M(p), not below zero, of a wheel that turns forwards or is pushed so."""
        raise NotImplementedError

    def backwards(self, p: Symbols, mu: Any) -> Any:
        """Factor on M(p) of a wheel that turns backwards, or is pushed so; None: there is no difference."""
        return None

    def full_moment(self, pressure: float) -> float:
        """M(p) of a wheel that turns forwards, as a number; for estimates."""
        raise NotImplementedError

    # -- phases ----------------------------------------------------------------------------------------------------

    def connect(self, at: WheelModel, p: Symbols) -> None:
        place = at.place.name
        pressure = self.pressure(at)
        control = limited(at, "abs", "braking")
        omega, inertia = 2 * pi * p.lockup_natural_frequency, at.rotor.inertia
        through, word = at.vehicle.through, "Brake_System"
        names = {key: f"{word}.{key}.{place}" for key in ("brk_mu", "brk_mmag_sign", "brk_mmag_unsign")}
        mu = p.mu if self.heat is None else self._hot(at, p)
        mu = through(mu, "-", "friction of the pads", added=names["brk_mu"])
        limit = self.moment(at, p, mu, pressure) * control
        limit = through(
            limit, "N.m", "moment of the brake, against the spin", added=names["brk_mmag_sign"],
            flag=f"Subsystem_Activation.Internal_Brake_System_Activity.{place}",
        )  # fmt: skip
        if at.vehicle.is_open(names["brk_mu"], names["brk_mmag_sign"]):
            limit = fmax(limit, 0.0)
        if f"parking_brake.{place}" in at.vehicle.signals:
            parked = at.vehicle.signals.read(f"parking_brake.{place}", f"the brake of {place}")
            limit = limit + parked  # (1)
        stiffness, damping = inertia * omega * omega, 2 * p.lockup_damping_ratio * inertia * omega
        factor = self.backwards(p, mu)
        back = None if factor is None else factor * limit
        pad = bristle(at.scope.scope("brake"), "pad", at.rotor.spin, limit, stiffness, damping, "rad", back)
        torque = pad.force
        sticks = if_else(fabs(torque) < limit, 1.0, 0.0)
        if back is not None:
            sticks = if_else(torque > -back, sticks, 0.0)
        at.channel(f"Locked_Switch.{place}", sticks, "-", "1 while the pads stick, 0 while they slide or are off")
        at.channel(f"Locked_Moment.{place}", -sticks * torque, "N.m", "torque of the pads while they stick")
        spring, damper = -sticks * stiffness * pad.deflection, -sticks * damping * at.rotor.spin  # (2)
        at.channel(f"Locked_Spring_Moment.{place}", spring, "N.m", "part of the spring while the pads stick")
        at.channel(f"Locked_Damper_Moment.{place}", damper, "N.m", "part of the damper while the pads stick")
        turned = sticks * pad.deflection
        at.channel(f"Lockup_Rotation.{place}", turned, "rad", "of the wheel against the pads that stick, from no load")
        if self.heat is not None:
            self._heated(at, p, torque)
        torque = -through(-torque, "N.m", "torque on the wheel, about its axis", added=names["brk_mmag_unsign"])
        at.rotor.torque(-torque)
        at.brake_torque = -torque
        at.channel(f"Chamber_Pressure.{place}", pressure, "Pa", "pressure in the brake")
        at.channel(f"Brake_Moment.{place}", -torque, "N.m", "brake torque on the wheel, about its axis")

    def _hot(self, at: WheelModel, p: Symbols) -> Any:
        """Friction of warm pads (3); in statics and steady running they have the temperature of the start."""
        warmer = at.scope.scope("brake").state("warmer", "K", "temperature above that at the start", role="held")
        p.kept["warmer"] = warmer
        p.kept["temperature"] = p.heat.initial + warmer
        return p.heat.fade(p.kept["temperature"]) * p.mu

    def _heated(self, at: WheelModel, p: Symbols, torque: Any) -> None:
        heat, temperature = p.heat, p.kept["temperature"]
        power = fabs(torque * at.rotor.spin)
        speed = fabs(at.axle.frame.v[0])
        lost = (heat.cooling + heat.cooling_by_speed * speed) * (temperature - heat.air)
        at.scope.derivative(p.kept["warmer"], (power - lost) / heat.capacity)  # (3)
        place = at.place.name
        at.channel(f"Brake_Temperature.{place}", temperature, "K", "of the brake")
        at.channel(f"Brake_Heat.{place}", power, "W", "that the brake makes")
        at.channel(f"Brake_Cooling.{place}", lost, "W", "that the brake gives to the air")
