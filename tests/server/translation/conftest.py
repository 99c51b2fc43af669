"""Fixtures: a small service for each test."""

from collections.abc import Iterator

import pytest

from tests.server.translation.small_service import SmallService, small_service


@pytest.fixture
def service() -> Iterator[SmallService]:
    with small_service() as running:
        yield running
