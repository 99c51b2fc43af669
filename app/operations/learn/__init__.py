"""Active learning: rounds that choose the segments to label next, until the estimated error stays where it is."""

from app.operations.learn.request import LearnRequest, check_learning
from app.operations.learn.steps import LearnAnswer, finish_learning, split_learning, work_learning
from app.operations.operation import Operation, Steps

__all__ = ["LearnRequest", "operation"]

operation = Operation[LearnRequest, LearnAnswer](
    name="learn",
    summary="Choose the segments to label next, learn their labels, and stop at a plateau.",
    request=LearnRequest,
    answer_type=LearnAnswer,
    check=check_learning,
    tag="models",
    scope="train",
    steps=Steps(split_learning, work_learning, finish_learning, rows_in_summary=True, long=True, makes_files=True),
)
