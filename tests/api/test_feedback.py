"""Feedback, and the versions of a model that learn from it, over HTTP."""

from collections.abc import Iterator

import httpx2
import pytest

from tests.servers import Server, small_house, wait_for_job

BASE = "ro-en-hter-gp-17"
PAIR = {"source_language": "ro", "target_language": "en"}


@pytest.fixture(scope="module")
def learning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A server whose models may change without disturbing other tests."""
    pairs = small_house(tmp_path_factory.mktemp("pairs"), "ro-en", "et-en")
    running = Server(tmp_path_factory.mktemp("learning"), pairs)
    running.start()
    with running.client() as client:
        yield client
    running.stop()


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


def test_feedback_and_promotions_outlive_the_server(own_server: Server) -> None:
    own_server.start()
    with own_server.client() as client:
        body = {"model": BASE, "source": "Casa.", "translation": "House.", "post_edit": "The house."}
        assert client.post("/v1/feedback", json=body).status_code == 202
        client.post(f"/v1/models/{BASE}/promote", json={})
    own_server.kill()
    own_server.start()
    with own_server.client() as client:
        assert client.get("/v1/feedback").json()["feedback"][0]["segments"] == 1
        assert client.get(f"/v1/models/{BASE}").json()["answers"]
