"""Gates without references. `--fail-on`: a copied source, a wrong language and what programs leave end a build, and are named by their segments."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from app.checks import WARNINGS
from app.shell.program import run

SOURCES = ["Casa este mare și frumoasă.", "Am mers la școală în fiecare zi.", "Bună ziua.", "Orașul are o piață veche și un pod."]
GOOD = ["The house is big and beautiful.", "I went to school every day.", "Good day.", "The city has an old square and a bridge."]
BAD = [SOURCES[0], "Ich bin jeden Tag zur Schule gegangen.", "", "The city has has has has has <unk> bridge."]
Assay = Callable[..., tuple[int, str, str]]


def write(name: str, lines: list[str]) -> str:
    Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return name


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assay:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_FORMAT", raising=False)
    write("source", SOURCES)
    write("good", GOOD)
    write("bad", BAD)

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["assay", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            run()
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return call


QUALITY = ["--pair", "ro-en", "--model", "ro-en-hter-gp-17"]


def test_errors_fail_beside_a_limit_of_the_score(assay: Assay) -> None:
    """A document above its limit fails by a lost number, unless warnings are none of its gates."""
    gate = [*QUALITY, "--fail-below", "hter=9", "--quiet"]
    code, _, err = assay("quality", "source", "bad", *gate)
    assert code == 1 and "gate failed: error in segments" in err and "document" not in err
    assert assay("quality", "source", "bad", *gate, "--fail-on", "none")[0] == 0
    assert assay("quality", "source", "bad", *gate, "--fail-on", "wrong-script")[0] == 0
    assert assay("quality", "source", "bad", *gate, "--no-warnings")[0] == 0
    assert assay("quality", "source", "good", *gate)[0] == 0
    assert assay("quality", "source", "bad", *QUALITY, "--quiet")[0] == 0


def test_segments_are_named_by_what_they_have(assay: Assay) -> None:
    code, out, err = assay("quality", "source", "bad", *QUALITY, "--fail-on", "copied-source,wrong-language", "--format", "json")
    assert code == 1
    assert err.splitlines() == ["gate failed: copied-source in segment 1", "gate failed: wrong-language in segments 1, 2"]
    warned = [[warning["code"] for warning in row["warnings"]] for row in json.loads(out)["segments"]]
    assert warned[2] == ["empty-translation"] and {"repeated-loop", "system-residue"} <= set(warned[3])
    assert assay("quality", "source", "bad", *QUALITY, "--fail-on", "empty")[0] == 1
    assert assay("quality", "source", "bad", *QUALITY, "--fail-on", "wrong-script")[0] == 0
    code, _, err = assay("quality", "source", "bad", *QUALITY, "--fail-on", "any")
    assert (
        code == 1 and "gate failed: empty-translation in segment 3\n" in err and "gate failed: repeated-loop in segment 4\n" in err
    )


def test_text_names_the_severity_of_each_warning(assay: Assay) -> None:
    _, out, _ = assay("quality", "source", "bad", *QUALITY)
    assert "copied-source (error), wrong-language (error)" in out and "(warning)" in out


def test_what_is_well_passes_any(assay: Assay) -> None:
    code, out, err = assay("quality", "source", "good", *QUALITY, "--fail-on", "any", "--format", "tsv")
    assert code == 0 and "gate failed" not in err and "warnings" in out.split("\n")[0]


def test_outputs_are_held_to_what_needs_no_source(assay: Assay) -> None:
    asked = ["score", "good", "-m", "bleu", "-i"]
    code, _, err = assay(*asked, "fine=good", "other=bad", "--fail-on", "any")
    assert code == 1 and err.count("gate failed") == 3
    assert "gate failed: other has empty-translation in segment 3\n" in err
    assert "gate failed: other has repeated-loop in segment 4\n" in err
    assert assay(*asked, "fine=good", "--fail-on", "any")[0] == 0
    assert assay(*asked, "fine=good", "--fail-on", "any", "--fail-below", "bleu=101")[0] == 1
    # A reference that has it too says that it is right.
    assert assay("score", "bad", "-m", "bleu", "-i", "bad", "--fail-on", "any")[0] == 0


def test_unknown_codes_are_refused_with_the_list(assay: Assay) -> None:
    for asked in (["quality", "source", "good", *QUALITY], ["score", "good", "-i", "good"]):
        code, out, err = assay(*asked, "--fail-on", "copied-sources")
        assert (code, out) == (2, "") and "--fail-on" in err and "repeated-loop" in err
    assert all(each in assay("quality", "source", "good", *QUALITY, "--fail-on", "")[2] for each in WARNINGS)
    # Without a source nothing is known of copies.
    assert assay("score", "good", "-i", "good", "--fail-on", "copied-source")[0] == 2
    assert assay("quality", "source", "good", *QUALITY, "--level", "word", "--fail-on", "any")[0] == 2


def test_many_segments_are_not_all_named(assay: Assay) -> None:
    write("many", ["x"] * 30)
    write("none", [""] * 30)
    code, _, err = assay("score", "many", "-m", "bleu", "-i", "out=none", "--fail-on", "empty")
    assert code == 1 and err.endswith(f"in segments {', '.join(map(str, range(1, 21)))} and 10 more\n")


def test_a_document_is_held_to_a_limit_in_the_unit_of_its_label(assay: Assay) -> None:
    document = json.loads(assay("quality", "source", "bad", *QUALITY, "--format", "json")[1])["document"]
    score = document["weighted_score"]
    for limit, status in ((f"hter={score + 0.01}", 0), (f"{score - 0.01:.4f}".replace(".", ","), 1), ("hter=0,1%", 1)):
        assert assay("quality", "source", "bad", *QUALITY, "--fail-below", limit, "--fail-on", "none")[0] == status
    gates = ["--fail-below", "hter=0.1%", "--fail-on", "copied-source,wrong-script"]
    code, out, error = assay("quality", "source", "bad", *QUALITY, *gates, "-q", "--format", "junit")
    sentence = f"the document has hter {score:.4f} (fraction of words, lower is better), above 0.001"
    assert (code, error) == (1, f"gate failed: {sentence}\ngate failed: copied-source in segment 1\n")
    failures = {case.get("name"): [failure.get("message") for failure in case.findall("failure")] for case in fromstring(out)}
    assert failures == {"hter": [sentence], "copied-source": ["copied-source in segment 1"], "wrong-script": []}
    # Without --label, the label of the gate is predicted.
    assert " da " in assay("quality", "source", "good", "--pair", "ro-en", "--profile", "fast", "--fail-below", "da=1000")[2]
    for wrong in (["--fail-below", "high"], ["--fail-below", "=1"], ["--fail-below", "da=1", "--label", "hter"]):
        code, out, error = assay("quality", "source", "good", "--pair", "ro-en", *wrong)
        assert (code, out) == (2, "") and "--fail-below" in error
    assert assay("quality", "source", "good", *QUALITY, "--level", "word", "--fail-below", "1")[0] == 2


def test_ranks_have_a_verdict_and_gates(assay: Assay) -> None:
    write("source", SOURCES * 5)
    write("good", GOOD * 5)
    write("bad", ["the of the has and"] * 20)
    asked = ["rank", "source", "good", "bad", *QUALITY]
    answer = json.loads(assay(*asked, "--format", "json")[1])
    (verdict,) = answer["verdicts"]
    means = {row["system"]: row["mean"] for row in answer["systems"]}
    assert (verdict["outcome"], verdict["score"], verdict["baseline_score"]) == ("worse", means["bad"], means["good"])
    sentence = f"bad is worse than good: predicted hter {means['bad'] - means['good']:+.4f} "
    code, out, error = assay(*asked, "--fail-if-worse", "-q")
    assert code == 1 and error.startswith(f"gate failed: {sentence}") and len(error.splitlines()) == 1
    assert out.splitlines()[-1].startswith(sentence) and " **" in out and max(map(len, out.splitlines())) <= 100
    code, out, error = assay(*asked, "--baseline", "bad", "--fail-unless-better", "--format", "junit")
    assert code == 0 and "good is better than bad" in out and fromstring(out).get("failures") == "0"
    assert assay(*asked, "--baseline", "bad", "--fail-unless-better", "--alpha", "0")[0] == 1
    assert assay(*asked, "--baseline", "nobody")[0] == 2
    code, out, error = assay("rank", "source", "good", *QUALITY, "--fail-if-worse")
    assert (code, out) == (2, "") and "--fail-if-worse: this compares systems with a baseline" in error
