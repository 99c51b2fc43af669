"""The profiles `fast` and `accurate` on a server of our own: ``python -m benchmarks.profiles DATA [--requests N] [--document N]``, or ``DATA --threads N``.

DATA is the MLQE-PE folder, so that texts are new to the server. Requests of one segment go one after the other over one connection, the
kinds in turn, so that whatever else the machine does falls on all of them: a new segment, then the same source with another
translation. Then a document in one call, with requests of one segment beside it, and eight connections at once; at last memory.
Processor time is that of the server with its tagging process, wall time falls with the load of the machine, which is printed. With `--threads`
N segments of ro-en are answered in this process, in turn by one thread and by two, and numbers are compared bit by bit.
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

from app.engine import Engine
from app.engine.segments import Segments
from app.resources.tagger import TaggerChoice
from app.resources.tagging_process import TaggingProcess
from app.settings import ROOT
from app.text import LanguagePair
from benchmarks.service import load, pool, requests, resident, tree
from tests.servers import Server

PAIRS = ("ro-en", "en-de", "en-fr")
WARM = 10
TICKS = os.sysconf("SC_CLK_TCK")


def body(pair: str, rows: list[tuple[str, str]], profile: str) -> dict[str, Any]:
    source, target = pair.split("-")
    segments = [{"source": one, "translation": other} for one, other in rows]
    return {"source_language": source, "target_language": target, "profile": profile, "segments": segments}


def processor_seconds(process: int) -> float:
    """Of a process and its children that live."""
    children = [child for task in Path(f"/proc/{process}/task").iterdir() for child in (task / "children").read_text().split()]
    times = [Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()[11:13] for each in (process, *children)]
    return sum(int(user) + int(system) for user, system in times) / TICKS


def load_average() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def alone(client: httpx2.Client, rows: dict[str, list[tuple[str, str]]], count: int) -> None:
    print(f"\nOne segment a request, one connection, {count} of each kind in turn; milliseconds; {load_average()}\n")
    print(
        "| pair | profile | new: p10 | p50 | p99 | source seen: p10 | p50 | p99 |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    for pair in PAIRS:
        profiles = ("fast", "accurate") if pair != "en-fr" else ("accurate",)
        times: dict[tuple[str, str], list[float]] = defaultdict(list)
        for number in range(WARM + count):
            for profile in profiles:
                # Of each profile others, since both remember the tags of sources.
                source, translation = rows[pair].pop()
                for kind, text in (("new", translation), ("seen", f"{translation} .")):
                    begun = time.perf_counter()
                    client.post("/v1/quality", json=body(pair, [(source, text)], profile)).raise_for_status()
                    if number >= WARM:
                        times[profile, kind].append(1000 * (time.perf_counter() - begun))
        for profile in profiles:
            cells = [f"{np.percentile(times[profile, kind], q):.1f}" for kind in ("new", "seen") for q in (10, 50, 99)]
            print(f"| {pair} | {profile} | " + " | ".join(cells) + " |", flush=True)


def document(server: Server, client: httpx2.Client, rows: list[tuple[str, str]], size: int) -> None:
    """A document in one call, by itself and with single segments beside it."""
    assert server.process is not None
    print(f"\n{size} segments in one call, ro-en; seconds; {load_average()}\n")
    print("| profile | seconds | processor seconds | segments/s | one accurate segment meanwhile: p50 ms | p99 |")
    print("| --- | --- | --- | --- | --- | --- |")
    for profile in ("fast", "accurate"):
        taken = [rows.pop() for _ in range(size)]
        beside = [rows.pop() for _ in range(200)]
        done = threading.Event()
        times: list[float] = []

        def ask(beside: list[tuple[str, str]] = beside, done: threading.Event = done, times: list[float] = times) -> None:
            with httpx2.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=300) as other:
                while not done.is_set() and beside:
                    begun = time.perf_counter()
                    other.post("/v1/quality", json=body("ro-en", [beside.pop()], "accurate")).raise_for_status()
                    times.append(1000 * (time.perf_counter() - begun))
                    done.wait(0.2)

        before, begun = processor_seconds(server.process.pid), time.perf_counter()
        asking = threading.Thread(target=ask)
        asking.start()
        answer = client.post("/v1/quality", json=body("ro-en", taken, profile))
        seconds, used = time.perf_counter() - begun, processor_seconds(server.process.pid) - before
        done.set()
        asking.join()
        answer.raise_for_status()
        print(
            f"| {profile} | {seconds:.1f} | {used:.1f} | {size / seconds:.0f} | {np.median(times):.0f} | {np.percentile(times, 99):.0f} |",
            flush=True,
        )


def together(server: Server, rows: list[tuple[str, str]], count: int) -> None:
    assert server.process is not None
    print(f"\nOne segment a request, eight connections, ro-en; {load_average()}\n")
    print("| profile | requests/s | processor ms a request | p50 ms | p99 ms |\n| --- | --- | --- | --- | --- |")
    for profile in ("fast", "accurate"):
        prepared = requests([rows.pop() for _ in range(count)], "ro-en", 1, count, 1, profile)
        before = processor_seconds(server.process.pid)
        seconds, times, codes, _ = asyncio.run(load(server.port, prepared, 8))
        used = 1000 * (processor_seconds(server.process.pid) - before) / count
        assert set(codes) == {200}, codes
        print(
            f"| {profile} | {count / seconds:.0f} | {used:.1f} | {np.median(times):.1f} | {np.percentile(times, 99):.1f} |",
            flush=True,
        )


def by_threads(rows: list[tuple[str, str]], count: int) -> None:
    tagging = TaggingProcess()
    folders = ROOT / "resources", ROOT / "models"
    engines = {
        threads: Engine.open(*folders, tagging=TaggerChoice(tagging), encoder="auto", encoder_threads=threads) for threads in (1, 2)
    }
    ways = {
        ("fast", 1): engines[1].at("fast"),
        **{("accurate", threads): engine.at("accurate") for threads, engine in engines.items()},
    }
    times: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    same = True
    for number in range(WARM + count):
        source, translation = rows.pop()
        for kind, text in (("new", translation), ("seen", f"{translation} .")):
            means = {}
            for way, engine in ways.items():
                begun = time.process_time()
                means[way] = engine.quality(Segments(LanguagePair("ro", "en"), [source], [text])).prediction.mean.tobytes()
                if number >= WARM:
                    times[*way, kind].append(1000 * (time.process_time() - begun))
            same = same and means["accurate", 1] == means["accurate", 2]
    print(f"{2 * (WARM + count)} segments, {load_average()}; the same by one thread and two: {same}; median ms of this process")
    for (profile, threads, kind), taken in times.items():
        print(f"{profile}, {threads} threads, {kind}: {np.median(taken):.1f}")
    tagging.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--document", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=0, metavar="N")
    asked = parser.parse_args()
    rows = pool(asked.data)
    # Nothing was built for English to French; its texts need not be French.
    rows["en-fr"] = rows["en-de"][:1000]
    rows["en-de"] = rows["en-de"][1000:]
    if asked.threads:
        by_threads(rows["ro-en"], asked.threads)
        return
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), {"ASSAY_WORKERS": "0", "ASSAY_CALL_SECONDS": "600"})
        begun = time.perf_counter()
        server.start()
        assert server.process is not None
        print(f"{os.cpu_count()} cores; ready after {time.perf_counter() - begun:.1f} s with all that ships; {load_average()}")
        try:
            with httpx2.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=600) as client:
                alone(client, rows, asked.requests)
                document(server, client, rows["ro-en"], asked.document)
            together(server, rows["ro-en"], 2 * asked.requests)
            process = server.process.pid
            print(f"\nmemory after all of it: server {resident(process):.0f} MB, with its tagging process {tree(process):.0f} MB")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
