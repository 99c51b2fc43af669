"""Good and hostile load for an hour: ``python -m benchmarks.soak [--minutes M] [--out FOLDER] [--database URL]``,
with ``--processes N`` by that many processes that answer.

A translator asks for the quality of a segment several times a second. A tool calls everything else, an engineer sends jobs and fetches
their results. An attacker at another address sends hostile texts, damaged documents and bodies that are wrong or never arrive.
Every ten seconds ``soak.tsv`` and ``soak.svg`` in FOLDER get a row: proportional set size of the server's processes,
seconds of the translator's calls and of health, and errors. An error is an answer of 500 or above to anybody, an answer but 2xx to the
translator and the engineer, or an incomplete result. The first sixth of the time warms up. Then memory of the second sixth is
compared with that of the last.
"""

import argparse
import itertools
import json
import random
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from app.server.store import KeyStore, open_database
from app.server.web.charts import BEST, INK, WORST, layer, quantity, svg_of
from benchmarks.fuzz import mutant, samples
from benchmarks.processes import with_descendants
from tests.hostile import TEXTS
from tests.servers import Server, wait_for_job

PAIR = {"source_language": "ro", "target_language": "en"}
SOURCE = ("casa", "mare", "este", "lângă", "parcul", "vechi", "iar", "oamenii", "merg", "spre", "piață", "când", "plouă", "nu", "au", "timp", "deși", "guvernul", "spune", "altceva")  # fmt: skip
TARGET = ("the", "big", "house", "is", "near", "old", "park", "and", "people", "go", "to", "market", "when", "it", "rains", "they", "have", "no", "time", "but", "government", "says", "other")  # fmt: skip
SAMPLE_SECONDS = 10.0
JOB_ROWS = 1200


@dataclass
class Record:
    """Answers and errors by caller; any thread may add to it."""

    seconds: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, caller: str, start: float, status: int, wrong: str = "") -> None:
        """Add an answer; `wrong` is its error, if any."""
        with self.lock:
            self.seconds.setdefault(caller, []).append((start, time.monotonic() - start))
            self.statuses[caller, status] += 1
            if wrong:
                self.errors.append(f"{caller}: {wrong}")


def segment(chance: random.Random) -> dict[str, str]:
    length = chance.choice((4, 9, 18, 30))
    return {
        "source": " ".join(chance.choices(SOURCE, k=length)).capitalize() + f" {chance.randrange(10**6)}.",
        "translation": " ".join(chance.choices(TARGET, k=length)).capitalize() + ".",
    }


def bodies(chance: random.Random, examples: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Endless calls of a tool: the example of every call of the API, and small documents."""
    while True:
        for path, example in examples.items():
            yield path, example
            yield "/v1/quality", {**PAIR, "segments": [segment(chance) for _ in range(chance.choice((1, 20, 150)))]}


class Soak:
    """One run against a server."""

    def __init__(self, server: Server, tokens: Mapping[str, str], seed: int) -> None:
        self.server, self.tokens, self.seed = server, tokens, seed
        self.record, self.over = Record(), threading.Event()

    def client(self, owner: str, address: str = "127.0.0.1") -> httpx2.Client:
        """A client of an owner at a local address."""
        headers, transport = {"Authorization": f"Bearer {self.tokens[owner]}"}, httpx2.HTTPTransport(local_address=address)
        return httpx2.Client(base_url=self.server.address, headers=headers, timeout=120, transport=transport)

    def _call(self, caller: str, strict: bool, call: Callable[[], httpx2.Response]) -> httpx2.Response | None:
        start = time.monotonic()
        try:
            answer = call()
        except httpx2.TransportError as error:
            self.record.add(caller, start, 0, f"{type(error).__name__}: {error}")
            return None
        bad = answer.status_code >= (300 if strict else 500) and (strict or answer.status_code not in (503, 507))
        self.record.add(caller, start, answer.status_code, f"{answer.status_code} {answer.text[:300]}" if bad else "")
        return answer

    def translator(self) -> None:
        """Small calls with pauses of a fifth of a second."""
        chance = random.Random(f"{self.seed} translator")
        with self.client("translator", "127.0.0.2") as client:
            while not self.over.wait(0.2):
                body = {**PAIR, "segments": [segment(chance)]}
                self._call("translator", True, lambda body=body: client.post("/v1/quality", json=body))  # type: ignore[misc]
                self._call("health", True, lambda: client.get("/health/live"))

    def tool(self) -> None:
        """Every call of the API with its example."""
        chance = random.Random(f"{self.seed} tool")
        with self.client("tool") as client:
            document = client.get("/openapi.json").json()
            for path, body in bodies(chance, _examples(document)):
                if self.over.wait(0.3):
                    return
                self._call("tool", False, lambda path=path, body=body: client.post(path, json=body))  # type: ignore[misc]

    def engineer(self) -> None:
        """Jobs by JSON, their results to the last row, and their end."""
        chance = random.Random(f"{self.seed} engineer")
        with self.client("engineer", "127.0.0.4") as client:
            while not self.over.wait(5):
                rows = [segment(chance) for _ in range(JOB_ROWS)]
                body = {"kind": "quality", "params": {**PAIR, "segments": rows}}
                creation = self._call("engineer", True, lambda body=body: client.post("/v1/jobs", json=body))  # type: ignore[misc]
                if creation is None or creation.status_code != 202:
                    continue
                job = creation.json()["id"]
                end = wait_for_job(client, job, 600)
                answer = self._call("engineer", True, lambda job=job: client.get(f"/v1/jobs/{job}/result"))  # type: ignore[misc]
                if end["state"] != "succeeded" or answer is None or len(answer.json()["segments"]) != JOB_ROWS:
                    self.record.add("engineer", time.monotonic(), 0, f"a job ended as {end['state']}: {end.get('error')}")
                self._call("engineer", True, lambda job=job: client.delete(f"/v1/jobs/{job}"))  # type: ignore[misc]

    def attacker(self) -> None:
        """Hostile calls in turn."""
        chance, documents = random.Random(f"{self.seed} attacker"), samples()
        with self.client("attacker", "127.0.0.3") as client:
            for number in itertools.count():
                if self.over.wait(0.2):
                    return
                self._call("attacker", False, _attack(number, chance, documents, client))
                if number % 50 == 0:
                    self._slow_bodies()

    def _slow_bodies(self) -> None:
        head = b"POST /v1/quality HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Length: 9999\r\n\r\n{"
        connections = []
        for _ in range(20):
            connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=30)
            connection.sendall(head % self.tokens["attacker"].encode())
            connections.append(connection)
        self.over.wait(1)
        for connection in connections:
            connection.close()


def _examples(document: Any) -> dict[str, Any]:
    """Example of every call with a JSON body and no parameter in its path; promotions have none."""
    examples = {}
    for path, methods in document["paths"].items():
        content = methods.get("post", {}).get("requestBody", {}).get("content", {})
        body = content.get("application/json", {}).get("schema")
        if body is None or "{" in path or path == "/v1/jobs":
            continue
        schema = document["components"]["schemas"][body["$ref"].rpartition("/")[2]] if "$ref" in body else body
        if schema.get("examples"):
            examples[path] = schema["examples"][0]
    return examples


def _attack(
    number: int, chance: random.Random, documents: Mapping[str, Sequence[bytes]], client: httpx2.Client
) -> Callable[[], httpx2.Response]:
    kind = number % 5
    if kind == 0:
        text = chance.choice(list(TEXTS.values()))
        path = chance.choice(("/v1/quality", "/v1/features", "/v1/words"))
        body = {**PAIR, "segments": [{"source": text, "translation": text}] * chance.choice((1, 3))}
        return lambda: client.post(path, json=body)
    if kind == 1:
        text = chance.choice(list(TEXTS.values()))
        metrics = {"metrics": ["bleu", "chrf", "ter"], "systems": {"a": [text]}, "references": {"r": [text[::-1]]}}
        return lambda: client.post("/v1/score", json=metrics)
    if kind == 2:
        raw = b'{"source_language": "ro", "target_language": "en", "segments": [%s0]}' % (b"0," * chance.choice((10, 10**6)))
        return lambda: client.post("/v1/quality", content=raw, headers={"Content-Type": "application/json"})
    form = chance.choice(list(documents))
    raw = mutant(form, f"soak-{number}", documents)
    if kind == 3:
        return lambda: client.post("/v1/files", files={"file": ("x", raw)})
    return lambda: client.post("/v1/jobs", data={"kind": "quality", "params": json.dumps(PAIR)}, files={"file": ("x", raw)})


def megabytes(root: int) -> float:
    """Proportional set size of a process and its descendants."""
    total = 0
    for process in with_descendants(root):
        try:
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        total += int(rollup.partition("\nPss:")[2].split()[0])
    return total / 1024


def quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def watch(soak: Soak, minutes: float) -> list[dict[str, float]]:
    """Rows, one every ten seconds until the time is over."""
    assert soak.server.process is not None
    start, rows = time.monotonic(), []
    while (now := time.monotonic()) < start + 60 * minutes:
        time.sleep(SAMPLE_SECONDS)
        with soak.record.lock:
            lately = {
                caller: [seconds for at, seconds in times[-2000:] if at >= now] for caller, times in soak.record.seconds.items()
            }
            errors = len(soak.record.errors)
        row = {"minute": (time.monotonic() - start) / 60, "megabytes": megabytes(soak.server.process.pid), "errors": float(errors)}
        for caller in ("translator", "health"):
            times = lately.get(caller, [])
            row[f"{caller} median"], row[f"{caller} worst"] = quantile(times, 0.5), max(times, default=0.0)
        rows.append(row)
    return rows


def draw(rows: Sequence[Mapping[str, float]]) -> str:
    """Memory above, seconds of the translator's calls below, over minutes."""
    x, size = quantity("minute", title="minutes"), {"width": 640, "height": 140}
    memory = layer("line", {"x": x, "y": quantity("megabytes", title="memory, MB")}, color=BEST)
    seconds = [
        layer("line", {"x": x, "y": quantity(name, title="seconds (median, worst of ten seconds)")}, color=colour)
        for name, colour in (("translator median", INK), ("translator worst", WORST))
    ]
    return svg_of({"data": {"values": rows}, "vconcat": [{**memory, **size}, {"layer": seconds, **size}]})


def report(soak: Soak, rows: Sequence[Mapping[str, float]]) -> bool:
    """Print the results. Return True if no error occurred."""
    sixth = max(len(rows) // 6, 1)
    memory = [statistics.median(row["megabytes"] for row in part) for part in (rows[sixth : 2 * sixth] or rows, rows[-sixth:])]
    print(f"memory {memory[0]:.0f} MB after warming up, {memory[1]:.0f} MB at the end, ratio {memory[1] / memory[0]:.3f}")
    for caller, times in sorted(soak.record.seconds.items()):
        values = [seconds for _, seconds in times]
        marks = ", ".join(
            f"{name} {quantile(values, share):.3f}" for name, share in (("median", 0.5), ("99 %", 0.99), ("worst", 1.0))
        )
        statuses = {status: count for (name, status), count in sorted(soak.record.statuses.items()) if name == caller}
        print(f"{caller:10s} {len(values)} answers, seconds: {marks}; statuses {statuses}")
    print(f"{len(soak.record.errors)} errors", *soak.record.errors[:20], sep="\n  ")
    return not soak.record.errors


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--out", type=Path, default=Path("artifacts"))
    parser.add_argument("--database")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        url = options.database or f"sqlite:///{Path(folder) / 'assay.sqlite3'}"
        keys = KeyStore(open_database(url))
        owners = ("translator", "tool", "engineer", "attacker")
        tokens = {owner: keys.create(owner, ["score", "quality", "jobs", "feedback"])[1] for owner in owners}
        server = Server(Path(folder), {"ASSAY_DATABASE_URL": url, "ASSAY_WORKERS": "1", "ASSAY_PROCESSES": str(options.processes)})
        server.start()
        soak = Soak(server, tokens, options.seed)
        threads = [threading.Thread(target=task) for task in (soak.translator, soak.tool, soak.engineer, soak.attacker)]
        try:
            for thread in threads:
                thread.start()
            rows = watch(soak, options.minutes)
        finally:
            soak.over.set()
            for thread in threads:
                thread.join(700)
            code = server.stop()
            (options.out / "soak.log").write_bytes((Path(folder) / "server.log").read_bytes())
    lines = ["\t".join(rows[0]), *("\t".join(f"{value:.3f}" for value in row.values()) for row in rows)]
    (options.out / "soak.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    (options.out / "soak.svg").write_text(draw(rows), "utf-8")
    sys.exit(not report(soak, rows) or code not in (0, -15))


if __name__ == "__main__":
    main()
