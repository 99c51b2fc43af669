"""schemathesis drives every operation of the OpenAPI document with valid and invalid requests."""

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from app.main import create_app
from tests.conftest import Server

SCHEMA = schemathesis.openapi.from_dict(create_app().openapi())
OPERATIONS = {
    f"{each.ok().method.upper()} {each.ok().path}": each.ok()
    for each in SCHEMA.get_all_operations()
    # Streams are followed to their end elsewhere.
    if not each.ok().path.endswith("/events")
}
# A path of free text has no invalid values; only bodies and queries do.
CASES = [
    (name, mode)
    for name, each in OPERATIONS.items()
    for mode in schemathesis.GenerationMode
    if mode is schemathesis.GenerationMode.POSITIVE or len(each.body) or len(each.query)
]
LONGEST_QUERY = 5000
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mode"), CASES)
def test_operation(server: Server, name: str, mode: schemathesis.GenerationMode) -> None:
    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)
    @given(case=OPERATIONS[name].as_strategy(generation_mode=mode))
    def run(case: schemathesis.Case) -> None:
        # The HTTP server itself refuses heads of more than 64 KB.
        if sum(len(str(value)) for value in (case.query or {}).values()) < LONGEST_QUERY:
            case.call_and_validate(base_url=server.address, checks=CHECKS, timeout=60)

    run()


def test_names_of_the_contract_are_there(client: httpx2.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    expected = {
        "/health/live", "/health/ready", "/metrics", "/v1/resources", "/v1/models", "/v1/models/{model}", "/v1/features",
        "/v1/quality", "/v1/rank", "/v1/score", "/v1/jobs", "/v1/jobs/{id}", "/v1/jobs/{id}/events", "/v1/jobs/{id}/result",
    }  # fmt: skip
    assert expected <= paths.keys()
