"""Shards in processes of this machine; a killed process loses only the shards in work, which others repeat."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from threading import Thread, current_thread, main_thread
from typing import Final

from app.scale.executors.attempts import ATTEMPTS, killed_outcome
from app.scale.files.shards import Shard
from app.scale.runs import Executor, Outcome

__all__ = ["process_pool", "processes"]

# Shards of the queue of each process, so that none waits for the next one.
QUEUE_LENGTH: Final = 2
# Signals that end a run.
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def processes(count: int) -> Executor:
    """An executor of `count` processes."""

    def execute(work: Callable[[Shard], Outcome], shards: Sequence[Shard]) -> Iterator[Outcome]:
        attempts: Counter[Shard] = Counter()
        rest = list(shards)
        while rest:
            remainder: list[Shard] = []
            with process_pool(count) as pool:
                yield from _outcomes(pool, work, rest, count * QUEUE_LENGTH, remainder)
            attempts.update(remainder)
            rest = [shard for shard in remainder if attempts[shard] < ATTEMPTS]
            yield from (killed_outcome(work, shard) for shard in remainder if attempts[shard] >= ATTEMPTS)

    return execute


@contextmanager
def process_pool(count: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of `count` processes. They end at once if the block raises, as for Ctrl-C, or if this process is killed."""
    context, strangers = get_context("spawn"), set(active_children())
    end, signal_of_end = context.Pipe(duplex=False)
    with end, ProcessPoolExecutor(count, context, _end_with, (end,)) as pool:
        try:
            yield pool
        except BaseException:
            # The pool waits for its processes, which would first end their shards.
            signal_of_end.close()
            # A process that is about to begin does not watch the pipe yet.
            for process in set(active_children()) - strangers:
                process.kill()
            raise
    signal_of_end.close()


def _end_with(end: Connection) -> None:
    """Let this process end when its parent closes the pipe or is killed: it would wait for work, with its memory, for ever."""
    # Of Ctrl-C, the parent closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None
    sentinel = parent.sentinel

    def watch() -> None:
        wait_for([sentinel, end])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


@contextmanager
def _no_interruption_of_children() -> Iterator[None]:
    """Let processes that begin in the block ignore Ctrl-C from their first moment; here, it and SIGTERM act after the block."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    signals: list[int] = []
    handlers = {}
    # Another thread may get a signal that this one blocks. A process without its first bytes would print a traceback.
    if current_thread() is main_thread():
        handlers = {number: signal.signal(number, lambda number, _: signals.append(number)) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for late_signal in signals:
            signal.raise_signal(late_signal)


def _outcomes(
    pool: ProcessPoolExecutor, work: Callable[[Shard], Outcome], shards: Sequence[Shard], room: int, remainder: list[Shard]
) -> Iterator[Outcome]:
    """Outcomes until a process is killed; `remainder` gets the shards without one then."""
    waiting: dict[Future[Outcome], Shard] = {}
    rest = iter(shards)
    is_broken = False
    while True:
        while len(waiting) < room and not is_broken and (shard := next(rest, None)) is not None:
            try:
                with _no_interruption_of_children():
                    waiting[pool.submit(work, shard)] = shard
            except BrokenProcessPool:
                remainder.append(shard)
                is_broken = True
        if not waiting:
            break
        ready, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in ready:
            shard = waiting.pop(future)
            if isinstance(future.exception(), BrokenProcessPool):
                remainder.append(shard)
                is_broken = True
            else:
                yield future.result()
    remainder.extend(rest)
