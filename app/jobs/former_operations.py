"""The former kinds of jobs as operations, until those of app/operations are there."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from app.jobs.kinds import KINDS, Kind
from app.operations.operation import Body, Context, Json, Operation, Output, Plan, Steps
from app.planning.totals import accepted
from app.settings import Settings

__all__ = ["OPERATIONS"]


def _operation(name: str, kind: Kind) -> Operation[Any, Any]:
    def split(*_: object) -> Plan:
        raise NotImplementedError

    def work(context: Context, part: Json) -> Output:
        return kind.chunk(context.engine, context.params, part)  # type: ignore[return-value]

    def finish(context: Context, outputs: Iterable[Output]) -> Any:
        trained = Settings().trained_models_dir
        trained.mkdir(parents=True, exist_ok=True)
        return kind.finish(context.engine, context.params, outputs, trained, context.job)  # type: ignore[arg-type]

    def amend(row: Json, summary: Any) -> Json:
        return {**row, **accepted(row, summary.get("document", {}))}

    rows = {"score": "metrics"}.get(name, "segments")
    ignored: Callable[..., Any] = split
    steps = Steps(split, work, finish, rows, name in ("score", "select"), amend)
    return Operation(name, kind.description, Body, dict, ignored, ignored, steps=steps)


OPERATIONS: Final = {name: _operation(name, kind) for name, kind in KINDS.items()}
