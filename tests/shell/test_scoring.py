"""`assay score`, `compare`, `correlate` and metric training as a shell and a CI server see them."""

import json
import os
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from assay_client import Client

from app.metrics import metric_named, read_trained_metric
from app.settings import ROOT
from app.shell.comparison.page import marked
from tests.commands import assay
from tests.servers import Server

REFERENCE = [f"the cat number {k} sat on the mat today" for k in range(60)]
GOOD = REFERENCE
BAD = [f"a dog {k} on mat" for k in range(60)]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    found = {}
    for name, lines in (("ref", REFERENCE), ("good", GOOD), ("bad", BAD)):
        path = tmp_path / f"{name}.txt"
        path.write_text("\n".join(lines) + "\n")
        found[name] = str(path)
    return found


def inputs(files: dict[str, str]) -> list[str]:
    return [files["ref"], "-i", f"old={files['good']}", "-i", f"new={files['bad']}"]


def test_a_significant_loss_fails_and_is_explained(files: dict[str, str]) -> None:
    done = assay("score", *inputs(files), "-m", "chrf", "-m", "ter", "--baseline", "old", "--fail-if-worse", "--paired-ar")
    assert done.returncode == 1
    assert "new is worse than old: chrF -" in done.stderr and "new is worse than old: TER +" in done.stderr
    turned = assay("score", *inputs(files), "-m", "chrf", "--baseline", "new", "--fail-if-worse")
    assert turned.returncode == 0, turned.stderr


def test_junit_counts_failures(files: dict[str, str]) -> None:
    done = assay("score", *inputs(files), "-m", "bleu", "--fail-below", "bleu=50", "--format", "junit")
    assert done.returncode == 1
    suite = fromstring(done.stdout)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    failing = next(case for case in suite if case.find("failure") is not None)
    assert (failing.get("classname"), failing.get("name")) == ("new", "bleu")


def test_markdown_tsv_and_json_say_the_same(files: dict[str, str]) -> None:
    arguments = ["score", *inputs(files), "-m", "bleu|tok:intl"]
    forms = {form: assay(*arguments, "--format", form).stdout for form in ("json", "tsv", "markdown")}
    rows = json.loads(forms["json"])["metrics"]
    assert [row["system"] for row in rows] == ["old", "new"]
    header, _, first, *_ = forms["markdown"].strip().split("\n")
    assert header.startswith("| system | metric | score |") and "bleu\\|tok:intl" in first
    assert forms["tsv"].split("\n")[1].split("\t")[:3] == ["old", "bleu|tok:intl", str(rows[0]["score"])]


def test_a_table_of_scores_is_that_of_the_job(files: dict[str, str], server: Server) -> None:
    printed = assay("score", *inputs(files), "-m", "chrf", "-m", "bleu", "--baseline", "old", "--format", "tsv")
    assert printed.returncode == 0, printed.stderr
    header, baseline, *_ = (line.split("\t") for line in printed.stdout.splitlines())
    assert {"confidence_interval_low", "difference", "p_value", "corrected_p_value", "wins"} <= set(header)
    assert baseline[header.index("p_value")] == ""
    body = {
        "metrics": ["chrf", "bleu"],
        "references": {"ref": REFERENCE},
        "systems": {"old": GOOD, "new": BAD},
        "significance": {"baseline": "old"},
    }
    with Client(server.address) as client:
        job = client.run("score", body)
        assert client.result(job["id"], "tsv").decode() == printed.stdout


def test_systems_come_as_columns_of_standard_input(files: dict[str, str]) -> None:
    text = "".join(f"{a}\t{b}\n" for a, b in zip(GOOD, BAD, strict=True))
    done = assay("score", files["ref"], "-m", "chrf", "--format", "json", stdin=text)
    assert {row["system"]: round(row["score"]) for row in json.loads(done.stdout)["metrics"]}["system1"] == 100
    ragged = assay("score", files["ref"], stdin="a\tb\nc\n")
    assert ragged.returncode == 2 and "line 2 has 1 columns" in ragged.stderr


def test_columns_of_tables_and_keys_of_json(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("ref\tmt\na b c d\ta b c d\nx\ty\n")
    rows = [{"mt": "a b c d"}, {"mt": "y"}]
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "j.json").write_text(json.dumps(rows))
    named = [f"t={tmp_path}/t.tsv:mt", f"l={tmp_path}/l.jsonl:mt", f"j={tmp_path}/j.json:mt"]
    done = assay(
        "score", f"{tmp_path}/t.tsv:ref", *(part for name in named for part in ("-i", name)), "-m", "chrf", "--format", "json"
    )
    assert len({row["score"] for row in json.loads(done.stdout)["metrics"]}) == 1, done.stderr
    for spec, says in (
        ("t.tsv:no", "columns are ref, mt"),
        ("l.jsonl:no", "object 0"),
        ("t.tsv:mt:x", "cannot be read|No such file"),
    ):
        refused = assay("score", f"{tmp_path}/t.tsv:ref", "-i", f"x={tmp_path}/{spec}")
        assert refused.returncode == 2 and re.search(says, refused.stderr), refused.stderr


def test_self_training_changes_the_weights(tmp_path: Path) -> None:
    rows = [f"{k // 3}\t{'a b c d e f'[: 2 * (k % 3) + 3]}\ta b c d e f\t{k % 3}" for k in range(60)]
    (tmp_path / "j.tsv").write_text("group\ttranslation\treference\tlabel\n" + "\n".join(rows) + "\n")
    (tmp_path / "u.tsv").write_text("translation\tother\treference\n" + "a b c\ta b c d e f g h\ta b c d\n" * 30)
    for name, more in (("one", []), ("two", ["--unjudged", f"{tmp_path}/u.tsv"])):
        done = assay("train", f"{tmp_path}/j.tsv", "--kind", "beer", "--language", "en", "--name", name, *more, data=tmp_path)
        assert done.returncode == 0, done.stderr
    one, two = (read_trained_metric(tmp_path / "models" / "metrics" / f"{name}.json").weights for name in ("one", "two"))
    assert one != two


def test_runs_empty_lines_and_a_server(files: dict[str, str], server: Server) -> None:
    arguments = [
        "score",
        *inputs(files),
        "-m",
        "chrf",
        "--runs",
        "A=old,new",
        "--empty",
        "skip",
        "--paired-ar-n",
        "100",
        "--format",
        "json",
    ]
    here, there = assay(*arguments), assay(*arguments, "--server", server.address)
    assert json.loads(here.stdout) == json.loads(there.stdout)
    assert json.loads(here.stdout)["runs"][0]["runs"] == ["old", "new"]
    assert assay("score", *inputs(files), "--runs", "A=").returncode == 2
    assert assay("score", *inputs(files), "--format", "no").returncode == 2


def test_compare_here_and_there(files: dict[str, str], server: Server) -> None:
    arguments = ["compare", files["ref"], "--baseline", files["good"], "--system", files["bad"], "-m", "chrf"]
    here, there = (assay(*arguments, "--format", "json", *more) for more in ([], ["--server", server.address]))
    assert json.loads(here.stdout) == json.loads(there.stdout)
    assert "on the mat today" in [row["ngram"] for row in json.loads(here.stdout)["ngrams"]["worse"]]
    text = assay(*arguments).stdout
    assert "chrf: bad.txt is better on 0 segments, good.txt on 60, and 0 are equal" in text
    assert text.splitlines()[-1].startswith("bad.txt is worse than good.txt: chrF -")
    assert "baseline" not in text and "segment 10: -" in text and max(map(len, text.splitlines())) <= 100


class Tags(HTMLParser):
    """Names of tags and attributes of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_comparison_is_a_page_to_send(files: dict[str, str], tmp_path: Path) -> None:
    """The page holds hostile texts as text: no script, no address, a policy that allows its own style alone."""
    hostile = "<script>alert(1)</script><img src=http://e.invalid onerror=x> & mat"
    (tmp_path / "source.txt").write_text("\n".join(["<b>sursa</b>", *REFERENCE[1:]]) + "\n")
    (tmp_path / "hostile.txt").write_text("\n".join([hostile, *BAD[1:]]) + "\n")
    systems = ["--baseline", f"reference={files['good']}", "--system", f"<i>new={tmp_path}/hostile.txt"]
    done = assay("compare", files["ref"], *systems, "-m", "bleu", "--source", f"{tmp_path}/source.txt", "--format", "html")
    assert done.returncode == 0, done.stderr
    page = Tags()
    page.feed(done.stdout)
    allowed = "html head meta title style body main div h1 h2 h3 p dl dt dd mark table thead tbody tr th td"
    assert page.names <= set(allowed.split()) and page.attributes <= {
        "lang",
        "charset",
        "name",
        "content",
        "http-equiv",
        "class",
        "dir",
        "scope",
        "tabindex",
    }
    assert hostile in page.text and "<b>sursa</b>" in page.text and REFERENCE[0] in page.text
    assert "<i>new is worse than reference: BLEU -" in page.text and "Segment 1: -" in page.text
    style = done.stdout.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in done.stdout


def test_words_of_one_output_are_marked() -> None:
    assert marked("a <b> c d", "a x c d") == ("a <mark>&lt;b&gt;</mark> c d", "a <mark>x</mark> c d")
    assert marked("", "new words") == ("", "<mark>new words</mark>")
    assert marked("one " * 300, "two") == ("one " * 300, "two")


def test_correlate(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text("human\ta\tb\n" + "".join(f"{k}\t{k * k}\t{-k}\n" for k in range(9)))
    done = assay("correlate", str(path), "--human", "human", "-m", "a", "-m", "b", "-a", "spearman", "--format", "json")
    assert [row["spearman"] for row in json.loads(done.stdout)["metrics"]] == [1.0, -1.0]
    path.write_text("segment\tsystem\thuman\ta\n" + "".join(f"{k}\t{s}\t{k * s}\t{s}\n" for k in range(1, 5) for s in (1, 2)))
    done = assay(
        "correlate",
        str(path),
        "--human",
        "human",
        "-m",
        "a",
        "--group",
        "segment",
        "--system",
        "system",
        "--tests",
        "--format",
        "tsv",
    )
    heading, *rows = (line.split("\t") for line in done.stdout.split("\n\n")[1].splitlines())
    assert [dict(zip(heading, row, strict=True))["system"] for row in rows] == ["2", "1"] and heading[-2:] == ["human", "a"]
    path.write_text('a\tb\n[{"start": 0, "end": 4}]\t[{"start": 2, "end": 4, "severity": "minor"}]\n[]\t[]\n')
    done = assay("correlate", str(path), "--human", "a", "-m", "b", "--spans", "--format", "json")
    assert [(row["f1"], row["mpp_f1"], row["segments"]) for row in json.loads(done.stdout)["spans"]] == [
        (pytest.approx(1 / 3), pytest.approx(2 / 3), 2)
    ]
    path.write_text("translation\treference\thuman\na b\ta b c\t1\na\tb\t0\n")
    done = assay("correlate", str(path), "--human", "human", "-m", "chrf", "-m", "ter", "-a", "spearman", "--format", "json")
    assert [row["spearman"] for row in json.loads(done.stdout)["metrics"]] == pytest.approx([1, 1])
    path.write_text("human\ta\n1\tx\n2\t3\n")
    refused = assay("correlate", str(path), "--human", "human", "-m", "a")
    assert refused.returncode == 2 and "finite number" in refused.stderr


@pytest.mark.parametrize(
    "arguments", [["--kind", "rose"], ["--kind", "beer"], ["--kind", "beer", "--objective", "joint"], ["--kind", "combination"]]
)
def test_a_trained_metric_orders_as_it_was_told(tmp_path: Path, arguments: list[str]) -> None:
    rows = [("group", "system", "translation", "reference", "label")]
    for k, text in enumerate(REFERENCE):
        words = text.split()
        rows += [(str(k), f"s{drop}", " ".join(words[: len(words) - drop]), text, str(-drop)) for drop in (0, 2, 4)]
    table = tmp_path / "judged.tsv"
    table.write_text("".join("\t".join(row) + "\n" for row in rows))
    template = tmp_path / "mine.json"
    template.write_text(json.dumps({"name": "mine", "features": ["metric(chrf)", "word1.pf.1", "len_disbalance_word.d.1"]}))
    more = ["--template", str(template)] if "combination" in arguments else []
    done = assay("train", str(table), "--language", "en", "--name", "mine", *arguments, *more, data=tmp_path)
    assert done.returncode == 0, done.stderr
    trained = read_trained_metric(tmp_path / "models" / "metrics" / "mine.json")
    metric = metric_named("trained:mine", {"mine": trained})
    scores = metric.segment_scores(metric.prepare([[REFERENCE[0]] * 3]).statistics([row[2] for row in rows[1:4]]))
    assert scores[0] > scores[1] > scores[2]
    scored = assay(
        "score", "-", "-i", f"x={table}", "-m", "trained:mine", stdin="\n".join("\t".join(r) for r in rows) + "\n", data=tmp_path
    )
    assert scored.returncode == 0, scored.stderr
    again = assay("train", str(table), "--language", "en", "--name", "mine", *arguments, *more, data=tmp_path)
    assert again.returncode == 2 and "exists already" in again.stderr


def test_training_refusals(tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    table.write_text("translation\treference\tlabel\na\tb\t1\nc\td\t1\n")
    for more, says in (
        (["--kind", "rose"], "needs --language"),
        (["--kind", "no", "--language", "en"], "predictor, rose"),
        (["--kind", "combination", "--language", "en"], "--template"),
        (["--kind", "rose", "--language", "en"], "all labels are equal"),
        (["--kind", "rose", "--language", "en", "--template", "no"], "templates are"),
        (["--kind", "rose", "--language", "en", "--objective", "no"], "objectives are"),
        ([], "a predictor needs --label"),
    ):
        done = assay("train", str(table), *more, data=tmp_path)
        assert done.returncode == 2 and says in done.stderr, (more, done.stderr)


@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="the example needs jq and curl")
def test_the_example_for_ci_fails_on_a_significant_loss(files: dict[str, str], server: Server, tmp_path: Path) -> None:
    def run(production: str, candidate: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(ROOT / "examples/ci/score.sh"), files["ref"], files[production], files[candidate]],
            env={**os.environ, "ASSAY_URL": server.address}, cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip

    worse, better = run("good", "bad"), run("bad", "good")
    assert worse.returncode == 1 and "candidate is worse than production: BLEU -" in worse.stdout
    assert better.returncode == 0, better.stderr
