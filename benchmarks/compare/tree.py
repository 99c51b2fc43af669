"""A commit's files in a temporary folder, with caches of compiled kernels."""

import filecmp
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.start_up import ROOT, environment

__all__ = ["commit_of", "compile_kernels", "environment_of", "worktree"]

GIT = ("git", "-c", "core.hooksPath=/dev/null")


def commit_of(revision: str) -> str | None:
    """The commit that a revision names, as 40 digits; None if this repository lacks it, as a shallow clone lacks parents."""
    command = [*GIT, "rev-parse", "--quiet", "--verify", f"{revision}^{{commit}}"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return process.stdout.strip() if process.returncode == 0 else None


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """Check a commit out beside this checkout, and remove the folder afterwards."""
    with TemporaryDirectory(prefix="compared-") as folder:
        root = Path(folder) / commit[:8]
        subprocess.run([*GIT, "worktree", "add", "--quiet", "--detach", str(root), commit], cwd=ROOT, check=True)
        try:
            copy_caches(ROOT, root)
            yield root
        finally:
            subprocess.run([*GIT, "worktree", "remove", "--force", str(root)], cwd=ROOT, check=False)


def copy_caches(before: Path, after: Path) -> None:
    """Copy caches of kernels between checkouts. Equal sources get equal times, by which numba knows its caches.

    Kernels of changed modules, and those that use them, are compiled again by `compile_kernels`.
    """
    for source in (before / "app").rglob("*.py"):
        copy = after / source.relative_to(before)
        if copy.is_file() and filecmp.cmp(source, copy, shallow=False):
            shutil.copystat(source, copy)
    for cache in (before / "app").rglob("__pycache__/*"):
        if cache.suffix in (".nbi", ".nbc", ".json"):
            copy = after / cache.relative_to(before)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(cache, copy)


def environment_of(root: Path, data: Path) -> dict[str, str]:
    """Environment of a checkout's processes, with their data in a folder."""
    variables = environment(root, ASSAY_DATA_DIR=str(data))
    # Caches of kernels lie beside their modules.
    variables.pop("NUMBA_CACHE_DIR", None)
    return variables


def compile_kernels(root: Path, data: Path) -> None:
    """Compile kernels of a checkout that have no cache."""
    subprocess.run([sys.executable, "-m", "app.shell.compiling"], cwd=root, env=environment_of(root, data), check=True)
