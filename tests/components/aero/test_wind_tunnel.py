"""Six coefficients over yaw: against their definition, in both conventions of signs, and as forces on the body."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from air_rig import MOTIONS, Seen, assert_acts, described, rig, simulation
from jounce.components.aero.wind_tunnel import WindTunnelAero
from jounce.core.errors import ParameterError

Raw = dict[str, Any]

YAW = [-0.6, -0.25, 0.0, 0.2, 0.5]
# asymmetric on purpose; six different columns
TABLE = {
    "drag": [0.52, 0.41, 0.33, 0.4, 0.55],
    "side": [1.3, 0.6, 0.02, -0.5, -1.2],
    "lift": [0.31, 0.2, 0.11, 0.17, 0.29],
    "roll": [-0.19, -0.08, 0.004, 0.07, 0.17],
    "pitch": [0.05, 0.03, 0.01, 0.024, 0.06],
    "yaw": [0.21, 0.1, -0.003, -0.09, -0.2],
}
POINT, FRONT, REAR, WIND = (-1.31, 0.03, 0.02), (0.07, 0.01, 0.04), (-2.6, 0.02, 0.05), (5.3, -4.4, 0.3)
SIGNS = {"iso": {}, "sae": {"side": -1.0, "pitch": -1.0, "yaw": -1.0}}


def raw(signs: str, axles: bool) -> Raw:
    found = {name: {"x": YAW, "y": values} for name, values in TABLE.items()}
    if axles:
        found["front_lift"], found["rear_lift"] = found.pop("lift"), found.pop("pitch")
    return {
        "kind": "wind_tunnel", "air_density": 1.21, "frontal_area": 2.07, "reference_length": 2.61, "signs": signs,
        "center_location": POINT, "front_location": FRONT, "rear_location": REAR, "wind": WIND, **found,
    }  # fmt: skip


@lru_cache
def model(signs: str, axles: bool) -> Any:
    return described(rig(raw(signs, axles)))


@pytest.mark.parametrize(("signs", "axles"), [("iso", False), ("sae", False), ("iso", True)])
@pytest.mark.parametrize("motion", MOTIONS, ids=["fast", "other way", "reverse"])
def test_forces_and_moments_are_those_of_the_table(motion: dict[str, float], signs: str, axles: bool) -> None:
    sim = simulation(model(signs, axles), motion)
    seen = Seen(rig(raw(signs, axles)), sim, motion)
    u, across, _ = seen.through_air(POINT, WIND)
    q = 0.5 * 1.21 * 2.07 * (u * u + across * across)
    c = {k: SIGNS[signs].get(k, 1.0) * np.interp(np.arctan2(across, u), YAW, v) for k, v in TABLE.items()}
    forces = {POINT: (-q * c["drag"], q * c["side"], q * c["lift"])}
    moment = [q * 2.61 * c[name] for name in ("roll", "pitch", "yaw")]
    if axles:
        forces = {
            POINT: (-q * c["drag"], q * c["side"], 0.0),
            FRONT: (0, 0, q * c["lift"]),
            REAR: (0, 0, q * c["pitch"]),
        }
        moment[1] = 0.0
        assert seen.found["aero_forces.front_downforce"] == pytest.approx(-q * c["lift"], rel=1e-9)
    assert seen.found["aero_forces.drag_force"] == pytest.approx(q * c["drag"], rel=1e-9)
    assert seen.found["aero_forces.yaw_torque"] == pytest.approx(moment[2], rel=1e-9)
    assert_acts(sim, seen.load(forces, moment))


def test_lift_at_the_axles_is_lift_and_pitch_about_the_middle() -> None:
    """C_L = C_LF + C_LR and C_P = −(C_LF − C_LR)/2 with the wheelbase as length, points on the ground by default."""
    import jounce.vehicle as jv
    from jounce.components.basics import Point

    car = jv.load("sedan")
    unit = car.layout.units[0]
    aero = WindTunnelAero.model_validate({"frontal_area": 2.0, "drag": 0.3, "front_lift": 0.1, "rear_lift": 0.15})
    front, rear, middle = aero.front_place(unit), aero.rear_place(unit), aero.center_place(unit)
    assert aero.length(unit) == car.wheelbase == pytest.approx(front[0] - rear[0])
    assert middle == pytest.approx(0.5 * (front + rear))
    assert front + unit.origins[""] == pytest.approx([car.layout.axles[0].x, 0.0, 0.0])
    # moments about y of upward forces: −x F
    pitch = -(0.1 * (front - middle)[0] + 0.15 * (rear - middle)[0]) / car.wheelbase
    assert pitch == pytest.approx(-(0.1 - 0.15) / 2)
    assert Point().z == 0.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"front_lift": 0.1}, r"aero\.rear_lift: missing; give front_lift and rear_lift, or lift"),
        ({"front_lift": 0.1, "rear_lift": 0.1, "lift": 0.2}, r"aero\.lift.*: stands beside front_lift"),
        ({"front_lift": 0.1, "rear_lift": 0.1, "pitch": 0.2}, r"aero\.pitch.*: stands beside front_lift"),
        ({"side_arm": "compensate"}, "need no compensation"),
        ({"ride_height_min": 0.1}, r"aero\.ride_height_min.*: does nothing here: the table is over yaw only"),
        ({"lift": 0.1, "drs": {"rear_downforce": 0.7}}, r"aero\.drs.*: its factors on downforce need front_lift"),
    ],
)
def test_what_does_not_go_together_is_refused(changes: Raw, message: str) -> None:
    base = {"kind": "wind_tunnel", "frontal_area": 2.0, "drag": 0.3}
    with pytest.raises(ParameterError, match=message):
        rig(base).with_(aero={**base, **changes})
