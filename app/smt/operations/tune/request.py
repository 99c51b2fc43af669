"""Request of a tuning."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import Field, FiniteFloat

from app.errors import InputError
from app.operations.operation import Json, with_example
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.parts.names import SystemName
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
from app.smt.operations.tune.extractor_scores import bleu_statistics
from app.smt.tuning.methods import parse_method
from app.smt.tuning.tune import BEST
from app.text.reading.extractor_files import read_extractor_files
from app.text.reading.lines import TextFile
from app.text.reading.n_best_lists.opening import File

__all__ = ["HELD_OUT", "TuneRequest", "check_tuning", "extractor_fields", "read_tuning_files"]

# Prefix of the fields, and of the roles of files, of lists that only measure.
HELD_OUT: Final = "held_out_"
MOST_RUNS: Final = 100
ABOUT_REFERENCES: Final = "Texts by the reference's name, one a segment; none beside scores"
ABOUT_SCORES: Final = "BLEU's statistics of each hypothesis in place of references: length, closest length, matches, totals"
Statistics = Annotated[list[FiniteFloat], Field(min_length=10, max_length=10)]
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

    references: Annotated[dict[SystemName, list[str]], Field(description=ABOUT_REFERENCES)]
    scores: Annotated[list[Statistics], Field(description=ABOUT_SCORES)] | None = None
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
    if bool(request.references) == (request.scores is not None):
        raise InputError("invalid-tuning", "a tuning needs references, or scores in their place", ("references",))
    if request.scores is not None and len(request.scores) != len(request.n_best.scores):
        detail = f"there are scores of {len(request.scores)} hypotheses, but {len(request.n_best.scores)} hypotheses"
        raise InputError("unequal-lengths", detail, ("scores",))
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
    """Fields from files by role: see `read_list_files`; ``held_out_`` stands before the roles of what is held out.

    Beside ``scores``, or several ``scores:NAME``, the lists are features of Moses' extractor.
    """
    held_out = {role: raw for role, raw in files.items() if role.startswith(HELD_OUT)}
    lists = {role: raw for role, raw in files.items() if role not in held_out}
    has_scores = any(role.partition(":")[0] == "scores" for role in lists)
    fields = _extractor_fields(lists) if has_scores else read_list_files(lists)
    return {**fields, **read_list_files(held_out, HELD_OUT)} if held_out else fields


def _extractor_fields(files: Mapping[str, bytes]) -> Json:
    by_kind: dict[str, list[File]] = {"n_best": [], "scores": []}
    for role, raw in sorted(files.items()):
        kind = role.partition(":")[0]
        if kind not in by_kind:
            raise InputError("invalid-job", "files of Moses' extractor are called n_best and scores, or n_best:NAME", (role,))
        by_kind[kind].append(TextFile(role, raw))
    return extractor_fields(by_kind["n_best"], by_kind["scores"])


def extractor_fields(features: Sequence[File], scores: Sequence[File]) -> Json:
    """Fields `n_best` and `scores` of a request from files of Moses' extractor."""
    read = read_extractor_files(features, scores)
    return {"n_best": read.lists, "references": {}, "scores": bleu_statistics(read.statistics).tolist()}
