"""Caches of compiled kernels, and a record of the sources from which they were compiled.

Numba compares a cache with its own module alone. A kernel holds code of kernels that it imports, so their changes count too.
"""

import json
import os
import platform
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha1
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

__all__ = ["KernelCaches", "cache_folder"]

APP: Final = Path(__file__).parents[1]
CACHE_PATTERN: Final = re.compile(r"njit\(.*cache=True")
IMPORT_PATTERN: Final = re.compile(r"^from (app(?:\.\w+)+) import", re.MULTILINE)
PYTHON: Final = f"py{sys.version_info.major}{sys.version_info.minor}"


def cache_folder() -> Path:
    """Folder of caches that belong to no single module."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or APP / "__pycache__")


class KernelCaches:
    """Modules with kernels and their caches, where numba keeps them: NUMBA_CACHE_DIR, or beside each module."""

    def __init__(self) -> None:
        texts = {path: path.read_text("utf-8") for path in APP.rglob("*.py")}
        self.modules: Final = {path: text for path, text in sorted(texts.items()) if CACHE_PATTERN.search(text)}
        self._folder: Final = os.environ.get("NUMBA_CACHE_DIR")
        self._record: Final = cache_folder() / f"assay-kernels.{PYTHON}.json"

    def fresh(self) -> bool:
        """Return True if no cache changed since the last complete compilation of these modules on this machine."""
        record = self._read()
        return record.get("machine") == _machine() and record.get("modules") == self._state()

    def discard_stale(self) -> list[Path]:
        """Remove caches of another machine and of changed modules, with their dependents; return all modules without a cache.

        Without a record, as after the start of a server, all caches count as fresh.
        """
        record = self._read()
        before, now = record.get("modules", {}), self._state()
        stale = {path for path in self.modules if before.get(_name(path), [])[:2] != now[_name(path)][:2]}
        if record.get("machine") != _machine():
            stale = set(self.modules)
        names = {_dotted(path): path for path in self.modules}
        uses = {
            path: {names[name] for name in IMPORT_PATTERN.findall(text) if name in names} for path, text in self.modules.items()
        }
        while dependents := {path for path, below in uses.items() if below & stale} - stale:
            stale |= dependents
        for path in stale if record else ():
            for index in self._indexes(path):
                index.unlink(missing_ok=True)
        return self.without_cache()

    def without_cache(self) -> list[Path]:
        """Modules whose cache is missing or older than their source."""
        return [path for path in self.modules if not self._compiled(path)]

    def keep_record(self) -> None:
        """Record a complete compilation. If the record cannot be written, the next call compiles again."""
        with suppress(OSError):
            self._record.parent.mkdir(parents=True, exist_ok=True)
            self._record.write_text(json.dumps({"machine": _machine(), "modules": self._state()}), "utf-8")

    def _read(self) -> dict[str, Any]:
        try:
            record = json.loads(self._record.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    def _state(self) -> Mapping[str, list[object]]:
        """Time in nanoseconds, size, and whether there is a cache, by module."""
        return {_name(path): [(status := path.stat()).st_mtime_ns, status.st_size, self._compiled(path)] for path in self.modules}

    def _compiled(self, path: Path) -> bool:
        return any(index.stat().st_mtime >= path.stat().st_mtime for index in self._indexes(path))

    def _indexes(self, path: Path) -> list[Path]:
        """Numba's index files of a module, one for each kernel."""
        folder = path.parent / "__pycache__"
        if self._folder:
            # As `numba.core.caching._UserProvidedCacheLocator` has it.
            parent = str(path.parent)
            folder = Path(self._folder) / f"{path.parent.name}_{sha1(parent.encode(), usedforsecurity=False).hexdigest()}"
        return list(folder.glob(f"{path.stem}.*.{PYTHON}*.nbi"))


def _name(path: Path) -> str:
    return str(path.relative_to(APP))


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(APP.parent).with_suffix("").parts)


def _machine() -> dict[str, str]:
    """Processor and versions of numba and Python, for which code is compiled."""
    import llvmlite.binding as llvm

    processor = os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name()
    return {"processor": processor, "numba": version("numba"), "python": platform.python_version()}
