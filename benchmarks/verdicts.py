"""Filters beside people's verdicts on crawled pairs: ``python -m benchmarks.verdicts DATA [--label da]``.

DATA holds ``paracrawl-human``. Valid and free translations are good; misaligned pairs, machine translations and others are bad. Rules of
`assay corpus filter` keep a share of the good pairs. Scores keep an equal share in each half, by a threshold of the other half
(`assay corpus select --verdicts`). `bicleaner` is the column of the data.
"""

import argparse
import gzip
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from sklearn.metrics import roc_auc_score

from app.smt.corpus.selection.verdicts import Verdicts, thresholds_of

PAIRS: Final = ("en-de", "en-et", "en-ro", "en-es")
GOOD: Final = ("V", "F")
SOURCE, TARGET, BICLEANER, VERDICT = 2, 3, 4, 5
# Rules by a name: bounds that the command has by default, and a strict set as corpora are cleaned with.
RULES: Final = {
    "defaults": (),
    "strict": (
        *("--min-words", "3", "--max-ratio", "3", "--no-copies", "--same-numbers", "--no-markup", "--max-repeats", "3"),
        *("--min-letters", "0.5", "--source-language", "en"),
    ),
}


def run(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "app", "corpus", *arguments], check=True, stderr=subprocess.DEVNULL)


def row_of(data: Path, pair: str, label: str, folder: Path) -> list[str]:
    """Cells of a pair: share of good pairs, areas under curves, and precision and recall of rules beside scores."""
    with gzip.open(data / "paracrawl-human" / f"v7.{pair}.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [cells for line in file if len(cells := line.rstrip("\n").split("\t")) > VERDICT and cells[VERDICT]]
    source, target = folder / "source", folder / "target"
    for path, column in ((source, SOURCE), (target, TARGET)):
        path.write_text("".join(f"{row[column]}\n" for row in rows), encoding="utf-8")
    verdicts = Verdicts(np.arange(len(rows)), np.array([row[VERDICT] in GOOD for row in rows]))
    run(
        "select",
        str(source),
        str(target),
        "--method",
        "quality",
        "--pair",
        pair,
        "--label",
        label,
        "--scores",
        str(folder / "scores"),
    )
    scores = {
        "quality": np.loadtxt(folder / "scores", np.float32),
        "bicleaner": np.array([float(row[BICLEANER] or 0) for row in rows], np.float32),
    }
    cells = [pair, f"{verdicts.good.mean():.3f}", *(f"{roc_auc_score(verdicts.good, values):.3f}" for values in scores.values())]
    for name, rules in RULES.items():
        language = ("--target-language", pair.partition("-")[2]) if rules else ()
        run("filter", str(source), str(target), *rules, *language, "--decisions", str(folder / name))
        passes = np.array([line == "kept" for line in (folder / name).read_text("utf-8").splitlines()])
        recall = passes[verdicts.good].mean()
        precisions = [
            verdicts.good[passes].mean(),
            *(thresholds_of(values, verdicts, [recall])[0].precision for values in scores.values()),
        ]
        cells += [f"{recall:.3f}", *(f"{value:.3f}" for value in precisions)]
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--label", default="da")
    arguments = parser.parse_args()
    columns = ["Pair", "good", "AUC quality", "AUC bicleaner"]
    columns += [f"{name}: {column}" for name in RULES for column in ("recall", "precision", "quality", "bicleaner")]
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for pair in PAIRS:
        with TemporaryDirectory() as folder:
            print(f"| {' | '.join(row_of(arguments.data, pair, arguments.label, Path(folder)))} |", flush=True)


if __name__ == "__main__":
    main()
