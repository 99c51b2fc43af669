"""F1 of people and machines by the classifier of origins: ``python -m benchmarks.origins DATA [--sources 100] [--seed 1]``.

DATA holds ``mlqe-pe``, whose post-edits stand against the machine's translations, and ``bio-mqm``, whose references stand against
systems. Of MLQE-PE only dev is used, since predictors learned from train; five folds of its sources are classified by models of the
other four. Both texts are the tokenised ones, since post-edits have no other form. Post-edits without an edit are left out with their
translations. Of the abstracts, dev is classified by models of train, with three random systems for each source. A fifth of the training
sources tunes and calibrates. Naming the more frequent class always has a mean F1 of .33 on post-edits, of .43 on references. ``--save
FOLDER`` stores features and reads stored ones.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score

from app.engine import Engine
from app.predictors.labels import LABELS
from app.settings import Settings
from app.text import LanguagePair
from benchmarks.judged_systems import abstracts, features_of_texts, pairs_of_abstracts
from benchmarks.selection import fitted
from benchmarks.text_lines import lines

FOLDS = 5
PAIRS = ("en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en")
LEARNERS = {"post-edits": ("svc", "gp"), "references": ("svc", "svc|weight:balanced", "gp")}
SYSTEMS = 3
Rows = tuple[LanguagePair, list[str], list[str], np.ndarray, np.ndarray, np.ndarray]


def post_edits(data: Path, name: str, seed: int) -> Rows:
    """Sources, translations, origins, numbers of sources, and folds."""
    pair = LanguagePair.parse(name)
    texts_of = {part: lines(data / "mlqe-pe" / name / f"dev.tok.{part}.gz") for part in ("src", "mt", "pe")}
    rows = [row for row in zip(*texts_of.values(), strict=True) if row[1].split() != row[2].split()]
    folds = np.random.default_rng(seed).permutation(len(rows)) % FOLDS
    numbers = np.arange(len(rows))
    texts = [row[1] for row in rows] + [row[2] for row in rows]
    origins = np.repeat([0.0, 1.0], len(rows))
    return pair, [row[0] for row in rows] * 2, texts, origins, np.tile(numbers, 2), np.tile(folds, 2)


def references(data: Path, name: str, count: int, seed: int) -> Rows:
    """Each reference and three systems of its source."""
    translations, rng = abstracts(data, name, count, seed), np.random.default_rng(seed)
    machine = translations.systems != translations.reference
    rows_of = [np.flatnonzero(machine & (translations.sources == key)) for key in dict.fromkeys(translations.sources)]
    system_rows = [rng.choice(rows, min(SYSTEMS, len(rows)), replace=False) for rows in rows_of]
    rows = np.concatenate([*system_rows, np.flatnonzero(~machine)])
    texts = [array[rows].tolist() for array in (translations.source_texts, translations.translations)]
    numbers = np.unique(translations.sources[rows], return_inverse=True)[1]
    return translations.pair, *texts, (~machine[rows]).astype(float), numbers, translations.folds[rows]


def measured(engine: Engine, rows: Rows, learner: str, seed: int, folder: Path | None) -> list[float]:
    """F1 of people, F1 of machines, their mean, accuracy, and segments."""
    pair, sources, texts, origins, numbers, folds = rows
    values = features_of_texts(engine, pair, sources, texts, folder)
    predicted = np.full(len(origins), np.nan)
    for fold in np.unique(folds[folds >= 0]):
        train, test = folds != fold, folds == fold
        model = fitted(values[train], origins[train], numbers[train], LABELS["origin"], learner, seed)
        predicted[test] = model.predict(values[test]).mean > 0.5
    mask = folds >= 0
    scores = f1_score(origins[mask], predicted[mask], labels=[1, 0], average=None)
    return [*map(float, scores), float(scores.mean()), float((origins[mask] == predicted[mask]).mean()), int(mask.sum())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sources", type=int, default=100, help="sources of a pair of abstracts, for training and dev")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", nargs="*", help="pairs of the abstracts; default: all")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
    print("| Data | Pair | Learner | F1 people | F1 machines | Mean F1 | Accuracy | Segments |\n|" + " --- |" * 8)
    data = {("post-edits", name): post_edits(options.data, name, options.seed) for name in PAIRS}
    data |= {
        ("references", name): references(options.data, name, options.sources, options.seed)
        for name in options.pairs or pairs_of_abstracts(options.data)
    }
    for (kind, name), rows in data.items():
        for learner in LEARNERS[kind]:
            *shares, segments = measured(engine, rows, learner, options.seed, options.save)
            print(
                f"| {kind} | {name} | `{learner}` | " + " | ".join(f"{share:.3f}" for share in shares) + f" | {segments} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
