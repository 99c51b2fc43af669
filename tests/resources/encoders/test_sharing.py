"""Threads that encode together give what one gives, keep nobody waiting for another's texts, and let errors reach who asked."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.resources.encoders import EncodedTokens
from app.resources.encoders.remembering import RememberingEncoder
from app.resources.encoders.sharing import SharedEncoding
from app.running.deadline import Deadline, until
from tests.features.hashed_words import HashedWords

PATIENCE = 20
TEXTS = st.lists(st.sampled_from(["", "a", "a b", "c d e", "b a", "long " * 60, "longer " * 80]), max_size=6)


def keyed(*texts: str) -> dict[bytes, str]:
    return {text.encode(): text for text in texts}


def nobody(encoded: Mapping[bytes, EncodedTokens]) -> None:
    """What is kept nowhere."""


def settled(shared: SharedEncoding) -> bool:
    """Whether nothing remains to be done, as soon as helpers have done what they took."""
    with shared._condition:
        return shared._condition.wait_for(lambda: not shared._queue and not shared._running, PATIENCE)


class Held:
    """Encodes when it is let; says who was asked for what."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.begun = threading.Event()
        self.asked_for: list[tuple[str, list[str]]] = []

    def encode(self, texts: Sequence[str]) -> EncodedTokens:
        self.asked_for.append((threading.current_thread().name, list(texts)))
        if "held" in texts:
            self.begun.set()
            assert self.go.wait(PATIENCE)
        if "broken" in texts:
            raise ValueError("broken")
        return HashedWords().encode_tokens(texts)


@settings(deadline=None, max_examples=30)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 60))
def test_many_threads_say_what_one_says(calls: list[list[str]], most: int) -> None:
    encoder = RememberingEncoder(HashedWords(), token_limit=most, threads=3)
    encoder.begin(calls[0])
    with ThreadPoolExecutor(len(calls)) as callers:
        for texts, got in zip(calls, callers.map(encoder.encode_tokens, calls), strict=True):
            expected = HashedWords().encode_tokens(texts)
            assert got is not None and got.pieces == expected.pieces
            assert np.array_equal(got.vectors, expected.vectors) and np.array_equal(got.offsets, expected.offsets)
    assert settled(encoder._shared)


def test_what_was_begun_is_encoded_meanwhile_and_once() -> None:
    held, kept = Held(), threading.Event()
    shared = SharedEncoding(held.encode, lambda encoded: kept.set(), 2)
    shared.begin(keyed("held"))
    assert held.begun.wait(PATIENCE)
    with ThreadPoolExecutor(1) as caller:
        answer = caller.submit(shared.encode, keyed("held"))
        held.go.set()
        assert list(answer.result(PATIENCE) or ()) == [b"held"]
    assert kept.is_set() and held.asked_for == [("encoder", ["held"])]


def test_nobody_waits_for_the_texts_of_another() -> None:
    held = Held()
    shared = SharedEncoding(held.encode, nobody, 2)
    shared.begin(keyed("held"))
    assert held.begun.wait(PATIENCE)
    assert len(shared.encode(keyed("a", "b")) or ()) == 2
    held.go.set()


def test_one_thread_begins_nothing_and_encodes_together() -> None:
    held = Held()
    shared = SharedEncoding(held.encode, nobody)
    shared.begin(keyed("a"))
    assert len(shared.encode(keyed("a", "bb")) or ()) == 2
    assert held.asked_for == [("MainThread", ["bb", "a"])]


def test_what_fails_fails_for_whoever_asked_and_for_nobody_else() -> None:
    held = Held()
    shared = SharedEncoding(held.encode, nobody, 2)
    shared.begin(keyed("broken"))
    with pytest.raises(ValueError, match="broken"):
        shared.encode(keyed("broken", "a"))
    assert len(shared.encode(keyed("a", "b")) or ()) == 2
    assert settled(shared)


def test_nobody_encodes_what_nobody_waits_for() -> None:
    held = Held()
    shared = SharedEncoding(held.encode, nobody, 2)
    gone = Deadline()
    gone.give_up()
    with until(gone), pytest.raises(InputError, match="closed the connection"):
        shared.encode(keyed("a", "b"))
    assert settled(shared)
    assert len(shared.encode(keyed("a", "b")) or ()) == 2
