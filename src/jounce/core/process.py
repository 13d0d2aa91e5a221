"""A process that works for another one: questions come in by a pipe, answers go out by a pipe, both pickled.

Unlike the processes of ``multiprocessing`` it does not run the script again that started it, so scripts need no guard.

    worker = Process()
    worker.ask(function, *arguments)     # function of a module, not of a script
    worker.close()

Programs of others that read binary files end the process when a file is damaged. They are asked in a process of their
own, with limits of memory and time: ``aside`` returns what they return, or an error that names the file.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from jounce.core.errors import FormatError, JounceError
from jounce.core.limits import Limits, check_file, shown

LENGTH = struct.Struct("<Q")


class Process:
    """The other end: a Python process that answers one question after the other."""

    def __init__(self, *, quiet: bool = False, **environment: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from jounce.core.process import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), **environment},
        )
        self._lock = threading.Lock()

    @staticmethod
    def possible() -> bool:
        """Whether this Python knows how to start another one."""
        return bool(sys.executable)

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what the function returns there; an exception there is raised here. EOFError when it ended."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            _send(process.stdin, (function, arguments))
            good, answer = _receive(process.stdout)
        except (EOFError, OSError, ValueError):
            raise EOFError(_ending(process.wait())) from None
        if not good:
            raise answer
        return answer

    def kill(self) -> None:
        """End the process; who asked it is told so."""
        self._process.kill()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        with self._lock:
            if self._process.poll() is None:
                self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError, ValueError):
                        pipe.close()


def _ending(code: int) -> str:
    with contextlib.suppress(ValueError):
        return f"exit code {code}, {signal.Signals(-code).name}"
    return f"exit code {code}"


def serve() -> None:
    """Answer questions until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asks
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints does not mix with the answers
    while True:
        try:
            function, arguments = _receive(questions)
        except EOFError:
            return
        try:
            answer = True, function(*arguments)
            data = pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)
        except JounceError as error:
            data = pickle.dumps((False, type(error)(str(error))))
        except Exception as error:
            data = pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
        _write(answers, data)


def _send(pipe: Any, message: Any) -> None:
    _write(pipe, pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))


def _write(pipe: Any, data: bytes) -> None:
    pipe.write(LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: Any) -> Any:
    (size,) = LENGTH.unpack(_read(pipe, LENGTH.size))
    return pickle.loads(_read(pipe, size))


def _read(pipe: BinaryIO, size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


# --- readers of binary files ----------------------------------------------------------------------------------------

_WAIT = 20  # as long as the seconds of computing: a machine may be busy, a reader may wait for a disk
_aside: dict[int, Process] = {}  # by process: one that was forked starts its own
_one_at_a_time = threading.Lock()


def aside(function: Callable[[str], Any], path: str | os.PathLike[str], limits: Limits) -> Any:
    """Return ``function(path)``, computed in another process within the limits of the format.

    The process stays for the next file. Where none can be started, this one does it.

    Raises
    ------
    FormatError
        What the function raises, or that it ended its process, or took too much time or memory.
    """
    check_file(path, limits)
    place = os.path.abspath(path)
    if not Process.possible():
        return function(place)
    size = os.path.getsize(place)
    with _one_at_a_time:
        process = _aside.get(os.getpid())
        if process is None:
            process = _aside[os.getpid()] = Process(quiet=True, OPENBLAS_NUM_THREADS="1")
        seconds = limits.seconds + size // 1_000_000
        watch = threading.Timer(_WAIT * seconds, process.kill)
        watch.daemon = True
        watch.start()
        try:
            return process.ask(_limited, function, place, limits.memory + 8 * size, seconds)
        except EOFError as ended:
            _aside.pop(os.getpid()).close()
            raise FormatError(
                f"{shown(path)}: damaged, or more than {limits.what} needs: its reader gave up ({ended})"
            ) from None
        except RuntimeError as problem:
            raise FormatError(f"{shown(path)}: cannot be read ({problem})") from None
        finally:
            watch.cancel()


def _limited(function: Callable[[str], Any], path: str, memory: int, seconds: int) -> Any:
    """Runs over there."""
    try:
        import resource
    except ImportError:  # Windows: the watch of the one who asks remains
        return function(path)
    used = resource.getrusage(resource.RUSAGE_SELF)
    computed = int(used.ru_utime + used.ru_stime)
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, computed + seconds + 1)):
        with contextlib.suppress(OSError, ValueError):  # not every system has every limit
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    return function(path)


@atexit.register
def _end() -> None:
    process = _aside.pop(os.getpid(), None)
    if process is not None:
        process.close()
