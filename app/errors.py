"""Exception for invalid input, with a stable code from a catalogue."""

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

__all__ = ["PROBLEMS", "InputError", "disk_full", "is_disk_full"]


# Titles of problems by code; codes never change.
PROBLEMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "invalid-request": "The request does not have the expected form",
        "invalid-json": "The body is not JSON",
        "invalid-encoding": "The text is not valid UTF-8",
        "invalid-character": "The text contains a forbidden character",
        "invalid-table": "The table does not have the expected columns",
        "unknown-format": "Assay cannot read this file format",
        "invalid-glossary": "The glossary cannot be used",
        "invalid-document": "The file is damaged or breaks the rules of its format",
        "unsafe-document": "The file contains something unsafe",
        "document-too-large": "The file or its unpacked content is larger than the limit",
        "empty-input": "The input is empty",
        "segment-too-long": "A segment is longer than the limit",
        "too-many-segments": "There are too many segments for one call",
        "too-much-work": "The call would take too long",
        "body-too-large": "The request body is larger than the limit",
        "unequal-lengths": "The texts have different numbers of segments",
        "log-prob-mismatch": "The token log-probabilities cannot be used",
        "missing-evidence": "Side information is missing for some segments",
        "missing-resource": "A required resource is not loaded",
        "missing-encoder": "No neural network is loaded",
        "missing-checkpoint": "The checkpoint of a neural metric is missing or unusable",
        "missing-system": "No translation system is loaded for these languages",
        "unknown-language-pair": "No resources are loaded for the language pair",
        "language-pair-not-here": "No resources are loaded for the detected language pair",
        "unknown-feature-set": "The feature set does not exist",
        "unknown-model": "No model fits the request",
        "model-for-another-pair": "The model was trained for another language pair",
        "unknown-metric": "The metric does not exist",
        "no-key": "The request needs a key",
        "forbidden": "The key does not allow this",
        "cross-origin": "Pages of other websites may not do this",
        "unknown-host": "The service does not accept this host name",
        "untrusted-proxy": "Only a trusted proxy may name the user",
        "invalid-user": "The user name from the proxy is invalid",
        "unknown-key": "This key does not exist",
        "unknown-job": "This job does not exist",
        "job-not-finished": "The job has no result yet",
        "result-expired": "The data of this job was deleted automatically",
        "correction-conflict": "Someone else has changed this correction",
        "invalid-job": "The job cannot be accepted",
        "invalid-backup": "The file is no complete backup of this service",
        "invalid-training-data": "No model can be trained on these rows",
        "invalid-tuning": "The weights cannot be tuned in this way",
        "degenerate-weights": "The weights prefer no hypothesis",
        "missing-weights": "The weights do not match the features",
        "invalid-weights": "The file contains no weights",
        "not-promoted": "The model was not promoted",
        "not-found": "This address does not exist",
        "method-not-allowed": "The address does not accept this method",
        "unsupported-media-type": "The content type is not accepted",
        "body-too-slow": "The request body arrived too slowly",
        "too-many-requests": "Too many requests at the same time",
        "quota-exceeded": "The quota is used up for now",
        "too-many-jobs": "The owner has too many waiting or running jobs",
        "storage-quota-exceeded": "The storage quota of the owner is used up",
        "queue-full": "The queue of jobs is full",
        "overloaded": "The service is busy; try again in a moment",
        "too-slow": "The answer took too long",
        "idempotency-conflict": "The idempotency key was used for another request",
        "database-unavailable": "The database does not answer",
        "database-damaged": "The database is damaged",
        "disk-full": "A disk of the service is full",
        "not-ready": "The service is still loading or is stopping",
        "internal-error": "Internal error; see the log of the service",
        "unknown-service": "The translation service does not exist",
        "service-failed": "The translation service failed",
        "service-unreadable": "The answer of the translation service cannot be used",
        "service-budget-spent": "The translation service may translate no more today",
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
