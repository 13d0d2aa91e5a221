"""Review: runs beside each other as plots, key figures and in three dimensions.

The Python and the command line that do the same: `jounce.Run.read`, ``run.plot``, ``run.report``, `jounce.compare`,
``jounce compare A B --report``.
"""
