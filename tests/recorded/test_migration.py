"""A data folder that version 0.1 left behind: everything in it is there, and what was not done is done.

`tests/server/store/test_migrations.py` migrates rows of version 0.1 on PostgreSQL too.
"""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.servers import Server, wait_for_job

HERE = Path(__file__).parent
ABOUT: dict[str, Any] = json.loads((HERE / "data-0.1.json").read_text("utf-8"))
JOBS: dict[str, dict[str, Any]] = ABOUT["jobs"]
ENDED = [name for name, job in JOBS.items() if job["state"] in ("succeeded", "failed", "cancelled")]
LEFT = [name for name, job in JOBS.items() if job["state"] in ("queued", "running")]
RO_EN = {"source_language": "ro", "target_language": "en"}


def unpack(folder: Path) -> None:
    raw = gzip.decompress((HERE / "data-0.1.tar.gz").read_bytes())
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        # Python before 3.11.4 has no filters.
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[httpx2.Client]:
    """A server that has taken the folder over; what it had to do is done."""
    running = Server(tmp_path_factory.mktemp("data"), ro_en)
    unpack(running.data)
    running.start()
    with running.client() as client:
        for name in LEFT:
            wait_for_job(client, JOBS[name]["id"])
        yield client
    running.stop()


def address(name: str, rest: str = "") -> str:
    return f"/v1/jobs/{JOBS[name]['id']}{rest}"


@pytest.mark.parametrize("name", ENDED)
def test_a_job_that_has_ended_is_as_it_was(migrated: httpx2.Client, name: str) -> None:
    view = migrated.get(address(name)).json()
    assert {key: view[key] for key in ("id", "kind", "state", "owner", "done", "total")} == {key: JOBS[name][key] for key in ("id", "kind", "state", "owner", "done", "total")}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in ENDED if "results" in JOBS[name]])
def test_results_are_the_same_bytes(migrated: httpx2.Client, name: str) -> None:
    for form, expected in JOBS[name]["results"].items():
        result = migrated.get(address(name, "/result"), params={"format": form})
        assert result.status_code == 200
        tables = cuts(result.content) if (name, form) == ("scores", "tsv") else [result.content]
        assert expected in {hashlib.sha256(table).hexdigest() for table in tables}, form


def cuts(table: bytes) -> list[bytes]:
    """The first columns of a table: those of its first row alone were there once, and others have come behind them."""
    rows = [line.split(b"\t") for line in table.split(b"\n")]
    return [b"\n".join(b"\t".join(row[:count]) for row in rows) for count in range(1, len(rows[0]) + 1)]


def check_finished(client: httpx2.Client, job: str, name: str) -> None:
    view = wait_for_job(client, job)
    assert (view["state"], view["done"]) == ("succeeded", JOBS[name]["total"])
    rows = client.get(f"/v1/jobs/{job}/result").json()["segments"]
    assert [row["score"] for row in rows] == pytest.approx(JOBS[name]["finished"]["scores"], abs=1e-5)


@pytest.mark.parametrize("name", LEFT)
def test_what_was_left_is_done(migrated: httpx2.Client, name: str) -> None:
    check_finished(migrated, JOBS[name]["id"], name)


def test_a_cancelled_job_goes_on_where_it_was(migrated: httpx2.Client) -> None:
    again = migrated.post(address("cancelled", "/retry")).json()
    assert again["id"] != JOBS["cancelled"]["id"]
    assert (again["owner"], again["done"]) == (JOBS["cancelled"]["owner"], JOBS["cancelled"]["done"])
    check_finished(migrated, again["id"], "cancelled")


def test_a_failed_job_is_tried_again_and_fails_for_the_same_reason(migrated: httpx2.Client) -> None:
    before = migrated.get(address("failed")).json()["error"]
    again = migrated.post(address("failed", "/retry"))
    assert again.status_code == 202
    view = wait_for_job(migrated, again.json()["id"])
    error: dict[str, str] = view["error"]  # type: ignore[assignment]
    assert (view["state"], error["type"]) == ("failed", before["type"])


@pytest.mark.parametrize("used", ABOUT["keys"], ids=[each["key"] for each in ABOUT["keys"]])
def test_a_key_still_stands_for_its_job(migrated: httpx2.Client, used: dict[str, Any]) -> None:
    key = {"Idempotency-Key": used["key"]}
    if "body" in used:
        answer = migrated.post("/v1/jobs", content=used["body"].encode(), headers={**key, "Content-Type": "application/json"})
    else:
        file = (used["file"]["name"], used["file"]["text"].encode())
        answer = migrated.post("/v1/jobs", data=used["form"], files={"file": file}, headers=key)
    assert (answer.status_code, answer.json()["id"]) == (202, JOBS[used["job"]]["id"])
    owner = json.loads(used["body"]).get("owner") if "body" in used else used["form"].get("owner")
    body = {"kind": "quality", "owner": owner, "params": {**RO_EN, "segments": []}}
    assert migrated.post("/v1/jobs", json=body, headers=key).status_code == 409
    # Another owner's key is another key: this request is looked at, and refused for what it holds.
    assert migrated.post("/v1/jobs", json={**body, "owner": "somebody else"}, headers=key).status_code == 422


def test_feedback_is_counted(migrated: httpx2.Client) -> None:
    assert migrated.get("/v1/feedback").json()["feedback"] == ABOUT["feedback"]


@pytest.mark.parametrize("model", ABOUT["models"], ids=["trained", "version"])
def test_models_are_there_and_answer(migrated: httpx2.Client, model: str) -> None:
    expected = ABOUT["models"][model]
    card = migrated.get(f"/v1/models/{model}").json()
    assert {key: card[key] for key in expected} == expected
    answer = migrated.post("/v1/quality", json={**RO_EN, "model": model, "segments": ABOUT["asked"]}).json()
    assert [row["score"] for row in answer["segments"]] == pytest.approx(ABOUT["quality"][model], abs=1e-5)


def test_promotions_are_in_force(migrated: httpx2.Client) -> None:
    for label, promoted in ABOUT["answers"].items():
        answer = migrated.post("/v1/quality", json={**RO_EN, "label": label, "segments": ABOUT["asked"]}).json()
        if promoted is not None:
            assert answer["model"] == promoted
            assert migrated.get(f"/v1/models/{promoted}").json()["answers"]
        said = migrated.get(f"/v1/models/ro-en-{label}-svr-17").json()
        assert [{key: each[key] for key in ("model", "reason")} for each in said["promotions"]] == ABOUT["promotions"][label]
        assert not said["answers"]


def test_the_next_version_learns_from_rows_and_feedback_that_were_kept(migrated: httpx2.Client) -> None:
    """From the trained model's own rows, which lie beside it, and from judgements of the old server."""
    params = {
        **RO_EN,
        "label": "hter",
        "base": JOBS["training"]["model"],
        "method": "retrain",
        "feedback": True,
        "held_out_share": 0.4,
    }
    job = migrated.post("/v1/jobs", json={"kind": "train", "params": params})
    assert job.status_code == 202, job.text
    view = wait_for_job(migrated, job.json()["id"])
    assert view["state"] == "succeeded", view["error"]
    summary: dict[str, Any] = view["summary"]  # type: ignore[assignment]
    assert (summary["base"], summary["version"]) == (JOBS["training"]["model"], 2)
