"""Folders of pairs of `assay pair add`: resources of the pair, of its languages, and models."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.building.writing import check_new, folder_aside
from app.engine import Engine
from app.errors import InputError
from app.registry.entry import PREDICTOR, WORD_TAGGER, RegistryEntry
from app.registry.models import ModelRegistry
from app.resources.loading import SYSTEM, folder_called
from app.resources.manifest import MANIFEST, read_manifest
from app.resources.pair_sets import BAGS
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
    "models_of_pair",
    "own_pairs",
    "publish",
    "remove_models",
    "remove_pair",
    "tagger_name",
]

# Note about the training rows on cards of predictors of `assay pair add`.
OF_OTHER_SEGMENTS: Final = "features from resources of other segments"


@dataclass(frozen=True)
class OwnPair:
    """A pair that was built on this machine, its number of segments, and the ids of its models.

    `pair_models` come from `assay pair add`; `trained` are further models that use the files of the pair.
    """

    pair: LanguagePair
    segments: int
    pair_models: tuple[str, ...]
    trained: tuple[str, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """Ids of all models, sorted."""
        return tuple(sorted((*self.pair_models, *self.trained)))


def own_pairs(settings: Settings) -> list[OwnPair]:
    """All pairs that were built on this machine, by name."""
    registry = ModelRegistry(None, settings.trained_models_dir)
    pairs: list[OwnPair] = []
    for pair in _pairs(settings):
        try:
            manifest = read_manifest(settings.own_resources_dir / pair.file_name)
        except InputError as error:
            # The engine also skips a pair with a broken manifest, and loads the rest.
            say(f"{pair} is passed over: {error.detail}")
            continue
        segments = manifest.statistics.get("segments", 0)
        pair_models = models_of_pair(registry, pair)
        further_models = tuple(name for name in sorted(_models(registry, pair, manifest.files)) if name not in pair_models)
        pairs.append(OwnPair(pair, segments if isinstance(segments, int) else 0, pair_models, further_models))
    return pairs


def models_of_pair(registry: ModelRegistry, pair: LanguagePair) -> tuple[str, ...]:
    """Ids of models that `assay pair add` trained for a pair, found by notes on cards and by names of taggers."""
    of_pair = [entry for entry in registry.entries if entry.scope == str(pair)]
    return tuple(sorted(entry.id for entry in of_pair if _is_of_pair(entry, pair)))


def _is_of_pair(entry: RegistryEntry, pair: LanguagePair) -> bool:
    if entry.kind == PREDICTOR:
        return bool(entry.details["training_data"].get("features") == OF_OTHER_SEGMENTS)
    return entry.kind == WORD_TAGGER and entry.id == tagger_name(pair)


def tagger_name(pair: LanguagePair) -> str:
    """Name of the word tagger of a pair; no other command trains word taggers."""
    return f"{pair}-words"


def _pairs(settings: Settings) -> list[LanguagePair]:
    """Pairs by the names of their folders. Folders of languages, as pt-BR, and foreign folders are skipped."""
    names = sorted(path.parent.name for path in settings.own_resources_dir.glob(f"*-*/{MANIFEST}"))
    parsed_pairs = [folder_called(name)[1] for name in names]
    return [pair for pair in parsed_pairs if pair is not None]


def _models(registry: ModelRegistry, pair: LanguagePair, files: Mapping[str, str]) -> Iterator[str]:
    """Ids of models whose cards name the files of this pair."""
    digests = {f"{pair.file_name}/{name}": digest for name, digest in files.items()}
    for entry in registry.entries:
        resources = entry.details.get("resources") or {}
        if entry.scope == str(pair) and any(resources.get(name) == digest for name, digest in digests.items()):
            yield entry.id


def free_languages(settings: Settings, pair: LanguagePair) -> list[str]:
    """Languages of a pair that no other pair in the data folder uses."""
    used_languages = {code for rival in _pairs(settings) if rival != pair for code in (rival.source, rival.target)}
    return [code for code in (pair.source, pair.target) if code not in used_languages]


def check_pair_is_new(settings: Settings, pair: LanguagePair, replace: bool) -> None:
    """Raise InputError if the pair exists, before hours of work; `replace` permits it."""
    if not replace:
        check_new(settings.own_resources_dir / str(pair), [MANIFEST])


def publish(folder: Path, target: Path, replace: bool) -> None:
    """Copy the files of a finished folder to its place. A tagger in a folder of `target` stays."""
    with folder_aside(target, replace, [BAGS]) as temporary_folder:
        for path in folder.iterdir():
            if path.is_file():
                shutil.copyfile(path, temporary_folder / path.name)


def remove_models(settings: Settings, names: Iterable[str]) -> list[Path]:
    """Remove trained models; return their folders."""
    folders = [settings.trained_models_dir / name for name in names]
    for folder in folders:
        shutil.rmtree(folder)
    return folders


def remove_pair(settings: Settings, own_pair: OwnPair) -> list[Path]:
    """Remove a pair's resources, its models of `assay pair add`, and languages without another pair; return removed paths.

    Taggers of languages, systems that translate the pair, and models of `assay train` stay.
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
    files += remove_models(settings, own_pair.pair_models)
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
    """An engine of the shipped resources and of those in `folder`."""
    tagging = TaggerChoice.of(settings.linear_taggers)
    folders = settings.resources_dir, settings.models_dir, settings.trained_models_dir
    return Engine.open(*folders, tagging, own_resources=folder, encoder=settings.encoder, encoder_threads=settings.encoding_threads)
