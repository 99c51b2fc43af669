"""Fixtures that many tests share: the engine, servers, the shared data; and how tests are spread over processes."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

# Set before NumPy is imported: processes run beside each other, and threads of BLAS that wait for a core burn another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The same models answer wherever tests run, and no server loads weights that its test does not ask; tests of encoders name theirs.
os.environ["ASSAY_ENCODER"] = "none"
# One process answers, unless a test asks for more.
os.environ["ASSAY_PROCESSES"] = "1"

import httpx2
import hypothesis
import pytest

from app.engine import Engine
from app.settings import ROOT, Settings
from tests.databases import database, database_url, empty_database_url, postgres
from tests.servers import Server, small_house

__all__ = ["database", "database_url", "empty_database_url", "postgres"]

# A background job of a shell ignores interruptions, and so would the commands that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Collection creates millions of objects and no garbage; searches take a fifth of its time.
gc.disable()
SHARED = ROOT.parent / "shared"
# These begin first, so that the processes end at about the same time.
LONGEST = ("tests/faults/test_kill", "tests/faults", "tests/recorded", "tests/browser", "tests/reference", "tests/server/jobs")
# Kernels may be compiled inside a test, and the machine may be busy: speed is for benchmarks. The same tests give the same verdict
# twice: a change is not refused for what it did not touch. Examples that are the same every time need not be many.
hypothesis.settings.register_profile("assay", deadline=None, derandomize=True, max_examples=40)
# Far more of each, and others every time, where somebody asks for it by --hypothesis-profile.
hypothesis.settings.register_profile("many", deadline=None, max_examples=20_000)
hypothesis.settings.load_profile("assay")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile kernels once, before processes would each compile them at the same time."""
    if getattr(session.config.option, "numprocesses", None):
        subprocess.run([sys.executable, "-m", "app.shell.compiling"], cwd=ROOT, check=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first. What is made once for a module is made once: a process gets whole modules (`--dist loadfile`)."""
    items.sort(key=place)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exempt modules and tests from all later searches for garbage."""
    gc.enable()
    gc.collect()
    gc.freeze()


def place(item: pytest.Item) -> tuple[int, bool]:
    begins = [item.nodeid.startswith(folder) for folder in LONGEST]
    return (begins.index(True) if any(begins) else len(begins), item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True)
def file_modes() -> Iterator[None]:
    """Commands that write the data folder change the umask of their process, which other tests share."""
    mask = os.umask(0o022)
    yield
    os.umask(mask)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and reference values, which lies outside the repository."""
    if not SHARED.is_dir():
        pytest.skip("the reference data is not on this machine")
    return SHARED


@pytest.fixture(scope="session")
def engine() -> Engine:
    """Everything that ships; each part is loaded when the first test asks for it."""
    settings = Settings()
    return Engine.open(settings.resources_dir, settings.models_dir)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One running server for all tests that only ask."""
    running = Server(tmp_path_factory.mktemp("data"))
    if find_spec("app.smt"):
        from tests.smt.decoder.toy_systems import add_toy_systems

        add_toy_systems(running.data / "resources", tmp_path_factory.mktemp("systems"))
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx2.Client]:
    with server.client() as each:
        yield each


@pytest.fixture(scope="session")
def ro_en(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The settings of a server that has Romanian to English alone, and starts in a third of the time."""
    return small_house(tmp_path_factory.mktemp("ro-en"), "ro-en")


@pytest.fixture
def own_server(tmp_path: Path, ro_en: dict[str, str]) -> Iterator[Server]:
    """A server not yet started, for a test that harms it."""
    # Small chunks: a job of few segments is in its middle for long.
    running = Server(tmp_path, {**ro_en, "ASSAY_CHUNK_SEGMENTS": "100"})
    yield running
    running.stop()
