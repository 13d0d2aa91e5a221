"""The cache on disk: entries are whole or not there, whatever happens to files and processes."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jounce.runtime import cache
from jounce.runtime.cache import Store, cache_info, cache_root, clear_cache, digest, prune


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "a cache"
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(folder))
    return folder


def age(path: Path, days: float) -> None:
    then = time.time() - days * cache.DAY
    os.utime(path, (then, then))


# --- where


def test_the_environment_chooses_the_folder(root: Path) -> None:
    assert cache_root() == root
    assert root.is_dir()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="other rules there")
def test_without_a_wish_the_xdg_rules_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JOUNCE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_root() == tmp_path / "xdg" / "jounce"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_root() == tmp_path / "home" / ".cache" / "jounce"


def test_a_folder_that_cannot_be_written_falls_back_with_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with caplog.at_level(logging.WARNING):
        used = cache_root()
        assert cache_root() == used
    assert used.parent == tmp_path
    assert used.stat().st_mode & 0o022 == 0
    assert len(caplog.records) == 1
    assert "JOUNCE_CACHE_DIR" in caplog.text


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX permissions")
def test_a_fallback_folder_that_others_may_write_to_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / f"jounce-{os.getuid()}"
    planted.mkdir()
    planted.chmod(0o777)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "file" / "other"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert cache_root() != planted


# --- entries


def test_an_entry_comes_back_as_it_was_put() -> None:
    store = Store("binaries")
    assert store.get("k") is None
    put = store.put("k", b"payload", ".so", {"model": "m"})
    got = store.get("k")
    assert got is not None
    assert (got.path, got.data, got.info["model"]) == (put.path, b"payload", "m")
    assert got.path.suffix == ".so"


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-3]), id="cut short"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_bytes(b"x" * path.stat().st_size), id="other content"),
        pytest.param(lambda path: path.unlink(), id="payload gone"),
        pytest.param(lambda path: (path.parent / "manifest.json").write_bytes(b'{"file": "'), id="manifest cut short"),
        pytest.param(lambda path: (path.parent / "manifest.json").write_bytes(b"[1, 2]"), id="manifest is a list"),
    ],
)
def test_a_damaged_entry_is_a_miss_and_can_be_put_again(damage, caplog: pytest.LogCaptureFixture) -> None:  # type: ignore[no-untyped-def]
    store = Store("binaries")
    damage(store.put("k", b"payload", ".so").path)
    assert store.get("k") is None
    assert "damaged" in caplog.text
    store.put("k", b"payload", ".so")
    entry = store.get("k")
    assert entry is not None
    assert entry.data == b"payload"


def test_two_different_payloads_for_one_key_leave_one_valid_entry() -> None:
    # two compilers' runs need not give the same bytes; the last manifest wins and names its own payload
    store = Store("binaries")
    first, second = store.put("k", b"one", ".so"), store.put("k", b"two", ".so")
    entry = store.get("k")
    assert entry is not None
    assert entry.data == b"two"
    assert first.path.read_bytes() == b"one"  # whoever has it open keeps it
    assert second.path != first.path
    assert cache_info().entries["binaries"] == 1


def test_no_temporary_files_stay_behind() -> None:
    folder = Store("objects").put("k", b"payload", ".o").path.parent
    assert sorted(path.name for path in folder.iterdir() if path.suffix != ".o") == ["manifest.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process")
def test_the_lock_of_a_killed_process_does_not_block(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import time\n"
        "from jounce.runtime.cache import Store\n"
        "with Store('binaries').lock('k'):\n"
        "    print('held', flush=True)\n"
        "    time.sleep(60)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    with holder, holder.stdout:
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait()

    def waits(_: float) -> None:
        raise AssertionError("waits for a lock that nobody holds")

    monkeypatch.setattr(cache.time, "sleep", waits)
    with Store("binaries").lock("k"):
        pass


def test_the_wait_for_a_lock_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LOCK_WAIT", 0.1)
    with Store("binaries").lock("k"), Store("binaries").lock("k"):
        pass


# --- digests


def test_digests_keep_the_parts_apart() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("abc") != digest("abc", "")
    assert digest("x") == digest(b"x")


# --- housekeeping


def test_pruning_takes_the_longest_unused_first_and_never_the_fresh() -> None:
    store = Store("binaries")
    for index in range(4):
        manifest = store.put(f"k{index}", bytes([index]) * 1000, ".so").path.parent / "manifest.json"
        age(manifest, days=10 - 3 * index)  # 10, 7, 4, 1 days
    store.put("fresh", b"f" * 1000, ".so")
    assert prune(max_bytes=4000) == 2  # each entry is 1000 bytes and a manifest
    assert [store.get(f"k{index}") is not None for index in range(4)] == [False, False, True, True]
    prune(max_bytes=0)
    assert store.get("fresh") is not None
    prune(max_bytes=0, in_use=-1.0)
    assert store.get("fresh") is None


def test_pruning_takes_what_was_not_used_for_long() -> None:
    store = Store("recipes")
    age(store.put("old", b"o", ".json").path.parent / "manifest.json", days=200)
    store.put("new", b"n", ".json")
    assert prune() == 1
    assert store.get("old") is None
    assert store.get("new") is not None


def test_a_hit_counts_as_use() -> None:
    store = Store("recipes")
    age(store.put("old", b"o", ".json").path.parent / "manifest.json", days=200)
    assert store.get("old") is not None
    assert prune() == 0


def test_clearing_removes_our_entries_and_nothing_else(root: Path) -> None:
    Store("binaries").put("k", b"payload", ".so")
    (root / "precious.txt").write_text("not ours")
    assert cache_info().total_bytes > 0
    assert clear_cache() > 0
    assert cache_info().total_bytes == 0
    assert (root / "precious.txt").exists()


# --- what others could have written

POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX permissions")


@POSIX
@pytest.mark.parametrize("mode", [0o777, 0o757])
def test_a_cache_that_others_can_write_to_is_not_used(
    mode: int, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Store("binaries").put("k", b"planted", ".so")
    root.chmod(mode)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert cache_root() != root and not cache.untrusted(cache_root())
    assert Store("binaries").get("k") is None
    assert "chmod go-w" in caplog.text


@POSIX
def test_a_folder_that_could_be_put_in_the_place_of_the_cache_is_seen(tmp_path: Path) -> None:
    (tmp_path / "open" / "cache").mkdir(parents=True)
    (tmp_path / "open").chmod(0o777)
    assert "others can write" in cache.untrusted(tmp_path / "open" / "cache")
    (tmp_path / "open").chmod(0o1777)  # as the folder of temporary files: nobody can rename what is another's
    assert not cache.untrusted(tmp_path / "open" / "cache")
    (tmp_path / "link").symlink_to(tmp_path / "open" / "cache")
    (tmp_path / "open").chmod(0o777)
    assert "others can write" in cache.untrusted(tmp_path / "link")


@POSIX
@pytest.mark.parametrize("part", ["", "manifest.json", "payload"])
def test_an_entry_that_others_could_have_written_is_a_miss(part: str, caplog: pytest.LogCaptureFixture) -> None:
    store = Store("binaries")
    path = store.put("k", b"library", ".so").path
    (path if part == "payload" else path.parent / part).chmod(0o777)
    assert store.get("k") is None
    assert "may have been written by somebody else" in caplog.text


@POSIX
def test_a_payload_that_is_a_link_is_a_miss(tmp_path: Path) -> None:
    store = Store("binaries")
    path = store.put("k", b"library", ".so").path
    (tmp_path / "elsewhere.so").write_bytes(b"library")
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere.so")
    assert store.get("k") is None


@POSIX
def test_a_shared_cache_is_read_when_it_is_named_and_never_written(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shared = tmp_path / "shared"
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(shared))
    Store("binaries").put("k", b"of all", ".so")
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(root))
    assert Store("binaries").get("k") is None, "nobody named it"
    monkeypatch.setenv("JOUNCE_SHARED_CACHE", os.pathsep.join([str(tmp_path / "none"), str(shared)]))
    before = sorted(shared.rglob("*"))
    entry = Store("binaries").get("k")
    assert entry is not None and entry.data == b"of all" and entry.path.is_relative_to(shared)
    Store("binaries").put("own", b"mine", ".so")
    assert sorted(shared.rglob("*")) == before
    shared.chmod(0o777)
    assert Store("binaries").get("k") is None
    assert "not only its owner can write" in caplog.text


def test_files_of_killed_processes_are_swept(root: Path) -> None:
    store = Store("recipes")
    entry = store.put("k", b"model", ".json")
    cache.remember("yaml", "a", {"x": 1})
    left = [entry.path.parent / ".abc.tmp", root / "memo" / "yaml" / ".def.tmp", root / "tmp" / "build-1"]
    left[2].mkdir(parents=True)
    for path in left[:2]:
        path.write_bytes(b"half")
    for path in left:
        age(path, days=2)
    fresh = entry.path.parent / ".ghi.tmp"
    fresh.write_bytes(b"under way")
    prune()
    assert not any(path.exists() for path in left)
    assert fresh.exists() and store.get("k") is not None and cache.recall("yaml", "a") == {"x": 1}


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"a":' * 50_000, b"[]", b"7", b'{"file": 5}'])
def test_nested_or_foreign_json_counts_as_not_there(text: bytes, root: Path) -> None:
    store = Store("recipes")
    folder = store.put("k", b"model", ".json").path.parent
    (folder / "manifest.json").write_bytes(text)
    cache.remember("yaml", "a", {"x": 1})
    (root / "memo" / "yaml" / "a.json").write_bytes(text)
    assert store.get("k") is None
    assert cache.recall("yaml", "a") in (None, {"file": 5})


def test_a_library_that_the_system_does_not_load_is_told_with_what_to_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ctypes

    from jounce.core.errors import CompileError
    from jounce.runtime.compile import loaded

    path = tmp_path / "model.so"
    path.write_bytes(b"no library")
    with pytest.raises(CompileError, match=r"model\.so: cannot be loaded.*\n.*jounce cache clear"):
        loaded(path)

    def noexec(name: str, **_: object) -> None:
        raise OSError(f"{name}: failed to map segment from shared object")

    monkeypatch.setattr(ctypes, "CDLL", noexec)
    with pytest.raises(CompileError, match=r"noexec.*JOUNCE_CACHE_DIR"):
        loaded(path)
