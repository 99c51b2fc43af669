"""Predictors of documents against means of segments: ``python -m benchmarks.documents DATA``.

DATA has ``wmt-mqm/mqm_ted_ende.tsv.gz`` and ``bio-mqm/PAIR/{train,dev}.jsonl.gz``. A document is a system's translation of a talk
or an abstract; its label is the mean MQM score of its segments. Five folds by text leave out all translations of a talk or
abstract at once. Learners tune on the next fold, and do not learn from it. Measures are over the predictions of all folds.
"""

import gzip
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.engine import Engine
from app.engine.segments import Segments
from app.features import feature_set
from app.operations.documents.grouping import document_means, parts_of, places_of, rows_of_documents, token_weights
from app.predictors.evaluation import evaluate_predictions
from app.predictors.learner import StandardisedRows
from app.predictors.learners import learner_named, parse_learner
from app.predictors.training.data import Standardisation, TrainingSet
from app.running.journal import SILENT
from app.settings import Settings
from app.text import LanguagePair
from app.text.mqm import MqmTranslation, read_mqm
from app.text.reading.lines import TextFile

FOLDS: Final = 5
SEED: Final = 12345
SEGMENT_SETS: Final = ("quest-baseline-17", "text-only")
DOCUMENT_SETS: Final = ("document-17", "document")
LEARNERS: Final = ("ridge", "gp", "svr")
PEOPLE: Final = frozenset({"ref", "refB", "reference", "reference_r1"})


def read_translations(path: Path) -> list[MqmTranslation]:
    """Judged translations of systems. BioMQM has second translations of some segments by one system, which are left out."""
    raw = gzip.decompress(path.read_bytes())
    if ".jsonl" in path.suffixes:
        first: dict[tuple[str, str, str], str] = {}
        rows = [json.loads(line) for line in raw.splitlines()]
        keys = [(row["system"], row["document"], row["segment"]) for row in rows]
        lines = [row for row, key in zip(rows, keys, strict=True) if first.setdefault(key, row["target"]) == row["target"]]
        raw = "".join(json.dumps(row) + "\n" for row in lines).encode()
    translations = read_mqm(TextFile(path.name, raw), ".jsonl" not in path.suffixes)
    return [row for row in translations if row.system not in PEOPLE]


class Corpus:
    """Segments, documents and labels of a corpus, with the text of each document."""

    def __init__(self, engine: Engine, pair: LanguagePair, rows: Sequence[MqmTranslation]) -> None:
        self.engine = engine
        self.segments = Segments(pair, [row.source for row in rows], [row.translation for row in rows])
        self.gold = np.array([row.score for row in rows])
        documents = rows_of_documents([f"{row.system}:{row.document}" for row in rows])
        self.rows = list(documents.values())
        self.places, self.weights = places_of(self.rows), token_weights(self.segments)
        texts = [rows[part[0]].document for part in self.rows]
        _, self.texts = np.unique(texts, return_inverse=True)
        self.labels = self.means(self.gold)

    def means(self, values: Float64s) -> Float64s:
        return document_means(values, self.places, self.weights, "plain")

    def document_features(self, name: str) -> Float64s:
        features = feature_set(name)
        return np.vstack([self.engine.features(part, features).values for part in parts_of(self.segments, self.rows)])

    def segment_features(self, name: str) -> Float64s:
        return self.engine.features(self.segments, feature_set(name)).values


def folds_of(texts: Int64s, count: int, seed: int) -> Int64s:
    """Fold of each row, so that the rows of a text are in one; shape (n,)."""
    names = np.random.default_rng(seed).permutation(np.unique(texts))
    return (np.argsort(names) % count)[np.searchsorted(np.unique(texts), texts)]


def fit_and_predict(values: Float64s, labels: Float64s, train: Bools, tuning: Bools, test: Bools, learner: str) -> Float64s:
    """Predictions for the rows `test`, by a learner of the rows `train` that may tune on `tuning`."""
    rows = TrainingSet(values[train], labels[train], "train", "0" * 64)
    held_rows = TrainingSet(values[tuning], labels[tuning], "tuning", "0" * 64)
    scaling = Standardisation.of(rows)
    name, options = parse_learner(learner)
    data = StandardisedRows(*scaling.rows(rows), *scaling.rows(held_rows))
    regressor, _ = learner_named(name).train(data, {**options, "warp": "none"}, SEED, SILENT)
    return regressor.means(scaling.features(values[test])) * scaling.label_scale + scaling.label_centre


def predictions(values: Float64s, labels: Float64s, texts: Int64s, learner: str) -> Float64s:
    """Predictions of all rows, each by a learner of other texts."""
    folds, out = folds_of(texts, FOLDS, SEED), np.empty(len(labels))
    for fold in range(FOLDS):
        test = folds == fold
        tuning = folds == (fold + 1) % FOLDS
        out[test] = fit_and_predict(values, labels, ~test & ~tuning, tuning, test, learner)
    return out


def within_texts(corpus: Corpus, scores: Float64s) -> float:
    """Mean correlation among the translations of a text, over texts whose translations have different labels."""
    values = []
    for text in range(corpus.texts.max() + 1):
        rows = corpus.texts == text
        if rows.sum() > 2 and np.ptp(corpus.labels[rows]) > 0:
            is_constant = np.ptp(scores[rows]) == 0
            values.append(0.0 if is_constant else float(np.corrcoef(scores[rows], corpus.labels[rows])[0, 1]))
    return float(np.mean(values))


def report(corpus: Corpus, name: str) -> None:
    """Print a row for each way to predict documents."""
    folds = folds_of(corpus.texts, FOLDS, SEED)
    constant = np.array([corpus.labels[folds != fold].mean() for fold in folds.tolist()])
    ways = {"mean label of the training documents": constant}
    model = corpus.engine.model_for(corpus.segments.pair, None, "da", frozenset())
    ways[f"mean of `{model.card.id}`"] = corpus.means(corpus.engine.quality(corpus.segments, model.card.id).prediction.mean)
    for set_name in SEGMENT_SETS:
        values = corpus.segment_features(set_name)
        for learner in ("ridge", "gp"):
            scores = predictions(values, corpus.gold, corpus.texts[corpus.places], learner)
            ways[f"mean of segments, {set_name}, {learner}"] = corpus.means(scores)
    for set_name in DOCUMENT_SETS:
        values = corpus.document_features(set_name)
        for learner in LEARNERS:
            ways[f"documents, {set_name}, {learner}"] = predictions(values, corpus.labels, corpus.texts, learner)
    print(f"\n{name}: {len(corpus.labels)} documents of {len(np.unique(corpus.texts))} texts, {len(corpus.gold)} segments\n")
    print("| Prediction | Pearson | Spearman | Pearson within texts | MAE |\n| --- | --- | --- | --- | --- |")
    for way, scores in ways.items():
        accuracy = evaluate_predictions(corpus.labels, scores, higher_is_better=True)
        error = "" if way.startswith("mean of `") else f"{accuracy.mae:.3f}"
        print(
            f"| {way} | {accuracy.pearson:.3f} | {accuracy.spearman:.3f} | {within_texts(corpus, scores):.3f} | {error} |",
            flush=True,
        )


def main() -> None:
    data, engine = Path(sys.argv[1]), Engine.of_settings(Settings())
    report(Corpus(engine, LanguagePair("en", "de"), read_translations(data / "wmt-mqm" / "mqm_ted_ende.tsv.gz")), "TED en-de")
    for tag in ("en-de", "en-zh", "ru-en"):
        folder = data / "bio-mqm" / tag
        rows = [row for split in ("train", "dev") for row in read_translations(folder / f"{split}.jsonl.gz")]
        report(Corpus(engine, LanguagePair.parse(tag), rows), f"BioMQM {tag}")


if __name__ == "__main__":
    main()
