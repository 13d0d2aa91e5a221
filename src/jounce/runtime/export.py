"""A model taken away from Python: `export_c` writes a folder of plain C that ``cc`` alone builds.

The folder holds the generated model, the runtime, and the numbers of one run as constants: parameters, tables, the
start as a snapshot of the state array, the phase program, names and units. Numbers are written as hexadecimal floating
point, which is exact. What stands in the folder and how it is used: ``standalone/README.txt``.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import math
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

import jounce
from jounce.core.errors import ModelError, ParameterError
from jounce.core.generated import ServiceSlot, Variable, counted
from jounce.core.tables import PackedTable
from jounce.runtime.bindings import ABI, SIM_ABI, Header, JnAction, JnChannel, JnCondition, JnGroup, JnPhase
from jounce.runtime.compile import RUNTIME, STRICT_FLAGS, runtime_files
from jounce.runtime.duplicate import duplicate
from jounce.runtime.methods import Number
from jounce.runtime.options import IN_A_LOOP, RunKeywords, RunOptions
from jounce.runtime.program import PackedProgram
from jounce.runtime.simulation import Library, Simulation
from jounce.runtime.work import work_per_step

STANDALONE = Path(__file__).parent / "standalone"
MANIFEST = "jounce-export.json"
EXPORT_FORMAT = 1

PER_LINE = 6  # numbers in a line of an array
_ARGUMENTS = "(void *context, const double *arguments, int order, double *out)"  # of a service


def export_c(
    folder: str | os.PathLike[str],
    source: Simulation | Library,
    *,
    t_end: Number | None = None,
    overwrite: bool = False,
    runtime: Path = RUNTIME,
    **options: Unpack[RunKeywords],
) -> Path:
    """Write a folder of C that makes this run without Python, to the same bits; nothing is run or changed here.

    Parameters
    ----------
    folder : to write; new, empty, or of an earlier export. Files of others in it are left alone.
    source : a library starts with the defaults of its model; a simulation from where it stands
    t_end : of the run, as for `Simulation.run`
    overwrite : replace files of an earlier export although they were changed since
    runtime : folder of the C runtime
    options : program, step, method, iprint, interval, channels, check_outputs, input_time of the run, as for
        `Simulation.run`

    Returns
    -------
    The folder.
    """
    wanted = RunOptions.of("export_c", {"t_end": t_end, **options}, without=IN_A_LOOP)
    simulation = duplicate(source)
    plan = simulation.runner.plan(wanted)
    text = _Text(simulation, plan.columns, plan.n_steps, wanted.check_outputs)
    return _write(Path(folder).expanduser(), text.files(runtime), simulation.model.name, overwrite)


# --- numbers and names as C -------------------------------------------------------------------------------------------


def number(value: float) -> str:
    """Return a double as C text, exactly."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return str(value) if value == int(value) and abs(value) < 1e6 and value else _hex(value)


def _hex(value: float) -> str:
    if value == 0.0:
        return "-0.0" if math.copysign(1.0, value) < 0 else "0.0"
    mantissa, _, exponent = value.hex().partition("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}"


def string(text: str) -> str:
    """Return a text as a C string literal."""
    # "??" is the beginning of a trigraph in C11
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    return '"' + "".join(c if c.isprintable() else " " for c in plain) + '"'


def comment(text: str) -> str:
    """Return a text that may stand in a C comment."""
    return " ".join(text.replace("*/", "* /").replace("/*", "/ *").split())


def identifier(text: str) -> str:
    """Return a name that C takes."""
    plain = re.sub(r"\W", "_", text, flags=re.ASCII)
    return plain if plain and not plain[0].isdigit() else f"m{plain}"


def initialiser(item: Any) -> str:
    """Return a ctypes structure or array of numbers as a C initialiser, field by field."""
    if isinstance(item, ctypes.Structure):
        return "{" + ", ".join(initialiser(getattr(item, name)) for name, *_ in item._fields_) + "}"
    if isinstance(item, ctypes.Array):
        return "{" + ", ".join(initialiser(value) for value in item) + "}"
    return number(item) if isinstance(item, float) else str(item)


class _Arrays:
    """Constant arrays; equal ones are written once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._known: dict[tuple[str, bytes], str] = {}

    def add(self, name: str, values: npt.NDArray[Any], note: str) -> str:
        """Return the C expression of a pointer to these numbers."""
        whole = values.dtype.kind == "i"
        flat = np.ascontiguousarray(values).ravel()
        if not len(flat):
            return "NULL"
        kind = "int32_t" if whole else "double"
        key = kind, flat.tobytes()
        if key not in self._known:
            self._known[key] = name
            texts = [str(int(v)) if whole else number(float(v)) for v in flat]
            self.lines.append(f"/* {comment(note)} */")
            self.lines.append(f"static const {kind} {name}[{len(flat)}] = {{")
            width = PER_LINE * (3 if whole else 1)
            self.lines += [f"    {', '.join(texts[i : i + width])}," for i in range(0, len(texts), width)]
            self.lines += ["};", ""]
        return self._known[key]

    def table(self, name: str, packed: PackedTable, note: str) -> str:
        """Return the initialiser of a ``jn_table``."""
        axes = []
        for i, knots in enumerate(packed.knots):
            label = f"{note}, axis {i}"
            fields = (
                len(knots),
                packed.degrees[i],
                packed.extrapolation,
                max(len(packed.buckets[i]) - 1, 0),
                number(packed.bucket_scales[i]),
                self.add(f"{name}_knots{i}", knots, label),
                self.add(f"{name}_origins{i}", packed.origins[i], f"{label}: where each cell's abscissa is zero"),
                self.add(f"{name}_buckets{i}", packed.buckets[i], f"{label}: cells by bucket"),
            )
            axes.append("{" + ", ".join(map(str, fields)) + "}")
        coef = self.add(f"{name}_coef", packed.coef, f"{note}: coefficients")
        return f"{{{len(packed.knots)}, {packed.n_out}, {{{', '.join(axes)}}}, {coef}}}"


class _Text:
    """The files of one export."""

    def __init__(self, simulation: Simulation, columns: Sequence[int], n_steps: int, check_outputs: bool) -> None:
        self.simulation, self.model = simulation, simulation.model
        self.columns, self.n_steps, self.check_outputs = columns, n_steps, check_outputs
        self.name = identifier(self.model.name)
        self.state = simulation.snapshot()
        # services of the runtime itself, with the numbers that they read; all others are written by the user
        bound = {name: function for name, (function, _) in simulation.values.attachments.bound.items()}
        self.known = {name: function for name, function in bound.items() if hasattr(function, "symbol")}
        self.outside = [slot for slot in self.model.services if slot.name not in self.known]

    def files(self, runtime: Path) -> dict[str, str]:
        model, name = self.model, self.name
        files = runtime_files(runtime)
        generated = {
            # its own name, so that a program may hold several models
            file: re.sub(r"\bjn_get_model\b", f"{name}_get_model", text)
            for file, text in model.sources.items()
        }
        own = {path.name: self._filled(path.read_text(encoding="utf-8")) for path in sorted(STANDALONE.iterdir())}
        own[f"{name}_data.h"], own[f"{name}_data.c"] = self._header(), self._data()
        if self.outside:
            own[f"{name}_services.h"] = self._services_header()
            own[f"{name}_services.c.example"] = self._services_example()
        for taken in (generated, own):
            for file in taken:
                if file in files:
                    raise ModelError(f"model {model.name!r}: the export has a file {file} of its own; rename the model")
            files |= taken
        return files

    # -- <model>_data.h ----------------------------------------------------------------------------

    def _header(self) -> str:
        name = self.name
        return f"""/* {name}: the numbers of one run; written by jounce, do not edit. */
#ifndef {name.upper()}_DATA_H
#define {name.upper()}_DATA_H

#include "jn_instance.h"

/* Bytes of one instance, for memory reserved at compile time:
 *     static _Alignas(max_align_t) unsigned char memory[{name.upper()}_INSTANCE_BYTES]; */
#define {name.upper()}_INSTANCE_BYTES JN_INSTANCE_BYTES({self.doubles}, {len(self.model.services)})

#ifdef __cplusplus
extern "C" {{
#endif

extern const jn_data {name}_data;

const jn_model *{name}_get_model(void);

#ifdef __cplusplus
}}
#endif
#endif
"""

    @property
    def doubles(self) -> int:
        c, layout = self.simulation.library.struct.contents, self.simulation.layout
        return int(c.n_p + layout.n_state + layout.n_work + c.n_work)

    # -- <model>_data.c ----------------------------------------------------------------------------

    def _data(self) -> str:
        model, arrays = self.model, _Arrays()
        in_use = self.simulation.tables
        tables = [
            (name, arrays.table(f"table{k}", in_use[name].packed(), f"table {name}"))
            for k, name in enumerate(model.tables)
        ]
        services = [self._bound(slot, arrays) for slot in model.services]
        packed = self.simulation.values.packed
        program = self._program(packed, arrays) if packed is not None else []
        columns = "NULL"
        if list(self.columns) != list(range(len(model.outputs))):
            columns = arrays.add("columns", np.array(self.columns, dtype=np.int32), "recorded channels")
        lines = [
            f"/* {self.name}: the numbers of one run; written by jounce, do not edit. */",
            f'#include "{self.name}_data.h"',
            "",
            "#include <math.h>",
            *([f'#include "{self.name}_services.h"'] if self.outside else []),
            "",
            f"#if JN_ABI != {ABI} || JN_SIM_ABI != {SIM_ABI}",
            '#error "jounce: this file and the runtime (jn_*.h) come from different exports; export again"',
            "#endif",
            "",
            *arrays.lines,
            *_names("parameter_names", [*model.parameters, *model.derived]),
            *self._values("parameters", [*model.parameters, *model.derived], self.simulation.p),
            *_names("state_names", model.states),
            *_names("memory_names", model.memories),
            *_names("input_names", model.inputs),
            *_names("output_names", model.outputs),
            *_names("watch_names", model.watches),
            *_names("signal_names", model.signals),
            *self._state(),
            *_list("const jn_table", "tables", [f"{text}, /* {comment(label)} */" for label, text in tables]),
            *(f"void {symbol}{_ARGUMENTS};" for symbol in sorted({f.symbol for f in self.known.values()})),
            *_list("const jn_service", "services", services),
            *program,
            *self._whole(packed, columns, bool(tables)),
        ]
        return "\n".join(lines) + "\n"

    def _values(self, name: str, variables: Sequence[Variable], values: npt.NDArray[np.float64]) -> list[str]:
        return _list(
            "const double",
            name,
            [
                f"{number(float(v))}, /* {comment(f'{variable.name} = {float(v):.9g} {variable.unit}')} */"
                for variable, v in zip(variables, values, strict=True)
            ],
        )

    def _state(self) -> list[str]:
        """The snapshot, with what each number is."""
        layout, model = self.simulation.layout, self.model
        notes = {int(place): place.name for place in Header}
        for first, variables in (
            (layout.x, model.states),
            (layout.m, model.memories),
            (layout.u, model.inputs),
            (layout.b, model.signals),
        ):
            notes |= {first + k: f"{v.name}, {v.unit}" for k, v in enumerate(variables)}
        for part in ("history", "block", "channel", "held", "counter", "trigger", "parameter"):
            notes.setdefault(getattr(layout, part), part)
        lines = []
        for k, value in enumerate(self.state):
            note = f" /* {comment(notes[k])} */" if k in notes else ""
            lines.append(f"{number(float(value))},{note}")
        return _list("const double", "state", lines)

    def _bound(self, slot: ServiceSlot, arrays: _Arrays) -> str:
        """A service with what it reads: of the runtime with its numbers, of the user without any."""
        function = self.known.get(slot.name)
        if function is None:
            return f"{{{self._service(slot)}, NULL}},"
        data = arrays.add(f"service{len(arrays.lines)}_data", function.data, f"what service {slot.name} reads")
        return f"{{{function.symbol}, (void *)(uintptr_t){data}}},"

    def _service(self, slot: ServiceSlot) -> str:
        return f"{self.name}_service_{identifier(slot.name)}"

    def _program(self, packed: PackedProgram, arrays: _Arrays) -> list[str]:
        kinds: dict[Any, str] = {JnPhase: "jn_phase", JnChannel: "jn_channel", JnGroup: "jn_group"}
        kinds |= {JnCondition: "jn_condition", JnAction: "jn_action"}
        lines: list[str] = []
        for array in packed.keep:
            kind = kinds.get(getattr(array, "_type_", None))
            if kind is not None:
                lines += _list(f"const {kind}", f"{kind[3:]}s", [f"{initialiser(item)}," for item in array])
        tables = [item for item in packed.keep if isinstance(item, PackedTable)]
        texts = [arrays.table(f"reference{k}", table, f"reference {k}") for k, table in enumerate(tables)]
        if packed.parameters:
            lines += _list("const int32_t", "set_parameters", [f"{k}," for k in packed.parameters])
        lines += _list("const jn_table", "references", [f"{text}," for text in texts])
        lines += _list("const char *const", "phase_names", [f"{string(name)}," for name in packed.phase_names])
        lines += _list("const char *const", "reasons", [f"{string(reason)}," for reason in packed.reasons])
        c = packed.struct
        lines += [
            "static const jn_program program = {",
            f"    .id = {number(c.id)},",
            f"    .n_phases = {c.n_phases}, .n_groups = {c.n_groups}, .n_tables = {c.n_tables},",
            f"    .max_channels = {c.max_channels}, .max_conditions = {c.max_conditions},",
            f"    .n_parameters = {c.n_parameters}, .chosen = {c.chosen}, .shown = {c.shown},",
            f"    .unknown_reason = {c.unknown_reason},",
            f"    .parameters = {'set_parameters' if packed.parameters else 'NULL'},",
            "    .phases = phases, .channels = channels, .groups = groups,",
            "    .conditions = conditions, .actions = actions,",
            f"    .tables = {'references' if tables else 'NULL'},",
            "};",
            "",
        ]
        return lines

    def _whole(self, packed: PackedProgram | None, columns: str, tables: bool) -> list[str]:
        model = self.model
        has = {"program": "&program", "phase_names": "phase_names", "reasons": "reasons"}
        entries = {
            "name": string(model.name),
            "get_model": f"{self.name}_get_model",
            "parameters": "parameters" if model.parameters or model.derived else "NULL",
            "tables": "tables" if tables else "NULL",
            "services": "services" if model.services else "NULL",
            **{key: value if packed is not None else "NULL" for key, value in has.items()},
            "state": "state",
            "n_state": str(len(self.state)),
            "check_outputs": str(int(self.check_outputs)),
            "n_steps": f"INT64_C({self.n_steps})",
            "columns": columns,
            "n_columns": str(len(self.columns)),
            **{
                f"{key}_names": f"{key}_names" if variables else "NULL"
                for key, variables in (
                    ("parameter", [*model.parameters, *model.derived]),
                    ("state", model.states),
                    ("memory", model.memories),
                    ("input", model.inputs),
                    ("output", model.outputs),
                    ("watch", model.watches),
                    ("signal", model.signals),
                )
            },
        }
        body = [f"    .{key} = {value}," for key, value in entries.items()]
        return [f"const jn_data {self.name}_data = {{", *body, "};"]

    # -- services ----------------------------------------------------------------------------------

    def _services_header(self) -> str:
        guard = f"{self.name.upper()}_SERVICES_H"
        lines = [
            f"/* {self.name} asks these functions during an evaluation: write them, and build them with the model.",
            " * Start from a copy of the .example file. One that is missing is an undefined reference for the linker.",
            " *",
            " * arguments: as listed; order: highest derivative wanted; out: all values, then for order > 0 all first",
            " * derivatives by output, then the packed second ones, laid out as in jn_table.h. They must depend on the",
            " * arguments only, and be finite. context: jn_instance.services[i].context, NULL unless you set it. */",
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            *(f"{self._service_note(slot)}\n{self._prototype(slot)};\n" for slot in self.outside),
            "#endif",
        ]
        return "\n".join(lines) + "\n"

    def _service_note(self, slot: ServiceSlot) -> str:
        text = f"{slot.name}: {slot.n_in} arguments, {slot.n_out} values, derivatives up to order {slot.order}"
        return f"/* {comment(f'{text}; {slot.doc}' if slot.doc else text)} */"

    def _prototype(self, slot: ServiceSlot) -> str:
        return f"void {self._service(slot)}{_ARGUMENTS}"

    def _services_example(self) -> str:
        lines = [f"/* Copy this file to {self.name}_services.c and fill it in. */"]
        lines += [f'#include "{self.name}_services.h"', ""]
        for slot in self.outside:
            lines += [self._service_note(slot), self._prototype(slot), "{"]
            lines += ["    (void)context; (void)arguments; (void)order;"]
            lines += [f"    out[{k}] = 0.0;" for k in range(slot.n_out)]
            lines += ["    /* if (order >= 1) ... */"] if slot.order else []
            lines += ["}", ""]
        return "\n".join(lines)

    # -- texts -------------------------------------------------------------------------------------

    def _filled(self, text: str) -> str:
        values = {
            "model": self.name,
            "MODEL": self.name.upper(),
            "underline": "=" * len(f"{self.name} as plain C"),
            "version": jounce.__version__,
            "strict": shlex.join(STRICT_FLAGS),
            "run": self._run_text(),
            "kilobytes": str(math.ceil((8 * self.doubles + 16 * len(self.model.services)) / 1024) + 1),
            "work": self._work_text(),
        }
        for key, value in values.items():
            text = text.replace(f"@{key}@", value)
        return text.replace("@services@\n", self._services_text() if "Build " in text else self._services_rule())

    def _run_text(self) -> str:
        s = self.simulation
        driven = "driven by its phase program" if s.program is not None else "with constant inputs"
        steps = counted(self.n_steps, "step")
        every = "every step" if s.iprint == 1 else f"every {s.iprint} steps"
        rows = every if s.iprint else "every step and half step"
        return (
            f"The run: from t = {s.time:g} s, {steps} of {s.step:g} s at most, {s.method}, {driven};\n"
            f"{counted(len(self.columns), 'channel')}, a row {rows}."
        )

    def _work_text(self) -> str:
        try:
            work = work_per_step(self.model, self.simulation.method, project=self.simulation.project)
        except ParameterError:  # hand-written C, or a method without such an account
            return ""
        first = "first step has" if work["start_steps"] == 1 else f"first {work['start_steps']} steps have"
        evaluations = counted(work["evaluations"], "evaluation")
        start = f"; the {first} {work['start_evaluations']} evaluations" if work["start_steps"] else ""
        return (
            "Work per step\n"
            f"  At most {work['operations']} operations in {evaluations} of the model, with "
            f"{work['table_lookups']} table look-ups,\n"
            f"  {work['library_calls']} calls of the mathematics library, {work['service_calls']} of services{start}.\n"
            f"  {work['row_operations']} operations for each row that is recorded.\n"
        )

    def _services_text(self) -> str:
        if not self.outside:
            return ""
        names = "\n".join(f"  {self._service(slot)}" for slot in self.outside)
        return (
            "\nYour part\n"
            "  The model asks outside functions, which this folder does not contain:\n"
            f"{names}\n"
            f"  {self.name}_services.h says what they must do.\n"
            f"  Copy {self.name}_services.c.example to {self.name}_services.c and fill it in.\n"
        )

    def _services_rule(self) -> str:
        if not self.outside:
            return ""
        return (
            f"ifeq ($(wildcard {self.name}_services.c $(SERVICES)),)\n"
            f"$(error the model needs outside functions, declared in {self.name}_services.h: copy "
            f"{self.name}_services.c.example to {self.name}_services.c and fill it in)\n"
            "endif\n\n"
        )


def _names(name: str, variables: Sequence[Variable]) -> list[str]:
    return _list("const jn_name", name, [f"{{{string(v.name)}, {string(v.unit)}}}," for v in variables])


def _list(kind: str, name: str, items: Iterable[str]) -> list[str]:
    lines = [f"    {item}" for item in items]
    return [f"static {kind} {name}[] = {{", *lines, "};", ""] if lines else []


# --- the folder -------------------------------------------------------------------------------------------------------


def _write(folder: Path, files: Mapping[str, str], model: str, overwrite: bool) -> Path:
    before = _manifest(folder)
    changed = [name for name, known in before.items() if _digest_of(folder / name) not in (None, *known)]
    if changed and not overwrite:
        raise ParameterError(
            f"{folder}: {', '.join(sorted(changed))} changed since the export; move your changes to files of your own, "
            "or export with overwrite"
        )
    digests = {name: [hashlib.sha256(text.encode()).hexdigest()] for name, text in sorted(files.items())}
    strangers = [name for name in digests if name not in before and (folder / name).exists()]
    if strangers and not overwrite:
        raise ParameterError(
            f"{folder}: {', '.join(strangers)} would be overwritten; move it away, or export with overwrite"
        )
    folder.mkdir(parents=True, exist_ok=True)
    info = {"format": EXPORT_FORMAT, "jounce": jounce.__version__, "model": model}
    # Until all is written a file may be the old or the new one: an export that is cut short can be repeated.
    both = {name: [*before.get(name, ()), *digests.get(name, ())] for name in {**before, **digests}}
    _replace(folder / MANIFEST, json.dumps({**info, "files": both}, indent=1))
    for name, text in files.items():
        _replace(folder / name, text)
    for name in before:
        if name not in digests:
            (folder / name).unlink(missing_ok=True)
    _replace(folder / MANIFEST, json.dumps({**info, "files": digests}, indent=1))
    return folder


def _manifest(folder: Path) -> dict[str, list[str]]:
    """Files of an earlier export and the digests they may have; an error for a folder that is somebody else's."""
    if not folder.exists():
        return {}
    if not folder.is_dir():
        raise ParameterError(f"{folder}: is a file; give a folder to export to")
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        return {str(name): list(known) for name, known in found.items() if os.path.basename(name) == name}
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError):
        if any(folder.iterdir()):
            raise ParameterError(
                f"{folder}: not empty, and not an earlier export (no {MANIFEST} in it); choose another folder"
            ) from None
        return {}


def _digest_of(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text, encoding="utf-8", newline="\n")
    os.replace(temporary, path)
