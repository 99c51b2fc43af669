"""Finding and loading what lies under a resources folder, with checksums verified."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.resources.corpus_index import CorpusIndex
from app.resources.language_models import LanguageModel, open_language_model
from app.resources.lexical_table import LexicalTable
from app.resources.manifest import Manifest, checksum, read_manifest
from app.resources.ngram_counts import NgramCounts
from app.resources.tagger import Tagger, load_tagger
from app.resources.tagging_process import TaggingProcess
from app.text.languages import LanguagePair

__all__ = ["LanguageResources", "LoadedResources", "load_resources"]

MODEL_NAMES: Final = ("lm.binary", "lm.arpa", "lm.arpa.gz")


@dataclass(frozen=True)
class LanguageResources:
    """Language model and n-gram counts of one language; tagger and model of its tags where there are any."""

    model: LanguageModel
    counts: NgramCounts
    tagger: Tagger | None = None
    tag_model: LanguageModel | None = None


@dataclass(frozen=True)
class LoadedResources:
    """Everything under a resources folder: languages, lexical tables and corpus indexes by direction, manifests by folder."""

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


def load_resources(folder: Path, process: TaggingProcess | None = None) -> LoadedResources:
    """Load every sub-folder with a manifest; a file that differs from its checksum is an InputError.

    A language's sub-folder ``tagger`` may hold ``tagger.udpipe``, any UDPipe model, with or without a manifest, or a
    spaCy pipeline (a folder with ``config.cfg``). UDPipe tags in `process` where one is given.
    """
    languages: dict[str, LanguageResources] = {}
    tables: dict[LanguagePair, LexicalTable] = {}
    indexes: dict[LanguagePair, CorpusIndex] = {}
    manifests: dict[str, Manifest] = {}
    sizes: dict[str, int] = {}

    def verify(path: Path, name: str) -> None:
        manifests[name] = read_manifest(path)
        for file, expected in manifests[name].files.items():
            if checksum(path / file) != expected:
                raise InputError("invalid-table", f"resources/{name}/{file} is damaged; restore it or run make resources")
        sizes[name] = sum((path / file).stat().st_size for file in manifests[name].files)

    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if not (path / "manifest.json").is_file():
            continue
        verify(path, path.name)
        if "-" in path.name:
            pair = LanguagePair.parse(path.name)
            for direction in (pair, pair.reversed):
                tables.setdefault(direction, LexicalTable.load(path / f"lex.{direction}.safetensors"))
            if (path / "index.safetensors").is_file():
                indexes[pair] = CorpusIndex.load(path / "index.safetensors")
                indexes.setdefault(pair.reversed, CorpusIndex(indexes[pair].target, indexes[pair].source))
        else:
            if (path / "tagger" / "manifest.json").is_file():
                verify(path / "tagger", f"{path.name}/tagger")
            languages[path.name] = _load_language(path, process)
    return LoadedResources(languages, tables, indexes, manifests, sizes)


def _load_language(path: Path, process: TaggingProcess | None) -> LanguageResources:
    tags = path / "tagger" / "tags.binary"
    model = next((path / name for name in MODEL_NAMES if (path / name).is_file()), path / MODEL_NAMES[0])
    return LanguageResources(
        open_language_model(model),
        NgramCounts.load(path / "ngrams.safetensors"),
        load_tagger(path / "tagger", process),
        open_language_model(tags) if tags.is_file() else None,
    )
