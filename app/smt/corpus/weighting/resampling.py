"""Resampling of word-aligned text with replacement, so that plain counts of phrases follow weights."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.building.gzip_files import open_packed
from app.building.line_files import read_lines
from app.building.writing import check_apart, check_new, folder_aside
from app.errors import InputError
from app.resources.manifest import MANIFEST, Manifest, checksum, write_manifest
from app.smt.corpus.weighting.columns import Labels, check_rows

__all__ = ["DRAW_LIMIT", "ResamplingCounts", "draw_counts", "resample_files", "share_out"]

# Limit of draws; nobody has disk space for more pairs.
DRAW_LIMIT: Final = 10**11
COMPRESSION: Final = 6
# Bytes of copies of a line in one write.
COPY_BYTES: Final = 1 << 20


@dataclass(frozen=True)
class ResamplingCounts:
    """Numbers of pairs of the input, of pairs of the output, and of draws by corpus."""

    pairs: int
    output_pairs: int
    draws: Mapping[str, int]


def share_out(size: int, weights: Float64s) -> Int64s:
    """Integers in proportion to weights that sum to `size`; the largest remainders are rounded up. Shape of `weights`."""
    exact = size * np.asarray(weights, np.float64) / np.sum(weights)
    shares = np.floor(exact).astype(np.int64)
    rest = np.argsort(shares - exact, kind="stable")[: size - int(shares.sum())]
    shares[rest] += 1
    return shares


def draw_counts(
    labels: Labels, generator: np.random.Generator, size: int, shares: Float64s | None = None, scores: Float64s | None = None
) -> Int64s:
    """Number of accepted draws of each pair, `size` in all; shape (pairs,).

    Each corpus has its share of draws (`shares` by name; by default its size). Its pairs are drawn uniformly, and accepted with a
    probability equal to their score. One multinomial draw has the distribution of this process. InputError for a corpus with a
    share but without a score above 0.
    """
    weights = np.ones(len(labels)) if scores is None else scores
    corpus_sizes = share_out(size, labels.sizes.astype(np.float64) if shares is None else shares)
    counts = np.zeros(len(labels), np.int64)
    for corpus, number in enumerate(corpus_sizes.tolist()):
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
) -> ResamplingCounts:
    """Write each line of parallel files as many times as `counts`, and once more with `original`.

    Copies stay in the order of the text, in files with the same names; `.gz` packs. `counts.gz` has the number of copies of each
    pair. InputError (`unequal-lengths`) for a file with another number of lines.
    """
    names = [path.name for path in files]
    if len(set(names)) < len(names) or {"counts.gz", MANIFEST} & set(names):
        raise InputError("invalid-request", "files for resampling need different names, since the folder keeps them")
    check_apart(files, [folder / name for name in names])
    if not replace:
        check_new(folder, [*names, "counts.gz", MANIFEST])
    times = counts + 1 if original else counts
    with folder_aside(folder, replace) as temporary:
        for path in files:
            rows = 0
            with ExitStack() as stack:
                out = open_packed(temporary / path.name, folder / path.name, stack, COMPRESSION)
                for line in read_lines(path, stack):
                    if rows < len(times):
                        _write_copies(out, line, int(times[rows]))
                    rows += 1
            check_rows(path, rows, len(times))
        with ExitStack() as stack:
            out = open_packed(temporary / "counts.gz", folder / "counts.gz", stack, COMPRESSION)
            out.write("".join(f"{count}\n" for count in times.tolist()).encode())
        draws = np.bincount(labels.ids, counts, len(labels.names)).astype(np.int64)
        result = ResamplingCounts(len(times), int(times.sum()), dict(zip(labels.names, draws.tolist(), strict=True)))
        manifest = Manifest(
            name="resampled",
            description="sentence pairs with replacement, each as often as counts.gz says",
            command=command,
            licence="that of the text",
            inputs={path.name: checksum(path) for path in files},
            files={name: checksum(temporary / name) for name in [*names, "counts.gz"]},
            statistics={"pairs": result.pairs, "written": result.output_pairs},
        )
        write_manifest(temporary, manifest)
    return result


def _write_copies(out: BinaryIO, line: bytes, copies: int) -> None:
    """Write copies of a line in blocks, since a line may have very many copies."""
    block = max(1, COPY_BYTES // len(line))
    for first in range(0, copies, block):
        out.write(line * min(block, copies - first))
