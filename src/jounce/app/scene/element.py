"""The scene as an element of a page."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nicegui.element import Element

from jounce.app.scene import drawing, frame

if TYPE_CHECKING:
    from jounce.app.pages import View
    from jounce.vehicle.schema import Vehicle

Camera = Literal["follow", "driver", "top", "free"]
__all__ = ["Camera", "Scene"]

THREE = Path(__file__).parents[1] / "vendor" / "three"  # tools/vendor_web.py fetches it


class Scene(Element, component="static/jounce_scene.js", esm={"three": str(THREE)}):  # type: ignore[call-arg, misc]
    """Vehicles in three dimensions; see `jounce.app.scene`."""

    def __init__(self, view: View, *, camera: Camera = "free", see_through: bool = False) -> None:
        """Fill the container with a scene.

        Parameters
        ----------
        camera : mode at the start
        see_through : bodies are shown so that what is in them is seen
        """
        super().__init__()
        self._props["mode"] = camera
        self._props["seeThrough"] = see_through
        self.classes("jn-scene")
        self._view = view

    @property
    def name(self) -> str:
        """HTML id of the element, by which ``window.jounceScenes`` knows it."""
        return f"c{self.id}"

    def draw(self, look: dict[str, Any], poses: bytes, *, keep_camera: bool = True) -> None:
        """Show bodies as a drawing says, at the poses of one frame, in the order of the bodies of the drawing."""
        self.run_method("draw", look, base64.b64encode(poses).decode(), keep_camera)

    def vehicle(self, vehicle: Vehicle, *, keep_camera: bool = True) -> None:
        """Show a vehicle as its data say, at design."""
        places = drawing.places_of(vehicle)
        look = drawing.drawing_of(vehicle)
        self.draw(look, frame.standing({name: places[name] for name in look["bodies"]}), keep_camera=keep_camera)

    def pose(self, poses: bytes) -> None:
        """Move what is shown to another frame."""
        self.run_method("pose", base64.b64encode(poses).decode())

    def mark(self, path: str) -> None:
        """Make the points of a path of the data stand out."""
        self.run_method("mark", path)

    def live(self, run: str) -> None:
        """Follow a run that goes on; when it has ended it can be replayed at once."""
        self.run_method("live", run)

    def replay(self, run: str, ghost: str = "") -> None:
        """Show a stored run, and another one as a ghost."""
        self.run_method("replay", run, ghost)

    def ghost(self, run: str) -> None:
        """Show another run as a ghost of the one that is shown; "" takes it away."""
        self.run_method("ghost", run)

    def cursor(self, time: float) -> None:
        """Show this instant."""
        self.run_method("cursor", time)

    def play(self, speed: float = 1.0) -> None:
        """Let time go on, so many seconds per second."""
        self.run_method("play", speed)

    def pause(self) -> None:
        """Stop it."""
        self.run_method("pause")

    def camera(self, mode: Camera) -> None:
        """Look from elsewhere."""
        self.run_method("setCamera", mode)

    def arrows(self, shown: bool) -> None:
        """Show the forces on the tires, or do not."""
        self.run_method("setArrows", shown)

    def clear(self) -> None:
        """Show nothing."""
        self.run_method("clear")

    def on_cursor(self, function: Callable[[float], Any]) -> None:
        """Call a function with the time that is shown, at most ten times a second."""
        self.on("cursor", lambda event: function(float(event.args["time"])), throttle=0.1)

    def on_ended(self, function: Callable[[str, str], Any]) -> None:
        """Call a function with the id and the status of a run that was followed and has ended."""
        self.on("ended", lambda event: function(str(event.args["run"]), str(event.args["status"])))

    def on_pick(self, function: Callable[[str], Any]) -> None:
        """Call a function with the path of a point that was clicked."""
        self.on("pick", lambda event: function(str(event.args["path"])))
