"""Cached steps of a long task: each step's folder holds its results, and a manifest records its inputs and options."""

import fcntl
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.building.writing import folder_aside
from app.errors import InputError
from app.resources.manifest import MANIFEST, checksum

__all__ = ["CachedStep", "CachedSteps", "Counts", "options_of_step", "replace_text"]

FORMAT: Final = "assay-smt"
VERSION: Final = 1
LOCK: Final = ".lock"

Counts = Mapping[str, int | float | str]


@dataclass(frozen=True)
class CachedStep:
    """A step: `work` writes files into an empty folder and returns counts; the folder is then called `name`.

    A step runs again if one of its `inputs` (files by role) or options changed, or if its results are missing or damaged. A
    `resumable` step finds the files of a killed run in the folder ``NAME.partial``. The results of a `lone` step, which shares no
    folder with others, stay until new ones are complete.
    """

    name: str
    inputs: Mapping[str, Path]
    options: Mapping[str, Any]
    work: Callable[[Path], Counts]
    resumable: bool = False
    lone: bool = False


@dataclass
class CachedSteps:
    """Steps of one folder; `say` gets lines about their progress."""

    folder: Path
    say: Callable[[str], None] = lambda line: None
    _entries: dict[str, Any] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def of(cls, folder: Path, say: Callable[[str], None] = lambda line: None) -> Iterator["CachedSteps"]:
        """Steps of a folder, which is created if necessary, and locked for this process in the meantime.

        InputError if another process works in the folder, or if it holds foreign files.
        """
        # A copied folder has no lock, but a manifest.
        if folder.is_dir() and not any((folder / mark).exists() for mark in (LOCK, MANIFEST)) and any(folder.iterdir()):
            raise InputError(
                "invalid-request", f"{folder} holds foreign files; name a new folder, or one that this command created"
            )
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(
                    "invalid-request", f"another process works in {folder}; wait for its end, or name another folder"
                ) from None
            _clear(folder)
            yield cls(folder, say, _read(folder))

    def run(self, step: CachedStep) -> Counts:
        """Run a step unless its results are current, and return its counts."""
        inputs = {role: checksum(path) for role, path in step.inputs.items()}
        key = {"inputs": inputs, "options": json.loads(json.dumps(dict(step.options))), "assay": __version__}
        entry = self._entries.get(step.name)
        if entry and all(entry[name] == value for name, value in key.items()) and self._is_complete(step.name, entry["outputs"]):
            self.say(f"{step.name}: unchanged ({_counted(entry['counts'])})")
            counts: Counts = entry["counts"]
            return counts
        if not step.lone:
            self.forget(step.name)
        if step.resumable:
            self._prepare_partial(step.name, key)
        self.say(f"{step.name} ...")
        begin, processor = time.monotonic(), time.process_time()
        with folder_aside(self.folder / step.name, replace=step.lone) as new_folder:
            counts = step.work(new_folder)
            outputs = {path.name: checksum(path) for path in sorted(new_folder.iterdir())}
        seconds, processor = time.monotonic() - begin, time.process_time() - processor
        self._entries[step.name] = {
            **key,
            "outputs": outputs,
            "counts": dict(counts),
            "seconds": round(seconds, 2),
            "processor_seconds": round(processor, 2),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self._write()
        shutil.rmtree(self.partial(step.name), ignore_errors=True)
        self.say(f"{step.name}: {_counted(counts)}, in {seconds:.1f} s")
        return counts

    def partial(self, name: str) -> Path:
        """Folder for intermediate results of a resumable step."""
        return self.folder / f"{name}.partial"

    def _prepare_partial(self, name: str, key: Mapping[str, Any]) -> None:
        """Create the folder of intermediate results; results of other inputs or options are deleted."""
        folder, text = self.partial(name), json.dumps(key, sort_keys=True)
        key_file = folder / "key.json"
        if not key_file.is_file() or key_file.read_text("utf-8") != text:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            replace_text(key_file, text)
        # A job stores results of a killed step only beside a manifest.
        if not (self.folder / MANIFEST).exists():
            self._write()

    @property
    def names(self) -> list[str]:
        """Names of the steps with results."""
        return list(self._entries)

    def forget(self, name: str) -> None:
        """Delete the results of a step."""
        if self._entries.pop(name, None) is not None:
            self._write()
        shutil.rmtree(self.folder / name, ignore_errors=True)

    def _is_complete(self, name: str, outputs: Mapping[str, str]) -> bool:
        """Return True if the files exist and their bytes are unchanged."""
        paths = {self.folder / name / file: digest for file, digest in outputs.items()}
        return all(path.is_file() and checksum(path) == digest for path, digest in paths.items())

    def _write(self) -> None:
        text = json.dumps({"format": FORMAT, "version": VERSION, "steps": self._entries}, indent=1, ensure_ascii=False)
        replace_text(self.folder / MANIFEST, text + "\n")


def replace_text(path: Path, text: str) -> None:
    """Replace a file, or create it; readers see the complete old or new text."""
    new_file = path.with_name(f".{secrets.token_hex(8)}.new")
    try:
        with new_file.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new_file.replace(path)
    finally:
        new_file.unlink(missing_ok=True)


def options_of_step(folder: Path, name: str) -> Mapping[str, Any]:
    """Options of a finished step of a folder; InputError if the step is missing."""
    entry = _read(folder).get(name)
    if entry is None:
        raise InputError("invalid-request", f"{folder} holds no complete system; train one with assay smt train")
    options: Mapping[str, Any] = entry["options"]
    return options


def _clear(folder: Path) -> None:
    """Delete unfinished files of a killed process."""
    for path in folder.glob(".*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != LOCK:
            path.unlink()


def _read(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        manifest = json.loads(path.read_text("utf-8"))
        if manifest["format"] != FORMAT or manifest["version"] != VERSION:
            raise ValueError
        steps: dict[str, Any] = manifest["steps"]
        if not all(entry.keys() >= {"inputs", "options", "assay", "outputs", "counts"} for entry in steps.values()):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError("invalid-table", f"{path} is not the manifest of a system", (str(path),)) from None
    return steps


def _counted(counts: Counts) -> str:
    return ", ".join(f"{unit} {number:,}" if isinstance(number, int) else f"{unit} {number}" for unit, number in counts.items())
