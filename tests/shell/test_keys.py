"""`assay server keys`: limits as they are written, changed and shown, and what was used."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.running.rates import Amount, Charge, KeyLimits, parse_rates
from app.server.store import KeyStore, UsageStore, open_database
from app.settings import Settings
from app.shell.here import settings_here
from app.shell.program import run
from tests.commands import assay


@pytest.fixture(autouse=True)
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path))
    settings_here.cache_clear()
    yield Settings(data_dir=tmp_path).sqlalchemy_url
    settings_here.cache_clear()


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr("sys.argv", ["assay", "server", "keys", *arguments])
    with pytest.raises(SystemExit) as end:
        run()
    return end.value.code


def test_what_a_new_key_is_of_no_use_for_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], url: str
) -> None:
    assert called(monkeypatch, "create", "a", "--scopes", "quality", "--models", "later,ro-en-hter-blend-95") == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("assay_") and "No model is called later yet." in shown.err
    for over in ("2020-01-31", "0d"):
        assert called(monkeypatch, "create", "b", "--scopes", "quality", "--expires", over) == 2
        assert capsys.readouterr().err == "assay: --expires: this is over already\n"


def test_a_new_data_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert assay("server", "keys", "create", "a", "--scopes", "quality", data=folder).returncode == 0
    assert {path.stat().st_mode & 0o077 for path in (folder, *folder.rglob("*"))} == {0}


RATES = ("--rate", "10000 segments/minute", "--rate", "2000000 characters/day")


def test_limits_are_given_changed_and_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], url: str) -> None:
    create = ("create", "a", "--scopes", "quality", *RATES, "--jobs-at-once", "3", "--stored", "2GB")
    assert called(monkeypatch, *create) == 0 and capsys.readouterr().out.startswith("assay_")
    keys = KeyStore(open_database(url))
    rates = parse_rates("10000 segments/minute, 2000000 characters/day", "rate")
    assert keys.named("a").limits == KeyLimits(rates, 3, 2 * 10**9)
    assert called(monkeypatch, "limit", "a", "--jobs-at-once", "none") == 0
    assert keys.named("a").limits == KeyLimits(rates, 0, 2 * 10**9)
    assert called(monkeypatch, "limit", "a", "--rate", "5 segments/month", "--stored", "settings") == 0
    assert keys.named("a").limits == KeyLimits(parse_rates("5 segments/month", "rate"), 0, None)
    capsys.readouterr()
    assert called(monkeypatch, "list", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["keys"][0]["limits"] == "5 segments/month; any jobs at once"
    assert called(monkeypatch, "limit", "a", "--rate", "settings", "--jobs-at-once", "settings") == 0
    assert keys.named("a").limits == KeyLimits()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rate", "10 segments"], "--rate: write a rate as a number of segments or characters per minute, day or month"),
        (["--rate", "none", "--rate", "1 segments/day"], "--rate: write a rate as a number"),
        (["--rate", "1 segments/day", "--rate", "2 segments/day"], "--rate: two rates have one unit and window"),
        (["--rate", ""], "--rate: write a rate as a number"),
        (["--jobs-at-once", "0"], "--jobs-at-once: a number of jobs, none or settings is accepted"),
        (["--stored", "5 GB"], "--stored: a size, as 500MB (B, kB, MB, GB, TB), none or settings is accepted"),
        ([], "limits: name a limit: --rate, --jobs-at-once or --stored"),
    ],
)
def test_what_is_no_limit_is_refused_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], url: str, arguments: list[str], message: str
) -> None:
    keys = KeyStore(open_database(url))
    keys.create("a", ["quality"])
    assert called(monkeypatch, "limit", "a", *arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"assay: {message}")
    assert keys.named("a").limits == KeyLimits()


def test_what_was_used_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], url: str) -> None:
    database = open_database(url)
    KeyStore(database).create("a", ["quality"], owner="Ana")
    usage = UsageStore(database)
    usage.charge(Charge("Ana", "a", Amount(3, 30), requests=1))
    usage.charge(Charge("Bo", "b", Amount(5, 50), requests=1))
    assert called(monkeypatch, "usage", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["usage"]
    assert [(row["key"], row["owner"], row["segments"], row["characters"], row["requests"]) for row in rows] == [
        ("a", "Ana", 3, 30, 1), ("b", "Bo", 5, 50, 1)
    ]  # fmt: skip
    assert len(rows[0]["month"]) == 7 and rows[0]["owner_stored_bytes"] == 0
    assert called(monkeypatch, "usage", "a", "--by", "day", "--format", "tsv") == 0
    header, row = capsys.readouterr().out.splitlines()
    assert header.split("\t")[:4] == ["key", "owner", "day", "segments"] and row.startswith("a\tAna\t20")
    assert called(monkeypatch, "usage") == 0 and "characters" in capsys.readouterr().out
    assert called(monkeypatch, "usage", "nobody") == 2
    KeyStore(database).create("new", ["quality"])
    capsys.readouterr()
    assert called(monkeypatch, "usage", "new", "--by", "day", "--format", "tsv") == 0
    shown = capsys.readouterr()
    assert shown.out.split() == header.split("\t") and shown.err == "Nothing was asked for in this time.\n"


def test_a_limit_of_a_server_is_an_exit_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    import httpx2

    def refuse(self: httpx2.Client, *arguments: object, **fields: object) -> httpx2.Response:
        problem = {"type": "/problems/quota-exceeded", "detail": "10 of 10 are used", "violated-policies": ["segments-per-day"]}
        return httpx2.Response(429, json=problem, headers={"Retry-After": "3600"})

    monkeypatch.setattr(httpx2.Client, "request", refuse)
    (tmp_path / "pairs.tsv").write_text("source\ttranslation\nunu\tone\n")
    monkeypatch.setattr("sys.argv", ["assay", "quality", str(tmp_path / "pairs.tsv"), "--pair", "ro-en", "--server", "http://x"])
    with pytest.raises(SystemExit) as end:
        run()
    assert end.value.code == 3
    assert capsys.readouterr().err.splitlines() == ["assay: 10 of 10 are used"]
