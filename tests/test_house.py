"""Habits of the house: exports, documentation, names, sizes."""

import ast
import importlib
import re
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from app.errors import PROBLEMS
from app.operations.catalogue import OPERATIONS
from app.predictors.learners.gp.gpy_kernels import GPY_KERNELS
from app.predictors.training.selection import METHODS
from app.settings import ROOT, Settings
from app.text.side_information import KINDS

MODULES = sorted(path for path in (ROOT / "app").rglob("*.py") if "migrations" not in path.parts and path.name != "__main__.py")
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core", "manager"}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_exports_what_all_says(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree), "a module says what it is"
    defined = {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_")
    }  # fmt: skip
    module: ModuleType = importlib.import_module(name_of(path))
    exported = getattr(module, "__all__", None)
    if exported is None:
        assert path.name == "__init__.py" and not defined
        return
    assert len(set(exported)) == len(exported)
    assert all(hasattr(module, name) for name in exported)
    # Everything public that is defined at the top is exported, unless its module keeps it to itself.
    assert {name for name in exported if name in defined} <= defined
    assert path.stem not in VAGUE
    assert len(path.read_text("utf-8").split("\n")) <= 350


def documented(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def test_every_setting_has_a_description() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_every_kind_of_side_information_is_documented() -> None:
    text = documented("use/features.md")
    assert all(f"| `{kind.request_field}` |" in text for kind in KINDS)


def test_every_kind_of_job_is_documented() -> None:
    text = documented("use/jobs.md")
    assert all(f"`{name}`" in text for name, operation in OPERATIONS.items() if operation.steps is not None)


def test_every_selection_and_kernel_is_documented() -> None:
    """Tables hold the rest; `tests/documentation` holds these fresh."""
    text = documented("use/predictors.md")
    for name in (*METHODS, *GPY_KERNELS):
        assert f"`{name}`" in text, name


# Packages whose name in Python is another, and those that another package imports, with the text of ours that asks for it.
IMPORTED = {"prometheus-client": "prometheus_client", "pyyaml": "yaml", "scikit-learn": "sklearn",
            "typing-extensions": "typing_extensions",
    "ufal.udpipe": "ufal", "ufal-kenlm": "kenlm", "vl-convert-python": "vl_convert"}  # fmt: skip
ASKED_FOR = {"psycopg": "postgresql+psycopg://", "python-multipart": "request.form(",
    "sacremoses": 'find_spec("sacremoses")'}  # fmt: skip


def test_every_dependency_has_its_place_and_its_line() -> None:
    text = documented("extend/dependencies.md")
    code = "\n".join(path.read_text("utf-8") for folder in ("app", "client") for path in (ROOT / folder).rglob("*.py"))
    imported = {found[1] for found in re.finditer(r"^\s*(?:import|from) (\w+)", code, re.MULTILINE)}
    named = set()
    for project in ("pyproject.toml", "client/pyproject.toml"):
        wanted = tomllib.loads((ROOT / project).read_text("utf-8"))["project"]["dependencies"]
        named |= {re.split(r"[\[<>=~!; ]", each)[0] for each in wanted}
    for package in named:
        assert f"\n| `{package}` | " in text, package
        if package in ASKED_FOR:
            assert ASKED_FOR[package] in code, package
        else:
            assert IMPORTED.get(package, package) in imported, package
    assert set(re.findall(r"^\| `([\w.-]+)` \|", text, re.MULTILINE)) == named


LETTERS = re.compile(r"[A-Za-z]{2,}")


@pytest.mark.parametrize("path", sorted((ROOT / "app" / "server" / "web" / "templates").glob("*.html")), ids=lambda path: path.stem)
def test_every_text_of_a_page_can_be_translated(path: Path) -> None:
    """What stands between tags is a name or goes through the catalogue; so do attributes that are read out."""
    text = re.sub(
        r"\{#.*?#\}|\{%.*?%\}|<script.*?</script>|<code>.*?</code>|<pre.*?</pre>", "", path.read_text("utf-8"), flags=re.DOTALL
    )
    # Plural forms have braces of their own.
    text = re.sub(r'\b_\("(?:[^"\\]|\\.)*"', "_(", text)
    spoken = re.findall(r'(?:aria-label|alt|title|placeholder)="([^"]*(?:\{\{.*?\}\}[^"]*)?)"', text)
    plain = [re.sub(r"\{\{.*?\}\}", "", each, flags=re.DOTALL) for each in [*spoken, *re.findall(r">([^<]+)<", text)]]
    said = [each.strip() for each in plain if LETTERS.search(each)]
    # Names that are the same in every language.
    assert set(said) <= {"Assay", "· Assay", "Assay  ·", "TSV", "JSON", "JSONL", "Markdown", "openapi.json"} | {
        each for each in said if each.startswith("· Assay")
    }


@pytest.mark.parametrize("path", sorted((ROOT / "app" / "server" / "web" / "static").glob("*.js")), ids=lambda path: path.stem)
def test_every_text_of_a_script_can_be_translated(path: Path) -> None:
    """A string that reads like a sentence stands in a call of t()."""
    text = re.sub(r"^\s*//.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
    for found in re.finditer(r'(?<!t\()"([A-Z][^"]*[a-z] [^"]*)"', text):
        raise AssertionError(found[1])


def test_every_problem_that_is_raised_is_in_the_catalogue() -> None:
    raised = set()
    for path in MODULES:
        raised |= set(re.findall(r'(?:InputError|problem_response)\(\s*"([a-z-]+)"', path.read_text("utf-8")))
    assert raised <= PROBLEMS.keys()


def test_nothing_is_a_link() -> None:
    """Archives, Windows and some copies turn a symbolic link into a file with a path in it."""
    tracked = subprocess.run(["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert [line for line in tracked.splitlines() if line.startswith("120000")] == []


def test_nothing_names_a_registry_or_runs_code_when_read() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    if not tracked:
        pytest.skip("this is not a git checkout")
    for name in tracked:
        path = ROOT / name
        if path.suffix in (".py", ".toml", ".lock", ".md", ".yml", "") and path.is_file() and path.stat().st_size < 10**6:
            text = path.read_text("utf-8", "replace")
            assert not re.search(r"--[i]ndex-url|--[f]ind-links |registry\.[n]pmjs|pypi\.org/[s]imple", text), name
            if name.startswith("app/"):
                assert not re.search(r"^\s*(import|from) (pickle|joblib|dill|shelve|marshal)\b", text, re.MULTILINE), name
    data = [ROOT / name for name in tracked if name.startswith(("models/", "resources/")) or "/data/" in name]
    assert sum(path.stat().st_size for path in data if path.is_file()) < 200e6


def test_numbers_of_the_results_are_those_of_the_cards() -> None:
    import json

    text = documented("results.md")
    rows = re.findall(r"^\| ([a-z]{2}-[a-z]{2})((?: \| [\d.]+){6}) \|$", text, re.MULTILINE)
    assert len(rows) == 14
    corrected = json.loads((ROOT / "models" / "cross-e5-small" / "cross-encoder.json").read_text())["accuracy"]["words"]
    for row, (pair, cells) in enumerate(rows):
        texts, log_probs = (95, 105) if row < 7 else (104, 114)
        numbers = cells.removeprefix(" | ").split(" | ")
        blends = (f"da-blend-{texts}", f"da-blend-{log_probs}", f"hter-blend-{texts}", f"hter-blend-{log_probs}")
        for model, number in zip(blends, numbers[:4], strict=True):
            card = json.loads((ROOT / "models" / f"{pair}-{model}" / "card.json").read_text())
            assert f"{card['accuracy']['pearson']:.3f}" == number, (pair, model)
        for model, number in zip(("words", "words-nmt"), numbers[4:], strict=True):
            card = json.loads((ROOT / "models" / f"{pair}-{model}" / "word-tags.json").read_text())
            revised = corrected[f"{pair}-{model}"]
            mcc = revised["revised"] if row >= 7 and revised["kept"] else card["accuracy"]["words"]["mcc"]
            assert f"{mcc:.3f}" == number, (pair, model)
