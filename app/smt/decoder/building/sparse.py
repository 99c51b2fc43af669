"""Sparse features for trained systems by short names, and the lists of frequent words that they need."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.smt.decoder.building.steps import CachedStep, Counts
from app.text.reading.lines import TextFile
from app.text.reading.numbers import whole_number
from app.text.tokenisation import tokens_of

__all__ = ["SPARSE_FEATURES", "SparseFeature", "words_step"]

FREQUENT: Final = 50
FOLDER: Final = "words"
# Lines of the configuration by short name; {} stands for the number of frequent words.
SPARSE_FEATURES: Final = {
    "phrase-length": "PhraseLengthFeature name=pl",
    "word-insertion": "TargetWordInsertionFeature name=twi factor=0 path=words/target-{}",
    "word-deletion": "SourceWordDeletionFeature name=swd factor=0 path=words/source-{}",
    "word-translation": "WordTranslationFeature name=wt input-factor=0 output-factor=0 simple=1 source-context=0 target-context=0 "
    "source-path=words/source-{0} target-path=words/target-{0}",
    "boundary": "PhraseBoundaryFeature name=pb target=1 target-classes=words/classes-{}",
    "bigram": "TargetBigramFeature name=tb factor=0 path=words/target-{}",
}


@dataclass(frozen=True)
class SparseFeature:
    """A feature of `SPARSE_FEATURES`, and the number of frequent words that it distinguishes."""

    kind: str
    frequent: int = FREQUENT

    @classmethod
    def parse(cls, text: str) -> "SparseFeature":
        """Parse ``word-translation:50``, or a name alone; InputError lists the names."""
        kind, colon, number = text.partition(":")
        has_word_list = "{" in SPARSE_FEATURES.get(kind, "")
        frequent = whole_number(number)
        if kind not in SPARSE_FEATURES or (colon and not (has_word_list and frequent)):
            names = ", ".join(f"{name}[:N]" if "{" in line else name for name, line in SPARSE_FEATURES.items())
            raise InputError("invalid-request", f"{text} is no sparse feature; use {names}, with N frequent words", ("--sparse",))
        return cls(kind, frequent) if frequent else cls(kind)

    @property
    def line(self) -> str:
        """Line of the configuration."""
        return SPARSE_FEATURES[self.kind].format(self.frequent)

    @property
    def needs_words(self) -> bool:
        """Return True if the feature reads lists of words."""
        return "{" in SPARSE_FEATURES[self.kind]


def words_step(source: Path, target: Path, features: Sequence[SparseFeature]) -> CachedStep | None:
    """Step that writes the most frequent words of both texts, and target words as classes; None if no feature needs them."""
    numbers = sorted({feature.frequent for feature in features if feature.needs_words})
    if not numbers:
        return None

    def work(folder: Path) -> Counts:
        for side, path in (("source", source), ("target", target)):
            counts = Counter(word for line in TextFile.of(path).lines() for word in tokens_of(line))
            # Equally frequent words come in alphabetical order, which does not depend on the text's order.
            words = sorted(counts, key=lambda word: (-counts[word], word))
            for number in numbers:
                _write(folder / f"{side}-{number}", words[:number])
                if side == "target":
                    _write(folder / f"classes-{number}", [f"{word} {word}" for word in words[:number]])
        return {"words": max(numbers)}

    return CachedStep(FOLDER, {"source": source, "target": target}, {"frequent": numbers}, work)


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
