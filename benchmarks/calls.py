"""Valid and invalid requests of every call, from the OpenAPI document: ``python -m benchmarks.calls [--requests N] [--keys]``.

schemathesis makes the requests from the printed seed. A finding is a status of 500 or above (but 503 and 507 with a problem), an answer
unlike the document, or a connection without an answer. With ``--keys`` requests use seven credentials in turn: none, a wrong key, a
revoked key, and keys of `admin`, of all other scopes, of `score` alone, and of another pair.
"""

import argparse
import itertools
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx2
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as start_seed
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from app.main import create_app
from app.server.store import SCOPES, KeyStore, open_database
from tests.servers import Server, small_house

# The HTTP server itself refuses heads of more than 64 KB.
LONGEST_QUERY = 5000
CHECKS = [content_type_conformance, response_schema_conformance]


def credentials(database: str, with_keys: bool) -> list[dict[str, str]]:
    """Headers of callers of every kind, or empty headers alone without keys."""
    if not with_keys:
        return [{}]
    keys = KeyStore(open_database(database))
    scopes = [scope for scope in SCOPES if scope != "admin"]
    tokens = [
        "assay_wrong",
        keys.create("administrator", ["admin"])[1],
        keys.create("everything", scopes)[1],
        keys.create("scores", ["score"])[1],
        keys.create("another-pair", ["quality", "jobs"], pairs=["de-en"])[1],
        keys.create("revoked", ["admin"])[1],
    ]
    keys.revoke("revoked")
    return [{}, *({"Authorization": f"Bearer {token}"} for token in tokens)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--keys", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    schema = schemathesis.openapi.from_dict(create_app().openapi())
    # Streams of events last as long as a job.
    operations = [result.ok() for result in schema.get_all_operations() if not result.ok().path.endswith("/events")]
    cases = [
        (operation, mode)
        for operation in operations
        for mode in schemathesis.GenerationMode
        if mode is schemathesis.GenerationMode.POSITIVE or len(operation.body) or len(operation.query)
    ]
    statuses: Counter[int] = Counter()
    findings: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{Path(folder) / 'assay.sqlite3'}"
        headers = itertools.cycle(credentials(database, options.keys))
        (Path(folder) / "house").mkdir()
        house = small_house(Path(folder) / "house", "ro-en")
        server = Server(Path(folder), {**house, "ASSAY_DATABASE_URL": database, "ASSAY_WORKERS": "1"})
        server.start()
        start = time.monotonic()
        try:
            while sum(statuses.values()) < options.requests:
                share = max((options.requests - sum(statuses.values())) // len(cases), 5)
                for number, (operation, mode) in enumerate(cases):

                    @start_seed(options.seed + 1000 * sum(statuses.values()) + number)
                    @settings(
                        max_examples=share,
                        deadline=None,
                        suppress_health_check=list(HealthCheck),
                        database=None,
                        phases=[Phase.generate],
                    )
                    @given(case=operation.as_strategy(generation_mode=mode))
                    def run(case: schemathesis.Case) -> None:
                        if sum(len(str(value)) for value in (case.query or {}).values()) >= LONGEST_QUERY:
                            return
                        name = f"{case.method} {case.path}"
                        sender = next(headers)
                        try:
                            answer = case.call(base_url=server.address, headers=sender, timeout=60)
                        except Exception as error:
                            findings.append(f"{name}: {type(error).__name__}: {error}"[:500])
                            return
                        statuses[answer.status_code] += 1
                        if answer.status_code >= 500 and answer.status_code not in (503, 507):
                            findings.append(f"{name}: {answer.status_code} {case.as_curl_command()[:1000]}")
                        elif answer.status_code not in (429, 503):
                            try:
                                case.validate_response(answer, checks=CHECKS)
                            except Exception as error:
                                findings.append(f"{name}: {str(error)[:500]}")

                    run()
                print(f"{sum(statuses.values())} requests, {time.monotonic() - start:.0f} s, {len(findings)} findings", flush=True)
            alive = httpx2.get(f"{server.address}/health/ready").status_code
        finally:
            code = server.stop()
    print(f"statuses {dict(sorted(statuses.items()))}; ready {alive}; exit code {code}")
    for finding, count in Counter(findings).most_common(40):
        print(f"{count} x {finding}")
    sys.exit(bool(findings) or alive != 200 or code not in (0, -15))


if __name__ == "__main__":
    main()
