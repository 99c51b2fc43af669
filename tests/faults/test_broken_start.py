"""A server whose folders hold everything that can be wrong with a model, a metric, a record and a resource: it starts, and says so."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from safetensors.numpy import load, save

from app.settings import ROOT
from tests.servers import Server, small_house, wait_for_job

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENTS = [{"source": "Casa este mare.", "translation": "The house is big."}]
GP = ROOT / "models" / "ro-en-hter-gp-17"


def _damage_models(models: Path) -> None:
    shutil.copytree(GP, models / "cut-off")
    raw = (GP / "arrays.safetensors").read_bytes()
    (models / "cut-off" / "arrays.safetensors").write_bytes(raw[: len(raw) // 2])
    shutil.copytree(GP, models / "card-is-a-list")
    (models / "card-is-a-list" / "card.json").write_text("[]")
    (models / "empty").mkdir()
    (models / "loop").symlink_to(models / "loop")
    shutil.copytree(GP, models / ".0123456789abcdef.new")
    (models / "metrics").mkdir()
    (models / "metrics" / "cut-off.json").write_text('{"schema_version": 1,')
    metric = json.loads((ROOT / "models" / "metrics" / "rose-reg-en.json").read_text())
    loop = {**metric, "id": "loop", "features": ["metric(trained:loop)"], "low": [0.0], "high": [1.0], "weights": [1.0]}
    (models / "metrics" / "loop.json").write_text(json.dumps(loop))
    (models / "promotions.jsonl").write_text('{"pair": "ro-en"\n[]\n')


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    house = small_house(tmp_path_factory.mktemp("house"), "ro-en", "et-en")
    resources, models = Path(house["ASSAY_RESOURCES_DIR"]), Path(house["ASSAY_MODELS_DIR"])
    # One language is changed, and a folder is half-written: Estonian is out, Romanian stays.
    (resources / "et").unlink()
    shutil.copytree(ROOT / "resources" / "et", resources / "et")
    with (resources / "et" / "ngrams.safetensors").open("r+b") as file:
        file.truncate(1000)
    (resources / "ru").mkdir()
    (resources / "ru" / "manifest.json").write_text('{"name": "ru"')
    # A word tagger whose arrays are whole, and lack the bins of its numbers: that shows at its first work.
    (models / "ro-en-words").unlink()
    shutil.copytree(ROOT / "models" / "ro-en-words", models / "ro-en-words")
    arrays = load((models / "ro-en-words" / "arrays.safetensors").read_bytes())
    whole = {name: value for name, value in arrays.items() if ".cuts." not in name}
    (models / "ro-en-words" / "arrays.safetensors").write_bytes(save(whole))
    data = tmp_path_factory.mktemp("damaged")
    (data / "models").mkdir()
    _damage_models(data / "models")
    server = Server(data, house)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def client(damaged: Server) -> Iterator[httpx2.Client]:
    with damaged.client() as client:
        yield client


def test_what_is_broken_is_shown_and_the_rest_works(client: httpx2.Client) -> None:
    assert client.get("/health/ready").status_code == 200
    models = client.get("/v1/models").json()
    broken = {row["name"]: row["reason"] for row in models["broken"]}
    assert set(broken) == {"cut-off", "card-is-a-list", "empty", "loop", "promotions.jsonl", "ro-en-words"}
    assert "ro-en-hter-gp-17" in {card["id"] for card in models["models"]}
    assert {row["name"] for row in client.get("/v1/metrics").json()["broken"]} == {"cut-off.json", "loop.json"}
    resources = client.get("/v1/resources").json()
    assert {row["name"] for row in resources["broken"]} == {"et", "ru"} and resources["pairs"] == ["ro-en"]
    one = client.get("/v1/models/cut-off")
    assert (one.status_code, one.json()["type"]) == (404, "/problems/not-found") and "broken" in one.json()["detail"]
    named = client.post("/v1/quality", json={**PAIR, "model": "cut-off", "segments": SEGMENTS})
    assert named.status_code == 422 and "broken" in named.json()["detail"]
    page = client.get("/models")
    assert page.status_code == 200 and "card-is-a-list" in page.text
    for path in ("/", "/models/ro-en-hter-gp-17", "/metrics"):
        assert client.get(path).status_code == 200, path
    assert client.get("/models/cut-off").status_code == 404

    answer = client.post("/v1/quality", json={**PAIR, "segments": SEGMENTS, "words": True, "warnings": True})
    assert answer.status_code == 200, answer.text
    refused = client.post("/v1/quality", json={"source_language": "et", "target_language": "en", "segments": SEGMENTS})
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/unknown-language-pair")
    scored = {"metrics": ["bleu", "rose:reg"], "systems": {"a": ["x y"]}, "references": {"r": ["x z"]}}
    assert client.post("/v1/score", json=scored).status_code == 200
    assert client.post("/v1/score", json={**scored, "metrics": ["trained:loop"]}).status_code == 422


def test_workers_start_and_versions_are_promoted(client: httpx2.Client) -> None:
    model = "ro-en-da-gp-17"
    assert client.post(f"/v1/models/{model}/promote", json={}).status_code == 200
    params = {**PAIR, "label": "da", "segments": SEGMENTS}
    view = wait_for_job(client, client.post("/v1/jobs", json={"kind": "quality", "params": params}).json()["id"])
    assert view["state"] == "succeeded"
    assert view["summary"]["model"] == model  # type: ignore[index]


def test_what_is_being_written_is_broken_until_it_is_whole(damaged: Server, client: httpx2.Client) -> None:
    folder = damaged.data / "models" / "slow"
    folder.mkdir()
    assert "slow" in {row["name"] for row in client.get("/v1/models").json()["broken"]}
    for name in ("card.json", "arrays.safetensors"):
        content = (GP / name).read_bytes()
        with (folder / name).open("wb") as file:
            for begin in range(0, len(content), len(content) // 3 + 1):
                file.write(content[begin : begin + len(content) // 3 + 1])
                file.flush()
                os.fsync(file.fileno())
                for path in ("/v1/models", "/v1/models/slow", "/v1/metrics", "/models"):
                    assert client.get(path).status_code in (200, 404), path
                assert client.post("/v1/quality", json={**PAIR, "segments": SEGMENTS}).status_code == 200

    def served() -> bool:
        return client.get("/v1/models/slow").status_code == 200

    assert any(served() for _ in range(2000))
    assert "slow" not in {row["name"] for row in client.get("/v1/models").json()["broken"]}
