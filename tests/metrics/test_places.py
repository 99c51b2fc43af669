"""Places of systems in segments, by sorting each segment alone."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Engine
from app.metrics import metric_named
from app.metrics.analysis.places import place_counts
from app.operations.score import ScoreRequest, operation

columns = st.integers(1, 5).flatmap(lambda count: st.lists(st.lists(st.integers(0, 3), min_size=count, max_size=count), min_size=1))


@given(columns, st.booleans())
def test_places_are_those_of_sorting(segments: list[list[int]], higher: bool) -> None:
    scores = np.array(segments, np.float64).T
    counts = np.zeros((len(scores), len(scores)), int)
    for segment in segments:
        order = sorted(segment, reverse=higher)
        for system, score in enumerate(segment):
            counts[system, order.index(score)] += 1
    assert place_counts(scores, higher).tolist() == counts.tolist()


def test_an_answer_with_segments_has_the_places_of_each_system(tmp_path_factory: pytest.TempPathFactory) -> None:
    empty = tmp_path_factory.mktemp("nothing")
    systems = {"a": ["a b c d", "x y", "k l m"], "b": ["a b c", "x z", "k l"], "c": ["a b c d", "q r", "k l m"]}
    request = ScoreRequest.model_validate(
        {"metrics": ["wer", "bleu"], "systems": systems, "references": {"r": ["a b c d", "x y", "k l m n"]}, "segments": True}
    )
    assert operation.answer is not None
    answer = json.loads(json.dumps(operation.answer(Engine.open(empty, empty), request)))
    # By word error rate: a 0, b .25, c 0; then 0, .5, 1; then .25, .5, .25.
    places = {row["system"]: row["places"] for row in answer["metrics"] if row["metric"] == "wer"}
    assert places == {"a": [3, 0, 0], "b": [0, 1, 2], "c": [2, 0, 1]}
    assert not metric_named("wer").higher_is_better
    alone = operation.answer(Engine.open(empty, empty), request.model_copy(update={"segments": False}))
    assert all("places" not in row for row in alone["metrics"])
