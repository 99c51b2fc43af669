"""Finding what lies under the folders of resources, and loading it with checksums verified: at once, or when it is asked for.

There are two folders: one that ships, and one of what users built, which is never written into the first. A pair of theirs is made
of their own files, and of those that ship where they have none; models that ship go on with what they were trained with.
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
from app.resources.encoders import Encoder
from app.resources.folder import OWN, ResourceFolder
from app.resources.languages import LanguageResources, TaggerParts, TextParts
from app.resources.lazy import LazyMapping
from app.resources.lexical_table import LexicalTable
from app.resources.manifest import MANIFEST, Manifest
from app.resources.pair_sets import Directions, PairParts, PairSet
from app.resources.tagger import TaggerChoice
from app.text.language_tags import read_tag
from app.text.languages import LanguagePair, nearest_language

__all__ = ["SYSTEM", "LanguageResources", "Resources", "folder_called", "load_resources", "open_resources"]

log = logging.getLogger("assay")
TAGGER: Final = "tagger"
# Of a pair's folder, the phrase-based system that translates in its direction.
SYSTEM: Final = "system"


@dataclass(frozen=True)
class _Part:
    """A folder of a language, a pair or a system with what is in it; `name` is what it is called, only a pair has `pair`.

    Of a system there is only its folder here, and the direction that it `translates`.
    """

    name: str
    own: bool
    folders: tuple[ResourceFolder, ...]
    texts: TextParts | None = None
    tagging: TaggerParts | None = None
    pair: PairParts | None = None
    translates: LanguagePair | None = None

    @property
    def key(self) -> str:
        return f"{OWN}{self.name}" if self.own else self.name

    def load(self) -> None:
        """Load what is in it now; InputError where something cannot be."""
        if self.texts is not None:
            _ = self.texts.model(), self.texts.counts()
        if self.tagging is not None:
            _ = self.tagging.tagger(), self.tagging.tag_model()
        if self.pair is not None:
            self.pair.load()
        if self.translates is not None:
            self.folders[0].verify()


@dataclass(frozen=True)
class Resources:
    """Everything under the folders of resources: languages, lexical tables and corpus indexes by direction, manifests by folder.

    Parts are loaded when they are first asked for, or all at once by `load`. `broken` says of folders that are left out why.
    Names of own folders begin with ``own/`` where both kinds are named.
    The `encoder` of sentences and imported `checkpoints` are of no folder and no language.
    """

    parts: tuple[_Part, ...]
    broken: Mapping[str, str] = field(default_factory=dict)
    encoder: Encoder | None = None
    checkpoints: Checkpoints = field(default_factory=Checkpoints)

    @cached_property
    def _languages(self) -> tuple[Mapping[str, LanguageResources], Mapping[str, LanguageResources]]:
        """Of the set that ships, and of own ones: what either lacks is the other's."""
        shipped = _languages([part for part in self.parts if not part.own], [part for part in self.parts if part.own])
        if not any(part.own for part in self.parts):
            return shipped, shipped
        return shipped, _languages([part for part in self.parts if part.own], [part for part in self.parts if not part.own])

    @cached_property
    def _directions(self) -> tuple[Directions, Directions]:
        """Of the folders that ship, and of own ones."""
        shipped, own = (
            Directions.of([part.pair for part in self.parts if part.pair is not None and part.own is kind])
            for kind in (False, True)
        )
        return shipped, own

    @property
    def languages(self) -> Mapping[str, LanguageResources]:
        """Language models, counts and taggers by the language's code: those that ship, and own ones of other languages."""
        return self._languages[False]

    @property
    def tables(self) -> LazyMapping[LanguagePair, LexicalTable]:
        """Lexical tables by direction, those that ship."""
        return self._directions[False].tables

    @property
    def indexes(self) -> LazyMapping[LanguagePair, CorpusIndex]:
        """Corpus indexes by direction, those that ship."""
        return self._directions[False].indexes

    @cached_property
    def systems(self) -> Mapping[LanguagePair, ResourceFolder]:
        """Folders of phrase-based systems by direction; a user's own takes the place of one that ships."""
        ordered = sorted(self.parts, key=lambda part: part.own)
        return {part.translates: part.folders[0] for part in ordered if part.translates is not None}

    @cached_property
    def manifests(self) -> Mapping[str, Manifest]:
        """Manifests by folder, those of taggers among them."""
        return {folder.key: folder.manifest for part in self.parts for folder in part.folders}

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Bytes by folder."""
        return {folder.key: folder.size for part in self.parts for folder in part.folders}

    @cached_property
    def _sets(self) -> Mapping[LanguagePair, tuple[PairSet, ...]]:
        sets: dict[LanguagePair, tuple[PairSet, ...]] = {}
        for own in (True, False):
            languages, directions = self._languages[own], self._directions[own]
            for part in self.parts:
                if part.pair is not None and part.own is own:
                    pair = part.pair.pair
                    source, target = (nearest_language(tag, languages) for tag in (pair.source, pair.target))
                    if source is not None and target is not None:
                        of_pair = PairSet(pair, own, languages[source], languages[target], directions)
                        sets[pair] = (*sets.get(pair, ()), of_pair)
        return sets

    @cached_property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """Directions with language models on both sides and a lexical table of their own folder."""
        return tuple(sorted(self._sets))

    def sets(self, pair: LanguagePair) -> tuple[PairSet, ...]:
        """What there is for a pair, a user's own set first; one set for most."""
        return self._sets[pair]

    @cached_property
    def without_networks(self) -> "Resources":
        """The same with neither the encoder of sentences nor checkpoints."""
        there = self.encoder is not None or self.checkpoints.usable or self.checkpoints.broken
        return replace(self, encoder=None, checkpoints=Checkpoints()) if there else self

    def load(self, pairs: Iterable[LanguagePair] | None = None) -> None:
        """Load now what these pairs need, or everything; a file that differs from its checksum is an InputError."""
        if pairs is None:
            for part in self.parts:
                part.load()
        for pair in self.pairs if pairs is None else pairs:
            for one_set in self.sets(pair):
                one_set.load()

    def sound(self) -> "Resources":
        """The same with everything loaded that can be; a folder that has anything else in it is left out."""
        left = self
        for part in self.parts:
            try:
                part.load()
            except InputError as error:
                left = left.without(part.key, str(error))
        return left

    def without(self, key: str, reason: str) -> "Resources":
        """The same without the folder of a language or pair, which is broken for this reason; what is loaded stays so."""
        log.error("resources/%s is left out: %s", key, reason)
        parts = tuple(part for part in self.parts if part.key != key)
        return replace(self, parts=parts, broken={**self.broken, key: reason})


def _languages(first: Iterable[_Part], others: Iterable[_Part]) -> dict[str, LanguageResources]:
    """Languages with text; text and tagger are of the first parts that have them."""
    texts: dict[str, TextParts] = {}
    taggers: dict[str, TaggerParts] = {}
    for part in (*first, *others):
        if part.texts is not None:
            texts.setdefault(part.name, part.texts)
        if part.tagging is not None:
            taggers.setdefault(part.name, part.tagging)
    return {code: LanguageResources(parts, taggers.get(code)) for code, parts in sorted(texts.items())}


def open_resources(folder: Path, taggers: TaggerChoice | None = None, own: Path | None = None) -> Resources:
    """Every sub-folder with a manifest, and those of a user's own folder; of these only the manifests are read now.

    A language's sub-folder ``tagger`` may hold ``tagger.udpipe``, any UDPipe model, with or without a manifest, a spaCy
    pipeline (a folder with ``config.cfg``), or our own ``tagger.safetensors``; `taggers` chooses, an InputError where it
    cannot. A part whose files differ from their checksums is an InputError for who asks for it; a folder without a manifest
    that can be read is left out.
    """
    parts: list[_Part] = []
    broken: dict[str, str] = {}
    choice = taggers or TaggerChoice()
    for root, is_own in ((folder, False), *([(own, True)] if own is not None else [])):
        for path in sorted(root.iterdir()) if root.is_dir() else []:
            for place in (path, path / SYSTEM):
                try:
                    part = _open_part(place, choice, is_own) if place == path else _open_system(place, is_own)
                except (InputError, OSError) as error:
                    reason = error.detail if isinstance(error, InputError) else f"it cannot be read: {error.strerror}"
                    name = str(place.relative_to(root))
                    broken[f"{OWN}{name}" if is_own else name] = reason
                    log.error("%s is left out: %s", place, reason)
                else:
                    parts += [part] if part is not None else []
    choice.check({part.name for part in parts if part.tagging is not None and part.tagging.has_linear})
    return Resources(tuple(parts), broken)


def _open_system(path: Path, own: bool) -> _Part | None:
    """The system in a pair's folder; None where there is none."""
    _, pair = folder_called(path.parent.name)
    if pair is None or not path.is_dir():
        return None
    folder = ResourceFolder(path, f"{path.parent.name}/{SYSTEM}", own)
    return _Part(folder.name, own, (folder,), translates=pair)


def _open_part(path: Path, taggers: TaggerChoice, own: bool) -> _Part | None:
    """What is in a folder; None where it is none of ours, InputError where it should be one and is not."""
    is_language, pair = folder_called(path.name)
    called = is_language or pair is not None
    if pair is not None and (path / SYSTEM).is_dir() and not (path / MANIFEST).exists():
        # A system alone, for a pair that ships or that nothing else was built for.
        return None
    if path.name.startswith(".") or not (called or (path / MANIFEST).is_file()):
        # Hidden is what is being written; function_words.json and what else people keep here is none of ours.
        return None
    if not called:
        detail = "a folder of resources is called as a language, ro or pt-BR, or a language pair, ro-en or en-pt-BR"
        raise InputError("invalid-table", detail)
    if pair is not None:
        of_pair = ResourceFolder(path, path.name, own)
        return _Part(path.name, own, (of_pair,), pair=PairParts(of_pair))
    tagger = path / TAGGER
    of_tagger = ResourceFolder(tagger, f"{path.name}/{TAGGER}", own) if (tagger / MANIFEST).exists() else None
    if own and of_tagger is not None and not (path / MANIFEST).exists():
        # A tagger alone, for a language whose text ships.
        return _Part(path.name, own, (of_tagger,), None, TaggerParts(of_tagger, "", taggers))
    folder = ResourceFolder(path, path.name, own)
    if of_tagger is not None:
        return _Part(path.name, own, (folder, of_tagger), TextParts(folder), TaggerParts(of_tagger, "", taggers))
    # A tagger without a manifest is somebody else's.
    tagging = TaggerParts(folder, TAGGER, taggers) if TaggerParts.are_in(tagger) else None
    return _Part(path.name, own, (folder,), TextParts(folder), tagging)


def folder_called(name: str) -> tuple[bool, LanguagePair | None]:
    """Whether a folder is called as a language, and as which pair: both in their canonical form, which tells zh-TW from zh-tw."""
    if str(read_tag(name)) == name:
        return True, None
    try:
        pair = LanguagePair.parse(name)
    except InputError:
        return False, None
    return False, pair if pair.file_name == name else None


def load_resources(folder: Path, taggers: TaggerChoice | None = None) -> Resources:
    """`open_resources` with everything loaded; a file that differs from its checksum is an InputError."""
    resources = open_resources(folder, taggers)
    for name, reason in resources.broken.items():
        raise InputError("invalid-table", f"resources/{name}: {reason}")
    resources.load()
    return resources
