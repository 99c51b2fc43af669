"""Sources without translations, which services of the operator translate before an operation answers."""

from collections.abc import Mapping, Sequence, Set
from typing import Annotated, Any, Final, Protocol

from pydantic import Field

from app.errors import InputError
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.parts.names import PlainName
from app.text import LanguagePair
from app.text.reading.checking import check_segments

__all__ = [
    "NO_SERVICES",
    "SERVICE",
    "AnsweringService",
    "ServiceName",
    "Sources",
    "Translators",
    "check_filled",
    "check_sources",
    "check_texts",
    "columns_of_sources",
    "gathered",
    "names_service",
    "unknown_service",
    "with_translations",
]

SERVICE: Final = "Translation service for `sources`, from `translation_services` of GET /v1/resources"
SOURCES: Final = "Texts without translations, in place of `segments`; needs `translate`"
# Failures of one service, beside which others may answer.
FAILURE_CODES: Final = frozenset({"service-failed", "service-unreadable", "service-budget-spent"})
ServiceName = PlainName
Sources = Annotated[list[str], Field(description=SOURCES)]
AnsweringService = Annotated[str, Field(description="The service that translated the sources")]


class Translators(Protocol):
    """Translation services of the operator, for one owner of stored translations."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the services."""

    def check(self, service: str) -> None:
        """InputError (`unknown-service`) unless a service has this name."""

    def translations(self, service: str, pair: LanguagePair, sources: Sequence[str], numbers: Sequence[int] = ()) -> list[str]:
        """Translations by a service; InputError names the service and the first source that has none.

        `numbers` are the places of the sources in their document, from 0. Translations before a failure are stored.
        """


class _NoServices:
    """A process without services."""

    names = ()

    def check(self, service: str) -> None:
        """InputError always."""
        raise unknown_service(service, ())

    def translations(self, service: str, pair: LanguagePair, sources: Sequence[str], numbers: Sequence[int] = ()) -> list[str]:
        """InputError always."""
        raise unknown_service(service, ())


NO_SERVICES: Final[Translators] = _NoServices()


def unknown_service(service: str, names: Sequence[str]) -> InputError:
    """Error about a service that the operator has not configured."""
    remedy = f"the services are {', '.join(names)}" if names else "the operator sets ASSAY_TRANSLATION_SERVICES"
    return InputError("unknown-service", f"no translation service has this name; {remedy}", ("translate",))


def names_service(request: Any) -> bool:
    """Return True if a request names translation services."""
    return bool(getattr(request, "translate", None))


def check_texts(fields: Set[str], segments: Sequence[Any], sources: Sequence[str] | None, services: object) -> None:
    """ValueError unless a request has either the field of segments, or sources and services; `fields` are those that it sets."""
    if sources is None and "segments" not in fields:
        raise ValueError("segments are missing; send them, or sources and translate")
    if sources is not None and segments:
        raise ValueError("send segments or sources")
    if sources is not None and not services:
        raise ValueError("sources need translate, the name of a translation service")


def check_sources(sources: Sequence[str], limits: RequestLimits) -> None:
    """InputError for sources that are none, too many or too long, or that no text may hold."""
    if not sources:
        raise InputError("empty-input", "there are no sources; send at least one", ("sources",))
    check_count(len(sources), limits.segments, ("sources",))
    check_segments(sources, limits.characters, ("sources",))
    check_filled(sources, ("sources",))


def check_filled(sources: Sequence[str], path: tuple[str | int, ...], *field: str) -> None:
    """InputError (`empty-input`) for a blank source: no service translates it, and its score would mean nothing."""
    row = next((row for row, source in enumerate(sources) if not source.strip()), None)
    if row is not None:
        raise InputError("empty-input", "this source is empty, and nothing can be translated; leave it out", (*path, row, *field))


def gathered(
    translators: Translators, names: Sequence[str], pair: LanguagePair, sources: Sequence[str], numbers: Sequence[int] = ()
) -> tuple[dict[str, list[str]], dict[str, InputError]]:
    """Translations by each service that answers, and the error of each service that fails."""
    translations: dict[str, list[str]] = {}
    errors: dict[str, InputError] = {}
    for name in names:
        try:
            translations[name] = translators.translations(name, pair, sources, numbers)
        except InputError as error:
            if error.code not in FAILURE_CODES:
                raise
            errors[name] = error
    return translations, errors


def columns_of_sources(sources: Sequence[str]) -> dict[str, Any]:
    """Sources as the columns of a job, with their places in the document, which errors name."""
    return {"sources": list(sources), "numbers": list(range(len(sources)))}


def with_translations(translators: Translators, params: Mapping[str, Any], chunk: Mapping[str, Any]) -> dict[str, Any]:
    """A job's chunk with translations; a chunk of sources alone gets those of the service in `params`."""
    if "translations" in chunk:
        return dict(chunk)
    pair = LanguagePair(params["source_language"], params["target_language"])
    texts = translators.translations(params["translate"], pair, chunk["sources"], chunk["numbers"])
    return {"sources": chunk["sources"], "translations": texts}
