"""Alignment error on the published MLQE-PE links: ``python -m benchmarks.alignment DATA [EFLOMAL]``.

EFLOMAL is the program ``eflomal-align`` where a user has it; it is GPL and no part of Assay. Both see the same lower-cased tokens
(train and dev, source and translation) and are symmetrised by the same function. The published links are themselves automatic.
"""

import gzip
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app.arrays import Int32s, Int64s
from app.corpus.alignment.symmetrisation import alignment_error_rate, symmetrise
from app.corpus.alignment.variational import train_alignment
from app.text import pack_tokens
from app.text.parallel_corpus import ParallelCorpus, WordLinks
from recipes.mlqe_pe.everything import language_pairs

Lines = list[list[str]]


def tokens(folder: Path, side: str) -> Lines:
    return [line.lower().split() for split in ("train", "dev") for line in gzip.open(folder / f"{split}.tok.{side}.gz", "rt")]


def eflomal(program: str, corpus: ParallelCorpus) -> tuple[Int32s, Int32s]:
    """The source place of every target word, and the target place of every source word."""
    with TemporaryDirectory() as scratch:
        root = Path(scratch)
        for name, side in (("s", corpus.source), ("t", corpus.target)):
            (root / name).write_text("".join(" ".join(side.tokens(row)) + "\n" for row in range(len(side))))
        command = [
            program,
            "-s",
            str(root / "s"),
            "-t",
            str(root / "t"),
            "-f",
            str(root / "f"),
            "-r",
            str(root / "r"),
            "--overwrite",
        ]
        subprocess.run(command, check=True, capture_output=True)
        straight, inverse = (WordLinks.read((root / name).read_text().split("\n")[:-1]) for name in ("f", "r"))
    forward, backward = np.full(len(corpus.target.ids), -1, np.int32), np.full(len(corpus.source.ids), -1, np.int32)
    forward[corpus.target.offsets[straight.segments] + straight.target] = straight.source
    backward[corpus.source.offsets[inverse.segments] + inverse.source] = inverse.target
    return forward, backward


def main() -> None:
    data, pairs = language_pairs(Path(sys.argv[1]))
    program = sys.argv[2] if len(sys.argv) > 2 else None
    print(f"{'pair':8s} {'AER':>7s} {'s':>6s}" + (f" {'eflomal AER':>12s} {'s':>6s}" if program else ""))
    for pair in pairs:
        folder = data / str(pair)
        corpus = ParallelCorpus(pack_tokens(tokens(folder, "src")), pack_tokens(tokens(folder, "mt")))
        gold = WordLinks.read(gzip.open(folder / "dev.alignments.gz", "rt"))
        dev = np.arange(len(corpus))[-len(gold) :]

        def error(
            forward: Int32s, backward: Int32s, corpus: ParallelCorpus = corpus, gold: WordLinks = gold, dev: Int64s = dev
        ) -> float:
            return alignment_error_rate(symmetrise(corpus, forward, backward).rows(dev), gold)

        begun = time.perf_counter()
        ours = error(train_alignment(corpus).source_of, train_alignment(corpus.flipped).source_of)
        line = f"{pair!s:8s} {ours:7.3f} {time.perf_counter() - begun:6.1f}"
        if program:
            begun = time.perf_counter()
            line += f" {error(*eflomal(program, corpus)):12.3f} {time.perf_counter() - begun:6.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
