"""Files with several translations and places of features: the same by call, by job and in the shell."""

import json
import math
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.commands import assay
from tests.servers import Server, wait_for_job

PAIR = {"source_language": "ro", "target_language": "en"}
TABLE = (
    "source\tone\ttwo\tscore\nCasa este mare.\tThe house is big.\tThe the of.\t1\n"
    "Guvernul numește un prefect în fiecare județ.\tThe Government appoints a prefect in each county.\t\t2\nUnu.\t\t\t3\n"
)
SEGMENTS = [
    {
        "source": "Casa este mare.",
        "translations": [{"system": "one", "text": "The house is big."}, {"system": "two", "text": "The the of."}],
    },
    {
        "source": "Guvernul numește un prefect în fiecare județ.",
        "translations": [{"system": "one", "text": "The Government appoints a prefect in each county."}],
    },
]


def run(client: httpx2.Client, kind: str, params: dict[str, Any], **files: bytes) -> tuple[Any, Any]:
    sent = {role: (f"{role}.tsv", raw) for role, raw in files.items()}
    job = client.post("/v1/jobs", data={"kind": kind, "params": json.dumps(params)}, files=sent)
    assert job.status_code == 202, job.text
    view = wait_for_job(client, job.json()["id"])
    assert view["state"] == "succeeded", view
    return view, client.get(f"/v1/jobs/{view['id']}/result").json()


def test_a_file_is_the_call(client: httpx2.Client, server: Server, tmp_path: Path) -> None:
    direct = client.post("/v1/rank", json={**PAIR, "segments": SEGMENTS}).json()
    view, result = run(client, "rank", {}, file=TABLE.encode())
    assert view["summary"]["systems"] == direct["systems"] and result["languages"] == "guessed"
    assert [row["order"] for row in result["segments"]] == [row["order"] for row in direct["segments"]]
    candidates = result["file"]["candidates"]
    assert candidates == view["params"]["file"]["candidates"]
    assert (candidates["skipped_lines"], candidates["single"]) == ([4], 1)
    described = client.post("/v1/files", data={"kind": "rank"}, files={"file": ("a.tsv", TABLE.encode())}).json()
    assert described["candidates"] == candidates and described["pair"] == "ro-en"
    assert (described["format"], described["segments"], described["skipped"]) == ("tsv", 2, 1)
    (tmp_path / "systems.tsv").write_text(TABLE, "utf-8")
    for address in ([], ["--server", server.address]):
        done = assay("rank", str(tmp_path / "systems.tsv"), "--pair", "ro-en", "--profile", "fast", "--format", "json", *address)
        assert (
            "column 4 (score) is left out, by its name" in done.stderr
            and "left out without any translation: 1 (line 4)" in done.stderr
        )
        here = json.loads(done.stdout)
        assert [[each["system"] for each in row["order"]] for row in here["segments"]] == [["one", "two"], ["one"]]
    low, high = direct["segments"][0]["order"][0]["interval"]
    answer = client.post(
        "/v1/quality", json={**PAIR, "segments": [{"source": "Casa este mare.", "translation": "The house is big."}]}
    )
    assert [low, high] == answer.json()["segments"][0]["interval"]


def test_files_that_are_no_ranking_are_refused(client: httpx2.Client) -> None:
    def ask(path: str, data: dict[str, str], **files: bytes) -> Any:
        return client.post(path, data=data, files={role: (role, raw) for role, raw in files.items()}).json()

    one = b"source\tmt\tscore\na b c.\td e f.\t1\n"
    assert "a ranking needs two" in ask("/v1/jobs", {"kind": "rank", "params": "{}"}, file=one)["detail"]
    assert "a ranking needs two" in ask("/v1/files", {"kind": "rank"}, file=one)["detail"]
    assert "one file with several" in ask("/v1/jobs", {"kind": "rank", "params": "{}"}, file=one, source=one)["detail"]
    assert "one file with several" in ask("/v1/files", {"kind": "rank"}, source=one, translation=one)["detail"]
    assert "quality or rank" in ask("/v1/files", {"kind": "score"}, file=one)["detail"]
    wide = "source\t" + "\t".join(f"s{k}" for k in range(70)) + "\n" + "\t".join(["Casa este foarte mare."] * 71) + "\n"
    told = ask("/v1/jobs", {"kind": "rank", "params": json.dumps(PAIR)}, file=wide.encode())
    assert told["detail"] == "the segments name 70 systems; at most 64 are compared"


@pytest.mark.parametrize("choice", [{}, {"feature_set": "blackbox-79"}, {"model": "ro-en-hter-gp-17"}])
def test_places_are_alike_by_call_and_job(client: httpx2.Client, choice: dict[str, str]) -> None:
    segments = [
        {"source": "Casa este mare.", "translation": "The house is big."},
        {"source": "Unu doi.", "translation": "One two three"},
    ]
    body = {**PAIR, **choice, "distribution": True, "segments": segments}
    direct = client.post("/v1/features", json=body).json()
    lines = {side: "".join(f"{row[side]}\n" for row in segments).encode() for side in ("source", "translation")}
    view, result = run(client, "features", {**PAIR, **choice, "distribution": True}, **lines)
    names = [feature["id"] for feature in direct["features"]]
    assert (result["model"], result["distribution"]) == (direct["model"], direct["distribution"])
    for number, row in enumerate(result["segments"]):
        assert [row["features"][name] for name in names] == direct["values"][number]
        assert [row["percentiles"][name] for name in names] == direct["percentiles"][number]
        assert [row["deviations"][name] for name in names] == direct["deviations"][number]
    card = client.get(f"/v1/models/{direct['model']}").json()
    for place, shape in enumerate(direct["distribution"]):
        assert (shape is None) == (names[place] not in card["features"]) == (direct["percentiles"][0][place] is None)
        if shape is not None:
            assert len(shape["shares"]) == len(shape["edges"]) + 1 and math.isclose(sum(shape["shares"]), 1, abs_tol=1e-4)
            expected = (direct["values"][0][place] - shape["mean"]) / shape["deviation"]
            assert direct["deviations"][0][place] == pytest.approx(expected, rel=1e-3, abs=1e-3)
    table = client.get(f"/v1/jobs/{view['id']}/result?format=tsv").text.split("\n")[0].split("\t")
    assert {f"percentile_{names[0]}", f"deviation_{names[0]}", names[0]} <= set(table)
    plain = client.post("/v1/features", json={**PAIR, **choice, "segments": segments}).json()
    assert plain == {name: direct[name] for name in ("pair", "features", "left_out", "values")}


def test_choices_of_features_that_cannot_be(client: httpx2.Client) -> None:
    segments = [{"source": "Casa.", "translation": "House."}]
    for choice, code in (
        ({"model": "ro-en-hter-gp-17", "feature_set": "quest-baseline-17"}, "invalid-request"),
        ({"model": "no-such"}, "unknown-model"),
        ({"model": "en-de-hter-gp-17"}, "model-for-another-pair"),
    ):
        told = client.post("/v1/features", json={**PAIR, **choice, "distribution": True, "segments": segments})
        assert told.status_code in (400, 404, 422) and told.json()["type"] == f"/problems/{code}", told.text


def test_a_plot_of_a_feature_is_drawn(client: httpx2.Client) -> None:
    body = {"title": "source_tokens", "edges": [1.0, 2.0, 2.0, 4.0], "shares": [0.1, 0.3, 0.0, 0.5, 0.1], "value": 3.0}
    drawn = client.post("/plots/feature.svg", json=body)
    assert drawn.status_code == 200 and drawn.text.count("<svg") == 1 and "source_tokens" in drawn.text
    for harm in ({"edges": []}, {"value": 1e300}, {"shares": [2.0, 1.0]}, {"edges": [0.0] * 101}):
        assert client.post("/plots/feature.svg", json={**body, **harm}).status_code == 422
