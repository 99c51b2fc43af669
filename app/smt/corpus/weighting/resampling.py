"""Resampling of word-aligned text with replacement: what weights do to counts of phrases, without another way of counting."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.building.gzip_files import open_packed
from app.building.line_files import read_lines
from app.building.writing import check_apart, check_new, written_aside
from app.errors import InputError
from app.resources.manifest import MANIFEST, Manifest, checksum, write_manifest
from app.smt.corpus.weighting.columns import Labels, check_rows

__all__ = ["DEFAULT_FACTOR", "MOST_DRAWN", "Resampled", "draw_counts", "resample_files", "share_out"]

# Shah, Barrault and Schwenk (2010, 2011) resample their text 10 times; quality has levelled off by then.
DEFAULT_FACTOR: Final = 10.0
# A tenth of a trillion pairs are no text that anybody has room for.
MOST_DRAWN: Final = 10**11
COMPRESSION: Final = 6
# Bytes of copies of a line that are made at once.
COPIED: Final = 1 << 20


@dataclass(frozen=True)
class Resampled:
    """Pairs that were read and written, and how many of those that were drawn are of each corpus."""

    pairs: int
    written: int
    drawn: Mapping[str, int]


def share_out(size: int, weights: Float64s) -> Int64s:
    """Whole numbers in the proportion of weights, which sum to `size`: what is left over goes where most was cut off."""
    exact = size * np.asarray(weights, np.float64) / np.sum(weights)
    shares = np.floor(exact).astype(np.int64)
    rest = np.argsort(shares - exact, kind="stable")[: size - int(shares.sum())]
    shares[rest] += 1
    return shares


def draw_counts(
    labels: Labels, generator: np.random.Generator, size: int, shares: Float64s | None = None, scores: Float64s | None = None
) -> Int64s:
    """How often each pair is drawn, shape (pairs,), until `size` pairs are accepted.

    A pair of a corpus is drawn uniformly and accepted with the probability that its score is, as often as the corpus has its share
    (`shares` by name; by sizes where nothing is said). What is accepted has a multinomial distribution, which is drawn at once. A
    score of 0 is never accepted. InputError where a corpus with a share has no pair that can be.
    """
    weights = np.ones(len(labels)) if scores is None else scores
    wanted = share_out(size, labels.sizes.astype(np.float64) if shares is None else shares)
    counts = np.zeros(len(labels), np.int64)
    for corpus, number in enumerate(wanted.tolist()):
        rows = np.flatnonzero(labels.ids == corpus)
        total = float(weights[rows].sum())
        if not number:
            continue
        if not total:
            raise InputError("invalid-request", f"no pair of {labels.names[corpus]} has a score above 0", ("--scores",))
        counts[rows] = generator.multinomial(number, weights[rows] / total)
    return counts


def resample_files(
    files: Sequence[Path], folder: Path, counts: Int64s, labels: Labels, original: bool, command: str, replace: bool = False
) -> Resampled:
    """Write the lines of files that belong together as often as `counts` says, and once more with `original`.

    The copies are in the order of the text, which is read as a stream; they have the names of the files, and `.gz` packs. A line a
    pair of `counts.gz` says how often it is written. InputError (`unequal-lengths`) where a file has another number of lines.
    """
    names = [path.name for path in files]
    if len(set(names)) < len(names) or {"counts.gz", MANIFEST} & set(names):
        raise InputError("invalid-request", "files that are resampled have different names, as they keep them in the folder")
    check_apart(files, [folder / name for name in names])
    if not replace:
        check_new(folder, [*names, "counts.gz", MANIFEST])
    times = counts + 1 if original else counts
    with written_aside(folder, replace) as aside:
        for path in files:
            rows = 0
            with ExitStack() as stack:
                out = open_packed(aside / path.name, folder / path.name, stack, COMPRESSION)
                for line in read_lines(path, stack):
                    if rows < len(times):
                        _write_copies(out, line, int(times[rows]))
                    rows += 1
            check_rows(path, rows, len(times))
        with ExitStack() as stack:
            out = open_packed(aside / "counts.gz", folder / "counts.gz", stack, COMPRESSION)
            out.write("".join(f"{count}\n" for count in times.tolist()).encode())
        drawn = np.bincount(labels.ids, counts, len(labels.names)).astype(np.int64)
        made = Resampled(len(times), int(times.sum()), dict(zip(labels.names, drawn.tolist(), strict=True)))
        manifest = Manifest(
            name="resampled",
            description="sentence pairs with replacement, each as often as counts.gz says",
            command=command,
            licence="that of the text",
            inputs={path.name: checksum(path) for path in files},
            files={name: checksum(aside / name) for name in [*names, "counts.gz"]},
            statistics={"pairs": made.pairs, "written": made.written},
        )
        write_manifest(aside, manifest)
    return made


def _write_copies(out: BinaryIO, line: bytes, copies: int) -> None:
    """Write a line so often, some of it at a time: it may be one of few that are drawn many times."""
    at_once = max(1, COPIED // len(line))
    for first in range(0, copies, at_once):
        out.write(line * min(at_once, copies - first))
