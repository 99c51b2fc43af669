"""A packed system, opened once and asked for any texts from any thread: its files are mapped, and nothing else of it is held.

For each text only those rows of the tables are looked at that it can use, which takes about as long as to translate it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.resources.manifest import read_manifest
from app.running.deadline import check_deadline
from app.smt.decoder.building.chain import CONFIGURATION
from app.smt.decoder.building.text import plain_text
from app.smt.decoder.decoder import LONGEST_SENTENCE, Decoder, Translations
from app.smt.decoder.n_best_lines import listed_numbers
from app.smt.decoder.opened_files import OpenedFiles, open_files
from app.smt.decoder.serving.confinement import check_mapped, confined_configuration
from app.smt.decoder.system import System, parts_of, system_of
from app.smt.decoder.text_phrases import TextPhrases
from app.text.languages import LanguagePair
from app.text.reading.stored_json import as_kind, read_object
from app.text.tokenisation import tokeniser_for, tokens_of

__all__ = ["CARD", "Hypothesis", "ServedSystem", "SystemCard", "Translated"]

CARD: Final = "system.json"
# Segments whose rows are held at the same time.
TOGETHER: Final = 100
# Words from which on fewer are: nobody can stop a search in tables, which takes 0.1 s for so many.
MOST_WORDS: Final = 2000


@dataclass(frozen=True)
class SystemCard:
    """What a packed system says of itself: its direction, and how text is made for it.

    Text is lower-cased where `lowercase` says so. Where `tokenise` does, requests have text as people write it, which our tokeniser
    of the language cuts; words are what stands between blanks otherwise.
    """

    pair: str
    lowercase: bool
    tokenise: bool
    format: str = "assay-system"
    version: int = 1


@dataclass(frozen=True)
class Hypothesis:
    """A derivation as lists have it: numbers with as many digits; of each phrase its source span, the end behind it, and its words.

    `links` are of words, source place and target place; None where the tables have none.
    """

    text: str
    score: float
    features: Mapping[str, list[float]]
    phrases: Sequence[tuple[int, int, tuple[str, ...]]]
    links: Sequence[tuple[int, int]] | None


@dataclass(frozen=True)
class Translated:
    """The best translation of a segment, the words that were translated, and the n-best list where one was asked for."""

    best: Hypothesis
    words: Sequence[str]
    n_best: Sequence[Hypothesis]


class ServedSystem:
    """Translates by mapped files; any number of threads may ask at once."""

    def __init__(self, files: OpenedFiles, card: SystemCard) -> None:
        self._files = files
        self.card = card
        self.pair = LanguagePair.parse(card.pair)

    @classmethod
    def open(cls, folder: Path) -> "ServedSystem":
        """Map the files of a packed folder; InputError where it is none, or names what is not in it. No checksum is verified."""
        manifest = read_manifest(folder)
        try:
            card = as_kind(SystemCard, read_object(folder / CARD), CARD)
        except (OSError, ValueError):
            raise InputError("invalid-table", f"{CARD} of {folder.name} is not there or cannot be read") from None
        if (card.format, card.version) != ("assay-system", 1):
            raise InputError("invalid-table", f"{CARD} of {folder.name} is of another version")
        files = open_files(confined_configuration(folder / CONFIGURATION, manifest.files))
        check_mapped(files)
        return cls(files, card)

    @property
    def effort(self) -> float:
        """How long a word takes, beside a system with stacks of 100, jumps of 6 words and 20 translations of a phrase."""
        limits = self._files.ini.limits
        targets = sum(
            feature.number("table-limit", 20) for feature in self._files.ini.features if feature.kind == "PhraseDictionaryMemory"
        )
        return limits.stack / 100 * (limits.distortion + 1) / 7 * max(1.0, targets / 20)

    def words_of(self, text: str, tokenise: bool | None = None) -> list[str]:
        """The words that are translated of a text; `tokenise` is as the card says where it is None."""
        if self.card.tokenise if tokenise is None else tokenise:
            text = " ".join(tokeniser_for(self.pair.source).cased(text))
        return tokens_of(plain_text(text, self.card.lowercase))

    def check_lengths(self, texts: Sequence[str], tokenise: bool | None = None) -> None:
        """InputError at the first text that has more words than are translated, before anything is."""
        _check_lengths([self.words_of(text, tokenise) for text in texts], 0)

    def translate(
        self,
        texts: Sequence[str],
        n_best: int = 0,
        distinct: bool = False,
        tokenise: bool | None = None,
        first: int = 0,
        beginnings: bool = False,
    ) -> Iterator[Translated]:
        """Each text with its best translation and its `n_best` derivations, or as many translations where they are `distinct`.

        What `assay smt translate` says of the same text. InputError at ``("segments", row)``, counted from `first`, where a
        text has more than 1,000 words, unless `beginnings` of longer ones suffice, and where nobody waits any more.
        """
        lines = [self.words_of(text, tokenise) for text in texts]
        if beginnings:
            lines = [words[:LONGEST_SENTENCE] for words in lines]
        _check_lengths(lines, first)
        for part in _groups(lines, first):
            check_deadline()
            decoder = Decoder(system_of(parts_of(self._files, TextPhrases(words for _, words in part), fixed=True)))
            for row, words in part:
                check_deadline()
                result = decoder.translate(" ".join(words), n_best > 0)
                yield _translated(decoder.system, result, words, n_best, distinct, ("segments", row))


def _groups(lines: Sequence[list[str]], first: int) -> Iterator[list[tuple[int, list[str]]]]:
    """Rows of which all phrases are looked up together."""
    group: list[tuple[int, list[str]]] = []
    words = 0
    for row, line in enumerate(lines, first):
        group.append((row, line))
        words += len(line)
        if len(group) == TOGETHER or words >= MOST_WORDS:
            yield group
            group, words = [], 0
    if group:
        yield group


def _check_lengths(lines: Sequence[Sequence[str]], first: int) -> None:
    for row, words in enumerate(lines, first):
        if len(words) > LONGEST_SENTENCE:
            detail = f"{len(words)} words; a sentence that is translated has at most {LONGEST_SENTENCE}"
            raise InputError("segment-too-long", detail, ("segments", row))


def _translated(
    system: System, result: Translations, words: Sequence[str], n_best: int, distinct: bool, where: tuple[str, int]
) -> Translated:
    best = result.best()
    if best is None:
        raise InputError("invalid-request", "nothing translates this within the system's limits", where)
    derivations = [best, *(result.n_best(n_best, distinct) if n_best else [])]
    hypotheses = [
        Hypothesis(
            derivation.text,
            score,
            features,
            [(phrase.start, phrase.end, phrase.words) for phrase in derivation.phrases],
            derivation.links(system) if len(system.rows.links) else None,
        )
        for derivation, (score, features) in zip(derivations, listed_numbers(system, derivations), strict=True)
    ]
    return Translated(hypotheses[0], words, hypotheses[1:])
