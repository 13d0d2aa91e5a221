"""Constant-radius cornering (ISO 4138): measured runs around a circle at rising speed."""

from __future__ import annotations

from jounce.events.library.ramp_steer import RESULTS
from jounce.results.kinds import declare

declare("constant_radius_cornering", RESULTS)
