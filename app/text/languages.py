"""Language pairs: directions of translation, their notation, and the nearest available pair for a request."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from app.errors import InputError
from app.text.language_tags import LONGEST_TAG, LanguageTag, is_known, parse_tag, read_tag, tag_name

__all__ = ["ANY_PAIR", "LanguagePair", "base_language", "is_variety", "language_pair", "nearest_language", "same_language"]

# Pair on the card of a model that answers for every pair. It is no valid pair, since it has one language twice.
ANY_PAIR: Final = "any-any"
# Languages that lists of a network name by a wider or an older code.
NETWORK_CODES: Final = MappingProxyType({"nb": "no", "nn": "no", "fil": "tl", "prs": "fa"})
NOTATION = "write a language pair like 'en-de', or with a colon if a language has subtags, like 'en-US:zh-CN'"


def base_language(tag: str) -> str:
    """Language of a tag without its subtags, as ``pt`` for ``pt-BR``; the text itself if it is no tag."""
    read = read_tag(tag)
    return tag if read is None else read.language


def same_language(first: str, second: str) -> bool:
    """Return True if two tags differ at most by region, script or variant."""
    return base_language(first) == base_language(second)


def is_variety(tag: str, language: str) -> bool:
    """Return True if a tag has subtags that another tag of this language lacks: ``en-GB`` beside ``en`` or ``en-US``."""
    return "-" in tag and tag != language and same_language(tag, language)


def nearest_language(tag: str, available_tags: Collection[str]) -> str | None:
    """Available language nearest to a tag: itself, or the first less specific one; None if there is none."""
    read = read_tag(tag)
    return None if read is None else next((wider for wider in read.wider() if wider in available_tags), None)


@dataclass(frozen=True, order=True)
class LanguagePair:
    """A direction of translation between two canonical tags, written ``en-de``, or ``en-US:zh-CN`` with subtags.

    InputError (`unknown-language-pair`) if a tag is no language, or if both are one language.
    """

    source: str
    target: str

    def __post_init__(self) -> None:
        for field, part in (("source", "source_language"), ("target", "target_language")):
            try:
                object.__setattr__(self, field, str(parse_tag(getattr(self, field))))
            except InputError as error:
                raise InputError(error.code, error.detail, (part,)) from None
        if same_language(self.source, self.target):
            detail = f"a pair needs two languages, and this one has {tag_name(base_language(self.source))} twice"
            raise InputError("unknown-language-pair", detail, ("target_language",))

    @classmethod
    def parse(cls, text: str) -> "LanguagePair":
        """Parse ``en-de``, ``en-US:zh-CN`` or, if only one reading exists, ``en-US-zh-CN``; else InputError."""
        source, colon, target = text.partition(":")
        if colon:
            return cls(source, target)
        if len(text) > 2 * LONGEST_TAG:
            raise InputError("unknown-language-pair", NOTATION, ("pair",))
        cuts = _cuts(text)
        if len(cuts) != 1:
            detail = f"this text has {len(cuts)} readings; {NOTATION}" if cuts else NOTATION
            raise InputError("unknown-language-pair", detail, ("pair",))
        return cls(*map(str, cuts[0]))

    @property
    def reversed(self) -> "LanguagePair":
        """Opposite direction."""
        return LanguagePair(self.target, self.source)

    @property
    def listed(self) -> tuple[str, str]:
        """Codes of source and target in the languages of a network: without subtags, ``no`` for both kinds of Norwegian."""
        source, target = (base_language(tag) for tag in (self.source, self.target))
        return NETWORK_CODES.get(source, source), NETWORK_CODES.get(target, target)

    @property
    def file_name(self) -> str:
        """Pair as in names of files and folders: ``en-pt-BR``, which `parse` reads."""
        return f"{self.source}-{self.target}"

    @property
    def name(self) -> str:
        """English name, as ``Romanian → English``."""
        return f"{tag_name(self.source)} → {tag_name(self.target)}"

    @property
    def title(self) -> str:
        """Names of the languages and the pair, as ``Romanian → English (ro-MD:en)``."""
        return f"{tag_name(base_language(self.source))} → {tag_name(base_language(self.target))} ({self})"

    def wider(self) -> Iterator["LanguagePair"]:
        """Pairs that may answer for this one: itself first, then less specific pairs."""
        sources, targets = parse_tag(self.source).wider(), parse_tag(self.target).wider()
        steps = sorted((i + k, k, i) for i in range(len(sources)) for k in range(len(targets)))
        # Norwegian is one language under two codes.
        distinct = ((sources[i], targets[k]) for _, k, i in steps if not same_language(sources[i], targets[k]))
        return (LanguagePair(source, target) for source, target in distinct)

    def nearest(self, available_pairs: Iterable["LanguagePair"]) -> "LanguagePair | None":
        """Available pair nearest to this one: itself, or the first less specific one; None if there is none."""
        pairs = frozenset(available_pairs)
        return self if self in pairs else next((pair for pair in self.wider() if pair in pairs), None)

    def __str__(self) -> str:
        return f"{self.source}{':' if '-' in self.source + self.target else '-'}{self.target}"


@lru_cache(maxsize=1024)
def language_pair(source: str, target: str) -> LanguagePair:
    """The pair of two tags, parsed once; InputError as `LanguagePair`."""
    return LanguagePair(source, target)


def _cuts(text: str) -> list[tuple[LanguageTag, LanguageTag]]:
    """Readings of a text as two languages: those with two named languages in canonical form, if any, else the rest."""
    parts = text.split("-")
    readings: dict[tuple[bool, bool], list[tuple[LanguageTag, LanguageTag]]] = {}
    for k in range(1, len(parts)):
        texts = "-".join(parts[:k]), "-".join(parts[k:])
        source, target = map(read_tag, texts)
        if source is not None and target is not None:
            rank = is_known(source) and is_known(target), (str(source), str(target)) == texts
            readings.setdefault(rank, []).append((source, target))
    return readings[max(readings)] if readings else []
