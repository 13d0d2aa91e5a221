"""A driver who steers along a connecting contour: a cubic from the car to the path, renewed at every sample.

In the frame of motion (``lateral``), with the side slip β of the driver frame, the contour begins at the car in the
direction in which it moves and ends on the path, in its direction, at the preview distance

    D = max(v PT, D_min, L),   where the path turns sharply D ≤ max(0.7/|κ|, L)                                   (1)

    y = a₁ x + a₂ x² + a₃ x³,   a₁ = tan β,   a₂ = (3 Y − X (2 a₁ + m))/X²                                         (2)

with the end (X, Y) and its slope m. The curvature at its start is what the car shall have now; the direction of the
velocity above the steered axle gives the wheels, the slip angle of their tires in the bend of the path is added (C_f
per lateral acceleration):

    κ_c = 2 a₂/(1 + a₁²)^{3/2},   δ = atan(tan β ± L κ_c/cos β) + C_f v² κ                                         (3)

± as the car moves forwards or reverses. Reversing and at walking pace β counts as zero, which it is without tires; with
them it answers to steering before the car turns, and (3) would swing the hand wheel from lock to lock. (With κ_c
instead of the path's κ the last term would double the gain of the loop at speed.) Near a straight path a kinematic car
obeys e'' + 4/D e' + 6/D² e = 0 over its way: ω = √6/PT, ζ = 0.816. On a circle it runs outside by D⁴/(24 R³).

The end is, ``advanced`` = 0, the foot on the path of the point D ahead in the direction of motion, or, 1, the place of
the path D ahead of the foot of the car, for radii of a few metres. Where the end does not lie ahead (X < 0.3 D, or the
path leads back), the driver turns towards it on a circle, κ = 2 Y/(X² + Y²), and ``driver.lost`` is 1.

Corrections:

    anticipation     the contour begins and ends AC v further along the path, with the error of now                (4)
    yaw rate         Δδ = L/v (K_p e + K_i ∫e dt + K_d ė),   e = v κ_c − ψ̇,   above 3 m/s                         (5)
    path distance    Δκ = −6/D² K_p ∫e_d dt while |e_d| < 0.1 m, from zero whenever it comes back                  (6)

(5) makes the car turn as the contour asks, whatever its tires do; its integral stays within a share of the lock and
rests while the hand wheel is at its end. In (6) e_d is the offset of the driver frame.

At the limit more angle of the wheels gives no more force: they stay within ``largest_slip`` of the direction in which
the steered axle moves,

    |δ − atan(tan β ± L ψ̇/(v cos β))| ≤ α_max,   above 3 m/s                                                       (8)

``smoothing`` (0 to 1) is for straight roads of rough surface: the contour is looked at over a longer preview, (5) is
off, and what the law asks for goes through a filter of first order:

    D → D (1 + smoothing),   δ_H ← δ_H + T/(T + smoothing τ) (δ − δ_H)                                              (7)

(2), (3) after the connecting contour of differentially flat cars [Rouchon1993]; (5) compares with κ_c, not with
the curvature of the path: an integral over the latter is the error of heading and takes no offset away. Ours: the
limits of (1), (6), (7), the circle.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.driver.human import LEAST_PREVIEW
from jounce.components.driver.lateral import Lateral, View
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import atan, clip, cos, fabs, fmax, fmin, if_else, logic_and, logic_not, logic_or, sin, tan

WALKING = 1.0  # m/s, below which side slip is not looked at; all of it from ``LEAST_SPEED`` on
TURNS = 0.7  # rad of the path within the preview distance
AHEAD = 0.3  # of the preview distance, and of the cosine of the path's direction
LEAST_SPEED = 3.0  # m/s, of the yaw rate correction
SMOOTHING_TIME = 0.3  # s
STEEPEST = 1.5  # tangent of the side slip that a contour begins with


class Contour(Lateral):
    """Steers along a connecting contour."""

    kind: Literal["contour"] = choice("contour", doc="kind of driver")
    preview_time: float = quantity("s", 0.8, gt=0, typical=(0.2, 2.0), doc="PT")
    least_preview: float = quantity("m", 5.0, gt=0, typical=(2.0, 30.0), doc="least preview distance, D_min")
    anticipation: float = quantity("s", 0.0, typical=(-0.3, 0.3), doc="AC, by which the contour begins early")
    advanced: float = quantity(
        "-", 0.0, ge=0, le=1, doc="1: the end is D along the path, 0: the foot of the point ahead"
    )
    yaw_gain: float = quantity("-", 0.6, ge=0, typical=(0.05, 2.0), doc="K_p of the yaw rate")
    yaw_integral: float = quantity("1/s", 0.5, ge=0, typical=(0.1, 10.0), doc="K_i of the yaw rate")
    yaw_derivative: float = quantity("s", 0.0, ge=0, typical=(0.001, 0.5), doc="K_d of the yaw rate")
    yaw_share: float = quantity("-", 0.2, ge=0, le=1, doc="of the lock that the integral may use")
    largest_slip: float = quantity(
        "rad", 0.16, gt=0, typical=(0.05, 0.5), doc="of the steered axle, α_max, with what gives way in its suspension"
    )
    distance_integral: float = quantity("1/s", 0.2, ge=0, typical=(0.01, 2.0), doc="K_p of the path distance")
    distance_band: float = quantity("m", 0.1, ge=0, typical=(0.01, 1.0), doc="in which the path distance is taken away")
    smoothing: float = quantity("-", 0.0, ge=0, le=1, doc="for straight rough roads; 0: off")

    def law(self, at: VehicleModel, p: Symbols, view: View) -> Any:
        block = p.kept["block"]
        s = {
            name: block.signal(name, unit, doc)
            for name, (unit, doc) in {
                "curvature": ("1/m", "of the contour at its start"),
                "yaw_error": ("rad/s", "of the contour's less that of the car"),
                "yaw_sum": ("rad", "its integral"),
                "distance_sum": ("m.s", "integral of the offset inside its band"),
                "target_x": ("m", "end of the contour, world"),
                "target_y": ("m", "end of the contour, world"),
                "target_station": ("m", "end of the contour on the path"),
                "preview": ("m", "preview distance"),
                "lost": ("-", "1 while the path does not lie ahead"),
                "smooth": ("rad", "filtered hand wheel angle"),
            }.items()
        }
        h, v = view.period, fmax(view.speed, 0.0)
        length, ratio = view.wheelbase, view.ratio

        # where the contour begins (4)
        robot = self.person is None
        early = v * p.anticipation
        view = view.later(early) if robot else view
        counts = clip((v - WALKING) / (LEAST_SPEED - WALKING), 0.0, 1.0)
        beta = if_else(view.direction > 0, counts, 0.0) * view.side_slip  # see (3)

        # where it ends (1)
        preview = p.preview_time if robot else fmax(p.preview_time, LEAST_PREVIEW)
        wanted = fmax(fmax(v * preview, p.least_preview), length) * (1 + p.smoothing)
        bend = fmax(fabs(view.here.curvature), fabs(view.on_path(wanted).curvature))
        distance = fmin(wanted, fmax(TURNS / fmax(bend, 1e-9), length))
        look = view.in_plan(distance * cos(beta), distance * sin(beta))
        ahead_on_path = view.station + view.along * distance
        foot = view.paths.project(view.number, *look, view.here.z, ahead_on_path)
        station = if_else(p.advanced > 0.5, ahead_on_path, foot.station)
        end = view.travelled(station)
        ex, ey = view.seen(end.x - view.place[0], end.y - view.place[1])
        tx, ty = view.seen(cos(end.heading), sin(end.heading))

        # the contour (2), or a circle where its end is not ahead
        a1 = clip(tan(beta), -STEEPEST, STEEPEST)
        there = logic_and(ex > AHEAD * distance, tx > AHEAD * (tx * tx + ty * ty) ** 0.5)
        far = if_else(there, ex, distance)
        slope = ty / if_else(there, tx, 1.0)
        a2 = (3 * ey - far * (2 * a1 + slope)) / (far * far)
        # (6)
        inside = fabs(view.offset) < p.distance_band
        summed = if_else(logic_and(inside, logic_not(view.starts)), s["distance_sum"] + h * view.offset, 0.0)
        circle = 2 * ey / fmax(ex * ex + ey * ey, length * length)
        kappa = if_else(there, 2 * a2 / (1 + a1 * a1) ** 1.5, circle)
        asked = kappa - p.distance_integral * 6 / (distance * distance) * summed

        # the wheels (3)
        wheels = atan(a1 + view.direction * length * asked * (1 + a1 * a1) ** 0.5)
        wheels = wheels + if_else(view.direction > 0, p.front_slip, 0.0) * v * v * view.on_path(0.0).curvature

        # yaw rate (5)
        fast = logic_and(v > LEAST_SPEED, p.smoothing <= 0)
        error = if_else(fast, v * asked - view.yaw_rate, 0.0)
        rate = if_else(logic_or(view.starts, logic_not(fast)), 0.0, (error - s["yaw_error"]) / h)
        most = p.yaw_share * p.lock / (fmax(fabs(ratio), 1e-3) * length) * fmax(v, LEAST_SPEED)
        held = fabs(view.last) >= 0.999 * p.lock
        summed_yaw = if_else(view.starts, 0.0, if_else(logic_or(held, logic_not(fast)), s["yaw_sum"],
                             clip(s["yaw_sum"] + p.yaw_integral * h * error, -most, most)))  # fmt: skip
        more = p.yaw_gain * error + summed_yaw + p.yaw_derivative * rate
        wheels = wheels + if_else(fast, view.direction * length / fmax(v, LEAST_SPEED) * more, 0.0)

        # (8)
        moves = atan(a1 + view.direction * length * view.yaw_rate / fmax(v, LEAST_SPEED) * (1 + a1 * a1) ** 0.5)
        kept = clip(wheels, moves - p.largest_slip, moves + p.largest_slip)
        demand = ratio * if_else(v > LEAST_SPEED, kept, wheels)
        before = if_else(view.starts, demand, s["smooth"])
        smooth = before + h / (h + p.smoothing * SMOOTHING_TIME) * (demand - before)  # (7)
        values = {
            "curvature": kappa, "yaw_error": error, "yaw_sum": summed_yaw, "distance_sum": summed,
            "target_x": end.x, "target_y": end.y, "target_station": station, "preview": distance,
            "lost": if_else(there, 0.0, 1.0), "smooth": smooth,
        }  # fmt: skip
        for name, value in values.items():
            block.update(s[name], value)
        p.kept["contour"] = s
        return smooth

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        super().tell(at, p)
        s = p.kept["contour"]
        for name, unit, doc in (
            ("target_x", "m", "end of the contour, world"),
            ("target_y", "m", "end of the contour, world"),
            ("target_station", "m", "end of the contour on the path"),
            ("preview", "m", "preview distance"),
        ):
            at.channel(f"driver.{name}", s[name], unit, doc, watch=name == "target_station")
        at.channel("driver.target_curvature", s["curvature"], "1/m", "that the car shall have now")
        at.channel("driver.lost", s["lost"], "-", "1 while the path does not lie ahead", watch=True)
