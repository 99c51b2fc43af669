"""Jobs of tuning over HTTP: from JSON and from files, watched while they run, cancelled, and fetched in every form."""

import gzip
import json
import time

import httpx2
import numpy as np

from tests.servers import wait_for_job

RNG = np.random.default_rng(1)
REFERENCES = [" ".join(RNG.choice(list("abcdefgh"), 8)) for _ in range(40)]


def lists(hypotheses: int) -> list[list[dict[str, object]]]:
    rng = np.random.default_rng(2)
    rows = []
    for reference in REFERENCES:
        words = np.array(reference.split())
        row = []
        for number in range(hypotheses):
            text = np.where(rng.random(8) < rng.random(), rng.choice(list("abcdefgh"), 8), words)
            good = float((text == words).sum() + rng.normal())
            row.append({"text": " ".join(text), "score": -1.0 * number, "features": {"good": [good], "bad": [float(rng.normal())]}})
        rows.append(row)
    return rows


def moses(rows: list[list[dict[str, object]]]) -> bytes:
    lines = []
    for segment, row in enumerate(rows):
        for entry in row:
            features = " ".join(f"{name}= {values[0]!r}" for name, values in entry["features"].items())  # type: ignore[attr-defined]
            lines.append(f"{segment} ||| {entry['text']} ||| {features} ||| {entry['score']}\n")
    return "".join(lines).encode()


PARAMS = {"method": "mert|restarts:2", "metric": "bleu", "seed": 3, "runs": 2}


def test_json_and_files_give_the_same_weights(client: httpx2.Client) -> None:
    rows = lists(10)
    body = {"kind": "tune", "params": {**PARAMS, "n_best": rows, "references": {"A": REFERENCES}}}
    first = client.post("/v1/jobs", json=body)
    assert first.status_code == 202, first.text
    half = {
        "n_best:1": gzip.compress(moses([row[:6] for row in rows])),
        "n_best:2": moses([row[4:] for row in rows]),
        "reference:A": "\n".join(REFERENCES).encode(),
    }
    form = {"kind": "tune", "params": json.dumps(PARAMS)}
    second = client.post("/v1/jobs", data=form, files={role: (role, raw) for role, raw in half.items()})
    assert second.status_code == 202, second.text
    views = [wait_for_job(client, answer.json()["id"]) for answer in (first, second)]
    assert [view["state"] for view in views] == ["succeeded"] * 2
    one, other = (view["summary"] for view in views)
    assert one == other and one["dev_score"] > one["first_score"]
    path = f"/v1/jobs/{first.json()['id']}/result"
    whole = client.get(path).json()
    assert whole["weights"]["card"]["dev_score"] == whole["dev_score"] and len(whole["segments"]) == 40
    told = [json.loads(line) for line in client.get(f"{path}?format=jsonl").text.splitlines()]
    assert told == whole["segments"]
    header, *cells = client.get(f"{path}?format=tsv").text.splitlines()
    assert header.split("\t")[:3] == ["segment", "references", "first"] and len(cells) == 40
    listed = next(job for job in client.get("/v1/jobs?kind=tune").json()["jobs"] if job["id"] == first.json()["id"])
    assert listed["state"] == "succeeded"


def test_a_tuning_is_watched_and_cancelled(client: httpx2.Client) -> None:
    params = {"method": "mert|restarts:1000", "runs": 100, "n_best": lists(40), "references": {"A": REFERENCES}}
    job = client.post("/v1/jobs", json={"kind": "tune", "params": params}).json()["id"]
    deadline = time.monotonic() + 60
    points: list[object] = []
    while time.monotonic() < deadline and len(points) < 2:
        curves = client.get(f"/tune/jobs/{job}/curves.json").json()["runs"]
        points = curves[0]["curve"] if curves else []
        time.sleep(0.1)
    assert len(points) >= 2
    view = client.get(f"/v1/jobs/{job}").json()
    assert view["state"] == "running" and 0 < view["progress"]["share"] < 1
    client.delete(f"/v1/jobs/{job}")
    assert wait_for_job(client, job)["state"] == "cancelled"


def test_what_cannot_be_is_a_problem_at_once(client: httpx2.Client) -> None:
    def refused(params: dict[str, object]) -> tuple[int, str]:
        answer = client.post(
            "/v1/jobs", json={"kind": "tune", "params": {"n_best": lists(2), "references": {"A": REFERENCES}, **params}}
        )
        return answer.status_code, answer.json()["type"].rpartition("/")[2]

    assert refused({"method": "guess"}) == (422, "invalid-tuning")
    assert refused({"metric": "guess"}) == (422, "unknown-metric")
    assert refused({"references": {"A": ["a"]}}) == (422, "unequal-lengths")
    assert refused({"n_best": [[{"text": "a", "features": {"x": ["1"]}}]]}) == (422, "invalid-request")
    files = {"n_best": ("n", b"0 ||| a ||| x= 1 ||| 1\n"), "reference": ("r", b"a\n"), "extra": ("e", b"1\n")}
    answer = client.post("/v1/jobs", data={"kind": "tune", "params": "{}"}, files=files)
    assert (answer.status_code, answer.json()["where"]) == (422, "extra"), answer.text
