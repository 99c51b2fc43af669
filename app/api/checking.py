"""From validated bodies to what the engine takes, within the limits of the settings."""

from collections.abc import Mapping, Sequence

from app.api.quality_schemas import Candidates, Segment
from app.engine.segments import Segments
from app.errors import InputError
from app.settings import Settings
from app.text import LanguagePair
from app.text.checking import check_segments
from app.text.side_information import check_side_information

__all__ = ["check_candidates", "check_count", "check_lists", "check_pairs"]


def check_count(count: int, limit: int, where: Sequence[str | int]) -> None:
    """InputError when there are more segments than `limit`."""
    if count > limit:
        raise InputError("too-many-segments", f"{count} segments; at most {limit} are accepted here", tuple(where))


def check_pairs(pair: LanguagePair, segments: Sequence[Segment], settings: Settings, limit: int) -> Segments:
    """Check every segment."""
    check_count(len(segments), limit, ("segments",))
    longest = settings.max_segment_characters
    sources, translations = [s.source for s in segments], [s.translation for s in segments]
    check_segments(sources, longest, ("segments",), "source")
    check_segments(translations, longest, ("segments",), "translation")
    return Segments(pair, sources, translations, check_side_information(segments, longest))


def check_candidates(segments: Sequence[Candidates], settings: Settings, limit: int) -> tuple[list[str], list[dict[str, str]]]:
    """Sources, and per source its candidates by system."""
    check_count(sum(len(s.translations) for s in segments), limit, ("segments",))
    longest = settings.max_segment_characters
    check_segments([s.source for s in segments], longest, ("segments",), "source")
    candidates: list[dict[str, str]] = []
    for row, segment in enumerate(segments):
        check_segments([t.text for t in segment.translations], longest, ("segments", row, "translations"), "text")
        names = {t.system: t.text for t in segment.translations}
        if len(names) != len(segment.translations):
            raise InputError("invalid-request", "a system translates each source once", ("segments", row, "translations"))
        check_segments(list(names), longest, ("segments", row, "translations"), "system")
        check_count(len(names), settings.max_systems, ("segments", row, "translations"))
        candidates.append(names)
    return [s.source for s in segments], candidates


def check_lists(kind: str, lists: Mapping[str, Sequence[str]], settings: Settings) -> int:
    """Number of segments in named lists, each checked."""
    check_count(len(lists), settings.max_systems, (kind,))
    check_segments(list(lists), settings.max_segment_characters, (kind,))
    for place, segments in enumerate(lists.values()):
        check_segments(segments, settings.max_segment_characters, (kind, place))
    return sum(map(len, lists.values()))
