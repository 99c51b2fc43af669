"""Artifacts of one kind in several stores: cards are read when an artifact appears, arrays at their first use."""

import logging
import threading
import time
from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from app.errors import InputError
from app.registry.artifacts import ArtifactStore
from app.registry.entry import RegistryEntry
from app.resources.lazy import Lazy

__all__ = ["Collection", "StoreWatch", "VisibleCollection"]

log = logging.getLogger("assay")
T = TypeVar("T")
Change = tuple[object, ...]
# Seconds after which folders are read again without a changed stamp, since a copy by hand takes its time.
PATIENCE: Final = 1.0


@dataclass(frozen=True)
class _Item(Generic[T]):
    """The artifact at a path: an entry and its value, or the reason why it is broken, or neither for another kind."""

    change: Change
    entry: RegistryEntry | None = None
    value: Lazy[T] | None = None
    broken: str | None = None


class StoreWatch:
    """Changes of stores: one look at their folders serves all collections of a registry."""

    def __init__(self, stores: Sequence[ArtifactStore]) -> None:
        self.stores: Final = stores
        self._lock = threading.Lock()
        self._look: tuple[int, list[object], float] = (0, [], -PATIENCE)

    def look(self) -> tuple[int, list[object]]:
        """A number that grows when a stamp of a store changes, and once a second; and the stamps."""
        stamps, now = [store.stamp() for store in self.stores], time.monotonic()
        number, known_stamps, look_time = self._look
        if stamps == known_stamps and now - look_time <= PATIENCE:
            return number, known_stamps
        with self._lock:
            number = self._look[0] + 1
            self._look = number, stamps, now
        return number, stamps


class Collection(Mapping[str, T]):
    """Values by id; safe to use from any thread. Every access sees the current state of the stores.

    A broken artifact is left out: `broken` gives the reason, and a change of the artifact leads to a new attempt. Of two artifacts
    with equal ids the one in the first store counts, or with `last_wins` the one in the last.
    """

    def __init__(
        self,
        entry_of: Callable[[Path], RegistryEntry | None],
        load: Callable[[Path], T],
        watch: StoreWatch,
        last_wins: bool = False,
    ) -> None:
        self._entry_of = entry_of
        self._load = load
        self._watch = watch
        self._last_wins = last_wins
        self._lock = threading.RLock()
        self._items: dict[Path, _Item[T]] = {}
        self._present: Mapping[str, _Item[T]] = {}
        self._look_number = 0
        self._stamps: list[object] = []
        self._version = 0

    @property
    def version(self) -> int:
        """A number that grows when the collection changes."""
        return self.version_at(self._watch.look())

    def version_at(self, look: tuple[int, list[object]]) -> int:
        """The version after a look of the collection's `StoreWatch`."""
        self._look(look)
        return self._version

    @property
    def entries(self) -> Mapping[str, RegistryEntry]:
        """Entries by id, read without loading the artifacts."""
        return {name: item.entry for name, item in self._look().items() if item.entry is not None}

    @property
    def broken(self) -> Mapping[str, str]:
        """Reasons by file or folder name of the broken artifacts."""
        self._look()
        return {path.name: item.broken for path, item in self._items.items() if item.broken is not None}

    def __getitem__(self, name: str) -> T:
        item = self._look()[name]
        assert item.entry is not None and item.value is not None
        try:
            return item.value()
        except Exception as error:
            self._give_up(item, error)
            raise KeyError(name) from None

    def leave_out(self, name: str, error: Exception) -> None:
        """Leave out a loaded artifact that fails at work, until it changes."""
        item = self._look().get(name)
        if item is not None:
            self._give_up(item, error)

    def __iter__(self) -> Iterator[str]:
        return iter(self._look())

    def __len__(self) -> int:
        return len(self._look())

    def __contains__(self, name: object) -> bool:
        return name in self._look()

    def items(self) -> ItemsView[str, T]:
        """Artifacts that can be loaded, by id."""
        return {name: value for name in self if (value := self.get(name)) is not None}.items()

    def values(self) -> ValuesView[T]:
        """Artifacts that can be loaded."""
        return dict(self.items()).values()

    def loaded(self) -> frozenset[str]:
        """Ids of the artifacts in memory."""
        return frozenset(name for name, item in self._look().items() if item.value is not None and item.value.loaded)

    def _look(self, look: tuple[int, list[object]] | None = None) -> Mapping[str, _Item[T]]:
        number, stamps = look or self._watch.look()
        if number != self._look_number:
            with self._lock:
                if stamps != self._stamps or not all(_is_unchanged(path, item) for path, item in self._items.items()):
                    self._read()
                self._stamps, self._look_number = stamps, number
        return self._present

    def _read(self) -> None:
        items: dict[Path, _Item[T]] = {}
        for store in self._watch.stores:
            try:
                items |= {path: self._item(path) for path in [store.folder(name) for name in store.names()]}
            except OSError as error:
                # The folder itself cannot be read.
                path, item = Path(error.filename or "models"), _Item[T]((), broken=_reason(error))
                if self._items.get(path) != item:
                    log.error("%s: %s", path, item.broken)
                items[path] = item
        if items != self._items:
            self._show(items)

    def _item(self, path: Path) -> _Item[T]:
        item = self._items.get(path)
        if item is not None and _is_unchanged(path, item):
            return item
        change = _change(path)
        try:
            entry = self._entry_of(path)
        except Exception as error:
            return _broken(path, error)
        return _Item(change) if entry is None else _Item(change, entry, Lazy(lambda: self._load(path)))

    def _give_up(self, broken: _Item[T], error: Exception) -> None:
        """Leave out an artifact that failed to load, until it changes."""
        with self._lock:
            paths = [path for path, item in self._items.items() if item is broken]
            for path in paths:
                self._show({**self._items, path: _broken(path, error)})

    def _show(self, items: dict[Path, _Item[T]]) -> None:
        present: dict[str, _Item[T]] = {}
        for item in items.values():
            if item.entry is not None and (self._last_wins or item.entry.id not in present):
                present[item.entry.id] = item
        self._items, self._present = items, present
        self._version += 1


def _broken(path: Path, error: Exception) -> _Item[Any]:
    reason = _reason(error)
    log.warning("%s is left out: %s", path, reason, exc_info=None if isinstance(error, InputError | OSError) else error)
    return _Item(_changes_inside(path), broken=reason)


def _reason(error: Exception) -> str:
    """The reason for callers, without paths of this machine."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        return f"it cannot be read: {error.strerror or type(error).__name__}"
    return f"this version cannot read it ({type(error).__name__}); the log says more"


def _is_unchanged(path: Path, item: _Item[Any]) -> bool:
    return item.change == (_change(path) if item.broken is None else _changes_inside(path))


def _change(path: Path) -> Change:
    """A value that changes with a file, and when files of a folder appear or are renamed."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return (status.st_ino, status.st_mtime_ns, status.st_size, status.st_mode)


def _changes_inside(path: Path) -> Change:
    """Stamp of a folder and of each file in it, so that a copy in progress counts as a change."""
    change = _change(path)
    try:
        return (change, *sorted((inside.name, _change(inside)) for inside in path.iterdir())) if path.is_dir() else change
    except OSError:
        return change


class VisibleCollection(Collection[T]):
    """The visible artifacts of a collection, which loads them once for all views."""

    def __init__(self, collection: Collection[T], visible: Callable[[str], bool]) -> None:
        self._collection = collection
        self._watch = collection._watch
        self._visible = visible

    def version_at(self, look: tuple[int, list[object]]) -> int:
        """Version of the collection: the visibility of an artifact never changes."""
        return self._collection.version_at(look)

    @property
    def entries(self) -> Mapping[str, RegistryEntry]:
        """Entries by id, read without loading the artifacts."""
        return {name: entry for name, entry in self._collection.entries.items() if self._visible(name)}

    @property
    def broken(self) -> Mapping[str, str]:
        """Reasons by file or folder name of the visible broken artifacts."""
        return {name: reason for name, reason in self._collection.broken.items() if self._visible(name)}

    def leave_out(self, name: str, error: Exception) -> None:
        """Leave an artifact out for all views."""
        self._collection.leave_out(name, error)

    def __getitem__(self, name: str) -> T:
        # `visible` takes names of existing artifacts alone.
        if name not in self:
            raise KeyError(name)
        return self._collection[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._collection if self._visible(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._collection and self._visible(name)

    def loaded(self) -> frozenset[str]:
        """Ids of the artifacts in memory."""
        return frozenset(filter(self._visible, self._collection.loaded()))
