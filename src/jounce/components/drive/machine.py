"""Engines and motors: what all machines on a shaft have.

With the ratio n of machine to shaft and the demand u, after scaling and offset of a run,

    ω = n ω_shaft,    T = scale · T(ω, u),    n T on the shaft,    n² J on the shaft                                (1)

Torques of engines are scaled by their efficiency (``train`` (3)), so that power lost is positive either way.
"""

from __future__ import annotations

from typing import Any, ClassVar

from jounce.components.controllers.arbiter import decided_throttle
from jounce.components.drive.base import DrivePart, Energy, Station
from jounce.components.drive.train import passed
from jounce.core.curves import Curve
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import if_else

OF_ENGINE = "Engine"


class Machine(DrivePart):
    """A machine that turns a shaft."""

    ports: ClassVar[tuple[str, ...]] = ("shaft",)
    runs: ClassVar[bool] = False  # whether it turns before the vehicle moves
    linear: ClassVar[bool] = True  # whether its torque is linear in the demand
    pedal: ClassVar[str] = "motor"  # which share of the pedal a control unit gives it

    active: bool = choice(True, doc="whether it has torque of its own; a run may give it instead, or switch it on")
    inertia: float = quantity("kg.m2", 0.07, gt=0, typical=(1e-4, 20.0), doc="of what turns in it")
    ratio: float = quantity("-", 1.0, gt=0, typical=(0.2, 30.0), doc="its speed over that of the shaft")
    torque_scale: float = quantity("-", 1.0, ge=0, typical=(0.1, 3.0), doc="factor on its torque")
    efficiency: float = quantity("-", 1.0, gt=0, le=1, typical=(0.3, 1.0), doc="of its rotating parts")

    def largest_torque(self) -> float:
        """Its largest torque, as far as its data tell; machines that do not say it count alike."""
        if not self.active:
            return 0.0
        table = getattr(self, "torque_map", None)
        return self.torque_scale * max(table.y) if isinstance(table, Curve) and table.is_table else 1.0

    # -- for subclasses --------------------------------------------------------------------------------------------

    def torque(self, here: Station, speed: Any, demand: Any) -> Any:
        """T(ω, u)."""
        raise NotImplementedError

    def alive(self, here: Station, torque: Any, speed: Any) -> Any:
        """The torque of one that may stand still."""
        return torque

    def shaped(self, here: Station, speed: Any, demand: Any) -> Any:
        """The demand after controllers."""
        return demand

    def electric(self, here: Any, torque: Any, speed: Any) -> Any:
        """Electric power for a torque T(ω, u); None: of none."""
        return None

    def burnt(self, here: Any, torque: Any, speed: Any) -> Any:
        """Volume flow of fuel for a torque, m³/s; None: unknown, or none."""
        return None

    def idling(self, here: Station) -> Any:
        """Speed of its shaft when nothing is asked of one that ``runs``."""
        return 0.0

    # -- stages ----------------------------------------------------------------------------------------------------

    def inertias(self, p: Any, gear: Any) -> tuple[Any, ...]:
        return (p.inertia * p.ratio * p.ratio,)

    def speed(self, here: Station) -> Any:
        return here.p.ratio * here.shafts[0].speed

    def demanded(self, here: Station) -> Any:
        """The pedal after scaling and offset of a run, from 0 to 1."""
        model, word = here.model, self._ports(here)[0]
        given = here.read_or(f"driveline.{self.pedal}_pedal", here.read("throttle"))
        given = decided_throttle(model, given, tell=False)
        scale = model.outside(f"{word}.throttle_scaling", "-", "factor on the throttle of this machine", "scale", 1.0)
        offset = model.outside(f"{word}.throttle_offset", "-", "added to the throttle of this machine", "added")
        given = given if scale is None else scale * given
        given = given if offset is None else given + offset
        given = given * here.read_or("driveline.traction", 1.0)
        # no kink at zero, where a search for steady running begins
        return if_else(given < 0, 0.0, if_else(given > 1, 1.0, given))

    def act(self, here: Station) -> None:
        p, model = here.p, here.model
        speed = self.speed(here)
        demand = self.shaped(here, speed, self.demanded(here))
        torque = p.torque_scale * self.alive(here, self.torque(here, speed, demand), speed)
        word, given, flag = self._ports(here)
        mode = model.outside(f"{word}.control_mode", "-", "0: the torque given rules, 1: the throttle", "command", 1.0)
        if mode is not None:
            torque = if_else(mode > 0.5, torque, 0.0)
        doc = "torque of this machine"
        torque = model.through(torque, "N.m", doc, added=f"{word}.{given}", flag=flag, on=self.active)
        here.kept.update(speed=speed, demand=demand, torque=torque)
        here.train.push(here.shafts[0], p.ratio * self.delivered(here, torque, speed))
        here.react(-torque)

    def delivered(self, here: Station, torque: Any, speed: Any) -> Any:
        """What of the torque comes to the shaft."""
        factor = passed(here.p.efficiency, torque * speed)
        here.kept["lost"] = torque * speed * (1 - factor)
        return torque * factor

    def _ports(self, here: Station) -> tuple[str, str, str]:
        """Word of its inputs, name of the given torque, flag that removes it."""
        if here.group == OF_ENGINE:
            return OF_ENGINE, "engine_trq", "Subsystem_Activation.Internal_Engine_Activity"
        if here.group.startswith("Driveline."):  # one of a list: the catalogue does not know it
            return here.group, "engine_torque", f"{here.group}.activity"
        place = here.group.removeprefix("Motor_to_")
        spelled = place.replace("_", "").replace("Gearbox", "GearBox")
        return (
            f"Generic_Engine_to_{place}", "engine_torque",
            f"Subsystem_Activation.Internal_Motor_to_{spelled}_Activity",
        )  # fmt: skip

    def present(self, here: Station) -> bool:
        """Whether it has torque of its own in this model: by its data, or where a run may switch it on."""
        return self.active or here.model.is_open(self._ports(here)[2])

    def law(self, here: Station, speed: Any, demand: Any, brake: Any) -> Any:
        """The torque that a demand gives in the end, for a driver who asks before he gives it."""
        least, most = here.kept.get("limits") or self.limits(here, speed)
        return least + demand * (most - least)

    def limits(self, here: Station, speed: Any) -> tuple[Any, Any]:
        """Smallest and largest torque at this speed."""
        scale = here.p.torque_scale
        return scale * self.torque(here, speed, 0.0), scale * self.torque(here, speed, 1.0)

    def told(self, here: Station) -> None:
        kept = here.kept
        least, most = kept.get("limits") or self.limits(here, kept["speed"])
        here.channel("effective_throttle", kept["demand"], "-", "throttle after scaling and controllers")
        here.channel("engine_rpm", kept["speed"], "rad/s", "speed of the machine")
        here.channel("torque", kept["torque"], "N.m", "its torque")
        here.channel("Max_Engine_torque", most, "N.m", "largest torque at this speed")
        here.channel("Min_Engine_torque", least, "N.m", "smallest torque at this speed")
        here.channel("Power_KW", kept["torque"] * kept["speed"], "W", "its power")
        name = "clutch_inputplate" if here.group == OF_ENGINE else "differential_inputshaft"
        here.tell_shaft(name, here.shafts[0])
        if "driveline.traction" in here.model.signals:
            acts = if_else(here.read("driveline.traction") < 1, 1.0, 0.0)
            here.channel("TCS_activity", acts, "-", "1 while the traction control acts")

    def energy(self, here: Station) -> Energy:
        kept = here.kept
        return Energy(source=kept["torque"] * kept["speed"], lost=kept.get("lost"))
