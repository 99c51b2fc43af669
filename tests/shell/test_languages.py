"""How commands find the languages of what they are given: as the caller says, as the file says, by its words."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Body
from app.operations.parts.fields import in_loaded_languages
from app.operations.quality import QualityRequest
from app.shell import languages, running
from app.shell.segments import read_pairs
from tests.shell.test_options import assay

ROWS = [("Bună ziua.", "Good day.", "Hello."), ("Casa este mare.", "The house is big.", "The house is large.")]
UNIT = '<tu><tuv xml:lang="ro-RO"><seg>Casa este mare.</seg></tuv><tuv xml:lang="EN-gb"><seg>The house is big.</seg></tuv></tu>'
TMX = f'<tmx version="1.4"><header srclang="ro-RO"/><body>{UNIT}</body></tmx>'
# What each command is given beside its file.
COMMANDS: dict[str, list[str]] = {
    "quality": [], "words": [], "features": [], "select": [], "evaluate": ["--label-column", "label"],
    "train": ["--label", "hter"],
}  # fmt: skip


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine) -> Path:
    tables = {"plain.tsv": "source\ttranslation\tlabel\n", "headed.tsv": "ro_RO\ten_GB\tlabel\n"}
    for name, head in tables.items():
        (tmp_path / name).write_text(head + "".join(f"{ours}\t{theirs}\t0.5\n" for ours, theirs, _ in ROWS), encoding="utf-8")
    (tmp_path / "memory.tmx").write_text(TMX, encoding="utf-8")
    for k, name in enumerate(("source.txt", "one.txt", "two.txt")):
        (tmp_path / name).write_text("".join(f"{row[k]}\n" for row in ROWS), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(languages, "engine_here", lambda: engine)
    return tmp_path


@pytest.fixture
def asked(files: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[str, str]]:
    """Calls `assay` and gives the languages of the request that it would be answered to."""
    seen: list[Body] = []

    def here(operation: Any, request: Body, models: Any) -> Any:
        seen.append(request)
        raise InputError("internal-error", "that was it")

    monkeypatch.setattr(running, "_local_answer", here)

    def call(*arguments: str) -> tuple[str, str]:
        with pytest.raises(InputError, match="that was it"):
            assay(*arguments)
        request: Any = seen.pop()
        return request.source_language, request.target_language

    return call


@pytest.mark.parametrize("command", COMMANDS)
def test_a_heading_names_the_languages_of_every_command(command: str, asked: Callable[..., tuple[str, str]]) -> None:
    assert asked(command, "headed.tsv", *COMMANDS[command]) == ("ro-RO", "en-GB")


def test_what_nobody_says_is_found_by_the_words_and_told(
    asked: Callable[..., tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked("quality", "plain.tsv") == ("ro", "en")
    assert "Romanian → English (ro-en), by its words" in capsys.readouterr().err
    assert asked("rank", "source.txt", "one.txt", "two.txt") == ("ro", "en")
    assert asked("quality", "source.txt", "one.txt") == ("ro", "en")
    assert asked("quality", "memory.tmx") == ("ro-RO", "en-GB")
    assert "Romanian → English (ro-RO:en-GB), as the file says" in capsys.readouterr().err


@pytest.mark.parametrize("pair", ["ro-en", "RO_md:en_US.UTF-8", "ron-eng", "ro-RO-en-US"])
def test_a_pair_is_named_in_any_form(pair: str, asked: Callable[..., tuple[str, str]]) -> None:
    source, target = asked("quality", "memory.tmx", "--pair", pair)
    assert source.startswith("ro") and target.startswith("en")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["memory.tmx", "--pair", "en-de"], r"the file says Romanian \(ro-RO\) → English \(en-GB\), the request English → German"),
        (["headed.tsv", "--pair", "en-de"], r"the file says Romanian \(ro-RO\) → English \(en-GB\)"),
        (["plain.tsv", "--pair", "ro-ro"], "Romanian twice"),
        (["plain.tsv", "--pair", "english-german"], "write a language pair like 'en-de'"),
        (["plain.tsv", "--pair", "en:"], "BCP 47 tag"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], told: str, files: Path) -> None:
    with pytest.raises(InputError, match=told):
        assay("quality", *arguments)


def test_a_server_is_asked_for_languages_that_nobody_says(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    posted: list[Any] = []

    class Asked:
        def __init__(self, *_: Any, **__: Any) -> None: ...

        def __enter__(self) -> "Asked":
            return self

        def __exit__(self, *raised: object) -> None: ...

        def send(self, call: Any) -> Any:
            posted.append((call.path, {name: content.decode() for name, (_, content) in call.files.items()}))
            return {"pair": "ro-en"}

        def ask(self, operation: str, body: Any) -> Any:
            posted.append((operation, json.loads(json.dumps(body))))
            raise InputError("internal-error", "that was it")

    monkeypatch.setattr("app.shell.there.Client", Asked)
    with pytest.raises(InputError, match="that was it"):
        assay("quality", "plain.tsv", "--server", "http://there")
    texts = {name: "\n".join(row[k] for row in ROWS) for k, name in enumerate(("source", "translation"))}
    assert posted[0] == ("/v1/files", texts)
    assert (posted[1][1]["source_language"], posted[1][1]["target_language"]) == ("ro", "en")


def test_the_loaded_pair_answers_for_its_regions(engine: Engine) -> None:
    def answering(source: str, target: str) -> tuple[str, str]:
        request = QualityRequest(source_language=source, target_language=target, segments=[])
        changed = in_loaded_languages(engine, request)
        return changed.source_language, changed.target_language

    assert answering("ro-MD", "en-US") == ("ro", "en")
    assert answering("en", "cmn-Hans-CN") == ("en", "zh")
    # Nothing answers for these, and the error is to name them.
    assert answering("fr-CA", "en") == ("fr-CA", "en")


def test_units_without_a_translation_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    units = '<trans-unit id="1"><source>a</source><target/></trans-unit><trans-unit id="2"><source>a</source><target>b</target></trans-unit>'
    (tmp_path / "a.xlf").write_text(
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en" target-language="de" '
        f'datatype="plaintext"><body>{units}</body></file></xliff>'
    )
    assert len(read_pairs([str(tmp_path / "a.xlf")])) == 1
    assert "left out 1 unit without a translation" in capsys.readouterr().err
