"""Adapters in the installed packages: scores are those of the scorer."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import InputError
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
    # The example of the documentation.
    config = [{"AssayFilter": {"pair": "ro-en", "profile": "fast", "threshold": 0.5}, "module": "app.scale.adapters.opusfilter"}]
    wrong = (PAIRS[0][0], "Ana has apples.")
    assert list(FilterPipeline.from_config(config).filter([PAIRS[0], wrong])) == PAIRS[:1]


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


@pytest.mark.parametrize("place", [0, 2500])
def test_a_bad_row_of_a_hugging_face_file_is_a_fault(place: int, scores: list[float], tmp_path: Path) -> None:
    """The line of the documentation, with a fault in the first rows and after those that `map` writes at first."""
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    columns: dict[str, list[Any]] = {"src": [PAIRS[0][0]] * 2600, "mt": [PAIRS[0][1]] * 2600, "label": [1, 2] * 1300}
    columns["mt"][place] = None
    features = datasets.Features(
        {name: datasets.Value("string") for name in ("src", "mt")} | {"label": datasets.ClassLabel(names=["a", "b", "c"])}
    )
    datasets.Dataset.from_dict(columns, features).to_parquet(tmp_path / "pairs.parquet")
    data = datasets.load_dataset("parquet", data_files=str(tmp_path / "pairs.parquet"), cache_dir=str(tmp_path / "cache"))
    scored = data.map(Scorer(MODEL), batched=True)["train"]
    assert scored.features["label"] == features["label"] and scored.features["assay_quality_error"].dtype == "string"
    found = scored.to_dict()
    assert {name: found[name] for name in columns} == columns
    assert [row for row, error in enumerate(found["assay_quality_error"]) if error is not None] == [place]
    assert found["assay_quality_error"][place] == "invalid-table: mt is null" and found["assay_quality"][place] is None
    assert found["assay_quality"][1] == pytest.approx(scores[0])


def test_a_model_as_nemo_curator_calls_it(scores: list[float]) -> None:
    # The arguments of its filter, which keeps scores from its cutoff on.
    model = AssayModel.load_model(model_name=MODEL, gpu=False)
    good = model.predict([AssayModel.wrap_qe_input(*pair) for pair in PAIRS])
    assert good == pytest.approx([1 - score for score in scores])
    cutoff = sorted(good)[1]
    assert [score >= cutoff for score in good] == [score <= sorted(scores)[1] for score in scores]
    assert model.predict(
        [AssayModel.wrap_qe_input(translation, source, reverse=True) for source, translation in PAIRS]
    ) == pytest.approx(good)
    [fault] = model.predict([{"src": "Casa", "mt": "a\0b"}])
    assert not fault >= cutoff
    with pytest.raises(InputError, match="processors"):
        AssayModel.load_model(MODEL, gpu=True)


def test_a_pair_names_the_fast_model_of_nemo_curator() -> None:
    model = AssayModel.load_model("ro-en")
    good, wrong = model.predict([AssayModel.wrap_qe_input(PAIRS[0][0], text) for text in (PAIRS[0][1], "Ana has apples.")])
    assert 0 <= wrong < good <= 1
    expected = Scorer(pair="ro-en", profile="fast")({"src": np.array([PAIRS[0][0]]), "mt": np.array([PAIRS[0][1]])})
    assert good == pytest.approx(1 - expected["assay_quality"][0], abs=1e-4)
    with pytest.raises(InputError, match="language pair"):
        AssayModel.load_model("none")
