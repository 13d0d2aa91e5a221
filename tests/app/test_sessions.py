"""Sessions, preferences and registered folders: what comes back, what is asked for, and what is not to be had."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import jounce as jn
from jounce.app.folders import Folders
from jounce.app.workbench import Workbench
from jounce.core.errors import FormatError, ParameterError
from jounce.core.library import LIBRARY
from jounce.files.databases import read_aliases, write_aliases

RATE = "front_suspension.spring.rate"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's own preferences."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "jounce"


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[], Workbench]]:
    """A workbench of one folder; the one before is gone without a good-bye."""
    made: list[Workbench] = []

    def one() -> Workbench:
        for old in made:
            old._held.close()
        made.append(Workbench(tmp_path / "work"))
        return made[-1]

    yield one
    for old in made:
        old._held.close()


def car(folder: Path) -> Path:
    """A vehicle in a folder of its own."""
    jn.load("sedan").clone("mine", folder / "mine")
    return folder / "mine"


# --- folders -------------------------------------------------------------------------------------------------------


def test_an_alias_names_a_folder_however_it_is_spelled(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    place = tmp_path.parent / f"{tmp_path.name}-cars.cdb"
    (place / "tires.tbl").mkdir(parents=True)
    (place / "tires.tbl" / "a.tir").write_text("x")
    found = folders.register(place)
    assert found.alias == f"{tmp_path.name}-cars"  # from the folder's name
    for text in ("mdids://{}/tires.tbl/a.tir", "mdids:///{}.cdb/tires.tbl/a.tir", "midids://{}/tires.tbl/a.tir"):
        for alias in (found.alias, found.alias.upper()):
            assert folders.resolve(text.format(alias)) == place / "tires.tbl" / "a.tir"
    moved = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    shutil.move(place, moved)
    folders.remove(found.alias)
    folders.register(moved, found.alias)
    assert folders.resolve(f"mdids://{found.alias}/tires.tbl/a.tir") == moved / "tires.tbl" / "a.tir"
    shutil.rmtree(moved)


def test_a_folder_below_another_has_its_own_rights(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    (tmp_path / "fixed").mkdir()
    folders.register(tmp_path / "fixed", writable=False)
    assert folders.resolve("fixed/a", write=False)
    for text in ("fixed/a", str(tmp_path / "fixed" / "a"), "library/vehicles/x"):
        with pytest.raises(ParameterError, match="not written to"):
            folders.resolve(text, write=True)


@pytest.mark.parametrize("path", ["/", "/no/such/folder", ""])
def test_what_is_no_folder_is_not_registered(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    with pytest.raises(ParameterError):
        Folders(tmp_path).register(path)
    with pytest.raises(ParameterError, match="stays registered"):
        Folders(tmp_path).remove("library")


def test_the_aliases_are_a_file_that_others_read(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    (tmp_path / "cars.cdb").mkdir()
    folders.register(tmp_path / "cars.cdb")
    file = write_aliases(tmp_path / "vicrt_cdb.cfg", dict(folders.aliases()))
    assert f"DATABASE library {LIBRARY.resolve()}" in file.read_text().splitlines()
    assert read_aliases(file) == folders.aliases() and "cars" in folders.aliases()


# --- preferences ----------------------------------------------------------------------------------------------------


def test_a_folder_stays_and_one_for_the_session_does_not(make: Callable[[], Workbench], tmp_path: Path) -> None:
    first = make()
    for name in ("stays", "goes", "kept", "removed"):
        (tmp_path / name).mkdir()
        first.register(str(tmp_path / name), for_session=name in ("goes", "kept"))
    first.keep("kept")
    first.unregister("removed")
    assert {f.alias for f in make().folders} == {"library", "work", "stays", "kept"}


def test_preferences_are_made_where_there_are_none_and_the_nearest_ones_count(
    make: Callable[[], Workbench], tmp_path: Path, home: Path
) -> None:
    own = tmp_path / "work" / ".jounce" / "preferences.json"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    home.mkdir(parents=True)
    text = '{{"format": "jounce-preferences-1", "folders": [{{"alias": "{0}", "path": "{1}/{0}"}}]}}'
    (home / "preferences.json").write_text(text.format("b", tmp_path))
    found = make()
    assert "b" in {f.alias for f in found.folders} and not own.exists()
    own.write_text(text.format("a", tmp_path))
    assert {f.alias for f in make().folders} == {"library", "work", "a"}
    own.unlink()
    (home / "preferences.json").unlink()
    make()
    assert json.loads(own.read_text()) == {"format": "jounce-preferences-1", "folders": []}


@pytest.mark.parametrize(
    "text", ["{", '{"format": "x"}', "[]", '{"format": "jounce-preferences-1", "folders": [{"alias": 1}]}', "\0\1"]
)
def test_bad_preferences_are_told_and_left_as_they_are(
    make: Callable[[], Workbench], tmp_path: Path, text: str
) -> None:
    make()
    file = tmp_path / "work" / ".jounce" / "preferences.json"
    file.write_text(text)
    found = make()
    (entry,) = [item for item in found.log.entries if item.source == "preferences"]
    assert entry.level == "error" and "preferences.json" in entry.text
    assert file.read_text() == text
    (tmp_path / "new").mkdir()
    found.register(str(tmp_path / "new"))  # a change: now they are written, and the bad ones put aside
    assert "new" in {f.alias for f in make().folders}
    assert any(path.read_text() == text for path in file.parent.glob("preferences.damaged-*"))


def test_a_folder_that_is_gone_is_told_and_not_forgotten(make: Callable[[], Workbench], tmp_path: Path) -> None:
    (tmp_path / "cars").mkdir()
    make().register(str(tmp_path / "cars"))
    (tmp_path / "cars").rename(tmp_path / "away")
    found = make()
    assert any("cars: no such folder" in item.text for item in found.log.entries)
    (tmp_path / "other").mkdir()
    found.register(str(tmp_path / "other"))
    (tmp_path / "away").rename(tmp_path / "cars")
    assert {"cars", "other"} <= {f.alias for f in make().folders}


# --- sessions -------------------------------------------------------------------------------------------------------


def test_a_session_is_saved_left_and_opened_again(make: Callable[[], Workbench]) -> None:
    found = make()
    document = found.documents.open("sedan")
    document.change({RATE: "60 N/mm"})
    found.session.of_page("build")["node"] = "front_suspension"
    found.session.data["plan"] = [{"event": "step-steer"}]
    found.session.set("theme", "dark")
    before = json.loads(json.dumps(found.session.data))
    place = found.save_session("my work")
    found.new_session()
    assert not len(found.documents) and found.session.data["plan"] == []
    assert found.session.setting("theme") == "dark"  # of the workbench, not of what is open
    found.open_session(found.folders.shown(place))
    assert found.session.data == before
    (again,) = found.documents
    assert again.vehicle.front_suspension.spring.rate == 60000.0
    assert found.sessions() == [place]


@pytest.mark.parametrize("text", ["{", '{"format": "jounce-session-9"}', '{"format": "jounce-session-1", "plan": 3}'])
def test_what_is_no_session_is_refused_and_nothing_is_lost(make: Callable[[], Workbench], text: str) -> None:
    found = make()
    found.documents.open("sedan")
    (found.folders.main / "bad.json").write_text(text)
    with pytest.raises(FormatError, match=r"bad\.json"):
        found.open_session("work/bad.json")
    assert [item.label for item in found.documents] == ["sedan"]
    with pytest.raises(ParameterError, match="outside"):
        found.open_session("/etc/passwd")
    with pytest.raises(ParameterError, match="name"):
        found.save_session("../up")


def test_a_damaged_session_is_put_aside_and_told(make: Callable[[], Workbench], tmp_path: Path) -> None:
    make().documents.open("sedan")
    file = tmp_path / "work" / ".jounce" / "session.json"
    text = file.read_text()[:-40]
    file.write_text(text)
    found = make()
    assert not len(found.documents)
    assert any("put aside" in item.text and item.level == "warning" for item in found.log.entries)
    assert [path.read_text() for path in file.parent.glob("session.damaged-*")] == [text]


# --- over the network -----------------------------------------------------------------------------------------------


def test_folders_and_documents_of_scripts(server: Any, tmp_path: Path) -> None:
    place = car(tmp_path / "cars")
    assert server.ask("/api/documents", {"source": str(place)})[0] == 422  # nobody registered it
    server.json("/api/folders", {"path": str(tmp_path / "cars"), "alias": "garage"})
    assert "garage/mine" in server.json("/api/vehicles")
    document = server.json("/api/documents", {"source": "garage/mine"})
    address = f"/api/documents/{document['id']}"
    assert server.json(f"{address}/changes", {"changes": {RATE: "66.9 N/m"}, "try_only": True})["doubts"]
    assert server.json(address)["differences"] == []
    server.json(f"{address}/changes", {"changes": {RATE: "60 N/mm"}})
    status, body = server.ask(f"{address}/changes", {"changes": {RATE: "-1 N/mm"}})
    assert status == 422 and json.loads(body) == {"error": "must be > 0 N/m"}
    assert server.json(f"{address}/value?path={RATE}") == 60000.0
    assert not server.json(f"{address}/undo", {})["differences"]
    assert len(server.json(f"{address}/redo", {})["differences"]) == 1
    assert not server.json(f"{address}/save", {})["dirty"]
    assert jn.load(place).front_suspension.spring.rate == 60000.0
    server.json(address, method="DELETE")
    server.json("/api/folders/garage", method="DELETE")
    assert server.ask("/api/documents", {"source": "garage/mine"})[0] == 422
    assert server.ask("/api/documents/v99")[0] == 404


def test_a_crash_loses_nothing(start: Callable[..., Any], tmp_path: Path) -> None:
    server = start(tmp_path / "crashing")
    document = server.json("/api/documents", {"source": "sedan", "copy_as": "softer"})
    server.json(f"/api/documents/{document['id']}/changes", {"changes": {RATE: "60 N/mm"}})
    server.close(signal.SIGKILL)
    again = start(tmp_path / "crashing")
    sedan, copy = again.json("/api/documents")
    assert not sedan["dirty"] and copy["label"] == "softer"
    assert [(d["path"], d["theirs"]) for d in copy["differences"]] == [(RATE, 60000.0)]
