"""The audit and the log of a running server: who did what is there, and nothing that anybody sent."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from app.main import create_app
from app.operations.catalogue import OPERATIONS
from app.server.store import Actor, AuditLog, KeyStore, open_database
from app.settings import Settings
from tests.servers import Server, wait_for_job

MARKER = "Mărturisire-ZQX"
PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENTS = [{"source": f"{MARKER} casa.", "translation": f"The {MARKER} house."}]
QUALITY = {**PAIR, "model": "ro-en-hter-gp-17", "segments": SEGMENTS}


@dataclass(frozen=True)
class House:
    """A server with keys that logs as JSON, and their tokens by name."""

    server: Server
    tokens: dict[str, str]
    client: httpx2.Client

    def ask(self, method: str, path: str, key: str | None, **fields: Any) -> httpx2.Response:
        headers = {**fields.pop("headers", {})}
        if key is not None:
            headers["Authorization"] = f"Bearer {self.tokens.get(key, key)}"
        # Connections are kept, which spares half of a request's time; cookies are not.
        self.client.cookies.clear()
        return self.client.request(method, path, headers=headers, **fields)

    def audit(self, **wanted: Any) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.ask("GET", "/v1/audit", "admin", params=wanted).json()["audit"]
        return rows

    def lines(self) -> list[dict[str, Any]]:
        text = (self.server.data / "server.log").read_text("utf-8")
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def line_of(self, request: str) -> dict[str, Any]:
        """The line of a request, which is written after its answer has gone."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for line in self.lines():
                if line["logger"] == "assay.access" and line["request_id"] == request:
                    return line
            time.sleep(0.05)
        raise AssertionError(f"no line of {request}")

    def job(self, key: str, body: dict[str, Any], **headers: str) -> str:
        job: str = self.ask("POST", "/v1/jobs", key, json=body, headers=headers).json()["id"]
        with self.server.client() as client:
            client.headers["Authorization"] = f"Bearer {self.tokens[key]}"
            assert wait_for_job(client, job)["state"] == "succeeded"
        return job


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[House]:
    data = tmp_path_factory.mktemp("audit")
    server = Server(data, {**ro_en, "ASSAY_LOG_FORMAT": "json", "ASSAY_LOG_LEVEL": "debug"})
    keys = KeyStore(open_database(f"sqlite:///{data / 'assay.sqlite3'}"), Actor("command line", "tests"))
    everything = ["score", "quality", "jobs", "train", "models", "feedback"]
    tokens = {"admin": keys.create("admin", ["admin"])[1], "Ana": keys.create("Ana", everything)[1]}
    server.start()
    with server.client() as client:
        yield House(server, tokens, client)
    server.stop()


def about(rows: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    return [(row["actor"], row["action"], row["thing"], row["id"]) for row in reversed(rows)]


def test_what_is_done_with_a_job_is_recorded(house: House) -> None:
    job = house.job("Ana", {"kind": "quality", "params": QUALITY}, **{"X-Request-ID": "made-by-ana-1"})
    assert house.ask("GET", f"/v1/jobs/{job}/result", "Ana").status_code == 200
    assert about(house.audit(id=job)) == [("Ana", "created", "job", job)]
    [row] = house.audit(id=job)
    assert (row["request"], row["owner"], row["address"]) == ("made-by-ana-1", "Ana", "127.0.0.1")
    assert row["detail"] == {"kind": "quality", "owner": "Ana", "segments": 1}
    # Who looks at what is another's is recorded, once for what is looked at again and again.
    for path in ("", "", "/result?format=tsv", "/result", "/events"):
        assert house.ask("GET", f"/v1/jobs/{job}{path}", "admin").status_code == 200
    assert house.ask("GET", f"/jobs/{job}/report", "admin").status_code == 200
    assert any(row["owner"] == "Ana" for row in house.ask("GET", "/v1/jobs", "admin").json()["jobs"])
    assert house.ask("DELETE", f"/v1/jobs/{job}?remove=true", "Ana").status_code == 200
    assert about(house.audit(id=job))[1:] == [
        ("admin", "read", "job", job), ("admin", "read", "result", job), ("Ana", "deleted", "job", job),
    ]  # fmt: skip
    assert [row["detail"]["owner"] for row in house.audit(thing="jobs", actor="admin")] == ["Ana"]


def test_models_and_feedback_are_recorded(house: House) -> None:
    rows = [
        {"source": f"Casa {k} este mare.", "translation": "The house is big " + "very " * (k % 5), "label": (k % 5) / 5}
        for k in range(160)
    ]
    params = {**PAIR, "label": "hter", "learner": "ridge", "feature_set": "quest-baseline-17", "segments": rows, "name": "of-ana"}
    job = house.job("Ana", {"kind": "train", "params": params})
    assert house.ask("POST", "/v1/models/of-ana/promote", "Ana", json={"reason": MARKER}).status_code == 200
    assert house.ask("POST", "/v1/models/of-ana/rollback", "Ana", json={"reason": MARKER}).status_code == 200
    assert about(house.audit(thing="model", id="of-ana")) == [
        ("worker", "trained", "model", "of-ana"), ("Ana", "promoted", "model", "of-ana"), ("Ana", "rolled-back", "model", "of-ana"),
    ]  # fmt: skip
    assert house.audit(action="trained")[0]["detail"] == {"job": job}
    given = {**PAIR, "label": "hter", "segments": [{**SEGMENTS[0], "score": 0.5}] * 3}
    id = house.ask("POST", "/v1/feedback", "Ana", json=given).json()["feedback"][0]["id"]
    assert house.audit(thing="feedback")[0]["detail"] == {"segments": 3, "pair": "ro-en", "label": "hter"}
    assert about(house.audit(thing="feedback")) == [("Ana", "given", "feedback", id)]
    assert about(house.audit(thing="key", action="created"))[0] == ("command line", "created", "key", "admin")


def test_the_audit_is_for_administrators_and_paged(house: House) -> None:
    assert house.ask("GET", "/v1/audit", "Ana").status_code == 403
    for _ in range(3):
        job = house.ask("POST", "/v1/jobs", "Ana", json={"kind": "quality", "params": QUALITY}).json()["id"]
        house.ask("DELETE", f"/v1/jobs/{job}", "Ana")
    whole = [row["number"] for row in house.audit(limit=1000)]
    assert whole == sorted(whole, reverse=True) and whole[-1] == 1
    paged: list[int] = []
    before: dict[str, int] = {}
    while True:
        answer = house.ask("GET", "/v1/audit", "admin", params={"limit": 3, **before}).json()
        paged += [row["number"] for row in answer["audit"]]
        if answer["next"] is None:
            break
        before = {"before": answer["next"]}
    assert paged == whole
    assert house.audit(since="2200-01-01") == [] and house.audit(until="1900-01-01T00:00:00") == []
    for wrong in ({"limit": 0}, {"before": 0}, {"since": "yesterday"}, {"actor": "x" * 201}):
        assert house.ask("GET", "/v1/audit", "admin", params=wrong).status_code == 422
    assert house.ask("GET", "/v1/audit", "admin", params={"actor": "a\0b"}).status_code in (200, 422)


def test_a_flood_of_wrong_keys_does_not_fill_the_table(house: House) -> None:
    before = len(house.audit(limit=1000, action="refused"))
    with house.server.client() as client:
        for number in range(60):
            token = f"assay_{number:08x}_{number:048x}"
            assert client.get("/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code == 401
            assert client.post("/signin", data={"key": token}).status_code == 401
    rows = house.audit(limit=1000, action="refused")
    assert len(rows) - before <= 2
    assert {(row["actor"], row["thing"], row["address"]) for row in rows} == {
        ("nobody", "key", "127.0.0.1"), ("nobody", "sign-in", "127.0.0.1"),
    }  # fmt: skip


def test_who_signs_in_and_out_is_recorded(house: House) -> None:
    with house.server.client() as browser:
        assert browser.post("/signin", data={"key": house.tokens["Ana"]}).status_code == 303
        assert about(house.audit(action="signed-in")) == [("Ana", "signed-in", "session", "")]
        cookie = browser.cookies["assay_session"]
        assert browser.post("/signin/end").status_code == 303
        # A cookie that opens nothing is nobody's; one that was just looked up is remembered for a second.
        time.sleep(1.1)
        assert browser.post("/signin/end", headers={"Cookie": f"assay_session={cookie}"}).status_code == 303
    assert about(house.audit(action="signed-out")) == [("Ana", "signed-out", "session", "")]


def test_a_line_says_what_a_request_was(house: House) -> None:
    answer = house.ask(
        "POST", "/v1/quality?a=b", "Ana", json={**QUALITY, "segments": SEGMENTS * 3}, headers={"X-Request-ID": "asked-by-ana"}
    )
    assert (answer.status_code, answer.headers["x-request-id"]) == (200, "asked-by-ana")
    line = house.line_of("asked-by-ana")
    assert (line["method"], line["route"], line["status"], line["key"], line["owner"]) == ("POST", "/v1/quality", 200, "Ana", "Ana")
    assert (line["segments"], line["address"], line["level"]) == (3, "127.0.0.1", "info")
    assert line["bytes_in"] > 100 and line["bytes_out"] == len(answer.content) and line["seconds"] > 0
    trace = f"00-{'c' * 32}-{'d' * 16}-01"
    assert house.ask("GET", "/v1/me", "Ana", headers={"traceparent": trace}).headers["x-request-id"] == "c" * 32
    unknown = house.ask("GET", f"/nothing/{MARKER}", "Ana", headers={"X-Request-ID": "asked-for-nothing"})
    assert unknown.status_code == 404 and house.line_of("asked-for-nothing")["route"] == "other"
    refused = house.ask("GET", "/v1/jobs", None)
    assert (refused.status_code, house.line_of(refused.headers["x-request-id"])["key"]) == (401, "")
    one = house.ask("GET", f"/v1/jobs/{'0' * 32}", "Ana")
    assert house.line_of(one.headers["x-request-id"])["route"] == "/v1/jobs/{id}"
    scored = {"metrics": ["bleu"], "systems": {"a": ["x"] * 4, "b": ["y"] * 4}, "references": {"A": ["z"] * 4}}
    heavy = house.ask("POST", "/v1/score", "Ana", json=scored)
    line = house.line_of(heavy.headers["x-request-id"])
    assert line["segments"] == 8 and line["waited"] >= 0
    # Each request has one line: nobody else writes a log of them.
    assert not any("HTTP/1.1" in line["message"] for line in house.lines())


def example_of(name: str) -> Any:
    extra: Any = OPERATIONS[name].request.model_config.get("json_schema_extra")
    return extra["examples"][0] if extra else QUALITY


def marked(value: Any) -> Any:
    """The same with the marker in every text that is not a name."""
    if isinstance(value, dict):
        free = {"source", "translation", "post_edit", "text", "baseline", "system"}
        return {key: f"{MARKER} {part}" if key in free and isinstance(part, str) else marked(part) for key, part in value.items()}
    if isinstance(value, list):
        return [f"{MARKER} {part}" if isinstance(part, str) and " " in part else marked(part) for part in value]
    return value


def test_no_text_and_no_token_is_in_the_log_or_the_audit(house: House) -> None:
    """Marked texts go through every call and kind of job, well-formed and not, as texts, fields, paths, queries and headers."""
    token = house.tokens["admin"]
    paths = house.ask("GET", "/openapi.json", "admin").json()["paths"]
    for path, methods in paths.items():
        for method in methods:
            address = path.replace("{model}", MARKER).replace("{id}", MARKER).replace("{code}", MARKER)
            bodies: list[dict[str, Any]] = [{"json": body} for body in ({MARKER: MARKER}, [MARKER], MARKER)]
            for fields in bodies if method == "post" else [{}]:
                answer = house.ask(method.upper(), address, "admin", params={"q": MARKER, "key": token}, **fields)
                assert answer.status_code < 500, (method, path)
                house.ask(method.upper(), address, MARKER.encode("ascii", "replace").decode() + token, **fields)
    for name, operation in OPERATIONS.items():
        if operation.answer is not None:
            assert house.ask("POST", operation.path, "admin", json=marked(example_of(name))).status_code < 500
        if operation.steps is not None:
            made = house.ask("POST", "/v1/jobs", "admin", json={"kind": name, "params": marked(example_of(name))})
            assert made.status_code in (202, 422)
    house.ask("GET", "/translate/qe", "admin", params={"source": "ro", "target": "en", "sentence": MARKER, "translation": MARKER})
    house.ask("POST", "/v1/files", "admin", files={"file": (f"{MARKER}.tsv", f"{MARKER}\t{MARKER}\n".encode())})
    form = {"kind": "quality", "params": json.dumps(PAIR)}
    house.ask(
        "POST", "/v1/jobs", "admin", data=form, files={"file": (f"{MARKER}.tsv", f"source\ttranslation\n{MARKER}\tx\n".encode())}
    )
    house.ask("POST", "/v1/feedback", "admin", json={**PAIR, **SEGMENTS[0], "post_edit": MARKER, "origin": MARKER})
    house.ask("GET", "/v1/me", "admin", headers={"X-Request-ID": f"{token} {token}", "traceparent": token})
    house.ask("GET", f"/v1/jobs/{'%0A' * 3}{token}", "admin", headers={"X-Request-ID": token})
    jobs = house.ask("GET", "/v1/jobs?limit=1000", "admin").json()["jobs"]
    with house.server.client() as client:
        client.headers["Authorization"] = f"Bearer {token}"
        for job in jobs:
            wait_for_job(client, job["id"])
    with sqlite3.connect(house.server.data / "assay.sqlite3") as database:
        dump = "\n".join(map(str, database.execute("SELECT * FROM audit").fetchall()))
    log = (house.server.data / "server.log").read_text("utf-8")
    bare = MARKER.partition("-")[2]
    secrets = [value.rpartition("_")[2] for value in house.tokens.values()]
    for text in (log, dump):
        assert bare not in text and not any(secret in text for secret in secrets)
    assert dump.count("'created', 'job'") >= len(jobs)
    verdict = AuditLog(open_database(f"sqlite:///{house.server.data / 'assay.sqlite3'}")).verify()
    assert verdict.fault is None and verdict.rows > len(jobs)


def asked(settings: Settings, ask: Callable[[httpx2.AsyncClient], Any]) -> Any:
    """What an application answers that has loaded nothing but its keys."""

    async def run() -> Any:
        app = create_app(settings)
        app.state.service.use(open_database(settings.sqlalchemy_url))
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://assay") as client:
            return await ask(client)

    return anyio.run(run)


@pytest.mark.parametrize("metrics_open", [False, True])
@pytest.mark.parametrize("docs_open", [False, True])
def test_settings_say_who_reads_metrics_and_docs(tmp_path: Path, metrics_open: bool, docs_open: bool) -> None:
    settings = Settings(data_dir=tmp_path, tagging_process=False, metrics_open=metrics_open, docs_open=docs_open)
    keys = KeyStore(open_database(settings.sqlalchemy_url))
    tokens = {scope: keys.create(scope, [scope])[1] for scope in ("metrics", "score", "admin")}

    async def statuses(client: httpx2.AsyncClient) -> dict[tuple[str, str], int]:
        headers = {"": {}, **{scope: {"Authorization": f"Bearer {token}"} for scope, token in tokens.items()}}
        paths = ("/metrics", "/docs", "/openapi.json", "/v1/features/catalogue")
        return {(path, key): (await client.get(path, headers=headers[key])).status_code for path in paths for key in headers}

    got = asked(settings, statuses)
    for key in ("", *tokens):
        nobody = 401 if key == "" else 200
        assert got["/metrics", key] == (200 if metrics_open or key in ("metrics", "admin") else 401 if key == "" else 403)
        assert got["/docs", key] == got["/openapi.json", key] == (200 if docs_open else nobody)
        assert got["/v1/features/catalogue", key] == nobody


def test_while_there_is_no_key_everybody_reads_metrics(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, tagging_process=False, allow_anonymous=True)

    async def status(client: httpx2.AsyncClient) -> int:
        return (await client.get("/metrics")).status_code

    assert asked(settings, status) == 200


def test_nothing_is_said_before_the_database_is_open(tmp_path: Path) -> None:
    async def status() -> tuple[int, str]:
        app = create_app(Settings(data_dir=tmp_path, tagging_process=False))
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://assay") as client:
            answer = await client.get("/metrics")
            return answer.status_code, answer.json()["type"]

    assert anyio.run(status) == (503, "/problems/not-ready")
