"""Plots of names that a drawing library would fail at."""

import pytest
from starlette.requests import Request

from app.server.web.plots import BucketsPlot, ScoresPlot, buckets, scores

REQUEST = Request({"type": "http", "headers": [], "query_string": b""})


def drawn(name: str) -> str:
    """SVG of scores with a name as title and as system."""
    body = ScoresPlot.model_validate({"title": name, "systems": [{"system": name, "score": 1.0, "low": 0.5, "high": 1.5}]})
    return bytes(scores(body, REQUEST).body).decode()


# The first character ended the server's process; the others gave a status of 500.
@pytest.mark.parametrize("name", ["a\0b", "a\x1bb", "a\ufffeb", "a\nb", "a\u2028b", "🙂" * 100, '"', "<b>&'", "]]>"])
def test_any_name_is_drawn(name: str) -> None:
    assert drawn(name).startswith("<svg")


@pytest.mark.parametrize("name", ["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf"])
def test_names_of_objects_are_names(name: str) -> None:
    point = {"series": name, "bucket": name, "value": 1.0}
    answer = buckets(BucketsPlot.model_validate({"title": name, "axis": name, "points": [point]}), REQUEST)
    # A chart without marks has a tenth of the bytes.
    assert len(drawn(name)) > len(drawn("a")) / 2 and len(bytes(answer.body)) > 2000


def test_a_title_is_no_expression() -> None:
    # The rest of the title would be computed: a list of a thousand million numbers.
    assert "sequence" in drawn('\\"+length(sequence(1000000000))+\\"')
    assert "a⧵" in drawn("a\\b")
