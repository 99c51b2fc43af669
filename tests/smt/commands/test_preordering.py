"""`assay smt preorder train` and `apply`: aligned text in, a grammar, and orders of sentences in each form."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from app.errors import InputError
from app.shell.program import program
from app.smt.decoder.word_lattices.reading import parse_plf
from app.smt.reordering.models.stored import CARD, GRAMMAR

# The last word of each source comes first in the target.
SOURCES = ["the dog barks", "the cat sleeps", "a dog sleeps", "a cat barks", "the bird sings", "a bird barks"] * 5
LINKS = "0-1 1-2 2-0"
TRAINING = ("--splits", "2", "1", "--iterations", "5", "--rare", "0")


def run(*arguments: str, text: str = "") -> tuple[str, str]:
    result = CliRunner().invoke(program, ["smt", "preorder", *arguments], input=text)
    if result.exception is not None:
        raise result.exception
    return result.stdout, result.stderr


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts = {"source": SOURCES, "target": ["x y z"] * len(SOURCES), "links": [LINKS] * len(SOURCES)}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return [str(tmp_path / name) for name in texts]


@pytest.fixture
def grammar(files: list[str], tmp_path: Path) -> str:
    run("train", *files, "--out", str(tmp_path / "grammar"), *TRAINING)
    return str(tmp_path / "grammar")


def test_a_trained_grammar_reorders_text_from_standard_input(grammar: str) -> None:
    out, _ = run("apply", grammar, text="the bird sleeps\n\ndog\na cat sings\n")
    assert out == "sleeps the bird\n\ndog\nsings a cat\n"


def test_each_form_has_the_same_orders(grammar: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the bird sleeps\na cat sings\n", "utf-8")
    text = str(tmp_path / "text")

    def lines(form: str, *options: str) -> list[str]:
        return run("apply", grammar, text, "--to", form, *options)[0].splitlines()

    assert lines("positions") == ["2 0 1", "2 0 1"]
    rows = [json.loads(line) for line in lines("json", "--n-best", "3")]
    assert [row["orders"][0]["positions"] for row in rows] == [[2, 0, 1], [2, 0, 1]]
    risks = [[order["risk"] for order in row["orders"]] for row in rows]
    assert risks == [sorted(row) for row in risks]
    lattices = [json.loads(line) for line in lines("lattice", "--n-best", "1")]
    assert [[arc["position"] for arc in lattice["arcs"]] for lattice in lattices] == [[2, 0, 1], [2, 0, 1]]
    read = [parse_plf(line, 1, "lattice", 1) for line in lines("plf", "--n-best", "1")]
    assert [[arc.word for (arc,) in lattice.arcs] for lattice in read] == [["sleeps", "the", "bird"], ["sings", "a", "cat"]]
    assert lines("tree")[:6] == ["P21", "  P12", "    the", "    bird", "  sleeps", ""]
    drawing = ElementTree.fromstring("\n".join(lines("svg")))
    leaves = [element.text for element in drawing.iter() if element.tag.endswith("text") and "class" not in element.attrib]
    assert leaves == ["the", "bird", "sleeps", "a", "cat", "sings"]


def test_training_says_likelihoods_that_never_fall_and_goes_on(files: list[str], tmp_path: Path) -> None:
    out = str(tmp_path / "grammar")
    _, log = run("train", *files, "--out", out, *TRAINING)
    values = [float(line.split()[3]) for line in log.splitlines() if "iteration" in line]
    assert len(values) == 5 and values == sorted(values)
    _, log = run("train", *files, "--out", out, *TRAINING)
    assert "unchanged" in log
    raw = (tmp_path / "grammar" / "grammar" / GRAMMAR).read_bytes()
    _, log = run("train", *files, "--out", str(tmp_path / "other"), *TRAINING, "--threads", "1")
    assert (tmp_path / "other" / "grammar" / GRAMMAR).read_bytes() == raw
    card = json.loads((tmp_path / "other" / "grammar" / CARD).read_text())
    assert card["sentences"] == len(SOURCES) and card["options"]["language"] is None


def test_parts_of_long_sentences_are_said(grammar: str) -> None:
    out, log = run("apply", grammar, "--samples", "10", text=" ".join(["the"] * 200) + "\n")
    assert len(out.split()) == 200
    assert re.search(r"line 1: 200 words were ordered in \d+ parts", log)


def test_faults_are_named(files: list[str], grammar: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no tagger of xx"):
        run("train", *files, "--out", str(tmp_path / "new"), "--language", "xx")
    with pytest.raises(InputError, match="1 to 100 splits"):
        run("train", *files, "--out", str(tmp_path / "new"), "--splits", "0", "3")
    with pytest.raises(InputError, match="holds no grammar"):
        run("apply", str(tmp_path), text="a\n")
    with pytest.raises(InputError, match="at most 1000"):
        run("apply", grammar, text="a " * 1001 + "\n")
    with pytest.raises(InputError, match="no word"):
        run("apply", grammar, "--to", "plf", text="*EPS* a\n")
