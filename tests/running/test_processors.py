"""Processors on systems with and without a mask of them."""

import os

import pytest

from app.running.processors import available_processors
from app.settings import Settings


def test_a_system_without_masks_has_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    assert available_processors() == len(os.sched_getaffinity(0))
    # As on macOS.
    monkeypatch.delattr(os, "sched_getaffinity")
    assert available_processors() == os.cpu_count()
    assert 1 <= Settings().encoding_threads <= 2
