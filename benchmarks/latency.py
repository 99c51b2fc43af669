"""Time of one request of one segment over loopback, warm: ``python -m benchmarks.latency [ADDRESS]``.

Without an address the benchmark starts a server. One connection stays open, as a translation tool does; the client's own time is
part of the numbers. GET /health/live is the floor: the cost of HTTP alone.
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import numpy as np

from tests.servers import Server

WARM, REQUESTS = 50, 1000
PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENT = {
    "source": "Guvernul numește un prefect în fiecare județ pentru a fi reprezentantul său local.",
    "translation": "The Government appoints a prefect to each county to be its local representative.",
}
LOG_PROBS = [-0.21, -0.05, -0.4, -0.01, -0.9, -0.02, -0.1, -0.3, -0.6, -0.2, -0.1, -0.05, -0.7, -0.01, -0.02]
TOKENS = ["The", "Government", "app@@", "oints", "a", "pre@@", "fect", "to", "each", "county", "to", "be", "its", "local"]
CALLS = {
    "GET /health/live": None,
    "POST /v1/quality": {**PAIR, "segments": [SEGMENT]},
    "POST /v1/quality, log-probabilities": {**PAIR, "segments": [{**SEGMENT, "token_log_probs": LOG_PROBS}]},
    "POST /v1/quality, tokens too": {**PAIR, "segments": [{**SEGMENT, "token_log_probs": LOG_PROBS, "tokens": TOKENS}]},
    "POST /v1/quality, explained": {**PAIR, "segments": [SEGMENT], "explain": True},
    "POST /v1/features": {**PAIR, "segments": [SEGMENT]},
    "POST /v1/score, bleu": {
        "metrics": ["bleu"],
        "systems": {"a": [SEGMENT["translation"]]},
        "references": {"r": [SEGMENT["source"]]},
    },
}


def measure(client: httpx2.Client, name: str, body: object) -> tuple[float, float]:
    method, path = name.partition(",")[0].split(" ")
    times = []
    for number in range(WARM + REQUESTS):
        start = time.perf_counter()
        answer = client.request(method, path, json=body) if body else client.get(path)
        seconds = time.perf_counter() - start
        answer.raise_for_status()
        if number >= WARM:
            times.append(seconds)
    return tuple(1000 * np.percentile(times, [50, 99]))  # type: ignore[return-value]


def report(address: str) -> None:
    print(f"{'call':45s} {'median ms':>10s} {'p99 ms':>8s}")
    with httpx2.Client(base_url=address, timeout=60) as client:
        for name, body in CALLS.items():
            median, last = measure(client, name, body)
            print(f"{name:45s} {median:10.2f} {last:8.2f}")


def main() -> None:
    if len(sys.argv) > 1:
        report(sys.argv[1])
        return
    with TemporaryDirectory() as data:
        server = Server(Path(data))
        server.start()
        try:
            report(server.address)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
