"""Work of a tuning request, and its limit."""

from typing import Final

from app.errors import InputError
from app.operations.parts.costs.work import neural_count
from app.smt.operations.parts.n_best.neural_work import check_neural_work, work_of_neural_lists
from app.smt.operations.tune.request import TuneRequest
from app.smt.tuning.methods import parse_method
from app.smt.tuning.pairs.samples import sampler_of
from app.smt.tuning.pairs.sampling import check_pairs
from app.smt.tuning.work import ListSizes

__all__ = ["check_tuning_work", "work_of_tuning"]

# Feature values that a processor reads in about two days, at 200 to 400 million a second.
MOST_WORK: Final = 50_000_000_000_000


def work_of_tuning(request: TuneRequest) -> int:
    """Estimate the feature values that all runs of a tuning read.

    InputError if the method is unknown.
    """
    method, settings = parse_method(request.method)
    lists = request.n_best
    # A hypothesis has few sparse features: their mean count is used.
    width = len(lists.names) + (0 if lists.sparse is None else len(lists.sparse.values) // max(len(lists.scores), 1))
    return int(request.runs * method.work(settings, ListSizes(len(lists), len(lists.scores), max(width, 1))))


def check_tuning_work(request: TuneRequest) -> None:
    """InputError if a tuning would take days, or draw more pairs than fit in memory; its text names what to reduce."""
    method, settings = parse_method(request.method)
    if method.name in ("pro", "wro"):
        check_pairs(sampler_of(settings), int((request.n_best.lengths > 0).sum()))
    neural = neural_count([request.metric])
    held_out = (request.held_out_n_best, request.held_out_references or {}, request.held_out_sources)
    for lists, references, sources in ((request.n_best, request.references, request.sources), held_out):
        if lists is not None:
            check_neural_work(work_of_neural_lists(neural, lists, references, sources), "tune on shorter lists")
    work = work_of_tuning(request)
    if work > MOST_WORK:
        times = work / MOST_WORK
        detail = f"this is {times:.3g} times the work that a tuning may be: ask for fewer runs, restarts, rounds or lists"
        raise InputError("invalid-tuning", detail, ("method",))
