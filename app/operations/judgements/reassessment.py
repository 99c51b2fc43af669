"""Assessment of a correction: a step of its job, with the job's model and options, on one segment."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final, cast

from app.engine import Engine
from app.operations.operation import Context, Json, Operation
from app.operations.parts.costs.cost import Cost
from app.operations.translating import NO_SERVICES

__all__ = ["assessed", "assessment", "cost_of_assessment"]

# Parts of a row that stay when it is corrected: prices and reviews were agreed for the machine's translation.
LASTING_PARTS: Final = frozenset({"source", "translation", "band", "accept"})
# Parts about the words of a translation, which are wrong for any other text.
FINDINGS: Final = frozenset({"warnings", "words", "gaps", "source_tags", "reasons"})


def cost_of_assessment(engine: Engine, operation: Operation[Any, Any], params: Json, source: str, text: str) -> Cost:
    """Cost of the assessment of a correction, which no service translates."""
    fields = {name: params[name] for name in operation.request.model_fields if name in params and name != "translate"}
    request = operation.request.model_validate({**fields, "segments": [{"source": source, "translation": text}]})
    return operation.cost(engine, request)


def assessment(engine: Engine, operation: Operation[Any, Any], params: Json, source: str, text: str) -> Json:
    """Score, checks and tags of a correction, as a job with `params` gives them; InputError if its model cannot answer any more."""
    assert operation.steps is not None
    context = cast(Context, SimpleNamespace(engine=engine, params=params, translators=NO_SERVICES))
    [row] = operation.steps.work(context, {"sources": [source], "translations": [text]})["rows"]
    return {name: value for name, value in row.items() if name not in LASTING_PARTS}


def assessed(row: Mapping[str, Any], assessment: Mapping[str, Any] | None) -> Json:
    """A row of a result with the assessment of its correction; without one, the translation's row without findings."""
    if assessment is None:
        return {name: value for name, value in row.items() if name not in FINDINGS}
    remainder = {name: value for name, value in row.items() if name in LASTING_PARTS or name in assessment}
    return {**remainder, **assessment}
