"""Parts by name: files of a folder and entry points of installed packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jounce
from jounce.core import registry

SOURCE = Path(jounce.__file__).parent


def test_the_folder_is_the_list() -> None:
    found = {path.stem for path in (SOURCE / "events" / "library").glob("*.py")} - {"__init__"}
    assert set(registry.files("events")) == found
    assert set(registry.names("events")) >= found


def test_a_part_is_loaded_by_its_name_and_an_unknown_one_is_none() -> None:
    for name in ("step-steer", "Step_Steer"):
        module = registry.load("events", name)
        assert module is not None and module.__name__ == "jounce.events.library.step_steer"
    assert registry.load("events", "os") is None
    assert registry.load("events", "../step_steer") is None


def test_nothing_is_loaded_before_it_is_used() -> None:
    script = (
        "import sys; from jounce import events\n"
        "before = [m for m in sys.modules if m.startswith('jounce.events.lib')]\n"
        "assert not before, before\n"
        "events.StepSteer\n"
        "assert 'jounce.events.library.step_steer' in sys.modules and 'jounce.events.library.drop' not in sys.modules\n"
        "assert 'casadi' not in sys.modules and 'jounce.events.engine' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
