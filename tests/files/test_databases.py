"""Databases of others: their tables, and events that find their files by an alias that stands beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import jounce as jn
from jounce.cli.main import app
from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.core.library import LIBRARY
from jounce.files.databases import TABLES, aliases_beside, create, read_aliases, tables, write_aliases
from jounce.files.property_file import resolve

EVENTS = LIBRARY / "events"
NEEDED = {
    *("systems", "subsystems", "suspensions", "tires", "roads", "driver_roads", "driver_controls", "loadcases"),
    *("output_maps", "plot_configs", "postprocessing_scripts", "aero_forces", "powertrains", "bushings"),
    *("shell_graphics", "vehicle_configs", "knc_configurations", "knc_results", "assemblies", "setups"),
}
"""Tables that files of others name."""


def test_a_new_database_has_all_tables_and_nothing_is_overwritten(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["db", "create", str(tmp_path / "mine.cdb")])
    assert told.exit_code == 0
    names = {path.name for path in (tmp_path / "mine.cdb").iterdir()}
    assert {f"{name}.tbl" for name in NEEDED} <= names and names == {f"{name}.tbl" for name in TABLES}
    assert set(tables(tmp_path / "mine.cdb")) == set(TABLES)
    (tmp_path / "mine.cdb" / "tires.tbl" / "a.tir").write_text("x")
    assert [path.name for path in tables(tmp_path / "mine.cdb")["tires"]] == ["a.tir"]
    assert "  a.tir" in CliRunner().invoke(app, ["db", "list", str(tmp_path / "mine.cdb")]).output
    with pytest.raises(ParameterError, match="exists already"):
        create(tmp_path / "mine.cdb")
    with pytest.raises(ParameterError, match=r"ends in \.cdb"):
        create(tmp_path / "other")
    assert (tmp_path / "mine.cdb" / "tires.tbl" / "a.tir").read_text() == "x" and not (tmp_path / "other").exists()


def test_a_file_of_aliases_is_read(tmp_path: Path) -> None:
    file = tmp_path / "vicrt_cdb.cfg"
    file.write_text("! comment\n\ndatabase near sub.cdb\nDATABASE far '/data/with blank/far.cdb'\nDEFAULT_WRITE x\n")
    assert read_aliases(file) == {"near": tmp_path / "sub.cdb", "far": Path("/data/with blank/far.cdb")}
    assert aliases_beside(tmp_path / "event.vdf") == read_aliases(file)
    write_aliases(tmp_path / "own_cdb.cfg", {"third": Path("/x/third.cdb")})
    assert aliases_beside(tmp_path / "event.vdf") == {**read_aliases(file), "third": Path("/x/third.cdb")}
    assert aliases_beside(tmp_path / "no" / "folder") == {}
    for text, told in (
        ("DATABASE a\n", r"cfg:1: found 'DATABASE a'"),
        ("DATABASE a /x\nDATABASE A /y\n", "cfg:2.*twice"),
    ):
        file.write_text(text)
        with pytest.raises(FormatError, match=told):
            read_aliases(file)


@pytest.mark.parametrize("spelled", ["mdids://far", "mdids:///far", "mdids://FAR.cdb", "midids://Far"])
def test_a_reference_is_found_by_the_aliases_beside_its_file(tmp_path: Path, spelled: str) -> None:
    (tmp_path / "vicrt_cdb.cfg").write_text("DATABASE far elsewhere/far.cdb\n")
    wanted = tmp_path / "elsewhere" / "far.cdb" / "roads.tbl" / "way.drd"
    assert resolve(f"{spelled}/roads.tbl/way.drd", tmp_path / "event.vdf") == wanted
    given = {"far": Path("/given")}  # who calls knows better
    assert resolve(f"{spelled}/roads.tbl/way.drd", tmp_path / "event.vdf", given) == Path("/given/roads.tbl/way.drd")
    with pytest.raises(FormatError, match=r"'gone' is unknown"):
        resolve("mdids://gone/roads.tbl/way.drd", tmp_path / "event.vdf")


def test_an_event_runs_with_its_file_and_the_aliases_alone(tmp_path: Path) -> None:
    """A folder with the event and the file of aliases; the path of the road lies in a database elsewhere (WB-22)."""
    source = (EVENTS / "step_steer.vdf").read_text()
    line = "TYPE = 'SHAPE'\nSHAPE_NAME = 'STRAIGHT'\nOVERALL_LENGTH = 2000\nSTEP_SIZE = 2\n"
    assert line in source
    there = create(tmp_path / "db" / "shared.cdb")
    (there / "driver_roads.tbl" / "way.drd").write_text("# x y width lat.inc speed z\n0 0 3 0 10 0\n900 0 3 0 10 0\n")
    (tmp_path / "run").mkdir()
    event = tmp_path / "run" / "event.vdf"
    name = "mdids://shared/driver_roads.tbl/way.drd"
    event.write_text(source.replace(line, f"TYPE = 'DRD_FILE'\nFILE_NAME = '{name}'\n"))
    with pytest.raises(JounceError, match=r"way\.drd"):
        jn.run(jn.load("sedan"), jn.events.find("manoeuvre")(file=str(event)))
    told = CliRunner().invoke(app, ["db", "alias", str(tmp_path / "run" / "vicrt_cdb.cfg"), str(there)])
    assert told.exit_code == 0, told.output
    found = jn.run(jn.load("sedan"), jn.events.find("manoeuvre")(file=str(event)))
    assert found.complete
