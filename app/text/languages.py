"""Pairs of languages: directions of translation, how they are written, and which of those that are there answers for one."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.errors import InputError
from app.text.language_tags import LONGEST_TAG, LanguageTag, is_known, parse_tag, read_tag, tag_name

__all__ = ["ANY_PAIR", "LanguagePair", "base_language", "nearest_language", "same_language"]

# What stands on cards in the place of a pair where a model answers for any: one language twice, which is no pair.
ANY_PAIR: Final = "any-any"
# Languages that lists of an encoder name by a wider or an older code.
LISTED_AS: Final = MappingProxyType({"nb": "no", "nn": "no", "fil": "tl", "prs": "fa"})
WRITTEN = "a language pair is written like 'en-de', or with a colon where a language is more than its code, like 'en-US:zh-CN'"


def base_language(tag: str) -> str:
    """The language of a tag without what else it says: ``pt`` of ``pt-BR``; what is no tag as it stands."""
    read = read_tag(tag)
    return tag if read is None else read.language


def same_language(one: str, other: str) -> bool:
    """Whether two tags differ at most by region, script or variant."""
    return base_language(one) == base_language(other)


def nearest_language(tag: str, there: Collection[str]) -> str | None:
    """Of languages that are there the one that answers for a tag: itself, or the next that says less."""
    read = read_tag(tag)
    return None if read is None else next((wider for wider in read.wider() if wider in there), None)


@dataclass(frozen=True, order=True)
class LanguagePair:
    """A direction of translation between two canonical tags, written ``en-de``, or ``en-US:zh-CN`` where one has subtags.

    InputError (`unknown-language-pair`) where one is no language, or both are the same one.
    """

    source: str
    target: str

    def __post_init__(self) -> None:
        for field, place in (("source", "source_language"), ("target", "target_language")):
            try:
                object.__setattr__(self, field, str(parse_tag(getattr(self, field))))
            except InputError as error:
                raise InputError(error.code, error.detail, (place,)) from None
        if same_language(self.source, self.target):
            detail = f"a pair is two languages, and this is {tag_name(base_language(self.source))} twice"
            raise InputError("unknown-language-pair", detail, ("target_language",))

    @classmethod
    def parse(cls, text: str) -> "LanguagePair":
        """Read ``en-de``, ``en-US:zh-CN`` or, where there is one way to read it, ``en-US-zh-CN``; else InputError."""
        source, colon, target = text.partition(":")
        if colon:
            return cls(source, target)
        if len(text) > 2 * LONGEST_TAG:
            raise InputError("unknown-language-pair", WRITTEN, ("pair",))
        cuts = _cuts(text)
        if len(cuts) != 1:
            detail = f"this can be read in {len(cuts)} ways; {WRITTEN}" if cuts else WRITTEN
            raise InputError("unknown-language-pair", detail, ("pair",))
        return cls(*map(str, cuts[0]))

    @property
    def reversed(self) -> "LanguagePair":
        """The other direction."""
        return LanguagePair(self.target, self.source)

    @property
    def listed(self) -> tuple[str, str]:
        """Codes of source and target in the languages of an encoder: without subtags, ``no`` for both kinds of Norwegian."""
        source, target = (base_language(tag) for tag in (self.source, self.target))
        return LISTED_AS.get(source, source), LISTED_AS.get(target, target)

    @property
    def hyphenated(self) -> str:
        """As names of files and folders have it: ``en-pt-BR``, which `parse` reads."""
        return f"{self.source}-{self.target}"

    @property
    def name(self) -> str:
        """In English, as ``Romanian → English``."""
        return f"{tag_name(self.source)} → {tag_name(self.target)}"

    @property
    def title(self) -> str:
        """Names of the languages and the pair, as ``Romanian → English (ro-MD:en)``."""
        return f"{tag_name(base_language(self.source))} → {tag_name(base_language(self.target))} ({self})"

    def wider(self) -> Iterator["LanguagePair"]:
        """This pair, then those that say less, in the order in which they may answer for it."""
        sources, targets = parse_tag(self.source).wider(), parse_tag(self.target).wider()
        places = sorted((i + k, k, i) for i in range(len(sources)) for k in range(len(targets)))
        # Norwegian is one language under two codes.
        distinct = ((sources[i], targets[k]) for _, k, i in places if not same_language(sources[i], targets[k]))
        return (LanguagePair(source, target) for source, target in distinct)

    def nearest(self, there: Iterable["LanguagePair"]) -> "LanguagePair | None":
        """Of pairs that are there the one that answers for this: itself, or the next that says less."""
        pairs = frozenset(there)
        return self if self in pairs else next((pair for pair in self.wider() if pair in pairs), None)

    def __str__(self) -> str:
        return f"{self.source}{':' if '-' in self.source + self.target else '-'}{self.target}"


def _cuts(text: str) -> list[tuple[LanguageTag, LanguageTag]]:
    """Ways to read a text as two languages: those in which both have names and are written as they should be, else others."""
    parts = text.split("-")
    readings: dict[tuple[bool, bool], list[tuple[LanguageTag, LanguageTag]]] = {}
    for k in range(1, len(parts)):
        written = "-".join(parts[:k]), "-".join(parts[k:])
        source, target = map(read_tag, written)
        if source is not None and target is not None:
            likely = is_known(source) and is_known(target), (str(source), str(target)) == written
            readings.setdefault(likely, []).append((source, target))
    return readings[max(readings)] if readings else []
