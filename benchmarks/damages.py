"""Damaged translations and their scores: ``python -m benchmarks.damages DEMETR [--segments N]``.

DEMETR (Karpinska et al. 2022, MIT) holds 35 kinds of damage, 1,000 translations from ten languages into English each. The table has the
share of damaged translations with a strictly lower quality than the translation before, per kind and metric or predictor. Rows
without a damage are left out. The kind `reference` has the reference in place of the translation, and the share that score higher.
Predictors and the labels of the cross-encoder (`cross`: all three) read source and translation alone.
"""

import argparse
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.arrays import Bools, Float64s
from app.engine import Engine
from app.engine.segments import Segments
from app.metrics import load_trained_metrics, metric_named
from app.metrics.learnt.artifact import TrainedMetric
from app.settings import Settings
from app.text import LanguagePair

METRICS = (
    "bleu|eff:yes", "chrf", "chrf++", "ter|case:mixed", "wer", "nist", "meteor|case:mixed", "ribes|case:mixed", "simpbleu:PABC4",
    "simpbleu:RABC2", "order:kendall", "beer", "beer:mlqe-en", "beer:mqm-en", "rose:rank",
)  # fmt: skip
PREDICTORS = ("hter", "da")
BASELINE = "bleu|eff:yes"
REFERENCE = "reference"
LANGUAGES = {
    "chinese_simple": "zh", "czech": "cs", "french": "fr", "german": "de", "hindi": "hi", "italian": "it", "japanese": "ja", "polish": "pl",
    "russian": "ru", "spanish": "es",
}  # fmt: skip


@dataclass(frozen=True)
class Damages:
    """Rows of one kind: languages, sources, references, translations and damaged translations, n each."""

    kind: str
    severity: str
    languages: list[str]
    sources: list[str]
    references: list[str]
    translations: list[str]
    damages: list[str]


def read_damages(path: Path, limit: int) -> Damages:
    """Rows of a file whose damaged translation differs from the translation; at most `limit`, evenly drawn."""
    rows = [row for row in json.load(gzip.open(path, "rt", encoding="utf-8")) if row["pert_sent"] != row["mt_sent"]]
    rows = rows[:: max(len(rows) // limit, 1)][:limit]
    severity, _, name = path.name.removesuffix(".json.gz").split("_", 2)
    columns = [[row[key] for row in rows] for key in ("src_sent", "eng_sent", "mt_sent", "pert_sent")]
    return Damages(name, severity, [LANGUAGES[row["lang_tag"]] for row in rows], *columns)


def metric_gains(name: str, rows: Damages, trained_metrics: Mapping[str, TrainedMetric]) -> Float64s:
    """Quality of each translation less that of its damaged version; shape (n,)."""
    metric = metric_named(name, trained_metrics)
    references = metric.prepare([rows.references])
    before, after = (metric.segment_scores(references.statistics(texts)) for texts in (rows.translations, rows.damages))
    return (before - after) if metric.higher_is_better else (after - before)


def predictor_gains(label: str, rows: Damages, engine: Engine) -> Float64s:
    """Predicted quality of each translation less that of its damaged version; shape (n,)."""
    gains = np.zeros(len(rows.sources))
    for language in sorted(set(rows.languages)):
        places = [k for k, code in enumerate(rows.languages) if code == language]
        sources = [rows.sources[k] for k in places]
        before, after = (
            engine.quality(Segments(LanguagePair(language, "en"), sources, [texts[k] for k in places]), None, label)
            for texts in (rows.translations, rows.damages)
        )
        gains[places] = (1.0 if before.model.label.higher_is_better else -1.0) * (before.prediction.mean - after.prediction.mean)
    return gains


def cross_gains(rows: Damages, engine: Engine) -> dict[str, Float64s]:
    """By label of the cross-encoder, and for all three: its quality of each translation less that of its damaged version; (n,)."""
    gains = np.zeros((len(rows.sources), 3))
    for language in sorted(set(rows.languages)):
        pair = LanguagePair(language, "en")
        resources = engine.pair_resources(pair)
        network = resources.cross_encoder
        if network is None:
            raise SystemExit("no cross-encoder is loaded (ASSAY_ENCODER)")
        places = [k for k, code in enumerate(rows.languages) if code == language]
        sources = [rows.sources[k] for k in places]
        before, after = (
            np.array([reading.labels[:3] for reading in network.read(pair, sources, [texts[k] for k in places])])
            for texts in (rows.translations, rows.damages)
        )
        gains[places] = (before - after) * np.array([1.0, -1.0, -1.0])
    return {"cross": gains.sum(1)} | {f"cross.{label}": gains[:, k] for k, label in enumerate(("da", "hter", "mqm"))}


def share_lower(gains: Float64s, rows: Damages) -> float:
    """Share of damages with a lower score in per cent; for references, the share with a higher one."""
    right: Bools = gains < 0 if rows.kind.endswith(REFERENCE) else gains > 0
    return 100.0 * float(right.mean())


def print_table(names: Sequence[str], table: Mapping[str, Mapping[str, float]], severity: Mapping[str, str]) -> None:
    """Print kinds as rows and metrics as columns, with the mean of all damages first."""
    print("| Kind | Severity | " + " | ".join(f"`{name.replace('|', ' ')}`" for name in names) + " |")
    print("| --- | --- |" + " --- |" * len(names))
    damages = [kind for kind in table if not kind.endswith(REFERENCE)]
    means = {name: float(np.mean([table[kind][name] for kind in damages])) for name in names}
    print("| mean | | " + " | ".join(f"{means[name]:.1f}" for name in names) + " |")
    for kind, cells in table.items():
        print(f"| {kind} | {severity[kind]} | " + " | ".join(f"{cells[name]:.1f}" for name in names) + " |")
    for name in names:
        low = [f"{kind} {table[kind][name]:.0f}" for kind in damages if table[kind][name] < table[kind][BASELINE] - 5]
        if low:
            print(f"\n`{name}` is 5 points below `{BASELINE}`: {', '.join(low)}.")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--segments", type=int, default=1000)
    parser.add_argument("--no-predictors", action="store_true")
    options = parser.parse_args()
    settings = Settings()
    trained_metrics = load_trained_metrics(settings.models_dir / "metrics")
    engine = None if options.no_predictors else Engine.of_settings(settings)
    table: dict[str, dict[str, float]] = {}
    severity: dict[str, str] = {}
    for path in sorted(options.data.glob("*.json.gz")):
        rows = read_damages(path, options.segments)
        severity[rows.kind] = rows.severity
        cells = {name: share_lower(metric_gains(name, rows, trained_metrics), rows) for name in METRICS}
        if engine is not None:
            cells |= {f"predictor {label}": share_lower(predictor_gains(label, rows, engine), rows) for label in PREDICTORS}
            cells |= {name: share_lower(gains, rows) for name, gains in cross_gains(rows, engine).items()}
        table[rows.kind] = cells
    print_table(list(next(iter(table.values()))), table, severity)


if __name__ == "__main__":
    main()
