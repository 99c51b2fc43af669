"""Tools of the Model Context Protocol: scores, checks, choices and reviews of translations.

Source: Model Context Protocol, revision 2025-11-25, "Tools"; the official SDK for Python.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from app.checks import SEVERITIES, WARNINGS, Severity
from app.errors import InputError
from app.operations.choose import ChooseRequest
from app.operations.choose import operation as choose_operation
from app.operations.operation import Body, Operation
from app.operations.quality import QualityRequest
from app.operations.quality import operation as quality_operation
from app.operations.review import operation as review_operation
from app.operations.review.request import ReviewRequest
from app.operations.validation import explain_fault
from app.shell.requests import make_request
from app.shell.running import answer_to

__all__ = ["agent_server"]

INSTRUCTIONS: Final = (
    "Judge translations without a reference. Check a translation first: an error is a broken placeholder, tag or number, which "
    "you can mend. Predicted quality orders translations; it proves nothing about one of them. Equal calls have equal answers."
)
# Members of a finding that say something about a single segment.
FINDING: Final = ("code", "severity", "message", "source_spans", "translation_spans")
EMPTY: Final = "empty-translation"
EMPTY_TRANSLATION: Final = dict(zip(FINDING, (EMPTY, "error", WARNINGS[EMPTY], [], []), strict=True))
# Most numbers of segments in a message.
NUMBER_LIMIT: Final = 20
READS_ONLY: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
Tag = Annotated[str, Field(description="Language tag, as en or pt-BR")]
Profile = Annotated[Literal["fast", "accurate"] | None, Field(description="accurate (the default) asks a network, fast does not")]


class Pair(TypedDict):
    """A source and its translation."""

    source: str
    translation: str


class Suggestions(TypedDict):
    """A source with translations by the names of their systems."""

    source: str
    translations: dict[str, str]


class File(TypedDict):
    """A file by its path, as locales/de.json, with its text."""

    path: str
    text: str


class ChangedFile(File, total=False):
    """A file with its earlier text, if it had one."""

    old_text: str


class _Server(MCPServer[Any]):
    """A server whose errors of arguments have a code and a place, as all others."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """The result of a tool; ToolError names the first malformed argument."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            first = error.__cause__.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise ToolError(f"invalid-request: {place}: {explain_fault(first)}") from None


def agent_server(server: str | None, version: str) -> MCPServer[Any]:
    """A server of four tools, which compute here or ask the Assay server at the address `server`."""
    tools = _Server("assay", title="Assay", instructions=INSTRUCTIONS, version=version, log_level="WARNING")

    def answer(operation: Operation[Any, Any], request: type[Body], **fields: object) -> dict[str, Any]:
        try:
            return dict(answer_to(operation, make_request(request, **fields), server))
        except InputError as error:
            raise ToolError(f"{error.code}: {error}") from None

    @tools.tool(title="Score translations", annotations=READS_ONLY)
    def score_translation(
        source_language: Tag, target_language: Tag, segments: Sequence[Pair], profile: Profile = None
    ) -> dict[str, Any]:
        """Predict the quality of translations: confidence from 0 (worst) to 1 (best), an interval, and warnings."""
        pair = {"source_language": source_language, "target_language": target_language}
        return answer(quality_operation, QualityRequest, **pair, segments=segments, profile=profile)

    @tools.tool(title="Check translations", annotations=READS_ONLY)
    def check_translation(source_language: Tag, target_language: Tag, segments: Sequence[Pair]) -> dict[str, Any]:
        """Check placeholders, tags, numbers, negation and languages of translations, without predicted quality."""
        files = _as_files(source_language, target_language, segments)
        return _of_segments(answer(review_operation, ReviewRequest, **files, predict=False), segments)

    @tools.tool(title="Choose the best translation", annotations=READS_ONLY)
    def choose_best(
        source_language: Tag,
        target_language: Tag,
        segments: Sequence[Suggestions],
        min_quality: Annotated[float, Field(ge=0, le=1, description="The lowest confidence of a choice")] = 0.0,
        fail_on: Severity = "error",
        profile: Profile = None,
    ) -> dict[str, Any]:
        """Choose the best translation of each source that breaks no check, or none, with the reason."""
        rows = [
            {
                "source": row["source"],
                "translations": [{"system": name, "text": text} for name, text in row["translations"].items()],
            }
            for row in segments
        ]
        pair = {"source_language": source_language, "target_language": target_language}
        options = {"min_quality": min_quality, "fail_on": fail_on, "profile": profile}
        return answer(choose_operation, ChooseRequest, **pair, segments=rows, **options)

    @tools.tool(title="Review translated files", annotations=READS_ONLY)
    def review_files(
        files: Sequence[ChangedFile],
        source_language: Tag = "en",
        compare: Annotated[bool, Field(description="Judge only strings that differ from old_text")] = False,
        predict: Annotated[bool, Field(description="Predict quality too")] = True,
        profile: Profile = None,
    ) -> dict[str, Any]:
        """Review translated string files beside their source files: findings with places, and the worst strings."""
        fields = {"source_language": source_language, "files": files, "compare": compare, "predict": predict, "profile": profile}
        return answer(review_operation, ReviewRequest, **fields)

    return tools


def _by_system(translations: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"system": system, "text": text} for system, text in translations.items()]


def _as_files(source_language: str, target_language: str, segments: Sequence[Pair]) -> dict[str, Any]:
    """Fields of a review of segments: two files of strings, whose keys are their numbers from 1. ToolError for one language."""
    if source_language == target_language:
        raise ToolError("unknown-language-pair: a pair needs two languages")
    sources = {str(number): row["source"] for number, row in enumerate(segments, 1)}
    translations = {str(number): row["translation"] for number, row in enumerate(segments, 1)}
    files = [
        {"path": f"{language}.json", "text": json.dumps(texts)}
        for language, texts in ((source_language, sources), (target_language, translations))
    ]
    return {"source_language": source_language, "files": files}


def _of_segments(answer: Mapping[str, Any], segments: Sequence[Pair]) -> dict[str, Any]:
    """Findings by the numbers of segments, empty translations first; ToolError if a segment could not be checked."""
    count = len(segments)
    blank = [str(number) for number, row in enumerate(segments, 1) if not row["source"].strip()]
    if blank:
        raise ToolError(f"invalid-request: segments without a source cannot be checked: {', '.join(blank[:NUMBER_LIMIT])}")
    empty = [number for number, row in enumerate(segments, 1) if not row["translation"].strip()]
    if answer["strings"] < count - len(empty):
        need = "each needs a source and a translation with text, in two languages"
        raise ToolError(f"invalid-request: {answer['strings']} of {count} segments can be checked: {need}")
    rows = [row for row in answer["findings"] if row["code"] in WARNINGS]
    findings = [{"segment": number, **EMPTY_TRANSLATION} for number in empty]
    findings += [{"segment": int(row["key"]), **{name: row[name] for name in FINDING}} for row in rows]
    counts = {severity: sum(row["severity"] == severity for row in findings) for severity in SEVERITIES}
    return {"segments": count, "counts": counts, "findings": findings}
