"""What the client does when a server is busy, or not there, against answers made here."""

import asyncio
import pickle
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from assay_client import AssayError, AsyncClient, Client, QuotaError
from assay_client.repeating import pause_after_answer

JOB = {"id": "1", "state": "succeeded"}


class Wire:
    """A transport that gives these answers one after the other; an exception is raised."""

    def __init__(self, *answers: httpx2.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def busy(after: str | None = "0", status: int = 503) -> httpx2.Response:
    headers = {} if after is None else {"Retry-After": after}
    return httpx2.Response(status, headers=headers, json={"type": "/problems/overloaded", "detail": "later"})


def fine(content: Any) -> httpx2.Response:
    return httpx2.Response(200, json=content)


def waiting(wire: Wire, ask: Callable[[Any], Any]) -> Any:
    with Client("http://x", transport=httpx2.MockTransport(wire)) as assay:
        return ask(assay)


def awaited(wire: Wire, ask: Callable[[Any], Any]) -> Any:
    async def run() -> Any:
        async with AsyncClient("http://x", transport=httpx2.MockTransport(wire)) as assay:
            return await ask(assay)

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses, which take no time here."""
    taken: list[float] = []

    async def awaited_pause(seconds: float) -> None:
        taken.append(seconds)

    monkeypatch.setattr(time, "sleep", taken.append)
    monkeypatch.setattr(asyncio, "sleep", awaited_pause)
    return taken


BOTH = pytest.mark.parametrize("of", [waiting, awaited])


@BOTH
def test_a_busy_server_is_asked_again_when_it_says(of: Any, pauses: list[float]) -> None:
    wire = Wire(busy("7"), busy(None, 429), fine({"models": []}))
    assert of(wire, lambda assay: assay.models()) == []
    assert pauses == [7.0, 1.0] and len(wire.requests) == 3


@BOTH
def test_a_server_that_stays_busy_is_asked_four_times(of: Any) -> None:
    wire = Wire(*(busy() for _ in range(9)))
    with pytest.raises(AssayError) as refused:
        of(wire, lambda assay: assay.resources())
    assert (refused.value.code, refused.value.status, refused.value.detail) == ("overloaded", 503, "later")
    assert len(wire.requests) == 4


def test_retry_after_is_seconds_or_a_date_and_has_a_limit() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert pause_after_answer(busy(soon), 1, 2) == pytest.approx(30, abs=2)
    assert pause_after_answer(busy("Wed, 21 Oct 2015 07:28:00 GMT"), 1, 2) == 0
    assert pause_after_answer(busy("in a while"), 3, 4) == 2.0
    assert pause_after_answer(busy("3600"), 1, 2) is None
    assert pause_after_answer(fine({}), 1, 2) is None


def limited(after: str | None) -> httpx2.Response:
    headers = {"RateLimit": '"segments-per-minute";r=0;t=20', **({} if after is None else {"Retry-After": after})}
    problem = {"type": "/problems/quota-exceeded", "detail": "used", "violated-policies": ["segments-per-minute"]}
    return httpx2.Response(429, headers=headers, json=problem)


@BOTH
def test_a_quota_is_waited_for_where_that_is_soon_and_of_help(of: Any, pauses: list[float]) -> None:
    assert of(Wire(limited("20"), fine({"models": []})), lambda assay: assay.models()) == []
    assert pauses == [20.0]
    for after, told in (("86400", 86400.0), (None, None)):
        wire = Wire(limited(after))
        with pytest.raises(QuotaError) as refused:
            of(wire, lambda assay: assay.models())
        error = pickle.loads(pickle.dumps(refused.value))
        assert (error.code, error.status, error.retry_after, error.limits) == (
            "quota-exceeded",
            429,
            told,
            ("segments-per-minute",),
        )
    assert pauses == [20.0]


@BOTH
def test_a_submit_whose_answer_was_lost_makes_one_job(of: Any) -> None:
    wire = Wire(httpx2.ReadError("reset"), busy(), fine(JOB), fine(JOB))
    of(wire, lambda assay: assay.submit("quality", {}))
    keys = {request.headers["idempotency-key"] for request in wire.requests}
    assert len(wire.requests) == 3 and len(keys) == 1
    of(wire, lambda assay: assay.submit("quality", {}))
    assert wire.requests[-1].headers["idempotency-key"] not in keys


@BOTH
def test_a_form_is_sent_again_whole(of: Any, tmp_path: Path) -> None:
    (tmp_path / "f.tsv").write_text("a\tb\n")
    wire = Wire(busy(), fine(JOB))
    of(wire, lambda assay: assay.submit_file(tmp_path / "f.tsv", {"n": 1}, owner="Ana", key="k"))
    first, second = (request.read() for request in wire.requests)
    assert b"a\tb\n" in second and b'{"n": 1}' in second and b"Ana" in second
    assert len(first) == len(second)
    assert [request.headers["idempotency-key"] for request in wire.requests] == ["k", "k"]


@BOTH
@pytest.mark.parametrize(
    ("failure", "ask", "times"),
    [
        (httpx2.ConnectError("refused"), lambda assay: assay.models(), 1),
        (httpx2.ReadTimeout("late"), lambda assay: assay.models(), 1),
        (httpx2.RemoteProtocolError("cut"), lambda assay: assay.models(), 4),
        (httpx2.RemoteProtocolError("cut"), lambda assay: assay.feedback("m", []), 1),
        (httpx2.RemoteProtocolError("cut"), lambda assay: assay.promote("m"), 1),
    ],
)
def test_no_answer_is_an_error_with_its_cause(of: Any, failure: Exception, ask: Callable[[Any], Any], times: int) -> None:
    wire = Wire(*[failure] * 9)
    with pytest.raises(AssayError) as raised:
        of(wire, ask)
    assert (raised.value.code, raised.value.status) == ("unreachable", 0)
    assert str(raised.value).startswith("http://x did not answer") and raised.value.__cause__ is failure
    assert len(wire.requests) == times


def test_an_answer_that_is_no_problem_document_is_told_of() -> None:
    for status, body in ((502, b"<html>"), (502, b"[]"), (200, b"<html>")):
        with pytest.raises(AssayError) as refused:
            waiting(Wire(httpx2.Response(status, content=body)), lambda assay: assay.models())
        assert (refused.value.code, refused.value.status) == ("http-error", status)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_an_address_that_is_none_is_unreachable_and_errors_travel(kind: type) -> None:
    with pytest.raises(AssayError) as raised:
        kind("http://\n")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (copy.code, str(copy)) == ("unreachable", str(raised.value))


def test_what_is_not_given_is_not_sent_and_names_are_quoted() -> None:
    wire = Wire(fine({}), fine({}))
    waiting(wire, lambda assay: assay.quality("ro", "en", (("a", "b"),), model=None))
    assert (
        wire.requests[0].read()
        == b'{"source_language": "ro", "target_language": "en", "segments": [{"source": "a", "translation": "b"}]}'
    )
    waiting(wire, lambda assay: assay.model("../jobs?x"))
    assert wire.requests[1].url.raw_path == b"/v1/models/..%2Fjobs%3Fx"
    with pytest.raises(ValueError):
        waiting(Wire(), lambda assay: assay.correlate([float("nan"), 1.0], {"m": [1, 2]}))
