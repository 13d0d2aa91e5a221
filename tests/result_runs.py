"""Runs for tests of results: the linear single-track car, by its exact solution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.results.figures import Figures
from jounce.results.run import Run

DEG = math.pi / 180
MASS, YAW_INERTIA, FRONT, REAR = 1650.0, 2600.0, 1.35, 1.45
STIFFNESS_FRONT, STIFFNESS_REAR, RATIO = 95e3, 135e3, 15.0


def value(figures: Figures, name: str) -> float:
    """A key figure without its unit."""
    return figures[name][0]


def step_response(t: np.ndarray, at: float, frequency: float, damping: float) -> np.ndarray:
    """1 − e^(−ζω₀τ)(cos ω_d τ + ζ/√(1−ζ²) sin ω_d τ) from ``at`` on."""
    w0 = 2 * math.pi * frequency
    wd = w0 * math.sqrt(1 - damping**2)
    tau = np.maximum(t - at, 0.0)
    return 1 - np.exp(-damping * w0 * tau) * (np.cos(wd * tau) + damping * w0 / wd * np.sin(wd * tau))


def understeer_gradient(front: float = STIFFNESS_FRONT) -> float:
    """Closed form of the bicycle model, rad per m/s²."""
    wheelbase = FRONT + REAR
    return MASS * (REAR * STIFFNESS_REAR - FRONT * front) / (wheelbase * front * STIFFNESS_REAR)


def bicycle(v: float, front: float = STIFFNESS_FRONT) -> tuple[np.ndarray, np.ndarray]:
    """Matrix and entry of side slip and yaw rate over the steering wheel angle."""
    a, b = FRONT, REAR
    matrix = np.array(
        [
            [-(front + STIFFNESS_REAR) / (MASS * v), (b * STIFFNESS_REAR - a * front) / (MASS * v * v) - 1],
            [
                (b * STIFFNESS_REAR - a * front) / YAW_INERTIA,
                -(a * a * front + b * b * STIFFNESS_REAR) / (YAW_INERTIA * v),
            ],
        ]
    )
    return matrix, np.array([[front / (MASS * v)], [a * front / YAW_INERTIA]]) / RATIO


def drive(kind: str, *, speed: float = 27.78, end: float = 8.0, front: float = STIFFNESS_FRONT, **metadata: Any) -> Run:
    """A run of the bicycle model."""
    from scipy import signal

    t = np.arange(0, end, 0.01)
    steering = {
        "step_steer": np.clip((t - 1) * 400 * DEG, 0, 24 * DEG),
        "ramp_steer": np.clip((t - 1) * 3.0 * DEG, 0, None),
    }[kind]
    a, b, v = FRONT, REAR, speed
    matrix, entry = bicycle(speed, front)
    _, x, _ = signal.lsim((matrix, entry, np.eye(2), np.zeros((2, 1))), steering, t)
    slip, yaw = x.T
    lateral = v * (matrix[0, 0] * slip + (matrix[0, 1] + 1) * yaw + entry[0, 0] * steering)
    angle = np.concatenate([[0], np.cumsum(0.5 * (yaw[1:] + yaw[:-1]) * 0.01)])
    course = angle + slip

    def integral(rate: np.ndarray) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * 0.01)])

    channels = {
        "driver_demands.steering": (steering, "rad"),
        "chassis_velocities.yaw": (yaw, "rad/s"),
        "chassis_velocities.lateral": (v * slip, "m/s"),
        "System_Mass_Center.Tracking_Ay": (lateral, "m/s2"),
        "System_Mass_Center.Speed": (np.full_like(t, v), "m/s"),
        "System_Mass_Center.Side_Slip_Angle": (slip, "rad"),
        "System_Mass_Center.Global_X": (integral(v * np.cos(course)), "m"),
        "System_Mass_Center.Global_Y": (integral(v * np.sin(course)), "m"),
        "chassis_displacements.roll": (4.2 * DEG / GRAVITY * lateral, "rad"),
    }
    for corner in ("L1", "R1", "L2", "R2"):
        channels[f"Tire.Ground_Surface_Force_Z.{corner}"] = (np.full_like(t, MASS * GRAVITY / 4), "N")
    quantities = {"mass": MASS, "wheelbase": a + b, "steering_ratio": RATIO, "cg_to_rear": b}
    data = {
        "vehicle": {"name": "sedan", "class": "sedan", "summary": {"Mass": [MASS, "kg"]}, "quantities": quantities},
        "event": {"kind": kind, "parameters": {"speed": [100, "km/h"], "start_time": [1.0, "s"]}},
        "version": "0.1.0",
        "timing": {"simulated": end, "wall": 0.05},
        **metadata,
    }
    values = {name: item[0] for name, item in channels.items()}
    return Run(t, values, {name: item[1] for name, item in channels.items()}, data)
