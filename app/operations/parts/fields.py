"""Parts that the requests of several operations share, and their checks."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Protocol, runtime_checkable

from pydantic import Field, FiniteFloat, create_model

from app.errors import InputError
from app.operations.operation import Body, Json
from app.operations.parts.limits import Limits, check_count
from app.operations.parts.names import LabelName, Language, ModelId, ProfileName
from app.text import LanguagePair
from app.text.reading.checking import check_segments
from app.text.side_information import SideInformation, check_side_information, segment_fields
from app.text.side_information.kinds import FromSystem

__all__ = [
    "EXAMPLE_PAIR",
    "AsksPairs",
    "LabelledSegment",
    "PairRequest",
    "Segment",
    "SegmentsRequest",
    "SystemsRequest",
    "check_pairs",
    "chunk_with_evidence",
    "columns_of",
    "pair_of",
    "segments_of",
    "segments_of_chunk",
    "work_of_evidence",
]

TaskName = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[\w.-]+$", description="Annotator, system or domain")]
EXAMPLE_PAIR = {"source": "Casa este mare.", "translation": "The house is big."}


class TextPair(Body):
    """One pair of source and translation."""

    source: str
    translation: str


if TYPE_CHECKING:
    # A command that only asks a server makes requests, and imports no engine.
    from app.engine import Engine
    from app.engine.segments import Segments
    from app.features import Need

    class Segment(TextPair):
        """One pair of source and translation, with fields for every kind of side information."""

else:
    Segment = create_model("Segment", __base__=TextPair, __doc__=TextPair.__doc__, **segment_fields())


class LabelledSegment(Segment):
    """A pair with its quality label."""

    label: FiniteFloat
    task: TaskName | None = None


@runtime_checkable
class AsksPairs(Protocol):
    """A request about language pairs."""

    def pairs(self) -> list[LanguagePair]:
        """The language pairs of the request; empty where it names none."""


class PairRequest(Body):
    """What is asked about a language pair."""

    source_language: Language
    target_language: Language

    def pairs(self) -> list[LanguagePair]:
        """All language pairs that it asks about."""
        return [pair_of(self)]


class SystemsRequest(PairRequest):
    """What may be asked about `segments` with side information that loaded phrase-based systems give."""

    segments: list[Segment]

    from_systems: (
        Annotated[
            list[FromSystem],
            Field(min_length=1, max_length=3, description="Fields that loaded systems translate for"),
        ]
        | None
    ) = None

    def parameters(self) -> Json:
        """What a job of it keeps beside its segments; of systems nothing where none are asked."""
        return self.model_dump(exclude={"segments"} if self.from_systems else {"segments", "from_systems"})

    def evidence(self, engine: "Engine", segments: "Segments") -> "Segments":
        """The segments with what systems give; InputError where there is no such system, or it came beside them."""
        if not self.from_systems:
            return segments
        return engine.systems.with_evidence(segments, self.from_systems)

    def planned(self, engine: "Engine", given: "frozenset[Need]") -> "tuple[frozenset[Need], Json]":
        """What segments of a job have beside the texts in the end, and the parameters that its chunks need for it."""
        if not self.from_systems:
            return given, {}
        return engine.systems.planned(pair_of(self), self.from_systems, given)


class SegmentsRequest(PairRequest):
    """What is asked about segments, of the predictor called `model`, or the best one for the pair and `label`."""

    model: ModelId | None = None
    label: LabelName | None = None
    profile: ProfileName | None = None


def pair_of(request: PairRequest) -> LanguagePair:
    """The languages of a request."""
    return LanguagePair(request.source_language, request.target_language)


def check_pairs(pair: LanguagePair, segments: Sequence[Segment], limits: Limits) -> "Segments":
    """The segments of a request, every one checked."""
    from app.engine.segments import Segments

    check_count(len(segments), limits.segments, ("segments",))
    sources, translations = [segment.source for segment in segments], [segment.translation for segment in segments]
    check_segments(sources, limits.characters, ("segments",), "source")
    check_segments(translations, limits.characters, ("segments",), "translation")
    return Segments(pair, sources, translations, check_side_information(segments, limits.characters))


def segments_of(pair: LanguagePair, segments: Sequence[Segment]) -> "Segments":
    """The same of segments that were checked."""
    return check_pairs(pair, segments, UNLIMITED)


UNLIMITED = Limits(2**62, 2**62, 2**62, 2**62)


def columns_of(segments: "Segments") -> Json:
    """Segments as the columns of a job."""
    return {"sources": list(segments.sources), "translations": list(segments.translations), **segments.side_information.as_json()}


def segments_of_chunk(params: Mapping[str, Any], chunk: Mapping[str, Any]) -> "Segments":
    """The segments of a job's chunk, as `columns_of` wrote them."""
    from app.engine.segments import Segments

    pair = LanguagePair(params["source_language"], params["target_language"])
    return Segments(pair, chunk["sources"], chunk["translations"], SideInformation.from_json(chunk))


def chunk_with_evidence(engine: "Engine", params: Mapping[str, Any], chunk: Mapping[str, Any]) -> "Segments":
    """The segments of a job's chunk with what systems give, where its parameters ask for it."""
    segments = segments_of_chunk(params, chunk)
    if not params.get("from_systems"):
        return segments
    return engine.systems.with_planned(segments, params)


def work_of_evidence(engine: "Engine", request: "SystemsRequest") -> int:
    """The work of systems that are asked about a request's `segments`."""
    if not request.from_systems:
        return 0
    from app.operations.parts.work import work_of_translating

    work = 0
    for of_sources, effort, lists, tokenise in engine.systems.effort(pair_of(request), request.from_systems):
        texts = (segment.source if of_sources else segment.translation for segment in request.segments)
        work += work_of_translating(texts, effort, lists, tokenise)
    return work


def check_present(total: int) -> None:
    """InputError where a job would have nothing to do."""
    if not total:
        raise InputError("empty-input", "a job needs at least one segment", ("segments",))
