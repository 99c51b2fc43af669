"""How much a call may ask for, as the page on HTTP says it, and what it counts for."""

from typing import Any

import pytest

from app.engine import Engine
from app.operations.catalogue import OPERATIONS
from app.operations.parts.costs.network_work import SHARED_READING
from app.operations.parts.costs.work import HEAVY, work_of_pairs, work_of_readings
from app.running.rates import Amount
from app.settings import Settings
from app.smt.operations.parts.n_best.fields import EXAMPLE_LISTS

PAIR = {"source_language": "ro", "target_language": "en"}
# Twelve characters.
SEGMENT = {"source": "Casa e mare.", "translation": "The house is big."}
# Requests with their segments and the characters of their sources.
AMOUNTS: dict[str, tuple[dict[str, Any], int, int]] = {
    "quality": ({**PAIR, "segments": [SEGMENT] * 2}, 2, 24),
    "words": ({**PAIR, "segments": [SEGMENT] * 2}, 2, 24),
    "features": ({**PAIR, "segments": [SEGMENT] * 40}, 40, 480),
    "rank": ({**PAIR, "segments": [{"source": SEGMENT["source"], "translations": [
        {"system": "a", "text": "The house is big."}, {"system": "b", "text": "House big."}]}]}, 2, 24),
    "score": ({"metrics": ["bleu"], "systems": {"a": ["one two"], "b": ["one"]}, "references": {"r": ["one"]}}, 2, 10),
    "compare": ({"baseline": ["one"], "system": ["one two"], "references": {"A": ["one"]}, "metrics": ["chrf"]}, 2, 10),
    "correlate": ({"human": [0.1, 0.5, 0.9], "metrics": {"bleu": [10.0, 40.0, 80.0]}}, 3, 0),
    "oracle": ({"n_best": EXAMPLE_LISTS, "references": {"A": ["the house is large", "he goes"]}}, 4, 46),
    "rerank": ({"n_best": EXAMPLE_LISTS}, 4, 46),
    "mbr": ({"systems": {"a": ["one two", "x"], "b": ["one", "y"]}}, 4, 12),
    "combine": ({"systems": {"a": ["one two"], "b": ["one"]}}, 2, 10),
    "translate": ({**PAIR, "segments": ["Casa este mare.", "Casa"]}, 2, 19),
    "word-order": ({"segments": [{"alignment": "0-1 1-0", "hypothesis_words": 2, "reference_words": 2}]}, 1, 0),
}  # fmt: skip


@pytest.mark.parametrize(
    ("letter", "share", "fits"),
    [("e", 1.0, 316), ("e", SHARED_READING, 440), ("\u0d9a", 1.0, 270), ("\u0d9a", SHARED_READING, 386)],
)
def test_two_thousand_segments_are_a_call_up_to_a_length(letter: str, share: float, fits: int) -> None:
    """Source and translation together have so many characters; each text is another one, and sources may be of three bytes a letter."""

    def work(characters: int) -> float:
        half = characters // 2
        pairs = [(f"{2 * k:04}".ljust(half, letter), f"{2 * k + 1:04}".ljust(half, "e")) for k in range(2000)]
        return work_of_pairs(pairs) + share * work_of_readings(pairs)

    most = Settings().max_call_work
    assert work(fits) <= most < work(fits + fits // 20)


def test_agreements_cost_their_pairs_and_tests(engine: Engine) -> None:
    correlate = OPERATIONS["correlate"]

    def work(rows: int, metrics: int, **fields: Any) -> int:
        scores = [float(row % 7) for row in range(rows)]
        body = {"human": scores, "metrics": {f"m{number}": scores for number in range(metrics)}, **fields}
        return correlate.cost(engine, correlate.request.model_validate(body)).work

    assert work(4000, 1) > HEAVY and work(4000, 64) > Settings().max_call_work / 2
    assert work(4000, 1, agreements=["tau-b"]) < HEAVY and work(4000, 1, groups=[str(row) for row in range(4000)]) < HEAVY
    assert work(20_000, 8, agreements=["pearson"], tests=True) > 100 * HEAVY


@pytest.mark.parametrize("name", AMOUNTS)
def test_amounts_are_segments_and_characters_of_sources(engine: Engine, name: str) -> None:
    body, segments, characters = AMOUNTS[name]
    request = OPERATIONS[name].request.model_validate(body)
    assert OPERATIONS[name].cost(engine, request).amount == Amount(segments, characters)


def test_meteor_costs_its_pairs_of_equal_words(engine: Engine) -> None:
    score, mbr = OPERATIONS["score"], OPERATIONS["mbr"]

    def work(metric: str, text: str, reference: str) -> int:
        body = {"metrics": [metric], "systems": {"a": [text]}, "references": {"r": [reference]}}
        return score.cost(engine, score.request.model_validate(body)).work

    words, distinct = "a " * 1000, " ".join(f"w{k}" for k in range(1000))
    assert work("meteor", words, words) - work("bleu", words, words) >= 300 * 10**6
    assert work("meteor:1.5|lang:en", "家" * 1000, "家" * 1000) >= 300 * 10**6
    # A hundred segments of 1,000 words as they occur are a call.
    assert 100 * work("meteor", distinct, distinct) < Settings().max_call_work
    systems = {name: [words] for name in "abcdefgh"}
    body = {"systems": systems, "metric": "meteor"}
    assert mbr.cost(engine, mbr.request.model_validate(body)).work >= 64 * 300 * 10**6
