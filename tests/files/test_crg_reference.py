"""OpenCRG against the reference evaluator of ASAM, where its Python package is installed (pip install pycrg numpy)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.files.crg import BORDER_MODES, FORMATS, crg_bytes, read_crg
from jounce.road.grid import GridRoad

pycrg = pytest.importorskip("pycrg")

MODIFIERS: list[dict[str, float] | None] = [
    {},
    None,
    {"refpoint_u_fraction": 0.5, "refpoint_v": 0.5, "refpoint_x": 3.0, "refpoint_phi": 1.0, "refpoint_z": -1.0},
    {
        "refline_offset_x": 3.0,
        "refline_offset_phi": 0.4,
        "refline_offset_z": 2.0,
        "scale_z_grid": 2.0,
        "scale_slope": 0.5,
        "scale_banking": 2.0,
        "scale_length": 1.5,
        "scale_width": 0.5,
        "scale_curvature": 0.5,
    },
    {"refline_offset_phi": 0.4, "refline_rotcenter_x": 1.0, "refline_rotcenter_y": 2.0},
]


@pytest.mark.parametrize("curved", [True, False])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("borders", [(2, 2), (3, 4), (4, 3), (1, 2), (2, 1), (0, 2), (3, 1), (4, 1)])
@pytest.mark.parametrize("modifiers", MODIFIERS)
def test_heights_are_those_of_the_reference(
    tmp_path: Path, curved: bool, format: str, borders: tuple[int, int], modifiers: dict[str, float] | None
) -> None:
    rng = np.random.default_rng(7)
    nu, nv = 151, 11
    u = 0.5 * np.arange(nu)
    options: dict[str, Any] = {"border_u": BORDER_MODES[borders[0]], "border_v": BORDER_MODES[borders[1]]}
    if borders == (2, 2):
        options |= {"offset_u": 0.1, "offset_v": 0.2, "smooth_begin": 3.0, "smooth_end": 2.0}
    road = GridRoad(
        z=(0.05 * rng.standard_normal((nu, nv))).astype(np.float32),
        du=0.5,
        v=np.linspace(-2.5, 2.5, nv),
        u0=5.0,
        x=10.0,
        y=-4.0,
        heading=0.3,
        headings=0.3 + np.cumsum(np.linspace(-0.01, 0.02, nu - 1)) if curved else None,
        reference=2 + 0.01 * u + 0.1 * np.sin(u / 9),
        bank=0.02 * np.sin(u / 20),
        **options,
    )
    raw = crg_bytes(road, format=format, modifiers=modifiers)
    if modifiers is None:
        raw = raw.replace(b"$ROAD_CRG_MODS\n$\n", b"")
    place = tmp_path / "road.crg"
    place.write_bytes(raw)
    ours = read_crg(place).road()
    with pycrg.RoadSurface.open(str(place)) as theirs:
        at = ours.u0 + rng.uniform(-6, ours.length + 6, 200), rng.uniform(1.2 * ours.v[0], 1.2 * ours.v[-1], 200)
        xy = np.array([theirs.uv_to_xy(a, b) for a, b in zip(*at, strict=True)])
        expected = theirs.contact_point.xy_to_z_many(xy[:, 0], xy[:, 1])
    found = ours.query(xy[:, 0], xy[:, 1])
    assert np.array_equal(found.no_ground, np.isnan(expected))
    there = ~found.no_ground
    # the reference holds heights in single precision about their mean
    np.testing.assert_allclose(found.height[there], expected[there], atol=1e-6)
