"""Promotions: the model that answers for a language pair and label, set by hand or by a rule, and rolled back.

The record is a file that only grows, one JSON object per line; a model's folder never changes.
"""

import errno
import fcntl
import json
import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

__all__ = ["ENTRIES", "PROMOTIONS", "Promotion", "Promotions"]

log = logging.getLogger("assay")
PROMOTIONS: Final = "promotions.jsonl"
ROLLED_BACK: Final = "rolled back"
# Mark of an entry from another machine.
FOREIGN: Final = "foreign"


@dataclass(frozen=True)
class Promotion:
    """A `model` answers for a pair and label from the time `at`, for a `reason`; None lets the best model answer.

    An entry that undoes a promotion names its model in `rolled_back`.
    """

    pair: str
    label: str
    model: str | None
    at: str
    reason: str
    rolled_back: str | None = None


ENTRIES: Final = TypeAdapter(Promotion)


class Promotions:
    """The record in a folder; entries of other processes appear as soon as they are written."""

    def __init__(self, folder: Path | None) -> None:
        self._path = folder / PROMOTIONS if folder is not None else None
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] = (0, 0)
        self._entries: tuple[Promotion, ...] = ()
        # The reason why lines of the record do not count; None if all count.
        self._broken: str | None = None

    @property
    def stamp(self) -> tuple[int, int] | None:
        """Time of change and size of the record; None without one."""
        if self._path is None:
            return None
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    def entries(self) -> Sequence[Promotion]:
        """All entries, from the oldest on."""
        stamp = self.stamp
        if self._path is None or stamp is None:
            return ()
        if stamp != self._stamp:
            with self._lock:
                self._entries, self._broken = _read(self._path)
                self._stamp = stamp
        return self._entries

    @property
    def broken(self) -> str | None:
        """The reason why lines of the record do not count; None if all count."""
        self.entries()
        return self._broken

    def of(self, visible: Callable[[str], bool]) -> "Promotions":
        """A view of the record with the entries about visible models."""
        return _VisiblePromotions(self, visible)

    def current(self, pair: str, label: str) -> str | None:
        """The promoted model of a pair and label; None without one."""
        return next((entry.model for entry in reversed(self.entries()) if (entry.pair, entry.label) == (pair, label)), None)

    def promote(self, pair: str, label: str, model: str | None, reason: str) -> Promotion:
        """Write one entry; on disk when this returns."""
        return self.write(Promotion(pair, label, model, _now(), reason))

    def roll_back(self, pair: str, label: str, reason: str) -> Promotion:
        """Undo the last promotion of a pair and label that is still in force."""
        stack: list[str | None] = []
        for entry in self.entries():
            if (entry.pair, entry.label) == (pair, label):
                stack = stack[:-1] if entry.rolled_back is not None else [*stack, entry.model]
        previous, last = stack[-2] if len(stack) > 1 else None, (stack[-1] if stack else None) or ""
        return self.write(Promotion(pair, label, previous, _now(), f"{ROLLED_BACK}: {reason}" if reason else ROLLED_BACK, last))

    def write(self, entry: Promotion) -> Promotion:
        """Add an entry to the record."""
        self._write(asdict(entry))
        return entry

    def _write(self, content: Mapping[str, object]) -> None:
        if self._path is None:
            raise RuntimeError("there is no folder of trained models")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            _append(file, json.dumps(content, sort_keys=True).encode("ascii") + b"\n")

    def merge(self, entries: Sequence[Promotion]) -> None:
        """Add entries of other machines; on disk when this returns. They count by their times, whenever they come."""
        for entry in entries:
            self._write({**asdict(entry), FOREIGN: True})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _read(path: Path) -> tuple[tuple[Promotion, ...], str | None]:
    """The readable entries, and the reason why other lines do not count.

    Version 0.1 marked a rollback by the reason of its entry alone.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        log.error("%s cannot be read: %s", path, error)
        return (), f"it cannot be read: {error.strerror}"
    entries: list[Promotion] = []
    broken: list[int] = []
    stacks: dict[tuple[str, str], list[str]] = {}
    # The last line may be unfinished.
    for number, line in _in_order(lines[:-1]):
        try:
            entry = ENTRIES.validate_json(line, strict=True)
        except ValueError:
            broken.append(number)
            continue
        stack = stacks.get((entry.pair, entry.label), [])
        if "rolled_back" not in json.loads(line) and entry.reason.startswith(ROLLED_BACK):
            entry = replace(entry, rolled_back=stack[-1] if stack else "")
        stacks[entry.pair, entry.label] = stack[:-1] if entry.rolled_back is not None else [*stack, entry.model or ""]
        entries.append(entry)
    if not broken:
        return tuple(entries), None
    reason = f"{len(broken)} of {len(lines) - 1} lines cannot be read, the first is line {min(broken)}; they do not count"
    log.error("%s: %s", path, reason)
    return tuple(entries), reason


def _in_order(lines: Sequence[bytes]) -> list[tuple[int, bytes]]:
    """Lines with their numbers: those of this machine as they stand, whatever its clock did, others by their times among them."""
    latest = ""
    keys = []
    for line in lines:
        try:
            content = json.loads(line)
            at, is_foreign = str(content["at"]), FOREIGN in content
        except (ValueError, TypeError, KeyError, RecursionError):
            at, is_foreign = "", False
        latest = latest if is_foreign else max(latest, at)
        keys.append(at if is_foreign else latest)
    return sorted(enumerate(lines, 1), key=lambda row: keys[row[0] - 1])


def _append(file: FileIO, line: bytes) -> None:
    """Append a whole line, on disk when this returns, or nothing: a partial line would spoil the next one."""
    end = _end_of_lines(file)
    try:
        file.truncate(end)
        if file.write(line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file.fileno())
    except OSError:
        file.truncate(end)
        raise


def _end_of_lines(file: FileIO) -> int:
    """End of the last whole line; behind it lies an unfinished line of a killed process or a full disk."""
    file.seek(0)
    return file.readall().rfind(b"\n") + 1


class _VisiblePromotions(Promotions):
    """Entries about visible models, with the rollbacks of their promotions."""

    def __init__(self, record: Promotions, visible: Callable[[str], bool]) -> None:
        super().__init__(None)
        self._record = record
        self._visible = visible

    def entries(self) -> Sequence[Promotion]:
        """Entries whose models are all visible."""
        return tuple(
            entry
            for entry in self._record.entries()
            if all(self._visible(model) for model in (entry.model, entry.rolled_back) if model)
        )

    @property
    def stamp(self) -> tuple[int, int] | None:
        """Time of change and size of the whole record."""
        return self._record.stamp

    @property
    def broken(self) -> str | None:
        """Reason of the whole record: an unreadable line may be about any model."""
        return self._record.broken

    def write(self, entry: Promotion) -> Promotion:
        """Add an entry to the record behind this view."""
        return self._record.write(entry)
