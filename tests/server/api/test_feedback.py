"""Feedback, and the versions of a model that learn from it, over HTTP."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from app.operations.judgements.feedback import FeedbackItem
from app.server.store import FeedbackStore, open_database
from tests.servers import Server, small_house, wait_for_job

BASE = "ro-en-hter-gp-17"
PAIR = {"source_language": "ro", "target_language": "en"}


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose models may change without disturbing other tests."""
    pairs = small_house(tmp_path_factory.mktemp("pairs"), "ro-en", "et-en")
    running = Server(tmp_path_factory.mktemp("learning"), pairs)
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def learning(school: Server) -> Iterator[httpx2.Client]:
    with school.client() as client:
        yield client


def judged(i: int) -> dict[str, str]:
    """A pair whose translation misses words the more, the higher i % 5 is."""
    words = f"the house number {i} on the hill is very big and old".split()
    return {
        "source": f"Casa numărul {i} de pe deal este foarte mare și veche.",
        "translation": " ".join(words[: len(words) - 2 * (i % 5)]),
        "post_edit": " ".join(words),
    }


def test_a_post_edit_counts_as_its_edit_rate(learning: httpx2.Client) -> None:
    flat = {"model": BASE, "source": "Casa este mare.", "translation": "House is big.", "post_edit": "The house is big ."}
    answer = learning.post("/v1/feedback", json={**flat, "origin": "a tool"})
    assert answer.status_code == 202
    body = answer.json()
    assert body["accepted"] == 1
    # One word is missing of the five that the post-edit has, its full stop included; case does not count.
    assert body["feedback"][0]["value"] == pytest.approx(0.2)
    assert (body["feedback"][0]["label"], body["feedback"][0]["direction"]) == ("hter", "lower is better")


def test_a_score_is_the_models_label(learning: httpx2.Client) -> None:
    pair = {"source": "Casa.", "translation": "House."}
    answer = learning.post("/v1/feedback", json={"model": "ro-en-da-gp-17", **pair, "score": -0.5}).json()
    assert (answer["feedback"][0]["label"], answer["feedback"][0]["value"]) == ("da", -0.5)
    answer = learning.post("/v1/feedback", json={**PAIR, "label": "effort", "segments": [{**pair, "score": 4.0}]}).json()
    assert answer["feedback"][0]["label"] == "effort"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"model": "nothing"}, "model"),
        ({"post_edit": None}, "segments.0"),
        ({"score": 0.3}, "segments.0"),
        ({"model": "ro-en-da-gp-17", "post_edit": None, "score": 1e308}, "segments.0.score"),
        ({"model": "ro-en-da-gp-17", "post_edit": None, "score": -1e308}, "segments.0.score"),
        ({"post_edit": None, "score": 1.5}, "segments.0.score"),
        ({"source": None}, ""),
        ({"segments": []}, "segments"),
        ({"segments": [{"source": "a", "translation": "b", "score": 0.1}]}, ""),
        ({"target_language": "de"}, "model"),
        ({"model": None}, "model"),
        ({"origin": "x" * 101}, "origin"),
        ({"post_edit": "\x00"}, "segments.0.post_edit"),
        ({"post_edit": "x" * 20_001}, "segments.0.post_edit"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_place(learning: httpx2.Client, change: dict[str, object], where: str) -> None:
    before = learning.get("/v1/feedback").json()
    good = {"model": BASE, "source": "Casa.", "translation": "House.", "post_edit": "The house."}
    answer = learning.post("/v1/feedback", json={name: value for name, value in {**good, **change}.items() if value is not None})
    assert answer.status_code == 422, answer.text
    problem = answer.json()
    assert (problem.get("where") or problem["detail"].removeprefix("body.")).startswith(where)
    assert learning.get("/v1/feedback").json() == before


def test_a_version_learns_from_base_and_feedback_is_promoted_and_rolled_back(learning: httpx2.Client) -> None:
    rows = [judged(i) for i in range(300)]
    answer = learning.post("/v1/feedback", json={"model": BASE, "segments": rows}).json()
    assert answer["accepted"] == 300
    counts = {row["label"]: row for row in learning.get("/v1/feedback").json()["feedback"]}
    assert counts["hter"]["segments"] >= 300
    # About a fifth never trains.
    assert 30 < counts["hter"]["held_back"] < 100
    before = learning.post("/v1/quality", json={**PAIR, "label": "hter", "segments": [judged(1)]})
    assert before.status_code == 422
    ask = {**PAIR, "label": "hter", "segments": [{k: v for k, v in judged(4).items() if k != "post_edit"}]}
    before = learning.post("/v1/quality", json=ask).json()["model"]

    params = {**PAIR, "label": "hter", "base": BASE, "feedback": True, "method": "retrain", "promote": "if-better"}
    job = learning.post("/v1/jobs", json={"kind": "train", "params": params}).json()
    view = wait_for_job(learning, job["id"])
    assert view["state"] == "succeeded", view["error"]
    summary: dict[str, object] = view["summary"]  # type: ignore[assignment]
    version = summary["model"]
    assert (summary["base"], summary["version"]) == (BASE, 2)
    promotion: dict[str, object] = summary["promotion"]  # type: ignore[assignment]
    # What is missing follows from the lengths, so rows that say so teach it.
    assert promotion["pearson_after"] > promotion["pearson_before"]  # type: ignore[operator]
    assert promotion["promoted"]
    assert learning.post("/v1/quality", json=ask).json()["model"] == version

    card = learning.get(f"/v1/models/{version}").json()
    assert card["parent"] == BASE
    assert card["answers"]
    assert [row["model"] for row in card["versions"]] == [BASE, version]
    assert card["promotions"][-1]["reason"].startswith(f"better than {BASE}")
    assert card["feedback"]["segments"] >= 300
    assert card["training_data"]["segments"] > 4000

    assert learning.post(f"/v1/models/{BASE}/rollback", json={}).status_code == 409
    said = learning.post(f"/v1/models/{version}/rollback", json={"reason": "a test"}).json()
    assert said["model"] is None
    assert learning.post("/v1/quality", json=ask).json()["model"] == before
    learning.post(f"/v1/models/{BASE}/promote", json={}).raise_for_status()
    assert learning.post("/v1/quality", json=ask).json()["model"] == BASE
    learning.post(f"/v1/models/{version}/promote", json={})
    assert learning.post(f"/v1/models/{version}/rollback", json={}).json()["model"] == BASE
    assert learning.get("/v1/models/none").status_code == 404


ABSURD: dict[str, tuple[float, dict[str, object]]] = {
    "label: hter is from 0 to 1": (1e308, {"source": "Casa.", "translation": "House."}),
    "source: this segment has 30000 characters; the limit is 20000": (0.5, {"source": "x" * 30_000, "translation": "y"}),
    "translation: character 1 is a NUL, which text may not hold; remove it": (0.5, {"source": "a", "translation": "\0"}),
    "source: character 2 is a lone surrogate, which text may not hold; remove it": (0.5, {"source": "a\ud800", "translation": "b"}),
    "translation: this field is required": (0.5, {"source": "a"}),
}


def test_bad_rows_are_left_out_by_name_and_who_learnt_is_named(school: Server, learning: httpx2.Client) -> None:
    store = FeedbackStore(open_database(f"sqlite:///{school.data / 'assay.sqlite3'}"))
    fitting = learning.post("/v1/feedback", json={"model": BASE, "segments": [judged(i) for i in range(1000, 1100)]}).json()
    reasons = dict(
        zip(
            store.add(
                [FeedbackItem("ro-en", "hter", value, BASE, "an older version", content) for value, content in ABSURD.values()]
            ),
            ABSURD,
            strict=True,
        )
    ) | dict.fromkeys(
        store.add([FeedbackItem("ro-en", "hter", -1e308, BASE, "an older version", {"source": "a", "translation": "b"})]),
        "label: hter is from 0 to 1",
    )
    params = {**PAIR, "label": "hter", "base": BASE, "feedback": True, "method": "adapt"}
    view = wait_for_job(learning, learning.post("/v1/jobs", json={"kind": "train", "params": params}).json()["id"])
    assert view["state"] == "succeeded", view["error"]
    learnt: dict[str, Any] = view["summary"]["feedback"]  # type: ignore[index]
    assert {row["id"]: row["reason"] for row in learnt["left_out"]} == reasons
    assert (learnt["bad"], learnt["incomplete"]) == (len(reasons), 0)
    assert learnt["used"] > 50 < learnt["used"] + learnt["held_back"] <= 500
    version = view["summary"]["model"]  # type: ignore[index]

    ids = [row["id"] for row in fitting["feedback"]]
    kept = [learning.get(f"/v1/feedback/{id}").json() for id in ids]
    # What is held back never trained; from the versions of a version more follow.
    assert {row["held_back"] for row in kept} == {True, False}
    assert all((version in row["used_by"]) != row["held_back"] for row in kept)
    used = next(row for row in kept if not row["held_back"])
    segments = [{**{k: v for k, v in judged(i).items() if k != "post_edit"}, "label": (i % 5) / 5} for i in range(40)]
    again = {**PAIR, "label": "hter", "base": version, "method": "adapt", "segments": segments, "name": "a-grandchild"}
    assert (
        wait_for_job(learning, learning.post("/v1/jobs", json={"kind": "train", "params": again}).json()["id"])["state"]
        == "succeeded"
    )
    corrected = learning.patch(f"/v1/feedback/{used['id']}", json={"score": 0.75}).json()
    assert (corrected["value"], corrected["post_edit"], corrected["source"]) == (0.75, None, used["source"])
    assert {version, "a-grandchild"} <= set(corrected["used_by"])
    deleted = learning.delete(f"/v1/feedback/{used['id']}").json()
    assert deleted == corrected
    assert learning.get(f"/v1/feedback/{used['id']}").status_code == 404
    # Rows that the caller sends are refused with their place, as ever.
    refused = learning.post("/v1/jobs", json={"kind": "train", "params": {**params, "segments": [{**segments[0], "label": 1e308}]}})
    assert (refused.status_code, refused.json()["where"]) == (422, "segments.0.label")
    # Of an older version's rubbish everything can be seen, corrected and deleted.
    for id, (value, content) in zip(reasons, ABSURD.values(), strict=False):
        row = learning.get(f"/v1/feedback/{id}").json()
        assert (row["value"], row["source"]) == (value, str(content["source"]).replace("\ud800", "?"))
        assert learning.patch(f"/v1/feedback/{id}", json={"score": 0.5}).json()["value"] == 0.5
        assert learning.delete(f"/v1/feedback/{id}").status_code == 200


def test_feedback_is_listed_in_pages_and_chosen(learning: httpx2.Client) -> None:
    rows = [{"source": f"Casa {n}.", "translation": "House.", "score": n / 10} for n in range(5)]
    body = {**PAIR, "source_language": "et", "label": "effort", "origin": "pages"}
    ids = [
        learning.post("/v1/feedback", json={**body, "segments": [{**row, "score": 1 + row["score"]}]}).json()["feedback"][0]["id"]  # type: ignore[operator]
        for row in rows
    ]
    listed, after = [], None
    while True:
        page = learning.get(
            "/v1/feedback/items", params={"origin": "pages", "limit": 2, **({"after": after} if after else {})}
        ).json()
        listed += page["feedback"]
        after = page["next"]
        if after is None:
            break
    assert [row["id"] for row in listed] == ids[::-1]
    assert listed[0] == {
        "id": ids[-1], "created": listed[0]["created"], "pair": "et-en", "label": "effort", "value": 1.4,
        "held_back": listed[0]["held_back"], "model": None, "origin": "pages", "owner": None, "source": "Casa 4.",
        "translation": "House.", "post_edit": None,
    }  # fmt: skip
    since = listed[2]["created"]
    for query, many in (
        ({"pair": "et-en", "label": "effort", "origin": "pages"}, 5), ({"pair": "ro-en", "origin": "pages"}, 0),
        ({"label": "da", "origin": "pages"}, 0), ({"model": BASE, "origin": "pages"}, 0), ({"since": "2999-01-01", "origin": "pages"}, 0),
        ({"since": "2020-01-01T00:00:00", "origin": "pages"}, 5),
    ):  # fmt: skip
        assert len(learning.get("/v1/feedback/items", params=query).json()["feedback"]) == many, query
    assert 2 <= len(learning.get("/v1/feedback/items", params={"since": since, "origin": "pages"}).json()["feedback"]) <= 3


@pytest.mark.parametrize(
    "query",
    [
        "limit=0", "limit=1001", "limit=" + "9" * 5000, "after=x", "after=" + "0" * 5000, "pair=ro", "label=bleu", "since=yesterday",
        "since=" + "9" * 400, "since=nan", "since=inf", "since=1e308", "since=-1e308", "model=" + "x" * 101, "origin=" + "x" * 101,
        "after=" + "0" * 32, "model=%00", "origin=a%00", "since=0001-01-01T00:00:00%2B14:00", "since=9999-12-31T23:59:59-14:00",
    ],
)  # fmt: skip
def test_queries_that_cannot_be_are_refused(learning: httpx2.Client, query: str) -> None:
    for path in ("items", "export"):
        status = learning.get(f"/v1/feedback/{path}?{query}").status_code
        assert status in (200, 404, 422), (path, status)
        assert status == 200 or path == "items" or not query.startswith(("limit", "after"))


def test_a_judgement_is_corrected_by_what_its_label_takes(learning: httpx2.Client) -> None:
    flat = {"model": BASE, "source": "Casa este mare.", "translation": "House is big.", "post_edit": "The house is big ."}
    id = learning.post("/v1/feedback", json=flat).json()["feedback"][0]["id"]
    changed = learning.patch(f"/v1/feedback/{id}", json={"post_edit": "House is big."}).json()
    assert (changed["value"], changed["post_edit"], changed["used_by"]) == (0.0, "House is big.", [])
    assert learning.get(f"/v1/feedback/{id}").json() == changed
    for body, where in (
        ({}, ""), ({"score": 0.5, "post_edit": "x"}, ""), ({"score": 1.5}, "score"), ({"score": 1e308}, "score"), ({"post_edit": "\0"}, "post_edit"),
        ({"post_edit": "x" * 20_001}, "post_edit"), ({"post_edit": "\ud800"}, "post_edit"), ({"label": "da"}, ""), ({"score": "0.5"}, ""),
    ):  # fmt: skip
        raw = json.dumps(body)
        refused = learning.patch(f"/v1/feedback/{id}", content=raw, headers={"Content-Type": "application/json"})
        assert refused.status_code == 422 and refused.json().get("where", "") == where, (body, refused.text)
    assert learning.get(f"/v1/feedback/{id}").json() == changed
    score = {"model": "ro-en-da-gp-17", "source": "Casa.", "translation": "House.", "score": -0.5}
    other = learning.post("/v1/feedback", json=score).json()["feedback"][0]["id"]
    assert learning.patch(f"/v1/feedback/{other}", json={"post_edit": "x"}).status_code == 422
    assert learning.patch(f"/v1/feedback/{other}", json={"score": 1.25}).json()["value"] == 1.25
    for method, body in (("GET", None), ("PATCH", {"score": 0.5}), ("DELETE", None)):
        for id in ("0" * 32, "x" * 3000, "%2e%2e"):
            refused = learning.request(method, f"/v1/feedback/{id}", json=body)
            assert (refused.status_code, refused.json()["type"]) == (404, "/problems/not-found")


def test_post_edits_are_as_much_work_as_a_call_may_be(learning: httpx2.Client) -> None:
    row = {"source": "Casa.", "translation": "a " * 10_000, "post_edit": "b " * 10_000}
    refused = learning.post("/v1/feedback", json={"model": BASE, "segments": [row] * 126})
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/too-much-work")


def test_feedback_is_exported_line_by_line(learning: httpx2.Client) -> None:
    rows = [
        {"source": "=1+1\tx", "translation": "@y", "post_edit": "-z", "token_log_probs": [-0.5, -0.25], "tokens": ["▁y", "</s>"]},
        {"source": "Casa.", "translation": "House.", "score": 0.5},
    ]
    for row in rows:
        body = {**PAIR, "label": "hter", "origin": "+taken along", "segments": [row]}
        assert learning.post("/v1/feedback", json=body).status_code == 202
    wanted = {"origin": "+taken along"}
    answer = learning.get("/v1/feedback/export", params=wanted)
    assert answer.headers["content-type"] == "application/x-ndjson" and "no-store" in answer.headers["cache-control"]
    last, first = [json.loads(line) for line in answer.text.splitlines()]
    assert (first["source"], first["token_log_probs"], first["tokens"]) == ("=1+1\tx", [-0.5, -0.25], ["▁y", "</s>"])
    assert (last["value"], last["post_edit"]) == (0.5, None) and "tokens" not in last
    for formulas, mark in (("escape", "'"), ("keep", "")):
        raw = learning.get("/v1/feedback/export", params={**wanted, "format": "tsv", "formulas": formulas}).text
        head, _, line = [row.split("\t") for row in raw.splitlines()]
        cells = dict(zip(head, line, strict=True))
        assert (cells["source"], cells["translation"], cells["origin"]) == (f"{mark}=1+1 x", f"{mark}@y", f"{mark}+taken along")
        assert cells["token_log_probs"] == "-0.5 -0.25"
    nothing = learning.get("/v1/feedback/export", params={"origin": "nobody", "format": "tsv"}).text
    assert nothing.split("\t")[0] == "id" and len(nothing.splitlines()) == 1
    assert learning.get("/v1/feedback/export", params={"origin": "nobody"}).text == ""
    everything = learning.get("/v1/feedback/export").text.splitlines()
    assert len(everything) == sum(row["segments"] for row in learning.get("/v1/feedback").json()["feedback"])


def test_a_few_rows_correct_a_base(learning: httpx2.Client) -> None:
    labelled = [
        {"source": r["source"], "translation": r["translation"], "label": (i % 5) / 5} for i, r in enumerate(map(judged, range(40)))
    ]
    params = {**PAIR, "label": "hter", "base": BASE, "method": "adapt", "segments": labelled}
    job = learning.post("/v1/jobs", json={"kind": "train", "params": params}).json()
    view = wait_for_job(learning, job["id"])
    assert view["state"] == "succeeded", view["error"]
    model = view["summary"]["model"]  # type: ignore[index]
    card = learning.get(f"/v1/models/{model}").json()
    assert (card["learner"], card["parent"]) == ("adapted", BASE)
    assert card["accuracy"]["pearson"] > 0.8
    asked = [{"source": row["source"], "translation": row["translation"]} for row in labelled]
    answer = learning.post("/v1/quality", json={**PAIR, "model": model, "segments": asked, "explain": True}).json()
    total = answer["explanation"]["baseline"] + sum(part["contribution"] for part in answer["segments"][1]["contributions"])
    assert 0 <= answer["segments"][1]["score"] <= 1
    assert min(max(total, 0), 1) == pytest.approx(answer["segments"][1]["score"], abs=1e-4)


def test_a_model_of_another_pair_is_corrected(learning: httpx2.Client) -> None:
    labelled = [
        {"source": r["source"], "translation": r["translation"], "label": (i % 5) / 5} for i, r in enumerate(map(judged, range(60)))
    ]
    params = {**PAIR, "label": "hter", "base": "et-en-hter-gp-17", "segments": labelled}
    view = wait_for_job(learning, learning.post("/v1/jobs", json={"kind": "train", "params": params}).json()["id"])
    assert view["state"] == "succeeded", view["error"]
    card = learning.get(f"/v1/models/{view['summary']['model']}").json()  # type: ignore[index]
    assert (card["pair"], card["learner"], card["parent"]) == ("ro-en", "adapted", "et-en-hter-gp-17")
    assert card["accuracy"]["pearson"] > 0.8


def test_annotators_are_learned_together_in_a_job(learning: httpx2.Client) -> None:
    rows = [judged(i) for i in range(120)]
    labelled = [
        {"source": r["source"], "translation": r["translation"], "label": (i % 5) / 5, "task": "ab"[i // 5 % 2]}
        for i, r in enumerate(rows)
    ]
    params = {**PAIR, "label": "hter", "segments": labelled, "sharing": "rank"}
    view = wait_for_job(learning, learning.post("/v1/jobs", json={"kind": "train", "params": params}).json()["id"])
    assert view["state"] == "succeeded", view["error"]
    models = {each["task"]: each["model"] for each in view["summary"]["models"]}  # type: ignore[index]
    assert sorted(models) == ["a", "b"]
    card = learning.get(f"/v1/models/{models['b']}").json()
    assert card["hyper_parameters"]["tasks"] == ["a", "b"]
    assert card["accuracy"]["pearson"] > 0.8
    for change in (
        {"sharing": "all"},
        {"learner": "svr"},
        {"base": BASE},
        {"segments": labelled[:1] + [{k: v for k, v in labelled[1].items() if k != "task"}]},
    ):
        answer = learning.post("/v1/jobs", json={"kind": "train", "params": {**params, **change}})
        assert answer.status_code == 422, change


@pytest.mark.parametrize(
    "change",
    [
        {"base": "none"},
        {"base": "ro-en-da-gp-17"},
        {"base": "et-en-hter-gp-17", "method": "retrain"},
        {"method": "adapt", "base": None},
        {"feature_set": "blackbox-79"},
        {"learner": "gp|kernel:cosine"},
        {"learner": "oracle"},
        {"segments": [{"source": "a", "translation": "b", "label": 1.5}]},
        {"promote": "always"},
        {"feedback": False, "segments": []},
    ],
)
def test_trainings_that_cannot_be_are_refused_at_once(learning: httpx2.Client, change: dict[str, object]) -> None:
    params = {**PAIR, "label": "hter", "base": BASE, "feedback": True, **change}
    answer = learning.post("/v1/jobs", json={"kind": "train", "params": {k: v for k, v in params.items() if v is not None}})
    assert answer.status_code == 422, answer.text


def test_drift_is_seen_by_model_and_by_prometheus(learning: httpx2.Client) -> None:
    model = "ro-en-da-svr-17"
    same = {**PAIR, "model": model, "segments": [{"source": "!", "translation": "!"}] * 150}
    assert learning.get(f"/v1/models/{model}").json()["drift"]["segments"] == 0
    learning.post("/v1/quality", json={**same, "segments": same["segments"][:50]})
    assert learning.get(f"/v1/models/{model}").json()["drift"]["drifted"] is None
    learning.post("/v1/quality", json=same)
    drift = learning.get(f"/v1/models/{model}").json()["drift"]
    assert (drift["segments"], drift["drifted"]) == (200, True)
    assert drift["index"] > 1
    learning.post("/v1/feedback", json={"model": BASE, **judged(1)})
    lines = learning.get("/metrics").text
    assert f'assay_model_drift{{model="{model}"}}' in lines
    assert 'assay_feedback_segments{label="hter",pair="ro-en"}' in lines


def test_a_training_whose_feedback_is_all_bad_says_so(school: Server) -> None:
    store = FeedbackStore(open_database(f"sqlite:///{school.data / 'assay.sqlite3'}"))
    store.add([FeedbackItem("et-en", "da", 1e308, None, "", {"source": "a", "translation": "b"})])
    with school.client() as client:
        params = {**PAIR, "source_language": "et", "label": "da", "feedback": True}
        refused = client.post("/v1/jobs", json={"kind": "train", "params": params})
        assert (refused.status_code, refused.json()["type"]) == (422, "/problems/empty-input")
        assert "of the feedback 1 cannot be used (label: da is a z-score" in refused.json()["detail"]
