"""Runs over files of HTTP servers on this machine, with parts of files and without."""

import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import InputError
from app.scale.estimates import rows_of
from app.scale.files.shards import shards_of
from app.scale.runs import ColumnsTask, Summary, run
from tests.scale.test_runs import Lengths, rows, write

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
pytest.importorskip("aiohttp", reason="aiohttp is not installed: make .venv/.engines")

FILES: dict[str, bytes] = {}


class Files(http.server.BaseHTTPRequestHandler):
    """Answers with files; below `parts/`, with the parts that requests name, and below `unsized/` without a length."""

    protocol_version = "HTTP/1.0"

    def do_HEAD(self) -> None:
        self._answer(is_whole=False)

    def do_GET(self) -> None:
        self._answer(is_whole=True)

    def _answer(self, is_whole: bool) -> None:
        _, folder, name = self.path.split("/")
        body, status, part = FILES[name], 200, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if folder == "parts" and part is not None:
            begin, end = int(part[1]), min(int(part[2]) + 1, len(body))
            content_range = f"bytes {begin}-{end - 1}/{len(body)}"
            body, status = body[begin:end], 206
        self.send_response(status)
        if status == 206:
            self.send_header("Content-Range", content_range)
        self.send_header("Accept-Ranges", "bytes" if folder == "parts" else "none")
        if folder != "unsized":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if is_whole:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{found.server_port}"
        found.shutdown()
        thread.join()


@pytest.fixture
def files(tmp_path: Path) -> None:
    for kind in (".tsv", ".jsonl", ".parquet"):
        FILES[f"pairs{kind}"] = write(tmp_path, kind, rows(300)).read_bytes()


@pytest.mark.parametrize("kind", [".tsv", ".jsonl", ".parquet"])
@pytest.mark.usefixtures("files")
def test_parts_of_files_are_read(server: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.files.shards.SHARD_BYTES", 2000)
    monkeypatch.setattr("app.scale.files.shards.SHARD_ROWS", 100)
    shards = shards_of([f"{server}/parts/pairs{kind}"])
    assert len(shards) > 2 and sum(map(rows_of, shards)) == 300
    assert run(ColumnsTask(Lengths(), f"{tmp_path}/out"), shards, map) == Summary(len(shards), 0, 300, 0, ())


@pytest.mark.usefixtures("files")
def test_a_server_without_parts_of_files_is_named(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = [f"{server}/whole/pairs.parquet", f"{server}/whole/pairs.tsv"]
    summary = run(ColumnsTask(Lengths(), f"{tmp_path}/out"), shards_of(addresses), map)
    [failure] = summary.failures
    assert (
        failure.error
        == "invalid-table: pairs.parquet cannot be read: its server sends no parts of files, only whole ones; copy it to a disk or a bucket"
    )
    assert summary.rows == 300
    # Files that no buffer holds whole.
    monkeypatch.setattr("app.scale.files.remote_bytes.BUFFER", 1000)
    monkeypatch.setattr("app.scale.files.shards.SHARD_BYTES", 2000)
    failures = run(ColumnsTask(Lengths(), f"{tmp_path}/parts"), shards_of(addresses[1:]), map).failures
    assert failures and all("its server sends no parts of files" in str(failure.error) for failure in failures)


@pytest.mark.usefixtures("files")
def test_a_server_without_sizes_is_named(server: str) -> None:
    with pytest.raises(InputError, match="its server does not say its size"):
        shards_of([f"{server}/unsized/pairs.tsv"])
