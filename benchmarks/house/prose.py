"""Offences of prose and names, by form: openings, length of sentences, relative clauses, and names without a noun."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.house.names import bindings_of, word_class
from benchmarks.house.rooms import nodes_of, pages, room_of, sources
from benchmarks.house.texts import Passage, Sentence, passages_of

__all__ = ["KINDS", "MOST_RELATIVES", "MOST_WORDS", "Offence", "counts", "offences"]

KINDS: Final = ("opening", "long", "relatives", "name")
MOST_WORDS: Final = 30
MOST_RELATIVES: Final = 2
INTERROGATIVES: Final = word_class(
    "what whatever who whoever whom whose which whichever whether where wherever when whenever why how"
)
# These begin a clause that stands for a noun, anywhere in prose; "When the job ends, ..." and "Where ..., ..." do not.
FREE_RELATIVES: Final = word_class("what whatever who whoever whom whose which whichever whether")
PRONOUNS: Final = word_class(
    """it its they them their this that these those such he she everything anything something nothing others another so same"""
)
QUANTIFIERS: Final = word_class("all any both each either few many most none one ones some several")
PREPOSITIONS: Final = word_class("for in by at from on with to as per like behind before after under over within without")
# After a quantifier these show that no noun follows it: "All of it", "One that", "Each is".
FUNCTION_WORDS: Final = word_class("of that who which where is are was were has have in by for with at from")
RELATIVE: Final = re.compile(r"\b(who|whom|whose|which|that|what|whoever|whatever|whichever|where)\b", re.IGNORECASE)
# "So that", "says that": no relative clause follows.
NO_RELATIVE: Final = re.compile(
    r"\b(so|such|now|given|provided|except|see|sees|say|says|show|shows|mean|means|note|know|knows|sure|ensures?|checks?|fact|assumes?|requires?|than|like) that\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Offence:
    """An offence: its kind of `KINDS`, file relative to the checkout, line from 1, kind of text, and the text or name."""

    kind: str
    path: Path
    line: int
    place: str
    text: str

    @property
    def room(self) -> str:
        """Room of the file."""
        return room_of(self.path)

    def __str__(self) -> str:
        """One line for an editor: file, line, kind, text."""
        return f"{self.path}:{self.line}: {self.kind} ({self.place}): {self.text}"


def _opens_without_noun(sentence: Sentence) -> bool:
    """Return True if the first sentence of a docstring or help begins with no noun, verb or article of its own."""
    words = [re.sub(r"^\W+|\W+$", "", word).lower() for word in sentence.words]
    first, second = [*words, "", ""][:2]
    if first in INTERROGATIVES | PRONOUNS or first == "of":
        return not sentence.text.endswith("?")
    if first == "the" and second in ("same", "other", "others", "one", "ones"):
        return True
    if first in QUANTIFIERS:
        return second in FUNCTION_WORDS or len(words) == 1
    # A phrase without a comma behind it has no clause to belong to: "By the lexical tables of a folder."
    return first in PREPOSITIONS and "," not in sentence.outline


def _sentence_kinds(passage: Passage, number: int, sentence: Sentence) -> Iterator[str]:
    words = sentence.words
    if len(words) > MOST_WORDS:
        yield "long"
    if len(RELATIVE.findall(NO_RELATIVE.sub("", sentence.outline))) > MOST_RELATIVES:
        yield "relatives"
    if passage.opens and not number:
        if _opens_without_noun(sentence):
            yield "opening"
    elif len(words) > 2 and words[0].lower() in FREE_RELATIVES and not sentence.text.rstrip("*_)").endswith(("?", ":")):
        yield "opening"


def offences(root: Path) -> Iterator[Offence]:
    """Offences of all rooms of a checkout, file by file."""
    for path in (*sources(root), *pages(root)):
        relative = path.relative_to(root)
        rows = [
            Offence(kind, relative, sentence.line, passage.kind, sentence.text)
            for passage in passages_of(path)
            for number, sentence in enumerate(passage.sentences())
            for kind in _sentence_kinds(passage, number, sentence)
        ]
        if path.suffix == ".py":
            rows += (Offence("name", relative, binding.line, "binding", binding.name) for binding in bindings_of(nodes_of(path)))
        yield from sorted(rows, key=lambda offence: (offence.line, offence.kind))


def counts(root: Path) -> dict[str, Counter[str]]:
    """Offences of each kind by room, of rooms that have some."""
    rooms: dict[str, Counter[str]] = {}
    for offence in offences(root):
        rooms.setdefault(offence.room, Counter())[offence.kind] += 1
    return dict(sorted(rooms.items()))
