"""The toolbox of key figures: what several tests measure by the definitions of the standards.

Each file has functions of plain arrays (SI, ISO 8855), which is what the tests examine; ``of_run`` takes the arrays
from a run. What cannot be told is nan with a warning. What belongs to one kind of event stands in its own file
(``jounce.events.library``).
"""
