"""Resources of a language: a language model, n-gram counts, and, each in a folder of its own, a tagger, a grammar, names."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from app.resources.folder import ResourceFolder
from app.resources.grammar import GRAMMAR, Grammar, load_grammar
from app.resources.language_models import LanguageModel, open_language_model
from app.resources.linear_tagger import LINEAR_TAGGER
from app.resources.linear_tagger.names import NAMES, NameTagger
from app.resources.manifest import MANIFEST
from app.resources.ngram_counts import NgramCounts
from app.resources.tagger import TAGGER_FILES, UDPIPE, Tagger, TaggerChoice, load_tagger, tagger_file

__all__ = ["ANNOTATORS", "AnnotatorPart", "LanguageResources", "TaggerParts", "TextParts"]

MODEL_NAMES: Final = ("lm.binary", "lm.arpa", "lm.arpa.gz")
COUNTS: Final = "ngrams.safetensors"
TAG_MODEL: Final = "tags.binary"
# Sub-folders of further annotators: file and loader.
ANNOTATORS: Final[Mapping[str, tuple[str, Callable[[Path], Any]]]] = {
    "grammar": (GRAMMAR, load_grammar),
    "names": (NAMES, NameTagger.load),
}
# Name among all resources and SHA-256 of a file; None if no manifest lists it.
FileRecord = tuple[str, str] | None


class TextParts:
    """Language model and n-gram counts of a language's folder; each is loaded on first use."""

    def __init__(self, folder: ResourceFolder) -> None:
        name = next((name for name in MODEL_NAMES if (folder.path / name).is_file()), MODEL_NAMES[0])
        self.folder = folder
        self.model = folder.part(open_language_model, name)
        self.counts = folder.part(NgramCounts.load, COUNTS)
        self.recorded_model = folder.recorded(name)
        self.recorded_counts = folder.recorded(COUNTS)


class TaggerParts:
    """A tagger and the language model of its tags, in a folder with a manifest or in a language's folder.

    `choice` selects among several taggers.
    """

    def __init__(self, folder: ResourceFolder, inside: str, choice: TaggerChoice) -> None:
        language = folder.name.partition("/")[0]

        def load(path: Path) -> Tagger | None:
            return load_tagger(path, language, choice)

        def load_tag_model(path: Path) -> LanguageModel | None:
            return open_language_model(path) if path.is_file() else None

        self.folder = folder
        self.tagger = folder.part(load, inside)
        self.tag_model = folder.part(load_tag_model, f"{inside}/{TAG_MODEL}".lstrip("/"))
        self.has_linear = (folder.path / inside / LINEAR_TAGGER).is_file()
        name = tagger_file(folder.path / inside, language, choice) or TAGGER_FILES[0]
        self.recorded_tagger = folder.recorded(f"{inside}/{name}".lstrip("/"))
        self.equals = _equals(folder, inside, name)
        self.recorded_tag_model = folder.recorded(f"{inside}/{TAG_MODEL}".lstrip("/"))

    @staticmethod
    def are_in(path: Path) -> bool:
        """Return True if a folder holds a tagger or the manifest of one."""
        return (path / MANIFEST).exists() or any((path / name).is_file() for name in TAGGER_FILES)


def _equals(folder: ResourceFolder, inside: str, tagger_name: str) -> dict[str, str]:
    """Name and SHA-256 of the tagger beside `tagger_name`, if the linear tagger was built to replace the UDPipe model."""
    paths = {name: f"{inside}/{name}".lstrip("/") for name in (UDPIPE, LINEAR_TAGGER)}
    files = folder.manifest.files
    if tagger_name not in paths or folder.manifest.stands_for.get(paths[LINEAR_TAGGER]) != files.get(paths[UDPIPE], ""):
        return {}
    replacement = folder.recorded(paths[UDPIPE if tagger_name == LINEAR_TAGGER else LINEAR_TAGGER])
    return dict([replacement]) if replacement is not None else {}


class AnnotatorPart:
    """A grammar or a tagger of names, in a folder of its own; loaded on first use."""

    def __init__(self, folder: ResourceFolder) -> None:
        language, _, self.kind = folder.name.partition("/")
        file, load = ANNOTATORS[self.kind]
        self.language = language
        self.part = folder.part(load, file)
        self.record = folder.recorded(file)


class LanguageResources:
    """Language model, n-gram counts, and optionally a tagger, a language model of its tags, and `annotators` by kind."""

    def __init__(
        self, texts: TextParts, tagging: TaggerParts | None, annotators: Mapping[str, AnnotatorPart] | None = None
    ) -> None:  # fmt: skip
        self._texts = texts
        self._tagging = tagging
        self._annotators = annotators or {}

    @property
    def model(self) -> LanguageModel:
        """The language model."""
        return self._texts.model()

    @property
    def counts(self) -> NgramCounts:
        """Counts of n-grams."""
        return self._texts.counts()

    @property
    def tagger(self) -> Tagger | None:
        """The tagger; None if the language has none."""
        return self._tagging.tagger() if self._tagging is not None else None

    @property
    def tag_model(self) -> LanguageModel | None:
        """The language model of tags; None if the language has none."""
        return self._tagging.tag_model() if self._tagging is not None else None

    @property
    def grammar(self) -> Grammar | None:
        """The grammar; None if the language has none."""
        part = self._annotators.get("grammar")
        return None if part is None else part.part()

    @property
    def names(self) -> NameTagger | None:
        """The tagger of names; None if the language has none."""
        part = self._annotators.get("names")
        return None if part is None else part.part()

    @property
    def annotator_records(self) -> Mapping[str, FileRecord]:
        """Name and SHA-256 of the files of annotators by kind."""
        return {kind: part.record for kind, part in self._annotators.items()}

    @property
    def file_records(self) -> tuple[FileRecord, FileRecord, FileRecord, FileRecord]:
        """Name and SHA-256 of the files of model, counts, tagger and tag model; None for a file outside the manifests."""
        tagging = self._tagging
        tagging_files = (None, None) if tagging is None else (tagging.recorded_tagger, tagging.recorded_tag_model)
        return self._texts.recorded_model, self._texts.recorded_counts, *tagging_files

    @property
    def equals(self) -> Mapping[str, str]:
        """Names and SHA-256 of unused files that could replace files in use."""
        return self._tagging.equals if self._tagging is not None else {}

    def load(self) -> None:
        """Load every part."""
        _ = self.model, self.counts, self.tagger, self.tag_model, self.grammar, self.names

    @property
    def loaded(self) -> bool:
        """Return True if a part is loaded."""
        tagging = self._tagging
        has_text = self._texts.model.loaded or self._texts.counts.loaded
        has_annotator = any(part.part.loaded for part in self._annotators.values())
        return has_text or has_annotator or (tagging is not None and (tagging.tagger.loaded or tagging.tag_model.loaded))
