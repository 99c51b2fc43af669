"""The stand-in for Moses' `extractor` and `mert`, called as mert-moses.pl calls them."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu

from app.settings import ROOT

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
    command = [sys.executable, str(STAND_INS / name), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_two_turns_of_the_loop(tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("\n".join(REFERENCE) + "\n", "utf-8")
    scores = []
    for turn, rows in enumerate(LISTS, 1):
        lines = [f"{segment} ||| {text} ||| LM0= {lm} WordPenalty0= {words} ||| {lm}\n" for segment, text, lm, words in rows]
        (tmp_path / f"run{turn}.best100.out.gz").write_bytes(gzip.compress("".join(lines).encode()))
        (tmp_path / f"run{turn}.init.opt").write_text("0.5 -0.5\n0 0\n1 1\n", "utf-8")
        files = ["--scfile", f"run{turn}.scores.dat", "--ffile", f"run{turn}.features.dat"]
        done = call(
            "extractor", "--sctype", "BLEU", "--scconfig", "case:true", *files, "-r", str(tmp_path / "ref"),
            "-n", f"run{turn}.best100.out.gz", folder=tmp_path,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        so_far = [",".join(f"run{k}.{kind}.dat" for k in range(1, turn + 1)) for kind in ("features", "scores")]
        done = call(
            "mert", "-d", "2", "--sctype", "BLEU", "--scconfig", "case:true", "--ffile", so_far[0], "--scfile", so_far[1],
            "--ifile", f"run{turn}.init.opt", "-n", "3", "-r", "1000", folder=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        best = BEST_POINT.search(done.stderr)
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
        ("kbmira", ["-o", "mert.out"], "--method mira"),
    ):
        done = call(name, *arguments, folder=tmp_path)
        assert done.returncode == 1 and said in done.stderr
