"""What predictors are worth on other texts than they learned from: ``python -m benchmarks.domain_shift DATA [--segments 500] [--seed 1]``.

DATA holds ``mlqe-pe`` (training's own kind of text, dev), ``wmt-mqm`` (TED talks, English-German and Chinese-English, with raters'
errors), ``ted-sk-en``, ``multi30k-de-en`` with ``multi30k-nbest``, ``paracrawl-human`` (people's verdicts on crawled pairs) and
``wmt12-qe-en-es`` (17 features and effort, no texts). Of each so many segments are drawn. Every predictor that would answer is
measured, in both profiles: how it correlates with what was said (signs are such that positive is right), and, where that is
in edits per word, how many of the labels its 90 % intervals hold. Drift (fast; accurate) is the mean population stability index, as ``GET /v1/models/{model}`` has it. ``--save FOLDER`` keeps features and predictions, and reads what is there.
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
from benchmarks.smt.domain_data import Domain, domains

LABELS = ("da", "hter")
ANSWERS = (("fast", "da"), ("fast", "hter"), ("accurate", "da"), ("accurate", "hter"))
# The columns of WMT12's features.
QUEST = (
    "1001", "1002", "1006", "1009", "1012", "1015", "1022", "1036", "1046", "1049", "1050", "1053", "1054", "1057", "1058", "1074", "1075",
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What a predictor looked at, of a domain."""

    model: Model
    values: np.ndarray

    def worse(self) -> np.ndarray:
        """Scores, higher is worse."""
        return (-1.0 if self.model.label.higher_is_better else 1.0) * self.model.predict(self.values).mean

    def drift(self) -> float:
        return float(stability(self.model.usual, self.model.usual.counts(self.values)).mean())


def answered(engine: Engine, domain: Domain, folder: Path | None) -> dict[tuple[str, str], Answer]:
    """The predictors that answer for a domain by profile and label, those of `fast` only where the pair has some of its own."""
    segments, found = Segments(domain.pair, domain.sources, domain.translations), {}
    for profile, label in ANSWERS:
        if profile == "fast" and domain.pair not in engine.resources.pairs:
            continue
        model = engine.at(profile).model_for(domain.pair, None, label, segments.evidence)
        same = [one.values for one in found.values() if one.model.card.features == model.card.features]
        name = f"{domain.name.replace(' ', '-').replace(chr(39), '')}.{domain.pair}.{profile}.{label}.npz"
        if folder is not None and (folder / name).exists():
            values = np.load(folder / name)["values"]
        else:
            values = same[0] if same else engine.at(profile).model_features(segments, model.card.id)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            np.savez(folder / name, values=values)
        found[profile, label] = Answer(model, values)
    return found


def correlations(worse: np.ndarray, gold: np.ndarray) -> str:
    there = ~np.isnan(gold)
    a = evaluate_predictions(gold[there], worse[there], False)
    return f"{a.pearson:.3f} {a.spearman:.3f} {a.kendall:.3f}"


def coverage(domain: Domain, answer: Answer) -> Iterator[str]:
    """A cell for each label in edits per word: what was said and true in the mean, and what intervals hold."""
    p = answer.model.predict(answer.values)
    for name in domain.edits:
        there = ~np.isnan(domain.gold[name])
        gold = domain.gold[name][there]
        inside = (gold >= p.low[there]) & (gold <= p.high[there])
        yield f"{name} | {len(gold)} | {p.mean[there].mean():.3f} | {gold.mean():.3f} | {inside.mean():.3f} | {(p.high - p.low).mean():.2f}"


def effort(engine: Engine, folder: Path) -> Iterator[str]:
    """English-Spanish of WMT12: no texts but 17 features, which predictors of 17 features from English are asked about."""
    with gzip.open(folder / "train.features17.tsv.gz", "rt", encoding="utf-8") as file:
        values = np.array([[float(cell) for cell in line.split()] for line in file if line.strip()])
    with gzip.open(folder / "train.effort.gz", "rt", encoding="utf-8") as file:
        gold = -np.array([float(line) for line in file if line.strip()])
    there = dict(zip(QUEST, values[-len(gold) :].T, strict=True))
    for pair in ("en-de", "en-zh"):
        found = []
        for label in LABELS:
            model = engine.models[f"{pair}-{label}-gp-17"]
            found.append(Answer(model, np.column_stack([there[feature] for feature in model.card.features])))
        cells = " | ".join(correlations(one.worse(), gold) for one in found)
        yield f"| WMT12, en-es, by `{pair}-…-gp-17` | effort | {len(gold)} | {cells} | | | {found[0].drift():.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--segments", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path)
    asked = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
    told, held = [], []
    for domain in domains(asked.data, asked.segments, asked.seed):
        found, where = answered(engine, domain, asked.save), f"{domain.name}, {domain.pair}"
        drift = "; ".join(f"{one.drift():.2f}" for (_, label), one in found.items() if label == "da")
        for name, gold in domain.gold.items():
            cells = [correlations(found[key].worse(), gold) if key in found else "-" for key in ANSWERS]
            told.append(f"| {where} | {name} | {(~np.isnan(gold)).sum()} | {' | '.join(cells)} | {drift} |")
        for (_, label), one in found.items():
            held += [f"| {where}, `{one.model.card.id}` | {cell} |" for cell in coverage(domain, one) if label == "hter"]
        print(where, file=sys.stderr, flush=True)
    print("| Texts | Said of them | n | fast, DA | fast, HTER | accurate, DA | accurate, HTER | drift |\n|" + " --- |" * 8)
    print("\n".join([*told, *effort(engine, asked.data / "wmt12-qe-en-es")]))
    print("\n| Texts and predictor | Label | n | said | true | 90 % holds | width |\n|" + " --- |" * 7)
    print("\n".join(held))


if __name__ == "__main__":
    main()
