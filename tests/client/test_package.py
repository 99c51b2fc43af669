"""The client as a package of its own: what it is written from, what it needs, and what type checkers make of it."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

from setuptools import find_packages

from app.operations.catalogue import OPERATIONS
from app.settings import ROOT
from scripts.client_answers import PACKAGE, answers_module, method_name, operations_module

METADATA = tomllib.loads((ROOT / "client" / "pyproject.toml").read_text("utf-8"))
USE = Path(__file__).with_name("typed_use.py")


def test_the_client_is_what_the_operations_say() -> None:
    stale = "run python -m scripts.client_answers"
    assert (PACKAGE / "answers.py").read_text("utf-8") == answers_module(), stale
    assert (PACKAGE / "operations.py").read_text("utf-8") == operations_module(), stale


def test_every_operation_is_a_method() -> None:
    from assay_client import AsyncClient, Client

    for operation in OPERATIONS.values():
        assert callable(getattr(Client, method_name(operation))) and callable(getattr(AsyncClient, method_name(operation)))


def test_it_imports_the_standard_library_and_httpx2() -> None:
    imported = set()
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                imported.add((node.module or "").partition(".")[0])
    assert imported - sys.stdlib_module_names == {"httpx2", "assay_client"}


def test_its_metadata() -> None:
    project = METADATA["project"]
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["name"] == "assay-client" and [each.partition(">")[0] for each in project["dependencies"]] == ["httpx2"]
    assert project["version"] == whole["project"]["version"] and project["requires-python"] == whole["project"]["requires-python"]
    assert project["dependencies"][0] in whole["project"]["dependencies"]
    found = METADATA["tool"]["setuptools"]["packages"]["find"]
    assert find_packages(str(ROOT / "client"), include=found["include"]) == ["assay_client"]
    assert METADATA["tool"]["setuptools"]["package-data"] == {"assay_client": ["py.typed"]}
    assert (PACKAGE / "py.typed").is_file() and (ROOT / "client" / project["readme"]).is_file()
    # Assay itself has it too.
    assert "client" in whole["tool"]["setuptools"]["packages"]["find"]["where"]
    assert whole["tool"]["setuptools"]["package-data"]["assay_client"] == ["py.typed"]


def test_users_see_its_types() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--python-version=3.11", str(USE)],
        cwd=ROOT / "client",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
