"""Where a pair of one's own lies: its resources, the languages that it shares with others, and the models of it."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.corpus.writing import check_new, written_aside
from app.engine import Engine
from app.errors import InputError
from app.registry.models import ModelRegistry
from app.resources.loading import folder_called
from app.resources.manifest import MANIFEST, read_manifest
from app.settings import Settings
from app.shell.output import say
from app.text.languages import LanguagePair

__all__ = ["OwnPair", "check_pair_is_new", "engine_of", "free_languages", "own_pairs", "publish", "remove_pair"]


@dataclass(frozen=True)
class OwnPair:
    """A pair that was built here: its segments, and the ids of the models that learned from its files."""

    pair: LanguagePair
    segments: int
    models: tuple[str, ...]


def own_pairs(settings: Settings) -> list[OwnPair]:
    """All of them, by name."""
    registry = ModelRegistry(None, settings.trained_models_dir)
    made: list[OwnPair] = []
    for pair in _pairs(settings):
        try:
            manifest = read_manifest(settings.own_resources_dir / pair.hyphenated)
        except InputError as error:
            # The engine leaves it out as well; other pairs are there all the same.
            say(f"{pair} is passed over: {error.detail}")
            continue
        segments = manifest.statistics.get("segments", 0)
        models = tuple(sorted(_models(registry, pair, manifest.files)))
        made.append(OwnPair(pair, segments if isinstance(segments, int) else 0, models))
    return made


def _pairs(settings: Settings) -> list[LanguagePair]:
    """Those whose folders are called as pairs; beside them lie languages, as pt-BR, and whatever else people keep there."""
    names = sorted(path.parent.name for path in settings.own_resources_dir.glob(f"*-*/{MANIFEST}"))
    called = [folder_called(name)[1] for name in names]
    return [pair for pair in called if pair is not None]


def _models(registry: ModelRegistry, pair: LanguagePair, files: Mapping[str, str]) -> Iterator[str]:
    """Models that were trained with the very files of this pair."""
    digests = {f"{pair.hyphenated}/{name}": digest for name, digest in files.items()}
    for entry in registry.entries:
        recorded = entry.details.get("resources") or {}
        if entry.scope == str(pair) and any(recorded.get(name) == digest for name, digest in digests.items()):
            yield entry.id


def free_languages(settings: Settings, pair: LanguagePair) -> list[str]:
    """The languages of a pair that no other pair of one's own uses."""
    used = {code for other in _pairs(settings) if other != pair for code in (other.source, other.target)}
    return [code for code in (pair.source, pair.target) if code not in used]


def check_pair_is_new(settings: Settings, pair: LanguagePair, replace: bool) -> None:
    """InputError that names the file in the way, before hours of work."""
    if not replace:
        check_new(settings.own_resources_dir / str(pair), [MANIFEST])


def publish(folder: Path, target: Path, replace: bool) -> None:
    """Put a finished folder of resources beside others; files of its own alone, since a tagger may lie in it."""
    with written_aside(target, replace) as aside:
        for path in folder.iterdir():
            if path.is_file():
                shutil.copyfile(path, aside / path.name)


def remove_pair(settings: Settings, own: OwnPair) -> list[Path]:
    """Remove a pair's resources, its models, and the languages that nobody else uses; the folders that are gone.

    A tagger of a language stays: nothing here can build it again.
    """
    free = free_languages(settings, own.pair)
    gone = [settings.own_resources_dir / own.pair.hyphenated, *(settings.trained_models_dir / name for name in own.models)]
    for folder in gone:
        shutil.rmtree(folder)
    for code in free:
        folder = settings.own_resources_dir / code
        if not folder.is_dir():
            continue
        for path in [path for path in folder.iterdir() if path.is_file()]:
            path.unlink()
        if not any(folder.iterdir()):
            folder.rmdir()
            gone.append(folder)
    return gone


def engine_of(settings: Settings, own: Path) -> Engine:
    """An engine of what ships and of resources that are being built."""
    return Engine.open(settings.resources_dir, settings.models_dir, settings.trained_models_dir, own_resources=own)
