"""The engine of a process, opened at its first use."""

from functools import lru_cache
from pathlib import Path

from app.engine import Engine
from app.engine.profiles import Profile
from app.settings import Settings

__all__ = ["engine_of", "longest_segment"]


@lru_cache(maxsize=4)
def engine_of(resources: str | None, models: str | None, profile: Profile | None, threads: int) -> Engine:
    """The engine over folders of resources and models, those of the settings for None; `threads` read texts by a network."""
    changes: dict[str, object] = {"encoder_threads": threads}
    changes |= {name: Path(path) for name, path in (("resources_dir", resources), ("models_dir", models)) if path is not None}
    return Engine.of_settings(Settings().model_copy(update=changes)).at(profile)


def longest_segment() -> int:
    """Most characters of a segment, of the settings."""
    return Settings().max_segment_characters
