"""Make the pictures of the documentation: python tools/make_doc_figures.py

docs/images/vehicle/signs.png      axes and positive directions of a car, from above, from behind and from the left
docs/images/vehicle/front_maps.png guidance of the sedan's front wheels, as the model interpolates it
docs/images/vehicle/compliance.png steer of the library's front wheels by side force and aligning moment
docs/images/vehicle/friction.png   friction of the sedan's suspensions on a road that shakes it
docs/images/kc/front_axle.png      curves of the sedan's front axle on the suspension rig
docs/images/kc/loop.png            vertical force of a wheel whose strut rubs, up and down, as docs/kc.md has it
docs/images/kc/budget.png          understeer budget of the sedan with wheels that give way
docs/images/vehicle/steering.png   what the hands feel of the road in the sedan, and what friction does to it
docs/images/vehicle/steering_assist.png  kingpin moments of the cars with power assistance, and hand torques
docs/images/vehicle/aerodynamics.png  the table of docs/aerodynamics.md, and its car past the fans
docs/images/vehicle/body.png       a sedan on its roof, and what sensors feel at its seat (docs/body.md)
docs/images/vehicle/setup.png      the set-up of docs/setup.md, and push-rods of the formula car over its cross weight
docs/images/kc/rear_axle.png       curves of the worked example of docs/kc_import.md, over its points
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import Arc, Ellipse, FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.transforms import Affine2D

from jounce.vehicle import Curve, Vehicle, load

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images" / "vehicle"
DPI = 130
BODY, TIRE, AXIS, TURN = "#d9dee3", "#3b4048", "#1f4e8c", "#b3432b"


def arrow(ax: Any, start: Any, end: Any, color: str, text: str = "", at: Any = None, **options: Any) -> None:
    style = {"arrowstyle": "-|>", "mutation_scale": 12, "lw": 1.6, "shrinkA": 0, "shrinkB": 0, "zorder": 6, **options}
    ax.add_patch(FancyArrowPatch(start, end, color=color, **style))
    if text:
        label(ax, *(at or end), text, color)


def label(ax: Any, x: float, y: float, text: str, color: str, **options: Any) -> None:
    options = {"ha": "center", "va": "center", "fontsize": 8.5, "zorder": 7, **options}
    ax.text(x, y, text, color=color, **options)


def turn(ax: Any, centre: Any, radius: float, first: float, last: float, text: str, at: Any, **options: Any) -> None:
    """A rotation from one angle (deg) to another, counterclockwise when last > first."""
    low, high = min(first, last), max(first, last)
    ax.add_patch(Arc(centre, 2 * radius, 2 * radius, theta1=low, theta2=high, color=TURN, lw=1.6, zorder=6))
    end = np.radians(last)
    tip = np.array(centre) + radius * np.array([np.cos(end), np.sin(end)])
    way = np.sign(last - first) * np.array([-np.sin(end), np.cos(end)])
    ax.add_patch(FancyArrowPatch(tip - 0.02 * way, tip + 0.05 * way, color=TURN, arrowstyle="-|>", mutation_scale=11,
                                 lw=0.1, shrinkA=0, shrinkB=0, zorder=6))  # fmt: skip
    label(ax, *at, text, TURN, **options)


def wheel_box(ax: Any, centre: Any, width: float, height: float, degrees: float = 0.0, **options: Any) -> None:
    """A wheel seen from above or behind, turned counterclockwise."""
    style = {"facecolor": TIRE, "edgecolor": "black", "lw": 0.8, "zorder": 3, **options}
    box = Rectangle((-width / 2, -height / 2), width, height, **style)
    box.set_transform(Affine2D().rotate_deg(degrees).translate(*centre) + ax.transData)
    ax.add_patch(box)


def finish(ax: Any, title: str, x: Any, y: Any) -> None:
    ax.set(xlim=x, ylim=y, aspect="equal")
    ax.set_title(title, fontsize=10, loc="left")
    ax.axis("off")


def from_above(ax: Any) -> None:
    """x to the right, y upwards."""
    length, half = 2.87, 0.785
    ax.add_patch(FancyBboxPatch((-3.65, -0.75), 4.45, 1.5, boxstyle="round,pad=0.05,rounding_size=0.3", facecolor=BODY,
                                edgecolor="#8a929b", zorder=1))  # fmt: skip
    outline = {"facecolor": "none", "edgecolor": TURN, "ls": "--", "lw": 1.3, "zorder": 5}
    for name, x, y in (("L1", 0, half), ("R1", 0, -half), ("L2", -length, half), ("R2", -length, -half)):
        wheel_box(ax, (x, y), 0.63, 0.22)
        label(ax, x - 0.62, y - 0.2 * np.sign(y), name, "black", fontsize=9, weight="bold")
        if x == 0:
            wheel_box(ax, (x, y), 0.63, 0.22, 22, **outline)
    turn(ax, (0, half), 0.62, 0, 24, "steer ψ, left", (1.12, half + 0.2))
    turn(ax, (-length, half), 0.62, 0, -22, "toe-in", (-length + 0.92, half - 0.12))
    turn(ax, (-length, -half), 0.62, 0, 22, "toe-in", (-length + 0.92, -half + 0.12))
    for sign in (1, -1):
        wheel_box(ax, (-length, sign * half), 0.63, 0.22, -14 * sign, **outline)
    arrow(ax, (0, 0), (1.25, 0), AXIS, "x", (1.38, 0))
    arrow(ax, (0, 0), (0, 0.6), AXIS, "y", (0.12, 0.52))
    ax.plot(0, 0, "o", color=AXIS, ms=5, zorder=7)
    label(ax, -0.06, -0.2, "reference frame", AXIS, fontsize=7.5)
    cg = (-1.39, 0.0)
    ax.add_patch(Ellipse(cg, 0.13, 0.13, facecolor="white", edgecolor="black", zorder=6))
    ax.plot(*cg, "+", color="black", ms=8, zorder=7)
    label(ax, cg[0], -0.2, "centre of gravity", "black", fontsize=7.5)
    turn(ax, cg, 0.42, 20, 150, "yaw", (cg[0], 0.58))
    finish(ax, "from above", (-3.9, 1.9), (-1.35, 1.5))


def from_behind(ax: Any) -> None:
    """y to the left, z upwards."""
    half, height = 0.785, 0.33
    ax.plot([-1.55, 1.55], [0, 0], color="#8a929b", lw=1, zorder=0)
    ax.add_patch(FancyBboxPatch((-0.6, 0.35), 1.2, 0.95, boxstyle="round,pad=0.05,rounding_size=0.2", facecolor=BODY,
                                edgecolor="#8a929b", zorder=1))  # fmt: skip
    outline = {"facecolor": "none", "edgecolor": TURN, "ls": "--", "lw": 1.3, "zorder": 5}
    for sign, name in ((-1, "L2"), (1, "R2")):  # the left wheel stands on the left
        wheel_box(ax, (sign * half, height), 0.2, 0.66)
        wheel_box(ax, (sign * half, height), 0.2, 0.66, -14 * sign, **outline)
        label(ax, sign * half, -0.13, name, "black", fontsize=9, weight="bold")
        arrow(ax, (sign * 1.28, 0.15), (sign * 1.28, 0.6), AXIS, "travel J", (sign * 1.28, 0.72))
        label(ax, sign * 1.15, 0.95, "camber", TURN)
    arrow(ax, (0, 0.02), (0, 0.62), AXIS, "z", (0.1, 0.58))
    arrow(ax, (0, 0.02), (-0.5, 0.02), AXIS, "y", (-0.46, 0.12))
    turn(ax, (0, 0.62), 0.52, 140, 40, "roll", (0, 1.0))
    finish(ax, "from behind", (-1.7, 1.7), (-0.3, 1.6))


def from_the_left(ax: Any) -> None:
    """x to the left, z upwards."""
    length, radius = 2.87, 0.33
    ax.plot([-1.0, 3.9], [0, 0], color="#8a929b", lw=1, zorder=0)
    outline = np.array([(-0.75, 0.3), (-0.72, 0.68), (0.55, 0.85), (1.15, 1.35), (2.55, 1.38), (3.2, 0.98), (3.6, 0.92),
                        (3.65, 0.3)])  # fmt: skip
    ax.fill(*outline.T, facecolor=BODY, edgecolor="#8a929b", zorder=1)
    for x in (0.0, length):
        ax.add_patch(Ellipse((x, radius), 2 * radius, 2 * radius, facecolor=TIRE, edgecolor="black", zorder=3))
        ax.add_patch(Ellipse((x, radius), 0.34, 0.34, facecolor="#cfd4da", edgecolor="black", zorder=4))
    turn(ax, (0, radius), 0.45, 105, 165, "spin Ω", (-0.62, radius + 0.62))
    arrow(ax, (length, radius), (length, radius + 0.7), "black", arrowstyle="-", ls=":", lw=1.3)
    lean = np.radians(70)
    arrow(ax, (length, radius), (length + 0.7 * np.cos(lean), radius + 0.7 * np.sin(lean)), TURN, arrowstyle="-")
    turn(ax, (length, radius), 0.6, 90, 68, "side view angle", (length + 0.62, radius + 0.92))
    arrow(ax, (0, 0), (-0.85, 0), AXIS, "x", (-0.98, 0.02))
    arrow(ax, (0, 0), (0, 0.72), AXIS, "z", (0.12, 0.72))
    turn(ax, (1.45, 0.6), 0.42, 30, 150, "pitch", (1.45, 1.16))
    finish(ax, "from the left", (-1.2, 4.0), (-0.3, 1.6))


def signs() -> None:
    figure = plt.figure(figsize=(9.0, 6.2))
    grid = figure.add_gridspec(2, 2, height_ratios=(1.35, 1.0), width_ratios=(1.0, 1.45), hspace=0.08, wspace=0.02)
    from_above(figure.add_subplot(grid[0, :], anchor="W"))
    from_behind(figure.add_subplot(grid[1, 0]))
    from_the_left(figure.add_subplot(grid[1, 1]))
    save(figure, "signs.png")


def table(car: Vehicle, curve: Curve) -> Any:
    """A wheel-guiding map as the model has it."""
    maps = car.system.kinematic_maps
    return curve.table(method=car.system.splines.method, extrapolation=maps.extrapolation)


def front_maps() -> None:
    """The sedan's front left wheel. Its model takes the maps over rack and travel: these, at rack 0, are the dots."""
    car = load("sedan")
    travel = np.linspace(-0.12, 0.1, 221)
    knots = np.array(car.steering.steer.curve.z)
    knots = knots[(knots >= travel[0]) & (knots <= travel[-1])]
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.0, 3.6))
    suspension, steering = car.front_suspension, car.steering
    for ax, name, sign, steered in (
        (left, "toe", -1.0, steering.steer),
        (middle, "camber", 1.0, steering.camber),
    ):
        own = suspension.map(name, "L")
        assert steered is not None
        line, dots = table(car, own.curve), table(car, steered.curve)
        ax.plot(1e3 * travel, np.degrees([own.offset + float(line(j)) for j in travel]), color=AXIS)
        values = np.degrees([own.offset + sign * float(dots(0.0, j)) for j in knots])
        ax.plot(1e3 * knots, values, ".", color=TURN, ms=5)
        ax.set(xlabel="travel J, mm", ylabel=f"{name}, deg")
    left.set_title("toe-in", fontsize=10, loc="left")
    middle.set_title("camber, top outwards", fontsize=10, loc="left")
    middle.legend(["suspension, over J", "steering, at rack 0"], fontsize=8, loc="lower left")
    rack = np.linspace(-0.075, 0.075, 151)
    assert steering.camber is not None
    dots = table(car, steering.camber.curve)
    for j, color in ((-0.06, "#7fa6d6"), (0.0, AXIS), (0.06, "#10294a")):
        values = np.degrees([suspension.camber.offset + float(dots(u, j)) for u in rack])
        right.plot(1e3 * rack, values, color=color, label=f"J = {1e3 * j:.0f} mm")
    right.set(xlabel="rack travel, mm (left positive)", ylabel="camber, deg")
    right.set_title("camber over rack", fontsize=10, loc="left")
    right.legend(fontsize=8)
    for ax in (left, middle, right):
        ax.grid(color="#d0d4d8", lw=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    save(figure, "front_maps.png")


def shaken(sim: Any, amplitude: float, frequency: float, turns: int = 8) -> tuple[Any, Any, Any]:
    """Travel and friction of the left front wheel, and body acceleration, in the last turn of a road that heaves."""
    step, rows = sim.step, []
    per_turn = round(1 / (frequency * step))
    wheels = ("L1", "R1", "L2", "R2")
    for i in range(turns * per_turn):
        phase = 2 * np.pi * i / per_turn
        height, rate = amplitude * np.sin(phase), amplitude * 2 * np.pi * frequency * np.cos(phase)
        sim.set_inputs({f"road.{w}": height for w in wheels} | {f"road.{w}.rate": rate for w in wheels})
        sim.advance(1)
        if i >= (turns - 1) * per_turn:
            lift = float(sim.derivatives()[0][[v.name for v in sim.model.states].index("chassis.vz")])
            rows.append((sim.state("L1.jounce"), sim.output("Friction.Force_At_Wheel.L1"), lift))
    return tuple(np.array(rows).T)


def friction() -> None:
    """Loops of friction over travel, and what it does to a ride over small and large waves."""
    from jounce.sim import car
    from jounce.sim.statics import settle

    element = {"kind": "friction", "force": "90 N", "stiffness": "150 N/mm"}
    vehicle = load("sedan").with_(**{f"{axle}_suspension.elements": [element] for axle in ("front", "rear")})
    description = car.describe(vehicle, road_inputs=True)
    sim = car.simulation(description)
    settle(sim, description)
    start = sim.snapshot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6))
    for amplitude, color in ((0.001, "#7fa6d6"), (0.003, AXIS), (0.008, "#10294a")):
        sim.restore(start)
        travel, force, _ = shaken(sim, amplitude, 4.0)
        left.plot(1e3 * travel, force, color=color, label=f"road ±{1e3 * amplitude:.0f} mm")
    left.set(xlabel="travel of the left front wheel, mm", ylabel="friction at the wheel, N")
    left.set_title("friction over travel, 4 Hz", fontsize=10, loc="left")
    left.legend(fontsize=8, loc=(0.6, 0.4))
    amplitudes = np.array([0.0005, 0.001, 0.002, 0.004, 0.008, 0.012])
    names = [n for n in sim.parameters if n.endswith(".element1.scale")]
    for scale, color, text in ((1.0, TURN, "with friction"), (0.0, AXIS, "without")):
        sim.restore(start)
        sim.set_parameters(dict.fromkeys(names, scale))
        gains = []
        for amplitude in amplitudes:
            sim.restore(start)
            gains.append(np.ptp(shaken(sim, float(amplitude), 4.0)[2]) / (2 * amplitude))
        right.plot(1e3 * amplitudes, gains, "o-", color=color, label=text)
    right.set(xlabel="amplitude of the road, mm", ylabel="body acceleration per road height, 1/s²", ylim=(0, None))
    right.set_title("small waves ride harder, 4 Hz", fontsize=10, loc="left")
    right.legend(fontsize=8)
    for ax in (left, right):
        ax.grid(color="#d0d4d8", lw=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    save(figure, "friction.png")


GIVES = {"y": {"fy": 0.57e-6}, "toe": {"fy": 1.55e-6, "mz": -7.3e-5}, "camber": {"fy": -5.3e-6}}


def suspension_rig() -> None:
    """Curves of the rig, a loop of friction, and the understeer budget."""
    from jounce.rigs.kc_report import budget_figure, kc_figure, sweeps
    from jounce.rigs.suspension_rig import SuspensionRig, travel_sweep
    from jounce.rigs.understeer import understeer_budget

    folder = FOLDER.parent / "kc"
    folder.mkdir(exist_ok=True)
    car = load("sedan")
    kc_figure(sweeps(SuspensionRig(car, radius="design")), "front").savefig(folder / "front_axle.png", dpi=80)
    gives = {**GIVES, "toe": {"fy": -0.45e-6, "mz": -1.7e-5}}
    soft = car.with_(**{"front_suspension.compliance": GIVES, "rear_suspension.compliance": gives})
    budget_figure(understeer_budget(soft).in_degrees()).savefig(folder / "budget.png", dpi=DPI)
    strut = {"kind": "friction", "force": "110 N", "stiffness": "90 N/mm"}
    rig = SuspensionRig(car.with_(**{"front_suspension.elements": [strut]}))
    up = np.linspace(-0.03, 0.03, 61)
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 3.4), layout="constrained")
    for top, colour in ((0.03, "#0072b2"), (0.004, "#d55e00")):
        way = np.concatenate([up, up[::-1]]) * top / 0.03
        held = travel_sweep(rig, "front", [0.0, *way], "parallel", friction=True)[1:]
        free = travel_sweep(rig, "front", [0.0, *way], "parallel")[1:]
        force = np.array([h.jack["L1"] for h in held])
        label = f"± {1e3 * top:.0f} mm"
        axes[0].plot(1e3 * way, 1e-3 * force, color=colour, label=label)
        axes[1].plot(1e3 * way, force - [h.jack["L1"] for h in free], color=colour, label=label)
    for ax, text in zip(axes, ("vertical force, kN", "less that without friction, N"), strict=True):
        ax.set_xlabel("travel of both wheels, mm")
        ax.set_ylabel(text)
        ax.grid(alpha=0.25)
        ax.legend(frameon=False)
    figure.savefig(folder / "loop.png", dpi=DPI)


def compliance() -> None:
    """Steer of the front wheels of the library's cars by side force and aligning moment, as targets made it."""
    from jounce.rigs.suspension_rig import Load, Point, SuspensionRig
    from jounce.vehicle.reading import library_names

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6))
    colors = ("#7fa6d6", AXIS, "#10294a", TURN, "#8a8f98")
    for name, color in zip(library_names(), colors, strict=False):
        rig = SuspensionRig(load(name), radius="design")
        at_rest = rig.design()
        wheels = [wheel.name for wheel in rig.layout.axles[0].wheels]
        zero = rig.hold(at_rest).steer(wheels[0])
        for ax, component, largest, unit in ((axes[0], "fy", 4e3, 1e3), (axes[1], "mz", 150.0, 1.0)):
            loads = np.linspace(-largest, largest, 9)
            points = [Point(at_rest.travels, {w: Load(**{component: float(x)}) for w in wheels}) for x in loads]
            angles = [np.degrees(rig.hold(point).steer(wheels[0]) - zero) for point in points]
            ax.plot(loads / unit, angles, color=color, label=name)
    axes[0].set(xlabel="lateral force of each wheel, kN", ylabel="steer of the left front wheel, deg")
    axes[1].set(xlabel="aligning moment of each wheel, N m")
    axes[0].legend(fontsize=8)
    for ax in axes:
        ax.grid(color="#d0d4d8", lw=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    save(figure, "compliance.png")


CAUSES = {
    "lateral force": ("Tire_Force_Fy", "Tire_Force_Mx"),
    "aligning torque": ("Tire_Force_Mz",),
    "wheel load": ("Tire_Force_Fz",),
    "longitudinal force": ("Tire_Force_Fx", "Tire_Force_My"),
    "weight, gyroscopic": ("Weight", "Gyroscopic"),
}
COLOURS = dict(zip(CAUSES, ("#1f4e8c", "#b3432b", "#5a8f3d", "#c28a1e", "#7d8590"), strict=True))
ASSISTED = {"compact": "#5a8f3d", "sedan": "#1f4e8c", "suv": "#b3432b", "light_truck": "#c28a1e"}
HAND = "Steering_System.Steering_Wheel_Torque"


def kingpin(run: Any, names: tuple[str, ...]) -> Any:
    """Moments about both kingpins by some causes."""
    return sum(run[f"Kingpin_Contribute_Front_{side}.{name}"] for side in ("Left", "Right") for name in names)


def other_steering(car: Vehicle, assist: float = 1.0, friction: float = 1.0) -> Vehicle:
    """A car with its assist and friction times factors."""
    data = car.steering.rack_pinion
    assert data is not None
    where = "electric.current" if data.electric is not None else "hydraulic.pressure"
    curve = data.electric.current if data.electric is not None else data.hydraulic.pressure
    rows = [[float(assist * y) for y in row] for row in curve.values]
    changes: dict[str, Any] = {where: {"x": list(curve.x), "z": list(curve.z), "y": rows}}
    for place in ("column", "rack"):
        spring = getattr(data.friction, place).spring
        changes[f"friction.{place}.spring.maximum"] = friction * spring.maximum
        changes[f"friction.{place}.spring.minimum"] = friction * spring.minimum
    return car.with_(**{f"steering.rack_pinion.{key}": value for key, value in changes.items()})


def tidy(axes: Any) -> None:
    for ax in axes:
        ax.grid(color="#e3e6ea", lw=0.7)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)


def steering() -> None:
    """From the road to the hands: kingpin moments by cause, what assist and friction make of them."""
    import jounce as jn

    sedan = load("sedan")
    cycle = 5.0  # s, the last one of a weave test
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 3.6), layout="constrained")
    run = jn.run(sedan, jn.events.Weave())
    rows = run.time > run.time[-1] - cycle
    ay = run["System_Mass_Center.Tracking_Ay"][rows] / 9.80665
    for text, names in CAUSES.items():
        left.plot(ay, kingpin(run, names)[rows], color=COLOURS[text], lw=1.5, label=text)
    left.set_title("moment about both kingpins, N·m", fontsize=10, loc="left")
    left.set_ylim(-70, 120)
    left.legend(fontsize=8, frameon=False, ncols=2, loc="upper right")
    for friction, style, text in ((1.0, "-", "as it is"), (1e-6, "--", "without friction")):
        run = jn.run(other_steering(sedan, friction=friction), jn.events.Weave())
        ay = run["System_Mass_Center.Tracking_Ay"][rows] / 9.80665
        right.plot(ay, run[HAND][rows], style, color=AXIS, lw=1.5, label=text)
    right.set_title("hand torque, N·m", fontsize=10, loc="left")
    right.legend(fontsize=8, frameon=False, loc="upper left")
    for ax in (left, right):
        ax.set_xlabel("lateral acceleration, g")
    tidy((left, right))
    save(figure, "steering.png")

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 3.6), layout="constrained", width_ratios=[1.0, 1.25])
    for place, (name, colour) in enumerate(ASSISTED.items()):
        event = jn.events.RampSteer()
        runs = [jn.run(other_steering(load(name), assist=factor), event) for factor in (1.0, 1e-9)]
        for run, style in zip(runs, ("-", "--"), strict=True):
            ay = run["System_Mass_Center.Tracking_Ay"] / 9.80665
            shown = (ay > 0.005) & (ay < 0.55) & (run.time < run.time[int(np.argmax(ay))])
            right.plot(ay[shown], run[HAND][shown], style, color=colour, lw=1.5,
                       label=name.replace("_", " ") if style == "-" else None)  # fmt: skip
        ay = runs[0]["System_Mass_Center.Tracking_Ay"]
        at = int(np.argmax(ay > 4.0))
        ends = [0.0, 0.0]  # of what turns back and of what turns further
        for text, names in CAUSES.items():
            value = -float(kingpin(runs[0], names)[at])
            side = int(value < 0)
            left.barh(place, value, left=ends[side], color=COLOURS[text], height=0.62, label=None if place else text)
            ends[side] += value
    left.set_yticks(range(len(ASSISTED)), [name.replace("_", " ") for name in ASSISTED])
    left.invert_yaxis()
    left.axvline(0.0, color=TIRE, lw=0.8)
    left.set_title("moment that turns back at 4 m/s², N·m", fontsize=10, loc="left")
    left.legend(fontsize=8, frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.45, -0.1))
    right.set_title("hand torque, N·m; dashed: without assist", fontsize=10, loc="left")
    right.set_xlabel("lateral acceleration, g")
    right.set_ylim(bottom=0.0)
    right.legend(fontsize=8, frameon=False)
    tidy((left, right))
    save(figure, "steering_assist.png")


def kc_import() -> None:
    """Do the first block of the page on K&C import, and draw two of its curves."""
    import os
    import re
    import tempfile

    from jounce.rigs.kc.importing import kc_import as importing
    from jounce.rigs.kc.report import draw

    page = (FOLDER.parent.parent / "kc_import.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert block is not None
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exec(compile(block[1], "kc_import.md", "exec"), {})
        found = importing(["rig.yaml"], "sedan", "rear", out="measured")
    figure, axes = plt.subplots(2, 2, figsize=(10.5, 4.6), layout="constrained", height_ratios=[2.6, 1.0])
    for column, name in enumerate(("toe", "camber")):
        label = f"{name}.L over travel.L"
        draw(axes[0][column], axes[1][column], label, found.fits[f"{label}, bounce"])
    (FOLDER.parent / "kc").mkdir(exist_ok=True)
    figure.savefig(FOLDER.parent / "kc" / "rear_axle.png", dpi=DPI)


def aerodynamics() -> None:
    """Do the first block of the page on aerodynamics, and the same without yaw moment."""
    import os
    import re
    import tempfile

    import jounce as jn

    page = (FOLDER.parent.parent / "aerodynamics.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert block is not None
    names: dict[str, Any] = {}
    back = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exec(compile(block[1], "aerodynamics.md", "exec"), names)
        table = np.genfromtxt("tunnel.csv", delimiter=",", skip_header=3)
        os.chdir(back)
    car, run = names["car"], names["run"]
    event = jn.events.CoastDown(speed="100 km/h", straight_line=False, end_time="3 s")
    pushed = jn.run(car.with_(**{"aero.modifiers.yaw.scale": 0.0}), event)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.5, 3.3), layout="constrained")
    labels = ("drag", "side force", "front lift", "rear lift", "roll", "yaw")
    colours = ("#10294a", AXIS, "#7fa6d6", "#5a8f3d", "#c28a1e", TURN)
    for i, (text, colour) in enumerate(zip(labels, colours, strict=True)):
        left.plot(table[:, 0], table[:, i + 1], ".-", color=colour, label=text)
    left.set(xlabel="yaw, deg")
    left.set_title("coefficients, signs of the tunnel", fontsize=10, loc="left")
    left.legend(fontsize=7, frameon=False)
    for found, style, text in ((run, "-", "by the table"), (pushed, "--", "without yaw moment")):
        x = found["chassis_displacements.longitudinal"]
        middle.plot(x, np.degrees(found["chassis_velocities.yaw"]), style, color=AXIS, label=text)
        right.plot(x, found["chassis_displacements.lateral"], style, color=AXIS, label=text)
    middle.set_title("yaw rate, deg/s", fontsize=10, loc="left")
    right.set_title("offset to the left, m", fontsize=10, loc="left")
    for ax in (middle, right):
        ax.axvspan(10, 40, color=BODY, zorder=0)
        ax.set_xlabel("way, m; grey: fans")
    right.legend(fontsize=8, frameon=False, loc="lower left")
    tidy((left, middle, right))
    save(figure, "aerodynamics.png")


def body() -> None:
    """A sedan slides to rest on its roof; accelerations at the seat in a step of the hand wheel."""
    import jounce as jn
    from jounce.sim import car as cars

    sedan = load("sedan").with_(
        sensors=[
            {"kind": "acceleration", "name": name, "gravity": felt, "i": {"location": [-1.3, 0.37, 0.6]}, **axes}
            for name, felt, axes in (("level", False, {}), ("seat", True, {"reference": {"body": "chassis"}}))
        ],
        contacts=[{"kind": "shell"}],
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 3.6))
    sim = cars.simulation(cars.describe(sedan))
    turned = {"chassis.e0": 0.05, "chassis.e1": 0.99875, "chassis.z": 1.3, "chassis.vx": 16.0}
    sim.set_states(turned)
    names = ["System_Mass_Center.Speed", "Body_Shell.FZ", "Body_Shell.height"]
    found = sim.run(8.0, interval=0.01, channels=names)
    time, speed, force = found.time, found.data[:, 0], found.data[:, 1] / (sedan.mass() * sedan.system.gravity)
    left.plot(time, speed, color=AXIS, label="speed, m/s")
    left.plot(time, force, color=TURN, lw=0.9, label="force of the ground / weight")
    left.set(title="a sedan on its roof", xlabel="time, s", ylim=(0, 18))
    run = jn.run(sedan, jn.events.StepSteer(speed="100 km/h"))
    right.plot(run.time, run["User_Sensor.level.ACCY"], color=AXIS, label="levelled axes, without gravity")
    right.plot(run.time, run["User_Sensor.seat.ACCY"], color=TURN, label="axes of the body, as felt")
    right.set(title="lateral acceleration at the seat, m/s²", xlabel="time, s", xlim=(0.5, 3.5))
    for ax in (left, right):
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8)
    figure.tight_layout()
    save(figure, "body.png")


def setup() -> None:
    """Do the first block of the page on set-up; then move the cross weight of a race car."""
    import os
    import re
    import tempfile

    import jounce as jn

    page = (FOLDER.parent.parent / "setup.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert block is not None
    names: dict[str, Any] = {}
    back = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exec(compile(block[1], "setup.md", "exec"), names)
        os.chdir(back)
    phases = {phase.name: phase.wheels for phase in names["car"].setup_report.phases}
    before, after = phases["setup masses, before"], phases["setup masses, set up"]
    wheels = list(after)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.5, 3.4), layout="constrained")
    for ax, key, factor in ((left, "load", 1e-3), (middle, "ride_height", 1e3)):
        values = [[factor * found[w][key] for w in wheels] for found in (before, after)]
        ax.vlines(range(len(wheels)), *values, color="#9aa3ad", lw=1.2)
        for found, face, text in zip(values, ("white", AXIS), ("before", "set up"), strict=True):
            ax.plot(wheels, found, "o", ms=8, color=AXIS, markerfacecolor=face, label=text)
        ax.margins(0.2)
    left.set_title("sedan: wheel loads, kN", fontsize=10, loc="left")
    middle.set_title("sedan: ride heights, mm", fontsize=10, loc="left")
    left.legend(fontsize=8, frameon=False)

    race = load("formula")
    targets = np.linspace(0.46, 0.54, 9)
    cars = [jn.setup(race, {"cross_weight": float(target)}) for target in targets]
    for end, colour in (("front", AXIS), ("rear", TURN)):
        for side, own, style in (("left", "", "-"), ("right", "right.", "--")):
            path = f"{end}_suspension.spring.{own}pushrod"
            moved = [sum(c.after - c.before for c in car.setup_report.changes if c.path == path) for car in cars]
            right.plot(targets, 1e3 * np.array(moved), style, marker=".", color=colour, label=f"{end} {side}")
    right.set_xlabel("cross weight (L1 + R2)/all")
    right.set_title("formula: push-rods, change in mm", fontsize=10, loc="left")
    right.legend(fontsize=7, frameon=False, ncols=2, loc="upper center", handlelength=3.5)
    tidy((left, middle, right))
    save(figure, "setup.png")


def save(figure: Any, name: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / name
    figure.savefig(path, dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
    print(f"{path.name}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    plt.switch_backend("Agg")
    signs()
    front_maps()
    friction()
    suspension_rig()
    compliance()
    steering()
    kc_import()
    aerodynamics()
    body()
    setup()
