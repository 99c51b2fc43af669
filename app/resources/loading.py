"""Finding and loading what lies under a resources folder, with checksums verified."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from app.resources.language_model import LanguageModel
from app.resources.lexical_table import LexicalTable
from app.resources.manifest import Manifest, checksum, read_manifest
from app.resources.ngram_counts import NgramCounts
from app.text.errors import InputError
from app.text.languages import LanguagePair

__all__ = ["LanguageResources", "LoadedResources", "load_resources"]


@dataclass(frozen=True)
class LanguageResources:
    """Language model and n-gram counts of one language."""

    model: LanguageModel
    counts: NgramCounts


@dataclass(frozen=True)
class LoadedResources:
    """Everything under a resources folder: languages, lexical tables by direction, manifests by folder name."""

    languages: Mapping[str, LanguageResources]
    tables: Mapping[LanguagePair, LexicalTable]
    manifests: Mapping[str, Manifest]
    sizes: Mapping[str, int]

    @cached_property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """Directions with language models on both sides and a lexical table of their own folder."""
        names = [LanguagePair.parse(name) for name in self.manifests if "-" in name]
        return tuple(sorted(p for p in names if p.source in self.languages and p.target in self.languages))


def load_resources(folder: Path) -> LoadedResources:
    """Load every sub-folder with a manifest; a file that differs from its checksum is an InputError."""
    languages: dict[str, LanguageResources] = {}
    tables: dict[LanguagePair, LexicalTable] = {}
    manifests: dict[str, Manifest] = {}
    sizes: dict[str, int] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if not (path / "manifest.json").is_file():
            continue
        manifest = read_manifest(path)
        for name, expected in manifest.files.items():
            if checksum(path / name) != expected:
                raise InputError("invalid-table", f"resources/{path.name}/{name} is damaged; restore it or run make resources")
        manifests[path.name] = manifest
        sizes[path.name] = sum((path / name).stat().st_size for name in manifest.files)
        if "-" in path.name:
            pair = LanguagePair.parse(path.name)
            for direction in (pair, LanguagePair(pair.target, pair.source)):
                tables.setdefault(direction, LexicalTable.load(path / f"lex.{direction}.safetensors"))
        else:
            languages[path.name] = LanguageResources(
                LanguageModel.open(path / "lm.binary"), NgramCounts.load(path / "ngrams.safetensors")
            )
    return LoadedResources(languages, tables, manifests, sizes)
