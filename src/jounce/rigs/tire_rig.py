"""Tests of a tire on the rig: what a VTT file asks for, and the usual ones by name; results are runs.

    run = TireRig("sedan_225_50r17").run(read_vtt("lateral.vtt"))
    rig = TireRig(tire)
    runs = rig.sweep("LATERAL", loads=(2000, 4000, 6000))             pure slip at several loads (and cambers)
    rig.vertical_stiffness(), rig.relaxation(), rig.frequency_response(), rig.cleat()

A test begins in equilibrium: the hub at the deflection that carries the load, the wheel rolling, the contact deflected
by the slip, then a while at the first values of all inputs (on a plane; a road has nothing before its start, and what
is let go or locked has its initial values). Motions are (ψ: toe, κ: slip without lag, T = END_TIME - INITIAL_TIME)

    LONGITUDINAL   κ from 0 to κmax in T₁ = T κmax/(2 κmax - κmin), then to κmin, at one rate                       (1)
    LATERAL        ψ = A sin(2π (t - t₀)/T), free spin                                                              (2)
    COMBINED       ψ as in (2), κ constant;   CORNERING_STIFFNESS: ψ constant, κ = 0, load by a function          (3)

With ``tire_step`` the contact deflections of the tire are integrated apart (``components.tire.substeps``).
κmin and κmax are those of the tire, within ±1. Inputs are exact at every full and half step, linear in between.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jounce.components.tire.base import Tire
from jounce.components.tire.external import USUAL_DROP
from jounce.components.tire.substeps import BLOCK, MOST
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.core.units import parse
from jounce.files.library import library_file, library_files
from jounce.files.tir import read_tir
from jounce.files.vtt import Signal, TireTest, constant
from jounce.results.run import Run
from jounce.rigs.tire_bench import Structure, bench, is_outside
from jounce.rigs.tire_start import Known, nominal_load, relaxation_lengths
from jounce.road.surface import Road
from jounce.runtime.program import Constant, FromTable, Open, Phase, Program
from jounce.runtime.simulation import Library, Simulation
from jounce.sim.build import build

Array = npt.NDArray[np.float64]

SETTLING = 0.5  # s, at least
SETTLING_OUTSIDE = 2.0  # s, with a tire whose states nobody knows here
LENGTHS = 15.0  # relaxation lengths to be travelled before a test begins
DAMPING_RATIO = 0.7  # of the hub on the tire, unless the test says otherwise
FORMAT_FILES = {"csv": ".csv", "mat": ".mat", "parquet": ".parquet", "tab": ".tab", "xml": ".xml"}
BAND = 0.2  # Hz, width over which a frequency response is averaged
Number = float | str


def find_tire(source: str | Path | Tire) -> Tire:
    """A tire: itself, from a file, or from the library by its name."""
    if isinstance(source, Tire):
        return source
    return read_tir(tire_path(source)).tire


def tire_path(source: str | Path) -> Path:
    """The file of a tire given by path or by its name in the library."""
    place = Path(source)
    if place.is_file():
        return place
    if str(source).removesuffix(".tir") in library_files("tires") or place.suffix.lower() != ".tir":
        return library_file("tires", str(source))
    raise ParameterError(f"tire {str(source)!r}: no such file, and not in the library")


class Relaxation(NamedTuple):
    """What a step of the slip angle tells."""

    run: Run
    length: float  # m, way to 1 - 1/e of the lateral force
    force: float  # N, in the end


class Response(NamedTuple):
    """Lateral force over slip angle by frequency."""

    run: Run
    frequency: Array  # Hz
    gain: Array  # N/rad
    phase: Array  # rad


class Stiffness(NamedTuple):
    """Load over deflection."""

    run: Run
    load: Array  # N
    deflection: Array  # m
    rate: Array  # N/m


class TireRig:
    """A rig with one tire. What it compiles is kept for its further tests.

    Parameters
    ----------
    tire : a tire, a file, or a name of the library
    function : of an outside tire (``components.tire.external``): a Python function from Wheel to Answer, a C function,
        or a C function and the address that is handed to it
    """

    def __init__(self, tire: str | Path | Tire, function: Any = None) -> None:
        self.tire, self.function = find_tire(tire), function
        self._libraries: dict[tuple[Structure, Any], Library] = {}

    # -- any test -------------------------------------------------------------------------------------------
    def run(
        self, test: TireTest, *, road: Road | None = None, progress: Callable[[float, float], None] | None = None
    ) -> Run:
        """Do a test; ``road``: instead of the file that the test names."""
        tire, sign = _mounted(self.tire, test.side)
        structure, substeps = structure_of(test, road=road is not None or bool(test.road)), _substeps(test, tire)
        structure = replace(structure, substeps=substeps)
        simulation = Simulation(self._library(tire, structure), method=test.method, step=test.step, t0=test.start)
        simulation.set_parameters({f"tire.{c.name}": tire.values[c.name] for c in tire.model.coefficients})
        if not is_outside(tire):
            simulation.set_parameters({"tire.side": sign})
        if structure.road:
            from jounce.files.roads import load_road

            (load_road(test.road) if road is None else road).bind(simulation)
        known = Known(tire, simulation, structure, self.function, test.camber)
        if structure.free:
            program, warnings = self._let_go(known, test)
        else:
            program, warnings = self._guide(known, test)
        if substeps and test.tire_step and abs(test.step / substeps / test.tire_step - 1) > 1e-6:
            warnings.append(
                f"TIRE_INTEGRATION_STEP: {test.step / substeps:g} s instead of {test.tire_step:g} s, to fit "
                "INTEGRATION_STEP"
            )
        every = max(1, round(test.output_step / test.step))
        if every * test.step != test.output_step and abs(every * test.step / test.output_step - 1) > 1e-6:
            warnings.append(f"OUTPUT_STEP: {every * test.step:g} s, a whole number of steps")
        if program is not None:
            simulation.set_program(program)
            if not structure.road and not structure.locked:
                self._settle(known, test)
        recording = simulation.run(test.end, iprint=every, on_error="return", progress=progress)
        if not recording.ok:
            when = f"{recording.time[-1]:g} s" if len(recording.time) else "the start"
            warnings.append(f"ended at {when} instead of {test.end:g} s: {recording.reason or recording.status}")
        return Run.from_recording(recording, self._about(tire, test, warnings))

    def _settle(self, known: Known, test: TireTest) -> None:
        """Go on with the first values of all inputs: their tables are flat before the start."""
        simulation = known.simulation
        lengths = LENGTHS * max(known.lengths(max(test.preload, 1.0))) / max(abs(test.speed), 0.5)
        time = min(max(SETTLING_OUTSIDE if known.outside else SETTLING, lengths), test.static_time)
        steps = math.ceil(time / simulation.step)
        if steps < 1:
            return
        simulation.restart(test.start - steps * simulation.step)
        simulation.advance(steps)
        simulation.restart(test.start)

    def _library(self, tire: Tire, structure: Structure) -> Library:
        key = (structure, tire.model)
        if key not in self._libraries:
            self._libraries[key] = build(bench(tire, structure))
        return self._libraries[key]

    def _guide(self, known: Known, test: TireTest) -> tuple[Program, list[str]]:
        """Parameters, start and inputs of a wheel on the carriage."""
        simulation, tire, structure, warnings = known.simulation, known.tire, known.structure, list(test.warnings)
        p, t0, body = tire.values, test.start, test.body
        turned = float(np.max(np.abs(_inputs(tire, test)[0](_instants(test)))))
        if turned > math.pi / 2:
            warnings.append(
                f"the wheel is turned by {turned:g} rad ({math.degrees(turned):.0f} deg), so that it rolls backwards; "
                "are degrees meant?"
            )
        toe, load, spin, kappa = _inputs(tire, test)
        speed, drift, inertia, mass = test.speed, 0.0, test.wheel_inertia, test.hub_mass
        first = float(load(t0))
        if structure.locked:
            speed, drift, inertia = body.get("VX", 0.0), body.get("VY", 0.0), body["IYY"]
            first = test.preload or body["MASS"] * GRAVITY
            for key in ("VZ", "WX", "WZ"):
                if body.get(key):
                    warnings.append(f"[Z_LOCKED] {key} = {body[key]:g}: not used, the hub is held")
        if not first > 0:
            raise ParameterError(f"tire test {test.name!r}: the load at the start is {first:g} N; must be above 0")
        rho = known.deflection(first)
        radius = (p["UNLOADED_RADIUS"] - rho) * math.cos(test.camber)
        height = body.get("Z", radius) if structure.locked else radius
        if structure.locked:
            rho = max(p["UNLOADED_RADIUS"] - height / math.cos(test.camber), 0.0)
        alpha = math.atan2(drift, abs(speed)) - float(toe(t0)) if speed or drift else 0.0
        rolling = known.rolling_radius(rho)
        slip = float(kappa(t0)) if kappa is not None else 0.0
        along = speed * math.cos(float(toe(t0))) + drift * math.sin(float(toe(t0)))
        states = {}
        if not structure.locked:
            states["z.travel"] = radius
        if structure.spin == "free":
            states["wheel.spin"] = body.get("WY", along / rolling) if structure.locked else along / rolling
        damping = test.hub_damping
        if damping is None:
            damping = 2 * DAMPING_RATIO * math.sqrt(max(known.rate(rho), 1.0) * mass)
        simulation.set_states(states)
        if tire.model.transient and not (structure.locked and "WY" in body):
            along_length, across_length = known.lengths(first)
            u, v = slip * along_length, math.tan(alpha) * across_length
            if structure.substeps:
                simulation.set_signals({f"tire.{BLOCK}.u": u, f"tire.{BLOCK}.v": v})
            else:
                simulation.set_states({"tire.u": u, "tire.v": v})
        values = {"start": t0, "speed": speed, "drift": drift, "mass": mass}
        if structure.spin == "free":
            values["spin_inertia"] = inertia
        if structure.locked:
            values["height"] = height
        else:
            values["hub_damping"] = damping
        simulation.set_parameters(values)
        if known.outside and rho > 0 and speed:
            self._take_radius(known, rho, along if "wheel.spin" in states and "WY" not in body else None, warnings)
        signals = {"toe": toe, "camber": constant(test.camber)}
        if not structure.locked:
            signals["preload"] = load
        if structure.spin == "imposed" and spin is not None:
            signals["spin"] = spin
        if structure.spin == "slip" and kappa is not None:
            signals["kappa"] = kappa
        instants = _instants(test)
        self._check_load(test, load, instants)
        drives = [Open(name, _reference(signal, instants)) for name, signal in signals.items()]
        return Program(Phase("test", drives, duration=10 * (test.end - test.start) + 2 * test.static_time)), warnings

    def _take_radius(self, known: Known, rho: float, along: float | None, warnings: list[str]) -> None:
        """The effective radius of an outside tire: its own at the load of the start, or an assumed one, as is said."""
        told = known.told_radius()
        if told is None:
            if known.tire.values["RADIUS_DROP"] == USUAL_DROP:
                warnings.append(
                    f"the tire does not tell its effective radius; {known.rolling_radius(rho):.5g} m is assumed at the "
                    "start (a third of the deflection less than the free radius), and slips are related to it; "
                    "RADIUS_DROP (radius_drop) says another one"
                )
            return
        known.simulation.set_parameters({"tire.RADIUS_DROP": (known.radius - told) / rho})
        if along is not None:
            known.simulation.set_states({"wheel.spin": along / told})

    def _check_load(self, test: TireTest, load: Signal, instants: Array) -> None:
        if test.kind not in ("SIX_DOF", "Z_LOCKED") and np.min(load(instants)) < 0:
            t = instants[np.argmin(load(instants))]
            raise ParameterError(
                f"tire test {test.name!r}: the load is {np.min(load(instants)):g} N at {t:g} s; the rig only pushes"
            )

    def _let_go(self, known: Known, test: TireTest) -> tuple[None, list[str]]:
        """Start of a free wheel."""
        simulation, body, warnings = known.simulation, test.body, list(test.warnings)
        across = 0.5 * (body["IXX"] + body["IZZ"])
        if abs(body["IXX"] - body["IZZ"]) > 1e-9 * across:
            warnings.append(
                f"IXX = {body['IXX']:g}, IZZ = {body['IZZ']:g}: a wheel is round; both are {across:g} kg m²"
            )
        simulation.set_parameters({"mass": body["MASS"], "inertia": across, "spin_inertia": body["IYY"]})
        height = body.get("Z")
        if height is None:
            height = (known.radius - known.deflection(body["MASS"] * GRAVITY)) * math.cos(test.camber)
        states = {
            "z.travel": height,
            "roll.angle": test.camber,
            **{f"{name}.rate": body.get(key, 0.0) for name, key in (("x", "VX"), ("y", "VY"), ("z", "VZ"))},
            **{f"{name}.rate": body.get(key, 0.0) for name, key in (("roll", "WX"), ("yaw", "WZ"))},
            "wheel.spin": body.get("WY", 0.0) - body.get("WZ", 0.0) * math.sin(test.camber),
        }
        simulation.set_states(states)
        return None, warnings

    def _about(self, tire: Tire, test: TireTest, warnings: Sequence[str]) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "load": [test.preload, "N"],
            "speed": [test.speed, "m/s"],
            "camber": [test.camber, "rad"],
            "side": test.side,
            "road": Path(test.road).name or "flat",
        }
        if test.kind in ("LATERAL", "COMBINED"):
            parameters["toe_amplitude"] = [test.toe_amplitude, "rad"]
        if test.kind == "FREE_INPUT" and test.toe.kind == "SWEEP":
            parameters["highest_frequency"] = [test.toe.numbers["F1"], "Hz"]
        if test.kind == "COMBINED":
            parameters["slip"] = [test.slip, "-"]
        if test.kind in ("SIX_DOF", "Z_LOCKED"):
            parameters = {"camber": parameters["camber"], **dict(test.body)}
        kind = f"tire-{test.kind.lower().replace('_', '-')}"
        return {
            "label": test.name,
            "vehicle": {"name": tire.name},
            "event": {
                "kind": kind,
                "name": f"tire rig: {test.kind.lower().replace('_', ' ')}",
                "parameters": parameters,
            },
            "warnings": list(warnings),
        }

    # -- usual tests ----------------------------------------------------------------------------------------
    def sweep(
        self,
        kind: str = "LATERAL",
        loads: Sequence[Number] = (),
        cambers: Sequence[Number] = (0.0,),
        slips: Sequence[float] = (0.0,),
        *,
        speed: Number = 20.0,
        toe: Number = "12 deg",
        end: Number = 10.0,
        **options: Any,
    ) -> list[Run]:
        """The same test at all loads (half, once, twice the nominal one), cambers and (COMBINED) slips."""
        found = [parse(x, "N") for x in loads]
        if not found:
            nominal = nominal_load(self.tire)
            found = [0.5 * nominal, nominal, min(2 * nominal, self.tire.values.get("FZMAX", math.inf))]
        runs = []
        for load in found:
            for camber in (parse(x, "rad") for x in cambers):
                for slip in slips if kind == "COMBINED" else (0.0,):
                    name = f"{kind.lower()}_{load:.0f}N" + (f"_{math.degrees(camber):.1f}deg" if camber else "")
                    test = TireTest(
                        kind, name=name + (f"_{100 * slip:g}pct" if slip else ""), preload=load, camber=camber,
                        slip=slip, speed=parse(speed, "m/s"), toe_amplitude=parse(toe, "rad"), end=parse(end, "s"),
                        **options,
                    )  # fmt: skip
                    runs.append(self.run(test))
        return runs

    def points(
        self,
        loads: npt.ArrayLike,
        kappas: npt.ArrayLike = 0.0,
        alphas: npt.ArrayLike = 0.0,
        cambers: npt.ArrayLike = 0.0,
        *,
        speed: Number = 20.0,
        side: str = "LEFT",
    ) -> dict[str, Array]:
        """Steady forces at many points, each by a test of its own: N, -, rad, rad; one point per element.

        Returns fx, fy, fz, mx, my, mz, kappa, alpha, gamma as the rig measured them.
        """
        columns = np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, float)) for x in (loads, kappas, alphas, cambers)))
        names = ("fx", "fy", "fz", "mx", "my", "mz", "kappa", "alpha", "gamma")
        found: dict[str, list[float]] = {name: [] for name in names}
        v = parse(speed, "m/s")
        for load, kappa, alpha, camber in zip(*(c.ravel() for c in columns), strict=True):
            lengths = relaxation_lengths(self.tire, float(load), float(camber))
            test = TireTest(
                "CORNERING_STIFFNESS", name="point", preload=float(load), slip=float(kappa), camber=float(camber),
                toe=constant(-float(alpha)), speed=v, side=side, end=LENGTHS * max(lengths) / v, output_step=0.05,
            )  # fmt: skip
            run = self.run(test)
            for name in names:
                found[name].append(float(run[f"tire.{name}"][-1]))
        shape = columns[0].shape
        return {name: np.asarray(values, dtype=np.float64).reshape(shape) for name, values in found.items()}

    def vertical_stiffness(
        self, highest: Number | None = None, *, speed: Number = 0.0, time: float = 10.0
    ) -> Stiffness:
        """Load the tire slowly, from a twentieth of the highest load (default twice the nominal one) on."""
        top = 2 * nominal_load(self.tire) if highest is None else parse(highest, "N")
        low = 0.05 * top
        load = Signal("RAMP", {"F0": 0.0, "F1": top - low, "T0": 0.0, "T1": time})
        test = TireTest(
            "FREE_INPUT", name="vertical_stiffness", preload=low, load=load, speed=parse(speed, "m/s"), end=time
        )
        run = self.run(test)
        fz, rho = run["tire.fz"], run["tire.deflection"]
        return Stiffness(run, fz, rho, np.gradient(fz, rho))

    def relaxation(self, load: Number | None = None, *, speed: Number = 10.0, angle: Number = "0.05 deg") -> Relaxation:
        """Turn the wheel at once and see after which way the lateral force has 1 - 1/e of its change."""
        fz = nominal_load(self.tire) if load is None else parse(load, "N")
        v, toe = parse(speed, "m/s"), parse(angle, "rad")
        sigma = relaxation_lengths(self.tire, fz)[1]
        found = self._relaxation(fz, v, toe, sigma)
        while is_outside(self.tire) and not 0.1 * sigma < found.length < 2 * sigma:  # it was a guess
            sigma = min(max(found.length, 0.1 * sigma), 10 * sigma)
            if not 1e-3 < sigma < 100:
                raise ParameterError(f"tire {self.tire.name!r}: no relaxation length between 1 mm and 100 m")
            found = self._relaxation(fz, v, toe, sigma)
        return found

    def _relaxation(self, fz: float, v: float, toe: float, sigma: float) -> Relaxation:
        step = min(5e-4, sigma / v / 2000)  # a method with a memory sees the step of toe up to a step late
        turn = Signal("RAMP", {"F0": 0.0, "F1": toe, "T0": 0.0, "T1": step})
        test = TireTest(
            "FREE_INPUT",
            name="relaxation",
            preload=fz,
            toe=turn,
            speed=v,
            end=12 * sigma / v,
            step=step,
            output_step=step,
        )
        run = self.run(test)
        fy = run["tire.fy"] - run["tire.fy"][0]
        final = float(fy[-1])
        after = max(int(np.argmax(fy / final >= 1 - math.exp(-1))), 1)
        a, b = fy[after - 1] / final, fy[after] / final
        time = run.time[after - 1] + (1 - math.exp(-1) - a) / (b - a) * (run.time[after] - run.time[after - 1])
        return Relaxation(run, float(v * time), final)

    def frequency_response(
        self,
        load: Number | None = None,
        *,
        speed: Number = 10.0,
        angle: Number = "0.5 deg",
        highest: float = 10.0,
        time: float = 40.0,
    ) -> Response:
        """Sweep the toe angle from 0.1 Hz to the highest frequency; lateral force over slip angle."""
        fz = nominal_load(self.tire) if load is None else parse(load, "N")
        sweep = Signal("SWEEP", {"AMPL": parse(angle, "rad"), "F0": 0.1, "F1": highest, "T0": 0.0, "T1": time})
        test = TireTest(
            "FREE_INPUT", name="frequency_response", preload=fz, toe=sweep, speed=parse(speed, "m/s"), end=time,
            output_step=0.002,
        )  # fmt: skip
        run = self.run(test)
        return Response(run, *response_of(run))

    def cleat(
        self, road: str | Road = "cleat", load: Number | None = None, *, speed: Number = 10.0, time: float = 6.0
    ) -> Run:
        """Roll over an obstacle at the height that carries the load on the plane.

        A road by name is felt through tandem cams (``road.envelope``): an edge is no matter for a contact in a point.
        """
        from jounce.files.roads import load_road
        from jounce.road.envelope import Envelope

        surface = (
            Envelope(road=load_road(road), mode="cams", width=0.01, n_wide=2, n_long=30)
            if isinstance(road, str)
            else road
        )
        fz = nominal_load(self.tire) if load is None else parse(load, "N")
        v = parse(speed, "m/s")
        body = {"MASS": fz / GRAVITY, "IYY": 1.0, "VX": v}
        test = TireTest("Z_LOCKED", name="cleat", body=body, end=time, step=2e-4, output_step=1e-3)
        return self.run(test, road=surface)


# --- tests as motions ------------------------------------------------------------------------------------------------


def _mounted(tire: Tire, side: str) -> tuple[Tire, float]:
    """The tire and its sign as a test mounts it."""
    if is_outside(tire) and side in ("MIRRORED", "SYMMETRIC"):
        raise ParameterError(f"tire {tire.name!r}: side = {side!r}: an outside tire is as its function makes it")
    if side == "SYMMETRIC":
        odd = {name: 0.0 for name in tire.model.sided if name in tire.values}
        return replace(tire.with_values(**odd), side="symmetric"), 1.0
    if side == "MIRRORED":
        return tire, -1.0
    return tire, tire.sign_on(side.lower())


def structure_of(test: TireTest, *, road: bool = False) -> Structure:
    """Which mechanism a test needs."""
    if test.kind == "SIX_DOF":
        return Structure(road=road, free=True)
    if test.kind == "Z_LOCKED":
        return Structure("free", locked=True, road=road)
    if test.kind in ("LONGITUDINAL", "COMBINED", "CORNERING_STIFFNESS"):
        return Structure("slip", road=road)
    return Structure("imposed" if test.spin is not None else "free", road=road)


def _substeps(test: TireTest, tire: Tire) -> int:
    """Steps of the tire's states in a step of the rig; 0: they are integrated together with it."""
    if test.tire_step is None or not tire.model.transient:
        return 0
    steps = max(1, math.ceil(test.step / test.tire_step * (1 - 1e-9)))
    if steps > MOST:
        raise ParameterError(
            f"tire test {test.name!r}: {steps} steps of the tire in one of the rig ({test.tire_step:g} s, "
            f"{test.step:g} s); at most {MOST}"
        )
    return steps


def _inputs(tire: Tire, test: TireTest) -> tuple[Signal, Signal, Signal | None, Signal | None]:
    """Toe, load, spin and slip over time."""
    span = test.end - test.start
    toe, load, kappa = test.toe, test.load.plus(test.preload), None
    if test.kind in ("LATERAL", "COMBINED"):
        phase = -2 * math.pi * test.start / span
        toe = Signal("SINE", {"AMPL": test.toe_amplitude, "FREQ": 1 / span, "PHASE": phase})
    if test.kind in ("COMBINED", "CORNERING_STIFFNESS"):
        kappa = constant(test.slip)
    if test.kind == "LONGITUDINAL":
        high, low = min(float(tire.values.get("KPUMAX", 1.0)), 1.0), max(float(tire.values.get("KPUMIN", -1.0)), -1.0)
        top = test.start + span * high / (2 * high - low)
        table = Table([test.start, top, test.end], [0.0, high, low], method="linear", extrapolation="flat")
        kappa = Signal("USER", table=table)
    return toe, load, test.spin, kappa


def response_of(run: Run) -> tuple[Array, Array, Array]:
    """Frequencies (Hz), gain (N/rad) and phase (rad) of the lateral force over the slip angle of a swept toe angle."""
    highest = float(run.metadata["event"]["parameters"]["highest_frequency"][0])
    alpha, fy = run["tire.slip_angle"], run["tire.fy"]
    dt = float(run.time[1] - run.time[0])
    f = np.asarray(np.fft.rfftfreq(len(alpha), dt), dtype=np.float64)
    x, y = (np.fft.rfft(_tapered(values - values.mean())) for values in (alpha, fy))
    n = max(1, round(BAND / (f[1] - f[0])))
    cross, power = (np.convolve(values, np.ones(n), "same") for values in (y * x.conj(), np.abs(x) ** 2))
    chosen = (f >= 0.3) & (f <= 0.9 * highest)
    chosen[np.arange(len(f)) % n != 0] = False
    transfer = cross[chosen] / power[chosen]
    return f[chosen], np.abs(transfer), np.unwrap(np.angle(-transfer))


def _tapered(values: Array) -> Array:
    """Faded in and out over a fiftieth of the length."""
    n = len(values) // 50
    window = np.ones(len(values))
    window[:n] = 0.5 - 0.5 * np.cos(np.pi * np.arange(n) / n)
    window[len(values) - n :] = window[:n][::-1]
    return np.asarray(values * window)


def _instants(test: TireTest) -> Array:
    """Full and half steps from the start to a step after the end."""
    half = 0.5 * test.step
    n = math.ceil((test.end - test.start) / half) + 3
    return np.asarray(test.start + half * np.arange(n), dtype=np.float64)


def _reference(signal: Signal, instants: Array) -> Constant | FromTable:
    values = signal(instants)
    if np.all(values == values[0]):
        return Constant(float(values[0]))
    table = Table(instants, values, method="linear", extrapolation="flat")
    return FromTable(table, absolute=True)


# --- files -----------------------------------------------------------------------------------------------------------


def write_results(run: Run, folder: str | Path, formats: Sequence[str] = ("csv",), name: str = "") -> list[Path]:
    """Write a run as ``name.csv``, ``.tab``, ``.mat``, ``.xml``, ``.parquet``; the same numbers in each."""
    from jounce.rigs.result_files import write_tab, write_xml

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    writers: dict[str, Callable[[Path], Any]] = {
        "csv": run.to_csv,
        "mat": run.to_mat,
        "parquet": run.to_parquet,
        "tab": lambda path: write_tab(run, path),
        "xml": lambda path: write_xml(run, path),
    }
    written = []
    for kind in formats:
        if kind not in writers:
            raise ParameterError(f"format {kind!r}: unknown; known are {', '.join(writers)}")
        path = place / f"{name or run.metadata.get('label', 'run')}{FORMAT_FILES[kind]}"
        writers[kind](path)
        written.append(path)
    return written
