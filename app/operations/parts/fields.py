"""Parts that the requests of several operations share, and their checks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self, TypeVar, runtime_checkable

from pydantic import Field, FiniteFloat, create_model, model_validator

from app.errors import InputError
from app.operations.operation import Body, Json
from app.operations.parts.names import LabelName, Language, ModelId, ProfileName
from app.text import LanguagePair
from app.text.languages import language_pair
from app.text.reading.decoder_files import DECODER_FILES, read_decoder_files
from app.text.reading.lines import TextFile
from app.text.side_information import SideInformation, segment_fields
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


class DecoderTexts(Body):
    """Contents of files that a decoder wrote about the segments of a request."""

    n_best: Annotated[str, Field(description=DECODER_FILES["n_best"])] | None = None
    moses_log: Annotated[str, Field(description=DECODER_FILES["moses_log"])] | None = None
    search_graph: Annotated[str, Field(description=DECODER_FILES["search_graph"])] | None = None

    def side_information(self) -> SideInformation:
        """Read the contents; InputError names a line."""
        texts = self.model_dump(exclude_none=True)
        return read_decoder_files({role: TextFile(role, text.encode("utf-8", "surrogatepass")) for role, text in texts.items()})


class SystemsRequest(PairRequest):
    """A request about `segments` that loaded phrase-based systems, or files of a decoder, may add side information to."""

    segments: Sequence[Segment]
    decoder: Annotated[DecoderTexts, Field(description="Texts of a decoder's files, in place of n_best and search")] | None = None

    from_systems: (
        Annotated[list[FromSystem], Field(min_length=1, max_length=3, description="Fields that loaded systems translate for")]
        | None
    ) = None

    @model_validator(mode="after")
    def _with_decoder(self) -> Self:
        """Move the contents of a decoder's files to the segments."""
        if self.decoder is None:
            return self
        columns, self.decoder = self.decoder.side_information().as_json(), None
        for name, column in columns.items():
            if len(column) != len(self.segments):
                detail = f"the decoder's files are of {len(column)} segments, but the request has {len(self.segments)}"
                raise InputError("unequal-lengths", detail, ("decoder",))
            if any(getattr(segment, name) is not None for segment in self.segments):
                raise InputError("invalid-request", f"{name} stands in segments and in decoder; send it once", ("decoder",))
        self.segments = [
            segment.model_copy(update={name: column[row] for name, column in columns.items()})
            for row, segment in enumerate(self.segments)
        ]
        return self

    def parameters(self) -> Json:
        """Parameters of its job without the segments; systems are named only if the request asks some."""
        return self.model_dump(exclude={"segments", "decoder"} if self.from_systems else {"segments", "decoder", "from_systems"})


class SegmentsRequest(PairRequest):
    """A request about segments, for the predictor called `model`, or the best predictor of the pair and `label`."""

    model: ModelId | None = None
    label: LabelName | None = None
    profile: ProfileName | None = None


def pair_of(request: PairRequest) -> LanguagePair:
    """The languages of a request."""
    return language_pair(request.source_language, request.target_language)


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
