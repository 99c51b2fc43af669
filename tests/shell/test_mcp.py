"""`assay mcp`: tools for agents, called by the official client."""

import sys
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from app.shell.agents import agent_server

PAIR = {"source_language": "ro", "target_language": "en"}
SEGMENT = {"source": "Apasă pe {button} de 3 ori.", "translation": "Press {button} 3 times."}


def calls(*requests: tuple[str, dict[str, Any]]) -> list[Any]:
    """Results of calls in one session."""

    async def session() -> list[Any]:
        async with Client(agent_server(None, "1")) as client:
            return [await client.call_tool(name, arguments) for name, arguments in requests]

    return anyio.run(session)


def test_each_tool_has_a_schema_and_reads_only() -> None:
    async def listed() -> Any:
        async with Client(agent_server(None, "1")) as client:
            return (await client.list_tools()).tools

    tools = anyio.run(listed)
    assert [tool.name for tool in tools] == ["score_translation", "check_translation", "choose_best", "review_files"]
    for tool in tools:
        assert tool.description and tool.input_schema["required"] and tool.annotations.read_only_hint


def test_checks_by_segment() -> None:
    broken = {**SEGMENT, "translation": "Press the button 4 times."}
    [result] = calls(("check_translation", {**PAIR, "segments": [SEGMENT, broken]}))
    answer = result.structured_content
    assert not result.is_error and answer["segments"] == 2 and answer["counts"]["error"] == len(answer["findings"]) == 2
    assert {(row["segment"], row["code"]) for row in answer["findings"]} == {(2, "placeholders"), (2, "numbers")}


def test_an_empty_translation_is_a_finding_and_others_go_on() -> None:
    broken, empty = ({**SEGMENT, "translation": text} for text in ("Press the button 4 times.", " "))
    [result] = calls(("check_translation", {**PAIR, "segments": [SEGMENT, empty, broken]}))
    found = {(row["segment"], row["code"], row["severity"]) for row in result.structured_content["findings"]}
    assert found == {(2, "empty-translation", "error"), (3, "placeholders", "error"), (3, "numbers", "error")}
    assert result.structured_content["segments"] == 3 and result.structured_content["counts"]["error"] == 3
    [alone] = calls(("check_translation", {**PAIR, "segments": [empty]}))
    assert [row["code"] for row in alone.structured_content["findings"]] == ["empty-translation"]


def test_equal_calls_have_equal_answers() -> None:
    request = "score_translation", {**PAIR, "segments": [SEGMENT]}
    first, second = calls(request, request)
    assert first.structured_content == second.structured_content
    [row] = first.structured_content["segments"]
    assert row["interval"][0] <= row["score"] <= row["interval"][1] and 0 <= row["confidence"] <= 1 and row["warnings"] == []


def test_a_choice_and_none() -> None:
    texts = {"lost": "Press the button 3 times.", "good": "Press {button} 3 times."}
    segment = {"source": SEGMENT["source"], "translations": texts}
    good, none = calls(
        ("choose_best", {**PAIR, "segments": [segment]}),
        ("choose_best", {**PAIR, "segments": [{**segment, "translations": {"lost": texts["lost"]}}]}),
    )
    assert good.structured_content["segments"][0]["system"] == "good"
    assert (
        none.structured_content["segments"][0]["system"] is None
        and "fails a check" in none.structured_content["segments"][0]["reason"]
    )


def test_reviews_of_files() -> None:
    files = [{"path": "en.json", "text": '{"a": "Hi, {name}!"}'}, {"path": "de.json", "text": '{"a": "Hallo!"}'}]
    [result] = calls(("review_files", {"files": files, "predict": False}))
    [finding] = result.structured_content["findings"]
    assert (finding["path"], finding["line"], finding["code"]) == ("de.json", 1, "placeholders")


@pytest.mark.parametrize(
    ("tool", "arguments", "detail"),
    [
        ("score_translation", {"source_language": "ro", "target_language": "xx", "segments": [SEGMENT]}, "unknown-language-pair"),
        ("score_translation", {**PAIR, "segments": []}, "segments"),
        ("check_translation", {**PAIR, "segments": [SEGMENT, {**SEGMENT, "source": " "}]}, "without a source cannot be checked: 2"),
        ("check_translation", {**PAIR, "target_language": "ro", "segments": [SEGMENT]}, "two languages"),
        (
            "check_translation",
            {**PAIR, "segments": [{"source": "x"}]},
            "invalid-request: segments.0.translation: this field is required",
        ),
        ("check_translation", PAIR, "invalid-request: segments: this field is required"),
        ("choose_best", {**PAIR, "segments": [], "min_quality": 7}, "min_quality"),
        ("review_files", {"files": [{"path": "de.json", "text": "x" * 10, "old": 1}]}, ""),
    ],
)
def test_errors_are_results_of_tools(tool: str, arguments: dict[str, Any], detail: str) -> None:
    [result] = calls((tool, arguments))
    if detail:
        assert result.is_error and detail in result.content[0].text
    else:
        assert not result.is_error and result.structured_content["verdict"] == "nothing"


def test_the_command_serves_over_stdio() -> None:
    async def session() -> Any:
        program = StdioServerParameters(command=sys.executable, args=["-m", "app", "mcp"])
        async with Client(stdio_client(program)) as client:
            return await client.call_tool("check_translation", {**PAIR, "segments": [SEGMENT]})

    assert anyio.run(session).structured_content["findings"] == []
