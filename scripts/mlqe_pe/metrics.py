"""Build of the shipped trained metrics: `resources/function_words.json` and `models/metrics/`.

ROSE and BEER are trained on MLQE-PE: translations, their post-edits as references, direct assessments as labels.
"""

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from scipy.stats import kendalltau, pearsonr
from threadpoolctl import threadpool_limits

from app.building.function_words import function_words
from app.building.tagging import UniversalTagger, train_tagger
from app.errors import InputError
from app.metrics import TrainedMetric, metric_named, save_trained_metric
from app.metrics.analysis.ngram_differences import metric_tokens
from app.metrics.learnt.templates import feature_template
from app.metrics.learnt.training import JudgedTranslations, train_linear_metric
from app.resources.function_words import shipped_function_words
from app.resources.manifest import checksum
from app.text.languages import LanguagePair
from app.text.reading.tables import read_column
from scripts.mlqe_pe.published_beer import read_published_beer

__all__ = ["build_function_words", "build_metrics", "import_beer"]

Report = Callable[[str], None]
GROUP: Final = 5
SEED: Final = 12345
# Metrics that ship per target language: name, template, objective.
RECIPES: Final[tuple[tuple[str, str, str], ...]] = (
    ("rose-reg", "rose", "regression"),
    ("rose-rank", "rose", "ranking"),
    ("beer-mlqe", "beer-3.0", "logistic"),
)
# Metrics with parts of speech; they need tagged text, and treebanks to train a tagger on.
TAGGED_RECIPES: Final[tuple[tuple[str, str, str], ...]] = (
    ("rose-regpos", "rose-pos", "regression"),
    ("rose-rankpos", "rose-pos", "ranking"),
)
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


def build_metrics(
    data: Path, pairs: Sequence[LanguagePair], resources: Path, models: Path, report: Report, treebanks: Path | None = None
) -> None:
    """Train every recipe for every target language of `pairs`; recipes with parts of speech need treebanks."""
    for language in sorted({pair.target for pair in pairs}):
        language_pairs = [pair for pair in pairs if pair.target == language]
        train, dev = (_judgements(data, language_pairs, split) for split in ("train", "dev"))
        recipes = RECIPES
        tagged_splits = train, dev
        if treebanks is not None and (treebanks / language / "train.conllu.gz").is_file():
            with TemporaryDirectory() as scratch:
                tagger = train_tagger(treebanks / language / "train.conllu.gz", Path(scratch))
                tagged_splits = _factored(train, tagger, language), _factored(dev, tagger, language)
            recipes += TAGGED_RECIPES
        for name, template, objective in recipes:
            has_tags = template.endswith("-pos")
            train_split, dev_split = tagged_splits if has_tags else (train, dev)
            # One thread: sums in another order differ in their last digits.
            with threadpool_limits(1):
                metric = train_linear_metric(
                    f"{name}-{language}",
                    name.partition("-")[0],
                    language,
                    feature_template(template),
                    train_split,
                    objective,
                    _card(data, language_pairs, template, objective),
                    metric_named,
                    tokenise=_tokeniser(language),
                    factored=has_tags,
                    function_words=shipped_function_words(resources, language),
                    seed=SEED,
                )
            metric = _measured(metric, dev_split, dev, has_tags)
            save_trained_metric(metric, models / "metrics" / f"{metric.id}.json")
            report(f"models/metrics/{metric.id}")


def _tokeniser(language: str) -> str:
    return "zh" if language == "zh" else "13a"


def _factored(judgements: JudgedTranslations, tagger: UniversalTagger, language: str) -> JudgedTranslations:
    """Judgements with texts as word|TAG."""

    def tagged(texts: Sequence[str]) -> list[str]:
        rows = metric_tokens(texts, _tokeniser(language))
        return [" ".join(f"{word}|{tag}" for word, tag in zip(row, tagger.tag(row), strict=True)) for row in rows]

    return replace(judgements, translations=tagged(judgements.translations), references=tagged(judgements.references))


def _judgements(data: Path, pairs: Sequence[LanguagePair], split: str) -> JudgedTranslations:
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
        # Groups of five segments of one pair: assessments are on one scale, so any of them can be compared.
        count = len(labels) - size
        first = (max(groups) + 1) if groups else 0
        groups += (first + rng.permutation(count) // GROUP).tolist()
    return JudgedTranslations(translations, references, np.array(labels), np.array(groups, np.int64))


def _card(data: Path, pairs: Sequence[LanguagePair], template: str, objective: str) -> dict[str, Any]:
    tags = "; universal parts of speech by UDPipe 1, trained on the language's treebank" if template.endswith("-pos") else ""
    return {
        "description": f"{template} features, {objective} objective{tags}",
        "data": {f"mlqe-pe/{pair}/train.tsv.gz": checksum(data / str(pair) / "train.tsv.gz") for pair in pairs},
        "labels": "direct assessments, z-scores, higher is better",
        "licence": "CC0-1.0; the function words are from Universal Dependencies (CC BY-SA 4.0)",
        "limitations": "References are post-edits of the translations judged, so overlap is higher than with independent "
        "references, and judgements are of one system per language pair.",
    }


def _measured(metric: TrainedMetric, split: JudgedTranslations, dev: JudgedTranslations, factored: bool) -> TrainedMetric:
    scorer = metric_named(f"trained:{metric.id}{'|factored:yes' if factored else ''}", {metric.id: metric})
    scores = scorer.segment_scores(scorer.prepare([split.references]).statistics(split.translations))
    chrf = metric_named("chrf")
    baseline = chrf.segment_scores(chrf.prepare([dev.references]).statistics(dev.translations))
    accuracy = {
        "split": "dev",
        "segments": len(scores),
        "pearson": round(float(pearsonr(scores, dev.labels)[0]), 4),
        "kendall": round(float(kendalltau(scores, dev.labels)[0]), 4),
        "pearson_of_chrf": round(float(pearsonr(baseline, dev.labels)[0]), 4),
        "kendall_of_chrf": round(float(kendalltau(baseline, dev.labels)[0]), 4),
    }
    return replace(metric, card={**metric.card, "accuracy": accuracy})
