"""Steps of a long work, each of which is done once: what it made stays in a folder, and a manifest says what it was made of."""

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
from app.building.writing import written_aside
from app.errors import InputError
from app.resources.manifest import MANIFEST, checksum

__all__ = ["Counts", "Step", "Steps", "options_of_step", "replace_text"]

FORMAT: Final = "assay-smt"
VERSION: Final = 1
LOCK: Final = ".lock"

Counts = Mapping[str, int | float | str]


@dataclass(frozen=True)
class Step:
    """`work` writes files into the empty folder that it gets, and says counts; `name` is what the folder is called in the end.

    It is done again where one of its `inputs` (files by their role) has other bytes, an option differs, or what it made is gone
    or damaged. One that is `resumable` finds what it left in the folder ``NAME.partial`` when it was killed.
    """

    name: str
    inputs: Mapping[str, Path]
    options: Mapping[str, Any]
    work: Callable[[Path], Counts]
    resumable: bool = False


@dataclass
class Steps:
    """The steps of one folder. `say` is told which is done, and which need not be."""

    folder: Path
    say: Callable[[str], None] = lambda line: None
    _entries: dict[str, Any] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def of(cls, folder: Path, say: Callable[[str], None] = lambda line: None) -> Iterator["Steps"]:
        """The steps of a folder, which is made where it is not there, and belongs to one process for so long.

        InputError where another works in it, or where it holds other things.
        """
        # A copy has no lock: its manifest says whose it is.
        if folder.is_dir() and not any((folder / mark).exists() for mark in (LOCK, MANIFEST)) and any(folder.iterdir()):
            raise InputError(
                "invalid-request", f"{folder} holds other files; name a folder that is new or was made by this command"
            )
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError("invalid-request", f"another process works in {folder}") from None
            _clear(folder)
            yield cls(folder, say, _read(folder))

    def run(self, step: Step) -> Counts:
        """Do a step, unless it was done; what it counted."""
        inputs = {role: checksum(path) for role, path in step.inputs.items()}
        wanted = {"inputs": inputs, "options": json.loads(json.dumps(dict(step.options))), "assay": __version__}
        entry = self._entries.get(step.name)
        if entry and all(entry[name] == value for name, value in wanted.items()) and self._whole(step.name, entry["outputs"]):
            self.say(f"{step.name}: as it was ({_counted(entry['counts'])})")
            counts: Counts = entry["counts"]
            return counts
        self.forget(step.name)
        if step.resumable:
            self._keep_partial(step.name, wanted)
        self.say(f"{step.name} ...")
        begin, processor = time.monotonic(), time.process_time()
        with written_aside(self.folder / step.name) as aside:
            counts = step.work(aside)
            outputs = {path.name: checksum(path) for path in sorted(aside.iterdir())}
        seconds, processor = time.monotonic() - begin, time.process_time() - processor
        self._entries[step.name] = {
            **wanted,
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
        """Where a step keeps what it has so far."""
        return self.folder / f"{name}.partial"

    def _keep_partial(self, name: str, wanted: Mapping[str, Any]) -> None:
        """Make that folder, empty unless what is in it was made of the same."""
        folder, text = self.partial(name), json.dumps(wanted, sort_keys=True)
        key = folder / "key.json"
        if not key.is_file() or key.read_text("utf-8") != text:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            replace_text(key, text)

    def forget(self, name: str) -> None:
        """Drop what a step made."""
        if self._entries.pop(name, None) is not None:
            self._write()
        shutil.rmtree(self.folder / name, ignore_errors=True)

    def _whole(self, name: str, outputs: Mapping[str, str]) -> bool:
        """Whether files are there and have the bytes that they had."""
        paths = {self.folder / name / file: digest for file, digest in outputs.items()}
        return all(path.is_file() and checksum(path) == digest for path, digest in paths.items())

    def _write(self) -> None:
        text = json.dumps({"format": FORMAT, "version": VERSION, "steps": self._entries}, indent=1, ensure_ascii=False)
        replace_text(self.folder / MANIFEST, text + "\n")


def replace_text(path: Path, text: str) -> None:
    """Put a text where a file is, or none; a reader sees the old one or all of the new one."""
    aside = path.with_name(f".{secrets.token_hex(8)}.new")
    try:
        with aside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def options_of_step(folder: Path, name: str) -> Mapping[str, Any]:
    """With which options a step of a folder was done; InputError where it was not."""
    entry = _read(folder).get(name)
    if entry is None:
        raise InputError("invalid-request", f"{folder} is not a system, or not a whole one: assay smt train makes one")
    options: Mapping[str, Any] = entry["options"]
    return options


def _clear(folder: Path) -> None:
    """Delete what a killed process did not finish."""
    for left in folder.glob(".*"):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        elif left.name != LOCK:
            left.unlink()


def _read(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        manifest = json.loads(path.read_text("utf-8"))
        if manifest["format"] != FORMAT or manifest["version"] != VERSION:
            raise ValueError
        steps: dict[str, Any] = manifest["steps"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise InputError("invalid-table", f"{path} is not the manifest of a system", (str(path),)) from None
    return steps


def _counted(counts: Counts) -> str:
    return ", ".join(f"{what} {number:,}" if isinstance(number, int) else f"{what} {number}" for what, number in counts.items())
