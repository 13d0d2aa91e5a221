"""A car ready to start an event: in equilibrium, or running steadily at its speed, and what events ask about it.

An event with ``initial_curvature`` starts on a circle, its heading being that of the way; one with
``initial_acceleration`` gathers speed (``sim/steady`` (2), (3)); ``initial_gear`` is that of a driver who changes
gears, or of a gearbox on demand. A train begins in line, or articulated as its steady turn is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.core.errors import JounceError, ParameterError, SimulationError, StaticsError, UnstableStepError
from jounce.events.gears import check_gear, gears_of
from jounce.events.identify import identify
from jounce.events.options import Options, Progress
from jounce.events.record import record
from jounce.events.scene import Plane, Scene, on_a_plane
from jounce.runtime.blocks import in_order
from jounce.runtime.simulation import Simulation
from jounce.sim import car as cars
from jounce.sim.equilibrium import Places
from jounce.sim.gains import Gains, gains
from jounce.sim.stability import step_note
from jounce.sim.statics import Settled, place, settle
from jounce.sim.steady import Running, roll, run_steadily

if TYPE_CHECKING:
    from jounce.events.base import Event
    from jounce.runtime.recording import Recording

CRAWL = 0.1  # m/s: below this speed a car starts at rest
STEERS = "driver.steers"  # 1: a driver of a path has the hand wheel
SAMPLED = 0.05  # s, between rows of a search
HAND = math.radians(1.0)  # hand wheel angle to each side, for the ratio
OUTSIDE = 0.5  # s, after which a steering from outside has answered


class Start:
    """A car ready to start an event."""

    def __init__(
        self, description: cars.Description, event: Event, options: Options | None = None, scene: Scene | None = None
    ) -> None:
        self.description, self.event = description, event
        self.options = options if options is not None else Options()
        self.scene = scene if scene is not None else Scene(description.ground)
        self.vehicle = description.vehicle
        self.warnings: list[str] = []
        self.found: dict[str, Any] = {}  # what the event found before it starts, for its program
        self.notes: dict[str, Any] = {}  # what was found before the event, kept with its result
        self.scene.check(description)
        self.sim = self._simulation(description)
        self.scene.bind(self.sim, description)
        self.settled: Settled
        self.running: Running | None = None
        self.outside_problem = ""  # why the ratio of a steering from outside is not known
        self._states: dict[str, Any] = {}  # of outside blocks, at first
        self._outside, late = in_order(self.options.outside, self.sim.model)
        self.warnings += [f"blocks read each other in a loop: {text} one sample late" for text in late]
        self._ready()
        identify(self)
        self._first = self.sim.snapshot()
        self._begin = (self.sim.x.copy(), self.sim.m.copy(), self.sim.u.copy())
        if self.settled.method != "none" and self.step_note:  # with statics the linear model is there anyway
            self.warnings.append(self.step_note)
        if self.steered_outside:
            _ = self._outside_ratio  # before anything runs
        self._ran = False

    def _simulation(self, description: cars.Description) -> Simulation:
        sim = cars.simulation(description, method=self.options.method, step=self.options.step)
        sim.set_parameters(self.options.parameters)
        return sim

    def _ready(self) -> None:
        sim, event = self.sim, self.event
        plane, warnings = self.scene.prepare(sim, self.description, event, self.options.inputs)
        self.warnings += warnings
        steer = float(getattr(event, "initial_steer", 0.0))
        sim.set_inputs({"steering_wheel": steer, "throttle": 0.0, "brake": 0.0})
        sim.set_inputs(event.opens(self.vehicle))
        self._choose_gear()
        where: dict[str, Any] = {"x": event.x, "y": event.y, "heading": event.heading}
        where |= {"normal": plane.normal, "height": plane.height}
        self._normal = plane.normal
        moving = abs(event.speed) > CRAWL
        if event.static_setup == "none":
            place(sim, self.description, **where)
            self.settled = Settled("none", 0, math.nan, ())
            self.warnings.append("static_setup none: the car starts at design, not in equilibrium; nothing is adjusted")
            if moving:
                roll(sim, self.description, event.speed)
            return
        self.settled = settle(sim, self.description, **where)
        if self.settled.unstable:
            self.warnings.append(f"the equilibrium at the start is unstable: {self.settled.unstable}")
        if not moving:
            return
        try:
            self.running = self._running(sim, self.description, plane)
        except StaticsError:
            if self.scene.even:
                raise
            self._run_on_a_plane(plane, where)

    def _choose_gear(self) -> None:
        """The gear that the event starts in, where it says one."""
        gear = getattr(self.event, "initial_gear", None)
        if gear is None:
            return
        most = gears_of(self.vehicle)
        inputs = {v.name for v in self.sim.model.inputs}
        if most is None or not inputs & {"driver.first_gear", "gear"}:
            self.warnings.append(
                f"initial_gear = {gear:g}: nothing in this car takes it; it starts as its drive chooses"
            )
            return
        check_gear(gear, most, f"initial_gear = {gear:g}", neutral=False)
        if "driver.first_gear" in inputs:
            backs = {"driver.shifts": 0.0, "gear": float(gear)} if gear < 0 else {}  # he does not change out of reverse
            self.sim.set_inputs({"driver.first_gear": float(gear)} | backs)
        else:
            self.sim.set_inputs({"gear": float(gear)})

    def _running(self, sim: Simulation, description: cars.Description, plane: Plane) -> Running:
        """Steady running at the speed of the event, on a circle and gathering speed where it says so."""
        event = self.event
        curvature = getattr(event, "initial_curvature", None)
        growth = float(getattr(event, "initial_acceleration", 0.0))
        course = None if curvature is None else event.heading
        return run_steadily(
            sim, description, event.speed, plane.normal, curvature=curvature, course=course, acceleration=growth
        )

    def _run_on_a_plane(self, plane: Plane, where: dict[str, Any]) -> None:
        """Steady running does not exist on an uneven road: take that on the plane under its wheels."""
        flat = self.description.changed(
            ground="inclined", road_inputs=False, smoothed=False, normals="surface", patch=False, inputs=()
        )
        sim = self._simulation(flat)
        self.scene.bind_paths(sim)
        on_a_plane(sim, plane, self.event, self.options.inputs)
        sim.set_inputs({"steering_wheel": self.sim.input("steering_wheel")})
        settle(sim, flat, **where)
        self.running = self._running(sim, flat, plane)
        self.sim.x[:], self.sim.m[:] = sim.x, sim.m
        self.sim.set_inputs({name: sim.input(name) for name in ("steering_wheel", "throttle", "brake")})

    def restart(self) -> None:
        """Back to the beginning of the event, outside blocks included."""
        keeps = next((block.label for block in self._outside if not block.forgets), None)
        if self._ran and keeps is not None:
            raise ParameterError(
                f"block {keeps!r}: the event runs several times to find its start, and this block cannot begin anew. "
                "Say stateless=True, give it state=BlockState(get, set), or give the event what it searches for"
            )
        self.sim.set_program(None)
        self._detach()
        self.sim.restore(self._first)

    def _detach(self) -> None:
        """Take the outside blocks away: what an event asks about the car must not call them."""
        for name in [block.name for block in self.sim.block_set.externals.blocks]:
            self.sim.remove_block(name)

    def _attach(self) -> None:
        """Bind the outside blocks of the run, in the states that they had at first."""
        self._detach()
        for block in self._outside:
            self.sim.add_block(
                block.label,
                block.function,
                block.period,
                reads=block.reads,
                writes=block.writes,
                exchange=block.exchange,
                state=block.state,
                stateless=block.stateless,
                context=block.context,
            )
        for bound in self.sim.block_set.externals.blocks:
            if bound.saved:
                first = self._states.setdefault(bound.name, bound.initial.copy())
                bound.initial[:] = first
                bound.load(first)

    @cached_property
    def step_note(self) -> str:
        """What is wrong with the step, by the linear model at the start; nothing where it is small enough."""
        own = Simulation(self.sim.library, method=self.options.method, step=self.options.step)
        own.adopt(self.sim)
        own.x[:], own.m[:], own.u[:] = self._begin
        return step_note(own, cars.lineariser(self.description))

    # -- what events ask -----------------------------------------------------------------------------------------

    @property
    def throttle(self) -> float:
        """Demand that keeps the speed at the start."""
        return self.running.throttle if self.running is not None else 0.0

    @property
    def brake(self) -> float:
        """Brake demand that keeps the speed at the start."""
        return self.running.brake if self.running is not None else 0.0

    @property
    def steering(self) -> float:
        """Hand wheel angle at the start."""
        return self.running.steering if self.running is not None else float(getattr(self.event, "initial_steer", 0.0))

    @property
    def throttle_per_acceleration(self) -> float:
        """Drive demand per acceleration at the start, s²/m; 0 without drive."""
        return 1 / self._gains.throttle if self._gains.throttle > 0 else 0.0

    @property
    def brake_per_deceleration(self) -> float:
        """Brake demand per deceleration at the start, s²/m, while no wheel locks; 0 without brakes."""
        return 1 / self._gains.brake if self._gains.brake > 0 else 0.0

    @cached_property
    def _gains(self) -> Gains:
        """Of the car as it is when first asked: events ask before they start."""
        return gains(self.sim, self.description)

    @property
    def rise(self) -> float:
        """Slope of the road along the car at the start, sine."""
        x, y, z = self._normal
        rise = -(x * math.cos(self.event.heading) + y * math.sin(self.event.heading)) / z
        return rise / math.hypot(1.0, rise)

    @property
    def steering_ratio(self) -> float:
        """Hand wheel angle per mean steer angle of the steered wheels, straight ahead; nan where nobody can tell it.

        With a steering from outside (inputs, blocks) that of the outside one, found before the event begins.
        """
        return self._outside_ratio if self.steered_outside else self._ratio(self._turned)

    def _ratio(self, turn: Callable[[float], None]) -> float:
        """By what a function makes of the car for a hand wheel angle; the simulation is left as it was."""
        steered = self.description.places[0].steered
        if steered is None:
            return math.inf
        angles = [f"Wheel.Spindle_Steer.{wheel.name}" for wheel in steered.wheels]
        here, states, inputs = {}, self.sim.x.copy(), self.sim.u.copy()
        for sign in (1.0, -1.0):
            turn(sign * HAND)
            here[sign] = np.mean([self.sim.output(name) for name in angles])
            self.sim.x[:], self.sim.u[:] = states, inputs
        moved = float(here[1.0] - here[-1.0])
        return 2 * HAND / moved if moved else math.inf

    def _turned(self, hand: float) -> None:
        """The hand wheel turned at once, with the states of the steering that go with it."""
        steered = self.description.places[0].steered
        assert steered is not None
        takes = {STEERS: 0.0} if any(v.name == STEERS for v in self.sim.model.inputs) else {}  # from a driver
        self.sim.set_inputs({"steering_wheel": hand} | takes)
        self.sim.set_states(steered.data.steering.turned(steered, hand))

    # -- a steering that is modelled elsewhere -------------------------------------------------------------------

    @cached_property
    def steered_outside(self) -> bool:
        """Whether inputs or blocks of the run say how far the wheels turn."""
        from jounce.components.steering.outside import turns_wheels

        prefix = self.description.places[0].prefix
        return any(turns_wheels(name.removeprefix(prefix)) for name in self.options.given)

    @cached_property
    def _outside_ratio(self) -> float:
        """What a steering from outside makes of the hand wheel once it has come to rest, with the car as it is now."""
        sim = self.sim
        here = sim.snapshot()

        def turned(hand: float) -> None:
            self.held(OUTSIDE, {"steering_wheel": hand})
            given = sim.u.copy()
            sim.restore(here)
            sim.u[:] = given

        try:
            return self._ratio(turned)
        except JounceError as problem:
            self.outside_problem = str(problem)
            self.warnings.append(f"the steering ratio is not known: {problem}")
            return math.nan
        finally:
            sim.restore(here)

    def held(self, seconds: float, inputs: Mapping[str, float], channels: Sequence[str] = ()) -> Recording:
        """Go on for some seconds with inputs held and no program, with the steering of the run if it is outside."""
        from jounce.events.outside_ground import set_start

        sim, outside = self.sim, self.steered_outside
        if outside:
            keeps = next((block.label for block in self._outside if not block.forgets), None)
            if keeps is not None:
                raise ParameterError(
                    f"block {keeps!r}: the car is tried before the event with its steering from outside, and this "
                    "block cannot begin anew. Say stateless=True, or give it state=BlockState(get, set)"
                )
            set_start(sim, self.options.inputs)
            self._attach()
        try:
            sim.set_inputs(inputs)
            return sim.run(sim.time + seconds, channels=list(channels))
        finally:
            if outside:
                self._detach()

    @property
    def steering_per_curvature(self) -> float:
        """Hand wheel angle per curvature of the path at low speed, rad m."""
        return self.steering_ratio * self.vehicle.wheelbase

    def steering_for(self, lateral_acceleration: float) -> float:
        """A first guess of the hand wheel angle: that of a neutral car, and half as much again."""
        curvature = lateral_acceleration / max(self.event.speed, 1.0) ** 2
        return 1.5 * self.steering_per_curvature * curvature

    def steady_lateral_acceleration(self, event: Event) -> float:
        """Mean lateral acceleration over the last second of an event, levelled axes, less that at the start."""
        self.restart()
        step = self.options.step
        every = max(1, round(SAMPLED / step)) * step
        recorded = self.record(event, interval=every, channels=["System_Mass_Center.Tracking_Ay"])
        if not recorded.ok:
            kind = UnstableStepError if self.step_note else SimulationError
            raise kind(f"the run ended with {recorded.reason!r}")
        last = recorded.time >= recorded.time[-1] - 1.0
        self.restart()
        values = recorded["System_Mass_Center.Tracking_Ay"]
        return float(np.mean(values[last]) - values[0])

    def lift(self, height: float) -> None:
        """Raise the car by a height."""
        linear = cars.lineariser(self.description)
        places = Places(self.sim, linear.notes["states"])
        for body in linear.rest["bodies"]:
            self.sim.x[places.state[body["position"][2]]] += height

    @property
    def rotating_mass(self) -> float:
        """What the spin inertias of the wheels add to the mass along the road, kg."""
        wheels = self.description.wheels
        radius = float(np.mean([self.sim.output(f"Tire.Effective_Rolling_Radius.{name}") for name in wheels]))
        inertia = math.fsum(w.axle.data.wheels_on(w.side).hub_spin_inertia for w in wheels.values())
        return inertia / radius**2

    @property
    def driveline_mass(self) -> float:
        """What a driveline adds to the mass along the road while it coasts in the gear in use, kg."""
        if self.vehicle.driveline is None:
            return 0.0
        from jounce.sim.quasi_static import Chain  # with all parts of drivelines

        wheels = self.description.wheels
        radius = float(np.mean([self.sim.output(f"Tire.Effective_Rolling_Radius.{name}") for name in wheels]))
        chain = Chain(self.vehicle, np.zeros(1))
        named = [v.name for v in self.sim.model.outputs]
        gear = self.sim.output("Transmission.gear") if "Transmission.gear" in named else 1.0
        return float(chain.inertia(coupled=False)[int(np.clip(gear, 1, len(chain.gears))) - 1] / radius**2)

    def record(
        self,
        event: Event,
        *,
        interval: float | None = None,
        channels: Sequence[str] | None = None,
        progress: Progress | None = None,
        watched: bool = False,
    ) -> Recording:
        """Run an event from here; a run that fails or is interrupted returns what it has.

        ``watched``: it is what the caller asked for, not a search: its rows are handed on, at the pace asked for.
        """
        every = self.options.interval if interval is None else interval
        options = replace(self.options, interval=every, channels=channels, progress=progress)
        if not watched:
            options = replace(options, stream=None, pace=None)
        program = event.program(self)
        self._attach()
        self._ran = True
        recorded = event.judged(record(self.sim, program, options, event.end_time))
        if recorded.ok or recorded.status == "interrupted" or not self.step_note:
            return recorded
        return replace(recorded, reason=f"{recorded.reason}; {self.step_note}")
