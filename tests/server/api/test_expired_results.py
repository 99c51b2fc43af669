"""Results that have expired, over HTTP."""

import time

from tests.servers import Server, wait_for_job

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENT = {"source": "Casa este mare.", "translation": "The house is big."}


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
