"""What the processes of a batch are asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jounce.core.process import Process as Process


class Worker:
    """What a process is asked to do."""

    @staticmethod
    def run(case: Any, options: Mapping[str, Any]) -> Any:
        """Drive a case."""
        return case.run(options)
