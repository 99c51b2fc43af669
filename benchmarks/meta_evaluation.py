"""Agreement of metrics with people: ``python -m benchmarks.meta_evaluation MLQE-PE``.

Every metric scores the dev translations of MLQE-PE against their post-edits; human scores are direct assessments (z).
The table has Pearson, Kendall's tau-b and tie-calibrated pairwise accuracy of each pair's 1,000 segments, and the mean.
Post-edits are not independent references: they flatter all metrics, most of all metrics of edits.
"""

import sys
from pathlib import Path

import numpy as np

from app.metrics import load_trained_metrics, metric_named
from app.metrics.meta_evaluation.correlation import AGREEMENTS
from app.settings import Settings
from app.text.reading.tables import read_column

PAIRS = ("en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en")
NAMES = (
    "bleu", "chrf", "chrf++", "ter", "ter|norm:yes", "wer", "per", "nist",
    "simpbleu:PGBC4", "simpbleu:PABC4", "simpbleu:PABC3", "simpbleu:RABC2", "simpbleu:PABC4|alpha:3",
    "order:kendall", "order:spearman", "order:hamming", "order:ulam", "order:fuzzy", "order:pet-size", "order:pet-arity",
    "order:pet-count", "order:recpet", "order:recpef", "beer", "beer|tok:13a", "beer:mlqe", "beer:mqm", "rose:reg", "rose:rank",
)  # fmt: skip


def for_target(name: str, target: str) -> str:
    """Name of the metric for a target language, with its tokeniser or trained model."""
    if name.startswith("rose"):
        return f"{name}|lang:{target}"
    if name in ("beer:mlqe", "beer:mqm"):
        return f"{name}-{target}"
    takes = name.partition(":")[0] in ("bleu", "wer", "per", "nist", "simpbleu", "order")
    if name == "beer|tok:13a" and target == "zh":
        return "beer|tok:zh"
    if name == "ter|norm:yes" and target == "zh":
        return f"{name}|asian:yes"
    return f"{name}|tok:zh" if target == "zh" and takes else name


def _escaped(name: str) -> str:
    return name.replace("|", "\\|")


def main() -> None:
    data = Path(sys.argv[1])
    trained_metrics = load_trained_metrics(Settings().models_dir / "metrics")
    measures = ("pearson", "tau-b", "accuracy-calibrated")
    table: dict[str, dict[str, list[float]]] = {name: {m: [] for m in measures} for name in NAMES}
    for pair in PAIRS:
        path = data / pair / "dev.tsv.gz"
        hypotheses, references = read_column(f"{path}:translation"), read_column(f"{path}:post_edit")
        human = np.array([float(cell) for cell in read_column(f"{path}:da_z")])
        for name in NAMES:
            metric = metric_named(for_target(name, pair[3:]), trained_metrics)
            scores = metric.segment_scores(metric.prepare([references]).statistics(hypotheses))
            scores = scores if metric.higher_is_better else -scores
            for measure in measures:
                value = AGREEMENTS[measure].measure(human, scores, np.zeros(len(human), np.int64))
                table[name][measure].append(value)
    print("| Metric | " + " | ".join(measures) + " |\n|" + " --- |" * (len(measures) + 1))
    for name in sorted(NAMES, key=lambda name: -float(np.mean(table[name]["tau-b"]))):
        print(f"| `{_escaped(name)}` | " + " | ".join(f"{np.mean(table[name][measure]):.3f}" for measure in measures) + " |")
    for measure in measures:
        print(f"\n| {measure} | " + " | ".join(PAIRS) + " | mean |\n|" + " --- |" * (len(PAIRS) + 2))
        for name in sorted(NAMES, key=lambda name: -float(np.mean(table[name][measure]))):
            cells = [*table[name][measure], float(np.mean(table[name][measure]))]
            print(f"| `{_escaped(name)}` | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")


if __name__ == "__main__":
    main()
