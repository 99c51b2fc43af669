"""Request of a ranking, and its checks."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Self

from pydantic import Field, FiniteFloat, PrivateAttr, model_validator

from app.errors import InputError
from app.operations.operation import Body, Json, with_example
from app.operations.parts.fields import PairRequest, check_present, pair_of
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.parts.names import LabelName, ModelId, ModelIds, ProfileName, SystemName
from app.operations.parts.quality_rows import CHECKS
from app.operations.translating import ServiceName, Sources, Translators, check_filled, check_sources, check_texts, gathered
from app.text import LanguagePair
from app.text.reading.checking import check_segments
from app.text.reading.lines import lines_of

__all__ = [
    "Candidates",
    "RankRequest",
    "candidates_of",
    "check_candidates",
    "check_ranking",
    "read_files",
    "sources_of",
    "translated",
    "with_services",
    "with_translations_of",
]

MOST_SERVICES: Final = 64
ABOUT_SERVICES: Final = "Translation services whose translations are further candidates, from GET /v1/resources"
ABOUT_DIFFERENCES: Final = "Answer this many segments of each kind in which a system differs from the baseline"
ABOUT_MODELS: Final = (
    "In place of `model`: ids whose mean score counts, or the id for each system; the mean of all counts for further systems"
)


class Translation(Body):
    """One system's translation of a source."""

    system: SystemName
    text: str


class Candidates(Body):
    """One source with the translations to rank."""

    source: str
    translations: Annotated[list[Translation], Field(min_length=1)]

    @property
    def texts(self) -> dict[str, str]:
        """Translations by system."""
        return {translation.system: translation.text for translation in self.translations}


class RankRequest(PairRequest):
    """POST /v1/rank."""

    model_config = with_example(
        {
            "source_language": "ro",
            "target_language": "en",
            "segments": [
                {
                    "source": "Casa este mare.",
                    "translations": [{"system": "one", "text": "The house is big."}, {"system": "two", "text": "House is big."}],
                }
            ],
        }
    )

    model: ModelId | None = None
    models: Annotated[ModelIds | None, Field(description=ABOUT_MODELS)] = None
    label: LabelName | None = None
    profile: ProfileName | None = None
    warnings: Annotated[bool, Field(description=CHECKS)] = True
    baseline: Annotated[SystemName | None, Field(description="The system that verdicts compare with; the first otherwise")] = None
    alpha: Annotated[FiniteFloat, Field(ge=0, le=1, description="Level of significance of verdicts")] = 0.05
    differences: Annotated[int | None, Field(ge=1, le=500, description=ABOUT_DIFFERENCES)] = None
    segments: list[Candidates] = Field(default_factory=list)
    sources: Sources | None = None
    translate: Annotated[list[ServiceName], Field(min_length=1, max_length=MOST_SERVICES, description=ABOUT_SERVICES)] | None = None

    _services: frozenset[str] = PrivateAttr(frozenset())
    _failures: dict[str, str] = PrivateAttr(default_factory=dict)

    @property
    def services(self) -> frozenset[str]:
        """Systems that are services which have translated already."""
        return self._services

    @property
    def failures(self) -> dict[str, str]:
        """Reasons of the services that failed and are no systems."""
        return self._failures

    @model_validator(mode="after")
    def _with_texts(self) -> Self:
        check_texts(self.model_fields_set, self.segments, self.sources, self.translate)
        return self


def candidates_of(request: RankRequest) -> list[dict[str, str]]:
    """Candidates of each source by system."""
    return [segment.texts for segment in request.segments]


def sources_of(request: RankRequest) -> list[str]:
    """Sources of a request, with translations or without."""
    return [segment.source for segment in request.segments] if request.sources is None else list(request.sources)


def with_services(request: RankRequest, translations: Mapping[str, Sequence[str]]) -> RankRequest:
    """The request with a further candidate for each source from each service, and no service left to ask."""
    segments = request.segments
    if request.sources is not None:
        segments = [Candidates.model_construct(source=source, translations=[]) for source in request.sources]
    for name, texts in translations.items():
        candidates = [Translation.model_construct(system=name, text=text) for text in texts]
        segments = [
            Candidates.model_construct(source=segment.source, translations=[*segment.translations, translation])
            for segment, translation in zip(segments, candidates, strict=True)
        ]
    translated_request = request.model_copy(update={"segments": segments, "sources": None, "translate": None})
    translated_request._services = frozenset(translations)
    return translated_request


def translated(translators: Translators, request: RankRequest) -> RankRequest:
    """The request with the translations of its services, all of which are checked first."""
    names = request.translate or []
    for name in names:
        translators.check(name)
    candidates, failures = with_translations_of(
        translators, names, pair_of(request), sources_of(request), candidates_of(request), request.baseline
    )
    translations = {name: [row[name] for row in candidates] for name in names if name not in failures}
    translated_request = with_services(request, translations)
    translated_request._failures = failures
    return translated_request


def with_translations_of(
    translators: Translators,
    names: Sequence[str],
    pair: LanguagePair,
    sources: Sequence[str],
    candidates: Sequence[Mapping[str, str]],
    baseline: str | None,
    numbers: Sequence[int] = (),
) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Candidates of each source with those of the services that answer, and the reasons of the services that fail.

    The error of a service is raised if it is the baseline, or if a source has no other candidate.
    """
    translations, errors = gathered(translators, names, pair, sources, numbers)
    rows = [dict(row) for row in candidates or [{} for _ in sources]]
    for name, texts in translations.items():
        for row, text in zip(rows, texts, strict=True):
            row[name] = text
    if errors and (baseline in errors or not all(rows)):
        raise errors.get(baseline or "", next(iter(errors.values())))
    # The end of a detail is a remedy for the whole request.
    return rows, {name: error.detail.partition(";")[0] for name, error in errors.items()}


def read_files(files: Mapping[str, bytes]) -> Json:
    """Candidates from files of lines called ``source`` and ``system:NAME``."""
    sources = lines_of(files.get("source", b""), "source")
    systems = {}
    for role, raw in files.items():
        kind, _, name = role.partition(":")
        if role == "source":
            continue
        if kind != "system" or not name:
            raise InputError("invalid-job", "send source and system:NAME, or one file with several translations, called file")
        systems[name] = lines_of(raw, "system")
        if len(systems[name]) != len(sources):
            raise InputError("unequal-lengths", f"a system has {len(systems[name])} lines but source has {len(sources)}")
    rows = zip(sources, *systems.values(), strict=True)
    return {
        "segments": [
            {"source": source, "translations": [{"system": name, "text": text} for name, text in zip(systems, texts, strict=True)]}
            for source, *texts in rows
        ]
    }


def check_ranking(request: RankRequest, limits: RequestLimits) -> None:
    """InputError for impossible segments, systems or models."""
    if request.sources is not None:
        check_sources(request.sources, limits)
    if request.translate:
        if len(set(request.translate)) != len(request.translate):
            raise InputError("invalid-request", "a service translates each source once", ("translate",))
        check_filled([segment.source for segment in request.segments], ("segments",), "source")
        # Translations are about as long as their sources.
        request = with_services(request, dict.fromkeys(request.translate, sources_of(request)))
    check_present(len(request.segments))
    if request.model is not None and request.models is not None:
        raise InputError("invalid-request", "give model or models", ("models",))
    systems = {translation.system for segment in request.segments for translation in segment.translations}
    if request.baseline is not None and request.baseline not in systems:
        raise InputError("invalid-request", "the baseline must be the name of one of the systems", ("baseline",))
    if isinstance(request.models, dict) and (unknown := request.models.keys() - systems):
        raise InputError("invalid-request", f"no translation is of the system {min(unknown)}", ("models",))
    check_candidates(request.segments, limits)


def check_candidates(segments: Sequence[Candidates], limits: RequestLimits) -> None:
    """InputError for too many systems or segments, texts that are too long, and a system that stands twice in a segment."""
    systems = {translation.system for segment in segments for translation in segment.translations}
    if len(systems) > limits.systems:
        detail = f"the segments name {len(systems)} systems; at most {limits.systems} are compared"
        raise InputError("too-many-segments", detail, ("segments",))
    check_count(sum(len(segment.translations) for segment in segments), limits.segments, ("segments",))
    check_segments([segment.source for segment in segments], limits.characters, ("segments",), "source")
    for row, segment in enumerate(segments):
        place = ("segments", row, "translations")
        check_segments([translation.text for translation in segment.translations], limits.characters, place, "text")
        names = {translation.system for translation in segment.translations}
        if len(names) != len(segment.translations):
            raise InputError("invalid-request", "a system translates each source once", place)
        check_segments([translation.system for translation in segment.translations], limits.characters, place, "system")
