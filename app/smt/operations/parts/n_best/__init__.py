"""N-best lists in requests and jobs: as JSON, as files, and as the chunks of a job.

However they came, a request has them as `NBestLists`: arrays, since a list of a million hypotheses as objects is gigabytes.
"""

from app.smt.operations.parts.n_best.chunks import amount_of_chunk, chunks_of_lists, lists_of_chunk
from app.smt.operations.parts.n_best.fields import (
    EXAMPLE_LISTS,
    Lists,
    MissingWeights,
    NBestRequest,
    References,
    Sources,
    WeightsGiven,
    amount_of_hypotheses,
    by_feature,
    check_n_best,
    work_of_hypotheses,
    work_of_pairs,
)
from app.smt.operations.parts.n_best.files import read_list_files

__all__ = [
    "EXAMPLE_LISTS",
    "Lists",
    "MissingWeights",
    "NBestRequest",
    "References",
    "Sources",
    "WeightsGiven",
    "amount_of_chunk",
    "amount_of_hypotheses",
    "by_feature",
    "check_n_best",
    "chunks_of_lists",
    "lists_of_chunk",
    "read_list_files",
    "work_of_hypotheses",
    "work_of_pairs",
]
