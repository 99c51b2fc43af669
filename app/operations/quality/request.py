"""Request of predicted quality, its checks, and the translation of its sources."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from app.operations.documents.quality import DocumentSegment, check_named
from app.operations.glossary import GLOSSARY, GlossaryField, requested_glossary
from app.operations.operation import Json, with_example
from app.operations.parts.fields import EXAMPLE_PAIR, SegmentsRequest, SystemsRequest, check_present, pair_of
from app.operations.parts.limits import RequestLimits
from app.operations.parts.quality_rows import CHECKS
from app.operations.parts.segments import check_pairs
from app.operations.parts.terms import TermsOptions
from app.operations.translating import SERVICE, ServiceName, Sources, Translators, check_sources, check_texts

__all__ = ["TRANSLATING", "QualityOptions", "QualityRequest", "check_quality", "paired", "translated"]

# Fields whose texts are translated before they are assessed.
TRANSLATING: Final = frozenset({"sources", "translate"})
# Options that say nothing about documents. Checks are on by default, so that a request for them does not stand out.
OF_SEGMENTS: Final = frozenset({"explain", "words", "bands", "accept", "currency", "word_price", "from_systems", "glossary"})


class QualityOptions(TermsOptions):
    """Options beside scores.

    `level` word asks for tags of words and gaps alone; label and options are then of no use. `level` document asks a predictor of
    documents, with `interval` as the only option; segments that name no `document` are one.
    """

    interval: Annotated[FiniteFloat, Field(ge=0.5, le=0.99, description="Share of labels the interval is to hold")] = 0.9
    explain: bool = False
    words: Annotated[bool, Field(description="Add tags of words and gaps, where the pair has a tagger")] = False
    warnings: Annotated[bool, Field(description=CHECKS)] = True
    level: Literal["sentence", "word", "document"] = "sentence"
    glossary: Annotated[GlossaryField, Field(description=GLOSSARY)] | None = None


class QualityRequest(SegmentsRequest, SystemsRequest, QualityOptions):
    """POST /v1/quality."""

    model_config = with_example({"source_language": "ro", "target_language": "en", "segments": [EXAMPLE_PAIR], "words": True})

    segments: list[DocumentSegment] = Field(default_factory=list)
    sources: Sources | None = None
    translate: Annotated[ServiceName, Field(description=SERVICE)] | None = None

    def parameters(self) -> Json:
        """Parameters of its job without texts; a service and a glossary only if the request has them."""
        params = super().parameters()
        hidden = TRANSLATING if self.glossary else TRANSLATING | {"glossary"}
        return {name: params[name] for name in params if name not in hidden} | (
            {"translate": self.translate} if self.translate else {}
        )

    @model_validator(mode="after")
    def _with_texts(self) -> Self:
        check_texts(self.model_fields_set, self.segments, self.sources, self.translate)
        if self.translate and self.sources is None:
            raise ValueError("translate is for sources; segments have their translations")
        return self

    @model_validator(mode="after")
    def _with_scores(self) -> Self:
        if self.translate and self.level == "word":
            raise ValueError("level word tags translations that are sent; ask for words instead")
        if self.from_systems and self.level == "word":
            raise ValueError("level word asks nothing that systems translate; leave from_systems out")
        if self.glossary and (self.level == "word" or not self.warnings):
            raise ValueError("terms of a glossary are checked with the warnings of sentences; leave glossary out")
        if self.level == "document":
            names = sorted(name for name in OF_SEGMENTS & self.model_fields_set if getattr(self, name))
            if names:
                raise ValueError(f"level document answers scores of documents alone; leave {names[0]} out")
        return self


def translated(translators: Translators, request: QualityRequest) -> QualityRequest:
    """The request with translations of its service."""
    if request.sources is None or request.translate is None:
        return request
    return paired(request, request.sources, translators.translations(request.translate, pair_of(request), request.sources))


def paired(request: QualityRequest, sources: Sequence[str], translations: Sequence[str]) -> QualityRequest:
    """The request with segments in place of its sources."""
    texts = zip(sources, translations, strict=True)
    segments = [DocumentSegment.model_construct(source=source, translation=translation) for source, translation in texts]
    return request.model_copy(update={"segments": segments, "sources": None})


def check_quality(request: QualityRequest, limits: RequestLimits) -> None:
    """InputError for segments or sources that are none, too many or too long."""
    requested_glossary(request.glossary, request.source_language)
    if request.sources is not None:
        check_sources(request.sources, limits)
        return
    check_present(len(request.segments))
    check_pairs(pair_of(request), request.segments, limits)
    check_named(request.segments, request.level)
