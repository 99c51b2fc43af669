"""A run over files: shards are computed by an executor, and each result is durable before it counts as finished."""

import hashlib
import json
import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Final, Protocol, TypeAlias

from app import __version__
from app.errors import InputError
from app.scale.batches import Batch, column_of
from app.scale.files.places import clear, place_of, read_json, whole_file, write_json
from app.scale.files.reading import columns_in, read_shard
from app.scale.files.shards import Shard
from app.scale.files.writing import writer_of

__all__ = ["BatchWork", "ColumnsTask", "DurableTask", "Executor", "Outcome", "ShardTask", "Summary", "run"]

# Folder of the plan and of the finished shards, beside the results.
FOLDER: Final = "_assay"


class BatchWork(Protocol):
    """Work on batches: a frozen dataclass that is pickled to the processes, with the column of the errors of rows."""

    @property
    def errors(self) -> str:
        """Column of the errors of rows."""

    def cards(self) -> Mapping[str, str]:
        """Digest of the card of each model by its id; InputError if no batch can be worked on, such as for an unknown model."""

    def __call__(self, batch: Batch) -> Batch:
        """The batch with further columns."""


@dataclass(frozen=True)
class Outcome:
    """A shard that ended: its result, rows, rows with an error, and the error of the whole shard, or None."""

    output: str
    rows: int
    faults: int
    error: str | None = None


class ShardTask(Protocol):
    """A task on shards with results in the folder `out`: a frozen dataclass that is pickled to the processes."""

    @property
    def out(self) -> str:
        """Address of the folder."""

    def cards(self) -> Mapping[str, str]:
        """Digest of the card of each model by its id; InputError if no shard can be worked on, such as for an unknown model."""

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""

    def write(self, shard: Shard, file: BinaryIO) -> tuple[int, int]:
        """Write the result of a shard; its rows, and those with an error. InputError for a shard that cannot be read."""


@dataclass(frozen=True)
class ColumnsTask:
    """Further columns for the rows of a shard, in a file of a kind such as ``.parquet``; the kind of the shard's file if empty.

    In each file, the texts of `usual` roles have their usual names, whichever these are.
    """

    work: Any
    out: str
    kind: str = ""
    usual: tuple[str, ...] = ()

    def cards(self) -> Mapping[str, str]:
        """Digests of the cards of the work; InputError if no batch can be worked on."""
        digests: Mapping[str, str] = self.work.cards()
        return digests

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""
        return shard.output(self.kind)

    def write(self, shard: Shard, file: BinaryIO) -> tuple[int, int]:
        """Write the rows of a shard with further columns."""
        rows = faults = 0
        work = self.work.of_table(columns_in(shard), self.usual) if self.usual else self.work
        with writer_of(file, self.output(shard)) as writer:
            for batch in read_shard(shard):
                result = work(batch)
                errors = column_of(result, self.work.errors)
                rows, faults = rows + len(errors), faults + sum(error is not None for error in errors)
                writer.write(result)
        return rows, faults


@dataclass(frozen=True)
class DurableTask:
    """A task of which a result counts when it is durable."""

    task: Any

    def __call__(self, shard: Shard) -> Outcome:
        """Write the result of a shard; the outcome of a shard that cannot be read has the error."""
        output, out = self.task.output(shard), self.task.out
        try:
            with whole_file(f"{out}/{output}") as file:
                rows, faults = self.task.write(shard, file)
        except InputError as error:
            return Outcome(output, 0, 0, f"{error.code}: {error.detail}")
        except Exception as error:
            # Hours of other shards do not end with a fault of this one.
            logging.getLogger(__name__).exception("shard %s of %s", shard.number, shard.address)
            return Outcome(output, 0, 0, f"internal-error: {type(error).__name__}: {error}")
        outcome = Outcome(output, rows, faults)
        write_json(f"{out}/{FOLDER}/{output}.json", asdict(outcome))
        return outcome

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""
        name: str = self.task.output(shard)
        return name


# Outcomes of shards by a function, in any order.
Executor: TypeAlias = Callable[[Callable[[Shard], Outcome], Sequence[Shard]], Iterator[Outcome]]


@dataclass(frozen=True)
class Summary:
    """A finished run: shards, those of an `earlier` run that was killed, rows, rows with an error, and shards with one."""

    shards: int
    earlier: int
    rows: int
    faults: int
    failures: tuple[Outcome, ...]


def run(
    task: ShardTask, shards: Sequence[Shard], execute: Executor, report: Callable[[int, int, Outcome], None] = lambda *_: None
) -> Summary:
    """Work on all shards that an equal, earlier run has not finished. `report` gets the numbers of finished ones and of all.

    InputError (`invalid-request`) if the folder of results has those of another run, or of another version of the model.
    """
    _claim(task, shards, task.cards())
    finished = {output: outcome for shard in shards if (outcome := _finished(task.out, output := task.output(shard)))}
    outcomes = list(finished.values())
    rest = [shard for shard in shards if task.output(shard) not in finished]
    with closing(_closable(execute(DurableTask(task), rest))) as stream:
        for outcome in stream:
            outcomes.append(outcome)
            report(len(outcomes), len(shards), outcome)
    failures = tuple(sorted((row for row in outcomes if row.error is not None), key=lambda row: row.output))
    rows, faults = sum(row.rows for row in outcomes), sum(row.faults for row in outcomes)
    summary = Summary(len(shards), len(finished), rows, faults, failures)
    clear(task.out)
    clear(f"{task.out}/{FOLDER}", below=True)
    if not failures:
        write_json(f"{task.out}/{FOLDER}/finished.json", asdict(summary))
    return summary


def _closable(outcomes: Iterator[Outcome]) -> Generator[Outcome, None, None]:
    """Outcomes by a generator whose end is that of its executor, also if `report` is interrupted."""
    yield from outcomes


def _claim(task: Any, shards: Sequence[Shard], cards: Mapping[str, str]) -> None:
    """Write the plan of a run; InputError if the folder has that of another one."""
    plan = {
        "version": __version__,
        "task": {"kind": type(task).__name__, **asdict(task)},
        "models": dict(cards),
        "shards": hashlib.sha256(json.dumps([asdict(shard) for shard in shards]).encode()).hexdigest(),
    }
    address = f"{task.out}/{FOLDER}/plan.json"
    existing = _stored(address)
    plan = json.loads(json.dumps(plan))
    if existing is not None and existing != plan:
        different = ", ".join(name for name in plan if plan[name] != existing.get(name))
        reason = f"results of another run or of another version of the model (other {different})"
        detail = f"{task.out} has {reason}; remove it, or name another folder"
        raise InputError("invalid-request", detail, ("--out",))
    if existing is None:
        write_json(address, plan)


def _finished(out: str, output: str) -> Outcome | None:
    """The outcome of a shard whose result is durable."""
    stored = _stored(f"{out}/{FOLDER}/{output}.json")
    if stored is None:
        return None
    try:
        place_of(f"{out}/{output}")
    except InputError:
        return None
    return Outcome(**stored)


def _stored(address: str) -> Any:
    """The value in a file, or None without one."""
    try:
        return read_json(address)
    except (InputError, ValueError):
        return None
