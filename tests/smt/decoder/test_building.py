"""`assay smt`: a small language whose adjectives change places, from parallel text to tuned translations."""

import json
import os
import signal
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from app.errors import InputError
from app.metrics import metric_named
from app.shell.declaration.tree import command_named
from app.shell.program import program
from app.smt.decoder.building import chain
from app.smt.decoder.building.loading import load_for
from app.smt.decoder.building.steps import CachedStep, CachedSteps
from app.smt.decoder.building.text import write_pairs
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.system import load_parts, load_system, system_of
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning import rounds as loop
from app.smt.decoder.tuning.list_features import features_of_list
from app.smt.decoder.tuning.passes import TuningPass
from app.smt.decoder.tuning.rounds import RoundOptions, tune_by_rounds
from app.smt.decoder.tuning.translating import translate_text
from app.smt.tuning.method import TuningData
from app.text.reading.n_best_lists.bars import read_n_best
from tests.smt.decoder.plain_features import features_of_derivation
from tests.smt.decoder.systems import SENTENCE, write_system

NOUNS = {"Haus": "house", "Hund": "dog", "Baum": "tree", "Weg": "way", "Kind": "child"}
COLOURS = {"rot": "red", "alt": "old", "neu": "new", "gut": "good"}
VERBS = {"sieht": "sees", "hat": "has", "will": "wants"}


def pairs() -> Iterator[tuple[str, str]]:
    """Adjectives stand behind nouns on one side, and before them on the other."""
    generator = np.random.default_rng(7)
    for (noun, name), (colour, shade), (verb, deed) in product(NOUNS.items(), COLOURS.items(), VERBS.items()):
        other, thing = list(NOUNS.items())[int(generator.integers(len(NOUNS)))]
        yield f"das {noun} {colour} {verb} das {other} .", f"the {shade} {name} {deed} the {thing} ."


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    lines = list(pairs())
    for name, part in (("train", lines[::2]), ("dev", lines[1::6])):
        for side, language in enumerate(("de", "en")):
            (folder / f"{name}.{language}").write_text("".join(f"{pair[side]}\n" for pair in part))
    return folder


# Words by themselves, so that much has to be found out.
HARD = ("--max-length", 1, "--distortion-limit", 3)


def run(*arguments: object, text: str = "") -> str:
    result = CliRunner().invoke(program, ["smt", *map(str, arguments)], input=text)
    if result.exception is not None:
        raise result.exception
    return result.output


@pytest.fixture(scope="module")
def system(texts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("systems") / "system"
    run("train", texts / "train.de", texts / "train.en", "--out", out, "--untuned", "--lowercase", "--order", 3)
    return out


@pytest.fixture(scope="module")
def hard(texts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("hard") / "system"
    run("train", texts / "train.de", texts / "train.en", "--out", out, "--untuned", "--lowercase", "--order", 3, *HARD)
    return out


def test_text_is_translated_as_decode_does_it(system: Path, texts: Path, tmp_path: Path) -> None:
    lines = (texts / "dev.de").read_text()
    out = run("translate", system, "--n-best", tmp_path / "lists", 3, text=f"{lines}\nDas Auto\n").splitlines()
    references = (texts / "dev.en").read_text().splitlines()
    assert len(out) == len(references) + 2 and out[-2] == "" and "auto" in out[-1].split()
    assert sum(ours == theirs for ours, theirs in zip(out, references, strict=False)) > 0.8 * len(references)
    assert read_n_best((tmp_path / "lists").read_text().splitlines()).lengths[0] == 3
    same = CliRunner().invoke(
        program, ["smt", "decode", "--config", str(system / "moses.ini")], input=f"{lines}\nDas Auto\n".lower()
    )
    assert same.output.splitlines() == out


def test_a_step_is_done_again_where_what_it_is_made_of_changed(system: Path, texts: Path, tmp_path: Path) -> None:
    def train(*options: object) -> list[str]:
        told = run(
            "train", texts / "train.de", texts / "train.en", "--out", system, "--untuned", "--lowercase", "--order", 3, *options
        )
        return [line.split(":")[0] for line in told.splitlines() if "unchanged" in line]

    every = ["text", "links", "phrases", "tables", "model"]
    assert train() == every
    assert train("--max-length", 5) == ["text", "links", "model"]
    (system / "model" / "lm.binary").write_bytes(b"damaged")
    assert train("--max-length", 5) == ["text", "links", "phrases", "tables"]
    before = (system / "tables" / "phrase-table.gz").read_bytes()
    assert train() == ["text", "links", "model"] and (system / "tables" / "phrase-table.gz").read_bytes() != before
    manifest = json.loads((system / "manifest.json").read_text())["steps"]
    assert manifest["text"]["counts"] == {"pairs": 30, "left out": 0}
    assert manifest["links"]["inputs"]["source"] == manifest["text"]["outputs"]["source.txt"]


def killed(work: object) -> None:
    """Do it in a process that is killed in the middle; fails where it comes to its end."""
    child = os.fork()
    if not child:
        try:
            work()  # type: ignore[operator]
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(("most", "section"), [(20, ""), (21, "[max-phrase-length]\n21\n\n"), (30, "[max-phrase-length]\n30\n\n")])
def test_long_phrases_are_not_left_out_by_the_decoder(tmp_path: Path, most: int, section: str) -> None:
    line = " ".join(f"w{number}" for number in range(30))
    for name in ("source", "target"):
        (tmp_path / name).write_text(f"{line}\n" * 3)
    options = ("--untuned", "--order", 2, "--max-length", most)
    run("train", tmp_path / "source", tmp_path / "target", "--out", tmp_path / "out", *options)
    config = tmp_path / "out" / "moses.ini"
    assert f"[stack]\n100\n\n{section}[feature]\n" in config.read_text()
    best = Decoder(load_system(config)).translate(" ".join(line.split()[:most]), True).n_best(1)[0]
    assert [(phrase.start, phrase.end) for phrase in best.phrases] == [(0, most)]


def test_a_killed_training_goes_on(system: Path, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of steps and of rounds; what comes out is what would have come out at once."""
    usual = [
        *(
            "train",
            texts / "train.de",
            texts / "train.en",
            "--dev",
            texts / "dev.de",
            texts / "dev.en",
            "--lowercase",
            "--order",
            3,
        ),
        *("--rounds", 3, "--list-length", 20, *HARD, "--method", "mert|restarts:1", "--out"),
    ]
    with monkeypatch.context() as patch:
        patch.setattr(chain, "build_tables", die)
        killed(lambda: run(*usual, tmp_path / "cut"))
    translate = loop._translate
    with monkeypatch.context() as patch:
        patch.setattr(loop, "_translate", lambda *given: die() if given[7] == 1 else translate(*given))
        killed(lambda: run(*usual, tmp_path / "cut"))
    assert (tmp_path / "cut" / "tuning.partial" / "round-0.json").exists()
    told = run(*usual, tmp_path / "cut")
    assert told.count("unchanged") == 6
    run(*usual, tmp_path / "whole")
    for name in ("moses.ini", "tuning/rounds.json", "tables/phrase-table.gz"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    names = {path.name for path in (tmp_path / "cut").iterdir()}
    assert names == {path.name for path in (tmp_path / "whole").iterdir()} and "tuning.partial" not in names


@pytest.mark.parametrize(("method", "step"), [("mert|restarts:2", 1.0), ("pro", 0.5), ("mira|epochs:5|steps:0", 1.0)])
def test_tuned_is_not_worse_than_untuned(hard: Path, texts: Path, tmp_path: Path, method: str, step: float) -> None:
    sources, references = ((texts / f"dev.{language}").read_text().lower().splitlines() for language in ("de", "en"))
    parts = load_parts(hard / "untuned.ini", TextPhrases(line.split() for line in sources))
    told: list[int] = []

    def watch(number: int, done: TuningPass) -> None:
        told.append(number)

    metric = metric_named("bleu|tok:none")
    tuned = tune_by_rounds(parts, sources, [references], metric, RoundOptions(method, 1, 2, 20, step=step), tmp_path, watch)
    assert tuned.best.score >= tuned.passes[0].score and told == list(range(len(tuned.passes)))
    decoder = Decoder(system_of(parts, tuned.best.weights))
    texts_of_best = [best.text for source in sources if (best := decoder.translate(source).best())]
    assert metric.score(metric.prepare([references]).statistics(texts_of_best).sum(0)[None])[0] == pytest.approx(tuned.best.score)


def test_rounds_that_stand_still_begin_anew(hard: Path, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources, references = ((texts / f"dev.{language}").read_text().lower().splitlines() for language in ("de", "en"))
    parts = load_parts(hard / "untuned.ini", TextPhrases(line.split() for line in sources))
    starts: list[np.ndarray] = []

    def tune(data: TuningData, method: str, seeds: list[int]) -> SimpleNamespace:
        starts.append(data.start)
        return SimpleNamespace(
            selection=SimpleNamespace(weights=data.start * (np.arange(len(data.start)) if len(starts) == 1 else 1))
        )

    translate = loop._translate
    monkeypatch.setattr(loop, "tune", tune)
    # Every round translates better than the one before.
    monkeypatch.setattr(loop, "_translate", lambda *given: translate(*given) and given[7])
    options = RoundOptions("mira", 1, 2, 20, step=1)
    rounds = tune_by_rounds(parts, sources, [references], metric_named("bleu|tok:none"), options, tmp_path).passes
    assert len(starts) == 3 and not np.allclose(starts[1], starts[0]) and np.array_equal(starts[2], starts[0])
    np.testing.assert_allclose(rounds[2].weights, parts.weights)


def test_any_configuration_is_tuned_by_translating(hard: Path, texts: Path, tmp_path: Path) -> None:
    """`assay nbest tune --decoder` is the tuning of `assay smt train`, and writes all but weights as it was."""
    for language in ("de", "en"):
        (tmp_path / f"dev.{language}").write_text((texts / f"dev.{language}").read_text().lower())
    config, out = hard / "untuned.ini", hard / "tuned.ini"
    usual = [
        *("tune", tmp_path / "dev.de", "-r", tmp_path / "dev.en", "--decoder", config, "--metric", "bleu|tok:none"),
        *("--method", "mert|restarts:1", "--rounds", 2, "--list-length", 20),
    ]
    tune = command_named("nbest tune")

    def call(*more: object) -> None:
        arguments = [str(argument) for argument in (*usual[1:], *more)]
        tune.main(arguments, standalone_mode=False)

    call("--out", out, "--work", tmp_path / "work")
    rounds = json.loads((tmp_path / "work" / "tuning" / "rounds.json").read_text())["rounds"]
    assert max(one["score"] for one in rounds) > rounds[0]["score"]
    before, after = load_system(config), load_system(out)
    assert [feature.parameters for feature in before.features] == [feature.parameters for feature in after.features]
    best = max(rounds, key=lambda one: one["score"])
    np.testing.assert_allclose(after.weights, best["weights"], rtol=1e-6)
    first = out.read_bytes()
    call("--out", out)
    assert out.read_bytes() == first
    call("--out", out, "--work", tmp_path / "chains", "--method", "samplerank-decoder", "--rounds", 1)
    epochs = json.loads((tmp_path / "chains" / "tuning" / "rounds.json").read_text())["rounds"]
    assert len(epochs) == 2
    np.testing.assert_allclose(load_system(out).weights, max(epochs, key=lambda one: one["score"])["weights"], rtol=1e-6)
    call("--out", out, "--work", tmp_path / "passes", "--method", "violations-decoder|update:early", "--rounds", 1)
    passes = json.loads((tmp_path / "passes" / "tuning" / "rounds.json").read_text())
    assert passes["reachable"] > 0 and len(passes["rounds"]) == 2
    call("--out", out, "--work", tmp_path / "climbs", "--method", "likelihood-decoder|rate:0.02", "--rounds", 2)
    climbs = json.loads((tmp_path / "climbs" / "tuning" / "rounds.json").read_text())
    assert climbs["reachable"] == passes["reachable"]
    assert climbs["rounds"][2]["log_likelihood"] > climbs["rounds"][1]["log_likelihood"]
    for more, message in (
        (["--out", tmp_path / "elsewhere.ini"], "write the tuned configuration into this folder"),
        ([], "moses.ini to write"),
        (["--out", out, "--runs", 2], "--decoder makes its own"),
        (["--out", out, "--step", 0], "above 0 and up to 1"),
        (["--out", out, "--method", "chance"], "chance"),
    ):
        with pytest.raises(InputError, match=message):
            call(*more)


def test_features_of_a_list_are_those_of_its_derivations(tmp_path: Path) -> None:
    for seed, kind in enumerate(("hier-mslr-bidirectional-fe", "phrase-msd-backward-f")):
        (tmp_path / kind).mkdir()
        made = system_of(load_parts(write_system(tmp_path / kind, seed, kind, 4, tables=2)))
        for text in (SENTENCE, "new s1 other", ""):
            searched = Decoder(made).translate(text, True)
            found = searched.n_best(400)
            expected = [features_of_derivation(made, one.phrases) for one in found]
            np.testing.assert_allclose(features_of_list(made, found), expected, atol=1e-12)
            assert list(islice(searched.derivations(), 400)) == found


def test_threads_translate_as_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.smt.decoder.tuning.translating.LOOK_AHEAD", 2)
    made = system_of(load_parts(write_system(tmp_path, 1, "hier-mslr-bidirectional-fe", 4)))
    texts = [SENTENCE, "", "s2 s3", "new"] * 4
    one, several = (list(translate_text(made, None, texts, 5, threads)) for threads in (1, 3))
    assert one == several and len(one) == 16 and one[0] == one[4]
    assert [len(translated.hypotheses) for translated in one[:2]] == [5, 1]
    assert [done.text for done in translate_text(made, None, texts, 0, 2)] == [translated.text for translated in one]


def test_a_long_text_loads_all(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["das haus rot", "das kind alt"]
    part, held = load_for(system / "untuned.ini", iter(lines))
    assert list(held) == lines
    monkeypatch.setattr("app.smt.decoder.building.loading.MOST_LINES", 1)
    whole, held = load_for(system / "untuned.ini", iter(lines))
    assert list(held) == lines and len(part.rows) < len(whole.rows)
    assert Decoder(part).translate(lines[1]).best() is not None


def test_sentences_that_cannot_be_used_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("A  b\n\nc ||| d\ne f g\nh\ni|||j\n")
    (tmp_path / "b").write_text("x\ny\nz\nu\nV\nw\n")
    assert write_pairs(tmp_path / "a", tmp_path / "b", tmp_path, True, 2) == {"pairs": 2, "left out": 4}
    assert (tmp_path / "source.txt").read_text() == "a b\nh\n" and (tmp_path / "target.txt").read_text() == "x\nv\n"
    (tmp_path / "b").write_text("x\ny\n")
    with pytest.raises(InputError, match="has 2 lines but"):
        write_pairs(tmp_path / "a", tmp_path / "b", tmp_path, False)
    for name in ("a", "b"):
        (tmp_path / name).write_text("\n")
    with pytest.raises(InputError, match="no usable pair of sentences"):
        write_pairs(tmp_path / "a", tmp_path / "b", tmp_path, False)


@pytest.mark.parametrize("line", ["das ||| haus", "das|||haus", "das " * 1001])
def test_what_lists_cannot_hold_is_named_before_anything_is_made(system: Path, tmp_path: Path, line: str) -> None:
    (tmp_path / "text").write_text(f"das haus\n{line}\n")
    (tmp_path / "target").write_text("the house\nx\n")
    out = tmp_path / "out"
    for arguments in (
        ("translate", system, tmp_path / "text", "--untuned"),
        ("train", system / "text" / "source.txt", system / "text" / "target.txt", "--out", out)
        + ("--dev", tmp_path / "text", tmp_path / "target"),
    ):
        with pytest.raises(InputError) as refused:
            run(*arguments)
        assert refused.value.where == ("text", 2)
    assert not out.exists()


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("letters")
    with pytest.raises(InputError, match="holds foreign files"), CachedSteps.of(tmp_path):
        pass
    with pytest.raises(InputError, match=r"no moses\.ini"):
        run("translate", tmp_path)
    with pytest.raises(InputError, match="--untuned"):
        run("train", tmp_path / "mine", tmp_path / "mine", "--out", tmp_path / "out")
    with CachedSteps.of(tmp_path / "new"), pytest.raises(InputError, match="another process"), CachedSteps.of(tmp_path / "new"):
        pass

    def fail(folder: Path) -> dict[str, int]:
        (folder / "half").write_text("written")
        raise InputError("invalid-table", "broken")

    with CachedSteps.of(tmp_path / "new") as steps, pytest.raises(InputError, match="broken"):
        steps.run(CachedStep("text", {"mine": tmp_path / "mine"}, {}, fail))
    assert [path.name for path in (tmp_path / "new").iterdir()] == [".lock"]
