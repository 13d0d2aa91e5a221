"""What a manoeuvre needs of a model besides its drivers: inputs of the run, shares of the channels, distances.

Of each channel the driver has a share w (``driver.share.throttle`` …, 1 at first), the run the rest. With the demand
u_d of the driver and u_r of the run, and the limits of the channel,

    u = clip(u_r + w (u_d − u_r), low, high)                                                                      (1)

so that a stage may leave one pedal to the driver and not the other, and a change is a blend. Whoever provides a demand
reads these signals (``shared``). Who steers has the whole hand wheel (``driver.steers``).

Inputs for signals of the run: ``user_input_steering`` …, ``target_speed``, ``target_acc``, ``user_maneuver_ID``;
``maneuver_ID`` gets the number of the running stage. Distance is that of the centre of gravity along its way, by the
trapezoidal rule over full steps, and on to the instant that is told; the curvature of the trajectory is yaw rate over
speed, at rest 0:

    κ = ψ̇ v/(v² + v₀²),    R = 1/κ, at most 10⁶ m                                                                (2)

``watched`` names channels that end conditions look at, in every step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, fabs, fmax, if_else

STILL = 0.01  # m/s, v₀
LARGEST = 1e6  # m
DEMANDS = ("steering_wheel", "throttle", "brake", "clutch", "gear")  # signals
SHARED = ("throttle", "brake", "clutch")
USER = {
    "user_input_steering": ("rad", "hand wheel angle"),
    "user_input_throttle": ("-", "drive demand"),
    "user_input_braking": ("-", "brake demand"),
    "user_input_braking2": ("-", "second brake demand"),
    "user_input_clutch": ("-", "clutch pedal, 1 open"),
    "user_input_gear": ("-", "gear"),
    "target_speed": ("m/s", "speed that the driver follows"),
    "target_acc": ("m/s2", "acceleration that the driver follows"),
    "user_maneuver_ID": ("-", "number of the stage that runs; 0: as the manoeuvre says"),
    "maneuver_ID": ("-", "number of the running stage; written by the manoeuvre"),
}


class Monitor(Part):
    """Inputs, shares and distances of a manoeuvre."""

    family: ClassVar[str] = "driver"

    kind: Literal["monitor"] = choice("monitor", doc="kind of part")
    watched: tuple[str, ...] = choice((), doc="channels that end conditions look at")
    throttle_low: float = quantity("-", 0.0, doc="least drive demand")
    throttle_high: float = quantity("-", 1.0, doc="largest drive demand")
    brake_low: float = quantity("-", 0.0, doc="least brake demand")
    brake_high: float = quantity("-", 1.0, doc="largest brake demand")
    clutch_low: float = quantity("-", 0.0, doc="least clutch demand")
    clutch_high: float = quantity("-", 1.0, doc="largest clutch demand")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        at.system.also_watched |= {f"{at.place.prefix}{name}" for name in self.watched}
        for name in SHARED:
            at.signals.provide(f"share.{name}", self._share(at, p, name), "the monitor of a manoeuvre")

    def _share(self, at: VehicleModel, p: Symbols, name: str) -> Callable[[], Any]:
        def make() -> Any:
            share = at.scope("driver.share").input(name, "-", f"of the driver in the {name}", 1.0, in_statics=False)
            return share, getattr(p, f"{name}_low"), getattr(p, f"{name}_high")

        return make

    def declare(self, at: VehicleModel, p: Symbols) -> None:
        given = {name: at.root.input(name, unit, doc, in_statics=False) for name, (unit, doc) in USER.items()}
        block = at.scope("driver").block("monitor", doc="distance of a manoeuvre")
        distance = block.signal("distance", "m", "of the centre of gravity along its way")
        before = block.signal("speed_before", "m/s", "at the last step")
        sampled = block.signal("sampled", "s", "time of the last step")
        running = block.signal("running", "-", "1 after the first step")
        p.kept.update(given=given, block=block, distance=distance, before=before, sampled=sampled, running=running)

    def close(self, at: VehicleModel, p: Symbols) -> None:
        block, kept = p.kept["block"], p.kept
        v = at.units[0].chassis.v
        speed = (v[0] * v[0] + v[1] * v[1] + 1e-12) ** 0.5
        grown = 0.5 * (at.system.time - kept["sampled"]) * (kept["before"] + speed)
        p.kept["now"] = now = kept["distance"] + if_else(kept["running"] > 0.5, grown, 0.0)
        block.update(kept["distance"], now)
        block.update(kept["before"], speed)
        block.update(kept["sampled"], at.system.time)
        block.update(kept["running"], 1.0)
        p.kept["v"] = v[0]

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        kept, v = p.kept, p.kept["v"]
        for name in DEMANDS:
            if name in at.signals:
                unit = "rad" if name == "steering_wheel" else "-"
                value = at.signals.read(name, "the monitor of a manoeuvre")
                at.channel(f"driver.demand.{name}", value, unit, "what the vehicle gets", watch=True)
        at.channel("driver.distance", kept["now"], "m", "of the centre of gravity along its way", watch=True)
        rate = at.units[0].chassis.w[2]
        curvature = rate * v / (v * v + STILL * STILL)  # (2)
        at.channel("driver.curvature", curvature, "1/m", "of the trajectory, left positive", watch=True)
        sign = if_else(curvature < 0, -1.0, 1.0)
        at.channel("driver.radius", sign / fmax(fabs(curvature), 1 / LARGEST), "m", "of the trajectory", watch=True)
        shown = kept["given"]["maneuver_ID"]
        at.channel("driving_machine_monitor.maneuver_ID", shown, "-", "number of the running stage")


def shared(at: VehicleModel, name: str, own: Any, given: Any) -> Any:
    """A demand of the driver and the run by their shares (1); the driver's where no manoeuvre says otherwise."""
    signal = f"share.{name}"
    if signal not in at.signals:
        return own
    share, low, high = at.signals.read(signal, "the driver")
    return clip(if_else(share >= 1, own, given + share * (own - given)), low, high)
