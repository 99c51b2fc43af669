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

from app.corpus.alignment import train_alignment
from app.corpus.symmetrisation import Links, alignment_error_rate, grow_diag_final_and, parse_links
from recipes.mlqe_pe.everything import language_pairs

Lines = list[list[str]]


def tokens(folder: Path, side: str) -> Lines:
    return [line.lower().split() for split in ("train", "dev") for line in gzip.open(folder / f"{split}.tok.{side}.gz", "rt")]


def eflomal(program: str, source: Lines, target: Lines) -> tuple[list[np.ndarray], list[np.ndarray]]:
    with TemporaryDirectory() as scratch:
        root = Path(scratch)
        for name, lines in (("s", source), ("t", target)):
            (root / name).write_text("".join(" ".join(line) + "\n" for line in lines))
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
        links = [[parse_links(line) for line in (root / name).read_text().split("\n")[:-1]] for name in ("f", "r")]
    forward = [np.full(len(t), -1) for t in target]
    backward = [np.full(len(s), -1) for s in source]
    for row, (f, r) in enumerate(zip(*links, strict=True)):
        for i, j in f:
            forward[row][j] = i
        for i, j in r:
            backward[row][i] = j
    return forward, backward


def main() -> None:
    data, pairs = language_pairs(Path(sys.argv[1]))
    program = sys.argv[2] if len(sys.argv) > 2 else None
    print(f"{'pair':8s} {'AER':>7s} {'s':>6s}" + (f" {'eflomal AER':>12s} {'s':>6s}" if program else ""))
    for pair in pairs:
        folder = data / str(pair)
        source, target = tokens(folder, "src"), tokens(folder, "mt")
        gold = [parse_links(line) for line in gzip.open(folder / "dev.alignments.gz", "rt")]

        def error(forward: list[np.ndarray], backward: list[np.ndarray], gold: list[Links] = gold) -> float:
            n = len(gold)
            links = [grow_diag_final_and(f, b) for f, b in zip(forward[-n:], backward[-n:], strict=True)]
            return alignment_error_rate(links, gold)

        begun = time.perf_counter()
        ours = error(list(train_alignment(source, target).links), list(train_alignment(target, source).links))
        line = f"{pair!s:8s} {ours:7.3f} {time.perf_counter() - begun:6.1f}"
        if program:
            begun = time.perf_counter()
            line += f" {error(*eflomal(program, source, target)):12.3f} {time.perf_counter() - begun:6.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
