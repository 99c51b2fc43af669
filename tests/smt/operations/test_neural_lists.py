"""N-best lists measured by imported checkpoints: `mbr`, `oracle` and `tune` against scores of the libraries themselves."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Planning
from app.resources.checkpoints import Checkpoint, Row
from app.smt.operations.mbr import operation as mbr
from app.smt.operations.oracle import operation as oracle
from app.smt.operations.tune import operation as tune
from tests.smt.operations.test_mbr_and_combine import LIMITS, Context, as_job, at_once

DATA = Path(__file__).parents[2] / "resources" / "checkpoints" / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text("utf-8"))
# Longer texts are beyond the limits of these tests.
ROWS = [row for row in EXPECTED["comet-estimator"] if max(map(len, row[:3])) <= LIMITS.characters]
SOURCES, OUTPUTS, REFERENCES, SCORES = ([row[place] for row in ROWS] for place in range(4))
NAME = "neural:comet-estimator"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    empty = tmp_path_factory.mktemp("nothing")
    yield Engine.open(empty, empty, checkpoints=DATA)


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> Counter[Row]:
    """Rows that a network scored, by their number of times."""
    rows: Counter[Row] = Counter()
    one_row = Checkpoint._score

    def counted(self: Checkpoint, parts: Any, vectors: Any, row: Row) -> Any:
        rows[row] += 1
        return one_row(self, parts, vectors, row)

    monkeypatch.setattr(Checkpoint, "_score", counted)
    return rows


def listed(texts: list[list[str]]) -> list[list[dict[str, Any]]]:
    return [[{"text": text, "score": 0.0, "features": {"a": [float(k)], "b": [float(len(text))]}} for k, text in enumerate(row)] for row in texts]  # fmt: skip


def alone(engine: Engine, source: str | None, text: str, reference: str | None, name: str = "comet-estimator") -> float:
    (result,) = engine.resources.checkpoints.checkpoint(name).scores([(source, text, reference)])
    return result.score


def test_expected_scores_over_samples_are_those_of_the_library(engine: Engine) -> None:
    fields = {
        "n_best": listed([[text] for text in OUTPUTS]), "samples": listed([[text, text] for text in REFERENCES]),
        "metric": NAME, "sources": SOURCES,
    }  # fmt: skip
    answer = at_once(mbr, engine, fields)
    assert np.allclose([row["expected"] for row in answer["segments"]], SCORES, atol=1e-5)
    assert as_job(mbr, engine, fields) == answer


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("name", ["comet-estimator", "bleurt", "comet-unified"])
def test_each_pair_of_distinct_texts_is_scored_once(engine: Engine, scored: Counter[Row], name: str, own: bool) -> None:
    texts = [[OUTPUTS[k], REFERENCES[k], OUTPUTS[k], SOURCES[k]] for k in range(3)]
    table = [
        [np.mean([alone(engine, SOURCES[k], text, other, name) for other in row]) for text in row] for k, row in enumerate(texts)
    ]
    if not own:
        table = [
            [value - alone(engine, SOURCES[k], text, text, name) / 4 for value, text in zip(table[k], row, strict=True)]
            for k, row in enumerate(texts)
        ]
    scored.clear()
    answer = at_once(
        mbr, engine, {"n_best": listed(texts), "metric": f"neural:{name}", "sources": SOURCES[:3], "scores": True, "own": own}
    )
    assert np.allclose([row["scores"] for row in answer["segments"]], table, atol=1e-5)
    assert [row["chosen"] for row in answer["segments"]] == [int(np.argmax(np.round(row, 6))) for row in table]
    # Bleurt reads no source: the lists share a pair of texts.
    assert set(scored.values()) == {1} and len(scored) == 26 + (name != "bleurt") and answer["pairs"] == 27


def test_texts_are_encoded_once_for_all_pairs(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = engine.resources.checkpoints.checkpoint("comet-estimator")._parts()
    network = type(parts.network)
    runs = []
    pooled = network.pooled
    monkeypatch.setattr(network, "pooled", lambda self, *texts: runs.append(texts) or pooled(self, *texts))
    texts = [f"the house {k}" for k in range(80)]
    at_once(mbr, engine, {"n_best": listed([texts]), "metric": NAME, "sources": ["das Haus"]})
    assert len(runs) == len(texts) + 1


def test_oracles_by_a_checkpoint(engine: Engine, scored: Counter[Row]) -> None:
    texts = [[output, reference, output] for output, reference in zip(OUTPUTS, REFERENCES, strict=True)]
    fields = {
        "n_best": [*listed(texts), []], "references": {"A": [*REFERENCES, "x"]}, "sources": [*SOURCES, "y"],
        "metrics": [NAME, "chrf"], "oracle_metric": NAME,
    }  # fmt: skip
    answer = at_once(oracle, engine, fields)
    assert set(scored.values()) == {1}
    assert np.allclose([row["first_score"] for row in answer["rows"]], SCORES, atol=1e-5)
    best = [max(score, alone(engine, *row)) for score, *row in zip(SCORES, SOURCES, REFERENCES, REFERENCES, strict=True)]
    assert np.allclose([row["oracle_score"] for row in answer["rows"]], best, atol=1e-5)
    first = next(row for row in answer["choices"] if row["choice"] == "first")
    assert first["scores"][NAME] == pytest.approx(np.mean(SCORES), abs=1e-5)


def test_weights_are_tuned_towards_a_checkpoint(engine: Engine, scored: Counter[Row]) -> None:
    texts = [[output, reference] for output, reference in zip(OUTPUTS, REFERENCES, strict=True)]
    held_out = {"held_out_n_best": listed(texts[:4]), "held_out_references": {"A": REFERENCES[:4]}, "held_out_sources": SOURCES[:4]}
    fields = {"n_best": listed(texts), "references": {"A": REFERENCES}, "sources": SOURCES, "metric": NAME, **held_out}
    tune.check(tune.request.model_validate(fields), LIMITS)
    assert tune.steps is not None
    plan = tune.steps.split(Planning(engine, LIMITS, 3), tune.request.model_validate(fields))
    context: Any = Context(engine, plan.params)
    context.publish = lambda name, content: None
    outputs = [json.loads(json.dumps(tune.steps.work(context, chunk))) for _, chunk in plan.chunks]
    measured = scored.copy()
    answer = tune.steps.finish(context, outputs)
    # A killed job reads its chunks, and no network runs again.
    assert scored == measured
    assert answer["first_score"] == pytest.approx(np.mean(SCORES), abs=1e-5)
    assert answer["held_out"]["first_score"] == pytest.approx(np.mean(SCORES[:4]), abs=1e-5)
    choices = [[score, alone(engine, *row)] for score, *row in zip(SCORES, SOURCES, REFERENCES, REFERENCES, strict=True)]
    assert answer["oracle_score"] == pytest.approx(np.mean(np.max(choices, 1)), abs=1e-5)
    # One weight of places decides alone: MERT finds all first or all second hypotheses, or better by lengths.
    assert answer["dev_score"] >= max(np.mean(choices, 0)) - 1e-6


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"metric": NAME}, "sources are missing"),
        ({"metric": "neural:comet-referenceless", "sources": ["a"]}, "reads no reference"),
        ({"metric": "neural:other", "sources": ["a"]}, "checkpoints here are"),
        ({"metric": NAME, "sources": ["a", "b"]}, "2 texts"),
        ({"metric": NAME, "sources": ["a"], "way": "counts"}, "expected counts need"),
    ],
)
def test_texts_that_cannot_be_compared_are_refused(engine: Engine, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        at_once(mbr, engine, {"n_best": listed([["a b", "a c"]]), **fields})


def test_cautions_name_licences_and_cut_texts(engine: Engine) -> None:
    long = ["the house " * 15, "the horse " * 15]
    answer = at_once(mbr, engine, {"n_best": listed([long]), "metric": "neural:comet-unified", "sources": ["das Haus"]})
    assert answer["cautions"][0].endswith("the licence CC-BY-NC-SA-4.0 forbids commercial use")


def test_days_of_work_are_refused_before_any(engine: Engine) -> None:
    texts = [f"{k} " + "word " * 38 for k in range(1000)]
    fields = {"n_best": listed([texts, texts]), "metric": "neural:bleurt"}
    request = mbr.request.model_validate(fields)
    assert mbr.cost(engine, request).work > 2 * 10**14 > 20 * mbr.cost(engine, request.model_copy(update={"way": "coarse"})).work
    assert mbr.answer is not None
    with pytest.raises(InputError, match="days, and two are allowed; take way coarse"):
        mbr.answer(engine, request)
