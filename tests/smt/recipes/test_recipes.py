"""`assay corpus run`: what a recipe may say, when a step is run again, and that its files are those of the commands typed by hand."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import CliRunner

from app.errors import InputError
from app.shell.declaration.tree import command_named
from app.shell.program import program
from app.smt.recipes import local_run as running
from app.smt.recipes.command_lines import CommandLine, command_lines
from app.smt.recipes.local_run import Outcome, run_recipe
from app.smt.recipes.reading import Recipe, read_recipe
from app.smt.recipes.step_commands import StepCommands

COMMANDS = StepCommands()
ROOT = Path(__file__).parents[3]
SMALL = """
constants: {text: train, src: "${text}.de", trg: "${text}.en"}
steps:
  - resources align: {source: "${src}", target: "${trg}", links: links}
  - smt extract: {source: "${src}", target: "${trg}", links: links, out: phrases, orientation: [wbe-msd, hier-mslr]}
  - name: tables
    smt phrase-table: {extracted: phrases, out: "model/tables", good-turing: true}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.de").write_text("das haus\ndas kleine haus\nein haus\n" * 5, encoding="utf-8")
    (tmp_path / "train.en").write_text("the house\nthe small house\na house\n" * 5, encoding="utf-8")
    (tmp_path / "small.yaml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def written(folder: Path, text: str) -> Recipe:
    (folder / "other.yaml").write_text(text, encoding="utf-8")
    return read_recipe(folder / "other.yaml")


def of_type(annotation: Any, kind: type) -> bool:
    return annotation is kind or any(of_type(part, kind) for part in get_args(annotation))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_path_of_a_step_is_read_or_written(command: str) -> None:
    paths = {one.name for one in command_named(command).params if of_type(one.type_descriptor.annotation, Path)}
    assert paths <= {name for name, argument in COMMANDS[command].arguments.items() if argument.role is not None}


def test_steps_are_the_lines_that_would_be_typed(folder: Path) -> None:
    lines = command_lines(read_recipe(folder / "small.yaml"), COMMANDS)
    assert [line.arguments for line in lines] == [
        ("resources", "align", "--links=small/links", "--", "train.de", "train.en"),
        (
            "smt",
            "extract",
            "--out=small/phrases",
            "--orientation=wbe-msd",
            "--orientation=hier-mslr",
            "--",
            "train.de",
            "train.en",
            "small/links",
        ),
        ("smt", "phrase-table", "--out=small/model/tables", "--good-turing", "--", "small/phrases"),
    ]
    assert [line.step.name for line in lines] == ["align", "extract", "tables"]
    assert lines[1].reads == ("train.de", "train.en", "small/links") and lines[1].outputs == ("small/phrases",)


def test_files_within_what_was_written_named_ones_and_columns(folder: Path) -> None:
    (folder / "table.tsv").write_text("a\tb\n")
    (folder / "a=b").write_text("x\n")
    lines = command_lines(
        written(
            folder,
            "folder: work\nsteps:\n"
            "- resources lm: {texts: ['table.tsv:a', train.en], language: en, out: lm}\n  needs: small.yaml\n"
            "- score: {first: train.en, input: ['one=train.de', 'a=b', 'lm/lm.binary']}\n  print: scores\n"
            "- smt decode: {config: small.yaml, text: train.de, n-best: [lists, 100]}\n  print: out\n",
        ),
        COMMANDS,
    )
    assert lines[0].reads == ("small.yaml", "table.tsv", "train.en")
    assert lines[1].arguments == ("score", "--input=one=train.de", "--input=a=b", "--input=work/lm/lm.binary", "--", "train.en")
    assert lines[2].arguments == ("smt", "decode", "--config=small.yaml", "--n-best", "work/lists", "100", "--", "train.de")
    assert lines[2].outputs == ("work/lists", "work/out")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1 .*there are no steps"),
        ("steps: [", "line 1 of .*expected"),
        ("[" * 20_000, "line 1 of .*is not YAML"),
        ("a: &a [*a]\nsteps: *a", "line 1 .*no a"),
        ("steps: x", "steps are a list"),
        ("step: []", "a recipe has folder, constants and steps, and no step"),
        ("steps:\n- resources align: {}\n  extract: {}", "line 2 .*one command"),
        ("steps:\n- resources align: {source: a, source: b}", "line 2 .*source is there twice"),
        ("steps:\n- smt extract: {max-length: 1, max_length: 2}", "there twice, with - and with _"),
        ("steps:\n- resources align: {source: '${x}'}", "line 2 .*no constant x"),
        ("steps:\n- resources align: {source: {a: b}}", "text or a number"),
        ("steps:\n- name: ../x\n  align: {}", "is no name"),
        ("steps:\n- {name: x, align: {}}\n- {name: x, align: {}}", "line 3 .*another step's"),
        ("steps:\n- sh: {c: rm}", "no step is sh; steps are corpus"),
        ("steps:\n- resources align: {sauce: train.de}", "resources align has no sauce; there are .*source"),
        ("steps:\n- smt extract: {source: train.de}", "smt extract needs target"),
        ("steps:\n- resources align: {source: train.de, target: nowhere, links: l}", "no step before writes nowhere"),
        ("steps:\n- resources align: {source: train.de, target: train.en, links: ../l}", "not a file of the recipe's folder"),
        ("steps:\n- resources align: {source: train.de, target: train.en, links: /l}", "not a file of the recipe's folder"),
        ("steps:\n- resources align: {source: train.de, target: train.en, links: manifests/x}", "not manifests"),
        ("steps:\n- resources align: {source: train.de, target: train.en, links: l, replace: true}", "leave out replace"),
        ("steps:\n- resources align: {source: train.de, target: train.en, links: [l, m]}", "links takes 1 value"),
        ("steps:\n- smt phrase-table: {extracted: train.de, out: t, compact: yes}", "compact is true or false"),
        ("steps:\n- score: {first: train.de, input: train.en}", "writes no file"),
        ("steps:\n- resources align: &a {source: train.de, target: train.en, links: l}\n- resources align: *a", "is written by align already"),
        ("steps:\n- resources align: {source: train.de, target: train.en, links: l}\n- resources lm: {texts: train.en, language: en, out: l/x}", "written by align already"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told_with_its_line_before_anything_runs(folder: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=f"(?s){told}"):
        run_recipe(written(folder, text), COMMANDS, print)
    assert not (folder / "other").exists()


def test_scalars_are_text(folder: Path) -> None:
    recipe = written(
        folder, "constants: {a: no, b: 1_000, c: 12:30}\nsteps:\n- resources lm: {texts: '${b}', language: '${a}', order: '${c}'}\n"
    )
    assert recipe.steps[0].values == {"texts": ("1_000",), "language": ("no",), "order": ("12:30",)}


def test_constants_take_other_values(folder: Path) -> None:
    recipe = read_recipe(folder / "small.yaml", {"text": "other"})
    assert recipe.steps[0].values["source"] == ("other.de",)
    with pytest.raises(InputError, match="no constant txt"):
        read_recipe(folder / "small.yaml", {"txt": "other"})


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of steps as they are run; each writes what it reads and its options, in no time."""
    names: list[str] = []

    def run(recipe: Recipe, line: CommandLine, lock: object) -> None:
        names.append(line.step.name)
        reads = [recipe.root / path for path in line.reads]
        texts = [path.read_text() if path.is_file() else (path / "all").read_text() for path in reads]
        for path in line.outputs:
            place = recipe.root / path / "all" if Path(path).name in ("phrases", "tables") else recipe.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(line.step.command + str(sorted(line.step.values.items())) + "".join(sorted(set("".join(texts)))))

    monkeypatch.setattr(running, "_run", run)
    return names


def run(folder: Path, ran: list[str], **options: Any) -> list[str]:
    ran.clear()
    run_recipe(read_recipe(folder / "small.yaml"), COMMANDS, lambda _: None, **options)
    return list(ran)


def test_only_what_has_to_is_run_again(folder: Path, ran: list[str]) -> None:
    assert run(folder, ran) == ["align", "extract", "tables"]
    assert run(folder, ran) == []
    os.utime(folder / "train.de", (1, 1))
    assert run(folder, ran) == []
    assert run(folder, ran, force=["extract"]) == ["extract"]
    # Another input; what is written from it is the same, so nothing behind is run.
    (folder / "train.en").write_text((folder / "train.en").read_text() * 2)
    assert run(folder, ran) == ["align", "extract"]
    (folder / "train.en").write_text("Q\n")
    assert run(folder, ran, last="align") == ["align"]
    assert run(folder, ran) == ["extract", "tables"]
    (folder / "small.yaml").write_text(SMALL.replace("good-turing: true", "good-turing: false"))
    assert run(folder, ran) == ["tables"]
    (folder / "small" / "links").unlink()
    assert run(folder, ran) == ["align"]
    (folder / "small" / "phrases" / "all").write_text("damaged")
    assert run(folder, ran) == ["extract"]


def test_what_is_foreseen_is_what_is_done(folder: Path, ran: list[str]) -> None:
    def foreseen() -> list[str]:
        recipe = read_recipe(folder / "small.yaml")
        outcomes: list[Outcome] = run_recipe(recipe, COMMANDS, lambda _: None, dry=True)
        return [outcome.step for outcome in outcomes if outcome.runs]

    assert foreseen() == ["align", "extract", "tables"] and not (folder / "small").exists()
    assert run(folder, ran) == ["align", "extract", "tables"]
    assert foreseen() == []
    (folder / "train.en").write_text("Q\n")
    assert foreseen() == run(folder, ran) == ["align", "extract", "tables"]


def test_what_others_wrote_stays(folder: Path, ran: list[str]) -> None:
    (folder / "small").mkdir()
    (folder / "small" / "links").write_text("mine")
    with pytest.raises(InputError, match="links is there, and was not written by this recipe"):
        run(folder, ran)
    assert (folder / "small" / "links").read_text() == "mine" and not ran
    assert run(folder, ran, take_over=True) == ["align", "extract", "tables"]
    assert run(folder, ran) == []


def test_a_step_that_was_cut_off_is_run_again(folder: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = running._run

    def cut(recipe: Recipe, line: CommandLine, lock: Any) -> None:
        whole(recipe, line, lock)
        if line.step.name == "extract":
            raise KeyboardInterrupt

    monkeypatch.setattr(running, "_run", cut)
    with pytest.raises(KeyboardInterrupt):
        run(folder, ran)
    monkeypatch.setattr(running, "_run", whole)
    assert run(folder, ran) == ["extract", "tables"]


def test_a_manifest_says_what_was_done(folder: Path, ran: list[str]) -> None:
    run(folder, ran)
    manifest = json.loads((folder / "small" / "manifests" / "align.json").read_text())
    assert manifest["command"] == "assay resources align --links=small/links -- train.de train.en"
    summed = subprocess.run(["sha256sum", folder / "train.de"], capture_output=True, text=True, check=True).stdout.split()[0]
    assert manifest["inputs"]["train.de"] == {"sha256": summed, "bytes": (folder / "train.de").stat().st_size, "lines": 15}
    (folder / "small" / "manifests" / "align.json").write_text("{")
    with pytest.raises(InputError, match="--replace"):
        run(folder, ran)


def test_files_are_those_of_the_commands_typed_by_hand(folder: Path) -> None:
    def assay(*arguments: str) -> Any:
        return CliRunner().invoke(program, list(arguments), catch_exceptions=False)

    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        recipe = SMALL.partition("  - name: tables")[0] + "  - resources align: {symmetrise: [missing, links], links: again}\n"
        (folder / "small.yaml").write_text(recipe)
        with pytest.raises(InputError, match="missing"):
            assay("corpus", "run", "small.yaml")
        # The last step is one that fails, after both before it are done.
        (folder / "missing").write_text("no links\n")
        with pytest.raises(InputError, match="align-2 ended with exit code 2; what was done before it stays"):
            assay("corpus", "run", "small.yaml")
        assert not (folder / "small" / "again").exists()
        assert assay("resources", "align", "train.de", "train.en", "--links", "links").exit_code == 0
        extract = "smt extract train.de train.en links --out phrases --orientation wbe-msd --orientation hier-mslr"
        assert assay(*extract.split()).exit_code == 0
    for name in ("links", "phrases/extract.gz", "phrases/extract.inv.gz", "phrases/extract.o.gz", "phrases/lex.e2f"):
        assert (folder / "small" / name).read_bytes() == (folder / name).read_bytes()


def test_a_run_that_is_told_to_end_ends_its_step(folder: Path) -> None:
    recipe = "steps:\n- resources align: {source: train.de, target: train.en, links: links}\n"
    (folder / "small.yaml").write_text(recipe)
    lines = 300_000
    (folder / "train.de").write_text("das haus ist klein\n" * lines)
    (folder / "train.en").write_text("the house is small\n" * lines)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-m", "app", "corpus", "run", "small.yaml"], cwd=folder, env=environment)
    deadline = time.monotonic() + 60
    while not (folder / "small" / "manifests" / "align.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    with pytest.raises(InputError, match="a recipe is being run"):
        run_recipe(read_recipe(folder / "small.yaml"), COMMANDS, print)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGTERM
    # Nothing half-written stands where the links will, and the lock is free when the last process of the step has ended.
    assert not (folder / "small" / "links").exists()
    with (folder / "small" / "manifests" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def test_the_page_of_recipes_names_every_step(folder: Path) -> None:
    page = (ROOT / "docs" / "smt" / "recipes.md").read_text("utf-8")
    rows = page.partition("| Group | Steps |\n| --- | --- |\n")[2].partition("\n\n")[0].splitlines()
    listed = [name.strip(" `") for row in rows for name in row.split("|")[2].split(",")]
    assert sorted(listed) == sorted(COMMANDS)
    # The page's own recipe is one, as long as its files are there.
    block = page.partition("```yaml\n")[2].partition("```")[0]
    (folder / "moses.ini").write_text("")
    recipe = written(folder, block.replace("../data", ".").replace("/test.", "/train."))
    assert [line.step.name for line in command_lines(recipe, COMMANDS)][3:] == ["language-model", "decode", "score"]


def test_flags_that_are_on_are_turned_off_and_names_of_what_ships_are_no_files(folder: Path) -> None:
    lines = command_lines(
        written(
            folder,
            "steps:\n"
            "- corpus resample: {files: [train.de, train.en], out: drawn, original: false}\n"
            "- corpus select: {source: train.de, target: train.en, method: random, pairs: 2, out-source: s, function-words: en}\n",
        ),
        COMMANDS,
    )
    assert "--no-original" in lines[0].arguments
    assert "--function-words=en" in lines[1].arguments and lines[1].reads == ("train.de", "train.en")


def test_a_command_that_goes_on_with_its_folder_finds_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`smt train` keeps its own steps; what is changed is told it with all that it has done."""
    text = "steps:\n- smt train: {source: train.de, target: train.en, out: system, untuned: true, order: 2}\n"
    recipe = written(folder, text)
    [line] = command_lines(recipe, COMMANDS)
    assert line.arguments == ("smt", "train", "--out=other/system", "--untuned", "--order=2", "--", "train.de", "train.en")
    left = folder / "other" / "system" / "links" / "all"
    left.parent.mkdir(parents=True)
    left.write_text("done")
    typed: list[list[str]] = []

    class Ended:
        def __init__(self, command: list[str], **_: Any) -> None:
            typed.append(command)
            assert left.read_text() == "done"

        def wait(self) -> int:
            return 0

    monkeypatch.setattr("subprocess.Popen", Ended)
    run_recipe(recipe, COMMANDS, lambda _: None, take_over=True)
    assert typed[0][3:] == list(line.arguments)
