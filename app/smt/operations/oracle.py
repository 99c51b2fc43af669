"""Oracles of n-best lists by any sentence metric, their ranks, filters, and the features that distinguish them."""

from typing import Annotated

from pydantic import Field, FiniteFloat

from app.engine import Engine
from app.operations.operation import Operation, with_example
from app.operations.parts.costs.alignment_work import work_of_meteor
from app.operations.parts.costs.cost import Cost
from app.operations.parts.costs.work import neural_count
from app.operations.parts.limits import RequestLimits
from app.operations.parts.scoring.loaded_metrics import scoring_metrics
from app.operations.score import MetricName
from app.smt.lists.diagnosis.report import Diagnosis, Questions, diagnose
from app.smt.operations.parts.n_best.fields import (
    EXAMPLE_LISTS,
    NBestRequest,
    References,
    amount_of_hypotheses,
    check_n_best,
    texts_of_lists,
    work_of_hypotheses,
)
from app.smt.operations.parts.n_best.files import read_list_files
from app.smt.operations.parts.n_best.neural_work import check_neural_work, work_of_neural_lists

__all__ = ["OracleAnswer", "OracleRequest", "operation"]

MOST_SIZES = 20
Share = Annotated[float, Field(ge=0, le=1)]


class OracleRequest(NBestRequest):
    """POST /v1/oracle: lists with features or without, and their references."""

    model_config = with_example({"n_best": EXAMPLE_LISTS, "references": {"A": ["the house is large", "he goes"]}})

    references: References
    metrics: list[MetricName] = Field(
        default_factory=lambda: ["bleu"], min_length=1, max_length=10, description="Corpus metrics of what is chosen"
    )
    oracle_metric: Annotated[MetricName, Field(description="The sentence metric that chooses")] = "sbleu"
    sizes: Annotated[
        list[Annotated[int, Field(ge=1, le=1_000_000)]],
        Field(max_length=MOST_SIZES, description="Also the oracles of the first so many of each list"),
    ] = Field(default_factory=list)
    shown: Annotated[int, Field(ge=1, le=10_000, description="Numbers of first hypotheses to choose from")] = 5
    mix: Annotated[Share, Field(description="The model's share of mixed oracles")] = 0.5
    share: Annotated[Share, Field(description="The best share of a list that is looked at")] = 0.1
    difference: Annotated[FiniteFloat | None, Field(description="Threshold of DIFFERENCE; between mean and median otherwise")] = (
        None
    )
    diversity: Annotated[FiniteFloat | None, Field(description="Threshold of DIVERSITY; between mean and median otherwise")] = None


class OracleAnswer(Diagnosis):
    """Content of the lists."""


def _check(request: OracleRequest, limits: RequestLimits) -> None:
    check_n_best(request.n_best, limits, request.references, request.sources)


def _answer(engine: Engine, request: OracleRequest) -> OracleAnswer:
    questions = Questions(
        sizes=request.sizes,
        shown=request.shown,
        mix=request.mix,
        share=request.share,
        difference=request.difference,
        diversity=request.diversity,
    )
    check_neural_work(_neural_work(request), "give shorter lists")
    # A list of names, so that a repeated one is refused; the oracle metric may be one of them.
    names = [*request.metrics, *({request.oracle_metric} - set(request.metrics))]
    metrics = scoring_metrics(engine, names, request.sources)
    corpus_metrics = {name: metrics[name] for name in request.metrics}
    references = list(request.references.values())
    diagnosis = diagnose(request.n_best, references, corpus_metrics, metrics[request.oracle_metric], questions, request.sources)
    return OracleAnswer(**diagnosis)


def _neural_work(request: OracleRequest) -> int:
    count = neural_count(list({*request.metrics, request.oracle_metric}))
    return work_of_neural_lists(count, request.n_best, request.references, request.sources)


def _cost(engine: Engine, request: OracleRequest) -> Cost:
    work = work_of_hypotheses(request.n_best, request.references, len(request.metrics) + 1)
    work += work_of_meteor(
        [*request.metrics, request.oracle_metric],
        zip(texts_of_lists(request.n_best), zip(*request.references.values(), strict=False), strict=False),
    )
    return Cost(amount_of_hypotheses(request.n_best), work + _neural_work(request))


operation = Operation[OracleRequest, OracleAnswer](
    name="oracle",
    id="findOracles",
    summary="Find the oracles of n-best lists: how good they are, where they stand, and what tells them apart.",
    request=OracleRequest,
    answer_type=OracleAnswer,
    check=_check,
    answer=_answer,
    tag="ranking",
    scope="score",
    read_files=read_list_files,
    cost=_cost,
)
