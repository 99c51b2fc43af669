"""The page of reviews without a browser: meanings of codes, and comments from answers that a page sends."""

import json
import re
from typing import Any

import pytest
from httpx2 import Client

from app.operations.review.request import MEANINGS

STRING = {
    "path": "de.json",
    "line": 2,
    "key": "a",
    "language": "de",
    "confidence": 0.5,
    "source": "A|B",
    "translation": "Alles klar",
}
ANSWER: dict[str, Any] = {
    "strings": 1,
    "verdict": "clean",
    "counts": {},
    "ignored_findings": 0,
    "findings": [],
    "worst": [{**STRING, "wrong_spans": [[0, 5]]}],
    "files": [],
}


def test_the_page_knows_every_code(client: Client) -> None:
    page = client.get("/review", headers={"Accept-Language": "de"})
    assert page.status_code == 200 and '<html lang="de"' in page.text
    meanings = re.search(r'id="meanings">(.*?)</script>', page.text)
    assert meanings is not None and json.loads(meanings[1]) == MEANINGS


def test_an_answer_becomes_a_comment(client: Client) -> None:
    comment = client.post("/review/comment.md", json=ANSWER)
    assert comment.status_code == 200 and comment.headers["content-type"].startswith("text/markdown")
    assert "| 0.50 | `de.json:2` | A\\|B | <strong>Alles</strong> klar |\n\n</details>" in comment.text


@pytest.mark.parametrize("spans", [[[0, 5]] * 1000, [[6, 10], [0, 5]], [[-3, 2]], [[9, 10**9]], [[5, 1]]])
def test_spans_of_a_page_do_not_multiply_its_texts(client: Client, spans: list[list[int]]) -> None:
    comment = client.post("/review/comment.md", json={**ANSWER, "worst": [{**STRING, "wrong_spans": spans}]})
    assert comment.status_code == 200
    assert comment.text.splitlines()[-3].rpartition(" | ")[2].replace("<strong>", "").replace("</strong>", "") == "Alles klar |"


@pytest.mark.parametrize("body", [{}, [], {**ANSWER, "verdict": "x"}, {**ANSWER, "worst": [{**STRING, "wrong_spans": [[1]]}]}])
def test_other_bodies_are_refused(client: Client, body: object) -> None:
    assert client.post("/review/comment.md", json=body).status_code == 422
