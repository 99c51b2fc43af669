"""Side information that loaded systems give: pseudo-references, back-translations, and lists of their own translations."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from app.engine.segments import Segments
from app.engine.systems.loaded import Systems
from app.errors import InputError
from app.features import Need
from app.text.languages import LanguagePair
from app.text.side_information.kind import Kind
from app.text.side_information.kinds import BACK_TRANSLATIONS, N_BEST, PSEUDO_REFERENCES
from app.text.tokenisation import tokens_of

if TYPE_CHECKING:
    from app.translation.serving import Translated

__all__ = ["LIST_LENGTH", "effort_of_evidence", "kinds_from_systems", "planned_evidence", "with_evidence", "with_planned_evidence"]

# Translations in a list that features look at.
LIST_LENGTH: Final = 100
MADE: Final[tuple[Kind[Any], ...]] = (N_BEST, PSEUDO_REFERENCES, BACK_TRANSLATIONS)


def kinds_from_systems(wanted: Collection[str]) -> frozenset[Need]:
    """The kinds that fields of segments are called."""
    return frozenset(kind for kind in MADE if kind.request_field in wanted)


def _directions(pair: LanguagePair, wanted: Collection[str]) -> list[LanguagePair]:
    """What is translated for it."""
    kinds = kinds_from_systems(wanted)
    return [pair] * bool(kinds & {N_BEST, PSEUDO_REFERENCES}) + [pair.reversed] * (BACK_TRANSLATIONS in kinds)


def planned_evidence(
    systems: Systems, pair: LanguagePair, wanted: Collection[str], given: frozenset[Need]
) -> tuple[frozenset[Need], dict[str, Any]]:
    """What a job's segments have in the end beside the two texts, and parameters that fix the systems; InputError as below."""
    _check_once(wanted, given)
    if not wanted:
        return given, {}
    files = {name: digest for one in _directions(pair, wanted) for name, digest in systems.fingerprint(one).items()}
    return given | kinds_from_systems(wanted), {"systems": files}


def with_planned_evidence(systems: Systems, segments: Segments, params: Mapping[str, Any]) -> Segments:
    """The segments of a job's chunk with what its parameters want of the systems that it was planned with, and of no others."""
    wanted = params.get("from_systems") or ()
    if wanted:
        systems.check(params["systems"], _directions(segments.pair, wanted))
    try:
        return with_evidence(systems, segments, wanted)
    except InputError as error:
        # Rows are those of a chunk, which nobody knows outside.
        raise InputError(error.code, error.detail, error.where[:1]) from None


def effort_of_evidence(systems: Systems, pair: LanguagePair, wanted: Collection[str]) -> Iterator[tuple[bool, float, int, bool]]:
    """What is translated for it: whether sources, with which effort, with how long lists, and whether they are tokenised first."""
    for direction in _directions(pair, wanted):
        try:
            system = systems.of(direction)
        except InputError:
            # There is none, which is said where it is asked.
            continue
        lists = LIST_LENGTH if direction == pair and N_BEST.request_field in wanted else 0
        yield direction == pair, system.effort, lists, system.card.tokenise


def _check_once(wanted: Collection[str], given: frozenset[Need]) -> None:
    twice = sorted(kind.request_field for kind in MADE if kind in kinds_from_systems(wanted) & given)
    if twice:
        raise InputError("invalid-request", f"{twice[0]} came beside the segments too; leave one of the two out", ("from_systems",))


def with_evidence(systems: Systems, segments: Segments, wanted: Collection[str]) -> Segments:
    """Segments with what is `wanted` from systems, which must not have come beside them.

    A system of the pair translates the sources: its translations are pseudo-references, and of segments that it translated itself,
    and no others, it has n-best lists. A system of the other direction translates the translations back. Of longer texts the first
    1,000 words are translated, since features look at no more. InputError says which system is missing, or which segment is not
    the system's own.
    """
    kinds = kinds_from_systems(wanted)
    _check_once(wanted, segments.given)
    if not kinds:
        return segments
    columns: dict[str, Sequence[Any]] = {}
    if kinds & {N_BEST, PSEUDO_REFERENCES}:
        system = systems.of(segments.pair)
        length = LIST_LENGTH if N_BEST in kinds else 0
        made = list(system.translate(segments.sources, length, distinct=True, beginnings=True))
        if PSEUDO_REFERENCES in kinds:
            columns[PSEUDO_REFERENCES.name] = [[one.best.text] for one in made]
        if N_BEST in kinds:
            _check_own(segments.translations, made)
            columns[N_BEST.name] = [
                [{"text": entry.text, "score": entry.score, "features": dict(entry.features)} for entry in one.n_best]
                for one in made
            ]
    if BACK_TRANSLATIONS in kinds:
        back = systems.of(segments.pair.reversed).translate(segments.translations, beginnings=True)
        columns[BACK_TRANSLATIONS.name] = [one.best.text for one in back]
    return Segments(segments.pair, segments.sources, segments.translations, segments.side_information.extended(**columns))


def _check_own(translations: Sequence[str], made: "Sequence[Translated]") -> None:
    """InputError at a segment that the system translates otherwise: its list would say nothing of that translation."""
    for row, (text, one) in enumerate(zip(translations, made, strict=True)):
        if tokens_of(text) != tokens_of(one.best.text):
            detail = (
                "this is not the system's own translation, as translate gives it, and its n-best list says nothing of another's"
            )
            raise InputError("missing-evidence", detail, ("segments", row, "translation"))
