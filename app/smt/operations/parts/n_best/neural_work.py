"""Work of scores of hypotheses by imported checkpoints, in pairs of compared characters, and its limit."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.operations.parts.costs.work import work_of_checkpoints
from app.text.n_best import NBestLists

__all__ = ["check_neural_work", "work_of_neural_lists", "work_of_neural_pairs"]

# A head of COMET's size reads its 20 million weights in a hundredth of a second.
WORK_OF_HEAD: Final = 10_000_000
# Two days on one processor.
MOST_WORK: Final = 170_000_000_000_000


def work_of_neural_lists(
    count: int, lists: NBestLists, references: Mapping[str, Sequence[str]], sources: Sequence[str] | None
) -> int:
    """Work of `count` checkpoints that read each hypothesis beside each of its references and its source."""
    if not count:
        return 0
    beside = sum(
        _work_by_list([[text] for text in texts]) for texts in [*references.values(), *([] if sources is None else [sources])]
    )
    hypotheses = _work_by_list([lists.texts[row.start : row.stop] for row in lists])
    return int(count * (max(1, len(references)) * hypotheses + lists.lengths * beside).sum())


def work_of_neural_pairs(
    lists: NBestLists, samples: NBestLists | None, sources: Sequence[str] | None, reads_apart: bool, keep: int | None
) -> int:
    """Work of comparing candidates with the texts of their list, or with `samples`.

    A network that reads texts apart reads each once, and its head each pair. `keep` limits the candidates of a list.
    """
    evidence = lists if samples is None else samples
    candidates, references = (_work_by_list([part.texts[row.start : row.stop] for row in part]) for part in (lists, evidence))
    of_sources = 0 if sources is None else _work_by_list([[text] for text in sources])
    if reads_apart:
        work = candidates + references + of_sources + WORK_OF_HEAD * lists.lengths * evidence.lengths
    else:
        work = candidates * evidence.lengths + (references + of_sources * evidence.lengths) * lists.lengths
    share = 1.0 if keep is None else np.minimum(1.0, keep / np.maximum(lists.lengths, 1))
    return int((work * share).sum())


def check_neural_work(work: int, remedy: str) -> None:
    """InputError if checkpoints would read for more than two days."""
    if work > MOST_WORK:
        detail = f"the checkpoint would read for {2 * work / MOST_WORK:.3g} days, and two are allowed; {remedy}"
        raise InputError("invalid-request", detail, ("metric",))


def _work_by_list(texts: Iterable[Iterable[str]]) -> Float64s:
    """Work of reading the texts of each list; shape (n,)."""
    return np.array([work_of_checkpoints(1, row) for row in texts], np.float64)
