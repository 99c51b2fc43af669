"""Build of `resources/function_words.json`, and of BEER's metrics in `models/metrics/`.

`beer:mlqe` is trained on MLQE-PE: translations, their post-edits as references, direct assessments as labels.
"""

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.stats import kendalltau, pearsonr
from threadpoolctl import threadpool_limits

from app.arrays import Float64s
from app.building.function_words import function_words
from app.errors import InputError
from app.metrics import TrainedMetric, metric_named, save_trained_metric
from app.metrics.definition import Segments
from app.metrics.learnt.templates import feature_template
from app.metrics.learnt.training import JudgedTranslations, train_linear_metric
from app.resources.function_words import shipped_function_words
from app.resources.manifest import checksum
from app.text.languages import LanguagePair
from app.text.reading.tables import read_column
from scripts.mlqe_pe.published_beer import read_published_beer

__all__ = ["accuracy_on_dev", "assessments", "build_function_words", "build_metrics", "import_beer", "segment_scores"]

Report = Callable[[str], None]
GROUP: Final = 5
SEED: Final = 12345
UD: Final = "https://universaldependencies.org"


def build_function_words(treebanks: Path, resources: Path) -> None:
    """Write the function words of every language of ``treebanks/LANGUAGE/train.conllu.gz``."""
    paths = sorted(treebanks.glob("*/train.conllu.gz"))
    if not paths:
        raise InputError("empty-input", f"{treebanks} holds no LANGUAGE/train.conllu.gz")
    languages = {}
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            languages[path.parent.name] = function_words(lines)
    value = {
        "description": "The 100 most frequent function words of each language, lower-cased, the most frequent first",
        "source": f"Universal Dependencies treebanks, {UD}",
        "licence": "CC-BY-SA-4.0",
        "built_from": {f"{path.parent.name}/{path.name}": checksum(path) for path in paths},
        "languages": languages,
    }
    resources.mkdir(parents=True, exist_ok=True)
    target = resources / "function_words.json"
    target.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")


def import_beer(folder: Path, models: Path) -> None:
    """Write the released BEER 2.0 model as a trained metric of Assay."""
    metric = read_published_beer(folder)
    save_trained_metric(metric, models / "metrics" / f"{metric.id}.json")


def build_metrics(data: Path, pairs: Sequence[LanguagePair], resources: Path, models: Path, report: Report) -> None:
    """Train BEER on the assessments of each target language of `pairs`; `scripts.mqm` trains the metrics on judged outputs."""
    for language in sorted({pair.target for pair in pairs}):
        language_pairs = [pair for pair in pairs if pair.target == language]
        train, dev = (assessments(data, language_pairs, split) for split in ("train", "dev"))
        # One thread: sums in another order differ in their last digits.
        with threadpool_limits(1):
            metric = train_linear_metric(
                f"beer-mlqe-{language}",
                "beer",
                language,
                feature_template("beer-3.0"),
                train,
                "logistic",
                _card(data, language_pairs),
                metric_named,
                tokenise="zh" if language == "zh" else "13a",
                function_words=shipped_function_words(resources, language),
                seed=SEED,
            )
        metric = replace(metric, card={**metric.card, "accuracy": accuracy_on_dev(metric, dev, dev)})
        save_trained_metric(metric, models / "metrics" / f"{metric.id}.json")
        report(f"models/metrics/{metric.id}")


def assessments(data: Path, pairs: Sequence[LanguagePair], split: str, group_size: int = GROUP) -> JudgedTranslations:
    """Translations of MLQE-PE with post-edits as references and z-scores of direct assessments as labels.

    Each pair has one system, so groups are of different sources; the assessments of a pair are on one scale.
    """
    translations: list[str] = []
    references: list[str] = []
    labels: list[float] = []
    groups: list[int] = []
    rng = np.random.default_rng(SEED)
    for pair in pairs:
        path = data / str(pair) / f"{split}.tsv.gz"
        size = len(labels)
        translations += read_column(f"{path}:translation")
        references += read_column(f"{path}:post_edit")
        labels += map(float, read_column(f"{path}:da_z"))
        count = len(labels) - size
        first = (max(groups) + 1) if groups else 0
        groups += (first + rng.permutation(count) // group_size).tolist()
    return JudgedTranslations(translations, references, np.array(labels), np.array(groups, np.int64))


def _card(data: Path, pairs: Sequence[LanguagePair]) -> dict[str, Any]:
    return {
        "description": "beer-3.0 features, logistic objective",
        "data": {f"mlqe-pe/{pair}/train.tsv.gz": checksum(data / str(pair) / "train.tsv.gz") for pair in pairs},
        "labels": "direct assessments, z-scores, higher is better",
        "licence": "CC0-1.0; the function words are from Universal Dependencies (CC BY-SA 4.0)",
        "limitations": "References are post-edits of the translations judged, so overlap is higher than with independent "
        "references, and judgements are of one system per language pair.",
    }


def segment_scores(metric: TrainedMetric, translations: Segments, references: Segments, tables: str | None = None) -> Float64s:
    """Scores (n,) of n translations; METEOR's `tables` are for metrics that need some."""
    options = ("|factored:yes" if metric.needs_tags else "") + (f"|tables:{tables}" if metric.needs_tables else "")
    scorer = metric_named(f"trained:{metric.id}{options}", {metric.id: metric})
    return scorer.segment_scores(scorer.prepare([references]).statistics(translations))


def accuracy_on_dev(
    metric: TrainedMetric, split: JudgedTranslations, dev: JudgedTranslations, tables: str | None = None
) -> dict[str, Any]:
    """Correlations of a metric and of chrF with the assessments of dev; `split` is dev, or dev with tags for a metric of tags."""
    scores = segment_scores(metric, split.translations, split.references, tables)
    chrf = metric_named("chrf")
    baseline = chrf.segment_scores(chrf.prepare([dev.references]).statistics(dev.translations))
    return {
        "split": "dev",
        "segments": len(scores),
        "pearson": round(float(pearsonr(scores, dev.labels)[0]), 4),
        "kendall": round(float(kendalltau(scores, dev.labels)[0]), 4),
        "pearson_of_chrf": round(float(pearsonr(baseline, dev.labels)[0]), 4),
        "kendall_of_chrf": round(float(kendalltau(baseline, dev.labels)[0]), 4),
    }
