"""Where a pair of one's own lies: its resources, the languages that it shares with others, and the models of it."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.building.writing import check_new, folder_aside
from app.engine import Engine
from app.errors import InputError
from app.registry.entry import PREDICTOR, WORD_TAGGER, Entry
from app.registry.models import ModelRegistry
from app.resources.loading import SYSTEM, folder_called
from app.resources.manifest import MANIFEST, read_manifest
from app.resources.tagger import TaggerChoice
from app.settings import Settings
from app.shell.output import say
from app.text.languages import LanguagePair

__all__ = [
    "OF_OTHER_SEGMENTS",
    "OwnPair",
    "check_pair_is_new",
    "engine_of",
    "free_languages",
    "made_models",
    "own_pairs",
    "publish",
    "remove_models",
    "remove_pair",
    "tagger_name",
]

# What the card of a predictor says of its rows where this command made it, since there were cards of any.
OF_OTHER_SEGMENTS: Final = "features from resources of other segments"


@dataclass(frozen=True)
class OwnPair:
    """A pair that was built here, its segments, and the ids of its models.

    `made` are what `assay pair add` made, from whatever text; `trained` are others that learned from the files that are there.
    """

    pair: LanguagePair
    segments: int
    made: tuple[str, ...]
    trained: tuple[str, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(sorted((*self.made, *self.trained)))


def own_pairs(settings: Settings) -> list[OwnPair]:
    """All of them, by name."""
    registry = ModelRegistry(None, settings.trained_models_dir)
    pairs: list[OwnPair] = []
    for pair in _pairs(settings):
        try:
            manifest = read_manifest(settings.own_resources_dir / pair.file_name)
        except InputError as error:
            # The engine leaves it out as well; other pairs are there all the same.
            say(f"{pair} is passed over: {error.detail}")
            continue
        segments = manifest.statistics.get("segments", 0)
        pair_models = made_models(registry, pair)
        further_models = tuple(name for name in sorted(_models(registry, pair, manifest.files)) if name not in pair_models)
        pairs.append(OwnPair(pair, segments if isinstance(segments, int) else 0, pair_models, further_models))
    return pairs


def made_models(registry: ModelRegistry, pair: LanguagePair) -> tuple[str, ...]:
    """What `assay pair add` made of a pair, now or earlier: cards of predictors say so, and taggers have their name from it."""
    of_pair = [entry for entry in registry.entries if entry.scope == str(pair)]
    return tuple(sorted(entry.id for entry in of_pair if _is_made(entry, pair)))


def _is_made(entry: Entry, pair: LanguagePair) -> bool:
    if entry.kind == PREDICTOR:
        return bool(entry.details["training_data"].get("features") == OF_OTHER_SEGMENTS)
    return entry.kind == WORD_TAGGER and entry.id == tagger_name(pair)


def tagger_name(pair: LanguagePair) -> str:
    """What the word tagger of a pair of one's own is called; nothing else that trains here makes one."""
    return f"{pair}-words"


def _pairs(settings: Settings) -> list[LanguagePair]:
    """Those whose folders are called as pairs; beside them lie languages, as pt-BR, and whatever else people keep there."""
    names = sorted(path.parent.name for path in settings.own_resources_dir.glob(f"*-*/{MANIFEST}"))
    parsed_pairs = [folder_called(name)[1] for name in names]
    return [pair for pair in parsed_pairs if pair is not None]


def _models(registry: ModelRegistry, pair: LanguagePair, files: Mapping[str, str]) -> Iterator[str]:
    """Models that were trained with the very files of this pair, as `assay train` does."""
    digests = {f"{pair.file_name}/{name}": digest for name, digest in files.items()}
    for entry in registry.entries:
        resources = entry.details.get("resources") or {}
        if entry.scope == str(pair) and any(resources.get(name) == digest for name, digest in digests.items()):
            yield entry.id


def free_languages(settings: Settings, pair: LanguagePair) -> list[str]:
    """The languages of a pair that no other pair of one's own uses."""
    used_languages = {code for rival in _pairs(settings) if rival != pair for code in (rival.source, rival.target)}
    return [code for code in (pair.source, pair.target) if code not in used_languages]


def check_pair_is_new(settings: Settings, pair: LanguagePair, replace: bool) -> None:
    """InputError that names the file in the way, before hours of work."""
    if not replace:
        check_new(settings.own_resources_dir / str(pair), [MANIFEST])


def publish(folder: Path, target: Path, replace: bool) -> None:
    """Put a finished folder of resources beside others; files of its own alone, since a tagger may lie in it."""
    with folder_aside(target, replace) as temporary_folder:
        for path in folder.iterdir():
            if path.is_file():
                shutil.copyfile(path, temporary_folder / path.name)


def remove_models(settings: Settings, names: Iterable[str]) -> list[Path]:
    """Remove models that were trained here; the folders that are gone."""
    folders = [settings.trained_models_dir / name for name in names]
    for folder in folders:
        shutil.rmtree(folder)
    return folders


def remove_pair(settings: Settings, own_pair: OwnPair) -> list[Path]:
    """Remove a pair's resources, the models made of it, and the languages that nobody else uses; the folders that are gone.

    A tagger of a language stays, since nothing here can build it again, and so does a system that translates the pair; and what
    somebody trained.
    """
    free = free_languages(settings, own_pair.pair)
    folder = settings.own_resources_dir / own_pair.pair.file_name
    if (folder / SYSTEM).is_dir():
        files = [path for path in sorted(folder.iterdir()) if path.is_file()]
        for path in files:
            path.unlink()
    else:
        shutil.rmtree(folder)
        files = [folder]
    files += remove_models(settings, own_pair.made)
    for code in free:
        folder = settings.own_resources_dir / code
        if not folder.is_dir():
            continue
        for path in [path for path in folder.iterdir() if path.is_file()]:
            path.unlink()
        if not any(folder.iterdir()):
            folder.rmdir()
            files.append(folder)
    return files


def engine_of(settings: Settings, folder: Path) -> Engine:
    """An engine of what ships and of resources that are being built."""
    tagging = TaggerChoice.of(settings.linear_taggers)
    folders = settings.resources_dir, settings.models_dir, settings.trained_models_dir
    return Engine.open(*folders, tagging, own_resources=folder, encoder=settings.encoder, encoder_threads=settings.encoding_threads)
