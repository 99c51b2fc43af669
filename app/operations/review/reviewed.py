"""Strings of translated files, and faults of these files."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from app.checks import Severity
from app.errors import InputError

__all__ = ["Fault", "FileStrings", "ReviewString"]


@dataclass(frozen=True)
class ReviewString:
    """A translation with its source and its place in the file; `is_stale` if the source changed alone.

    `earlier` are the source and the translation before the change, if the string existed. `codes` are the inline codes of both
    sides. Programs do not show a draft. `has_place` is true for a key that is the number of a place, and `is_single` for a plural
    form of few numbers, which may name its number.
    """

    path: str
    language: str
    key: str
    plural: str
    source: str
    translation: str
    place: tuple[int, int, int, int]
    longest: int | None = None
    is_changed: bool = True
    is_stale: bool = False
    earlier: tuple[str, str] | None = None
    is_draft: bool = False
    codes: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    has_place: bool = False
    is_single: bool = False

    @property
    def name(self) -> str:
        """The key in all versions of the file; empty without one."""
        return "" if self.has_place else self.key


@dataclass(frozen=True)
class Fault:
    """A fault of a file at one of its strings: code, message and severity of its finding."""

    string: ReviewString
    code: str
    message: str
    severity: Severity


@dataclass(frozen=True)
class FileStrings:
    """Strings of a translated file in one language, or the reason why it cannot be read."""

    path: str
    source_path: str
    language: str
    strings: tuple[ReviewString, ...] = ()
    missing: int = 0
    error: InputError | None = None
    faults: tuple[Fault, ...] = ()
    # Present source texts by key, or by themselves in files without keys; none for unknown ones.
    sources: Mapping[str, Collection[str]] = field(default_factory=dict)
