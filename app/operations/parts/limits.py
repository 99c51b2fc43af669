"""Limits of one request, and their checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.errors import InputError
from app.settings import Settings
from app.text.reading.checking import check_segments

__all__ = ["RecipeLimits", "RequestLimits", "check_count", "check_lists"]


@dataclass(frozen=True)
class RecipeLimits:
    """Limits of a recipe's job: `bytes` of all files, and `seconds` and bytes of `memory` of each step."""

    bytes: int
    seconds: float
    memory: int


@dataclass(frozen=True)
class RequestLimits:
    """The most `segments` about which something is asked, `scored` segments over all systems and references, `systems` beside
    each other, and `characters` in one segment. Jobs of a server have those of a `recipe`.
    """

    segments: int
    scored: int
    systems: int
    characters: int
    recipe: RecipeLimits | None = None

    @classmethod
    def of_calls(cls, settings: "Settings") -> "RequestLimits":
        """Limits of a call, whose caller waits."""
        return cls(settings.max_segments, settings.max_score_segments, settings.max_systems, settings.max_segment_characters)

    @classmethod
    def of_jobs(cls, settings: "Settings") -> "RequestLimits":
        """Limits of a job."""
        recipe = RecipeLimits(settings.max_recipe_bytes, settings.max_step_seconds, settings.max_step_memory_bytes)
        segments = settings.max_job_segments
        return cls(segments, segments, settings.max_systems, settings.max_segment_characters, recipe)


def check_count(count: int, limit: int, place: Sequence[str | int]) -> None:
    """InputError when there are more segments than `limit`."""
    if count > limit:
        raise InputError("too-many-segments", f"{count} segments; at most {limit} are accepted here", tuple(place))


def check_lists(kind: str, lists: Mapping[str, Sequence[str]], limits: RequestLimits) -> int:
    """Number of segments in named lists, each checked."""
    check_count(len(lists), limits.systems, (kind,))
    check_segments(list(lists), limits.characters, (kind,))
    for place, segments in enumerate(lists.values()):
        check_segments(segments, limits.characters, (kind, place))
    return sum(map(len, lists.values()))
