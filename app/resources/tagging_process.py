"""A separate process for tagging: UDPipe holds the interpreter's lock, so the threads of a server would wait for each sentence.

Requests and answers are JSON with a length in front, over a pair of pipes. The process ends with its server.
"""

import json
import logging
import os
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

from ufal import udpipe

from app.resources.udpipe_words import TaggedWords, tag_words

__all__ = ["Tagging", "TaggingProcess", "serve"]

log = logging.getLogger("assay")
Tagging = Future[list[TaggedWords]]
# Time in which the process starts and loads a model.
START_SECONDS: Final = 30.0
LENGTH: Final = struct.Struct("<I")
ROOT: Final = Path(__file__).resolve().parents[2]


def _write(stream: IO[bytes], content: object) -> None:
    raw = json.dumps(content).encode()
    stream.write(LENGTH.pack(len(raw)) + raw)
    stream.flush()


def _read(stream: IO[bytes]) -> Any:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    return json.loads(stream.read(LENGTH.unpack(head)[0]))


class TaggingProcess:
    """A process for all models of a server. Any thread may send requests, also before earlier answers arrive."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: queue.SimpleQueue[Tagging | None] = queue.SimpleQueue()
        self._receiving: threading.Thread | None = None
        self._paths: set[Path] = set()

    def resume(self) -> None:
        """Start the process again, as after a fork, and wait until it has the models that it had."""
        for tagging in [self.begin(path, [["a"]], False) for path in sorted(self._paths)]:
            wait([tagging], START_SECONDS)

    def begin(self, path: Path, sentences: Sequence[Sequence[str]], parse: bool) -> Tagging:
        """Request the tags of sentences by the model at `path`; ``result()`` waits for the answer and may raise OSError."""
        tagging: Tagging = Future()
        with self._lock:
            self._paths.add(path)
            try:
                process = self._running()
                assert process.stdin is not None
                self._waiting.put(tagging)
                _write(process.stdin, [str(path), parse, sentences])
            except (OSError, ValueError):
                self._end()
        return tagging

    def stop(self) -> None:
        """End the process, and the thread that receives its answers."""
        with self._lock:
            self._end()
        if self._receiving is not None:
            self._receiving.join()
            self._receiving = None

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None or self._process.poll() is not None:
            self._end()
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))}
            command = [sys.executable, "-m", "app.resources.tagging_process"]
            self._process = subprocess.Popen(
                command, env=environment, start_new_session=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            self._waiting = queue.SimpleQueue()
            self._receiving = threading.Thread(target=_receive, args=(self._process, self._waiting), name="tagging", daemon=True)
            self._receiving.start()
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
            self._waiting.put(None)


def _receive(process: "subprocess.Popen[bytes]", waiting: "queue.SimpleQueue[Tagging | None]") -> None:
    """Set the answers of waiting requests in order; after the end of the process, raise OSError in all of them."""
    assert process.stdout is not None
    has_ended = False
    while (tagging := waiting.get()) is not None:
        try:
            if has_ended:
                raise EOFError
            tagging.set_result([(tuple(tags), tuple(heads)) for tags, heads in _read(process.stdout)])
        except (OSError, EOFError, ValueError):
            if not has_ended:
                log.warning("the tagging process ended")
                process.kill()
            has_ended = True
            tagging.set_exception(OSError("the tagging process does not answer"))


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until the stream ends."""
    models: dict[str, Any] = {}
    while True:
        try:
            path, parse, sentences = _read(requests)
        except (EOFError, OSError):
            return
        if path not in models:
            models[path] = udpipe.Model.load(path)
        _write(answers, [tag_words(models[path], tokens, parse) for tokens in sentences])


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
