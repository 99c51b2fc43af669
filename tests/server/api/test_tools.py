"""What tools rely on: repeated requests, pages, tags, webhooks, other origins, the call of CAT tools, and a full house."""

import asyncio
import concurrent.futures
import hashlib
import hmac
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.errors import InputError
from app.server.api.middleware.limits import Admission, AdmissionLimits
from app.server.jobs import check_webhook
from app.server.service import Caller
from tests.servers import Server, wait_for_job

BODY: dict[str, Any] = {"kind": "quality", "params": {"source_language": "ro", "target_language": "en", "segments": [{"source": "Casa.", "translation": "House."}]}}  # fmt: skip


def test_one_key_makes_one_job(client: httpx2.Client) -> None:
    key = {"Idempotency-Key": "build-1"}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.post("/v1/jobs", json=BODY, headers=key), range(8)))
    assert {answer.status_code for answer in answers} == {202} and len({answer.json()["id"] for answer in answers}) == 1
    other = client.post("/v1/jobs", json={**BODY, "kind": "words"}, headers=key)
    assert (other.status_code, other.json()["type"]) == (409, "/problems/idempotency-conflict")
    # Another owner's key is another key.
    assert client.post("/v1/jobs", json={**BODY, "owner": "x"}, headers=key).json()["id"] != answers[0].json()["id"]
    form = {"data": {"kind": "quality", "params": "{}"}, "files": {"file": ("a.tsv", b"Casa este mare.\tThe house is big.\n")}}
    ids = {client.post("/v1/jobs", headers={"Idempotency-Key": "form-1"}, **form).json()["id"] for _ in range(3)}
    assert len(ids) == 1
    form["files"]["file"] = ("a.tsv", b"Casa\tHouse\n")
    assert client.post("/v1/jobs", headers={"Idempotency-Key": "form-1"}, **form).status_code == 409
    assert client.post("/v1/jobs", json=BODY, headers={"Idempotency-Key": "a b"}).status_code == 422


def test_jobs_come_in_pages(client: httpx2.Client) -> None:
    made = [client.post("/v1/jobs", json={**BODY, "owner": "pages"}).json()["id"] for _ in range(5)]
    seen, after = [], None
    for _ in range(100):
        query: dict[str, Any] = {"limit": 2, **({"after": after} if after else {})}
        page = client.get("/v1/jobs", params=query).json()
        assert len(page["jobs"]) <= 2
        seen += [job["id"] for job in page["jobs"]]
        after = page["next"]
        if after is None:
            break
    assert len(seen) == len(set(seen)) and [each for each in seen if each in made] == made[::-1]
    for job in made:
        wait_for_job(client, job)
    page = client.get("/v1/jobs", params={"state": "succeeded", "kind": "quality", "limit": 1000}).json()
    assert set(made) <= {job["id"] for job in page["jobs"]} and {job["state"] for job in page["jobs"]} == {"succeeded"}
    assert client.get("/v1/jobs", params={"after": "0" * 32}).status_code == 404


def test_what_is_known_is_not_sent_again(client: httpx2.Client) -> None:
    job = wait_for_job(client, client.post("/v1/jobs", json=BODY).json()["id"])
    for path in ("/v1/models", "/v1/models/ro-en-hter-gp-17", f"/v1/jobs/{job['id']}/result"):
        first = client.get(path)
        again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
        assert (first.status_code, again.status_code, again.content) == (200, 304, b""), path
        assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_job_that_was_cancelled_is_tried_again(client: httpx2.Client) -> None:
    segments = [{"source": f"Casa {k}.", "translation": f"House {k}."} for k in range(3000)]
    params = {**BODY["params"], "segments": segments}
    job = client.post("/v1/jobs", json={"kind": "quality", "params": params, "owner": "Ana"}).json()["id"]
    assert client.post(f"/v1/jobs/{job}/retry").status_code == 409
    client.delete(f"/v1/jobs/{job}")
    assert wait_for_job(client, job)["state"] == "cancelled"
    again = client.post(f"/v1/jobs/{job}/retry").json()
    assert again["id"] != job and again["owner"] == "Ana"
    assert wait_for_job(client, again["id"])["state"] == "succeeded"
    assert len(client.get(f"/v1/jobs/{again['id']}/result").json()["segments"]) == 3000


def test_the_call_of_cat_tools(client: httpx2.Client) -> None:
    query = {"source": "ro-RO", "target": "en-GB", "sentence": "Casa este mare.", "translation": "The house is big."}
    answer = client.get("/translate/qe", params=query)
    body = {
        "source_language": "ro",
        "target_language": "en",
        "segments": [{"source": query["sentence"], "translation": query["translation"]}],
    }
    assert answer.json() == {"score": client.post("/v1/quality", json=body).json()["segments"][0]["confidence"]}
    assert client.get("/translate/qe", params={**query, "source": "tlh"}).status_code == 422
    assert client.get("/translate/qe", params={"source": "ro"}).status_code == 422


class Hook(BaseHTTPRequestHandler):
    got: list[tuple[dict[str, str], bytes]] = []
    failures = 0

    def do_POST(self) -> None:
        self.got.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(500 if len(self.got) <= self.failures else 204)
        self.end_headers()

    def log_message(self, format: str, *rest: object) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), Hook)
    Hook.got = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.mark.faults
def test_the_end_of_a_job_is_told_signed_and_again_after_a_failure(tmp_path: Path, ro_en: dict[str, str], hook: HTTPServer) -> None:
    address = f"http://127.0.0.1:{hook.server_port}/ended?x=1"
    settings = {
        "ASSAY_WEBHOOK_HOSTS": f"127.0.0.1:{hook.server_port}",
        "ASSAY_WEBHOOK_SECRET": "s3cret",
        "ASSAY_CORS_ORIGINS": "https://cat.example",
    }
    server = Server(tmp_path, {**ro_en, **settings})
    server.start()
    try:
        with server.client() as client:
            Hook.failures = 1
            job = client.post("/v1/jobs", json={**BODY, "webhook": address}).json()["id"]
            wait_for_job(client, job)
            deadline = time.monotonic() + 30
            while len(Hook.got) < 2 and time.monotonic() < deadline:
                time.sleep(0.1)
            assert len(Hook.got) == 2
            for headers, raw in Hook.got:
                parts = dict(part.split("=", 1) for part in headers["Assay-Signature"].split(","))
                expected = hmac.new(b"s3cret", f"{parts['t']}.".encode() + raw, hashlib.sha256).hexdigest()
                assert parts["v1"] == expected and abs(int(parts["t"]) - time.time()) < 60
                told = json.loads(raw)
                assert told["event"] == "job.ended" and (told["job"]["id"], told["job"]["state"]) == (job, "succeeded")
            refused = client.post("/v1/jobs", json={**BODY, "webhook": "http://169.254.169.254/latest"})
            assert refused.status_code == 422 and "ASSAY_WEBHOOK_HOSTS" in refused.json()["detail"]
            shared = client.get("/v1/models", headers={"Origin": "https://cat.example"})
            assert shared.headers["access-control-allow-origin"] == "https://cat.example"
            assert "access-control-allow-origin" not in client.get("/v1/models", headers={"Origin": "https://evil.example"}).headers
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("url", "fine"),
    [
        ("https://hooks.example/x", True), ("https://HOOKS.example/x", True), ("http://hooks.example:8080/x", True), ("https://other.example/", False),
        ("ftp://hooks.example/", False), ("https://user@hooks.example/", False), ("https://hooks.example.evil.example/", False),
        ("https://hooks.example:99999/", False), ("//hooks.example", False), ("https://[::1]/", False), ("", False),
    ],
)  # fmt: skip
def test_webhooks_go_nowhere_else(url: str, fine: bool) -> None:
    if fine:
        check_webhook(url, "hooks.example, b.example")
        return
    with pytest.raises(InputError):
        check_webhook(url, "hooks.example, b.example")


class Crowd:
    """Requests that wait inside an Admission, and the problems of those that were refused."""

    def __init__(self, requests: int, requests_per_client: int) -> None:
        self.codes: dict[str, list[str]] = {}
        self.end = asyncio.Event()
        self.admission = Admission(self._answer, AdmissionLimits(requests, requests_per_client, 20.0, 1000))

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await self.end.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    async def ask(self, address: str, key: str = "", piece: int = 0) -> None:
        """A request; one with a `piece` of its body stays unfinished."""
        caller = Caller(key, key, frozenset())
        headers = [(b"content-length", b"9")]
        scope = {"type": "http", "path": "/v1/quality", "client": (address, 1), "headers": headers, "caller": caller}
        messages = [{"type": "http.request", "body": b"a" * piece, "more_body": True}] if piece else []
        status = [0]

        async def receive() -> Any:
            if piece and not messages:
                await self.end.wait()
            return messages.pop() if messages else {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            status[0] = message.get("status", status[0])
            if message["type"] == "http.response.body" and status[0] != 200:
                self.codes.setdefault(f"{address}{key}", []).append(json.loads(message["body"])["type"].rpartition("/")[2])

        await self.admission(scope, receive, send)


async def crowded(crowd: Crowd, *requests: tuple[str, str, int, int]) -> dict[str, list[str]]:
    """Codes of refused requests by client; each of `requests` has an address, a key, a number and a piece of a body."""
    tasks = []
    for address, key, count, piece in requests:
        tasks += [asyncio.create_task(crowd.ask(address, key, piece)) for _ in range(count)]
        await asyncio.sleep(0.01)
    crowd.end.set()
    await asyncio.gather(*tasks)
    return crowd.codes


def test_a_flood_is_refused_alone() -> None:
    flood = [(f"10.0.0.{number}", "", 8, 0) for number in range(4)]
    codes = asyncio.run(crowded(Crowd(16, 8), *flood, ("192.0.2.1", "", 1, 0), ("10.0.0.0", "Ana", 1, 0), ("10.0.0.0", "", 1, 0)))
    assert codes == {"10.0.0.0": ["too-many-requests"], "10.0.0.2": ["overloaded"] * 7, "10.0.0.3": ["overloaded"] * 7}
    # All clients together have at most twice the places.
    codes = asyncio.run(crowded(Crowd(16, 8), *[(f"10.0.1.{number}", "", 1, 0) for number in range(40)]))
    assert sum(map(len, codes.values())) == 8


def test_unfinished_bodies_of_a_flood_keep_no_other_body_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.api.middleware.limits.MOST_HELD_BYTES", 1000)
    crowd = Crowd(16, 8)
    codes = asyncio.run(crowded(crowd, ("10.0.0.1", "", 4, 300), ("192.0.2.1", "", 1, 100), ("192.0.2.1", "", 1, 0)))
    assert codes == {"10.0.0.1": ["overloaded"]}
    # All is given back in the end.
    assert crowd.admission.held_bytes.take(("10.0.0.1", ""), 1000)


@pytest.mark.faults
def test_a_full_house_answers_503_and_the_tagging_process_may_die(tmp_path: Path, ro_en: dict[str, str]) -> None:
    # Only UDPipe's taggers run in a process of their own.
    settings = {**ro_en, "ASSAY_MAX_WAITING_REQUESTS": "2", "ASSAY_WORKERS": "0", "ASSAY_LINEAR_TAGGERS": "none"}
    server = Server(tmp_path, settings)
    server.start()
    try:
        with server.client() as client:
            body = {
                **BODY["params"],
                "segments": [{"source": f"Casa {k} este mare.", "translation": f"House {k}."} for k in range(400)],
            }
            with concurrent.futures.ThreadPoolExecutor(12) as pool:
                answers = list(pool.map(lambda _: httpx2.post(f"{server.address}/v1/quality", json=body, timeout=120), range(12)))
            codes = {answer.status_code for answer in answers}
            assert codes == {200, 503}
            for answer in answers:
                if answer.status_code == 503:
                    assert answer.headers["retry-after"] == "1" and answer.json()["type"] == "/problems/overloaded"
            assert client.get("/health/live").status_code == 200
            before = client.post("/v1/quality", json=BODY["params"]).json()
            children = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and _is_tagger(int(pid), server)]
            assert len(children) == 1
            os.kill(children[0], signal.SIGKILL)
            fresh = {
                **BODY["params"],
                "segments": [*BODY["params"]["segments"], {"source": "O casă nouă.", "translation": "A new house."}],
            }
            after = client.post("/v1/quality", json=fresh)
            assert after.status_code == 200 and after.json()["segments"][0] == before["segments"][0]
    finally:
        server.stop()


def _is_tagger(pid: int, server: Server) -> bool:
    assert server.process is not None
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
        parent = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return False
    return b"tagging_process" in line and parent == server.process.pid


def test_a_request_that_is_cut_off_harms_nobody(server: Server, client: httpx2.Client) -> None:
    raw = json.dumps(BODY["params"]).encode()
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port)) as cut:
            cut.sendall(
                b"POST /v1/quality HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                % len(raw)
                + raw
            )
    assert client.post("/v1/quality", json=BODY["params"]).status_code == 200
