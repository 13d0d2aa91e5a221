"""What the symbolic layer hands to the runtime: C text plus everything a caller must know by name.

Plain data, JSON in and out, so that a cached model is used without importing the symbolic layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from jounce.core.tables import Table


def counted(n: int, noun: str, plural: str = "") -> str:
    """``1 state``, ``2 states``: a number of things in words."""
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


@dataclass(frozen=True)
class Variable:
    """A named scalar of a model: state, memory, input, parameter or output (SI units)."""

    name: str
    unit: str = "-"
    doc: str = ""
    default: float = 0.0
    low: float | None = None  # limits of a parameter, themselves allowed
    high: float | None = None
    above: float | None = None  # limit of a parameter, itself not allowed
    role: str = ""  # of a state or memory: what it does at rest and in steady running
    in_statics: bool = True  # of an input: whether it acts in the search for equilibrium


@dataclass(frozen=True)
class ServiceSlot:
    """An outside function the model calls; bound before a run."""

    name: str
    n_in: int
    n_out: int
    order: int
    doc: str = ""


@dataclass(frozen=True)
class FunctionSlot:
    """An extra generated function: name and the sizes of its result arrays."""

    name: str
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class BlockSlot:
    """A sampled block of a model: its default rhythm and its signals, ``signals[first : first + n]``."""

    name: str
    period: float  # s; 0 = every full step
    offset: float  # s
    first: int
    n: int
    doc: str = ""


class KeptTables(Mapping[str, Table]):
    """Tables of a model from the cache, made when asked for: a car brings its own in place of most of them."""

    def __init__(self, data: Mapping[str, dict[str, Any]]) -> None:
        self._data = data
        self._made: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        if name not in self._made:
            self._made[name] = Table.from_dict(self._data[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __repr__(self) -> str:
        return repr(dict(self))

    def shape(self, name: str) -> tuple[int, int]:
        """Numbers of axes and of outputs, without making the table."""
        axes, inner = self._data[name]["axes"], self._data[name]["values"]
        for _ in axes:
            inner = inner[0]
        return len(axes), len(inner) if isinstance(inner, list) else 1


@dataclass(frozen=True)
class GeneratedModel:
    """One model: its C sources and the layout of its arrays."""

    name: str
    states: tuple[Variable, ...] = ()
    memories: tuple[Variable, ...] = ()
    inputs: tuple[Variable, ...] = ()
    parameters: tuple[Variable, ...] = ()  # free ones
    derived: tuple[Variable, ...] = ()  # p[n_free:], computed by prepare()
    outputs: tuple[Variable, ...] = ()
    watches: tuple[Variable, ...] = ()
    kinematics: tuple[Variable, ...] = ()  # outputs that need no accelerations
    kinematic_inputs: tuple[tuple[int, ...], ...] = ()  # per kinematic output: the inputs it depends on
    signals: tuple[Variable, ...] = ()  # of sampled blocks
    block_periods: tuple[float, ...] = ()  # defaults in s; the periods follow the signals in jn_point.b
    blocks: tuple[BlockSlot, ...] = ()  # in the order in which they run
    tables: Mapping[str, Table] = field(default_factory=dict)  # in slot order, with the default data
    services: tuple[ServiceSlot, ...] = ()
    functions: tuple[FunctionSlot, ...] = ()
    quaternions: tuple[int, ...] = ()  # index of the first of four states, scalar part first
    input_rate: tuple[int, ...] = ()  # per input: index of the input that is its rate, or -1
    input_acceleration: tuple[int, ...] = ()
    aliases: dict[str, str] = field(default_factory=dict)  # other names of inputs -> names of inputs
    operations: dict[str, int] = field(default_factory=dict)  # per generated function
    notes: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)  # file name -> C text

    def __repr__(self) -> str:
        return f"<GeneratedModel {self.name}: {self.summary()}>"

    def summary(self) -> str:
        """Sizes in words, for one line."""
        counts = (("state", self.states), ("input", self.inputs), ("parameter", self.parameters))
        return ", ".join(counted(len(items), noun) for noun, items in (*counts, ("output", self.outputs)))

    def alias_note(self, name: str) -> str:
        """What a message adds to the name of an input: nothing, or for an alias the input that it means."""
        return f" (an alias of {self.aliases[name]!r})" if name in self.aliases else ""

    def table_shape(self, name: str) -> tuple[int, int]:
        """Numbers of axes and of outputs of a table."""
        if isinstance(self.tables, KeptTables):
            return self.tables.shape(name)
        return self.tables[name].n_axes, self.tables[name].n_out

    def to_dict(self) -> dict[str, Any]:
        data = asdict(replace(self, tables={}))
        data["tables"] = {name: table.to_dict() for name, table in self.tables.items()}
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GeneratedModel:
        kinds = {
            "states": Variable,
            "memories": Variable,
            "inputs": Variable,
            "parameters": Variable,
            "derived": Variable,
            "outputs": Variable,
            "watches": Variable,
            "kinematics": Variable,
            "signals": Variable,
            "services": ServiceSlot,
            "blocks": BlockSlot,
        }
        values = dict(data)
        for key, kind in kinds.items():
            values[key] = tuple(kind(**item) for item in data[key])
        values["functions"] = tuple(FunctionSlot(f["name"], tuple(f["sizes"])) for f in data["functions"])
        values["tables"] = KeptTables(data["tables"])
        values["kinematic_inputs"] = tuple(tuple(item) for item in data["kinematic_inputs"])
        for key in ("block_periods", "quaternions", "input_rate", "input_acceleration"):
            values[key] = tuple(data[key])
        return cls(**values)
