"""Configuration of reviews: found from subfolders, and never lost without a word."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.shell.test_review import ENGLISH, GERMAN, Assay, assay, checkout, write

__all__ = ["assay", "checkout"]

RUN = ["review", "--no-predict"]


def broken(folder: Path) -> None:
    write(folder, en=ENGLISH, de={**GERMAN, "hi": "Hallo, {nom}!"}, fr={**GERMAN, "hi": "Bonjour, {nom} !"})


def test_a_subfolder_reads_the_configuration_of_the_root(checkout: Path, assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(checkout)
    (checkout / "assay.toml").write_text('[review]\npaths = ["locales"]\nbaseline = "known.json"\n')
    assert assay(RUN + ["--update-baseline", "--baseline", "known.json"])[0] == 0
    (checkout / "deep" / "er").mkdir(parents=True)
    (checkout / "deep" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    monkeypatch.chdir(checkout / "deep" / "er")
    code, out, _ = assay(RUN)
    assert code == 0 and "known finding" in out
    (checkout / "deep" / "pyproject.toml").write_text("[tool.assay.review]\nfail-on = 'info'\n")
    assert assay(RUN)[0] == 3, "its folder holds no translations"
    (checkout / "deep" / "pyproject.toml").write_text("[tool.assay.review]\npaths = ['..']\n")
    assert assay(RUN)[0] == 1


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("assay.toml", "[reviews]\nfail-on = 'info'\n", "reviews"),
        ("assay.toml", "fail-on = 'info'\n[review]\n", "fail-on"),
        ("assay.toml", "review = 3\n", "review"),
        ("pyproject.toml", "tool = 3\n", "tool.assay is no table"),
        ("pyproject.toml", "[tool]\nassay = 3\n", "tool.assay is no table"),
        ("pyproject.toml", "[tool.assay]\nfail-on = 'info'\n", "tool.assay.fail-on"),
        ("pyproject.toml", "[tool.assay]\nreview = [1]\n", "review"),
    ],
)
def test_lost_keys_are_refused(checkout: Path, assay: Assay, name: str, text: str, place: str) -> None:
    (checkout / name).write_text(text)
    code, _, error = assay(RUN)
    assert code == 2 and name in error and place in error


def test_projects_without_a_table_have_no_configuration(checkout: Path, assay: Assay) -> None:
    (checkout / "pyproject.toml").write_text("[tool.ruff]\nline-length = 1\n")
    assert assay(RUN)[0] == 0


@pytest.mark.parametrize("pattern", ["locales/fr", "locales/fr/", "./locales/fr/", "locales/f*", "**/fr", "*/fr/a.json"])
def test_a_folder_excludes_all_below_it(checkout: Path, assay: Assay, pattern: str) -> None:
    for language, text in (("en", "Hello {a}"), ("fr", "Bonjour"), ("de", "Hallo {a}")):
        folder = checkout / "locales" / language
        folder.mkdir()
        (folder / "a.json").write_text(f'{{"k": "{text}"}}')
    assert assay(RUN)[0] == 1
    (checkout / "assay.toml").write_text(f'[review]\nexclude = ["{pattern}"]\n')
    assert assay(RUN)[0] == 0


@pytest.mark.parametrize("arguments", [["--language", "de"], ["--since", "main"]])
def test_a_baseline_of_a_part_is_refused(checkout: Path, assay: Assay, arguments: list[str]) -> None:
    broken(checkout)
    assert assay([*RUN, "--baseline", "known.json", "--update-baseline"])[0] == 0
    text = (checkout / "known.json").read_text()
    code, _, error = assay([*RUN, "--baseline", "known.json", "--update-baseline", *arguments])
    assert code == 2 and "leave --since and --language out" in error and (checkout / "known.json").read_text() == text


@pytest.mark.parametrize(("fail_on", "failures"), [("error", 1), ("warning", 2), ("info", 3)])
def test_failures_of_junit_are_those_of_the_exit(checkout: Path, assay: Assay, fail_on: str, failures: int) -> None:
    english = {"a": "Hello {name}", "b": "Delete all the files", "c": "Remove all the files", "d": "Save the file now"}
    for number, key in enumerate("abd"):
        sources = {k: english[k] for k in ("bc" if key == "b" else key)}
        texts = {"a": "Hallo", "b": "Alle Dateien löschen", "c": "Alle Dateien löschen", "d": "Save the file now"}
        folder = checkout / f"part{number}"
        folder.mkdir()
        write(folder, en=sources, de={k: texts[k] for k in sources})
    code, out, _ = assay([*RUN, "--fail-on", fail_on, "--format", "junit"])
    suite = ElementTree.fromstring(out)
    assert code == 1 and suite.get("failures") == str(failures) == str(len(list(suite.iter("failure"))))
    assert all(word in out for word in ("placeholders", "ambiguous", "untranslated"))


@pytest.mark.parametrize(("extra", "status"), [("", 2), ("--report r.json", 0)])
def test_a_closed_output_is_no_pass(checkout: Path, extra: str, status: int) -> None:
    command = f"{sys.executable} -m app review --no-predict {extra} >&-"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    result = subprocess.run(["sh", "-c", command], cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == status and ("standard output is closed" in result.stderr) is (status == 2)
