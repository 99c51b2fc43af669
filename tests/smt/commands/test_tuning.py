"""`assay nbest tune` as it is called: what it prints, the files that it writes, and what it refuses before any work."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from app.errors import InputError
from app.shell import here
from app.shell.program import program
from app.smt.tuning.moses_weights import read_any_weights

INI = b"[feature]\nDistortion\n[weight]\n# kept\nLM0= 0.5\nWord0= -1\n"
LISTS = """\
0 ||| the house big . ||| LM0= -1 Word0= -4 ||| -1
0 ||| the house is big . ||| LM0= -3 Word0= -5 ||| -3
1 ||| I know . ||| LM0= 0 Word0= -3 ||| 0
1 ||| I do not know . ||| LM0= -4 Word0= -5 ||| -4
"""


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    (tmp_path / "dev.nbest").write_text(LISTS, "utf-8")
    (tmp_path / "ref.txt").write_text("the house is big .\nI do not know .\n", "utf-8")
    (tmp_path / "moses.ini").write_bytes(INI)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "data"))
    here.settings_here.cache_clear()

    def call(*arguments: str) -> tuple[str, str]:
        typer.main.get_command(program).main(["nbest", "tune", "dev.nbest", "-r", "ref.txt", *arguments], standalone_mode=False)
        told = capsys.readouterr()
        return told.out, told.err

    yield call
    here.settings_here.cache_clear()


def test_json_has_the_score_and_out_the_weights(assay: Callable[..., Any], tmp_path: Path) -> None:
    out, err = assay("--method", "mert|restarts:2", "--metric", "bleu|tok:none", "--out", "w.json", "--format", "json")
    answer = json.loads(out)
    assert answer["first_score"] < answer["dev_score"] == pytest.approx(100.0) and "wrote w.json" in err
    assert json.loads((tmp_path / "w.json").read_text("utf-8")) == answer["weights"]
    assert not list((tmp_path / "data").glob(".tune-*"))
    again, _ = assay("--start", "w.json", "--method", "mert|restarts:0", "--metric", "bleu|tok:none", "--format", "json")
    assert json.loads(again)["start_score"] == answer["dev_score"]


def test_moses_files_hold_the_same_weights(assay: Callable[..., Any], tmp_path: Path) -> None:
    asked = ("--method", "mert|restarts:2", "--metric", "bleu|tok:none", "--seed", "4")
    assay(*asked, "--out", "w.json")
    wanted = read_any_weights((tmp_path / "w.json").read_bytes()).weights.values
    for form in ("weights.txt", "dense", "kbmira"):
        assay(*asked, "--out", form, "--out-form", form)
        assert read_any_weights((tmp_path / form).read_bytes(), ["LM0", "Word0"]).weights.values == wanted, form
    assay(*asked, "--out", "tuned.ini", "--moses-ini", "moses.ini")
    assert read_any_weights((tmp_path / "tuned.ini").read_bytes()).weights.values == wanted
    assert (tmp_path / "tuned.ini").read_bytes().startswith(b"[feature]\nDistortion\n[weight]\n# kept\nLM0= ")


def test_text_shows_runs_and_changes(assay: Callable[..., Any]) -> None:
    out, err = assay("--method", "mert|restarts:1", "--metric", "bleu|tok:none", "--runs", "2", "--changes", "2",
                     "--held-out", "dev.nbest", "--held-out-reference", "ref.txt")  # fmt: skip
    assert "deviation" in out and "LM0" in out
    # The weight that does most stands first, whatever the sizes of weights.
    _, *table = out.splitlines()
    effects = [abs(float(line.split()[2])) for line in table]
    assert effects == sorted(effects, reverse=True) and sum(effects) == pytest.approx(1.0, abs=2e-3)
    for said in (
        "dev_score 100.0000",
        "held out 100.0000",
        "runs 1:",
        "2 of 2 segments changed, 2 of them in their text",
        "reference: I do not know .",
    ):
        assert said in err, said


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["--out-form", "dense"], "--out-form"),
        (["--moses-ini", "moses.ini"], "--moses-ini"),
        (["--held-out-reference", "ref.txt"], "--held-out-reference"),
        (["--out", "no/folder/w.json"], None),
        (["--start", "moses.txt"], None),
        (["--method", "guess"], "method"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], place: str | None, assay: Callable[..., Any]) -> None:
    with pytest.raises(InputError) as caught:
        assay(*arguments)
    assert place is None or caught.value.where[0] == place


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ref.txt",), ("ref.txt is not an n-best list: it begins with 'the house is big .'", "a -r of its own")),
        (("nosuch",), ("nosuch: No such file or directory",)),
        (("w.json",), ("w.json is JSON over many lines", "weights behind an option")),
        (("-r", "short.txt"), ("short.txt: there are n-best lists of 2 segments, but 1 texts",)),
        (("-m", "BLEU"), ("BLEU is no metric",)),
        (("--method", "kbmira"), ("kbmira is not a tuning method", "mira")),
        (("bad.nbest",), ("line 2 of bad.nbest", "finite numbers")),
    ],
)
def test_errors_name_what_was_given(
    assay: Callable[..., Any], tmp_path: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    (tmp_path / "short.txt").write_text("one line\n", "utf-8")
    (tmp_path / "w.json").write_text('{\n "format": "assay-weights"\n}\n', "utf-8")
    (tmp_path / "bad.nbest").write_text("0 ||| a ||| LM0= -1 ||| -1\n0 ||| b ||| LM0= nan ||| -1\n", "utf-8")
    with pytest.raises(InputError) as caught:
        assay(*arguments)
    assert all(word in str(caught.value) for word in words)
    assert str(caught.value).count("nosuch") <= 1


def test_lists_without_features_say_what_chooses_without_them_and_missing_lists_are_counted(
    assay: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "dev.nbest").write_text("0 ||| the house ||| -1\n0 ||| a house ||| -2\n", "utf-8")
    with pytest.raises(InputError, match="rerank computes features, and mbr chooses without any"):
        assay()
    (tmp_path / "dev.nbest").write_text("".join(LISTS.splitlines(keepends=True)[:2]), "utf-8")
    _, err = assay("--method", "mert|restarts:0", "--metric", "bleu|tok:none")
    assert "1 of 2 segments have no hypotheses" in err
