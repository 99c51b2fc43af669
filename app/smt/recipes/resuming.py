"""What a long step has done so far: files of folders that its command goes on with, kept with the job while it works.

Whoever takes the job up after a worker was killed, on any machine, lays them where the command left them. The command itself
looks whether they are whole (`assay smt train` by checksums); what it does not find it does again.
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

# Under which name a job publishes what its step at hand has so far: step, and its files by name.
SO_FAR: Final = "so-far"
LOOK_SECONDS: Final = 5.0
# A folder is gone on with once its command says in this file what is in it.
MANIFEST: Final = "manifest.json"


@dataclass
class Resuming:
    """Keeps files below `folders` of the step `number` of a job, which may keep `most` bytes in all; names are of the job's files.

    A file is kept once its size and time are what they were a look before, those that are older first: what stands in one may
    depend on what another has.
    """

    context: Context
    files: JobFiles
    number: int
    folders: Sequence[str]
    most: int | None
    _kept: Json = field(default_factory=dict)
    _seen: dict[str, list[int]] = field(default_factory=dict)
    _looked: float = 0.0

    def __post_init__(self) -> None:
        before = (self.context.published(SO_FAR) if self.folders else None) or {}
        if before.get("step") == self.number:
            self._kept = before["files"]

    def left(self) -> Iterator[tuple[str, str]]:
        """Names and roles of what a step that was cut off has left; `laid` is told of each that lies in its place again."""
        return ((name, entry["role"]) for name, entry in self._kept.items())

    def laid(self, name: str, path: Path) -> None:
        """Give a file the time that it had, so that it is not kept once more."""
        time_of_file, _ = self._kept[name]["state"]
        os.utime(path, ns=(time_of_file, time_of_file))

    def holds(self, name: str, path: Path) -> bool:
        """Whether a file is kept as it is."""
        return self._stamp(name) == _state(path)

    def look(self, work: Path) -> None:
        """Keep what is new in the step's folder, every few seconds."""
        if not self.folders or time.monotonic() - self._looked < LOOK_SECONDS:
            return
        states = dict(self._states(work))
        ready = [name for name, state in states.items() if self._seen.get(name) == state and self._stamp(name) != state]
        self._seen = states
        for name in sorted(ready, key=lambda name: states[name]):
            try:
                with (work / name).open("rb") as file:
                    role = self.role(name)
                    self.files.keep(role, file, self.most)
            except FileNotFoundError:
                continue
            self._kept[name] = {"role": role, "state": states[name]}
        gone = [name for name in self._kept if name not in states]
        for name in gone:
            self.files.drop(self._kept.pop(name)["role"])
        if ready or gone:
            self.context.publish(SO_FAR, {"step": self.number, "files": self._kept})
        self._looked = time.monotonic()

    def role(self, name: str) -> str:
        """What a file is called that this step makes: the same when it is kept again, so that it is there once."""
        return f"made-{self.number}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"

    def end(self, made: Sequence[str]) -> None:
        """Drop what is none of the files that the step made in the end."""
        for name, entry in self._kept.items():
            if name not in made:
                self.files.drop(entry["role"])
        if self._kept:
            self.context.publish(SO_FAR, {})

    def _stamp(self, name: str) -> list[int] | None:
        state: list[int] | None = self._kept.get(name, {}).get("state")
        return state

    def _states(self, work: Path) -> Iterator[tuple[str, list[int]]]:
        """Time and size of each file, by name; commands' own marks and what is half written begin with a dot."""
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
