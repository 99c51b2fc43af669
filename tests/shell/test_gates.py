"""Gates of `assay score`, and baselines of stored scores: sacreBLEU's p-values, or a refusal, and never a green gate by mistake."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
import sacrebleu.metrics as peer
from sacrebleu.significance import PairedTest

from app.shell.program import run

SEGMENTS = 50
PEERS = {"bleu": peer.BLEU, "chrf": peer.CHRF, "ter": peer.TER}
Assay = Callable[..., tuple[int, str, str]]


def spoilt(lines: list[str], share: float, seed: int) -> list[str]:
    """Lines of which so many words became others."""
    drawn = random.Random(seed)
    return [" ".join("x" if drawn.random() < share else word for word in line.split()) for line in lines]


REFERENCE = [
    " ".join(random.Random(k).choices(["the", "a", "cat", "dog", "sat", "ran", "on", "mat", "hill", "red", "big"], k=9))
    for k in range(SEGMENTS)
]
SYSTEMS = {
    "old": spoilt(REFERENCE, 0.3, 1),
    "near": spoilt(REFERENCE, 0.28, 2),
    "good": spoilt(REFERENCE, 0.05, 3),
    "bad": spoilt(REFERENCE, 0.6, 4),
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_FORMAT", raising=False)
    for name, lines in {"ref": REFERENCE, **SYSTEMS}.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assay:
    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["assay", "score", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            run()
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return call


def rows_of(answer: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["system"], row["metric"]): row for row in json.loads(answer)["metrics"]}


@pytest.mark.parametrize(("option", "theirs"), [("--paired-bs", "bs"), ("--paired-ar", "ar")])
def test_stored_scores_are_compared_as_sacrebleu_compares_outputs(assay: Assay, option: str, theirs: str) -> None:
    code, _, error = assay("ref", "-i", "old", "-m", "bleu", "chrf", "ter", "--save-scores", "old.json")
    assert code == 0, error
    Path("old").unlink()
    numbers = ["-m", "ter", "chrf", "bleu", option, "--paired-bs-n", "300", "--paired-ar-n", "300", "-f", "json"]
    code, out, error = assay("ref", "-i", "near", "good", "--baseline", "old.json", *numbers)
    assert code == 0, error
    rows = rows_of(out)
    named = {name: SYSTEMS[name] for name in ("old", "near", "good")}
    metrics = {name: make(references=[REFERENCE]) for name, make in PEERS.items()}
    _, expected = PairedTest(list(named.items()), metrics, None, theirs, 300)()
    for name in PEERS:
        key = next(key for key in expected if key.lower().startswith(name))
        for system, result in zip(named, expected[key], strict=True):
            assert rows[system, name]["score"] == pytest.approx(result.score, abs=1e-9)
            if system != "old":
                assert rows[system, name]["p_value"] == pytest.approx(result.p_value, abs=1e-12)
    # A comparison with the outputs themselves says the same, interval by interval.
    Path("old").write_text("".join(f"{line}\n" for line in SYSTEMS["old"]))
    whole = rows_of(assay("ref", "-i", "old", "near", "good", "--baseline", "old", *numbers)[1])
    assert {key: {**row, "stored": True} if key[0] == "old" else row for key, row in whole.items()} == rows


def test_a_gate_wants_every_system_better_by_every_metric(assay: Assay) -> None:
    def gate(*arguments: str) -> tuple[int, str]:
        code, _, error = assay("ref", *arguments, "--baseline", "old", "--fail-unless-better", "-cin", "300")
        return code, error

    assert gate("-i", "old", "good", "-m", "bleu", "chrf", "ter")[0] == 0
    code, error = gate("-i", "old", "good", "near", "-m", "bleu", "ter")
    assert code == 1 and "no difference is shown between near and old: BLEU" in error and "good" not in error
    assert gate("-i", "old", "bad", "-m", "ter")[0] == 1
    # A gain by one metric makes up for no loss by another: words in another order are BLEU's business, not a word bag's.
    Path("turned").write_text("".join(" ".join(reversed(line.split())) + "\n" for line in REFERENCE))
    assert gate("-i", "old", "turned", "-m", "per")[0] == 0
    code, error = gate("-i", "old", "turned", "-m", "per", "bleu")
    assert code == 1 and "turned is worse than old: BLEU" in error and "PER" not in error
    # Nothing is significant at a level of nothing.
    assert assay("ref", "-i", "old", "good", "-m", "bleu", "--fail-unless-better", "--alpha", "0")[0] == 1


def test_a_system_is_no_better_than_its_own_stored_scores(assay: Assay) -> None:
    assay("ref", "-i", "old", "-m", "bleu", "--save-scores", "scores.json")
    code, out, error = assay("ref", "-i", "old", "-m", "bleu", "--baseline", "scores.json", "--fail-unless-better", "-f", "json")
    assert code == 1 and "no difference is shown between old and old (stored)" in error
    rows = rows_of(out)
    assert rows["old (stored)", "bleu"]["stored"] and rows["old", "bleu"]["p_value"] == 1.0


def test_several_gates_hold_at_once(assay: Assay) -> None:
    arguments = ["ref", "-i", "old", "good", "-m", "bleu", "chrf|nw:2", "chrf", "ter", "--fail-below", "BLEU=99"]
    code, out, error = assay(*arguments, "--fail-below", "ter=20", "--fail-below", "chrf=1", "--fail-if-worse", "-f", "junit")
    assert code == 1
    assert "good has bleu" in error and "good has ter" not in error and "chrf" not in error
    suite = fromstring(out)
    assert (suite.get("tests"), suite.get("failures")) == ("8", "1")
    # The baseline in production may be below a limit, but not if no system is compared with it.
    assert "old has" not in error
    assert "old has bleu" in assay("ref", "-i", "old", "good", "-m", "bleu", "--fail-below", "bleu=99")[2]
    assert assay("ref", "-i", "old", "-m", "bleu", "--baseline", "old", "--fail-below", "bleu=99")[0] == 1


def test_a_case_of_junit_has_one_failure_and_the_verdict(assay: Assay) -> None:
    gates = ["--fail-below", "bleu=99", "--fail-if-worse", "--fail-on", "any", "-q", "-f", "junit"]
    code, out, error = assay("ref", "-i", "old", "bad", "-m", "bleu", *gates)
    assert code == 1 and all(line.startswith("gate failed: ") for line in error.splitlines())
    cases = {(case.get("classname"), case.get("name")): case for case in fromstring(out)}
    assert set(cases) == {(system, name) for system in ("old", "bad") for name in ("bleu", "warnings")}
    assert all(len(case.findall("failure")) <= 1 for case in cases.values())
    (failure,) = cases["bad", "bleu"].findall("failure")
    message, output = failure.get("message") or "", cases["bad", "bleu"].findtext("system-out") or ""
    limit, sentence = message.split("; ")
    assert limit.startswith("bad has bleu") and sentence.startswith("bad is worse than old: BLEU -") and sentence in output
    # Warnings fail cases of the report too.
    looping = [" ".join(line.split()[:5] * 4) for line in REFERENCE]
    Path("loops").write_text("".join(f"{line}\n" for line in looping), "utf-8")
    code, out, _ = assay("ref", "-i", "loops", "-m", "bleu", "--fail-on", "any", "-f", "junit")
    assert code == 1 and fromstring(out).get("failures") == "1"


@pytest.mark.parametrize(("option", "theirs"), [("--paired-bs", "bs"), ("--paired-ar", "ar")])
def test_the_verdict_has_sacrebleus_numbers_in_every_form(assay: Assay, option: str, theirs: str) -> None:
    arguments = ["ref", "-i", "old", "bad", "near", "-m", "bleu", option, "--paired-bs-n", "300", "--paired-ar-n", "300"]
    named = {name: SYSTEMS[name] for name in ("old", "bad")}
    _, expected = PairedTest(list(named.items()), {"bleu": peer.BLEU(references=[REFERENCE])}, None, theirs, 300)()
    old, bad = next(expected[key] for key in expected if key.lower() == "bleu")
    verdicts = {verdict["system"]: verdict for verdict in json.loads(assay(*arguments, "-f", "json")[1])["verdicts"]}
    assert verdicts["bad"]["outcome"] == "worse" and verdicts["near"]["outcome"] == "none"
    # Holm's correction for two systems doubles the smaller p-value.
    assert verdicts["bad"]["p_value"] == pytest.approx(2 * bad.p_value)
    values = f"BLEU {bad.score - old.score:+.2f} ({old.score:.2f} -> {bad.score:.2f})"
    sentence = f"bad is worse than old: {values}, p = {2 * bad.p_value:.3f}, 50 segments"
    assert verdicts["bad"]["sentence"] == sentence
    for form in ("text", "markdown", "junit"):
        out = unescape(assay(*arguments, "-f", form)[1])
        assert sentence in out
        assert "no difference is shown between near and old: BLEU +" in out
    tables = {form: assay(*arguments, "-f", form) for form in ("text", "tsv")}
    assert tables["text"][1].splitlines()[-2] == sentence
    assert " **" in next(line for line in tables["text"][1].splitlines() if line.startswith("bad"))
    # A table for programs has no sentence.
    assert "worse" not in tables["tsv"][1] and sentence in tables["tsv"][2]


def test_a_plain_comparison_has_a_verdict_and_fits_a_terminal(assay: Assay) -> None:
    names = [f"-i {'long-name-of-a-system-' * 3}{name}={name}" for name in ("old", "good")]
    code, out, _ = assay("ref", *" ".join(names).split(), "-m", "bleu", "chrf", "ter", "--letters")
    table = out.partition("\n\n")[0].splitlines()
    assert code == 0 and "is better than" in out.splitlines()[-1] and max(map(len, table)) <= 100
    assert "verdicts" not in assay("ref", "-i", "good", "-m", "bleu", "-f", "json")[1]
    # The level of a gate is the level of verdicts.
    assert "no difference is shown" in assay("ref", "-i", "old", "good", "-m", "bleu", "--alpha", "0.0001")[1]


def test_gates_look_at_systems_over_their_runs(assay: Assay) -> None:
    """One lucky run wins a comparison of runs; three runs of the two systems are alike."""
    for k in range(3):
        Path(f"a{k}").write_text("".join(f"{line}\n" for line in spoilt(REFERENCE, (0.2, 0.3, 0.4)[k], 10 + k)))
        Path(f"b{k}").write_text("".join(f"{line}\n" for line in spoilt(REFERENCE, (0.1, 0.34, 0.45)[k], 20 + k)))
    inputs = ["-i", "a0", "a1", "a2", "b0", "b1", "b2", "-m", "bleu", "--runs", "A=a0,a1,a2", "B=b0,b1,b2", "--paired-ar-n", "300"]
    code, out, error = assay("ref", *inputs, "--baseline", "A", "--fail-unless-better", "-f", "json")
    assert code == 1 and "no difference is shown between B and A: BLEU" in error and "b0" not in error
    summaries = {row["system"]: row for row in json.loads(out)["runs"]}
    means = {
        system: np.mean(
            [peer.BLEU().corpus_score(Path(f"{system.lower()}{k}").read_text().splitlines(), [REFERENCE]).score for k in range(3)]
        )
        for system in "AB"
    }
    assert summaries["B"]["difference"] == pytest.approx(means["B"] - means["A"])
    assert summaries["B"]["corrected_p_value"] == summaries["B"]["p_value"] and "difference" not in summaries["A"]
    # The mean is what limits look at.
    assert assay("ref", *inputs, "--fail-below", f"bleu={means['A'] - 0.01}")[0] == int(means["B"] < means["A"] - 0.01)
    # Kept over its runs, the baseline says the same later; an input that is a run of none is a system of one run.
    assert assay("ref", *inputs, "--save-scores", "A=A.json")[0] == 0
    rest = ["-i", "b0", "b1", "b2", "good", "-m", "bleu", "--runs", "B=b0,b1,b2", "--paired-ar-n", "300", "-f", "json"]
    later = {row["system"]: row for row in json.loads(assay("ref", *rest, "--baseline", "A.json")[1])["runs"]}
    assert later["A"]["stored"] and later["B"]["p_value"] == summaries["B"]["p_value"]
    assert later["good"]["runs"] == ["good"] and later["good"]["difference"] > 0
    alone = assay("ref", "-i", "good", "-m", "bleu", "--baseline", "A.json", "--fail-unless-better", "--paired-ar-n", "300")
    assert alone[0] == 0, alone[2]


def test_empty_segments_are_counted_in_words(assay: Assay) -> None:
    for number, said in ((1, "1 segment is empty somewhere"), (2, "2 segments are empty somewhere")):
        Path("gaps").write_text("\n" * number + "".join(f"{line}\n" for line in REFERENCE[number:]), "utf-8")
        for policy, done in (("score", "scored all the same"), ("skip", "left out")):
            code, _, error = assay("ref", "-i", "gaps", "-m", "bleu", "--empty", policy)
            assert code == 0 and f"{said}, and {done} (--empty {policy})\n" in error


def test_a_limit_has_a_point_or_a_comma(assay: Assay) -> None:
    for limit, status in (("99.5", 1), ("99,5", 1), ("0,5", 0)):
        assert assay("ref", "-i", "old", "-m", "bleu", "--fail-below", f"bleu={limit}")[0] == status


@pytest.mark.parametrize("option", ["--fail-if-worse", "--fail-unless-better"])
@pytest.mark.parametrize("inputs", ["-i good", "-i good bad --runs A=good,bad", "-i good --baseline good"])
def test_nothing_to_compare_is_refused(assay: Assay, option: str, inputs: str) -> None:
    code, out, error = assay("ref", *inputs.split(), "-m", "bleu", option)
    assert (code, out) == (2, "") and f"{option}: this compares systems with a baseline; give two or more" in error
    assert "--save-scores" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--fail-below bleu=nan", "--fail-below: a gate is METRIC=VALUE"),
        ("--fail-below bleu=inf", "--fail-below: a gate is METRIC=VALUE"),
        ("--fail-below bleu=30%", "--fail-below: a gate is METRIC=VALUE"),
        ("--fail-below bleu", "--fail-below: a gate is METRIC=VALUE"),
        ("--fail-below ter=1", "the gate's metric is not scored; scored are bleu, chrf|nw:1, chrf|nw:2"),
        ("--fail-below chrf=1", "chrf may be chrf|nw:1 or chrf|nw:2"),
        ("--alpha nan --fail-if-worse", "Invalid value for '--alpha': a number is written as 0.12 or 0,12 or 12%"),
        ("--alpha 1,5 --fail-if-worse", "Invalid value for '--alpha': 1.5 is not at least 0 and at most 1"),
        (
            "--baseline nobody.json",
            "--baseline: there is no file nobody.json of stored scores, and no system of that name; systems are",
        ),
        ("--baseline nobody.json --fail-if-worse", "--baseline: there is no file nobody.json"),
        ("--save-scores there.json", "--save-scores: say whose scores, as old=FILE; systems are old, good"),
        ("--save-scores bad=there.json", "--save-scores: say whose scores"),
        ("--save-scores old=none/there.json", "--save-scores: none is not a folder"),
    ],
)
def test_a_gate_that_cannot_fail_is_refused(assay: Assay, arguments: str, message: str) -> None:
    code, out, error = assay("ref", "-i", "old", "good", "-m", "bleu", "chrf|nw:1", "chrf|nw:2", *arguments.split())
    assert (code, out) == (2, "") and message in error


def test_scores_are_kept_when_every_gate_holds_and_a_system_goes_before_a_file(assay: Assay) -> None:
    assert assay("ref", "-i", "bad", "-m", "bleu", "--fail-below", "bleu=99", "--save-scores", "s.json")[0] == 1
    assert not Path("s.json").exists()
    assert assay("ref", "-i", "bad", "good", "-m", "bleu", "--save-scores", "bad=s.json")[0] == 0
    assert json.loads(Path("s.json").read_text())["system"] == "bad"
    # One file is the baseline and what comes of a comparison.
    both = ["--baseline", "s.json", "--save-scores", "s.json", "--fail-unless-better"]
    assert assay("ref", "-i", "good", "-m", "bleu", *both)[0] == 0
    assert json.loads(Path("s.json").read_text())["system"] == "good"
    assert assay("ref", "-i", "bad", "-m", "bleu", *both)[0] == 1
    assert json.loads(Path("s.json").read_text())["system"] == "good" and len(list(Path().glob("*s.json*"))) == 1
    rows = rows_of(assay("ref", "-i", "s.json=bad", "good", "-m", "bleu", "--baseline", "s.json", "-f", "json")[1])
    assert set(rows) == {("s.json", "bleu"), ("good", "bleu")} and not any(row.get("stored") for row in rows.values())


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    program = subprocess.Popen([sys.executable, "-m", "app", "score", "ref", "-i", "good", "-m", "bleu"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    assert program.stdout is not None and program.stderr is not None
    program.stdout.close()
    assert program.stderr.read() == b"" and program.wait() != 0
