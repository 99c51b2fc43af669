"""Accuracy of predictors on other texts than they learned from: ``python -m benchmarks.domain_shift DATA [--segments 500] [--seed 1]``.

DATA holds ``mlqe-pe`` (dev, as in training) and ``wmt-mqm`` (TED talks, English-German and Chinese-English, with raters' errors). It
also holds ``ted-sk-en``, ``multi30k-de-en`` with ``multi30k-nbest``, ``paracrawl-human`` (verdicts on crawled pairs) and
``wmt12-qe-en-es`` (17 features and effort, no texts). `--segments` of each are drawn. All predictors that answer for a pair are measured in both profiles:
correlations with each label (positive is right) and, for labels in edits per word, the coverage of 90 % intervals. Drift (fast; accurate)
is the mean population stability index, as in ``GET /v1/models/{model}``. ``--save FOLDER`` stores features and reads stored ones.
"""

import argparse
import gzip
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.engine import Engine
from app.engine.segments import Segments
from app.predictors import Model
from app.predictors.distribution import stability
from app.predictors.evaluation import evaluate_predictions
from app.settings import Settings
from benchmarks.domain_data import Domain, domains

LABELS = ("da", "hter")
ANSWERS = (("fast", "da"), ("fast", "hter"), ("accurate", "da"), ("accurate", "hter"))
# The columns of WMT12's features.
QUEST = (
    "1001", "1002", "1006", "1009", "1012", "1015", "1022", "1036", "1046", "1049", "1050", "1053", "1054", "1057", "1058", "1074", "1075",
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """A predictor and the features of the segments of a domain."""

    model: Model
    values: np.ndarray

    def worse(self) -> np.ndarray:
        """Scores; higher is worse."""
        return (-1.0 if self.model.label.higher_is_better else 1.0) * self.model.predict(self.values).mean

    def drift(self) -> float:
        return float(stability(self.model.usual, self.model.usual.counts(self.values)).mean())


def answers_of(engine: Engine, domain: Domain, folder: Path | None) -> dict[tuple[str, str], Answer]:
    """Predictors of a domain by profile and label; `fast` only for pairs with resources."""
    segments, answers = Segments(domain.pair, domain.sources, domain.translations), {}
    for profile, label in ANSWERS:
        if profile == "fast" and domain.pair not in engine.resources.pairs:
            continue
        model = engine.at(profile).model_for(domain.pair, None, label, segments.evidence)
        duplicates = [answer.values for answer in answers.values() if answer.model.card.features == model.card.features]
        name = f"{domain.name.replace(' ', '-').replace(chr(39), '')}.{domain.pair}.{profile}.{label}.npz"
        if folder is not None and (folder / name).exists():
            values = np.load(folder / name)["values"]
        else:
            values = duplicates[0] if duplicates else engine.at(profile).model_features(segments, model.card.id)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            np.savez(folder / name, values=values)
        answers[profile, label] = Answer(model, values)
    return answers


def correlations(worse: np.ndarray, gold: np.ndarray) -> str:
    mask = ~np.isnan(gold)
    a = evaluate_predictions(gold[mask], worse[mask], False)
    return f"{a.pearson:.3f} {a.spearman:.3f} {a.kendall:.3f}"


def coverage(domain: Domain, answer: Answer) -> Iterator[str]:
    """A cell for each label in edits per word: mean prediction, mean label, coverage and width of intervals."""
    p = answer.model.predict(answer.values)
    for name in domain.edits:
        mask = ~np.isnan(domain.gold[name])
        gold = domain.gold[name][mask]
        inside = (gold >= p.low[mask]) & (gold <= p.high[mask])
        yield f"{name} | {len(gold)} | {p.mean[mask].mean():.3f} | {gold.mean():.3f} | {inside.mean():.3f} | {(p.high - p.low).mean():.2f}"


def effort(engine: Engine, folder: Path) -> Iterator[str]:
    """Rows of WMT12's English-Spanish: no texts but 17 features, for predictors of 17 features from English."""
    with gzip.open(folder / "train.features17.tsv.gz", "rt", encoding="utf-8") as file:
        values = np.array([[float(cell) for cell in line.split()] for line in file if line.strip()])
    with gzip.open(folder / "train.effort.gz", "rt", encoding="utf-8") as file:
        gold = -np.array([float(line) for line in file if line.strip()])
    columns = dict(zip(QUEST, values[-len(gold) :].T, strict=True))
    for pair in ("en-de", "en-zh"):
        answers = []
        for label in LABELS:
            model = engine.models[f"{pair}-{label}-gp-17"]
            answers.append(Answer(model, np.column_stack([columns[feature] for feature in model.card.features])))
        cells = " | ".join(correlations(answer.worse(), gold) for answer in answers)
        yield f"| WMT12, en-es, by `{pair}-…-gp-17` | effort | {len(gold)} | {cells} | | | {answers[0].drift():.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--segments", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
    rows, coverage_rows = [], []
    for domain in domains(options.data, options.segments, options.seed):
        answers, texts = answers_of(engine, domain, options.save), f"{domain.name}, {domain.pair}"
        drift = "; ".join(f"{answer.drift():.2f}" for (_, label), answer in answers.items() if label == "da")
        for name, gold in domain.gold.items():
            cells = [correlations(answers[key].worse(), gold) if key in answers else "-" for key in ANSWERS]
            rows.append(f"| {texts} | {name} | {(~np.isnan(gold)).sum()} | {' | '.join(cells)} | {drift} |")
        for (_, label), answer in answers.items():
            coverage_rows += [
                f"| {texts}, `{answer.model.card.id}` | {cell} |" for cell in coverage(domain, answer) if label == "hter"
            ]
        print(texts, file=sys.stderr, flush=True)
    print("| Texts | Said of them | n | fast, DA | fast, HTER | accurate, DA | accurate, HTER | drift |\n|" + " --- |" * 8)
    print("\n".join([*rows, *effort(engine, options.data / "wmt12-qe-en-es")]))
    print("\n| Texts and predictor | Label | n | said | true | 90 % holds | width |\n|" + " --- |" * 7)
    print("\n".join(coverage_rows))


if __name__ == "__main__":
    main()
