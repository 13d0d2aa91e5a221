"""Tires by outside functions: a Python callable or a C function that gives the forces at the wheel centre.

The function is asked during every evaluation, as a *service* of the model:

    time                        s
    position[3]                 of the wheel centre, world axes, m
    matrix[9]                   carrier axes in world axes, row by row: v_world = matrix · v_carrier
    velocity[3], omega[3]       of the carrier at the wheel centre, carrier axes, m/s and rad/s; the velocity relative
                                to the ground, where that moves (heights by inputs, a road that grows at the start)
    angle, spin                 of the wheel relative to the carrier, rad and rad/s
    height, normal[3]           of the wheel centre above the tangent plane of the road along its normal; world axes
    friction                    road friction times the factor of the wheel
    states[n]                   own states, integrated with the vehicle
  ->
    force[3], moment[3]         on the wheel, at the wheel centre, carrier axes, N and N m
    rates[n]                    of the own states
    channels[m]                 further results, recorded under the names that the tire declares

It must be a pure function of these: the solver evaluates it at trial points and may go back in time, so memory of its
own would be wrong.  States that the solver integrates are part of every snapshot; save and restore need nothing.

A tire that cannot be written so (private memory, co-simulation) is exchanged at step boundaries instead: with
``exchange="step"`` the forces are inputs and the quantities above are kinematic outputs; ``attach`` binds the function
as a block, with ``get_state`` and ``set_state`` for snapshots.  The forces then are held or extrapolated within a step,
by the exchange convention of the simulation.

Compiled tires that were written for another program (STI, CRT) are in ``sti``.

On contact points that are given (``external-points``) it sees the plane through the point that the normal says, as it
finds its contact itself.

Derivatives, where a linearisation or a linear-implicit step asks for them, are central differences of the function.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from jounce.components.tire import contact as geometry
from jounce.components.tire.base import AtLoad, Coefficient, Curve, Forces, Numbers, Tire, TireModel, Turn
from jounce.components.tire.mounted import Block, Mounted
from jounce.components.tire.output_map import CATALOGUE
from jounce.core.errors import ParameterError
from jounce.road.ground import Ground, aimed
from jounce.symbolic.frames import add
from jounce.symbolic.ops import atan, fabs, fmax, if_else

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.symbolic.bodies import Gyrostat
    from jounce.symbolic.system import Scope

Array = npt.NDArray[np.float64]

_XYZ = ("x", "y", "z")
# Order and units of jounce_tire.h.
INPUTS: tuple[tuple[str, str], ...] = (
    ("time", "s"),
    *((f"position.{i}", "m") for i in _XYZ),
    *((f"matrix.{i}{j}", "-") for i in _XYZ for j in _XYZ),
    *((f"velocity.{i}", "m/s") for i in _XYZ),
    *((f"omega.{i}", "rad/s") for i in _XYZ),
    ("angle", "rad"),
    ("spin", "rad/s"),
    ("height", "m"),
    *((f"normal.{i}", "-") for i in _XYZ),
    ("friction", "-"),
)
FORCES: tuple[tuple[str, str], ...] = (*((f"force.{i}", "N") for i in _XYZ), *((f"moment.{i}", "N.m") for i in _XYZ))
FACTOR = ("factor", "-")
EXCHANGES = ("evaluation", "step")
CORNER = re.compile(r"[LR]\d+(_twin)?")  # scopes of the wheels of a car
SLIP_SPEED = 0.1  # m/s, least speed in the slips of the channels
OUTSIDE = "an outside tire has no formula here (jounce tire rig shows its forces)"
USUAL_DROP = 1 / 3  # of a pneumatic tire: the tread is longer than the contact that it rolls through
DROP_DOC = "effective radius of the slip channels: UNLOADED_RADIUS - RADIUS_DROP times the deflection"
TOLD_RADIUS = "map.effective_radius"  # channel of a tire that tells its own
# Steps of central differences: about the cube root of rounding times what the quantity is usually.
_STEPS = {"s": 1e-5, "m": 1e-6, "-": 1e-6, "m/s": 1e-4, "rad/s": 1e-4, "rad": 1e-6}


class Wheel(NamedTuple):
    """What a Python function of a tire is asked with; see the module."""

    time: float
    position: Array
    matrix: Array  # 3 x 3
    velocity: Array
    omega: Array
    angle: float
    spin: float
    height: float
    normal: Array
    friction: float
    states: Array


class Answer(NamedTuple):
    """What it gives back."""

    force: npt.ArrayLike
    moment: npt.ArrayLike
    rates: npt.ArrayLike = ()
    channels: npt.ArrayLike = ()


TireFunction = Callable[[Wheel], Answer]


@dataclass(frozen=True)
class External(TireModel):
    """A tire by an outside function.

    Parameters
    ----------
    states : names of its states, with units: ``(("temperature", "K"),)``
    channels : names of further results, with units
    exchange : ``evaluation``: asked in every evaluation; ``step``: at step boundaries, forces are inputs
    family : row of the compatibility of tires and roads
    call : function that gives the forces; cars and rigs bind it by themselves: from Wheel to Answer, or a C
        function, or a C function and the address that is handed to it
    """

    kind: ClassVar[str] = "external"
    sided: ClassVar[Collection[str]] = ()
    wants_factor: ClassVar[bool] = False  # asked with one more number, the factor of the wheel on the road's friction

    states: tuple[tuple[str, str], ...] = ()
    channels: tuple[tuple[str, str], ...] = ()
    exchange: str = "evaluation"
    family: str = field(default="USER", repr=False, kw_only=True)
    call: Any = field(default=None, repr=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.exchange not in EXCHANGES:
            raise ParameterError(f"outside tire: exchange {self.exchange!r}; allowed: {', '.join(EXCHANGES)}")
        if self.exchange == "step" and self.states:
            raise ParameterError("outside tire: exchanged at steps it keeps its states itself")

    def channel(self, label: str, value: Any) -> Any:
        """A channel from what the function gave."""
        return value

    @property
    def remembers(self) -> bool:
        """Whether it is told about steps taken, besides being asked in evaluations."""
        return False

    @property
    def coefficients(self) -> Sequence[Coefficient]:
        return (
            Coefficient("UNLOADED_RADIUS", "m", "radius of the free tire, for contact and slip channels", None),
            Coefficient("RADIUS_DROP", "-", DROP_DOC, USUAL_DROP),
        )

    @property
    def transient(self) -> bool:
        return False

    @property
    def n_in(self) -> int:
        return len(INPUTS) + len(self.states) + self.wants_factor

    @property
    def n_out(self) -> int:
        return len(FORCES) + len(self.states) + len(self.channels)

    def _nothing(self) -> NoReturn:
        raise ParameterError(f"{OUTSIDE}: its function gives the forces in a simulation only")

    def vertical(
        self,
        p: Numbers,
        rho: Any,
        rho_rate: Any,
        curves: Mapping[str, Curve] | None = None,
        *,
        gamma: Any = 0.0,
        spin: Any = 0.0,
        vx: Any = 0.0,
    ) -> Any:
        self._nothing()

    def effective_radius(self, p: Numbers, rho: Any, spin: Any = 0.0) -> Any:
        self._nothing()

    def at_load(
        self,
        p: Numbers,
        load: Any,
        gamma: Any,
        friction: Any = 1.0,
        *,
        turn: Turn | None = None,
        curves: Mapping[str, Curve] | None = None,
    ) -> AtLoad:
        self._nothing()

    def forces(
        self,
        p: Numbers,
        at: AtLoad,
        kappa: Any,
        alpha: Any,
        vx: Any = None,
        spin: Any = None,
        belt: Any = 0.0,
        rolls: Any = None,
    ) -> Forces:
        self._nothing()


def external_tire(
    radius: float,
    *,
    states: Sequence[tuple[str, str]] = (),
    channels: Sequence[tuple[str, str]] = (),
    exchange: str = "evaluation",
    radius_drop: float = USUAL_DROP,
    function: Any = None,
    name: str = "",
) -> Tire:
    """A tire whose forces come from outside, by its ``function``; without one, ``bind`` or ``attach`` gives it to a
    simulation.

    Its slip channels, and the rig where it imposes slip, have the effective radius R0 - ``radius_drop`` ρ: 0 for a tire
    that rolls with R0.
    """
    model = External(tuple(states), tuple(channels), exchange, call=function)
    return Tire(model, model.complete({"UNLOADED_RADIUS": radius, "RADIUS_DROP": radius_drop}), name=name)


def mount(
    scope: Scope,
    block: Block,
    rotor: Gyrostat,
    ground: Ground,
    side: str,
    *,
    friction: Any = None,
    name: str = "tire",
    offset: Any = None,
    given: Callable[[geometry.Contact, geometry.Wrench], geometry.Wrench] | None = None,
) -> Mounted:
    """Put an outside tire on a rotor; called by ``wheel.mount``."""
    model = block.tire.model
    assert isinstance(model, External)
    block.tire.sign_on(side)  # refuses what is neither left nor right
    system, carrier, own = scope.system, rotor.body.frame, scope.scope(name)
    at = [0.0, 0.0, 0.0] if offset is None else [offset * a for a in rotor.axis]
    velocity = carrier.v if offset is None else carrier.point_velocity(at)
    surface = aimed(ground, carrier, rotor.axis).under(carrier, at)
    if surface.velocity is not None:  # relative to a ground that moves: slips and damping are then right without asking
        velocity = [v - g for v, g in zip(velocity, surface.velocity, strict=True)]
    factor = 1.0 if friction is None else if_else(friction > 1e-5, friction, 1.0)
    mu = surface.friction * factor
    angle = own.state("angle", "rad", "of the wheel relative to its carrier", role="free")
    own.derivative(angle, rotor.spin)
    matrix = carrier.orientation
    normal = carrier.to_world(surface.normal)
    asked = [
        system.time,
        *(carrier.position if offset is None else carrier.point(at)),
        *(matrix[i][j] for i in range(3) for j in range(3)),
        *velocity,
        *carrier.w,
        angle,
        rotor.spin,
        surface.height,
        *normal,
        mu,
    ]
    further = [factor] if model.wants_factor else []
    if model.exchange == "step" or model.remembers:
        for (label, unit), value in zip((*INPUTS, FACTOR), [*asked, *further], strict=False):
            own.output(f"asked.{label}", value, unit, "what the outside tire is asked with", kinematic=True)
    if model.exchange == "step":
        found = [own.input(label, unit, "by the outside tire") for label, unit in FORCES]
        found += [own.input(f"given.{label}", unit, "by the outside tire") for label, unit in model.channels]
        states = []
    else:
        states = [own.state(label, unit, "of the outside tire", role="drift") for label, unit in model.states]
        service = scope.service(name, model.n_in, model.n_out, 1, "forces of an outside tire (jounce_tire.h)")
        answer = service(*asked, *states, *further)
        found = [answer[i] for i in range(model.n_out)]
        for i, state in enumerate(states):
            own.derivative(state, found[6 + i])
    place = scope.prefix.rstrip(".")
    for (label, unit), number in zip(model.channels, found[6 + len(states) :], strict=True):
        value = model.channel(label, number)
        own.output(label, value, unit, "of the outside tire")
        known = CATALOGUE.get(label.removeprefix("map."))
        if known is not None and CORNER.fullmatch(place) and name == "tire":
            system.output(f"Tire.{known}.{place}", value, unit, "told by the tire")
    force, moment = found[:3], found[3:6]
    told = dict(zip((label for label, _ in model.channels), found[6 + len(states) :], strict=True)).get(TOLD_RADIUS)
    mounted = _mounted(block, rotor, surface, (at, velocity, force, moment), mu, told)
    if given is not None:
        mounted = replace(mounted, wrench=given(mounted.contact, mounted.wrench), changed=True)
        native = carrier.native_axes
        force, moment = (native.express(vector, carrier) for vector in mounted.wrench)
    scope.force(carrier, force, at=at)
    rotor.external_torque(moment)
    return mounted


def _mounted(block: Block, rotor: Gyrostat, surface: Any, vectors: Sequence[Any], mu: Any, told: Any = None) -> Mounted:
    """Channels in contact axes: forces as they are, slips without lag and with the effective radius that the tire tells
    (``told``), or, where it tells none (0), re = R0 - RADIUS_DROP ρ.

    ``vectors``: place of the wheel centre, its velocity over the ground, force and moment, carrier axes.
    """
    carrier = rotor.body.frame
    native = carrier.native_axes
    at, velocity, force, moment = (carrier.express(vector, native) for vector in vectors)
    centre = at if native is carrier else add(carrier.r, at)
    axis, normal, turning = (carrier.express(a, native) for a in (rotor.axis, surface.normal, carrier.w))
    touch = geometry.touch(axis, normal, surface.height)
    moving = geometry.motion(touch, velocity, turning)
    rho = block.parameters["UNLOADED_RADIUS"] - touch.radius
    arm = touch.arm
    at_contact = [m - c for m, c in zip(moment, _cross(arm, force), strict=True)]
    axes = (touch.forward, touch.lateral, touch.normal)
    f = [sum(a * b for a, b in zip(axis, force, strict=True)) for axis in axes]
    m = [sum(a * b for a, b in zip(axis, at_contact, strict=True)) for axis in axes]
    radius = block.parameters["UNLOADED_RADIUS"] - block.parameters["RADIUS_DROP"] * fmax(rho, 0.0)
    if told is not None:
        radius = if_else(told > 0.0, told, radius)
    speed = fmax(fabs(moving.vx), SLIP_SPEED)
    values = {
        **dict(zip(("fx", "fy", "fz", "mx", "my", "mz"), (*f, *m), strict=True)),
        "kappa": (rotor.spin * radius - moving.vx) / speed,
        "alpha": atan(moving.vy / speed),
        "radius": radius,
    }
    wrench = geometry.Wrench(list(force), list(moment))
    return Mounted(block.tire, touch, moving, values, None, rho, mu, wrench, centre)


def _cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


# --- binding ---------------------------------------------------------------------------------------------------------


def bind(simulation: Simulation, name: str, function: TireFunction, model: External) -> None:
    """Give a simulation the Python function of an outside tire.

    Parameters
    ----------
    simulation : of a model with this tire
    name : of the mounted tire, for example ``L1.tire``
    function : from ``Wheel`` to ``Answer``
    model : of the tire
    """
    steps = np.array([_STEPS.get(unit, 1e-6) for _, unit in (*INPUTS, *model.states)])

    def values(x: Array) -> Array:
        answer = Answer(*function(_wheel(x)))
        parts = [np.asarray(part, dtype=float).ravel() for part in answer]
        sizes = (3, 3, len(model.states), len(model.channels))
        for part, size, what in zip(parts, sizes, Answer._fields, strict=True):
            if len(part) != size:
                raise ParameterError(f"outside tire {name!r}: {what} has {len(part)} values, {size} expected")
        return np.concatenate(parts)

    def service(x: Array, order: int) -> Array:
        value = values(x)
        if order == 0:
            return value
        slopes = np.empty((len(value), len(x)))
        for j, h in enumerate(steps):
            up, down = x.copy(), x.copy()
            up[j] += h
            down[j] -= h
            slopes[:, j] = (values(up) - values(down)) / (up[j] - down[j])
        return np.concatenate([value, slopes.ravel()])

    simulation.bind(name, service)


def attach(
    simulation: Simulation, name: str, function: TireFunction, *, period: float | None = None, **block: Any
) -> None:
    """Exchange the forces of an outside tire at step boundaries: a tire with ``exchange="step"``.

    Parameters
    ----------
    simulation, name : as for ``bind``
    function : from ``Wheel`` to ``Answer``, with any memory of its own; with methods ``get_state`` and ``set_state``
        the simulation can be saved and restored
    period : s between two calls; every step by default
    block : further arguments of ``Simulation.add_block``, such as ``stateless=True``
    """

    given = [v.name for v in simulation.model.inputs if v.name.startswith(f"{name}.given.")]

    def call(t: float, x: Array) -> Array:
        answer = Answer(*function(_wheel(x)))
        return np.concatenate(
            [np.asarray(part, dtype=float) for part in (answer.force, answer.moment, answer.channels)]
        )

    called: Any = call
    if hasattr(function, "get_state") and hasattr(function, "set_state"):
        called = _WithState(call, function)
    simulation.add_block(
        f"{name}.outside",
        called,
        period,
        reads=[f"{name}.asked.{label}" for label, _ in INPUTS],
        writes=[*(f"{name}.{label}" for label, _ in FORCES), *given],
        exchange=block.pop("exchange", "step"),
        **block,
    )


def connect(simulation: Simulation, name: str, model: External, function: Any) -> None:
    """Give a simulation the function of an outside tire, of any of the kinds that ``External`` names."""
    if model.exchange == "step":
        attach(simulation, name, function)
    elif isinstance(function, tuple):
        simulation.bind(name, *function)
    elif isinstance(function, int | ctypes._CFuncPtr):  # type: ignore[attr-defined]
        simulation.bind(name, function)
    else:
        bind(simulation, name, function, model)


class _WithState:
    """A call with the state of the function behind it."""

    def __init__(self, call: Callable[[float, Array], Array], function: Any) -> None:
        self._call, self.get_state, self.set_state = call, function.get_state, function.set_state

    def __call__(self, t: float, x: Array) -> Array:
        return self._call(t, x)


def load_library(path: str | Path, function: str) -> tuple[ctypes.CDLL, Any]:
    """A C function of a shared library, and the library, which must be kept as long as the function is used.

    The function has the type of ``jounce_tire.h``; give it to ``Simulation.bind(name, function)``.
    """
    place = Path(path)
    if not place.is_file():
        raise ParameterError(f"{path}: there is no such library")
    try:
        library = ctypes.CDLL(str(place.resolve()))
    except OSError as error:
        raise ParameterError(f"{path}: cannot be loaded as a library ({error})") from None
    try:
        return library, getattr(library, function)
    except AttributeError:
        raise ParameterError(f"{path}: has no function {function!r}") from None


def _wheel(x: Array) -> Wheel:
    return Wheel(
        float(x[0]),
        x[1:4].copy(),
        x[4:13].reshape(3, 3).copy(),
        x[13:16].copy(),
        x[16:19].copy(),
        float(x[19]),
        float(x[20]),
        float(x[21]),
        x[22:25].copy(),
        float(x[25]),
        x[26:].copy(),
    )
