"""Corrections of a job's translations over HTTP: kept, shown, not overwritten unseen, and written into results."""

import json
from typing import Any

import httpx2
import pytest

from app.documents import read_file
from tests.servers import wait_for_job

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENTS = [
    {"source": "Casa este mare.", "translation": "House is big."},
    {"source": "Pisica doarme.", "translation": "The cat sleeps."},
    {"source": "Plouă & ninge.", "translation": "It rains & snows."},
]


def succeeded(client: httpx2.Client, kind: str, params: dict[str, Any], **fields: Any) -> str:
    answer = client.post("/v1/jobs", json={"kind": kind, "params": params, **fields})
    assert answer.status_code == 202, answer.text
    view = wait_for_job(client, answer.json()["id"])
    assert view["state"] == "succeeded", view["error"]
    return str(view["id"])


@pytest.fixture
def job(client: httpx2.Client) -> str:
    return succeeded(client, "quality", {**PAIR, "model": "ro-en-hter-gp-17", "segments": SEGMENTS})


@pytest.fixture(scope="module")
def untouched(client: httpx2.Client) -> str:
    """A job for what is refused."""
    return succeeded(client, "quality", {**PAIR, "segments": SEGMENTS})


def put(client: httpx2.Client, job: str, segment: object, text: str, revision: int = 0, **fields: Any) -> httpx2.Response:
    return client.put(f"/v1/jobs/{job}/corrections/{segment}", json={"text": text, "revision": revision, **fields})


def listed(client: httpx2.Client, job: str, **params: Any) -> Any:
    answer = client.get(f"/v1/jobs/{job}/corrections", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_correction_is_kept_with_the_job(client: httpx2.Client, job: str) -> None:
    assert listed(client, job) == {"corrections": [], "next": None}
    first = put(client, job, 1, "  The house\n is big. ", author="Ana")
    assert first.status_code == 200 and first.headers["cache-control"] == "private, no-store"
    body = first.json()
    assert (body["segment"], body["text"], body["revision"], body["author"]) == (1, "The house is big.", 1, "Ana")
    put(client, job, 3, "It is raining & snowing.")
    page = listed(client, job, limit=1)
    assert page == {"corrections": [body], "next": 1}
    [second] = listed(client, job, after=page["next"])["corrections"]
    assert (second["segment"], second["author"]) == (3, None)
    client.delete(f"/v1/jobs/{job}", params={"remove": True})
    assert client.get(f"/v1/jobs/{job}/corrections").status_code == 404


def test_nobody_is_overwritten_unseen(client: httpx2.Client, job: str) -> None:
    put(client, job, 1, "Ana's text", author="Ana")
    late = put(client, job, 1, "Bo's text", author="Bo")
    assert late.status_code == 409 and late.json()["type"] == "/problems/correction-conflict"
    current = late.json()["current"]
    assert (current["text"], current["author"], current["revision"]) == ("Ana's text", "Ana", 1)
    assert put(client, job, 1, "Bo's text", current["revision"]).json()["revision"] == 2
    address = f"/v1/jobs/{job}/corrections/1"
    assert client.delete(address, params={"revision": 1}).json()["current"]["text"] == "Bo's text"
    assert client.delete(address, params={"revision": 2}).json()["text"] is None
    assert listed(client, job)["corrections"] == []
    assert client.delete(address, params={"revision": 3}).status_code == 404


def test_a_correction_is_feedback_and_supersedes_its_judgement(client: httpx2.Client, job: str) -> None:
    first = put(client, job, 1, "The house is big.").json()
    kept = client.get(f"/v1/feedback/{first['feedback']}").json()
    assert (kept["translation"], kept["post_edit"], kept["model"]) == ("House is big.", "The house is big.", "ro-en-hter-gp-17")
    # One word is missing of the five that the post-edit has, its full stop included; case does not count.
    assert kept["value"] == pytest.approx(0.2)
    second = put(client, job, 1, "House is big.", 1).json()
    assert second["feedback"] == first["feedback"]
    assert client.get(f"/v1/feedback/{first['feedback']}").json()["value"] == 0.0
    client.delete(f"/v1/jobs/{job}/corrections/1", params={"revision": 2})
    assert client.get(f"/v1/feedback/{first['feedback']}").status_code == 404


@pytest.mark.parametrize("segment", ["0", "01", "+1", "1.0", "-1", "1e0", "%201", "١", "4", "999999999", "9999999999"])
def test_segments_are_plain_numbers_of_the_result(client: httpx2.Client, untouched: str, segment: str) -> None:
    assert put(client, untouched, segment, "x").status_code in (404, 422)
    assert client.delete(f"/v1/jobs/{untouched}/corrections/{segment}", params={"revision": 1}).status_code in (404, 422)
    assert listed(client, untouched)["corrections"] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty-input"), (" \n\t", "empty-input"), ("a\0b", "invalid-character"), ("a\x01b", "invalid-character"),
        ("a\ufffeb", "invalid-character"), ("x" * 100_001, "segment-too-long"),
    ],
)  # fmt: skip
def test_texts_that_no_file_could_hold_are_refused(client: httpx2.Client, untouched: str, text: str, code: str) -> None:
    refused = put(client, untouched, 1, text)
    assert (refused.status_code, refused.json()["type"]) == (422, f"/problems/{code}")


@pytest.mark.parametrize("author", ["\0", "Ana\0", "a\x07b", "Ana\nBo", "a\u202eb", "\ufdd0", "a" * 101])
def test_who_corrects_has_a_visible_name(client: httpx2.Client, untouched: str, author: str) -> None:
    refused = put(client, untouched, 1, "x", author=author)
    assert (refused.status_code, refused.json()["errors"][0]["where"]) == (422, "body.author")
    assert listed(client, untouched)["corrections"] == []


def test_a_name_may_be_left_empty(client: httpx2.Client, job: str) -> None:
    assert put(client, job, 1, "x", author="").json()["author"] is None
    assert put(client, job, 2, "x", author="  ").json()["author"] is None
    assert put(client, job, 3, "x", author=" Ana  Ionescu ").json()["author"] == "Ana Ionescu"


def test_what_is_no_number_is_no_revision(client: httpx2.Client, job: str) -> None:
    for revision in (-1, 1.0, "1", True, None):
        assert client.put(f"/v1/jobs/{job}/corrections/1", json={"text": "x", "revision": revision}).status_code == 422
    for revision in ("0", "01", "1.0", "+1", ""):
        assert client.delete(f"/v1/jobs/{job}/corrections/1", params={"revision": revision}).status_code == 422
    # Composed as it is compared.
    assert put(client, job, 1, "cafe\u0301").json()["text"] == "café"


def test_only_translations_are_corrected(client: httpx2.Client) -> None:
    scored = succeeded(client, "score", {"metrics": ["bleu"], "systems": {"a": ["x"]}, "references": {"r": ["x"]}})
    refused = put(client, scored, 1, "y")
    assert refused.status_code == 422 and "score" in refused.json()["detail"]
    tagged = succeeded(client, "words", {**PAIR, "segments": SEGMENTS[:1]})
    assert put(client, tagged, 1, "The house is big.").status_code == 200


def test_results_hold_what_stands(client: httpx2.Client, job: str) -> None:
    address = f"/v1/jobs/{job}/result"
    before = {form: client.get(address, params={"format": form}) for form in ("json", "jsonl", "tsv")}
    assert "correction" not in before["json"].json()["segments"][0]
    put(client, job, 3, "It is raining & snowing.", author="Ana")
    for form, old in before.items():
        now = client.get(address, params={"format": form}, headers={"If-None-Match": old.headers["etag"]})
        assert now.status_code == 200 and "It is raining & snowing." in now.text
        again = client.get(address, params={"format": form}, headers={"If-None-Match": now.headers["etag"]})
        assert again.status_code == 304
        assert client.get(address, params={"format": form, "corrections": "none"}).text == old.text
    rows = client.get(address).json()["segments"]
    assert [row.get("correction") for row in rows] == [None, None, "It is raining & snowing."]
    assert rows[2]["score"] != before["json"].json()["segments"][2]["score"]
    header, *cells = [line.split("\t") for line in client.get(address, params={"format": "tsv"}).text.splitlines()]
    assert [dict(zip(header, row, strict=True))["correction"] for row in cells] == ["", "", "It is raining & snowing."]


def test_a_correction_is_assessed_when_it_is_saved(client: httpx2.Client) -> None:
    source, wrong, right = "Am cumpărat 45 de mere.", "I bought 54 apples.", "I bought 45 apples."
    options = {**PAIR, "model": "ro-en-hter-gp-17", "warnings": True, "words": True}
    lines = f"source\ttarget\n{source}\t{wrong}\n"
    files = {"file": ("a.tsv", lines.encode()), "kind": (None, "quality"), "params": (None, json.dumps(options))}
    job = client.post("/v1/jobs", files=files).json()["id"]
    wait_for_job(client, job)
    address = f"/v1/jobs/{job}/result"
    [before] = client.get(address).json()["segments"]
    assert [each["code"] for each in before["warnings"]] == ["numbers"]
    assert "numbers (error)" in client.get(f"/jobs/{job}/report").text
    saved = put(client, job, 1, right).json()
    [expected] = client.post("/v1/quality", json={**options, "segments": [{"source": source, "translation": right}]}).json()[
        "segments"
    ]
    assert saved["assessment"] == expected and expected["warnings"] == []
    assert listed(client, job)["corrections"] == [saved]
    [row] = client.get(address).json()["segments"]
    assert row == {"source": source, "translation": wrong, **expected, "correction": right}
    header, cells = (line.split("\t") for line in client.get(address, params={"format": "tsv"}).text.splitlines())
    table = dict(zip(header, cells, strict=True))
    assert (table["warnings"], table["score"], table["words"]) == ("", str(expected["score"]), "I bought 45 apples .")
    assert "numbers (error)" not in client.get(f"/jobs/{job}/report").text
    written = client.get(address, params={"format": "annotated"}).text
    assert f"{expected['confidence']:.4f}" in written and "numbers" not in written
    comment = client.get(address, params={"format": "annotated", "corrections": "comment"}).text
    assert f"{before['confidence']:.4f}" in comment and "numbers" in comment
    assert client.get(address, params={"corrections": "none"}).json()["segments"] == [before]
    # The finding of a new text is found, too.
    assert put(client, job, 1, wrong, 1).json()["assessment"]["warnings"] == before["warnings"]


def test_a_correction_is_kept_where_it_cannot_be_assessed(client: httpx2.Client) -> None:
    """Log-probabilities belong to the translation of the machine; its findings do not concern the correction."""
    segment = {"source": "Am 45 de mere.", "translation": "I have 54 apples.", "token_log_probs": [-0.1, -0.2, -0.3, -0.1, -0.2]}
    job = succeeded(client, "quality", {**PAIR, "model": "ro-en-hter-gp-27", "warnings": True, "segments": [segment]})
    [before] = client.get(f"/v1/jobs/{job}/result").json()["segments"]
    saved = put(client, job, 1, "I have 45 apples.")
    assert (saved.status_code, saved.json()["assessment"]) == (200, None)
    [row] = client.get(f"/v1/jobs/{job}/result").json()["segments"]
    assert row["score"] == before["score"] and "warnings" in before and "warnings" not in row


def test_a_memory_of_what_was_corrected_or_of_all(client: httpx2.Client, job: str) -> None:
    put(client, job, 3, 'It is "raining" & snowing.', author="Ana <a>")
    address = f"/v1/jobs/{job}/result"
    answer = client.get(address, params={"format": "tmx"})
    assert answer.headers["content-type"] == "application/x-tmx+xml"
    memory = read_file(answer.content, "file")
    assert memory.languages == ("ro", "en")
    assert [(unit.source, unit.translation) for unit in memory.units] == [("Plouă & ninge.", 'It is "raining" & snowing.')]
    assert b'changeid="Ana &lt;a&gt;"' in answer.content
    every = read_file(client.get(address, params={"format": "tmx", "segments": "all"}).content, "file")
    assert [unit.translation for unit in every.units] == ["House is big.", "The cat sleeps.", 'It is "raining" & snowing.']
    scored = succeeded(client, "score", {"metrics": ["bleu"], "systems": {"a": ["x"]}, "references": {"r": ["x"]}})
    assert client.get(f"/v1/jobs/{scored}/result", params={"format": "tmx"}).status_code == 422


def test_corrections_are_written_into_the_file(client: httpx2.Client) -> None:
    lines = "source\ttarget\nCasa este mare.\tHouse is big.\nPisica doarme.\tThe cat sleeps.\n"
    files = {"file": ("a.tsv", lines.encode()), "kind": (None, "quality"), "params": (None, json.dumps(PAIR))}
    sent = client.post("/v1/jobs", files=files).json()["id"]
    wait_for_job(client, sent)
    address = f"/v1/jobs/{sent}/result"
    before = client.get(address, params={"format": "annotated"})
    assert "assay-corrections" not in before.headers
    put(client, sent, 2, "A cat is asleep.")
    target = client.get(address, params={"format": "annotated"})
    assert target.headers["assay-corrections"] == "target=1, comment=0, none=0"
    assert "Pisica doarme.\tA cat is asleep.\t" in target.text and target.headers["etag"] != before.headers["etag"]
    comment = client.get(address, params={"format": "annotated", "corrections": "comment"})
    assert comment.headers["assay-corrections"] == "target=0, comment=1, none=0"
    header, first, second = [line.split("\t") for line in comment.text.splitlines()]
    assert (header[-1], first[-1], second[1], second[-1]) == ("assay_correction", "", "The cat sleeps.", "A cat is asleep.")
    assert client.get(address, params={"format": "annotated", "corrections": "none"}).text == before.text
