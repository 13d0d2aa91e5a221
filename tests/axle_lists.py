"""Vehicles for tests whose axles stand in a list: library cars in that spelling, a truck with three axles, one axle."""

from __future__ import annotations

import copy
from typing import Any

import jounce.vehicle as jv
from car_models import compact
from ideal_cars import ideal
from jounce.core.fields import to_raw

Raw = dict[str, Any]


def as_axles(vehicle: jv.Vehicle) -> Raw:
    """A car with two axles, as a file in the spelling ``axles`` has it; numbers are SI."""
    raw: Raw = to_raw(vehicle)
    axles: list[Raw] = []
    for end in ("front", "rear"):
        axle = {name: raw.pop(f"{end}_{name}") for name in ("suspension", "wheels")}
        axle["brake"] = raw["brakes"].pop(end)
        axles.append(axle)
    axles[0]["steering"] = raw.pop("steering")
    if vehicle.main_body.split is not None:
        axles[0]["on"] = "front"
    return {**raw, "axles": axles}


def as_units(raw: Raw) -> Raw:
    """The same in the spelling ``units``."""
    raw = copy.deepcopy(raw)
    unit = {"name": "whole", "axles": raw.pop("axles")}
    unit |= {name: raw.pop(name) for name in ("body", "aero") if name in raw}
    return {**raw, "units": [unit]}


def vehicle_of(raw: Raw) -> jv.Vehicle:
    return jv.Vehicle.model_validate(raw)


def truck() -> Raw:
    """A truck with three axles: the light truck's front one with twin tires, its rear one twice, the first of them with
    twin tires; no two axles and no two sides have the same numbers, and two axles are driven."""
    raw = as_axles(ideal("light_truck"))
    raw["name"] = "three axles"
    raw["description"] = "made for tests"
    front, rear = raw["axles"]
    del front["steering"]["rack_pinion"]  # a steering of maps, which has no states
    last = copy.deepcopy(rear)
    last["suspension"] |= {"wheel_centre_x": -4.37, "track": 1.66}
    front["wheels"] |= {"twin": {"offset": 0.29}}
    rear["wheels"] |= {"twin": {"offset": 0.31, "spin_inertia_is_assembly": True}, "right": {"unsprung_mass": 87.0}}
    last["wheels"] |= {"unsprung_mass": 79.0, "spin_inertia": 2.05, "right": {"ixx": 1.61}}
    front["suspension"]["spring"]["right"] = {"rate": 104.9e3}
    rear["suspension"]["spring"] |= {"rate": 37.3e3, "preload": 3610.0, "right": {"preload": 3680.0}}
    last["suspension"]["spring"] |= {"rate": 33.9e3, "preload": 3490.0, "right": {"rate": 35.2e3}}
    rear["suspension"]["dampers"][0]["right"] = {"scale": 1.07}
    last["suspension"]["dampers"][0]["scale"] = 0.93
    last["suspension"]["auxiliary_anti_roll"]["rate"] = 5.9e3
    last["suspension"]["camber"]["offset"] = -0.004
    last["suspension"]["toe"]["right"] = {"offset": 0.0013}
    last["brake"] |= {"piston_area": 1.63e-3, "right": {"mu": 0.37}}
    for axle, share in zip(raw["axles"] + [last], (0.47, 0.31, 0.22), strict=True):
        axle["brake_share"] = share
    raw["axles"].append(last)
    raw["drive"] = {"max_torque": 2510.0}
    rear |= {"drive_left": 0.33, "drive_right": 0.29}
    last |= {"drive_left": 0.21, "drive_right": 0.17}
    raw["body"]["added_masses"].append({"name": "load", "mass": 690.0, "location": {"x": -3.97, "y": 0.043, "z": 0.91}})
    return raw


def even_truck() -> Raw:
    """The same truck with both sides alike."""
    raw = truck()

    def without_right(node: Any) -> None:
        if isinstance(node, dict):
            node.pop("right", None)
            for item in node.values():
                without_right(item)
        elif isinstance(node, list):
            for item in node:
                without_right(item)

    without_right(raw)
    for mass in raw["body"]["added_masses"]:
        mass["location"]["y"] = 0.0
    for axle, shares in zip(raw["axles"], ((0.0, 0.0), (0.3, 0.3), (0.2, 0.2)), strict=True):
        axle["drive_left"], axle["drive_right"] = shares
    return raw


def small_truck() -> Raw:
    """The truck with lines instead of tables where wheels are guided: its files are short."""
    raw, car = truck(), to_raw(compact())
    raw["axles"][0]["steering"] = car["steering"]
    for i, axle in enumerate(raw["axles"]):
        suspension = axle["suspension"]
        for name in ("x", "y", "toe", "camber", "side_view_angle"):
            kept = {key: value for key, value in suspension[name].items() if key in ("scale", "offset", "right")}
            suspension[name] = {"rate": 0.01 * (i + 1), **kept}
        elements = [suspension[key] for key in ("spring", "bump_stop", "rebound_stop")] + suspension["dampers"]
        for n, element in enumerate(elements):
            element["ratio"] = 0.7 + 0.03 * n + 0.01 * i
        if "anti_roll_bar" in suspension:
            suspension["anti_roll_bar"]["ratio"] = 2.7
    return raw


def one_axle() -> Raw:
    """The example car's body over its front axle alone: it cannot stand, but it can be put somewhere and evaluated."""
    raw = as_axles(compact())
    raw |= {"axles": raw["axles"][:1], "drive": {"L1": 0.5, "R1": 0.5, "max_torque": 1730.0}}
    raw["axles"][0]["brake_share"] = 0.83
    raw["name"] = "one axle"
    return raw
