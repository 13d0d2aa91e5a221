"""Many questions to several processes; answers come as they are ready, and nothing is kept.

    for number, answer in answers(function, [(1, "a"), (2, "b")], 2, lost=lambda k, why: None):
        ...

Leaving the loop ends the processes. One that dies is replaced, and ``lost`` says what its question is answered with.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jounce.core.process import Process

LOOK = 0.1  # s between two looks at Ctrl-C while all processes are busy
AHEAD = 2  # answers per process that wait to be taken; more would fill the memory of a slow asker


def answers(
    function: Callable[..., Any],
    questions: Sequence[tuple[Any, ...]],
    count: int,
    lost: Callable[[int, str], Any],
    start: Callable[[], Process] = Process,
) -> Iterator[tuple[int, Any]]:
    """Give the number of a question and what ``function(*question)`` returned, in the order they are done.

    Parameters
    ----------
    function : of a module, not of a script
    questions : arguments, asked in their order
    count : processes at a time
    lost : called with number and reason when a process ended at a question; gives the answer
    start : starts a process
    """
    pool = _Pool(function, questions, lost, start, AHEAD * count)
    threads = [
        threading.Thread(target=pool.work, name=f"jounce-batch-{k}", daemon=True)
        for k in range(min(count, len(questions)))
    ]
    try:
        for thread in threads:
            thread.start()
        for _ in range(len(questions)):
            number, answer = pool.next()
            if isinstance(answer, _Bug):
                raise answer.error
            yield number, answer
    finally:
        pool.stop()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


class _Bug:
    """An exception that belongs to the one who asks."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Pool:
    """Threads that hand questions to processes in order."""

    def __init__(
        self,
        function: Callable[..., Any],
        questions: Sequence[tuple[Any, ...]],
        lost: Callable[[int, str], Any],
        start: Callable[[], Process],
        ahead: int,
    ) -> None:
        self.room = threading.Semaphore(ahead)
        self.function, self.questions, self.lost, self.start = function, questions, lost, start
        self.finished: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.processes: list[Process] = []
        self.asked = 0
        self.stopped = False

    def next(self) -> tuple[int, Any]:
        while True:
            try:
                found = self.finished.get(timeout=LOOK)  # with a limit, so that Ctrl-C is seen on every system
            except queue.Empty:
                continue
            self.room.release()
            return found

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.close()

    def work(self) -> None:
        process: Process | None = None
        while True:
            while not self.room.acquire(timeout=LOOK):
                if self.stopped:
                    break
            with self.lock:
                if self.stopped or self.asked >= len(self.questions):
                    break
                number, self.asked = self.asked, self.asked + 1
            try:
                with self.lock:
                    if self.stopped:
                        break
                    if process is None:
                        process = self.start()
                        self.processes.append(process)
                answer = process.ask(self.function, *self.questions[number])
            except EOFError as error:  # it died, or was told to
                if self.stopped:
                    break
                answer, process = self.lost(number, str(error)), None
            except BaseException as error:  # a bug: the caller's thread raises it
                answer = _Bug(error)
            self.finished.put((number, answer))
            if isinstance(answer, _Bug):
                break
        if process is not None:
            process.close()
