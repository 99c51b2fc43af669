"""Differences of systems in POST /v1/rank, and `assay compare` without references."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Client

from app.shell.program import run

SOURCES = ["Casa este mare.", "Apasă pe {button} de 3 ori.", "Trenul pleacă la ora opt.", "Nu este bine."]
OLD = ["The house is big.", "Press {button} 3 times.", "The train leaves at eight.", "It is not good."]
NEW = ["House big is the.", "Press the button 3 times.", "The train leaves at eight.", "It is not well."]


def ranked(client: Client, **options: Any) -> dict[str, Any]:
    segments = [
        {"source": source, "translations": [{"system": "old", "text": old}, {"system": "new", "text": new}]}
        for source, old, new in zip(SOURCES, OLD, NEW, strict=True)
    ]
    body = {"source_language": "ro", "target_language": "en", "segments": segments, **options}
    answer = client.post("/v1/rank", json=body)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def test_gains_are_those_of_the_scores(client: Client) -> None:
    answer = ranked(client, differences=10)
    sign = 1.0 if answer["direction"] == "higher is better" else -1.0
    scores = [{row["system"]: row["score"] for row in segment["order"]} for segment in answer["segments"]]
    gains = [sign * (row["new"] - row["old"]) for row in scores]
    [difference] = answer["differences"]
    assert difference["system"] == "new"
    assert (difference["wins"], difference["losses"], difference["ties"]) == (
        sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains), sum(gain == 0 for gain in gains),
    )  # fmt: skip
    rows = difference["most_improved"] + difference["most_worsened"]
    assert {row["segment"] for row in rows} == {k for k, gain in enumerate(gains, 1) if gain}
    for row in rows:
        assert row["gain"] == pytest.approx(gains[row["segment"] - 1], abs=2e-6)
        assert row["baseline_score"] == scores[row["segment"] - 1]["old"]
    ordered = [row["gain"] for row in difference["most_worsened"]]
    assert ordered == sorted(ordered)
    # Equal texts have nothing to judge.
    assert set(difference["to_judge"]) == {1, 2, 4} and "differences" not in ranked(client)


def test_limits_and_another_baseline(client: Client) -> None:
    forth, back = (ranked(client, differences=1, baseline=name)["differences"][0] for name in ("old", "new"))
    assert (forth["wins"], forth["losses"]) == (back["losses"], back["wins"]) and forth["to_judge"] == back["to_judge"]
    assert len(forth["most_worsened"]) == len(back["most_improved"]) == len(forth["to_judge"]) == 1
    assert forth["most_worsened"][0]["gain"] == pytest.approx(-back["most_improved"][0]["gain"])


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, texts in {"source": SOURCES, "old": OLD, "new": NEW}.items():
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts))


def assay(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["assay", *arguments])
    with pytest.raises(SystemExit) as end:
        run()
        sys.exit(0)
    return int(end.value.code or 0)


COMPARE = ("compare", "--baseline", "old", "--system", "new")


def test_the_command_shows_checks_and_segments(
    files: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert assay(monkeypatch, *COMPARE, "--source", "source", "--pair", "ro-en", "-f", "json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert {"check": "placeholders", "old": 0, "new": 1} in answer["warnings"]
    assert {row["segment"] for row in answer["texts"]} == set(answer["to_judge"]) == {1, 2, 4}
    assert answer["texts"][1] == {"segment": 2, "source": SOURCES[1], "baseline": OLD[1], "system": NEW[1]}
    assert answer["label"] == "da" and answer["verdicts"][0]["people_agree"] in {0.5, 0.62, 0.75, 0.86}
    assert (
        assay(monkeypatch, *COMPARE, "--source", "source", "--pair", "ro-en", "--label", "hter", "--profile", "fast", "-f", "json")
        == 0
    )
    answer = json.loads(capsys.readouterr().out)
    assert answer["label"] == "hter" and "people_agree" not in answer["verdicts"][0]
    for form in ("text", "tsv", "markdown", "html"):
        assert assay(monkeypatch, *COMPARE, "--source", "source", "--pair", "ro-en", "-f", form) == 0
        assert "placeholders" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--source"),
        (("old", "--label", "hter"), "--label"),
        (("--source", "source", "-m", "bleu"), "--metrics"),
        (("--source", "source", "--tokenize", "char"), "--metrics"),
    ],
)
def test_options_of_the_other_comparison_are_refused(
    files: None, arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert assay(monkeypatch, *COMPARE, *arguments) == 2 and message in capsys.readouterr().err
