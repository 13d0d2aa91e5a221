"""Wheels, brakes, drive and aerodynamics."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, flag, one_of, part, problem, quantity, reference
from jounce.core.references import FileReference
from jounce.vehicle.basics import (
    DIAGNOSED,
    Point,
    Subsystem,
    check_inertia,
)


class TwinTire(Data):
    """A second tire on the same hub, outside the first: it spins with it and has a contact of its own."""

    offset: float = quantity("m", gt=0, doc="from the centre of the first tire outwards to that of the second")
    tire: FileReference | None = reference(
        "tires", ".tir", None, doc="its property file, or a name of the library; absent: that of the first tire"
    )
    spin_inertia_is_assembly: bool = flag(
        False, doc="`spin_inertia` is that of the whole hub; else it is that of one tire with its rim and counts twice"
    )


class Wheels(Subsystem):
    """The wheels of an axle with their carriers and tires."""

    unsprung_mass: float = quantity("kg", gt=0, doc="one wheel and the part of the suspension that moves with it")
    ixx: float = quantity("kg.m2", gt=0, doc="inertia of carrier and wheel about x, through the wheel centre")
    iyy: float = quantity("kg.m2", gt=0, doc="the same about y")
    izz: float = quantity("kg.m2", gt=0, doc="the same about z")
    spin_inertia: float = quantity("kg.m2", gt=0, doc="all that spins with one wheel: tire, rim, disc, shaft")
    wheel_centre_height: float = quantity("m", gt=0, doc="wheel centre above ground at design, where travel is zero")
    tire: FileReference = reference("tires", ".tir", doc="tire property file, or the name of a tire of the library")
    twin: TwinTire | None = part(
        None, doc="a second tire on each side, on the rear axle; then masses are those of both"
    )
    right: Wheels | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        check_inertia(np.diag([self.ixx, self.iyy, self.izz]))
        return self

    @property
    def hub_spin_inertia(self) -> float:
        """Of all that spins on one side, kg m²."""
        twice = self.twin is not None and not self.twin.spin_inertia_is_assembly
        return 2 * self.spin_inertia if twice else self.spin_inertia

    @property
    def twin_tire(self) -> FileReference | None:
        """Property file of the second tire, if there is one."""
        return None if self.twin is None else self.twin.tire or self.tire


class DiscBrake(Data):
    """The brakes of an axle:  M = 2 · piston_area · mu · effective_radius · p."""

    model: Literal["disc"] = choice("disc", doc="kind of brake")
    mu: float = quantity("-", 0.4, ge=0, doc="friction of the pads")
    effective_radius: float = quantity("m", gt=0, doc="radius at which the friction force acts")
    piston_area: float = quantity("m2", gt=0, doc="area of the pistons that press one pad")
    lockup_natural_frequency: float = quantity(
        "Hz", 30.0, gt=0, doc="of the spin inertia on the spring of a locked brake"
    )
    lockup_damping_ratio: float = quantity("-", 1.0, ge=0, doc="its damping relative to critical")
    lockup_speed: float = quantity("m/s", 0.139, gt=0, doc="rolling speed below which the brake may lock")
    right: DiscBrake | None = part(None, doc="what differs on the right side")


class SlipControl(Data):
    """A torque that fades where a wheel slips too much:  scale = 1 − gain · (|slip| − threshold), from 0 to 1."""

    threshold: float = quantity("-", 0.08, gt=0, doc="slip at which it begins")
    gain: float = quantity("-", 12.0, gt=0, doc="how fast the torque fades with slip")
    low_speed: float = quantity("m/s", 2.0, ge=0, doc="below this speed it is off")


class Brakes(Subsystem):
    """From the demand to brake torques."""

    bias_front: float = quantity(
        "-", 0.6, ge=0, le=1, doc="share of the master cylinder pressure that goes to the front"
    )
    master_cylinder_pressure_gain: float = quantity("Pa", 10e6, ge=0, doc="pressure at full demand (demand = 1)")
    front: DiscBrake = part(doc="front brakes")
    rear: DiscBrake = part(doc="rear brakes")
    abs: SlipControl | None = part(None, doc="anti-lock control of the brake torques")


class Drive(Subsystem):
    """Ideal drive: a torque shared by the wheels. In a file also ``front``, ``rear`` or ``all``."""

    L1: float = quantity("-", 0.0, ge=0, le=1, doc="share of the front left wheel")
    R1: float = quantity("-", 0.0, ge=0, le=1, doc="share of the front right wheel")
    L2: float = quantity("-", 0.0, ge=0, le=1, doc="share of the rear left wheel")
    R2: float = quantity("-", 0.0, ge=0, le=1, doc="share of the rear right wheel")
    max_torque: float = quantity("N.m", 3000.0, ge=0, doc="sum of the wheel torques at full throttle")
    tcs: SlipControl | None = part(None, doc="traction control of the drive torques")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        share = {"front": (0.5, 0.5, 0.0, 0.0), "rear": (0.0, 0.0, 0.5, 0.5), "all": (0.25, 0.25, 0.25, 0.25)}
        if isinstance(raw, str) and raw in share:
            return dict(zip(("L1", "R1", "L2", "R2"), share[raw], strict=True))
        return raw

    @property
    def shares(self) -> dict[str, float]:
        """Share of each wheel."""
        return {"L1": self.L1, "R1": self.R1, "L2": self.L2, "R2": self.R2}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        total = math.fsum(self.shares.values())
        if total != 0 and abs(total - 1) > DIAGNOSED:
            raise problem(f"the shares add up to {total:.10g}; they must add up to 1 (or all be 0: no drive)")
        return self


class AeroForce(Data):
    """One force:  F = scale · (ρ / reference density) · (force(h_front; h_rear) + shift) · (V / reference velocity)².

    Instead of ``force``, ``area`` (coefficient times frontal area) may be given:
    force = ½ · reference density · area · (reference velocity)².
    """

    alternatives: ClassVar = (("force", "area"),)

    active: bool = choice(True, doc="whether it exists")
    force: Curve | None = curve(
        "m",
        "N",
        None,
        z="m",
        constant="value",
        doc="at reference velocity and density, over front and rear ride heights",
    )
    area: float | None = quantity("m2", None, presence=False, doc="coefficient times frontal area")
    location: Point = part(doc="where it acts")
    scale: float = quantity("-", 1.0, doc="factor")
    shift: float = quantity("N", 0.0, doc="added to `force`")
    smoothing_time: float = quantity("s", 0.0, ge=0, doc="time of growth after the start of a run")

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        one_of(self, ("force", "area"))
        return self


class Wind(Data):
    """Wind over ground, where it goes to."""

    x: float = quantity("m/s", 0.0, doc="along world x")
    y: float = quantity("m/s", 0.0, doc="along world y")
    z: float = quantity("m/s", 0.0, doc="along world z")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return Point.expand(raw)


class Aero(Subsystem):
    """Drag and downforce over speed and ride heights."""

    air_density: float = quantity("kg/m3", 1.2, ge=0, doc="air density during the run")
    reference_density: float = quantity("kg/m3", 1.2, gt=0, doc="air density of the data")
    reference_velocity: float = quantity("m/s", 30.0, gt=0, doc="speed of the data")
    drag: AeroForce = part(doc="drag, rearwards")
    front_downforce: AeroForce | None = part(None, doc="downforce in front, downwards")
    rear_downforce: AeroForce | None = part(None, doc="downforce at the rear, downwards")
    front_sensor: Point | None = part(None, doc="where the front ride height is measured; absent: mid front axle")
    rear_sensor: Point | None = part(None, doc="where the rear ride height is measured; absent: mid rear axle")
    ride_height_min: float | None = quantity("m", None, doc="ride heights are held above this before the maps")
    ride_height_max: float | None = quantity("m", None, doc="ride heights are held below this before the maps")
    frame: Literal["road", "chassis"] = choice("road", doc="frame in which velocity and forces are taken")
    in_statics: bool = choice(False, doc="act during the search for equilibrium")
    wind: Wind = part({}, doc="wind")

    def at_reference(self, name: str) -> Curve:
        """Return the force of a component at reference velocity and density, without scale and shift."""
        item: AeroForce = getattr(self, name)
        if item.force is not None:
            return item.force
        assert item.area is not None
        pressure = 0.5 * self.reference_density * self.reference_velocity**2
        return Curve(AeroForce.curve_units("force", {}), constant=pressure * item.area)
