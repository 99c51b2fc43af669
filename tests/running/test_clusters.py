"""Clusters that cannot be reached: Ray's reason is in the message. Ray itself is not needed."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from app.errors import InputError
from app.running.clusters import connected


@pytest.mark.parametrize(
    ("error", "cause", "reason"),
    [
        (
            ConnectionError("failed"),
            RuntimeError("Traceback:\n  x.py\nInvalidAuthToken: it is missing\n"),
            "failed; InvalidAuthToken",
        ),
        (ConnectionError("failed"), None, "no cluster of Ray at host:1: failed"),
        (ValueError("Ray Client requires pip package `ray[client]`"), None, r"pip install 'assay\[cluster\]'"),
        (TypeError("a fault of Assay"), None, None),
    ],
)
def test_the_reason_of_ray_is_in_the_message(
    monkeypatch: pytest.MonkeyPatch, error: Exception, cause: Exception | None, reason: str | None
) -> None:
    def fail(**_: Any) -> None:
        raise error from cause

    exceptions = SimpleNamespace(RayError=KeyError)
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False, init=fail, exceptions=exceptions))
    with pytest.raises(InputError if reason else TypeError, match=reason):
        connected("host:1")
