"""Clients that others' generators make of the OpenAPI document: they are made without warnings, compile, and reach a server."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from app.main import create_app
from app.settings import ROOT
from tests.servers import Server

HERE = Path(__file__).parent
GENERATORS = ROOT / ".venv" / "generators"
INSTALL = "is not installed: make .venv/.generators"


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("document") / "openapi.json"
    path.write_text(json.dumps(create_app().openapi()), encoding="utf-8")
    return path


def program(name: str) -> str:
    """Where a program of the generators lies; the test is skipped where they are not installed."""
    path = GENERATORS / name
    if not path.exists() or (name.startswith("node_modules") and not shutil.which("node")):
        pytest.skip(f"{path.name} {INSTALL}")
    return str(path)


def run(*command: str, folder: Path, **environment: str) -> str:
    """What a command prints; it must end well."""
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_nothing_that_is_installed_comes_from_a_named_place() -> None:
    packages = json.loads((HERE / "package-lock.json").read_text("utf-8"))["packages"]
    assert all("integrity" in each and "resolved" not in each for name, each in packages.items() if name)
    assert "://" not in (HERE / "requirements.lock").read_text("utf-8")


def test_a_python_client_is_generated_without_warnings_and_calls(document: Path, tmp_path: Path, server: Server) -> None:
    generator = program("bin/openapi-python-client")
    settings = tmp_path / "settings.yml"
    settings.write_text("post_hooks: []\n", encoding="utf-8")
    command = ("generate", "--path", str(document), "--config", str(settings), "--meta", "none", "--fail-on-warning")
    told = run(generator, *command, "--output-path", "generated_python", folder=tmp_path)
    assert "warning" not in told.lower(), told
    assert "unable" not in told.lower(), told

    answer = json.loads(
        run(program("bin/python"), str(HERE / "program.py"), server.address, folder=tmp_path, PYTHONPATH=str(tmp_path))
    )
    # One word of four is another.
    assert [(each["system"], each["score"]) for each in answer["scored"]["metrics"]] == [("mine", 25.0)]
    assert answer["refused"]["status"] == 404
    assert answer["refused"]["type"] == "/problems/not-found"


def test_typescript_types_are_generated_and_compile_with_a_program(document: Path, tmp_path: Path) -> None:
    generator, compiler = program("node_modules/.bin/openapi-typescript"), program("node_modules/.bin/tsc")
    # What has a default may be left out of a body.
    run(generator, str(document), "--output", "schema.ts", "--default-non-nullable=false", folder=tmp_path)
    shutil.copy(HERE / "program.ts", tmp_path)
    strictly = ("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "es2022", "--lib", "es2022,dom")
    assert run(compiler, *strictly, "--moduleResolution", "bundler", "program.ts", folder=tmp_path) == ""
