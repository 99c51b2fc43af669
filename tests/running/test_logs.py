"""The log: one line a record whatever is logged, and nothing in it that somebody sent."""

import contextvars
import json
import logging
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from app.running.logs import LogFormat, _JsonLines, _TextLines
from app.running.request_context import begin_request, request_here, work_for_job
from app.settings import ROOT

HOSTILE = "a\nb\r\n2027-01-31 INFO forged\x1b[2J\x00\u2028\u0085end"


def written(form: LogFormat, message: str, *args: object, error: BaseException | None = None, **fields: object) -> str:
    record = logging.LogRecord("assay", logging.INFO, "", 1, message, args, None)
    record.fields = fields
    record.exc_info = (type(error), error, error.__traceback__) if error is not None else None
    return (_JsonLines("") if form == "json" else _TextLines("")).format(record)


def apart(call: Callable[[], Any]) -> Any:
    """In a context of its own, so that no request stays behind."""
    return contextvars.copy_context().run(call)


def failure() -> ValueError:
    try:
        try:
            raise KeyError("marker-of-a-text")
        except KeyError as error:
            raise ValueError("marker-of-another\nforged") from error
    except ValueError as error:
        return error


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_record_is_one_line(form: LogFormat) -> None:
    line = written(form, "it is %s", HOSTILE, name=HOSTILE)
    assert len(line.splitlines()) == 1 and line.isprintable()
    if form == "json":
        content = json.loads(line)
        assert content["message"] == f"it is {HOSTILE}" and content["name"] == HOSTILE and content["level"] == "info"


def test_text_has_fields_as_names_and_values() -> None:
    line = written("text", "request", route="/v1/jobs/{id}", key="", nothing=None, name='a "b" c')
    assert line.endswith(r'INFO request route=/v1/jobs/{id} key="" name="a \"b\" c"')


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_exception_says_its_place_and_quotes_nothing_where_a_request_led_to_it(form: LogFormat) -> None:
    def of_a_request() -> str:
        begin_request("192.0.2.1", "request-1", "")
        return written(form, "failed", error=failure())

    def of_a_job() -> str:
        work_for_job("j" * 32)
        return written(form, "failed", error=failure())

    line = apart(of_a_request)
    assert "ValueError" in line and "because of KeyError" in line and "test_logs.py" in line and "in failure" in line
    assert "marker" not in line and "request-1" in line
    line = apart(of_a_job)
    assert "marker" not in line and "j" * 32 in line
    # At the start, where nobody has asked anything, it says what is wrong.
    line = written(form, "loading failed", error=failure())
    assert "marker-of-another" in line
    assert all(part.startswith("  ") for part in line.splitlines()[1:])


@pytest.mark.parametrize(
    ("header", "traceparent", "id"),
    [
        ("abc-1234", "", "abc-1234"), ("a" * 64, "", "a" * 64), ("short", "", None), ("a" * 65, "", None), ("a b c d e f", "", None),
        ("abcdefg\n", "", None), ("ăîșțâăîșț", "", None), ("assay_12345678_0000", "", None), ("", "", None),
        ("", f"00-{'a' * 32}-{'b' * 16}-01", "a" * 32), ("abc-1234", f"00-{'a' * 32}-{'b' * 16}-01", "abc-1234"),
        ("", f"00-{'0' * 32}-{'b' * 16}-01", None), ("", f"ff-{'a' * 32}-{'b' * 16}-01", None), ("", "00-xyz", None),
    ],
)  # fmt: skip
def test_a_request_has_an_id(header: str, traceparent: str, id: str | None) -> None:
    context = apart(lambda: begin_request("", header, traceparent))
    assert context.id == id if id is not None else len(context.id) == 32
    assert (context.traceparent is not None) == (traceparent.startswith("00-aaa"))
    assert request_here() is None


def test_a_worker_writes_the_same_form() -> None:
    program = (
        "from app.running.logs import install_logs; from app.running.request_context import work_for_job; import logging;"
        "install_logs('json', 'warning', 'worker'); log = logging.getLogger('assay.worker'); log.info('no');"
        "work_for_job('j1'); log.warning('yes'); logging.getLogger('other').info('no')"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    [line] = ran.stderr.splitlines()
    content = json.loads(line)
    assert (content["message"], content["job"], content["role"], content["level"]) == ("yes", "j1", "worker", "warning")
