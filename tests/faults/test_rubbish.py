"""Characters, numbers and names that no database, address or spreadsheet can hold: refused or answered, never a failure of the server.

On PostgreSQL, which refuses what SQLite takes.
"""

import itertools
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from tests.databases import strictest_database
from tests.servers import Server

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENT = {"source": "Casa este mare.", "translation": "The house is big."}
HTER = "ro-en-hter-gp-17"
ODD = ["a\0b", "a\ud800b", "\x1b[31m\u202e", "x" * 100_000, "𝒳" * 100, "%00", "\r\nX: y", ""]
NUMBERS = ["-1", "1001", "9" * 5000, "1e400", "nan", "٣", "1\0"]
IDS = ["0" * 31 + "\0", "x" * 8000, "%2e%2e%2f", "\U0001f600" * 40, "0" * 32 + "\n", "%ED%A0%80"]
DATES = ["1e308", "-1e308", "2026-13-45", "0000-00-00", "9999-12-31T23:59:60Z", "2026-01-01T00:00:00+99:99"]


@pytest.fixture(scope="module")
def strict(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("rubbish")
    environment = {
        **ro_en, "ASSAY_DATABASE_URL": strictest_database(request, folder), "ASSAY_WEBHOOK_HOSTS": "hooks.example",
        "ASSAY_WEBHOOK_SECRET": "s", "ASSAY_WORKERS": "0",
    }  # fmt: skip
    server = Server(folder, environment)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def client(strict: Server) -> Iterator[httpx2.Client]:
    with strict.client() as client:
        yield client


def post(client: httpx2.Client, path: str, body: object, **fields: Any) -> httpx2.Response:
    """A body with characters that only escapes can say."""
    headers = {"Content-Type": "application/json", **fields.pop("headers", {})}
    return client.request(fields.pop("method", "POST"), path, content=json.dumps(body), headers=headers, **fields)


def check(answer: httpx2.Response, what: object) -> None:
    assert answer.status_code < 500, (what, answer.text[:500])
    if answer.status_code >= 400:
        assert answer.headers["content-type"] in ("application/problem+json", "text/html; charset=utf-8"), what


def test_odd_text_in_every_field_that_is_kept(client: httpx2.Client) -> None:
    for odd in ODD:
        send_everywhere(client, odd)
    # Everything that was let in can be seen again.
    for path in ("/v1/jobs?limit=1000", "/v1/feedback", "/v1/feedback/items?limit=1000", "/v1/feedback/export", "/v1/feedback/export?format=tsv",
                 f"/v1/models/{HTER}", "/jobs", "/models", f"/models/{HTER}", "/metrics"):  # fmt: skip
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.text[:300])


def send_everywhere(client: httpx2.Client, odd: str) -> None:
    """Send a text in every field of feedback, jobs and promotions; no answer may be a failure."""
    judged = {**PAIR, "label": "hter", "score": 0.5, **SEGMENT}
    for field in ("source", "translation", "origin", "model", "label", "source_language", "post_edit"):
        body = {**judged, field: odd}
        if field == "post_edit":
            body.pop("score")
        check(post(client, "/v1/feedback", body), field)
    kept = post(client, "/v1/feedback", {**judged, "origin": "whole"}).json()["feedback"][0]["id"]
    for change in ({"post_edit": odd}, {odd: 1}, {"score": odd}):
        check(post(client, f"/v1/feedback/{kept}", change, method="PATCH"), change)
    quality = {**PAIR, "segments": [SEGMENT]}
    for job in (
        {"kind": "quality", "params": quality, "owner": odd},
        {"kind": "quality", "params": quality, "webhook": odd},
        {"kind": "quality", "params": quality, "webhook": f"http://hooks.example/{odd}"},
        {"kind": odd, "params": quality},
        {"kind": "quality", "params": {**quality, "model": odd}},
        {"kind": "quality", "params": {**quality, odd: odd}},
        {"kind": "train", "params": {**PAIR, "label": "hter", "name": odd, "segments": [{**SEGMENT, "label": 0.5}]}},
        {
            "kind": "train",
            "params": {**PAIR, "label": "hter", "data_name": odd, "licence": odd, "segments": [{**SEGMENT, "label": 0.5}]},
        },
        {"kind": "train", "params": {**PAIR, "label": "hter", "base": odd, "feedback": True}},
        {
            "kind": "train",
            "params": {**PAIR, "label": "hter", "learner": odd, "feature_set": odd, "segments": [{**SEGMENT, "label": 0.5}]},
        },
        {"kind": "score", "params": {"metrics": ["bleu"], "systems": {odd: ["a"]}, "references": {odd: ["a"]}}},
        {"kind": "score", "params": {"metrics": [odd], "systems": {"a": ["a"]}, "references": {"r": ["a"]}}},
        {"kind": "rank", "params": {**PAIR, "segments": [{"source": "a", "translations": [{"system": odd, "text": "b"}]}]}},
    ):
        check(post(client, "/v1/jobs", job), job["kind"])
    for path in ("promote", "rollback"):
        check(post(client, f"/v1/models/{HTER}/{path}", {"reason": odd}), path)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: ascii(odd)[:20])
def test_odd_text_in_every_part_of_a_form(client: httpx2.Client, odd: str) -> None:
    params = json.dumps(PAIR)
    text = odd.encode("utf-8", "surrogatepass")
    forms: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"kind": "quality", "params": params, "owner": text}, {"file": ("a.tsv", b"a\tb\n")}),
        ({"kind": text, "params": params}, {"file": ("a.tsv", b"a\tb\n")}),
        ({"kind": "quality", "params": text}, {"file": ("a.tsv", b"a\tb\n")}),
        ({"kind": "quality", "params": params, "webhook": text}, {"file": ("a.tsv", b"a\tb\n")}),
        ({"kind": "quality", "params": json.dumps({**PAIR, "model": odd})}, {"file": ("a.tsv", b"a\tb\n")}),
        ({"kind": "quality", "params": params}, {"file": ("a.tsv", text + b"\t" + text + b"\n")}),
    ]
    for data, files in forms:
        check(client.post("/v1/jobs", data=data, files=files), data)
    for name in (text, b"system:" + text, b"reference:" + text):
        for called in (b"a.tsv", text):
            check(_form(client, name, called), (name, called))
    check(client.get("/v1/jobs?limit=1000"), "list")


def _form(client: httpx2.Client, field: bytes, called: bytes) -> httpx2.Response:
    """A form by hand, since no client writes such names."""
    quoted = [name.replace(b'"', b"%22").replace(b"\r", b"").replace(b"\n", b"") for name in (field, called)]
    parts = [
        b'name="kind"\r\n\r\nscore',
        b'name="params"\r\n\r\n{"metrics": ["bleu"]}',
        b'name="system:a"; filename="a"\r\n\r\na\n',
        b'name="' + quoted[0] + b'"; filename="' + quoted[1] + b'"\r\n\r\na\n',
    ]
    body = b"".join(b"--line\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts) + b"--line--\r\n"
    return client.post("/v1/jobs", content=body, headers={"Content-Type": "multipart/form-data; boundary=line"})


@pytest.mark.parametrize("id", IDS, ids=lambda id: ascii(id)[:20])
def test_odd_names_in_every_address(client: httpx2.Client, id: str) -> None:
    id = id if id.startswith("%") else quote(id.encode("utf-8", "replace"), safe="")
    for path in ("/v1/jobs/{}", "/v1/jobs/{}/result", "/v1/jobs/{}/events", "/v1/models/{}", "/v1/feedback/{}", "/problems/{}", "/models/{}",
                 "/models/{}/relevance.svg", "/jobs/{}/report", "/jobs/{}/curve.json", "/static/{}", "/{}", "/v1/{}"):  # fmt: skip
        check(client.get(path.format(id)), path)
    for path in ("/v1/jobs/{}/retry", "/v1/models/{}/promote", "/v1/models/{}/rollback"):
        check(client.post(path.format(id), json={}), path)
    for path in ("/v1/jobs/{}", "/v1/jobs/{}?remove=true", "/v1/feedback/{}"):
        check(client.delete(path.format(id)), path)
    check(client.patch(f"/v1/feedback/{id}", json={"score": 0.5}), "patch")


QUERIES = (
    ("/v1/jobs", ("limit", "after", "state", "kind")),
    ("/v1/feedback/items", ("limit", "after", "pair", "label", "model", "origin", "since")),
    ("/v1/feedback/export", ("format", "formulas", "pair", "label", "model", "origin", "since")),
    ("/translate/qe", ("source", "target", "sentence", "translation", "model")),
    (f"/v1/jobs/{'0' * 32}/result", ("format", "formulas")),
    ("/signin", ("next",)),
    ("/jobs", ("after", "state", "kind")),
)


@pytest.mark.parametrize("value", [*ODD, *NUMBERS, "%ED%A0%80", *DATES], ids=lambda value: ascii(value)[:20])
def test_odd_values_in_every_query(client: httpx2.Client, value: str) -> None:
    raw = (
        value
        if value.startswith("%")
        else str(httpx2.QueryParams({"": value.encode("utf-8", "replace").decode()})).removeprefix("=")
    )
    # Longer ones no server reads.
    for (path, names), cut in itertools.product(QUERIES, (raw[:20_000],)):
        for name in names:
            check(client.get(f"{path}?{name}={cut}"), (path, name))
    check(client.get(f"/v1/jobs?{raw[:20_000]}"), "name")


@pytest.mark.parametrize("key", ["é", "\ud800", "x" * 201, "x" * 1001, "x" * 50_000, "a b", "'"], ids=lambda key: ascii(key)[:20])
def test_odd_keys_of_repetition(client: httpx2.Client, key: str) -> None:
    body = json.dumps({"kind": "quality", "params": {**PAIR, "segments": [SEGMENT]}})
    raw = key.encode("utf-8", "surrogatepass")
    try:
        answer = client.post("/v1/jobs", content=body, headers=[(b"Content-Type", b"application/json"), (b"Idempotency-Key", raw)])
    except httpx2.TransportError:
        # The server's parser of HTTP ends a connection with headers that are none.
        assert "x" * 1001 in key
        return
    assert answer.status_code in (202, 400, 422, 431), answer.text


WEBHOOKS = [
    "http://hooks.example/\n", "http://hooks.example/a\tb", "http://hooks.example/\0", "\x01http://hooks.example/", "http://hooks.example/ b",
    "http://hooks.example:0/", "http://hooks.example:00/", "http://hooks.example:65536/", "http://hooks.example:99999999999/", "http://hooks.example:-1/",
    "http://hooks.example:+80/", "http://hooks.example:8_0/", "http://hooks.example:\u0663/", "http://hooks.example:x/", "http://hooks.example\\@evil.example/",
    "http://:secret@hooks.example/", "http://@hooks.example/", "http://hooks.example/\u00e9", "http://hooks\u3002example/", "http://hooks.example#x",
    "http://hooks.example/\ud800", "http:///hooks.example", "http:hooks.example", "http://[hooks.example]/", "http://hooks.example/" + "x" * 3000, " http://hooks.example/",
]  # fmt: skip


@pytest.mark.parametrize("url", WEBHOOKS, ids=lambda url: ascii(url)[:40])
def test_webhooks_that_nobody_could_be_told_by_are_refused(client: httpx2.Client, url: str) -> None:
    job = {"kind": "quality", "params": {**PAIR, "segments": [SEGMENT]}, "webhook": url}
    refused = post(client, "/v1/jobs", job)
    assert refused.status_code == 422, refused.text
    form = {"kind": "quality", "params": json.dumps(PAIR), "webhook": url.encode("utf-8", "surrogatepass")}
    assert client.post("/v1/jobs", data=form, files={"file": ("a.tsv", b"a\tb\n")}).status_code == 422


def test_a_system_that_is_named_twice_is_refused_wherever_it_is(client: httpx2.Client) -> None:
    twice = b'{"kind": "score", "params": {"metrics": ["bleu"], "systems": {"a": ["x"], "a": ["y"]}, "references": {"r": ["x"]}}}'
    ranked = {"source": "Casa.", "translations": [{"system": "a", "text": "x"}, {"system": "a", "text": "y"}]}
    for path, body in (
        ("/v1/jobs", twice),
        ("/v1/score", json.dumps(json.loads(twice)["params"]).encode().replace(b'"a": ["y"]', b'"a": ["x"], "a": ["y"]')),
        ("/v1/jobs", json.dumps({"kind": "rank", "params": {**PAIR, "segments": [ranked]}}).encode()),
        ("/v1/rank", json.dumps({**PAIR, "segments": [ranked]}).encode()),
    ):
        refused = client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert refused.status_code in (400, 422), (path, body, refused.text)
    assert _form(client, b"system:a", b"other").status_code == 422
    # Fields of a form whose names are one once they are read.
    rank = {"kind": (None, "rank"), "params": (None, json.dumps(PAIR)), "source": ("s", b"Casa.\n")}
    files = [*rank.items(), ("system:a", ("a", b"x\n")), ("system:a", ("b", b"y\n"))]
    assert client.post("/v1/jobs", files=files).status_code == 422
    table = b"source\tsystem\ttranslation\nCasa.\ta\tx\nCasa.\ta\ty\n"
    answer = client.post("/v1/jobs", files=[*list(rank.items())[:2], ("file", ("t.tsv", table))])
    assert answer.status_code == 422, answer.text
