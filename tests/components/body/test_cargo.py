"""Payloads: parallel axes against sums over points, axle loads by the lever, a box that refuses what is outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cars import balanced, compact, loads
from jounce.core.errors import ParameterError
from jounce.sim import car
from jounce.sim.statics import settle

BOX = {"front": -1.9, "length": 1.6, "width": 1.3, "floor": 0.4, "height": 1.1, "middle": 0.05}
CRATE: dict[str, Any] = {"name": "crate", "mass": 210.0, "location": [-2.7, -0.17, 0.75], "size": [0.7, 0.5, 0.6]}
DRUM: dict[str, Any] = {
    "name": "drum", "mass": 90.0, "location": [-2.1, 0.31, 0.9],
    "inertia": {"ixx": 7.0, "iyy": 5.0, "izz": 6.0, "ixy": 0.4, "ixz": -0.7, "iyz": 0.3},
}  # fmt: skip


def cloud(mass: float, centre: Any, size: Any, n: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """A block as equal points in the middles of its cells."""
    axes = [(np.arange(n) + 0.5) / n - 0.5 for _ in range(3)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3) * size + centre
    return np.full(len(grid), mass / len(grid)), grid


def test_bodies_on_board_are_one_by_parallel_axes() -> None:
    """The crate summed over 24³ points: a block of cells lacks 1/24² of its own inertia."""
    loaded = compact(**{"body.cargo": BOX, "body.payloads": [CRATE, DRUM]})
    bare = compact()
    m_0, r_0, i_0 = bare.main_body.sprung()[0]
    masses, points = cloud(210.0, CRATE["location"], CRATE["size"])
    i = DRUM["inertia"]
    own = np.array(
        [[i["ixx"], -i["ixy"], -i["ixz"]], [-i["ixy"], i["iyy"], -i["iyz"]], [-i["ixz"], -i["iyz"], i["izz"]]]
    )
    mass = m_0 + 210.0 + 90.0
    centre = (m_0 * r_0 + masses @ points + 90.0 * np.array(DRUM["location"])) / mass

    def moved(m: float, r: Any) -> np.ndarray:
        d = np.asarray(r) - centre
        return m * (d @ d * np.eye(3) - np.outer(d, d))

    expected = i_0 + moved(m_0, r_0) + own + moved(90.0, DRUM["location"])
    expected = expected + sum(moved(m, r) for m, r in zip(masses, points, strict=True))
    found = loaded.main_body.sprung()[0]
    assert found[0] == pytest.approx(mass, rel=1e-12) and found[1] == pytest.approx(centre, rel=1e-12)
    assert found[2] == pytest.approx(expected, abs=210.0 * 0.85 / 12 / 24**2 * 2)
    assert loaded.mass() == pytest.approx(bare.mass() + 300.0, rel=1e-12)
    assert compact(**{"body.payloads": [{**CRATE, "active": False}]}).mass() == bare.mass()


def test_a_payload_loads_the_axles_by_the_lever() -> None:
    """Δ of the rear axle: weight times distance from the front axle over the wheelbase, side by side by the track."""
    loaded = compact(**{"body.cargo": BOX, "body.payloads": [CRATE]})
    found = []
    for vehicle in (compact(), loaded):
        vehicle = balanced(vehicle)
        description = car.describe(vehicle)
        sim = car.simulation(description)
        settle(sim, description)
        found.append(loads(sim))
    g, wheelbase = 9.80665, loaded.wheelbase
    rear = sum(found[1][c] - found[0][c] for c in ("L2", "R2"))
    total = sum(found[1][c] - found[0][c] for c in found[0])
    assert total == pytest.approx(210.0 * g, rel=1e-6)
    # heights of the springs differ by what both tires deflect: some 1e-3 of the lever
    assert rear == pytest.approx(210.0 * g * 2.7 / wheelbase, rel=5e-3)
    assert sum(found[1][c] - found[0][c] for c in ("R1", "R2")) > sum(found[1][c] - found[0][c] for c in ("L1", "L2"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"location": [-2.2, 0.0, 0.75]},
            r"payloads\[1\]\.location\.x.*0\.05 m before its wall at -1\.9",
        ),
        ({"location": [-3.3, 0.0, 0.75]}, r"payloads\[1\]\.location\.x.*behind its wall at -3\.5"),
        ({"location": [-2.7, 0.5, 0.75]}, r"payloads\[1\]\.location\.y.*left of its wall at 0\.7"),
        ({"location": [-2.7, -0.4, 0.75]}, r"payloads\[1\]\.location\.y.*right of its wall at -0\.6"),
        ({"location": [-2.7, 0.0, 0.69]}, r"payloads\[1\]\.location\.z.*below its wall at 0\.4.*between 0\.7 and 1\.2"),
        ({"location": [-2.7, 0.0, 1.3]}, r"payloads\[1\]\.location\.z.*above its wall at 1\.5"),
    ],
)
def test_a_payload_outside_its_box_is_refused_with_the_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        compact(**{"body.cargo": BOX, "body.payloads": [DRUM, {**CRATE, **change}]})
    # without a box, or not on board, or with an open one above, it may be anywhere there
    assert compact(**{"body.payloads": [DRUM, {**CRATE, **change}]})
    assert compact(**{"body.cargo": BOX, "body.payloads": [DRUM, {**CRATE, **change, "active": False}]})


def test_at_the_walls_and_above_an_open_box_it_stands() -> None:
    corner = {**CRATE, "location": [-1.9 - 0.35, 0.7 - 0.25, 0.4 + 0.3]}
    assert compact(**{"body.cargo": BOX, "body.payloads": [corner]})
    open_box = {key: value for key, value in BOX.items() if key != "height"}
    assert compact(**{"body.cargo": open_box, "body.payloads": [{**CRATE, "location": [-2.7, 0.0, 3.0]}]})
    with pytest.raises(ParameterError, match=r"payloads\[0\]\.inertia.*size and inertia are both given"):
        compact(**{"body.payloads": [{**CRATE, "inertia": DRUM["inertia"]}]})


def test_a_payload_is_numbers_only() -> None:
    bare, loaded = compact(), compact(**{"body.cargo": BOX, "body.payloads": [CRATE, DRUM]})
    assert bare.structure_key() == loaded.structure_key(), "no code is compiled for another load"
