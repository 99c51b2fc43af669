"""A decoder's files over HTTP: as texts of a request, and as files of a job."""

import gzip
import json
from collections.abc import Iterable
from typing import Any

import httpx2
import pytest

from tests.servers import wait_for_job

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENTS = [{"source": "Casa este mare.", "translation": "The house is big."}, {"source": "Da.", "translation": "Yes."}]
LOG = """\
Line 0: Search took 0.000 seconds
total hypotheses considered = 400
     number discarded early = 11
           number discarded = 100
          number recombined = 40
              number pruned = 20
BEST TRANSLATION: the house este|UNK|UNK|UNK big . [1111]  [total=-103.127] core=(-100.000)
Line 0: Decision rule took 0.000 seconds total
Line 1: Search took 0.000 seconds
total hypotheses considered = 10
           number discarded = 0
          number recombined = 0
              number pruned = 0
BEST TRANSLATION: yes . [11]  [total=-1.5] core=(0.000)
Line 1: Decision rule took 0.000 seconds total
"""
GRAPH = """\
0 hyp=0 stack=0
0 hyp=1 stack=2 back=0 score=-1 transition=-1 forward=2 fscore=-2 covered=0-1 out=the house
0 hyp=2 stack=4 back=1 score=-3 transition=-2 forward=-1 fscore=0 covered=2-3 out=is big .
1 hyp=0 stack=0
1 hyp=1 stack=2 back=0 score=-1 transition=-1 forward=-1 fscore=0 covered=0-1 out=yes .
"""
LISTS = "0 ||| the house is big . ||| d= 0 -1 ||| -3\n0 ||| big house . ||| d= 0 -2 ||| -4\n1 ||| yes . ||| d= 0 0 ||| -1\n"
# By hand: 4 source tokens and 5 of the translation in the first segment (with full stops), 2 and 2 in the second.
VALUES = {
    "2055": [400, 10],
    "2056": [100, 0],
    "2057": [0.25, 0],
    "2058": [20, 0],
    "2059": [0.05, 0],
    "2060": [40, 0],
    "2061": [0.1, 0],
    "2043": [1 / 4, 0],
    "2041": [5 / 2, 2],
    "2042": [3, 2],
    "search.pruned": [20 / 3, 0],
}
OF_LOG = {"2043", "2055", "2056", "2057", "2058", "2059", "2060", "2061"}


def values_of(answer: Any) -> dict[str, list[float]]:
    return {feature["id"]: [row[k] for row in answer["values"]] for k, feature in enumerate(answer["features"])}


def ask(client: httpx2.Client, ids: Iterable[str], segments: Any = SEGMENTS, **decoder: str) -> Any:
    return client.post("/v1/features", json={**PAIR, "features": list(ids), "segments": segments, "decoder": decoder}).json()


def test_texts_of_a_request_become_features(client: httpx2.Client) -> None:
    values = values_of(ask(client, VALUES, moses_log=LOG, search_graph=GRAPH))
    assert values.keys() == VALUES.keys()
    for name, expected in VALUES.items():
        assert values[name] == pytest.approx(expected), name


def test_what_files_do_not_tell_is_left_out(client: httpx2.Client) -> None:
    answer = client.post(
        "/v1/features", json={**PAIR, "feature_set": "glassbox-search", "segments": SEGMENTS, "decoder": {"moses_log": LOG}}
    ).json()
    assert values_of(answer).keys() == OF_LOG
    reasons = {row["id"]: row["reason"] for row in answer["left_out"]}
    assert reasons["2042"] == "the count longest_phrase of the search not sent"
    assert reasons["search.pruned"].startswith("the count nodes")
    of_lists = values_of(ask(client, ["2001", "2003", "2015"], n_best=LISTS))
    assert of_lists == {"2001": [-3, -1], "2003": [2, 1], "2015": [-1, 0]}


def test_quality_takes_them_too(client: httpx2.Client) -> None:
    body = {**PAIR, "segments": SEGMENTS}
    with_files = client.post("/v1/quality", json={**body, "decoder": {"moses_log": LOG, "n_best": LISTS}})
    assert with_files.status_code == 200
    assert with_files.json()["segments"] == client.post("/v1/quality", json=body).json()["segments"]


@pytest.mark.parametrize(
    ("decoder", "segments", "code", "detail"),
    [
        (
            {"moses_log": LOG + "Line 2: Search took 0 seconds\n"},
            SEGMENTS,
            "unequal-lengths",
            "of 3 segments, but the request has 2",
        ),
        ({"moses_log": LOG.replace("= 400", "= x")}, SEGMENTS, "invalid-table", "line 2 of moses_log"),
        ({"search_graph": "x\ud800"}, SEGMENTS, "invalid-encoding", "search_graph"),
        ({"moses_log": LOG}, [{**segment, "search": {}} for segment in SEGMENTS], "invalid-request", "send it once"),
        ({"n_best": "<!DOCTYPE a><a/>"}, SEGMENTS, "unsafe-document", "document type"),
        ({"log": LOG}, SEGMENTS, "invalid-request", "no such field"),
    ],
)
def test_bad_texts_are_named(client: httpx2.Client, decoder: Any, segments: Any, code: str, detail: str) -> None:
    raw = json.dumps({**PAIR, "features": ["2055"], "segments": segments, "decoder": decoder}).encode()
    answer = client.post("/v1/features", content=raw, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 413, 415, 422), answer.text
    assert detail in answer.text and code in answer.text


def submit(client: httpx2.Client, files: dict[str, bytes], **params: Any) -> httpx2.Response:
    texts = {field: "".join(f"{segment[field]}\n" for segment in SEGMENTS).encode() for field in ("source", "translation")}
    form = {"kind": "features", "params": json.dumps({**PAIR, **params})}
    return client.post("/v1/jobs", data=form, files={name: (name, raw) for name, raw in {**texts, **files}.items()})


def test_files_of_a_job_become_features(client: httpx2.Client) -> None:
    files = {"moses_log": gzip.compress(LOG.encode()), "search_graph": GRAPH.encode(), "n_best": LISTS.encode()}
    job = wait_for_job(client, submit(client, files, features=[*VALUES, "2001"]).json()["id"])
    rows = [row["features"] for row in client.get(f"/v1/jobs/{job['id']}/result").json()["segments"]]
    for name, expected in {**VALUES, "2001": [-3, -1]}.items():
        assert [row[name] for row in rows] == pytest.approx(expected), name


def test_files_of_a_job_are_refused_by_name(client: httpx2.Client) -> None:
    answer = submit(client, {"moses_log": b"x\n"}, features=["2055"])
    assert answer.status_code == 422 and "empty-input" in answer.text
    answer = submit(
        client,
        {
            "moses_log": (
                LOG + LOG.replace("Line 1", "Line 2").partition("Line 0: Decision rule took 0.000 seconds total\n")[2]
            ).encode()
        },
        features=["2043"],
    )
    assert answer.status_code == 422 and "of 3 segments, but the texts of 2" in answer.text
    answer = submit(client, {"n_best": LISTS.rpartition("1 |||")[0].encode()}, features=["2001"])
    assert answer.status_code == 422 and "of 1 segments, but the texts of at least 2" in answer.text
