"""The JavaScript libraries of the workbench: fetched whole and checked, or told that they are not there."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import io
import json
import sys
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vendor_web", ROOT / "tools" / "vendor_web.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def archive(folder: Path, files: dict[str, bytes]) -> tuple[Path, str]:
    """An archive as a registry gives it, and its checksum."""
    place = folder / "lib-1.0.0.tgz"
    with tarfile.open(place, "w:gz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return place, "sha512-" + base64.b64encode(hashlib.sha512(place.read_bytes()).digest()).decode()


def item(integrity: str, **files: str) -> dict[str, Any]:
    named = files or {"lib.js": "lib.js", "LICENSE": "LICENSE"}
    return {"package": "lib", "version": "1.0.0", "licence": "MIT", "integrity": integrity, "files": named}


def test_a_package_comes_with_its_licence_and_is_known_again(tool: ModuleType, tmp_path: Path) -> None:
    place, checksum = archive(tmp_path, {"lib.js": b"export {}", "LICENSE": b"MIT", "more.js": b""})
    wanted = item(checksum)
    assert not tool.is_there(wanted, tmp_path)
    tool.unpack(place, wanted, tmp_path)
    found = {path.name for path in (tmp_path / "vendor" / "lib").iterdir()}
    assert found == {"lib.js", "LICENSE", "version.json"}
    assert tool.is_there(wanted, tmp_path)
    assert not tool.is_there({**wanted, "version": "1.0.1"}, tmp_path)  # another version is fetched anew
    (tmp_path / "vendor" / "lib" / "lib.js").unlink()
    assert not tool.is_there(wanted, tmp_path)


def test_another_checksum_a_missing_file_and_no_licence_are_refused(tool: ModuleType, tmp_path: Path) -> None:
    place, checksum = archive(tmp_path, {"lib.js": b"export {}", "LICENSE": b"MIT"})
    other = "sha512-" + base64.b64encode(hashlib.sha512(b"other").digest()).decode()
    for wanted, why in (
        (item(other), "checksum"),
        (item(checksum, **{"gone.js": "gone.js", "LICENSE": "LICENSE"}), "no file gone.js"),
        (item(checksum, **{"lib.js": "lib.js"}), "licence"),
        (item(checksum, **{"lib.js": "../lib.js"}), "no file"),
    ):
        with pytest.raises(tool.NotVendoredError, match=why):
            tool.unpack(place, wanted, tmp_path)
        assert not (tmp_path / "vendor" / "lib").exists()


def test_two_versions_of_one_package_are_refused(tool: ModuleType, tmp_path: Path) -> None:
    for folder, version in (("a", "1.0.0"), ("b", "2.0.0")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "vendor.json").write_text(json.dumps([{**item("sha512-x"), "version": version}]))
    with pytest.raises(tool.NotVendoredError, match=r"1\.0\.0"):
        tool.wanted(tmp_path)


def test_without_npm_the_set_up_says_so_and_goes_on(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "vendor.json").write_text(json.dumps([item("sha512-x")]))
    monkeypatch.setenv("PATH", str(tmp_path))
    wanted = tool.wanted(tmp_path)
    monkeypatch.setattr(tool, "wanted", lambda: wanted)
    monkeypatch.setattr(tool, "APP", tmp_path)
    for arguments, code in (([], 0), (["--strict"], 1)):
        monkeypatch.setattr(sys, "argv", ["vendor_web.py", *arguments])
        assert tool.main() == code
        assert "no lib: npm is missing" in capsys.readouterr().err


def test_every_library_is_named_among_the_licences(tool: ModuleType) -> None:
    noted = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    wanted = tool.wanted()
    assert wanted
    for found in wanted:
        assert f"| {found['package']} | {found['licence']} |" in noted
