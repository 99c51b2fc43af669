"""Profiles `fast` and `accurate` on a local server: ``python -m benchmarks.profiles DATA [--requests N] [--document N]``.

DATA is the MLQE-PE folder, so that texts are new to the server. Requests of one segment follow each other over one connection. Profiles
alternate, so that other load meets both alike. Then comes a document in one call, with requests of one segment beside it, then eight
connections at once, and last memory. Processor time is that of the server with its tagging process. Wall time rises with the load of the
machine, which the output has.
"""

import argparse
import asyncio
import os
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from benchmarks.processes import megabytes, processor_seconds, with_descendants
from benchmarks.service import load, pool, requests
from tests.servers import Server

PAIRS = ("ro-en", "en-de", "en-fr")
WARM = 10


def body(pair: str, rows: list[tuple[str, str]], profile: str) -> dict[str, Any]:
    source, target = pair.split("-")
    segments = [{"source": source_text, "translation": translation} for source_text, translation in rows]
    return {"source_language": source, "target_language": target, "profile": profile, "segments": segments}


def server_seconds(server: Server) -> float:
    """Processor seconds of a server and its living descendants."""
    assert server.process is not None
    return processor_seconds(*with_descendants(server.process.pid))


def load_average() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def single_requests(client: httpx2.Client, rows: dict[str, list[tuple[str, str]]], count: int) -> None:
    print(f"\nOne segment a request, one connection, {count} of each kind in turn; milliseconds; {load_average()}\n")
    print("| pair | profile | p10 | p50 | p99 |\n| --- | --- | --- | --- | --- |")
    for pair in PAIRS:
        profiles = ("fast", "accurate") if pair != "en-fr" else ("accurate",)
        times: dict[str, list[float]] = defaultdict(list)
        for number in range(WARM + count):
            for profile in profiles:
                # Each profile has its own segments, since the cache of tags serves both.
                row = rows[pair].pop()
                start = time.perf_counter()
                client.post("/v1/quality", json=body(pair, [row], profile)).raise_for_status()
                if number >= WARM:
                    times[profile].append(1000 * (time.perf_counter() - start))
        for profile in profiles:
            cells = [f"{np.percentile(times[profile], q):.1f}" for q in (10, 50, 99)]
            print(f"| {pair} | {profile} | " + " | ".join(cells) + " |", flush=True)


def document(server: Server, client: httpx2.Client, rows: list[tuple[str, str]], size: int) -> None:
    """A document in one call, by itself and with single segments beside it."""
    print(f"\n{size} segments in one call, ro-en; seconds; {load_average()}\n")
    print("| profile | seconds | processor seconds | segments/s | one accurate segment meanwhile: p50 ms | p99 |")
    print("| --- | --- | --- | --- | --- | --- |")
    for profile in ("fast", "accurate"):
        texts = [rows.pop() for _ in range(size)]
        beside = [rows.pop() for _ in range(200)]
        over = threading.Event()
        times: list[float] = []

        def ask(beside: list[tuple[str, str]] = beside, over: threading.Event = over, times: list[float] = times) -> None:
            with httpx2.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=300) as beside_client:
                while not over.is_set() and beside:
                    start = time.perf_counter()
                    beside_client.post("/v1/quality", json=body("ro-en", [beside.pop()], "accurate")).raise_for_status()
                    times.append(1000 * (time.perf_counter() - start))
                    over.wait(0.2)

        before, start = server_seconds(server), time.perf_counter()
        asking = threading.Thread(target=ask)
        asking.start()
        answer = client.post("/v1/quality", json=body("ro-en", texts, profile))
        seconds, processor = time.perf_counter() - start, server_seconds(server) - before
        over.set()
        asking.join()
        answer.raise_for_status()
        print(
            f"| {profile} | {seconds:.1f} | {processor:.1f} | {size / seconds:.0f} | {np.median(times):.0f} | {np.percentile(times, 99):.0f} |",
            flush=True,
        )


def parallel_requests(server: Server, rows: list[tuple[str, str]], count: int) -> None:
    print(f"\nOne segment a request, eight connections, ro-en; {load_average()}\n")
    print("| profile | requests/s | processor ms a request | p50 ms | p99 ms |\n| --- | --- | --- | --- | --- |")
    for profile in ("fast", "accurate"):
        messages = requests([rows.pop() for _ in range(count)], "ro-en", 1, count, 1, profile)
        before = server_seconds(server)
        seconds, times, codes, _ = asyncio.run(load(server.port, messages, 8))
        processor = 1000 * (server_seconds(server) - before) / count
        assert set(codes) == {200}, codes
        print(
            f"| {profile} | {count / seconds:.0f} | {processor:.1f} | {np.median(times):.1f} | {np.percentile(times, 99):.1f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--document", type=int, default=2000)
    options = parser.parse_args()
    rows = pool(options.data)
    # English to French has no resources; its texts need not be French.
    rows["en-fr"] = rows["en-de"][:1000]
    rows["en-de"] = rows["en-de"][1000:]
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), {"ASSAY_WORKERS": "0", "ASSAY_CALL_SECONDS": "600"})
        start = time.perf_counter()
        server.start()
        assert server.process is not None
        print(f"{os.cpu_count()} cores; ready after {time.perf_counter() - start:.1f} s with all that ships; {load_average()}")
        try:
            with httpx2.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=600) as client:
                single_requests(client, rows, options.requests)
                document(server, client, rows["ro-en"], options.document)
            parallel_requests(server, rows["ro-en"], 2 * options.requests)
            tree = with_descendants(server.process.pid)
            print(f"\nmemory at the end: server {megabytes(tree[0]):.0f} MB, with its tagging process {megabytes(*tree):.0f} MB")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
