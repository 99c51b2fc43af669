"""Adapters in the installed packages: scores are those of the scorer."""

from typing import Any

import numpy as np
import pytest

from app.scale import Scorer
from app.scale.adapters.nemo_curator import AssayModel

MODEL = "ro-en-hter-gp-17"
PAIRS = [("Casa este mare.", "The house is big."), ("Ana are mere.", "Ana pears pears has."), ("Nu am văzut nimic.", "")]


@pytest.fixture(scope="module")
def scores() -> list[float]:
    batch = {name: np.array([pair[k] for pair in PAIRS], object) for k, name in enumerate(("src", "mt"))}
    found: list[float] = Scorer(MODEL)(batch)["assay_quality"].tolist()
    return found


def test_a_filter_of_opusfilter(scores: list[float]) -> None:
    pytest.importorskip("opusfilter", reason="OpusFilter is not installed")
    from opusfilter.pipeline import FilterPipeline

    threshold = sorted(scores)[1]
    config = [{"AssayFilter": {"model": MODEL, "threshold": threshold}, "module": "app.scale.adapters.opusfilter"}]
    pipeline = FilterPipeline.from_config(config)
    [scorer] = pipeline.filters
    assert scorer.score_direction == "clean_low"
    assert list(pipeline.filter(PAIRS)) == [pair for pair, score in zip(PAIRS, scores, strict=True) if score <= threshold]
    assert list(scorer.filterfalse(PAIRS)) == [pair for pair, score in zip(PAIRS, scores, strict=True) if score > threshold]
    assert [next(iter(row.values())) for row in pipeline.score(PAIRS)] == pytest.approx(scores)


def test_a_filter_of_datatrove(scores: list[float]) -> None:
    pytest.importorskip("datatrove", reason="datatrove is not installed")
    from datatrove.data import Document

    from app.scale.adapters.datatrove import AssayQuality

    def documents() -> list[Any]:
        return [Document(translation, str(k), metadata={"src": source}) for k, (source, translation) in enumerate(PAIRS)]

    marked = list(AssayQuality(model=MODEL).run(iter([*documents(), Document("x", "3")])))
    assert [doc.metadata["assay_quality"] for doc in marked[:3]] == pytest.approx(scores)
    assert marked[3].metadata["assay_quality_error"] == "invalid-table: src is null"
    threshold = sorted(scores)[1]
    kept = list(AssayQuality(model=MODEL, threshold=threshold).run(iter(documents())))
    assert [doc.id for doc in kept] == [str(k) for k, score in enumerate(scores) if score <= threshold]


def test_rows_of_hugging_face_datasets(scores: list[float]) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    data = datasets.Dataset.from_dict({"src": [source for source, _ in PAIRS], "mt": [translation for _, translation in PAIRS]})
    assert data.map(Scorer(MODEL), batched=True)["assay_quality"][:] == pytest.approx(scores)


def test_a_model_as_nemo_curator_calls_it(scores: list[float]) -> None:
    model = AssayModel.load_model(MODEL)
    assert model.predict([model.wrap_qe_input(*pair) for pair in PAIRS]) == pytest.approx(scores)
    assert model.predict(
        [model.wrap_qe_input(translation, source, reverse=True) for source, translation in PAIRS]
    ) == pytest.approx(scores)
