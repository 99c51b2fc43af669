"""Judged outputs: their readers against rows worked by hand, agreement against plain Python, and the metrics trained on them."""

import gzip
import json
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import load_trained_metrics, metric_named
from app.settings import ROOT
from scripts.mqm.agreement import corpora_of, document_sums, measures_of
from scripts.mqm.judged_outputs import PEOPLE, JudgedOutput, groups_of, labels_of, read_judged_outputs
from scripts.mqm.metrics import RECIPES, output_scores

SHIPPED = load_trained_metrics(ROOT / "models" / "metrics")
JUDGED_METRICS = [f"{recipe.name}-{language}" for recipe in RECIPES for language in recipe.languages]
HEADER = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
TALK_ROWS = (
    ("A", "talk.1", "1", "7", "r1", "s", "one <v>two</v>", "Accuracy/Mistranslation", "Major"),
    ("A", "talk.1", "1", "7", "r1", "s", "<v>one</v> two", "Style/Awkward", "Minor"),
    ("A", "talk.1", "1", "7", "r1", "s", "one two<v>.</v>", "Fluency/Punctuation", "Minor"),
    ("A", "talk.1", "1", "7", "r2", "s", "one two", "No-error", "No-error"),
    ("B", "talk.1", "1", "7", "r1", "s", "<v>one</v>", "Source error", "Major"),
    ("ref", "talk.1", "1", "7", "r1", "s", "the reference", "No-error", "No-error"),
    ("A", "talk.5", "1", "8", "r1", "s", "other", "No-error", "No-error"),
    ("ref", "talk.5", "1", "8", "r1", "s", "another", "No-error", "No-error"),
    ("A", "talk.6", "1", "9", "r1", "s", "no reference", "No-error", "No-error"),
)


def abstract_row(document: str, segment: str, system: str, source: str, target: str, penalty: int) -> str:
    row = {"document": document, "segment": segment, "system": system, "source": source, "target": target, "mqm": penalty}
    return json.dumps({**row, "annotator": "X "}) + "\n"


def corpora(folder: Path) -> Path:
    """Two files of talks and one of abstracts."""
    (folder / "wmt-mqm").mkdir()
    for name in ("mqm_ted_ende.tsv.gz", "mqm_ted_zhen.tsv.gz"):
        with gzip.open(folder / "wmt-mqm" / name, "wt", encoding="utf-8") as out:
            out.writelines("\t".join(row) + "\n" for row in (HEADER, *(TALK_ROWS if "ende" in name else ())))
    (folder / "bio-mqm" / "de-en").mkdir(parents=True)
    for split in ("train", "dev"):
        with gzip.open(folder / "bio-mqm" / "de-en" / f"{split}.jsonl.gz", "wt", encoding="utf-8") as out:
            for system, penalty in (("reference", 0), ("reference_r1", 1), ("C", 26)):
                out.write(abstract_row(split, "1", system, "s", system, penalty))
    return folder


def test_penalties_references_and_splits(tmp_path: Path) -> None:
    train, dev = (read_judged_outputs(corpora(tmp_path) if split == "train" else tmp_path, split) for split in ("train", "dev"))
    found = [(row.document, row.system, row.annotator, row.translation, row.reference, row.penalty) for row in train]
    assert found == [
        ("talk.1", "A", "r1", "one two", "the reference", pytest.approx(6.1)),
        ("talk.1", "A", "r2", "one two", "the reference", 0),
        ("talk.1", "B", "r1", "one", "the reference", 0),
        ("train", "reference_r1", "X", "reference_r1", "reference", 1),
        ("train", "C", "X", "C", "reference", 26),
    ]
    assert [row.document for row in dev] == ["talk.5", "dev", "dev"]
    assert groups_of(train).tolist() == [0, 1, 0, 2, 2]
    # Each annotator's labels have mean 0 and deviation 1; a single label is 0.
    assert labels_of(train) == pytest.approx([-1, 0, 1, 1, -1])


def test_abstracts_are_matched_by_their_sources(tmp_path: Path) -> None:
    """A number that repeats an earlier source has that source's texts, and another segment's errors."""
    rows = (
        ("10", "C", "x", "a copy of C's x", 5), ("2", "C", "x", "C's x", 0), ("3", "C", "y", "C's y", 1), ("4", "C", "z", "C's z", 1),
        ("3", "D", "x", "D's x", 3), ("4", "D", "y", "D's y", 2), ("9", "D", "y", "a copy of D's y", 25),
        ("2", "reference", "x", "people's x", 0), ("3", "reference", "x", "a copy of people's x", 9), ("4", "reference", "y", "people's y", 0),
    )  # fmt: skip
    corpora(tmp_path)
    with gzip.open(tmp_path / "bio-mqm" / "de-en" / "dev.jsonl.gz", "wt", encoding="utf-8") as out:
        out.writelines(abstract_row("d", *row) for row in rows)
    dev = [row for row in read_judged_outputs(tmp_path, "dev") if row.corpus == "abstracts"]
    found = {(group, row.translation, row.reference, row.penalty) for group, row in zip(groups_of(dev), dev, strict=True)}
    assert found == {
        (0, "C's x", "people's x", 0),
        (1, "C's y", "people's y", 1),
        (0, "D's x", "people's x", 3),
        (1, "D's y", "people's y", 2),
    }


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no wmt-mqm/mqm_ted_ende\.tsv\.gz"):
        read_judged_outputs(tmp_path, "train")


ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=25)


@given(ROWS)
def test_agreement_is_that_of_all_pairs(rows: list[tuple[int, int, int, int]]) -> None:
    outputs = [JudgedOutput("c", "de-en", str(d), str(s), "A", "X", "", "", float(penalty)) for d, s, penalty, _ in rows]
    scores = np.array([float(score) for *_, score in rows])
    (corpus,) = corpora_of(outputs)
    tau, accuracy, pearson = measures_of(document_sums(corpus, scores).sum(0))
    pairs = [
        (rows[a][3] - rows[b][3], rows[b][2] - rows[a][2])
        for a, b in combinations(range(len(rows)), 2)
        if rows[a][:2] == rows[b][:2]
    ]
    untied = [metric * human for metric, human in pairs if metric * human]
    assert tau == pytest.approx(sum(np.sign(untied)) / len(untied) if untied else 0)
    if pairs:
        shares = [
            np.mean([(np.sign(metric) if abs(metric) > epsilon else 0) == np.sign(human) for metric, human in pairs])
            for epsilon in (0, 1, 2, 3)
        ]
        assert accuracy == pytest.approx(max(shares))
    penalties = np.array([float(penalty) for _, _, penalty, _ in rows])
    if np.ptp(penalties) and np.ptp(scores):
        assert pearson == pytest.approx(np.corrcoef(-penalties, scores)[0, 1], abs=1e-9)


def test_no_training_saw_a_held_out_document(shared: Path) -> None:
    train, dev = (read_judged_outputs(shared / "data", split) for split in ("train", "dev"))
    assert not {(row.direction, row.document) for row in train} & {(row.direction, row.document) for row in dev}
    assert len({row.system for row in train if row.direction == "zh-en"} - PEOPLE) > 20


@pytest.mark.parametrize("split", ["train", "dev"])
def test_references_and_errors_of_abstracts_are_of_their_sources(split: str, shared: Path) -> None:
    sources_of: dict[tuple[str, ...], set[str]] = defaultdict(set)
    places: dict[tuple[str, ...], list[bool]] = defaultdict(list)
    for path in (shared / "data" / "bio-mqm").glob(f"*/{split}.jsonl.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                text = path.parent.name, row["document"], row["system"], row["target"]
                sources_of[text].add(row["source"])
                places[*text, row["annotator"].strip(), str(float(row["mqm"]))] += [
                    row["target"].startswith(error["term"], error["start"])
                    for error in row["errors"]
                    if error["term"].strip() and error["start"] is not None
                ]
    outputs = [row for row in read_judged_outputs(shared / "data", split) if row.corpus == "abstracts"]
    for row in outputs:
        text, reference = (
            (row.direction, row.document, *rest) for rest in ((row.system, row.translation), ("reference", row.reference))
        )
        assert sources_of[text] & sources_of[reference]
    # 98 % without copies that have the penalty of their original, and 87 % with all copies, whose errors are another segment's.
    read = {(row.direction, row.document, row.system, row.translation, row.annotator, str(row.penalty)) for row in outputs}
    assert np.mean([place for key in read for place in places[key]]) > 0.94


@pytest.mark.parametrize("name", JUDGED_METRICS)
def test_weights_are_many(name: str) -> None:
    weights = np.abs(SHIPPED[name].weights)
    # English rose:reg has four: precision, recall and F of words, and recall of pairs of words.
    assert (weights > 0.01 * weights.sum()).sum() >= 4
    assert weights.max() < 2 / 3 * weights.sum()


@pytest.mark.parametrize("name", ["rose-rank-en", "rose-reg-en", "beer-mqm-en"])
def test_english_metrics_are_ahead_of_chrf_on_held_out_documents(name: str, shared: Path) -> None:
    outputs = [row for row in read_judged_outputs(shared / "data", "dev") if row.target == "en" and row.system not in PEOPLE]
    chrf, taus = metric_named("chrf"), []
    for corpus in corpora_of(outputs):
        references = chrf.prepare([[row.reference for row in corpus.outputs]])
        rival = chrf.segment_scores(references.statistics([row.translation for row in corpus.outputs]))
        both = (output_scores(SHIPPED[name], corpus.outputs, ROOT / "resources"), rival)
        taus.append([measures_of(document_sums(corpus, scores).sum(0))[0] for scores in both])
    metric_tau, chrf_tau = np.mean(taus, axis=0)
    accuracy = SHIPPED[name].card["accuracy"]["held_out"]
    assert (metric_tau, chrf_tau) == pytest.approx((accuracy["kendall"], accuracy["kendall_of_chrf"]), abs=1e-3)
    assert metric_tau > chrf_tau + 0.01
