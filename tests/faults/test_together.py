"""Processes of one server: they share port, limits, counts, promotions and drift, and each of them may die."""

import os
import re
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.running.rates import KeyLimits, parse_rates
from app.server.store import KeyStore, open_database
from tests.faults.test_drain import begun_request, closed, read_all
from tests.servers import Server, wait_for_job

pytestmark = pytest.mark.faults
PAIR = {"source_language": "ro", "target_language": "en"}
MODEL = "ro-en-hter-gp-17"
SEGMENT = {"source": "Casa este mare.", "translation": "The house is big."}
QUALITY = {**PAIR, "profile": "fast", "segments": [SEGMENT]}
PROCESSES = 2


def children(process: int) -> list[int]:
    """Direct children of a process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            found.append(int(folder.name))
    return sorted(found)


def answering(server: Server) -> list[int]:
    """Processes that answer; the one with the workers has the duties."""
    assert server.process is not None
    return [process for process in children(server.process.pid) if not children(process)]


def duties(server: Server) -> int:
    assert server.process is not None
    [process] = [process for process in children(server.process.pid) if children(process)]
    return process


def sockets_of(process: int) -> int:
    links = [os.readlink(link) for link in Path(f"/proc/{process}/fd").iterdir()]
    return sum(link.startswith("socket:") for link in links)


def metric(text: str, name: str, **labels: str) -> float:
    inside = ",".join(f'{label}="{value}"' for label, value in labels.items())
    found = re.search(rf"^{re.escape(name + (f'{{{inside}}}' if labels else ''))} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def eventually(check: Any, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, check
        time.sleep(0.05)


class House:
    """A server of two processes with keys, whose clients hold connections to both."""

    def __init__(self, data: Path, settings: dict[str, str]) -> None:
        self.server = Server(data, {**settings, "ASSAY_PROCESSES": str(PROCESSES), "ASSAY_WORKERS": "1"})
        self.keys = KeyStore(open_database(f"sqlite:///{data / 'assay.sqlite3'}"))
        self.admin = self.token("boss", "admin")

    def token(self, name: str, *scopes: str, rates: str | None = None) -> str:
        limits = KeyLimits(None if rates is None else parse_rates(rates, "rate"))
        return self.keys.create(name, list(scopes), limits=limits)[1]

    def client(self, token: str | None = None) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {token or self.admin}"}
        return httpx2.Client(base_url=self.server.address, headers=headers, timeout=60, verify=False)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[House]:
    house = House(tmp_path_factory.mktemp("together"), ro_en)
    house.server.start()
    yield house
    house.server.stop()


@pytest.fixture
def clients(house: House) -> Iterator[list[httpx2.Client]]:
    """Clients with open connections, spread over the processes."""
    found = [house.client() for _ in range(4 * PROCESSES)]
    for client in found:
        assert client.get("/health/live").status_code == 200
    yield found
    for client in found:
        client.close()


def test_each_process_takes_its_share_of_connections(house: House) -> None:
    before = {process: sockets_of(process) for process in answering(house.server)}
    assert len(before) == PROCESSES
    opened = [socket.create_connection(("127.0.0.1", house.server.port)) for _ in range(20 * PROCESSES)]
    time.sleep(0.5)
    shares = [sockets_of(process) - count for process, count in before.items()]
    for connection in opened:
        connection.close()
    assert sum(shares) == len(opened) and min(shares) >= 15


def test_requests_of_all_processes_are_counted(house: House, clients: list[httpx2.Client]) -> None:
    route = {"route": "/v1/resources", "status": "200"}
    before = metric(clients[0].get("/metrics").text, "assay_requests_total", **route)
    for client in clients * 3:
        assert client.get("/v1/resources").status_code == 200
    for client in clients:
        text = client.get("/metrics").text
        assert metric(text, "assay_requests_total", **route) == before + 3 * len(clients)
        assert metric(text, "assay_request_seconds_count", route=route["route"]) == before + 3 * len(clients)
        assert (metric(text, "assay_processes"), metric(text, "assay_workers"), metric(text, "assay_ready")) == (PROCESSES, 1, 1)
        assert text.count("# TYPE assay_requests_total counter") == 1


def test_a_rate_holds_over_all_processes(house: House) -> None:
    token = house.token("limited", "quality", rates="50 segments/day")

    def ask(_: int) -> int:
        with house.client(token) as client:
            return client.post("/v1/quality", json=QUALITY).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = Counter(pool.map(ask, range(100)))
    assert statuses == {200: 50, 429: 50}


def test_a_promotion_is_seen_by_all(house: House, clients: list[httpx2.Client]) -> None:
    for _ in range(3):
        clients[0].post(f"/v1/models/{MODEL}/promote", json={}).raise_for_status()
        assert all(client.get(f"/v1/models/{MODEL}").json()["answers"] for client in clients)
        clients[-1].post(f"/v1/models/{MODEL}/rollback", json={}).raise_for_status()
        assert not any(client.get(f"/v1/models/{MODEL}").json()["answers"] for client in clients)


def test_drift_is_that_of_all_requests(house: House, clients: list[httpx2.Client]) -> None:
    def segments(client: httpx2.Client) -> int:
        return int(client.get(f"/v1/models/{MODEL}").json()["drift"]["segments"])

    before = segments(clients[0])
    for client in clients:
        body = {**QUALITY, "model": MODEL, "segments": [SEGMENT] * 20}
        client.post("/v1/quality", json=body).raise_for_status()
    assert {segments(client) for client in clients} == {before + 20 * len(clients)}


def test_a_killed_process_loses_what_it_held_alone(house: House) -> None:
    """Eight callers lose at most their request at hand; a job goes on, and counters never fall."""
    rows = [{"source": f"Casa este mare {i}.", "translation": f"The house {i} is big."} for i in range(600)]
    with house.client() as client:
        job = client.post("/v1/jobs", json={"kind": "quality", "params": {**PAIR, "segments": rows}}).json()["id"]
    before = answering(house.server)
    over, lost, statuses, counts = threading.Event(), Counter[int](), Counter[int](), list[float]()

    def ask(caller: int) -> None:
        client = house.client()
        while not over.is_set():
            try:
                statuses[client.post("/v1/quality", json=QUALITY).status_code] += 1
            except httpx2.TransportError:
                lost[caller] += 1
        client.close()

    def watch() -> None:
        while not over.is_set():
            with house.client() as client:
                try:
                    counts.append(metric(client.get("/metrics").text, "assay_requests_total", route="/v1/quality", status="200"))
                except httpx2.TransportError:
                    continue

    threads = [threading.Thread(target=ask, args=(caller,)) for caller in range(8)] + [threading.Thread(target=watch)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    os.kill(before[0], signal.SIGKILL)
    eventually(lambda: len(answering(house.server)) == PROCESSES and before[0] not in answering(house.server))
    time.sleep(1)
    over.set()
    for thread in threads:
        thread.join()
    assert set(statuses) == {200}
    # A connection that the process held is lost once; each caller has one.
    assert max(lost.values(), default=0) <= 1
    assert counts == sorted(counts) and counts[-1] > 0
    with house.client() as client:
        view = wait_for_job(client, job)
        assert view["state"] == "succeeded" and view["done"] == len(rows)
        eventually(lambda: metric(client.get("/metrics").text, "assay_processes") == PROCESSES)


def test_duties_are_taken_up_again(house: House) -> None:
    process = duties(house.server)
    [worker] = children(process)
    rows = [{"source": f"Casa este mare {i}.", "translation": f"The house {i} is big."} for i in range(300)]
    with house.client() as client:
        job = client.post("/v1/jobs", json={"kind": "quality", "params": {**PAIR, "segments": rows}}).json()["id"]
        os.kill(process, signal.SIGKILL)
        eventually(lambda: not Path(f"/proc/{worker}").exists())
        assert client.post("/v1/quality", json=QUALITY).status_code == 200
        assert wait_for_job(client, job)["state"] == "succeeded"


def test_what_was_asked_is_answered_before_the_end(tmp_path: Path, ro_en: dict[str, str]) -> None:
    server = Server(tmp_path, {**ro_en, "ASSAY_PROCESSES": str(PROCESSES), "ASSAY_WORKERS": "0", "TMPDIR": str(tmp_path)})
    server.start()
    assert server.process is not None
    assert len(list(tmp_path.glob("assay-*"))) == 1
    opened = [begun_request(server) for _ in range(2 * PROCESSES)]
    server.process.send_signal(signal.SIGTERM)
    eventually(lambda: closed(server))
    for connection, rest in opened:
        connection.sendall(rest)
        assert b" 200 " in read_all(connection).partition(b"\r\n")[0]
    assert server.process.wait(60) == 0
    assert not list(tmp_path.glob("assay-*"))
    # The second signal does not wait for a request.
    server.environment = {**server.environment, "ASSAY_DRAIN_SECONDS": "300"}
    server.start()
    connection, _ = begun_request(server)
    server.process.send_signal(signal.SIGTERM)
    eventually(lambda: closed(server))
    assert server.process.poll() is None
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(10) == 128 + signal.SIGINT
    connection.close()


def test_nothing_outlives_a_killed_supervisor(tmp_path: Path, ro_en: dict[str, str]) -> None:
    server = Server(tmp_path, {**ro_en, "ASSAY_PROCESSES": str(PROCESSES), "ASSAY_WORKERS": "1"})
    server.begin()
    # While it loads, a process answers that it lives.
    with server.client(5) as client:

        def lives() -> bool:
            try:
                return client.get("/health/live").status_code == 200
            except httpx2.TransportError:
                return False

        eventually(lives)
        ready = client.get("/health/ready")
        assert ready.status_code in (200, 503)
    assert server.process is not None
    family = children(server.process.pid)
    server.kill()
    eventually(lambda: not any(Path(f"/proc/{process}").exists() for process in family))
    server.start()
    eventually(lambda: len(children(server.process.pid if server.process else 0)) == PROCESSES + 1)
    family = [process for child in children(server.process.pid) for process in (child, *children(child))]
    server.kill()
    eventually(lambda: not any(Path(f"/proc/{process}").exists() for process in family), 60)
    server.start()
    assert server.stop() == 0


def test_a_signal_ends_the_load(tmp_path: Path, ro_en: dict[str, str]) -> None:
    server = Server(tmp_path, {**ro_en, "ASSAY_PROCESSES": str(PROCESSES)})
    server.begin()
    eventually(lambda: not closed(server))
    assert server.stop() == 0
