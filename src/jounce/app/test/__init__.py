"""Test: events, their parameters, test plans, and runs that are watched while they go on.

The Python and the command line that do the same: ``jounce.run``, `jounce.study.Plan`, ``jounce run``, ``jounce plan``.
"""
