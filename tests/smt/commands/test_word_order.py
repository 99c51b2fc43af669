"""The profile of a word-aligned text, by its command: tables, JSON and a page with plots."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app.errors import InputError
from app.smt.commands.corpus.reordering_page import reordering_page
from app.smt.preordering.profile import ReorderingProfile, profile_of, read_profile
from tests.commands import assay
from tests.smt.preordering.test_profile import links_of


@pytest.fixture
def call(tmp_path: Path) -> list[str]:
    for name, text in (("s", "a b c d\ne f\n"), ("t", "w x y z\nu v\n"), ("l", "0-1 1-3 2-0 3-2\n\n")):
        (tmp_path / name).write_text(text)
    return ["smt", "profile-reordering", *(str(tmp_path / name) for name in "stl")]


def test_profile_of_files(tmp_path: Path, call: list[str]) -> None:
    result = json.loads(assay(*call, "--format", "json").stdout)
    assert result["arities"] == {"4": 1} and result["operators"] == {"P2413": 1}
    assert (result["sentences"], result["linked_sentences"], result["itg_coverage"]) == (2, 1, 0)
    assert "operators: P2413" in assay(*call).stdout
    (tmp_path / "l").write_text("0-1\n0-2\n")
    failure = assay(*call)
    assert failure.returncode != 0 and "line 2" in failure.stderr


def test_profiles_side_by_side(tmp_path: Path, call: list[str]) -> None:
    (tmp_path / "other.json").write_text(json.dumps(profile_of([(3, links_of([2, 1, 0]))]).as_json()))
    beside = ["--beside", f"{tmp_path}/other.json"]
    rows = [line.split("\t") for line in assay(*call, *beside, "--format", "tsv").stdout.splitlines()]
    assert rows[0] == ["measure", "s to t", "other"]
    assert ["arities: 2", "0", "1"] in rows and ["arities: 4", "1", "0"] in rows and ["operators: P21", "0", "2"] in rows
    assert list(json.loads(assay(*call, *beside, "--format", "json").stdout)) == ["s to t", "other"]
    assert "is given twice" in assay(*call, *beside, *beside).stderr
    named = [option for name in "abcdefgh" for option in ("--beside", f"{name}={tmp_path}/other.json")]
    assert "at most 7" in assay(*call, *named).stderr


class Page(HTMLParser):
    """Tags of a page, and the cells of each table row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str | None] = []
        self.rows: list[list[str]] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "style") or name.startswith("on")]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        self.inside = tag in ("td", "th", "bdi")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


# Two sentences are inverted, one has P2413; of five steps three go over two words and two over three.
CORPUS = [(2, links_of([1, 0])), (2, links_of([1, 0])), (4, links_of([1, 3, 0, 2]))]


@pytest.mark.parametrize("name", ["measure", "a\nb"])
def test_names_that_spoil_a_table_are_refused(tmp_path: Path, call: list[str], name: str) -> None:
    (tmp_path / "other.json").write_text(json.dumps(profile_of([(3, links_of([2, 1, 0]))]).as_json()))
    failure = assay(*call, "--beside", f"{name}={tmp_path}/other.json")
    assert failure.returncode != 0 and "printable" in failure.stderr


def test_a_page_has_plots_and_their_numbers() -> None:
    text = reordering_page({"corpus": profile_of(CORPUS)})
    page = Page(text)
    assert not page.addresses and not page.tags & {"script", "link", "img", "iframe", "a"}
    style = text.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in text
    for row in (
        ["sentences that binary trees can reorder", "66.7 %"],
        ["2", "2", "66.7 %", "66.7 %"],
        ["4", "1", "33.3 %", "100.0 %"],
        ["P21", "A B becomes B A", "2", "66.7 %"],
        ["P2413", "A B C D becomes C A D B", "1", "33.3 %"],
        ["2", "3", "60.0 %", "60.0 %"],
        ["3", "2", "40.0 %", "100.0 %"],
    ):
        assert row in page.rows, row
    drawings = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]
    assert len(drawings) == text.count('role="img" aria-label=') == 3


def test_names_are_text_and_each_corpus_has_a_column() -> None:
    hostile = "<script>alert(1)</script> \u05e2"
    page = Page(reordering_page({"en-de": profile_of(CORPUS), hostile: profile_of([(2, links_of([0, 1]))])}))
    assert "script" not in page.tags
    assert ["measure", "en-de", hostile] in page.rows
    assert ["P12", "A B stays A B", "0", "100.0 %"] in page.rows


def test_pages_of_text_without_a_count() -> None:
    text = reordering_page({"a": profile_of([(3, links_of([]))]), "b": ReorderingProfile(0, 0, 0, 0, 1.0, operators={"P12": 0})})
    assert text.count("to count.") == 3 and "<svg" not in text


def test_rare_operators_share_a_row() -> None:
    wide = {"P" + ",".join(map(str, range(1, n))): 1 for n in range(20, 40)}
    page = Page(reordering_page({"a": ReorderingProfile(1, 1, 1, 1, 1.0, operators={"P11": 50, **wide})}))
    assert ["7 others", "", "7", "10.0 %"] in page.rows
    assert ["P11", "", "50", "71.4 %"] in page.rows
    assert all(len(row[0]) <= 60 for row in page.rows)


@pytest.mark.parametrize(
    "content",
    [
        "[]", "{", '{"sentences": 1}', "{}",
        *(
            json.dumps({**ReorderingProfile(1, 1, 1, 1, 1.0).as_json(), **change})
            for change in ({"words": -1}, {"kendall": 2}, {"arities": {"x": 1}}, {"operators": {"<b>": 1}}, {"distances": {"1": 1e30}})
        ),
    ],
)  # fmt: skip
def test_other_files_are_no_profiles(tmp_path: Path, content: str) -> None:
    (tmp_path / "p.json").write_text(content)
    with pytest.raises(InputError, match=r"no profile of.*p\.json"):
        read_profile(tmp_path / "p.json")


def test_a_profile_is_read_as_it_was_written(tmp_path: Path) -> None:
    profile = profile_of(CORPUS)
    (tmp_path / "p.json").write_text(json.dumps(profile.as_json()))
    assert read_profile(tmp_path / "p.json") == profile
