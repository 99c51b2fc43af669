"""Sources of side information: loaded translation systems that translate the segments of a request."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from app.engine.segments import Segments
from app.errors import InputError
from app.features import Evidence
from app.resources.folder import ResourceFolder
from app.text.languages import LanguagePair
from app.text.side_information.kind import Kind
from app.text.side_information.kinds import BACK_TRANSLATIONS, N_BEST, PSEUDO_REFERENCES
from app.wings import attached

__all__ = ["EVIDENCE_KINDS", "EvidenceSource", "NoSystems", "evidence_kinds", "open_evidence"]

# Kinds of side information from translation systems.
EVIDENCE_KINDS: Final[tuple[Kind[Any], ...]] = (N_BEST, PSEUDO_REFERENCES, BACK_TRANSLATIONS)


def evidence_kinds(fields: Collection[str]) -> Evidence:
    """Kinds of side information by their names in requests."""
    return frozenset(kind for kind in EVIDENCE_KINDS if kind.request_field in fields)


class EvidenceSource(Protocol):
    """Translation systems by direction. `broken` gives the reason why a folder of resources cannot be used."""

    broken: dict[str, str]

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """Directions that can be translated."""

    def load(self, pairs: Sequence[LanguagePair] | None = None) -> None:
        """Open all systems, or the systems of `pairs` in either direction, and use each once."""

    def with_evidence(self, segments: Segments, fields: Collection[str]) -> Segments:
        """Segments extended by the side information that `fields` name; InputError (`missing-system`) without a system."""

    def translations(self, pair: LanguagePair, sources: Sequence[str]) -> Iterator[str]:
        """Best translation of each source; InputError (`missing-system`) without a system."""

    def planned(self, pair: LanguagePair, fields: Collection[str], evidence: Evidence) -> tuple[Evidence, dict[str, Any]]:
        """Kinds of side information of a job's segments, and job parameters that pin the translation systems."""

    def with_pinned_systems(self, segments: Segments, params: Mapping[str, Any]) -> Segments:
        """Segments of a job's chunk extended by the systems that its parameters fix, and by no others."""

    def effort(self, pair: LanguagePair, fields: Collection[str]) -> Iterator[tuple[bool, float, int, bool]]:
        """Translations to compute: sources or not, effort of the system, length of n-best lists, tokenised first or not."""


class NoSystems:
    """The source of a core without wings, which translates no pair."""

    def __init__(self) -> None:
        self.broken: dict[str, str] = {}

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """No direction."""
        return ()

    def load(self, pairs: Sequence[LanguagePair] | None = None) -> None:
        """Open nothing."""

    def with_evidence(self, segments: Segments, fields: Collection[str]) -> Segments:
        """The segments where `fields` is empty; InputError (`missing-system`) otherwise."""
        if fields:
            raise _no_system(segments.pair)
        return segments

    def translations(self, pair: LanguagePair, sources: Sequence[str]) -> Iterator[str]:
        """InputError (`missing-system`) always."""
        raise _no_system(pair)

    def planned(self, pair: LanguagePair, fields: Collection[str], evidence: Evidence) -> tuple[Evidence, dict[str, Any]]:
        """`evidence` and no parameters where `fields` is empty; InputError (`missing-system`) otherwise."""
        self.with_evidence(Segments(pair, [], []), fields)
        return evidence, {}

    def with_pinned_systems(self, segments: Segments, params: Mapping[str, Any]) -> Segments:
        """The segments, unless parameters ask for systems; InputError (`missing-system`) then."""
        return self.with_evidence(segments, params.get("from_systems") or ())

    def effort(self, pair: LanguagePair, fields: Collection[str]) -> Iterator[tuple[bool, float, int, bool]]:
        """No translations."""
        return iter(())


def _no_system(pair: LanguagePair) -> InputError:
    return InputError("missing-system", f"nothing translates {pair}; no system is loaded", ("source_language",))


def open_evidence(folders: Mapping[LanguagePair, ResourceFolder]) -> EvidenceSource:
    """The wing's systems in folders of resources; a system opens at its first use."""
    source: EvidenceSource = next((source(folders) for source in attached("evidence")), NoSystems())
    return source
