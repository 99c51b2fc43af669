"""Limits by language, and findings that fail a review."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeVar

from app.checks import SEVERITIES, Severity
from app.text.language_tags import read_tag
from app.text.languages import nearest_language

__all__ = ["FailOn", "fails", "limit_of"]

# The severity from which findings fail, or that of each language.
FailOn = Severity | dict[str, Severity | Literal["none"]]
REST: Final = "*"
Limit = TypeVar("Limit")


def limit_of(limits: Mapping[str, Limit], language: str) -> Limit | None:
    """The limit of the nearest tag (RFC 4647, "Lookup"), or that of `*`; None without either."""
    by_tag = {str(read_tag(tag) or tag): limit for tag, limit in limits.items()}
    return by_tag.get(nearest_language(language, by_tag) or REST)


def fails(finding: Mapping[str, Any], fail_on: FailOn) -> bool:
    """Return True for a finding of the limit of its language or worse; the limit of other languages is `error`."""
    limit = fail_on if isinstance(fail_on, str) else limit_of(fail_on, finding["language"]) or "error"
    return limit != "none" and SEVERITIES.index(finding["severity"]) <= SEVERITIES.index(limit)
