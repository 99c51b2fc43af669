"""Questions that wait together are answered together, and each gets its own answer."""

import asyncio
import threading
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.batching import Batcher
from app.engine.segments import Segments
from app.errors import InputError
from app.text import LanguagePair
from app.text.side_information import SideInformation
from app.text.side_information.kinds import TOKEN_ENTROPIES

RO = LanguagePair("ro", "en")


class Recorder:
    """Answers n with n + 1 and keeps the batches; the first batch waits until it may go on."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.go_on = threading.Event()

    def answer(self, questions: Sequence[int]) -> list[int]:
        self.batches.append(list(questions))
        self.go_on.wait(10)
        if any(question < 0 for question in questions):
            raise InputError("invalid-request", f"{min(questions)}")
        return [question + 1 for question in questions]


def _ask(batcher: Batcher[int, int], recorder: Recorder, questions: Sequence[int], keys: Sequence[object]) -> list[object]:
    """All questions at once, behind one that is being answered; what each got."""

    async def ask() -> list[object]:
        first = asyncio.create_task(batcher.answer(1000, "first"))
        while not recorder.batches:
            await asyncio.sleep(0.001)
        tasks = [asyncio.create_task(batcher.answer(q, k)) for q, k in zip(questions, keys, strict=True)]
        await asyncio.sleep(0)
        recorder.go_on.set()
        assert await first == 1001
        return await asyncio.gather(*tasks, return_exceptions=True)

    return asyncio.run(ask())


@given(st.lists(st.tuples(st.integers(-5, 50), st.integers(0, 2)), max_size=30), st.integers(1, 40))
def test_each_gets_its_own_answer_or_error(asked: list[tuple[int, int]], most: int) -> None:
    recorder = Recorder()
    batcher: Batcher[int, int] = Batcher(1, recorder.answer, lambda question: 1, most)
    questions, keys = [q for q, _ in asked], [k for _, k in asked]
    answers = _ask(batcher, recorder, questions, keys)
    batcher.stop()
    for question, answer in zip(questions, answers, strict=True):
        if question < 0:
            assert isinstance(answer, InputError) and answer.detail == str(question)
        else:
            assert answer == question + 1
    assert all(len(batch) <= most for batch in recorder.batches)


def test_those_who_wait_are_answered_at_once_by_key() -> None:
    recorder = Recorder()
    batcher: Batcher[int, int] = Batcher(1, recorder.answer, lambda question: 1)
    assert _ask(batcher, recorder, [1, 2, 3, 4], "abab") == [2, 3, 4, 5]
    assert recorder.batches == [[1000], [1, 3], [2, 4]]
    batcher.stop()


def test_clients_take_turns_and_those_that_left_are_skipped() -> None:
    recorder = Recorder()
    batcher: Batcher[int, int] = Batcher(1, recorder.answer, lambda question: 1, limit=1)

    async def ask() -> None:
        first = asyncio.create_task(batcher.answer(1000, "k"))
        while not recorder.batches:
            await asyncio.sleep(0.001)
        tasks = [asyncio.create_task(batcher.answer(k, "k", "many")) for k in range(5)]
        tasks.append(asyncio.create_task(batcher.answer(100, "k", "few")))
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.sleep(0)
        recorder.go_on.set()
        await asyncio.gather(first, *tasks, return_exceptions=True)

    asyncio.run(ask())
    assert recorder.batches == [[1000], [0], [100], [2], [3], [4]]
    batcher.stop()


def test_a_batch_is_closed_by_its_size() -> None:
    recorder = Recorder()
    batcher: Batcher[int, int] = Batcher(1, recorder.answer, lambda question: question, limit=64)
    _ask(batcher, recorder, [30, 30, 30, 5, 60], "aaaaa")
    assert recorder.batches == [[1000], [30, 30, 30], [5, 60]]
    batcher.stop()


def test_two_threads_answer_at_the_same_time() -> None:
    meeting = threading.Barrier(2)

    def meet(questions: Sequence[int]) -> list[int]:
        meeting.wait(10)
        return list(questions)

    batcher: Batcher[int, int] = Batcher(2, meet, lambda question: 1, limit=1)

    async def ask() -> list[int]:
        return list(await asyncio.gather(batcher.answer(1, "a"), batcher.answer(2, "a")))

    assert asyncio.run(ask()) == [1, 2]
    batcher.stop()


def test_a_wrong_number_of_answers_is_an_error_for_all_and_ends_nothing() -> None:
    batcher: Batcher[int, int] = Batcher(1, lambda questions: list(questions)[1:], lambda question: 1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="0 answers"):
            asyncio.run(batcher.answer(1, "a"))
    with pytest.raises(TypeError):
        asyncio.run(batcher.answer(1, []))
    batcher.stop()


def test_a_caller_that_is_gone_harms_nobody() -> None:
    # Services of other tests have batchers too.
    before = set(threading.enumerate())
    recorder = Recorder()
    batcher: Batcher[int, int] = Batcher(1, recorder.answer, lambda question: 1)

    async def leave() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(batcher.answer(1, "a"), 0.05)

    asyncio.run(leave())
    recorder.go_on.set()
    assert asyncio.run(batcher.answer(2, "a")) == 3
    batcher.stop()
    for thread in set(threading.enumerate()) - before:
        if thread.name == "batcher":
            thread.join(10)
            assert not thread.is_alive()


@given(st.lists(st.lists(st.tuples(st.text(), st.text(), st.lists(st.floats(-9, 0))), max_size=4), min_size=1, max_size=4))
def test_segments_joined_are_those_of_all_parts(parts: list[list[tuple[str, str, list[float]]]]) -> None:
    def segments(rows: Sequence[tuple[str, str, list[float]]]) -> Segments:
        side = SideInformation(token_entropies=tuple(tuple(row[2]) for row in rows))
        return Segments(RO, [row[0] for row in rows], [row[1] for row in rows], side_information=side)

    joined, whole = Segments.joined([segments(rows) for rows in parts]), segments([row for rows in parts for row in rows])
    assert (joined.pair, joined.sources, joined.translations, joined.evidence) == (
        RO,
        whole.sources,
        whole.translations,
        whole.evidence,
    )
    assert list(joined.side_information.get(TOKEN_ENTROPIES)) == list(whole.side_information.get(TOKEN_ENTROPIES))


def test_parts_of_unequal_lengths_are_not_joined() -> None:
    with pytest.raises(InputError):
        Segments.joined([Segments(RO, ["a", "b"], ["a"]), Segments(RO, ["a"], ["b", "c"])])
