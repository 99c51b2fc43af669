"""Request of a job, with files of other jobs, and its result."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final, Literal, Protocol

from pydantic import AfterValidator, Field

from app.operations.annotate import CorrectionPlace
from app.operations.catalogue import OPERATIONS
from app.operations.job_files import MadeFile, Stored
from app.operations.operation import Body, Json, with_example
from app.operations.parts.names import with_tags
from app.server.jobs import Formulas
from app.server.store import NORMAL, Priority

__all__ = ["JobForm", "JobRequest", "Result", "ResultForm", "StoredJobFiles"]

BLOCK: Final = 1 << 20
KINDS: Final = tuple(name for name, operation in OPERATIONS.items() if operation.steps is not None)
if TYPE_CHECKING:
    JobKind = str
else:
    JobKind = Literal[KINDS]


class JobRequest(Body):
    """POST /v1/jobs: `params` is the body of the kind's own call, or of training, evaluation or selection."""

    model_config = with_example(
        {
            "kind": "quality",
            "owner": "night build",
            "params": {
                "source_language": "ro",
                "target_language": "en",
                "segments": [{"source": "Casa.", "translation": "House."}],
            },
        }
    )

    kind: JobKind
    params: Annotated[dict[str, Any], AfterValidator(with_tags)]
    owner: Annotated[str, Field(max_length=100, description="A name for people, shown in lists")] | None = None
    webhook: Annotated[str, Field(max_length=2000, description="Address for a message at the job's end")] | None = None
    priority: Annotated[Priority, Field(description="Order among jobs; high needs the scope admin")] = NORMAL


@dataclass(frozen=True)
class JobForm:
    """A form of POST /v1/jobs with its open files and their names, by role.

    `header` states whether the first row of a table is a heading.
    """

    kind: str
    params: Json
    files: Mapping[str, BinaryIO]
    names: Mapping[str, str] = field(default_factory=dict)
    owner: str | None = None
    webhook: str | None = None
    priority: str | None = None
    header: bool | None = None

    def digest(self) -> str:
        """Digest that identifies this request; the files are read and rewound."""
        fields = [self.kind, self.params, self.owner, self.webhook, *([self.priority] if self.priority else [])]
        fields += [] if self.header is None else [{"header": self.header}]
        digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode())
        for name, file in sorted(self.files.items()):
            digest.update(f"\0{name}\0".encode())
            while block := file.read(BLOCK):
                digest.update(block)
            file.seek(0)
        return digest.hexdigest()


@dataclass(frozen=True)
class ResultForm:
    """Form of a result: one of `RESULT_FORMATS`, and its options.

    `formulas` is the treatment of formulas in a table, `written` the place of corrections, and `segments` the choice for a
    translation memory.
    """

    name: str = "json"
    formulas: Formulas = "escape"
    written: CorrectionPlace = "target"
    segments: Literal["corrected", "all"] = "corrected"


@dataclass(frozen=True)
class Result:
    """A job's result: its pieces, media type, the name of the file that they make, and where corrections went in a document."""

    pieces: Iterable[bytes]
    media_type: str
    name: str
    corrections: Mapping[str, int] | None = None


class ReadableFiles(Protocol):
    """Files of the jobs that one caller may see."""

    def file_names(self, name: str) -> list[str]:
        """Names of a job's files."""

    def file(self, name: str, file: str) -> tuple[MadeFile, Iterator[bytes]]:
        """A file of a job and its content in pieces."""

    def file_command(self, name: str, file: str) -> str | None:
        """Command that wrote a file of a job."""


class StoredJobFiles:
    """The `StoredFiles` of one caller: files of the jobs that the caller may see."""

    def __init__(self, access: ReadableFiles, most_bytes: int | None) -> None:
        self._access = access
        self.most_bytes = most_bytes

    def names(self, job: str, name: str) -> list[str]:
        """A file, or those of a folder."""
        file_names = self._access.file_names(job)
        return [name] if name in file_names else [file for file in file_names if file.startswith(f"{name}/")] or [name]

    def open(self, job: str, name: str) -> Stored:
        """A copy of a file, which disappears when it is closed."""
        _, pieces = self._access.file(job, name)
        copy = TemporaryFile()  # noqa: SIM115  (planning keeps it open until the job is stored)
        for piece in pieces:
            copy.write(piece)
        copy.seek(0)
        return Stored(copy, self._access.file_command(job, name))
