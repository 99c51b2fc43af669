"""Segments of requests and of chunks of jobs, checked, with evidence of phrase-based systems if a request asks for it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from app.engine import Engine
from app.engine.segments import Segments
from app.features import Evidence
from app.operations.operation import Json
from app.operations.parts.costs.work import work_of_translating
from app.operations.parts.fields import Segment, SystemsRequest, pair_of
from app.operations.parts.limits import RequestLimits, check_count
from app.text import LanguagePair
from app.text.reading.checking import check_segments
from app.text.side_information import SideInformation, check_side_information

__all__ = [
    "check_pairs",
    "chunk_with_evidence",
    "columns_of",
    "evidence_needs",
    "segments_of",
    "segments_of_chunk",
    "text_pairs",
    "with_evidence",
    "work_of_evidence",
]

NO_LIMITS: Final = RequestLimits(2**62, 2**62, 2**62, 2**62)


def check_pairs(pair: LanguagePair, segments: Sequence[Segment], limits: RequestLimits) -> Segments:
    """The segments of a request, every one checked."""
    check_count(len(segments), limits.segments, ("segments",))
    sources, translations = [segment.source for segment in segments], [segment.translation for segment in segments]
    check_segments(sources, limits.characters, ("segments",), "source")
    check_segments(translations, limits.characters, ("segments",), "translation")
    return Segments(pair, sources, translations, check_side_information(segments, limits.characters))


def text_pairs(segments: Iterable[Segment]) -> Iterator[tuple[str, str]]:
    """Source and translation of each segment."""
    return ((segment.source, segment.translation) for segment in segments)


def segments_of(pair: LanguagePair, segments: Sequence[Segment]) -> Segments:
    """Segments of a request, without limits on their number or length."""
    return check_pairs(pair, segments, NO_LIMITS)


def columns_of(segments: Segments) -> Json:
    """Segments as the columns of a job."""
    return {"sources": list(segments.sources), "translations": list(segments.translations), **segments.side_information.as_json()}


def segments_of_chunk(params: Mapping[str, Any], chunk: Mapping[str, Any]) -> Segments:
    """The segments of a job's chunk, as `columns_of` wrote them."""
    pair = LanguagePair(params["source_language"], params["target_language"])
    return Segments(pair, chunk["sources"], chunk["translations"], SideInformation.from_json(chunk))


def chunk_with_evidence(engine: Engine, params: Mapping[str, Any], chunk: Mapping[str, Any]) -> Segments:
    """The segments of a job's chunk with what systems give, where its parameters ask for it."""
    segments = segments_of_chunk(params, chunk)
    if not params.get("from_systems"):
        return segments
    return engine.systems.with_pinned_systems(segments, params)


def work_of_evidence(engine: Engine, request: SystemsRequest) -> int:
    """The work of systems that are asked about a request's `segments`."""
    if not request.from_systems:
        return 0
    work = 0
    for of_sources, effort, lists, tokenise in engine.systems.effort(pair_of(request), request.from_systems):
        texts = (segment.source if of_sources else segment.translation for segment in request.segments)
        work += work_of_translating(texts, effort, lists, tokenise)
    return work


def with_evidence(engine: Engine, request: SystemsRequest, segments: Segments) -> Segments:
    """Add what phrase-based systems give to a request's segments.

    InputError if there is no such system, or the request gives the same side information itself.
    """
    return engine.systems.with_evidence(segments, request.from_systems) if request.from_systems else segments


def evidence_needs(engine: Engine, request: SystemsRequest, evidence: Evidence) -> tuple[Evidence, Json]:
    """Side information of a job's segments, with that of systems, and the parameters that its chunks need for it."""
    return engine.systems.planned(pair_of(request), request.from_systems, evidence) if request.from_systems else (evidence, {})
