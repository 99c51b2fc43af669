"""Measurements of a checkout: each runs in one checkout and returns one number."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

from benchmarks.compare.texts import corpus, n_best_lists, segments
from benchmarks.compare.tree import environment_of
from benchmarks.service import load, requests
from tests.servers import Server

__all__ = ["Checkout", "MeasurementError", "opened_checkout", "work_texts"]

WORK: Final = Path(__file__).with_name("work.py")
PAIR: Final = "ro-en"
# Segments of the works of one checkout, of one load of a server, and of a job.
WORK_SEGMENTS, LOAD_REQUESTS, JOB_SEGMENTS = 12_000, 600, 1000
CONNECTIONS: Final = 8
LONGEST_SECONDS: Final = 300.0
# Seconds between two looks at a job.
POLL: Final = 0.02


class MeasurementError(Exception):
    """A checkout lacks the work, or the work fails there."""


class Checkout:
    """A checkout with a process for works in it, which starts at its first work, and a server while it is needed."""

    def __init__(self, root: Path, folder: Path, texts: Path, closing: ExitStack) -> None:
        """Take a folder for data, a file of `work_texts`, and a stack that ends the processes."""
        self.root = root
        self._folder, self._texts, self._closing = folder, texts, closing
        self._process: subprocess.Popen[str] | None = None
        self._server: Server | None = None
        self._seed = 0

    def command(self) -> float:
        """Processor seconds of `assay quality` of one line, with its children."""
        table = self._folder / "line.tsv"
        table.write_text("source\ttranslation\n" + "\t".join(segments(1, 1)[0]) + "\n", "utf-8")
        return self._processor_seconds(["-m", "app", "quality", str(table), "--pair", PAIR])

    def imports(self) -> float:
        """Processor seconds of the import of the server."""
        return self._processor_seconds(["-c", "import app.main"])

    def _processor_seconds(self, arguments: list[str]) -> float:
        with (self._folder / "log").open("w+", encoding="utf-8") as log:
            environment = environment_of(self.root, self._folder)
            process = subprocess.Popen([sys.executable, *arguments], cwd=self.root, env=environment, stdout=log, stderr=log)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                log.seek(0)
                raise MeasurementError(last_line(log))
        return usage.ru_utime + usage.ru_stime

    def work(self, name: str) -> float:
        """Processor seconds of a work of `benchmarks.compare.work`."""
        if self._process is None:
            self._process = self._closing.enter_context(self._worker())
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the process ended"}
        if "error" in answer:
            raise MeasurementError(answer["error"])
        return float(answer["seconds"])

    @contextmanager
    def _worker(self) -> Iterator["subprocess.Popen[str]"]:
        command = [sys.executable, "-P", str(WORK), str(self._texts)]
        environment = environment_of(self.root, self._folder)
        with (self._folder / "work.log").open("w") as log:
            process = subprocess.Popen(
                command, cwd=self._folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
            try:
                yield process
            finally:
                process.kill()
                process.communicate()

    def _running_server(self) -> Server:
        if self._server is None:
            data = self._folder / "data"
            data.mkdir()
            server = Server(data, {**environment_of(self.root, data), "ASSAY_WORKERS": "1"}, root=self.root)
            self._closing.callback(server.stop)
            server.start()
            self._server = server
        return self._server

    def requests(self) -> float:
        """Requests of one segment that a server answers in a second at eight connections; the client shares its cores."""
        server = self._running_server()
        self._seed += 1
        messages = requests(segments(self._seed, LOAD_REQUESTS), PAIR, 1, LOAD_REQUESTS, self._seed, "fast")
        seconds, _, codes, _ = asyncio.run(load(server.port, messages, CONNECTIONS))
        if set(codes) != {200}:
            raise MeasurementError(f"statuses {dict(codes)}")
        return LOAD_REQUESTS / seconds

    def job(self) -> float:
        """Wall seconds of a job in `fast`, from its request to its end."""
        server = self._running_server()
        self._seed += 1
        source, target = PAIR.split("-")
        rows = [{"source": text, "translation": translation} for text, translation in segments(self._seed, JOB_SEGMENTS)]
        params = {"source_language": source, "target_language": target, "profile": "fast", "segments": rows}
        with server.client() as client:
            begin = time.perf_counter()
            view = client.post("/v1/jobs", json={"kind": "quality", "params": params}).raise_for_status().json()
            while view["state"] in ("queued", "running") and time.perf_counter() - begin < LONGEST_SECONDS:
                time.sleep(POLL)
                view = client.get(f"/v1/jobs/{view['id']}").json()
            seconds = time.perf_counter() - begin
        if view["state"] != "succeeded":
            raise MeasurementError(f"the job is {view['state']}")
        return seconds


@contextmanager
def opened_checkout(root: Path, folder: Path, texts: Path) -> Iterator[Checkout]:
    """A checkout whose processes end with the context."""
    folder.mkdir()
    with ExitStack() as closing:
        yield Checkout(root, folder, texts, closing)


def work_texts() -> str:
    """Texts of all works as JSON."""
    return json.dumps({"segments": segments(0, WORK_SEGMENTS), "corpus": corpus(4, 1000), "lists": n_best_lists(200, 30)})


def last_line(log: IO[str]) -> str:
    """The last line of a log that has characters."""
    return next((line.strip() for line in reversed(log.read().splitlines()) if line.strip()), "no message")
