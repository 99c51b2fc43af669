"""A packed system that is opened once and translates texts from any thread; only its mapped files stay in memory.

For each text, only the matching rows of the tables are read, which takes about as long as the translation.
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
from app.smt.decoder.decoder import LONGEST_SENTENCE, Decoder, SearchResult
from app.smt.decoder.n_best_lines import listed_numbers
from app.smt.decoder.opened_files import OpenedFiles, open_files
from app.smt.decoder.serving.confinement import check_mapped, confined_configuration
from app.smt.decoder.system import System, parts_of, system_of
from app.smt.decoder.text_phrases import TextPhrases
from app.text.languages import LanguagePair
from app.text.reading.stored_json import as_kind, read_object
from app.text.tokenisation import tokeniser_for, tokens_of

__all__ = ["CARD", "ServedHypothesis", "ServedSystem", "ServedTranslation", "SystemCard"]

CARD: Final = "system.json"
# Segments of a batch, whose rows are in memory together.
BATCH_SEGMENTS: Final = 100
# Words that end a batch early: reading their rows takes 0.1 s, and cannot be interrupted.
BATCH_WORDS: Final = 2000


@dataclass(frozen=True)
class SystemCard:
    """Description of a packed system: its direction, and the preparation of its text.

    Text is lower-cased if `lowercase`. If `tokenise`, the tokeniser of the language splits raw text; otherwise blanks separate
    words.
    """

    pair: str
    lowercase: bool
    tokenise: bool
    format: str = "assay-system"
    version: int = 1


@dataclass(frozen=True)
class ServedHypothesis:
    """A derivation with rounded numbers, as in n-best lists; each phrase has source start, source end (exclusive), and words.

    `links` pair source indices with target indices of words; None if the tables have none.
    """

    text: str
    score: float
    features: Mapping[str, list[float]]
    phrases: Sequence[tuple[int, int, tuple[str, ...]]]
    links: Sequence[tuple[int, int]] | None


@dataclass(frozen=True)
class ServedTranslation:
    """Best translation of a segment, its source words, and its n-best list, if requested."""

    best: ServedHypothesis
    words: Sequence[str]
    n_best: Sequence[ServedHypothesis]


class ServedSystem:
    """Translator with mapped files; any number of threads may call it at once."""

    def __init__(self, files: OpenedFiles, card: SystemCard) -> None:
        self._files = files
        self.card = card
        self.pair = LanguagePair.parse(card.pair)

    @classmethod
    def open(cls, folder: Path) -> "ServedSystem":
        """Map the files of a packed folder without a check of checksums; InputError if a file is missing or invalid."""
        manifest = read_manifest(folder)
        try:
            card = as_kind(SystemCard, read_object(folder / CARD), CARD)
        except (OSError, ValueError):
            raise InputError(
                "invalid-table",
                f"{CARD} of {folder.name} is missing or cannot be read; pack the system again with assay smt import",
            ) from None
        if (card.format, card.version) != ("assay-system", 1):
            raise InputError(
                "invalid-table", f"{CARD} of {folder.name} is of another version; pack the system again with assay smt import"
            )
        files = open_files(confined_configuration(folder / CONFIGURATION, manifest.files))
        check_mapped(files)
        return cls(files, card)

    @property
    def effort(self) -> float:
        """Time per word, relative to a system with stacks of 100, jumps of 6 words and 20 options per phrase."""
        limits = self._files.ini.limits
        targets = sum(
            feature.number("table-limit", 20) for feature in self._files.ini.features if feature.kind == "PhraseDictionaryMemory"
        )
        return limits.stack / 100 * (limits.distortion + 1) / 7 * max(1.0, targets / 20)

    def words_of(self, text: str, tokenise: bool | None = None) -> list[str]:
        """Source words of a text; `tokenise` is that of the card by default."""
        if self.card.tokenise if tokenise is None else tokenise:
            text = " ".join(tokeniser_for(self.pair.source).cased(text))
        return tokens_of(plain_text(text, self.card.lowercase))

    def check_lengths(self, texts: Sequence[str], tokenise: bool | None = None) -> None:
        """Raise InputError at the first text that is too long, before any translation."""
        _check_lengths([self.words_of(text, tokenise) for text in texts], 0)

    def translate(
        self,
        texts: Sequence[str],
        n_best: int = 0,
        distinct: bool = False,
        tokenise: bool | None = None,
        first: int = 0,
        beginnings: bool = False,
    ) -> Iterator[ServedTranslation]:
        """Yield the best translation of each text, and its `n_best` derivations, or translations if `distinct`.

        Results equal those of `assay smt translate`. InputError at ``("segments", row)``, counted from `first`, if a text has more
        than 1,000 words and is not cut by `beginnings`; an error also if the request's deadline has passed.
        """
        lines = [self.words_of(text, tokenise) for text in texts]
        if beginnings:
            lines = [words[:LONGEST_SENTENCE] for words in lines]
        _check_lengths(lines, first)
        for batch in _groups(lines, first):
            check_deadline()
            decoder = Decoder(system_of(parts_of(self._files, TextPhrases(words for _, words in batch), fixed_weights=True)))
            for row, words in batch:
                check_deadline()
                result = decoder.translate(" ".join(words), n_best > 0)
                yield _translated(decoder.system, result, words, n_best, distinct, ("segments", row))


def _groups(lines: Sequence[list[str]], first: int) -> Iterator[list[tuple[int, list[str]]]]:
    """Yield batches of rows with their words, whose phrases are looked up together."""
    batch: list[tuple[int, list[str]]] = []
    words = 0
    for row, line in enumerate(lines, first):
        batch.append((row, line))
        words += len(line)
        if len(batch) == BATCH_SEGMENTS or words >= BATCH_WORDS:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch


def _check_lengths(lines: Sequence[Sequence[str]], first: int) -> None:
    for row, words in enumerate(lines, first):
        if len(words) > LONGEST_SENTENCE:
            detail = f"{len(words)} words; a sentence has at most {LONGEST_SENTENCE}; split it"
            raise InputError("segment-too-long", detail, ("segments", row))


def _translated(
    system: System, result: SearchResult, words: Sequence[str], n_best: int, distinct: bool, place: tuple[str, int]
) -> ServedTranslation:
    best = result.best()
    if best is None:
        raise InputError("invalid-request", "the system finds no translation within its limits; shorten the segment", place)
    derivations = [best, *(result.n_best(n_best, distinct) if n_best else [])]
    hypotheses = [
        ServedHypothesis(
            derivation.text,
            score,
            features,
            [(phrase.start, phrase.end, phrase.words) for phrase in derivation.phrases],
            derivation.links(system) if len(system.rows.links) else None,
        )
        for derivation, (score, features) in zip(derivations, listed_numbers(system, derivations), strict=True)
    ]
    return ServedTranslation(hypotheses[0], words, hypotheses[1:])
