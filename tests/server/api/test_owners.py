"""DELETE /v1/owners/{name}: by an administrator, of anybody but themselves."""

import time

import httpx2

from app.server.store import KeyStore, open_database
from tests.servers import Server, wait_for_job

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENT = {"source": "Casa este mare.", "translation": "The house is big."}


def test_an_administrator_deletes_all_of_a_person(own_server: Server) -> None:
    keys = KeyStore(open_database(f"sqlite:///{own_server.data / 'assay.sqlite3'}"))
    everything = ["quality", "jobs", "feedback"]
    tokens = {name: keys.create(name.split("/")[0], ["admin"] if name == "root" else everything, owner=name.split("/")[0])[1] for name in ("root", "Ana", "Bo")}  # fmt: skip
    own_server.start()
    with httpx2.Client(base_url=own_server.address, timeout=60, verify=False) as client:

        def ask(method: str, path: str, name: str, **fields: object) -> httpx2.Response:
            return client.request(method, path, headers={"Authorization": f"Bearer {tokens[name]}"}, **fields)  # type: ignore[arg-type]

        body = {"kind": "quality", "params": {**PAIR, "model": "ro-en-hter-gp-17", "segments": [SEGMENT]}}
        jobs = {name: ask("POST", "/v1/jobs", name, json=body).json()["id"] for name in ("Ana", "Bo")}
        client.headers["Authorization"] = f"Bearer {tokens['root']}"
        for job in jobs.values():
            wait_for_job(client, job)
        judged = {**PAIR, "label": "hter", "segments": [{**SEGMENT, "score": 0.5}]}
        assert ask("POST", "/v1/feedback", "Ana", json=judged).status_code == 202
        assert ask("DELETE", "/v1/owners/Ana", "Bo").status_code == 403
        assert ask("DELETE", "/v1/owners/root", "root").status_code == 403
        answer = ask("DELETE", "/v1/owners/Ana", "root", params={"models": "true"})
        assert answer.status_code == 200, answer.text
        assert answer.json()["deleted"] == {"jobs": 1, "files": 0, "feedback": 1, "keys": 1, "models": []}
        assert {"backups", "logs"} <= {left["what"] for left in answer.json()["remains"]}
        assert ask("GET", "/v1/me", "Ana").status_code == 401
        assert ask("GET", f"/v1/jobs/{jobs['Ana']}", "root").status_code == 404
        assert ask("GET", f"/v1/jobs/{jobs['Bo']}/result", "Bo").status_code == 200
        nobody = ask("DELETE", "/v1/owners/a%2Fb%20c", "root").json()
        assert nobody["owner"] == "a/b c" and nobody["deleted"]["jobs"] == 0


def test_results_expire_over_http(own_server: Server) -> None:
    # A fifth of a second: the sweep comes every second.
    own_server.environment = {**own_server.environment, "ASSAY_KEEP_RESULTS_DAYS": "2e-6"}
    own_server.start()
    with own_server.client() as client:
        body = {"kind": "quality", "params": {**PAIR, "model": "ro-en-hter-gp-17", "segments": [SEGMENT]}}
        job = client.post("/v1/jobs", json=body).json()["id"]
        wait_for_job(client, job)
        while "expired" not in (view := client.get(f"/v1/jobs/{job}").json()):
            assert view["state"] == "succeeded"
            time.sleep(0.05)
        assert view["summary"] is None and view["params"] == {}
        for path in ("result", "result?format=tsv", "result?format=annotated"):
            answer = client.get(f"/v1/jobs/{job}/{path}", headers={"If-None-Match": "*"})
            assert answer.status_code == 410 and answer.json()["type"] == "/problems/result-expired"
        for page in ("report", "histogram.svg"):
            assert client.get(f"/jobs/{job}/{page}").status_code == 410
        assert client.get("/jobs").status_code == 200
