"""Prefer: wait=SECONDS, as RFC 7240 has it: how long an answer is waited for."""

from math import inf

import httpx2
import pytest

from app.server.api.operations import _seconds

BODY = {"source_language": "ro", "target_language": "en", "segments": [{"source": "Casa.", "translation": "House."}]}


@pytest.mark.parametrize(
    ("field", "seconds"),
    [(None, inf), ("", inf), ("wait=10", 10), ('respond-async, WAIT="0.5"; x=1', 0.5), ("wait", inf), ("wait=0", inf), ("wait=²", inf), ("wait=-1, wait=1e9", inf)],
)  # fmt: skip
def test_seconds_are_read(field: str | None, seconds: float) -> None:
    assert _seconds(field) == seconds


def test_an_answer_says_that_it_was_waited_for(client: httpx2.Client) -> None:
    answer = client.post("/v1/quality", json=BODY, headers={"Prefer": "wait=60"})
    assert answer.status_code == 200 and answer.headers["Preference-Applied"] == "wait=60"
    assert "Preference-Applied" not in client.post("/v1/quality", json=BODY).headers
    late = client.post("/v1/quality", json=BODY, headers={"Prefer": "wait=0.000001"})
    assert late.status_code == 503 and late.json()["type"] == "/problems/too-slow"
