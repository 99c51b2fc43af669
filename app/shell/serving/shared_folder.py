"""A folder for files that the processes of a server share."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["METRICS_VARIABLE", "shared_folder"]

# The folder in which prometheus-client, when it is imported, begins to keep counts in files.
METRICS_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def shared_folder() -> Iterator[Path]:
    """A folder until the end of the context; enter it before the import of prometheus-client, which keeps its files there."""
    folder = Path(tempfile.mkdtemp(prefix="assay-"))
    os.environ[METRICS_VARIABLE] = str(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
