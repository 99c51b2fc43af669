"""The core alone: a copy of the program without `app/smt`, its own tests, and its server.

``python -m tests.without_wing`` runs all tests of the core in the copy; arguments are pytest's.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from app.settings import ROOT

__all__ = ["copy_core", "core_tests", "environment_of"]

# Folders that are read and never written.
LINKED: Final = ("models", "resources", "docs", "examples", "scripts", "benchmarks")
# Tests of the whole product: texts, answers and clients of core and wing together.
WHOLE_PRODUCT: Final = (
    "tests/recorded",
    "tests/generated",
    "tests/client",
    "tests/deployment",
    "tests/documentation/test_pages.py",
    "tests/shell/test_documented.py",
    "tests/test_house.py",
    "tests/test_layout.py",
    "tests/test_words.py",
    "tests/test_wing.py",
)
# An editable install finds what the copy lacks in the original. Python runs this module after the install's own.
NO_EDITABLE: Final = """\
import sys

sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "__name__", "") != "_EditableFinder"]
"""


def copy_core(folder: Path) -> Path:
    """A copy of the program without the wing; compiled kernels come along."""
    without = shutil.ignore_patterns("smt", ".hypothesis")
    for name in ("app", "tests", "client"):
        shutil.copytree(ROOT / name, folder / name, ignore=without)
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    for path in [ROOT / "pyproject.toml", *ROOT.glob("*.md"), *ROOT.glob("requirements*.lock")]:
        (folder / path.name).symlink_to(path)
    (folder / "sitecustomize.py").write_text(NO_EDITABLE, "utf-8")
    if (ROOT.parent / "shared").is_dir():
        (folder.parent / "shared").symlink_to(ROOT.parent / "shared")
    return folder


def core_tests(folder: Path) -> list[str]:
    """Files of tests that import nothing of the wing."""
    files = sorted((folder / "tests").rglob("test_*.py"))
    names = [str(path.relative_to(folder)) for path in files if not {"app.smt", "tests.smt"} & _imports(path)]
    return [name for name in names if not name.startswith(WHOLE_PRODUCT)]


def _imports(path: Path) -> set[str]:
    text = path.read_text("utf-8")
    return {name for name in ("app.smt", "tests.smt") if name in text}


def environment_of(folder: Path) -> dict[str, str]:
    """The environment in which `app`, `tests` and `assay_client` are those of the copy."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(folder / "client")))}


def main(arguments: Sequence[str]) -> int:
    """Run tests of the core in a copy; the status is pytest's."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "assay").mkdir()
        folder = copy_core(Path(name) / "assay")
        files = [] if any(argument.startswith("tests/") for argument in arguments) else core_tests(folder)
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *files, *arguments]
        return subprocess.run(command, cwd=folder, env=environment_of(folder), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
