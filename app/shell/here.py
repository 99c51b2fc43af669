"""What a command has when it works by itself: settings, limits, an engine that loads what is asked of it, a folder for models."""

import os
import pwd
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from app.errors import InputError
from app.operations.parts.environment import read_settings
from app.registry.artifacts import LocalArtifacts
from app.settings import Settings
from app.shell.output import say

if TYPE_CHECKING:
    from app.engine import Engine
    from app.operations.parts.limits import Limits
    from app.server.store import Actor

__all__ = ["ModelsHere", "command_line", "engine_here", "limits_here", "settings_here"]


@cache
def settings_here() -> Settings:
    """The settings of the environment; InputError names the variable that cannot be as it is."""
    return read_settings()


def command_line() -> "Actor":
    """Who is recorded to have changed something by a command: the user of the system who called it."""
    from app.server.store import Actor

    user = os.getuid()
    try:
        name = pwd.getpwuid(user).pw_name
    except KeyError:
        name = f"user {user}"
    return Actor("command line", name)


class LateEngine:
    """The engine of a command, which is imported and opened at the first use of an attribute."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def _engine(self) -> "Engine":
        return open_engine(self._settings)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


@cache
def engine_here() -> "Engine":
    """The engine, which opens at its first use; each part of it loads at the first use of the part."""
    from app.metrics.installed_tokenisers import use_sentencepiece

    settings = settings_here()
    use_sentencepiece(settings.sentencepiece_model)
    return cast("Engine", LateEngine(settings))


def open_engine(settings: Settings) -> "Engine":
    """The engine on the folders that settings name."""
    from app.engine import Engine
    from app.resources.tagger import TaggerChoice

    return Engine.open(
        settings.resources_dir,
        settings.models_dir,
        settings.trained_models_dir,
        TaggerChoice.of(settings.linear_taggers),
        own_resources=settings.own_resources_dir,
        profile=settings.profile,
        encoder=settings.encoder,
        encoder_threads=settings.encoding_threads,
        checkpoints=settings.checkpoints,
    )


def limits_here() -> "Limits":
    """Nobody else waits, so there may be any number of segments, but none longer than the settings say."""
    from app.operations.parts.limits import Limits

    return Limits(2**62, 2**62, 2**62, settings_here().max_segment_characters)


class ModelsHere(LocalArtifacts):
    """Where models that a command trains go: under their names in `root`, or where `out` says; never in place of another."""

    def __init__(self, root: Path, out: Callable[[str], Path] | None = None) -> None:
        super().__init__(root)
        self._out = out

    def save_file(self, name: str, write: Callable[[Path], None], replace: bool = False) -> None:
        """See `ArtifactStore`; an empty folder is as good as none."""
        target = self.folder(name) if self._out is None else self._out(name)
        if target.is_file() or (target.is_dir() and any(target.iterdir())):
            raise InputError("invalid-request", f"{target} exists already; name another with --out or --name")
        LocalArtifacts(target.parent).save_file(target.name, write, replace=True)
        say(f"wrote {target}")
