"""Translations by loaded systems over HTTP, and quality estimation with what they translate."""

import json

import httpx2
import pytest

from tests.servers import wait_for_job

PAIR = {"source_language": "ro", "target_language": "en"}
BACK = {"source_language": "en", "target_language": "ro"}
SOURCES = ["Casa mea este mare și roșie.", "Un om doarme aici.", ""]
OTHERS = ["My house is big.", "A man sleeps there.", "Here."]
SEGMENTS = [{"source": source, "translation": text} for source, text in zip(SOURCES, OTHERS, strict=True)]


def translate(client: httpx2.Client, segments: list[str], **more: object) -> list[dict[str, object]]:
    answer = client.post("/v1/translate", json={**PAIR, "segments": segments, **more})
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, object]] = answer.json()["segments"]
    return rows


def texts(rows: list[dict[str, object]]) -> list[object]:
    return [row["text"] for row in rows]


def test_translations(client: httpx2.Client) -> None:
    answer = client.post("/v1/translate", json={**PAIR, "source_language": "ro-MD", "segments": SOURCES}).json()
    assert {name: answer[name] for name in ("pair", "system", "lowercase", "tokenise")} == {
        "pair": "ro-en", "system": "own/ro-en/system", "lowercase": True, "tokenise": True
    }  # fmt: skip
    assert texts(answer["segments"]) == ["my house is large and red .", "a man sleeps here .", ""]
    assert [set(row) for row in answer["segments"]] == [{"text", "score", "features"}] * 3
    whole = client.post("/v1/translate", json={**PAIR, "segments": ["casa mea este mare."], "tokenise": False}).json()
    assert not whole["tokenise"] and whole["segments"][0]["text"].endswith("mare.")


def test_lists_and_phrases(client: httpx2.Client) -> None:
    rows = translate(client, SOURCES, n_best=4, distinct=True, phrases=True)
    for row in rows:
        entries = row["n_best"]
        assert isinstance(entries, list) and entries[0] == {name: row[name] for name in entries[0]}
        assert len({entry["text"] for entry in entries}) == len(entries) <= 4
        assert [entry["score"] for entry in entries] == sorted((entry["score"] for entry in entries), reverse=True)
        for entry in entries:
            assert " ".join(word for phrase in entry["phrases"] for word in phrase["target"]) == entry["text"]
    assert rows[1]["words"] == ["un", "om", "doarme", "aici", "."]
    assert len(translate(client, SOURCES, n_best=4)[0]["n_best"]) == 4  # type: ignore[arg-type]


def test_odd_texts(client: httpx2.Client) -> None:
    odd = ["", "   ", "a ||| b", '<n translation="x">casa</n>', "\u202eשלום\u202c עולם", "casa\ncasa\tcasa", "é" * 3000]
    rows = translate(client, odd, tokenise=False, phrases=True)
    assert texts(rows)[:3] == ["", "", "a ||| b"]
    assert rows[3]["words"] == odd[3].split() and texts(rows)[4] == odd[4]
    assert texts(rows)[5] == translate(client, ["casa casa casa"])[0]["text"]
    assert texts(rows) == [translate(client, [text], tokenise=False)[0]["text"] for text in odd]


@pytest.mark.parametrize(
    ("body", "code", "where"),
    [
        ({"source_language": "de", "target_language": "en", "segments": ["a"]}, "missing-system", "source_language"),
        ({**PAIR, "segments": ["a", "casa " * 1001]}, "segment-too-long", "segments.1"),
        ({**PAIR, "segments": ["a" * 20_001]}, "segment-too-long", "segments.0"),
        ({**PAIR, "segments": ["a"], "n_best": 0}, "invalid-request", "n_best"),
        ({**PAIR, "segments": ["a"], "n_best": 1001}, "invalid-request", "n_best"),
        ({**PAIR, "segments": ["a"], "distinct": True}, "invalid-request", "distinct"),
        ({**PAIR, "segments": ["a"], "stack": 5}, "invalid-request", "stack"),
        ({**PAIR, "segments": ["a\0"]}, "invalid-character", "segments.0"),
        ({**PAIR, "segments": [""] * 2001}, "too-many-segments", "segments"),
        ({**PAIR, "segments": ["casa " * 900] * 50}, "too-much-work", None),
        ({**PAIR, "segments": ["casa"] * 100, "n_best": 1000}, "too-much-work", None),
    ],
)
def test_refusals(client: httpx2.Client, body: dict[str, object], code: str, where: str | None) -> None:
    answer = client.post("/v1/translate", json=body)
    problem = answer.json()
    assert answer.status_code == 422 and problem["type"] == f"/problems/{code}", problem
    named = [problem.get("where"), problem["detail"], *(error["where"] for error in problem.get("errors", []))]
    assert where is None or any(where in (place or "") for place in named)


def test_a_job_says_what_the_call_says(client: httpx2.Client) -> None:
    more = {"n_best": 3, "phrases": True}
    job = client.post("/v1/jobs", json={"kind": "translate", "params": {**PAIR, "segments": SOURCES, **more}})
    assert job.status_code == 202, job.text
    view = wait_for_job(client, job.json()["id"])
    assert view["state"] == "succeeded" and view["summary"] == {
        "pair": "ro-en", "system": "own/ro-en/system", "lowercase": True, "tokenise": True
    }  # fmt: skip
    result = client.get(f"/v1/jobs/{view['id']}/result").json()
    assert [{name: row[name] for name in row if name != "source"} for row in result["segments"]] == translate(
        client, SOURCES, **more
    )
    assert [row["source"] for row in result["segments"]] == SOURCES
    table = client.get(f"/v1/jobs/{view['id']}/result?format=tsv").text.split("\n")
    assert table[0].startswith("source\ttext\tscore") and len(table) == 5


def test_a_job_of_a_file(client: httpx2.Client) -> None:
    files = {
        "source": ("lines.txt", "\n".join(SOURCES[:2]).encode()),
        "params": (None, json.dumps(PAIR)),
        "kind": (None, "translate"),
    }
    job = client.post("/v1/jobs", files=files)
    assert job.status_code == 202, job.text
    view = wait_for_job(client, job.json()["id"])
    result = client.get(f"/v1/jobs/{view['id']}/result").json()
    assert texts(result["segments"]) == texts(translate(client, SOURCES[:2]))


def test_a_job_without_a_system_is_not_taken(client: httpx2.Client) -> None:
    body = {"kind": "translate", "params": {"source_language": "de", "target_language": "en", "segments": ["a"]}}
    assert client.post("/v1/jobs", json=body).json()["type"] == "/problems/missing-system"
    body = {"kind": "translate", "params": {**PAIR, "segments": []}}
    assert client.post("/v1/jobs", json=body).json()["type"] == "/problems/empty-input"


def given(client: httpx2.Client) -> list[dict[str, object]]:
    """Segments with what systems say beside them, sent by hand."""
    back = client.post("/v1/translate", json={**BACK, "segments": OTHERS}).json()["segments"]
    return [
        {**segment, "pseudo_references": [one["text"]], "back_translation": other["text"]}
        for segment, one, other in zip(SEGMENTS, translate(client, SOURCES), back, strict=True)
    ]


def test_features_of_what_systems_say_are_those_of_what_is_sent(client: httpx2.Client) -> None:
    body = {**PAIR, "feature_set": "all-blackbox"}
    asked = {**body, "segments": SEGMENTS, "from_systems": ["pseudo_references", "back_translation"]}
    answer = client.post("/v1/features", json=asked).json()
    assert answer == client.post("/v1/features", json={**body, "segments": given(client)}).json()
    names = [feature["id"] for feature in answer["features"]]
    assert "pr.chrf" in names and any(name.startswith("bt.") for name in names)
    plain = client.post("/v1/features", json={**body, "segments": SEGMENTS}).json()
    assert "pr.chrf" not in [feature["id"] for feature in plain["features"]]


def test_a_features_job_with_systems(client: httpx2.Client) -> None:
    body = {**PAIR, "feature_set": "all-blackbox", "segments": SEGMENTS, "from_systems": ["back_translation", "pseudo_references"]}
    direct = client.post("/v1/features", json=body).json()
    view = wait_for_job(client, client.post("/v1/jobs", json={"kind": "features", "params": body}).json()["id"])
    assert view["state"] == "succeeded", view["error"]
    rows = client.get(f"/v1/jobs/{view['id']}/result").json()["segments"]
    assert [list(row["features"].values()) for row in rows] == direct["values"]


def test_glass_box_features_are_of_the_systems_own_translations(client: httpx2.Client) -> None:
    rows = translate(client, SOURCES[:2], n_best=100, distinct=True)
    own = [{"source": source, "translation": row["text"]} for source, row in zip(SOURCES, rows, strict=False)]
    body = {**PAIR, "feature_set": "glassbox-smt"}
    answer = client.post("/v1/features", json={**body, "segments": own, "from_systems": ["n_best"]})
    assert answer.status_code == 200, answer.text
    listed = [{**segment, "n_best": row["n_best"]} for segment, row in zip(own, rows, strict=True)]
    assert answer.json() == client.post("/v1/features", json={**body, "segments": listed}).json()
    problem = client.post("/v1/features", json={**body, "segments": SEGMENTS[:2], "from_systems": ["n_best"]}).json()
    assert problem["type"] == "/problems/missing-evidence" and problem["where"] == "segments.0.translation"


def test_quality_says_what_its_model_does_not_look_at(client: httpx2.Client) -> None:
    body = {**PAIR, "segments": SEGMENTS, "model": "ro-en-hter-gp-17"}
    plain = client.post("/v1/quality", json=body).json()
    answer = client.post("/v1/quality", json={**body, "from_systems": ["pseudo_references"]}).json()
    (said,) = [caution for caution in answer["cautions"] if caution not in plain.get("cautions", [])]
    assert said == "ro-en-hter-gp-17 looks at no pseudo-references: what systems translated changes nothing in its scores"
    assert answer["segments"] == plain["segments"]
    job = client.post("/v1/jobs", json={"kind": "quality", "params": {**body, "from_systems": ["pseudo_references"]}})
    view = wait_for_job(client, job.json()["id"])
    assert said in view["summary"]["cautions"]  # type: ignore[index]


@pytest.mark.slow
def test_quality_by_a_model_of_what_systems_say(client: httpx2.Client) -> None:
    words = ["casa", "mare", "roșie", "aici", "acolo", "doarme", "este"]
    sources = [f"{words[k % 7]} {words[k // 7 % 7]} {words[k % 5]} ." for k in range(240)]
    right = texts(translate(client, sources))
    rows = [
        {
            "source": source,
            "translation": f"{text} wrong" if k % 3 else text,
            "label": float(k % 3) / 2,
            "pseudo_references": [text],
        }
        for k, (source, text) in enumerate(zip(sources, right, strict=True))
    ]
    params = {**PAIR, "label": "hter", "learner": "ridge", "feature_set": "all-blackbox", "segments": rows}
    job = client.post("/v1/jobs", json={"kind": "train", "params": params})
    view = wait_for_job(client, job.json()["id"])
    assert view["state"] == "succeeded", view["error"]
    model = view["summary"]["model"]  # type: ignore[index]
    body = {**PAIR, "model": model}
    lacking = client.post("/v1/quality", json={**body, "segments": SEGMENTS})
    assert lacking.status_code == 422 and "pseudo-references" in lacking.json()["detail"]
    answer = client.post("/v1/quality", json={**body, "segments": SEGMENTS, "from_systems": ["pseudo_references"]})
    assert answer.status_code == 200, answer.text
    sent = [{name: row[name] for name in ("source", "translation", "pseudo_references")} for row in given(client)]
    assert answer.json() == client.post("/v1/quality", json={**body, "segments": sent}).json()
    job = client.post(
        "/v1/jobs", json={"kind": "quality", "params": {**body, "segments": SEGMENTS, "from_systems": ["pseudo_references"]}}
    )
    view = wait_for_job(client, job.json()["id"])
    rows = client.get(f"/v1/jobs/{view['id']}/result").json()["segments"]
    assert [row["score"] for row in rows] == [row["score"] for row in answer.json()["segments"]]


@pytest.mark.parametrize(
    ("path", "change", "code", "where"),
    [
        ("features", {"target_language": "de", "source_language": "en", "from_systems": ["pseudo_references"]}, "missing-system", "source_language"),
        ("features", {"from_systems": ["search"]}, "invalid-request", None),
        ("features", {"from_systems": []}, "invalid-request", None),
        ("quality", {"from_systems": ["pseudo_references"], "level": "word"}, "invalid-request", None),
        ("features", {"from_systems": ["pseudo_references"], "segments": [{**SEGMENTS[0], "pseudo_references": ["a"]}]}, "invalid-request", "from_systems"),
    ],
)  # fmt: skip
def test_what_is_missing_is_refused_by_name(
    client: httpx2.Client, path: str, change: dict[str, object], code: str, where: str | None
) -> None:
    problem = client.post(f"/v1/{path}", json={**PAIR, "segments": SEGMENTS, **change}).json()
    assert problem["type"] == f"/problems/{code}", problem
    assert where is None or problem["where"] == where


def test_of_long_texts_the_beginning_is_translated_as_features_look_at_it(client: httpx2.Client) -> None:
    body = {**PAIR, "features": ["pr.chrf"], "from_systems": ["pseudo_references"]}
    long, short = ({"source": "casa " * words, "translation": "the house " * 400} for words in (1200, 1000))
    answers = [client.post("/v1/features", json={**body, "segments": [segment]}).json() for segment in (long, short)]
    assert answers[0]["values"] == answers[1]["values"] and answers[0]["truncated"] == [0]


def test_a_job_of_a_sentence_that_is_too_long_is_not_taken(client: httpx2.Client) -> None:
    body = {"kind": "translate", "params": {**PAIR, "segments": ["casa", "casa " * 1001]}}
    problem = client.post("/v1/jobs", json=body).json()
    assert problem["type"] == "/problems/segment-too-long" and "segments.1" in problem["where"]


def test_a_job_names_no_row_of_a_chunk(client: httpx2.Client) -> None:
    params = {**PAIR, "feature_set": "glassbox-smt", "segments": SEGMENTS, "from_systems": ["n_best"]}
    view = wait_for_job(client, client.post("/v1/jobs", json={"kind": "features", "params": params}).json()["id"])
    assert view["state"] == "failed" and view["error"]["type"] == "/problems/missing-evidence"  # type: ignore[index]
    assert view["error"]["detail"].startswith("segments: this is not the system's own")  # type: ignore[index]


def test_resources_name_systems(client: httpx2.Client) -> None:
    answer = client.get("/v1/resources").json()
    assert answer["systems"] == ["en-ro", "ro-en"]
    assert {row["name"] for row in answer["resources"] if row["kind"] == "system"} == {"en-ro/system", "ro-en/system"}
