"""Request of a tuning."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from app.errors import InputError
from app.operations.operation import Json, with_example
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.score import MetricName
from app.smt.operations.parts.n_best.fields import (
    EXAMPLE_LISTS,
    Lists,
    MissingWeights,
    NBestRequest,
    References,
    Sources,
    WeightsGiven,
    check_n_best,
)
from app.smt.operations.parts.n_best.files import read_list_files
from app.smt.tuning.methods import parse_method
from app.smt.tuning.tune import BEST

__all__ = ["HELD_OUT", "TuneRequest", "check_tuning", "read_tuning_files"]

# Prefix of the fields, and of the roles of files, of lists that only measure.
HELD_OUT: Final = "held_out_"
MOST_RUNS: Final = 100
ABOUT_START: Final = "Weights to begin with, or the `weights` that a tuning answers; equal ones otherwise"


class TuneRequest(NBestRequest):
    """Parameters of a `tune` job: n-best lists with features, references, and how weights are sought.

    Each of `runs` starts from its own seed: `seed`, the next number and so on. The result is the weights that are best on these
    lists, or the mean of all runs. Lists that are held out measure them, and choose nothing.
    """

    model_config = with_example(
        {
            "n_best": EXAMPLE_LISTS,
            "references": {"A": ["the house is large", "he goes"]},
            "method": "mert|restarts:2",
            "metric": "chrf",
        }
    )

    references: References
    method: Annotated[
        str, Field(min_length=1, max_length=300, description="Method with options, as mert|restarts:20; see docs/smt/tuning.md")
    ] = "mert"
    metric: Annotated[MetricName, Field(description="Metric to tune towards: any metric whose statistics add up")] = "bleu"
    seed: Annotated[int, Field(ge=0, le=2**31, description="Seed of the first run")] = 1
    runs: Annotated[int, Field(ge=1, le=MOST_RUNS, description="Runs, each from a seed of its own")] = 1
    take: Annotated[
        Literal["best", "mean"], Field(description="Result of several runs: the best on these lists, or their mean")
    ] = BEST
    start: Annotated[WeightsGiven | None, Field(description=ABOUT_START)] = None
    missing_weights: MissingWeights = "refused"
    held_out_n_best: Lists | None = None
    held_out_references: References | None = None
    held_out_sources: Sources = None


def check_tuning(request: TuneRequest, limits: RequestLimits) -> None:
    """InputError where lists, references or the method cannot be, or do not go together."""
    check_n_best(request.n_best, limits, request.references, request.sources)
    parse_method(request.method)
    if request.start is not None and not any(number for row in request.start.values() for number in row):
        raise InputError("degenerate-weights", "all weights are 0: they would choose nothing", ("start",))
    held_out = request.held_out_n_best
    if held_out is None:
        for field in (f"{HELD_OUT}references", f"{HELD_OUT}sources"):
            if getattr(request, field) is not None:
                raise InputError("invalid-job", "these belong to n-best lists that are held out, which are not given", (field,))
        return
    if request.held_out_references is None:
        raise InputError("invalid-job", "lists that are held out need references", (f"{HELD_OUT}references",))
    check_count(len(request.n_best.scores) + len(held_out.scores), limits.segments, (f"{HELD_OUT}n_best",))
    check_n_best(held_out, limits, request.held_out_references, request.held_out_sources, HELD_OUT)


def read_tuning_files(files: Mapping[str, bytes]) -> Json:
    """Fields from files by role: see `read_list_files`; ``held_out_`` stands before the roles of what is held out."""
    held_out = {role: raw for role, raw in files.items() if role.startswith(HELD_OUT)}
    fields = read_list_files({role: raw for role, raw in files.items() if role not in held_out})
    return {**fields, **read_list_files(held_out, HELD_OUT)} if held_out else fields
