"""Parts of speech and dependencies of tokens, from a UDPipe model, a spaCy pipeline of any origin, or a model of our own."""

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from ufal import udpipe

from app.arrays import Int8s, Int32s
from app.errors import InputError
from app.resources.linear_tagger import LINEAR_TAGGER, LinearModel, load_linear_model
from app.resources.manifest import MANIFEST, read_manifest
from app.resources.tagging_process import Tagging, TaggingProcess
from app.resources.udpipe_words import NO_HEAD, NUMBERS, OTHER, UNIVERSAL_TAGS, TaggedWords, tag_words
from app.running.deadline import check_deadline
from app.text.batch import TokenColumn, pack_tokens

__all__ = [
    "NO_HEAD",
    "TAGGER_FILES",
    "UDPIPE",
    "UNIVERSAL_TAGS",
    "Annotation",
    "LinearTagger",
    "SpacyTagger",
    "Tagger",
    "TaggerChoice",
    "UdpipeTagger",
    "load_tagger",
    "tagger_file",
]

log = logging.getLogger("assay")
UDPIPE, PIPELINE = "tagger.udpipe", "config.cfg"
TAGGER_FILES: Final = (UDPIPE, PIPELINE, LINEAR_TAGGER)
AUTO, ALL, NONE = "auto", "all", "none"
# UDPipe's parser keeps a stack per sentence; longer ones are tagged and parsed in parts.
LONGEST: Final = 500
REMEMBERED: Final = 2048
PATIENCE: Final = 60.0
# Tokens that are tagged, or parsed, between two looks at who else waits: a twentieth of a second of work, of which a document has
# asked for two ahead of whoever asks of one segment.
TAGGED_AT_ONCE: Final = {False: 1000, True: 250}
Words = tuple[str, ...]


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

    def begin(self, column: TokenColumn) -> None:
        """Say that the tags of these segments, without heads, will be asked for soon."""

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        """Annotate every segment; heads only where `parse`."""


class UdpipeTagger:
    """A UDPipe 1 model, in this process or, where there is a tagging process, in that one."""

    def __init__(self, model: Any, path: Path, process: TaggingProcess | None = None) -> None:
        self._model = model
        self._path = path
        self._process = process
        trial = udpipe.Sentence()
        trial.addWord("a")
        if not model.tag(trial, model.DEFAULT):
            raise InputError("invalid-table", f"{path.name} has no tagger in it")
        self._parses = bool(model.parse(trial, model.DEFAULT))
        # A source is asked about again with every change of its translation, and with every candidate.
        self._recent: OrderedDict[tuple[bool, Words], TaggedWords] = OrderedDict()
        self._begun: dict[Words, tuple[Tagging, int]] = {}
        self._lock = threading.Lock()

    @classmethod
    def load(cls, path: Path, process: TaggingProcess | None = None) -> "UdpipeTagger":
        """Read a model file; InputError if it is something else."""
        model = udpipe.Model.load(str(path))
        if model is None:
            raise InputError("invalid-table", f"{path.name} is not a UDPipe model")
        return cls(model, path, process)

    @property
    def parses(self) -> bool:
        """Whether the model has a parser in it."""
        return self._parses

    def begin(self, column: TokenColumn) -> None:
        """Let the tagging process, where there is one, tag every segment already; `annotate` will find it done."""
        if self._process is None:
            return
        sentences = list(dict.fromkeys(words for _, _, words in _parts(column)))
        with self._lock:
            new = [sentence for sentence in sentences if (False, sentence) not in self._recent and sentence not in self._begun]
            # The process tags in the order in which it is asked: more would let others wait until all of it is done.
            new = next(_groups(new, TAGGED_AT_ONCE[False]), [])
            if new:
                if len(self._begun) > REMEMBERED:
                    # Somebody announced what was never asked for.
                    self._begun.clear()
                tagging = self._process.begin(self._path, new, False)
                self._begun.update((sentence, (tagging, k)) for k, sentence in enumerate(new))

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        """Annotate every segment; heads only where `parse`."""
        parts = _parts(column)
        annotations = self._tagged([words for _, _, words in parts], parse)
        tags = np.full(len(column.ids), OTHER, np.int8)
        heads = np.full(len(column.ids), NO_HEAD, np.int32)
        for at, begin, words in parts:
            numbers, governors = annotations[words]
            tags[at : at + len(words)] = numbers
            if parse:
                heads[at : at + len(words)] = [head + begin if head != NO_HEAD else head for head in governors]
        return Annotation(tags, heads)

    def _tagged(self, sentences: Sequence[Words], parse: bool) -> dict[Words, TaggedWords]:
        """What each sentence is tagged as: from memory where it was asked lately, from the process where it was begun."""
        with self._lock:
            annotations = {sentence: self._recent[parse, sentence] for sentence in sentences if (parse, sentence) in self._recent}
            begun = {} if parse else {sentence: self._begun.pop(sentence) for sentence in set(sentences) if sentence in self._begun}
        new = list(dict.fromkeys(sentence for sentence in sentences if sentence not in annotations and sentence not in begun))
        if self._process is None:
            for sentence in new:
                check_deadline()
                annotations[sentence] = tag_words(self._model, sentence, parse)
        else:
            groups = _groups(new, TAGGED_AT_ONCE[parse])
            # The next group is asked for before the answer of this one is waited for, so that the process is never idle.
            waiting = deque([begun])
            while waiting:
                check_deadline()
                if group := next(groups, []):
                    tagging = self._process.begin(self._path, group, parse)
                    waiting.append({sentence: (tagging, k) for k, sentence in enumerate(group)})
                annotations |= self._awaited(waiting.popleft(), parse)
        self._remember(annotations, parse)
        return annotations

    def _awaited(self, begun: Mapping[Words, tuple[Tagging, int]], parse: bool) -> dict[Words, TaggedWords]:
        """What the process was asked for; tagged here where it does not answer."""
        annotations: dict[Words, TaggedWords] = {}
        lost: list[Words] = []
        for sentence, (tagging, k) in begun.items():
            try:
                annotations[sentence] = tagging.result(PATIENCE)[k]
            except (OSError, TimeoutError):
                lost.append(sentence)
        if lost:
            log.warning("%d sentences are tagged in the server's own process", len(lost))
        for sentence in lost:
            check_deadline()
            annotations[sentence] = tag_words(self._model, sentence, parse)
        return annotations

    def _remember(self, annotations: Mapping[Words, TaggedWords], parse: bool) -> None:
        with self._lock:
            for words, tagged in list(annotations.items())[-REMEMBERED:]:
                self._recent[parse, words] = tagged
                self._recent.move_to_end((parse, words))
            while len(self._recent) > REMEMBERED:
                self._recent.popitem(last=False)


def _parts(column: TokenColumn) -> list[tuple[int, int, Words]]:
    """The segments, and parts of those that are too long: place in the column, place in the segment, tokens."""
    parts: list[tuple[int, int, Words]] = []
    for row in range(len(column)):
        first, tokens = int(column.offsets[row]), column.tokens(row)
        parts += [(first + k, k, tuple(tokens[k : k + LONGEST])) for k in range(0, len(tokens), LONGEST)]
    return parts


def _groups(sentences: Sequence[Words], tokens: int) -> Iterator[list[Words]]:
    """The sentences in groups of at most so many tokens, or of one."""
    group: list[Words] = []
    size = 0
    for sentence in sentences:
        if group and size + len(sentence) > tokens:
            yield group
            group, size = [], 0
        group.append(sentence)
        size += len(sentence)
    if group:
        yield group


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

    def begin(self, column: TokenColumn) -> None:
        """Nothing is done before it is asked for."""

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


class LinearTagger:
    """A tagger of our own, compiled, in this process: no other thread waits for it."""

    def __init__(self, model: LinearModel) -> None:
        self._model = model
        # Kernels are compiled here, not in a request.
        model.annotate(pack_tokens([["a"]]), True)

    @property
    def parses(self) -> bool:
        """Whether the model has a parser in it."""
        return self._model.heads is not None

    def begin(self, column: TokenColumn) -> None:
        """Nothing is done before it is asked for."""

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        """Annotate every segment; heads only where `parse`."""
        tags, heads = self._model.annotate(column, parse)
        return Annotation(tags, np.full(len(tags), NO_HEAD, np.int32) if heads is None else heads)


@dataclass(frozen=True)
class TaggerChoice:
    """What tags words: of the languages in `linear`, or of all, our own tagger; of others UDPipe, in `process` where one is given.

    ``auto`` among them are those where our own one stands for the UDPipe model beside it. A language that has one tagger alone is
    tagged by that.
    """

    process: TaggingProcess | None = None
    linear: frozenset[str] = frozenset({AUTO})

    @classmethod
    def of(cls, languages: str, process: TaggingProcess | None = None) -> "TaggerChoice":
        """From the setting: codes of languages with commas between, ``auto``, ``all`` or ``none``."""
        return cls(process, frozenset(code.strip() for code in languages.split(",")) - {"", NONE})

    def check(self, languages: Collection[str]) -> None:
        """InputError that names a language which our own tagger shall tag and which is none of those that have one."""
        for code in sorted(self.linear - {ALL, AUTO}):
            if code not in languages:
                have = ", ".join(sorted(languages)) or "none"
                detail = f"ASSAY_LINEAR_TAGGERS names {code}, which has no {LINEAR_TAGGER}; {AUTO}, {ALL}, {NONE}, or: {have}"
                raise InputError("missing-resource", detail)


USUAL: Final = TaggerChoice()


def tagger_file(folder: Path, language: str, choice: TaggerChoice = USUAL) -> str | None:
    """Which file of a language's folder is its tagger, None where there is none."""
    there = [name for name in TAGGER_FILES if (folder / name).is_file()]
    if LINEAR_TAGGER in there and not choice.linear.isdisjoint({language, ALL}):
        return LINEAR_TAGGER
    if AUTO in choice.linear and there == [UDPIPE, LINEAR_TAGGER] and _stands_in(folder):
        return LINEAR_TAGGER
    return there[0] if there else None


def _stands_in(folder: Path) -> bool:
    """Whether our own tagger was made to stand for the very UDPipe model that lies beside it, so not for somebody else's."""
    if not (folder / MANIFEST).is_file():
        return False
    manifest = read_manifest(folder)
    return manifest.stands_for.get(LINEAR_TAGGER, "") == manifest.files.get(UDPIPE)


def load_tagger(folder: Path, language: str = "", choice: TaggerChoice = USUAL) -> Tagger | None:
    """The tagger in a language's folder, None where there is none; InputError where it cannot be read."""
    name = tagger_file(folder, language, choice)
    if name == UDPIPE:
        return UdpipeTagger.load(folder / UDPIPE, choice.process)
    if name == PIPELINE:
        return SpacyTagger.load(folder)
    return None if name is None else LinearTagger(load_linear_model(folder / name))
