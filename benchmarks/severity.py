"""Models of major errors beside scores: ``python -m benchmarks.severity DATA [--segments 2000] [--seed 1]``.

DATA holds ``wmt-mqm``: TED talks, English-German and Chinese-English, segments of thirteen systems with a rater's errors. The question is
whether a segment has a major error (`--error accuracy` or `fluency`: an error of that kind). Logistic regression and boosted trees
learn from features and scores of the pair's predictor and of the predictors of any pair. They learn from all talks but the judged
one, or from the other language pair. The baselines are the scores themselves and the number of source tokens. `Better` is the
difference to the best baseline, with a 95 % interval of 500 draws of source sentences; `talks` counts the talks with a gain.
``--save FILE`` stores features and reads stored ones.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from app.engine import Engine
from app.engine.segments import Segments
from app.settings import Settings
from app.text import LanguagePair
from benchmarks.domain_data import RatedSegment, read_mqm, sample_rows

PAIRS = ("en-de", "zh-en")
DRAWS = 500
MEASURES = (roc_auc_score, average_precision_score)
LENGTH = "1001"
# The most useful features of every pair: scores, the encoder's judgement, lengths.
FEW_FEATURES = (
    "score.da",
    "score.hter",
    "enc.da",
    "enc.hter",
    "enc.cosine",
    "enc.source.lowest",
    "enc.target.lowest",
    "enc.source.tokens",
)


@dataclass(frozen=True)
class Rows:
    """Segments of a pair: features by name, presence of a major error, talk and source; all of shape (n,)."""

    columns: dict[str, np.ndarray]
    major: np.ndarray
    talks: np.ndarray
    sources: np.ndarray

    def of(self, names: Sequence[str]) -> np.ndarray:
        return np.column_stack([self.columns[name] for name in names])


def segments_of(data: Path, name: str, count: int, seed: int) -> list[RatedSegment]:
    rated = read_mqm(data / "wmt-mqm" / f"mqm_ted_{name.replace('-', '')}.tsv.gz")
    segments = [segment for (system, _, _), segment in rated.items() if not system.startswith("ref")]
    return [segments[k] for k in sample_rows(len(segments), count, np.random.default_rng(seed))]


def features(engine: Engine, name: str, segments: Sequence[RatedSegment]) -> dict[str, np.ndarray]:
    """Features and scores of both kinds of predictors by name."""
    texts = Segments(
        LanguagePair.parse(name), [segment.source for segment in segments], [segment.translation for segment in segments]
    )
    columns: dict[str, np.ndarray] = {}
    for label in ("da", "hter"):
        models = {
            "any": engine.models[f"any-any-{label}-blend-57"],
            "score": engine.model_for(texts.pair, None, label, texts.evidence),
        }
        for kind, model in models.items():
            if not columns.keys() >= set(model.card.features):
                columns.update(zip(model.card.features, engine.model_features(texts, model.card.id).T, strict=True))
            p = model.predict(np.column_stack([columns[feature] for feature in model.card.features]))
            columns[f"{kind}.{label}"], columns[f"{kind}.{label}.std"] = p.mean, p.std
    return columns


ERRORS: dict[str, Callable[[RatedSegment], bool]] = {
    "major": lambda segment: "Major" in segment.severities,
    "accuracy": lambda segment: "Accuracy" in segment.kinds,
    "fluency": lambda segment: "Fluency" in segment.kinds,
}


def read(data: Path, count: int, seed: int, path: Path | None, error: str) -> dict[str, Rows]:
    segments = {name: segments_of(data, name, count, seed) for name in PAIRS}
    if path is not None and path.exists():
        arrays = np.load(path)
        columns = {name: {key.split(":")[1]: arrays[key] for key in arrays.files if key.startswith(f"{name}:")} for name in PAIRS}
    else:
        settings = Settings()
        engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
        columns = {name: features(engine, name, segments[name]) for name in PAIRS}
        if path is not None:
            np.savez(path, **{f"{name}:{key}": column for name in PAIRS for key, column in columns[name].items()})
    tables = {}
    for name, pair_segments in segments.items():
        major, talks, sources = zip(*((ERRORS[error](row), row.talk, row.source) for row in pair_segments), strict=True)
        tables[name] = Rows(columns[name], np.array(major), np.array(talks), np.array(sources))
    return tables


def heads() -> dict[str, Any]:
    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2000)),
        "trees": HistGradientBoostingClassifier(
            max_iter=80, learning_rate=0.05, max_leaf_nodes=7, min_samples_leaf=40, random_state=1
        ),
    }


def cross_fitted(head: Any, values: np.ndarray, rows: Rows) -> np.ndarray:
    """Probability of an error of each segment (n,), by a model without its talk."""
    scores = np.zeros(len(rows.major))
    for talk in np.unique(rows.talks):
        test = rows.talks == talk
        scores[test] = head.fit(values[~test], rows.major[~test]).predict_proba(values[test])[:, 1]
    return scores


def resamples(rows: Rows) -> list[np.ndarray]:
    rng, sources = np.random.default_rng(1), [np.flatnonzero(rows.sources == source) for source in np.unique(rows.sources)]
    return [np.concatenate([sources[k] for k in rng.integers(0, len(sources), len(sources))]) for _ in range(DRAWS)]


def table(name: str, rows: Rows, rankings: dict[str, np.ndarray], usual: int) -> None:
    """Print a line for each ranking; the first `usual` are baselines."""
    draws, talks = resamples(rows), [np.flatnonzero(rows.talks == talk) for talk in np.unique(rows.talks)]
    print(f"\n{name}: {len(rows.major)} segments of {len(talks)} talks, {rows.major.mean():.1%} with such an error\n")
    print("| Ranked by | AUC | average precision | better, AUC | talks | better, precision | talks |\n|" + " --- |" * 7)
    scores = {key: [measure(rows.major, s) for measure in MEASURES] for key, s in rankings.items()}
    best = [max(list(rankings)[:usual], key=lambda key, at=at: scores[key][at]) for at in (0, 1)]
    for place, (key, s) in enumerate(rankings.items()):
        cells = [f"{score:.3f}" for score in scores[key]]
        for at, measure in enumerate(MEASURES):
            if place < usual:
                cells += ["", ""]
                continue

            def gain(part: np.ndarray, s: np.ndarray = s, measure: Any = measure, at: int = at) -> float:
                return measure(rows.major[part], s[part]) - measure(rows.major[part], rankings[best[at]][part])

            low, high = np.percentile([gain(part) for part in draws], [2.5, 97.5])
            cells.append(f"{scores[key][at] - scores[best[at]][at]:+.3f} ({low:+.3f} to {high:+.3f})")
            cells.append(f"{sum(gain(part) > 0 for part in talks)} of {len(talks)}")
        print(f"| {key} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--segments", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--error", choices=list(ERRORS), default="major")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    tables = read(options.data, options.segments, options.seed, options.save, options.error)
    shared = [key for key in tables[PAIRS[0]].columns if key in tables[PAIRS[1]].columns and not key.startswith("score")]
    for name, rows in tables.items():
        rankings = {
            "length of the source": rows.columns[LENGTH],
            "score, DA": -rows.columns["score.da"],
            "score, HTER": rows.columns["score.hter"],
            "score, HTER, times length": rows.columns["score.hter"] * rows.columns[LENGTH],
        }
        usual = len(rankings)
        rival = next(tables[key] for key in PAIRS if key != name)
        for kind, head in heads().items():
            rankings[f"{kind}, few features"] = cross_fitted(head, rows.of(FEW_FEATURES), rows)
            rankings[f"{kind}, all features"] = cross_fitted(head, rows.of(list(rows.columns)), rows)
            rankings[f"{kind}, learnt on the other pair"] = head.fit(rival.of(shared), rival.major).predict_proba(rows.of(shared))[
                :, 1
            ]
        table(name, rows, rankings, usual)


if __name__ == "__main__":
    main()
