"""The small random systems with sparse features of every kind, whose weights are random too."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from app.smt.decoder.system import load_parts
from tests.smt.decoder.systems import SOURCE, TARGET, write_system

FEATURES = """PhraseLengthFeature name=pl
TargetWordInsertionFeature name=twi factor=0 path=target-words
SourceWordDeletionFeature name=swd factor=0
WordTranslationFeature name=wt input-factor=0 output-factor=0 source-path=source-words target-path=target-words simple=1
PhrasePairFeature name=pp input-factor=0 output-factor=0 unrestricted=1
PhraseBoundaryFeature name=pb source=0 target=0,1 target-classes=classes
TargetBigramFeature name=tb factor=0 path=target-words
TargetBigramFeature name=tc factor=1 path=* classes=classes
"""
NAMES = ("pl", "twi", "swd", "wt", "pp", "pb", "tb", "tc", "T0")


def write_sparse_system(folder: Path, seed: int, reordering: str, distortion: int, kinds: Sequence[str] = NAMES) -> Path:
    """A system of `write_system` with those features whose names are given, and two thirds of all their names with weights."""
    config = write_system(folder, seed, reordering, distortion)
    generator = np.random.default_rng(seed)
    (folder / "target-words").write_text("t0\nt1\nnew\n")
    (folder / "source-words").write_text("s0\ns1\n")
    (folder / "classes").write_text("t0 A\nt1 B\nt2 A\nnew C\n")
    if "T0" in kinds:
        give_own_column(folder, generator)
    lines = "".join(f"{line}\n" for line in FEATURES.splitlines() if line.split("name=")[1].split()[0] in kinds)
    config.write_text(config.read_text().replace("[weight]\n", f"{lines}[weight]\n"))
    names = sorted({*load_parts(config).sparse.names.names, *boundary_names(kinds)})
    weights = [(name, generator.normal() / 2) for name in names if generator.random() < 0.67]
    (folder / "weights").write_text("# sparse\n" + "".join(f"{name} {weight:.6f}\n" for name, weight in weights))
    config.write_text(config.read_text() + "\n[weight-file]\nweights\n")
    return config


def give_own_column(folder: Path, generator: np.random.Generator) -> None:
    """Links of some words, counts, and a sparse column for some rows of the first table."""
    import gzip

    path = folder / "table0.gz"
    rows = []
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        cells = line.split(" ||| ")
        sizes = [len(cell.split()) for cell in cells[:2]]
        pairs = [(left, right) for left in range(sizes[0]) for right in range(sizes[1]) if generator.random() < 0.5]
        cells[3] = " ".join(f"{left}-{right}" for left, right in pairs)
        own = [f"x{k} {generator.normal():.3f}" for k in range(3) if generator.random() < 0.4]
        rows.append(" ||| ".join([*cells[:4], "1 1 1", " ".join(own)]).rstrip() + "\n")
    path.write_bytes(gzip.compress("".join(rows).encode()))


def boundary_names(kinds: Sequence[str]) -> Iterator[str]:
    """All names that boundaries can have."""
    target, source, classes = [*TARGET, "new"], [*SOURCE, "new"], ["A", "B", "C", "?"]
    for name, beginning, words in (
        ("pb", "pb_tgt:0:", target),
        ("pb", "pb_tgt:1:", classes),
        ("pb", "pb_src:0:", source),
        ("tb", "tb_", target),
        ("tc", "tc_", classes),
    ):
        if name in kinds:
            yield from (f"{beginning}{left}:{right}" for left in ("<s>", *words) for right in (*words, "</s>"))
