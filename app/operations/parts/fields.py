"""Parts that the requests of several operations share, and their checks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar, runtime_checkable

from pydantic import Field, FiniteFloat, create_model

from app.errors import InputError
from app.operations.operation import Body, Json
from app.operations.parts.names import LabelName, Language, ModelId, ProfileName
from app.text import LanguagePair
from app.text.side_information import segment_fields
from app.text.side_information.kinds import FromSystem

__all__ = [
    "EXAMPLE_PAIR",
    "AsksPairs",
    "DocumentName",
    "LabelledSegment",
    "PairRequest",
    "Segment",
    "SegmentsRequest",
    "SystemsRequest",
    "check_present",
    "in_loaded_languages",
    "pair_of",
]

TaskName = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[\w.-]+$", description="Annotator, system or domain")]
DocumentName = Annotated[str, Field(max_length=200, description="Document of the segment")]
R = TypeVar("R", bound=Body)
EXAMPLE_PAIR = {"source": "Casa este mare.", "translation": "The house is big."}


class TextPair(Body):
    """One pair of source and translation."""

    source: str
    translation: str


if TYPE_CHECKING:
    from app.engine import Engine

    class Segment(TextPair):
        """One pair of source and translation, with fields for every kind of side information."""

else:
    Segment = create_model("Segment", __base__=TextPair, __doc__=TextPair.__doc__, **segment_fields())


class LabelledSegment(Segment):
    """A pair with its quality label."""

    label: FiniteFloat
    task: TaskName | None = None
    document: DocumentName | None = None


@runtime_checkable
class AsksPairs(Protocol):
    """A request about language pairs."""

    def pairs(self) -> list[LanguagePair]:
        """The language pairs of the request; empty where it names none."""


class PairRequest(Body):
    """A request about a language pair."""

    source_language: Language
    target_language: Language

    def pairs(self) -> list[LanguagePair]:
        """All language pairs that it asks about."""
        return [pair_of(self)]


class SystemsRequest(PairRequest):
    """A request about `segments` that loaded phrase-based systems may add side information to."""

    segments: Sequence[Segment]

    from_systems: (
        Annotated[list[FromSystem], Field(min_length=1, max_length=3, description="Fields that loaded systems translate for")]
        | None
    ) = None

    def parameters(self) -> Json:
        """Parameters of its job without the segments; systems are named only if the request asks some."""
        return self.model_dump(exclude={"segments"} if self.from_systems else {"segments", "from_systems"})


class SegmentsRequest(PairRequest):
    """A request about segments, for the predictor called `model`, or the best predictor of the pair and `label`."""

    model: ModelId | None = None
    label: LabelName | None = None
    profile: ProfileName | None = None


def pair_of(request: PairRequest) -> LanguagePair:
    """The languages of a request."""
    return LanguagePair(request.source_language, request.target_language)


def check_present(total: int) -> None:
    """InputError (`empty-input`) for a request without segments; every verb refuses them alike."""
    if not total:
        raise InputError("empty-input", "there are no segments; send at least one", ("segments",))


def in_loaded_languages(engine: "Engine", request: R) -> R:
    """The request in the languages that answer it, ro-en for ro-RO:en-US; as it is where nothing answers or it has none."""
    if not isinstance(request, PairRequest):
        return request
    updates: dict[str, Any] = {}
    requested_pair = pair_of(request)
    pair = requested_pair.nearest(engine.resources.pairs) or requested_pair
    if pair != requested_pair:
        updates |= {"source_language": pair.source, "target_language": pair.target}
    other_pairs = getattr(request, "others", None)
    if other_pairs:
        updates["others"] = [in_loaded_languages(engine, part) for part in other_pairs]
    return request.model_copy(update=updates) if updates else request
