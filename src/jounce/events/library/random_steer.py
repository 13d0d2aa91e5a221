"""Random steer (ISO 7401): measured runs with noise at the steering wheel, for the frequency response."""

from __future__ import annotations

from jounce.results.figures import Figures
from jounce.results.key_figures import frequency
from jounce.results.kinds import Kind, declare
from jounce.results.panels import USUAL, responses
from jounce.results.run import Run


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    return frequency.of_run(run, "random")


declare("random_steer", Kind((of_run,), (responses("random"), *USUAL), frequency.WORDS, frequency.FIRST))
