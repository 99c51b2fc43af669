"""Training of ROSE and BEER on judged outputs: several systems' translations of each source.

Training compares translations inside one annotator's judgements of a source. Assessments of MLQE-PE join in groups of ten sources.
Without them, agreement on the dev split of MLQE-PE falls.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from app.arrays import Float64s
from app.metrics import TrainedMetric, metric_named, save_trained_metric
from app.metrics.learnt.templates import feature_template
from app.metrics.learnt.training import JudgedTranslations, train_linear_metric
from app.metrics.word_order.names import STEMMERS
from app.resources.function_words import shipped_function_words
from app.resources.manifest import checksum
from app.text.languages import LanguagePair
from scripts.mlqe_pe.metrics import accuracy_on_dev, assessments, segment_scores
from scripts.mqm.agreement import MEASURES, corpora_of, document_sums, measures_of
from scripts.mqm.judged_outputs import PEOPLE, JudgedOutput, data_files, groups_of, labels_of, read_judged_outputs
from scripts.mqm.tagging import tagged_texts, tokeniser_of

__all__ = ["RECIPES", "Recipe", "build_metrics", "joined_judgements", "output_scores", "train_recipe"]

Report = Callable[[str], None]
SEED: Final = 12345
# Assessments come in groups as large as those of the outputs of ten systems.
GROUP: Final = 10


class Recipe(NamedTuple):
    """Name, template and objective of a metric that is trained for each target language."""

    name: str
    template: str
    objective: str
    languages: tuple[str, ...] = ("en", "de", "zh")
    has_tables: bool = False

    @property
    def needs_tags(self) -> bool:
        """Return True if the template reads parts of speech."""
        return self.template.endswith("-pos")

    @property
    def aligns(self) -> bool:
        """Return True if the template reads METEOR's alignment of words."""
        return self.template in ("beer-0.1", "beer-1.0", "beer-1.1")


RECIPES: Final = (
    Recipe("rose-reg", "rose", "regression"),
    Recipe("rose-rank", "rose", "ranking"),
    Recipe("beer-mqm", "beer-3.0", "logistic"),
    Recipe("rose-regpos", "rose-pos", "regression"),
    Recipe("rose-rankpos", "rose-pos", "ranking"),
    Recipe("beer-0.1", "beer-0.1", "logistic"),
    Recipe("beer-1.0", "beer-1.0", "logistic"),
    Recipe("beer-1.1", "beer-1.1", "logistic"),
    Recipe("beer-0.1-tables", "beer-0.1", "logistic", ("en",), has_tables=True),
    Recipe("beer-1.1-tables", "beer-1.1", "logistic", ("en",), has_tables=True),
)


def build_metrics(
    data: Path,
    pairs: Sequence[LanguagePair],
    folder: Path,
    resources: Path,
    models: Path,
    report: Report,
    names: Sequence[str] = (),
    tables: str | None = None,
) -> None:
    """Train the recipes called `names`, or all, for every target language of `pairs`.

    `data` is the folder of MLQE-PE, `folder` that of judged outputs. The folder `resources` has function words and taggers.
    Recipes with tables need the name of METEOR's English `tables`, and are left out without it.
    """
    outputs, unread_outputs = (read_judged_outputs(folder, split) for split in ("train", "dev"))
    for language in sorted({pair.target for pair in pairs}):
        language_pairs = [pair for pair in pairs if pair.target == language]
        train_outputs, dev_outputs = ([row for row in rows if row.target == language] for rows in (outputs, unread_outputs))
        judgements, dev = joined_judgements(train_outputs, data, language_pairs), assessments(data, language_pairs, "dev")
        for recipe in RECIPES:
            is_possible = language in recipe.languages and (tables is not None or not recipe.has_tables)
            if not is_possible or (names and recipe.name not in names):
                continue
            card = _card(data, language_pairs, folder, train_outputs, recipe)
            metric = train_recipe(recipe, language, judgements, resources, card, tables)
            dev_rows = _with_tags(dev, language, resources) if recipe.needs_tags else dev
            held_out = _accuracy_on_outputs(metric, dev_outputs, resources, tables)
            accuracy = accuracy_on_dev(metric, dev_rows, dev, tables) | {"held_out": held_out}
            metric = replace(metric, card={**metric.card, "accuracy": accuracy})
            save_trained_metric(metric, models / "metrics" / f"{metric.id}.json")
            report(f"models/metrics/{metric.id}")


def train_recipe(
    recipe: Recipe,
    language: str,
    judgements: JudgedTranslations,
    resources: Path,
    card: Mapping[str, Any],
    tables: str | None = None,
) -> TrainedMetric:
    """Train a recipe for a target language, with METEOR's `tables` if it has some."""
    # One thread: sums in another order differ in their last digits.
    with threadpool_limits(1):
        return train_linear_metric(
            f"{recipe.name}-{language}",
            recipe.name.partition("-")[0],
            language,
            feature_template(recipe.template),
            _with_tags(judgements, language, resources) if recipe.needs_tags else judgements,
            recipe.objective,
            card,
            metric_named,
            tokenise=tokeniser_of(language),
            factored=recipe.needs_tags,
            function_words=shipped_function_words(resources, language),
            stem=language if recipe.aligns and language in STEMMERS else None,
            tables=tables if recipe.has_tables else None,
            seed=SEED,
        )


def joined_judgements(outputs: Sequence[JudgedOutput], data: Path, pairs: Sequence[LanguagePair]) -> JudgedTranslations:
    """Judged outputs of one target language, then the train split of MLQE-PE's `pairs` with this target."""
    translations, references = [row.translation for row in outputs], [row.reference for row in outputs]
    groups, rows = groups_of(outputs), assessments(data, pairs, "train", GROUP)
    return JudgedTranslations(
        [*translations, *rows.translations],
        [*references, *rows.references],
        np.concatenate([labels_of(outputs), rows.labels]),
        np.concatenate([groups, rows.groups + groups.max() + 1]),
    )


def _with_tags(judgements: JudgedTranslations, language: str, resources: Path) -> JudgedTranslations:
    translations, references = (
        tagged_texts(texts, language, resources) for texts in (judgements.translations, judgements.references)
    )
    return replace(judgements, translations=translations, references=references)


def _card(
    data: Path, pairs: Sequence[LanguagePair], folder: Path, outputs: Sequence[JudgedOutput], recipe: Recipe
) -> dict[str, Any]:
    tags = "; universal parts of speech by the linear tagger of the language" if recipe.needs_tags else ""
    tables = (
        "; METEOR 1.5's tables are no part of the weights: paraphrases LGPL-2.1, synonyms WordNet 3.0's licence"
        if recipe.has_tables
        else ""
    )
    mlqe_files = [(f"mlqe-pe/{pair}/train.tsv.gz", data / str(pair) / "train.tsv.gz") for pair in pairs]
    output_files = [(str(path.relative_to(folder)), path) for path in data_files(folder, outputs)]
    systems = {(row.corpus, row.direction, row.system) for row in outputs}
    sources = {(row.corpus, row.direction, row.document, row.segment) for row in outputs}
    return {
        "description": f"{recipe.template} features, {recipe.objective} objective{tags}",
        "data": {name: checksum(path) for name, path in (*output_files, *mlqe_files)},
        "labels": "judged outputs: -ln(1 + MQM penalty), z-scores of each annotator, compared inside one annotator's judgements of "
        "a source; MLQE-PE: direct assessments, z-scores, compared in groups of ten sources; higher is better",
        "judgements": {"outputs": len(outputs), "systems": len(systems), "sources": len(sources)},
        "held_out": "dev of bio-mqm; talks 3 and 5 of en-de and 5 and 7 of zh-en; dev of MLQE-PE",
        "command": f"python -m scripts.mqm MLQE-PE JUDGED{' --tables NAME' if recipe.has_tables else ''}",
        "licence": "judged outputs Apache-2.0 (wmt-mqm-human-evaluation, bio-mqm-dataset), MLQE-PE CC0-1.0; the function words "
        + ("and the tagger are" if tags else "are")
        + f" from Universal Dependencies (CC BY-SA 4.0){tables}",
        "limitations": "Talks and medical abstracts with independent references, and Wikipedia with post-edits as references, "
        "whose overlap is higher.",
    }


def output_scores(metric: TrainedMetric, outputs: Sequence[JudgedOutput], resources: Path, tables: str | None = None) -> Float64s:
    """Scores of outputs of one target language; shape (n,). METEOR's `tables` are for metrics that need some."""
    translations, references = [row.translation for row in outputs], [row.reference for row in outputs]
    if metric.needs_tags:
        translations, references = (tagged_texts(texts, outputs[0].target, resources) for texts in (translations, references))
    return segment_scores(metric, translations, references, tables)


def _accuracy_on_outputs(
    metric: TrainedMetric, outputs: Sequence[JudgedOutput], resources: Path, tables: str | None
) -> dict[str, Any]:
    """Agreement of a metric and of chrF with annotators on outputs of systems, as means over corpora."""
    outputs = [row for row in outputs if row.system not in PEOPLE]
    chrf, means, corpora = metric_named("chrf"), np.zeros((2, len(MEASURES))), corpora_of(outputs)
    for corpus in corpora:
        hypotheses, references = [row.translation for row in corpus.outputs], [row.reference for row in corpus.outputs]
        rival_scores = chrf.segment_scores(chrf.prepare([references]).statistics(hypotheses))
        for place, scores in enumerate((output_scores(metric, corpus.outputs, resources, tables), rival_scores)):
            means[place] += measures_of(document_sums(corpus, scores).sum(0)) / len(corpora)
    names = ("kendall", "pairwise_accuracy", "pearson")
    return {
        "judgements": len(outputs),
        **{name: round(float(mean), 4) for name, mean in zip(names, means[0], strict=True)},
        **{f"{name}_of_chrf": round(float(mean), 4) for name, mean in zip(names, means[1], strict=True)},
    }
