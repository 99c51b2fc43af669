"""Room on the disks that a server writes to."""

import logging
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Final

from sqlalchemy import Engine as Database
from sqlalchemy import insert
from sqlalchemy.orm import Session

from app.errors import disk_full, is_disk_full
from app.server.store.tables import FeedbackRow
from app.settings import Settings

__all__ = ["DiskSpace", "free_bytes"]

log = logging.getLogger("assay")
# Size of a test file, written and deleted to check that writing works.
PROBE_BYTES: Final = 1 << 20
PROBE_SECONDS: Final = 1.0


class DiskSpace:
    """Room on the disks of the data folder, of temporary files, and of the database; safe to use from any thread."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings = settings
        self._database = database
        self._lock = threading.Lock()
        self._is_refused = False
        self._probe_time = 0.0

    def require(self) -> None:
        """InputError if too little is free for new work: running work needs the rest, and so does deletion."""
        for folder in self._folders():
            free = free_bytes(folder)
            if free is not None and free < self._settings.min_free_bytes:
                raise disk_full("the disk of the service has less room than ASSAY_MIN_FREE_BYTES; ask again when there is more")

    def note_refusal(self) -> None:
        """Note a failed write: the service is not ready until a write succeeds again."""
        with self._lock:
            if not self._is_refused:
                log.warning("there is no room on a disk: requests that need it are refused")
            self._is_refused = True

    def check(self) -> None:
        """InputError on a full disk; after a failed write, a test file checks the disk at most once a second."""
        self.require()
        with self._lock:
            if not self._is_refused:
                return
            if time.monotonic() - self._probe_time > PROBE_SECONDS:
                self._probe_time = time.monotonic()
                self._is_refused = not self._can_write()
                if not self._is_refused:
                    log.info("there is room again")
            if self._is_refused:
                raise disk_full("a disk of the service is full; it is tried again every second")

    def _folders(self) -> list[Path]:
        return [self._settings.data_dir, Path(tempfile.gettempdir())]

    def _can_write(self) -> bool:
        try:
            for folder in self._folders():
                with tempfile.TemporaryFile(dir=folder) as file:
                    file.write(bytes(PROBE_BYTES))
                    file.flush()
            if self._database.dialect.name != "sqlite":
                self._try_database()
        except Exception as error:
            if not is_disk_full(error):
                raise
            return False
        return True

    def _try_database(self) -> None:
        """Let the database take a row that is then taken back."""
        row = {
            "id": "", "created": 0.0, "pair": "", "label": "", "value": 0.0, "held_back": 1, "origin": "", "owner": "",
            "content": os.urandom(PROBE_BYTES),
        }  # fmt: skip
        with Session(self._database) as session:
            session.execute(insert(FeedbackRow), [row])
            session.rollback()


def free_bytes(folder: Path) -> int | None:
    """Free bytes on the disk of a folder; None if the disk does not report them. No file can be made without an entry."""
    try:
        status = os.statvfs(folder)
    except OSError:
        return None
    return 0 if status.f_files and not status.f_favail else status.f_bavail * status.f_frsize
