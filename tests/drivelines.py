"""Drivelines for tests: data as files have them."""

from __future__ import annotations

from typing import Any

RPM = 0.10471975511965977

ENGINE: dict[str, Any] = {
    "kind": "simple_engine", "max_torque": 250.0, "max_power": 120e3, "min_torque": -35.0, "inertia": 0.15,
    "idle_speed": 90.0, "stall_speed": 70.0, "rev_limit": 650.0,
}  # fmt: skip
CLUTCH: dict[str, Any] = {"kind": "clutch", "capacity": 400.0, "inertia": 0.021}
GEARBOX: dict[str, Any] = {
    "kind": "manual_gearbox", "ratios": [3.6, 2.1, 1.4, 1.03, 0.82], "inertia": 0.013, "efficiency": 0.97,
    "upshift_speed": "5500 rpm", "downshift_speed": "1800 rpm", "shift_time": 0.4,
}  # fmt: skip
REAR: dict[str, Any] = {"kind": "open_differential", "ratio": 3.7, "efficiency": 0.96, "inertia": 0.024}
RWD: dict[str, Any] = {"layout": "rwd", "engine": ENGINE, "clutch": CLUTCH, "gearbox": GEARBOX, "rear": REAR}
CONVERTER: dict[str, Any] = {
    "kind": "converter",
    "capacity_factor": {"x": [0.0, 0.3, 0.6, 0.8, 0.9, 0.98], "y": [13.5, 13.9, 15.0, 18.0, 23.0, 52.0]},
    "torque_ratio": {"x": [0.0, 0.3, 0.6, 0.8, 0.9, 0.98], "y": [2.1, 1.72, 1.3, 1.05, 1.0, 1.0]},
    "lock_up": {"capacity": 380.0},
}
AUTOMATIC: dict[str, Any] = {
    "kind": "automatic_gearbox", "ratios": [4.2, 2.6, 1.7, 1.25, 1.0, 0.8], "efficiency": 0.95, "inertia": 0.02,
    "comfort": {
        "up": {"x": [1.0, 6.0], "z": [0.0, 1.0], "y": [[210.0, 560.0], [210.0, 560.0]]},
        "down": {"x": [1.0, 6.0], "z": [0.0, 1.0], "y": [[110.0, 260.0], [110.0, 260.0]]},
    },
    "sport": {
        "up": {"x": [1.0, 6.0], "z": [0.0, 1.0], "y": [[330.0, 600.0], [330.0, 600.0]]},
        "down": {"x": [1.0, 6.0], "z": [0.0, 1.0], "y": [[150.0, 300.0], [150.0, 300.0]]},
    },
}  # fmt: skip
MOTOR: dict[str, Any] = {
    "kind": "motor", "inertia": 0.05, "ratio": 9.0,
    "torque_map": {
        "x": [0.0, 400.0, 800.0, 1200.0], "z": [0.0, 1.0],
        "y": [[0.0, 310.0], [0.0, 305.0], [0.0, 150.0], [0.0, 100.0]],
    },
    "braking_map": {
        "x": [0.0, 400.0, 800.0, 1200.0], "z": [0.0, 1.0], "y": [[0.0, 200.0], [0.0, 200.0], [0.0, 120.0], [0.0, 80.0]],
    },
    "coasting": {"x": [0.0, 1200.0], "y": [-8.0, -14.0]},
    "efficiency": 0.92,
}  # fmt: skip
BATTERY: dict[str, Any] = {"kind": "battery", "state_of_charge": 0.7, "auxiliary_power": 450.0}

MAP: dict[str, Any] = {
    "x": [0.0, 100.0, 300.0, 500.0, 750.0], "z": [0.0, 0.5, 1.0],
    "y": [[0.0, 20.0, 60.0], [-20.0, 90.0, 150.0], [-30.0, 110.0, 210.0], [-45.0, 80.0, 190.0], [-60.0, 20.0, 100.0]],
}  # fmt: skip


def every_member(examples: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """One of each kind on one axle: differentials side by side on both wheels, each driven by a machine."""
    joined = [
        ("simple_engine", "crank"), ("clutch", "crank", "a"), ("manual_gearbox", "a", "b"),
        ("open_differential", "b", "L1", "R1"), ("motor", "c"), ("gear", "c", "d"),
        ("locked_differential", "d", "L1", "R1"), ("engine", "e"), ("dual_clutch", "e", "f"),
        ("elastic_shaft", "f", "g"), ("limited_slip_differential", "g", "L1", "R1"), ("simple_engine", "h"),
        ("converter", "h", "i"), ("automatic_gearbox", "i", "j"), ("table_differential", "j", "L1", "R1"),
        ("retarder", "d"), ("launch_control",), ("parallel_hybrid",),
    ]  # fmt: skip
    return [
        {**examples[kind], "kind": kind, "name": f"m{n}", "shafts": list(shafts)}
        for n, (kind, *shafts) in enumerate(joined)
    ]
