"""The 300 numbers that a tire tells about itself, by place and name, in the order that user tires write them.

    0-5    Fx, Fy, Fz, Mx, My, Mz at the contact, ISO          37-42  the same again
    25-30  the same with y right and z down (SAE):  (Fx, -Fy, -Fz, Mx, -My, -Mz)
    31-36  at the wheel centre, axes of the carrier
    155-159 temperatures (°C) and pressure, 160-179 channels of the user

User tires fill an array of this order (``sti``). ``of_run`` gives the same array for the tires of a car that was run,
native or not, ``of_simulation`` for one that stands. Numbers that nobody knows there are nan; reserved places are zero.

Of native tires the following stay nan: turn slip (9), which is no channel of a car; second and third road friction
(72, 73), auxiliary contact point (95-97) and parameters of orientation (149-151), which they do not have. Rates of the
contact deflections (52, 53) are known to ``of_simulation`` only. A second tire of a twin wheel has forces, slips and
contact of its own; carrier, wheel centre and the point to which 31-36 belong are those of the hub that it shares.

Trail (56) and relaxation lengths (59, 60) are channels of a car where its tires have them (``told``). The other places
of 54 to 64 are none; they are computed from load, slips and speeds of the run when the tire is given. Every native
model then knows 54, 55, 59 and 60, the Magic Formula all, with

    Mz = -t F + Mzr + s Fx + Mgyr        t: trail (56), Mzr (57), s (58), Mgyr (61), F: lateral force on the trail   (1)

54 and 55 are the friction at the peak, µx and µy; for other models |Fx|/Fz and |Fy|/Fz. The gyroscopic moment of a run
is known only where it is zero. Numbers are those of the tire file, without factors that a wheel has of its own; with
turn slip they stay nan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jounce.components.tire.contact import to_sae
from jounce.core.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from jounce.components.tire.base import Tire
    from jounce.runtime.simulation import Simulation

Array = npt.NDArray[np.float64]

SIZE = 300
TEMPERATURES, PRESSURE, USER = 155, 159, 160
N_USER = 20
TWIN = "_twin"  # ends the place of a second tire
FREEZING = 273.15  # K: the map has degrees Celsius, channels are SI


class Entry(NamedTuple):
    """A place of the map."""

    place: int
    name: str
    unit: str
    doc: str
    required: bool


_XYZ = "xyz"
_SIX = tuple((f"f{i}", "N") for i in _XYZ) + tuple((f"m{i}", "N.m") for i in _XYZ)


def _entries() -> dict[int, Entry]:
    found: dict[int, Entry] = {}

    def put(first: int, names: Sequence[tuple[str, str]], doc: str, required: bool = False) -> None:
        for i, (name, unit) in enumerate(names):
            found[first + i] = Entry(first + i, name, unit, doc, required)

    put(0, _SIX, "at the contact, ISO", True)
    put(6, [("alpha", "rad"), ("kappa", "-"), ("gamma", "rad")], "slips that make the forces; inclination", True)
    put(9, [("turn_slip", "1/m")], "yaw rate of the carrier over speed, negative")
    put(10, [(f"carrier_v{i}", "m/s") for i in _XYZ], "velocity of the wheel centre, carrier axes")
    put(13, [(f"matrix_{i}{j}", "-") for i in _XYZ for j in _XYZ], "carrier axes in world axes, row by row")
    put(22, [(f"centre_{i}", "m") for i in _XYZ], "wheel centre, world axes")
    put(25, [(f"sae_{name}", unit) for name, unit in _SIX], "at the contact, y right and z down")
    put(31, [(f"hub_{name}", unit) for name, unit in _SIX], "at the wheel centre, carrier axes")
    put(37, [(f"iso_{name}", unit) for name, unit in _SIX], "at the contact, ISO", True)
    put(43, [("penetration", "m")], "radial deflection", True)
    put(44, [("contact_vz", "m/s"), ("contact_vx", "m/s"), ("contact_vy", "m/s")], "velocities of the contact", True)
    put(47, [("speed", "m/s"), ("effective_radius", "m"), ("spin", "rad/s")], "of rolling", True)
    put(50, [("alpha_no_lag", "rad"), ("kappa_no_lag", "-")], "slips of the wheel's motion", True)
    put(52, [("rate_1", "m/s"), ("rate_2", "m/s")], "rates of the contact deflections")
    put(54, [("friction_x", "-"), ("friction_y", "-")], "in use")
    put(56, [("trail", "m"), ("residual_torque", "N.m"), ("arm_fx", "m")], "parts of the aligning moment")
    put(59, [("sigma_kappa", "m"), ("sigma_alpha", "m")], "relaxation lengths")
    put(61, [("gyroscopic_moment", "N.m")], "part of the aligning moment")
    put(62, [("svy_kappa", "N"), ("svx", "N"), ("svy", "N")], "shifts of the forces")
    put(65, [(f"contact_{i}", "m") for i in _XYZ], "contact point, world axes", True)
    put(68, [(f"normal_{i}", "-") for i in _XYZ], "of the road, world axes", True)
    put(71, [(f"road_friction_{i}", "-") for i in (1, 2, 3)], "of the road; 1: the friction factor")
    put(94, [("loaded_radius", "m")], "wheel centre to contact", True)
    put(95, [(f"auxiliary_{i}", "m") for i in _XYZ], "auxiliary contact point")
    put(98, [("profile", "-")], "1 with a cross-section")
    put(149, [(f"orientation_{i}", "-") for i in (1, 2, 3)], "of the contact")
    put(TEMPERATURES, [(f"temperature_{i}", "degC") for i in (1, 2, 3, 4)], "of a thermal tire")
    put(PRESSURE, [("pressure", "Pa")], "of inflation")
    put(USER, [(f"user_{i}", "-") for i in range(1, N_USER + 1)], "channel of the user")
    put(183, [("off_road", "-"), ("material", "-")], "flag (1 = beside the road) and material of the road")
    return found


ENTRIES: Mapping[int, Entry] = _entries()
INDEX: Mapping[str, int] = {e.name: i for i, e in ENTRIES.items()}
NAMES: tuple[str, ...] = tuple(ENTRIES[i].name if i in ENTRIES else "" for i in range(SIZE))
REQUIRED: tuple[int, ...] = tuple(i for i, e in ENTRIES.items() if e.required)
# Names of the channel catalogue, for what tires of cars tell beyond forces and motion.
CATALOGUE = {
    **{f"temperature_{i}": f"Temperature_{i}" for i in (1, 2, 3, 4)},
    "pressure": "Pressure",
    **{f"user_{i}": f"User_Channel_{i}" for i in range(1, N_USER + 1)},
}


def channel_unit(entry: Entry) -> str:
    """Unit of the channel made from an entry: SI."""
    return "K" if entry.unit == "degC" else entry.unit


def find(name: str) -> Entry:
    """The place of a name."""
    if name not in INDEX:
        raise ParameterError(f"output map: {name!r}{did_you_mean(name, INDEX)}")
    return ENTRIES[INDEX[name]]


_UNSIDED = ("friction_x", "friction_y", "svx", "trail")  # the same for a mirrored tire
# What a car's channels say, by the place in the map.
_OF_TIRE = {
    **{i: f"Ground_Surface_{kind}_{axis}" for i, (kind, axis) in enumerate(
        (kind, axis) for kind in ("Force", "Moment") for axis in "XYZ")},
    6: "Lateral_Slip_With_Lag", 7: "Longitudinal_Slip_With_Lag",
    43: "Effective_Penetration", 46: "Ground_Surface_Contact_Patch_Vy", 47: "Ground_Surface_Contact_Patch_Vx",
    48: "Effective_Rolling_Radius", 50: "Lateral_Slip_Without_Lag", 51: "Longitudinal_Slip_Without_Lag",
    54: "Ground_Surface_Peak_Friction_X", 55: "Ground_Surface_Peak_Friction_Y",
    56: "Pneumatic_Trail", 57: "Ground_Surface_Residual_Torque", 58: "Moment_Arm_Of_Fx",
    59: "Longitudinal_Relaxation_Length", 60: "Lateral_Relaxation_Length",
    61: "Ground_Surface_Gyroscopic_Moment", 62: "Ground_Surface_Kappa_Fy",
    **{68 + i: f"Contact_Patch_Normal_{axis}" for i, axis in enumerate("XYZ")},
    71: "Road_Friction", 94: "Loaded_Radius",
    **{INDEX[name]: channel for name, channel in CATALOGUE.items()},
}  # fmt: skip


def of_run(run: Any, corner: str, *, rotation: str = "3-1-2", tire: Tire | None = None) -> Array:
    """The map of a tire of a car, one row per recorded instant (n, 300).

    Parameters
    ----------
    run : a recording or result of a car, or a mapping from channels to values
    corner : ``L1``, ``R1``, ``L2`` or ``R2``; ``L2_twin`` or ``R2_twin`` for second tires
    rotation : sequence of the carrier's rotations, ``system.carrier_rotation`` of the vehicle
    tire : of this corner, for places 54 to 64
    """
    known = run
    force = f"Tire.Ground_Surface_Force_X.{corner}"
    if force not in known:
        raise ParameterError(f"output map: the run has no channel {force!r}; record all channels of the car")
    n = len(np.atleast_1d(known[force]))
    table = np.zeros((n, SIZE))
    table[:, list(ENTRIES)] = np.nan

    def take(place: int, channel: str) -> None:
        if channel in known:
            table[:, place] = known[channel]
            if ENTRIES[place].unit == "degC":
                table[:, place] -= FREEZING

    for place, channel in _OF_TIRE.items():
        take(place, f"Tire.{channel}.{corner}")
    hub = corner.removesuffix(TWIN)
    if hub == corner:
        take(8, f"Wheel.Inclination.{corner}")
    else:  # on an uneven road the second tire has a normal of its own
        take(8, f"ti{corner[0].lower()}_wheel_tire_kinematics.inclination_angle_twin_rear")
    take(49, f"Wheel.Omega.{hub}")
    take(183, f"Road.Off_Road_Flag.{corner}")
    take(184, f"Road.Material.{corner}")
    for i, axis in enumerate("XYZ"):
        take(10 + i, f"Wheel.Hub_Carrier_V{axis.lower()}.{hub}")
        take(22 + i, f"Wheel.Global_{axis}.{hub}")
        take(65 + i, f"Road.Contact_Patch_Global_{axis}.{corner}")
    table[:, 25:31] = np.column_stack(to_sae(list(table[:, :6].T)))
    table[:, 37:43] = table[:, :6]
    table[:, 45] = table[:, 47] - table[:, 49] * table[:, 48]  # of the tread, with spin
    closing = f"Tire.Effective_Closing_Speed.{corner}"
    if closing in known:
        table[:, 44] = -np.asarray(known[closing]) * np.cos(table[:, 8])  # along the normal, upwards
    matrix = _carrier(known, hub, rotation)
    if matrix is not None:
        table[:, 13:22] = matrix.reshape(n, 9)
        for first, kind in ((31, "Force"), (34, "Moment")):
            names = [f"Tire.Hub_Carrier_{kind}_Global_{axis}.{corner}" for axis in "XYZ"]
            if all(name in known for name in names):
                world = np.column_stack([np.atleast_1d(known[name]) for name in names])
                table[:, first : first + 3] = np.einsum("nij,ni->nj", matrix, world)
    for i, entry in ENTRIES.items():  # what only the tire itself knows; many leave the rest empty
        if np.isnan(table[:, i]).all():
            take(i, f"{corner}.tire.map.{entry.name}")
    if np.isnan(table[:, 98]).all():
        table[:, 98] = 0.0  # tires with a cross-section say so (``wheel.mount``)
    if tire is not None:
        _add_parts(table, corner, tire)
    return table


def of_simulation(simulation: Simulation, corner: str, *, rotation: str = "3-1-2", tire: Tire | None = None) -> Array:
    """The map of a tire of a car as it stands now (300,)."""
    names = (v.name for v in simulation.model.outputs)
    row: Array = of_run(dict(zip(names, simulation.outputs().tolist(), strict=True)), corner, rotation=rotation)[0]
    states = [v.name for v in simulation.model.states]
    deflections = [f"{corner}.tire.{name}" for name in "uv"]
    if all(name in states for name in deflections):
        rates = simulation.derivatives()[0]
        row[52:54] = [rates[states.index(name)] for name in deflections]
    if tire is not None:
        _add_parts(row[None, :], corner, tire)
    return row


def _add_parts(table: Array, corner: str, tire: Tire) -> None:
    """Places 54 to 64, by the model of the tire from the other places."""
    from jounce.components.tire.external import External

    model, p = tire.model, tire.values
    if isinstance(model, External) or model.turn_slip:
        return
    sign = tire.sign_on("left" if corner[0] == "L" else "right")
    fx, fy, load, alpha, kappa, gamma = (table[:, i] for i in (0, 1, 2, 6, 7, 8))
    at = model.at_load(p, load, sign * gamma, table[:, 71], curves=dict(tire.curves))
    table[:, 59], table[:, 60] = at.sigma_kappa, at.sigma_alpha
    with np.errstate(divide="ignore", invalid="ignore"):
        table[:, 54], table[:, 55] = np.abs(fx) / load, np.abs(fy) / load
    rate = table[:, 53]
    belt = sign * table[:, 49] * table[:, 48] * np.nan_to_num(rate)
    parts = model.parts(p, at, kappa, sign * alpha, table[:, 47], table[:, 49], belt)
    for name, value in parts.items():
        table[:, INDEX[name]] = value if name in _UNSIDED else sign * value
    if model.transient and "gyroscopic_moment" in parts and p.get("QTZ1", 0.0) * p.get("MBELT", 0.0) != 0.0:
        table[np.isnan(rate), 61] = np.nan


def _carrier(known: Any, corner: str, rotation: str) -> Array | None:
    """Carrier axes in world axes, from the angles of the chassis and of the wheel."""
    body = [f"chassis_displacements.{a}" for a in ("yaw", "pitch", "roll")]
    wheel = [f"Wheel.Spindle_Steer.{corner}", f"wheel_angles.camber_{corner}", f"Wheel.Side_View_Angle.{corner}"]
    if not all(name in known for name in (*body, *wheel)):
        return None
    yaw, pitch, roll = (np.atleast_1d(known[name]) for name in body)
    psi, camber, side_view = (np.atleast_1d(known[name]) for name in wheel)
    lean, turned = (-1.0 if corner[0] == "L" else 1.0) * camber, -side_view
    chassis = _turn(yaw, 2) @ _turn(pitch, 1) @ _turn(roll, 0)
    rest = _turn(turned, 1) @ _turn(lean, 0) if rotation == "3-2-1" else _turn(lean, 0) @ _turn(turned, 1)
    return chassis @ _turn(psi, 2) @ rest


def _turn(angle: Array, axis: int) -> Array:
    """Rotation matrices about x, y or z."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out = np.zeros((len(angle), 3, 3))
    out[:, axis, axis] = 1.0
    out[:, i, i] = out[:, j, j] = c
    out[:, i, j], out[:, j, i] = -s, s
    return out
