"""schemathesis drives every operation of the OpenAPI document with valid and invalid requests."""

from typing import Any

import httpx2
import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from app.main import create_app
from tests.servers import Server

DOCUMENT = create_app().openapi()
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
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
    # To forget a person takes a second.
    examples = 2 if "/owners/" in name else 5

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)
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
    assert DOCUMENT["servers"] == [{"url": "/"}]


def _examples(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any], Any]]:
    """Path, content schema and example of every call with a JSON body."""
    found = []
    for path, methods in document["paths"].items():
        body = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        if body is not None:
            schema = document["components"]["schemas"][body["$ref"].rpartition("/")[2]] if "$ref" in body else body
            found.append((path, schema.get("title", ""), schema, (schema.get("examples") or [None])[0]))
    return found


@pytest.mark.parametrize(
    ("path", "schema", "example"), [(path, schema, example) for path, _, schema, example in _examples(DOCUMENT)]
)
def test_every_body_has_an_example_that_is_valid_and_answered(
    client: httpx2.Client, path: str, schema: dict[str, Any], example: Any
) -> None:
    assert example is not None, path
    jsonschema.Draft202012Validator({**schema, "components": DOCUMENT["components"], "$defs": schema.get("$defs", {})}).validate(
        example
    )
    answer = client.post(path.replace("{model}", "ro-en-hter-gp-17"), json=example)
    assert answer.status_code in (200, 202) or path.endswith("rollback"), answer.text
    if path.endswith("promote"):
        assert client.post("/v1/models/ro-en-hter-gp-17/rollback", json=example).status_code == 200
