"""Load on a server of our own: ``python -m benchmarks.service DATA [--requests N] [--memory N] [--profile fast]``.

DATA is the MLQE-PE folder, so that every request has segments of its own. Connections stay open and send their next request as
soon as they have an answer; loopback only, bounded in number. Client and server share the machine's cores.
"""

import argparse
import asyncio
import csv
import gzip
import itertools
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.servers import Server

PAIRS = ("ro-en", "et-en", "en-de")


def pool(data: Path) -> dict[str, list[tuple[str, str]]]:
    """Sources and translations of the training rows of some pairs."""
    found = {}
    for pair in PAIRS:
        with gzip.open(data / pair / "train.tsv.gz", "rt", encoding="utf-8") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            found[pair] = [(row["source"], row["translation"]) for row in rows]
    return found


def requests(
    rows: list[tuple[str, str]], pair: str, segments: int, count: int, seed: int, profile: str | None = None
) -> list[bytes]:
    """Whole HTTP requests, ready to be sent; no two have a segment in common until the rows are used up."""
    random.Random(seed).shuffle(rows)
    source, target = pair.split("-")
    taken = itertools.cycle(rows)
    out = []
    for _ in range(count):
        body = {
            "source_language": source, "target_language": target, **({"profile": profile} if profile else {}),
            "segments": [{"source": s, "translation": t} for s, t in itertools.islice(taken, segments)],
        }  # fmt: skip
        raw = json.dumps(body).encode()
        head = (
            f"POST /v1/quality HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(raw)}\r\n\r\n"
        )
        out.append(head.encode() + raw)
    return out


async def connection(port: int, work: "asyncio.Queue[bytes]", times: list[float], codes: Counter[int], retry: Counter[str]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    while not work.empty():
        request = work.get_nowait()
        begun = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length"))
        await reader.readexactly(length)
        times.append(time.perf_counter() - begun)
        codes[int(head.split(b" ", 2)[1])] += 1
        retry[str(any(line.startswith(b"retry-after") for line in lines))] += 1
    writer.close()


async def load(port: int, prepared: list[bytes], connections: int) -> tuple[float, np.ndarray, Counter[int], Counter[str]]:
    """Seconds in all, milliseconds per request, answers by status, and how many said when to come again."""
    work: asyncio.Queue[bytes] = asyncio.Queue()
    for each in prepared:
        work.put_nowait(each)
    times: list[float] = []
    codes: Counter[int] = Counter()
    retry: Counter[str] = Counter()
    begun = time.perf_counter()
    await asyncio.gather(*(connection(port, work, times, codes, retry) for _ in range(connections)))
    return time.perf_counter() - begun, np.array(times) * 1000, codes, retry


def resident(process: int) -> float:
    """MB of memory that a process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument(
        "--requests", type=int, default=2000, help="one-segment requests in each cell of the table; 0 leaves the table out"
    )
    parser.add_argument("--memory", type=int, default=0, help="requests of the memory test; 100000 takes minutes")
    parser.add_argument("--pair", choices=PAIRS, default="ro-en")
    parser.add_argument("--profile", choices=("fast", "accurate"), help="else as the server has it")
    asked = parser.parse_args()
    rows = pool(asked.data)
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, pair {asked.pair}, default model, profile {asked.profile or 'accurate'}, server and client on one machine"
    )
    if asked.memory:
        with_server(lambda server: memory(server, rows[asked.pair], asked))
    if asked.requests:
        with_server(lambda server: speed(server, rows[asked.pair], asked))


def with_server(run: Callable[[Server], None]) -> None:
    """Run on a server that nobody has asked anything."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), {"ASSAY_WORKERS": "0"})
        server.start()
        try:
            run(server)
        finally:
            server.stop()


def memory(server: Server, rows: list[tuple[str, str]], asked: argparse.Namespace) -> None:
    """What server and tagging process hold after 1,000 requests and after all of them."""
    assert server.process is not None
    done = 0
    for goal in (1000, 10_000, asked.memory):
        while done < goal:
            count = min(5000, goal - done)
            asyncio.run(load(server.port, requests(rows, asked.pair, 1, count, done, asked.profile), 8))
            done += count
        print(f"after {done} requests: server {resident(server.process.pid):.0f} MB, with its tagging process {tree(server.process.pid):.0f} MB", flush=True)  # fmt: skip


def tree(process: int) -> float:
    """MB that a process and its children hold."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    threads = [child for task in Path(f"/proc/{process}/task").iterdir() for child in (task / "children").read_text().split()]
    return resident(process) + sum(resident(int(child)) for child in {*children, *threads})


def speed(server: Server, rows: list[tuple[str, str]], asked: argparse.Namespace) -> None:
    asyncio.run(load(server.port, requests(rows, asked.pair, 1, 300, 1, asked.profile), 8))
    print(
        "\n| segments | connections | requests/s | segments/s | p50 ms | p99 ms | answers |\n| --- | --- | --- | --- | --- | --- | --- |"
    )
    for segments in (1, 10, 100):
        for connections in (1, 8, 64):
            count = max(60, asked.requests // segments)
            prepared = requests(rows, asked.pair, segments, count, segments * 100 + connections, asked.profile)
            seconds, times, codes, _ = asyncio.run(load(server.port, prepared, connections))
            said = ", ".join(f"{code}: {n}" for code, n in codes.items())
            print(f"| {segments} | {connections} | {count / seconds:.0f} | {segments * count / seconds:.0f} | {np.median(times):.1f} | {np.percentile(times, 99):.1f} | {said} |", flush=True)  # fmt: skip
    prepared = requests(rows, asked.pair, 1, 3000, 7, asked.profile)
    seconds, times, codes, retry = asyncio.run(load(server.port, prepared, 400))
    print(
        f"\n400 connections: {dict(codes)}, with Retry-After: {retry['True']}, p99 {np.percentile(times, 99):.0f} ms, {seconds:.1f} s"
    )


if __name__ == "__main__":
    main()
