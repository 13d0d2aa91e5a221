"""The road evaluator in a plain C program, under the address and undefined-behaviour sanitizers."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest

import jounce.runtime
from jounce.road.block import Frame
from jounce.road.envelope import Envelope
from jounce.road.grid import GridRoad
from jounce.road.mesh import MeshRoad, grid_mesh
from jounce.road.path import Path as Line
from jounce.road.simple import Flat, Patch, Stack, Sum, cleat, round_pothole
from jounce.road.surface import Road

RUNTIME = Path(jounce.runtime.__file__).parent / "c"
FLAGS = ("-std=c11", "-g", "-O1", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
DRIVER = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "jn_road.h"

int main(int argc, char **argv) {
    for (int k = 1; k < argc; ++k) {
        FILE *file = fopen(argv[k], "rb");
        if (!file) return 2;
        fseek(file, 0, SEEK_END);
        long size = ftell(file);
        rewind(file);
        void *road = malloc((size_t)size); /* exactly its size: reading beyond it is found */
        if (fread(road, 1, (size_t)size, file) != (size_t)size) return 3;
        fclose(file);
        if (jn_road_check(road, size)) return 4;
        double sum = 0.0, out[24];
        unsigned state = 1u;
        for (int i = 0; i < 40000; ++i) {
            double at[5];
            for (int j = 0; j < 5; ++j) {
                state = state*1664525u + 1013904223u;
                at[j] = ((double)(state >> 8)/16777216.0 - 0.5)*(i % 100 == 0 ? 1e9 : 300.0);
            }
            if (i % 1000 == 7) at[2] = NAN;
            if (i % 1000 == 8) at[0] = INFINITY;
            if (i % 1000 == 9) at[1] = NAN;
            if (i % 50 == 10) at[3] = at[4] = 0.0;
            if (i % 1000 == 11) at[3] = NAN;
            if (i & 2) jn_road_service(road, at, i & 1, out);
            else jn_road_patch_service(road, at, i & 1, out);
            if (isfinite(out[0])) sum += out[0]*1e-3 + out[3];
        }
        printf("%.17g\n", sum);
        free(road);
    }
    return 0;
}
"""


def roads() -> list[Road]:
    a = 2 * math.pi * np.arange(40) / 40
    ring = Line.from_points(
        np.column_stack([80 * np.cos(a), 60 * np.sin(a), np.sin(a)]), left=4.0, right=4.0, bank=0.02
    )
    rng = np.random.default_rng(0)
    z = 0.1 * rng.standard_normal((80, 9))
    phi = np.linspace(0, 2.0, 79)
    points, triangles = grid_mesh(np.linspace(-50, 50, 21), np.linspace(-30, 30, 13), rng.standard_normal((21, 13)))
    mesh = MeshRoad(points=points, triangles=triangles)
    bumps = [cleat(x=5.0, across=4.0), round_pothole(0.05, 0.5, 3, 3), Patch(friction=0.2, radius=20.0, edge=1.0)]
    return [
        Flat(grade=0.01),
        ring.road(),
        Line.straight(50.0).road(side="none", end="none"),
        *(
            GridRoad(
                z=z, du=1.0, v=np.linspace(-4, 4, 9), headings=h, border_u=m, border_v=m, cubic=c, smooth_begin=3.0
            )
            for h in (None, phi)
            for m, c in (("hold", False), ("repeat", True), ("mirror", False), ("none", False), ("zero", True))
        ),
        mesh,
        MeshRoad(points=points, triangles=triangles, hold=False),
        Sum(base=mesh, features=bumps, frame=Frame(x=1.0, heading=0.5)),
        Stack(roads=[ring.road(), Flat(frame=Frame(z=-1.0))], storeys=True),
        Envelope(road=ring.road(), mode="cams", n_long=3),
        Envelope(road=mesh, mode="points"),
        Envelope(road=GridRoad(z=z, du=1.0, v=np.linspace(-4, 4, 9), headings=phi), mode="cams", n_long=20),
        Envelope(road=GridRoad(z=z, du=1.0, v=np.linspace(-4, 4, 9), border_v="none"), mode="cams", n_long=256),
        Envelope(road=Sum(base=ring.road(side="hold"), features=bumps), mode="cams", n_long=8),
        Envelope(road=Line.straight(50.0).road(side="none", end="none"), mode="points", n_long=256),
        MeshRoad(points=0.2 * points, triangles=triangles[:-40], friction=np.linspace(0.5, 1, len(triangles) - 40)),
    ]


@pytest.mark.slow
def test_nothing_is_read_or_computed_that_should_not_be(tmp_path: Path) -> None:
    (tmp_path / "driver.c").write_text(DRIVER)
    program = tmp_path / "driver"
    sources = [str(tmp_path / "driver.c"), str(RUNTIME / "jn_road.c")]
    command = ["cc", *FLAGS, "-I", str(RUNTIME), *sources, "-o", str(program), "-lm"]
    try:
        built = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no C compiler called cc")
    if built.returncode and ("sanitize" in built.stderr or "asan" in built.stderr):
        pytest.skip("this compiler has no sanitizers")
    assert built.returncode == 0, built.stderr
    names = []
    for i, road in enumerate(roads()):
        road.save_block(tmp_path / f"{i}.bin")
        names.append(str(tmp_path / f"{i}.bin"))
    run = subprocess.run([str(program), *names], capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(run.stdout.split()) == len(names)
