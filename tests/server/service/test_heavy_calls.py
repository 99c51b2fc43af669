"""Calls that are too much work, that take too long, and that nobody waits for; and small ones beside them."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine import Engine
from app.engine.batching import Batcher
from app.errors import InputError
from app.metrics import Significance, segment_statistics
from app.metrics.significance.letters import significance_letters
from app.metrics.significance.paired_tests import paired_randomisation, randomisation_draws
from app.metrics.significance.resampling import bootstrap_scores, resample_weights
from app.operations.operation import Body, Operation
from app.operations.parts.costs.cost import Cost
from app.operations.parts.costs.work import HEAVY, work_of_lists, work_of_pairs, work_of_readings, work_of_tests
from app.operations.quality import QualityRequest
from app.operations.quality import operation as quality
from app.operations.score import operation as score
from app.running.deadline import Deadline, check_deadline, until
from app.running.threads.spreading import Spreading
from app.server.service import KEYLESS_CALLER, Access, Service
from app.server.service.service import Question
from app.settings import Settings
from app.text.tokenisation import MOST_TOKENS
from tests.features.hashed_reader import HashedReader
from tests.hostile import TEXTS

PAIR = {"source_language": "ro", "target_language": "en"}


class Work(Body):
    """A request that is so much work, and takes so many seconds."""

    work: int
    seconds: float = 0.0


def _busy(engine: object, request: Work) -> str:
    end = time.monotonic() + request.seconds
    while time.monotonic() < end:
        time.sleep(0.01)
        check_deadline()
    return "done"


WORK: Operation[Work, str] = Operation(
    "work",
    "",
    Work,
    str,
    check=lambda request, limits: None,
    answer=_busy,
    id="doWork",
    cost=lambda engine, request: Cost(text_work=request.work),
)


@pytest.fixture
def access(tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Access]:
    service = Service(Settings(data_dir=tmp_path, tagging_process=False, call_seconds=0.5, max_call_work=2**40))
    monkeypatch.setattr(service, "_engine", engine)
    yield Access(service, KEYLESS_CALLER)
    service.stop()


def ask(access: Access, *requests: Work) -> list[Any]:
    async def ask_all() -> list[Any]:
        return await asyncio.gather(*(access.answer(WORK, request) for request in requests), return_exceptions=True)

    return asyncio.run(ask_all())


def test_a_server_that_stops_does_not_wait_for_the_time_of_a_call(access: Access) -> None:
    async def cut_off() -> float:
        call = asyncio.create_task(access.answer(WORK, Work(work=2**30, seconds=0.4)))
        await asyncio.sleep(0.1)
        begun = time.monotonic()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return time.monotonic() - begun

    assert asyncio.run(cut_off()) < 0.2


def test_only_a_verb_with_jobs_says_to_send_one(access: Access) -> None:
    [refusal] = ask(access, Work(work=2**41))
    assert isinstance(refusal, InputError) and refusal.code == "too-much-work" and "job" not in refusal.detail
    verb = replace(WORK, steps=quality.steps)
    with pytest.raises(InputError, match="or a job") as refused:
        asyncio.run(access.answer(verb, Work(work=2**41)))
    assert refused.value.code == "too-much-work"


def test_what_no_limit_lets_pass_is_refused_for_that(access: Access) -> None:
    """However much work it would be: runs that are stored stand in no job either."""
    rows = [[[0, 1]]] * 20_000
    stored = {
        "format": "assay-scores", "version": 1, "system": "old", "segments": 1, "references": {"count": 1, "sha256": "0" * 64},
        "metrics": [{"metric": "ter", "signature": "any", "statistics": rows}],
    }  # fmt: skip
    body = {"systems": {"s": ["a"]}, "references": {"r": ["a"]}, "metrics": ["ter"] * 50, "significance": {"stored": stored}}
    request = score.request.model_validate(body)
    assert score.cost(access.engine, request).work > access.settings.max_call_work
    with pytest.raises(InputError) as refused:
        asyncio.run(access.answer(score, request))
    assert refused.value.code == "too-many-segments" and "20000 runs" in refused.value.detail


def test_a_call_stops_at_its_deadline(access: Access) -> None:
    begun = time.monotonic()
    [refusal] = ask(access, Work(work=1, seconds=30))
    assert isinstance(refusal, InputError) and refusal.code == "too-slow"
    assert time.monotonic() - begun < 5


def test_a_call_stops_when_its_caller_is_gone(access: Access) -> None:
    async def gone() -> bool:
        return True

    async def ask_once() -> None:
        await access.answer(WORK, Work(work=1, seconds=0.4), gone)

    with pytest.raises(InputError, match="closed the connection"):
        asyncio.run(ask_once())


def test_what_is_made_of_a_result_stops_when_its_caller_is_gone_and_not_before(access: Access) -> None:
    async def gone() -> bool:
        return True

    async def never() -> bool:
        return False

    async def read_all() -> list[Any]:
        calls = [access.in_turn(lambda: _busy(None, Work(work=1, seconds=30)), gone) for _ in range(6)]
        return await asyncio.gather(*calls, return_exceptions=True)

    begun = time.monotonic()
    refusals = asyncio.run(read_all())
    assert {refusal.code for refusal in refusals} == {"too-slow"} and time.monotonic() - begun < 5
    # There is no other way to a result than to wait for it, for longer than a call may take too.
    assert asyncio.run(access.in_turn(lambda: _busy(None, Work(work=1, seconds=0.8)), never)) == "done"


def test_heavy_calls_wait_for_one_another_and_small_ones_for_none(access: Access) -> None:
    async def ask_all() -> tuple[float, list[Any]]:
        heavy = [asyncio.create_task(access.answer(WORK, Work(work=HEAVY + 1, seconds=0.3))) for _ in range(50)]
        await asyncio.sleep(0.05)
        begun = time.monotonic()
        assert await access.answer(WORK, Work(work=1)) == "done"
        waited = time.monotonic() - begun
        return waited, await asyncio.gather(*heavy, return_exceptions=True)

    waited, answers = asyncio.run(ask_all())
    assert waited < 0.2
    # Two at once; what waits for longer than a call may take is not begun.
    assert 2 <= answers.count("done") <= 4
    assert {answer.code for answer in answers if isinstance(answer, InputError)} == {"overloaded"}


def test_a_deadline_holds_where_it_was_set_and_nowhere_else() -> None:
    deadline = Deadline(60)
    with until(deadline):
        check_deadline()
        deadline.give_up()
        with pytest.raises(InputError):
            check_deadline()
    check_deadline()


def test_who_waits_for_so_long_is_answered_in_that_time_without_an_encoder(access: Access) -> None:
    asked_for: list[Any] = []

    def seen(request: Body, seconds: float) -> Any:
        operation = Operation[Any, Any](
            "seen",
            "",
            QualityRequest,
            str,
            lambda request, limits: None,
            lambda engine, request: asked_for.append(request),
            id="seeRequest",
            profiled=True,
        )
        asyncio.run(access.answer(operation, request, seconds=seconds))
        return asked_for[-1].profile

    def request(**more: Any) -> QualityRequest:
        return QualityRequest.model_validate({**PAIR, "segments": [], **more})

    assert seen(request(), 5) == "fast" and seen(request(), inf) is None
    assert seen(request(profile="accurate"), 5) == "accurate" and seen(request(model="ro-en-da-blend-95"), 5) is None
    with pytest.raises(InputError, match=r"longer than 0.1 s") as refused:
        asyncio.run(access.answer(WORK, Work(work=1, seconds=5), seconds=0.1))
    assert refused.value.code == "too-slow"


def test_a_batch_is_waited_for_no_longer_than_its_caller_waits(access: Access) -> None:
    batcher = Batcher[Any, Any](1, lambda questions: [time.sleep(1) for _ in questions], lambda question: 1)
    access._service.batchers["quality", False] = access._service.batchers["quality", True] = batcher
    segments = [{"source": "Casa.", "translation": "House."}]
    with pytest.raises(InputError, match=r"longer than 0.1 s"):
        asyncio.run(access.answer(quality, QualityRequest.model_validate({**PAIR, "segments": segments}), seconds=0.1))
    batcher.stop()


def test_features_stop_at_a_deadline(engine: Engine) -> None:
    request = QualityRequest.model_validate({**PAIR, "segments": [{"source": "Casa.", "translation": "House."}]})
    assert quality.answer is not None
    with until(Deadline(0)), pytest.raises(InputError) as refused:
        quality.answer(engine, request)
    assert refused.value.code == "too-slow"


def test_metrics_stop_between_groups_of_segments(engine: Engine) -> None:
    assert score.answer is not None
    texts = ["a b c d e " * 400] * 40
    request = score.request.model_validate({"systems": {"s": texts}, "references": {"r": texts}, "metrics": ["wer"]})
    deadline = Deadline(60)
    deadline.give_up()
    with until(deadline), pytest.raises(InputError) as refused:
        score.answer(engine, request)
    assert refused.value.code == "too-slow"


def test_tests_stop_within_a_metric(engine: Engine) -> None:
    """Draws, resamples, trials and letters: whatever a call is in, it stops once nobody waits."""
    metrics = engine.metrics(["ter"])
    systems = {f"s{k}": ["a b", "c"] for k in range(4)}
    statistics = segment_statistics(metrics, systems, {"r": ["a b", "d"]})
    [of_systems], one = statistics, statistics[0]["s0"]
    weights, draws = resample_weights(2, 100, 1), randomisation_draws(100, 2, 1)
    apart = {("s0", "s1"): True}
    parts: list[Callable[[], object]] = [
        lambda: resample_weights(2, 100, 1),
        lambda: randomisation_draws(100, 2, 1),
        lambda: bootstrap_scores(metrics["ter"], of_systems, weights),
        lambda: paired_randomisation(metrics["ter"], [one], [one], draws),
        lambda: significance_letters(list(systems), apart),
    ]
    for part in parts:
        part()
        with until(Deadline(0)), pytest.raises(InputError) as refused:
            part()
        assert refused.value.code == "too-slow"


@pytest.mark.parametrize("metric", ["ter", "wer", "per", "nist", "order:kendall", "simpbleu:PABC4", "trained:beer-2.0"])
def test_groups_change_no_score(engine: Engine, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    systems = {"a": [f"the house {k} is big" for k in range(30)], "b": [f"a {k} house is" for k in range(30)]}
    references = {"r": [f"the {k} house is big" for k in range(30)], "q": ["", *(f"house {k}" for k in range(29))]}
    wanted = engine.metrics([metric])
    [whole] = segment_statistics(wanted, systems, references)
    monkeypatch.setattr("app.metrics.definition.WORK_OF_GROUP", 20_000)
    [parts] = segment_statistics(wanted, systems, references)
    # A product of matrices may differ in its last bit.
    rtol = 1e-14 if metric.startswith("trained:") else 0.0
    assert all(np.allclose(whole[name], parts[name], rtol=rtol, atol=0) for name in systems)


def test_a_place_in_a_group_is_a_place_in_the_list(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.metrics.definition.WORK_OF_GROUP", 1)
    systems = {"s": [*["a b"] * 8, "a " * 3000]}
    with pytest.raises(InputError) as refused:
        segment_statistics(engine.metrics(["order:kendall"]), systems, {"r": ["a b"] * 9})
    assert refused.value.where == ("systems", 8)


def test_work_grows_with_pairs_of_characters() -> None:
    long = "a " * MOST_TOKENS
    assert work_of_pairs([("ab", "abc")]) * 2 == work_of_pairs([("ab", "abc")] * 2)
    # Nobody's features look further.
    assert work_of_pairs([(long, long)]) == work_of_pairs([(long * 5, long * 5)]) > HEAVY
    assert work_of_lists(2, {"a": ["ab"], "b": ["abc"]}, {"r": ["abcd"]}) == 2 * 5 * 4
    assert work_of_lists(1, {"a": ["ab", "x"], "b": []}, {"r": ["abcd"]}) == 8


def test_a_network_is_work_where_it_is_asked(engine: Engine) -> None:
    def work(
        profile: str | None, words: int, usual: str = "accurate", network: bool = True, to: str = "en", threads: int = 1
    ) -> int:
        segments = [{"source": f"{number} " * words, "translation": f"-{number} " * words} for number in range(1001, 3001)]
        languages = {"source_language": "ro", "target_language": to}
        request = quality.request.model_validate({**languages, "segments": segments, "profile": profile})
        resources = replace(engine.resources, cross_encoder=HashedReader(spreading=Spreading(threads)) if network else None)
        return quality.cost(Engine(resources, engine.registry, usual), request).work  # type: ignore[arg-type]

    assert work_of_readings([("ab", "a"), ("ab", "a"), ("abc", "")]) * 2 == work_of_readings([("ab" * 3, "ab" * 3)])
    # Alphabets of three bytes have half a piece per character; what is not read is not counted.
    assert work_of_readings([("文" * 100, "")]) == work_of_readings([("a" * 150, "")])
    assert work_of_readings([("\ud800", "")]) == work_of_readings([("a", "")])
    assert work_of_readings([("a" * 1000, "a" * 1000)]) == work_of_readings([("a" * 20_000, "a")])
    assert work(None, 4) == work("accurate", 4) > work("accurate", 4, threads=2) > 3 * work("fast", 4) > 0
    assert work("fast", 4) == work(None, 4, network=False) == work(None, 4, "fast") < work(None, 4, "fast", to="fr")
    # Usual segments of a whole call are not too many; of three times as many words they are, but not for what is fast.
    most = Settings().max_call_work
    assert work("accurate", 18) < most < work("accurate", 60, threads=2) and work("fast", 60) < most


def test_work_grows_with_systems_runs_samples_and_pairs(engine: Engine) -> None:
    def work(systems: int = 2, stored: int = 0, **more: Any) -> int:
        return work_of_tests(1, systems, 1000, Significance(**more), stored)

    usual = work()
    assert work(samples=2000) == 2 * usual == work(4) == work(3, stored=1)
    assert work(2, stored=2) > work(4) and work(runs={"a": ["b"]}) > usual
    randomised = work(10, test="randomisation")
    assert randomised > 4 * work(10) and work(10, test="randomisation", letters=True) > 4 * randomised
    # So many trials of so many segments are gigabytes and minutes.
    assert work_of_tests(2, 2, 33_000, Significance(test="randomisation", trials=100_000)) > HEAVY
    body = {"metrics": ["ter"], "systems": {"s": ["a"] * 100}, "references": {"r": ["a"] * 100}}
    works = [
        score.cost(engine, score.request.model_validate({**body, "significance": chosen})).work for chosen in (None, False, True)
    ]
    assert works == [100, 100, 100 + work_of_tests(1, 1, 100, Significance())]


def test_long_segments_fill_a_batch_sooner(engine: Engine) -> None:
    fast = Engine(replace(engine.resources, cross_encoder=None), engine.registry)

    def size(text: str, segments: int) -> int:
        row = {"source": text, "translation": text}
        request = QualityRequest.model_validate({**PAIR, "segments": [row] * segments})
        return Question(fast, request, quality.cost(fast, request)).size

    assert size("Casa este mare.", 5) == 5
    assert size(TEXTS["one word"], 1) > 40
