"""The core works without the wing for statistical machine translation: `python -m tests.without_wing` runs all its tests."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from app.settings import ROOT
from tests.servers import Server
from tests.without_wing import copy_core, environment_of

# Rooms that take seconds, for every run of the suite.
QUICK = ("tests/planning", "tests/permutations", "tests/operations/test_chunks.py")


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("core") / "assay"
    folder.mkdir()
    return copy_core(folder)


def test_tests_of_the_core_pass_without_the_wing(core: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *QUICK]
    run = subprocess.run(command, cwd=core, env=environment_of(core), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:]


def test_tests_of_the_core_share_nothing_of_the_wing() -> None:
    """Modules that tests share import the wing only within functions."""
    shared_modules = [
        path for path in (ROOT / "tests").rglob("*.py") if "smt" not in path.parts and not path.name.startswith("test_")
    ]
    assert shared_modules
    for path in shared_modules:
        imports = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.ImportFrom | ast.Import)]
        names = [
            name
            for node in imports
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
        ]
        assert not [name for name in names if name.startswith(("app.smt", "tests.smt"))], path


def test_a_server_without_the_wing_predicts_quality(core: Path, tmp_path: Path, ro_en: dict[str, str]) -> None:
    server = Server(tmp_path, {**ro_en, **environment_of(core), "ASSAY_WORKERS": "0"}, root=core)
    server.start()
    try:
        with server.client() as client:
            segments = [{"source": "Casa este mare .", "translation": "The house is big ."}]
            body = {"source_language": "ro", "target_language": "en", "segments": segments}
            assert client.post("/v1/quality", json=body).status_code == 200
            missing = client.post("/v1/features", json={**body, "from_systems": ["pseudo_references"]})
            assert missing.json()["type"].endswith("missing-system")
            assert client.get("/").status_code == 200
            assert client.post("/v1/tune", json={}).status_code == 404
    finally:
        server.stop()


def test_commands_without_the_wing(core: Path) -> None:
    command = [sys.executable, "-m", "app", "--help"]
    run = subprocess.run(command, cwd=core, env=environment_of(core), capture_output=True, text=True, check=True)
    assert "quality" in run.stdout
    assert "smt" not in run.stdout
