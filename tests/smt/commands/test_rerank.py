"""`assay nbest rerank` with resources of one's own, from lists to lists with more features."""

import json
import re
from pathlib import Path

import pytest
import sacrebleu
import typer

from app.building.arpa import write_arpa
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.shell.program import program
from app.text.batch import pack_lines
from app.text.reading.n_best_files import read_lists

NBEST = """0 ||| the house large ||| d= 1 ||| -1
0 ||| the house is large ||| d= 2 ||| -2
0 ||| the house large ||| d= 3 ||| -3
2 ||| he goes ||| d= 0.5 ||| -1
"""


def assay(*arguments: str) -> None:
    typer.main.get_command(program).main(["nbest", "rerank", "lists.txt", *arguments], standalone_mode=False)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    weights = {"format": "assay-weights", "version": 1, "weights": {"d": [0.0], "lm3": [1.0]}}
    texts = {
        "lists.txt": NBEST,
        "source.txt": "das haus ist groß\n\ner geht\n",
        "weights.json": json.dumps(weights),
        "d.json": json.dumps({**weights, "weights": {"d": [1.0]}}),
        "lex.txt": "das the 0.9\nhaus house 0.9\nist is 0.9\ngroß large 0.8\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    corpus = pack_lines(["the house is large", "the house is old", "a house is large"] * 3)
    write_arpa(estimate_language_model(corpus, 3), Path("lm.arpa"))
    return tmp_path


def test_what_comes_first_is_printed_and_features_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    assay("--weights", "weights.json", "--lm", "lm.arpa", "--table", "lex.txt", "--source", "source.txt", "--features", "ibm",
          "--features", "len", "--write-features", "more.txt")  # fmt: skip
    printed = capsys.readouterr()
    assert printed.out == "the house is large\n\nhe goes\n"
    assert "1 of 3 lists have another first hypothesis, 1 of them another text" in printed.err
    assert "1 of 3 segments have no hypotheses" in printed.err
    lists = read_lists([Path("more.txt")]).lists
    assert set(lists.names) == {"d", "lm3", "ibm", "len"}
    assert lists.features[1, lists.names.index("lm3")] > lists.features[0, lists.names.index("lm3")]


def test_rows_and_json_say_more(capsys: pytest.CaptureFixture[str]) -> None:
    assay("--weights", "d.json", "--top", "2", "--format", "tsv")
    assert capsys.readouterr().out.splitlines()[:3] == [
        "segment\trank\tscore\ttext",
        "0\t2\t3.0\tthe house large",
        "0\t1\t2.0\tthe house is large",
    ]
    assay("--weights", "d.json", "--weights", "weights.json", "--lm", "lm.arpa", "--distinct", "--format", "json")
    answer = json.loads(capsys.readouterr().out)
    assert answer["segments"][0]["hypotheses"][0]["text"] == "the house is large"
    assert answer["segments"][1]["hypotheses"] == []


def test_references_measure_what_changed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("reference.txt").write_text("the house is large\n\nhe goes\n", "utf-8")
    arguments = ["--weights", "weights.json", "--lm", "lm.arpa", "-r", "reference.txt", "-m", "chrf"]
    assay(*arguments, "--changes", "--format", "tsv")
    printed = capsys.readouterr()
    header, row = (line.split("\t") for line in printed.out.splitlines())
    cells = dict(zip(header, row, strict=True))
    assert (cells["segment"], cells["first"], cells["chosen"], cells["place"]) == (
        "0",
        "the house large",
        "the house is large",
        "2",
    )
    assert cells["moved"].startswith("lm3=+") and float(cells["chosen_score"]) == pytest.approx(100)
    measured = sacrebleu.corpus_chrf(["the house large", "he goes"], [["the house is large", "he goes"]]).score
    assert f"chrf: {measured:.2f} of first hypotheses, 100.00 now" in printed.err
    assert "better 1, worse 0, equal 1" in printed.err
    assay(*arguments, "--format", "json")
    assert json.loads(capsys.readouterr().out)["measured"]["first_score"] == pytest.approx(measured)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--weights", "weights.json"], "order 3"),
        (["--weights", "lists.txt"], "weight"),
        (["--lm", "lm.arpa", "--lm", "lm.arpa"], "a second language model of order 3"),
        (["--lm", "lex.txt"], "not a language model"),
        (["--weights", "d.json", "--metric", "bleu"], "references"),
        (["--table", "lists.txt", "--features", "ibm"], "not a lexical table"),
        (["--lexicon", "lex.txt"], "not a word lexicon"),
        (["--neural", "lex.txt"], "not a translation model"),
        (["--tagger", "lex.txt"], "not a UDPipe model"),
    ],
)
def test_files_that_are_something_else_are_told(arguments: list[str], message: str) -> None:
    from app.errors import InputError

    with pytest.raises(InputError, match=message):
        assay(*arguments)


def local_weights(**rows: float) -> str:
    segments = [{"segment": int(number[1:]), "weights": {"d": [weight]}} for number, weight in rows.items()]
    content = {"format": "assay-local-weights", "version": 1, "for_all": {"d": [1.0]}, "segments": segments}
    return json.dumps({**content, "card": {}})


def test_each_sentence_by_weights_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    Path("local.json").write_text(local_weights(s0=-2.0, s2=1.0), encoding="utf-8")
    assay("--weights", "local.json", "--top", "3", "--format", "json")
    answer = json.loads(capsys.readouterr().out)
    rows = [[(entry["rank"], entry["score"]) for entry in segment["hypotheses"]] for segment in answer["segments"]]
    assert rows == [[(0, -2.0), (1, -4.0), (2, -6.0)], [], [(0, 0.5)]]
    # It votes beside others: two like the last hypothesis, one the first.
    assay("--weights", "local.json", "--weights", "d.json", "--weights", "d.json", "--top", "2", "--format", "json")
    answer = json.loads(capsys.readouterr().out)
    assert [(entry["rank"], entry["score"]) for entry in answer["segments"][0]["hypotheses"]] == [(2, 2.0), (0, 1.0)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (local_weights(s0=1.0), "not those of the 3 lists"),
        (local_weights(s0=1.0, s2=1.0, s3=1.0), "not those of the 3 lists"),
        (local_weights(s0=0.0, s2=1.0), "segments.0.weights: all weights are 0"),
        (local_weights(s0=1.0, s2=1.0).replace('"segment": 2', '"segment": 0'), "segments.1: an entry needs its segment number"),
        (local_weights(s0=1.0, s2=1.0).replace('"version": 1', '"version": 2'), "version 1"),
        (local_weights(s0=1.0, s2=1.0).replace('"for_all"', '"for_some"'), "for_all: weights are an object"),
        (local_weights(s0=1.0, s2=1.0).replace('"card": {}', '"card": []'), "card: segments must be a list, and card an object"),
    ],
)
def test_weights_of_other_sentences_are_refused(content: str, said: str) -> None:
    Path("local.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(said)):
        assay("--weights", "local.json")


def test_texts_that_are_too_few_are_named(tmp_path: Path) -> None:
    Path("short.txt").write_text("the house is large\n", encoding="utf-8")
    for option in ("--reference", "--source"):
        with pytest.raises(InputError, match=r"short\.txt: there are n-best lists of 3 segments, but 1 texts here"):
            assay("--weights", "d.json", option, "short.txt")
