"""Running `assay` in tests: in this process, which spares its start, or in one of its own where a process is what is tested."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path
from unittest.mock import patch

from app.settings import ROOT
from app.shell.here import engine_here, settings_here
from app.shell.program import run

__all__ = ["assay", "assay_process"]

Done = subprocess.CompletedProcess[str]


def assay(*arguments: str, stdin: str | None = None, data: Path | None = None) -> Done:
    """What a command prints and returns; nothing that it loaded is left behind, as if its process had ended."""
    streams = [_stream((stdin or "").encode()), _stream(), _stream()]
    status: object = 0
    with _as_in_a_process(["assay", *arguments], streams, _environment(data)):
        try:
            run()
        except SystemExit as end:
            status = end.code
    out, err = (_written(stream) for stream in streams[1:])
    return subprocess.CompletedProcess(arguments, status if isinstance(status, int) else 0 if status is None else 1, out, err)


def assay_process(*arguments: str, stdin: str | None = None, data: Path | None = None) -> Done:
    """The same of a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments], cwd=ROOT, input=stdin, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, **_environment(data)},
    )  # fmt: skip


def _environment(data: Path | None) -> Mapping[str, str]:
    return {"ASSAY_DATA_DIR": str(data)} if data else {}


def _stream(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@contextmanager
def _as_in_a_process(argv: list[str], streams: list[io.TextIOWrapper], environment: Mapping[str, str]) -> Iterator[None]:
    stdin, stdout, stderr = streams
    replaced = (patch.object(sys, "argv", argv), patch.object(sys, "stdin", stdin), patch.object(sys, "stdout", stdout))
    _forget()
    try:
        with (
            replaced[0],
            replaced[1],
            replaced[2],
            patch.object(sys, "stderr", stderr),
            patch.dict(os.environ, environment),
            chdir(ROOT),
        ):
            yield
    finally:
        _forget()


def _forget() -> None:
    settings_here.cache_clear()
    engine_here.cache_clear()
