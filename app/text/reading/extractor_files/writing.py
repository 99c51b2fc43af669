"""Writing of features and statistics as Moses' ``extractor`` writes them."""

from collections.abc import Iterator, Sequence

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.text.n_best import NBestLists
from app.text.reading.extractor_files.blocks import FEATURES, FLOATS, SCORES
from app.text.reading.extractor_files.reading import ScoreStatistics

__all__ = ["feature_blocks", "score_blocks"]


def feature_blocks(lists: NBestLists, binary: bool = False) -> Iterator[bytes]:
    """Yield a block of features for each segment with hypotheses. Numbers are 32-bit floats, in text with six digits.

    InputError for a dense feature that a hypothesis lacks, and for sparse features in binary blocks.
    """
    if binary and lists.sparse is not None:
        raise InputError("invalid-request", "binary files have no sparse features; write text", ("binary",))
    lacking = np.argwhere(np.isnan(lists.features))
    if len(lacking):
        h, k = lacking[0].tolist()
        segment = int(lists.segments[h])
        detail = f"a hypothesis of segment {segment} lacks feature {lists.names[k]}; every hypothesis has all dense features"
        raise InputError("missing-evidence", detail, ("n_best", segment))
    names = "".join(f"{name}_{lists.names[:k].count(name)} " for k, name in enumerate(lists.names))
    for segment, hypotheses in enumerate(lists):
        if hypotheses:
            rows = lists.features[hypotheses.start : hypotheses.stop]
            sparse = [[] if lists.sparse is None else list(lists.sparse.of_row(h)) for h in hypotheses]
            yield _block(FEATURES, segment, rows, names, binary, sparse)


def score_blocks(statistics: ScoreStatistics, binary: bool = False) -> Iterator[bytes]:
    """Yield a block of statistics for each segment with hypotheses."""
    for segment in np.unique(statistics.segments).tolist():
        rows = statistics.rows[statistics.segments == segment]
        yield _block(SCORES, segment, rows, statistics.score, binary, [[]] * len(rows))


def _block(
    kind: str, segment: int, rows: Float64s, names: str, binary: bool, sparse: Sequence[Sequence[tuple[str, float]]]
) -> bytes:
    form = "BIN" if binary else "TXT"
    heading = f"{kind}_{form}_BEGIN_0 {segment} {len(rows)} {rows.shape[1]} {names}\n"
    floats = rows.astype(FLOATS)
    if binary:
        content = floats.tobytes()
    else:
        lines = ("".join(f"{value:g} " for value in row) for row in floats.tolist())
        further = ("".join(f"{name}={value:g} " for name, value in row) for row in sparse)
        content = "".join(f"{line}{rest}\n" for line, rest in zip(lines, further, strict=True)).encode()
    return heading.encode() + content + f"{kind}_{form}_END_0\n".encode()
