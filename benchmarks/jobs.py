"""Jobs end to end over HTTP: ``python -m benchmarks.jobs DATA [--base FOLDER] [--runs 5] [--processes 1] [--job fast ...]``.

DATA is the MLQE-PE folder. Variants of its pairs of ro-en lack a word, so that few are equal. The time of a job runs from its request to
the last byte of its result. The jobs are 20,000 segments with the default predictor in `fast`, 2,000 in `accurate`, and a PO catalogue
of 50,000 messages in `fast` with the scores written into it. `pickup` is the time between a small job's creation and its start.
``--base`` measures a second checkout in turns with this one. Processor seconds are those of the server with its workers.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2

from app.text.reading.tables import read_column
from benchmarks.processes import processor_seconds, with_descendants
from benchmarks.start_up import ROOT, environment
from tests.servers import Server, free_port

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENTS = {"fast": 20_000, "accurate": 2000, "annotated": 50_000, "pickup": 1}
POLL = 0.02
LONGEST_SECONDS = 600.0
PICKUPS = 20
Rows = list[tuple[str, str]]


def rows_of(data: Path, count: int, seed: int) -> Rows:
    """Pairs of texts. Each round through the pairs of MLQE-PE lacks another word of both texts."""
    table = data / "ro-en" / "train.tsv.gz"
    pairs = list(zip(*(read_column(f"{table}:{name}") for name in ("source", "translation")), strict=True))
    rounds = (divmod(k, len(pairs)) for k in range(seed * count, (seed + 1) * count))
    return [(without_word(source, n), without_word(translation, n)) for n, k in rounds for source, translation in [pairs[k]]]


def without_word(text: str, number: int) -> str:
    """A text without one of its words, or as it is for the number 0."""
    words = text.split()
    return " ".join(word for k, word in enumerate(words) if not number or k != number % len(words))


def catalogue(rows: Rows) -> bytes:
    """A PO catalogue of messages."""
    head = 'msgid ""\nmsgstr ""\n"Language: en\\n"\n"X-Source-Language: ro\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    messages = (f"\nmsgid {json.dumps(s, ensure_ascii=False)}\nmsgstr {json.dumps(t, ensure_ascii=False)}\n" for s, t in rows)
    return (head + "".join(messages)).encode()


def posted(client: httpx2.Client, rows: Rows, profile: str) -> dict[str, Any]:
    """The view of a job of segments in JSON."""
    segments = [{"source": source, "translation": translation} for source, translation in rows]
    body = {"kind": "quality", "params": {**PAIR, "profile": profile, "segments": segments}}
    return dict(client.post("/v1/jobs", json=body).raise_for_status().json())


def uploaded(client: httpx2.Client, raw: bytes) -> dict[str, Any]:
    """The view of a job of a catalogue."""
    fields = {"kind": "quality", "params": json.dumps({"profile": "fast", "bands": "risk"})}
    answer = client.post("/v1/jobs", data=fields, files={"file": ("messages.po", raw)})
    return dict(answer.raise_for_status().json())


def ended(client: httpx2.Client, view: dict[str, Any]) -> dict[str, Any]:
    """The view of a job at its end."""
    begin = time.perf_counter()
    while view["state"] in ("queued", "running") and time.perf_counter() - begin < LONGEST_SECONDS:
        time.sleep(POLL)
        view = client.get(f"/v1/jobs/{view['id']}").json()
    if view["state"] != "succeeded":
        raise SystemExit(f"a job is {view['state']}: {view['error']}")
    return view


def moment(view: dict[str, Any], name: str) -> float:
    """A time of a job in seconds."""
    return datetime.fromisoformat(view[name]).timestamp()


def run_of(server: Server, job: str, rows: Rows) -> dict[str, float]:
    """Seconds of the parts of a job, and processor seconds of the server."""
    assert server.process is not None
    raw = catalogue(rows) if job == "annotated" else b""
    with server.client(LONGEST_SECONDS) as client:
        before, begin = processor_seconds(*with_descendants(server.process.pid)), time.perf_counter()
        view = uploaded(client, raw) if raw else posted(client, rows, "accurate" if job == "accurate" else "fast")
        queue_time = time.perf_counter()
        view = ended(client, view)
        end_time = time.perf_counter()
        form = "annotated" if raw else "json"
        size = len(client.get(f"/v1/jobs/{view['id']}/result", params={"format": form}).raise_for_status().content)
        result_time = time.perf_counter()
        work = processor_seconds(*with_descendants(server.process.pid)) - before
    if size < len(rows):
        raise SystemExit("a result has fewer bytes than segments")
    return {
        "all": result_time - begin, "request": queue_time - begin, "wait": end_time - queue_time, "result": result_time - end_time,
        "work": moment(view, "finished") - moment(view, "started"), "processor": work,
    }  # fmt: skip


def pickup_of(server: Server, rows: Rows) -> dict[str, float]:
    """Milliseconds between the creation and the start of small jobs: median and maximum."""
    times = []
    with server.client() as client:
        for _ in range(PICKUPS):
            view = ended(client, posted(client, rows, "fast"))
            times.append(1000 * (moment(view, "started") - moment(view, "created")))
    return {"median ms": statistics.median(times), "maximum ms": max(times)}


@contextmanager
def server_of(root: Path, processes: int, port: int) -> Iterator[Server]:
    """A server of a checkout with one worker."""
    with TemporaryDirectory() as folder:
        variables = environment(root, ASSAY_WORKERS="1", ASSAY_PROCESSES=str(processes))
        server = Server(Path(folder), variables, port, root=root)
        server.start()
        try:
            # The worker has loaded once it has done a job.
            with server.client() as client:
                ended(client, posted(client, [("Casa este mare.", "The house is big.")], "accurate"))
            yield server
        finally:
            server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--base", type=Path, help="a checkout to compare with")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--processes", type=int, default=1, help="processes of the server that answer")
    parser.add_argument("--job", action="append", choices=list(SEGMENTS), help="measure only this job")
    parser.add_argument("--port", type=int, help="port of the first server (default any)")
    options = parser.parse_args()
    roots = [*([options.base.resolve()] if options.base else []), ROOT]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {options.processes} processes, {options.runs} runs in turns")
    with ExitStack() as stack:
        ports = [free_port() if options.port is None else options.port + number for number in range(len(roots))]
        servers = [stack.enter_context(server_of(root, options.processes, port)) for root, port in zip(roots, ports, strict=True)]
        for job in options.job or SEGMENTS:
            turns = [[measured(server, job, options.data, seed) for server in servers] for seed in range(options.runs + 1)]
            print(f"\n{job}: {SEGMENTS[job]} segments; median (least-most)")
            for number, root in enumerate(roots):
                # The first turn warms up.
                print(f"  {root.name}: {figures([turn[number] for turn in turns[1:]])}", flush=True)


def measured(server: Server, job: str, data: Path, seed: int) -> dict[str, float]:
    """One run of a job."""
    run: Callable[[Server, Rows], dict[str, float]] = pickup_of if job == "pickup" else lambda s, rows: run_of(s, job, rows)
    return run(server, rows_of(data, SEGMENTS[job], seed))


def figures(runs: Sequence[dict[str, float]]) -> str:
    """Medians with extremes, by name."""
    return "; ".join(
        f"{name} {statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"
        for name in runs[0]
        for values in [[run[name] for run in runs]]
    )


if __name__ == "__main__":
    main()
