"""Parts of speech and dependencies of tokens, from a UDPipe model or a spaCy pipeline of any origin."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from ufal import udpipe

from app.text.arrays import Int8s, Int32s
from app.text.batch import TokenColumn
from app.text.errors import InputError

__all__ = ["NO_HEAD", "UNIVERSAL_TAGS", "Annotation", "SpacyTagger", "Tagger", "UdpipeTagger", "load_tagger"]

UNIVERSAL_TAGS: Final = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
NUMBERS: Final = {tag: number for number, tag in enumerate(UNIVERSAL_TAGS)}
OTHER: Final = NUMBERS["X"]
NO_HEAD: Final = -1
# UDPipe's parser keeps a stack per sentence; longer ones are tagged and parsed in parts.
LONGEST: Final = 500
REMEMBERED: Final = 2048


@dataclass(frozen=True)
class Annotation:
    """Per token of a column, shape (tokens,): number of its universal part of speech, place of its head in the segment.

    The head of a root, and of every token where nothing was parsed, is `NO_HEAD`.
    """

    tags: Int8s
    heads: Int32s


class Tagger(Protocol):
    """Whatever tags tokens as they were written."""

    @property
    def parses(self) -> bool:
        """Whether it finds heads too."""

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        """Annotate every segment; heads only where `parse`."""


class UdpipeTagger:
    """A UDPipe 1 model."""

    def __init__(self, model: Any, name: str) -> None:
        self._model = model
        self.name = name
        # A source is asked about again with every change of its translation, and with every candidate.
        self._remembered = lru_cache(REMEMBERED)(self._annotate)
        trial = udpipe.Sentence()
        trial.addWord("a")
        if not model.tag(trial, model.DEFAULT):
            raise InputError("invalid-table", f"{name} has no tagger in it")
        self._parses = bool(model.parse(trial, model.DEFAULT))

    @classmethod
    def load(cls, path: Path) -> "UdpipeTagger":
        """Read a model file; InputError if it is something else."""
        model = udpipe.Model.load(str(path))
        if model is None:
            raise InputError("invalid-table", f"{path.name} is not a UDPipe model")
        return cls(model, path.name)

    @property
    def parses(self) -> bool:
        """Whether the model has a parser in it."""
        return self._parses

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        """Annotate every segment; heads only where `parse`."""
        tags = np.full(len(column.ids), OTHER, np.int8)
        heads = np.full(len(column.ids), NO_HEAD, np.int32)
        for row in range(len(column)):
            first = int(column.offsets[row])
            tokens = column.tokens(row)
            for begin in range(0, len(tokens), LONGEST):
                part = tuple(tokens[begin : begin + LONGEST])
                found, governed = self._remembered(part, parse)
                tags[first + begin : first + begin + len(part)] = found
                if parse:
                    heads[first + begin : first + begin + len(part)] = [h + begin if h != NO_HEAD else h for h in governed]
        return Annotation(tags, heads)

    def _annotate(self, tokens: tuple[str, ...], parse: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
        sentence = udpipe.Sentence()
        for token in tokens:
            sentence.addWord(token)
        self._model.tag(sentence, self._model.DEFAULT)
        if parse:
            self._model.parse(sentence, self._model.DEFAULT)
        words = list(sentence.words)[1:]
        tags = tuple(NUMBERS.get(word.upostag, OTHER) for word in words)
        return tags, tuple(word.head - 1 if word.head > 0 else NO_HEAD for word in words) if parse else ()


class SpacyTagger:
    """A spaCy pipeline, where the package spacy is installed."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline

    @classmethod
    def load(cls, folder: Path) -> "SpacyTagger":
        """Read a pipeline's folder; InputError without spaCy."""
        try:
            import spacy
        except ImportError:
            raise InputError("missing-resource", f"{folder.parent.name}/{folder.name} needs the package spacy") from None
        return cls(spacy.load(folder))

    @property
    def parses(self) -> bool:
        """Whether the pipeline has a parser in it."""
        return "parser" in self._pipeline.pipe_names

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        """Annotate every segment; heads only where `parse`."""
        from spacy.tokens import Doc

        docs = (Doc(self._pipeline.vocab, words=column.tokens(row)) for row in range(len(column)))
        tags, heads = np.full(len(column.ids), OTHER, np.int8), np.full(len(column.ids), NO_HEAD, np.int32)
        at = 0
        for doc in self._pipeline.pipe(docs, disable=() if parse else ("parser",)):
            for token in doc:
                tags[at] = NUMBERS.get(token.pos_, OTHER)
                if parse and token.head.i != token.i:
                    heads[at] = token.head.i
                at += 1
        return Annotation(tags, heads)


def load_tagger(folder: Path) -> Tagger | None:
    """The tagger in a language's folder, None where there is none."""
    if (folder / "tagger.udpipe").is_file():
        return UdpipeTagger.load(folder / "tagger.udpipe")
    if (folder / "config.cfg").is_file():
        return SpacyTagger.load(folder)
    return None
