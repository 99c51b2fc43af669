"""`assay smt import` and `translate`, and features of what systems translate: as the files of `assay smt translate` give them."""

import json
import shutil
from pathlib import Path

import pytest

from tests.commands import Done, assay
from tests.servers import Server
from tests.smt.decoder.test_building import pairs
from tests.smt.decoder.toy_systems import add_toy_systems

TEXT = "Casa mea este mare și roșie.\nUn om doarme aici.\n\nacolo <b>\n"
OTHERS = "My house is big.\nA man sleeps there.\nHere.\nThere is it.\n"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    add_toy_systems(folder / "resources", tmp_path_factory.mktemp("scratch"))
    return folder


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "text").write_text(TEXT, "utf-8")
    (tmp_path / "others").write_text(OTHERS, "utf-8")
    return tmp_path / "text"


def done(*arguments: object, data: Path, **more: str) -> Done:
    made = assay(*map(str, arguments), data=data, **more)
    assert made.returncode == 0, made.stderr
    return made


@pytest.mark.parametrize("distinct", [[], ["--distinct"]])
def test_it_says_what_the_file_route_says(data: Path, text: Path, tmp_path: Path, distinct: list[str]) -> None:
    ours = done("smt", "translate-pair", text, "--pair", "ro-en", "--n-best", tmp_path / "ours", 7, *distinct, data=data)
    system = data / "resources" / "ro-en" / "system"
    theirs = done("smt", "translate", system, text, "--n-best", tmp_path / "theirs", 7, *distinct, data=data)
    assert ours.stdout == theirs.stdout and len(ours.stdout.splitlines()) == 4
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_a_server_says_the_same(server: Server, data: Path, text: Path, tmp_path: Path) -> None:
    here = done("smt", "translate-pair", text, "--pair", "ro-en", "--n-best", tmp_path / "here", 3, data=data)
    there = done(
        "smt", "translate-pair", text, "--pair", "ro-en", "--n-best", tmp_path / "there", 3, "--server", server.address, data=data
    )
    assert here.stdout == there.stdout and (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


def test_forms(data: Path, text: Path) -> None:
    answer = json.loads(done("smt", "translate-pair", text, "--pair", "ro-en", "--format", "json", data=data).stdout)
    assert answer["segments"][1]["words"] == ["un", "om", "doarme", "aici", "."] and answer["segments"][1]["phrases"]
    rows = done("smt", "translate-pair", text, "--pair", "ro-en", "--format", "tsv", data=data).stdout.splitlines()
    assert rows[0].split("\t") == ["segment", "text", "score"] and len(rows) == 5
    piped = done("smt", "translate-pair", "--pair", "ro-en", data=data, stdin=TEXT)
    assert piped.stdout.splitlines() == [row["text"] for row in answer["segments"]]


def test_features_are_those_of_files(data: Path, text: Path, tmp_path: Path) -> None:
    others = text.with_name("others")
    for pair, source, name in (("ro-en", text, "pseudo"), ("en-ro", others, "back")):
        translated = done("smt", "translate", data / "resources" / pair / "system", source, data=data).stdout
        (tmp_path / name).write_text(translated, "utf-8")
    common = ("features", text, others, "--pair", "ro-en", "--feature-set", "all-blackbox", "--format", "json")
    files = ("--pseudo-references", tmp_path / "pseudo", "--back-translations", tmp_path / "back")
    systems = ("--from-systems", "pseudo_references", "--from-systems", "back_translation")
    by_files, by_systems = (json.loads(done(*common, *more, data=data).stdout) for more in (files, systems))
    assert by_files == by_systems and "pr.chrf" in [feature["id"] for feature in by_files["features"]]


def test_glass_box_features_are_those_of_files(data: Path, text: Path, tmp_path: Path) -> None:
    system = data / "resources" / "ro-en" / "system"
    translated = done("smt", "translate", system, text, "--n-best", tmp_path / "lists", 100, "--distinct", data=data).stdout
    (tmp_path / "own").write_text(translated, "utf-8")
    common = ("features", text, tmp_path / "own", "--pair", "ro-en", "--feature-set", "glassbox-smt", "--format", "json")
    by_file = json.loads(done(*common, "--n-best", tmp_path / "lists", data=data).stdout)
    assert by_file == json.loads(done(*common, "--from-systems", "n_best", data=data).stdout)
    refused = assay(*map(str, ("features", text, text.with_name("others"), *common[3:], "--from-systems", "n_best")), data=data)
    assert refused.returncode == 2 and "segment 1, translation: this is not the system's own translation" in refused.stderr


def test_quality_takes_systems(data: Path, text: Path) -> None:
    common = ("quality", text, text.with_name("others"), "--pair", "ro-en", "--model", "ro-en-hter-gp-17", "--format", "json")
    told = done(*common, "--from-systems", "pseudo_references", data=data)
    assert "looks at no pseudo-references" in told.stderr
    assert json.loads(told.stdout)["segments"] == json.loads(done(*common, data=data).stdout)["segments"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pair", "de-en"], "nothing translates de-en"),
        (["--pair", "ro-en", "--distinct"], "--distinct: it is said of lists"),
        (["--pair", "ro-en", "--n-best", "lists", "0"], "n_best"),
    ],
)
def test_refusals(data: Path, text: Path, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(text.parent)
    made = assay("smt", "translate-pair", str(text), *arguments, data=data)
    assert made.returncode == 2 and said in made.stderr and not (text.parent / "lists").exists()


def test_bars_are_refused_in_lists_alone(data: Path, text: Path, tmp_path: Path) -> None:
    text.write_text("casa ||| casa\n", "utf-8")
    common = ("smt", "translate-pair", text, "--pair", "ro-en", "--no-tokenise")
    assert "|||" in done(*common, data=data).stdout
    made = assay(*map(str, (*common, "--n-best", tmp_path / "lists", 2)), data=data)
    assert made.returncode == 2 and "divides the columns of lists" in made.stderr and not (tmp_path / "lists").exists()


def test_a_trained_system_is_imported(tmp_path: Path) -> None:
    lines = list(pairs())
    for side, language in enumerate(("de", "en")):
        (tmp_path / language).write_text("".join(f"{pair[side]}\n" for pair in lines), "utf-8")
    data, system = tmp_path / "data", tmp_path / "system"
    train = ("smt", "train", tmp_path / "de", tmp_path / "en", "--out", system, "--untuned", "--lowercase", "--order", 3)
    done(*train, data=data)
    done("smt", "import", system, "--pair", "de-en", "--licence", "CC0-1.0", data=data)
    shutil.rmtree(system / "tables")
    text = "Das Haus rot sieht das Kind .\n"
    assert done("smt", "translate-pair", "--pair", "de-en", data=data, stdin=text).stdout == "the red house sees the child .\n"
    again = assay("smt", "import", str(system), "--pair", "de-en", data=data)
    assert again.returncode == 2
    listed = json.loads((data / "resources" / "de-en" / "system" / "manifest.json").read_text())
    assert listed["licence"] == "CC0-1.0" and set(listed["inputs"]) >= {"moses.ini", "phrase-table.gz", "lm.binary"}
    assert str(tmp_path) not in json.dumps(listed)
