"""Reviews for CI services: SARIF 2.1.0, GitHub's annotations, GitLab's code quality, JUnit."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from app import __version__
from app.checks import WARNINGS
from app.operations.review.comment import change_sentence
from app.operations.review.request import CODES
from app.shell.gates.report import Case, junit_report
from app.shell.output import json_text
from app.shell.review.baseline import fingerprint
from app.text.writing.visible import visible

__all__ = ["github_review", "gitlab_review", "junit_review", "sarif_review"]

LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
GITHUB: Final = {"error": "error", "warning": "warning", "info": "notice"}
GITLAB: Final = {"error": "major", "warning": "minor", "info": "info"}
SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_review(answer: Mapping[str, Any]) -> str:
    """Findings in SARIF 2.1.0 (OASIS); columns count UTF-16 units there, as the run says."""
    codes = sorted({row["code"] for row in answer["findings"]})
    rules = [{"id": code, "shortDescription": {"text": _meaning(code)}} for code in codes]
    tool = {"driver": {"name": "Assay", "version": __version__, "rules": rules}}
    run = {
        "tool": tool,
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(row, codes.index(row["code"])) for row in answer["findings"]],
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def github_review(answer: Mapping[str, Any]) -> str:
    """Workflow commands of GitHub Actions: a line `::error file=,line=,col=::message` for each finding."""
    lines = []
    for row in answer["findings"]:
        places = {"file": row["path"], "line": row["line"], "col": row["column"], "endLine": row["end_line"]}
        if row["end_line"] == row["line"]:
            places["endColumn"] = row["end_column"]
        fields = ",".join(f"{name}={_property(str(value))}" for name, value in {**places, "title": row["code"]}.items())
        lines.append(f"::{GITHUB[row['severity']]} {fields}::{_data(_message(row))}")
    return "\n".join(lines)


def gitlab_review(answer: Mapping[str, Any]) -> str:
    """GitLab's code quality report."""
    return json_text(
        [
            {
                "description": _message(row),
                "check_name": row["code"],
                "fingerprint": _digest(row),
                "severity": GITLAB[row["severity"]],
                "location": {"path": row["path"], "lines": {"begin": row["line"], "end": row["end_line"]}},
            }
            for row in answer["findings"]
        ]
    )


def junit_review(answer: Mapping[str, Any], fails: Callable[[Mapping[str, Any]], bool], fail_if_worse: bool = False) -> str:
    """A test case for each file, with its failing findings; the rest is output. One more if a change for the worse fails."""
    by_path: dict[str, list[Mapping[str, Any]]] = {row["path"]: [] for row in answer["files"]}
    for row in answer["findings"]:
        by_path.setdefault(row["path"], []).append(row)
    cases = [
        Case(
            "review",
            visible(path),
            [_line(row) for row in rows if fails(row)],
            "\n".join(_line(row) for row in rows if not fails(row)),
        )
        for path, rows in by_path.items()
    ]
    if fail_if_worse and answer.get("change", {}).get("outcome") == "worse":
        cases.append(Case("review", "change", [change_sentence(answer["change"])]))
    return junit_report("review", cases)


def _line(row: Mapping[str, Any]) -> str:
    return f"line {row['line']}: {row['severity']} {row['code']}: {visible(row['message'])}"


def _meaning(code: str) -> str:
    return {**WARNINGS, **CODES}[code]


def _message(row: Mapping[str, Any]) -> str:
    """The finding with its key and texts."""
    key = f"{row['key']}: " if row["key"] else ""
    texts = f"\n{row['source']}\n{row['translation']}" if row["source"] or row["translation"] else ""
    return f"{key}{row['message']}{texts}"


def _digest(row: Mapping[str, Any]) -> str:
    return hashlib.sha256("\0".join(fingerprint(row)).encode()).hexdigest()


def _sarif_result(row: Mapping[str, Any], index: int) -> dict[str, Any]:
    region = {
        "startLine": row["line"], "startColumn": row["column"], "endLine": row["end_line"], "endColumn": row["end_column"],
    }  # fmt: skip
    return {
        "ruleId": row["code"],
        "ruleIndex": index,
        "level": LEVELS[row["severity"]],
        "message": {"text": _message(row)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(row["path"])}, "region": region}}],
        "partialFingerprints": {"assay/v1": _digest(row)},
    }


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path)


def _data(text: str) -> str:
    """A message of a workflow command, with its escapes; other control characters are visible."""
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
