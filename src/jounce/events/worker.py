"""A process that works for another one: questions come in by a pipe, answers go out by a pipe, both pickled.

Unlike the processes of ``multiprocessing`` it does not run the script again that started it, so scripts need no guard.

    worker = Process()
    worker.ask(function, *arguments)     # function of a module, not of a script
    worker.close()
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

LENGTH = struct.Struct("<Q")


class Worker:
    """What a process is asked to do."""

    @staticmethod
    def run(case: Any, options: Mapping[str, Any]) -> Any:
        """Drive a case."""
        return case.run(options)


class Process:
    """The other end: a Python process that answers one question after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from jounce.events.worker import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
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
            raise EOFError(f"exit code {process.wait()}") from None
        if not good:
            raise answer
        return answer

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
