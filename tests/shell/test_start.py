"""What commands import before they do anything: no more than they need, so that they start at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.settings import ROOT

# Each takes from a tenth of a second to several.
HEAVY = {"numpy", "numba", "scipy.linalg", "scipy.stats", "sklearn", "lxml", "sqlalchemy", "fastapi", "httpx2", "pydantic", "GPy"}


def imported(*arguments: str) -> set[str]:
    """The modules that a command imports, as Python itself tells."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "app", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )  # fmt: skip
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_what_commands_there_are_is_said_without_importing_them(arguments: list[str]) -> None:
    modules = imported(*arguments)
    assert "app.shell.program" in modules
    assert not modules & HEAVY
    assert not any(name.startswith(("app.operations", "app.engine")) for name in modules)


def test_jobs_of_a_server_need_no_engine() -> None:
    modules = imported("jobs", "list", "--help")
    assert "app.shell.declaration.parameters" in modules
    assert not modules & (HEAVY - {"httpx2", "pydantic"})


def test_feedback_for_a_server_needs_neither_engine_nor_predictors() -> None:
    modules = imported("feedback", "--help")
    # Texts are hashed by a kernel, which is Numba's.
    assert not modules & (HEAVY - {"httpx2", "pydantic", "numpy", "numba", "lxml"})
    assert not any(name.startswith(("app.engine", "app.predictors", "app.features", "app.metrics")) for name in modules)


def test_scoring_imports_neither_what_trains_nor_a_server(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a b c\n")
    modules = imported("score", str(tmp_path / "a"), "-i", str(tmp_path / "a"), "-m", "bleu")
    assert "numba" in modules
    rooms = ("app.engine", "app.features", "app.predictors", "app.registry.models", "app.building.kneser_ney")
    assert not any(name.startswith(rooms) for name in modules)
    # Numba's kernels of arrays ask scipy for BLAS.
    assert not modules & (HEAVY - {"numpy", "numba", "scipy.linalg", "pydantic"})
