"""Parts of speech and dependencies of tokens, from a UDPipe model, a spaCy pipeline or a linear tagger of Assay."""

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from app.resources.udpipe_words import NO_HEAD, NUMBERS, OTHER_TAG, UNIVERSAL_TAGS, TaggedWords, tag_words
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
AUTO, ALL_LANGUAGES, NO_LANGUAGE = "auto", "all", "none"
# UDPipe's parser has a stack per sentence; longer sentences are tagged and parsed in parts.
LONGEST: Final = 500
CACHE_SIZE: Final = 2048
PATIENCE: Final = 60.0
# Tokens of a group, by the flag of parsing: 1/20 second of work. A document queues two groups, so a request for one segment
# waits for two at most.
GROUP_SIZES: Final = {False: 1000, True: 250}
Words = tuple[str, ...]


@dataclass(frozen=True)
class Annotation:
    """Number of each token's universal part of speech, and index of its head in the segment; shape (tokens,) each.

    The head of a root, and of every token without parsing, is `NO_HEAD`.
    """

    tags: Int8s
    heads: Int32s


class Tagger(Protocol):
    """A tagger of tokens in their original case."""

    @property
    def parses(self) -> bool:
        """Return True if the tagger finds heads."""

    def begin(self, column: TokenColumn) -> None:
        """Announce that the tags of these segments, without heads, are needed soon."""

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        """Annotate every segment, with heads if `parse`."""


class UdpipeTagger:
    """A UDPipe 1 model, in this process or in a tagging process."""

    def __init__(self, model: Any, path: Path, process: TaggingProcess | None = None) -> None:
        self._model = model
        self._path = path
        self._process = process
        trial = udpipe.Sentence()
        trial.addWord("a")
        if not model.tag(trial, model.DEFAULT):
            raise InputError("invalid-table", f"{path.name} has no tagger in it")
        self.parses: Final = bool(model.parse(trial, model.DEFAULT))
        # Requests repeat a source for every candidate and every change of its translation.
        self._recent: OrderedDict[tuple[bool, Words], TaggedWords] = OrderedDict()
        self._pending: dict[Words, tuple[Tagging, int]] = {}
        self._lock = threading.Lock()

    @classmethod
    def load(cls, path: Path, process: TaggingProcess | None = None) -> "UdpipeTagger":
        """Read a model file; InputError if it is no UDPipe model."""
        model = udpipe.Model.load(str(path))
        if model is None:
            raise InputError("invalid-table", f"{path.name} is not a UDPipe model")
        return cls(model, path, process)

    def begin(self, column: TokenColumn) -> None:
        """Start to tag every segment in the tagging process, if there is one; `annotate` uses the result."""
        if self._process is None:
            return
        sentences = list(dict.fromkeys(words for _, _, words in _parts(column)))
        with self._lock:
            new = [sentence for sentence in sentences if (False, sentence) not in self._recent and sentence not in self._pending]
            # The process tags in the order of requests; more than a group would delay other requests.
            new = next(_groups(new, GROUP_SIZES[False]), [])
            if new:
                if len(self._pending) > CACHE_SIZE:
                    # Announced segments were never requested.
                    self._pending.clear()
                tagging = self._process.begin(self._path, new, False)
                self._pending.update((sentence, (tagging, k)) for k, sentence in enumerate(new))

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        """Annotate every segment, with heads if `parse`."""
        parts = _parts(column)
        annotations = self._tagged([words for _, _, words in parts], parse)
        tags = np.full(len(column.ids), OTHER_TAG, np.int8)
        heads = np.full(len(column.ids), NO_HEAD, np.int32)
        for start, begin, words in parts:
            numbers, governors = annotations[words]
            tags[start : start + len(words)] = numbers
            if parse:
                heads[start : start + len(words)] = [head + begin if head != NO_HEAD else head for head in governors]
        return Annotation(tags, heads)

    def _tagged(self, sentences: Sequence[Words], parse: bool) -> dict[Words, TaggedWords]:
        """Tags of each sentence: from the cache, from pending work of the process, or computed."""
        with self._lock:
            annotations = {sentence: self._recent[parse, sentence] for sentence in sentences if (parse, sentence) in self._recent}
            pending = (
                {} if parse else {sentence: self._pending.pop(sentence) for sentence in set(sentences) if sentence in self._pending}
            )
        new = list(dict.fromkeys(sentence for sentence in sentences if sentence not in annotations and sentence not in pending))
        if self._process is None:
            for sentence in new:
                check_deadline()
                annotations[sentence] = tag_words(self._model, sentence, parse)
        else:
            groups = _groups(new, GROUP_SIZES[parse])
            # The next group is requested before this one is awaited, so that the process is never idle.
            waiting = deque([pending])
            while waiting:
                check_deadline()
                if group := next(groups, []):
                    tagging = self._process.begin(self._path, group, parse)
                    waiting.append({sentence: (tagging, k) for k, sentence in enumerate(group)})
                annotations |= self._awaited(waiting.popleft(), parse)
        self._remember(annotations, parse)
        return annotations

    def _awaited(self, pending: Mapping[Words, tuple[Tagging, int]], parse: bool) -> dict[Words, TaggedWords]:
        """Results of the process; sentences without an answer are tagged in this process."""
        annotations: dict[Words, TaggedWords] = {}
        unanswered_sentences: list[Words] = []
        for sentence, (tagging, k) in pending.items():
            try:
                annotations[sentence] = tagging.result(PATIENCE)[k]
            except (OSError, TimeoutError):
                unanswered_sentences.append(sentence)
        if unanswered_sentences:
            log.warning("%d sentences are tagged in the server's own process", len(unanswered_sentences))
        for sentence in unanswered_sentences:
            check_deadline()
            annotations[sentence] = tag_words(self._model, sentence, parse)
        return annotations

    def _remember(self, annotations: Mapping[Words, TaggedWords], parse: bool) -> None:
        with self._lock:
            for words, tags in list(annotations.items())[-CACHE_SIZE:]:
                self._recent[parse, words] = tags
                self._recent.move_to_end((parse, words))
            while len(self._recent) > CACHE_SIZE:
                self._recent.popitem(last=False)


def _groups(sentences: Iterable[Words], limit: int) -> Iterator[list[Words]]:
    """Groups of neighbouring sentences with at most `limit` tokens, or of one longer sentence."""
    group: list[Words] = []
    size = 0
    for sentence in sentences:
        if group and size + len(sentence) > limit:
            yield group
            group, size = [], 0
        group.append(sentence)
        size += len(sentence)
    if group:
        yield group


def _parts(column: TokenColumn) -> list[tuple[int, int, Words]]:
    """Segments, split if too long: offset in the column, offset in the segment, tokens."""
    parts: list[tuple[int, int, Words]] = []
    for row in range(len(column)):
        first, tokens = int(column.offsets[row]), column.tokens(row)
        parts += [(first + k, k, tuple(tokens[k : k + LONGEST])) for k in range(0, len(tokens), LONGEST)]
    return parts


class SpacyTagger:
    """A spaCy pipeline; needs the package spacy."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self.parses: Final = "parser" in pipeline.pipe_names

    @classmethod
    def load(cls, folder: Path) -> "SpacyTagger":
        """Read a pipeline's folder; InputError without spaCy."""
        try:
            import spacy
        except ImportError:
            raise InputError("missing-resource", f"{folder.parent.name}/{folder.name} needs the package spacy") from None
        return cls(spacy.load(folder))

    def begin(self, column: TokenColumn) -> None:
        """Do nothing: this tagger works on request only."""

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        """Annotate every segment, with heads if `parse`."""
        from spacy.tokens import Doc

        docs = (Doc(self._pipeline.vocab, words=column.tokens(row)) for row in range(len(column)))
        tags, heads = np.full(len(column.ids), OTHER_TAG, np.int8), np.full(len(column.ids), NO_HEAD, np.int32)
        number = 0
        for doc in self._pipeline.pipe(docs, disable=() if parse else ("parser",)):
            for token in doc:
                tags[number] = NUMBERS.get(token.pos_, OTHER_TAG)
                if parse and token.head.i != token.i:
                    heads[number] = token.head.i
                number += 1
        return Annotation(tags, heads)


class LinearTagger:
    """A linear tagger in this process; its compiled kernels release the interpreter's lock."""

    def __init__(self, model: LinearModel) -> None:
        self._model = model
        self.parses: Final = model.heads is not None
        # Kernels are compiled here, not in a request.
        model.annotate(pack_tokens([["a"]]), True)

    def begin(self, column: TokenColumn) -> None:
        """Do nothing: this tagger works on request only."""

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        """Annotate every segment, with heads if `parse`."""
        tags, heads = self._model.annotate(column, parse)
        return Annotation(tags, np.full(len(tags), NO_HEAD, np.int32) if heads is None else heads)


@dataclass(frozen=True)
class TaggerChoice:
    """Choice among taggers: the linear tagger for the languages in `linear`, UDPipe, optionally in `process`, for the rest.

    ``all`` in `linear` means all languages; ``auto`` means languages whose linear tagger was built to replace the UDPipe model
    beside it. A language with a single tagger uses that tagger.
    """

    process: TaggingProcess | None = None
    linear: frozenset[str] = frozenset({AUTO})

    @classmethod
    def of(cls, languages: str, process: TaggingProcess | None = None) -> "TaggerChoice":
        """Parse the setting: language codes separated by commas, ``auto``, ``all`` or ``none``."""
        return cls(process, frozenset(code.strip() for code in languages.split(",")) - {"", NO_LANGUAGE})

    def check(self, languages: Collection[str]) -> None:
        """Raise InputError for a language in `linear` outside `languages`, those with a linear tagger."""
        for code in sorted(self.linear - {ALL_LANGUAGES, AUTO}):
            if code not in languages:
                names = ", ".join(sorted(languages)) or "none"
                values = f"{AUTO}, {ALL_LANGUAGES}, {NO_LANGUAGE}, or: {names}"
                detail = f"ASSAY_LINEAR_TAGGERS names {code}, which has no {LINEAR_TAGGER}; {values}"
                raise InputError("missing-resource", detail)


DEFAULT_CHOICE: Final = TaggerChoice()


def tagger_file(folder: Path, language: str, choice: TaggerChoice = DEFAULT_CHOICE) -> str | None:
    """Name of the tagger's file in a language's folder; None if there is none."""
    names = [name for name in TAGGER_FILES if (folder / name).is_file()]
    if LINEAR_TAGGER in names and not choice.linear.isdisjoint({language, ALL_LANGUAGES}):
        return LINEAR_TAGGER
    if AUTO in choice.linear and names == [UDPIPE, LINEAR_TAGGER] and _stands_in(folder):
        return LINEAR_TAGGER
    return names[0] if names else None


def _stands_in(folder: Path) -> bool:
    """Return True if the linear tagger was built to replace exactly the UDPipe model beside it."""
    if not (folder / MANIFEST).is_file():
        return False
    manifest = read_manifest(folder)
    return manifest.stands_for.get(LINEAR_TAGGER, "") == manifest.files.get(UDPIPE)


def load_tagger(folder: Path, language: str = "", choice: TaggerChoice = DEFAULT_CHOICE) -> Tagger | None:
    """The tagger in a language's folder, None if there is none; InputError if it cannot be read."""
    name = tagger_file(folder, language, choice)
    if name == UDPIPE:
        return UdpipeTagger.load(folder / UDPIPE, choice.process)
    if name == PIPELINE:
        return SpacyTagger.load(folder)
    return None if name is None else LinearTagger(load_linear_model(folder / name))
