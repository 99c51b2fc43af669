"""How long 2,000 segments may be that are asked for in one call of the profile `accurate`: ``python -m benchmarks.call_work DATA``.

DATA holds `mlqe-pe`. Of each pair the texts of 400 training segments are made longer or shorter, all by the same factor, until their
work is a fifth of what a call may ask by default; what is printed is the mean number of characters of a segment as it is and then,
source and translation together, with one thread that encodes and with several.
"""

import gzip
import sys
from collections.abc import Sequence
from pathlib import Path

from app.operations.parts.costs.network_work import SHARED_ENCODING
from app.operations.parts.costs.work import work_of_encoding, work_of_pairs
from app.settings import Settings

SEGMENTS = 2000
SAMPLE = 400
LONGEST = 8.0
STEPS = 12


def scaled(text: str, factor: float) -> str:
    return (text * int(LONGEST))[: int(len(text) * factor)]


def characters(rows: Sequence[tuple[str, str]], share: float, most: float) -> float:
    """Mean characters of a segment at which all of them are `most` work, where encoding counts as a `share`."""
    low, high = 0.0, LONGEST
    for _ in range(STEPS):
        factor = (low + high) / 2
        texts = [(scaled(source, factor), scaled(translation, factor)) for source, translation in rows]
        work = work_of_pairs(texts) + share * work_of_encoding(text for pair in texts for text in pair)
        low, high = (factor, high) if work <= most else (low, factor)
    return low * sum(len(source) + len(translation) for source, translation in rows) / len(rows)


def main() -> None:
    """Print a table."""
    most = Settings().max_call_work * SAMPLE / SEGMENTS
    print("| pair | characters | one thread | several |\n| --- | --- | --- | --- |")
    for folder in sorted((Path(sys.argv[1]) / "mlqe-pe").iterdir()):
        with gzip.open(folder / "train.tsv.gz", "rt", encoding="utf-8") as file:
            header, *lines = (line.rstrip("\n").split("\t") for line in file)
        ours, theirs = header.index("source"), header.index("translation")
        rows = [(line[ours], line[theirs]) for line in lines[:SAMPLE]]
        usual = sum(len(source) + len(translation) for source, translation in rows) / len(rows)
        one, several = (characters(rows, share, most) for share in (1.0, SHARED_ENCODING))
        print(f"| {folder.name} | {usual:.0f} | {one:.0f} | {several:.0f} |", flush=True)


if __name__ == "__main__":
    main()
