"""`assay smt preorder`: aligned text in, a model, orders of sentences in each form, and their evaluation."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from safetensors.numpy import save_file
from typer.testing import CliRunner

from app.errors import InputError
from app.shell.program import program
from app.smt.commands.translation.preordering_outputs import OrderPrinter
from app.smt.decoder.building.steps import CachedStep, CachedSteps
from app.smt.decoder.word_lattices.reading import parse_plf
from app.smt.reordering.labels import Layout
from app.smt.reordering.models.artifacts import CARD
from app.smt.reordering.models.stored import GRAMMAR, load_grammars

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


def test_several_smoothed_grammars_order_together(files: list[str], tmp_path: Path) -> None:
    out = str(tmp_path / "grammars")
    _, log = run("train", *files, "--out", out, *TRAINING, "--models", "2", "--smoothing", "3%")
    assert re.findall(r"model (\d), iteration (\d)", log) == [(str(m), str(i)) for m in (1, 2) for i in range(1, 6)]
    card = json.loads((tmp_path / "grammars" / "grammar" / CARD).read_text())
    assert (card["options"]["models"], card["options"]["smoothing"], len(card["log_likelihoods"])) == (2, 0.03, 10)
    assert run("apply", out, "--samples", "100", text="the bird sleeps\n\na\n")[0] == "sleeps the bird\n\na\n"


def test_bracketing_is_applied_as_a_grammar(files: list[str], tmp_path: Path) -> None:
    out = str(tmp_path / "model")
    run("train", *files, "--out", out, *TRAINING)
    wrong = tmp_path / "wrong"
    wrong.write_text("9-9\n" * len(SOURCES), "utf-8")
    with pytest.raises(InputError, match="beyond the words"):
        run("train", *files[:2], str(wrong), "--out", out, "--method", "bracketing")
    assert (tmp_path / "model" / "grammar" / GRAMMAR).is_file()
    _, log = run("train", *files, "--out", out, "--method", "bracketing", "--iterations", "3", "--models", "2")
    assert "model 2, pass 3" in log and f"sentences {len(SOURCES)}" in log
    # The folder has one model.
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [".lock", "bracketing", "manifest.json"]
    text = "the bird sleeps\n\nDog\nA cat sings\n"
    assert run("apply", out, text=text)[0] == "sleeps the bird\n\nDog\nsings A cat\n"
    assert run("apply", out, "--to", "positions", text=text)[0] == "2 0 1\n\n0\n2 0 1\n"
    assert run("apply", out, "--to", "tree", text=text)[0].startswith("P21\n  P12\n    the\n    bird\n  sleeps\n")
    assert ElementTree.fromstring(run("apply", out, "--to", "svg", text=text)[0]) is not None
    assert len(run("apply", out, text="new " * 1000)[0].split()) == 1000
    for options in (["--to", "plf"], ["--to", "json"], ["--n-best", "2"], ["--samples", "5"]):
        with pytest.raises(InputError, match="one order without probabilities"):
            run("apply", out, *options, text=text)
    for options in (["--trees", "left"], ["--splits", "2", "1"], ["--rare", "0"], ["--noise", "0.1"], ["--smoothing", "0.1"]):
        with pytest.raises(InputError, match="goes with --method grammar"):
            run("train", *files, "--out", out, "--method", "bracketing", *options)


def test_tags_stand_beside_words_of_bracketing(files: list[str], tmp_path: Path) -> None:
    out = str(tmp_path / "tags")
    run("train", *files, "--out", out, "--method", "bracketing", "--iterations", "1", "--language", "en")
    # Rare words are new, their tags are not.
    assert run("apply", out, text="the horse snores\n\n")[0] == "snores the horse\n\n"


def test_heads_stand_last_by_the_parser() -> None:
    # Example of Isozaki et al. 2010.
    assert run("head-final", "--language", "en", text="John hit a ball .\n\n")[0] == "John a ball hit .\n\n"
    assert run("head-final", "--language", "en", "--to", "positions", text="John hit a ball .\n")[0] == "0 2 3 1 4\n"
    assert len(run("head-final", "--language", "en", text="new " * 1000)[0].split()) == 1000
    with pytest.raises(InputError, match="no tagger of ne;"):
        run("head-final", "--language", "ne", text="a\n")


def test_taggers_without_governors_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tagger = SimpleNamespace(tagger=SimpleNamespace(parses=False))
    engine = SimpleNamespace(resources=SimpleNamespace(languages={"en": tagger}))
    monkeypatch.setattr("app.smt.commands.translation.preordering.engine_here", lambda: engine)
    with pytest.raises(InputError, match="finds no governors"):
        run("head-final", "--language", "en", text="a\n")


def test_a_recipe_trains_applies_and_evaluates(files: list[str], tmp_path: Path) -> None:
    source, target, links = files
    (tmp_path / "recipe.yaml").write_text(
        f"""steps:
- smt preorder train: {{source: {source}, target: {target}, links: {links}, out: model, method: bracketing}}
- smt preorder apply: {{folder: model, text: {source}, to: positions}}
  print: orders
- smt preorder evaluate: {{orders: orders, source: {source}, target: {target}, links: {links}, format: json}}
  print: scores
""",
        "utf-8",
    )
    result = CliRunner().invoke(program, ["corpus", "run", str(tmp_path / "recipe.yaml")])
    assert result.exit_code == 0, result.output
    predicted, unchanged = json.loads((tmp_path / "recipe" / "scores").read_text("utf-8"))
    assert predicted["kendall"] == 1 > unchanged["kendall"]


# Test sentences of google/topdown-btg-preordering (Apache-2.0), and orders with the values of its README.
PUBLISHED = {
    "source": "I had a red pen .\nYou went to the park yesterday .\nI do not know the answer .\n",
    "target": "私 は 赤い ペン を 持って いた 。\nあなた は 昨日 公園 に 行った 。\n私 は その 答え を 知ら ない 。\n",
    "links": "0-0 1-5 1-6 3-2 4-3 5-7\n0-0 1-5 2-4 3-3 4-3 5-2 6-6\n0-0 2-6 3-5 4-2 5-3 6-7\n",
    "orders": "0 2 3 4 1 5\n0 5 3 4 2 1 6\n0 1 2 4 5 3 6\n",
}


def published(folder: Path, **texts: str) -> list[str]:
    for name, text in {**PUBLISHED, **texts}.items():
        (folder / name).write_text(text, "utf-8")
    return [str(folder / name) for name in ("orders", "source", "target", "links")]


def test_published_orders_have_the_published_values(tmp_path: Path) -> None:
    predicted, source = json.loads(run("evaluate", *published(tmp_path), "--format", "json")[0])
    assert (predicted["fuzzy"], predicted["kendall"], predicted["complete"]) == (0.857143, 0.933333, 0.666667)
    assert (predicted["sentences"], predicted["ordered_sentences"]) == (3, 3)
    # Three sentences in the order of the source: wrong are 2 of 10, 9 of 21 and 5 of 15 pairs of linked words.
    assert source["kendall"] == round((1 - 2 / 10 + 1 - 9 / 21 + 1 - 5 / 15) / 3, 6)
    profile = CliRunner().invoke(program, ["smt", "profile-reordering", *published(tmp_path)[1:], "--format", "json"])
    assert source["kendall_all_words"] == pytest.approx(json.loads(profile.stdout)["kendall"], abs=1e-6)
    assert "as in the source" in run("evaluate", *published(tmp_path))[0]


@pytest.mark.parametrize(
    ("orders", "fault"),
    [
        ("0 1 2 3 4 4\n", "line 1: position 4 stands twice"), ("0 1 2 3 4 6\n", "line 1: '6' is no position"),
        ("0 1 2 3 4\n", "5 positions for 6 words"), ("\n", "0 positions"), ("0 1 2 3 4 -5\n", "'-5' is no position"),
        ("0 1 2 3 4 " + "9" * 9999 + "\n", "is no position"), ("0 1 2 3 4 ²\n", "is no position"),
        ("0 1 2 3 4 5\n", "ends before line 2"), (PUBLISHED["orders"] + "0\n", "source ends before line 4"),
        ("0 1 2 \0 4 5\n", "NUL"),
    ],
)  # fmt: skip
def test_orders_that_are_none_are_named(tmp_path: Path, orders: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        run("evaluate", *published(tmp_path, orders=orders))


def test_links_beyond_the_words_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="beyond the words"):
        run("evaluate", *published(tmp_path, links="0-0\n0-0\n7-0\n"))


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


def test_a_failed_training_leaves_the_earlier_model(files: list[str], grammar: str, tmp_path: Path) -> None:
    before = run("apply", grammar, text="the bird sleeps\n")[0]
    (tmp_path / "short").write_text("0-0\n", "utf-8")
    for options in (TRAINING, ("--method", "bracketing")):
        with pytest.raises(InputError, match="lines"):
            run("train", *files[:2], str(tmp_path / "short"), "--out", grammar, *options)
        assert run("apply", grammar, text="the bird sleeps\n")[0] == before
    with pytest.raises(InputError, match="printable"):
        run("train", *files, "--out", grammar, "--licence", "a\nb", *TRAINING)


def test_a_damaged_checkpoint_is_none(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "once"
    log = run("train", *files, "--out", str(out), *TRAINING)[1]
    treebank_words = load_grammars(out / "grammar")[0][0].words
    for number, rules in enumerate((np.zeros((3, 4)), None)):
        folder = tmp_path / f"again{number}"
        run("train", *files, "--out", str(folder), *TRAINING, "--seed", "2")
        partial = folder / "grammar.partial"
        partial.mkdir()
        manifest = json.loads((out / "manifest.json").read_text("utf-8"))["steps"]["grammar"]
        key = {name: manifest[name] for name in ("inputs", "options", "assay")}
        (partial / "key.json").write_text(json.dumps(key, sort_keys=True), "utf-8")
        layout = Layout(2, 1)
        shape = int(layout.slots[-1]), int(layout.symbols[-1])
        arrays = {
            "roots": np.full(shape[1], np.nan), "rules": np.ones(shape) if rules is None else rules,
            "emissions": np.ones((len(treebank_words), shape[0])), "logs": np.array([-1.0]),
        }  # fmt: skip
        save_file(arrays, partial / "iterations-1.safetensors")
        assert run("train", *files, "--out", str(folder), *TRAINING)[1].split(", in ")[0] == log.split(", in ")[0]
        assert (folder / "grammar" / GRAMMAR).read_bytes() == (out / "grammar" / GRAMMAR).read_bytes()


def test_folders_of_other_commands_are_refused(files: list[str], tmp_path: Path) -> None:
    with CachedSteps.of(tmp_path / "system") as steps:
        steps.run(CachedStep("phrases", {}, {}, lambda folder: {}))
    with pytest.raises(InputError, match="phrases of another command"):
        run("train", *files, "--out", str(tmp_path / "system"), *TRAINING)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text('{"format": "assay-smt", "version": 1, "steps": []}', "utf-8")
    with pytest.raises(InputError, match="not the manifest"):
        run("train", *files, "--out", str(tmp_path / "broken"), *TRAINING)


def test_a_drawing_has_each_order(capsys: pytest.CaptureFixture[str]) -> None:
    printer = OrderPrinter("svg", "text")
    printer.add(1, ["bird", "sings"], [[0, 1], [1, 0]])
    printer.add(2, ["dog", "barks"], [[0, 1]])
    printer.end()
    drawing = capsys.readouterr().out
    assert (drawing.count(">bird<"), drawing.count(">dog<")) == (2, 1)
    with pytest.raises(InputError, match="at most 200 trees"):
        printer.add(3, ["dog", "barks"], [[0, 1]] * 198)


def test_parts_of_long_sentences_are_said(grammar: str) -> None:
    out, log = run("apply", grammar, "--samples", "10", text=" ".join(["the"] * 200) + "\n")
    assert len(out.split()) == 200
    assert re.search(r"line 1: 200 words were ordered in \d+ parts", log)


def test_faults_are_named(files: list[str], grammar: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no tagger of xx"):
        run("train", *files, "--out", str(tmp_path / "new"), "--language", "xx")
    with pytest.raises(InputError, match="1 to 100 splits"):
        run("train", *files, "--out", str(tmp_path / "new"), "--splits", "0", "3")
    with pytest.raises(InputError, match="holds no model"):
        run("apply", str(tmp_path), text="a\n")
    with pytest.raises(InputError, match="at most 1000"):
        run("apply", grammar, text="a " * 1001 + "\n")
    with pytest.raises(InputError, match="no word"):
        run("apply", grammar, "--to", "plf", text="*EPS* a\n")
    with pytest.raises(InputError, match="NUL"):
        run("apply", grammar, text="a \0\n")
