"""The OpenAPI document as generators of clients read it, and the methods that an address says it has."""

import re
from typing import Any

import httpx2
import pytest

from app.main import create_app

DOCUMENT: dict[str, Any] = create_app().openapi()
CALLS = {f"{method.upper()} {path}": call for path, methods in DOCUMENT["paths"].items() for method, call in methods.items()}


def test_operations_are_called_by_words_that_are_unique() -> None:
    ids = [call["operationId"] for call in CALLS.values()]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z]+(?:[A-Z][a-z]+)+", each) for each in ids), ids
    assert CALLS["POST /v1/jobs"]["operationId"] == "createJob"
    assert CALLS["GET /v1/jobs/{id}/result"]["operationId"] == "getJobResult"
    assert CALLS["POST /v1/score"]["operationId"] == "scoreOutputs"


def test_every_reference_leads_somewhere_and_every_place_in_a_path_is_a_parameter() -> None:
    def references(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return own + [each for value in part.values() for each in references(value)]
        return [each for value in part for each in references(value)] if isinstance(part, list) else []

    for reference in references(DOCUMENT):
        assert reference.startswith("#/")
        there: Any = DOCUMENT
        for name in reference[2:].split("/"):
            there = there[name]
    for path, methods in DOCUMENT["paths"].items():
        for call in methods.values():
            named = {each["name"] for each in call.get("parameters", []) if each["in"] == "path"}
            assert named == set(re.findall(r"\{(\w+)\}", path)), path
            assert call["responses"], path


def test_the_forms_of_results_are_declared() -> None:
    content = CALLS["GET /v1/jobs/{id}/result"]["responses"]["200"]["content"]
    assert {"application/json", "application/x-ndjson", "text/tab-separated-values", "application/xliff+xml"} <= content.keys()
    # Generators that know one form take the first: a table that is read as JSON would fail.
    assert next(iter(content)).startswith("text/")
    assert "text/event-stream" in CALLS["GET /v1/jobs/{id}/events"]["responses"]["200"]["content"]


def test_all_problems_are_of_one_type() -> None:
    kinds = [
        answer["content"]["application/problem+json"]["schema"]
        for call in CALLS.values()
        for status, answer in call["responses"].items()
        if status >= "400"
    ]
    assert len(kinds) > len(CALLS)
    assert all(kind == {"$ref": "#/components/schemas/Problem"} for kind in kinds)


@pytest.mark.parametrize(
    ("path", "methods"),
    [("/v1/jobs", {"GET", "POST"}), ("/v1/feedback", {"GET", "POST"}), ("/v1/feedback/7", {"GET", "PATCH", "DELETE"}), ("/v1/quality", {"POST"})],
)  # fmt: skip
def test_an_address_says_all_of_its_methods(client: httpx2.Client, path: str, methods: set[str]) -> None:
    refused = client.request("TRACE", path)
    assert refused.status_code == 405
    assert set(refused.headers["allow"].split(", ")) - {"HEAD"} == methods
    options = client.request("OPTIONS", path)
    assert options.status_code == 204
    assert set(options.headers["allow"].split(", ")) - {"HEAD"} == {*methods, "OPTIONS"}
