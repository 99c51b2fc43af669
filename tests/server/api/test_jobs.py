"""Jobs from their creation to their result, over HTTP."""

import json
import time

import httpx2
import numpy as np
import pytest
from sklearn.metrics import f1_score, matthews_corrcoef

from tests.servers import wait_for_job

PAIR = {"source_language": "ro", "target_language": "en"}
ROWS = [{"source": f"Casa numărul {i} este mare.", "translation": f"House number {i} is big."} for i in range(60)]
LABELLED = [{**row, "label": (i % 10) / 10} for i, row in enumerate(ROWS)]


def run(client: httpx2.Client, kind: str, params: dict[str, object]) -> tuple[dict[str, object], str]:
    answer = client.post("/v1/jobs", json={"kind": kind, "params": params})
    assert answer.status_code == 202, answer.text
    job = answer.json()
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    view = wait_for_job(client, job["id"])
    assert view["state"] == "succeeded", view["error"]
    assert view["done"] == view["total"]
    return view, f"/v1/jobs/{job['id']}/result"


def test_a_quality_job_says_what_the_call_says(client: httpx2.Client) -> None:
    body = {**PAIR, "segments": ROWS, "explain": True}
    view, path = run(client, "quality", body)
    direct = client.post("/v1/quality", json=body).json()
    result = client.get(path).json()
    assert [{k: v for k, v in row.items() if k not in ("source", "translation")} for row in result["segments"]] == direct[
        "segments"
    ]
    assert result["document"] == direct["document"]
    assert view["summary"]["document"] == direct["document"]  # type: ignore[index]
    assert [row["source"] for row in result["segments"]] == [row["source"] for row in ROWS]


def test_forms_of_a_result(client: httpx2.Client) -> None:
    odd = [{"source": "tab\there\nline", "translation": "x"}, *ROWS]
    _, path = run(client, "quality", {**PAIR, "segments": odd})
    whole = client.get(path).json()["segments"]
    lines = [json.loads(line) for line in client.get(f"{path}?format=jsonl").text.split("\n") if line]
    assert lines == whole
    header, *rows = [line.split("\t") for line in client.get(f"{path}?format=tsv").text.split("\n") if line]
    assert header[:6] == ["source", "translation", "score", "std", "low", "high"]
    assert [float(row[2]) for row in rows] == [each["score"] for each in whole]
    assert rows[0][0] == "tab here line"
    assert client.get(f"{path}?format=xml").status_code == 422


def test_a_features_job(client: httpx2.Client) -> None:
    _, path = run(client, "features", {**PAIR, "segments": ROWS})
    direct = client.post("/v1/features", json={**PAIR, "segments": ROWS}).json()
    result = client.get(path).json()
    assert [list(row["features"].values()) for row in result["segments"]] == direct["values"]
    assert result["features"] == direct["features"]


def test_a_score_job_in_chunks_is_the_call(client: httpx2.Client) -> None:
    lines = [f"the line {i} of many lines" for i in range(1200)]
    body = {
        "metrics": ["bleu", "chrf++", "ter", "simpbleu:RABC2"], "systems": {"a": lines[1:] + lines[:1], "b": lines},
        "references": {"r": lines, "s": lines[::-1]}, "significance": True, "segments": True,
    }  # fmt: skip
    view, path = run(client, "score", body)
    result = client.get(path).json()
    assert result["metrics"] == client.post("/v1/score", json=body).json()["metrics"]
    # With scores of segments, the texts are part of the result, and not of what lists of jobs show.
    assert len(result["texts"]) == 1200 and "texts" not in view["summary"]  # type: ignore[operator]
    assert result["texts"][1199] == {"systems": {"a": lines[0], "b": lines[1199]}, "references": {"r": lines[1199], "s": lines[0]}}
    assert client.get(f"{path}?format=tsv").text.count("\n") == 9


def test_a_rank_job_is_the_call(client: httpx2.Client) -> None:
    segments = [
        {"source": row["source"], "translations": [{"system": "x", "text": row["translation"]}, {"system": "y", "text": "z z z"}]}
        for row in ROWS
    ]
    view, path = run(client, "rank", {**PAIR, "segments": segments})
    direct = client.post("/v1/rank", json={**PAIR, "segments": segments}).json()
    assert view["summary"]["systems"] == direct["systems"]  # type: ignore[index]
    assert [row["order"] for row in client.get(path).json()["segments"]] == [row["order"] for row in direct["segments"]]
    assert all("warnings" in entry for row in client.get(path).json()["segments"] for entry in row["order"])
    assert "\torder\twarnings\tbetter_probability\t" in client.get(f"{path}?format=tsv").text.split("\n")[0]
    unchecked, path = run(client, "rank", {**PAIR, "segments": segments, "warnings": False})
    assert "warnings" not in unchecked["summary"]["systems"][0]  # type: ignore[index]
    assert (
        client.get(f"{path}?format=tsv").text.split("\n")[0]
        == "source\tbest\tbest_score\torder\tbetter_probability\ttranslation_x\ttranslation_y"
    )


def test_a_trained_model_is_served_and_evaluated(client: httpx2.Client) -> None:
    params = {**PAIR, "label": "hter", "learner": "svr", "segments": LABELLED * 3}
    view, _ = run(client, "train", params)
    model = view["summary"]["model"]  # type: ignore[index]
    assert client.get(f"/v1/models/{model}").json()["training_data"]["segments"] == 144
    answer = client.post("/v1/quality", json={**PAIR, "model": model, "segments": ROWS[:2]}).json()
    assert answer["model"] == model
    view, path = run(client, "evaluate", {**PAIR, "model": model, "segments": LABELLED})
    assert view["summary"]["accuracy"]["segments"] == 60  # type: ignore[index]
    assert client.get(path).json()["segments"][3]["label"] == 0.3


def test_documents_are_means_of_their_segments(client: httpx2.Client) -> None:
    rows = [
        {**row, "document": f"d{k % 7}", "translation": " ".join([row["translation"]] * (1 + k % 3))}
        for k, row in enumerate(LABELLED)
    ]
    for model in ({"model": "ro-en-hter-gp-17"}, {"models": ["ro-en-hter-gp-17"]}):
        view, path = run(client, "evaluate", {**PAIR, **model, "segments": rows})
        summary = view["summary"]["models"][0] if "models" in model else view["summary"]  # type: ignore[index]
        result = client.get(path).json()["segments"]
        scores = [row["score"] if "score" in row else row["scores"]["ro-en-hter-gp-17"] for row in result]
        lengths = [len(row["translation"].replace(".", " .").split()) for row in rows]
        for name, weights in (("accuracy", [1] * 60), ("weighted_accuracy", lengths)):
            means = [
                [np.average(values[k::7], weights=weights[k::7]) for k in range(7)]
                for values in ([row["label"] for row in rows], scores)
            ]
            found = summary["documents"][name]
            assert found["segments"] == 7 and found["pearson"] == pytest.approx(np.corrcoef(*means)[0, 1], abs=1e-5)
            assert found["mae"] == pytest.approx(np.mean(np.abs(np.subtract(*means))), abs=1e-5)


def test_word_taggers_are_measured_by_tags_and_spans(client: httpx2.Client) -> None:
    texts = [("Casa numărul 4 este foarte mare .", "House qq number ww is big ."), ("Bună ziua .", "Good xx zz day .")] * 10
    rng = np.random.default_rng(3)
    rows = []
    for source, text in texts:
        words, source_words = text.split(), source.split()
        tags = [("OK", "BAD")[value] for value in rng.integers(2, size=2 * len(words) + 1)]
        rows.append({
            "source": source, "translation": text, "tags": " ".join(tags), "spans": [{"start": 0, "end": 7, "severity": "minor"}],
            "source_tags": " ".join(("OK", "BAD")[value] for value in rng.integers(2, size=len(source_words))),
        })  # fmt: skip
    view, path = run(client, "evaluate", {**PAIR, "segments": rows})
    (found,) = view["summary"]["words"]  # type: ignore[index]
    by_name = {(row["part"], row["tagging"]): row for row in found["tags"]}
    # Their words are the tagger's tokens, so answers of the call can be compared with the gold tags one by one.
    body = {**PAIR, "level": "word", "segments": [{"source": source, "translation": text} for source, text in texts]}
    answers = client.post("/v1/quality", json=body).json()["segments"]
    gold = {
        "words": [tag for row in rows for tag in row["tags"].split()[1::2]],
        "gaps": [tag for row in rows for tag in row["tags"].split()[::2]],
        "source_tags": [tag for row in rows for tag in row["source_tags"].split()],
    }
    # Source words have tags where a cross-encoder is loaded.
    assert ("source" in {part for part, _ in by_name}) == ("source_tags" in answers[0])
    for part, expected in gold.items():
        if part not in answers[0]:
            continue
        predicted = [tag["tag"] for answer in answers for tag in answer[part]]
        measures = by_name[part.removesuffix("_tags"), "marks"]
        assert measures["mcc"] == pytest.approx(matthews_corrcoef(expected, predicted)), part
        ok, bad = f1_score(expected, predicted, labels=["OK", "BAD"], average=None, zero_division=0)
        assert (measures["f1_ok"], measures["f1_bad"], measures["f1_multi"]) == pytest.approx((ok, bad, ok * bad))
    result = client.get(path).json()["segments"]
    predicted = [tag for row in result for tag in row["tags"]["ro-en-words"].split()[1::2]]
    assert by_name["words", "threshold"]["mcc"] == pytest.approx(matthews_corrcoef(gold["words"], predicted))
    assert by_name["words", "threshold"]["predicted_bad"] == predicted.count("BAD") / len(predicted)
    assert {row["tagging"] for row in found["spans"]} == {"threshold", "marks"} and found["spans"][0]["spans"] == 20


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"tags": "OK OK"}, "segments.1.tags"),
        ({"tags": "OK ok OK OK"}, "segments.1.tags"),
        ({"tags": None}, "segments.1.tags"),
        ({"source_tags": "OK"}, "segments.1.source_tags"),
        ({"spans": [{"start": 4, "end": 4}]}, "segments.1.spans.0"),
        ({"spans": [{"start": 4, "end": 99999}]}, "segments.1.spans"),
        ({"spans": [{"start": 0, "end": 4, "severity": "awful"}]}, "segments.1.spans.0.severity"),
    ],
)
def test_tags_and_spans_that_fit_no_words_are_refused(client: httpx2.Client, change: dict[str, object], where: str) -> None:
    row = {
        "source": "Casa e mare.",
        "translation": "Big house it is.",
        "tags": "OK OK OK BAD",
        "source_tags": "OK OK OK",
        "spans": [],
    }
    answer = client.post("/v1/jobs", json={"kind": "evaluate", "params": {**PAIR, "segments": [row, {**row, **change}]}})
    problem = answer.json()
    assert answer.status_code == 422, problem
    assert (problem.get("where") or problem["errors"][0]["where"]).endswith(where), problem


def test_a_job_that_cannot_be_done_fails_with_a_problem_and_keeps_its_parameters(client: httpx2.Client) -> None:
    job = client.post("/v1/jobs", json={"kind": "train", "params": {**PAIR, "label": "da", "segments": LABELLED[:5]}}).json()
    view = wait_for_job(client, job["id"])
    assert view["state"] == "failed"
    assert view["error"]["type"] == "/problems/invalid-training-data"  # type: ignore[index]
    assert client.get(f"/v1/jobs/{job['id']}/result").status_code == 409


def test_files_and_their_events(client: httpx2.Client) -> None:
    rows = "".join(f"{row['translation']}\t{row['source']}\n" for row in ROWS * 30)
    files = {"file": ("f.tsv", ("translation\tsource\n" + rows).encode())}
    job = client.post("/v1/jobs", data={"kind": "quality", "params": json.dumps(PAIR)}, files=files).json()
    seen: list[tuple[str, dict[str, object]]] = []
    with client.stream("GET", f"/v1/jobs/{job['id']}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        event = ""
        for line in stream.iter_lines():
            if line.startswith("event:"):
                event = line.removeprefix("event:").strip()
            elif line.startswith("data:"):
                seen.append((event, json.loads(line.removeprefix("data:"))))
    assert seen[-1][0] == "end"
    assert seen[-1][1]["state"] == "succeeded"
    done = [each["done"] for _, each in seen]
    assert done == sorted(done)  # type: ignore[type-var]
    assert done[-1] == 1800


def test_score_and_rank_files(client: httpx2.Client) -> None:
    files = {"system:a": ("a", b"x y\nz\n"), "reference:r": ("r", b"x y\nz\n")}
    job = client.post("/v1/jobs", data={"kind": "score", "params": '{"metrics": ["chrf"]}'}, files=files).json()
    view = wait_for_job(client, job["id"])
    assert view["summary"]["metrics"][0]["score"] == pytest.approx(100)  # type: ignore[index]
    files = {"source": ("s", b"casa\n"), "system:a": ("a", b"house\n"), "system:b": ("b", b"the\n")}
    job = client.post("/v1/jobs", data={"kind": "rank", "params": json.dumps(PAIR)}, files=files).json()
    assert wait_for_job(client, job["id"])["state"] == "succeeded"


def test_cancel_and_remove(client: httpx2.Client) -> None:
    big = {**PAIR, "segments": ROWS * 400}
    first = client.post("/v1/jobs", json={"kind": "quality", "params": big}).json()["id"]
    waiting = client.post("/v1/jobs", json={"kind": "quality", "params": big}).json()["id"]
    assert client.delete(f"/v1/jobs/{waiting}").json()["state"] == "cancelled"
    while client.get(f"/v1/jobs/{first}").json()["state"] == "queued":
        time.sleep(0.05)
    client.delete(f"/v1/jobs/{first}")
    view = wait_for_job(client, first)
    assert view["state"] == "cancelled"
    assert view["done"] < view["total"]  # type: ignore[operator]
    assert client.get(f"/v1/jobs/{first}/result").status_code == 409
    assert client.delete(f"/v1/jobs/{first}").json()["state"] == "cancelled"
    assert client.delete(f"/v1/jobs/{first}?remove=true").status_code == 200
    assert client.get(f"/v1/jobs/{first}").status_code == 404
    assert waiting in [job["id"] for job in client.get("/v1/jobs").json()["jobs"]]
