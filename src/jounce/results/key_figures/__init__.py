"""Key figures by the definitions of the standards: one file per kind of test.

Each file has one function of plain arrays (SI, ISO 8855), which is what the tests examine, and ``of_run``, which takes
the arrays from a run. What cannot be told is nan with a warning.
"""
