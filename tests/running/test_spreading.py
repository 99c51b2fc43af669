"""Threads that share the items of calls give the results of one, and no call waits for the items of another."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.running.deadline import Deadline, until
from app.running.threads.spreading import Spreading

PATIENCE = 20


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(1, 3))
def test_results_are_in_order_however_many_threads_work(counts: list[int], threads: int) -> None:
    spreading = Spreading(threads)
    with ThreadPoolExecutor(len(counts)) as callers:
        calls = [
            callers.submit(spreading.results, lambda k, number=number: (number, k), count) for number, count in enumerate(counts)
        ]
        for number, (call, count) in enumerate(zip(calls, counts, strict=True)):
            assert call.result(PATIENCE) == [(number, k) for k in range(count)]


def test_a_helper_joins_in() -> None:
    barrier = threading.Barrier(2)
    # Two threads alone pass the barrier.
    assert Spreading(2).results(lambda k: barrier.wait(PATIENCE) >= 0, 2) == [True, True]


def test_a_call_goes_on_beside_the_items_of_another() -> None:
    spreading, go, begun = Spreading(2), threading.Event(), threading.Semaphore(0)

    def held(k: int) -> int:
        begun.release()
        assert go.wait(PATIENCE)
        return k

    with ThreadPoolExecutor(1) as other:
        slow = other.submit(spreading.results, held, 3)
        # Its caller and the helper are held.
        assert all(begun.acquire(timeout=PATIENCE) for _ in range(2))
        assert spreading.results(lambda k: k, 5) == list(range(5))
        go.set()
        assert slow.result(PATIENCE) == [0, 1, 2]


def test_the_first_error_ends_a_call_and_no_other() -> None:
    spreading = Spreading(3)

    def fails(k: int) -> int:
        if k == 4:
            raise ValueError("broken")
        return k

    with pytest.raises(ValueError, match="broken"):
        spreading.results(fails, 1000)
    assert spreading.results(lambda k: k, 3) == [0, 1, 2]


def test_an_error_of_a_helper_reaches_the_caller() -> None:
    main, failed = threading.current_thread(), threading.Event()

    def work(k: int) -> int:
        if threading.current_thread() is main:
            assert failed.wait(PATIENCE)
            return k
        failed.set()
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        Spreading(2).results(work, 2)


def test_a_call_whose_caller_is_gone_ends() -> None:
    spreading, deadline, done = Spreading(2), Deadline(), []

    def work(k: int) -> int:
        deadline.give_up()
        time.sleep(0.01)
        done.append(k)
        return k

    with until(deadline), pytest.raises(InputError, match="closed the connection"):
        spreading.results(work, 100)
    assert len(done) < 50
    assert spreading.results(lambda k: k, 2) == [0, 1]
