"""Runs of a plan on a Dask cluster, through its ordinary client. Dask is needed only then.

Workers need jounce and a C compiler, and see the plan's files under the same paths. They run one task at a time best:
``dask worker ADDRESS --nthreads 1 --nworkers 8``. Results come back by the client; the cluster needs no common folder
for them. The bits are those of a run here where compiler and mathematics library are the same, and `run_plan` tells
where they are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jounce.core.errors import ParameterError
from jounce.study.worker import Answer, lost, perform

if TYPE_CHECKING:
    from jounce.study.running import Executor

AHEAD = 2  # tasks per thread of the cluster that wait for it; the others wait here
WAIT = "20s"  # for the scheduler


def dask(address: str) -> Executor:
    """An executor for `jounce.study.running.run_plan`: the cluster whose scheduler is at an address."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise ParameterError(
            "--dask needs the package distributed, which is not installed: pip install 'jounce[cluster]'"
        ) from None

    def work(questions: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Answer]]:
        try:
            client = Client(address, timeout=WAIT, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as problem:
            raise ParameterError(f"--dask {address}: no scheduler there ({problem})") from None
        with client:
            threads = sum(client.nthreads().values())
            if not threads:
                raise ParameterError(f"--dask {address}: the cluster has no workers; start dask worker {address}")
            numbers: dict[Any, int] = {}

            def submit(number: int) -> Any:
                # pure=False: Dask would take runs with equal arguments of an earlier plan for done
                future = client.submit(perform, *questions[number], pure=False)
                numbers[future.key] = number
                return future

            first = min(len(questions), AHEAD * threads)
            waiting = as_completed([submit(k) for k in range(first)], loop=client.loop)
            following = iter(range(first, len(questions)))
            for future in waiting:
                number = numbers.pop(future.key)
                error = future.exception()
                answer = (
                    future.result() if error is None else lost(f"the cluster lost it: {type(error).__name__}: {error}")
                )
                future.release()
                if (further := next(following, None)) is not None:
                    waiting.add(submit(further))
                yield number, answer

    return work
