"""Commands with translation services: which texts leave, one dead service among several, and empty sources."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Done, assay
from tests.server.translation.small_service import ENGLISH, SmallService, small_service
from tests.servers import free_port

SOURCES = list(ENGLISH)
SERVICES = """
[libre]
protocol = "libretranslate"
url = "ADDRESS/translate"
attempts = 1

[dead]
protocol = "libretranslate"
url = "http://127.0.0.1:PORT/translate"
attempts = 1
"""
Ask = Callable[..., Done]


@pytest.fixture(scope="module")
def running() -> Iterator[SmallService]:
    with small_service() as service:
        yield service


@pytest.fixture
def service(running: SmallService) -> SmallService:
    running.faults, running.asked = [], []
    return running


@pytest.fixture
def ask(service: SmallService, tmp_path: Path, ro_en: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    """A command on a file with this content; the data folder is that of this test."""
    text = SERVICES.replace("ADDRESS", service.address).replace("PORT", str(free_port()))
    (tmp_path / "services.toml").write_text(text)
    for name, value in {**ro_en, "ASSAY_TRANSLATION_SERVICES": str(tmp_path / "services.toml")}.items():
        monkeypatch.setenv(name, value)

    def run(command: str, content: str, *options: str, name: str = "sources.txt", service: str = "libre") -> Done:
        (tmp_path / name).write_text(content)
        return assay(command, str(tmp_path / name), "--translate", service, "--pair", "ro-en", *options, data=tmp_path)

    return run


@pytest.mark.parametrize("command", ["quality", "rank"])
def test_nothing_but_sources_leaves(command: str, ask: Ask, service: SmallService) -> None:
    document = ask(command, '<?xml version="1.0"?>\n<xliff version="1.2"><file><body></body></file></xliff>\n')
    table = ask(command, "source\ttranslation\tscore\nCasă.\tHouse.\t0.2\n")
    assert document.returncode == table.returncode == 2 and not service.asked
    assert "is XLIFF 1.2" in document.stderr and "column 2 (translation)" in table.stderr
    read = ask(command, f"source\tid\n{SOURCES[0]}\t1\n\t2\n{SOURCES[1]}\t3\n")
    assert read.returncode == 0 and "left out 1 empty source;" in read.stderr, read.stderr
    assert [request["q"] for request in service.asked] == [SOURCES[:2]]


def test_a_failure_is_said_once(ask: Ask) -> None:
    failed = ask("quality", "Casa este mare.\n", service="dead")
    assert failed.returncode == 2 and failed.stderr.count("dead could not be reached") == 1, failed.stderr
    assert len(failed.stderr.splitlines()) == 1 and "Error" not in failed.stderr


def test_empty_lines_have_no_score(ask: Ask) -> None:
    """Scores and means are those of the file without its empty lines."""
    spaced, dense = (
        ask(command, text, "--format", "json")
        for command, text in (("quality", f"\n{SOURCES[0]}\n\n  \n{SOURCES[1]}\n\n"), ("quality", "\n".join(SOURCES[:2])))
    )
    assert "left out 4 empty sources;" in spaced.stderr
    assert json.loads(spaced.stdout) == json.loads(dense.stdout)
    assert len(json.loads(dense.stdout)["segments"]) == 2


def test_a_dead_service_is_missing_from_a_ranking(ask: Ask) -> None:
    text = "\n".join(SOURCES)
    answer = ask("rank", text, "--translate", "dead", "--format", "json")
    alone = ask("rank", text, "--format", "json")
    assert answer.returncode == 0, answer.stderr
    ranking: Any = json.loads(answer.stdout)
    caution = "the service dead could not be reached: 3 of 3 segments lack its translation"
    assert ranking.pop("cautions")[-1] == caution and f"caution: {caution}" in answer.stderr
    expected = json.loads(alone.stdout)
    expected.pop("cautions", None)
    assert ranking == expected
    gated = ask("rank", text, "--translate", "dead", "--fail-if-worse")
    assert gated.returncode == 1 and "the service dead failed" in gated.stderr, gated.stderr
    as_baseline = ask("rank", text, "--translate", "dead", "--baseline", "dead")
    assert as_baseline.returncode == 2 and "dead could not be reached" in as_baseline.stderr
    assert ask("rank", text, service="dead").returncode == 2
