"""Another name of constant-radius cornering in measured files."""

from __future__ import annotations

from jounce.events.library.ramp_steer import RESULTS
from jounce.results.kinds import declare

declare("constant_radius", RESULTS)
