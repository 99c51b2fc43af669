"""Baselines of `assay score`: a system, or a file of saved scores; and saving of scores."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import InputError
from app.operations.parts.scoring.stored_scores import LARGEST_FILE, StoredScores, read_stored
from app.shell.declaration.files import check_file
from app.shell.output import json_text, say

__all__ = ["SavedScores", "baseline_fields", "parse_saved_scores", "system_names"]


def baseline_fields(baseline: str | None, systems: Collection[str]) -> dict[str, Any]:
    """Fields of the request: the system of that name, or else the saved scores in the file of that name.

    InputError if neither exists.
    """
    if baseline is None:
        return {}
    if baseline in systems:
        return {"baseline": baseline}
    if not Path(baseline).is_file():
        detail = f"there is no file {baseline} of stored scores, and no system of that name; systems are {', '.join(systems)}"
        raise InputError("invalid-request", detail, ("--baseline",))
    return {"stored": _read(Path(baseline))}


def _read(path: Path) -> StoredScores:
    with path.open("rb") as file:
        raw = file.read(LARGEST_FILE + 1)
    try:
        return read_stored(raw)
    except InputError as error:
        raise InputError(error.code, error.detail, (str(path), *error.where[1:])) from None


def system_names(inputs: Collection[str], runs: Mapping[str, Sequence[str]]) -> list[str]:
    """Names of systems: those with runs, and inputs that are no run."""
    members = {run for names in runs.values() for run in names}
    return [*runs, *(name for name in inputs if name not in members and name not in runs)]


@dataclass(frozen=True)
class SavedScores:
    """The system whose scores are saved, and the file."""

    system: str
    path: Path

    def save(self, stored: Mapping[str, Any]) -> None:
        """Write the file. An earlier file of its name stays complete until then."""
        text = json_text(stored, indent=None) + "\n"
        if self.path.exists() and not self.path.is_file():
            self.path.write_text(text, "utf-8")
            return
        temporary_path = self.path.with_name(f".{self.path.name}.{os.getpid()}.unfinished")
        try:
            temporary_path.write_text(text, "utf-8")
            temporary_path.replace(self.path)
        finally:
            temporary_path.unlink(missing_ok=True)
        say(f"wrote {self.path}")


def parse_saved_scores(text: str | None, systems: Sequence[str]) -> SavedScores | None:
    """Parse ``FILE`` or ``SYSTEM=FILE``. InputError if several systems fit or the file cannot be written."""
    if text is None:
        return None
    name, separator, path = text.partition("=")
    if not separator or name not in systems:
        if len(systems) != 1:
            detail = f"say whose scores, as {systems[0]}=FILE; systems are {', '.join(systems)}"
            raise InputError("invalid-request", detail, ("--save-scores",))
        name, path = systems[0], text
    check_file(Path(path), "--save-scores")
    return SavedScores(name, Path(path))
