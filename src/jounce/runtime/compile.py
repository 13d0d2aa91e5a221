"""Generated C to a shared library: find a compiler, compile in parallel, keep the result in the cache.

Environment:

``JOUNCE_CC``        the compiler, as a path or a command (``clang-18``, ``zig cc``); else cc, gcc, clang, ziglang
``JOUNCE_CFLAGS``    more flags for compiling and linking (``-O3 -march=native``); they enter the key
``JOUNCE_OPTIMISE``  0, 1 or 2 (else 2): effort of the compiler; the results are the same to the bit, see decision 0018
``JOUNCE_KEEP_C``    1: keep the C in the cache folder for reading; a path: keep it there
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import logging
import os
import platform
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from jounce.core.errors import CompileError
from jounce.runtime.cache import (
    Store,
    cache_root,
    digest,
    digest_files,
    prune_sometimes,
    recall,
    remember,
    scratch_folder,
)

log = logging.getLogger(__name__)

RUNTIME = Path(__file__).parent / "c"

# Raised when the way of compiling changes without a change of the flags or of any C text.
BUILD_FORMAT = 1

# Strict IEEE arithmetic without fused multiply-add: the same bits on every machine. errno is never read.
# No built-in functions, so that sin(constant) is libm's at every optimisation level (jn_math.h says more).
STRICT_FLAGS = ("-std=c11", "-ffp-contract=off", "-fno-builtin", "-fno-math-errno")
FLAGS = (*STRICT_FLAGS, "-fvisibility=hidden")
LEVEL = 2  # of optimisation, unless JOUNCE_OPTIMISE says less
# Called at recording instants only, one level less: quick to compile matters more than quick to run.
QUICK_SUFFIX = "_outputs.c"
# Called a few times (linearisations): not worth any effort of the compiler; the results are the same to the bit.
RARE_SUFFIX = "_rarely.c"

SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")

_CANDIDATES = ("cc", "gcc", "clang")
# What a compiler reads from the environment and what thereby shapes the binary.
_ENVIRONMENT = (
    "CPATH",
    "C_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "SDKROOT",
    "DEVELOPER_DIR",
    "MACOSX_DEPLOYMENT_TARGET",
)
_MESSAGE_LINES = 12

NO_COMPILER = """no C compiler found: jounce translates each model to C and compiles it once
  looked for: {looked}
  to get one, either
    install the system's C compiler   (Debian/Ubuntu: apt install gcc   Fedora: dnf install gcc   \
macOS: xcode-select --install)
    or, without administrator rights: pip install "jounce[compiler]"   (brings the ziglang compiler)
  a compiler in another place: set JOUNCE_CC to its path"""


# --- the compiler ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compiler:
    """A C compiler: the command to start it and what it says about itself."""

    command: tuple[str, ...]
    version: str
    target: str

    @property
    def is_zig(self) -> bool:
        return any(Path(word).stem in ("zig", "ziglang") for word in self.command)

    @cached_property
    def identity(self) -> str:
        """Digest of everything about the compiler that shapes a binary."""
        return digest(*self.command, self.version, self.target, *(os.environ.get(name, "") for name in _ENVIRONMENT))

    def __str__(self) -> str:
        first = self.version.partition("\n")[0]
        return f"{shlex.join(self.command)} ({first}, {self.target})"


_known: dict[str, Compiler] = {}


def find_compiler() -> Compiler:
    """Return the compiler to use; raise CompileError with the ways to get one when there is none."""
    command, files = _command()
    stamp = digest(*command, *(_stamp(file) for file in (*files, *_developer_tools(files))))
    if stamp not in _known:
        # The answers are kept on disk: a start from the cache must not spend time on running the compiler.
        memo = recall("compilers", stamp) or {}
        version, target = memo.get("version"), memo.get("target")
        if not (isinstance(version, str) and isinstance(target, str)):
            version, target = _ask(command)
            remember("compilers", stamp, {"command": command, "version": version, "target": target})
        _known[stamp] = Compiler(command, version, target)
    return _known[stamp]


def forget_compilers() -> None:
    """Forget within this process what compilers said about themselves; the disk still knows."""
    _known.clear()


def _command() -> tuple[tuple[str, ...], list[str]]:
    """Return the command of the compiler and the files whose change means another compiler."""
    if chosen := os.environ.get("JOUNCE_CC", "").strip():
        # A path with spaces is a path; anything else may be a command with arguments ("ccache gcc", "zig cc").
        words = [chosen] if os.path.isfile(chosen) else shlex.split(chosen, posix=os.name != "nt")
        program = shutil.which(words[0])
        if program is None:
            raise CompileError(
                f"JOUNCE_CC = {chosen!r}: no such program\n"
                "  give the path of a C compiler, or unset JOUNCE_CC to let jounce look for one"
            )
        rest = (shutil.which(word) or word for word in words[1:] if not word.startswith("-"))
        return (program, *words[1:]), [program, *(word for word in rest if os.path.isfile(word))]
    for name in _CANDIDATES:
        if program := shutil.which(name):
            return (program,), [program]
    try:
        spec = importlib.util.find_spec("ziglang")
    except (ImportError, ValueError):
        spec = None
    if spec is not None and spec.submodule_search_locations:
        # `python -m ziglang` does nothing but start this program; starting it ourselves saves a Python per unit.
        program = os.path.join(spec.submodule_search_locations[0], "zig.exe" if os.name == "nt" else "zig")
        if os.path.isfile(program):
            return (program, "cc"), [program]
        return (sys.executable, "-m", "ziglang", "cc"), [spec.origin or sys.executable]
    raise CompileError(NO_COMPILER.format(looked=f"{', '.join(_CANDIDATES)} on the PATH, the Python package ziglang"))


def _developer_tools(files: Sequence[str]) -> list[str]:
    """Return the real compilers behind macOS's /usr/bin/cc, which itself never changes."""
    if sys.platform != "darwin" or not any(file.startswith("/usr/bin/") for file in files):
        return []
    base = os.environ.get("DEVELOPER_DIR") or os.path.realpath("/var/db/xcode_select_link")
    return [
        "/Library/Developer/CommandLineTools/usr/bin/clang",
        f"{base}/usr/bin/clang",
        f"{base}/Toolchains/XcodeDefault.xctoolchain/usr/bin/clang",
    ]


def _stamp(file: str) -> str:
    real = os.path.realpath(file)
    try:
        info = os.stat(real)
    except OSError:
        return f"{real} missing"
    return f"{real} {info.st_size} {info.st_mtime_ns}"


def _ask(command: tuple[str, ...]) -> tuple[str, str]:
    version = _run([*command, "--version"])
    if version.returncode != 0:
        raise CompileError(
            f"the C compiler does not run: {shlex.join(command)} --version\n"
            f"{_indent(version.stdout)}\n"
            "  repair it, or set JOUNCE_CC to another one"
        )
    target = _run([*command, "-dumpmachine"])
    machine = target.stdout.strip() if target.returncode == 0 else ""
    return version.stdout.strip(), machine or f"{platform.machine()}-{sys.platform}"


def _run(command: Sequence[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return subprocess.CompletedProcess(list(command), 127, str(error))


def _indent(text: str) -> str:
    lines = text.strip().splitlines() or ["(no message)"]
    more = [f"… and {len(lines) - _MESSAGE_LINES} more lines"] if len(lines) > _MESSAGE_LINES else []
    return "\n".join(f"    {line}" for line in [*lines[:_MESSAGE_LINES], *more])


# --- flags and keys --------------------------------------------------------------------------------------------------


def compile_flags(compiler: Compiler, file_name: str = "model.c") -> list[str]:
    """Return the flags for one translation unit; the user's come last, so that they win."""
    level = _level()
    if file_name.endswith(QUICK_SUFFIX):
        level = max(level - 1, 0)
    if file_name.endswith(RARE_SUFFIX):
        level = 0
    flags = [*FLAGS, f"-O{level}"]
    if sys.platform != "win32":
        flags.append("-fPIC")
    if compiler.is_zig:
        # zig tunes for the machine it runs on, traps on undefined behaviour and writes paths into the debug
        # information unless told otherwise; all three would make the binary differ from that of other compilers.
        flags += ["-mcpu=baseline", "-fno-sanitize=undefined", "-fomit-frame-pointer", "-g0"]
    return flags + _user_flags()


def link_flags(compiler: Compiler) -> list[str]:
    flags = ["-shared"]
    if compiler.is_zig:
        flags += ["-mcpu=baseline", "-g0"]
    if sys.platform == "linux" and not any(flag.startswith("-fsanitize") for flag in _user_flags()):
        flags.append("-Wl,-z,defs")  # a missing function is a link error here, not a surprise at load
    return flags + _user_flags()


def _level() -> int:
    text = os.environ.get("JOUNCE_OPTIMISE", "").strip()
    if text not in ("", *map(str, range(LEVEL + 1))):
        raise CompileError(f"JOUNCE_OPTIMISE = {text!r}; expected a level of optimisation from 0 to {LEVEL}")
    return int(text) if text else LEVEL


def _user_flags() -> list[str]:
    text = os.environ.get("JOUNCE_CFLAGS", "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise CompileError(f"JOUNCE_CFLAGS = {text!r}: {error}; write it as on a command line") from error


def _toolchain_key(compiler: Compiler) -> str:
    flags = [compile_flags(compiler), *(compile_flags(compiler, s) for s in (QUICK_SUFFIX, RARE_SUFFIX))]
    flags.append(link_flags(compiler))
    host = [sys.platform, platform.machine(), sys.maxsize.bit_length()]
    return digest(compiler.identity, json.dumps([BUILD_FORMAT, flags, host]))


def runtime_files(runtime: Path = RUNTIME) -> dict[str, str]:
    """Return the C runtime: file name -> text."""
    files = sorted(path for path in runtime.iterdir() if path.suffix in (".c", ".h"))
    return {path.name: path.read_text(encoding="utf-8") for path in files}


def binary_key(sources: Mapping[str, str], compiler: Compiler, runtime: Path = RUNTIME) -> str:
    """Return the key of a compiled model: everything that shaped it (the ABI number is part of the runtime's text)."""
    return digest("binary", digest_files(sources), digest_files(runtime_files(runtime)), _toolchain_key(compiler))


# --- compiling -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Unit:
    """A command that makes one object file."""

    command: list[str]
    cwd: Path
    target: Path


def compile_library(
    sources: Mapping[str, str],
    out_path: Path,
    *,
    runtime: Path = RUNTIME,
    compiler: Compiler | None = None,
    name: str = "model",
    keep: str | os.PathLike[str] | None = None,
) -> Path:
    """Compile generated sources and link them with the C runtime into a shared library.

    Parameters
    ----------
    sources
        File name -> C text; names ending in ``.h`` are only included.
    out_path
        The library to write.
    runtime
        Folder of the C runtime. Its objects are compiled once and kept in the cache.
    compiler
        From ``find_compiler`` unless given.
    name
        Of the model, for messages.
    keep
        Folder to leave the sources in; also see ``JOUNCE_KEEP_C``.
    """
    built = _compile(sources, Path(out_path).absolute(), runtime, compiler or find_compiler(), name)
    _keep(sources, runtime, name, keep)
    return built


def library_path(
    sources: Mapping[str, str],
    *,
    name: str = "model",
    runtime: Path = RUNTIME,
    keep: str | os.PathLike[str] | None = None,
) -> Path:
    """Return the compiled library of these sources: from the cache, or compiled into it now."""
    compiler = find_compiler()
    key = binary_key(sources, compiler, runtime)
    store = Store("binaries")
    entry = store.get(key)
    if entry is None:
        start = time.perf_counter()
        try:
            with store.lock(key):
                entry = store.get(key, quiet=True)  # somebody else may have built it while we waited
                if entry is None:
                    with scratch_folder(prefix="link-") as work:
                        built = _compile(sources, work / f"model{SUFFIX}", runtime, compiler, name)
                        info = {"model": name, "compiler": str(compiler), "created": time.strftime("%Y-%m-%d %H:%M:%S")}
                        entry = store.put(key, built.read_bytes(), SUFFIX, info)
        except OSError as error:
            raise CompileError(
                f"model {name!r} cannot be built in the cache folder {cache_root()}: {error}\n"
                "  free some space (jounce cache clear), or set JOUNCE_CACHE_DIR to another folder"
            ) from error
        log.info("compiled %s in %.2f s with %s", name, time.perf_counter() - start, compiler)
        prune_sometimes()
    _keep(sources, runtime, name, keep)
    return entry.path


def loaded(path: str | os.PathLike[str], mode: int | None = None) -> ctypes.CDLL:
    """A shared library, loaded; the error says what to try when the system refuses."""
    try:
        # CDLL, not PyDLL: the GIL is free while C runs
        return ctypes.CDLL(str(path)) if mode is None else ctypes.CDLL(str(path), mode=mode)
    except OSError as error:
        hint = "the library is damaged, or made for another machine: jounce cache clear"
        if "failed to map segment" in str(error) or "not permitted" in str(error):
            hint = "nothing may be run from that file system (noexec): set JOUNCE_CACHE_DIR to a folder on another"
        raise CompileError(f"{path}: cannot be loaded ({error})\n  {hint}") from None


def _compile(sources: Mapping[str, str], out_path: Path, runtime: Path, compiler: Compiler, name: str) -> Path:
    _check_names(sources)

    def refused(message: str) -> CompileError:
        kept = _keep_failed(sources, runtime, name)
        return CompileError(f"model {name!r} does not compile\n{message}\n  the C is kept in {kept}")

    with scratch_folder(prefix="model-") as work:
        for file_name, text in sources.items():
            (work / file_name).write_text(text, encoding="utf-8", newline="\n")
        runtime_objects = _runtime_objects(compiler, runtime, work)
        units = [
            _unit(compiler, file_name, work, work / f"{file_name}.o", runtime)
            # the longest first: the last one to finish then finishes early
            for file_name in sorted(sources, key=lambda item: (-len(sources[item]), item))
            if file_name.endswith(".c")
        ]
        _compile_all(compiler, units, refused)
        # Names without the scratch folder and in one order: the same model links to the same bytes. They go through a
        # file, as many units would not fit a command line everywhere; spaces are safe there within quotes.
        objects = [*sorted(unit.target.name for unit in units), *map(str, runtime_objects)]
        quoted = (path.replace("\\", "\\\\").replace('"', '\\"') for path in objects)
        (work / "objects.txt").write_text("".join(f'"{path}"\n' for path in quoted), encoding="utf-8")
        linked = f"library{SUFFIX}"
        command = [*compiler.command, *link_flags(compiler), "-o", linked, "@objects.txt", "-lm"]
        result = _run(command, cwd=work)
        if result.returncode != 0:
            raise refused(_failure(compiler, command, result.stdout))
        out_path.parent.mkdir(parents=True, exist_ok=True)
        # Copied, as the target may be on another file system; renamed, so that it is whole when it appears.
        temporary = out_path.with_name(f".{out_path.name}.{os.getpid()}.tmp")
        shutil.copyfile(work / linked, temporary)
        os.replace(temporary, out_path)
    return out_path


def _check_names(sources: Mapping[str, str]) -> None:
    for name in sources:
        if os.path.basename(name) != name or not name.endswith((".c", ".h")):
            raise CompileError(f"generated file {name!r}: must be a plain file name ending in .c or .h")


def _unit(compiler: Compiler, source: str, cwd: Path, target: Path, include: Path) -> _Unit:
    flags = compile_flags(compiler, source)
    command = [*compiler.command, *flags, "-I", str(include.absolute()), "-c", source, "-o", str(target)]
    return _Unit(command, cwd, target)


def _compile_all(compiler: Compiler, units: Sequence[_Unit], refused: Callable[[str], CompileError]) -> None:
    """Run the commands, as many at a time as there are processors; stop at the first that fails."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    if not units:
        return
    with ThreadPoolExecutor(min(processors(), len(units))) as pool:
        jobs = {pool.submit(_run, unit.command, unit.cwd): unit for unit in units}
        for job in as_completed(jobs):
            result = job.result()
            if result.returncode != 0:
                pool.shutdown(wait=True, cancel_futures=True)
                raise refused(_failure(compiler, jobs[job].command, result.stdout))


def processors() -> int:
    """Return how many threads can run at a time."""
    # A container or a batch system may give us fewer than the machine has.
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _failure(compiler: Compiler, command: Sequence[str], message: str) -> str:
    return f"  compiler: {compiler}\n  command:  {shlex.join(command)}\n  message:\n{_indent(message)}"


def _runtime_objects(compiler: Compiler, runtime: Path, work: Path) -> list[Path]:
    """Return the objects of the C runtime, compiled when the cache does not have them."""
    files = runtime_files(runtime)
    headers = digest_files({name: text for name, text in files.items() if name.endswith(".h")})
    toolchain = _toolchain_key(compiler)
    store = Store("objects")
    found: dict[str, Path] = {}
    missing: dict[str, tuple[str, _Unit]] = {}
    for name in (name for name in files if name.endswith(".c")):
        key = digest("object", name, files[name], headers, toolchain)
        entry = store.get(key)
        if entry is not None:
            found[name] = entry.path
        else:
            missing[name] = key, _unit(compiler, name, runtime, work / f"runtime-{name}.o", runtime)

    def refused(message: str) -> CompileError:
        return CompileError(f"the C runtime of jounce does not compile\n{message}\n  the C is in {runtime}")

    _compile_all(compiler, [unit for _, unit in missing.values()], refused)
    for name, (key, unit) in missing.items():
        found[name] = store.put(key, unit.target.read_bytes(), ".o", {"source": name}).path
    return [found[name] for name in sorted(found)]


# --- C for people ----------------------------------------------------------------------------------------------------


def write_sources(sources: Mapping[str, str], folder: str | os.PathLike[str], runtime: Path = RUNTIME) -> Path:
    """Write a model's C and the runtime's beside it, as one folder that any C compiler takes."""
    path = Path(folder).expanduser().absolute()
    path.mkdir(parents=True, exist_ok=True)
    for name, text in {**runtime_files(runtime), **sources}.items():
        (path / name).write_text(text, encoding="utf-8", newline="\n")
    return path


def _keep(sources: Mapping[str, str], runtime: Path, name: str, keep: str | os.PathLike[str] | None) -> None:
    level = logging.INFO
    if keep is None:
        wish = os.environ.get("JOUNCE_KEEP_C", "").strip()
        if wish in ("", "0"):
            return
        keep = _readable_folder("c", name, sources) if wish == "1" else Path(wish) / _plain(name)
        level = logging.WARNING  # who asks through the environment has no other way to learn where
    log.log(level, "C of model %s kept in %s", name, write_sources(sources, keep, runtime))


def _keep_failed(sources: Mapping[str, str], runtime: Path, name: str) -> Path:
    folder = _readable_folder("failed", name, sources)
    with contextlib.suppress(OSError):
        write_sources(sources, folder, runtime)
    return folder


def _readable_folder(kind: str, name: str, sources: Mapping[str, str]) -> Path:
    return cache_root() / kind / f"{_plain(name)}-{digest_files(sources)[:8]}"


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name) or "model"
