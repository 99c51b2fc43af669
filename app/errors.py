"""The one exception for input that cannot be used, with a stable code from the catalogue."""

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

__all__ = ["PROBLEMS", "InputError", "Problem"]


@dataclass(frozen=True)
class Problem:
    """One kind of problem: HTTP status and a title that never changes."""

    status: int
    title: str


PROBLEMS: Final = MappingProxyType(
    {
        "invalid-request": Problem(422, "The request does not have the expected form"),
        "invalid-json": Problem(400, "The body is not JSON"),
        "invalid-encoding": Problem(422, "The text is not valid UTF-8"),
        "invalid-character": Problem(422, "The text holds a character that is not accepted"),
        "invalid-table": Problem(422, "The table does not have the expected columns"),
        "unknown-format": Problem(422, "The file is of no format that is read"),
        "invalid-document": Problem(422, "The file cannot be read as the format that it has"),
        "unsafe-document": Problem(422, "The file holds something that is refused for safety"),
        "document-too-large": Problem(422, "The file, or what is packed in it, is larger than the limit"),
        "empty-input": Problem(422, "There is nothing to work on"),
        "segment-too-long": Problem(422, "A segment is longer than the limit"),
        "too-many-segments": Problem(422, "There are more segments than the limit; send a job"),
        "body-too-large": Problem(413, "The request body is larger than the limit"),
        "unequal-lengths": Problem(422, "Texts that belong together differ in their number of segments"),
        "log-prob-mismatch": Problem(422, "The token log-probabilities cannot be used"),
        "missing-evidence": Problem(422, "Something that should come with every segment was not sent"),
        "missing-resource": Problem(422, "A resource that is needed is not loaded"),
        "unknown-language-pair": Problem(422, "No resources are loaded for the language pair"),
        "unknown-feature-set": Problem(422, "The feature set does not exist"),
        "unknown-model": Problem(422, "No model fits what was asked"),
        "model-for-another-pair": Problem(422, "The model was trained for another language pair"),
        "unknown-metric": Problem(422, "The metric does not exist"),
        "unknown-job": Problem(404, "There is no such job"),
        "job-not-finished": Problem(409, "The job has no result yet"),
        "invalid-job": Problem(422, "The job cannot be accepted"),
        "invalid-training-data": Problem(422, "A predictor cannot be trained on these rows"),
        "not-promoted": Problem(409, "The model does not answer by promotion"),
        "not-found": Problem(404, "There is nothing at this address"),
        "method-not-allowed": Problem(405, "The address does not answer this method"),
        "unsupported-media-type": Problem(415, "The content type is not accepted"),
        "overloaded": Problem(503, "The service has more to do than it can; ask again in a moment"),
        "idempotency-conflict": Problem(409, "The idempotency key was used for another request"),
        "not-ready": Problem(503, "The service is still loading or is stopping"),
        "internal-error": Problem(500, "The service failed; the failure is in its log"),
    }
)


@dataclass
class InputError(ValueError):
    """Input that was refused.

    `code` is a key of `PROBLEMS`; `detail` says what is wrong and what would be accepted, without
    ever quoting the caller's text; `where` names the place, for example ``("segments", 3, "source")``.
    """

    code: str
    detail: str
    where: tuple[str | int, ...] = field(default=())

    def __post_init__(self) -> None:
        super().__init__(self.detail)

    def __str__(self) -> str:
        place = ".".join(str(part) for part in self.where)
        return f"{place}: {self.detail}" if place else self.detail

    def __reduce__(self) -> tuple[type["InputError"], tuple[str, str, tuple[str | int, ...]]]:
        """Keep the three parts when a worker process sends the error back."""
        return (InputError, (self.code, self.detail, self.where))
