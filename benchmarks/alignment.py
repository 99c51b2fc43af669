"""Alignment error on the published MLQE-PE links: ``python -m benchmarks.alignment DATA [EFLOMAL]``.

``sampled`` is the aligner of ``assay resources align``, ``variational`` that of lexical tables. EFLOMAL is the program ``eflomal-align``
of a user; it is GPL and no part of Assay. All read the same lower-cased tokens (train and dev, source and translation), and the same
function symmetrises their links. Seconds are of processors. The published links are themselves automatic.
"""

import gzip
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app.building.alignment.aligner import train_aligner
from app.building.alignment.symmetrisation import alignment_error_rate, symmetrise, symmetrise_links
from app.building.alignment.variational import train_alignment
from app.text import pack_tokens
from app.text.parallel_corpus import ParallelCorpus, WordLinks
from scripts.mlqe_pe.everything import language_pairs

Lines = list[list[str]]


def tokens(folder: Path, side: str) -> Lines:
    return [line.lower().split() for split in ("train", "dev") for line in gzip.open(folder / f"{split}.tok.{side}.gz", "rt")]


def eflomal(program: str, corpus: ParallelCorpus) -> WordLinks:
    """Links of the program eflomal in both directions, symmetrised by Assay."""
    with TemporaryDirectory() as scratch:
        root = Path(scratch)
        for name, side in (("s", corpus.source), ("t", corpus.target)):
            (root / name).write_text("".join(" ".join(side.tokens(row)) + "\n" for row in range(len(side))))
        files = [argument for name in "stfr" for argument in (f"-{name}", str(root / name))]
        subprocess.run([program, *files, "--overwrite"], check=True, capture_output=True)
        straight, inverse = (WordLinks.read((root / name).read_text().split("\n")[:-1]) for name in ("f", "r"))
    forward, backward = np.full(len(corpus.target.ids), -1, np.int32), np.full(len(corpus.source.ids), -1, np.int32)
    forward[corpus.target.offsets[straight.segments] + straight.target] = straight.source
    backward[corpus.source.offsets[inverse.segments] + inverse.source] = inverse.target
    return symmetrise(corpus, forward, backward)


def sampled(corpus: ParallelCorpus) -> WordLinks:
    links = train_aligner(corpus).align(corpus)
    return symmetrise_links(links.forward, links.reverse)


def variational(corpus: ParallelCorpus) -> WordLinks:
    return symmetrise(corpus, train_alignment(corpus).source_of, train_alignment(corpus.reversed).source_of)


def seconds() -> float:
    """Processor seconds of this process and its children."""
    usages = [resource.getrusage(process) for process in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> None:
    data, pairs = language_pairs(Path(sys.argv[1]))
    methods: dict[str, Callable[[ParallelCorpus], WordLinks]] = {"sampled": sampled, "variational": variational}
    if len(sys.argv) > 2:
        methods["eflomal"] = partial(eflomal, sys.argv[2])
    print(f"{'pair':8s}" + "".join(f" {name:>12s} {'s':>6s}" for name in methods))
    for pair in pairs:
        folder = data / str(pair)
        corpus = ParallelCorpus(pack_tokens(tokens(folder, "src")), pack_tokens(tokens(folder, "mt")))
        gold = WordLinks.read(gzip.open(folder / "dev.alignments.gz", "rt"))
        dev = np.arange(len(corpus))[-len(gold) :]
        line = f"{pair!s:8s}"
        for align in methods.values():
            start = seconds()
            links = align(corpus).rows(dev)
            line += f" {alignment_error_rate(links, gold):12.3f} {seconds() - start:6.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
