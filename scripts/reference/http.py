"""The page of HTTP calls, out of the OpenAPI document of the server."""

from collections.abc import Iterator
from typing import Any

from app.main import create_app
from app.settings import Settings
from scripts.reference.tables import table

__all__ = ["calls", "http_page"]

HEAD = """# HTTP calls

A server gives the same as JSON at `/openapi.json` and as a page at `/docs`.
[The HTTP interface](../use/http.md) explains the calls by task.
Every call may answer with an [error](errors.md).
"""
Json = dict[str, Any]


def calls(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Method, path and description of every call."""
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            yield method.upper(), path, call


def http_page() -> str:
    """docs/reference/http.md."""
    document = create_app(Settings()).openapi()
    parts = [HEAD]
    for method, path, call in calls(document):
        parts.append(f"## {method} `{path}`\n\n{call.get('description') or call['summary']}\n")
        body = call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        if body is not None:
            parts.append(f"The body is {_type(body)}.\n")
        if "parameters" in call:
            rows: list[list[object]] = [
                [
                    f"`{p['name']}`",
                    p["in"],
                    _cell(_type(p["schema"])),
                    _cell(p.get("description", "")),
                    _default(p["schema"], p.get("required")),
                ]
                for p in call["parameters"]
            ]
            parts.append(table(["Parameter", "In", "Type", "Meaning", "Default"], rows) + "\n")
        for code, answer in call["responses"].items():
            schema = answer.get("content", {}).get("application/json", {}).get("schema")
            if code.startswith("2") and schema:
                parts.append(f"The answer ({code}) is {_type(schema)}.\n")
    parts.append("## Objects\n")
    for name, schema in document["components"]["schemas"].items():
        parts.append(f"### {name}\n\n{schema.get('description', '')}\n".replace("\n\n\n", "\n"))
        required = schema.get("required", ())
        fields: list[list[object]] = [
            [f"`{field}`", _cell(_type(about)), _cell(_description(about)), _default(about, field in required)]
            for field, about in schema.get("properties", {}).items()
        ]
        if fields:
            parts.append(table(["Field", "Type", "Meaning", "Default"], fields) + "\n")
    return "\n".join(parts)


def _type(schema: Json) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(_type(option) for option in schema[key]))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"map to {_type(schema['additionalProperties'])}"
    return str(schema.get("type", "any"))


def _description(schema: Json) -> str:
    below = [option.get("description", "") for option in schema.get("anyOf", ())]
    return str(schema.get("description") or next(filter(None, below), ""))


def _default(schema: Json, required: object) -> str:
    if required:
        return "required"
    default = schema.get("default")
    return f"`{str(default).lower() if isinstance(default, bool) else default}`" if default not in (None, "", [], {}) else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
