"""Who may do what: every route and every kind of job with no key, a wrong one, an expired one, each scope, another owner's."""

import json
import signal
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from app.errors import InputError
from app.operations.catalogue import OPERATIONS
from app.operations.operation import Operation
from app.server.store import SCOPES, KeyStore, open_database
from tests.faults.test_kill import send_workers
from tests.servers import Server, wait_for_job

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENTS = [{"source": "Casa este mare.", "translation": "The house is big."}]
QUALITY = {**PAIR, "model": "ro-en-hter-gp-17", "segments": SEGMENTS}
ANY = "any"
OPEN = "open"
# Scope of each route beside those of operations, on purpose independent of the code.
ROUTES = {
    ("GET", "/health/live"): OPEN, ("GET", "/health/ready"): OPEN, ("GET", "/metrics"): "metrics", ("GET", "/v1/resources"): ANY,
    ("GET", "/v1/features/catalogue"): ANY, ("GET", "/v1/metrics"): ANY, ("GET", "/problems/{code}"): OPEN, ("GET", "/v1/models"): ANY,
    ("GET", "/v1/models/{model}"): ANY, ("POST", "/v1/models/{model}/promote"): "models",
    ("POST", "/v1/models/{model}/rollback"): "models", ("GET", "/translate/qe"): "quality", ("POST", "/v1/feedback"): "feedback",
    ("GET", "/v1/feedback"): "feedback", ("GET", "/v1/feedback/items"): "feedback", ("GET", "/v1/feedback/export"): "feedback",
    ("GET", "/v1/feedback/{id}"): "feedback", ("PATCH", "/v1/feedback/{id}"): "feedback",
    ("DELETE", "/v1/feedback/{id}"): "feedback", ("POST", "/v1/jobs"): "jobs", ("GET", "/v1/jobs"): "jobs", ("GET", "/v1/jobs/{id}"): "jobs",
    ("POST", "/v1/jobs/{id}/retry"): "jobs", ("DELETE", "/v1/jobs/{id}"): "jobs", ("GET", "/v1/jobs/{id}/events"): "jobs",
    ("GET", "/v1/jobs/{id}/result"): "jobs", ("GET", "/v1/jobs/{id}/files"): "jobs", ("GET", "/v1/jobs/{id}/files/{name}"): "jobs",
    ("GET", "/v1/jobs/{id}/corrections"): "jobs", ("PUT", "/v1/jobs/{id}/corrections/{segment}"): "jobs",
    ("DELETE", "/v1/jobs/{id}/corrections/{segment}"): "jobs", ("POST", "/v1/files"): "quality", ("GET", "/v1/me"): ANY, ("GET", "/v1/me/usage"): ANY,
    ("GET", "/v1/audit"): "admin", ("DELETE", "/v1/owners/{name}"): "admin",
}  # fmt: skip
# Operations with a scope of their own.
OWN_SCOPES = {"train": "train", "learn": "train", "recipe": "resources"}


def scope_of(name: str, operation: Operation[Any, Any]) -> str:
    """Requests about a language pair need `quality`; requests about texts alone need `score`."""
    return OWN_SCOPES.get(name, "quality" if "source_language" in operation.request.model_fields else "score")


SCOPE_OF = {name: scope_of(name, operation) for name, operation in OPERATIONS.items()}
NEEDS = ROUTES | {("POST", f"/v1/{name}"): SCOPE_OF[name] for name, operation in OPERATIONS.items() if operation.answer is not None}
KINDS = {name: SCOPE_OF[name] for name, operation in OPERATIONS.items() if operation.steps is not None}
PAGES = ("/", "/review", "/rank", "/score", "/tune", "/rerank", "/jobs", "/models", "/models/ro-en-hter-gp-17", "/docs")


@dataclass(frozen=True)
class House:
    """A server with keys, and their tokens by name."""

    server: Server
    tokens: dict[str, str]
    examples: dict[str, Any]
    client: httpx2.Client

    def ask(self, method: str, path: str, key: str | None, **fields: Any) -> httpx2.Response:
        headers = {
            **fields.pop("headers", {}),
            **({"Authorization": f"Bearer {self.tokens.get(key, key)}"} if key is not None else {}),
        }
        # Connections are kept, which spares half of a request's time; cookies are not.
        self.client.cookies.clear()
        return self.client.request(method, path, headers=headers, **fields)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[House]:
    data = tmp_path_factory.mktemp("keys")
    server = Server(data, ro_en)
    keys = KeyStore(open_database(f"sqlite:///{data / 'assay.sqlite3'}"))
    tokens = {scope: keys.create(scope, [scope])[1] for scope in SCOPES}
    everything = [scope for scope in SCOPES if scope != "admin"]
    for name in ("Ana", "Bo"):
        tokens[name] = keys.create(name, everything)[1]
    tokens["Ana's other"] = keys.create("ana-2", everything, owner="Ana")[1]
    tokens["et-en"] = keys.create("et-en", everything, pairs=["et-en"])[1]
    tokens["one model"] = keys.create("one-model", everything, models=["ro-en-da-gp-17"])[1]
    tokens["expired"] = keys.create("expired", ["admin"], expires=time.time() - 1)[1]
    tokens["revoked"] = keys.create("revoked", ["admin"])[1]
    keys.revoke("revoked")
    server.start()
    with server.client() as client:
        document = client.get("/openapi.json", headers={"Authorization": f"Bearer {tokens['admin']}"}).json()
        yield House(server, tokens, document, client)
    server.stop()


def keys_of(house: House) -> KeyStore:
    return KeyStore(open_database(f"sqlite:///{house.server.data / 'assay.sqlite3'}"))


def test_every_route_is_told(house: House) -> None:
    routes = {(method.upper(), path) for path, methods in house.examples["paths"].items() for method in methods}
    assert routes == NEEDS.keys()


def example_of(name: str) -> Any:
    """The example of an operation's request, which its documentation has; nothing where it has none."""
    extra: Any = OPERATIONS[name].request.model_config.get("json_schema_extra") if name in OPERATIONS else None
    return extra["examples"][0] if extra else {}


def called(house: House, method: str, path: str, key: str | None) -> int:
    path = (
        path.replace("{model}", "nothing").replace("{id}", "0" * 32).replace("{code}", "no-key").replace("{name}", "nobody-at-all")
    )
    fields: dict[str, Any] = {"json": {"kind": "nothing", "params": {}} if path == "/v1/jobs" else {}} if method == "POST" else {}
    if method == "PUT":
        fields = {"json": {"text": "x"}}
    if path.endswith("{segment}"):
        path, fields = path.replace("{segment}", "1"), {**fields, "params": {"revision": "1"}}
    if method == "PATCH":
        fields = {"json": {"score": 0.5}}
    if path == "/v1/files":
        fields = {"files": {"file": b"a\tb\n"}}
    if path == "/translate/qe":
        fields = {"params": {"source": "ro", "target": "en", "sentence": "Da.", "translation": "Yes."}}
    if path in ("/v1/quality", "/v1/words", "/v1/features"):
        fields = {"json": {**PAIR, "segments": []}}
    if path == "/v1/rank":
        fields = {"json": {**PAIR, "segments": []}}
    if path in ("/v1/score", "/v1/compare", "/v1/correlate", "/v1/word-order", "/v1/feedback") or path.endswith(
        ("promote", "rollback")
    ):
        name = path.removeprefix("/v1/")
        fields = {"json": example_of(name)}
        if path == "/v1/feedback":
            fields = {"json": {**PAIR, "label": "hter", "segments": [{**SEGMENTS[0], "score": 0.5}]}}
    return house.ask(method, path, key, **fields).status_code


@pytest.mark.parametrize(("method", "path"), NEEDS)
def test_every_route_with_every_key(house: House, method: str, path: str) -> None:
    need = NEEDS[method, path]
    for key in (None, "expired", "revoked", "assay_00000000_" + "0" * 48, "x"):
        assert (called(house, method, path, key) == 401) == (need != OPEN), key
    for scope in SCOPES:
        status = called(house, method, path, scope)
        allowed = need in (ANY, OPEN, scope) or scope == "admin"
        assert (status not in (401, 403)) == allowed, (scope, status)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_job_needs_its_scope_and_that_of_jobs(house: House, kind: str) -> None:
    keys = KeyStore(open_database(f"sqlite:///{house.server.data / 'assay.sqlite3'}"))
    example = example_of(kind) or {**QUALITY, "count": 1}
    params = {**example, "label": "hter", "segments": [{**SEGMENTS[0], "label": 0.5}] * 3} if kind == "train" else example
    params = {name: value for name, value in params.items() if name not in ("model", "count") or kind != "train"}
    body = {"kind": kind, "params": params}
    assert house.ask("POST", "/v1/jobs", "jobs", json=body).status_code == 403
    assert house.ask("POST", "/v1/jobs", KINDS[kind], json=body).status_code == 403
    token = keys.create(f"{kind}-jobs", ["jobs", KINDS[kind]])[1]
    answer = house.ask("POST", "/v1/jobs", token, json=body)
    assert answer.status_code in (202, 422), answer.text
    if answer.status_code == 202:
        assert answer.json()["owner"] == f"{kind}-jobs"
        house.ask("DELETE", f"/v1/jobs/{answer.json()['id']}", token)


def test_files_of_jobs_belong_to_their_owner(house: House) -> None:
    body = {"kind": "recipe", "params": example_of("recipe")}
    job = house.ask("POST", "/v1/jobs", "Ana", json=body).json()["id"]
    with house.server.client() as client:
        client.headers["Authorization"] = f"Bearer {house.tokens['Ana']}"
        assert wait_for_job(client, job)["state"] == "succeeded"
    for key, seen in (("Ana", True), ("Ana's other", True), ("admin", True), ("Bo", False)):
        for path in ("files", "files/b.de", "files/a.en"):
            answer = house.ask("GET", f"/v1/jobs/{job}/{path}", key)
            assert answer.status_code == (200 if seen else 404), (key, path)
        taken = {**body["params"], "files": {"a.de": {"job": job, "file": "b.de"}, "a.en": "the house\na house\n"}}
        queued = house.ask("POST", "/v1/jobs", key, json={"kind": "recipe", "params": taken})
        assert queued.status_code == (202 if seen else 404), queued.text
        if seen:
            assert queued.json()["params"]["inputs"]["a.de"]["of"] == {"job": job, "file": "b.de"}
            house.ask("DELETE", f"/v1/jobs/{queued.json()['id']}", key)
    answer = house.ask("GET", f"/v1/jobs/{job}/files/b.de", "Ana")
    assert answer.text == body["params"]["files"]["a.de"] and answer.headers["content-length"] == str(len(answer.content))
    again = house.ask("GET", f"/v1/jobs/{job}/files/b.de", "Ana", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    for name in ("../../x", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "%2Fetc%2Fpasswd", "nothing", "given-0", "b.de%00", "c/"):
        assert house.ask("GET", f"/v1/jobs/{job}/files/{name}", "Ana").status_code in (404, 422), name
    for name in ("../x", "/etc/passwd", "x\0", "a/../../b"):
        files = {f"input:{name}": b"x\n", "recipe": b"steps: [{corpus filter: {source: a, target: a, out-source: b}}]"}
        answer = house.ask("POST", "/v1/jobs", "Ana", data={"kind": "recipe"}, files=files)
        assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid-job"), name


def test_folders_of_jobs_belong_to_their_owner(house: House) -> None:
    step = {"corpus filter": {"source": "a.de", "target": "a.en", "out-source": "made/b.de", "out-target": "made/b.en"}}
    params = {**example_of("recipe"), "recipe": {"steps": [step]}}
    job = house.ask("POST", "/v1/jobs", "Ana", json={"kind": "recipe", "params": params}).json()["id"]
    with house.server.client() as client:
        client.headers["Authorization"] = f"Bearer {house.tokens['Ana']}"
        assert wait_for_job(client, job)["state"] == "succeeded"
    again = {"corpus filter": {"source": "x/b.de", "target": "x/b.en", "out-source": "c"}}
    for key, folder, status in (
        ("Ana", "made", 202),
        ("Ana's other", "made", 202),
        ("Bo", "made", 404),
        ("Ana", "mad", 404),
        ("Ana", "..", 404),
    ):
        taken = {"recipe": {"steps": [again]}, "files": {"x": {"job": job, "file": folder}}}
        queued = house.ask("POST", "/v1/jobs", key, json={"kind": "recipe", "params": taken})
        assert queued.status_code == status, queued.text
        if status == 202:
            inputs = queued.json()["params"]["inputs"]
            assert {name: entry["of"]["file"] for name, entry in inputs.items()} == {"x/b.de": "made/b.de", "x/b.en": "made/b.en"}
            house.ask("DELETE", f"/v1/jobs/{queued.json()['id']}", key)


def test_jobs_belong_to_their_owner(house: House) -> None:
    job = house.ask("POST", "/v1/jobs", "Ana", json={"kind": "quality", "params": QUALITY}, headers={"Idempotency-Key": "k"}).json()
    assert job["owner"] == "Ana"
    other = house.ask(
        "POST", "/v1/jobs", "Bo", json={"kind": "quality", "params": QUALITY}, headers={"Idempotency-Key": "k"}
    ).json()
    assert (other["owner"], other["id"] != job["id"]) == ("Bo", True)
    with house.server.client() as client:
        client.headers["Authorization"] = f"Bearer {house.tokens['Ana']}"
        assert wait_for_job(client, job["id"])["state"] == "succeeded"
    for method, path in (
        ("GET", ""), ("GET", "/result"), ("GET", "/result?format=annotated"), ("GET", "/events"), ("DELETE", ""),
        ("DELETE", "?remove=true"), ("POST", "/retry"),
    ):  # fmt: skip
        answer = house.ask(method, f"/v1/jobs/{job['id']}{path}", "Bo")
        assert (answer.status_code, answer.json()["type"]) == (404, "/problems/unknown-job"), (method, path)
    for path in ("report", "curve.json", "histogram.svg"):
        assert house.ask("GET", f"/jobs/{job['id']}/{path}", "Bo").status_code == 404
    for key, seen in (("Ana", True), ("Ana's other", True), ("admin", True), ("Bo", False)):
        listed = {row["id"] for row in house.ask("GET", "/v1/jobs", key).json()["jobs"]}
        assert (job["id"] in listed) == seen, key
        assert (house.ask("GET", f"/v1/jobs/{job['id']}/result", key).status_code == 200) == seen
    assert house.ask("GET", f"/v1/jobs?after={job['id']}", "Bo").status_code == 404
    named = {"kind": "quality", "params": QUALITY, "owner": "Ana"}
    assert house.ask("POST", "/v1/jobs", "Bo", json=named).status_code == 403
    assert house.ask("POST", "/v1/jobs", "admin", json=named).json()["owner"] == "Ana"


def test_feedback_belongs_to_its_owner(house: House) -> None:
    given = {**PAIR, "label": "hter", "segments": [{**SEGMENTS[0], "score": 0.5}]}
    before = {key: house.ask("GET", "/v1/feedback", key).json()["feedback"] for key in ("Ana", "Bo", "admin")}
    assert house.ask("POST", "/v1/feedback", "Ana", json=given).status_code == 202
    after = {key: house.ask("GET", "/v1/feedback", key).json()["feedback"] for key in ("Ana", "Bo", "admin")}
    assert after["Ana"] != before["Ana"] and after["admin"] != before["admin"] and after["Bo"] == before["Bo"]
    [row] = house.ask("GET", "/v1/feedback/items?limit=1", "Ana").json()["feedback"]
    assert row["owner"] == "Ana"
    for key, seen in (("Ana", True), ("Ana's other", True), ("admin", True), ("Bo", False), ("et-en", False)):
        for path in ("/v1/feedback/items", "/v1/feedback/export"):
            assert (row["id"] in house.ask("GET", path, key).text) == seen, (key, path)
        status = {
            house.ask("GET", f"/v1/feedback/{row['id']}", key).status_code,
            house.ask("PATCH", f"/v1/feedback/{row['id']}", key, json={"score": 0.25}).status_code,
            house.ask("GET", f"/v1/feedback/items?after={row['id']}", key).status_code,
        }
        assert status == {200 if seen else 404}, key
    assert house.ask("DELETE", f"/v1/feedback/{row['id']}", "Bo").status_code == 404
    assert house.ask("DELETE", f"/v1/feedback/{row['id']}", "Ana").json()["value"] == 0.25
    own = keys_of(house).create("ana-et", ["feedback"], owner="Ana", pairs=["et-en"])[1]
    [row] = house.ask("POST", "/v1/feedback", "Ana", json=given).json()["feedback"]
    assert house.ask("GET", f"/v1/feedback/{row['id']}", own).status_code == 404
    assert row["id"] not in house.ask("GET", "/v1/feedback/items", own).text


def test_models_that_were_trained_belong_to_their_owner(house: House) -> None:
    rows = [
        {"source": f"Casa {k} este mare.", "translation": "The house is big " + "very " * (k % 5), "label": (k % 5) / 5}
        for k in range(160)
    ]
    params = {**PAIR, "label": "hter", "learner": "ridge", "feature_set": "quest-baseline-17", "segments": rows, "name": "of-ana"}
    # Somebody who looks before it is there makes it nobody else's.
    for key in ("Bo", "score"):
        assert house.ask("GET", "/v1/models/of-ana", key).status_code == 404
    job = house.ask("POST", "/v1/jobs", "Ana", json={"kind": "train", "params": params}).json()
    with house.server.client() as client:
        client.headers["Authorization"] = f"Bearer {house.tokens['Ana']}"
        assert wait_for_job(client, job["id"])["state"] == "succeeded"
    for key, seen in (("Ana", True), ("Ana's other", True), ("admin", True), ("Bo", False), ("one model", False)):
        cards = {card["id"] for card in house.ask("GET", "/v1/models", key).json()["models"]}
        assert ("of-ana" in cards) == seen, key
        assert (house.ask("GET", "/v1/models/of-ana", key).status_code == 200) == seen
        assert (house.ask("POST", "/v1/quality", key, json={**QUALITY, "model": "of-ana"}).status_code == 200) == seen
    assert house.ask("POST", "/v1/models/of-ana/promote", "Bo", json={}).status_code == 404
    assert house.ask("POST", "/v1/models/of-ana/promote", "Ana", json={}).status_code == 200
    usual = {name: value for name, value in QUALITY.items() if name != "model"}
    answers = {key: house.ask("POST", "/v1/quality", key, json=usual).json()["model"] for key in ("Ana", "Bo", "et-en", "admin")
               if key != "et-en"}  # fmt: skip
    # An administrator sees it, but what is somebody's own answers nobody else who names none.
    assert answers["Ana"] == "of-ana" != answers["Bo"] == answers["admin"]
    based = {**params, "base": "of-ana", "name": "of-bo"}
    assert house.ask("POST", "/v1/jobs", "Bo", json={"kind": "train", "params": based}).status_code == 422
    assert "of-ana" not in house.ask("GET", "/v1/models/ro-en-hter-gp-17", "Bo").text
    assert house.ask("POST", "/v1/models/of-ana/rollback", "Ana", json={"reason": "no good"}).status_code == 200
    assert "no good" not in house.ask("GET", "/v1/models/ro-en-hter-gp-17", "Bo").text


def test_promotions_need_their_scope_and_pair(house: House) -> None:
    keys = KeyStore(open_database(f"sqlite:///{house.server.data / 'assay.sqlite3'}"))
    other = keys.create("promotes-et-en", ["models"], pairs=["et-en"])[1]
    for way in ("promote", "rollback"):
        assert house.ask("POST", f"/v1/models/ro-en-hter-gp-17/{way}", other, json={}).status_code == 403
    trains = keys.create("only-trains", ["train", "jobs", "quality"])[1]
    rows = [{**SEGMENTS[0], "label": k / 100} for k in range(60)]
    params = {**PAIR, "label": "hter", "base": "ro-en-hter-gp-17", "method": "adapt", "segments": rows, "promote": "if-better"}
    answer = house.ask("POST", "/v1/jobs", trains, json={"kind": "train", "params": params})
    assert (answer.status_code, answer.json()["detail"]) == (403, "this needs a key with the scope models")
    form = {"kind": "train", "params": json.dumps({name: value for name, value in params.items() if name != "segments"})}
    assert house.ask("POST", "/v1/jobs", trains, data=form, files={"file": b"a\tb\t0.1\n"}).status_code == 403


def test_a_retry_needs_what_the_job_needed(house: House) -> None:
    keys = KeyStore(open_database(f"sqlite:///{house.server.data / 'assay.sqlite3'}"))
    job = house.ask("POST", "/v1/jobs", "Ana", json={"kind": "quality", "params": QUALITY}).json()["id"]
    house.ask("DELETE", f"/v1/jobs/{job}", "Ana")
    for name, scopes, models in (("ana-jobs", ["jobs"], None), ("ana-da", ["jobs", "quality"], ["ro-en-da-gp-17"])):
        token = keys.create(name, scopes, owner="Ana", models=models)[1]
        assert house.ask("POST", f"/v1/jobs/{job}/retry", token).status_code == 403


def test_a_key_for_some_models_is_for_no_other_word_tagger(house: House) -> None:
    words = {**PAIR, "segments": SEGMENTS}
    assert house.ask("POST", "/v1/words", "Ana", json={**words, "model": "ro-en-words"}).status_code == 200
    for body in (words, {**words, "model": "ro-en-words"}):
        assert house.ask("POST", "/v1/words", "one model", json=body).status_code == 422
    listed = house.ask("GET", "/v1/models", "one model").json()
    assert [card["id"] for card in listed["models"]] == ["ro-en-da-gp-17"] and listed["word_models"] == []


def test_a_key_may_be_for_some_pairs_and_models(house: House) -> None:
    assert house.ask("POST", "/v1/quality", "et-en", json=QUALITY).status_code == 403
    assert house.ask("POST", "/v1/jobs", "et-en", json={"kind": "quality", "params": QUALITY}).status_code == 403
    form = {"kind": "quality", "params": '{"source_language": "ro", "target_language": "en"}'}
    assert house.ask("POST", "/v1/jobs", "et-en", data=form, files={"file": b"a\tb\n"}).status_code == 403
    assert house.ask("GET", "/translate/qe?source=ro&target=en&sentence=a&translation=b", "et-en").status_code == 403
    lists = {"n_best": [[{"text": "The house is big.", "score": 0.0}]], "sources": ["Casa este mare."], "features": ["qe"]}
    assert house.ask("POST", "/v1/rerank", "et-en", json={**lists, **PAIR}).status_code == 403
    assert house.ask("POST", "/v1/jobs", "et-en", json={"kind": "rerank", "params": {**lists, **PAIR}}).status_code == 403
    assert house.ask("POST", "/v1/rerank", "et-en", json={**lists, "features": ["len"]}).status_code == 200
    given = {"segments": [{**SEGMENTS[0], "score": 0.5}]}
    assert house.ask("POST", "/v1/feedback", "et-en", json={**PAIR, "label": "hter", **given}).status_code == 403
    assert house.ask("POST", "/v1/feedback", "et-en", json={"model": "ro-en-hter-gp-17", **given}).status_code == 403
    labelled = {"label": "hter", "segments": [{**SEGMENTS[0], "label": 0.5}] * 30}
    both = {"source_language": "et", "target_language": "en", **labelled, "others": [{**PAIR, "segments": labelled["segments"]}]}
    answer = house.ask("POST", "/v1/jobs", "et-en", json={"kind": "train", "params": both})
    assert (answer.status_code, answer.json()["detail"]) == (403, "this key is for et-en")
    assert house.ask("POST", "/v1/quality", "one model", json=QUALITY).status_code == 422
    assert house.ask("POST", "/v1/quality", "one model", json={**QUALITY, "model": "ro-en-da-gp-17"}).status_code == 200


def test_keys_for_nothing_or_for_ever_are_not_made(house: House) -> None:
    keys = KeyStore(open_database(f"sqlite:///{house.server.data / 'assay.sqlite3'}"))
    for field, fields in (
        ("pairs", {"pairs": []}), ("pairs", {"pairs": [""]}), ("models", {"models": []}), ("models", {"models": ["a", ""]}),
        ("expires", {"expires": 253402300800.0}), ("expires", {"expires": float("inf")}),
    ):  # fmt: skip
        with pytest.raises(InputError) as caught:
            keys.create("none", ["score"], **fields)
        assert caught.value.where == (field,)


def test_who_am_i(house: House) -> None:
    me = house.ask("GET", "/v1/me", "et-en").json()
    assert (me["name"], me["owner"], me["pairs"], me["models"]) == ("et-en", "et-en", ["et-en"], None)
    assert "admin" not in me["scopes"] and "score" in me["scopes"]


def test_a_browser_signs_in_and_changes_need_what_its_pages_know(house: House) -> None:
    html = {"Accept": "text/html"}
    for page in PAGES:
        answer = house.ask("GET", page, None, headers=html)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/signin?next={page}")
    with httpx2.Client(base_url=house.server.address, headers=html) as browser:
        assert browser.get("/signin").status_code == 200
        assert browser.post("/signin", data={"key": "wrong"}).status_code == 401
        answer = browser.post("/signin", data={"key": house.tokens["Ana"], "next": "//evil.example/"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=lax" in cookie and house.tokens["Ana"] not in cookie
        page = browser.get("/jobs")
        assert page.status_code == 200 and "no-store" in page.headers["cache-control"]
        csrf = page.text.partition('<meta name="csrf" content="')[2].partition('"')[0]
        assert csrf and browser.get("/v1/jobs").status_code == 200
        body = {"kind": "quality", "params": QUALITY}
        assert browser.post("/v1/jobs", json=body).status_code == 403
        assert browser.post("/v1/jobs", json=body, headers={"X-Assay-CSRF": "0" * 64}).status_code == 403
        own = {"X-Assay-CSRF": csrf}
        assert browser.post("/v1/jobs", json=body, headers=own).json()["owner"] == "Ana"
        assert browser.post("/v1/jobs", json=body, headers={**own, "Origin": "https://evil.example"}).status_code == 403
        assert browser.post("/v1/quality", json=QUALITY, headers={**own, "Origin": house.server.address}).status_code == 200
        name, _, value = answer.headers["set-cookie"].partition(";")[0].partition("=")
        assert len(value) == 64
        for forged in (value[:-1], value.upper(), "0" * 64, f"{value}0", f'"{value}"', "..", ""):
            assert house.ask("GET", "/v1/jobs", None, headers={"Cookie": f"{name}={forged}"}).status_code == 401
        assert browser.post("/signin/end").headers["location"] == "/signin"
        assert browser.get("/v1/jobs").status_code == 401
        # Whoever kept the cookie is out too, in the second for which it is remembered.
        time.sleep(1.2)
        assert house.ask("GET", "/v1/jobs", None, headers={"Cookie": f"{name}={value}"}).status_code == 401


def test_what_is_for_one_caller_is_kept_by_nobody_on_the_way(house: House) -> None:
    for method, path, fields in (
        ("GET", "/v1/me", {}), ("GET", "/v1/jobs", {}), ("GET", "/v1/feedback", {}), ("POST", "/v1/quality", {"json": QUALITY}),
        ("GET", "/v1/jobs/" + "0" * 32, {}), ("GET", "/models/ro-en-hter-gp-17/relevance.svg", {}),
    ):  # fmt: skip
        assert house.ask(method, path, "Ana", **fields).headers["cache-control"] == "private, no-store", path


def test_a_stream_ends_with_its_key(house: House) -> None:
    keys = KeyStore(open_database(f"sqlite:///{house.server.data / 'assay.sqlite3'}"))
    token = keys.create("streams", ["jobs", "quality"])[1]
    # Nobody works on the job, so that its stream cannot end with it.
    send_workers(house.server, signal.SIGSTOP)
    try:
        job = house.ask("POST", "/v1/jobs", token, json={"kind": "quality", "params": QUALITY}).json()["id"]
        address, headers = f"{house.server.address}/v1/jobs/{job}/events", {"Authorization": f"Bearer {token}"}
        with httpx2.stream("GET", address, headers=headers, timeout=60) as stream:
            lines = stream.iter_lines()
            next(lines)
            keys.revoke("streams")
            last = [line for line in lines if line.startswith("data:")][-1]
    finally:
        send_workers(house.server, signal.SIGCONT)
    assert json.loads(last.removeprefix("data:"))["state"] in ("queued", "running")
    house.ask("DELETE", f"/v1/jobs/{job}", "admin")


def test_a_revoked_key_opens_nothing_within_seconds(house: House) -> None:
    keys = KeyStore(open_database(f"sqlite:///{house.server.data / 'assay.sqlite3'}"))
    token = keys.create("brief", ["quality"])[1]
    cookie = httpx2.post(f"{house.server.address}/signin", data={"key": token}).headers["set-cookie"].partition(";")[0]
    assert house.ask("GET", "/v1/me", token).status_code == 200
    assert house.ask("GET", "/v1/me", None, headers={"Cookie": cookie}).status_code == 200
    keys.revoke("brief")
    time.sleep(1.2)
    assert house.ask("GET", "/v1/me", token).status_code == 401
    assert house.ask("GET", "/v1/me", None, headers={"Cookie": cookie}).status_code == 401


def test_no_token_is_in_database_or_log(house: House) -> None:
    secrets = [token.rpartition("_")[2] for token in house.tokens.values()]
    with sqlite3.connect(house.server.data / "assay.sqlite3") as database:
        dump = "\n".join(database.iterdump())
    log = (house.server.data / "server.log").read_text()
    assert not any(secret in dump or secret in log for secret in secrets)


def test_files_of_a_server_are_for_their_owner_alone(server: Server) -> None:
    paths = [server.data / "models", *server.data.glob("assay.sqlite3*"), *server.data.glob("workers/*"), server.data / ".in-use"]
    assert len(paths) > 3 and [path for path in paths if path.stat().st_mode & 0o077] == []


def test_a_body_is_not_looked_at_that_is_not_for_its_key(house: House) -> None:
    """What is wrong with it is none of the business of who may not send it at all."""
    for path in ("/v1/quality", "/v1/score", "/v1/rank"):
        assert house.ask("POST", path, "models", json={}).status_code == 403
        assert house.ask("POST", path, "Ana", json={}).status_code == 422


def test_a_key_has_so_many_sessions(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.store.keys.MOST_SESSIONS", 3)
    keys = keys_of(house)
    _, token = keys.create("many-browsers", ["quality"])
    cookies = [keys.open_session(token) for _ in range(5)]
    assert [keys.key_of_session(cookie or "") is not None for cookie in cookies] == [False, False, True, True, True]


def test_an_administrator_deletes_all_of_a_person(house: House) -> None:
    """Of anybody but themselves."""
    made = {name: keys_of(house).create(name, ["quality", "jobs", "feedback"])[1] for name in ("Cleo", "Dan")}
    body = {"kind": "quality", "params": QUALITY}
    jobs = {name: house.ask("POST", "/v1/jobs", token, json=body).json()["id"] for name, token in made.items()}
    with house.server.client() as client:
        client.headers["Authorization"] = f"Bearer {house.tokens['admin']}"
        for job in jobs.values():
            wait_for_job(client, job)
    judged = {**PAIR, "label": "hter", "segments": [{**SEGMENTS[0], "score": 0.5}]}
    assert house.ask("POST", "/v1/feedback", made["Cleo"], json=judged).status_code == 202
    assert house.ask("DELETE", "/v1/owners/Cleo", made["Dan"]).status_code == 403
    assert house.ask("DELETE", "/v1/owners/admin", "admin").status_code == 403
    answer = house.ask("DELETE", "/v1/owners/Cleo", "admin", params={"models": "true"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["deleted"] == {"jobs": 1, "files": 0, "feedback": 1, "keys": 1, "models": []}
    assert {"backups", "logs"} <= {left["what"] for left in answer.json()["remains"]}
    assert house.ask("GET", "/v1/me", made["Cleo"]).status_code == 401
    assert house.ask("GET", f"/v1/jobs/{jobs['Cleo']}", "admin").status_code == 404
    assert house.ask("GET", f"/v1/jobs/{jobs['Dan']}/result", made["Dan"]).status_code == 200
    nobody = house.ask("DELETE", "/v1/owners/a%2Fb%20c", "admin").json()
    assert nobody["owner"] == "a/b c" and nobody["deleted"]["jobs"] == 0
