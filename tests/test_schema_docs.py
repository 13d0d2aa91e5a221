"""The tables of keys in docs/vehicles.md are those of the declared data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_tables_of_keys_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "make_schema_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
