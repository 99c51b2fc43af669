"""The artifacts of one kind in some stores: cards are read when they are first seen, all else when it is first asked for."""

import logging
import threading
import time
from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from app.errors import InputError
from app.registry.artifacts import ArtifactStore
from app.registry.entry import Entry
from app.resources.lazy import Lazy

__all__ = ["Collection", "Some"]

log = logging.getLogger("assay")
T = TypeVar("T")
Change = tuple[object, ...]
# Seconds after which folders are looked through although none says that it changed: copying by hand takes its time.
PATIENCE: Final = 1.0


@dataclass(frozen=True)
class _Item(Generic[T]):
    """What lies at one path: an entry and its value, or the reason why there is none, or neither where it is of another kind."""

    change: Change
    entry: Entry | None = None
    value: Lazy[T] | None = None
    broken: str | None = None


class Collection(Mapping[str, T]):
    """Values by id; safe to use from any thread. Whoever looks sees what is in the stores at that moment.

    A broken artifact is left out, whatever is wrong with it: `broken` says why, and it is tried again when it changes. Where two
    have one id, the first store's counts, or the last one's where `last_wins`.
    """

    def __init__(
        self,
        entry_of: Callable[[Path], Entry | None],
        load: Callable[[Path], T],
        stores: Sequence[ArtifactStore],
        last_wins: bool = False,
    ) -> None:
        self._entry_of = entry_of
        self._load = load
        self._stores = stores
        self._last_wins = last_wins
        self._lock = threading.RLock()
        self._items: dict[Path, _Item[T]] = {}
        self._present: Mapping[str, _Item[T]] = {}
        self._stamps: list[object] = []
        self._looked = -PATIENCE
        self._version = 0

    @property
    def version(self) -> int:
        """A number that grows when the collection changes."""
        self._look()
        return self._version

    @property
    def entries(self) -> Mapping[str, Entry]:
        """What is known of each without loading it."""
        return {name: item.entry for name, item in self._look().items() if item.entry is not None}

    @property
    def broken(self) -> Mapping[str, str]:
        """File or folder names of artifacts that cannot be used, and why."""
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
        """Leave out what was loaded and turned out to be of no use, until it changes."""
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
        """All that can be loaded, by id."""
        return {name: value for name in self if (value := self.get(name)) is not None}.items()

    def values(self) -> ValuesView[T]:
        """All that can be loaded."""
        return dict(self.items()).values()

    def loaded(self) -> frozenset[str]:
        """Ids of what is in memory."""
        return frozenset(name for name, item in self._look().items() if item.value is not None and item.value.loaded)

    def _look(self) -> Mapping[str, _Item[T]]:
        stamps = [store.stamp() for store in self._stores]
        if stamps != self._stamps or time.monotonic() - self._looked > PATIENCE:
            with self._lock:
                if stamps != self._stamps or not all(_is_as_it_was(path, item) for path, item in self._items.items()):
                    self._read()
                self._stamps, self._looked = stamps, time.monotonic()
        return self._present

    def _read(self) -> None:
        items: dict[Path, _Item[T]] = {}
        for store in self._stores:
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
        before = self._items.get(path)
        if before is not None and _is_as_it_was(path, before):
            return before
        change = _change(path)
        try:
            entry = self._entry_of(path)
        except Exception as error:
            return _broken(path, error)
        return _Item(change) if entry is None else _Item(change, entry, Lazy(lambda: self._load(path)))

    def _give_up(self, broken: _Item[T], error: Exception) -> None:
        """Leave an artifact out that could not be loaded, until it changes."""
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
    """What callers are told, who need not know where things lie here."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        return f"it cannot be read: {error.strerror or type(error).__name__}"
    return f"it is not as this version writes it ({type(error).__name__}); the log says more"


def _is_as_it_was(path: Path, item: _Item[Any]) -> bool:
    return item.change == (_change(path) if item.broken is None else _changes_inside(path))


def _change(path: Path) -> Change:
    """What is another one after files came into a folder or were renamed, or after a file was changed."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return (status.st_ino, status.st_mtime_ns, status.st_size, status.st_mode)


def _changes_inside(path: Path) -> Change:
    """What is another one after a file in a folder grew, too: somebody may still be copying it."""
    change = _change(path)
    try:
        return (change, *sorted((inside.name, _change(inside)) for inside in path.iterdir())) if path.is_dir() else change
    except OSError:
        return change


class Some(Collection[T]):
    """What of a collection may be seen: the same artifacts, loaded once for all."""

    def __init__(self, whole: Collection[T], visible: Callable[[str], bool]) -> None:
        self._whole = whole
        self._visible = visible

    @property
    def version(self) -> int:
        """That of the whole: whether an artifact may be seen never changes."""
        return self._whole.version

    @property
    def entries(self) -> Mapping[str, Entry]:
        """What is known of each without loading it."""
        return {name: entry for name, entry in self._whole.entries.items() if self._visible(name)}

    @property
    def broken(self) -> Mapping[str, str]:
        """Those of the artifacts that cannot be used."""
        return {name: reason for name, reason in self._whole.broken.items() if self._visible(name)}

    def leave_out(self, name: str, error: Exception) -> None:
        """Leave it out for all."""
        self._whole.leave_out(name, error)

    def __getitem__(self, name: str) -> T:
        # Whether a name may be seen is only asked of what is there.
        if name not in self:
            raise KeyError(name)
        return self._whole[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._whole if self._visible(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._whole and self._visible(name)

    def loaded(self) -> frozenset[str]:
        """Ids of what is in memory."""
        return frozenset(filter(self._visible, self._whole.loaded()))
