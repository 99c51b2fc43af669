"""Storage of a long step's unfinished output, so that its command can continue after the end of a worker.

The next worker of the job, on any machine, restores these files. The command checks them (`assay smt train` by checksums) and
computes missing ones again.
"""

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.operations.job_files import JobFiles
from app.operations.operation import Context, Json
from app.smt.recipes.command_lines import is_file_name

__all__ = ["Resuming"]

# Name under which a job publishes the number of its running step, and the step's stored files by name.
SO_FAR: Final = "so-far"
LOOK_SECONDS: Final = 5.0
# A command can continue in a folder that has this list of its files.
MANIFEST: Final = "manifest.json"


@dataclass
class Resuming:
    """Stores files below `folders` for step `number` of a job, whose owner may store `most` bytes.

    A file is stored if its size and time have not changed since the previous look. Older files are stored first, since a file may
    depend on older ones.
    """

    context: Context
    files: JobFiles
    number: int
    folders: Sequence[str]
    most: int | None
    _entries: Json = field(default_factory=dict)
    _last_states: dict[str, list[int]] = field(default_factory=dict)
    _look_time: float = 0.0

    def __post_init__(self) -> None:
        before = (self.context.published(SO_FAR) if self.folders else None) or {}
        if before.get("step") == self.number:
            self._entries = before["files"]

    def stored_files(self) -> Iterator[tuple[str, str]]:
        """Names and roles of the stored files of an interrupted step; call `restore_time` for each restored file."""
        return ((name, entry["role"]) for name, entry in self._entries.items())

    def restore_time(self, name: str, path: Path) -> None:
        """Restore the time of a file, so that it is not stored again."""
        time_of_file, _ = self._entries[name]["state"]
        os.utime(path, ns=(time_of_file, time_of_file))

    def holds(self, name: str, path: Path) -> bool:
        """Return True if the stored copy of a file is up to date."""
        return self._stamp(name) == _state(path)

    def look(self, work: Path) -> None:
        """Store new and changed files of the step's folder; does nothing if the last look was seconds ago."""
        if not self.folders or time.monotonic() - self._look_time < LOOK_SECONDS:
            return
        states = dict(self._states(work))
        ready = [name for name, state in states.items() if self._last_states.get(name) == state and self._stamp(name) != state]
        self._last_states = states
        for name in sorted(ready, key=lambda name: states[name]):
            try:
                with (work / name).open("rb") as file:
                    role = self.role(name)
                    self.files.keep(role, file, self.most)
            except FileNotFoundError:
                continue
            self._entries[name] = {"role": role, "state": states[name]}
        absent = [name for name in self._entries if name not in states]
        for name in absent:
            self.files.drop(self._entries.pop(name)["role"])
        if ready or absent:
            self.context.publish(SO_FAR, {"step": self.number, "files": self._entries})
        self._look_time = time.monotonic()

    def role(self, name: str) -> str:
        """Storage name of a file that this step makes; equal each time, so that a new copy replaces the old."""
        return f"made-{self.number}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"

    def end(self, outputs: Sequence[str]) -> None:
        """Drop stored files that are not among the final output of the step."""
        for name, entry in self._entries.items():
            if name not in outputs:
                self.files.drop(entry["role"])
        if self._entries:
            self.context.publish(SO_FAR, {})

    def _stamp(self, name: str) -> list[int] | None:
        state: list[int] | None = self._entries.get(name, {}).get("state")
        return state

    def _states(self, work: Path) -> Iterator[tuple[str, list[int]]]:
        """Time and size of each file by name, without names that begin with a dot: unfinished files and marks of commands."""
        for folder in self.folders:
            if not (work / folder / MANIFEST).is_file():
                continue
            for path in (work / folder).rglob("*"):
                name = path.relative_to(work).as_posix()
                if is_file_name(name) and not path.is_symlink() and path.is_file():
                    try:
                        yield name, _state(path)
                    except FileNotFoundError:
                        continue


def _state(path: Path) -> list[int]:
    state = path.stat()
    return [state.st_mtime_ns, state.st_size]
