"""Damaged files of tires, rig tests and measurements: read, or refused by name; nothing else."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jounce.core.errors import FormatError, JounceError
from jounce.files.tir import parse_tir, read_tir, tir_text
from jounce.files.tydex import read_tydex
from jounce.files.vtt import read_vtt
from jounce.rigs.tire_data import read_tire_data
from jounce.rigs.tire_report import check_file, check_tire
from jounce.rigs.tire_rig import find_tire
from tire_models import FULL, example_text
from tire_texts import TDX, VTT

EXAMPLES = int(os.environ.get("JOUNCE_FUZZ", "10"))
QUICKLY = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

CSV = "ET,FZ,SA,FY,P\ns,N,deg,N,kPa\n0.0,-4000,1.5,1800,80\n0.1,-4010,2.0,2300,80\n0.2,-3990,2.5,2700,80\n"


def damaged(data: st.DataObject, raw: bytes) -> bytes:
    """Some bytes changed, cut out, put in, or lines doubled, swapped and dropped."""
    for _ in range(data.draw(st.integers(1, 5))):
        kind = data.draw(st.sampled_from(["bytes", "lines", "cut", "number", "wide"]))
        at = data.draw(st.integers(0, len(raw)))
        if kind == "bytes":
            until = min(len(raw), at + data.draw(st.integers(0, 6)))
            raw = raw[:at] + data.draw(st.binary(max_size=6)) + raw[until:]
        elif kind == "cut":
            raw = raw[:at]
        elif kind == "wide":
            raw = raw.decode("latin-1").encode(data.draw(st.sampled_from(["utf-16", "utf-8-sig", "utf-16-le"])))
        else:
            lines = raw.split(b"\n")
            i, j = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
            if kind == "number":
                number = data.draw(st.sampled_from(["1e308", "-1e308", "0", "-0", "1e-320", "nan", "inf", "9" * 400]))
                head, equals, _ = lines[i].partition(b"=")
                lines[i] = head + equals + b" " + number.encode() if equals else number.encode()
            else:
                lines[i], lines[j] = lines[j], lines[i]
            raw = b"\n".join(lines)
    return raw


READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "a.tir": (example_text(FULL), read_tir),
    "b.tir": (tir_text(find_tire("example_mf61")), read_tir),
    "c.tir": (tir_text(find_tire("example_pac_mc")), read_tir),
    "a.vtt": (VTT, read_vtt),
    "a.tdx": (TDX, read_tydex),
    "b.tdx": (TDX, read_tire_data),
    "a.csv": (CSV, lambda path: read_tire_data(path, axes="sae")),
}


@pytest.mark.parametrize("name", READERS)
@QUICKLY
@given(data=st.data())
def test_damaged_files_are_read_or_refused_by_name(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text, read = READERS[name]
    path = tmp_path_factory.mktemp("damaged", numbered=True) / name
    path.write_bytes(damaged(data, text.encode()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of NumPy: an overflow that nobody noticed
        try:
            read(path)
        except JounceError as error:
            assert name in str(error), "the message says which file"
            if name.endswith((".tir", ".vtt")):
                assert isinstance(error, FormatError)


@QUICKLY
@given(data=st.data())
def test_whatever_can_be_read_can_be_judged(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A check tells; it does not fall over numbers that no tire has."""
    path = tmp_path_factory.mktemp("judged", numbered=True) / "a.tir"
    path.write_bytes(damaged(data, example_text(FULL).encode()))
    found = check_file(path)
    assert found.tire is not None or not found.ok


@QUICKLY
@given(
    name=st.sampled_from(sorted(FULL)), value=st.sampled_from([0.0, 1e-300, -1.0, 1e6, -1e6, 1e30, -1e30, 9e39, 1e300])
)
def test_absurd_coefficients_are_judged_or_refused(name: str, value: float) -> None:
    try:
        tire = parse_tir(example_text({**FULL, name: value}), "a.tir").tire
    except FormatError as error:
        assert "a.tir" in str(error)
        return
    check_tire(tire)
