"""A story of sensors and ports: skyhook damping of a sedan on a rough road, written in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import jounce as jn

WHEELS = ("L1", "R1", "L2", "R2")
SKY = 2500.0  # N.s/m, of a damper between each corner of the body and the sky


def skyhook(rate: float) -> jn.OutsideBlock:
    """Dampers pull a corner of the body down when it rises; their forces count positive in compression."""

    def law(t: float, rising: Sequence[float]) -> list[float]:
        return [-rate * v for v in rising]

    reads = tuple(f"User_Sensor.corner_{c}.VZ" for c in WHEELS)
    return jn.OutsideBlock(law, reads, tuple(f"Main_Damper.force.{c}" for c in WHEELS), stateless=True)


@pytest.fixture(scope="module")
def runs() -> dict[str, jn.Run]:
    sedan = jn.load("sedan")
    corners = {c: sedan.layout.wheels[c].centre.tolist() for c in WHEELS}
    car = sedan.with_(
        sensors=[{"kind": "velocity", "name": f"corner_{c}", "i": {"location": r}} for c, r in corners.items()]
    )
    event = jn.events.CoastDown(speed="80 km/h", end_time="8 s", road="iso_8608_c")
    return {name: jn.run(car, event, blocks=[skyhook(rate)]) for name, rate in (("passive", 0.0), ("skyhook", SKY))}


def rms(values: np.ndarray) -> float:
    return float(np.std(values))


@pytest.mark.slow
def test_skyhook_damping_makes_the_body_quieter(runs: dict[str, jn.Run]) -> None:
    """Below some hertz, where a driver feels heave, by a third and more; in all by a tenth. Wheel loads are told."""
    heave = {name: run["System_Mass_Center.Global_Vz"][100:] for name, run in runs.items()}
    felt = {name: run["chassis_accelerations.vertical"][100:] for name, run in runs.items()}
    loads = {
        name: np.mean([rms(run[f"Tire.Ground_Surface_Force_Z.{c}"][100:]) for c in WHEELS])
        for name, run in runs.items()
    }
    assert all(run.complete for run in runs.values())
    assert rms(heave["skyhook"]) < 0.75 * rms(heave["passive"])
    assert rms(felt["skyhook"]) < 0.95 * rms(felt["passive"])
    # an ideal skyhook asks little of the tires: their loads change by no more than a tenth
    assert loads["skyhook"] == pytest.approx(loads["passive"], rel=0.1)
    assert rms(felt["passive"]) > 0.3 and loads["passive"] > 200.0
