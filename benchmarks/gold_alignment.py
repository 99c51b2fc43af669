"""Alignment error on hand-aligned sentences: ``python -m benchmarks.gold_alignment DATA [EFLOMAL]``.

DATA has the folder ``gold-alignments``: for ro-en, en-fr and zh-en a file of pairs and one of links, ``i-j`` sure and ``ipj`` possible.
Aligners learn from those lower-cased lines alone; grow-diag-final-and symmetrises both directions. Seconds are of processors, with
compiled kernels. EFLOMAL as in `benchmarks.alignment`.
"""

import gzip
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from app.text.parallel_corpus import ParallelCorpus, WordLinks
from benchmarks.alignment import eflomal, sampled, seconds, variational

Link = tuple[int, int]


def gold(path: Path) -> tuple[list[set[Link]], list[set[Link]]]:
    """Sure links and possible links of each pair; sure links are possible too."""
    sure, possible = [], []
    for line in gzip.open(path, "rt", encoding="utf-8"):
        links = [(link, "p" if "p" in link else "-") for link in line.split()]
        places = [(tuple(int(place) - 1 for place in link.split(mark)), mark) for link, mark in links]
        sure.append({(i, j) for (i, j), mark in places if mark == "-"})
        possible.append({(i, j) for (i, j), _ in places})
    return sure, possible


def error(links: WordLinks, sure: list[set[Link]], possible: list[set[Link]]) -> float:
    """``1 - (|A and S| + |A and P|) / (|A| + |S|)`` (Och and Ney 2003)."""
    hypotheses = [{(i, j) for i, j in (map(int, link.split("-")) for link in line.split())} for line in links.lines()]
    hits = sum(len(a & s) + len(a & p) for a, s, p in zip(hypotheses, sure, possible, strict=True))
    return 1 - hits / (sum(map(len, hypotheses)) + sum(map(len, sure)))


def main() -> None:
    folder = Path(sys.argv[1]) / "gold-alignments"
    small = ParallelCorpus.of_lines(["a b", "a"], ["x y", "x"])
    methods: dict[str, Callable[[ParallelCorpus], WordLinks]] = {"sampled": sampled, "variational": variational}
    for align in methods.values():
        align(small)
    if len(sys.argv) > 2:
        methods["eflomal"] = partial(eflomal, sys.argv[2])
    print(f"{'pair':6s} {'method':12s} {'sure':>6s} {'possible':>9s} {'s':>5s}")
    for pair in ("roen", "enfr", "zhen"):
        lines = [line.lower().split("|||") for line in gzip.open(folder / f"{pair}.src-tgt.gz", "rt", encoding="utf-8")]
        corpus = ParallelCorpus.of_lines(*([" ".join(line[side].split()) for line in lines] for side in (0, 1)))
        sure, possible = gold(folder / f"{pair}.gold.gz")
        for name, align in methods.items():
            start = seconds()
            links = align(corpus)
            columns = f"{error(links, sure, sure):6.3f} {error(links, sure, possible):9.3f} {seconds() - start:5.1f}"
            print(f"{pair:6s} {name:12s} {columns}", flush=True)


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main()
