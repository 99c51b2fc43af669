"""Finding what lies under a resources folder, and loading it with checksums verified: at once, or when it is first asked for."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from app.errors import InputError
from app.resources.corpus_index import CorpusIndex
from app.resources.language_models import LanguageModel, open_language_model
from app.resources.lazy import Lazy, LazyMapping
from app.resources.lexical_table import LexicalTable
from app.resources.manifest import Manifest, checksum, read_manifest
from app.resources.ngram_counts import NgramCounts
from app.resources.tagger import Tagger, load_tagger
from app.resources.tagging_process import TaggingProcess
from app.text.languages import LanguagePair

__all__ = ["LanguageResources", "Resources", "load_resources", "open_resources"]

T = TypeVar("T")
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
            if checksum(self.path / file) != expected:
                raise InputError("invalid-table", f"resources/{self.name}/{file} is damaged; restore it or run make resources")

    @property
    def size(self) -> int:
        return sum((self.path / file).stat().st_size for file in self.manifest.files)

    def part(self, load: Callable[[Path], T], file: str) -> Lazy[T]:
        def load_verified() -> T:
            self.verify()
            return load(self.path / file)

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
class Resources:
    """Everything under a resources folder: languages, lexical tables and corpus indexes by direction, manifests by folder.

    Parts are loaded when they are first asked for, or all at once by `load`.
    """

    languages: Mapping[str, LanguageResources]
    tables: Mapping[LanguagePair, LexicalTable]
    indexes: Mapping[LanguagePair, CorpusIndex]
    manifests: Mapping[str, Manifest]
    sizes: Mapping[str, int]

    @cached_property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """Directions with language models on both sides and a lexical table of their own folder."""
        names = [LanguagePair.parse(name) for name in self.manifests if "-" in name and "/" not in name]
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


def open_resources(folder: Path, process: TaggingProcess | None = None) -> Resources:
    """Every sub-folder with a manifest; of these only the manifests are read now.

    A language's sub-folder ``tagger`` may hold ``tagger.udpipe``, any UDPipe model, with or without a manifest, or a
    spaCy pipeline (a folder with ``config.cfg``). UDPipe tags in `process` where one is given. A part whose files differ
    from their checksums is an InputError for who asks for it.
    """
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    folders = [_Folder(path, path.name) for path in paths if (path / "manifest.json").is_file()]
    taggers = {
        part.name: _Folder(part.path / "tagger", f"{part.name}/tagger")
        for part in folders
        if "-" not in part.name and (part.path / "tagger" / "manifest.json").is_file()
    }
    every = [subfolder for part in folders for subfolder in (part, taggers.get(part.name)) if subfolder is not None]
    tables, indexes = _of_pairs([part for part in folders if "-" in part.name])
    return Resources(
        {part.name: LanguageResources(part, taggers.get(part.name), process) for part in folders if "-" not in part.name},
        tables,
        indexes,
        {part.name: part.manifest for part in every},
        {part.name: part.size for part in every},
    )


def _of_pairs(folders: Iterable[_Folder]) -> tuple[Mapping[LanguagePair, LexicalTable], Mapping[LanguagePair, CorpusIndex]]:
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
    resources.load()
    return resources
