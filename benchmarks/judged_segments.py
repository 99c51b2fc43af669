"""MQM of segments by the cross-encoder: ``python -m benchmarks.judged_segments DATA``.

DATA has ``bio-mqm`` and ``wmt-mqm``. Kendall's tau-b with the points of each dev segment, by direction: of the predicted points per 100 words
times the words, and of the length of the source alone. The third figure is that of points per 100 words, which knows no length.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from app.arrays import Float64s
from app.predictors.cross_encoder import CrossEncoder
from app.text import LanguagePair
from benchmarks.served_network import served_network
from scripts.encoder.rows import LABELS, Row, judged_rows, standardised, words_of


def readings_of(network: CrossEncoder, pair: str, rows: list[Row]) -> Float64s:
    """The network's MQM (n,) in standard deviations; equal texts are read once."""
    distinct = list(dict.fromkeys((row.source, row.translation) for row in rows))
    readings = network.read(LanguagePair.parse(pair), [source for source, _ in distinct], [text for _, text in distinct])
    value_of = {texts: reading.labels[LABELS.index("mqm")] for texts, reading in zip(distinct, readings, strict=True)}
    return np.array([value_of[row.source, row.translation] for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judged_segments", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with bio-mqm and wmt-mqm")
    data = parser.parse_args().data
    network = served_network()
    _, moments = standardised(judged_rows(data, "train"))
    rows_of: dict[str, list[Row]] = {}
    for row in judged_rows(data, "dev"):
        rows_of.setdefault(row.pair, []).append(row)
    figures = []
    print("| Dev | segments | predicted points | source length | difference | per 100 words |")
    print("| --- | --- | --- | --- | --- | --- |")
    for pair, rows in sorted(rows_of.items()):
        mean, deviation = moments["mqm"][pair]
        values, labels = readings_of(network, pair, rows), np.array([row.labels["mqm"] for row in rows])
        words = np.array([max(words_of(pair, row.translation), 1.0) for row in rows])
        points, lengths = np.expm1(labels) * words, np.array([len(row.source) for row in rows])
        predicted_points = np.expm1(np.maximum(mean + deviation * values, 0.0)) * words
        taus = [float(kendalltau(*columns)[0]) for columns in ((predicted_points, points), (lengths, points), (values, labels))]
        figures.append((taus[0], taus[1], taus[0] - taus[1], taus[2]))
        print(f"| {pair} | {len(rows):,} | " + " | ".join(f"{figure:.3f}" for figure in figures[-1]) + " |", flush=True)
    print("| mean | | " + " | ".join(f"{figure:.3f}" for figure in np.mean(figures, axis=0)) + " |")


if __name__ == "__main__":
    main()
