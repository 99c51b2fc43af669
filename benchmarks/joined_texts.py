"""Readings of long texts by the cross-encoder: ``python -m benchmarks.joined_texts DATA``.

DATA has ``mlqe-pe``. Neighbouring dev rows are joined, so that texts of 1, 2 and 4 rows have equal means of labels by words. A network for
which length alone says nothing has equal means of readings, in standard deviations.
"""

import argparse
from pathlib import Path

from app.predictors.cross_encoder import CrossEncoder
from app.text import LanguagePair
from benchmarks.served_network import served_network
from scripts.encoder.rows import LABELS, QUALITY_PAIRS, Row, quality_rows

ROWS = 240
SIZES = (1, 2, 4)


def means_of(network: CrossEncoder, pair: str, rows: list[Row], size: int) -> list[float]:
    """Means of DA and HTER over texts of `size` rows."""
    blank = "" if pair.endswith("-zh") else " "
    parts = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
    sources = [" ".join(row.source for row in part) for part in parts]
    translations = [blank.join(row.translation for row in part) for part in parts]
    readings = list(network.read(LanguagePair.parse(pair), sources, translations))
    return [sum(reading.labels[LABELS.index(name)] for reading in readings) / len(readings) for name in ("da", "hter")]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.joined_texts", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with mlqe-pe")
    data = parser.parse_args().data
    network = served_network()
    print(
        "| Rows of a text | "
        + " | ".join(f"DA, {size}" for size in SIZES)
        + " | "
        + " | ".join(f"HTER, {size}" for size in SIZES)
        + " |"
    )
    print("| --- |" + " --- |" * 2 * len(SIZES))
    for pair in QUALITY_PAIRS:
        rows = quality_rows(data, pair, "dev")[:ROWS]
        columns = zip(*(means_of(network, pair, rows, size) for size in SIZES), strict=True)
        print(f"| {pair} | " + " | ".join(f"{value:.2f}" for column in columns for value in column) + " |", flush=True)


if __name__ == "__main__":
    main()
