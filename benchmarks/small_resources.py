"""Gain by resources of 2,000 sentences on unseen pairs: ``python -m benchmarks.small_resources DATA NTREX --encoded FOLDER``.

NTREX is the folder of NTREX-128 (news, English and its translations). It alone gives language models, n-gram counts and lexical tables of
each shipped pair. Their features, standardised by the rows of each pair, join those of the predictors of any pair. The table has Pearson
with DA and HTER on dev with and without them, each pair by a predictor and a judge without it. The output has the bytes of files too.
"""

import argparse
import gzip
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app.arrays import Float64s
from app.building.building import Origin, build_language, build_pair
from app.features import PairResources, extract_features, feature_set
from app.predictors.sentences.model import LABELS
from app.predictors.training import TrainingSet, train_model
from app.resources.loading import load_resources
from app.settings import Settings
from app.text.batch import SegmentBatch, pack_lines
from app.text.languages import LanguagePair
from app.text.tokenisation import tokeniser_for
from scripts.mlqe_pe.curves import left_out_pairs
from scripts.mlqe_pe.everything import Split
from scripts.mlqe_pe.left_out import SEED, LeftOutRows

# Names of the languages of the shipped pairs in NTREX.
NAMES = {
    "en": "src.eng", "ro": "ref.ron", "et": "ref.est", "ne": "ref.nep", "si": "ref.sin", "ru": "ref.rus", "de": "ref.deu",
    "zh": "ref.zho-CN",
}  # fmt: skip
ORIGIN = Origin("python -m benchmarks.small_resources", {}, "CC-BY-SA-4.0")
SETS = {"language models, counts and tables": "text-only", "the seventeen of QuEst among them": "quest-baseline-17"}


def build(ntrex: Path, folder: Path, pairs: list[LanguagePair]) -> None:
    lines = {}
    for language in dict.fromkeys(code for pair in pairs for code in (pair.source, pair.target)):
        with gzip.open(ntrex / f"newstest2019-{NAMES[language]}.txt.gz", "rt", encoding="utf-8") as file:
            lines[language] = [line.strip() for line in file]
        build_language(language, lines[language], folder / language, ORIGIN)
    for pair in pairs:
        build_pair(pair, lines[pair.source], lines[pair.target], folder / pair.file_name, ORIGIN)
    print("KiB:", {path.name: round(sum(f.stat().st_size for f in path.iterdir()) / 1024) for path in sorted(folder.iterdir())})


def batch_of(split: Split, rows: np.ndarray | None = None) -> SegmentBatch:
    sides = []
    for language, column in ((split.pair.source, "source"), (split.pair.target, "translation")):
        tokenise, texts = tokeniser_for(language), split.column(column)
        sides.append(pack_lines([" ".join(tokenise(texts[k])) for k in (range(len(texts)) if rows is None else rows)]))
    return SegmentBatch(split.pair, *sides)


Values = list[tuple[Float64s, Float64s]]


def correlations(
    values: Values, labels: Values, names: list[str], pair: int, additions: dict[str, Values], label: str, learner: str
) -> list[float]:
    """Pearson with a label of a pair's dev rows by predictors of the rest: without additions, and with each addition."""
    rest = [number for number in range(len(values)) if number != pair]
    gold, held_gold = np.concatenate([labels[number][0] for number in rest]), labels[pair][1]
    row = []
    for parts in ([values], *([values, extra] for extra in additions.values())):
        x = np.hstack([np.concatenate([part[number][0] for number in rest]) for part in parts])
        dev = np.hstack([part[pair][1] for part in parts])
        ids = [*names, *(f"small.{k}" for k in range(x.shape[1] - len(names)))]
        sets = TrainingSet(x, gold, "others", "0" * 64), TrainingSet(dev, held_gold, "dev", "0" * 64)
        model = train_model(*sets, "any-any", label, "any-pair", ids, learner)
        row.append(float(np.corrcoef(model.predict(dev).mean, held_gold)[0, 1]))
    return row


def report(
    pairs: list[LanguagePair],
    values: Values,
    labels: dict[str, Values],
    names: list[str],
    additions: dict[str, Values],
    learner: str,
) -> None:
    for label in labels:
        table = np.array(
            [correlations(values, labels[label], names, pair, additions, label, learner) for pair in range(len(pairs))], np.float64
        )
        print(f"\n| {label}, {learner} | " + " | ".join(map(str, pairs)) + " | mean |\n| --- |" + " --- |" * (len(pairs) + 1))
        for number, title in enumerate(("nothing added", *additions)):
            column = table[:, number]
            print(f"| {title} | " + " | ".join(f"{r:.3f}" for r in (*column, column.mean())) + " |", flush=True)


def small_features(
    ntrex: Path, folder: Path, splits: list[tuple[Split, Split]], selections: list[np.ndarray], names: list[str]
) -> dict[str, Values]:
    """Features by the resources of each addition for training and dev rows of each pair, standardised by the training rows."""
    build(ntrex, folder, [train.pair for train, _ in splits])
    resources = load_resources(folder)
    values: dict[str, Values] = {name: [] for name in SETS}
    for (train, dev), rows in zip(splits, selections, strict=True):
        pair_resources = PairResources.of(resources, train.pair)
        batches = batch_of(train, rows), batch_of(dev)
        for name, set_name in SETS.items():
            parts = []
            for batch in batches:
                matrix = extract_features(batch, feature_set(set_name), pair_resources)
                new = [k for k, feature in enumerate(matrix.features) if feature.id not in names]
                parts.append(matrix.values[:, new])
            centre, spread = parts[0].mean(0), parts[0].std(0)
            spread[spread == 0] = 1
            values[name].append(((parts[0] - centre) / spread, (parts[1] - centre) / spread))
        print(f"{train.pair}: {[part[-1][0].shape[1] for part in values.values()]} features", file=sys.stderr, flush=True)
    return values


def measure(data: LeftOutRows, ntrex: Path, learner: str, rows: int) -> None:
    pairs = range(len(data.rows))
    selections = [np.sort(np.random.default_rng(SEED).permutation(len(row.values))[:rows]) for row in data.rows]
    # A judge without a row's pair gives its features. It has seen the pair left out, with additions and without.
    values = [(data.of_train(pair, selections[pair]), data.of_dev(pair)) for pair in pairs]
    labels = {
        label: [
            (row.train.labels(label)[selection], row.dev.labels(label))
            for row, selection in zip(data.rows, selections, strict=True)
        ]
        for label in LABELS
    }
    splits = [(row.train, row.dev) for row in data.rows]
    with TemporaryDirectory() as folder:
        additions = small_features(ntrex, Path(folder), splits, selections, data.names)
    report([row.pair for row in data.rows], values, labels, data.names, additions, learner)


def main() -> None:
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small_resources", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("ntrex", type=Path)
    parser.add_argument("--encoded", type=Path, required=True)
    parser.add_argument("--learner", default="blend")
    parser.add_argument("--rows", type=int, default=500, help="training rows of each pair")
    options = parser.parse_args()
    data = left_out_pairs(options.data, settings.resources_dir, settings.models_dir, "auto", options.encoded)
    measure(data, options.ntrex, options.learner, options.rows)


if __name__ == "__main__":
    main()
