"""Baselines: findings that a project knows, in a committed file, so that only new ones fail."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from app.checks import SEVERITIES, Severity
from app.errors import InputError

__all__ = ["fingerprint", "read_baseline", "unknown_findings", "write_baseline"]

OPTION: Final = "--baseline"
DIGITS: Final = 16
Fingerprint = tuple[str, str, str, str]


def fingerprint(finding: Mapping[str, Any]) -> Fingerprint:
    """Path, key and code of a finding, with a digest of both texts: other lines of the file may move.

    A finding without texts has a digest of its reason; about a file, of its place too, since a repair elsewhere leaves it.
    """
    content = f"{finding['source']}\0{finding['translation']}"
    if content == "\0":
        place = "" if finding["key"] else f"{finding['line']}:{finding['column']}"
        content = f"{place}\0{finding['message']}"
    digest = hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
    return finding["path"], finding["key"], finding["code"], digest[:DIGITS]


def unknown_findings(findings: Iterable[Mapping[str, Any]], baseline: Mapping[Fingerprint, Severity]) -> list[Mapping[str, Any]]:
    """Findings that a baseline lacks, or has with a lower severity."""
    # Severities go from the gravest on.
    ranks = {row: SEVERITIES.index(severity) for row, severity in baseline.items()}
    return [row for row in findings if SEVERITIES.index(row["severity"]) < ranks.get(fingerprint(row), len(SEVERITIES))]


def read_baseline(path: Path) -> dict[Fingerprint, Severity]:
    """Fingerprints in a file with their severities; a file of older versions has none, which are errors here.

    InputError for a file of another form.
    """
    try:
        rows = json.loads(path.read_text("utf-8"))["findings"]
        baseline = {(row["path"], row["key"], row["code"], row["texts"]): row.get("severity", "error") for row in rows}
        if not set(baseline.values()) <= set(SEVERITIES):
            raise ValueError
    except OSError as error:
        detail = f"{path} cannot be read: {error.strerror}; write it with --update-baseline"
        raise InputError("invalid-request", detail, (OPTION,)) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError("invalid-request", f"{path} is no baseline; write it with --update-baseline", (OPTION,)) from None
    return baseline


def write_baseline(path: Path, findings: Iterable[Mapping[str, Any]]) -> int:
    """Write the fingerprints of findings with their severities, sorted, one per line; return their number."""
    rows: dict[Fingerprint, Severity] = {}
    for finding in findings:
        row, severity = fingerprint(finding), finding["severity"]
        rows[row] = min(severity, rows.get(row, severity), key=SEVERITIES.index)
    lines = [
        json.dumps({**dict(zip(("path", "key", "code", "texts"), row, strict=True)), "severity": rows[row]}, ensure_ascii=False)
        for row in sorted(rows)
    ]
    body = ",\n".join(f"  {line}" for line in lines)
    path.write_text(f'{{"version": 1, "findings": [\n{body}\n]}}\n' if rows else '{"version": 1, "findings": []}\n', "utf-8")
    return len(rows)
