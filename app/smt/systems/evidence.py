"""Side information from loaded systems: pseudo-references, back-translations, and n-best lists."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from app.engine.evidence import EVIDENCE_KINDS, evidence_kinds
from app.engine.segments import Segments
from app.errors import InputError
from app.features import Evidence
from app.smt.systems.loaded import LoadedSystems
from app.text.languages import LanguagePair
from app.text.side_information import GivenPart
from app.text.side_information.kinds import BACK_TRANSLATIONS, N_BEST, PSEUDO_REFERENCES
from app.text.tokenisation import tokens_of

if TYPE_CHECKING:
    from app.smt.decoder.serving.served_system import ServedTranslation

__all__ = ["LIST_LENGTH", "Systems"]

# Hypotheses in the lists that features read.
LIST_LENGTH: Final = 100
# A text whose hypothesis has the scores of every hypothesis.
PROBE: Final = "."


def _directions(pair: LanguagePair, fields: Collection[str]) -> list[LanguagePair]:
    """Return the directions that the wanted kinds need."""
    kinds = evidence_kinds(fields)
    return [pair] * bool(kinds & {N_BEST, PSEUDO_REFERENCES}) + [pair.reversed] * (BACK_TRANSLATIONS in kinds)


def _check_once(fields: Collection[str], present: Evidence) -> None:
    duplicates = sorted(kind.request_field for kind in EVIDENCE_KINDS if kind in evidence_kinds(fields) & present)
    if duplicates:
        raise InputError("invalid-request", f"{duplicates[0]} is in the segments too; remove one of the two", ("from_systems",))


def _check_own(translations: Sequence[str], results: "Sequence[ServedTranslation]") -> None:
    """Raise InputError for a segment whose translation differs from the system's own: the list belongs to another text."""
    for row, (text, result) in enumerate(zip(translations, results, strict=True)):
        if tokens_of(text) != tokens_of(result.best.text):
            detail = "this is not the system's own translation, as translate gives it; its n-best list belongs to another text"
            raise InputError("missing-evidence", detail, ("segments", row, "translation"))


class Systems(LoadedSystems):
    """Loaded systems as a source of evidence (`app.engine.evidence.EvidenceSource`)."""

    def planned(self, pair: LanguagePair, fields: Collection[str], request_kinds: Evidence) -> tuple[Evidence, dict[str, Any]]:
        """Return the kinds that a job's segments will have, and the fingerprints of its systems; InputError as `with_evidence`."""
        _check_once(fields, request_kinds)
        if not fields:
            return request_kinds, {}
        files = {name: digest for direction in _directions(pair, fields) for name, digest in self.fingerprint(direction).items()}
        return request_kinds | evidence_kinds(fields) | self._parts(pair, fields), {"systems": files}

    def _parts(self, pair: LanguagePair, fields: Collection[str]) -> Evidence:
        """Parts of every segment's evidence: a pseudo-reference, a hypothesis, and the decoder's scores of a short text."""
        kinds, parts = evidence_kinds(fields), set[GivenPart]()
        if PSEUDO_REFERENCES in kinds:
            parts.add(GivenPart(PSEUDO_REFERENCES.name, "1"))
        if N_BEST in kinds:
            [result] = self.of(pair).translate([PROBE], 1, distinct=True, beginnings=True)
            scores = dict(result.n_best[0].features) if result.n_best else {}
            components = (f"{name}.{k}" for name, values in scores.items() for k in range(len(values)))
            parts.update(GivenPart(N_BEST.name, part) for part in ("1", *components))
        return frozenset(parts)

    def with_pinned_systems(self, segments: Segments, params: Mapping[str, Any]) -> Segments:
        """Extend the segments of a job's chunk; InputError if the systems changed since the job was planned."""
        fields = params.get("from_systems") or ()
        if fields:
            self.check(params["systems"], _directions(segments.pair, fields))
        try:
            return self.with_evidence(segments, fields)
        except InputError as error:
            # Row numbers of a chunk mean nothing to the caller.
            raise InputError(error.code, error.detail, error.where[:1]) from None

    def translations(self, pair: LanguagePair, sources: Sequence[str]) -> Iterator[str]:
        """Yield the best translation of each source; InputError names a missing system, or a source that is too long."""
        return (result.best.text for result in self.of(pair).translate(sources))

    def effort(self, pair: LanguagePair, fields: Collection[str]) -> Iterator[tuple[bool, float, int, bool]]:
        """Yield planned translations: True for sources, the system's effort, the list length, True for tokenisation."""
        for direction in _directions(pair, fields):
            try:
                system = self.of(direction)
            except InputError:
                # A missing system is reported when it is needed.
                continue
            lists = LIST_LENGTH if direction == pair and N_BEST.request_field in fields else 0
            yield direction == pair, system.effort, lists, system.card.tokenise

    def with_evidence(self, segments: Segments, fields: Collection[str]) -> Segments:
        """Extend segments by the kinds in `fields`; InputError if the request has such a kind itself.

        The system of the pair translates the sources: pseudo-references, and n-best lists for segments with its own translation.
        The system of the reverse direction makes back-translations. Systems translate the first 1,000 words of a text: features
        read no more. InputError names a missing system, or a segment with a translation from elsewhere.
        """
        kinds = evidence_kinds(fields)
        _check_once(fields, segments.evidence)
        if not kinds:
            return segments
        columns: dict[str, Sequence[Any]] = {}
        if kinds & {N_BEST, PSEUDO_REFERENCES}:
            system = self.of(segments.pair)
            length = LIST_LENGTH if N_BEST in kinds else 0
            results = list(system.translate(segments.sources, length, distinct=True, beginnings=True))
            if PSEUDO_REFERENCES in kinds:
                columns[PSEUDO_REFERENCES.name] = [[result.best.text] for result in results]
            if N_BEST in kinds:
                _check_own(segments.translations, results)
                columns[N_BEST.name] = [
                    [{"text": entry.text, "score": entry.score, "features": dict(entry.features)} for entry in result.n_best]
                    for result in results
                ]
        if BACK_TRANSLATIONS in kinds:
            back = self.of(segments.pair.reversed).translate(segments.translations, beginnings=True)
            columns[BACK_TRANSLATIONS.name] = [result.best.text for result in back]
        return Segments(segments.pair, segments.sources, segments.translations, segments.side_information.with_kinds(**columns))
