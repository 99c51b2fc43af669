"""Columns of scores, against the engine's answers, in the batches of every package."""

import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.scale import Features, Scorer
from app.text import LanguagePair

MODEL = "ro-en-hter-gp-17"
SOURCES = ["Casa este mare.", "Ana are mere.", "", "Copiii au mers ieri la piață.", "Nu am văzut nimic."]
TRANSLATIONS = ["The house is big.", "Ana has apples.", "", "Children went market.", ""]
SCORER = Scorer(model=MODEL, src="ro", mt="en")
SUFFIXES = ("", "_low", "_high", "_model", "_error")
pa = pytest.importorskip("pyarrow", reason="the extra scale is not installed")


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    """Scores with their bounds, (3, n), of the engine."""
    engine = SCORER.engine
    prediction = engine.quality(Segments(LanguagePair("ro", "en"), SOURCES, TRANSLATIONS), MODEL).prediction
    return np.array([prediction.mean, prediction.low, prediction.high])


def batches() -> Iterator[tuple[str, Any]]:
    columns: dict[str, list[Any]] = {"id": [7, 3, 5, 1, 9], "ro": SOURCES, "en": TRANSLATIONS}
    yield "arrays", {name: np.array(values, object if name != "id" else np.int64) for name, values in columns.items()}
    yield "arrow table", pa.table(columns)
    yield "record batch", pa.RecordBatch.from_pydict(columns)
    for package in ("pandas", "polars"):
        try:
            frames = __import__(package)
        except ImportError:
            continue
        yield package, frames.DataFrame(columns)


BATCHES = dict(batches())


def columns_of(batch: Any) -> dict[str, list[Any]]:
    if isinstance(batch, Mapping):
        return {name: values.tolist() for name, values in batch.items()}
    if hasattr(batch, "to_pydict"):
        return dict(batch.to_pydict())
    return {name: batch[name].to_list() for name in batch.columns}


@pytest.mark.parametrize("kind", BATCHES)
def test_scores_are_those_of_the_engine_in_every_kind_of_batch(kind: str, expected: np.ndarray) -> None:
    scored = pickle.loads(pickle.dumps(SCORER))(BATCHES[kind])
    assert type(scored) is type(BATCHES[kind])
    columns = columns_of(scored)
    assert list(columns) == ["id", "ro", "en", *(f"assay_quality{suffix}" for suffix in SUFFIXES)]
    assert columns["id"] == [7, 3, 5, 1, 9] and columns["ro"] == SOURCES
    assert np.array([columns[f"assay_quality{suffix}"] for suffix in SUFFIXES[:3]]).tolist() == expected.tolist()
    assert columns["assay_quality_model"] == [MODEL] * 5 and columns["assay_quality_error"] == [None] * 5


def test_a_bad_row_has_its_error_and_the_rest_goes_on(expected: np.ndarray) -> None:
    sources = [SOURCES[0], None, "a\0b", SOURCES[3], 7, float("nan"), "x" * 30_000, "\ud800"]
    translations = [TRANSLATIONS[0], "x", "x", TRANSLATIONS[3], "x", "x", "x", "x"]
    scored = SCORER({"ro": np.array(sources, object), "en": np.array(translations, object)})
    errors = scored["assay_quality_error"].tolist()
    assert [error and error.partition(":")[0] for error in errors] == [
        None, "invalid-table", "invalid-character", None, "invalid-table", "invalid-table", "segment-too-long", "invalid-character",
    ]  # fmt: skip
    good = np.array([error is None for error in errors])
    assert scored["assay_quality"][good].tolist() == pytest.approx(expected[0, [0, 3]].tolist(), rel=1e-9)
    assert np.isnan(scored["assay_quality"][~good]).all() and set(scored["assay_quality_model"][~good]) == {None}
    table = SCORER(pa.table({"ro": [None, SOURCES[0]], "en": ["x", TRANSLATIONS[0]]}))
    assert table["assay_quality"].to_pylist() == [None, pytest.approx(expected[0, 0], rel=1e-9)]


def test_batches_of_any_size_have_equal_scores(expected: np.ndarray) -> None:
    table = BATCHES["arrow table"]
    parts = [columns_of(part) for part in SCORER(iter(table.to_batches(max_chunksize=2)))]
    assert [score for part in parts for score in part["assay_quality"]] == pytest.approx(expected[0].tolist(), rel=1e-9)
    assert len(SCORER(table.slice(0, 0))) == 0


def test_wrong_columns_and_models_are_named() -> None:
    with pytest.raises(InputError, match=r"no column ro; columns are de, en"):
        SCORER({"de": np.array(["x"], object), "en": np.array(["x"], object)})
    with pytest.raises(InputError, match=r"has a column assay_quality already"):
        SCORER({**BATCHES["arrays"], "assay_quality": np.zeros(5)})
    with pytest.raises(InputError) as refused:
        Scorer(model="none-such", src="ro", mt="en")(BATCHES["arrays"])
    assert refused.value.code == "unknown-model"
    with pytest.raises(InputError, match="name a model, or a language pair"):
        Scorer(src="ro", mt="en")(BATCHES["arrays"])


def test_a_lazy_frame_is_refused() -> None:
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    frame = polars.LazyFrame({"ro": SOURCES, "en": TRANSLATIONS})
    with pytest.raises(InputError, match=r"call \.collect\(\)"):
        frame.pipe(SCORER)
    assert len(frame.collect().pipe(SCORER)) == len(SOURCES)


def test_the_best_model_of_a_pair_answers(engine: Engine) -> None:
    scored = Scorer(pair="ro-en", label="hter", profile="fast", src="ro", mt="en", out="q")(BATCHES["arrays"])
    answer = engine.at("fast").quality(Segments(LanguagePair("ro", "en"), SOURCES, TRANSLATIONS), label="hter")
    assert scored["q"].tolist() == answer.prediction.mean.tolist() and scored["q_model"][0] == answer.model.card.id


def test_the_card_of_the_model_that_answers_has_a_digest() -> None:
    [(model, digest)] = Scorer(pair="ro-en", label="hter").cards().items()
    assert Scorer(model=model).cards() == {model: digest} and len(digest) == 64
    assert Features(pair="ro-en").cards() == {}
