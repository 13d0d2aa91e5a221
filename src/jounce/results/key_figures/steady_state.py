"""Steady-state cornering, after ISO 4138: gradients over lateral acceleration and the limit.

Constant radius with rising speed, or constant speed with a slowly turning steering wheel: both are read as a sequence
of steady states. With the steering wheel angle δ_H, the overall steering ratio i, the wheelbase L, the curvature κ =
1/R of the path and the distance b from the centre of gravity to the rear axle, the gradients are slopes of straight
lines fitted over the linear range, 0.1 g to 0.4 g:

    understeer gradient    K = d(δ_H/i − L κ)/da_y
    side slip gradient     dβ/da_y
    rear axle compliance   −d(β − b κ)/da_y
    roll gradient          dφ/da_y
    characteristic speed   √(L/K); critical speed √(−L/K) where K < 0

On a constant radius the second term of K vanishes, at constant speed it is L/v². Runs to the right are mirrored. A
steering wheel that turns so fast that the car lags moves the lines, not their slopes.
"""

from __future__ import annotations

import math

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, PER_G, Array, moving_mean, slope, sound, unsound
from jounce.results.run import Run

LINEAR = (0.1, 0.4)  # g
SIS_LINE = (0.1, 0.375)  # g, range of the line by which FMVSS 126 finds the angle for 0.3 g
AT = 4.0  # m/s², where hand torques are compared
QUICK = 0.15  # relative difference of a_y and v·ψ̇ beyond which a ramp is too quick
FEWEST = 10  # samples of a line
NO_LINE = "steady state: the steering angle is no straight line"
SMOOTH = 0.25  # s, over which signals are averaged
SLOWEST = 0.1  # m/s

WORDS = {
    "understeer_gradient": "Understeer gradient",
    "steering_gradient": "Steering wheel gradient",
    "roll_gradient": "Roll gradient",
    "side_slip_gradient": "Side slip gradient",
    "rear_compliance": "Cornering compliance of the rear axle",
    "hand_torque_gradient": "Steering torque gradient",
    "hand_torque_at_4ms2": "Steering torque at 4 m/s²",
    "characteristic_speed": "Characteristic speed",
    "critical_speed": "Critical speed",
    "ay_max": "Largest steady lateral acceleration",
    "steering_at_0_3g": "Steering wheel angle for 0.3 g",
}
FIRST = ("understeer_gradient", "ay_max", "roll_gradient", "yaw_rate_gain", "characteristic_speed")


def steady_state(
    time: Array,
    steering: Array,
    lateral_acceleration: Array,
    speed: Array,
    *,
    yaw_rate: Array | None = None,
    roll: Array | None = None,
    side_slip: Array | None = None,
    hand_torque: Array | None = None,
    steering_ratio: float = math.nan,
    wheelbase: float = math.nan,
    cg_to_rear: float = math.nan,
    start: float = -math.inf,
    linear: tuple[float, float] = LINEAR,
) -> Figures:
    """Return the key figures of a slow ramp of steering angle or of speed.

    Parameters
    ----------
    time, steering, lateral_acceleration, speed : s, rad at the steering wheel, m/s², m/s
    yaw_rate, roll, side_slip, hand_torque : rad/s, rad, rad, N.m; what is left out is not told
    steering_ratio : overall, steering wheel over road wheel; wheelbase, cg_to_rear : m
    start : when the ramp begins, s; what lies before (entry into the circle) is left out
    linear : range of the lines, g

    Returns
    -------
    understeer_gradient, roll_gradient, side_slip_gradient, rear_compliance (deg/g), hand_torque_gradient (N.m/g),
    hand_torque_at_4ms2 (N.m), steering_gradient (deg/g at the steering wheel), characteristic_speed or critical_speed
    (km/h), ay_max (g),
    steering_at_0_3g (deg) and, at constant speed, yaw_rate_gain (1/s)
    """
    figures = Figures()
    why = unsound(time, steering, lateral_acceleration, speed, least=FEWEST)
    valid = time >= start
    if why or not valid.any():
        figures.missing(["ay_max"], "g_0", f"steady state: {why or 'no data after the start of the ramp'}")
        return figures
    given = sound(figures, "steady state", yaw_rate=yaw_rate, roll=roll, side_slip=side_slip, hand_torque=hand_torque)
    smooth = moving_mean(time, lateral_acceleration, SMOOTH)
    top = int(np.argmax(np.where(valid, np.abs(smooth), -1.0)))
    side = math.copysign(1.0, float(smooth[top]))
    ay_max = abs(float(smooth[top])) / GRAVITY
    figures.put("ay_max", ay_max, "g_0")
    tail = time >= time[-1] - 1.0
    if top >= len(time) - 2 and slope(time[tail], side * smooth[tail])[0] > 0.01 * GRAVITY:
        figures.warn("steady state: the lateral acceleration still rises at the end; ay_max is not the limit")

    a = side * smooth / GRAVITY
    rising = valid & (np.arange(len(time)) <= top)
    rows = rising & (a >= linear[0]) & (a <= linear[1])
    names = ["understeer_gradient", "steering_gradient", "roll_gradient", "side_slip_gradient", "rear_compliance"]
    reach = float(a[rows].max() - a[rows].min()) if rows.any() else 0.0
    if np.count_nonzero(rows) < FEWEST or reach < 0.6 * (linear[1] - linear[0]):
        why = f"steady state: too little between {linear[0]:g} g and {linear[1]:g} g for a straight line"
        figures.missing(names, "deg/g_0", why)
        figures.missing(["characteristic_speed"], "km/h", why)
        return figures

    # the same mean for all: a line over a noisy a_y would come out too flat
    def smoothed(signal: Array) -> Array:
        return side * moving_mean(time, signal, SMOOTH)[rows]

    ay, wheel = smoothed(lateral_acceleration), smoothed(steering)
    v = np.maximum(side * smoothed(speed), SLOWEST)
    curvature = smoothed(given["yaw_rate"]) / v if "yaw_rate" in given else ay / (v * v)

    gradient, _, explained = slope(ay, wheel)
    figures.put("steering_gradient", gradient * PER_G, "deg/g_0")
    if explained < 0.9:
        figures.warn(f"{NO_LINE} over a_y (R² = {explained:.2f})")
    if math.isnan(steering_ratio) or math.isnan(wheelbase):
        why = "steady state: understeer gradient needs the steering ratio and the wheelbase"
        figures.missing(["understeer_gradient"], "deg/g_0", why)
        figures.missing(["characteristic_speed"], "km/h", why)
    else:
        k, _, _ = slope(ay, wheel / steering_ratio - wheelbase * curvature)
        figures.put("understeer_gradient", k * PER_G, "deg/g_0")
        name = "characteristic_speed" if k >= 0 else "critical_speed"
        figures.put(name, 3.6 * math.sqrt(wheelbase / abs(k)) if k else math.inf, "km/h")
    if "roll" in given:
        figures.put("roll_gradient", slope(ay, smoothed(given["roll"]))[0] * PER_G, "deg/g_0")
    if "side_slip" in given:
        slip = smoothed(given["side_slip"])
        figures.put("side_slip_gradient", slope(ay, slip)[0] * PER_G, "deg/g_0")
        if not math.isnan(cg_to_rear):
            figures.put("rear_compliance", -slope(ay, slip - cg_to_rear * curvature)[0] * PER_G, "deg/g_0")
    if "hand_torque" in given:
        figures.put("hand_torque_gradient", slope(ay, smoothed(given["hand_torque"]))[0] * GRAVITY, "N.m/g_0")
        if ay_max > AT / GRAVITY:
            torque = side * moving_mean(time, given["hand_torque"], SMOOTH)
            first = int(np.argmax(rising & (a >= AT / GRAVITY)))
            figures.put("hand_torque_at_4ms2", float(np.interp(AT, GRAVITY * a[first - 1 : first + 1],
                                                               torque[first - 1 : first + 1])), "N.m")  # fmt: skip
    if "yaw_rate" in given:
        lag = float(np.mean(np.abs(ay - v * smoothed(given["yaw_rate"])))) / float(np.mean(np.abs(ay)))
        if lag > QUICK:
            figures.warn(f"steady state: not a sequence of steady states, a_y and v·ψ̇ differ by {lag:.0%} on average")
    if "yaw_rate" in given and float(np.ptp(v)) < 0.03 * float(v.mean()):
        figures.put("yaw_rate_gain", slope(wheel, smoothed(given["yaw_rate"]))[0], "1/s")

    line = rising & (a >= SIS_LINE[0]) & (a <= SIS_LINE[1])
    per_g, offset, _ = slope(side * lateral_acceleration[line] / GRAVITY, side * steering[line])
    figures.put("steering_at_0_3g", (offset + 0.3 * per_g) / DEGREE, "deg")
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run; the ramp starts at the event's ``start_time`` if it has one."""
    optional = run.given("yaw_rate", "roll", "side_slip", "hand_torque")
    begin = run.number("start_time", "s")
    return steady_state(
        run.time,
        run.signal("steering"),
        run.signal("lateral_acceleration"),
        run.signal("speed"),
        **optional,
        steering_ratio=run.quantity("steering_ratio"),
        wheelbase=run.quantity("wheelbase"),
        cg_to_rear=run.quantity("cg_to_rear"),
        start=-math.inf if math.isnan(begin) else begin,
    )
