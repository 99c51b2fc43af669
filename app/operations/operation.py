"""What an operation is: a request, a typed answer, how it is answered at once, and the steps of a job where it can run long.

Routes, jobs, commands and the client are made from this. A job's input is cut into chunks when it is planned; everything that
could change between two runs (the model chosen) is fixed then. Chunks are worked on one by one, and `finish` sums up what they
gave; a worker may be killed between any two of these steps, or in the middle of one, and another repeats only that.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Generic, NotRequired, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema
from typing_extensions import TypedDict

from app.operations.job_files import JobFiles, StoredFiles
from app.operations.parts.amounts import amount_of_columns
from app.operations.validation import stopping_early
from app.running.rates import NOTHING, Amount

if TYPE_CHECKING:
    # Only named here: an operation that needs no engine imports none.
    from app.arrays import Float64s
    from app.engine import Engine
    from app.engine.profiles import Profile
    from app.features import Need
    from app.operations.parts.limits import Limits
    from app.registry.artifacts import ArtifactStore
    from app.text import LanguagePair

__all__ = [
    "CHUNK_CHARACTERS",
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
    "Together",
    "chunk_end",
    "cut",
    "with_example",
]

Json = dict[str, Any]
# Rows of usual length fill a chunk before their characters do; of long ones a chunk has fewer, so that it takes seconds as well,
# after which other jobs have their turn.
CHUNK_CHARACTERS: Final = 200_000
# A checkpoint of 24 layers takes so much longer for a text than the encoder of sentences.
CHECKPOINT_BY_ENCODER: Final = 3


class Body(BaseModel):
    """A request: unknown fields are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Pydantic's, whose errors cannot be more than a caller can read."""
        return stopping_early(handler(source))


def with_example(example: Json) -> ConfigDict:
    """What every body has, and an example of this one, which a test sends to a server."""
    return ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [example]})


RequestT = TypeVar("RequestT", bound=Body)
AnswerT = TypeVar("AnswerT")
AnswerOf = TypeVar("AnswerOf", covariant=True)


class Output(TypedDict):
    """What a chunk gives: `rows` go into the result, what is carried only into `finish`."""

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
    """What a user said of one translation, as it was kept: `content` has the texts and what came beside them.

    One that is `held_back` never trains. Nothing is promised of what older versions kept: any value, any text, or a content
    that is None because it cannot be read any more. `model` is the one that was judged, where one was named.
    """

    id: str
    value: float
    held_back: bool
    content: Mapping[str, Any] | None
    model: str | None = None


class FeedbackSource(Protocol):
    """Where planning finds what users said of translations."""

    def judgements(self, pair: str, label: str) -> Iterable[Judgement]:
        """Every judgement of a pair and label, the oldest first."""


@dataclass(frozen=True)
class Planning:
    """What planning may use. A chunk has at most `chunk_rows` rows; there is no `feedback` where a command trains by itself.

    `stored` opens files of other jobs of the same caller, and who is `trusted` may send files of numbers to be read as they are.
    """

    engine: "Engine"
    limits: "Limits"
    chunk_rows: int
    feedback: FeedbackSource | None = None
    stored: StoredFiles | None = None
    trusted: bool = False


class Context(Protocol):
    """What the steps of a job may use beside its chunks; it is the journal of what they train.

    `report` says what is being done and which share of this step is done; `recall` is the checkpoint: the next recorded array of
    this step, or what `compute` gives, which is then recorded. Both raise where the job was cancelled or its worker must stop,
    so a step that calls one of them every few seconds ends as quickly.
    """

    @property
    def engine(self) -> "Engine":
        """The loaded engine."""

    @property
    def params(self) -> Json:
        """What was fixed when the job was planned."""

    @property
    def job(self) -> str:
        """The job's id, a part of the names of what it makes; empty where a command runs the steps by itself."""

    @property
    def artifacts(self) -> "ArtifactStore":
        """Where finished models go."""

    @property
    def files(self) -> JobFiles | None:
        """The job's files; None where a command runs the steps by itself."""

    def report(self, what: str, share: float) -> None:
        """Say what is being done, and which share (0 to 1) of this step is done."""

    def recall(self, compute: "Callable[[], Float64s]") -> "Float64s":
        """The next recorded array (n,) of this step, or what `compute` gives, which is then recorded."""

    def learns_from(self, model: str, feedback: "Sequence[str]") -> None:
        """Write down, before a model is there, the ids of the judgements that it learns from."""

    def publish(self, name: str, value: Any) -> None:
        """Let others see a part of the answer before the end, as the learning curve of a training; JSON."""

    def published(self, name: str) -> Any:
        """What was published last under a name, also by a worker that was killed; None where nothing was."""


@dataclass(frozen=True)
class Steps(Generic[RequestT]):
    """An operation as a job.

    `split` plans it; `work` gives a chunk's output; `finish` gives the summary. The result is the summary with the list `rows`
    of all outputs' rows; where `rows_in_summary`, that list is known at the end only and stands in the summary, and the outputs'
    rows, if there are any, are the `texts` of the result as JSON. `amend` changes
    a row of the result by the summary; `amount` is what a chunk counts for in quotas. Where `stream` is there, rows do not need
    each other, and input of any length is read from files while the job is stored: it fixes the parameters from a request without
    segments and what comes beside the texts. With `from_files` a job of files is planned of parameters and open files by their
    role, none of which is read into memory. Steps that keep files for the caller say `makes_files`.
    One whose `finish` may take minutes or hours is `long`: one of several workers
    leaves it to the others.
    """

    split: Callable[[Planning, RequestT], Plan]
    work: Callable[[Context, Json], Output]
    finish: Callable[[Context, Iterable[Output]], Any]
    rows: str = "segments"
    rows_in_summary: bool = False
    amend: Callable[[Json, Mapping[str, Any]], Json] | None = None
    stream: "Callable[[Engine, RequestT, frozenset[Need]], Json] | None" = None
    from_files: Callable[[Planning, Json, Mapping[str, BinaryIO]], Plan] | None = None
    long: bool = False
    makes_files: bool = False
    amount: Callable[[Json], Amount] = amount_of_columns


@dataclass(frozen=True)
class Together(Generic[RequestT, AnswerOf]):
    """How requests that wait at the same moment are answered as one: those of one `key`; None is answered alone."""

    key: Callable[[RequestT], Hashable | None]
    size: Callable[[RequestT], int]
    answer: "Callable[[Engine, Sequence[RequestT]], Sequence[AnswerOf]]"


# What encoding counts as where several threads share it.
SHARED_ENCODING: Final = 0.6


@dataclass(frozen=True)
class Operation(Generic[RequestT, AnswerT]):
    """One verb. Its name is the kind of its jobs, the end of its path and the name of its method in the client.

    `check` refuses what is too large or cannot be, before anything is computed; `answer_type` is what `answer` returns, for
    OpenAPI and the client. One without `answer` is asked for as a job only, and its type is that of the job's summary.
    `scope` is what a key must be for.
    `read_files` makes fields of the request from files by their role, where these are not segments in a table or in lines.
    `work` says how much work a request is, in pairs of characters that are compared; without it it is little. `encoding` says how
    much more it is where an encoder of sentences is asked, `translating` how much more where phrase-based systems translate.
    `amount` says what it counts for in quotas where it is answered at once. A `profiled` operation has the fields `profile` and
    `model`, and answers in the profile `fast` where its caller sets a short time limit.
    """

    name: str
    summary: str
    request: type[RequestT]
    answer_type: Any
    check: "Callable[[RequestT, Limits], None]"
    answer: "Callable[[Engine, RequestT], AnswerT] | None" = None
    tag: str = "quality"
    scope: str = "quality"
    read_files: Callable[[Mapping[str, bytes]], Json] | None = None
    together: Together[RequestT, AnswerT] | None = None
    steps: Steps[RequestT] | None = None
    work: Callable[[RequestT], int] | None = None
    encoding: Callable[[RequestT], int] | None = None
    translating: "Callable[[Engine, RequestT], int] | None" = None
    amount: Callable[[RequestT], Amount] = lambda _: NOTHING
    profiled: bool = False

    @property
    def path(self) -> str:
        """Its address."""
        return f"/v1/{self.name}"

    def work_by(self, engine: "Engine", request: RequestT) -> int:
        """How much work a request is for an engine, with that of its encoder where the request's profile, or its pair, asks it.

        And with that of checkpoints, where a model answers that asks some.
        """
        work = 0 if self.work is None else self.work(request)
        work += 0 if self.translating is None else self.translating(engine, request)
        if self.encoding is None:
            return work
        profile: Profile | None = getattr(request, "profile", None)
        pairs: Sequence[LanguagePair] = getattr(request, "pairs", tuple)()
        if pairs and profile != "fast":
            work += self._work_of_checkpoints(engine, request, pairs[0])
        if not engine.uses_networks(profile, pairs):
            return work
        encoding = self.encoding(request)
        return work + (encoding if engine.encoder.threads == 1 else int(SHARED_ENCODING * encoding))

    def _work_of_checkpoints(self, engine: "Engine", request: RequestT, pair: "LanguagePair") -> int:
        if not hasattr(request, "model") or self.encoding is None:
            return 0
        count = engine.checkpoints_asked(pair, request.model, getattr(request, "label", None))
        return CHECKPOINT_BY_ENCODER * count * self.encoding(request) if count else 0


def cut(columns: Mapping[str, Any], rows: int) -> list[tuple[int, Json]]:
    """Lists of one length (or named lists of them), one entry per segment, in chunks of at most `rows`; None is left out."""
    given = {name: value for name, value in columns.items() if value is not None}
    lists = list(_lists(given))
    sizes = [sum(map(_characters, entries)) for entries in zip(*lists, strict=True)]
    chunks, begin = [], 0
    while begin < len(sizes):
        end = chunk_end(sizes, begin, rows)
        chunks.append((end - begin, {name: _part(value, begin, end) for name, value in given.items()}))
        begin = end
    return chunks


def chunk_end(sizes: Sequence[int], begin: int, rows: int) -> int:
    """Where a chunk ends that begins at `begin`, given the characters of each row: there is at least one row in it."""
    characters, last = sizes[begin], min(len(sizes), begin + rows)
    for end in range(begin + 1, last):
        characters += sizes[end]
        if characters > CHUNK_CHARACTERS:
            return end
    return last


def _characters(entry: Any) -> int:
    """Of a text, or of a list of them; other values weigh nothing."""
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
