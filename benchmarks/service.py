"""Load on a local server: ``python -m benchmarks.service DATA [--requests N] [--memory N] [--profile fast] [--processes 1,2]``.

DATA is the MLQE-PE folder, so that every request has new segments. A bounded number of connections over loopback stay open; each sends
its next request after an answer. Client and server share the machine's cores. With `--processes`, servers of these numbers of processes
get the load in turn: without keys, with a key, and with a key that has a rate. Figures are medians over the rounds.
"""

import argparse
import asyncio
import itertools
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.running.rates import AS_SET, KeyLimits, parse_rates
from app.server.store import KeyStore, open_database
from app.text.languages import LanguagePair
from benchmarks.figures import Spread, Table, add_json_option
from benchmarks.processes import megabytes, own_megabytes, processor_seconds, proportional_megabytes, with_descendants
from scripts.mlqe_pe.everything import language_pairs, split_of
from tests.servers import Server

PAIRS = ("ro-en", "et-en", "en-de")


def pool(data: Path) -> dict[str, list[tuple[str, str]]]:
    """Sources and translations of the training rows of some pairs."""
    folder, _ = language_pairs(data)
    splits = {name: split_of(folder, LanguagePair.parse(name), "train") for name in PAIRS}
    return {name: list(zip(split.column("source"), split.column("translation"), strict=True)) for name, split in splits.items()}


def requests(
    rows: list[tuple[str, str]], pair: str, segments: int, count: int, seed: int, profile: str | None = None, token: str = ""
) -> list[bytes]:
    """HTTP requests as bytes; no two share a segment until the rows are used up."""
    random.Random(seed).shuffle(rows)
    source, target = pair.split("-")
    key = f"Authorization: Bearer {token}\r\n" if token else ""
    cycle = itertools.cycle(rows)
    out = []
    for _ in range(count):
        body = {
            "source_language": source, "target_language": target, **({"profile": profile} if profile else {}),
            "segments": [{"source": s, "translation": t} for s, t in itertools.islice(cycle, segments)],
        }  # fmt: skip
        raw = json.dumps(body).encode()
        head = (
            "POST /v1/quality HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"{key}Content-Length: {len(raw)}\r\n\r\n"
        )
        out.append(head.encode() + raw)
    return out


async def connection(port: int, work: "asyncio.Queue[bytes]", times: list[float], codes: Counter[int], retry: Counter[str]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    while not work.empty():
        request = work.get_nowait()
        start = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length"))
        await reader.readexactly(length)
        times.append(time.perf_counter() - start)
        codes[int(head.split(b" ", 2)[1])] += 1
        retry[str(any(line.startswith(b"retry-after") for line in lines))] += 1
    writer.close()


async def load(port: int, messages: list[bytes], connections: int) -> tuple[float, np.ndarray, Counter[int], Counter[str]]:
    """Seconds in all, milliseconds per request, answers by status, and answers with and without Retry-After."""
    work: asyncio.Queue[bytes] = asyncio.Queue()
    for message in messages:
        work.put_nowait(message)
    times: list[float] = []
    codes: Counter[int] = Counter()
    retry: Counter[str] = Counter()
    start = time.perf_counter()
    await asyncio.gather(*(connection(port, work, times, codes, retry) for _ in range(connections)))
    return time.perf_counter() - start, np.array(times) * 1000, codes, retry


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument(
        "--requests", type=int, default=2000, help="one-segment requests in each cell of the table; 0 leaves the table out"
    )
    parser.add_argument("--memory", type=int, default=0, help="requests of the memory test; 100000 takes minutes")
    parser.add_argument("--pair", choices=PAIRS, default="ro-en")
    parser.add_argument("--profile", choices=("fast", "accurate"), help="profile of requests (default the server's)")
    parser.add_argument("--processes", help="numbers of processes to compare, as 1,2")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of the comparison of processes")
    add_json_option(parser)
    options = parser.parse_args()
    rows = pool(options.data)
    print(f"pair {options.pair}, default model, profile {options.profile or 'accurate'}, server and client on one machine")
    if options.processes:
        compare(rows[options.pair], [int(number) for number in options.processes.split(",")], options)
        return
    if options.memory:
        with_server(lambda server: memory(server, rows[options.pair], options))
    if options.requests:
        with_server(lambda server: speed(server, rows[options.pair], options))


def with_server(run: Callable[[Server], None]) -> None:
    """Run on a new server."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), {"ASSAY_WORKERS": "0"})
        server.start()
        try:
            run(server)
        finally:
            server.stop()


@dataclass(frozen=True)
class Case:
    """A server of some processes, and the key of its requests."""

    processes: int
    access: str
    server: Server
    token: str


@contextmanager
def cases(numbers: Sequence[int]) -> Iterator[list[Case]]:
    """Servers of several numbers of processes, without keys and with keys."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        servers = []
        for number in numbers:
            for has_keys in (False, True):
                data = Path(folder) / f"{number}-{has_keys}"
                data.mkdir()
                tokens = {"no key": ""}
                if has_keys:
                    keys = KeyStore(open_database(f"sqlite:///{data / 'assay.sqlite3'}"))
                    limits = {"key": AS_SET, "rate": KeyLimits(parse_rates("100000000 segments/day", "rate"))}
                    tokens = {name: keys.create(name, ["quality"], limits=limit)[1] for name, limit in limits.items()}
                server = Server(data, {"ASSAY_WORKERS": "0", "ASSAY_PROCESSES": str(number)})
                server.start()
                stack.callback(server.stop)
                servers += [Case(number, access, server, token) for access, token in tokens.items()]
        yield servers


def compare(rows: list[tuple[str, str]], numbers: Sequence[int], options: argparse.Namespace) -> None:
    """Print requests per second, times and processor time of servers with several numbers of processes, and their memory."""
    with cases(numbers) as servers:
        cells: dict[tuple[int, int, str], list[tuple[float, ...]]] = {}
        counts: Counter[tuple[int, int, str, int]] = Counter()
        for number in range(options.rounds + 1):
            for connections in (1, 8, 400):
                for case in servers:
                    assert case.server.process is not None
                    count = options.requests // 2 if connections == 1 else options.requests
                    seed = 1000 * number + connections
                    messages = requests(rows, options.pair, 1, count, seed, options.profile, case.token)
                    tree = with_descendants(case.server.process.pid)
                    before = processor_seconds(*tree)
                    seconds, times, codes, retry = asyncio.run(load(case.server.port, messages, connections))
                    work = 1000 * (processor_seconds(*tree) - before) / count
                    # The first round warms up.
                    if number:
                        cell = (connections, case.processes, case.access)
                        figures = (count / seconds, float(np.median(times)), float(np.percentile(times, 99)), work)
                        cells.setdefault(cell, []).append(figures)
                        for code, answers in codes.items():
                            counts[*cell, code] += answers
                        if retry["True"] != codes.total() - codes[200]:
                            raise RuntimeError(f"answers {codes}, with Retry-After {retry}")
        columns = {"connections": "", "processes": "", "access": "", "requests/s": ".0f", "p50 ms": ".2f", "p99 ms": ".1f"}
        columns |= {"server's ms of processor time": ".2f", "answers": ""}
        table = Table("service", columns, options.json, ["uvicorn", "fastapi"])
        for cell, values in cells.items():
            answers = ", ".join(f"{code}: {n}" for (*key, code), n in counts.items() if tuple(key) == cell)
            table.add(*cell, *(Spread(column) for column in zip(*values, strict=True)), answers)
        for case in servers:
            if case.access == "no key":
                assert case.server.process is not None
                tree = with_descendants(case.server.process.pid)
                sizes = ", ".join(f"{own_megabytes(process):.0f}" for process in tree)
                print(f"{case.processes} processes: {proportional_megabytes(*tree):.0f} MB in all; own memory of each, MB: {sizes}")


def memory(server: Server, rows: list[tuple[str, str]], options: argparse.Namespace) -> None:
    """Print the memory of server and tagging process after 1,000 requests and later."""
    assert server.process is not None
    total = 0
    for goal in (1000, 10_000, options.memory):
        while total < goal:
            count = min(5000, goal - total)
            asyncio.run(load(server.port, requests(rows, options.pair, 1, count, total, options.profile), 8))
            total += count
        tree = with_descendants(server.process.pid)
        print(f"after {total} requests: server {megabytes(tree[0]):.0f} MB, with its tagging process {megabytes(*tree):.0f} MB", flush=True)  # fmt: skip


def speed(server: Server, rows: list[tuple[str, str]], options: argparse.Namespace) -> None:
    asyncio.run(load(server.port, requests(rows, options.pair, 1, 300, 1, options.profile), 8))
    columns = {
        "segments": "",
        "connections": "",
        "requests/s": ".0f",
        "segments/s": ".0f",
        "p50 ms": ".1f",
        "p99 ms": ".1f",
        "answers": "",
    }
    table = Table("service", columns, options.json, ["uvicorn", "fastapi"])
    for segments in (1, 10, 100):
        for connections in (1, 8, 64):
            count = max(60, options.requests // segments)
            messages = requests(rows, options.pair, segments, count, segments * 100 + connections, options.profile)
            seconds, times, codes, _ = asyncio.run(load(server.port, messages, connections))
            answers = ", ".join(f"{code}: {n}" for code, n in codes.items())
            median, slow = (float(np.percentile(times, share)) for share in (50, 99))
            table.add(segments, connections, count / seconds, segments * count / seconds, median, slow, answers)
    messages = requests(rows, options.pair, 1, 3000, 7, options.profile)
    seconds, times, codes, retry = asyncio.run(load(server.port, messages, 400))
    print(
        f"\n400 connections: {dict(codes)}, with Retry-After: {retry['True']}, p99 {np.percentile(times, 99):.0f} ms, {seconds:.1f} s"
    )


if __name__ == "__main__":
    main()
