"""Training a metric from a table of judged translations (`assay train --kind rose|beer|combination`)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.errors import InputError
from app.metrics import metric_named, save_trained_metric, use_metric_files
from app.metrics.learnt.templates import feature_template, read_template
from app.metrics.learnt.training import OBJECTIVES, JudgedTranslations, train_linear_metric
from app.registry.artifacts import LocalArtifacts
from app.resources.function_words import shipped_function_words
from app.resources.manifest import checksum
from app.shell.here import data_settings, settings_here
from app.shell.inputs import read_any_table
from app.shell.output import say
from app.shell.scales import labels_of

__all__ = ["KINDS", "OBJECTIVES", "MetricTraining", "train_metric"]

# Kind of metric: its template and objective unless others are named.
KINDS: Final = {"rose": ("rose", "ranking"), "beer": ("beer-3.0", "logistic"), "combination": (None, "regression")}


@dataclass(frozen=True)
class MetricTraining:
    """Fields of the options of `assay train` for a metric."""

    kind: str
    file: str | None
    language: str | None
    label_column: str | None = None
    name: str | None = None
    out: Path | None = None
    template: str | None = None
    objective: str | None = None
    stem: str | None = None
    tables: str | None = None
    factored: bool = False
    unjudged: str | None = None
    licence: str = "private"
    seed: int = 12345


def train_metric(training: MetricTraining) -> None:
    """Train a metric and write it. The table has columns translation, reference and label, and optionally group and system."""
    language = training.language
    if training.kind not in KINDS or language is None:
        raise InputError("invalid-request", f"--kind is predictor, {', '.join(KINDS)}; a metric needs --language")
    if training.file is None:
        raise InputError("invalid-request", "a metric needs a table")
    usual, objective = KINDS[training.kind]
    template = training.template or usual
    if template is None:
        raise InputError("invalid-request", "a combination needs --template: a file that lists its features", ("--template",))
    features = read_template(Path(template)) if Path(template).is_file() else feature_template(template)
    table = read_any_table(training.file)
    labels = np.array(labels_of(table, training.file, None, training.label_column))
    groups = table["group"] if "group" in table.columns else ["all"] * len(labels)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    judgements = JudgedTranslations(
        table["translation"],
        table["reference"],
        labels,
        np.array([numbers[name] for name in groups], np.int64),
        table["system"] if "system" in table.columns else None,
    )
    settings = settings_here()
    use_metric_files(settings.sentencepiece_model, settings.metric_files, (settings.resources_dir, settings.own_resources_dir))
    card = {
        "description": f"{features.name} features, {training.objective or objective} objective",
        "data": {Path(training.file).name: checksum(Path(training.file))},
        "licence": training.licence,
    }
    function_words = shipped_function_words(settings.resources_dir, language)
    metric = train_linear_metric(
        training.name or f"{training.kind}-{language}",
        training.kind,
        language,
        features,
        judgements,
        training.objective or objective,
        card,
        metric_named,
        tokenise="zh" if language == "zh" else "13a",
        function_words=function_words,
        stem=training.stem,
        tables=training.tables,
        factored=training.factored,
        unjudged_pairs=_unjudged(training.unjudged),
        seed=training.seed,
    )
    path = training.out or data_settings().trained_models_dir / "metrics" / f"{metric.id}.json"
    if path.exists():
        raise InputError("invalid-request", f"{path} exists already; name another with --out or --name")
    if omissions := metric.card.get("left_out"):
        needs = {"--stem": training.stem, "--tables": training.tables, f"function words of {language}": function_words}
        lacking = " or ".join(name for name, value in needs.items() if not value)
        say(f"left out {', '.join(omissions)}: they need {lacking}")
    LocalArtifacts(path.parent).save_file(path.name, lambda target: save_trained_metric(metric, target))
    say(f"wrote {path}; ask for it as trained:{metric.id}")


def _unjudged(file: str | None) -> list[tuple[str, str, str]]:
    """Pairs of translations without a judgement, for self-training: columns translation, other and reference."""
    if file is None:
        return []
    table = read_any_table(file)
    return list(zip(table["translation"], table["other"], table["reference"], strict=True))
