"""A process that only tags: UDPipe holds the interpreter's lock, so a server's threads would otherwise wait for each sentence.

It is asked over a pair of pipes, in JSON with the length in front, and ends when its server does.
"""

import contextlib
import json
import logging
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from ufal import udpipe

from app.resources.udpipe_words import TaggedWords, tag_words

__all__ = ["TaggingProcess", "serve"]

log = logging.getLogger("assay")
LENGTH: Final = struct.Struct("<I")
ROOT: Final = Path(__file__).resolve().parents[2]


def _write(stream: BinaryIO, content: object) -> None:
    raw = json.dumps(content).encode()
    stream.write(LENGTH.pack(len(raw)) + raw)
    stream.flush()


def _read(stream: BinaryIO) -> Any:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    return json.loads(stream.read(LENGTH.unpack(head)[0]))


class TaggingProcess:
    """One process for all models of a server; safe to ask from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def tag(self, path: Path, sentences: Sequence[Sequence[str]], parse: bool) -> list[TaggedWords]:
        """Tag sentences with the model at `path`; OSError where the process cannot do it, even when started again."""
        for attempt in (1, 2):
            with self._lock:
                try:
                    process = self._running()
                    assert process.stdin is not None
                    assert process.stdout is not None
                    _write(process.stdin, [str(path), parse, sentences])  # type: ignore[arg-type]
                    return [(tuple(tags), tuple(heads)) for tags, heads in _read(process.stdout)]  # type: ignore[arg-type]
                except (OSError, EOFError, ValueError):
                    self._end()
            log.warning("the tagging process ended (attempt %d)", attempt)
        raise OSError("the tagging process does not answer")

    def stop(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None or self._process.poll() is not None:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))}
            command = [sys.executable, "-m", "app.resources.tagging_process"]
            self._process = subprocess.Popen(
                command, env=environment, start_new_session=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            self._process.kill()
            self._process.wait()
            self._process = None


def serve(asked: BinaryIO, answered: BinaryIO) -> None:
    """Answer until the other side is gone."""
    models: dict[str, Any] = {}
    while True:
        try:
            path, parse, sentences = _read(asked)
        except (EOFError, OSError):
            return
        if path not in models:
            models[path] = udpipe.Model.load(path)
        _write(answered, [tag_words(models[path], tokens, parse) for tokens in sentences])


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
