"""A predictor from labelled segments, or the next version of one."""

from app.operations.operation import Operation, Steps
from app.operations.train.planning import split_training
from app.operations.train.request import OtherPair, TrainRequest, check_training
from app.operations.train.steps import TrainAnswer, TrainedTasks, finish_training, work_training

__all__ = ["OtherPair", "TrainRequest", "operation"]

operation = Operation[TrainRequest, TrainAnswer | TrainedTasks](
    name="train",
    summary="Train a predictor on labelled segments.",
    request=TrainRequest,
    answer_type=TrainAnswer | TrainedTasks,
    check=check_training,
    tag="models",
    scope="train",
    steps=Steps(split_training, work_training, finish_training, long=True),
)
