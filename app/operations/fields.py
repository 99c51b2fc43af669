"""Parts that the requests of several operations share, and their checks."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, FiniteFloat

from app.engine.segments import Segments
from app.errors import InputError
from app.operations.limits import Limits, check_count
from app.operations.operation import Body, Json
from app.text import LanguagePair
from app.text.checking import check_log_probs, check_segments

__all__ = [
    "EXAMPLE_PAIR",
    "LabelName",
    "LabelledSegment",
    "Language",
    "ModelId",
    "PairRequest",
    "Segment",
    "SegmentsRequest",
    "SystemName",
    "check_pairs",
    "columns_of",
    "pair_of",
    "segments_of",
    "segments_of_chunk",
]

Language = Annotated[str, Field(pattern="^[a-z]{2,3}$", description="ISO 639 code", examples=["en"])]
LabelName = Annotated[Literal["hter", "da", "effort", "likert", "time"], Field(description="What is predicted")]
ModelId = Annotated[str, Field(min_length=1, max_length=100, description="A model's id, from GET /v1/models")]
SystemName = Annotated[str, Field(min_length=1, max_length=100)]
TaskName = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[\w.-]+$", description="Annotator, system or domain")]
LogProbs = Annotated[list[FiniteFloat], Field(description="Natural logs, one per token of the MT system, then the end of sentence")]
EXAMPLE_PAIR = {"source": "Casa este mare.", "translation": "The house is big."}
SearchName = Literal["hypotheses", "nodes", "discarded", "pruned", "recombined", "phrases", "longest_phrase", "unknown_words"]


class ListEntry(Body):
    """One hypothesis of an n-best list."""

    text: str
    score: FiniteFloat
    features: Annotated[
        dict[SystemName, Annotated[list[FiniteFloat], Field(max_length=100)]], Field(max_length=100, default_factory=dict)
    ]


class Segment(Body):
    """One pair of source and translation."""

    source: str
    translation: str
    token_log_probs: LogProbs | None = None
    tokens: Annotated[list[str], Field(description="The MT system's own tokens, with @@ or ▁, for word-level quality")] | None = (
        None
    )
    token_entropies: Annotated[list[FiniteFloat], Field(description="Nats, one per token of the MT system")] | None = None
    passes: Annotated[list[LogProbs], Field(max_length=100, description="Log-probabilities in several passes")] | None = None
    samples: Annotated[list[str], Field(max_length=100, description="Translations sampled from the same system")] | None = None
    n_best: Annotated[list[ListEntry], Field(max_length=1000, description="The decoder's n-best list, best first")] | None = None
    search: Annotated[dict[SearchName, FiniteFloat], Field(description="Counts of the decoder's search")] | None = None
    pseudo_references: Annotated[list[str], Field(max_length=64, description="Translations by other systems")] | None = None
    back_translation: Annotated[str, Field(description="The translation, translated back")] | None = None


class LabelledSegment(Segment):
    """A pair with its quality label."""

    label: FiniteFloat
    task: TaskName | None = None


class PairRequest(Body):
    """What is asked about a language pair."""

    source_language: Language
    target_language: Language


class SegmentsRequest(PairRequest):
    """What is asked about segments, of the predictor called `model`, or the best one for the pair and `label`."""

    model: ModelId | None = None
    label: LabelName | None = None


def pair_of(request: PairRequest) -> LanguagePair:
    """The languages of a request."""
    return LanguagePair(request.source_language, request.target_language)


def check_pairs(pair: LanguagePair, segments: Sequence[Segment], limits: Limits) -> Segments:
    """The segments of a request, every one checked."""
    from app.operations.side_information import check_side_information

    check_count(len(segments), limits.segments, ("segments",))
    sources, translations = [s.source for s in segments], [s.translation for s in segments]
    check_segments(sources, limits.characters, ("segments",), "source")
    check_segments(translations, limits.characters, ("segments",), "translation")
    side_information = check_side_information(segments, limits.characters)
    log_probs = [s.token_log_probs for s in segments]
    if all(row is None for row in log_probs):
        return Segments(pair, sources, translations, None, side_information)
    check_log_probs(log_probs, ("segments",), limits.characters)
    return Segments(pair, sources, translations, [row for row in log_probs if row is not None], side_information)


def segments_of(pair: LanguagePair, segments: Sequence[Segment]) -> Segments:
    """The same of segments that were checked."""
    return check_pairs(pair, segments, UNLIMITED)


UNLIMITED = Limits(2**62, 2**62, 2**62, 2**62)


def columns_of(segments: Segments) -> Json:
    """Segments as the columns of a job."""
    columns: Json = {"sources": list(segments.sources), "translations": list(segments.translations)}
    if segments.token_log_probs is not None:
        columns["token_log_probs"] = [list(row) for row in segments.token_log_probs]
    return {**columns, **segments.side_information.as_json()}


def segments_of_chunk(params: Mapping[str, Any], chunk: Mapping[str, Any]) -> Segments:
    """The segments of a job's chunk, as `columns_of` wrote them."""
    from app.text.side_information import SideInformation

    pair = LanguagePair(params["source_language"], params["target_language"])
    beside = SideInformation.from_json(chunk)
    return Segments(pair, chunk["sources"], chunk["translations"], chunk.get("token_log_probs"), beside)


def check_present(total: int) -> None:
    """InputError where a job would have nothing to do."""
    if not total:
        raise InputError("empty-input", "a job needs at least one segment", ("segments",))
