"""Companions of a process: they repeat their actions, outlive errors, and end in bounded time."""

import logging
import threading
import time

import pytest

from app.errors import InputError
from app.running.companion import Companion


def test_actions_come_again_after_errors(caplog: pytest.LogCaptureFixture) -> None:
    calls: list[int] = []
    is_over = threading.Event()

    def act() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise InputError("database-unavailable", "the store is away")
        if len(calls) == 2:
            raise ZeroDivisionError
        is_over.set()

    companion = Companion([act], 0.01)
    with caplog.at_level(logging.WARNING, logger="assay"):
        companion.start()
        assert is_over.wait(10)
        companion.stop()
    count = len(calls)
    time.sleep(0.1)
    assert len(calls) == count and "the store is away" in caplog.text and "ZeroDivisionError" in caplog.text


def test_an_action_without_an_end_does_not_keep_the_process() -> None:
    is_over, has_begun = threading.Event(), threading.Event()

    def act() -> None:
        has_begun.set()
        is_over.wait(30)

    companion = Companion([act], 1)
    companion.start()
    assert has_begun.wait(10)
    begin = time.monotonic()
    companion.stop(0.1)
    assert time.monotonic() - begin < 5
    is_over.set()


def test_a_companion_that_never_began_can_be_stopped() -> None:
    Companion([], 1).stop()
