"""Trained metrics beside lexical ones on judged outputs: ``python -m benchmarks.judged_metrics JUDGED [--folds MLQE-PE [--names NAME…]]``.

JUDGED holds ``wmt-mqm`` and ``bio-mqm`` (`scripts.mqm.judged_outputs`). The documents are the held-out ones, which no shipped metric was
trained on. With ``--folds``, they are all documents: five times, the metrics of `scripts.mqm` are trained on four fifths of the documents
and score the rest. All take a quarter of an hour, and ``--names rose-reg rose-rank`` takes five minutes. People's translations are references, or left out.

The tables have means over corpora: Kendall's τ and pairwise accuracy inside one annotator's judgements of a segment, and Pearson's r of
all segments. A difference to chrF stands beside its 95 % interval from 1,000 bootstrap samples of the documents of each corpus. Spanish,
French and Russian have the weights of English (Song's thesis, section 3.1).
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.metrics import TrainedMetric, load_trained_metrics, metric_named, use_metric_files
from app.settings import Settings
from scripts.mlqe_pe.everything import language_pairs
from scripts.mqm.agreement import Corpus, corpora_of, document_sums, measures_of
from scripts.mqm.judged_outputs import PEOPLE, JudgedOutput, read_judged_outputs
from scripts.mqm.metrics import RECIPES, Recipe, joined_judgements, output_scores, train_recipe
from scripts.mqm.tagging import tokeniser_of

BASELINE: Final = "chrf"
LEXICAL: Final = (BASELINE, "chrf++", "bleu", "beer", "beer:mlqe")
# Names of trained metrics by the beginning of their ids.
NAMES: Final = {recipe.name: recipe.name.replace("-", ":", 1) for recipe in RECIPES}
# Metrics that are trained anew: those of all languages.
CHOICES: Final = [recipe.name for recipe in RECIPES if len(recipe.languages) > 2]
TARGETS: Final = ("en", "de", "zh")
TABLES: Final = {
    "English, German, Chinese": TARGETS,
    "English": ("en",),
    "German": ("de",),
    "Chinese": ("zh",),
    "Spanish, French, Russian": ("es", "fr", "ru"),
}
FOLDS: Final = 5
SAMPLES: Final = 1000
SEED: Final = 12345
# Scores of all outputs of a corpus by the name of the metric.
Scores = dict[str, Float64s]


def _lexical_scores(corpus: Corpus, metrics: Mapping[str, TrainedMetric]) -> Scores:
    """Scores of metrics that no judged output trained."""
    target = corpus.outputs[0].target
    hypotheses, references = [row.translation for row in corpus.outputs], [row.reference for row in corpus.outputs]
    scores = {}
    for name in LEXICAL:
        language = f"-{target if target in TARGETS else 'en'}" if name.startswith("beer:") else ""
        tokeniser = "" if name.startswith("chrf") else f"|tok:{tokeniser_of(target)}"
        metric = metric_named(f"{name}{language}{tokeniser}", metrics)
        scores[name] = metric.segment_scores(metric.prepare([references]).statistics(hypotheses))
    return scores


def _shipped_scores(corpus: Corpus, metrics: Mapping[str, TrainedMetric], resources: Path, tables: str | None) -> Scores:
    target = corpus.outputs[0].target
    language = target if target in TARGETS else "en"
    return {
        name: output_scores(metrics[f"{prefix}-{language}"], corpus.outputs, resources, tables)
        for prefix, name in NAMES.items()
        if f"{prefix}-{language}" in metrics
        and (target in TARGETS or not name.endswith("pos"))
        and (tables is not None or not metrics[f"{prefix}-{language}"].needs_tables)
        and (target == language or not metrics[f"{prefix}-{language}"].aligns)
    }


def _fold_scores(outputs: Sequence[JudgedOutput], data: Path, resources: Path, recipes: Sequence[Recipe]) -> dict[str, Float64s]:
    """Scores (n,) of all outputs by metrics that were trained without their documents."""
    documents = sorted({(row.corpus, row.direction, row.document) for row in outputs})
    fold_of_document = {document: number % FOLDS for number, document in enumerate(documents)}
    folds = np.array([fold_of_document[row.corpus, row.direction, row.document] for row in outputs])
    targets = np.array([row.target for row in outputs])
    scores = {NAMES[recipe.name]: np.zeros(len(outputs)) for recipe in recipes}
    folder, pairs = language_pairs(data)
    for fold in range(FOLDS):
        for target in TARGETS:
            training_rows, rows = (np.flatnonzero((targets == target) & mask) for mask in (folds != fold, folds == fold))
            judgements = joined_judgements(
                [outputs[row] for row in training_rows], folder, [pair for pair in pairs if pair.target == target]
            )
            for recipe in recipes:
                if target not in recipe.languages:
                    continue
                metric = train_recipe(recipe, target, judgements, resources, {})
                scores[NAMES[recipe.name]][rows] = output_scores(metric, [outputs[row] for row in rows], resources)
    return scores


def _rows(corpora: Sequence[tuple[Corpus, Scores]]) -> list[str]:
    """Rows of a table, the highest τ first."""
    rng = np.random.default_rng(SEED)
    names = [name for name in corpora[0][1] if all(name in scores for _, scores in corpora)]
    means, samples = {name: np.zeros(3) for name in names}, {name: np.zeros((SAMPLES, 3)) for name in names}
    for corpus, scores in corpora:
        sums = {name: document_sums(corpus, scores[name]) for name in names}
        documents = len(sums[BASELINE])
        counts = rng.multinomial(documents, np.full(documents, 1 / documents), SAMPLES)
        for name in names:
            means[name] += measures_of(sums[name].sum(0)) / len(corpora)
            samples[name] += measures_of(counts @ sums[name]) / len(corpora)
    rows = []
    for name in sorted(names, key=lambda name: -float(means[name][0])):
        tau, accuracy, pearson = (f"{mean:.3f}" for mean in means[name])
        bounds = np.percentile(samples[name] - samples[BASELINE], [2.5, 97.5], axis=0)
        gains = [
            f"{gain:+.3f} ({low:+.3f} to {high:+.3f})"
            for gain, low, high in zip(means[name] - means[BASELINE], *bounds, strict=True)
        ]
        tau_gain, _, pearson_gain = ("", "", "") if name == BASELINE else gains
        rows.append(f"| `{name}` | {tau} | {tau_gain} | {accuracy} | {pearson} | {pearson_gain} |")
    return rows


def main() -> None:
    """Print a table for the shipped target languages, and for each of them."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judged_metrics", description=__doc__)
    parser.add_argument("judged", type=Path, help="folder with wmt-mqm and bio-mqm")
    parser.add_argument("--folds", type=Path, metavar="MLQE-PE", help="train anew without each fifth of the documents")
    parser.add_argument("--names", nargs="+", default=CHOICES, choices=CHOICES, help="metrics of --folds (default: all)")
    parser.add_argument("--tables", help="METEOR's English tables, installed in ASSAY_METRIC_FILES")
    arguments = parser.parse_args()
    use_metric_files(None, settings.metric_files, (settings.resources_dir,))
    metrics = load_trained_metrics(settings.models_dir / "metrics")
    outputs = read_judged_outputs(arguments.judged, "dev")
    fold_scores = None
    if arguments.folds:
        outputs = [row for row in [*read_judged_outputs(arguments.judged, "train"), *outputs] if row.target in TARGETS]
        recipes = [recipe for recipe in RECIPES if recipe.name in arguments.names]
        fold_scores = _fold_scores(outputs, arguments.folds, settings.resources_dir, recipes)
    systems = np.flatnonzero([row.system not in PEOPLE for row in outputs])
    scored_corpora = []
    for corpus in corpora_of([outputs[row] for row in systems]):
        rows = systems[corpus.rows]
        trained_scores = (
            _shipped_scores(corpus, metrics, settings.resources_dir, arguments.tables)
            if fold_scores is None
            else {name: values[rows] for name, values in fold_scores.items()}
        )
        scored_corpora.append((corpus, _lexical_scores(corpus, metrics) | trained_scores))
    for title, targets in TABLES.items():
        corpora = [(corpus, scores) for corpus, scores in scored_corpora if corpus.outputs[0].target in targets]
        if corpora:
            documents = sum(len({row.document for row in corpus.outputs}) for corpus, _ in corpora)
            count = sum(len(corpus.outputs) for corpus, _ in corpora)
            print(f"\n{title}: {len(corpora)} corpora, {documents} documents, {count:,} judgements\n")
            print("| Metric | τ | τ less chrF's | accuracy | r | r less chrF's |\n|" + " --- |" * 6)
            print("\n".join(_rows(corpora)))


if __name__ == "__main__":
    main()
