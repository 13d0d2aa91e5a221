"""Names for people: of signals, key figures and kinds of events."""

from __future__ import annotations

SIGNALS = {
    "steering": "Steering wheel angle",
    "hand_torque": "Steering wheel torque",
    "throttle": "Drive demand",
    "brake": "Brake demand",
    "speed": "Speed",
    "forward_speed": "Speed",
    "lateral_acceleration": "Lateral acceleration",
    "longitudinal_acceleration": "Longitudinal acceleration",
    "yaw_rate": "Yaw rate",
    "yaw": "Yaw angle",
    "roll": "Roll angle",
    "roll_rate": "Roll rate",
    "pitch": "Pitch angle",
    "side_slip": "Side slip angle",
    "x": "Position x",
    "y": "Position y",
    "height": "Body height",
}

_PARTS = {
    "yaw_rate": "yaw rate",
    "ay": "lateral acceleration",
    "roll": "roll",
    "side_slip": "side slip",
    "steering": "steering wheel",
}
_WHAT = {
    "t90": "{}: response time to 90 %",
    "t_peak": "{}: peak time",
    "overshoot": "{}: overshoot",
    "steady": "{}: steady value",
    "gain": "{}: gain over steering wheel angle",
    "peak": "{}: largest value",
    "gain_low": "{}: gain at the lowest frequency",
    "bandwidth": "{}: bandwidth (−3 dB)",
    "phase_1hz": "{}: phase at 1 Hz",
    "phase": "{}: phase",
    "equivalent_time": "{}: equivalent time",
    "coherence": "{}: least coherence",
    "peak_frequency": "{}: frequency of the largest gain",
    "peak_ratio": "{}: largest gain over gain at the lowest frequency",
}
_FIGURES = {
    "steering_step": "Step of the steering wheel",
    "steering_rate": "Rate of the step",
    "speed_change": "Change of speed during the test",
    "tb_factor": "TB factor (peak time × side slip)",
    "understeer_gradient": "Understeer gradient",
    "steering_gradient": "Steering wheel gradient",
    "roll_gradient": "Roll gradient",
    "side_slip_gradient": "Side slip gradient",
    "rear_compliance": "Cornering compliance of the rear axle",
    "hand_torque_gradient": "Steering torque gradient",
    "characteristic_speed": "Characteristic speed",
    "critical_speed": "Critical speed",
    "ay_max": "Largest steady lateral acceleration",
    "steering_at_0_3g": "Steering wheel angle for 0.3 g",
    "yaw_natural_frequency": "Yaw: natural frequency",
    "yaw_damping": "Yaw: damping ratio",
    "initial_speed": "Speed at the start of braking",
    "stopping_distance": "Stopping distance",
    "stopping_distance_nominal": "Stopping distance, nominal speed",
    "stopping_time": "Stopping time",
    "mfdd": "Mean fully developed deceleration",
    "mean_deceleration": "Mean deceleration over the distance",
    "peak_deceleration": "Largest deceleration",
    "dive_gradient": "Brake dive",
    "squat_gradient": "Squat",
    "v_max": "Largest speed",
    "ax_max": "Largest acceleration",
    "t_402m": "Quarter mile",
    "v_402m": "Speed after the quarter mile",
    "t_1000m": "Standing kilometre",
    "v_1000m": "Speed after one kilometre",
    "road_load_a": "Road load A (constant)",
    "road_load_b": "Road load B (with v)",
    "road_load_c": "Road load C (with v²)",
    "road_load_80": "Road load at 80 km/h",
    "road_load_error": "Uncertainty of the road load",
    "rolling_resistance": "Rolling resistance",
    "drag_area": "Drag area",
    "heave_frequency": "Heave: frequency",
    "heave_damping": "Heave: damping ratio",
    "heave_settling": "Heave: settling time (5 %)",
    "heave_overshoot": "Heave: overshoot",
    "heave_fall": "Height of the fall",
    "pitch_rest": "Pitch at rest",
    "yaw_rate_ratio_1_00": "Yaw rate ratio at COS + 1.00 s",
    "yaw_rate_ratio_1_75": "Yaw rate ratio at COS + 1.75 s",
    "lateral_displacement": "Lateral displacement at BOS + 1.07 s",
    "steering_amplitude": "Amplitude of the steering wheel",
    "swd_pass": "Sine with dwell passed (1) or failed (0)",
}


def figure(key: str) -> str:
    """Return the name of a key figure: ``yaw_rate_t90`` as "Yaw rate: response time to 90 %"."""
    if key in _FIGURES:
        return _FIGURES[key]
    for part, word in _PARTS.items():
        rest = key.removeprefix(f"{part}_")
        if rest != key and rest in _WHAT:
            return _capital(_WHAT[rest].format(word))
        rest = key.removeprefix(f"release_{part}_")
        if rest != key:
            return _capital(f"{word} after release: {rest.replace('_', ' ')}")
    if key.startswith("t_") and key.count("_") == 2:
        _, low, high = key.split("_")
        return f"{low}–{high} km/h"
    return _capital(key.replace("_", " "))


def event(kind: str) -> str:
    """Return the name of a kind of event: ``step_steer`` as "Step steer"."""
    return _capital(kind.replace("_", " ").replace("-", " "))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
