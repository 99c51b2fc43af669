"""A run over files: shards are computed by an executor, and each result is durable before it counts as finished."""

import hashlib
import json
import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Final, Protocol, TypeAlias

from app.errors import InputError, is_disk_full
from app.scale.batches import Batch, column_of
from app.scale.claims import FOLDER, claim_of
from app.scale.files.places import place_of, read_json, remove, whole_file, write_json
from app.scale.files.reading import columns_in, read_shard
from app.scale.files.shards import Shard
from app.scale.files.writing import writer_of

__all__ = ["BatchWork", "ColumnsTask", "DurableTask", "Executor", "Outcome", "ShardTask", "Summary", "run"]

# Code of the error after which no further shard begins.
DISK_FULL: Final = "disk-full"


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

    def check(self, shard: Shard) -> None:
        """Read all that the end of a run reads of a finished shard; any error for damaged bytes."""


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

    def check(self, shard: Shard) -> None:
        """Do nothing: no run reads its results."""


@dataclass(frozen=True)
class DurableTask:
    """A task of which a result counts when it is durable; `claim` is the digest of the task."""

    task: Any
    claim: str

    def __call__(self, shard: Shard) -> Outcome:
        """Write the result of a shard; the outcome of a shard that cannot be read has the error."""
        output = self.output(shard)
        try:
            with whole_file(self._result(output)) as file:
                rows, faults = self.task.write(shard, file)
            size = place_of(self._result(output)).size
            write_json(self._record(output), {"rows": rows, "faults": faults, "size": size, "work": self._work(shard)})
        except InputError as error:
            return Outcome(output, 0, 0, f"{error.code}: {error.detail}")
        except Exception as error:
            if is_disk_full(error):
                return Outcome(output, 0, 0, f"{DISK_FULL}: there is no room for it")
            # Hours of other shards do not end with a fault of this one.
            logging.getLogger(__name__).exception("shard %s of %s", shard.number, shard.address)
            return Outcome(output, 0, 0, f"internal-error: {type(error).__name__}: {error}")
        return Outcome(output, rows, faults)

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""
        name: str = self.task.output(shard)
        return name

    def finished(self, shard: Shard) -> Outcome | None:
        """The outcome of a shard whose result is durable, whole, and of the shard as it is now."""
        output = self.output(shard)
        try:
            record = read_json(self._record(output))
            size = place_of(self._result(output)).size
        except (InputError, ValueError):
            return None
        match record:
            case {"rows": int(rows), "faults": int(faults), "size": record_size, "work": work}:
                is_whole = record_size == size and work == self._work(shard)
                return Outcome(output, rows, faults) if is_whole and self._is_readable(shard) else None
        return None

    def _is_readable(self, shard: Shard) -> bool:
        try:
            self.task.check(shard)
        except Exception:
            # Damaged bytes raise errors of many classes; the shard is done again.
            return False
        return True

    def discard(self, output: str) -> None:
        """Remove a result, of an earlier version of its input, and its record."""
        remove(self._record(output))
        remove(self._result(output))

    def _result(self, output: str) -> str:
        return f"{self.task.out}/{output}"

    def _record(self, output: str) -> str:
        return f"{self.task.out}/{FOLDER}/{output}.json"

    def _work(self, shard: Shard) -> str:
        """Digest of the task and of the shard, which a change of the input changes."""
        return hashlib.sha256(json.dumps([self.claim, asdict(shard)]).encode()).hexdigest()


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
    task: ShardTask,
    shards: Sequence[Shard],
    execute: Executor,
    report: Callable[[int, int, Outcome], None] = lambda *_: None,
    replace: bool = False,
) -> Summary:
    """Work on all shards that an equal, earlier run has not finished. `report` gets the numbers of finished ones and of all.

    InputError: `invalid-request` for a folder with results of another run, or with other files of these names unless
    `replace`; `disk-full` at the first result that has no room.
    """
    with claim_of(task, shards, task.cards(), replace) as claim:
        durable = DurableTask(task, claim.task)
        earlier = [durable.finished(shard) if task.output(shard) in claim.results else None for shard in shards]
        outcomes = [outcome for outcome in earlier if outcome is not None]
        rest = [shard for shard, outcome in zip(shards, earlier, strict=True) if outcome is None]
        with closing(_closable(execute(durable, rest))) as stream:
            for outcome in stream:
                if outcome.error is not None and outcome.error.startswith(f"{DISK_FULL}:"):
                    finished = f"{len(outcomes)} of {len(shards)} files are finished"
                    detail = f"no room for {outcome.output}; {finished}, and the same command goes on when there is room"
                    raise InputError(DISK_FULL, f"{task.out}: {detail}")
                if outcome.error is not None and outcome.output in claim.results:
                    durable.discard(outcome.output)
                outcomes.append(outcome)
                report(len(outcomes), len(shards), outcome)
    failures = tuple(sorted((row for row in outcomes if row.error is not None), key=lambda row: row.output))
    rows, faults = sum(row.rows for row in outcomes), sum(row.faults for row in outcomes)
    return Summary(len(shards), len(shards) - len(rest), rows, faults, failures)


def _closable(outcomes: Iterator[Outcome]) -> Generator[Outcome, None, None]:
    """Outcomes by a generator whose end is that of its executor, also if `report` is interrupted."""
    yield from outcomes
