"""Sources alone over HTTP, as jobs and by commands, with a small service beside the server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from assay_client import Client

from app.running.rates import KeyLimits, parse_rates
from app.server.store import KeyStore, open_database
from app.server.translation import TranslationStore
from tests.commands import assay
from tests.server.translation.small_service import ENGLISH, KEY, SmallService, small_service
from tests.servers import Server, wait_for_job
from tests.smt.decoder.toy_systems import RO_EN, add_toy_systems

PAIR = {"source_language": "ro", "target_language": "en"}
SOURCES = list(ENGLISH)
TOY_SOURCE, TOY_TRANSLATION = "casa", "house"
SERVICES = """
[libre]
protocol = "libretranslate"
url = "ADDRESS/translate"
timeout_seconds = 5
attempts = 1

[other]
protocol = "json"
url = "ADDRESS/deepl"
key_file = "FOLDER/key"
headers = { Authorization = "DeepL-Auth-Key {key}" }
body = { text = ["{text}"], source_lang = "{source}", target_lang = "EN-GB" }
translation = "/translations/0/text"
attempts = 1

[poor]
protocol = "libretranslate"
url = "ADDRESS/translate"
characters_per_day = 20

[toy]
protocol = "system"
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[tuple[Server, SmallService]]:
    folder = tmp_path_factory.mktemp("translating")
    with small_service() as service:
        (folder / "key").write_text(KEY)
        (folder / "services.toml").write_text(SERVICES.replace("ADDRESS", service.address).replace("FOLDER", str(folder)))
        settings = {"ASSAY_TRANSLATION_SERVICES": str(folder / "services.toml"), "ASSAY_CHUNK_SEGMENTS": "2"}
        server = Server(folder, {**ro_en, **settings})
        add_toy_systems(folder / "resources", tmp_path_factory.mktemp("systems"))
        server.start()
        yield server, service
        server.stop()


@pytest.fixture
def service(running: tuple[Server, SmallService]) -> SmallService:
    running[1].faults, running[1].asked = [], []
    return running[1]


@pytest.fixture
def client(running: tuple[Server, SmallService]) -> Iterator[httpx2.Client]:
    with running[0].client() as each:
        yield each


def asks(client: httpx2.Client, path: str, **fields: Any) -> Any:
    answer = client.post(path, json={**PAIR, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_call_has_the_scores_of_the_translations_and_the_translations(client: httpx2.Client, service: SmallService) -> None:
    answer = asks(client, "/v1/quality", sources=SOURCES, translate="libre", words=True)
    assert [row.pop("translation") for row in answer["segments"]] == list(ENGLISH.values())
    assert answer.pop("translation_service") == "libre"
    pairs = [{"source": source, "translation": text} for source, text in ENGLISH.items()]
    assert answer == asks(client, "/v1/quality", segments=pairs, words=True)
    # The second time the service is not asked.
    asked = len(service.asked)
    asks(client, "/v1/quality", sources=SOURCES, translate="libre")
    assert len(service.asked) == asked
    assert client.get("/v1/resources").json()["translation_services"] == ["libre", "other", "poor", "toy"]


def test_the_client_sends_sources_alone(running: tuple[Server, SmallService], service: SmallService) -> None:
    with Client(running[0].address) as client:
        answer = client.quality("ro", "en", sources=SOURCES, translate="libre")
        assert [row["translation"] for row in answer["segments"]] == list(ENGLISH.values())
        ranking = client.rank("ro", "en", sources=SOURCES, translate=["libre"])
        assert ranking["segments"][0]["order"][0]["text"] == "The house is big."


def test_a_loaded_system_is_a_service_too(client: httpx2.Client) -> None:
    translated = asks(client, "/v1/translate", segments=["casa este mare"])["segments"][0]["text"]
    answer = asks(client, "/v1/quality", sources=["casa este mare"], translate="toy")
    assert answer["segments"][0]["translation"] == translated and RO_EN


def test_services_are_ranked_beside_other_candidates(client: httpx2.Client, service: SmallService) -> None:
    answer = asks(client, "/v1/rank", sources=SOURCES, translate=["libre", "other"])
    for row, (_, text) in zip(answer["segments"], ENGLISH.items(), strict=True):
        assert {each["system"]: each["text"] for each in row["order"]} == {"libre": text, "other": f"{text}!"}
    segments = [{"source": source, "translations": [{"system": "mine", "text": "House."}]} for source in SOURCES]
    answer = asks(client, "/v1/rank", segments=segments, translate=["libre"])
    assert {row["system"] for row in answer["systems"]} == {"mine", "libre"}
    assert all("text" not in each for row in answer["segments"] for each in row["order"] if each["system"] == "mine")
    given = [
        {"source": source, "translations": [{"system": "mine", "text": "House."}, {"system": "libre", "text": text}]}
        for source, text in ENGLISH.items()
    ]
    for row in answer["segments"]:
        for each in row["order"]:
            each.pop("text", None)
    assert answer == asks(client, "/v1/rank", segments=given)


@pytest.mark.parametrize(
    ("path", "fields", "status", "code"),
    [
        ("/v1/quality", {"sources": ["Casa."]}, 422, "invalid-request"),
        ("/v1/quality", {"translate": "libre"}, 422, "invalid-request"),
        ("/v1/quality", {}, 422, "invalid-request"),
        ("/v1/quality", {"sources": [], "translate": "libre"}, 422, "empty-input"),
        ("/v1/quality", {"sources": ["Casa.", " "], "translate": "libre"}, 422, "empty-input"),
        ("/v1/rank", {"sources": ["", "Casa."], "translate": ["libre"]}, 422, "empty-input"),
        (
            "/v1/rank",
            {"segments": [{"source": "", "translations": [{"system": "mine", "text": "House."}]}], "translate": ["libre"]},
            422,
            "empty-input",
        ),
        ("/v1/quality", {"sources": ["Casa.", "x" * 20_001], "translate": "libre"}, 422, "segment-too-long"),
        ("/v1/quality", {"sources": ["Casa."] * 2001, "translate": "libre"}, 422, "too-many-segments"),
        ("/v1/quality", {"sources": ["Casa."], "translate": "nobody"}, 422, "unknown-service"),
        ("/v1/quality", {"sources": ["Casa."], "translate": "libre", "level": "word"}, 422, "invalid-request"),
        (
            "/v1/quality",
            {"sources": ["Casa."], "segments": [{"source": "Casa.", "translation": "House."}], "translate": "libre"},
            422,
            "invalid-request",
        ),
        ("/v1/quality", {"sources": ["C" * 30], "translate": "poor"}, 503, "service-budget-spent"),
        ("/v1/rank", {"sources": ["Casa."]}, 422, "invalid-request"),
        ("/v1/rank", {"sources": ["Casa."], "translate": ["libre", "libre"]}, 422, "invalid-request"),
        ("/v1/rank", {"sources": ["Casa."], "translate": ["libre", "nobody"]}, 422, "unknown-service"),
        ("/v1/rank", {"sources": ["Casa."], "translate": ["libre"], "baseline": "mine"}, 422, "invalid-request"),
        (
            "/v1/rank",
            {"segments": [{"source": "Casa.", "translations": [{"system": "libre", "text": "House."}]}], "translate": ["libre"]},
            422,
            "invalid-request",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(
    path: str, fields: dict[str, Any], status: int, code: str, client: httpx2.Client, service: SmallService
) -> None:
    answer = client.post(path, json={**PAIR, **fields})
    assert (answer.status_code, answer.json()["type"]) == (status, f"/problems/{code}"), answer.text
    assert not service.asked


@pytest.mark.parametrize(("fault", "code"), [("500", "service-failed"), ("few", "service-unreadable")])
def test_a_failing_service_is_a_problem_that_names_it(fault: str, code: str, client: httpx2.Client, service: SmallService) -> None:
    service.faults = [fault]
    answer = client.post("/v1/quality", json={**PAIR, "sources": [*SOURCES, "Nou."], "translate": "libre"})
    problem = answer.json()
    assert (answer.status_code, problem["type"], problem["where"]) == (502, f"/problems/{code}", "sources.3"), problem
    assert "libre" in problem["detail"]


def test_a_job_names_the_segment_and_a_retry_continues_behind_it(client: httpx2.Client, service: SmallService) -> None:
    sources = [f"Casa numărul {number}." for number in range(6)]
    params = {**PAIR, "sources": sources, "translate": "libre", "words": True}
    service.faults = ["", "500"]
    job = client.post("/v1/jobs", json={"kind": "quality", "params": params}).json()
    failed: Any = wait_for_job(client, job["id"])
    assert failed["state"] == "failed" and failed["error"]["type"] == "/problems/service-failed"
    assert "sources.2" in failed["error"]["detail"] and "libre" in failed["error"]["detail"]
    again = client.post(f"/v1/jobs/{job['id']}/retry").json()
    assert wait_for_job(client, again["id"])["state"] == "succeeded"
    assert [request["q"] for request in service.asked] == [sources[:2], sources[2:4], sources[2:4], sources[4:]]
    result = client.get(f"/v1/jobs/{again['id']}/result").json()
    assert result["translation_service"] == "libre"
    assert [(row["source"], row["translation"]) for row in result["segments"]] == [(text, f"The {text}") for text in sources]
    tsv = client.get(f"/v1/jobs/{again['id']}/result?format=tsv").text
    assert "The Casa numărul 5." in tsv
    # A correction of a fetched translation is assessed as any other.
    corrected = client.put(f"/v1/jobs/{again['id']}/corrections/1", json={"text": "House number 0."})
    assert corrected.json()["assessment"]["score"] > 0, corrected.text


def test_a_ranking_job_asks_all_services(client: httpx2.Client, service: SmallService) -> None:
    params = {**PAIR, "sources": SOURCES, "translate": ["libre", "other"]}
    job = client.post("/v1/jobs", json={"kind": "rank", "params": params}).json()
    assert wait_for_job(client, job["id"])["state"] == "succeeded"
    result = client.get(f"/v1/jobs/{job['id']}/result").json()
    assert [row["texts"] for row in result["segments"]] == [{"libre": text, "other": f"{text}!"} for text in ENGLISH.values()]
    refused = client.post("/v1/jobs", json={"kind": "rank", "params": {**params, "translate": ["nobody"]}})
    assert refused.json()["type"] == "/problems/unknown-service"


def test_a_ranking_job_goes_on_without_a_failing_service(client: httpx2.Client, service: SmallService) -> None:
    sources = [f"Strada numărul {number}." for number in range(3)]
    # A chunk has two segments: libre fails for the first chunk, other does not.
    service.faults = ["500"]
    params = {**PAIR, "sources": sources, "translate": ["libre", "other"]}
    job = client.post("/v1/jobs", json={"kind": "rank", "params": params}).json()
    assert wait_for_job(client, job["id"])["state"] == "succeeded"
    result = client.get(f"/v1/jobs/{job['id']}/result").json()
    assert "the service libre answered 500: 2 of 3 segments lack its translation" in result["cautions"]
    assert [set(row["texts"]) for row in result["segments"]] == [{"other"}, {"other"}, {"libre", "other"}]


def test_a_command_translates_a_file_of_sources(
    running: tuple[Server, SmallService], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, _ = running
    path = tmp_path / "sources.txt"
    path.write_text("\n".join(SOURCES) + "\n")
    ask = ("quality", str(path), "--translate", "libre", "--pair", "ro-en", "--format", "json")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    there, here = assay(*ask, "--server", server.address), assay(*ask, data=server.data)
    assert there.returncode == here.returncode == 0, there.stderr + here.stderr
    assert json.loads(there.stdout) == json.loads(here.stdout)
    assert [row["translation"] for row in json.loads(here.stdout)["segments"]] == list(ENGLISH.values())
    text = assay(*ask[:-2], data=server.data)
    assert "The house is big." in text.stdout
    ranked = assay(
        "rank", str(path), "--translate", "libre", "--translate", "other", "--pair", "ro-en", "--segments", data=server.data
    )
    assert ranked.returncode == 0 and "The house is big." in ranked.stdout, ranked.stderr
    no_pair = assay("quality", str(path), "--translate", "libre", data=server.data)
    assert no_pair.returncode == 2 and "--pair ro-en" in no_pair.stderr
    poor = assay("quality", str(path), "--translate", "poor", "--pair", "ro-en", data=server.data)
    assert poor.returncode == 3 and "20 characters a day" in poor.stderr


def test_a_refused_caller_spends_no_budget(running: tuple[Server, SmallService], tmp_path: Path, ro_en: dict[str, str]) -> None:
    """A quota is charged before a service is asked; a stranger reads no stored answer."""
    first, service = running
    url = f"sqlite:///{tmp_path / 'own.sqlite3'}"
    database = open_database(url)
    keys, store = KeyStore(database), TranslationStore(database, 100, 30)
    _, token = keys.create("few", ["quality"], limits=KeyLimits(parse_rates("3 segments/day", "rate")))
    _, rich_token = keys.create("many", ["quality"])
    server = Server(tmp_path, {**first.environment, "ASSAY_DATABASE_URL": url, "ASSAY_WORKERS": "0"})
    server.start()
    service.faults, service.asked = [], []
    try:
        with server.client() as client:
            ask = {**PAIR, "sources": SOURCES[:2], "translate": "libre"}
            for secret, status, asked in ((token, 200, 1), (token, 429, 1), (rich_token, 200, 2), (rich_token, 200, 2)):
                answer = client.post("/v1/quality", json=ask, headers={"Authorization": f"Bearer {secret}"})
                assert (answer.status_code, len(service.asked)) == (status, asked), answer.text
        assert store.characters_today("libre") == 2 * sum(map(len, SOURCES[:2]))
    finally:
        server.stop()
    log = (tmp_path / "server.log").read_text()
    assert KEY not in log and SOURCES[0] not in log
