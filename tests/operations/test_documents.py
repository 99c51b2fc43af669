"""Documents: chunks, labels and groups by brute force; a predictor of documents from its training to its answers."""

import json
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr

from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.features import feature_set
from app.operations.documents.grouping import cut_documents, document_means, places_of, rows_of_documents
from app.operations.operation import CHUNK_CHARACTERS
from app.operations.train.document_rows import document_groups
from app.predictors import load_model
from app.predictors.training import TrainingSet, split_held_out
from app.registry.models import ModelRegistry
from app.text import LanguagePair
from tests.commands import assay

NAMES = st.lists(st.sampled_from("abcde"), min_size=1, max_size=30)
WORDS = ("casa", "este", "mare", "guvernul", "numește", "un", "prefect", "nou", "astăzi")
ENGLISH = ("house", "is", "big", "government", "appoints", "a", "prefect", "new", "today")
TRAIN = ["--pair", "ro-en", "--label", "mqm", "--label-column", "mqm", "--higher-is-better", "--range=-100:0", "--learner", "ridge"]


@given(NAMES, st.integers(1, 6), st.sampled_from([1, 60_000]))
def test_chunks_are_whole_documents(names: list[str], rows: int, length: int) -> None:
    texts = [f"{number}{'x' * length}" for number in range(len(names))]
    columns = {"sources": texts, "translations": texts, "named": {"a": list(range(len(names)))}, "none": None}
    chunks = cut_documents(columns, names, rows)
    assert sorted(text for _, chunk in chunks for text in chunk["sources"]) == sorted(texts)
    for count, chunk in chunks:
        assert count == len(chunk["sources"]) == len(chunk["documents"]) and "none" not in chunk
        assert [texts[number] for number in chunk["named"]["a"]] == chunk["sources"]
        assert [names[number] for number in chunk["named"]["a"]] == chunk["documents"]
        several = len(set(chunk["documents"])) > 1
        assert not several or (count <= rows and 2 * sum(map(len, chunk["sources"])) <= CHUNK_CHARACTERS)
    owners = [name for _, chunk in chunks for name in set(chunk["documents"])]
    assert sorted(owners) == sorted(set(names))


@given(NAMES, st.data())
def test_labels_of_documents_are_sums_over_sums(names: list[str], data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.integers(-9, 9), min_size=len(names), max_size=len(names)))
    tokens = data.draw(st.lists(st.integers(1, 9), min_size=len(names), max_size=len(names)))
    places = places_of(list(rows_of_documents(names).values()))
    for means, weights in (("weighted", tokens), ("plain", [1] * len(names))):
        expected = [
            sum(y * w for y, w, name in zip(labels, weights, names, strict=True) if name == document)
            / sum(w for w, name in zip(weights, names, strict=True) if name == document)
            for document in dict.fromkeys(names)
        ]
        found = document_means(np.array(labels, float), places, np.array(tokens, float), means)
        assert found == pytest.approx(expected)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=3, unique=True), min_size=1, max_size=9))
def test_groups_are_the_closure_of_common_sources(keys: list[list[str]]) -> None:
    reach = np.array([[i == j or bool({*a} & {*b}) for j, b in enumerate(keys)] for i, a in enumerate(keys)])
    for _ in keys:
        reach = (reach.astype(int) @ reach) > 0
    groups = document_groups(keys)
    assert (groups[:, None] == groups).tolist() == reach.tolist()


@given(st.lists(st.integers(0, 5), min_size=2, max_size=40), st.integers(0, 9))
def test_no_group_is_on_both_sides(groups: list[int], seed: int) -> None:
    n = len(groups)
    rows = TrainingSet(np.arange(n, dtype=float)[:, None], np.arange(n, dtype=float), "rows", "0" * 64)
    train, held_out = split_held_out(rows, 0.2, seed, np.array(groups))
    sides = [{groups[int(row)] for row in part.labels} for part in (train, held_out)]
    assert not sides[0] & sides[1] and len(train.labels) + len(held_out.labels) == n and len(held_out.labels)
    smallest = min(groups.count(group) for group in groups)
    assert len(held_out.labels) <= max(1, round(0.2 * n), smallest)


def corpus() -> list[dict[str, Any]]:
    """60 texts in two systems' translations: documents of three segments, worse the fewer words they have."""
    rng, rows = np.random.default_rng(1), []
    for text in range(60):
        sources = [rng.integers(0, len(WORDS), 12) for _ in range(3)]
        for system in ("x", "y"):
            for source in sources:
                lost = int(rng.integers(0, 9))
                rows.append({
                    "document": f"{system}:{text}", "source": f"{text} " + " ".join(WORDS[k] for k in source),
                    "translation": f"{text} " + " ".join(ENGLISH[k] for k in source[lost:]), "mqm": -float(lost),
                })  # fmt: skip
    return rows


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    lines = ["\t".join(rows[0]), *("\t".join(str(cell) for cell in row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a predictor of documents, `docs`."""
    folder = tmp_path_factory.mktemp("documents")
    done = assay("train", write(folder / "train.tsv", corpus()), *TRAIN, "--documents", "weighted", "--name", "docs", data=folder)
    assert done.returncode == 0, done.stderr
    write(folder / "four.tsv", corpus()[:12])
    return folder


def test_a_predictor_of_documents_answers_for_documents(trained: Path, engine: Engine) -> None:
    model = load_model(trained / "models" / "docs")
    assert model.card.documents == "weighted" and model.card.feature_set == "document-17"
    # Both translations of a text are on one side: 120 documents, of which 24 are held out.
    assert model.card.training_data["segments"] == 96 and model.card.accuracy["segments"] == 24
    rows, file = corpus()[:12], str(trained / "four.tsv")
    answer = json.loads(
        assay("quality", file, "--pair", "ro-en", "--label", "mqm", "--level", "document", "--format", "json", data=trained).stdout
    )
    assert [row["document"] for row in answer["documents"]] == ["x:0", "y:0", "x:1", "y:1"]
    for number, row in enumerate(answer["documents"]):
        part = rows[3 * number : 3 * number + 3]
        segments = Segments(LanguagePair("ro", "en"), [r["source"] for r in part], [r["translation"] for r in part])
        values = engine.features(segments, feature_set("document-17")).values
        assert row["score"] == pytest.approx(model.predict(values).mean[0], abs=1e-6) and row["segments"] == 3
        assert row["translation_tokens"] == sum(len(r["translation"].split()) for r in part)


def test_evaluation_is_over_documents(trained: Path) -> None:
    rows = corpus()[90:180]
    file = write(trained / "evaluated.tsv", rows)
    done = assay("evaluate", file, *TRAIN[:6], "--model", "docs", "--format", "json", data=trained)
    (answer,) = json.loads(done.stdout)["models"]
    scores = json.loads(
        assay("quality", file, "--pair", "ro-en", "--model", "docs", "--level", "document", "--format", "json", data=trained).stdout
    )
    gold = []
    for document in dict.fromkeys(row["document"] for row in rows):
        part = [row for row in rows if row["document"] == document]
        tokens = [len(row["translation"].split()) for row in part]
        gold.append(sum(w * row["mqm"] for w, row in zip(tokens, part, strict=True)) / sum(tokens))
    predicted = [row["score"] for row in scores["documents"]]
    assert answer["means"] == "weighted" and answer["accuracy"]["segments"] == len(gold) == 30
    assert answer["accuracy"]["pearson"] == pytest.approx(pearsonr(gold, predicted).statistic, abs=1e-4)
    assert answer["accuracy"]["mae"] == pytest.approx(np.abs(np.array(gold) - predicted).mean(), abs=1e-4)


def test_what_is_no_document_is_refused_by_name(trained: Path) -> None:
    file = write(trained / "segments.tsv", [{k: v for k, v in row.items() if k != "document"} for row in corpus()[:6]])
    whole = json.loads(
        assay("quality", file, "--pair", "ro-en", "--model", "docs", "--level", "document", "--format", "json", data=trained).stdout
    )
    assert [(row["document"], row["segments"]) for row in whole["documents"]] == [(None, 6)]
    for form in ("tsv", "text", "markdown"):
        table = assay(
            "quality", file, "--pair", "ro-en", "--model", "docs", "--level", "document", "--format", form, "--quiet", data=trained
        )
        assert "None" not in table.stdout and "document" in table.stdout
    for arguments, reason in (
        (["quality", file, "--pair", "ro-en", "--model", "docs"], "is of documents"),
        (["quality", file, "--pair", "ro-en", "--model", "ro-en-hter-gp-17", "--level", "document"], "is of segments"),
        (
            ["quality", file, "--pair", "ro-en", "--label", "hter", "--level", "document"],
            "labels with models of documents for ro-en are mqm",
        ),
        (["quality", file, "--pair", "ro-en", "--level", "document", "--explain"], "leave explain out"),
        (["evaluate", file, *TRAIN[:6], "--model", "docs"], "name the document of each segment"),
        (["train", file, *TRAIN, "--documents", "plain"], "document"),
        (
            ["train", str(trained / "four.tsv"), *TRAIN, "--documents", "plain", "--feature-set", "text-only"],
            "features of documents",
        ),
        (["train", str(trained / "four.tsv"), *TRAIN, "--documents", "plain", "--base", "docs"], "learns as its base"),
    ):
        done = assay(*arguments, data=trained)
        assert done.returncode == 2 and reason in done.stderr, (arguments, done.stderr)
    registry = ModelRegistry(trained=trained / "models")
    with pytest.raises(InputError, match="cannot be promoted"):
        registry.promote(registry.models["docs"], "better")


def test_a_server_names_the_segment_without_a_document(client: httpx2.Client) -> None:
    body = {"source_language": "ro", "target_language": "en"}
    text = {"source": "Casa este mare.", "translation": "The house is big."}
    segments = [{**text, "document": "a"}, text]
    mixed = client.post("/v1/quality", json={**body, "level": "document", "segments": segments})
    assert mixed.status_code == 422 and mixed.json()["type"].endswith("missing-evidence")
    assert "segments.1.document" in mixed.text
    wrong = client.post("/v1/quality", json={**body, "segments": segments})
    assert wrong.status_code == 422 and "level document" in wrong.text
    params = {**body, "label": "hter", "documents": "plain", "segments": [{**each, "label": 0.5} for each in segments]}
    train = client.post("/v1/jobs", json={"kind": "train", "params": params})
    assert train.status_code == 422 and train.json()["type"].endswith("missing-evidence")
