"""What user tires may call: helpers against the native contact, the road against its own queries, from any thread."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from jounce.components.tire import contact as geometry
from jounce.components.tire.linear import Linear
from jounce.components.tire.transient import slips
from jounce.road import native
from jounce.road.block import Frame
from jounce.road.builder import RoadBuilder
from jounce.road.grid import GridRoad
from jounce.road.mesh import MeshRoad
from jounce.road.simple import Flat, Stack, Sum, cleat
from jounce.road.surface import Road
from jounce.runtime.bindings import JnService
from jounce.runtime.tire_library import tire_library
from models import quaternion_product, rotation_matrix

Array = npt.NDArray[np.float64]

_double, _int, _pointer = ctypes.c_double, ctypes.c_int, ctypes.POINTER(ctypes.c_double)


def doubles(values: Any) -> Any:
    values = np.atleast_1d(np.asarray(values, dtype=float))
    return (_double * len(values))(*values)


def room(n: int) -> Any:
    return (_double * n)()


def random_pose(rng: np.random.Generator) -> tuple[Array, Array]:
    """Carrier in world axes, leaning up to 50 degrees, and the normal of a slope."""
    q = np.array([1.0, *rng.uniform(-0.4, 0.4, 3)])
    turned = np.array([np.cos(a := rng.uniform(0, np.pi)), 0.0, 0.0, np.sin(a)])
    normal = np.array([*rng.uniform(-0.3, 0.3, 2), 1.0])
    return rotation_matrix(quaternion_product(turned, q / np.linalg.norm(q))), normal / np.linalg.norm(normal)


# --- helpers ---------------------------------------------------------------------------------------------------------


def test_contact_kinematics_are_those_of_native_tires() -> None:
    c, rng = tire_library(), np.random.default_rng(5)
    names = ("vx", "vx_cp", "vy_cp", "psi", "vz_cp", "alpha", "gamma", "kappa", "direction", "sae", "sign", "factor")
    for _ in range(200):
        matrix, normal = random_pose(rng)
        v, w = rng.uniform(-30, 30, 3), rng.uniform(-3, 3, 3)
        if rng.integers(4) == 0:
            v *= 0.02  # slow: the floor of the slips and the fading
        spin, radius = rng.uniform(-80, 80), rng.uniform(0.25, 0.4)
        touch = geometry.touch(matrix[:, 1], normal, 0.0)
        touch = geometry.touch(matrix[:, 1], normal, radius * touch.cosine)  # loaded radius = radius given
        moving = geometry.motion(touch, matrix @ v, matrix @ w)
        kappa, alpha = slips(moving.vx, moving.vx - spin * radius, moving.vy)
        out = dict(zip(names, (room(9 if n == "sae" else 3 if n == "direction" else 1) for n in names), strict=True))
        given = [doubles(x) for x in (matrix.T.ravel(), v, w, spin, radius, normal)]  # ordered by columns
        c.c_actclc2(*given, *out.values())
        found = {name: np.array(value) for name, value in out.items()}
        close = lambda a, b: np.allclose(a, b, rtol=1e-12, atol=1e-12 * 40)  # noqa: E731  # speeds up to 40 m/s
        assert close(found["vx"], np.dot(matrix @ v, touch.forward))
        assert close(found["vx_cp"], moving.vx - spin * radius)
        assert close(found["vy_cp"], -moving.vy), "SAE: to the right"
        assert close(found["vz_cp"], moving.rho_rate * touch.cosine), "SAE: downwards"
        assert close(found["psi"], -np.dot(matrix @ w, normal))
        assert close(found["kappa"], kappa) and close(found["alpha"], -alpha) and close(found["gamma"], touch.gamma)
        assert close(found["direction"], -np.array(touch.up))
        axes = np.array([touch.forward, -np.array(touch.lateral), -normal])
        assert close(found["sae"].reshape(3, 3), axes) and np.linalg.det(axes) == pytest.approx(1.0)
        assert found["sign"][0] == (1.0 if moving.vx >= 0 else -1.0)
        assert close(found["factor"], 0.5 - 0.5 * np.cos(np.pi * min(abs(moving.vx), 1.0)))


def test_the_vertical_force_is_that_of_native_tires() -> None:
    c, rng = tire_library(), np.random.default_rng(6)
    model = Linear(mode=0)
    values = {"UNLOADED_RADIUS": 0.33, "VERTICAL_STIFFNESS": 2.1e5, "VERTICAL_DAMPING": 1500.0}
    p = model.complete({**values, "CSLIP": 1.0, "CALPHA": 1.0})

    def found(loaded: float, rate: float, k: float = 2.1e5, second: float = 0.0, scale: float = 1.0) -> float:
        out, spline = room(1), _int(0)
        numbers = [doubles(x) for x in (rate, loaded, k, second, 1500.0, 0.33, scale, 4000.0)]
        c.c_actfz(*numbers, ctypes.byref(spline), out)
        return float(out[0])

    for _ in range(100):
        rho, rate = rng.uniform(0.0021, 0.06), rng.uniform(-3.0, 3.0)  # beyond the 2 mm in which damping sets in
        assert found(0.33 - rho, rate) == pytest.approx(model.vertical(p, rho, rate), rel=1e-12, abs=1e-9)
    assert found(0.34, 5.0) == 0.0, "in the air"
    assert found(0.30, -10.0) == 0.0, "no tension"
    assert found(0.30, 0.0, 2e5, 3e6, 1.1) == pytest.approx(1.1 * (2e5 * 0.03 + 3e6 * 0.03**2))


def test_forces_are_moved_to_the_wheel_centre() -> None:
    c, rng = tire_library(), np.random.default_rng(7)
    for _ in range(100):
        matrix, normal = random_pose(rng)
        touch = geometry.touch(matrix[:, 1], normal, rng.uniform(0.25, 0.35))
        f, m = rng.uniform(-5000, 5000, 3), rng.uniform(-300, 300, 3)
        total = geometry.wrench(touch, f, m)
        six = geometry.to_sae([*f, *m])
        axes = np.array([touch.forward, -np.array(touch.lateral), -normal])
        force, torque = room(3), room(3)
        c.c_xcp2hb(doubles(six[:3]), doubles(six[3:]), doubles(touch.arm), doubles(axes.ravel()), force, torque)
        assert np.allclose(force, total.force, rtol=1e-12, atol=1e-9)
        assert np.allclose(torque, total.moment, rtol=1e-12, atol=1e-9)
        v, out = rng.normal(size=3), room(3)
        c.c_m3t1(out, doubles(matrix.T.ravel()), doubles(v))
        assert np.allclose(out, matrix.T @ v, rtol=1e-14, atol=1e-14), "world to carrier"


# --- roads -----------------------------------------------------------------------------------------------------------


def roads() -> dict[str, Road]:
    rng = np.random.default_rng(8)
    x, y = np.meshgrid(np.linspace(-5, 45, 26), np.linspace(-6, 6, 9), indexing="ij")
    points = np.column_stack([x.ravel(), y.ravel(), 0.2 * rng.normal(size=x.size)])
    corners = np.arange(x.size).reshape(x.shape)
    a, b, c, d = (corners[i : i - 1 or None, j : j - 1 or None].ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
    mesh = MeshRoad(points=points, triangles=np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])]))
    grid = GridRoad(z=0.05 * rng.normal(size=(80, 25)), du=0.5, v=np.linspace(-6, 6, 25), cubic=True)
    line = RoadBuilder().straight(10).clothoid(20, 0.0, 0.02).arc(50.0, 0.5).height([[0, 0], [40, 2]]).build()
    return {
        "flat": Flat(friction=0.6, frame=Frame(z=0.4)),
        "line": line,
        "mesh": mesh,
        "grid": grid,
        "features": Sum(base=mesh, features=[cleat(0.03, 0.2, 0.05, x=7.0)]),
        "storeys": Stack(roads=[Flat(), Flat(frame=Frame(z=5.0), friction=0.5)], storeys=True),
    }


@pytest.fixture(scope="module", params=list(roads()))
def opened(request: pytest.FixtureRequest) -> Iterator[tuple[Road, int]]:
    """A road, and its number."""
    road, c = roads()[request.param], tire_library()
    service = JnService(ctypes.cast(native.library().jn_road_service, ctypes.c_void_p).value, road.block.ctypes.data)
    number = c.jn_tire_road_open(ctypes.addressof(service))
    assert number > 0
    yield road, number
    c.jn_tire_road_close(number)
    _, error = road_gen(np.zeros((1, 3)), number)
    assert error == 1, "closed"


def road_gen(points: Array, number: int, calc: int = 1, n: int | None = None) -> tuple[Array, int]:
    c = tire_library()
    first = [*(_int,) * 6, _double, _int, _int, _pointer, _pointer, ctypes.c_char_p]
    c.roadGEN.argtypes = [*first, _int, _pointer, _pointer, ctypes.POINTER(_int)]
    points = np.ascontiguousarray(points)
    out, error = np.full((len(points), 4), -7.0), _int(9)
    at, to = (a.ctypes.data_as(_pointer) for a in (points, out))
    n = len(points) if n is None else n
    c.roadGEN(0, number, 0, 3, calc, 1, 0.0, n, 0, at, None, b"", 0, to, None, ctypes.byref(error))
    return out, error.value


def somewhere(rng: np.random.Generator, n: int) -> Array:
    return np.column_stack([rng.uniform(-3, 38, n), rng.uniform(-5, 5, n), rng.uniform(0, 8, n)])


def test_the_general_call_equals_the_queries_of_the_road(opened: tuple[Road, int]) -> None:
    road, number = opened
    points = somewhere(np.random.default_rng(9), 50)
    found, error = road_gen(points, number)
    known = road.query(*points.T)
    assert error == 0
    assert np.array_equal(found, np.column_stack([points[:, 0], points[:, 1], known.height, known.friction]))
    one_by_one = np.concatenate([road_gen(points[i : i + 1], number)[0] for i in range(50)])
    assert np.array_equal(found, one_by_one)
    silent, error = road_gen(points, number, calc=11)
    assert error == 0 and np.all(silent == -7.0), "save has nothing to do"
    _, error = road_gen(np.zeros((60, 3)), number, n=51)
    assert error == 2


def test_threads_get_the_same_to_the_bit(opened: tuple[Road, int]) -> None:
    _, number = opened
    rng = np.random.default_rng(10)
    calls = [somewhere(rng, int(rng.integers(1, 51))) for _ in range(200)]
    alone = [road_gen(points, number)[0] for points in calls]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda points: road_gen(points, number)[0], calls))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def single(name: str, job: int, location: Array, matrix: Array, number: int, radius: float) -> dict[str, Any]:
    c = tire_library()
    contact, error, message = _int(9), _int(9), ctypes.create_string_buffer(256)
    one, zero, none = _int(1), _int(0), _double(0.0)
    ref = ctypes.byref
    volume, penetration, patch, normal, friction = room(1), room(1), room(3), room(3), room(1)
    getattr(c, name)(
        ref(_int(job)), ref(one), ref(none), doubles(location), doubles(matrix.T.ravel()), ref(_int(number)), ref(zero),
        ref(none), ref(zero), None, ref(zero), ref(none), ref(_double(radius)), ref(_double(0.2)), ref(contact), volume,
        penetration, patch, normal, friction, ref(error), message,
    )  # fmt: skip
    return {"contact": contact.value, "penetration": penetration[0], "patch": np.array(patch), "friction": friction[0],
            "normal": np.array(normal), "error": error.value, "message": message.value.decode()}  # fmt: skip


@pytest.mark.parametrize("name", ["vi_road", "vi_roadsingle", "c_arc901"])
def test_the_single_call_is_the_native_contact_on_that_road(opened: tuple[Road, int], name: str) -> None:
    road, number = opened
    rng = np.random.default_rng(11)
    touched = set()
    for at in somewhere(rng, 40):
        matrix, _ = random_pose(rng)
        under = road.query(*at)
        at[2] = float(under.height) + rng.uniform(0.2, 0.6)
        here = road.query(*at)
        height = (at[2] - float(here.height)) * here.normal[2]
        touch = geometry.touch(matrix[:, 1], here.normal, height)
        found = single(name, 0, at, matrix, number, 0.35)
        assert found["error"] == 0 and found["friction"] == float(here.friction)
        assert np.allclose(found["normal"], here.normal, rtol=0, atol=1e-15)
        assert found["penetration"] == pytest.approx(0.35 - touch.radius, abs=1e-13)
        assert np.allclose(found["patch"], at + np.array(touch.arm), rtol=1e-13, atol=1e-13)
        assert found["contact"] == int(touch.radius < 0.35)
        touched.add(found["contact"])
    assert touched == {0, 1}


def test_the_road_of_the_tire_that_is_being_called() -> None:
    """Number 0: a plane, or the service with what the model adds to its height; no road outside of a call."""
    c = tire_library()
    matrix, centre, normal = np.eye(3), np.array([1.0, 2.0, 0.9]), np.array([-0.1, 0.05, 1.0])
    normal /= np.linalg.norm(normal)
    height = 0.3
    none = single("vi_road", 0, centre, matrix, 0, 0.33)
    assert none["error"] == 1 and "no road of this number" in none["message"]
    assert single("vi_road", 2, centre, matrix, 0, 0.33)["error"] == 0, "initialisation asks for nothing"
    c.jn_tire_road_enter.argtypes = [ctypes.c_void_p, _pointer, _double, _pointer, _double, _double]
    c.jn_tire_road_enter(None, doubles(centre), height, doubles(normal), 0.8, 0.5)
    found = single("vi_road", 0, centre, matrix, 0, 0.33)
    touch = geometry.touch(matrix[:, 1], normal, height)
    assert found["penetration"] == pytest.approx(0.33 - touch.radius, abs=1e-14) and found["friction"] == 0.4
    beside, _ = road_gen(np.array([[3.0, -1.0, 0.0]]), 0)
    point = centre - height * normal
    assert np.dot(beside[0, :3] - point, normal) == pytest.approx(0.0, abs=1e-15), "in the plane"
    c.jn_tire_road_leave()
    together = Barrier(2)

    def own_plane(z: float) -> float:
        """Height that a thread sees while another is in a call of its own."""
        up = np.array([0.0, 0.0, 1.0])
        c.jn_tire_road_enter(None, doubles([0.0, 0.0, z]), 0.0, doubles(up), 1.0, 1.0)
        together.wait(10)
        seen = float(road_gen(np.zeros((1, 3)), 0)[0][0, 2])
        together.wait(10)
        c.jn_tire_road_leave()
        return seen

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(own_plane, (1.0, 2.0))) == [1.0, 2.0]
    road = roads()["grid"]
    service = JnService(ctypes.cast(native.library().jn_road_service, ctypes.c_void_p).value, road.block.ctypes.data)
    for added in (0.0, 0.012):
        sample = road.query(*centre)
        above = (centre[2] - float(sample.height) - added) * sample.normal[2]
        c.jn_tire_road_enter(ctypes.addressof(service), doubles(centre), above, doubles(sample.normal), 1.0, 1.0)
        points = somewhere(np.random.default_rng(12), 10)
        found_heights = road_gen(points, 0)[0][:, 2]
        known = np.asarray(road.query(*points.T).height) + added
        if added:
            assert np.allclose(found_heights, known, rtol=0, atol=1e-14)
        else:
            assert np.array_equal(found_heights, known)
        own = single("vi_road", 0, centre, matrix, 0, 0.33)
        assert np.array_equal(own["normal"], sample.normal), "the plane of the model, as it is"
        c.jn_tire_road_leave()
