"""Small models written by hand in C, compiled with the runtime: these tests need no symbolic layer."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import jounce.runtime
from jounce.core.generated import FunctionSlot, GeneratedModel, ServiceSlot, Variable
from jounce.core.tables import Table
from jounce.runtime.bindings import Library

RUNTIME = Path(jounce.runtime.__file__).parent / "c"
FLAGS = ("-std=c11", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared")

BOILERPLATE = """
#include <math.h>
#include "jounce.h"
#define T at->t
#define X(i) at->x[i]
#define M(i) at->m[i]
#define U(i) at->u[i]
#define P(i) env->p[i]
#define FUNCTION(name) static void name(const jn_env *env, const jn_point *at, double *const *out)
FUNCTION(rhs) {{ double *F = out[0], *N = out[1]; (void)env; (void)at; (void)F; (void)N; {rhs} }}
FUNCTION(outputs) {{ double *Y = out[0]; (void)env; (void)at; (void)Y; {outputs} }}
FUNCTION(watch) {{ double *W = out[0]; (void)env; (void)at; (void)W; {watch} }}
FUNCTION(prepare) {{ double *D = out[0]; (void)env; (void)at; (void)D; {prepare} }}
FUNCTION(extra) {{ double *A = out[0], *B = out[1]; (void)env; (void)at; (void)A; (void)B; {extra} }}
static const int32_t u_rate[] = {{{rate}}};
static const int32_t u_acceleration[] = {{{acceleration}}};
static const jn_named_fn fns[] = {{{{"extra", extra}}}};
static const jn_model model = {{
    JN_ABI, {sizes}, u_rate, u_acceleration, rhs, outputs, watch, prepare, .n_fns = 1, .fns = fns}};
JN_EXPORT const jn_model *jn_get_model(void) {{ return &model; }}
"""


def describe(
    name: str,
    *,
    rhs: str,
    states: dict[str, float],
    memories: dict[str, float] | None = None,
    inputs: dict[str, str] | None = None,
    parameters: dict[str, float] | None = None,
    derived: tuple[str, ...] = (),
    outputs: dict[str, str] | None = None,
    watches: dict[str, str] | None = None,
    prepare: str = "",
    extra: str = "",
    extra_sizes: tuple[int, ...] = (1, 1),
    rate: dict[str, str] | None = None,
    acceleration: dict[str, str] | None = None,
    tables: dict[str, Table] | None = None,
    services: tuple[ServiceSlot, ...] = (),
) -> GeneratedModel:
    """Return a model from C statements; outputs and watches map a name to a C expression, inputs to a unit."""
    memories, inputs, parameters = memories or {}, inputs or {}, parameters or {}
    outputs, watches, tables = outputs or {}, watches or {}, tables or {}
    names = list(inputs)

    def companion(of: dict[str, str] | None) -> list[int]:
        return [names.index(of[n]) if of and n in of else -1 for n in names]

    rates, accelerations = companion(rate), companion(acceleration)
    sizes = (
        *(len(states), len(memories), len(inputs), len(parameters) + len(derived), len(parameters)),
        *(len(outputs), len(watches), len(tables), len(services), 0),
    )
    text = BOILERPLATE.format(
        rhs=rhs,
        outputs=" ".join(f"Y[{k}] = {e};" for k, e in enumerate(outputs.values())),
        watch=" ".join(f"W[{k}] = {e};" for k, e in enumerate(watches.values())),
        prepare=prepare,
        extra=extra,
        rate=", ".join(map(str, rates or [-1])),
        acceleration=", ".join(map(str, accelerations or [-1])),
        sizes=", ".join(map(str, sizes)),
    )
    return GeneratedModel(
        name=name,
        states=tuple(Variable(n, default=v) for n, v in states.items()),
        memories=tuple(Variable(n, default=v) for n, v in memories.items()),
        inputs=tuple(Variable(n, unit) for n, unit in inputs.items()),
        parameters=tuple(Variable(n, default=v) for n, v in parameters.items()),
        derived=tuple(Variable(n) for n in derived),
        outputs=tuple(Variable(n, "m") for n in outputs),
        watches=tuple(Variable(n) for n in watches),
        tables=tables,
        services=services,
        functions=(FunctionSlot("extra", extra_sizes),),
        input_rate=tuple(rates),
        input_acceleration=tuple(accelerations),
        sources={"model.c": text},
    )


@pytest.fixture(scope="session")
def compiler() -> str:
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        pytest.skip("no C compiler")
    return found


@pytest.fixture(scope="session")
def runtime_objects(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("runtime")
    sources = sorted(map(str, RUNTIME.glob("*.c")))
    subprocess.run([compiler, *FLAGS[:-1], "-Wall", "-Wextra", "-Werror", "-c", *sources], check=True, cwd=folder)
    return sorted(map(str, folder.glob("*.o")))


@pytest.fixture(scope="session")
def build(
    compiler: str, runtime_objects: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Library]:
    """Return a function that compiles a model given as for `describe`; the same model only once."""
    folder = tmp_path_factory.mktemp("models")
    done: dict[str, Library] = {}

    def compiled(name: str, **spec: object) -> Library:
        model = describe(name, **spec)  # type: ignore[arg-type]
        text = model.sources["model.c"]
        key = hashlib.sha256((name + text).encode()).hexdigest()
        if key not in done:
            source, target = folder / f"{key}.c", folder / f"{key}.so"
            source.write_text(text)
            subprocess.run(
                [compiler, *FLAGS, f"-I{RUNTIME}", str(source), *runtime_objects, "-o", str(target), "-lm"], check=True
            )
            done[key] = Library(target, model)
        return done[key]

    return compiled


@pytest.fixture(scope="session")
def oscillator(build: Callable[..., Library]) -> Library:
    """A mass on spring and damper, pushed by an input that knows its rate and acceleration."""
    return build(
        "oscillator",
        rhs="F[0] = X(1); F[1] = P(2) * P(2) * (U(0) - X(0)) - P(1) * X(1);",
        states={"position": 1.0, "speed": 0.0},
        inputs={"push": "rad", "push.rate": "rad/s", "push.acceleration": "rad/s2", "other": "-"},
        parameters={"stiffness": 4.0, "damping": 0.3},
        derived=("omega",),
        prepare="D[0] = sqrt(P(0));",
        outputs={"position": "X(0)", "speed": "X(1)", "push": "U(0)", "push.rate": "U(1)", "push.acc": "U(2)"},
        watches={"position": "X(0)", "speed": "X(1)"},
        rate={"push": "push.rate"},
        acceleration={"push": "push.acceleration"},
        extra="A[0] = X(0) + X(1); B[0] = T; B[1] = U(0);",
        extra_sizes=(1, 2),
    )


LOG = 64


@pytest.fixture(scope="session")
def logger(build: Callable[..., Library]) -> Library:
    """Its memories log every committed evaluation: count, sum of elapsed, then time, elapsed, T_DT, input each."""
    return build(
        "logger",
        rhs=f"""
        for (int k = 0; k < {2 + 4 * LOG}; ++k) N[k] = M(k);
        int n = (int)M(0);
        N[0] = n + 1; N[1] = M(1) + at->elapsed;
        if (n < {LOG}) {{
            N[2 + n] = T; N[2 + {LOG} + n] = at->elapsed; N[2 + 2 * {LOG} + n] = at->t_dt; N[2 + 3 * {LOG} + n] = U(0);
        }}
        F[0] = 1.0;""",
        states={"x": 0.0},
        memories={"count": 0.0, "elapsed": 0.0, **{f"log{k}": 0.0 for k in range(4 * LOG)}},
        inputs={"u": "-"},
        outputs={"count": "M(0)", "since": "at->elapsed", "x": "X(0)"},
        watches={"x": "X(0)"},
    )
