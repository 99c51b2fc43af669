"""Reranking over HTTP: lists, weights and references as files of a job, measured as sacreBLEU measures."""

import gzip
import json

import httpx2
import pytest
import sacrebleu

from tests.servers import wait_for_job
from tests.smt.api.test_tuning import REFERENCES, lists, moses


def test_files_of_a_job_are_measured(client: httpx2.Client) -> None:
    rows = lists(5)
    files = {
        "n_best": gzip.compress(moses(rows)),
        "weights": b"# as Moses writes them\ngood= 1\nbad= 0\n",
        "reference:A": "\n".join(REFERENCES).encode(),
    }
    params = {"changes": True, "metric": "chrf"}
    form = {"kind": "rerank", "params": json.dumps(params)}
    posted = client.post("/v1/jobs", data=form, files={role: (role, raw) for role, raw in files.items()})
    assert posted.status_code == 202, posted.text
    view = wait_for_job(client, posted.json()["id"])
    assert view["state"] == "succeeded"
    path = f"/v1/jobs/{posted.json()['id']}/result"
    result = client.get(path).json()
    body = {"n_best": rows, "weights": {"good": [1.0], "bad": [0.0]}, "references": {"A": REFERENCES}, **params}
    answer = client.post("/v1/rerank", json=body)
    assert answer.status_code == 200, answer.text
    assert result == {"kind": "rerank", **answer.json()}
    measured = result["measured"]
    for side in ("first", "chosen"):
        outputs = [row[side] for row in result["segments"]]
        assert measured[f"{side}_score"] == pytest.approx(sacrebleu.corpus_chrf(outputs, [REFERENCES]).score)
        alone = [sacrebleu.sentence_chrf(text, [reference]).score for text, reference in zip(outputs, REFERENCES, strict=True)]
        assert [row[f"{side}_score"] for row in result["segments"]] == pytest.approx(alone)
    header, *cells = client.get(f"{path}?format=tsv").text.splitlines()
    assert header.split("\t")[:7] == ["references", "first", "chosen", "place", "moved", "first_score", "chosen_score"]
    assert len(cells) == 40


def test_what_does_not_belong_is_told(client: httpx2.Client) -> None:
    files = {"n_best": ("n", b"0 ||| a ||| x= 1 ||| 1\n"), "weights": ("w", b"y= 1\n")}
    refused = client.post("/v1/jobs", data={"kind": "rerank", "params": "{}"}, files={**files, "weights": ("w", b"0.1 0.2\n")})
    assert (refused.status_code, refused.json()["where"]) == (422, "weights.1"), refused.text
    refused = client.post("/v1/jobs", data={"kind": "rerank", "params": '{"weights": {"x": [1]}}'}, files=files)
    assert (refused.status_code, refused.json()["where"]) == (422, "params.weights"), refused.text
    job = client.post("/v1/jobs", data={"kind": "rerank", "params": "{}"}, files=files).json()["id"]
    failed = wait_for_job(client, job)
    assert failed["state"] == "failed" and "feature x has no weight" in failed["error"]["detail"]
