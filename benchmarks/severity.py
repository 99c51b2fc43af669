"""Whether a head of its own tells major errors better than scores do: ``python -m benchmarks.severity DATA [--segments 2000] [--seed 1]``.

DATA holds ``wmt-mqm``: TED talks, English-German and Chinese-English, segments of thirteen systems with a rater's errors. Asked is
whether a segment has a major error (`--error accuracy` or `fluency`: one of that kind). Heads (logistic regression, boosted trees) learn from the features of the predictor that answers
for the pair and of the predictors of any pair, and from their scores: on all talks but the one that is judged, or on the other language pair.
Beside them the scores as they are answered, and the number of the source's tokens. `Better` is the difference to the best of
these, with a 95 % interval of 500 draws of source sentences; `talks` in how many talks a head is better. ``--save FILE``
keeps features, and reads them where they are there.
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
from benchmarks.smt.domain_data import Rated, drawn, read_mqm

PAIRS = ("en-de", "zh-en")
DRAWS = 500
MEASURES = (roc_auc_score, average_precision_score)
LENGTH = "1001"
# What every pair has, and says the most: scores, the encoder's judgement, lengths.
FEW = ("score.da", "score.hter", "enc.da", "enc.hter", "enc.cosine", "enc.source.lowest", "enc.target.lowest", "enc.source.tokens")


@dataclass(frozen=True)
class Rows:
    """Of segments of a pair, features by name, whether there is a major error, the talk and the source."""

    columns: dict[str, np.ndarray]
    major: np.ndarray
    talks: np.ndarray
    sources: np.ndarray

    def of(self, names: Sequence[str]) -> np.ndarray:
        return np.column_stack([self.columns[name] for name in names])


def segments_of(data: Path, name: str, wanted: int, seed: int) -> list[Rated]:
    rated = read_mqm(data / "wmt-mqm" / f"mqm_ted_{name.replace('-', '')}.tsv.gz")
    segments = [segment for (system, _, _), segment in rated.items() if not system.startswith("ref")]
    return [segments[k] for k in drawn(len(segments), wanted, np.random.default_rng(seed))]


def features(engine: Engine, name: str, segments: Sequence[Rated]) -> dict[str, np.ndarray]:
    """Everything that both kinds of predictors look at and say."""
    texts = Segments(LanguagePair.parse(name), [one.source for one in segments], [one.translation for one in segments])
    columns: dict[str, np.ndarray] = {}
    for label in ("da", "hter"):
        there = {
            "any": engine.models[f"any-any-{label}-blend-57"],
            "score": engine.model_for(texts.pair, None, label, texts.evidence),
        }
        for kind, model in there.items():
            if not columns.keys() >= set(model.card.features):
                columns.update(zip(model.card.features, engine.model_features(texts, model.card.id).T, strict=True))
            p = model.predict(np.column_stack([columns[feature] for feature in model.card.features]))
            columns[f"{kind}.{label}"], columns[f"{kind}.{label}.std"] = p.mean, p.std
    return columns


ERRORS: dict[str, Callable[[Rated], bool]] = {
    "major": lambda one: "Major" in one.severities,
    "accuracy": lambda one: "Accuracy" in one.kinds,
    "fluency": lambda one: "Fluency" in one.kinds,
}


def read(data: Path, wanted: int, seed: int, path: Path | None, error: str) -> dict[str, Rows]:
    segments = {name: segments_of(data, name, wanted, seed) for name in PAIRS}
    if path is not None and path.exists():
        kept = np.load(path)
        columns = {name: {key.split(":")[1]: kept[key] for key in kept.files if key.startswith(f"{name}:")} for name in PAIRS}
    else:
        settings = Settings()
        engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
        columns = {name: features(engine, name, segments[name]) for name in PAIRS}
        if path is not None:
            np.savez(path, **{f"{name}:{key}": column for name in PAIRS for key, column in columns[name].items()})
    every = {}
    for name, those in segments.items():
        major = np.array([ERRORS[error](one) for one in those])
        every[name] = Rows(columns[name], major, np.array([one.talk for one in those]), np.array([one.source for one in those]))
    return every


def heads() -> dict[str, Any]:
    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2000)),
        "trees": HistGradientBoostingClassifier(
            max_iter=80, learning_rate=0.05, max_leaf_nodes=7, min_samples_leaf=40, random_state=1
        ),
    }


def crossed(head: Any, values: np.ndarray, rows: Rows) -> np.ndarray:
    """What a head says of each talk that has seen the others."""
    said = np.zeros(len(rows.major))
    for talk in np.unique(rows.talks):
        test = rows.talks == talk
        said[test] = head.fit(values[~test], rows.major[~test]).predict_proba(values[test])[:, 1]
    return said


def resampled(rows: Rows) -> list[np.ndarray]:
    rng, sources = np.random.default_rng(1), [np.flatnonzero(rows.sources == source) for source in np.unique(rows.sources)]
    return [np.concatenate([sources[k] for k in rng.integers(0, len(sources), len(sources))]) for _ in range(DRAWS)]


def table(name: str, rows: Rows, said: dict[str, np.ndarray], usual: int) -> None:
    """A line for each ranking; the first `usual` are there already."""
    draws, talks = resampled(rows), [np.flatnonzero(rows.talks == talk) for talk in np.unique(rows.talks)]
    print(f"\n{name}: {len(rows.major)} segments of {len(talks)} talks, {rows.major.mean():.1%} with such an error\n")
    print("| Ranked by | AUC | average precision | better, AUC | talks | better, precision | talks |\n|" + " --- |" * 7)
    scores = {key: [measure(rows.major, s) for measure in MEASURES] for key, s in said.items()}
    best = [max(list(said)[:usual], key=lambda key, at=at: scores[key][at]) for at in (0, 1)]
    for place, (key, s) in enumerate(said.items()):
        cells = [f"{score:.3f}" for score in scores[key]]
        for at, measure in enumerate(MEASURES):
            if place < usual:
                cells += ["", ""]
                continue

            def apart(chosen: np.ndarray, s: np.ndarray = s, measure: Any = measure, at: int = at) -> float:
                return measure(rows.major[chosen], s[chosen]) - measure(rows.major[chosen], said[best[at]][chosen])

            low, high = np.percentile([apart(chosen) for chosen in draws], [2.5, 97.5])
            cells.append(f"{scores[key][at] - scores[best[at]][at]:+.3f} ({low:+.3f} to {high:+.3f})")
            cells.append(f"{sum(apart(chosen) > 0 for chosen in talks)} of {len(talks)}")
        print(f"| {key} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--segments", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--error", choices=list(ERRORS), default="major")
    parser.add_argument("--save", type=Path)
    asked = parser.parse_args()
    every = read(asked.data, asked.segments, asked.seed, asked.save, asked.error)
    shared = [key for key in every[PAIRS[0]].columns if key in every[PAIRS[1]].columns and not key.startswith("score")]
    for name, rows in every.items():
        said = {
            "length of the source": rows.columns[LENGTH],
            "score, DA": -rows.columns["score.da"],
            "score, HTER": rows.columns["score.hter"],
            "score, HTER, times length": rows.columns["score.hter"] * rows.columns[LENGTH],
        }
        usual = len(said)
        other = next(every[key] for key in PAIRS if key != name)
        for kind, head in heads().items():
            said[f"{kind}, few features"] = crossed(head, rows.of(FEW), rows)
            said[f"{kind}, all features"] = crossed(head, rows.of(list(rows.columns)), rows)
            said[f"{kind}, learnt on the other pair"] = head.fit(other.of(shared), other.major).predict_proba(rows.of(shared))[:, 1]
        table(name, rows, said, usual)


if __name__ == "__main__":
    main()
