"""Finding what lies under a resources folder, and loading it with checksums verified: at once, or when it is first asked for."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from app.errors import InputError
from app.resources.corpus_index import CorpusIndex
from app.resources.language_models import LanguageModel, open_language_model
from app.resources.lazy import Lazy, LazyMapping
from app.resources.lexical_table import LexicalTable
from app.resources.manifest import MANIFEST, Manifest, checksum, read_manifest
from app.resources.ngram_counts import NgramCounts
from app.resources.tagger import Tagger, load_tagger
from app.resources.tagging_process import TaggingProcess
from app.text.languages import LanguagePair

__all__ = ["LanguageResources", "Resources", "load_resources", "open_resources"]

log = logging.getLogger("assay")
T = TypeVar("T")
NAME: Final = re.compile("[a-z]{2,3}(?:-[a-z]{2,3})?")
MODEL_NAMES: Final = ("lm.binary", "lm.arpa", "lm.arpa.gz")


class _Folder:
    """A folder of resources whose files are held to its manifest once, before the first of them is loaded."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        self.manifest = read_manifest(path)
        self.verify = Lazy(self._verify)

    def _verify(self) -> None:
        for file, expected in self.manifest.files.items():
            if not (self.path / file).is_file():
                raise InputError("invalid-table", f"resources/{self.name}/{file} is missing; restore it or run make resources")
            if checksum(self.path / file) != expected:
                raise InputError("invalid-table", f"resources/{self.name}/{file} is damaged; restore it or run make resources")

    @property
    def size(self) -> int:
        paths = (self.path / file for file in self.manifest.files)
        return sum(path.stat().st_size for path in paths if path.is_file())

    def part(self, load: Callable[[Path], T], file: str) -> Lazy[T]:
        def load_verified() -> T:
            try:
                self.verify()
                return load(self.path / file)
            except InputError:
                raise
            except Exception as error:
                # A checksum says that a file is what was written, not that it was right.
                log.warning("%s cannot be loaded", self.path / file, exc_info=error)
                place = f"resources/{self.name}/{file}".rstrip("/")
                raise InputError("invalid-table", f"{place} cannot be read as what it is called; build it again") from None

        return Lazy(load_verified)


class LanguageResources:
    """Language model and n-gram counts of one language; tagger and model of its tags where there are any.

    Each part is loaded when it is first asked for.
    """

    def __init__(self, folder: _Folder, tagging: _Folder | None, process: TaggingProcess | None) -> None:
        path = folder.path
        name = next((name for name in MODEL_NAMES if (path / name).is_file()), MODEL_NAMES[0])
        self._model = folder.part(open_language_model, name)
        self._counts = folder.part(NgramCounts.load, "ngrams.safetensors")

        def load(path: Path) -> Tagger | None:
            return load_tagger(path, process)

        def load_tag_model(path: Path) -> LanguageModel | None:
            return open_language_model(path) if path.is_file() else None

        # A tagger without a manifest is somebody else's.
        self._tagger = tagging.part(load, "") if tagging else folder.part(load, "tagger")
        self._tag_model = (
            tagging.part(load_tag_model, "tags.binary") if tagging else folder.part(load_tag_model, "tagger/tags.binary")
        )

    @property
    def model(self) -> LanguageModel:
        """The language model."""
        return self._model()

    @property
    def counts(self) -> NgramCounts:
        """Counts of n-grams."""
        return self._counts()

    @property
    def tagger(self) -> Tagger | None:
        """What tags words."""
        return self._tagger()

    @property
    def tag_model(self) -> LanguageModel | None:
        """The language model of tags."""
        return self._tag_model()

    def load(self) -> None:
        """Load every part now."""
        for part in (self._model, self._counts, self._tagger, self._tag_model):
            part()

    @property
    def loaded(self) -> bool:
        """Whether any part is there."""
        return any(part.loaded for part in (self._model, self._counts, self._tagger, self._tag_model))


@dataclass(frozen=True)
class _Part:
    """A folder of a language or a pair with what is in it; `name` is what it is called."""

    folder: _Folder
    tagging: _Folder | None
    language: LanguageResources | None

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def folders(self) -> list[_Folder]:
        return [self.folder, *([self.tagging] if self.tagging is not None else [])]


@dataclass(frozen=True)
class Resources:
    """Everything under a resources folder: languages, lexical tables and corpus indexes by direction, manifests by folder.

    Parts are loaded when they are first asked for, or all at once by `load`. `broken` says of folders that are left out why.
    """

    parts: tuple[_Part, ...]
    broken: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def languages(self) -> Mapping[str, LanguageResources]:
        """Language models, counts and taggers by the language's code."""
        return {part.name: part.language for part in self.parts if part.language is not None}

    @cached_property
    def tables(self) -> LazyMapping[LanguagePair, LexicalTable]:
        """Lexical tables by direction."""
        return self._of_pairs[0]

    @cached_property
    def indexes(self) -> LazyMapping[LanguagePair, CorpusIndex]:
        """Corpus indexes by direction."""
        return self._of_pairs[1]

    @cached_property
    def _of_pairs(self) -> tuple[LazyMapping[LanguagePair, LexicalTable], LazyMapping[LanguagePair, CorpusIndex]]:
        return _of_pairs([part.folder for part in self.parts if part.language is None])

    @cached_property
    def manifests(self) -> Mapping[str, Manifest]:
        """Manifests by folder, those of taggers among them."""
        return {folder.name: folder.manifest for part in self.parts for folder in part.folders}

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Bytes by folder."""
        return {folder.name: folder.size for part in self.parts for folder in part.folders}

    @cached_property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """Directions with language models on both sides and a lexical table of their own folder."""
        names = [LanguagePair.parse(part.name) for part in self.parts if part.language is None]
        return tuple(sorted(p for p in names if p.source in self.languages and p.target in self.languages))

    def load(self, pairs: Iterable[LanguagePair] | None = None) -> None:
        """Load now what these pairs need, or everything; a file that differs from its checksum is an InputError."""
        codes = self.languages if pairs is None else {code: None for pair in pairs for code in (pair.source, pair.target)}
        directions = [*self.tables, *self.indexes] if pairs is None else [way for pair in pairs for way in (pair, pair.reversed)]
        for code in codes:
            self.languages[code].load()
        for direction in directions:
            self.tables.get(direction)
            self.indexes.get(direction)

    def sound(self) -> "Resources":
        """The same with everything loaded that can be; a folder that has anything else in it is left out."""
        left = self
        for part in self.parts:
            try:
                left._load(part)
            except InputError as error:
                left = left.without(part.name, str(error))
        return left

    def _load(self, part: _Part) -> None:
        if part.language is not None:
            part.language.load()
            return
        pair = LanguagePair.parse(part.name)
        for direction in (pair, pair.reversed):
            self.tables.get(direction)
            self.indexes.get(direction)

    def without(self, name: str, reason: str) -> "Resources":
        """The same without the folder of a language or pair, which is broken for this reason; what is loaded stays so."""
        log.error("resources/%s is left out: %s", name, reason)
        return Resources(tuple(part for part in self.parts if part.name != name), {**self.broken, name: reason})


def open_resources(folder: Path, process: TaggingProcess | None = None) -> Resources:
    """Every sub-folder with a manifest; of these only the manifests are read now.

    A language's sub-folder ``tagger`` may hold ``tagger.udpipe``, any UDPipe model, with or without a manifest, or a
    spaCy pipeline (a folder with ``config.cfg``). UDPipe tags in `process` where one is given. A part whose files differ
    from their checksums is an InputError for who asks for it; a folder without a manifest that can be read is left out.
    """
    parts: list[_Part] = []
    broken: dict[str, str] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        try:
            part = _open_part(path, process)
        except (InputError, OSError) as error:
            broken[path.name] = error.detail if isinstance(error, InputError) else f"it cannot be read: {error.strerror}"
            log.error("%s is left out: %s", path, broken[path.name])
        else:
            parts += [part] if part is not None else []
    return Resources(tuple(parts), broken)


def _open_part(path: Path, process: TaggingProcess | None) -> _Part | None:
    """What is in a folder; None where it is none of ours, InputError where it should be one and is not."""
    called = NAME.fullmatch(path.name) is not None
    if path.name.startswith(".") or not (called or (path / MANIFEST).is_file()):
        # Hidden is what is being written; function_words.json and what else people keep here is none of ours.
        return None
    if not called:
        raise InputError("invalid-table", "a folder of resources is called as a language, ro, or a language pair, ro-en")
    folder = _Folder(path, path.name)
    if "-" in path.name:
        return _Part(folder, None, None)
    tagger = path / "tagger"
    tagging = _Folder(tagger, f"{path.name}/tagger") if (tagger / MANIFEST).exists() else None
    return _Part(folder, tagging, LanguageResources(folder, tagging, process))


def _of_pairs(
    folders: Iterable[_Folder],
) -> tuple[LazyMapping[LanguagePair, LexicalTable], LazyMapping[LanguagePair, CorpusIndex]]:
    """Tables and indexes of both directions of every pair's folder; an index of the direction itself goes before a turned one."""
    tables: dict[LanguagePair, Lazy[LexicalTable]] = {}
    indexes: dict[LanguagePair, Lazy[CorpusIndex]] = {}
    turned: dict[LanguagePair, Lazy[CorpusIndex]] = {}
    for folder in folders:
        pair = LanguagePair.parse(folder.name)
        for direction in (pair, pair.reversed):
            tables.setdefault(direction, folder.part(LexicalTable.load, f"lex.{direction}.safetensors"))
        if (folder.path / "index.safetensors").is_file():
            indexes[pair] = folder.part(CorpusIndex.load, "index.safetensors")
            turned[pair.reversed] = Lazy(_turn(indexes[pair]))
    return LazyMapping(tables), LazyMapping({**turned, **indexes})


def _turn(index: Lazy[CorpusIndex]) -> Callable[[], CorpusIndex]:
    return lambda: CorpusIndex(index().target, index().source)


def load_resources(folder: Path, process: TaggingProcess | None = None) -> Resources:
    """`open_resources` with everything loaded; a file that differs from its checksum is an InputError."""
    resources = open_resources(folder, process)
    for name, reason in resources.broken.items():
        raise InputError("invalid-table", f"resources/{name}: {reason}")
    resources.load()
    return resources
