"""`assay campaign`: from texts of systems to a campaign, and from a log to labels that other commands take."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from app.documents.campaigns.shown_text import plain_form
from app.shell.program import run
from app.text.reading.lines import TextFile
from app.text.reading.tables import open_table
from tests.shell.test_documented import PAIRS

Assay = Callable[..., tuple[int, str, str]]
SOURCES: Final = [source for source, _ in PAIRS]
OLD: Final = [text for _, text in PAIRS]
NEW: Final = [text if k % 3 else f"{text.replace('the', 'a <b>')} and some more words {k}" for k, text in enumerate(OLD)]
MAKE: Final = ("campaign", "make", "source.txt", "old=old.txt", "new=new.txt", "--pair", "ro-en", "--output", "campaign.json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, lines in (("source", SOURCES), ("old", OLD), ("new", NEW)):
        write(tmp_path / f"{name}.txt", lines)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def assay(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assay:
    """The program with arguments: exit code, standard output and errors."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["assay", *arguments])
        with pytest.raises(SystemExit) as end:
            run()
        out, error = capsys.readouterr()
        return int(end.value.code or 0), out, error

    return call


def write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def made(assay: Assay, *arguments: str) -> tuple[dict[str, Any], str]:
    code, out, error = assay(*MAKE, *arguments)
    assert (code, out) == (0, ""), error
    return json.loads(Path("campaign.json").read_text("utf-8")), error


def pages(campaign: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Items of each annotator."""
    for task in campaign["data"]:
        yield [item for document in task for item in document]


def marked(item: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Marks in advance with a severity, which Pearmut's page asks for."""
    return [{**span, "severity": "minor"} for span in item.get("error_spans", {}).get(name, [])]


def log_of(campaign: dict[str, Any], fails: str = "") -> str:
    """Answers of annotators 0, 1 ... who give scores by length; the annotator `fails` fails each check."""
    lines = []
    for k, items in enumerate(pages(campaign)):
        for number, item in enumerate(items):
            answer = {name: {"score": len(text) % 101, "error_spans": marked(item, name)} for name, text in item["tgt"].items()}
            entry = {"annotation": [answer], "item": [item], "actions": [], "user_id": f"person {k}", "item_i": number}
            lines.append(entry | ({"validations": [f"person {k}" != fails]} if "validation" in item else {}))
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_texts_of_a_campaign_are_those_of_the_files(assay: Assay) -> None:
    campaign, error = made(assay, "--segments", "12", "--annotators", "3", "--by", "disagreement")
    assert campaign["info"] == {"assignment": "task-based", "protocol": "ESA", "shuffle": False}
    lines = []
    for items in pages(campaign):
        judged = [item for item in items if "validation" not in item]
        assert len(judged) == 4 and len(items) == 5 and "validation" not in items[0]
        for item in judged:
            line = item["assay"]["segment"]
            lines.append(line)
            texts = {name: plain_form(text) for name, text in item["tgt"].items()}
            assert (plain_form(item["src"]), texts) == (SOURCES[line - 1], {"old": OLD[line - 1], "new": NEW[line - 1]})
            for name, spans in item.get("error_spans", {}).items():
                assert all(
                    0 <= span["start_i"] <= span["end_i"] < len(item["tgt"][name]) and span["severity"] is None for span in spans
                )
    assert len(set(lines)) == len(lines) == 12
    # Words are marked in advance for this pair, and systems differ in what was chosen.
    assert any("error_spans" in item for items in pages(campaign) for item in items)
    assert sum(OLD[line - 1] != NEW[line - 1] for line in lines) >= 10
    assert "12 segments of 2 systems for 3 annotators" in error and "3 attention checks" in error


def test_a_damaged_translation_never_comes_with_marks(assay: Assay) -> None:
    campaign, _ = made(assay, "--segments", "5", "--checks", "4")
    checks = [item for items in pages(campaign) for item in items if "validation" in item]
    assert len(checks) == 4
    for item in checks:
        assert set(item["tgt"]) == {"attention-damaged", "attention-original"} and "error_spans" not in item
        assert item["validation"]["attention-original"] == {"score_greaterthan": "attention-damaged"}


def test_a_seed_decides(assay: Assay) -> None:
    arguments = ("--segments", "6", "--pool", "20")
    first, _ = made(assay, *arguments)
    assert made(assay, *arguments)[0] == first
    assert made(assay, *arguments, "--seed", "2")[0] != first


def test_judgements_are_shared_evenly(assay: Assay) -> None:
    campaign, _ = made(assay, "--segments", "10", "--annotators", "4", "--judgements", "2", "--checks", "0", "--no-marks")
    tasks = [[item["assay"]["segment"] for item in items] for items in pages(campaign)]
    assert [len(task) for task in tasks] == [5, 5, 5, 5] and all(len(set(task)) == 5 for task in tasks)
    everything = [line for task in tasks for line in task]
    assert sorted(everything) == sorted(2 * list(set(everything)))


def test_labels_train_and_correlate(assay: Assay, folder: Path) -> None:
    campaign, _ = made(assay, "--segments", "60", "--annotators", "2")
    (folder / "log.jsonl").write_text(log_of(campaign, fails="person 1"), "utf-8")
    code, table, error = assay("campaign", "read", "log.jsonl")
    assert code == 0 and "120 judgements of 2 annotators" in error and "6 answered, 3 failed" in error
    assert "person 1 failed 3 of 3 attention checks; --attentive leaves the judgements out" in error
    (folder / "judged.tsv").write_text(table, "utf-8")
    rows = open_table(TextFile("judged.tsv", table.encode())).read()
    assert len(rows) == 120
    for segment, system, source, translation in zip(
        *(rows[name] for name in ("segment", "system", "source", "translation")), strict=True
    ):
        assert (source, translation) == (SOURCES[int(segment) - 1], (OLD if system == "old" else NEW)[int(segment) - 1])
    assert set(zip(rows["annotator"], rows["failed_checks"], rows["checks"], strict=True)) == {
        ("person 0", "0", "3"),
        ("person 1", "3", "3"),
    }
    training = ("--pair", "ro-en", "--learner", "ridge", "--feature-set", "quest-baseline-17", "--format", "json")
    scale = ("--higher-is-better", "--range", "0:100")
    for name, options in (("da", ()), ("esa", scale)):
        code, out, error = assay("train", "judged.tsv", "--label", name, *options, *training, "--out", f"mine-{name}")
        assert code == 0, error
        assert json.loads(out)
    correlation = (
        "correlate",
        "judged.tsv",
        "--metric",
        "predicted",
        "--group",
        "segment",
        "--system",
        "system",
        "--format",
        "json",
    )
    for column in ("esa", "da"):
        code, out, error = assay(*correlation, "--human", column)
        assert code == 0 and len(json.loads(out)["systems"]) == 2, error
    code, out, error = assay("correlate", "judged.tsv", "--human", "spans", "--metric", "spans", "--spans", "--format", "json")
    assert code == 0, error
    code, lines, error = assay("campaign", "read", "log.jsonl", "--attentive", "--format", "jsonl")
    assert code == 0 and "left out 60 judgements" in error
    assert {json.loads(line)["annotator"] for line in lines.splitlines()} == {"person 0"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--annotators", "2", "--judgements", "3"), "--judgements: 2 annotators cannot judge each segment 3 times"),
        (("--annotators", "9", "--segments", "4"), "--annotators: 4 segments are too few for 9 annotators"),
        (("--id", "../up"), "--id: a campaign's id has letters"),
        (("--output", "no/folder.json"), "no is not a folder"),
        (("--output", "old.txt"), "old.txt is an input of this command"),
    ],
)
def test_a_plan_that_does_not_work_is_refused(assay: Assay, arguments: tuple[str, ...], words: str) -> None:
    code, out, error = assay(*MAKE, *arguments)
    assert (code, out) == (2, "") and words in error
    assert not Path("campaign.json").exists()


def test_files_of_unequal_lengths(assay: Assay, folder: Path) -> None:
    write(folder / "new.txt", NEW[:-1])
    code, _, error = assay(*MAKE)
    assert code == 2 and f"new has {len(NEW) - 1} lines, source.txt has {len(NEW)}" in error


def test_names_of_systems(assay: Assay) -> None:
    code, _, error = assay("campaign", "make", "source.txt", "1=old.txt", "--pair", "ro-en", "--output", "campaign.json")
    assert code == 2 and "this name of a system" in error


def test_empty_lines_are_left_out_and_counted(assay: Assay, folder: Path) -> None:
    write(folder / "source.txt", ["", *SOURCES[1:]])
    write(folder / "new.txt", [*NEW[:3], "  ", *NEW[4:]])
    campaign, error = made(assay, "--segments", "200")
    assert "left out 2 lines of 160 without a source or a translation" in error
    assert {item["assay"]["segment"] for items in pages(campaign) for item in items} == set(range(1, 161)) - {1, 4}
    write(folder / "new.txt", [""] * len(NEW))
    code, _, error = assay(*MAKE)
    assert code == 2 and "no line has a source and a translation of every system" in error


def test_a_long_file_is_sampled(assay: Assay, folder: Path) -> None:
    count = 100_000
    for name, lines in (("source", SOURCES), ("old", OLD), ("new", NEW)):
        write(folder / f"{name}.txt", [f"{lines[k % len(lines)]} {k}" for k in range(count)])
    campaign, error = made(assay, "--segments", "10", "--pool", "40")
    assert f"chose from 40 of {count} segments" in error
    assert max(item["assay"]["segment"] for items in pages(campaign) for item in items) > count // 2


def test_one_system(assay: Assay) -> None:
    code, _, error = assay(
        "campaign", "make", "source.txt", "old=old.txt", "--pair", "ro-en", "--output", "one.json", "--segments", "5"
    )
    assert code == 0, error
    campaign = json.loads(Path("one.json").read_text("utf-8"))
    checks = [item for items in pages(campaign) for item in items if "validation" in item]
    assert campaign["campaign_id"] == "one" and [set(item["tgt"]) for item in checks] == [{"attention-damaged"}]


def test_a_log_that_is_none(assay: Assay, folder: Path) -> None:
    write(folder / "log.jsonl", ["no log"])
    code, out, error = assay("campaign", "read", "log.jsonl")
    assert (code, out) == (2, "") and "log.jsonl is no log of Pearmut" in error
