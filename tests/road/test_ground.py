"""Ground: planes in closed form, the same plane as an outside function, friction per wheel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.road.ground import SERVICE_INPUTS, SERVICE_OUTPUTS, Plane, Service
from jounce.runtime.simulation import Simulation
from jounce.symbolic import System
from models import assert_close, compiled, outputs_by_name, random_point, rotation_matrix

PLACES = ((1.2, 0.7, -0.3), (-1.4, -0.75, -0.2))
GRADE, BANK, HEIGHT, FRICTION = 0.15, -0.07, 0.4, 0.8


def described(kind: str) -> System:
    system = System(f"ground_{kind}")
    body = system.free("body")
    system.body("body", body.frame, 1.0, (1.0, 1.0, 1.0))
    ground = Service.declare(system) if kind == "service" else Plane.declare(system, inclined=kind == "inclined")
    for i, place in enumerate(PLACES):
        surface = ground.under(body.frame, place)
        system.output(f"height{i}", surface.height, "m")
        system.output(f"friction{i}", surface.friction)
        for j in range(3):
            system.output(f"normal{i}.{j}", surface.normal[j])
    return system


@pytest.fixture(scope="module", params=["level", "inclined", "service"])
def simulation(request: pytest.FixtureRequest) -> tuple[str, Simulation]:
    sim = compiled(described(request.param))
    if request.param == "service":

        def road(at: np.ndarray, order: int) -> np.ndarray:
            assert order == 0, "outputs of an explicit model ask for values only"
            return np.array([HEIGHT + GRADE * at[0] + BANK * at[1], GRADE, BANK, FRICTION])

        sim.bind("ground", road)
    else:
        sim.set_parameters({"ground.height": HEIGHT, "ground.friction": FRICTION})
    if request.param == "inclined":
        sim.set_parameters({"ground.grade": GRADE, "ground.bank": BANK})
    return request.param, sim


@pytest.mark.parametrize("seed", range(4))
def test_height_normal_and_friction(simulation: tuple[str, Simulation], seed: int) -> None:
    kind, sim = simulation
    slopes = (0.0, 0.0) if kind == "level" else (GRADE, BANK)
    x, u = random_point(sim, seed, 1.0)
    found = outputs_by_name(sim, sim.outputs(x=x, u=u))
    names = [v.name for v in sim.model.states]
    start = names.index("body.x")
    r, R = x[start : start + 3], rotation_matrix(x[sim.model.quaternions[0] : sim.model.quaternions[0] + 4])
    n = np.array([-slopes[0], -slopes[1], 1.0])
    n /= np.linalg.norm(n)
    for i, place in enumerate(PLACES):
        point = r + R @ place
        on_plane = np.array([0.0, 0.0, HEIGHT])
        assert found[f"height{i}"] == pytest.approx((point - on_plane) @ n, abs=1e-12)
        assert_close([found[f"normal{i}.{j}"] for j in range(3)], R.T @ n, 1e-13)
        assert found[f"friction{i}"] == FRICTION


def test_a_plane_answers_numbers_too() -> None:
    class World:
        position = (2.0, 3.0, 1.0)

        def point(self, offset: tuple[float, ...]) -> tuple[float, ...]:
            return tuple(a + b for a, b in zip(self.position, offset, strict=True))

        def from_world(self, a: tuple[float, ...]) -> tuple[float, ...]:
            return a

    surface = Plane(height=0.5, grade=0.2).under(World(), (0.0, 0.0, 0.0))
    assert surface.height == pytest.approx((1.0 - 0.5 - 0.4) * math.cos(math.atan(0.2)))
    assert surface.friction == 1.0


def test_the_service_is_declared_as_documented() -> None:
    system = System("declared")
    service = Service.declare(system)
    assert (service.handle.n_in, service.handle.n_out, service.handle.order) == (3, 4, 1)
    assert len(SERVICE_INPUTS) == 3 and len(SERVICE_OUTPUTS) == 4
