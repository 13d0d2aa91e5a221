"""Slowly increasing steer (FMVSS 126): a measured ramp steer, whose preset ``sis`` it is; ISO 4138."""

from __future__ import annotations

from jounce.events.library.ramp_steer import RESULTS
from jounce.results.kinds import declare

declare("slowly_increasing_steer", RESULTS)
