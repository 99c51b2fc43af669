"""Servers on each kind of database."""

from pathlib import Path

import pytest

from tests.databases import new_database
from tests.servers import Server


@pytest.fixture(params=["sqlite", "postgres"])
def both_kinds(request: pytest.FixtureRequest, own_server: Server, tmp_path: Path) -> Server:
    """A server not yet started, on each kind of database."""
    own_server.environment = {**own_server.environment, "ASSAY_DATABASE_URL": new_database(request, tmp_path)}
    return own_server
