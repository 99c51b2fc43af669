"""`assay review`: changed strings of a checkout, in the forms of CI services."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pytest
import yaml

from app.settings import ROOT
from app.shell.program import run
from tests.shell.test_documented import PAIRS

Assay = Callable[[list[str]], tuple[int, str, str]]
ENGLISH: Final = {"hi": "Hello, {name}!", "folder": "There are 45 files in the folder.", "keep": "Do not delete this file."}
GERMAN: Final = {"hi": "Hallo, {name}!", "folder": "Im Ordner sind 45 Dateien.", "keep": "Löschen Sie diese Datei nicht."}


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assay:
    """The program with arguments: exit code, standard output and errors."""

    def call(arguments: list[str]) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["assay", *arguments])
        with pytest.raises(SystemExit) as end:
            run()
            sys.exit(0)
        out, error = capsys.readouterr()
        return int(end.value.code or 0), out, error

    return call


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True)


def write(folder: Path, **files: dict[str, str]) -> None:
    (folder / "locales").mkdir(exist_ok=True)
    for language, texts in files.items():
        (folder / "locales" / f"{language}.json").write_text(json.dumps(texts, indent=2, ensure_ascii=False))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with English and German on `main`, on another branch."""
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.email", "a@example.org")
    git(tmp_path, "config", "user.name", "a")
    write(tmp_path, en=ENGLISH, de=GERMAN)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    git(tmp_path, "checkout", "-qb", "work")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes(out: str) -> dict[str, str]:
    """Codes of findings by key."""
    return {row["key"]: row["code"] for row in json.loads(out)["findings"]}


def test_a_change_of_one_string_is_judged_alone(checkout: Path, assay: Assay) -> None:
    write(checkout, en=ENGLISH, de={**GERMAN, "hi": "Hallo, {nom}!"})
    code, out, _ = assay(["review", "--since", "main", "--no-predict", "--format", "json"])
    answer = json.loads(out)
    assert (code, answer["strings"], codes(out)) == (1, 1, {"hi": "placeholders"})
    [row] = answer["findings"]
    line = (checkout / "locales" / "de.json").read_text().split("\n")[row["line"] - 1]
    assert line[row["column"] - 1 : row["end_column"] - 1] == row["translation"] == "Hallo, {nom}!"


def test_a_changed_source_makes_its_translation_stale(checkout: Path, assay: Assay) -> None:
    write(checkout, en={**ENGLISH, "keep": "Do not delete this large file."}, de=GERMAN)
    code, out, _ = assay(["review", "--since", "main", "--no-predict", "--format", "json"])
    assert (code, codes(out)) == (0, {"keep": "stale"})
    assert assay(["review", "--since", "main", "--no-predict", "--fail-on", "warning"])[0] == 1


def test_no_change_is_no_pass(checkout: Path, assay: Assay) -> None:
    code, out, error = assay(["review", "--since", "main", "--no-predict"])
    assert code == 3 and "No string could be judged" in out and "no pass" in error


def test_a_baseline_holds_known_findings(checkout: Path, assay: Assay) -> None:
    """A known finding does not fail, in other lines of the file either; a new text of its string does."""
    write(checkout, en=ENGLISH, de={**GERMAN, "hi": "Hallo, {nom}!"})
    assert assay(["review", "--no-predict", "--baseline", "known.json", "--update-baseline"])[0] == 0
    first = (checkout / "known.json").read_text()
    [row] = json.loads(first)["findings"]
    assert {**row, "texts": ""} == {
        "path": "locales/de.json", "key": "hi", "code": "placeholders", "texts": "", "severity": "error",
    }  # fmt: skip
    write(checkout, en={"new": "New", **ENGLISH}, de={"new": "Neu", **GERMAN, "hi": "Hallo, {nom}!"})
    code, out, _ = assay(["review", "--no-predict", "--baseline", "known.json"])
    assert code == 0 and "1 known finding" in out
    write(checkout, en=ENGLISH, de={**GERMAN, "hi": "Hallo {nom}!"})
    assert assay(["review", "--no-predict", "--baseline", "known.json"])[0] == 1


def test_configuration_ignores_with_a_reason(checkout: Path, assay: Assay) -> None:
    write(checkout, en=ENGLISH, de={**GERMAN, "hi": "Hallo, {nom}!"})
    rule = '[[review.ignore]]\ncode = "placeholders"\nkey = "h*"\nreason = "a name of the product"\n'
    (checkout / "assay.toml").write_text(f'[review]\nsource-language = "en"\nfail-on = "info"\n{rule}')
    code, out, _ = assay(["review", "--no-predict"])
    assert code == 0 and "1 ignored" in out
    (checkout / "assay.toml").write_text("[review]\nmin-qualty = 0.3\n")
    code, _, error = assay(["review", "--no-predict"])
    assert code == 2 and "review.min-qualty" in error


def test_limits_differ_by_language(checkout: Path, assay: Assay) -> None:
    write(checkout, en=ENGLISH, de={**GERMAN, "hi": "Hallo, {nom}!"}, fr={"keep": "Do not delete this file."})
    for limits, code in (
        ('"error"', 1),
        ('{ de = "none" }', 0),
        ('{ de = "none", fr = "warning" }', 1),
        ('{ de = "none", "*" = "warning" }', 1),
        ('{ fr = "warning" }', 1),
    ):
        (checkout / "assay.toml").write_text(f"[review]\nfail-on = {limits}\n")
        assert assay(["review", "--no-predict"])[0] == code, limits
    assert assay(["review", "--no-predict", "--fail-on", "error"])[0] == 1
    (checkout / "assay.toml").write_text('[review]\nfail-on = { de = "grave" }\n')
    assert assay(["review", "--no-predict"])[0] == 2


@pytest.mark.parametrize(
    ("name", "text"), [("app_de.arb", '{"a": "Hallo"}'), ("x_de.properties", "a=b"), ("strings.xml", "<resources/>")]
)
def test_annotations_of_string_files_name_the_review(tmp_path: Path, assay: Assay, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    code, _, error = assay(["annotate", str(tmp_path / name), "--pair", "en-de"])
    assert code == 2 and "`assay review` judges it" in error


def test_files_that_cannot_be_read_are_findings(checkout: Path, assay: Assay) -> None:
    (checkout / "locales" / "fr.json").write_text('{"hi": "Bonjour",}')
    (checkout / "locales" / "it.json").write_bytes(b"\xff\xfe\x00\x00\x80")
    code, out, _ = assay(["review", "--since", "main", "--no-predict"])
    assert code == 1 and "locales/fr.json:1:18: error unreadable" in out and "locales/it.json:1:1: error unreadable" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--since", "nowhere"], "git knows no commit"),
        (["--since=--output=x"], "git knows no commit"),
        (["missing"], "does not exist"),
        (["../"], "lies outside"),
        (["/etc"], "lies outside"),
        (["--min-quality", "0.5"], "--no-predict predicts no quality"),
        (["--config", "none.toml"], "cannot be read"),
        (["--baseline", "none.json"], "--update-baseline"),
    ],
)
def test_wrong_use_ends_with_2(checkout: Path, assay: Assay, arguments: list[str], message: str) -> None:
    code, _, error = assay(["review", "--no-predict", *arguments])
    assert code == 2 and message in error


def test_links_out_of_the_checkout_are_refused(checkout: Path, assay: Assay, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A pull request chooses links and sources: neither a secret beside the checkout nor one that git ignores is read."""
    outside = tmp_path_factory.mktemp("outside") / "secret.json"
    outside.write_text('{"hi": "a secret of {nobody}"}')
    (checkout / ".gitignore").write_text("ignored.json\n")
    (checkout / "ignored.json").write_text(outside.read_text())
    for target in (outside, checkout / "ignored.json", checkout / ".git" / "config"):
        link = checkout / "locales" / "fr.json"
        link.symlink_to(target)
        for since in ([], ["--since", "main"]):
            code, out, error = assay(["review", "--no-predict", "--format", "markdown", *since])
            assert code == 2 and "locales/fr.json is a link" in error and "secret" not in out + error.replace(str(outside), "")
        # A link that nobody asks about may stay.
        assert assay(["review", "--no-predict", "--language", "de"])[0] == 0
        link.unlink()


def test_links_within_the_checkout_are_read(checkout: Path, assay: Assay) -> None:
    (checkout / "locales" / "de_AT.json").symlink_to("de.json")
    (checkout / "locales" / "loop.json").symlink_to("loop.json")
    (checkout / "locales" / "it.json").symlink_to("/nowhere/it.json")
    code, out, _ = assay(["review", "--no-predict"])
    assert code == 0 and "6 strings judged" in out


@pytest.mark.parametrize("name", ["baseline", "glossary"])
def test_settings_name_files_of_the_checkout(
    checkout: Path, assay: Assay, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    """The caller may name any file, a setting or a link of the checkout may not."""
    text = {"baseline": '{"version": 1, "findings": []}', "glossary": "source,target\nfolder,Ordner\n"}[name]
    outside = tmp_path_factory.mktemp("outside") / f"{name}{'.csv' if name == 'glossary' else '.json'}"
    outside.write_text(text)
    link = checkout / f"link{outside.suffix}"
    link.symlink_to(outside)
    assert assay(["review", "--no-predict", f"--{name}", str(outside)])[0] == 0
    code, _, error = assay(["review", "--no-predict", f"--{name}", link.name])
    assert code == 2 and "leads out of" in error
    for path in (str(outside), f"../outside/{outside.name}", link.name, ".git/config"):
        (checkout / "assay.toml").write_text(f'[review]\n{name} = "{path}"\n')
        code, _, error = assay(["review", "--no-predict"])
        assert code == 2 and "leads out of" in error, path
    (checkout / f"own{outside.suffix}").write_text(text)
    (checkout / "assay.toml").write_text(f'[review]\n{name} = "own{outside.suffix}"\n')
    assert assay(["review", "--no-predict"])[0] == 0


def test_configurations_and_reports_are_no_links_elsewhere(
    checkout: Path, assay: Assay, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "assay.toml"
    outside.write_text("[review]\n")
    (checkout / "report.md").symlink_to(outside)
    assert assay(["review", "--no-predict", "--config", str(outside)])[0] == 0
    assert assay(["review", "--no-predict", "--report", "report.md"])[0] == 2
    assert outside.read_text() == "[review]\n"
    (checkout / "assay.toml").symlink_to(outside)
    assert assay(["review", "--no-predict"])[0] == 2


def test_a_folder_without_git_is_reviewed_whole(tmp_path: Path, assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, en=ENGLISH, de=GERMAN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    code, out, _ = assay(["review", "--no-predict"])
    assert code == 0 and "3 strings judged" in out
    assert assay(["review", "--no-predict", "--since", "main"])[0] == 2


def test_renamed_and_deleted_files_are_no_changes_of_strings(checkout: Path, assay: Assay) -> None:
    write(checkout, fr=GERMAN)
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "two")
    git(checkout, "checkout", "-qb", "third")
    (checkout / "texts").mkdir()
    git(checkout, "mv", "locales/de.json", "texts/de.json")
    git(checkout, "mv", "locales/en.json", "texts/en.json")
    git(checkout, "rm", "-q", "locales/fr.json")
    assert assay(["review", "--since", "work", "--no-predict"])[0] == 3


@pytest.mark.parametrize("options", [[], ["--allow-empty"]])
def test_a_lost_translation_is_no_empty_run(checkout: Path, assay: Assay, options: list[str]) -> None:
    arguments = ["review", "--since", "main", "--no-predict", *options]
    write(checkout, de={**GERMAN, "hi": "", "keep": "Diese Datei nicht löschen."})
    code, out, _ = assay(arguments)
    assert code == 1 and "error missing: [hi]" in out
    (checkout / "locales" / "de.json").write_text("[]")
    code, out, _ = assay(arguments)
    assert code == 1 and out.count("error missing") == len(GERMAN)
    (checkout / "locales" / "de.json").unlink()
    code, out, _ = assay(arguments)
    assert code == 1 and "locales/de.json:1:1: error missing" in out and "hi, folder, keep" in out
    assert assay([*arguments, "--language", "fr"])[0] == (0 if options else 3)


def test_forms_of_services(checkout: Path, assay: Assay) -> None:
    """Each form has the finding with its place."""
    write(checkout, en=ENGLISH, de={**GERMAN, "hi": "Hallo, {nom}, 50 % | <b>!"})
    outputs = {
        form: assay(["review", "--no-predict", "--format", form])[1]
        for form in ("text", "markdown", "sarif", "github", "gitlab", "junit")
    }
    assert re.search(r"^locales/de\.json:2:10: error placeholders: \[hi\]", outputs["text"], re.MULTILINE)
    assert outputs["markdown"].startswith("<!-- assay-review -->") and "50 % \\| &lt;b>!" in outputs["markdown"]
    [run_of_tool] = json.loads(outputs["sarif"])["runs"]
    first = run_of_tool["results"][0]
    assert run_of_tool["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"]
    assert first["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    assert re.match(r"::error file=locales/de\.json,line=2,col=10,endLine=2,endColumn=\d+,title=[a-z]+::hi", outputs["github"])
    assert "50 %25" in outputs["github"] and len(outputs["github"].splitlines()) == len(run_of_tool["results"])
    rows = json.loads(outputs["gitlab"])
    assert {row["location"]["path"] for row in rows} == {"locales/de.json"} and len({row["fingerprint"] for row in rows}) == len(
        rows
    )
    suite = ElementTree.fromstring(outputs["junit"])
    assert suite.get("failures") == "1"


def test_reports_are_written_beside_the_output(checkout: Path, assay: Assay) -> None:
    write(checkout, en=ENGLISH, de={**GERMAN, "hi": "Hallo, {nom}!"})
    reports = [f"report{suffix}" for suffix in (".md", ".json", ".sarif", ".xml", ".txt")]
    code, out, _ = assay(["review", "--no-predict", "--format", "github", *(f"--report={name}" for name in reports)])
    assert code == 1 and out.startswith("::error") and all("placeholder" in Path(name).read_text() for name in reports)
    assert assay(["review", "--no-predict", "--report", "x.pdf"])[0] == 2


def test_an_empty_run_may_be_allowed(checkout: Path, assay: Assay) -> None:
    assert assay(["review", "--since", "main", "--no-predict", "--allow-empty"])[0] == 0


@pytest.mark.parametrize("place", ["deploy/github/action.yml", "deploy/gitlab/review.yml", ".pre-commit-hooks.yaml"])
def test_lines_of_services_run(checkout: Path, assay: Assay, place: str) -> None:
    """Each call of `assay` in the files of services runs here, on a change with an error."""
    write(checkout, en=ENGLISH, de={**GERMAN, "hi": "Hallo, {nom}!"})
    text = (ROOT / place).read_text()
    assert yaml.safe_load(text)
    lines = re.findall(r"assay (review [^|>\n]*)", text)
    values = {"$SINCE": "main", "$CI_MERGE_REQUEST_DIFF_BASE_SHA": "main", "$OPTIONS": "--no-predict"}
    for line in lines:
        for name, value in values.items():
            line = line.replace(f'"{name}"', value).replace(name, value)
        code, out, _ = assay(shlex.split(line))
        assert code == 1 and "placeholders" in out, line
    assert lines


def test_predicted_quality_is_reported_below_a_limit(checkout: Path, assay: Assay) -> None:
    write(checkout, en=ENGLISH, de={**GERMAN, "folder": "Haus 45 grün und nicht Katze Baum."})
    code, out, _ = assay(["review", "--format", "json", "--min-quality", "0.99"])
    answer: Any = json.loads(out)
    assert code in (0, 1) and answer["files"][0]["model"] and answer["worst"][0]["confidence"] <= answer["worst"][-1]["confidence"]
    assert {row["code"] for row in answer["findings"]} >= {"quality"}


def test_a_change_for_the_worse_fails(checkout: Path, assay: Assay) -> None:
    """Each source gets the translation of another one, and then its own again."""
    pairs = PAIRS[:20]
    sources = {f"k{k}": source for k, (source, _) in enumerate(pairs)}
    good = {f"k{k}": text for k, (_, text) in enumerate(pairs)}
    shuffled = {f"k{k}": pairs[k - 1][1] for k in range(len(pairs))}
    ignored = '[review]\nsource-language = "ro"\nfail-if-worse = true\n[[review.ignore]]\ncode = "*"\nreason = "quality alone"\n'
    (checkout / "assay.toml").write_text(ignored)
    for before, after, code, outcome in ((good, shuffled, 1, "worse"), (shuffled, good, 0, "better")):
        write(checkout, ro=sources, en=before)
        git(checkout, "add", "-A")
        git(checkout, "commit", "-qm", outcome)
        write(checkout, en=after)
        end, out, _ = assay(["review", "--since", "HEAD", "--format", "text"])
        assert end == code and re.search(rf"20 changed strings: 0\.\d\d before, 0\.\d\d now \(.+\): {outcome}\.", out), out
    assert assay(["review", "--since", "HEAD", "--no-predict", "--fail-if-worse"])[0] == 2
