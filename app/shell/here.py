"""Local work of a command: settings, limits, an engine that loads its parts at their first use, and a store of models."""

import logging
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
    from app.operations.parts.limits import RequestLimits
    from app.operations.translating import Translators
    from app.server.store import Actor

__all__ = ["ModelsHere", "command_line", "data_settings", "engine_here", "limits_here", "settings_here", "translators_here"]


@cache
def settings_here() -> Settings:
    """Settings of the environment; InputError names a wrong variable."""
    return read_settings()


def data_settings() -> Settings:
    """Settings of a command that writes the data folder. New files are for their owner alone: they hold texts and keys' digests."""
    os.umask(0o077)
    return settings_here()


def command_line() -> "Actor":
    """The actor in records of changes: the system's user who called the command."""
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
        from app.engine import Engine

        return Engine.of_settings(self._settings)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


@cache
def engine_here() -> "Engine":
    """The engine, which opens at its first use; each part of it loads at the first use of the part."""
    from app.metrics.files import use_metric_files

    settings = settings_here()
    use_metric_files(settings.sentencepiece_model, settings.metric_files, (settings.resources_dir, settings.own_resources_dir))
    return cast("Engine", LateEngine(settings))


def limits_here() -> "RequestLimits":
    """Limits of local work: any number of segments, none longer than the settings allow."""
    from app.operations.parts.limits import RequestLimits

    return RequestLimits(2**62, 2**62, 2**62, settings_here().max_segment_characters)


def translators_here() -> "Translators":
    """Translation services of the settings; translations and budgets are stored in the database, as for a server."""
    from app.server.store import open_database
    from app.server.translation import LOG, TranslatorFactory, open_services

    # The error of a command names the failure already.
    logging.getLogger(LOG).addHandler(logging.NullHandler())
    settings = data_settings()
    services = open_services(settings)
    database = open_database(settings.sqlalchemy_url, secure_delete=settings.secure_delete)
    return TranslatorFactory.of_settings(services, settings, database, engine_here().systems).of("")


class ModelsHere(LocalArtifacts):
    """Store of models that a command trains: by name in `root`, or at the path of ``out(name)``. It replaces no model."""

    def __init__(self, root: Path, out: Callable[[str], Path] | None = None) -> None:
        super().__init__(root)
        self._out = out

    def save_file(self, name: str, write: Callable[[Path], None], replace: bool = False) -> None:
        """Save a model; see `ArtifactStore`. An empty target folder is no obstacle."""
        target = self.folder(name) if self._out is None else self._out(name)
        if target.is_file() or (target.is_dir() and any(target.iterdir())):
            raise InputError("invalid-request", f"{target} exists already; name another with --out or --name")
        LocalArtifacts(target.parent).save_file(target.name, write, replace=True)
        say(f"wrote {target}")
