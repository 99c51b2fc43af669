"""The comment of a review, rendered by a parser of CommonMark: texts of users stay texts."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.operations.review.comment import markdown_review

PARSER = MarkdownIt("commonmark").enable("table")
# GitHub's filters: names, numbers, and addresses in texts outside of code.
LIVE = re.compile(r"@\w|#\d|\bGH-\d|://|\bwww\.", re.IGNORECASE)
HOSTILE = (
    "`\n\n# Approved\n\n@octocat merge <!-- ",
    "``` `` ` @octocat",
    "a\\|b|c|d\\",
    "<img src=x><!-- --> &#64;octocat &commat;octocat",
    "![image](https://example.org/a.png) [a](b)",
    "https://example.org www.example.org a@example.org",
    "closes #12, GH-12 and octo/repo#12",
    "\ue000bold\ue001\ue002",
    "\x1b[31m\x00\u2028\u202e~~x~~ **x** __x__ $x$",
)


def answer(path: str, key: str, text: str) -> dict[str, Any]:
    """A review with one finding and one string of low quality, whose texts are all hostile."""
    row = {"path": path, "line": 3, "column": 1, "key": key, "source": text, "translation": text}
    finding = {
        **row,
        "end_line": 3,
        "end_column": 2,
        "code": "placeholders",
        "severity": "error",
        "message": f"a message: {text}",
        "source_spans": [],
        "translation_spans": [],
    }
    worst = {**row, "line": 4, "confidence": 0.1, "wrong_spans": [(0, 1), (1, 3)]}
    counts = {"error": 1, "warning": 0, "info": 0}
    return {"strings": 2, "verdict": "findings", "counts": counts, "ignored_findings": 0, "findings": [finding], "worst": [worst]}


def tables(comment: str) -> list[list[list[ElementTree.Element]]]:
    """Cells of the rows of all tables. The comment holds nothing else but its own lines."""
    html = PARSER.render(comment)
    body = ElementTree.fromstring(f"<body>{html.removeprefix('<!-- assay-review -->').replace('<br>', '<br/>')}</body>")
    assert [part.tag for part in body] == ["p", "table", "details"], html
    assert {part.tag for part in body.iter()} <= {
        *["body", "p", "strong", "br", "code", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"]
    }, html
    return [[list(row) for row in table.iter("tr")][1:] for table in body.iter("table")]


def outside_of_code(cell: ElementTree.Element) -> list[str]:
    """Texts of a cell as GitHub's filters read them."""
    parts = [] if cell.tag == "code" else [cell.text or ""]
    return parts + [text for child in cell for text in [*outside_of_code(child), child.tail or ""]]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_texts_stay_in_their_cells(hostile: str) -> None:
    [[cells], [worst]] = tables(markdown_review(answer(hostile, hostile, hostile)))
    assert len(cells) == 6 and len(worst) == 4
    for cell in (*cells, *worst):
        assert not any(LIVE.search(text) for text in outside_of_code(cell)), hostile
        assert cell.find("a") is None and cell.find("img") is None
    assert len(worst[3].findall("strong")) <= 2 and all(cell.find("strong") is None for cell in cells)


@given(st.text(min_size=1, max_size=60), st.text(alphabet="`\\|[]()!<>@#1a&;*_~\n -", min_size=1, max_size=40))
def test_any_text_is_shown_as_it_is(text: str, markup: str) -> None:
    for hostile in (text, markup):
        [[cells], [_]] = tables(markdown_review(answer("de.json", hostile, "x")))
        assert len(cells) == 6
        shown = "".join(cells[2].itertext()).replace("\u200b", "")
        if hostile.isprintable() and "\u200b" not in hostile:
            assert " ".join(shown.split()) == " ".join(hostile.split()) or hostile.lstrip().startswith("::")


def test_plain_paths_are_code_and_others_are_texts() -> None:
    [[[_, place, *_]], _] = tables(markdown_review(answer("locales/de @x/a.json", "a", "x")))
    assert [child.tag for child in place] == ["code"] and place[0].text == "locales/de @x/a.json:3"
    [[[_, place, *_]], _] = tables(markdown_review(answer("a`|\n<!--.json", "a", "x")))
    assert place.text == "a`|\\n<!--.json:3" and not list(place)


def test_earlier_texts_stand_below_the_present_ones() -> None:
    review = answer("de.json", "a", "new")
    review["findings"][0] |= {"earlier_translation": "old *x*"}
    review["worst"][0] |= {"earlier_translation": "older"}
    [[[*_, source, translation]], [[*_, worst]]] = tables(markdown_review(review))
    assert "".join(source.itertext()) == "new" and "".join(translation.itertext()) == "newbefore: old *x*"
    assert "".join(worst.itertext()) == "newbefore: older" and [child.tag for child in translation] == ["br"]


def test_the_comment_says_how_far_it_looked() -> None:
    review = answer("de.json", "a", "x")
    files = [
        {"path": f"{k}.json", "language": language, "judged_strings": k, "missing": 2}
        for k, language in enumerate(["fr", "de", "de"])
    ]
    assert (
        "Judged strings by language: de (3). Structure, numbers and negation were checked; quality was not predicted. "
        in markdown_review({**review, "files": files})
    )
    assert "wait for a translation: de (4), fr (2)." in markdown_review({**review, "files": files})
    assert "not predicted" not in markdown_review({**review, "files": [{**files[1], "model": "m"}]})


def test_a_lost_text_is_shown_as_lost() -> None:
    review = answer("de.json", "a", "Speichern")
    review["findings"][0] |= {"code": "missing"}
    [[[*_, translation]], _] = tables(markdown_review(review))
    assert "".join(translation.itertext()) == "(removed)before: Speichern"


def test_places_have_addresses() -> None:
    comment = markdown_review(answer("de)>a.json", "a", "x"), lambda path, line: f"https://example.org/{path[0]}#L{line}")
    links = re.findall(r'<a href="([^"]*)">', PARSER.render(comment))
    assert links == ["https://example.org/d#L3", "https://example.org/d#L4"]


@pytest.mark.parametrize("text", ["a", "&" * 300, "`$<" * 100, "\u202e" * 200])
def test_a_comment_fits_where_it_goes(text: str) -> None:
    """GitHub refuses more than 65,536 characters. Rows that are left out are counted."""
    review = answer("p" * 900 + ".json", text, text)
    review["findings"] = [{**review["findings"][0], "line": line, "message": f"{line} {text}"} for line in range(1, 400)]
    review["findings"] += [{**row, "severity": "info", "key": "i"} for row in review["findings"]]
    review["worst"] = [{**review["worst"][0], "key": f"w{k}", "earlier_translation": text} for k in range(10)]
    comment = markdown_review(review, lambda path, line: f"https://example.org/{path}#{line}")
    assert 1000 < len(comment) < 65_536
    shown = len(re.findall(r"^\| Error ", comment, re.MULTILINE))
    assert f"… and {399 - shown} further strings." in comment and shown > 3


def test_a_path_is_no_link_of_its_own() -> None:
    """The brackets of a path do not end those of the link around it."""
    review = answer("locales/de/a`[x](http:/evil.example/p).json", "k", "text")
    html = PARSER.render(markdown_review(review, lambda path, line: f"https://example.org/#L{line}"))
    assert set(re.findall(r'href="([^"]*)"', html)) == {"https://example.org/#L3", "https://example.org/#L4"}


def test_errors_that_pass_are_named() -> None:
    review = {**answer("de.json", "k", "text"), "verdict": "clean"}
    assert "let the errors pass" in markdown_review(review)
