"""Exception for invalid input, with a stable code from a catalogue."""

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

__all__ = ["PROBLEMS", "InputError", "disk_full", "is_disk_full"]


# Titles of problems by code; codes and titles never change.
PROBLEMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "invalid-request": "The request does not have the expected form",
        "invalid-json": "The body is not JSON",
        "invalid-encoding": "The text is not valid UTF-8",
        "invalid-character": "The text holds a character that is not accepted",
        "invalid-table": "The table does not have the expected columns",
        "unknown-format": "The file is of no format that is read",
        "invalid-document": "The file cannot be read as the format that it has",
        "unsafe-document": "The file holds something that is refused for safety",
        "document-too-large": "The file, or what is packed in it, is larger than the limit",
        "empty-input": "There is nothing to work on",
        "segment-too-long": "A segment is longer than the limit",
        "too-many-segments": "There are more segments than the limit; send a job",
        "too-much-work": "The call is more work than somebody can wait for; send a job",
        "body-too-large": "The request body is larger than the limit",
        "unequal-lengths": "Texts that belong together differ in their number of segments",
        "log-prob-mismatch": "The token log-probabilities cannot be used",
        "missing-evidence": "Something that should come with every segment was not sent",
        "missing-resource": "A resource that is needed is not loaded",
        "missing-encoder": "An encoder of sentences is needed, and none is loaded",
        "missing-checkpoint": "A checkpoint of a neural metric is needed, and it cannot be used here",
        "missing-system": "A translation system is needed, and none of these languages is loaded",
        "unknown-language-pair": "No resources are loaded for the language pair",
        "language-pair-not-here": "The texts look like a language pair of which nothing is loaded",
        "unknown-feature-set": "The feature set does not exist",
        "unknown-model": "No model fits what was asked",
        "model-for-another-pair": "The model was trained for another language pair",
        "unknown-metric": "The metric does not exist",
        "no-key": "A key is needed",
        "forbidden": "The key is not for this",
        "cross-origin": "A page of another origin may not do this",
        "unknown-host": "The service is not known by this name",
        "untrusted-proxy": "Only a trusted proxy may say who asks",
        "invalid-user": "The proxy's name of the user cannot be used",
        "unknown-key": "There is no such key",
        "unknown-job": "There is no such job",
        "job-not-finished": "The job has no result yet",
        "result-expired": "What the job held was deleted, as the settings say",
        "correction-conflict": "Somebody else has changed this correction",
        "invalid-job": "The job cannot be accepted",
        "invalid-backup": "The file is not a whole backup of this service",
        "invalid-training-data": "A predictor cannot be trained on these rows",
        "invalid-tuning": "Weights cannot be tuned as was asked",
        "degenerate-weights": "The weights would choose nothing",
        "missing-weights": "The weights are not of these features",
        "invalid-weights": "The file is not one of weights",
        "not-promoted": "The model does not answer by promotion",
        "not-found": "There is nothing at this address",
        "method-not-allowed": "The address does not answer this method",
        "unsupported-media-type": "The content type is not accepted",
        "body-too-slow": "The body did not come in time",
        "too-many-requests": "The caller asks for more at once than one may",
        "quota-exceeded": "The caller has asked for as much as the quota allows, for now",
        "too-many-jobs": "The owner has as many jobs that wait or run as one may",
        "storage-quota-exceeded": "The owner keeps as much as one may",
        "queue-full": "As many jobs wait as may",
        "overloaded": "The service has more to do than it can; ask again in a moment",
        "too-slow": "The answer took longer than a call may; ask for less at once, or send a job",
        "idempotency-conflict": "The idempotency key was used for another request",
        "database-unavailable": "The database does not answer",
        "disk-full": "There is no room left on a disk of the service",
        "not-ready": "The service is still loading or is stopping",
        "internal-error": "The service failed; the failure is in its log",
    }
)


@dataclass
class InputError(ValueError):
    """Invalid input.

    `code` is a key of `PROBLEMS`. `detail` names the fault and the remedy, and never quotes texts of the caller. `where` is the
    location, for example ``("segments", 3, "source")``.
    """

    code: str
    detail: str
    where: tuple[str | int, ...] = field(default=())

    def __post_init__(self) -> None:
        super().__init__(self.detail)

    def __str__(self) -> str:
        place = ".".join(str(part) for part in self.where)
        # Some details begin with the name of the file.
        return f"{place}: {self.detail}" if place and not self.detail.startswith(f"{place} ") else self.detail

    def __reduce__(self) -> tuple[type["InputError"], tuple[str, str, tuple[str | int, ...]]]:
        """Pickle the three parts, so that worker processes can send the error."""
        return (InputError, (self.code, self.detail, self.where))


def disk_full(detail: str = "nothing of this was stored; try again when the disk has room") -> InputError:
    """InputError about a full disk; the unfinished file was not stored."""
    return InputError("disk-full", detail)


def is_disk_full(error: BaseException) -> bool:
    """Return True if an error is about a full disk, or about a full quota of a disk."""
    if isinstance(error, InputError):
        return error.code == "disk-full"
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
