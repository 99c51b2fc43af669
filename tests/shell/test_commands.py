"""`assay` as a shell sees it: stdout, stderr and exit codes."""

import json
from pathlib import Path

import pytest
from sacrebleu.metrics import BLEU

from app.settings import ROOT
from tests.commands import assay
from tests.servers import Server

PAIRS = "source\ttranslation\nBună ziua.\tGood day.\nCasa este mare.\tThe house is big.\n"


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS)
    return str(path)


def test_quality_here_and_there_is_the_same(table: str, server: Server) -> None:
    here = assay("quality", table, "--pair", "ro-en", "--format", "json")
    there = assay("quality", table, "--pair", "ro-en", "--format", "json", "--server", server.address)
    assert here.returncode == there.returncode == 0, here.stderr + there.stderr
    assert json.loads(here.stdout) == json.loads(there.stdout)
    assert json.loads(here.stdout)["document"]["segments"] == 2


def test_quality_from_stdin_as_tsv(server: Server) -> None:
    done = assay("quality", "-", "--pair", "ro-en", "--format", "tsv", "--server", server.address, stdin=PAIRS)
    rows = [line.split("\t") for line in done.stdout.strip().split("\n")]
    assert rows[0][:3] == ["segment", "score", "std"]
    assert len(rows) == 3
    assert "model: ro-en-hter-blend-95" in done.stderr


def test_people_and_programs_read_what_explains_a_score(table: str, server: Server) -> None:
    arguments = ["quality", table, "--pair", "ro-en", "--model", "ro-en-hter-blend-95", "--explain", "--server", server.address]
    text, tsv = assay(*arguments, "--accept", "0.9:0.9"), assay(*arguments, "--words", "--format", "tsv")
    assert text.returncode == tsv.returncode == 0, text.stderr + tsv.stderr
    assert "{" not in text.stdout and "threshold 0." in text.stderr
    header, first, _ = (line.split("\t") for line in tsv.stdout.strip().split("\n"))
    row = dict(zip(header, first, strict=True))
    assert 0 <= float(row["low"]) <= float(row["score"]) <= float(row["high"])
    contributions = [entry.partition("=") for entry in row["contributions"].split(" ")]
    assert contributions and all(name and abs(float(value)) < 100 for name, _, value in contributions)
    assert row["words"] == "Good day ." and set(row["word_tags"].split(" ")) <= {"OK", "BAD"}


def test_a_promotion_names_the_server_that_it_asks(server: Server) -> None:
    for verb in ("promote", "rollback"):
        done = assay("models", verb, "nobodys-model", "--server", server.address)
        assert done.returncode == 2 and done.stderr.startswith(f"server: {server.address}\n")


def test_tags_are_added_to_scores_or_answered_alone(table: str, server: Server) -> None:
    asked = ["quality", table, "--pair", "ro-en", "--label", "hter", "--interval", "0.8", "--explain", "--format", "json"]
    plain, added = (json.loads(assay(*asked, *more).stdout) for more in ([], ["--words"]))
    for row in added["segments"]:
        assert {tag["tag"] for tag in row.pop("words")} | {tag["tag"] for tag in row.pop("gaps")} <= {"OK", "BAD"}
    assert added.pop("word_model") == "ro-en-words" and added.pop("marks")["words"]["wrong"]["precision"] >= 0.5
    assert added == plain
    alone = [
        json.loads(assay(*command, table, "--pair", "ro-en", "--format", "json", *more).stdout)
        for command in (["quality", "--level", "word"], ["words"])
        for more in ([], ["--server", server.address])
    ]
    assert all(answer == alone[0] for answer in alone)
    assert set(alone[0]["segments"][0]) == {"words", "gaps"}
    shown = assay("words", table, "--pair", "ro-en", "--format", "tsv").stdout.split("\n")
    assert shown[0] == "segment\twords\tword_tags\tgap_tags"
    assert shown[2].split("\t")[2] == "OK OK OK OK OK"


def test_bands_warnings_and_acceptance_are_those_of_http(table: str, server: Server) -> None:
    more = ["--warnings", "--bands", "good=0.8:0.3,rest=0", "--accept", "0.3:0.2"]
    asked = ["quality", table, "--pair", "ro-en", *more]
    here, there = (json.loads(assay(*asked, "--format", "json", *where).stdout) for where in ([], ["--server", server.address]))
    body = {
        "source_language": "ro", "target_language": "en", "warnings": True, "accept": {"at_worst": 0.3, "error_rate": 0.2},
        "bands": [{"name": "good", "at_least": 0.8, "rate": 0.3}, {"name": "rest", "at_least": 0.0}],
        "segments": [dict(zip(("source", "translation"), line.split("\t"), strict=True)) for line in PAIRS.strip().split("\n")[1:]],
    }  # fmt: skip
    with server.client() as client:
        assert here == there == client.post("/v1/quality", json=body).json()
    shown = assay(*asked)
    assert "band rest: 1 segment, 2 words, 2.0 paid" in shown.stderr and "accepted: " in shown.stderr
    for option, value in (("--bands", "good"), ("--bands", "a=x"), ("--accept", "0.1:0.2:0.3"), ("--bands", "a=0.5:1")):
        refused = assay("quality", table, "--pair", "ro-en", option, value)
        assert refused.returncode == 2 and "Traceback" not in refused.stderr


@pytest.mark.parametrize(("option", "heading", "name"), [("--sets", "sets", "quest-baseline-17"), ("--list", "features", "1001")])
def test_what_is_listed_is_json_where_that_is_wanted(option: str, heading: str, name: str) -> None:
    rows = json.loads(assay("features", option, "--format", "json").stdout)[heading]
    assert name in {row.get("id", row["name"]) for row in rows}


def test_features_and_two_files(tmp_path: Path, server: Server) -> None:
    (tmp_path / "s").write_text("unu doi\n")
    (tmp_path / "t").write_text("one two three\n")
    done = assay("features", str(tmp_path / "s"), str(tmp_path / "t"), "--pair", "ro-en", "--server", server.address)
    header, row = (line.split("\t") for line in done.stdout.strip().split("\n"))
    assert dict(zip(header, row, strict=True))["1002"] == "3.0"


def test_score_is_sacrebleus_and_gates_fail(tmp_path: Path) -> None:
    hypotheses, references = ["the cat sat on the mat today", "hello world again"], ["the cat sat on a mat", "hello there world"]
    (tmp_path / "h").write_text("\n".join(hypotheses) + "\n")
    (tmp_path / "r").write_text("\n".join(references) + "\n")
    plain = ["score", str(tmp_path / "r"), "-i", f"sys={tmp_path / 'h'}", "-m", "bleu"]
    done = assay(*plain, "--format", "json")
    expected = BLEU().corpus_score(hypotheses, [references]).score
    assert json.loads(done.stdout)["metrics"][0]["score"] == pytest.approx(expected)
    assert assay(*plain, "--fail-below", "bleu=1").returncode == 0
    failed = assay(*plain, "--fail-below", "bleu=99")
    assert failed.returncode == 1
    assert "gate failed" in failed.stderr
    assert assay(*plain, "--fail-below", "chrf=1").returncode == 2
    piped = assay("score", str(tmp_path / "r"), "-m", "bleu", "--format", "json", stdin="\n".join(hypotheses) + "\n")
    assert json.loads(piped.stdout)["metrics"][0]["score"] == pytest.approx(expected)


def test_a_significant_loss_fails_the_build(tmp_path: Path) -> None:
    lines = [f"the quick brown fox number {i} jumps over the lazy dog" for i in range(200)]
    (tmp_path / "r").write_text("\n".join(lines) + "\n")
    (tmp_path / "good").write_text("\n".join(lines) + "\n")
    (tmp_path / "bad").write_text("\n".join(line.replace("brown", "red") for line in lines) + "\n")
    both = ["-i", f"old={tmp_path / 'good'}", "-i", f"new={tmp_path / 'bad'}", "-m", "bleu", "--baseline", "old", "--fail-if-worse"]
    failed = assay("score", str(tmp_path / "r"), *both)
    assert failed.returncode == 1
    assert "new is worse" in failed.stderr


def test_rank_evaluate_and_train(tmp_path: Path, table: str, server: Server) -> None:
    (tmp_path / "s").write_text("Casa este mare.\nBună ziua.\n")
    (tmp_path / "a").write_text("The house is big.\nGood day.\n")
    (tmp_path / "b").write_text("qq ww zz xx cc vv bb\nkk jj hh gg\n")
    done = assay("rank", str(tmp_path / "s"), f"a={tmp_path / 'a'}", f"b={tmp_path / 'b'}", "--pair", "ro-en", "--format", "json", "--server", server.address)  # fmt: skip
    assert {each["system"] for each in json.loads(done.stdout)["systems"]} == {"a", "b"}
    rows = "".join(f"Casa numărul {i} este mare.\tHouse number {i}{' big' * (i % 5)}.\t{(i % 5) / 5}\n" for i in range(120))
    (tmp_path / "l.tsv").write_text(f"source\ttranslation\tlabel\n{rows}")
    trained = assay("train", str(tmp_path / "l.tsv"), "--pair", "ro-en", "--label", "hter", "--learner", "svr", "--name", "mine", "--format", "json", data=tmp_path / "d")  # fmt: skip
    assert trained.returncode == 0, trained.stderr
    assert (tmp_path / "d" / "models" / "mine" / "card.json").is_file()
    measured = assay("evaluate", str(tmp_path / "l.tsv"), "--pair", "ro-en", "--label", "hter", "--model", "mine", "--format", "json", data=tmp_path / "d")  # fmt: skip
    assert json.loads(measured.stdout)["models"][0]["accuracy"]["pearson"] > 0.9
    rows = "".join(f"{row}\td{k % 3}\n" for k, row in enumerate(rows.splitlines()))
    (tmp_path / "l.tsv").write_text(f"source\ttranslation\tlabel\tdocument\n{rows}")
    measured = assay(
        "evaluate", str(tmp_path / "l.tsv"), "--pair", "ro-en", "--model", "mine", "--format", "tsv", data=tmp_path / "d"
    )
    assert [line.split("\t")[1:3] for line in measured.stdout.split("\n\n")[1].splitlines()] == [
        ["mean", "documents"], ["plain", "3"], ["weighted", "3"]
    ]  # fmt: skip


def test_evaluate_word_taggers(tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    heading, row = (
        "source\ttranslation\ttags\tsource_tags\tspans\n",
        "Casa e mare .\tHouse qq is big .\tOK BAD OK OK OK\tOK OK OK OK\t",
    )
    table.write_text(f'{heading}{row}[{{"start": 6, "end": 8}}]\n{row}[]\n')
    done = assay("evaluate", str(table), "--pair", "ro-en", "--model", "ro-en-words", "--format", "json")
    (found,) = json.loads(done.stdout)["words"]
    assert {(row["part"], row["tags"]) for row in found["tags"]} >= {("words", 10)} and found["spans"][0]["spans"] == 1
    text = assay("evaluate", str(table), "--pair", "ro-en", "--model", "ro-en-words").stdout
    assert "f1_multi" in text and "mpp_f1" in text
    table.write_text(f"{heading}{row}none\n")
    refused = assay("evaluate", str(table), "--pair", "ro-en")
    assert refused.returncode == 2 and "JSON" in refused.stderr


def test_models_of_systems_rank_and_are_measured(tmp_path: Path) -> None:
    words = ["the", "old", "house", "on", "the", "hill", "is", "very", "big"]
    rows = [(k, system, (k + shift) % 4) for k in range(100) for shift, system in enumerate(("x", "y"))]
    lines = [f"Casa {k} este mare.\t{' '.join(words[: 9 - 2 * n])}\t{n / 4}\t{system}\t{' '.join(words)}" for k, system, n in rows]
    (tmp_path / "judged.tsv").write_text("\n".join(["source\ttranslation\tlabel\tsystem\treference", *lines]) + "\n")
    asked = [str(tmp_path / "judged.tsv"), "--pair", "ro-en", "--label", "hter", "--task-column", "system", "--format", "json"]
    apart = ["--learner", "svr", "--sharing", "independent", "--feature-set", "quest-baseline-17"]
    trained = assay("train", *asked, *apart, data=tmp_path / "d")
    assert trained.returncode == 0, trained.stderr
    models = {row["task"]: row["model"] for row in json.loads(trained.stdout)["models"]}
    named = [value for system, model in models.items() for value in ("--model", f"{system}={model}")]
    measured = assay("evaluate", *asked, *named, data=tmp_path / "d")
    selection = json.loads(measured.stdout)["selection"]
    assert selection["non_blind"]["accuracy"] > selection["chance"]["accuracy"] and selection["oracle"]["bleu"] > 50
    printed = assay("evaluate", *asked[:-1], "text", *named, data=tmp_path / "d").stdout
    assert "\nnon_blind: accuracy " in printed and "\noracle: accuracy 1.0000, label " in printed
    for name, text in (("s", "Casa este mare.\n"), ("x", "the old\n"), ("y", "the old house on the hill\n")):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / "s"), f"x={tmp_path / 'x'}", f"y={tmp_path / 'y'}", "--pair", "ro-en", "--format", "json"]
    for values, ids in ((named, [{m} for m in models.values()]), (list(models.values()), [set(models.values())] * 2)):
        several = values if "--model" in values else [part for value in values for part in ("--model", value)]
        order = json.loads(assay("rank", *files, *several, data=tmp_path / "d").stdout)["segments"][0]["order"]
        assert [set(row["scores"]) for row in sorted(order, key=lambda row: row["system"])] == ids
    refused = assay("rank", *files, *named, "--model", models["x"], data=tmp_path / "d")
    assert refused.returncode == 2 and "name the system of every model" in refused.stderr


def test_lm_and_align_write_resources(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("the house\nthe book\n" * 5)
    (tmp_path / "b").write_text("das haus\ndas buch\n" * 5)
    assert (
        assay("resources", "lm", str(tmp_path / "a"), "--language", "en", "--out", str(tmp_path / "en"), "--arpa").returncode == 0
    )
    assert {path.name for path in (tmp_path / "en").iterdir()} == {"lm.arpa", "lm.binary", "manifest.json", "ngrams.safetensors"}
    done = assay(
        "resources", "align", str(tmp_path / "a"), str(tmp_path / "b"), "--pair", "en-de", "--out", str(tmp_path / "en-de")
    )
    assert done.returncode == 0
    statistics = json.loads((tmp_path / "en-de" / "manifest.json").read_text())["statistics"]
    assert statistics["perplexity_hmm"] == sorted(statistics["perplexity_hmm"], reverse=True)


def test_lm_of_tokenised_text_has_the_words_as_they_stand(tmp_path: Path) -> None:
    line = "the Man's dog isn't here , said &apos;Bob&apos; ."
    (tmp_path / "a").write_text(f"{line}\n" * 3)
    made = assay("resources", "lm", str(tmp_path / "a"), "--language", "en", "--out", str(tmp_path / "lm"), "--arpa", "--tokenised")
    assert made.returncode == 0, made.stderr
    ones = (tmp_path / "lm" / "lm.arpa").read_text().partition("\\1-grams:\n")[2].partition("\n\n")[0].splitlines()
    assert {row.split("\t")[1] for row in ones} == {"<s>", "</s>", "<unk>", *line.split()}
    small = (
        "resources",
        "lm",
        str(tmp_path / "a"),
        "--language",
        "en",
        "--out",
        str(tmp_path / "small"),
        "--arpa",
        "--tokenised",
        "--lowercase",
    )
    assert assay(*small).returncode == 0
    assert "\tman's\t" in (tmp_path / "small" / "lm.arpa").read_text() and "Man" not in (tmp_path / "small" / "lm.arpa").read_text()
    refused = assay("resources", "lm", str(tmp_path / "a"), "--language", "en", "--tokenised", data=tmp_path / "d")
    assert refused.returncode == 2 and "--out" in refused.stderr and not (tmp_path / "d" / "resources").exists()


def test_models_and_jobs_of_a_server(server: Server) -> None:
    listed = assay("models", "list", "--server", server.address, "--format", "tsv")
    assert "ro-en-da-gp-27" in listed.stdout
    assert assay("models", "show", "ro-en-da-gp-27", "--server", server.address).stdout.startswith("{")
    assert assay("jobs", "list", "--server", server.address, "--format", "json").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["quality", "missing.tsv", "--pair", "ro-en"], "missing.tsv"),
        (["quality", "-", "--pair", "roen"], "pair"),
        (["quality", "-", "--pair", "xx-yy"], "loaded pairs"),
        (["quality", "-", "--pair", "ro-en", "--interval", "2"], "interval"),
        (["score", "-"], "no segments"),
        (["nope"], "nope"),
        (["models", "list", "--server", "http://127.0.0.1:1"], "did not answer"),
        (["resources", "lm", "missing", "--language", "en"], "missing"),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments: list[str], said: str) -> None:
    done = assay(*arguments, stdin="" if arguments[0] == "score" else PAIRS)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_document_is_annotated_here_and_by_a_server(server: Server, tmp_path: Path) -> None:
    sample = ROOT / "tests" / "documents" / "samples" / "matecat.xlf"
    here, there = tmp_path / "here.xlf", tmp_path / "there.xlf"
    done = assay("annotate", str(sample), "-o", str(here))
    assert done.returncode == 0 and "2 segments of ro-en by ro-en-hter-blend-95" in done.stderr
    assert assay("annotate", str(sample), "-o", str(there), "--server", server.address).returncode == 0
    assert here.read_bytes() == there.read_bytes() and here.read_text().count("its:mtConfidence") == 2
    refused = assay("annotate", str(ROOT / "LICENSE"))
    assert refused.returncode == 2 and "Assay cannot read this file" in refused.stderr
