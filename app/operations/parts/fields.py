"""Parts that the requests of several operations share, and their checks."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, FiniteFloat, create_model

from app.errors import InputError
from app.operations.operation import Body, Json
from app.operations.parts.limits import Limits, check_count
from app.operations.parts.names import LabelName, Language, ModelId, ProfileName
from app.text import LanguagePair
from app.text.reading.checking import check_segments
from app.text.side_information import SideInformation, check_side_information, segment_fields

__all__ = [
    "EXAMPLE_PAIR",
    "LabelledSegment",
    "PairRequest",
    "Segment",
    "SegmentsRequest",
    "check_pairs",
    "columns_of",
    "pair_of",
    "segments_of",
    "segments_of_chunk",
]

TaskName = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[\w.-]+$", description="Annotator, system or domain")]
EXAMPLE_PAIR = {"source": "Casa este mare.", "translation": "The house is big."}


class TextPair(Body):
    """One pair of source and translation."""

    source: str
    translation: str


if TYPE_CHECKING:
    # A command that only asks a server makes requests, and imports no engine.
    from app.engine.segments import Segments

    class Segment(TextPair):
        """One pair of source and translation, with fields for every kind of side information."""

else:
    Segment = create_model("Segment", __base__=TextPair, __doc__=TextPair.__doc__, **segment_fields())


class LabelledSegment(Segment):
    """A pair with its quality label."""

    label: FiniteFloat
    task: TaskName | None = None


class PairRequest(Body):
    """What is asked about a language pair."""

    source_language: Language
    target_language: Language

    def pairs(self) -> list[LanguagePair]:
        """All language pairs that it asks about."""
        return [pair_of(self)]


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


def check_present(total: int) -> None:
    """InputError where a job would have nothing to do."""
    if not total:
        raise InputError("empty-input", "a job needs at least one segment", ("segments",))
