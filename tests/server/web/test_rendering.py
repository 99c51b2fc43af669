"""Reports with their marks, and plots of what a page sends."""

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from app.server.web.report import marked_pieces

SVG = "{http://www.w3.org/2000/svg}"


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.booleans()), max_size=5))
def test_marks_leave_the_text_as_it_is(text: str, places: list[tuple[int, int, bool]]) -> None:
    words = [
        {"start": min(a, b), "end": max(a, b), "tag": "BAD" if bad else "OK"} for a, b, bad in places if max(a, b) <= len(text)
    ]
    assert "".join(piece for piece, _ in marked_pieces(text, words)) == text


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("scores", {"title": "bleu", "systems": [{"system": "a", "score": 30, "low": 28, "high": 32}, {"system": "ă & <b>", "score": 20, "low": 18, "high": 22}]}),
        ("buckets", {"title": "bleu", "axis": "words", "points": [{"series": "a", "bucket": "0-9", "value": 1.0, "low": 0.5, "high": 1.5}]}),
        ("curve", {"points": [{"rows": 50, "pearson": 0.1, "mae": 0.2}, {"rows": 100, "pearson": 0.3, "mae": 0.1}]}),
    ],
)  # fmt: skip
def test_plots_are_svg_and_bounded(client: httpx2.Client, name: str, body: dict[str, object]) -> None:
    answer = client.post(f"/plots/{name}.svg", json=body)
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert etree.fromstring(answer.content).tag == f"{SVG}svg"
    assert client.post(f"/plots/{name}.svg", json={**body, "more": 1}).status_code == 422
    key = "systems" if name == "scores" else "points"
    assert client.post(f"/plots/{name}.svg", json={**body, key: list(body[key]) * 300}).status_code == 422  # type: ignore[call-overload]
    assert client.post(f"/plots/{name}.svg", json={**body, key: []}).status_code == 422


def test_reports_are_of_quality_jobs_alone(client: httpx2.Client) -> None:
    assert client.get("/jobs/" + "0" * 32 + "/report").status_code == 404
    assert client.get("/jobs/" + "0" * 32 + "/curve.json").status_code == 404
