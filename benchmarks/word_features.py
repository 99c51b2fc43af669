"""Worth of topics, triggers, the word lexicon, word counts and retrieval: ``python -m benchmarks.word_features DATA PAIR ...``.

DATA is MLQE-PE. The features of the shipped training rows are those of `text-only`, cross-fitted. To them come new ones, also
cross-fitted: five times, resources of four fifths of the sources and post-edits give the features of the rest. Features of dev come
from resources of all rows. Each set has the support vector regression of ``python -m benchmarks.feature_sets``. The tables have
Pearson with the labels on dev: of each set, and of each feature alone.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.svm import SVR

from app.arrays import Float64s
from app.building.bags_of_words import train_bags_of_words
from app.engine import Engine
from app.engine.segments import Segments
from app.features import PairResources, exact_set, extract_features, feature_set
from app.registry.rows import ROWS_FILE, read_rows
from app.resources.corpus_index import CorpusIndex, SegmentIndex
from app.resources.ngram_counts import NgramCounts
from app.settings import Settings
from app.text.batch import SegmentBatch, pack_lines
from app.text.languages import LanguagePair
from app.text.parallel_corpus import ParallelCorpus
from app.text.tokenisation import tokeniser_for
from scripts.mlqe_pe.cross_fitting import folds_of
from scripts.mlqe_pe.everything import LABEL_COLUMNS, Split, language_pairs, split_of, tell

FOLDS = 5
NEIGHBOURS = [f"ir.{side}.{k}.{{}}" for side in ("source", "target") for k in range(1, 6)]
NEW = {
    "topics": ["1300", "1301"],
    "triggers": ["1302", "1303", "1304"],
    "lexicon": ["1400"],
    "word counts": [str(number) for number in range(5000, 5008)],
    "retrieval": [feature.id for feature in feature_set("information-retrieval").features],
    "earlier retrieval": [name.format(kind) for name in NEIGHBOURS for kind in ("cosine", "precision", "f1")],
}
IDS = list(dict.fromkeys(name for names in NEW.values() for name in names))


def batch_of(split: Split) -> SegmentBatch:
    tokenisers = tokeniser_for(split.pair.source), tokeniser_for(split.pair.target)
    return SegmentBatch.build(*tokenisers, split.column("source"), split.column("translation"))


def values_of(batch: SegmentBatch, corpus: ParallelCorpus) -> Float64s:
    """New features of a batch by resources of a corpus."""
    source, target = corpus.source, corpus.target
    resources = PairResources(
        batch.pair,
        source_counts=NgramCounts.count(source),
        target_counts=NgramCounts.count(target),
        corpus_index=CorpusIndex(SegmentIndex.of(source), SegmentIndex.of(target)),
        bags_of_words=train_bags_of_words(corpus),
    )
    return extract_features(batch, exact_set("new", IDS), resources, strict=True).values


def new_features(train: Split, dev: Split) -> tuple[Float64s, Float64s]:
    target = tokeniser_for(train.pair.target)
    batch = batch_of(train)
    corpus = ParallelCorpus(batch.source, pack_lines([" ".join(target(text)) for text in train.column("post_edit")]))
    folds, values = folds_of(train.column("source"), FOLDS), np.zeros((len(batch), len(IDS)))
    for fold in range(FOLDS):
        rows = np.flatnonzero(folds == fold)
        values[rows] = values_of(batch.select(rows), corpus.rows(np.flatnonzero(folds != fold)))
        tell(f"{train.pair}: fold {fold + 1} of {FOLDS}")
    return values, values_of(batch_of(dev), corpus)


def correlation(train: Float64s, dev: Float64s, gold: Float64s, dev_gold: Float64s) -> float:
    centre, scale = train.mean(0), train.std(0)
    scale[scale == 0] = 1
    x, x_dev = (np.clip((side - centre) / scale, -4, 4) for side in (train, dev))
    learner = SVR(C=1, gamma=0.3 / train.shape[1], epsilon=0.1, cache_size=500)
    learner.fit(x, (gold - gold.mean()) / gold.std())
    return float(np.corrcoef(learner.predict(x_dev), dev_gold)[0, 1])


def main() -> None:
    settings = Settings()
    data, pairs = language_pairs(Path(sys.argv[1]))
    names = sys.argv[2:] or [str(pair) for pair in pairs]
    engine = Engine.open(settings.resources_dir, settings.models_dir)
    base = [feature.id for feature in feature_set("text-only").features]
    sets: dict[str, list[str]] = {
        "text-only": [],
        **NEW,
        "all new": [i for key in NEW for i in NEW[key] if key != "earlier retrieval"],
    }
    print("| Pair, label | " + " | ".join(f"+ {name}" if ids else name for name, ids in sets.items()) + " |")
    print("| --- |" + " --- |" * len(sets))
    columns_of: list[tuple[str, list[float]]] = []
    for pair in map(LanguagePair.parse, names):
        train, dev = (split_of(data, pair, name) for name in ("train", "dev"))
        stored = read_rows(settings.models_dir / f"{pair}-rows" / ROWS_FILE)
        segments = Segments(pair, dev.column("source"), dev.column("translation"))
        text_values = (
            stored.values[:, [stored.features.index(name) for name in base]],
            engine.features(segments, exact_set("b", base)).values,
        )
        new_values = new_features(train, dev)
        for label in LABEL_COLUMNS:
            gold = train.labels(label), dev.labels(label)
            cells = []
            for ids in sets.values():
                columns = [IDS.index(name) for name in ids]
                parts = (np.hstack([text, new[:, columns]]) for text, new in zip(text_values, new_values, strict=True))
                cells.append(f"{correlation(*parts, *gold):.3f}")
            print(f"| {pair}, {label} | " + " | ".join(cells) + " |", flush=True)
            with np.errstate(invalid="ignore"):
                columns_of.append((f"{pair}, {label}", [np.corrcoef(column, gold[1])[0, 1] for column in new_values[1].T]))
    print("\n| Feature | " + " | ".join(name for name, _ in columns_of) + " |\n| --- |" + " --- |" * len(columns_of))
    for k, name in enumerate(IDS):
        print(f"| {name} | " + " | ".join(f"{row[k]:.3f}" for _, row in columns_of) + " |")


if __name__ == "__main__":
    main()
