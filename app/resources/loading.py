"""Discovery of resources in their folders, and loading with verified checksums: all at once, or on first use.

There are two root folders: the shipped one, and one of resources that users built. A user-built pair consists of the user's files,
completed by shipped files. Shipped models always use the shipped files of their training.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.resources.checkpoints import Checkpoints
from app.resources.corpus_index import CorpusIndex
from app.resources.folder import USER_PREFIX, ResourceFolder
from app.resources.languages import ANNOTATORS, AnnotatorPart, LanguageResources, TaggerParts, TextParts
from app.resources.lazy import LazyMapping
from app.resources.lexical_table import LexicalTable
from app.resources.manifest import MANIFEST, Manifest
from app.resources.pair_sets import Directions, PairParts, PairSet
from app.resources.pieces.reader import PairReader
from app.resources.tagger import TaggerChoice
from app.text.language_tags import read_tag
from app.text.languages import LanguagePair, nearest_language

__all__ = ["SYSTEM", "LanguageResources", "Resources", "folder_called", "load_resources", "open_resources"]

log = logging.getLogger("assay")
TAGGER: Final = "tagger"
# Sub-folder of a pair's folder with a phrase-based system of its direction.
SYSTEM: Final = "system"


@dataclass(frozen=True)
class _Part:
    """A folder of a language, a pair or a system, with its parts; only a pair's folder has `pair`.

    A system has only a folder, and the direction that it `translates`; an annotator only a folder.
    """

    name: str
    own: bool
    folders: tuple[ResourceFolder, ...]
    texts: TextParts | None = None
    tagging: TaggerParts | None = None
    pair: PairParts | None = None
    translates: LanguagePair | None = None
    annotator: AnnotatorPart | None = None

    @property
    def key(self) -> str:
        return f"{USER_PREFIX}{self.name}" if self.own else self.name

    def load(self) -> None:
        """Load all parts; InputError if a part cannot be loaded."""
        if self.texts is not None:
            _ = self.texts.model(), self.texts.counts()
        if self.tagging is not None:
            _ = self.tagging.tagger(), self.tagging.tag_model()
        if self.pair is not None:
            self.pair.load()
        if self.translates is not None:
            self.folders[0].verify()
        if self.annotator is not None:
            self.annotator.part()


@dataclass(frozen=True)
class Resources:
    """All resources: languages, lexical tables and corpus indexes by direction, manifests by folder, networks.

    Parts are loaded on first use, or all at once by `load`. `broken` maps skipped folders to reasons. Keys of user-built folders
    begin with ``own/``. The `cross_encoder` and the imported `checkpoints` belong to no folder and no language.
    """

    parts: tuple[_Part, ...]
    broken: Mapping[str, str] = field(default_factory=dict)
    cross_encoder: PairReader | None = None
    checkpoints: Checkpoints = field(default_factory=Checkpoints)

    @cached_property
    def _languages(self) -> tuple[Mapping[str, LanguageResources], Mapping[str, LanguageResources]]:
        """Languages of the shipped and of the user-built set; each set is completed from the second."""
        shipped_parts, user_parts = [[part for part in self.parts if part.own is user_built] for user_built in (False, True)]
        languages = _languages(shipped_parts, user_parts)
        return languages, _languages(user_parts, shipped_parts) if user_parts else languages

    @cached_property
    def _directions(self) -> tuple[Directions, Directions]:
        """Directions of the shipped and of the user-built folders."""
        shipped_directions, user_directions = (
            Directions.of([part.pair for part in self.parts if part.pair is not None and part.own is user_built])
            for user_built in (False, True)
        )
        return shipped_directions, user_directions

    @property
    def languages(self) -> Mapping[str, LanguageResources]:
        """Language models, counts and taggers by language code: shipped ones, and user-built ones of further languages."""
        return self._languages[False]

    @property
    def tables(self) -> LazyMapping[LanguagePair, LexicalTable]:
        """Shipped lexical tables by direction."""
        return self._directions[False].tables

    @property
    def indexes(self) -> LazyMapping[LanguagePair, CorpusIndex]:
        """Shipped corpus indexes by direction."""
        return self._directions[False].indexes

    @cached_property
    def systems(self) -> Mapping[LanguagePair, ResourceFolder]:
        """Folders of phrase-based systems by direction; a user-built system replaces a shipped one."""
        parts = sorted(self.parts, key=lambda part: part.own)
        return {part.translates: part.folders[0] for part in parts if part.translates is not None}

    @cached_property
    def manifests(self) -> Mapping[str, Manifest]:
        """Manifests by key of the folder, including folders of taggers."""
        return {folder.key: folder.manifest for part in self.parts for folder in part.folders}

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Size in bytes by key of the folder."""
        return {folder.key: folder.size for part in self.parts for folder in part.folders}

    @cached_property
    def _sets(self) -> Mapping[LanguagePair, tuple[PairSet, ...]]:
        sets: dict[LanguagePair, tuple[PairSet, ...]] = {}
        for user_built in (True, False):
            languages, directions = self._languages[user_built], self._directions[user_built]
            for part in self.parts:
                if part.pair is not None and part.own is user_built:
                    pair = part.pair.pair
                    source, target = (nearest_language(tag, languages) for tag in (pair.source, pair.target))
                    if source is not None and target is not None:
                        pair_set = PairSet(pair, user_built, languages[source], languages[target], directions)
                        sets[pair] = (*sets.get(pair, ()), pair_set)
        return sets

    @cached_property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """Directions with a pair's folder and language models of both sides, sorted."""
        return tuple(sorted(self._sets))

    def sets(self, pair: LanguagePair) -> tuple[PairSet, ...]:
        """Sets of resources of a pair, the user-built one first; most pairs have one set."""
        return self._sets[pair]

    @cached_property
    def without_networks(self) -> "Resources":
        """A copy with neither the cross-encoder nor checkpoints."""
        has_networks = self.cross_encoder is not None or self.checkpoints.usable or self.checkpoints.broken
        return replace(self, cross_encoder=None, checkpoints=Checkpoints()) if has_networks else self

    def load(self, pairs: Iterable[LanguagePair] | None = None) -> None:
        """Load the resources of `pairs`, or all; InputError if a file differs from its checksum."""
        if pairs is None:
            for part in self.parts:
                part.load()
        for pair in self.pairs if pairs is None else pairs:
            for pair_set in self.sets(pair):
                pair_set.load()

    def sound(self) -> "Resources":
        """Load everything, and return a copy without the folders that cannot be loaded."""
        resources = self
        for part in self.parts:
            try:
                part.load()
            except InputError as error:
                resources = resources.without(part.key, str(error))
        return resources

    def without(self, key: str, reason: str) -> "Resources":
        """A copy without the folder of a language or pair, which is broken for `reason`. Loaded parts stay loaded."""
        log.error("resources/%s is left out: %s", key, reason)
        parts = tuple(part for part in self.parts if part.key != key)
        return replace(self, parts=parts, broken={**self.broken, key: reason})


def _languages(preferred_parts: Iterable[_Part], fallback_parts: Iterable[_Part]) -> dict[str, LanguageResources]:
    """Languages with text; text, tagger and annotators come from the first part that has them."""
    texts: dict[str, TextParts] = {}
    taggers: dict[str, TaggerParts] = {}
    annotators: dict[str, dict[str, AnnotatorPart]] = {}
    for part in (*preferred_parts, *fallback_parts):
        if part.texts is not None:
            texts.setdefault(part.name, part.texts)
        if part.tagging is not None:
            taggers.setdefault(part.name, part.tagging)
        if part.annotator is not None:
            annotators.setdefault(part.annotator.language, {}).setdefault(part.annotator.kind, part.annotator)
    return {code: LanguageResources(parts, taggers.get(code), annotators.get(code)) for code, parts in sorted(texts.items())}


def open_resources(folder: Path, taggers: TaggerChoice | None = None, user_folder: Path | None = None) -> Resources:
    """Resources of the sub-folders of `folder` and `user_folder`. Only manifests are read; parts are loaded on first use.

    A language's sub-folder ``tagger`` may hold ``tagger.udpipe``, any UDPipe model, with or without a manifest, a spaCy
    pipeline (a folder with ``config.cfg``), or a linear tagger, ``tagger.safetensors``. `taggers` selects among them; InputError if
    it names a language without a linear tagger. The use of a part with a wrong checksum raises InputError. Folders without
    a readable manifest are left out.
    """
    parts: list[_Part] = []
    broken: dict[str, str] = {}
    choice = taggers or TaggerChoice()
    for root, user_built in ((folder, False), *([(user_folder, True)] if user_folder is not None else [])):
        for path in sorted(root.iterdir()) if root.is_dir() else []:
            for place in (path, *(path / name for name in (SYSTEM, *ANNOTATORS))):
                try:
                    part = _open_part(place, choice, user_built) if place == path else _open_inner(place, user_built)
                except (InputError, OSError) as error:
                    reason = error.detail if isinstance(error, InputError) else f"it cannot be read: {error.strerror}"
                    name = str(place.relative_to(root))
                    broken[f"{USER_PREFIX}{name}" if user_built else name] = reason
                    log.error("%s is left out: %s", place, reason)
                else:
                    parts += [part] if part is not None else []
    choice.check({part.name for part in parts if part.tagging is not None and part.tagging.has_linear})
    return Resources(tuple(parts), broken)


def _open_inner(path: Path, user_built: bool) -> _Part | None:
    """The system in a pair's folder, or the annotator in a language's; None if there is none."""
    if not path.is_dir():
        return None
    is_language, pair = folder_called(path.parent.name)
    if path.name in ANNOTATORS:
        if not is_language:
            return None
        folder = ResourceFolder(path, f"{path.parent.name}/{path.name}", user_built)
        return _Part(folder.name, user_built, (folder,), annotator=AnnotatorPart(folder))
    if pair is None:
        return None
    folder = ResourceFolder(path, f"{path.parent.name}/{SYSTEM}", user_built)
    return _Part(folder.name, user_built, (folder,), translates=pair)


def _open_part(path: Path, taggers: TaggerChoice, user_built: bool) -> _Part | None:
    """Parts of a folder; None if it is no folder of resources, InputError if it has a manifest and a wrong name."""
    is_language, pair = folder_called(path.name)
    has_valid_name = is_language or pair is not None
    if pair is not None and (path / SYSTEM).is_dir() and not (path / MANIFEST).exists():
        # A system alone, for a shipped pair or a pair without further resources.
        return None
    if (
        is_language
        and not (path / MANIFEST).exists()
        and not (path / TAGGER).exists()
        and any((path / kind).is_dir() for kind in ANNOTATORS)
    ):
        # Annotators alone, for a language with shipped text.
        return None
    if path.name.startswith(".") or not (has_valid_name or (path / MANIFEST).is_file()):
        # Hidden folders are being written. Files such as function_words.json are no folders of resources.
        return None
    if not has_valid_name:
        detail = "a folder of resources has the name of a language, ro or pt-BR, or of a language pair, ro-en or en-pt-BR"
        raise InputError("invalid-table", detail)
    if pair is not None:
        pair_folder = ResourceFolder(path, path.name, user_built)
        return _Part(path.name, user_built, (pair_folder,), pair=PairParts(pair_folder))
    tagger = path / TAGGER
    tagger_folder = ResourceFolder(tagger, f"{path.name}/{TAGGER}", user_built) if (tagger / MANIFEST).exists() else None
    if user_built and tagger_folder is not None and not (path / MANIFEST).exists():
        # A tagger alone, for a language with shipped text.
        return _Part(path.name, user_built, (tagger_folder,), None, TaggerParts(tagger_folder, "", taggers))
    folder = ResourceFolder(path, path.name, user_built)
    if tagger_folder is not None:
        return _Part(path.name, user_built, (folder, tagger_folder), TextParts(folder), TaggerParts(tagger_folder, "", taggers))
    # A tagger without a manifest comes from elsewhere.
    tagging = TaggerParts(folder, TAGGER, taggers) if TaggerParts.are_in(tagger) else None
    return _Part(path.name, user_built, (folder,), TextParts(folder), tagging)


def folder_called(name: str) -> tuple[bool, LanguagePair | None]:
    """Return True if a folder has the name of a language, and the pair of its name or None.

    Names must be in their canonical form: zh-TW, not zh-tw.
    """
    if str(read_tag(name)) == name:
        return True, None
    try:
        pair = LanguagePair.parse(name)
    except InputError:
        return False, None
    return False, pair if pair.file_name == name else None


def load_resources(folder: Path, taggers: TaggerChoice | None = None) -> Resources:
    """Load all resources of a folder; InputError if a file differs from its checksum."""
    resources = open_resources(folder, taggers)
    for name, reason in resources.broken.items():
        raise InputError("invalid-table", f"resources/{name}: {reason}")
    resources.load()
    return resources
