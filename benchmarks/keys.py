"""Cost of keys and quotas: ``python -m benchmarks.keys [ROUNDS]``.

Servers without keys, with keys, and with a key with a quota get the quality of one segment in turns. Segments differ, so that
nothing comes from a cache. Turns are short and alternate in order, so that other work of the machine meets all servers. The output
has medians, and their ratios to the server without keys.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import httpx2

from app.running.rates import AS_SET, KeyLimits, parse_rates
from app.server.store import KeyStore, open_database
from tests.servers import Server, small_house

RATES = "1000000 segments/minute, 100000000 characters/day, 1000000000 segments/month"
PAIR = {"source_language": "ro", "target_language": "en"}
REQUESTS = 20


def seconds(client: httpx2.Client, first: int) -> list[float]:
    times = []
    for k in range(first, first + REQUESTS):
        segment = {
            "source": f"Casa {k} este mare, iar grădina este mică.",
            "translation": f"House {k} is big and the garden is small.",
        }
        start = time.perf_counter()
        client.post("/v1/quality", json={**PAIR, "segments": [segment]}).raise_for_status()
        times.append(time.perf_counter() - start)
    return times


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "house").mkdir()
        house = {**small_house(Path(folder) / "house", "ro-en"), "ASSAY_WORKERS": "0"}
        servers = {}
        for name in ("without keys", "with keys", "with a quota"):
            data = Path(folder) / name.replace(" ", "-")
            data.mkdir()
            servers[name] = Server(data, house)
        headers: dict[str, dict[str, str]] = {"without keys": {}}
        for name, limits in (("with keys", AS_SET), ("with a quota", KeyLimits(parse_rates(RATES, "rate")))):
            keys = KeyStore(open_database(f"sqlite:///{servers[name].data / 'assay.sqlite3'}"))
            _, token = keys.create("benchmark", ["quality"], limits=limits)
            headers[name] = {"Authorization": f"Bearer {token}"}
        try:
            clients = {}
            for name, server in servers.items():
                server.start()
                clients[name] = httpx2.Client(base_url=server.address, headers=headers[name], timeout=60)
            times: dict[str, list[float]] = {name: [] for name in servers}
            for number in range(-1, rounds):
                for name, client in list(clients.items())[:: 1 if number % 2 else -1]:
                    round_times = seconds(client, (number + 1) * REQUESTS)
                    # The first round warms up.
                    times[name] += round_times if number >= 0 else []
            medians = {name: statistics.median(values) for name, values in times.items()}
            for name, median in medians.items():
                print(f"{name:14s} {1000 * median:.3f} ms, median of {len(times[name])} requests")
            for name in ("with keys", "with a quota"):
                print(f"{name:14s} ratio {medians[name] / medians['without keys']:.4f}")
        finally:
            for server in servers.values():
                server.stop()


if __name__ == "__main__":
    main()
