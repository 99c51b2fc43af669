"""Commands begin as in a process of their own, but what ships is loaded for all of them at once."""

from collections.abc import Iterator

import pytest

from tests.shipped import loaded_once


@pytest.fixture(scope="package", autouse=True)
def what_ships() -> Iterator[None]:
    """Each command has an engine of its own, and reads its settings and its data; what ships is the same for all."""
    with loaded_once():
        yield
