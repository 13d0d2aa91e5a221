"""Axles and steerings of the library's trucks and trailers from target figures: python tools/make_trucks.py [--check]

What the axles of a class usually have is stated here (masses, frequencies, damping, roll stiffness, places of springs),
and the files of every axle are written from it; no product is described. Bodies, payloads and couplings stand in
<vehicle>/vehicle.yaml, written by hand. With the static load F_z of an axle by the lever, from the masses in the files,
its sprung mass m = F_z/g - m_u, the wheel rate k, the track t and the distance t_s of its springs:

    k   = (2π f)² m/2                                   per wheel, from the ride frequency without tires             (1)
    k_a = (K - k t_s²/2)/t²                             auxiliary, what springs lack of the roll stiffness K         (2)
    c   = 2 D √(k m/2),  F(0.3 m/s, rebound) = c/2.8    mean of both ways at 0.2 m/s; bump half of rebound           (3)
    z   = R_0 - ρ(F_z/n)                                height of the wheel centre, n tires                          (4)
    tan δ_i = L/(L/tan δ - t_k/2),  δ_L = δ + A (δ_i - δ),  δ = s/a                                                  (5)

(5) is the steer of the left wheel over the travel s of the rack, or of what a drag link pulls, with the share A of
Ackermann's angles, the distance t_k of the kingpins and the length a of the steering arm. A ball-and-nut gear with
pitman arm and drag link has no part of its own here: it is a rack that moves as its drag link does, with its ratio,
friction, inertia and the piston in its housing.

Units have two supports each, so that levers say all loads: groups of axles, of which equalizers make one, and a hitch.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from pathlib import Path

from make_steering import Feel
from make_steering import text as gear_text
from stale import put

from jounce.components.basics import combine
from jounce.components.places import AxlePlace
from jounce.core.constants import GRAVITY
from jounce.files.library import library_file
from jounce.files.tir import read_tir
from jounce.vehicle import Vehicle, load
from jounce.vehicle.assembly import bodies_of
from jounce.vehicle.reading import VEHICLES

COMMAND = "tools/make_trucks.py"
DEG = math.pi / 180
# Force over speed, of that at 0.3 m/s in rebound: falls off where valves open
VALVES = {0.03: 0.14, 0.06: 0.27, 0.1: 0.43, 0.2: 0.75, 0.3: 1.0, 0.5: 1.4, 0.75: 1.76, 1.0: 2.04, 1.5: 2.47, 2.0: 2.79}
BUMP = 0.5  # of rebound
PER_SLOPE = 2.8  # of the mean of both ways at 0.2 m/s
STOP = (0.0, 0.035, 0.1, 0.22, 0.47, 1.0)  # progressive


@dataclass(frozen=True)
class Beam:
    """A solid axle: the beam without its wheels, and where springs and dampers stand."""

    mass: float  # kg
    ixx: float  # kg.m2, also about z
    iyy: float  # kg.m2
    spring_track: float  # m
    damper_track: float  # m
    roll_centre: float  # m above the wheel centres
    roll_steer: float = 0.0


@dataclass(frozen=True)
class Target:
    """What an axle shall show."""

    title: str
    x: float  # m
    track: float  # m, of the inner tires
    tire: str
    unsprung: float  # kg of one wheel with what moves with it, without the beam
    wheel: tuple[float, float]  # kg.m2 about x and z, and about y
    spin: float  # kg.m2 of one tire with rim, drum or disc
    frequency: float  # Hz
    damping: float
    roll_stiffness: float  # N.m/deg of springs, bar and what twists
    brake: str  # as YAML, in one line
    share: float | None = 1.0  # of the pressure
    twin: float = 0.0  # m between the tires of one side
    beam: Beam | None = None
    travel: tuple[float, float] = (0.075, 0.10)  # m to the stops, bump and rebound
    group: bool = False
    equalizer: str = ""  # its kind, at the first axle of a group
    equalized: bool = False  # its springs are those of the group
    friction: float = 0.0  # of the load: leaves
    guided: tuple[str, ...] = ()  # lines of maps of an independent axle
    steered: bool = False


@dataclass(frozen=True)
class Steered:
    """Targets of a steering."""

    wheelbase: float  # m, to the middle of the rear axles
    kingpins: float  # m between them
    arm: float  # m
    ratio: float  # hand wheel over wheels
    most: float  # deg, mean angle at the stops
    ackermann: float
    caster: float  # deg
    inclination: float  # deg
    scrub: float  # m on the ground
    feel: Feel
    note: str


@dataclass(frozen=True)
class Truck:
    """Axles by file, as units have them, and the steering."""

    axles: dict[str, Target]
    steering: Steered | None = None
    places: tuple[str, ...] = field(default=())  # file of each axle, where several have the same


def disc(torque: float, pressure: float) -> str:
    """An air disc brake by its torque, N.m at a wheel, at a pressure in the chamber, bar."""
    area = torque / (2 * 0.36 * 0.173 * pressure * 1e5)
    return f"{{mu: 0.36, effective_radius: 173 mm, piston_area: {1e4 * area:.0f} cm2}}"


def hydraulic(piston: float, radius: float) -> str:
    return f"{{mu: 0.4, effective_radius: {1e3 * radius:.0f} mm, piston_area: {piston:.0f} mm2}}"


AIR = 8.2  # bar in the chambers at full demand, less what their springs take
# Of 1500 kg: braked by 0.55 of its axle load at a push of a tenth of its weight, from 0.027 of it on (UN R13, annex 12)
OVERRUN = (
    "{kind: overrun, mu: 0.35, effective_radius: 100 mm, lower_threshold: 400 N, upper_threshold: 1470 N, "
    "largest_force: 15.6 kN, reverse_share: 0.05, lag: 40 ms}"
)
FRONT_BEAM = Beam(190, 62, 3.0, 0.84, 1.05, -0.02, 0.06)
DRIVE_BEAM = Beam(430, 95, 9.0, 0.96, 0.98, 0.22, -0.10)
TRAILER_BEAM = Beam(190, 75, 2.5, 1.30, 1.10, 0.16, -0.05)


def front(title: str, **changes: object) -> Target:
    """A beam axle with leaves, or air, ahead of a truck."""
    stated: dict[str, object] = {
        "title": title, "x": 0.0, "track": 2.05, "tire": "truck_steer_315_80r22", "unsprung": 255,
        "wheel": (11.5, 16.0), "spin": 14.5, "frequency": 1.45, "damping": 0.24, "roll_stiffness": 4200,
        "brake": disc(19000, AIR), "beam": FRONT_BEAM, "steered": True, "friction": 0.04,
    }  # fmt: skip
    return Target(**{**stated, **changes})  # type: ignore[arg-type]


def driven(title: str, x: float, **changes: object) -> Target:
    """A driven axle with twin tires and air springs."""
    stated: dict[str, object] = {
        "title": title, "x": x, "track": 1.49, "tire": "truck_drive_315_80r22", "unsprung": 365,
        "wheel": (22.0, 31.0), "spin": 13.5, "frequency": 1.25, "damping": 0.28, "roll_stiffness": 9500,
        "brake": disc(17500, AIR), "beam": DRIVE_BEAM, "twin": 0.345, "equalized": True,
    }  # fmt: skip
    return Target(**{**stated, **changes})  # type: ignore[arg-type]


def towed(title: str, x: float, **changes: object) -> Target:
    """An axle of a semitrailer: trailing arms that twist its beam, air springs, wide single tires."""
    stated: dict[str, object] = {
        "title": title, "x": x, "track": 2.04, "tire": "trailer_385_65r22", "unsprung": 265, "wheel": (13.5, 19.0),
        "spin": 17.0, "frequency": 1.30, "damping": 0.24, "roll_stiffness": 15000, "brake": disc(16500, AIR),
        "beam": TRAILER_BEAM, "equalized": True,
    }  # fmt: skip
    return Target(**{**stated, **changes})  # type: ignore[arg-type]


BALL_AND_NUT = "Ball and nut, pitman arm and drag link as a rack that moves as the drag link does (equivalent)"
TRUCKS = {
    "car_caravan": Truck(
        {
            "caravan_axle": Target(
                "trailing arms on rubber torsion springs", -4.10, 2.00, "caravan_195_70r14", 45, (0.9, 1.3), 1.1, 1.70,
                0.20, 2700, OVERRUN, None, travel=(0.065, 0.08),
            )
        },
    ),
    "tractor_semitrailer": Truck(
        {
            "front_axle": front("beam on two leaf springs, steered"),
            "drive_axle_1": driven("driven axle on four air springs", -3.25, equalizer="air"),
            "drive_axle_2": driven("driven axle on four air springs", -4.62, group=True),
            "trailer_axle_1": towed("beam on trailing arms and air springs", -6.39, equalizer="air"),
            "trailer_axle_2": towed("beam on trailing arms and air springs", -7.70, group=True),
            "trailer_axle_3": towed("beam on trailing arms and air springs", -9.01, group=True),
        },
        Steered(
            3.935, 1.74, 0.205, 19.5, 42.0, 0.7, 3.5, 6.0, 0.085,
            Feel("hydraulic", 3.2, (330.0, 9.0), (135.0, 5.0), (3.0, 2.5), 0.5, 900.0, 0.09, 28.0, bar_damping=5.0,
                 rack_damping=16000.0, piston_area=3300e-6, stroke=0.45, orifice=36e-6),
            BALL_AND_NUT,
        ),
    ),
    "rigid_truck": Truck(
        {
            "front_axle": front("beam on two leaf springs, steered", frequency=1.50, roll_stiffness=6500),
            "drive_axle_1": driven(
                "driven axle, leaf springs on a pivot between both axles", -4.20, equalizer="walking_beam",
                frequency=1.85, damping=0.24, roll_stiffness=8800, friction=0.04,
            ),
            "drive_axle_2": driven(
                "driven axle, leaf springs on a pivot between both axles", -5.55, group=True, frequency=1.85,
                damping=0.24, roll_stiffness=8800, friction=0.04,
            ),
        },
        Steered(
            4.875, 1.74, 0.205, 20.0, 42.0, 0.7, 3.5, 6.0, 0.085,
            Feel("hydraulic", 3.2, (370.0, 9.5), (150.0, 5.2), (3.0, 2.5), 0.5, 950.0, 0.09, 28.0, bar_damping=5.0,
                 rack_damping=16000.0, piston_area=3500e-6, stroke=0.45, orifice=36e-6),
            BALL_AND_NUT,
        ),
    ),
    "box_van": Truck(
        {
            "front_axle": Target(
                "struts on a transverse leaf", 0.0, 1.73, "van_225_75r16", 52, (1.3, 2.0), 1.5, 1.35, 0.26, 3600,
                hydraulic(3200, 0.128), 0.55, travel=(0.075, 0.095), steered=True, friction=0.02,
                guided=(
                    "x: 0", "y: {x: [-120, -60, 0, 60, 120], y: [-10, -3, 0, -1, -6], units: [mm, mm]}",
                    "toe: -4 deg/m", "camber: -10 deg/m", "side_view_angle: 15 deg/m",
                    "compliance:",
                    "  x: {fx: 2.5 mm/kN}",
                    "  y: {fy: 0.4 mm/kN, mz: -1.0472 mm/(kN.m)}",
                    "  toe: {fy: 0.06 deg/kN, mz: -3.5 deg/(kN.m)}",
                    "  camber: {fy: -0.2 deg/kN}",
                ),
            ),
            "rear_axle": Target(
                "driven beam on leaf springs, twin tires", -3.665, 1.50, "van_225_75r16", 82, (3.0, 3.4), 1.4, 1.75,
                0.22, 3500, hydraulic(2500, 0.125), 0.45, twin=0.26,
                beam=Beam(105, 17, 1.2, 1.06, 0.95, 0.12, -0.06), travel=(0.08, 0.11), friction=0.06,
            ),
        },
        Steered(
            3.665, 1.60, 0.14, 18.0, 36.0, 0.6, 4.0, 11.0, 0.010,
            Feel("hydraulic", 2.0, (60.0, 5.6), (27.0, 3.9), (2.0, 1.2), 0.28, 260.0, 0.045, 4.6, bar_damping=2.5,
                 rack_damping=2500.0, piston_area=1050e-6, stroke=0.26),
            "Rack and pinion, ahead of the axle",
        ),
    ),
}  # fmt: skip


# ---- static loads ----------------------------------------------------------------------------------------------------


def loads(vehicle: Vehicle) -> dict[int, float]:
    """Load of every axle on the ground by its number, N: by the levers of units with two supports."""
    found: dict[int, float] = {}
    borne: dict[int, float] = {}  # by unit: what it puts on the one that tows it
    for unit in reversed(vehicle.layout.units):
        mass, centre, _ = combine([body.properties for body in bodies_of(unit)])
        forces = [(mass * GRAVITY, float(centre[0] - unit.offset[0]))]
        forces += [(borne[u.number], float(u.offset[0] - unit.offset[0])) for u in unit.towed]
        groups = [axle.group for axle in unit.axles if axle.group[0] is axle]
        middles = [sum(a.x for a in group) / len(group) for group in groups]
        ends = [0.0, *middles] if unit.parent is not None else middles
        assert len(ends) == 2, "two supports, or levers do not say the loads"
        total = sum(f for f, _ in forces)
        rear = sum(f * (ends[0] - x) for f, x in forces) / (ends[0] - ends[1])
        for load_, group in zip((total - rear, rear)[-len(groups) :], groups, strict=True):
            found |= {axle.number: load_ / len(group) for axle in group}
        if unit.parent is not None:
            borne[unit.number] = total - rear
    return found


# ---- texts -----------------------------------------------------------------------------------------------------------


def axle_text(t: Target, load_: float, members: int, guess: bool = False) -> str:
    """The file of an axle that bears a load, N, in a group of some; ``guess``: a load that is not known yet."""
    beam = t.beam
    tire = read_tir(library_file("tires", t.tire)).tire
    tires = 4 if t.twin else 2
    height = tire.values["UNLOADED_RADIUS"] - tire.deflection(load_ / tires)
    unsprung = 2 * t.unsprung + (beam.mass if beam else 0.0)
    mass = load_ / GRAVITY - unsprung
    rate = (2 * math.pi * t.frequency) ** 2 * mass / 2  # (1)
    across = beam.spring_track if beam else t.track
    more = (t.roll_stiffness / DEG - rate * across**2 / 2) / t.track**2  # (2)
    more = max(more, 0.0) if guess else more
    assert more >= 0, f"{t.title}: its springs alone have more roll stiffness than stated, by {-more * t.track**2:.0f}"
    hard = 2 * t.damping * math.sqrt(rate * mass / 2) / PER_SLOPE  # (3)
    preload = mass * GRAVITY / 2
    speeds = [*(-v for v in reversed(VALVES)), 0, *VALVES]
    forces = [*(-BUMP * f for f in reversed(VALVES.values())), 0, *VALVES.values()]
    lines = [
        f"# {t.title}; {rate / 1e3:.0f} N/mm at a wheel, {load_ / GRAVITY:.0f} kg on the axle at rest.",
        f"# By {COMMAND} from the figures stated there. Made up; licence CC0-1.0.",
        "suspension:",
        f"  name: {t.title}",
        f"  track: {1e3 * t.track:.0f} mm" + ("                       # of the inner tires" if t.twin else ""),
        f"  wheel_centre_x: {1e3 * t.x:.0f} mm",
        *(f"  {line}" for line in t.guided),
    ]
    if beam is not None:
        lines += [
            "  solid:",
            f"    mass: {beam.mass:g} kg",
            f"    ixx: {beam.ixx:g} kg.m2",
            f"    iyy: {beam.iyy:g} kg.m2",
            f"    izz: {beam.ixx:g} kg.m2",
            f"    spring_track: {1e3 * beam.spring_track:.0f} mm",
            f"    damper_track: {1e3 * beam.damper_track:.0f} mm",
            f"    roll_centre: {1e3 * beam.roll_centre:.0f} mm              # above the wheel centres",
            f"    roll_steer: {beam.roll_steer:g}",
        ]
    if not t.equalized:
        lines.append(f"  spring: {{rate: {rate / 1e3:.1f} N/mm, preload: {preload:.0f} N}}")
    lines += [
        "  dampers:",
        "    - name: main",
        "      force:",
        f"        x: {_list(speeds)}",
        f"        y: {_list(5 * round(hard * f / 5) for f in forces)}",
        "        units: [m/s, N]",
        *_stop("bump_stop", t.travel[0], 0.03 if beam else 0.025, 4.0 * preload),
        *_stop("rebound_stop", t.travel[1], 0.015, 2.0 * preload),
        "  auxiliary_anti_roll:                 # bar, or arms that twist the beam",
        f"    rate: {more / 1e3:.1f} N/mm",
        "    damping: 0.02 s",
    ]
    if t.friction:
        rubs = t.friction * preload
        lines += ["  elements:", f"    - {{kind: friction, force: {rubs:.0f} N, stiffness: {rubs / 0.8:.0f} N/mm}}"]
    lines += [
        "wheels:",
        f"  unsprung_mass: {t.unsprung:g} kg"
        + ("                # both wheels of a side, hub and brake" if t.twin else ""),
        f"  ixx: {t.wheel[0]:g} kg.m2",
        f"  iyy: {t.wheel[1]:g} kg.m2",
        f"  izz: {t.wheel[0]:g} kg.m2",
        f"  spin_inertia: {t.spin:g} kg.m2",
        f"  wheel_centre_height: {1e3 * height:.1f} mm    # loaded radius at the static load",
        f"  tire: {t.tire}",
        *([f"  twin: {{offset: {1e3 * t.twin:.0f} mm}}"] if t.twin else []),
        f"brake: {t.brake}",
        *([f"brake_share: {t.share:g}"] if t.share is not None else []),
        *(["group: true"] if t.group else []),
        *(["steering: steering.yaml"] if t.steered else []),
    ]
    if t.equalizer:
        side, load_of = members * rate, members * preload
        lines.append(f"equalizer: {{kind: {t.equalizer}, rate: {side / 1e3:.0f} N/mm, preload: {load_of:.0f} N}}")
    return "\n".join(lines) + "\n"


def _stop(name: str, clearance: float, depth: float, most: float) -> list[str]:
    x = [f"{1e3 * depth * i / (len(STOP) - 1):g}" for i in range(len(STOP))]
    y = [f"{10 * round(most * share / 10):g}" for share in STOP]
    return [
        f"  {name}:",
        f"    clearance: {1e3 * clearance:.0f} mm",
        f"    force: {{x: {_list(x)}, y: {_list(y)}, units: [mm, N]}}",
    ]


def _list(items: object) -> str:
    return "[" + ", ".join(f"{item:g}" if isinstance(item, float) else str(item) for item in items) + "]"  # type: ignore[attr-defined]


def steer_angle(s: Steered, delta: float) -> float:
    """Of the left wheel over the mean angle, both rad (5)."""
    if abs(delta) < 1e-9:
        return delta
    inner = math.atan(s.wheelbase / (s.wheelbase / math.tan(delta) - s.kingpins / 2))
    return delta + s.ackermann * (inner - delta)


def steering_text(s: Steered) -> str:
    means = [s.most * DEG * i / 10 for i in range(-10, 11)]
    rack = [round(1e3 * s.arm * delta, 2) for delta in means]
    steer = [round(steer_angle(s, 1e-3 * r / s.arm) / DEG, 4) for r in rack]
    height = 0.5 if s.arm > 0.15 else 0.33
    inwards = s.scrub + height * math.tan(s.inclination * DEG)
    return (
        "\n".join(
            [
                f"# {s.note}.",
                f"# {s.ratio:g} of the hand wheel to 1 of the wheels; {100 * s.ackermann:.0f} % of Ackermann's angles.",
                f"# By {COMMAND} from the figures stated there. Made up; licence CC0-1.0.",
                "input: rack_travel",
                f"rack_travel: {2e3 * math.pi * s.arm / s.ratio:.3f} mm/rev",
                "steer:",
                f"  x: {_list(rack)}",
                f"  y: {_list(steer)}",
                "  units: [mm, deg]",
                "kingpin:                               # for steering torques",
                f"  caster: {s.caster:g} deg",
                f"  inclination: {s.inclination:g} deg",
                "  x: 0 mm",
                f"  y: {-1e3 * inwards:.0f} mm",
                "  z: 0 mm",
                "rack_pinion: rack_pinion.yaml          # hydraulic assist",
            ]
        )
        + "\n"
    )


def texts(name: str) -> dict[Path, str]:
    """All files of a truck by path."""
    truck, folder = TRUCKS[name], VEHICLES / name
    vehicle = load(name)
    found = loads(vehicle)
    axles = vehicle.layout.axles
    result: dict[Path, str] = {}
    for file, target in truck.axles.items():
        (axle,) = [a for a in axles if is_its(a, file, target)]
        result[folder / f"{file}.yaml"] = axle_text(target, found[axle.number], len(axle.group))
    if truck.steering is not None:
        result[folder / "steering.yaml"] = steering_text(truck.steering)
        per_radian = truck.steering.arm / truck.steering.ratio
        title = (
            "From the hand wheel to the drag link" if truck.steering.arm > 0.15 else "From the hand wheel to the rack"
        )
        gear = gear_text(truck.steering.feel.data(per_radian), title).replace("tools/make_steering.py", COMMAND)
        result[folder / "rack_pinion.yaml"] = gear
    return result


def is_its(axle: AxlePlace, file: str, target: Target) -> bool:
    """Whether an axle is that of a file: by its place, which of a trailer counts from its coupling."""
    towed_one = file.startswith(("trailer", "caravan"))
    return abs(axle.x - target.x) < 1e-9 and (axle.unit.number > 1) == towed_one


def changes(name: str) -> dict[Path, str]:
    """New texts of the files of a truck that are not up to date."""
    return {
        path: new for path, new in texts(name).items() if not path.is_file() or path.read_text(encoding="utf-8") != new
    }


def first(name: str) -> None:
    """Files of a new truck, with loads that only have the right size: its masses are read from the files."""
    folder = VEHICLES / name
    for file, target in TRUCKS[name].axles.items():
        members = 2 if target.equalizer or target.group else 1
        path = folder / f"{file}.yaml"
        if not path.is_file():
            path.write_text(axle_text(target, 3e4, members, guess=True), encoding="utf-8", newline="\n")
    steering = TRUCKS[name].steering
    if steering is not None and not (folder / "steering.yaml").is_file():
        (folder / "steering.yaml").write_text(steering_text(steering), encoding="utf-8", newline="\n")
        gear = gear_text(steering.feel.data(steering.arm / steering.ratio), "")
        (folder / "rack_pinion.yaml").write_text(gear, encoding="utf-8", newline="\n")


def main(arguments: list[str]) -> int:
    if "--check" not in arguments:
        for name in TRUCKS:
            first(name)
    for name in TRUCKS:
        found = loads(load(name))
        print(f"{name:20s}", *(f"axle {n}: {value / GRAVITY:.0f} kg" for n, value in sorted(found.items())))
    return put({path: new for name in TRUCKS for path, new in changes(name).items()}, VEHICLES, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
