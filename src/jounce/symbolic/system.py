"""A system: named quantities, frames, bodies, loads and constraints, from which a model is generated.

Everything is declared once, with unit and description, and used as a symbol in expressions.  Names are prefixed by
scopes, so that several instances of the same thing live in one system: ``corner = system.scope("L1")`` declares
``L1.jounce`` when asked for ``jounce``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from jounce.core import units
from jounce.core.constants import GRAVITY
from jounce.core.errors import ModelError, ParameterError, did_you_mean
from jounce.core.generated import GeneratedModel, counted
from jounce.core.roles import ROLES, Role
from jounce.core.tables import Table
from jounce.symbolic import joints
from jounce.symbolic._casadi import SX, ca, is_symbolic
from jounce.symbolic.blocks import Block
from jounce.symbolic.bodies import Body, Gyrostat, Inerter
from jounce.symbolic.calls import CallRegistry, TimeDerivative, key, scalars
from jounce.symbolic.checks import Literals, as_expression, inertia_tensor
from jounce.symbolic.frames import (
    Frame,
    Matrix,
    Vector,
    add,
    as_frame,
    cross,
    dot,
    is_zero,
    sub,
    times,
    unit_vector,
    vec,
    zeros,
)
from jounce.symbolic.leaf import Leaf
from jounce.symbolic.loops import GAINS, Loop

# What may stand where a frame is expected.
Carrier = Frame | joints.Joint | Body

if TYPE_CHECKING:
    from jounce.symbolic.generate import Equations
    from jounce.symbolic.program import Program


@dataclass
class Declared:
    """One named scalar."""

    name: str
    symbol: SX
    unit: str
    doc: str
    default: float = 0.0
    low: float | None = None
    high: float | None = None
    above: float | None = None
    role: Role = ""
    in_statics: bool = True


@dataclass
class Speed(Declared):
    unit_owner: Unit | None = None
    acceleration: SX = None  # symbol of its derivative, defined when the equations are solved


@dataclass(frozen=True)
class FreeBody:
    """Symbols of a frame that moves freely in the world."""

    name: str
    position: Sequence[SX]
    quaternion: Sequence[SX]
    velocity: Sequence[SX]  # own axes
    turning: Sequence[SX]  # own axes


@dataclass
class Unit:
    """A part of the system whose own speeds are eliminated together; units are joined recursively at their roots."""

    name: str
    system: System
    parent: Unit | None
    hitch: Frame | None = None  # frame of the parent unit that carries this unit
    root_twist: list[SX] = field(default_factory=list)  # six symbols: velocity and angular velocity of the root
    root_gravity: list[SX] = field(default_factory=list)  # three symbols
    root_pose: list[SX] = field(default_factory=list)  # twelve symbols, when asked for: position, rotation by rows
    root_load: list[SX] = field(default_factory=list)  # six symbols, when asked for: what it does to its carrier
    root: Frame = None  # type: ignore[assignment]
    speeds: list[Speed] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    inerters: list[Inerter] = field(default_factory=list)
    # (frame, implicit part or not) -> frame, force in the frame's native axes, moment in its own
    forces: dict[tuple[int, bool], tuple[Frame, Vector, Vector]] = field(default_factory=dict)
    children: list[Unit] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)  # holonomic constraints between its frames


class TableHandle:
    """A declared table: call it with its arguments to get its values as symbols."""

    def __init__(self, system: System, name: str, slot: int, table: Table) -> None:
        self.system, self.name, self.slot, self.table = system, name, slot, table
        self.n_in, self.n_out = table.n_axes, table.n_out

    def __call__(self, *args: Any) -> Any:
        values = scalars(list(args))
        if len(values) != self.table.n_axes:
            raise ModelError(f"table {self.name!r} takes {self.table.n_axes} arguments, {len(values)} were given")
        call = self.system.calls.tensor_call("table", self.slot, self.name, values, self.table.n_out, 3)
        out = [call.symbol((i, ())) for i in range(self.table.n_out)]
        return out[0] if len(out) == 1 else out


class ServiceHandle:
    """A declared service: an outside C function asked during an evaluation (road, path, user code)."""

    def __init__(self, system: System, name: str, slot: int, n_in: int, n_out: int, order: int, doc: str) -> None:
        self.system, self.name, self.slot = system, name, slot
        self.n_in, self.n_out, self.order, self.doc = n_in, n_out, order, doc

    def __call__(self, *args: Any) -> Any:
        values = scalars(list(args))
        if len(values) != self.n_in:
            raise ModelError(f"service {self.name!r} takes {self.n_in} arguments, {len(values)} were given")
        call = self.system.calls.tensor_call("service", self.slot, self.name, values, self.n_out, self.order)
        out = [call.symbol((i, ())) for i in range(self.n_out)]
        return out[0] if len(out) == 1 else out


class Scope:
    """Declares named quantities under a prefix."""

    def __init__(self, system: System, prefix: str) -> None:
        self.system = system
        self.prefix = prefix

    def full_name(self, name: str) -> str:
        return self.prefix + name

    def scope(self, name: str) -> Scope:
        """A scope whose names start with ``name.`` (an instance of a vehicle, an axle, a corner)."""
        _check_name(name)
        return Scope(self.system, f"{self.prefix}{name}.")

    # -- scalars ----------------------------------------------------------------------------------------
    def parameter(
        self,
        name: str,
        default: float | str = 0.0,
        unit: str = "-",
        doc: str = "",
        *,
        low: float | None = None,
        high: float | None = None,
        above: float | None = None,
    ) -> SX:
        """A number that may change between runs without recompiling. ``"25 N/mm"`` is converted to ``unit``.

        Values below ``low``, above ``high``, or not above ``above`` are refused, here and at run time.
        """
        item = self._new(name, unit, doc, default)
        item.low, item.high, item.above = low, high, above
        if (low is not None and item.default < low) or (high is not None and item.default > high):
            raise ModelError(f"parameter {item.name!r}: its default {item.default:g} is outside [{low}, {high}]")
        if above is not None and not item.default > above:
            raise ModelError(f"parameter {item.name!r}: its default {item.default:g} must be above {above:g}")
        self.system.parameter_list.append(item)
        self.system.parameter_keys.add(key(item.symbol))
        return item.symbol

    def parameters(self, values: Mapping[str, Any]) -> SimpleNamespace:
        """Several parameters: name -> default, or (default, unit[, doc]); attributes of the result are the symbols."""
        out = SimpleNamespace()
        for name, value in values.items():
            arguments = value if isinstance(value, tuple) else (value,)
            setattr(out, name, self.parameter(name, *arguments))
        return out

    def derived(self, name: str, expression: Any, unit: str = "-", doc: str = "") -> SX:
        """A parameter computed from other parameters, once before a run (and again when one of them changes)."""
        system = self.system
        value = self._scalar(expression, f"derived parameter {self.full_name(name)!r}")
        for k, symbol in system.calls.reachable(value).items():
            owner = system.calls.owner(symbol)
            if owner is not None and getattr(owner[0], "kind", "") == "service":
                raise ModelError(
                    f"derived parameter {self.full_name(name)!r} asks service {owner[0].label!r}, bound later; "
                    "use a table, or make it an intermediate expression"
                )
            if owner is None and k not in system.parameter_keys:
                raise ModelError(
                    f"derived parameter {self.full_name(name)!r} depends on {str(symbol)!r}, which is no parameter of "
                    "this system; what changes during a run is an output or an intermediate expression"
                )
        item = self._new(name, unit, doc)
        system.derived_parameters.append((item, value))
        system.parameter_keys.add(key(item.symbol))
        return item.symbol

    def input(
        self,
        name: str,
        unit: str = "-",
        doc: str = "",
        default: float = 0.0,
        *,
        rate: bool = False,
        acceleration: bool = False,
        in_statics: bool = True,
    ) -> SX:
        """An outside signal. One that moves a frame needs its ``rate`` (input ``name.rate``), and its
        ``acceleration`` if that shall act on the bodies.

        With ``in_statics=False`` it does not act in the search for equilibrium.
        """
        system = self.system
        item = self._new(name, unit, doc, default)
        item.in_statics = in_statics
        index = len(system.inputs)
        system.inputs.append(item)
        system.input_links.append([-1, -1])
        if rate or acceleration:
            r = self._new(f"{name}.rate", units.rate_unit(unit), f"rate of {name}")
            r.in_statics = in_statics
            system.input_links[index][0] = len(system.inputs)
            system.inputs.append(r)
            system.input_links.append([-1, -1])
            system.rates[key(item.symbol)] = r.symbol
            if acceleration:
                a = self._new(
                    f"{name}.acceleration", units.rate_unit(units.rate_unit(unit)), f"second derivative of {name}"
                )
                a.in_statics = in_statics
                system.input_links[index][1] = len(system.inputs)
                system.inputs.append(a)
                system.input_links.append([-1, -1])
                system.rates[key(r.symbol)] = a.symbol
        else:
            system.unmoving[key(item.symbol)] = (
                f"input {item.name!r} moves a frame but has no rate: declare it with rate=True"
            )
        return item.symbol

    def alias_input(self, alias: str, name: str) -> None:
        """Give an input of this scope another name; set_inputs, programs and external blocks take both."""
        system, full, known = self.system, self.full_name(alias), self.full_name(name)
        _check_name(full)
        names = [item.name for item in system.inputs]
        if known not in names:
            raise ModelError(
                f"alias {full!r}: {known!r} is no input; declare it with input() first{did_you_mean(known, names)}"
            )
        system.check_open(f"alias {full!r} is declared")
        system.claim_name(full)
        system.input_aliases[full] = known

    def state(
        self,
        name: str,
        unit: str = "-",
        doc: str = "",
        initial: float = 0.0,
        role: Role = "",
        *,
        massless: bool = False,
    ) -> SX:
        """An integrated state that is not a mechanical coordinate; give its rate with ``derivative``.

        ``role``: what it does at rest and in steady running (``core/roles.py``). A ``massless`` one may stand in the
        pose of a frame: bodies there go along without a velocity by its rate, hence without inertia against it.
        """
        item = self._new(name, unit, doc, initial, role)
        self.system.check_open(f"state {item.name!r} is declared")
        self.system.states.append(item)
        if not massless:
            self.system.unmoving[key(item.symbol)] = (
                f"state {item.name!r} moves a frame; only coordinates, inputs with a rate and time may do that"
            )
        return item.symbol

    def derivative(self, state: SX, expression: Any) -> None:
        """Set the rate of a state made by ``state``."""
        k = key(state)
        known = next((s for s in self.system.states if key(s.symbol) == k), None)
        if known is None:
            raise ModelError(f"{state} is not a state made by state(): its derivative cannot be set")
        if k in self.system.state_rates:
            raise ModelError(f"state {known.name!r} already has a derivative")
        self.system.state_rates[k] = self._scalar(expression, f"derivative of state {known.name!r}")

    def memory(self, name: str, unit: str = "-", doc: str = "", initial: float = 0.0, role: Role = "") -> SX:
        """A directly computed state: kept by the runtime, updated at every forward evaluation (half steps too).

        In a pose it is held: when it changes, the frame jumps without having a velocity. ``role`` as for ``state``.
        """
        item = self._new(name, unit, doc, initial, role)
        self.system.check_open(f"memory {item.name!r} is declared")
        self.system.memories.append(item)
        return item.symbol

    def later(self, name: str, held: bool = False, sought: bool = False) -> SX:
        """A symbol for an expression that is known later; ``define`` it before the equations are derived.

        ``held``: it may stand in the pose of a frame without bodies, which then has no velocity by it. ``sought``:
        until it is defined it is an unknown like any other, that expressions are differentiated and solved for.
        """
        symbol = ca.SX.sym(self.full_name(name))
        if held:
            self.system.rates[key(symbol)] = ca.SX(0)
        alias = None if sought else self.system.calls.late_alias(self.full_name(name), symbol)
        self.system.undefined[key(symbol)] = (symbol, alias)
        return symbol

    def define(self, symbol: SX, expression: Any) -> None:
        """Say what a symbol made by ``later`` stands for."""
        known, call = self.system.undefined.pop(key(symbol), (None, None))
        if known is None:
            raise ModelError(f"{symbol} was not made by later(), or is defined already")
        call = call or self.system.calls.late_alias(str(symbol), symbol)
        call.args.append(self._scalar(expression, f"definition of {symbol}"))

    def next_memory(self, memory: SX, expression: Any) -> None:
        """Set what a memory becomes after an evaluation."""
        k = key(memory)
        known = next((s for s in self.system.memories if key(s.symbol) == k), None)
        if known is None:
            raise ModelError(f"{memory} is not a memory made by memory()")
        if k in self.system.memory_updates:
            raise ModelError(f"memory {known.name!r} already has an update")
        self.system.memory_updates[k] = self._scalar(expression, f"next value of memory {known.name!r}")

    def block(self, name: str, period: float | str | None = None, offset: float | str = 0.0, doc: str = "") -> Block:
        """A sampled block, run every ``period`` (default: every full step), first at ``offset`` after the start.

        Blocks run at full steps, in the order of their declaration. Period and offset are defaults: a simulation may
        change them, and they must be multiples of its step.
        """
        block = Block(self, name, period, offset, doc)
        self.system.check_open(f"block {block.name!r} is declared")
        self.system.blocks.append(block)
        return block

    def output(
        self,
        name: str,
        expression: Any,
        unit: str = "-",
        doc: str = "",
        *,
        watch: bool = False,
        kinematic: bool = False,
    ) -> None:
        """A channel that can be recorded. ``watch`` makes it available to end conditions, feedback and blocks in every
        step; ``kinematic`` promises that it needs no accelerations, so that it can be given to outside code before the
        forces are known."""
        value = self._scalar(expression, f"output {self.full_name(name)!r}")
        item = Declared(self.full_name(name), value, unit, doc)
        watch = watch or item.name in self.system.also_watched
        self.system.check_new_output(item, watch)
        self.system.outputs.append(item)
        if watch:
            self.system.watches.append(item)
        if kinematic:
            self.system.kinematics.append(item)

    # -- mechanics --------------------------------------------------------------------------------------
    def strained(self, state: SX, speed: Any) -> None:
        """Say which speed strains a state of role ``strain`` (the deflection of a contact) while nothing leaks."""
        self.system.strains.append((state, self._scalar(speed, f"strain of {state}")))

    def sticks(self, memory: SX, speed: Any, limit: Any) -> None:
        """Say which speed a memory of role ``stick`` (a bristle) opposes, and the most it can bear (0: nothing)."""
        where = f"friction of {memory}"
        self.system.stuck.append((memory, self._scalar(speed, where), self._scalar(limit, where)))

    def rolls(self, speed: SX, value: Any) -> None:
        """Say what a speed of role ``drift`` is while it rolls freely: where the search for steady running starts."""
        self.system.rolling.append((self.system.speed_of(speed), self._scalar(value, f"free rolling of {speed}")))

    def declare_coordinate(
        self, name: str, unit: str, on: Frame, initial: float | str = 0.0, doc: str = "", role: Role = ""
    ) -> SX:
        item = self._new(name, unit, doc, initial, role)
        self.system.check_open(f"coordinate {item.name!r} is declared")
        self.system.coordinates.append(item)
        self.system.unmoving[key(item.symbol)] = f"coordinate {item.name!r} has no rate yet"
        return item.symbol

    def declare_speed(
        self, name: str, unit: str, on: Frame | Unit, initial: float | str = 0.0, doc: str = "", role: Role = ""
    ) -> SX:
        owner = on if isinstance(on, Unit) else as_frame(on, f"speed {self.full_name(name)!r}: on").unit
        item = self._new(name, unit, doc, initial, role)
        self.system.check_open(f"speed {item.name!r} is declared")
        speed = Speed(item.name, item.symbol, item.unit, item.doc, item.default, role=role, unit_owner=owner)
        speed.acceleration = ca.SX.sym(f"d({item.name})/dt")
        self.system.acceleration_aliases[key(item.symbol)] = self.system.calls.late_alias(
            f"acceleration of {item.name}", speed.acceleration
        )
        self.system.unmoving[key(item.symbol)] = f"speed {item.name!r} is used in a pose: use coordinates there"
        owner.speeds.append(speed)
        self.system.speeds.append(speed)
        return item.symbol

    def coordinate(
        self,
        name: str,
        speed_name: str = "",
        unit: str = "m",
        doc: str = "",
        initial: float | str = 0.0,
        on: Carrier | None = None,
        role: Role = "",
    ) -> tuple[SX, SX]:
        """A coordinate q and its speed u = q̇ (named ``name.rate`` unless given), belonging to the unit of ``on``.

        The speed of a coordinate with a role stands still at rest and in steady running, unless that is ``free``.
        """
        frame = as_frame(on or self.system.world, f"coordinate {self.full_name(name)!r}: on")
        q = self.declare_coordinate(name, unit, frame, initial, doc, role)
        of_speed: Role = role if role in ("", "free") else "zero"
        rate = speed_name or f"{name}.rate"
        u = self.declare_speed(rate, units.rate_unit(unit), frame, doc=f"rate of {name}", role=of_speed)
        self.system.set_coordinate_rate(q, u)
        return q, u

    def revolute(
        self,
        name: str,
        parent: Carrier,
        axis: Any = "y",
        offset: Any = (0, 0, 0),
        initial: float | str = 0.0,
        role: Role = "",
    ) -> joints.Joint:
        """One rotation about an axis fixed in both frames.

        States: ``name.angle`` (rad) = ``q[0]`` and ``name.rate`` (rad/s) = ``u[0]`` of the joint returned; its child
        frame is ``frame``.

        Parameters
        ----------
        parent : frame (or joint, or body) that carries it
        axis : 'x', 'y', 'z' or a vector of any length, in the parent's axes; right-handed
        offset : place of the axis from the parent's origin, in the parent's axes, m
        initial : angle at the start, rad or text ("5 deg")
        role : what the angle does at rest (``core/roles.py``)
        """
        return joints.revolute(self, name, _frame(parent, name), axis, offset, initial, role)

    def prismatic(
        self,
        name: str,
        parent: Carrier,
        axis: Any = "x",
        offset: Any = (0, 0, 0),
        initial: float | str = 0.0,
        role: Role = "",
    ) -> joints.Joint:
        """One translation along an axis fixed in both frames; the axes stay parallel.

        States: ``name.travel`` (m) = ``q[0]`` and ``name.rate`` (m/s) = ``u[0]``.

        Parameters
        ----------
        parent : frame (or joint, or body) that carries it
        axis : 'x', 'y', 'z' or a vector of any length, in the parent's axes
        offset : place at zero travel from the parent's origin, in the parent's axes, m
        initial : travel at the start, m or text ("10 cm")
        role : what the travel does at rest (``core/roles.py``)
        """
        return joints.prismatic(self, name, _frame(parent, name), axis, offset, initial, role)

    def universal(
        self,
        name: str,
        parent: Carrier,
        axes: tuple[str, str] = ("z", "y"),
        offset: Any = (0, 0, 0),
    ) -> joints.Joint:
        """Two rotations about successive axes, the second one carried by the first.

        States: ``name.angle1``, ``name.angle2`` (rad) = ``q`` and ``name.rate1``, ``name.rate2`` (rad/s) = ``u``, zero
        at the start.

        Parameters
        ----------
        parent : frame (or joint, or body) that carries it
        axes : two of 'x', 'y', 'z'
        offset : place of the joint from the parent's origin, in the parent's axes, m
        """
        return joints.universal(self, name, _frame(parent, name), axes, offset)

    def ball(self, name: str, parent: Carrier, offset: Any = (0, 0, 0)) -> joints.Joint:
        """Free rotation about a point.

        States: the quaternion ``name.e0`` … ``name.e3`` = ``q`` (scalar part first, start 1, 0, 0, 0) and the angular
        velocity relative to the parent in the axes of the child, ``name.wx``, ``name.wy``, ``name.wz`` (rad/s) = ``u``.

        Parameters
        ----------
        parent : frame (or joint, or body) that carries it
        offset : place of the joint from the parent's origin, in the parent's axes, m
        """
        return joints.ball(self, name, _frame(parent, name), offset)

    def free(self, name: str, parent: Carrier | None = None, initial: Any = (0.0, 0.0, 0.0)) -> joints.Joint:
        """Six degrees of freedom.

        States: the position in the parent's axes ``name.x``, ``name.y``, ``name.z`` (m) and the quaternion ``name.e0``
        … ``name.e3`` (scalar part first, start 1, 0, 0, 0) = ``q``; velocity ``name.vx``, ``name.vy``, ``name.vz``
        (m/s) and angular velocity ``name.wx``, ``name.wy``, ``name.wz`` (rad/s) relative to the parent, both in the
        axes of the child, = ``u``.

        Parameters
        ----------
        parent : frame (or joint, or body) it moves in; default the world
        initial : position at the start, m or text ("10 cm", 0, 0)
        """
        return joints.free(self, name, self.system.world if parent is None else _frame(parent, name), initial)

    def unit(self, name: str, at: Carrier) -> Frame:
        """Start a new unit (a vehicle behind a hitch) carried by a frame; returns its root frame.

        Its own speeds are eliminated before it is joined to the unit that carries it, which keeps the equations of
        a train of n units linear in n.
        """
        return self.system.new_unit(self.full_name(name), as_frame(at, f"unit {self.full_name(name)!r}"))

    def body(
        self,
        name: str,
        frame: Carrier,
        mass: Any,
        inertia: Any = (0, 0, 0),
        center: Any = (0, 0, 0),
    ) -> Body:
        """A rigid body carried by a frame.

        Parameters
        ----------
        frame : frame or joint
        mass : kg
        inertia : about the centre of mass in frame axes, kg.m2: (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) with
            Ixy = −∫xy dm, the matrix entry, or the symmetric 3×3 matrix itself (array or nested lists)
        center : centre of mass in frame axes, m
        """
        self.system.check_open(f"body {self.full_name(name)!r} is declared")
        frame = as_frame(frame, f"body {self.full_name(name)!r}")
        if frame.system is not self.system:
            raise ModelError(f"body {self.full_name(name)!r}: frame {frame.name!r} belongs to another system")
        if isinstance(mass, str):
            raise ModelError(
                f"body {self.full_name(name)!r}: mass = {mass!r}; give a number in kg, or a parameter that has a unit"
            )
        where = f"body {self.full_name(name)!r}"
        tensor = inertia_tensor(inertia, f"{where}: inertia")
        place = vec(center, f"{where}: center", "m")
        body = Body(self.full_name(name), frame, self._scalar(mass, f"{where}: mass"), tensor, place)
        self.system.literals.check([*(x for row in tensor for x in row), *place], where)
        frame.unit.bodies.append(body)
        return body

    def gyrostat(self, name: str, body: Body, axis: Any, inertia: Any, initial: float = 0.0) -> Gyrostat:
        """A balanced rotor in a body; declares the spin speed ``name.spin`` relative to the body.

        The body's mass and inertia include the rotor as if it did not spin.
        """
        where = f"gyrostat {self.full_name(name)!r}"
        if not isinstance(body, Body):
            raise ModelError(
                f"{where}: expected the body that carries it, got {type(body).__name__}; make one by body()"
            )
        direction, about = unit_vector(axis, where), self._scalar(inertia, f"{where}: inertia")
        spin = self.declare_speed(f"{name}.spin", unit="rad/s", on=body.frame, initial=initial, role="drift")
        rotor = Gyrostat(self.full_name(name), body, direction, about, spin)
        body.rotors.append(rotor)
        return rotor

    def inerter(self, name: str, rate: Any, inertance: Any, on: Carrier) -> None:
        """A force inertance · d̈ that resists the second rate of a distance d(q), by virtual work.

        Parameters
        ----------
        rate : ḋ, linear in speeds of one unit
        inertance : kg (of an angle kg.m2), ≥ 0
        on : a frame of that unit
        """
        where = f"inerter {self.full_name(name)!r}"
        self.system.check_open(f"{where} is declared")
        unit = as_frame(on, f"{where}: on").unit
        speed, size = self._scalar(rate, f"{where}: rate"), self._scalar(inertance, f"{where}: inertance")
        unit.inerters.append(Inerter(self.full_name(name), size, speed))

    def force(
        self,
        frame: Carrier,
        vector: Any,
        *,
        at: Any = (0, 0, 0),
        axes: Carrier | None = None,
    ) -> None:
        """A force on a frame at a point (offset in frame axes); components in ``axes`` (default: the frame's own)."""
        frame = as_frame(frame, "force: frame")
        where = f"force on frame {frame.name!r}"
        offset, given = vec(at, f"{where}: at", "m"), vec(vector, where)
        self.system.literals.check([*offset, *given], where)
        axes = frame if axes is None else as_frame(axes, f"{where}: axes")
        # kept in the axes of the frame's velocity, so that projecting it needs no rotation
        native = axes.express(given, frame.native_axes)
        moment = zeros() if is_zero(offset) else cross(offset, axes.express(given, frame))
        self.system.add_load(frame, native, moment)

    def torque(self, frame: Carrier, vector: Any, *, axes: Carrier | None = None) -> None:
        """A torque on a frame; components in ``axes`` (default: the frame's own)."""
        frame = as_frame(frame, "torque: frame")
        where = f"torque on frame {frame.name!r}"
        given = vec(vector, where)
        self.system.literals.check(given, where)
        own = given if axes is None else as_frame(axes, f"{where}: axes").express(given, frame)
        self.system.add_load(frame, zeros(), own)

    def generalized_force(self, speed: SX, value: Any) -> None:
        """Add to the equation of one speed (``u[0]`` of a joint): a spring on it, internal torque on a rotor."""
        item = self.system.speed_of(speed)
        self.system.check_open(f"a generalized force on {item.name!r} is added")
        place = (key(item.symbol), self.system.implicit)
        force = self._scalar(value, f"generalized force on {item.name!r}")
        self.system.generalized[place] = self.system.generalized.get(place, ca.SX(0)) + force

    def two_point(self, a: Carrier, b: Carrier, at_a: Any = (0, 0, 0), at_b: Any = (0, 0, 0)) -> TwoPoint:
        """Distance L between two points, its rate, and a way to act along it (tension positive)."""
        ends = as_frame(a, "two_point: a"), as_frame(b, "two_point: b")
        return TwoPoint(self, *ends, vec(at_a, "two_point: at_a", "m"), vec(at_b, "two_point: at_b", "m"))

    def velocity_constraint(self, name: str, expressions: Any, dependent: Sequence[SX]) -> None:
        """Expressions linear in the speeds that stay zero (rolling without slip); ``dependent`` speeds are
        computed from the others and are not integrated."""
        self.system.check_open(f"constraint {self.full_name(name)!r} is declared")
        items = scalars(expressions)
        self.system.literals.check(items, f"constraint {self.full_name(name)!r}")
        if not isinstance(dependent, tuple | list):
            dependent = (dependent,)
        if len(items) != len(dependent):
            raise ModelError(
                f"constraint {self.full_name(name)!r}: {len(items)} equations for {len(dependent)} dependent speeds; "
                "name exactly one dependent speed per equation"
            )
        self.system.constraints.append((self.full_name(name), items, [self.system.speed_of(u) for u in dependent]))

    def slow(self, name: str, *values: Any) -> Any:
        """The same values, held in the Jacobian of a linear-implicit step: they change slowly, or matter little for its
        stability (the directions of a tire's forces).  Everything else sees through."""
        symbols = self.system.calls.alias(self.full_name(name), scalars(list(values)), slow=True)
        return symbols[0] if len(symbols) == 1 else symbols

    def loop(self, name: str, expressions: Any, on: Carrier | None = None) -> list[SX]:
        """Holonomic constraints: expressions g(q, t) that stay zero, between frames of one unit (that of ``on``).

        Returns the multipliers, usable in outputs: λ_i is the force along g_i, acting on the system as -Gᵀ λ.
        """
        system = self.system
        full = self.full_name(name)
        _check_name(full)
        system.check_open(f"loop {full!r} is declared")
        g = scalars(expressions)
        system.literals.check(g, f"loop {full!r}")
        carrier = system.world if on is None else as_frame(on, f"loop {full!r}: on")
        found = system.calls.reachable(ca.vertcat(*g)) if g else {}
        speed = next((s.name for s in system.speeds if key(s.symbol) in found), None)
        if speed is not None:
            raise ModelError(
                f"loop {full!r} contains the speed {speed!r}; a loop is a function of coordinates and time that stays "
                "zero. For an equation of speeds use velocity_constraint"
            )
        system.claim_name(full)
        if not system.loop_gains:
            for gain, (default, unit, doc) in GAINS.items():
                system.loop_gains[gain] = system.parameter(gain, default, unit, doc)
        multipliers = [ca.SX.sym(f"multiplier {i} of {full}") for i in range(len(g))]
        for i, symbol in enumerate(multipliers):
            system.multiplier_aliases[key(symbol)] = system.calls.late_alias(f"multiplier {i} of {full}", symbol)
        carrier.unit.loops.append(Loop(full, system, g, multipliers))
        return multipliers

    def coincide(
        self,
        name: str,
        a: Carrier,
        b: Carrier,
        at_a: Any = (0, 0, 0),
        at_b: Any = (0, 0, 0),
        directions: str = "xyz",
    ) -> list[SX]:
        """Two points stay together in the given directions (axes of the frames' common ancestor).

        The multipliers are the force on a's point from b's (positive along the axes' directions).
        """
        where = f"loop {self.full_name(name)!r}"
        a, b = as_frame(a, f"{where}: a"), as_frame(b, f"{where}: b")
        if not set(directions) <= set("xyz") or not directions:
            raise ModelError(f"{where}: directions = {directions!r}; use letters of 'xyz', as in 'xz'")
        axes = _common_ancestor(a, b)
        at_a, at_b = vec(at_a, f"{where}: at_a", "m"), vec(at_b, f"{where}: at_b", "m")
        gap = sub(_place(b, at_b, axes), _place(a, at_a, axes))
        chosen = [gap["xyz".index(d)] for d in directions]
        return self.loop(name, chosen, on=a)

    # -- calls ------------------------------------------------------------------------------------------
    def table(self, name: str, table: Table) -> TableHandle:
        """Declare a table with its default data; the data may be replaced at run time (same axes and outputs)."""
        full = self.full_name(name)
        _check_name(full)
        if full in self.system.tables:
            raise ModelError(f"table {full!r} is declared twice: use another name or scope")
        handle = TableHandle(self.system, full, len(self.system.tables), table)
        self.system.tables[full] = handle
        return handle

    def service(self, name: str, n_in: int, n_out: int, order: int = 1, doc: str = "") -> ServiceHandle:
        """Declare an outside function that provides derivatives up to ``order``."""
        full = self.full_name(name)
        _check_name(full)
        if any(s.name == full for s in self.system.services):
            raise ModelError(f"service {full!r} is declared twice: use another name or scope")
        if n_in < 1 or n_out < 1 or order < 0:
            raise ModelError(
                f"service {full!r}: n_in = {n_in}, n_out = {n_out}, order = {order}; it needs at least one argument "
                "and one output, and an order of 0 or more"
            )
        handle = ServiceHandle(self.system, full, len(self.system.services), n_in, n_out, order, doc)
        self.system.services.append(handle)
        return handle

    def call(
        self, leaf: Leaf | Callable[[], Leaf], groups: Mapping[str, Any], tables: Sequence[TableHandle] = ()
    ) -> list[SX]:
        """Call a leaf function, given itself or by a function that makes it."""
        leaf = leaf if isinstance(leaf, Leaf) else leaf()
        self.system.alive.append(leaf)
        return leaf.call(self.system.calls, groups, tables)

    def _scalar(self, expression: Any, where: str) -> SX:
        """An expression from the user: one number or symbol, without nan or infinity in it."""
        value = as_expression(expression, where)
        if value.numel() != 1:
            raise ModelError(f"{where} must be a scalar, it has {value.numel()} components")
        self.system.literals.check([value], where)
        return value

    def _new(self, name: str, unit: str, doc: str, default: float | str = 0.0, role: Role = "") -> Declared:
        full = self.full_name(name)
        _check_name(full)
        units.check_si(unit, name=full)
        value = units.parse(default, unit, name=full)
        if not math.isfinite(value):
            raise ParameterError(f"{full} = {value}: the default must be a finite number")
        if role not in ROLES:
            raise ModelError(f"{full!r}: role = {role!r}{did_you_mean(str(role), [r for r in ROLES if r])}")
        self.system.claim_name(full)
        return Declared(full, ca.SX.sym(full), unit, doc, value, role=role)


class System(Scope):
    """A mechanical system with named quantities; ``generate()`` turns it into C."""

    def __init__(self, name: str, gravity: Any = (0.0, 0.0, -GRAVITY)) -> None:
        if not name.isidentifier():
            raise ModelError(f"system name {name!r}: use letters, digits and underscores")
        if name == "jounce" or name.startswith("jn_"):
            raise ModelError(f"system name {name!r}: files of the C runtime have such names; use another one")
        self.name = name
        self.calls = CallRegistry()
        self.literals = Literals()
        self.time = ca.SX.sym("t")
        self.elapsed = ca.SX.sym("elapsed")  # time since the last committed evaluation
        self.t_dt = ca.SX.sym("T_DT")  # nominal interval between evaluations
        self._names: set[str] = set()
        self.parameter_list: list[Declared] = []
        self.derived_parameters: list[tuple[Declared, SX]] = []
        self.parameter_keys: set[int] = set()  # of both
        self.inputs: list[Declared] = []
        self.input_links: list[list[int]] = []
        self.input_aliases: dict[str, str] = {}  # alias -> name of an input
        self.coordinates: list[Declared] = []
        self.speeds: list[Speed] = []
        self.states: list[Declared] = []
        self.memories: list[Declared] = []
        self.outputs: list[Declared] = []
        self._output_names: set[str] = set()
        self.watches: list[Declared] = []
        self.also_watched: set[str] = set()  # outputs that somebody watches, by their full names
        self.kinematics: list[Declared] = []
        self.blocks: list[Block] = []
        self.tables: dict[str, TableHandle] = {}
        self.services: list[ServiceHandle] = []
        self.state_rates: dict[int, SX] = {}
        self.memory_updates: dict[int, SX] = {}
        self.coordinate_rates: dict[int, SX] = {}
        self.generalized: dict[tuple[int, bool], SX] = {}  # (speed, implicit part or not) -> force
        self.constraints: list[tuple[str, list[SX], list[Speed]]] = []
        self.quaternions: list[tuple[list[SX], list[SX]]] = []
        self.free_bodies: list[FreeBody] = []
        self.strains: list[tuple[SX, SX]] = []  # state, the speed that strains it
        self.stuck: list[tuple[SX, SX, SX]] = []  # memory, the speed it opposes, the most it can bear
        self.rolling: list[tuple[Speed, SX]] = []  # speed of a wheel, its value when it rolls freely
        self.acceleration_aliases: dict[int, Any] = {}
        self.multiplier_aliases: dict[int, Any] = {}
        self.load_aliases: dict[int, Any] = {}  # of the roots of units
        self.undefined: dict[int, Any] = {}  # symbols made by ``later`` that nobody has defined yet
        self.loop_gains: dict[str, SX] = {}
        self.equations: Equations | None = None  # once derived; nothing can be added then
        self.derived_made: tuple[int, Program] | None = None  # program of so many derived parameters
        self.implicit = False  # whether loads added now belong to the implicit part of a step
        self.alive: list[Any] = []
        self.notes: dict[str, Any] = {}  # for whoever uses the model; numbers, texts, lists and dicts
        # rates of the base symbols for velocities; `unmoving` explains what may not move a frame
        self.rates: dict[int, SX] = {key(self.time): ca.SX(1)}
        self.unmoving: dict[int, str] = {}
        self.time_derivative = TimeDerivative(self.calls, self.rates, self.unmoving)
        super().__init__(self, "")
        base = Unit("base", self, None)
        self.units = [base]
        base.root = self.world = Frame(
            "world",
            base,
            None,
            r=zeros(),
            rotation=None,
            v=zeros(),
            native_axes=None,
            w=zeros(),
            gravity=vec(gravity, "gravity", "m/s2"),
        )

    def __repr__(self) -> str:
        n_states = len(self.coordinates) + len(self.speeds) + len(self.states)
        counts = (
            counted(sum(len(unit.bodies) for unit in self.units), "body", "bodies"),
            counted(n_states, "state"),
            counted(len(self.inputs), "input"),
            counted(len(self.parameter_list), "parameter"),
            counted(len(self.outputs), "output"),
        )
        return f"<System {self.name}: {', '.join(counts)}>"

    # -- bookkeeping used by Scope ----------------------------------------------------------------------
    def check_open(self, what: str) -> None:
        if self.equations is not None:
            raise ModelError(
                f"system {self.name!r}: {what} after the equations were derived; describe the whole system before "
                "generate() or build()"
            )

    def claim_name(self, name: str) -> None:
        if name in self._names:
            raise ModelError(f"{name!r} is declared twice: use another name or scope")
        self._names.add(name)

    def check_new_output(self, item: Declared, watch: bool) -> None:
        _check_name(item.name)
        if item.name in self._output_names:
            raise ModelError(f"output {item.name!r} is declared twice: use another name or scope")
        self._output_names.add(item.name)
        units.check_si(item.unit, name=item.name)

    def rate_of(self, symbol: SX) -> SX:
        """The companion of an input or a block's signal that was declared with its rate."""
        return self.rates[key(symbol)]

    def set_coordinate_rate(self, coordinate: SX, rate: SX) -> None:
        k = key(coordinate)
        self.coordinate_rates[k] = rate
        self.rates[k] = rate
        self.unmoving.pop(k, None)

    def register_quaternion(self, q: list[SX], w: list[SX]) -> None:
        self.quaternions.append((q, w))

    def register_free_body(
        self, name: str, position: Sequence[SX], quaternion: Sequence[SX], velocity: Sequence[SX], turning: Sequence[SX]
    ) -> None:
        self.free_bodies.append(FreeBody(name, position, quaternion, velocity, turning))

    def speed_of(self, symbol: SX) -> Speed:
        if isinstance(symbol, tuple | list):
            if len(symbol) != 1:
                raise ModelError(f"expected one speed, got {len(symbol)}: name one of them, for example u[0]")
            symbol = symbol[0]
        if not is_symbolic(symbol) or symbol.numel() != 1 or not symbol.is_symbolic():
            raise ModelError(f"expected a speed (u[0] of a joint), got {symbol}")
        k = key(symbol)
        for speed in self.speeds:
            if key(speed.symbol) == k:
                return speed
        for coordinate in self.coordinates:
            if key(coordinate.symbol) == k:
                rate = self.coordinate_rates.get(k)
                name = next((s.name for s in self.speeds if rate is not None and key(s.symbol) == key(rate)), "u[0]")
                raise ModelError(
                    f"{symbol} is not a speed of this system but a coordinate; did you mean its speed, {name!r} (u[0])?"
                )
        raise ModelError(f"{symbol} is not a speed of this system")

    def add_load(self, frame: Frame, force: Vector, moment: Vector) -> None:
        if frame.system is not self:
            raise ModelError(f"frame {frame.name!r} belongs to another system")
        self.check_open(f"a load on frame {frame.name!r} is added")
        place = (id(frame), self.implicit)
        _, f, m = frame.unit.forces.get(place, (frame, zeros(), zeros()))
        frame.unit.forces[place] = (frame, add(f, force), add(m, moment))

    @contextmanager
    def implicit_loads(self) -> Iterator[None]:
        """Loads added within belong to the implicit part of a linear-implicit step (stiff elements)."""
        before, self.implicit = self.implicit, True
        try:
            yield
        finally:
            self.implicit = before

    def new_unit(self, name: str, at: Frame) -> Frame:
        self.check_open(f"unit {name!r} is declared")
        unit = Unit(name, self, at.unit, hitch=at)
        twist = self.calls.alias(f"{name}.root", [*at.v, *at.w])
        gravity = self.calls.alias(f"{name}.gravity", at.gravity)
        unit.root_twist, unit.root_gravity = twist, gravity
        unit.root = Frame(
            name, unit, at, r=zeros(), rotation=None, v=twist[:3], native_axes=None, w=twist[3:], gravity=gravity
        )
        at.unit.children.append(unit)
        self.units.append(unit)
        return unit.root

    def root_pose(self, unit: Unit) -> tuple[Vector, Matrix]:
        """World pose of a unit's root as named intermediates: loads of the unit can be differentiated up to them."""
        assert unit.hitch is not None
        if not unit.root_pose:
            entries = [*unit.hitch.position, *(entry for row in unit.hitch.orientation for entry in row)]
            unit.root_pose = self.calls.alias(f"{unit.name}.pose", entries)
        rows = [unit.root_pose[3 + 3 * i : 6 + 3 * i] for i in range(3)]
        return unit.root_pose[:3], rows

    def root_load(self, root: Frame) -> tuple[Vector, Vector]:
        """Force at and moment about the root of a unit that it exerts on what carries it, axes of the root.

        b* - A* (a, α) of the articulated unit (``kane.py``): known after all accelerations, for outputs and states.
        """
        unit = root.unit
        assert unit.hitch is not None
        if not unit.root_load:
            unit.root_load = [ca.SX.sym(f"load of {unit.name}[{i}]") for i in range(6)]
            for i, symbol in enumerate(unit.root_load):
                self.load_aliases[key(symbol)] = self.calls.late_alias(f"load of {unit.name}[{i}]", symbol)
        return unit.root_load[:3], unit.root_load[3:]

    # -- results ----------------------------------------------------------------------------------------
    def acceleration(self, speed: SX) -> SX:
        """Symbol of a speed's derivative, for outputs."""
        return self.speed_of(speed).acceleration

    def frame_acceleration(self, frame: Carrier, at: Any = (0, 0, 0)) -> Vector:
        """Acceleration of a point fixed in a frame, in frame axes (not including gravity), for outputs."""
        frame = as_frame(frame, "frame_acceleration: frame")
        v = frame.point_velocity(at)
        rate = self._speed_rates()
        return add([rate(x) for x in v], cross(frame.w, v))

    def second_rate(self, rate: Any) -> SX:
        """Time derivative of a rate that is linear in speeds (d̈ of ḋ), for outputs."""
        value: SX = self._speed_rates()(self._scalar(rate, "second rate"))
        return value

    def frame_angular_acceleration(self, frame: Carrier) -> Vector:
        """Angular acceleration of a frame, in its axes, for outputs."""
        rate = self._speed_rates()
        return [rate(x) for x in as_frame(frame, "frame_angular_acceleration: frame").w]

    def _speed_rates(self) -> TimeDerivative:
        return TimeDerivative(
            self.calls, {**self.rates, **{key(s.symbol): s.acceleration for s in self.speeds}}, self.unmoving
        )

    def kinetic_energy(self) -> SX:
        """Kinetic energy of all bodies, rotors and inerters."""
        total = ca.SX(0)
        for unit in self.units:
            for body in unit.bodies:
                total = total + body.kinetic_energy()
            for inerter in unit.inerters:
                total = total + inerter.kinetic_energy()
        return total

    def potential_energy(self) -> SX:
        """Energy of all bodies in the gravity field, zero at the world's origin."""
        total = ca.SX(0)
        for unit in self.units:
            for body in unit.bodies:
                total = total - body.mass * dot(self.world.gravity, body.frame.point(body.center))
        return total

    def generate(self, **options: Any) -> GeneratedModel:
        """Derive the equations of motion and emit C."""
        from jounce.symbolic.generate import generate

        return generate(self, **options)

    def generate_linear(self, **options: Any) -> GeneratedModel:
        """Emit the function ``linearise`` (A, B, C, D by name)."""
        from jounce.symbolic.linearise import generate_linear

        return generate_linear(self, **options)


class TwoPoint:
    """Line between two points: length L, rate dL/dt (> 0 in extension), force along it (> 0 in tension)."""

    def __init__(self, scope: Scope, a: Frame, b: Frame, at_a: Vector, at_b: Vector) -> None:
        self.scope, self.a, self.b, self.at_a, self.at_b = scope, a, b, at_a, at_b
        # Work in the axes of the common ancestor: no world rotation enters the element.
        self.axes = _common_ancestor(a, b)
        line = sub(_place(b, at_b, self.axes), _place(a, at_a, self.axes))
        self.length = dot(line, line) ** 0.5
        self.direction = [x / self.length for x in line]
        relative = sub(b.express(b.point_velocity(at_b), self.axes), a.express(a.point_velocity(at_a), self.axes))
        self.rate = dot(relative, self.direction)

    def act(self, tension: Any) -> None:
        """Pull the two points together with ``tension``."""
        pull = self.scope._scalar(tension, f"tension between {self.a.name!r} and {self.b.name!r}")
        f = [x * pull for x in self.direction]
        self.scope.force(self.a, f, at=self.at_a, axes=self.axes)
        self.scope.force(self.b, [-x for x in f], at=self.at_b, axes=self.axes)


def _frame(parent: Any, name: str) -> Frame:
    return as_frame(parent, f"parent of joint {name!r}")


def _common_ancestor(a: Frame, b: Frame) -> Frame:
    seen: list[Frame] = []
    frame: Frame | None = a
    while frame is not None:
        seen.append(frame)
        frame = frame.parent
    frame = b
    while frame is not None:
        if any(frame is s for s in seen):
            return frame
        frame = frame.parent
    raise ModelError(f"frames {a.name!r} and {b.name!r} belong to different systems")


def _place(frame: Frame, offset: Vector, axes: Frame) -> Vector:
    """A point of a frame in the axes of one of its ancestors, from that ancestor's origin."""
    place: Vector = offset
    current: Frame = frame
    while current is not axes:
        place = add(current.r, times(current.rotation, place))
        assert current.parent is not None
        current = current.parent
    return place


def _check_name(name: str) -> None:
    parts = name.split(".")
    if not all(part and part.replace("_", "a").isalnum() for part in parts):
        raise ModelError(f"name {name!r}: use letters, digits and underscores, with dots between the parts")
