"""Suspension rig: the body is locked, the wheels are moved or loaded, and every point is an equilibrium.

Forces and moments act on each wheel in the axes of the world (those of the body, which stands at design):

    fx_brake, fy, fz    at the contact of a rigid wheel: below its centre in its plane, by the unloaded radius
    fx_drive            at the wheel centre
    mx, my, mz          free moments

or, with the axes of the wheel, along its heading and to the left of it (ISO-W at the contact, ISO-C at the centre).

A braked wheel is held by its brake: the torque of its forces about the spin axis goes through the brake into the
carrier, none of ``fx_drive`` does (its torque comes through a shaft from the body). With the loads p and the hand wheel
given, the unknowns are what balances in the suspension q (travels, whatever parts declare), the reactions r that hold
the body, the torques b of the brakes, and, where travel is given instead of ``fz``, the jack forces f:

    q̈ = 0 (or q̇ = 0),   v̇_body = ω̇_body = 0,   Ω̇ = 0                                                              (1)

Newton's method on the exact linearisation of the car, whose tires are outside functions that give these loads. Nothing
of the car is changed for the rig: maps, elements, steering and compliance are those that drive.

Equilibria are those without friction, unless it is asked for: then friction (states of role ``rub``) is carried along
from the last point to this one, by its own law over the way that its element goes,

    F⁺ = F(q; q_old, F_old)     on the straight way from q_old to q, at the rates of its middle                      (2)

which is part of the equations (1). A sweep up and down then gives the loop that a rig measures, 2 F_max wide.

Rigs of other programs relax dynamically from point to point, with gains of actuators; here every point is a root.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from jounce.components.suspension.guidance import MAPS
from jounce.components.tire.external import INPUTS, external_tire
from jounce.core.errors import ParameterError, PlausibilityWarning, StaticsError, did_you_mean
from jounce.sim import car, statics
from jounce.sim.equilibrium import Places, newton

if TYPE_CHECKING:
    from jounce.components.places import WheelPlace
    from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]
Way = Literal["parallel", "opposite", "left", "right"]
Axes = Literal["body", "wheel"]

TOLERANCE = 1e-9  # largest remaining acceleration or travel error, SI
ROUNDING = 1e-6  # what is accepted when no step makes it smaller
ITERATIONS = 40
STEP = {"m": 0.02, "rad": 0.05}  # largest change of an unknown of this unit in one iteration
JACK = 100.0  # N, of the difference that tells what a jack force or friction does; they act linearly
WAY = 1e-7  # m, rad: of the difference that tells how friction changes along its way
TURNED = slice(4, 13)  # of what an outside tire is asked with: the axes of its carrier
DIFFERENCE = 1e-6  # of these, for slopes
REACTIONS = tuple(f"Ext_Ground.{kind}.{axis}" for kind in ("force", "moment") for axis in "XYZ")
FARTHEST = 0.5  # m of travel: more is no wheel of a vehicle
HOLDING = "Brake_System.brk_mmag_unsign"
STEER = "steering_wheel"


@dataclass(frozen=True)
class Load:
    """What acts on one wheel, N and N m, in the axes of the world; see the module."""

    fx_brake: float = 0.0
    fx_drive: float = 0.0
    fy: float = 0.0
    fz: float = 0.0
    mx: float = 0.0
    my: float = 0.0
    mz: float = 0.0

    def plus(self, **more: float) -> Load:
        """A copy with further loads."""
        known = [f.name for f in fields(self)]
        for name in more:
            if name not in known:
                raise ParameterError(f"load {name!r} is unknown{did_you_mean(name, known)}")
        return replace(self, **{name: getattr(self, name) + value for name, value in more.items()})


@dataclass(frozen=True)
class Point:
    """One point of a rig test: what is given at the wheels and the hand wheel.

    A wheel in ``travels`` is moved there (m from design, up); every other wheel carries ``fz`` of its load. ``steer``:
    hand wheel angle, rad, left positive. ``axes``: those that loads act along, of the body or of each wheel.
    """

    travels: Mapping[str, float] = field(default_factory=dict)
    loads: Mapping[str, Load] = field(default_factory=dict)
    steer: float = 0.0
    axes: Axes = "body"


@dataclass(frozen=True)
class Held:
    """An equilibrium on the rig."""

    point: Point
    channels: Mapping[str, float]  # outputs of the car by name
    jack: Mapping[str, float]  # vertical force at each contact, N
    travel: Mapping[str, float]  # from design, m
    contact: Mapping[str, Array]  # contact points, from the origin of the vehicle at design, m
    centre: Mapping[str, Array]  # wheel centres
    axis: Mapping[str, Array]  # spin axes, to the left
    residual: float

    def toe(self, wheel: str) -> float:
        """Toe-in from the body, rad."""
        return self.channels[f"wheel_angles.toe_{wheel}"]

    def steer(self, wheel: str) -> float:
        """Steer angle from the body, rad, left positive."""
        return self.channels[f"Wheel.Spindle_Steer.{wheel}"]

    def camber(self, wheel: str) -> float:
        """Camber from the body, rad, top outwards."""
        return self.channels[f"wheel_angles.camber_{wheel}"]

    def caster(self, wheel: str) -> float:
        """Side view angle, rad, top rearwards."""
        return self.channels[f"wheel_angles.caster_{wheel}"]


class SuspensionRig:
    """A car on the rig.

    Parameters
    ----------
    vehicle : the car
    gravity : m/s²; that of the car by default, 0 for a rig without the weight of the wheels
    start : where sweeps and figures have their zero: the travels of design, those at which the car stands on the road
        (as it was set up), or travels by wheel, m from design
    radius : of the rigid wheels: that of the unloaded tires, or their height at design, on the ground of the road
    """

    def __init__(
        self,
        vehicle: Vehicle,
        gravity: float | None = None,
        radius: Literal["unloaded", "design"] = "unloaded",
        start: Literal["design", "standing"] | Mapping[str, float] = "design",
    ) -> None:
        self.vehicle, self.layout = vehicle, vehicle.layout
        # no engine runs on a rig: what drives is given as a force
        self._model = vehicle if vehicle.driveline is None else vehicle.with_(driveline=None)
        self.wheels = tuple(self.layout.wheels)
        own = car.tires_of(vehicle)
        if radius not in ("unloaded", "design"):
            raise ParameterError(f"radius = {radius!r}{did_you_mean(radius, ('unloaded', 'design'))}")
        self._reach = {w: reach(place) for w, place in self.layout.wheels.items()}
        self._beyond: set[str] = set()
        self._started = self._travels(start)
        self.started = "at design height" if start == "design" else f"at {_millimetres(self._started)}"
        design = {w: place.axle.data.wheels_on(place.side) for w, place in self.layout.wheels.items()}
        self.radius = {
            w: float(own[w].values["UNLOADED_RADIUS"] if radius == "unloaded" else design[w].wheel_centre_height)
            for w in self.wheels
        }
        outside = {name: external_tire(float(t.values["UNLOADED_RADIUS"]), name="rig") for name, t in own.items()}
        inputs = (*REACTIONS, *(f"{HOLDING}.{wheel}" for wheel in self.wheels if self._has_brake(wheel)))
        self.description = car.describe(self._model, outside, inputs=inputs)
        self.sim = car.simulation(self.description)
        for name in outside:
            self.sim.bind(f"{name}.tire", self._service(name))
        if gravity is not None:
            self.sim.set_parameters({"gravity": gravity})
        self._point = Point()
        self._jack = dict.fromkeys(self.wheels, 0.0)
        self.linear = car.lineariser(self.description, inputs=inputs)
        self._inputs = inputs
        self._find_unknowns()
        statics.place(self.sim, self.description)
        self._start = self.sim.snapshot()

    def _travels(self, start: str | Mapping[str, float]) -> dict[str, float]:
        """Travels of all wheels where sweeps have their zero."""
        if isinstance(start, Mapping):
            self._known(start)
            return {w: float(start.get(w, 0.0)) for w in self.wheels}
        if start not in ("design", "standing"):
            raise ParameterError(f"start = {start!r}{did_you_mean(start, ('design', 'standing'))}")
        if start == "design":
            return dict.fromkeys(self.wheels, 0.0)
        description = car.describe(self._model)
        sim = car.simulation(description)
        statics.settle(sim, description)
        return {w: sim.output(f"Suspension.Jounce.{w}") for w in self.wheels}

    def _known(self, wheels: Iterable[str]) -> None:
        for wheel in wheels:
            if wheel not in self.wheels:
                raise ParameterError(f"wheel {wheel!r} is unknown{did_you_mean(wheel, self.wheels)}")

    def _has_brake(self, wheel: str) -> bool:
        return self.layout.wheels[wheel].axle.data.brake is not None

    def _service(self, name: str) -> Callable[[Array, int], Array]:
        """The wheel as an outside tire: the loads of the point at hand, at the wheel centre in carrier axes."""
        n, first = len(INPUTS), TURNED.start

        def service(x: Array, order: int) -> Array:
            matrix = x[TURNED].reshape(3, 3)
            axis = matrix[:, 1].tolist()
            force, moment = loads = self._acting(name, axis)
            value: Array = np.concatenate([force @ matrix, moment @ matrix])
            if order == 0:
                return value
            slopes = np.zeros((6, n))  # they depend on how the carrier is turned only
            for i in range(3):
                for j in range(3):
                    slopes[(j, 3 + j), first + 3 * i + j] = force[i], moment[i]
                # and the loads on the spin axis, which is the second column
                ends = []
                for h in (DIFFERENCE, -DIFFERENCE):
                    ends.append(self._acting(name, [a + h * (k == i) for k, a in enumerate(axis)]))
                for k in range(len(loads)):
                    change = (ends[0][k] - ends[1][k]) / (2 * DIFFERENCE)
                    slopes[3 * k : 3 * k + 3, first + 3 * i + 1] += change @ matrix
            return np.concatenate([value, slopes.ravel()])

        return service

    def _acting(self, name: str, axis: Sequence[float]) -> tuple[Array, Array]:
        """Force, and moment about the wheel centre, in the axes of the world, on a wheel with this spin axis."""
        load = self._point.loads.get(name, NOTHING)
        vertical = self._jack.get(name, 0.0) if name in self._point.travels else load.fz
        c, s = heading(axis) if self._point.axes == "wheel" else (1.0, 0.0)
        x, y, z = (self.radius.get(name, 0.0) * part for part in _down(axis))
        fx, fy = c * load.fx_brake - s * load.fy, s * load.fx_brake + c * load.fy
        mx, my = c * load.mx - s * load.my, s * load.mx + c * load.my
        force = np.array([fx + c * load.fx_drive, fy + s * load.fx_drive, vertical])
        moment = np.array([mx + y * vertical - z * fy, my + z * fx - x * vertical, load.mz + x * fy - y * fx])
        return force, moment

    def _find_unknowns(self) -> None:
        rest = self.linear.rest
        names = tuple(self.linear.notes["states"])
        self._places = Places(self.sim, names)
        roles: list[str] = rest["roles"]
        partners = dict(rest["partners"])
        bodies = {i for body in rest["bodies"] for i in (*body["position"], *body["tilt"])}
        self._free = [i for i, role in enumerate(roles) if role == "balance" and i not in bodies]
        self._rows = [partners.get(i, i) for i in self._free]
        self._body = [i for body in rest["bodies"] for i in (*body["velocity"], *body["turning"])]
        spins = {names[i].split(".")[0]: i for i in rest["rolling"]}
        self._spins = [spins[w] for w in self.wheels if self._has_brake(w) and w in spins]
        self._names = names
        self._moving = [(self._places.state[i], self._places.state[partners[i]]) for i in self._free if i in partners]
        self._rubs = [i for i, v in enumerate(self.sim.model.memories) if v.role == "rub"]
        units = {v.name: v.unit for v in self.sim.model.states}
        self._limits = [STEP.get(units.get(names[i], ""), np.inf) for i in self._free]

    # -- one point ---------------------------------------------------------------------------------------------------

    @property
    def has_friction(self) -> bool:
        """Whether something in the suspension rubs."""
        return bool(self._rubs)

    def hold(self, point: Point | None = None, friction: bool = False, **changes: Any) -> Held:
        """Find the equilibrium of a point; it begins where the last one ended.

        ``friction``: carried along from the last point, by (2); else there is none.

        Raises
        ------
        StaticsError
            Naming what does not come to rest; the rig goes back to where it was.
        """
        point = replace(point or Point(), **changes)
        self._check(point)
        before = self.sim.snapshot(), dict(self._jack), self._point
        self._point = point
        known = {v.name for v in self.sim.model.inputs}
        if STEER in known:
            self._turn(before[2].steer, point.steer)
        elif point.steer:
            raise ParameterError("steer: this car has no steering")
        problem = _Problem(self, friction and self.has_friction)
        found = newton(problem, problem.limits, TOLERANCE, ITERATIONS, ROUNDING)
        if not found.converged:
            self.sim.restore(before[0])
            self._jack, self._point = before[1], before[2]
            raise StaticsError(
                f"suspension rig: no equilibrium; {problem.label(found.worst)} stays at {found.size:.3g} "
                f"(allowed {TOLERANCE:g}). Is the travel within the maps, does something hold the wheel?"
            )
        return self._told(found.size)

    def _turn(self, before: float, now: float) -> None:
        """Turn the hand wheel, and a rack that has a state by as much, so that the search begins without twist."""
        self.sim.set_inputs({STEER: now})
        place = self.layout.steered
        if place is not None and now != before:
            old, new = (place.data.steering.turned(place, angle) for angle in (before, now))
            self.sim.set_states({name: self.sim.state(name) + new[name] - old[name] for name in new})

    def _check(self, point: Point) -> None:
        """ParameterError about a wheel that is not there, two sources of one quantity, a travel that is far off."""
        self._known((*point.travels, *point.loads))
        if point.axes not in ("body", "wheel"):
            raise ParameterError(f"axes = {point.axes!r}{did_you_mean(point.axes, ('body', 'wheel'))}")
        for wheel, travel in point.travels.items():
            load = point.loads.get(wheel, NOTHING)
            if load.fz:
                raise ParameterError(
                    f"wheel {wheel}: both a travel ({1e3 * travel:g} mm) and a vertical force ({load.fz:g} N) are "
                    "given; give one, the other is found"
                )
            if not abs(travel) <= FARTHEST:
                raise ParameterError(
                    f"wheel {wheel}: a travel of {1e3 * travel:g} mm; wheels move by at most {1e3 * FARTHEST:g} mm. "
                    "Travels are in m"
                )
            low, high = self._reach[wheel]
            if not low <= travel <= high and wheel not in self._beyond:
                self._beyond.add(wheel)  # once
                text = f"the maps that guide it have {1e3 * low:.0f} to {1e3 * high:.0f} mm and are continued beyond"
                warnings.warn(f"wheel {wheel}: a travel of {1e3 * travel:.4g} mm; {text}", PlausibilityWarning, 4)

    def _told(self, residual: float) -> Held:
        values = self.sim.outputs()
        channels = {v.name: float(x) for v, x in zip(self.sim.model.outputs, values, strict=True)}
        contact, centre, axis, travel, jack = {}, {}, {}, {}, {}
        for w in self.wheels:
            centre[w] = np.array([channels[f"Wheel.Global_{i}.{w}"] for i in "XYZ"])
            axis[w] = self._axis(channels, w)
            contact[w] = centre[w] + self.radius[w] * np.asarray(_down(axis[w]), dtype=float)
            travel[w] = channels[f"Suspension.Jounce.{w}"]
            load = self._point.loads.get(w, NOTHING)
            jack[w] = self._jack[w] if w in self._point.travels else load.fz
        return Held(self._point, channels, jack, travel, contact, centre, axis, residual)

    def _axis(self, channels: Mapping[str, float], wheel: str) -> Array:
        """Spin axis of a wheel in the axes of the body, from its angles: R = Rz(ψ) Rx(φ) Ry(θ)."""
        psi = channels[f"Wheel.Spindle_Steer.{wheel}"]
        phi = -self.layout.wheels[wheel].outwards * channels[f"wheel_angles.camber_{wheel}"]
        if self.layout.settings.carrier_rotation == "3-2-1":
            theta = -channels[f"wheel_angles.caster_{wheel}"]
            y = np.array([np.sin(phi) * np.sin(theta), np.cos(phi), np.sin(phi) * np.cos(theta)])
        else:
            y = np.array([0.0, np.cos(phi), np.sin(phi)])
        c, s = np.cos(psi), np.sin(psi)
        return np.array([c * y[0] - s * y[1], s * y[0] + c * y[1], y[2]])

    # -- many points -------------------------------------------------------------------------------------------------

    def run(self, points: Iterable[Point], friction: bool = False) -> list[Held]:
        """Equilibria of a sequence of points; with ``friction`` the first is without, and then it is carried along."""
        return [self.hold(point, friction and k > 0) for k, point in enumerate(points)]

    def design(self) -> Point:
        """All wheels at design."""
        return Point(travels=dict.fromkeys(self.wheels, 0.0))

    def start(self) -> Point:
        """All wheels where sweeps have their zero."""
        return Point(travels=dict(self._started))

    def reset(self) -> None:
        """Back to design, unloaded."""
        self.sim.restore(self._start)
        self._jack = dict.fromkeys(self.wheels, 0.0)
        self._point = Point()

    def axle(self, name: str) -> tuple[str, ...]:
        """Wheels of an axle by its word (front, rear) or number."""
        found = {axle.word: axle for axle in self.layout.axles} | {str(a.number): a for a in self.layout.axles}
        if str(name) not in found:
            raise ParameterError(f"axle {name!r} is unknown{did_you_mean(str(name), found)}")
        return tuple(w.name for w in found[str(name)].wheels)


NOTHING = Load()


class _Problem:
    """Unknowns and equations (1) of a point; travels that are given are set at once, their jack forces are found."""

    def __init__(self, rig: SuspensionRig, friction: bool) -> None:
        self.rig, self.friction = rig, friction
        self.before = rig.sim.x.copy(), rig.sim.m.copy()
        if not friction:
            rig.sim.m[rig._rubs] = 0.0
        self.moved = tuple(rig._point.travels)
        names = {name: i for i, name in enumerate(rig._names)}
        given = {names[rig.layout.wheels[w].travel]: w for w in self.moved}
        for i, w in given.items():
            rig.sim.x[rig._places.state[i]] = rig._point.travels[w]
        kept = [(i, limit) for i, limit in zip(rig._free, rig._limits, strict=True) if i not in given]
        self.free = [i for i, _ in kept]
        self.rows = [*rig._rows, *rig._body, *rig._spins]
        self.limits = np.array([*(limit for _, limit in kept), *[np.inf] * (len(rig._inputs) + len(self.moved))])

    def label(self, row: int) -> str:
        return f"the acceleration of {self.rig._names[self.rows[row]]!r}"

    def residual(self) -> Array:
        if self.friction:
            self.rig.sim.m[self.rig._rubs] = self.rubbed()
        return self._rates()

    def _rates(self) -> Array:
        rates: Array = self.rig._places.rates(self.rig.sim.derivatives()[0])[self.rows]
        return rates

    def rubbed(self, moved: int | None = None, by: float = 0.0) -> Array:
        """(2), also with one state moved: friction sees a motion of the middle of the way, all of it in one second."""
        rig, (was, memory) = self.rig, self.before
        now = rig.sim.x.copy()
        if moved is not None:
            now[moved] += by
        middle = 0.5 * (was + now)
        for position, speed in rig._moving:
            middle[speed] = now[position] - was[position]
        # the law takes the mean of the rates at both ends of the time, and that at its beginning is kept as zero
        found: Array = rig.sim.derivatives(x=middle, m=memory, elapsed=2.0)[1][rig._rubs]
        return found

    def jacobian(self) -> Array:
        rig = self.rig
        linear = rig.linear.at(rig.sim)
        columns = [linear.A[np.ix_(self.rows, self.free)], linear.B[self.rows]]
        if self.friction:
            columns[0] = columns[0] + self._by_friction()
        here = self._rates()
        for w in self.moved:  # linear in the jack force
            was = rig._jack[w]
            rig._jack[w] = was + JACK
            columns.append(((self._rates() - here) / JACK)[:, None])
            rig._jack[w] = was
        return np.hstack(columns)

    def _by_friction(self) -> Array:
        """What friction adds to the slopes of the equations over the unknown states: ∂r/∂F ∂F/∂q."""
        rig = self.rig
        acts, here = [], self._rates()
        for i in rig._rubs:  # linear in the force
            was = rig.sim.m[i]
            rig.sim.m[i] = was + JACK
            acts.append((self._rates() - here) / JACK)
            rig.sim.m[i] = was
        along, moving = np.zeros((len(rig._rubs), len(self.free))), {position for position, _ in rig._moving}
        for k, i in enumerate(self.free):
            at = rig._places.state.get(i, -1)
            if at in moving:
                along[:, k] = (self.rubbed(at, WAY) - self.rubbed(at, -WAY)) / (2 * WAY)
        result: Array = np.column_stack(acts) @ along
        return result

    def save(self) -> tuple[Array, Array, dict[str, float]]:
        return self.rig.sim.x.copy(), self.rig.sim.u.copy(), dict(self.rig._jack)

    def move(self, start: tuple[Array, Array, dict[str, float]], step: Array) -> None:
        rig, (x, u, jack) = self.rig, start
        n, m = len(self.free), len(rig._inputs)
        rig.sim.x[:] = rig._places.moved(x, self.free, step[:n])
        rig.sim.u[:] = u
        rig.sim.set_inputs({name: rig.sim.input(name) + step[n + i] for i, name in enumerate(rig._inputs)})
        rig._jack = jack | {w: float(jack[w] + step[n + m + i]) for i, w in enumerate(self.moved)}


def _down(axis: Sequence[float] | Array) -> tuple[float, float, float]:
    """From the wheel centre to the contact, in the plane of the wheel."""
    x, y, z = axis
    size = math.sqrt(z * z * (x * x + y * y) + (z * z - 1.0) ** 2)
    return z * x / size, z * y / size, (z * z - 1.0) / size


def reach(wheel: WheelPlace) -> tuple[float, float]:
    """Travel that all maps that guide a wheel cover, m; without tables there is no end."""
    low, high = -math.inf, math.inf
    for name in MAPS:
        curve = wheel.axle.data.suspension.map(name, wheel.side).curve
        if curve.is_table:
            low, high = max(low, curve.x[0]), min(high, curve.x[-1])
    return low, high


def _millimetres(travels: Mapping[str, float]) -> str:
    return "travels of " + ", ".join(f"{1e3 * value:.1f} mm ({wheel})" for wheel, value in travels.items())


def heading(axis: Sequence[float] | Array) -> tuple[float, float]:
    """Where a wheel with this spin axis is headed on the ground: cosine and sine of its steer angle."""
    x, y = axis[0], axis[1]
    size = math.hypot(x, y)
    return y / size, -x / size


# --- sweeps ---------------------------------------------------------------------------------------------------------


# what the left and the right wheel of an axle do in a sweep
SIGNS = {"parallel": (1.0, 1.0), "opposite": (1.0, -1.0), "left": (1.0, 0.0), "right": (0.0, 1.0)}


def _shares(rig: SuspensionRig, axle: str, way: str) -> dict[str, float]:
    """Wheels of an axle and their signs in a sweep."""
    if way not in SIGNS:
        raise ParameterError(f"way = {way!r}{did_you_mean(way, SIGNS)}")
    wheels = rig.axle(axle)
    if len(wheels) == 1 and way != "parallel":
        raise ParameterError(f"way = {way!r}: axle {axle} has one wheel, {wheels[0]}; move it by 'parallel'")
    return dict(zip(wheels, SIGNS[way], strict=False))


def travel_sweep(
    rig: SuspensionRig, axle: str, values: Sequence[float], way: Way, friction: bool = False
) -> list[Held]:
    """Wheels of an axle moved together, against each other (left up), or one of them; all others stay."""
    shares, start = _shares(rig, axle, way), dict(rig.start().travels)
    rig.reset()
    points = (Point(travels=start | {w: start[w] + s * value for w, s in shares.items()}) for value in values)
    return rig.run(points, friction)


def load_sweep(
    rig: SuspensionRig,
    axle: str,
    component: str,
    values: Sequence[float],
    way: Way = "parallel",
) -> list[Held]:
    """A component of the loads at the wheels of an axle, at the height of the start."""
    shares, design = _shares(rig, axle, way), rig.start()
    NOTHING.plus(**{component: 0.0})
    rig.reset()
    return rig.run(
        replace(design, loads={w: NOTHING.plus(**{component: s * value}) for w, s in shares.items()})
        for value in values
    )


def steer_sweep(rig: SuspensionRig, values: Sequence[float]) -> list[Held]:
    """The hand wheel turned, all wheels where they start."""
    rig.reset()
    design = rig.start()
    return rig.run(replace(design, steer=value) for value in values)


__all__ = ["Held", "Load", "Point", "SuspensionRig", "load_sweep", "steer_sweep", "travel_sweep"]
