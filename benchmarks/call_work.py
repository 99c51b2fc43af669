"""Longest segments of a call with 2,000 of them in the profile `accurate`: ``python -m benchmarks.call_work DATA``.

DATA holds `mlqe-pe`. The benchmark scales the texts of 400 training segments of each pair by one factor, until their work is a fifth
of the default limit of a call. The table has mean characters of a segment, source and translation together: as it is, and scaled,
with one reading thread and with several.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from app.operations.parts.costs.network_work import SHARED_READING
from app.operations.parts.costs.work import work_of_pairs, work_of_readings
from app.settings import Settings
from scripts.mlqe_pe.everything import language_pairs, split_of

SEGMENTS = 2000
SAMPLE = 400
LONGEST = 8.0
STEPS = 12


def scale_text(text: str, factor: float) -> str:
    return (text * int(LONGEST))[: int(len(text) * factor)]


def characters(rows: Sequence[tuple[str, str]], share: float, limit: float) -> float:
    """Mean characters of a segment at which all segments are `limit` work; `share` is the weight of reading."""
    low, high = 0.0, LONGEST
    for _ in range(STEPS):
        factor = (low + high) / 2
        texts = [(scale_text(source, factor), scale_text(translation, factor)) for source, translation in rows]
        work = work_of_pairs(texts) + share * work_of_readings(texts)
        low, high = (factor, high) if work <= limit else (low, factor)
    return low * sum(len(source) + len(translation) for source, translation in rows) / len(rows)


def main() -> None:
    limit = Settings().max_call_work * SAMPLE / SEGMENTS
    print("| pair | characters | one thread | several |\n| --- | --- | --- | --- |")
    data, pairs = language_pairs(Path(sys.argv[1]))
    for pair in pairs:
        train = split_of(data, pair, "train")
        rows = list(zip(train.column("source"), train.column("translation"), strict=True))[:SAMPLE]
        usual = sum(len(source) + len(translation) for source, translation in rows) / len(rows)
        single, parallel = (characters(rows, share, limit) for share in (1.0, SHARED_READING))
        print(f"| {pair} | {usual:.0f} | {single:.0f} | {parallel:.0f} |", flush=True)


if __name__ == "__main__":
    main()
