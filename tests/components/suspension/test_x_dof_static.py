"""A longitudinal freedom of order zero: the maps of compliance, without their speed."""

from __future__ import annotations

import pytest

from car_models import outputs, rates
from compliant_cars import stir
from element_rig import WHEELS
from jounce.sim import car
from x_dof_rig import BY_SIDE, BY_SIDE_RIGHT, data, slope, vehicle


def test_it_follows_the_maps_of_compliance() -> None:
    """x as without it, to the bit; its target is C · F."""
    sims = [car.simulation(vehicle(name)) for name in ("static", "")]
    for sim in sims:
        stir(sim)
    for w, by_side in (("L1", BY_SIDE), ("R1", BY_SIDE_RIGHT)):
        force = [sims[0].output(f"Tire.Ground_Surface_Force_{a}.{w}") for a in "XY"]
        for sim in sims:
            sim.set_states({f"{w}.compliance.x": 0.0})
        first, second = (rates(sim)[f"{w}.compliance.x"] for sim in sims)
        assert first == second
        target = slope(w) * force[0] + by_side * force[1]
        for sim in sims:
            sim.set_states({f"{w}.compliance.x": target})
        assert abs(rates(sims[0])[f"{w}.compliance.x"]) < 1e-5 * abs(first)
        assert outputs(sims[0])[f"base_compliance.{w}"] == pytest.approx(target, rel=1e-12)


def test_its_speed_does_not_enter_slip() -> None:
    sims = [car.simulation(vehicle(name)) for name in ("static", "")]
    for sim in sims:
        stir(sim)
    off, on = (rates(sim) for sim in sims)
    for w in WHEELS:
        speed = off[f"{w}.compliance.x"]
        assert abs(speed) > 0.01
        assert off[f"{w}.tire.u"] - on[f"{w}.tire.u"] == pytest.approx(data("static", w)["share"] * speed, rel=0.02)
