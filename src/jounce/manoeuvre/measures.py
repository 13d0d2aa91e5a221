"""What end conditions may ask for: names of driver files, with their units and the channels of a vehicle.

A measure is one of the driver's own clock and distances, or stands for a channel. Any watched channel may be asked for
by its own name; its unit is that of the channel.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """A quantity that a condition compares.

    unit : SI
    source : of the program ("phase_time", "time"), or "" where it is a channel
    channel : of the vehicle
    """

    name: str
    unit: str
    doc: str
    channel: str = ""
    source: str = ""
    of_stage: bool = False  # counts from where the stage was entered


_ALL = (
    Measure("time", "s", "in the stage", source="phase_time"),
    Measure("global_time", "s", "of the run", source="time"),
    Measure("traveled_distance", "m", "in the stage", "driver.distance", of_stage=True),
    Measure("global_traveled_distance", "m", "in the run", "driver.distance"),
    Measure("path_s", "m", "station on the path", "driving_machine_monitor.path_s"),
    Measure("path_distance", "m", "from the path, left positive", "driving_machine_monitor.path_distance"),
    Measure("radius", "m", "of the trajectory", "driver.radius"),
    Measure("curvature", "1/m", "of the trajectory, left positive", "driver.curvature"),
    Measure("gyro_dx", "m", "forward, from where the stage was entered, world", "chassis_displacements.longitudinal",
            of_stage=True),
    Measure("gyro_dy", "m", "to the left, from where the stage was entered, world", "chassis_displacements.lateral",
            of_stage=True),
    Measure("velocity", "m/s", "along the vehicle", "chassis_velocities.longitudinal"),
    Measure("lon_accel", "m/s2", "along the vehicle", "chassis_accelerations.longitudinal"),
    Measure("lat_accel", "m/s2", "to the left", "chassis_accelerations.lateral"),
    Measure("yaw_angle", "rad", "", "chassis_displacements.yaw"),
    Measure("yaw_rate", "rad/s", "", "chassis_velocities.yaw"),
    Measure("yaw_accel", "rad/s2", "", "chassis_accelerations.yaw"),
    Measure("pitch_angle", "rad", "", "chassis_displacements.pitch"),
    Measure("roll_angle", "rad", "", "chassis_displacements.roll"),
    Measure("roll_vel", "rad/s", "", "chassis_velocities.roll"),
    Measure("side_slip_ang", "rad", "", "Vehicle.Side_Slip_Angle"),
    Measure("steering_ang", "rad", "of the hand wheel", "driver_demands.steering"),
    Measure("steer_ang_vel", "rad/s", "of the hand wheel", "driver_demands.steering_velocity"),
    Measure("engine_speed", "rad/s", "", "Engine.clutch_inputplate_omega"),
    Measure("engine_torque", "N.m", "", "Engine.torque"),
    Measure("engine_acc", "rad/s2", "", "Engine.clutch_inputplate_alpha"),
    Measure("clutch_torque", "N.m", "", "Transmission.clutch_outputplate_torque"),
    Measure("clutch_demand", "-", "1: open", "driver_demands.clutch"),
)  # fmt: skip

MEASURES: dict[str, Measure] = {item.name: item for item in _ALL}
ALIASES = {"distance": "traveled_distance", "travelled_distance": "traveled_distance"}


def measure(name: str) -> Measure | None:
    """A measure by its name, in any case; None: it must be a channel."""
    key = name.strip().lower()
    return MEASURES.get(ALIASES.get(key, key))
