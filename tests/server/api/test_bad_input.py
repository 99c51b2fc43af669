"""Rubbish gets a problem that names what and where, never repeats it, and never a 500."""

import json
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import PROBLEMS
from app.server.api.problems import status_of

PAIR = {"source_language": "ro", "target_language": "en"}
ONE = [{"source": "a", "translation": "b"}]


def problem(answer: httpx2.Response, status: int, code: str, where: str | None = None) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body["type"] == f"/problems/{code}"
    assert body["title"] == PROBLEMS[code]
    assert body["status"] == status == status_of(code)
    if where is not None:
        assert body["where"] == where
    return body


def quality(client: httpx2.Client, **fields: object) -> httpx2.Response:
    return client.post("/v1/quality", json={**PAIR, "segments": ONE, **fields})


def test_unknown_languages_name_those_that_are_loaded(client: httpx2.Client) -> None:
    body = problem(quality(client, source_language="xx"), 422, "unknown-language-pair", "source_language")
    assert "ro-en" in body["detail"]


def test_a_model_for_another_pair(client: httpx2.Client) -> None:
    problem(quality(client, model="en-de-da-gp-17"), 422, "model-for-another-pair", "model")
    problem(quality(client, model="nope"), 422, "unknown-model", "model")
    problem(quality(client, model="ro-en-da-gp-27"), 422, "log-prob-mismatch")
    problem(quality(client, model="ro-en-da-gp-17", label="hter"), 422, "unknown-model", "label")
    problem(quality(client, label="effort"), 422, "unknown-model", "label")


@pytest.mark.parametrize(
    ("segment", "code", "where"),
    [
        ({"source": "a" * 1_000_000, "translation": "b"}, "segment-too-long", "segments.0.source"),
        ({"source": "a", "translation": "b\0"}, "invalid-character", "segments.0.translation"),
        ({"source": "a", "translation": "b", "token_log_probs": []}, "log-prob-mismatch", "segments.0.token_log_probs"),
        ({"source": "a", "translation": "b", "token_log_probs": [0.5]}, "log-prob-mismatch", "segments.0.token_log_probs.0"),
    ],
)
def test_bad_segments(client: httpx2.Client, segment: dict[str, object], code: str, where: str) -> None:
    problem(quality(client, segments=[segment]), 422, code, where)


def test_log_probs_for_some_segments_only(client: httpx2.Client) -> None:
    rows = [{**ONE[0], "token_log_probs": [-1.0]}, ONE[0]]
    problem(quality(client, segments=rows), 422, "log-prob-mismatch", "segments.1.token_log_probs")


@pytest.mark.parametrize(
    "fields",
    [
        {"segments": None}, {"segments": [{"source": "a"}]}, {"segments": [{"source": 1, "translation": "b"}]}, {"interval": 1.5},
        {"interval": -1}, {"surprise": 1}, {"source_language": "e n"}, {"label": 1}, {"explain": "yes"},
    ],
)  # fmt: skip
def test_wrong_forms(client: httpx2.Client, fields: dict[str, object]) -> None:
    assert problem(quality(client, **fields), 422, "invalid-request")["errors"]


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (b"", 422, "invalid-request"),
        (b"{", 400, "invalid-json"),
        (b"[" * 100_000, 400, "invalid-json"),
        (b'{"source_language": "ro", "target_language": "en", "segments": [{"source": "\\ud800", "translation": "x"}]}', 422, "invalid-character"),
        (b'{"source_language": "ro", "target_language": "en", "segments": [{"source": "a", "translation": "b", "token_log_probs": [NaN]}]}', 422, "invalid-request"),
        (b'{"\\ud800": 1}', 422, "invalid-request"),
        (b"\xff\xfe\x00", None, None),
    ],
)  # fmt: skip
def test_bodies_that_are_not_what_they_say(client: httpx2.Client, raw: bytes, status: int | None, code: str | None) -> None:
    answer = client.post("/v1/quality", content=raw, headers={"content-type": "application/json"})
    if code is None or status is None:
        assert 400 <= answer.status_code < 500
    else:
        problem(answer, status, code)


def test_wrong_content_type_method_and_address(client: httpx2.Client) -> None:
    text = {"content-type": "text/plain"}
    for path in ("/v1/quality", "/v1/jobs", "/v1/feedback"):
        problem(client.post(path, content=b"hello", headers=text), 415, "unsupported-media-type")
        nameless = problem(client.post(path, content=b"{}"), 415, "unsupported-media-type")
        assert "the request has no Content-Type; send " in nameless["detail"]
    problem(client.post("/v1/quality"), 422, "invalid-request")
    problem(client.get("/v1/quality"), 405, "method-not-allowed")
    problem(client.get("/nowhere"), 404, "not-found")
    problem(client.get("/v1/models/nope"), 404, "not-found")
    problem(client.get("/v1/jobs/nope"), 404, "unknown-job")
    problem(client.get("/v1/jobs/nope/result"), 404, "unknown-job")
    problem(client.get("/v1/jobs/nope/events"), 404, "unknown-job")
    problem(client.get("/v1/jobs?limit=-1"), 422, "invalid-request")


def test_large_bodies_are_refused_whether_announced_or_not(client: httpx2.Client) -> None:
    problem(
        client.post("/v1/quality", content=b" " * 16_000_001, headers={"content-type": "application/json"}), 413, "body-too-large"
    )

    def pieces():  # type: ignore[no-untyped-def]
        for _ in range(200):
            yield b" " * 100_000

    problem(client.post("/v1/quality", content=pieces(), headers={"content-type": "application/json"}), 413, "body-too-large")


def test_too_many_segments_name_the_limit(client: httpx2.Client) -> None:
    body = problem(quality(client, segments=ONE * 2001), 422, "too-many-segments", "segments")
    assert "2000" in body["detail"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"systems": {"a": ["x", "y"]}}, "unequal-lengths"),
        ({"systems": {}}, "invalid-request"),
        ({"systems": {"a": []}, "references": {"r": []}}, "empty-input"),
        ({"metrics": ["nope"]}, "unknown-metric"),
        ({"metrics": ["bleu|tok:nope"]}, "unknown-metric"),
        ({"metrics": []}, "invalid-request"),
        ({"systems": [["x"]]}, "invalid-request"),
        ({"significance": {"baseline": "zz"}}, "invalid-request"),
        ({"significance": {"samples": 10**9}}, "invalid-request"),
    ],
)
def test_bad_scores(client: httpx2.Client, fields: dict[str, object], code: str) -> None:
    body = {"metrics": ["bleu"], "systems": {"a": ["x"]}, "references": {"r": ["x"]}, **fields}
    answer = client.post("/v1/score", json=body)
    problem(answer, 422, code)


def test_unequal_lengths_carry_both_numbers(client: httpx2.Client) -> None:
    body = {"metrics": ["bleu"], "systems": {"a": ["x", "y", "z"]}, "references": {"r": ["x"]}}
    found = problem(client.post("/v1/score", json=body), 422, "unequal-lengths")
    assert "3" in found["detail"]
    assert "1" in found["detail"]


def test_a_body_that_is_no_object(client: httpx2.Client) -> None:
    for address in ("/v1/jobs", "/v1/quality"):
        refused = problem(client.post(address, json=[1]), 422, "invalid-request")
        assert refused["detail"] == "body: this must be an object"
        assert refused["errors"] == [{"where": "body", "detail": "this must be an object"}]


def test_a_message_does_not_repeat_its_place(client: httpx2.Client) -> None:
    bands = [{"name": "rest", "at_least": 0}, {"name": "good", "at_least": 0.8}]
    refused = problem(client.post("/v1/quality", json={**PAIR, "segments": [], "bands": bands}), 422, "invalid-request")
    assert refused["detail"] == "body.bands: bands are given from the best to the worst, the last with at_least 0"


FILES: list[tuple[dict[str, bytes], str]] = [
    ({"file": b""}, "empty-input"),
    ({"file": b"a\tb\tc\n"}, "invalid-table"),
    ({"file": b"source\tx\na\tb\n", "translation": b"c"}, "invalid-job"),
    ({"file": b"a\tb\n\xff\tc\n"}, "invalid-encoding"),
    ({"file": b"a\tb\0\n"}, "invalid-character"),
    ({"file": b"x" * 1_000_000 + b"\ty\n"}, "segment-too-long"),
    ({"source": b"a\nb\n", "translation": b"c\n"}, "unequal-lengths"),
    ({"source": b"a\n"}, "invalid-job"),
    ({"source": b"a\n", "translation": b"b\n", "log_probs": b"-1 x\n"}, "invalid-table"),
    ({"source": b"a\n", "translation": b"b\n", "log_probs": b"-1\n-2\n"}, "unequal-lengths"),
    ({"source": b"a\n", "translation": b"b\n", "log_probs": b"nan\n"}, "log-prob-mismatch"),
]


@pytest.mark.parametrize(("files", "code"), FILES)
def test_bad_files(client: httpx2.Client, files: dict[str, bytes], code: str) -> None:
    data = {"kind": "quality", "params": json.dumps(PAIR)}
    answer = client.post("/v1/jobs", data=data, files={name: (name, raw) for name, raw in files.items()})
    problem(answer, 422, code)


def test_a_truncated_upload(client: httpx2.Client) -> None:
    whole = client.build_request(
        "POST", "/v1/jobs", data={"kind": "quality", "params": "{}"}, files={"file": ("f", b"a\tb\n" * 500)}
    )
    raw = whole.read()
    answer = client.post("/v1/jobs", content=raw[: len(raw) // 2], headers={"content-type": whole.headers["content-type"]})
    assert 400 <= answer.status_code < 500
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "content",
    [
        {"kind": "nope", "params": {}}, {"kind": "quality"}, {"kind": "quality", "params": {}}, {"kind": "quality", "params": []}, [], 3,
        {"kind": "train", "params": {**PAIR, "label": "da", "segments": ONE}},
        {"kind": "quality", "params": {**PAIR, "segments": []}},
        {"kind": "score", "params": {"metrics": ["x"], "systems": {"a": ["b"]}, "references": {"r": ["b"]}}},
    ],
)  # fmt: skip
def test_bad_jobs(client: httpx2.Client, content: object) -> None:
    answer = client.post("/v1/jobs", json=content)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def finite(value: Any) -> bool:
    if isinstance(value, float):
        return value == value and abs(value) != float("inf")
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    return all(map(finite, value)) if isinstance(value, list) else True


ANYTHING = st.text(st.characters(exclude_categories=()), max_size=60)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANYTHING, ANYTHING, st.sampled_from(["ro-en", "ne-en", "en-zh", "si-en", "en-de"]))
def test_any_text_through_features_quality_and_score(client: httpx2.Client, source: str, translation: str, pair: str) -> None:
    languages = {"source_language": pair[:2], "target_language": pair[3:]}
    segments = [{"source": source, "translation": translation}]
    bodies = {
        "/v1/features": {**languages, "segments": segments},
        "/v1/quality": {**languages, "segments": segments, "explain": True},
        "/v1/score": {
            "metrics": ["bleu", "chrf++", "ter", "simpbleu:RABC4", "bleu|tok:zh"],
            "systems": {source or "x": [translation]},
            "references": {"r": [source]},
            "segments": True,
        },
    }
    for path, body in bodies.items():
        raw = json.dumps(body).encode()
        answer = client.post(path, content=raw, headers={"content-type": "application/json"}, timeout=20)
        assert answer.status_code in (200, 422), answer.text
        refused = any(c == "\0" or "\ud800" <= c <= "\udfff" for c in source + translation)
        if path != "/v1/score":
            assert (answer.status_code == 422) == refused
        assert finite(json.loads(answer.content, parse_constant=lambda name: pytest.fail(name)))


def test_a_form_that_is_too_much_or_damaged_says_so(client: httpx2.Client) -> None:
    data = {"kind": "tune", "params": "{}"}
    many = {f"n_best:{k}": b"0 ||| a ||| d= 1 ||| 1\n" for k in range(200)}
    asked = [
        (client.post("/v1/jobs", data=data, files=many), "the form has more than 1"),
        (client.post("/v1/jobs", data=data | {f"x{k}": "1" for k in range(20)}, files={"a": b"a"}), "more than 8 fields"),
        (client.post("/v1/jobs", data={"kind": "k", "params": "x" * 1_000_001}, files={"a": b"a"}), "more than 1000000 bytes"),
        (client.post("/v1/jobs", content=b"--x\r\n", headers={"Content-Type": "multipart/form-data; boundary=y"}), "damaged"),
    ]
    for answer, told in asked:
        assert answer.status_code == 422 and answer.json()["type"] == "/problems/invalid-job" and told in answer.json()["detail"]
