"""Weights tuned on n-best lists towards a metric."""

from app.operations.operation import Operation, Steps
from app.operations.parts.limits import RequestLimits
from app.smt.operations.parts.n_best.chunks import amount_of_chunk
from app.smt.operations.tune.answer import TuneAnswer
from app.smt.operations.tune.request import TuneRequest, check_tuning, extractor_fields, read_tuning_files
from app.smt.operations.tune.steps import CURVE, finish_tuning, split_tuning, work_tuning
from app.smt.operations.tune.work import check_tuning_work

__all__ = ["CURVE", "TuneAnswer", "TuneRequest", "extractor_fields", "operation"]


def _check(request: TuneRequest, limits: RequestLimits) -> None:
    check_tuning(request, limits)
    check_tuning_work(request)


operation = Operation[TuneRequest, TuneAnswer](
    name="tune",
    summary="Tune the weights of a log-linear model on n-best lists.",
    request=TuneRequest,
    answer_type=TuneAnswer,
    check=_check,
    tag="tuning",
    scope="score",
    read_files=read_tuning_files,
    steps=Steps(split_tuning, work_tuning, finish_tuning, rows="segments", rows_in_summary=True, long=True, amount=amount_of_chunk),
)
