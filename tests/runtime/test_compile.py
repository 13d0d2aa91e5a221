"""The builder: which compiler, which flags, what is in the key, and what a user reads when it fails."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shlex
import shutil
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from jounce.core.errors import CompileError
from jounce.runtime import compile as build
from jounce.runtime.cache import Store, cache_info
from jounce.runtime.compile import SUFFIX, binary_key, compile_flags, compile_library, find_compiler, library_path

RUNTIME_C = '#include "jounce.h"\nJN_EXPORT int jn_answer(void);\nint jn_answer(void) { return 42; }\n'
MODEL = {
    "tiny.c": textwrap.dedent("""
        #include <stddef.h>
        #include <math.h>
        #include "jounce.h"
        #include "tiny.h"
        static void rhs(const jn_env *env, const jn_point *at, double *const *out) {
            out[0][0] = -env->p[0] * sin(at->x[0]) + tiny_offset();
        }
        static const jn_model model = {.abi = JN_ABI, .n_x = 1, .n_p = 1, .n_p_free = 1, .rhs = rhs};
        JN_EXPORT const jn_model *jn_get_model(void) { return &model; }
    """),
    "tiny_outputs.c": '#include "tiny.h"\ndouble tiny_offset(void) { return 0.0; }\n',
    "tiny.h": "double tiny_offset(void);\n",
}

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="uses shell scripts as compilers")


@pytest.fixture(autouse=True)
def _clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "cache with spaces"))
    for name in ("JOUNCE_CFLAGS", "JOUNCE_KEEP_C", "JOUNCE_OPTIMISE"):
        monkeypatch.delenv(name, raising=False)
    build.forget_compilers()  # as in a new process


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """A small runtime, so that these tests do not depend on the real one."""
    folder = tmp_path / "the runtime"
    folder.mkdir()
    for name in ("jounce.h", "jn_table.h"):
        shutil.copy(build.RUNTIME / name, folder)
    (folder / "jn_answer.c").write_text(RUNTIME_C)
    return folder


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def counting_compiler(folder: Path) -> tuple[Path, Path]:
    """Return a compiler that writes down each of its runs, and the file it writes to."""
    real = shlex.join(find_compiler().command)
    calls = folder / "calls"
    wrapper = script(folder / "my cc", f'#!/bin/sh\necho "$@" >> {shlex.quote(str(calls))}\nexec {real} "$@"\n')
    return wrapper, calls


# --- compiling


def test_a_model_compiles_links_and_answers(runtime: Path, tmp_path: Path) -> None:
    path = compile_library(MODEL, tmp_path / "out folder" / f"tiny{SUFFIX}", runtime=runtime)
    library = ctypes.CDLL(str(path))
    assert library.jn_answer() == 42
    assert ctypes.c_int32.from_address(_pointer(library)).value >= 1  # the first member is the ABI
    assert [item.name for item in path.parent.iterdir()] == [path.name]


def _pointer(library: ctypes.CDLL) -> int:
    library.jn_get_model.restype = ctypes.c_void_p
    return int(library.jn_get_model())


def test_the_same_model_gives_the_same_bytes(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compile_library(MODEL, tmp_path / "1", runtime=runtime).read_bytes()
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "another"))
    assert compile_library(dict(reversed(MODEL.items())), tmp_path / "2", runtime=runtime).read_bytes() == first


def test_only_what_is_exported_is_visible(runtime: Path, tmp_path: Path) -> None:
    library = ctypes.CDLL(str(compile_library(MODEL, tmp_path / "x", runtime=runtime)))
    with pytest.raises(AttributeError):
        library.tiny_offset  # noqa: B018


def test_flags_are_strict_and_outputs_compile_quickly() -> None:
    flags = compile_flags(find_compiler())
    assert {"-std=c11", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden"} <= set(flags)
    assert not any(flag.startswith("-march") or "fast-math" in flag for flag in flags)
    quick = compile_flags(find_compiler(), "car_outputs.c")
    assert "-O1" in quick
    assert "-O2" not in quick


def test_the_level_of_optimisation_can_be_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = find_compiler()
    keys = {binary_key(MODEL, compiler)}
    for level, expected in (("1", ["-O1", "-O0", "-O0"]), ("0", ["-O0", "-O0", "-O0"]), ("2", ["-O2", "-O1", "-O0"])):
        monkeypatch.setenv("JOUNCE_OPTIMISE", level)
        files = ("car_0.c", "car_0_outputs.c", "car_rarely.c")
        found = [[flag for flag in compile_flags(compiler, file) if flag.startswith("-O")] for file in files]
        assert found == [[flag] for flag in expected]
        keys.add(binary_key(MODEL, compiler))
    assert len(keys) == 3  # 2 is what it is without
    monkeypatch.setenv("JOUNCE_OPTIMISE", "fast")
    with pytest.raises(CompileError, match="JOUNCE_OPTIMISE = 'fast'; expected a level of optimisation from 0 to 2"):
        library_path(MODEL)


@needs_posix
def test_the_runtime_is_compiled_once(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper, calls = counting_compiler(tmp_path)
    monkeypatch.setenv("JOUNCE_CC", str(wrapper))
    library_path(MODEL, runtime=runtime)
    library_path({**MODEL, "more.c": "int more;\n"}, runtime=runtime)
    assert sum("jn_answer.c" in call for call in calls.read_text().splitlines()) == 1
    assert cache_info().entries == {"binaries": 2, "objects": 1, "recipes": 0, "roads": 0}
    (runtime / "jounce.h").write_text((runtime / "jounce.h").read_text() + "/* changed */\n")
    library_path(MODEL, runtime=runtime)
    assert sum("jn_answer.c" in call for call in calls.read_text().splitlines()) == 2


@needs_posix
def test_a_hit_does_not_start_the_compiler(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper, calls = counting_compiler(tmp_path)
    monkeypatch.setenv("JOUNCE_CC", str(wrapper))
    first = library_path(MODEL, runtime=runtime)
    calls.unlink()
    build.forget_compilers()
    assert library_path(MODEL, runtime=runtime) == first
    assert not calls.exists()


def test_a_library_cut_short_is_built_again(runtime: Path) -> None:
    first = library_path(MODEL, runtime=runtime)
    whole = first.read_bytes()
    first.write_bytes(whole[: len(whole) // 2])
    second = library_path(MODEL, runtime=runtime)
    assert second.read_bytes() == whole
    ctypes.CDLL(str(second))


def test_a_runtime_object_cut_short_is_built_again(runtime: Path) -> None:
    library_path(MODEL, runtime=runtime)
    (object_file,) = Store("objects").folder.glob("*/*.o")
    object_file.write_bytes(b"")
    library = ctypes.CDLL(str(library_path({**MODEL, "more.c": "int more;\n"}, runtime=runtime)))
    assert library.jn_answer() == 42


def test_two_processes_at_once_both_succeed_and_leave_one_entry(runtime: Path, tmp_path: Path) -> None:
    code = textwrap.dedent(f"""
        import ctypes, pathlib, sys, time
        from jounce.runtime import cache, compile
        if sys.argv[2] == "free":
            cache.Store.lock = lambda self, key: __import__("contextlib").nullcontext()  # both really compile
        print("ready", flush=True)
        sys.stdin.readline()
        path = compile.library_path({MODEL!r}, runtime=pathlib.Path(sys.argv[1]))
        print(ctypes.CDLL(str(path)).jn_answer(), path)
    """)
    for mode in ("free", "locked"):
        shutil.rmtree(tmp_path / "cache with spaces", ignore_errors=True)
        command = [sys.executable, "-c", code, str(runtime), mode]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        both = [subprocess.Popen(command, **pipes) for _ in range(2)]  # type: ignore[call-overload]
        for process in both:
            assert process.stdout.readline() == "ready\n"
        for process in both:
            process.stdin.write("go\n")
            process.stdin.flush()
        answers = [process.communicate(timeout=60) for process in both]
        assert [process.returncode for process in both] == [0, 0], answers
        assert [out.split()[0] for out, _ in answers] == ["42", "42"]
        assert cache_info().entries == {"binaries": 1, "objects": 1, "recipes": 0, "roads": 0}
        (folder,) = Store("binaries").folder.iterdir()
        assert Store("binaries").get(folder.name) is not None


# --- keys


def test_a_key_does_not_depend_on_the_order_of_files(runtime: Path) -> None:
    compiler = find_compiler()
    key = binary_key(MODEL, compiler, runtime)
    assert binary_key(dict(reversed(MODEL.items())), compiler, runtime) == key


def test_everything_that_shapes_the_binary_changes_the_key(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = find_compiler()
    keys = {binary_key(MODEL, compiler, runtime)}

    def is_new(key: str) -> bool:
        fresh = key not in keys
        keys.add(key)
        return fresh

    assert is_new(binary_key({**MODEL, "tiny.h": "double tiny_offset (void);\n"}, compiler, runtime))
    assert is_new(binary_key({f"a{name}": text for name, text in MODEL.items()}, compiler, runtime))
    assert is_new(binary_key(MODEL, build.Compiler(compiler.command, "other 1.0", compiler.target), runtime))
    assert is_new(binary_key(MODEL, build.Compiler(compiler.command, compiler.version, "riscv64-linux"), runtime))
    assert is_new(binary_key(MODEL, build.Compiler(("/other/cc",), compiler.version, compiler.target), runtime))
    monkeypatch.setenv("JOUNCE_CFLAGS", "-O3 -march=native")
    assert is_new(binary_key(MODEL, compiler, runtime))
    monkeypatch.delenv("JOUNCE_CFLAGS")
    (runtime / "jounce.h").write_text((runtime / "jounce.h").read_text().replace("define JN_ABI ", "define JN_ABI 9"))
    assert is_new(binary_key(MODEL, compiler, runtime))
    monkeypatch.setattr(sys, "platform", "freebsd14")
    assert is_new(binary_key(MODEL, compiler, runtime))


@needs_posix
def test_another_compiler_under_the_same_name_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "cc"
    monkeypatch.setenv("JOUNCE_CC", str(fake))
    script(fake, "#!/bin/sh\necho one\n")
    first = find_compiler()
    script(fake, "#!/bin/sh\necho three\n")
    assert (first.version, find_compiler().version) == ("one", "three")


def test_asking_for_a_known_compiler_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    known = find_compiler()
    build.forget_compilers()

    def started(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "run", started)
    monkeypatch.setattr(subprocess, "Popen", started)
    assert find_compiler() == known


# --- which compiler


def test_no_compiler_names_the_two_ways_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JOUNCE_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "ziglang", None)
    with pytest.raises(CompileError) as caught:
        find_compiler()
    message = str(caught.value)
    assert "apt install gcc" in message
    assert "xcode-select --install" in message
    assert 'pip install "jounce[compiler]"' in message


def test_a_wish_that_cannot_be_met_is_an_error_not_another_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOUNCE_CC", "no-such-compiler-anywhere")
    with pytest.raises(CompileError, match="JOUNCE_CC = 'no-such-compiler-anywhere': no such program"):
        find_compiler()


@needs_posix
def test_a_compiler_that_does_not_run_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOUNCE_CC", str(script(tmp_path / "bad cc", "#!/bin/sh\necho licence expired\nexit 1\n")))
    with pytest.raises(CompileError, match="licence expired"):
        find_compiler()


@needs_posix
def test_a_command_with_arguments_is_a_compiler_too(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shlex.join(find_compiler().command)
    script(tmp_path / "bin" / "wrap", f'#!/bin/sh\n[ "$1" = cc ] || exit 9\nshift\nexec {real} "$@"\n')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("JOUNCE_CC", "wrap cc")
    assert ctypes.CDLL(str(library_path(MODEL, runtime=runtime))).jn_answer() == 42


@needs_posix
def test_ziglang_is_the_last_resort(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a stand-in with the layout of the real package: a folder with a program `zig` that takes `cc`
    real = shlex.join(find_compiler().command)
    drop = 'case $a in -mcpu=*) ;; *) set -- "$@" "$a";; esac'
    body = f'[ "$1" = cc ] || exit 9\nshift\nfor a in "$@"; do shift; {drop}; done\nexec {real} "$@"\n'
    script(tmp_path / "site" / "ziglang" / "zig", f"#!/bin/sh\nPATH={shlex.quote(os.environ['PATH'])}\n{body}")
    (tmp_path / "site" / "ziglang" / "__init__.py").touch()
    monkeypatch.delenv("JOUNCE_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "ziglang", raising=False)
    compiler = find_compiler()
    assert compiler.command == (str(tmp_path / "site" / "ziglang" / "zig"), "cc")
    assert "-mcpu=baseline" in compile_flags(compiler)  # zig would tune for this machine
    assert ctypes.CDLL(str(library_path(MODEL, runtime=runtime))).jn_answer() == 42


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed")
def test_the_real_ziglang_compiles_a_model(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JOUNCE_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_compiler().is_zig
    assert ctypes.CDLL(str(library_path(MODEL, runtime=runtime))).jn_answer() == 42


# --- messages and C for people


def test_a_refusal_names_compiler_command_message_and_where_the_c_is(runtime: Path) -> None:
    with pytest.raises(CompileError) as caught:
        library_path(
            {**MODEL, "tiny_outputs.c": "double tiny_offset(void) { return nonsense; }\n"},
            name="my car",
            runtime=runtime,
        )
    message = str(caught.value)
    assert "model 'my car' does not compile" in message
    assert find_compiler().command[0] in message
    assert "-c tiny_outputs.c" in message
    assert "nonsense" in message
    kept = Path(message.rpartition("kept in ")[2])
    assert {*MODEL, "jounce.h"} <= {path.name for path in kept.iterdir()}
    assert cache_info().entries["binaries"] == 0


@pytest.mark.skipif(sys.platform != "linux", reason="flag of the linker")
def test_a_missing_function_is_found_when_linking(runtime: Path) -> None:
    with pytest.raises(CompileError, match="tiny_offset"):
        library_path({**MODEL, "tiny_outputs.c": "int unused;\n"}, runtime=runtime)


def test_a_long_message_is_cut(runtime: Path) -> None:
    wrong = "".join(f"int f{index}(void) {{ return nonsense{index}; }}\n" for index in range(50))
    with pytest.raises(CompileError, match="more lines") as caught:
        library_path({**MODEL, "tiny_outputs.c": wrong}, runtime=runtime)
    assert len(str(caught.value).splitlines()) < 25


def test_a_generated_name_must_stay_in_its_folder(runtime: Path) -> None:
    with pytest.raises(CompileError, match="plain file name"):
        library_path({"../evil.c": ""}, runtime=runtime)


def test_flags_that_cannot_be_read_are_named(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOUNCE_CFLAGS", "-DX='oops")
    with pytest.raises(CompileError, match="JOUNCE_CFLAGS"):
        library_path(MODEL, runtime=runtime)


def test_the_c_is_kept_on_request_also_on_a_hit(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    library_path(MODEL, name="tiny car", runtime=runtime)
    library_path(MODEL, name="tiny car", runtime=runtime, keep=tmp_path / "kept here")
    kept = tmp_path / "kept here"
    assert {*MODEL, "jounce.h", "jn_table.h", "jn_answer.c"} == {path.name for path in kept.iterdir()}
    assert (kept / "tiny.c").read_text() == MODEL["tiny.c"]
    monkeypatch.setenv("JOUNCE_KEEP_C", "1")
    library_path(MODEL, name="tiny car", runtime=runtime)
    (folder,) = (tmp_path / "cache with spaces" / "c").iterdir()
    assert folder.name.startswith("tiny_car-")
    assert str(folder) in caplog.text
    monkeypatch.setenv("JOUNCE_KEEP_C", str(tmp_path / "all"))
    library_path(MODEL, name="tiny car", runtime=runtime)
    assert (tmp_path / "all" / "tiny_car" / "tiny.c").exists()


def test_the_kept_folder_compiles_by_hand(runtime: Path, tmp_path: Path) -> None:
    library_path(MODEL, runtime=runtime, keep=tmp_path / "c")
    files = [path.name for path in (tmp_path / "c").glob("*.c")]
    flags = ["-std=c11", "-shared", "-fPIC", "-o", f"by_hand{SUFFIX}", *files, "-lm"]
    subprocess.run([*find_compiler().command, *flags], cwd=tmp_path / "c", check=True)
