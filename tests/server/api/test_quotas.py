"""Limits over HTTP: what is charged and what is not, what a refusal says, and what callers are told."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from assay_client import Client, QuotaError

from app.engine import Engine
from app.operations.catalogue import OPERATIONS
from app.operations.operation import Operation
from app.running.rates import KeyLimits, parse_rates
from app.server.store import JobStore, KeyStore, UsageStore, open_database
from tests.databases import strictest_database
from tests.servers import Server
from tests.smt.decoder.toy_systems import add_toy_systems

PAIR = {"source_language": "ro", "target_language": "en"}
# Twelve characters.
SEGMENT = {"source": "Casa e mare.", "translation": "The house is big."}
QUALITY = {**PAIR, "segments": [SEGMENT]}
EVERYTHING = ["score", "quality", "jobs", "train", "feedback", "models", "resources"]
MANY = "1000000 segments/day"


@dataclass(frozen=True)
class House:
    """A server with keys; every test makes one of its own."""

    server: Server
    keys: KeyStore
    usage: UsageStore
    jobs: JobStore

    def key(self, name: str, rates: str | None = None, owner: str | None = None, **limits: int) -> httpx2.Client:
        of_key = KeyLimits(None if rates is None else parse_rates(rates, "rate"), **limits)
        scopes = EVERYTHING if name != "boss" else ["admin"]
        _, token = self.keys.create(name, scopes, owner, limits=of_key)
        return httpx2.Client(base_url=self.server.address, headers={"Authorization": f"Bearer {token}"}, timeout=60, verify=False)

    def used(self, owner: str) -> tuple[int, int, int, int]:
        rows = self.usage.used("day", time.time() - 86400, owner)
        fields = ("segments", "characters", "requests", "jobs")
        return tuple(sum(getattr(row, name) for row in rows) for name in fields)  # type: ignore[return-value]


@pytest.fixture(scope="module")
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[House]:
    data = tmp_path_factory.mktemp("quotas")
    url = strictest_database(request, data)
    settings = {"ASSAY_DATABASE_URL": url, "ASSAY_QUOTA_RATES": "100 segments/day", "ASSAY_QUOTA_JOBS_AT_ONCE": "2",
                "ASSAY_MAX_QUEUED_JOBS": "6", "ASSAY_WORKERS": "0"}  # fmt: skip
    database = open_database(url)
    keys = KeyStore(database)
    keys.create("first", ["admin"])
    server = Server(data, {**ro_en, **settings})
    add_toy_systems(data / "resources", tmp_path_factory.mktemp("systems"))
    server.start()
    yield House(server, keys, UsageStore(database), JobStore(database))
    server.stop()
    database.dispose()


@pytest.fixture(autouse=True)
def no_jobs_stay(house: House) -> Iterator[None]:
    yield
    for job in house.jobs.list():
        house.jobs.cancel(job.id)


def test_a_call_is_charged_and_says_what_is_left(house: House) -> None:
    with house.key("left", "10 segments/minute, 1000 characters/month") as client:
        answer = client.post("/v1/quality", json={**PAIR, "segments": [SEGMENT] * 4})
        assert answer.status_code == 200
        policies, left = answer.headers["ratelimit-policy"], answer.headers["ratelimit"]
        assert policies.startswith(
            '"segments-per-minute";q=10;qu="segments";w=60, "characters-per-month";q=1000;qu="characters";w='
        )
        assert left.startswith('"segments-per-minute";r=6;t=') and '"characters-per-month";r=952;t=' in left
    assert house.used("left") == (4, 48, 1, 0)


def test_a_refusal_names_the_limit_and_when_it_begins_anew(house: House) -> None:
    with house.key("beyond", "5 segments/day") as client:
        assert client.post("/v1/quality", json={**PAIR, "segments": [SEGMENT] * 4}).status_code == 200
        # The second refusal is of what is remembered.
        for _ in range(2):
            answer = client.post("/v1/quality", json={**PAIR, "segments": [SEGMENT] * 3})
            problem = answer.json()
            assert (answer.status_code, problem["type"]) == (429, "/problems/quota-exceeded")
            assert (problem["limit"], problem["used"], problem["requested"]) == (5, 4, 3)
            assert (problem["unit"], problem["window"], problem["violated-policies"]) == ("segments", "day", ["segments-per-day"])
            assert answer.headers["ratelimit"].startswith('"segments-per-day";r=1;t=')
            assert 0 < int(answer.headers["retry-after"]) <= 86400 and problem["resets"] in problem["detail"]
        assert client.post("/v1/quality", json=QUALITY).status_code == 200
        hopeless = client.post("/v1/quality", json={**PAIR, "segments": [SEGMENT] * 6})
        assert (hopeless.status_code, "retry-after" in hopeless.headers) == (429, False)
    assert house.used("beyond") == (5, 60, 2, 0)


# Operations that answer at once. Each is charged for its example what `cost` declares, and as much again for it as a job.
CHARGED = [operation for operation in OPERATIONS.values() if operation.answer is not None]


@pytest.mark.parametrize("operation", CHARGED, ids=lambda operation: operation.name)
def test_a_call_and_a_job_are_charged_the_declared_amount(house: House, engine: Engine, operation: Operation[Any, Any]) -> None:
    (example,) = operation.request.model_config["json_schema_extra"]["examples"]
    amount = operation.cost(engine, operation.request.model_validate(example)).amount
    with house.key(f"of-{operation.name}", MANY) as client:
        answer = client.post(operation.path, json=example)
        assert answer.status_code == 200 and "ratelimit" in answer.headers, answer.text
        assert house.used(f"of-{operation.name}") == (amount.segments, amount.characters, 1, 0)
        if operation.steps is not None:
            job = client.post("/v1/jobs", json={"kind": operation.name, "params": example})
            assert job.status_code == 202 and "ratelimit" in job.headers, job.text
            assert house.used(f"of-{operation.name}") == (2 * amount.segments, 2 * amount.characters, 1, 1)


def test_what_fails_or_only_looks_is_not_charged(house: House) -> None:
    with house.key("looks", "10 segments/day") as client:
        refused = [
            ("/v1/quality", {**PAIR, "segments": [{"source": "a"}]}), ("/v1/quality", {**QUALITY, "model": "nothing"}),
            ("/v1/quality", {**PAIR, "segments": [{**SEGMENT, "source": "a" * 30_000}]}),
            ("/v1/quality", {**QUALITY, "source_language": "xx"}),
            ("/v1/words", {**QUALITY, "model": "nothing"}),
            ("/v1/features", {**QUALITY, "source_language": "xx", "segments": [SEGMENT] * 5}),
            ("/v1/score", {"metrics": ["nothing"], "systems": {"a": ["x"]}, "references": {"r": ["x"]}}),
            ("/v1/jobs", {"kind": "quality", "params": {**QUALITY, "model": "nothing"}}),
            ("/v1/jobs", {"kind": "quality", "params": {**PAIR, "segments": []}}),
        ]  # fmt: skip
        for path, body in refused:
            assert client.post(path, json=body).status_code == 422, path
        for path in ("/v1/me", "/v1/me/usage", "/v1/jobs", "/v1/models", "/v1/resources", "/v1/feedback"):
            assert client.get(path).status_code == 200, path
        assert house.used("looks") == (0, 0, 0, 0)
        # It predicts, though it is a GET.
        asked = {"source": "ro", "target": "en", "sentence": SEGMENT["source"], "translation": "The house is big."}
        assert "ratelimit" in client.get("/translate/qe", params=asked).headers
    assert house.used("looks") == (1, 12, 1, 0)


def test_a_job_is_charged_once(house: House) -> None:
    with house.key("jobs", "10 segments/day") as client:
        body, once = {"kind": "quality", "params": {**PAIR, "segments": [SEGMENT] * 6}}, {"Idempotency-Key": "k"}
        job = client.post("/v1/jobs", json=body, headers=once).json()
        assert client.post("/v1/jobs", json=body, headers=once).json()["id"] == job["id"]
        assert client.post("/v1/jobs", json=body).status_code == 429
        client.delete(f"/v1/jobs/{job['id']}")
        # What is left of it to do, which is all, is asked for anew.
        assert client.post(f"/v1/jobs/{job['id']}/retry").status_code == 429
        assert house.used("jobs") == (6, 72, 0, 1)
        lines = {"source": "\n".join([SEGMENT["source"]] * 5).encode(), "translation": "\n".join(["Yes."] * 5).encode()}
        form = {"kind": "quality", "params": json.dumps(PAIR)}
        assert client.post("/v1/jobs", data=form, files=lines).status_code == 429
        fewer = {role: b"\n".join(raw.split(b"\n")[:4]) for role, raw in lines.items()}
        for job_id in [row["id"] for row in client.get("/v1/jobs").json()["jobs"]]:
            client.delete(f"/v1/jobs/{job_id}")
        assert client.post("/v1/jobs", data=form, files=fewer).status_code == 202
    assert house.used("jobs") == (10, 120, 0, 2)


def test_bytes_that_a_recipe_reads_are_characters(house: House) -> None:
    with house.key("recipes", "30 characters/day") as client:
        step = {"corpus filter": {"source": "a", "target": "b", "out-source": "c"}}
        body = {
            "kind": "recipe",
            "params": {"recipe": {"steps": [step]}, "files": {"a": "x y z\n", "b": "x y z\n", "unread": "x" * 50}},
        }
        answers = [client.post("/v1/jobs", json=body) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [202, 202, 429]
        for answer in answers[:2]:
            client.delete(f"/v1/jobs/{answer.json()['id']}")
    assert house.used("recipes") == (0, 24, 0, 2)


def test_what_a_retry_has_left_to_do_is_charged(house: House) -> None:
    with house.key("again", "20 segments/day") as client:
        body = {"kind": "quality", "params": {**PAIR, "segments": [SEGMENT] * 6}}
        job = client.post("/v1/jobs", json=body).json()["id"]
        client.delete(f"/v1/jobs/{job}")
        answers = []
        for _ in range(4):
            answers.append(client.post(f"/v1/jobs/{job}/retry"))
            if answers[-1].status_code == 202:
                client.delete(f"/v1/jobs/{answers[-1].json()['id']}")
        assert [answer.status_code for answer in answers] == [202, 202, 429, 429]
        assert answers[1].headers["ratelimit"].startswith('"segments-per-day";r=2;')
    assert house.used("again") == (18, 216, 0, 3)


def test_the_settings_rates_are_an_owners_over_all_keys(house: House) -> None:
    one, other, own = house.key("one", owner="Ten"), house.key("other", owner="Ten"), house.key("own", MANY, owner="Ten")
    with one, other, own:
        sixty = {**PAIR, "segments": [SEGMENT] * 60}
        assert one.post("/v1/features", json=sixty).status_code == 200
        assert other.post("/v1/features", json=sixty).status_code == 429
        assert own.post("/v1/features", json=sixty).status_code == 200
        limits = one.get("/v1/me").json()["limits"]
        assert limits["rates"] == [{"limit": 100, "unit": "segments", "window": "day", "of": "owner"}]
        assert limits["jobs_at_once"] == 2 and limits["stored_bytes"] is None
        assert own.get("/v1/me").json()["limits"]["rates"][0] == {
            "limit": 1000000, "unit": "segments", "window": "day", "of": "key"
        }  # fmt: skip


def test_limits_of_a_key_can_be_changed(house: House) -> None:
    with house.key("changed") as client:
        hundred = {**PAIR, "segments": [SEGMENT] * 101}
        assert client.post("/v1/features", json=hundred).status_code == 429
        house.keys.limit("changed", KeyLimits(rates=()))
        deadline = time.monotonic() + 30
        while (answer := client.post("/v1/features", json=hundred)).status_code == 429 and time.monotonic() < deadline:
            time.sleep(0.2)
        assert answer.status_code == 200 and "ratelimit" not in answer.headers


def test_jobs_at_once_and_the_queue(house: House) -> None:
    body = {"kind": "quality", "params": QUALITY}
    clients = [house.key(f"queue-{k}", MANY) for k in range(4)]
    try:
        statuses = [client.post("/v1/jobs", json=body).status_code for client in clients[:3] for _ in range(3)]
        assert statuses == [202, 202, 429] * 3
        full = clients[3].post("/v1/jobs", json=body)
        assert (full.status_code, full.json()["type"], full.json()["limit"]) == (503, "/problems/queue-full", 6)
        assert int(full.headers["retry-after"]) > 0
        job = clients[0].get("/v1/jobs").json()["jobs"][0]["id"]
        clients[0].delete(f"/v1/jobs/{job}")
        assert clients[3].post("/v1/jobs", json=body).status_code == 202
        refused = clients[1].post("/v1/jobs", json=body)
        assert (refused.json()["type"], refused.json()["used"]) == ("/problems/too-many-jobs", 2)
    finally:
        for client in clients:
            client.close()
    assert [house.used(f"queue-{k}")[0] for k in range(4)] == [2, 2, 2, 1]


def test_bytes_that_an_owner_keeps(house: House) -> None:
    with house.key("bytes", MANY, stored_bytes=2000) as client:
        body = {
            "kind": "quality",
            "params": {**PAIR, "segments": [{**SEGMENT, "source": f"Casa {k} e mare {k * k}."} for k in range(40)]},
        }
        job = client.post("/v1/jobs", json=body)
        assert job.status_code == 202
        stored = client.get("/v1/me/usage").json()["stored_bytes"]
        assert 500 < stored <= 2000
        answers = [client.post("/v1/jobs", json=body) for _ in range(1)]
        while answers[-1].status_code == 202:
            client.delete(f"/v1/jobs/{answers[-1].json()['id']}")
            answers.append(client.post("/v1/jobs", json=body))
        problem = answers[-1].json()
        assert (answers[-1].status_code, problem["type"]) == (507, "/problems/storage-quota-exceeded")
        assert problem["limit"] == 2000 and "retry-after" not in answers[-1].headers
        judged = {**PAIR, "label": "hter", "segments": [{**SEGMENT, "source": f"{k**7} " * 50, "score": 0.5} for k in range(20)]}
        assert client.post("/v1/feedback", json=judged).status_code == 507
        assert client.get("/v1/feedback").json()["feedback"] == []
        for row in client.get("/v1/jobs").json()["jobs"]:
            client.delete(f"/v1/jobs/{row['id']}")
            assert client.delete(f"/v1/jobs/{row['id']}?remove=true").status_code == 200
        assert client.get("/v1/me/usage").json()["stored_bytes"] == 0
        assert client.post("/v1/jobs", json=body).status_code == 202


def test_what_was_used_is_told_to_its_owner_and_to_administrators(house: House) -> None:
    with house.key("ana-1", MANY, owner="Ana") as ana, house.key("ana-2", MANY, owner="Ana") as second, house.key("boss") as boss:
        ana.post("/v1/quality", json={**PAIR, "segments": [SEGMENT] * 2})
        second.post("/v1/jobs", json={"kind": "quality", "params": QUALITY})
        usage = ana.get("/v1/me/usage").json()
        counts = {"segments": 3, "characters": 36, "requests": 1, "jobs": 1}
        today = time.strftime("%Y-%m-%d", time.gmtime())
        assert usage["days"][-1]["day"] <= today and len(usage["days"][-1]["day"]) == 10
        assert {name: sum(row[name] for row in usage["days"]) for name in counts} == counts
        assert {name: sum(row[name] for row in usage["months"]) for name in counts} == counts
        assert {row["key"]: row["segments"] for row in usage["keys"]} == {"ana-1": 2, "ana-2": 1}
        assert (usage["owner"], usage["active_jobs"], usage["owners"]) == ("Ana", 1, None) and usage["stored_bytes"] > 0
        assert second.get("/v1/me/usage", params={"owner": "first"}).status_code == 403
        seen = boss.get("/v1/me/usage", params={"owner": "Ana"}).json()
        assert seen["days"] == usage["days"] and "Ana" in {row["owner"] for row in seen["owners"]}


def test_the_client_raises_an_error_of_its_own(house: House) -> None:
    house.key("typed", "1 segments/day").close()
    token = house.keys.rotate("typed")
    with Client(house.server.address, api_key=token) as assay:
        assert assay.me()["name"] == "typed"
        assay.quality("ro", "en", [SEGMENT])
        with pytest.raises(QuotaError) as refused:
            assay.quality("ro", "en", [SEGMENT])
        error = refused.value
        assert (error.code, error.status, error.limits) == ("quota-exceeded", 429, ("segments-per-day",))
        assert error.retry_after is not None and error.retry_after > 0
        with pytest.raises(QuotaError) as hopeless:
            assay.quality("ro", "en", [SEGMENT] * 2)
        assert hopeless.value.retry_after is None
        assert assay.usage(days=3)["keys"][0]["segments"] == 1


def test_no_more_than_the_limit_gets_through_at_once(house: House) -> None:
    """Nor through several servers of one database, as tests/server/store/test_usage.py shows."""
    with house.key("both", "25 segments/day") as client, ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda _: client.post("/v1/quality", json={**PAIR, "segments": [SEGMENT] * 2}), range(40))
        statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 12 and statuses.count(429) == 28
    assert house.used("both") == (24, 24 * 12, 12, 0)
