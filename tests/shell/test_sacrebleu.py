"""sacreBLEU's command line, given to `assay score`: the same numbers, or a refusal, and never another meaning."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.shell.program import run
from app.shell.scoring.greedy import spread

REFERENCES = [
    "The cat sat on the mat.",
    "Dogs bark, and birds sing in the morning.",
    "He did not say that.",
    "它 在 这里 , 不在 那里 。",
]
OTHER = ["A cat was sitting on the mat.", "Dogs bark and in the morning birds sing.", "He never said so.", "它在这里，不在那里。"]
SYSTEM = ["the cat sat on a mat.", "Dogs bark; birds sing the morning in.", "He said not that", "它 这里 。"]
WORSE = ["cat mat", "Morning birds.", "he", "它 在 这里 , 不在 那里 。"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that commands of this module read; none writes."""
    folder = tmp_path_factory.mktemp("files")
    lists = {"ref": REFERENCES, "ref2": OTHER, "A": SYSTEM, "B": WORSE, "C": OTHER}
    for name, lines in lists.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    for codec in ("latin-1", "utf-16", "gb18030"):
        for name, lines in {
            "ref": ["Die Äpfel sind süß.", "Ça va, naïve façade"],
            "A": ["Äpfel sind süß.", "Ca va naïve façade"],
        }.items():
            (folder / f"{name}.{codec}").write_text("".join(f"{line}\n" for line in lines), codec)
    (folder / "two").write_text("".join(f"{a}\t{b}\n" for a, b in zip(REFERENCES, OTHER, strict=True)), "utf-8")
    return folder


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("ASSAY_FORMAT", raising=False)


def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["assay", "score", *arguments])
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        run()
    captured = capsys.readouterr()
    return int(end.value.code or 0), captured.out, captured.err


# Calls sacreBLEU's own command for each line. The command reopens its streams, so each gets a file of its own.
PEER = """
import json, os, sys, tempfile
from types import SimpleNamespace
from sacrebleu.sacrebleu import main

printed = {}
for line in json.load(sys.stdin):
    with tempfile.TemporaryFile() as file:
        sys.argv = ["sacrebleu", *line.split()]
        sys.stdin = SimpleNamespace(fileno=lambda: os.dup(0))
        sys.stdout = SimpleNamespace(fileno=lambda: os.dup(file.fileno()))
        try:
            main()
        except SystemExit as end:
            assert not end.code, line
        sys.stdout.flush()
        file.seek(0)
        printed[line] = file.read().decode()
json.dump(printed, sys.__stdout__)
"""


# Commands of sacreBLEU's documentation with files of ours, and every option of its metrics; each prints scores alone.
COMMANDS = (
    "ref -i A -m bleu -b -w 4",
    "ref -i A -b",
    "ref -i A -m bleu chrf ter -b -w 6",
    "ref -i A -m chrf --chrf-word-order 2 -b -w 6",
    "ref -i A -m chrf -cw 2 -cc 4 -b -w 6",
    "ref -i A -m chrf --chrf-beta 3 -b -w 6",
    "ref -i A -m chrf --chrf-whitespace --chrf-lowercase -b -w 6",
    "ref -i A -m chrf --chrf-eps-smoothing -b -w 6",
    "ref -i B -m chrf --chrf-eps-smoothing -cw 2 -b -w 6",
    "ref -i A -m chrf -lc -b -w 6",
    "ref -i A -m bleu -lc -b -w 6",
    "ref -i A -m bleu ter -tok intl -b -w 6",
    "ref -i A -m bleu -tok char -b -w 6",
    "ref -i A -m bleu -tok none --force -b -w 6",
    "ref -i A -m bleu -l en-zh -b -w 6",
    "ref -i A -m bleu -l zh-en -b -w 6",
    "ref -i A -m bleu -l en-zh -tok intl -b -w 6",
    "ref -i A -m bleu -s floor -b -w 6",
    "ref -i A -m bleu --smooth-method floor --smooth-value 0.05 -b -w 6",
    "ref -i A -m bleu -s add-k -sv 2 -b -w 6",
    "ref -i B -m bleu -s none -b -w 6",
    "ref -i A -m ter --ter-case-sensitive -b -w 6",
    "ref -i A -m ter --ter-normalized --ter-no-punct -b -w 6",
    "ref -i A -m ter --ter-normalized --ter-asian-support -b -w 6",
    "ref ref2 -i A -m bleu chrf ter -b -w 6",
    "two -nr 2 -i A -m bleu chrf ter -b -w 6",
    "two --num-refs 2 --input A --metrics bleu chrf --score-only --width 6",
    "ref -i A -sl -b -w 6",
    "ref -i A -m chrf --sentence-level -b -w 6",
    "ref -i A -m ter -sl -b -w 6",
    "ref -i A -m bleu -b -w 0 -q -nc",
    "ref.latin-1 -i A.latin-1 -e latin-1 -m bleu chrf ter -b -w 6",
    "ref.utf-16 -i A.utf-16 --encoding utf-16 -m bleu chrf -b -w 6",
    "ref.gb18030 -i A.gb18030 -e gb18030 -m chrf -sl -b -w 6",
)


# Its JSON of bootstrapped chrF and TER ends in an error of its own.
COMPARISONS = (
    "ref -i A B C -m bleu --paired-bs",
    "ref ref2 -i A B -m bleu -lc -pbs --paired-bs-n 300",
    "ref -i A B C -m bleu chrf ter -par -parn 500",
    "two -nr 2 -i A B -m chrf -cw 2 --paired-ar --paired-ar-n 500 --paired-jobs 2",
)
INTERVALS = ("ref -i A -m bleu --confidence", "ref -i A -m bleu --confidence -cin 500")


@pytest.fixture(scope="module")
def sacrebleu(folder: Path) -> dict[str, str]:
    """Prints of sacreBLEU's own command for each line, from one process."""
    lines = [*(f"{line} -f text" for line in COMMANDS), *(f"{line} -f json" for line in COMPARISONS + INTERVALS)]
    done = subprocess.run(
        [sys.executable, "-c", PEER], cwd=folder, input=json.dumps(lines), capture_output=True, text=True, check=True
    )
    printed: dict[str, str] = json.loads(done.stdout)
    return printed


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_prints_what_sacrebleu_prints(
    command: str, sacrebleu: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = sacrebleu[f"{command} -f text"]
    code, ours, error = assay(monkeypatch, capsys, *command.split(), "-f", "text")
    assert code == 0, error
    assert ours.split() == theirs.split()


def signature(text: str) -> str:
    return re.sub(r"\|(version|impl):[^|]*", "", text)


@pytest.mark.parametrize("command", COMPARISONS)
def test_several_systems_are_compared_as_sacrebleu_compares_them(
    command: str, sacrebleu: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = json.loads(sacrebleu[f"{command} -f json"])
    code, out, error = assay(monkeypatch, capsys, *command.split(), "-f", "json")
    assert code == 0, error
    ours = json.loads(out)["metrics"]
    for row in theirs:
        for name, values in row.items():
            if name == "system":
                continue
            metric = "bleu" if name == "BLEU" else "ter" if name == "TER" else "chrf"
            own = next(
                each for each in ours
                if each["metric"].startswith(metric) and each["system"] == row["system"].removeprefix("Baseline: ")
            )  # fmt: skip
            assert own["score"] == pytest.approx(values["score"], abs=1e-9)


@pytest.mark.parametrize("command", INTERVALS)
def test_an_interval_says_how_it_was_drawn(
    command: str, sacrebleu: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = json.loads(sacrebleu[f"{command} -f json"])
    (ours,) = json.loads(assay(monkeypatch, capsys, *command.split(), "-f", "json")[1])["metrics"]
    assert signature(ours["signature"]) == signature(theirs["signature"])
    assert ours["bootstrap_mean"] == pytest.approx(theirs["confidence_mean"], abs=0.05)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("-i A ref", "assay: references come first, or by -r"),
        ("-m bleu ref -i A", "assay: references come first, or by -r"),
        ("ref -i A -m bleu --chrf-beta 3", "--chrf-beta: none of the metrics has this option; they are bleu"),
        ("ref -i A -m bleu -sv 1", "--smooth-value: only floor and add-k have a value"),
        ("ref -i A -m bleu -s exp -sv 1", "--smooth-value: only floor and add-k have a value"),
        ("ref -i A -m bleu --ter-no-punct", "--ter-no-punct: none of the metrics has this option"),
        ("ref -i A -m bleu -tok no-such", "option tok of bleu accepts: 13a"),
        ("ref -i A -m bleu chrff", "metrics are bleu, chrf"),
        ("ref -i A B -m bleu --paired-bs --paired-ar", "--paired-ar: name one test"),
        ("ref -r ref2 -i A", "--reference: references stand before all options or behind this one, not both"),
        ("ref -i A -b -f json", "--score-only: scores alone are text"),
        ("two -nr 3 -i A", "two.0: this line has 2 references between tabs, and --num-refs says 3"),
        ("ref -i A -l zh", "--language-pair: a language pair is two languages"),
        ("ref -i A -e rot13", "--encoding: Assay reads no files in 'rot13'"),
        ("ref -i A -e no-such", "--encoding: Assay reads no files in 'no-such'"),
        ("ref.latin-1 -i A -e ascii", "A.4: byte 78 of A, in line 4, is not ascii"),
        ("ref -i A --fail-if-worse", "--fail-if-worse: this compares systems with a baseline; give two or more"),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    command: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, error = assay(monkeypatch, capsys, *command.split())
    assert (code, out) == (2, "") and message in error


@pytest.mark.parametrize("option", ["--echo src", "--download wmt14", "--list", "--citation", "-d"])
def test_what_is_not_there_is_no_option(option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, error = assay(monkeypatch, capsys, "ref", "-i", "A", *option.split())
    assert (code, out) == (2, "") and "No such option" in error


def test_encodings_of_sources_and_of_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    piped = io.TextIOWrapper(io.BytesIO(Path("A.latin-1").read_bytes()))
    monkeypatch.setattr(sys, "stdin", piped)
    arguments = ["ref.latin-1", "-e", "latin-1", "--source", "ref.latin-1", "-m", "chrf", "-b", "-w", "6"]
    assert assay(monkeypatch, capsys, *arguments)[:2] == assay(monkeypatch, capsys, *arguments, "-i", "A.latin-1")[:2]


def test_a_second_system_is_none_of_the_references(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out = assay(monkeypatch, capsys, *["ref", "-i", "A", "B", "-m", "bleu", "--fail-if-worse", "-f", "json"])[1]
    rows = json.loads(out)["metrics"]
    assert [row["system"] for row in rows] == ["A", "B"] and all(row["signature"].startswith("nrefs:1|") for row in rows)
    by_reference = assay(monkeypatch, capsys, *["-i", "A", "B", "-r", "ref", "ref2", "-m", "BLEU", "chrF++", "-f", "json"])[1]
    rows = json.loads(by_reference)["metrics"]
    assert [(row["system"], row["metric"]) for row in rows] == [("A", "bleu"), ("B", "bleu"), ("A", "chrf++"), ("B", "chrf++")]
    assert all(row["signature"].startswith("nrefs:2|") for row in rows)


@pytest.mark.parametrize(
    ("arguments", "spread_out"),
    [
        ("r -i A B -b", "r -i A -i B -b"),
        ("-i A -i B C", "-i A -i B -i C"),
        ("-m bleu ter -i A", "-m bleu -m ter -i A"),
        ("- -i - x -- -i A B", "- -i - -i x -- -i A B"),
        ("-w 4 r -i A", "-w 4 r -i A"),
        ("-i", "-i"),
    ],
)
def test_values_are_spread(arguments: str, spread_out: str) -> None:
    assert list(spread(arguments.split(), ["-i", "--input", "-m"])) == spread_out.split()
