"""Pages of the documentation: links, length, places in an index, and reference pages as fresh as the code."""

import re
from pathlib import Path

import pytest

from app.settings import ROOT
from scripts.reference import reference_pages, with_tables

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
# Links of Markdown: [text](target); targets with a scheme lead to other hosts.
LINK = re.compile(r"\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
# A path of the repository in a page: whole, or short as "jobs/lease.py"; names in capitals stand for any name.
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
FOLDERS = [ROOT, ROOT / "app", ROOT / "app" / "server"]
SOURCES = ("app", "client", "tests", "scripts", "benchmarks")
# Types of files, and folders of an installation.
OTHER_PATHS = (
    "text/plain",
    "text/csv",
    "text/tab-separated-values",
    "text/x-gettext-translation",
    "resources/de-en/",
    "resources/en-zh",
    "resources/zh-",
)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    text = FENCE.sub("", path.read_text("utf-8"))
    headings = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", [ROOT / "README.md", *PAGES, *sorted((ROOT / "examples").rglob("*.md"))], ids=name_of)
def test_links_lead_somewhere(path: Path) -> None:
    text = CODE.sub("", FENCE.sub("", path.read_text("utf-8")))
    for target, anchor in LINK.findall(text):
        place = (path.parent / target).resolve() if target else path
        assert place.exists(), f"{target} is no file"
        if anchor:
            assert anchor in anchors(place), f"{target}#{anchor} is no heading"


def test_help_links_of_the_pages_lead_to_a_heading() -> None:
    text = "".join(path.read_text("utf-8") for path in (ROOT / "app" / "server" / "web" / "templates").glob("*.html"))
    links = re.findall(r'(?:about\(_, "|href="/help/)([\w/-]+)\.html#?([\w-]*)"', text)
    assert len(links) > 5
    for page, anchor in links:
        assert not anchor or anchor in anchors(DOCS / f"{page}.md"), f"{page}#{anchor} is no heading"
        assert (DOCS / f"{page}.md").is_file(), page


@pytest.mark.parametrize("path", [ROOT / "README.md", *PAGES], ids=name_of)
def test_named_files_and_folders_exist(path: Path) -> None:
    """Every path that ends in .py, or begins with a folder of the sources."""
    rooms = {folder.name for base in FOLDERS[1:] for folder in base.iterdir() if folder.is_dir()} | {*SOURCES}
    for name in PATH.findall(FENCE.sub("", path.read_text("utf-8"))):
        source = name.endswith(".py") or name.partition("/")[0] in rooms
        if source and not CAPITALS.search(name) and not name.startswith(OTHER_PATHS):
            assert any((folder / name).exists() for folder in FOLDERS), f"{name} is no file"


@pytest.mark.parametrize("path", [path for path in PAGES if path.parent.name != "reference"], ids=name_of)
def test_a_page_has_at_most_1500_words(path: Path) -> None:
    """Tables and blocks aside: they are looked up, not read."""
    text = re.sub(r"^\|.*$", "", FENCE.sub("", path.read_text("utf-8")), flags=re.MULTILINE)
    assert len(text.split()) <= 1500


def test_the_readme_has_at_most_80_lines() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 80


def test_every_page_is_in_an_index() -> None:
    indexed = {DOCS / "index.md"}
    for index in DOCS.rglob("index.md"):
        indexed |= {(index.parent / target).resolve() for target, _ in LINK.findall(index.read_text("utf-8"))}
    assert set(PAGES) <= indexed


def test_reference_pages_say_what_the_code_says() -> None:
    """`python -m scripts.reference` writes them."""
    pages = reference_pages()
    assert {path.name for path in (DOCS / "reference").glob("*.md")} == pages.keys()
    assert [name for name, text in pages.items() if (DOCS / "reference" / name).read_text("utf-8") != text] == []
    assert [name_of(path) for path in PAGES if with_tables(path.read_text("utf-8")) != path.read_text("utf-8")] == []
