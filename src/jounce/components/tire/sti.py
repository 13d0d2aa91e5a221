"""Tires in shared libraries of other programs, called by the interfaces STI and CRT (``jounce_sti.h``).

    tire = library_tire("libmine.so", "my_tire", interface="STI", radius=0.33)
    simulation = ...                                   # of a mechanism with this tire on a wheel named "tire"
    bound = bind_library(simulation, "tire", tire)

A property file says the same with PROPERTY_FILE_FORMAT = 'USER', FUNCTION_NAME = 'libmine::my_tire' and
INTERFACE_TYPE = 'STI' or 'CRT'; the simulation of a car binds its tires by itself.

What is checked before anything runs: that the library and the function are there, and, in a process of its own, that
the function lives through an inquiry and answers with sizes that can be. A function of the other interface usually does
not. The signature itself is not written in a library.

Calls go straight from the loop to the tire; see ``jounce.runtime.user_tire`` for the jobs and for the two kinds of
exchange. An STI tire says by its work arrays that it remembers; it is then told about steps taken. One that remembers
outside of them must be exchanged at steps, or be told so with ``remembers=True``.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from jounce.components.tire.base import Coefficient, Tire
from jounce.components.tire.external import DROP_DOC, FORCES, INPUTS, USUAL_DROP, External, connect, load_library
from jounce.components.tire.output_map import ENTRIES, FREEZING, SIZE, channel_unit, find
from jounce.components.tire.trust import SEARCH_PATH, trusted_folders
from jounce.core.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.runtime.user_tire import BoundTire

INTERFACES = ("STI", "CRT")
MOST_STATES = 50
MOST_WORK = 1_000_000
UNTOUCHED = -987654  # what sizes are before an inquiry
PROBE_TIME = 20.0  # s


# Runs in a process of its own, so that a function of another signature cannot bring this one down.
_PROBE = """
import ctypes, sys
path, name, interface, tire_file, helper, untouched = sys.argv[1:]
if helper:
    ctypes.CDLL(helper, mode=ctypes.RTLD_GLOBAL)
function = getattr(ctypes.CDLL(path), name)
function.restype = None
i, d = ctypes.c_int, ctypes.c_double
text = tire_file.encode()
room = lambda n: (d * n)()
matrix = (d * 9)(1, 0, 0, 0, 1, 0, 0, 0, 1)
if interface == "STI":
    n_states, n_outputs, n_real, n_int = (i(int(untouched)) for _ in range(4))
    error = i(0)
    ref = ctypes.byref
    function(ref(i(6)), ref(i(1)), ref(i(1)), ref(i(1)), ref(d(0)), room(3), matrix, ref(d(0)), room(3), room(3),
             ref(d(0)), ref(n_states), room(1000), ref(i(0)), room(1000), ref(i(len(text))),
             ctypes.create_string_buffer(text, 4096), None, ref(i(0)), ref(i(0)), room(1000), ref(i(0)),
             ctypes.create_string_buffer(4096), room(3), room(3), room(1000), room(1000),
             ctypes.create_string_buffer(4096), ref(n_outputs), room(4096), ref(n_real), room(100000), ref(n_int),
             (i * 100000)(), ref(error))
    print("sizes", n_states.value, n_outputs.value, n_real.value, n_int.value, error.value)
else:
    s, p = ctypes.c_char_p, ctypes.c_void_p
    function.argtypes = [i, i, i, d, p, s, i, s, p, p, d, p, p, d, p, d, p, p, p, p]
    function(1, 0, 0, 0.0, room(1000), text or None, 0, None, room(3), matrix, 0.0, room(3), room(3), 0.0, room(50),
             1.0, room(50), room(3), room(3), room(300))
    print("sizes 0 300 0 0 0")
"""


@dataclass(frozen=True)
class LibraryTire(External):
    """A tire in a shared library. Which equations the vehicle has depends on what is shown by ``repr`` only.

    Parameters
    ----------
    interface : ``STI`` or ``CRT``
    told : whether it hears about steps taken
    library, function : what is called
    sizes : of the outputs, the real and the integer work array
    places : of the channels in the outputs
    parameters, tire_file, road_file : handed over
    calling_app : whether it may be told that a quasi-static solver is calling (CALLING_APP_CHECK)
    """

    kind: ClassVar[str] = "library"
    wants_factor: ClassVar[bool] = True

    told: bool = False
    interface: str = field(default="STI", repr=False)
    library: str = field(default="", repr=False)
    function: str = field(default="", repr=False)
    sizes: tuple[int, int, int] = field(default=(SIZE, 0, 0), repr=False)
    places: tuple[int, ...] = field(default=(), repr=False)
    parameters: tuple[float, ...] = field(default=(), repr=False)
    tire_file: str = field(default="", repr=False)
    road_file: str = field(default="", repr=False)
    calling_app: bool = field(default=False, repr=False)

    @property
    def remembers(self) -> bool:
        return self.told and self.exchange == "evaluation"

    @property
    def coefficients(self) -> Sequence[Coefficient]:
        return (
            Coefficient("UNLOADED_RADIUS", "m", "radius of the free tire", None, "DIMENSION"),
            Coefficient("RADIUS_DROP", "-", DROP_DOC, USUAL_DROP, "DIMENSION"),
        )

    def channel(self, label: str, value: Any) -> Any:
        return value + FREEZING if find(label.removeprefix("map.")).unit == "degC" else value

    def file_keys(self) -> dict[str, str | float]:
        keys: dict[str, str | float] = {"PROPERTY_FILE_FORMAT": "USER"}
        keys |= {"FUNCTION_NAME": f"{self.library}::{self.function}", "INTERFACE_TYPE": self.interface}
        if self.calling_app:
            keys["CALLING_APP_CHECK"] = "TRUE"
        if self.exchange == "step":
            keys["EXCHANGE"] = "STEP"
        if self.interface == "CRT" and self.states:
            keys["N_STATES"] = float(len(self.states))
        return keys


def library_model(
    library: str | Path,
    function: str,
    *,
    interface: str,
    folder: str | Path = "",
    tire_file: str | Path = "",
    road_file: str | Path = "",
    parameters: Sequence[float] = (),
    exchange: str = "evaluation",
    n_states: int | None = None,
    channels: Sequence[str] | None = None,
    remembers: bool | None = None,
    calling_app: bool = False,
    family: str = "USER",
) -> LibraryTire:
    """The model of a tire in a library; see ``library_tire``."""
    word = interface.strip().upper()
    if word not in INTERFACES:
        raise ParameterError(f"user tire: INTERFACE_TYPE {interface!r}{did_you_mean(word, INTERFACES)}")
    path = find_library(library, folder)
    _load(path, function)
    stamp = path.stat().st_mtime_ns
    states, n_outputs, n_real, n_int = probe(str(path), function, word, str(tire_file), stamp)
    if word == "CRT":
        states = n_states or 0
    elif n_states is not None and n_states != states:
        raise ParameterError(f"{path}: {function!r} has {states} differential equations, not {n_states}")
    if not 0 <= states <= MOST_STATES:
        raise ParameterError(f"{path}: {function!r}: {states} differential equations; 0 to {MOST_STATES} are possible")
    told = n_real + n_int > 0 if remembers is None else remembers
    if exchange == "step" and states:
        raise ParameterError(
            f"{path}: {function!r} has {states} differential equations, which are integrated with the vehicle: "
            "exchange = 'evaluation'"
        )
    wanted = [ENTRIES[i].name for i in ENTRIES if i < n_outputs] if channels is None else list(channels)
    entries = [find(name) for name in wanted]
    beyond = [e.name for e in entries if e.place >= n_outputs]
    if beyond:
        raise ParameterError(f"{path}: {function!r} gives {n_outputs} outputs; {beyond[0]!r} is not among them")
    return LibraryTire(
        states=tuple((f"state_{i + 1}", "-") for i in range(states)),
        channels=tuple((f"map.{e.name}", channel_unit(e)) for e in entries),
        exchange=exchange,
        told=told,
        interface=word,
        library=str(path),
        function=function,
        sizes=(n_outputs, n_real, n_int),
        places=tuple(e.place for e in entries),
        parameters=tuple(float(p) for p in parameters),
        tire_file=str(tire_file),
        road_file=str(road_file),
        calling_app=calling_app,
        family=family,
    )


def library_tire(
    library: str | Path,
    function: str,
    *,
    radius: float,
    radius_drop: float = USUAL_DROP,
    name: str = "",
    **options: Any,
) -> Tire:
    """A tire in a shared library.

    Parameters
    ----------
    library : the file; without folder or ending it is looked for as ``find_library`` says
    function : its name there
    radius : of the free tire, m, for channels of contact and slip
    radius_drop : effective radius = radius - radius_drop times the deflection, for a tire that does not tell its own
        at place 48 of its outputs; 0 for one that rolls with the free radius
    interface : ``STI`` or ``CRT``
    tire_file, road_file, parameters : handed to the tire
    exchange : ``evaluation``: called in every evaluation; ``step``: at full steps, which delays its forces
    n_states : differential equations of a CRT tire; STI tires tell
    channels : names of ``output_map`` that become channels; all that the tire has by default
    remembers : whether it is told about steps taken; by default when it has work arrays
    calling_app : whether it may be told that a quasi-static solver is calling
    """
    model = library_model(library, function, **options)
    return Tire(model, model.complete({"UNLOADED_RADIUS": radius, "RADIUS_DROP": radius_drop}), name=name)


def _load(path: str | Path, function: str) -> tuple[Any, Any]:
    """The library and the function; what it leaves open is found in ours, which is loaded before."""
    from jounce.runtime.tire_library import tire_library

    tire_library()
    return load_library(path, function)


def find_library(library: str | Path, folder: str | Path = "") -> Path:
    """A library by its name: as given, with the usual beginning and ending; in a folder, then in trusted ones."""
    from jounce.runtime.compile import SUFFIX

    given = Path(library)
    places = [Path(folder)] if given.is_absolute() or folder else [Path()]
    places += trusted_folders()
    names = [given, given.with_name(given.name + SUFFIX), given.with_name(f"lib{given.name}{SUFFIX}")]
    for place in places:
        for name in names:
            if (place / name).is_file():
                return (place / name).resolve()
    looked = ", ".join(dict.fromkeys(str(place.resolve()) for place in places))
    raise ParameterError(
        f"user tire: no library {str(library)!r} (with or without {SUFFIX}) in {looked}; "
        f"{SEARCH_PATH} may name further folders"
    )


@lru_cache(maxsize=64)
def probe(path: str, function: str, interface: str, tire_file: str, _changed: int = 0) -> tuple[int, int, int, int]:
    """Ask a tire, in a process of its own, for its sizes: states, outputs, real and integer work array."""
    from jounce.runtime.tire_library import tire_library

    where, other = f"{path}: {function!r}", "CRT" if interface == "STI" else "STI"
    doubt = f"is INTERFACE_TYPE = '{interface}' right? The other one is '{other}'"
    arguments = [path, function, interface, tire_file, tire_library()._name, str(UNTOUCHED)]
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _PROBE, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_TIME,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ParameterError(f"{where} does not come back from an inquiry within {PROBE_TIME:g} s; {doubt}") from None
    answers = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("sizes ")]
    if done.returncode != 0 or not answers:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        raise ParameterError(f"{where} breaks down when asked ({last or f'signal {-done.returncode}'}); {doubt}")
    states, outputs, real, whole, error = (int(word) for word in answers[-1])
    if error:
        raise ParameterError(f"{where} told error {error} when asked for its sizes (job 1)")
    if states == outputs == real == whole == UNTOUCHED:
        raise ParameterError(f"{where} does not answer an inquiry (job 1); {doubt}")
    states, outputs, real, whole = (0 if n == UNTOUCHED else n for n in (states, outputs, real, whole))
    if not (0 <= states <= 10 * MOST_STATES and 0 <= outputs <= SIZE):
        raise ParameterError(f"{where} asks for {states} states and {outputs} outputs (at most {SIZE}); {doubt}")
    if not (0 <= real <= MOST_WORK and 0 <= whole <= MOST_WORK):
        raise ParameterError(f"{where} asks for work arrays of {real} and {whole} numbers; {doubt}")
    return states, outputs, real, whole


# --- binding ---------------------------------------------------------------------------------------------------------


def bind_library(
    simulation: Simulation, name: str, tire: Tire, *, tire_id: int = 1, ground: str | None = None
) -> BoundTire:
    """Give a simulation the function of a tire in a library, initialise it, and set the start of its states.

    Parameters
    ----------
    simulation : of a model with this tire
    name : of the mounted tire, for example ``L1.tire``
    tire_id : number that the tire is called with
    ground : service that is the road of this tire; ``ground_L1`` or ``ground`` where the model has it
    """
    from jounce.runtime.user_tire import BoundTire, Needs

    model = tire.model
    if not isinstance(model, LibraryTire):
        raise ParameterError(f"tire {tire.name!r}: is a {model.kind} tire, not one of a library")
    services = [slot.name for slot in simulation.model.services if slot.n_in in (3, 5) and slot.n_out == 4]
    if ground is None:
        corner = name.partition(".")[0]
        ground = next((g for g in (f"ground_{corner}", "ground") if g in services), None)
    elif ground not in services:
        raise ParameterError(f"service {ground!r}: unknown{did_you_mean(ground, services)}")
    library, function = _load(model.library, model.function)
    function.library = library  # lives as long as the function
    n_outputs, n_real, n_int = model.sizes
    needs = Needs(
        function=function,
        crt=model.interface == "CRT",
        n_states=len(model.states),
        n_outputs=n_outputs,
        n_real=n_real,
        n_int=n_int,
        channels=model.places,
        parameters=model.parameters,
        tire_file=model.tire_file,
        road_file=model.road_file,
        calling_app=model.calling_app,
    )
    bound = BoundTire(simulation, name, needs, tire_id, ground)
    asked = [f"{name}.asked.{label}" for label, _ in INPUTS]
    states = [f"{name}.{label}" for label, _ in model.states]
    if model.exchange == "step":
        writes = [
            *(f"{name}.{label}" for label, _ in FORCES),
            *(f"{name}.given.{label}" for label, _ in model.channels),
        ]
        bound.exchange_at_steps(simulation, [*asked, f"{name}.asked.factor"], writes)
    else:
        bound.ask_in_evaluations(simulation)
        simulation.set_states(dict(zip(states, bound.initial_states.tolist(), strict=False)))
        if model.remembers:
            bound.tell_steps(simulation, [*asked, *states, f"{name}.asked.factor"])
    return bound


def bind_tires(simulation: Simulation, tires: Mapping[str, Tire]) -> dict[str, BoundTire]:
    """Bind the outside tires of a car: those that live in libraries, by corner and numbered from 1 in the order given,
    which are returned, and those that have a function."""
    for place, tire in tires.items():
        if isinstance(tire.model, External) and tire.model.call is not None:
            connect(simulation, f"{place}.tire", tire.model, tire.model.call)
    return {
        place: bind_library(simulation, f"{place}.tire", tire, tire_id=i)
        for i, (place, tire) in enumerate(tires.items(), start=1)
        if isinstance(tire.model, LibraryTire)
    }
