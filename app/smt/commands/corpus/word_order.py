"""`assay smt profile-reordering`: arities, operators and distances of word-aligned text."""

from collections.abc import Iterator

import numpy as np

from app.arrays import Int64s
from app.shell.declaration.forms import Format
from app.shell.output import print_json, print_rows
from app.smt.commands.options.corpus.word_order import ProfileReorderingOptions
from app.smt.corpus.phrases.aligned_chunks import read_aligned
from app.smt.preordering.profile import ReorderingProfile, profile_of

__all__ = ["profile"]


def profile(options: ProfileReorderingOptions) -> None:
    """Count how the target reorders the source: trees of each sentence's phrases, their operators, distances of steps."""
    counts = profile_of(_sentences(options))
    if options.form is Format.JSON:
        print_json(counts.as_json())
        return
    print_rows(_rows(counts), options.form)


def _sentences(options: ProfileReorderingOptions) -> Iterator[tuple[int, Int64s]]:
    for chunk in read_aligned(options.source, options.target, options.links):
        links = np.stack([chunk.links_source, chunk.links_target], axis=1).astype(np.int64)
        lengths = np.diff(chunk.source.offsets)
        for row in range(len(chunk)):
            yield int(lengths[row]), links[chunk.link_offsets[row] : chunk.link_offsets[row + 1]]


def _rows(counts: ReorderingProfile) -> list[dict[str, str | int | float]]:
    """Table with the summary before the distributions; shares are those of each distribution."""
    fields = counts.as_json()
    rows: list[dict[str, str | int | float]] = []
    for name, value in fields.items():
        if isinstance(value, int | float):
            rows.append({"measure": name, "value": value})
    for name in ("arities", "operators", "distances"):
        distribution = getattr(counts, name)
        rows.extend({"measure": f"{name}: {key}", "value": count} for key, count in distribution.items())
    return rows
