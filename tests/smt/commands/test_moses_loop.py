"""The stand-ins for Moses' `extractor`, `mert`, `kbmira`, `pro` and `evaluator`, called as mert-moses.pl calls them."""

import gzip
import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

from app.settings import ROOT
from tests.commands import assay

STAND_INS = ROOT / "examples" / "moses" / "tuning"
# What mert-moses.pl takes the point and its score by.
BEST_POINT = re.compile(r"Best point:\s*([\s\d\.\-e]+?)\s*=> ([\-\d\.]+)")
REFERENCE = ["the house is big .", "I do not know where the station is ."]
LISTS = [
    [(0, "the house big .", -1.0, -4), (0, "house is .", -0.5, -3), (1, "I know where the station is .", -1.0, -7)],
    [(0, "the house is big .", -3.0, -5), (1, "I do not know where the station is .", -4.0, -9), (1, "I know .", 0.0, -3)],
]


def call(name: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "client")])
    environment = {**os.environ, "ASSAY": f"{sys.executable} -m app", "PYTHONPATH": paths, "ASSAY_DATA_DIR": str(folder / "data")}
    # By themselves, as mert-moses.pl does: they have to be there as programs.
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [str(STAND_INS / name), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


Here = Callable[..., str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """Calls a function of the stand-ins, which call `assay` in this process; gives what is printed."""
    monkeypatch.chdir(tmp_path)
    # Where commands are run.
    monkeypatch.setattr("tests.commands.ROOT", tmp_path)
    (tmp_path / "ref").write_text("\n".join(REFERENCE) + "\n", "utf-8")
    names = runpy.run_path(str(STAND_INS / "stand_ins.py"))

    def called(arguments: list[str]) -> dict[str, Any]:
        done = assay(*arguments, data=tmp_path / "data")
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    names["mert"].__globals__["called"] = called

    def call_here(name: str, *arguments: str) -> str:
        names[name](list(arguments))
        printed = capsys.readouterr()
        return printed.out + printed.err

    return call_here


def test_two_turns_of_the_loop(tmp_path: Path, here: Here) -> None:
    """The first turn in this process, the second by the programs that mert-moses.pl starts."""

    def by_program(name: str, *arguments: str) -> str:
        done = call(name, *arguments, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    scores = []
    for turn, (rows, does) in enumerate(zip(LISTS, (here, by_program), strict=True), 1):
        lines = [f"{segment} ||| {text} ||| LM0= {lm} WordPenalty0= {words} ||| {lm}\n" for segment, text, lm, words in rows]
        (tmp_path / f"run{turn}.best100.out.gz").write_bytes(gzip.compress("".join(lines).encode()))
        (tmp_path / f"run{turn}.init.opt").write_text("0.5 -0.5\n0 0\n1 1\n", "utf-8")
        files = ["--scfile", f"run{turn}.scores.dat", "--ffile", f"run{turn}.features.dat"]
        printed = does(
            "extractor", "--sctype", "BLEU", "--scconfig", "case:true", *files, "-r", str(tmp_path / "ref"),
            "-n", f"run{turn}.best100.out.gz",
        )  # fmt: skip
        assert printed == ""
        so_far = [",".join(f"run{k}.{kind}.dat" for k in range(1, turn + 1)) for kind in ("features", "scores")]
        printed = does(
            "mert", "-d", "2", "--sctype", "BLEU", "--scconfig", "case:true", "--ffile", so_far[0], "--scfile", so_far[1],
            "--ifile", f"run{turn}.init.opt", "-n", "3", "-r", "1000",
        )  # fmt: skip
        best = BEST_POINT.search(printed)
        assert best is not None
        point = (tmp_path / "weights.txt").read_text("utf-8")
        assert point.split() == best[1].split() and len(point.split()) == 2
        assert sum(abs(float(weight)) for weight in point.split()) == pytest.approx(1.0)
        scores.append(float(best[2]))
    # Of the merged lists only weights with more words can choose both references.
    chosen = sacrebleu.corpus_bleu(REFERENCE, [REFERENCE], tokenize="none", force=True).score / 100
    assert scores[0] < scores[1] == pytest.approx(chosen)


def test_what_is_not_understood_ends_the_loop(tmp_path: Path) -> None:
    for name, arguments, said in (
        ("mert", ["-d", "2", "--scfile", "a", "--ffile", "b", "-o", "0,1"], "not understood: -o 0,1"),
        ("extractor", ["--scfile", "a", "--ffile", "b", "-r", "c", "-n", "d", "--factors", "0|1"], "not understood: --factors 0|1"),
        ("kbmira", ["--ffile", "b", "--scfile", "a", "--type", "hypergraph"], "not understood: --type hypergraph"),
        ("mert", ["-d", "2", "--scfile", "a", "--ffile", "b"], "a: No such file"),
    ):
        done = call(name, *arguments, folder=tmp_path)
        assert done.returncode == 1 and said in done.stderr


# What mert-moses.pl takes the weights by that kbmira and megam print, and the score of kbmira.
NUMBERED = re.compile(r"^(F\d+|.+_.+) ([\-\.\de]+)$")
BEST_BLEU = re.compile(r"Best BLEU = ([\-\d\.]+)")
SPARSE_LISTS = [
    (0, "the house big .", "LM0= -1 WordPenalty0= -4"),
    (0, "the house is big .", "LM0= -3 WordPenalty0= -5 PP_is= 1"),
    (1, "I do not know where the station is .", "LM0= -4 WordPenalty0= -9 PP_is= 1"),
    (1, "I know where the station .", "LM0= -3.5 WordPenalty0= -6 PP_not= -1"),
]


def test_mira_and_pro_with_sparse_features(tmp_path: Path, here: Here) -> None:
    lines = [f"{segment} ||| {text} ||| {features} ||| -1\n" for segment, text, features in SPARSE_LISTS]
    (tmp_path / "run1.best100.out.gz").write_bytes(gzip.compress("".join(lines).encode()))
    (tmp_path / "run1.dense").write_text("LM0= 0.5\nWordPenalty0= 0.1\n", "utf-8")
    (tmp_path / "run1.sparse-weights").write_text("PP_is 0.2\n", "utf-8")
    files = ["--ffile", "run1.features.dat", "--scfile", "run1.scores.dat"]
    here("extractor", "--scconfig", "case:false", *files, "-r", "ref", "-n", "run1.best100.out.gz")
    starts = ["--dense-init", "run1.dense", "--sparse-init", "run1.sparse-weights"]
    best = BEST_BLEU.search(here("kbmira", "-J", "5", *starts, "-r", "1000", *files, "-o", "mert.out"))
    assert best is not None and float(best[1]) == 1.0
    here("pro", "-r", "1000", *files, "-o", "run1.pro.data")
    by_pro = here("megam", "-fvals", "-maxi", "30", "-nobias", "binary", "run1.pro.data")
    for printed in ((tmp_path / "mert.out").read_text("utf-8"), by_pro):
        rows = [NUMBERED.fullmatch(line) for line in printed.splitlines()]
        weights = {row[1]: float(row[2]) for row in rows if row}
        assert len(weights) == len(rows) and {"F0", "F1", "PP_is"} <= weights.keys() <= {"F0", "F1", "PP_is", "PP_not"}
    with pytest.raises(SystemExit, match="sparse"):
        here("mert", "-d", "2", *files)


def test_the_evaluator_prints_a_fraction(tmp_path: Path, here: Here) -> None:
    (tmp_path / "run1.out").write_text("the house is large .\nI do not know where the station is .\n", "utf-8")
    printed = here("evaluator", "--reference", "ref,ref", "-s", "BLEU", "--candidate", "run1.out")
    lines = (tmp_path / "run1.out").read_text("utf-8").splitlines()
    expected = sacrebleu.corpus_bleu(lines, [REFERENCE], tokenize="none", force=True).score / 100
    assert float(printed) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["extractor", "mert", "kbmira", "pro", "megam_i686.opt", "evaluator"])
def test_every_stand_in_is_a_program(name: str) -> None:
    # mert-moses.pl ends where one of them cannot be executed, and where megam is not there it fetches it.
    assert os.access(STAND_INS / name, os.X_OK) and "stand_ins import" in (STAND_INS / name).read_text("utf-8")
