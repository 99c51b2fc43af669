"""Declaration of an operation: request, typed answer, and the steps of a job if it can run long.

Routes, jobs, commands and the client are made from this. A job's input is cut into chunks when it is planned; everything that
could change between two runs (the model chosen) is fixed then. Chunks are processed one by one, and `finish` sums up their
outputs. A worker may be killed during any step: another worker repeats only that step.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Generic, NotRequired, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.operations.job_files import JobFiles, StoredFiles
from app.operations.parts.costs.cost import Cost, amount_of_columns
from app.operations.parts.limits import RequestLimits
from app.operations.translating import NO_SERVICES, Translators
from app.operations.validation import stopping_early
from app.registry.artifacts import ArtifactStore
from app.running.rates import Amount

if TYPE_CHECKING:
    # Commands that ask a server import operations without the engine, to start at once.
    from app.engine import Engine
    from app.features import Evidence

__all__ = [
    "CHUNK_CHARACTERS",
    "Batching",
    "Body",
    "Context",
    "FeedbackSource",
    "Json",
    "Judgement",
    "Operation",
    "Output",
    "Plan",
    "Planning",
    "Steps",
    "chunk_end",
    "cut",
    "with_example",
]

Json = dict[str, Any]
# Rows of usual length fill a chunk before their characters do. A chunk of long rows has fewer, so that it takes seconds as well
# and other jobs have their turn.
CHUNK_CHARACTERS: Final = 200_000


class Body(BaseModel):
    """A request: unknown fields are refused, types are not guessed. A command builds the schema of its own request alone."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Pydantic's, whose errors cannot be more than a caller can read."""
        return stopping_early(handler(source), handler.resolve_ref_schema)

    @classmethod
    def build(cls) -> None:
        """Build the schema now; routes of this body build theirs at once, too."""
        cls.model_config["defer_build"] = False
        cls.model_rebuild()


def with_example(example: Json, deferred: bool = True) -> ConfigDict:
    """Configuration of a body, with an example that a test sends to a server; a `deferred` schema is built at its first use."""
    return ConfigDict(extra="forbid", strict=True, defer_build=deferred, json_schema_extra={"examples": [example]})


RequestT = TypeVar("RequestT", bound=Body)
AnswerT = TypeVar("AnswerT")
AnswerOf = TypeVar("AnswerOf", covariant=True)


class Output(TypedDict):
    """Output of a chunk: `rows` go into the result, `carry` only into `finish`."""

    rows: list[Json]
    carry: NotRequired[Any]


@dataclass(frozen=True)
class Plan:
    """A job ready to be queued: small `params`, chunks with their number of rows (read once), and the files it came in by role."""

    kind: str
    params: Json
    chunks: Iterable[tuple[int, Json]]
    files: Mapping[str, BinaryIO] = field(default_factory=dict)


@dataclass(frozen=True)
class Judgement:
    """A user's stored judgement of one translation: `content` has its texts and side information.

    One that is `held_back` never trains. Nothing is promised of what older versions kept: any value, any text, or a content
    that is None because it cannot be read any more. `model` is the one that was judged, where one was named.
    """

    id: str
    value: float
    held_back: bool
    content: Mapping[str, Any] | None
    model: str | None = None


class FeedbackSource(Protocol):
    """Source of users' judgements for planning."""

    def judgements(self, pair: str, label: str) -> Iterable[Judgement]:
        """Every judgement of a pair and label, the oldest first."""


@dataclass(frozen=True)
class Planning:
    """Resources of planning. A chunk has at most `chunk_rows` rows; there is no `feedback` where a command trains by itself.

    `stored` opens files of other jobs of the same caller, and who is `trusted` may send files of numbers to be read as they are.
    `translators` are the services that a job may name. Chunks that stay `in_process` may hold any values that have a `digest`.
    """

    engine: "Engine"
    limits: "RequestLimits"
    chunk_rows: int
    feedback: FeedbackSource | None = None
    stored: StoredFiles | None = None
    trusted: bool = False
    translators: Translators = NO_SERVICES
    in_process: bool = False


class Context(Protocol):
    """Resources of the steps of a job, beside its chunks, and the journal of their training.

    `report` says which action runs and which share of the step is done. `recall` is the checkpoint: it returns the next recorded
    array of the step, or records the result of `compute`. Both raise where the job was cancelled or its worker must stop, so a
    step that calls one of them every few seconds ends as quickly.
    """

    @property
    def engine(self) -> "Engine":
        """The loaded engine."""

    @property
    def params(self) -> Json:
        """Parameters that planning fixed."""

    @property
    def job(self) -> str:
        """The job's id, a part of the names of what it makes; empty where a command runs the steps by itself."""

    @property
    def artifacts(self) -> ArtifactStore:
        """Store of finished models."""

    @property
    def translators(self) -> Translators:
        """Translation services for the job's owner."""

    @property
    def files(self) -> JobFiles | None:
        """The job's files; None where a command runs the steps by itself."""

    def report(self, task: str, share: float) -> None:
        """Say what is being done, and which share (0 to 1) of this step is done."""

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """The next recorded array (n,) of this step, or what `compute` gives, which is then recorded."""

    def learns_from(self, model: str, feedback: Sequence[str]) -> None:
        """Write down, before a model is there, the ids of the judgements that it learns from."""

    def publish(self, name: str, value: Any) -> None:
        """Let others see a part of the answer before the end, as the learning curve of a training; JSON."""

    def published(self, name: str) -> Any:
        """Value last published under a name, also by a killed worker; None without one."""


@dataclass(frozen=True)
class Steps(Generic[RequestT]):
    """An operation as a job.

    `split` plans it; `work` gives a chunk's output; `finish` gives the summary. The result is the summary with the list `rows` of
    all outputs' rows. With `rows_in_summary` only the summary has that list, and the outputs' rows become the `texts` of the
    result as JSON. `amend` takes the summary, and returns a function that changes a row of the result; `amount` is what a chunk
    counts for in quotas. With `stream` rows are independent, and files of any length are read while the job is stored. It fixes
    the parameters from a request without segments and the kinds of their side information. With `from_files` a job of files is
    planned of parameters and open files by their role, none of which is read into memory. `from_document` plans a job whose form
    has a `file` with all of its segments. It takes the bytes and the name of the file, and the word of the caller on a heading.
    Steps that keep files for the caller say `makes_files`. One whose `finish` may take minutes or hours is `long`: one of several
    workers leaves it to the others. Steps that run in processes of their own are `outside`: their worker takes other jobs
    meanwhile. `parallel` steps may work on two chunks at a time, in two processes. Their work reads only the engine, the
    parameters and the chunk, unless the parameters name a translation service.
    """

    split: Callable[[Planning, RequestT], Plan]
    work: Callable[[Context, Json], Output]
    finish: Callable[[Context, Iterable[Output]], Any]
    rows: str = "segments"
    rows_in_summary: bool = False
    amend: Callable[[Mapping[str, Any]], Callable[[Json], Json]] | None = None
    stream: "Callable[[Engine, RequestT, Evidence], Json] | None" = None
    from_files: Callable[[Planning, Json, Mapping[str, BinaryIO]], Plan] | None = None
    from_document: Callable[[Planning, Json, bytes, str, bool | None], Plan] | None = None
    long: bool = False
    outside: bool = False
    parallel: bool = False
    makes_files: bool = False
    amount: Callable[[Json], Amount] = amount_of_columns


@dataclass(frozen=True)
class Batching(Generic[RequestT, AnswerOf]):
    """Batches of requests that wait at the same moment: those of one `key` are answered as one, those with key None alone."""

    key: Callable[[RequestT], Hashable | None]
    answer: "Callable[[Engine, Sequence[RequestT]], Sequence[AnswerOf]]"


def _no_cost(engine: "Engine", request: Any) -> Cost:
    return Cost()


@dataclass(frozen=True)
class Operation(Generic[RequestT, AnswerT]):
    """One verb. Its name is the kind of its jobs, the end of its path and the name of its method in the client.

    `check` refuses what is too large or cannot be, before anything is computed; `answer_type` is what `answer` returns, for
    OpenAPI and the client. One without `answer` is asked for as a job only, and its type is that of the job's summary.
    `scope` is what a key must be for.
    `read_files` makes fields of the request from files by their role, where these are not segments in a table or in lines.
    `id` is its name in the OpenAPI document, a verb and a noun; an operation with an `answer` must have one. `cost` gives the
    cost of a request that is answered at once. A `profiled` operation has the fields `profile` and
    `model`, and answers in the profile `fast` where its caller sets a short time limit. `translation` adds the translations of
    services to a request, before it is answered.
    """

    name: str
    summary: str
    request: type[RequestT]
    answer_type: Any
    check: Callable[[RequestT, RequestLimits], None]
    answer: "Callable[[Engine, RequestT], AnswerT] | None" = None
    id: str | None = None
    tag: str = "quality"
    scope: str = "quality"
    read_files: Callable[[Mapping[str, bytes]], Json] | None = None
    together: Batching[RequestT, AnswerT] | None = None
    steps: Steps[RequestT] | None = None
    cost: "Callable[[Engine, RequestT], Cost]" = _no_cost
    profiled: bool = False
    translation: Callable[[Translators, RequestT], RequestT] | None = None

    def __post_init__(self) -> None:
        """ValueError for an operation that answers at once and has no `id`."""
        if self.answer is not None and self.id is None:
            raise ValueError(f"the operation {self.name} answers at once, so it needs an id for the OpenAPI document")

    @property
    def path(self) -> str:
        """Path of its route."""
        return f"/v1/{self.name}"


def cut(columns: Mapping[str, Any], rows: int) -> list[tuple[int, Json]]:
    """Lists of one length (or named lists of them), one entry per segment, in chunks of at most `rows`; None is left out."""
    columns_present = {name: value for name, value in columns.items() if value is not None}
    lists = list(_lists(columns_present))
    sizes = [sum(map(_characters, entries)) for entries in zip(*lists, strict=True)]
    chunks, begin = [], 0
    while begin < len(sizes):
        end = chunk_end(sizes, begin, rows)
        chunks.append((end - begin, {name: _part(value, begin, end) for name, value in columns_present.items()}))
        begin = end
    return chunks


def chunk_end(sizes: Sequence[int], begin: int, rows: int) -> int:
    """End of the chunk that starts at `begin`, by the characters of each row; a chunk has at least one row."""
    characters, last = sizes[begin], min(len(sizes), begin + rows)
    for end in range(begin + 1, last):
        characters += sizes[end]
        if characters > CHUNK_CHARACTERS:
            return end
    return last


def _characters(entry: Any) -> int:
    """Characters of a text or of a list of texts; other values count 0."""
    if isinstance(entry, str):
        return len(entry)
    return sum(len(text) for text in entry if isinstance(text, str)) if isinstance(entry, list | tuple) else 0


def _lists(columns: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    for value in columns.values():
        if isinstance(value, dict):
            yield from value.values()
        else:
            yield value


def _part(value: Any, begin: int, end: int) -> Any:
    if isinstance(value, dict):
        return {name: part[begin:end] for name, part in value.items()}
    return value[begin:end]
