"""Baselines: findings that a project knows, in a committed file, so that only new ones fail."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from app.errors import InputError

__all__ = ["fingerprint", "read_baseline", "write_baseline"]

OPTION: Final = "--baseline"
DIGITS: Final = 16
Fingerprint = tuple[str, str, str, str]


def fingerprint(finding: Mapping[str, Any]) -> Fingerprint:
    """Path, key and code of a finding, with a digest of both texts: other lines of the file may move."""
    digest = hashlib.sha256(f"{finding['source']}\0{finding['translation']}".encode()).hexdigest()
    return finding["path"], finding["key"], finding["code"], digest[:DIGITS]


def read_baseline(path: Path) -> frozenset[Fingerprint]:
    """Fingerprints in a file. InputError for a file of another form."""
    try:
        rows = json.loads(path.read_text("utf-8"))["findings"]
        return frozenset((row["path"], row["key"], row["code"], row["texts"]) for row in rows)
    except OSError as error:
        detail = f"{path} cannot be read: {error.strerror}; write it with --update-baseline"
        raise InputError("invalid-request", detail, (OPTION,)) from None
    except (ValueError, KeyError, TypeError):
        raise InputError("invalid-request", f"{path} is no baseline; write it with --update-baseline", (OPTION,)) from None


def write_baseline(path: Path, findings: Iterable[Mapping[str, Any]]) -> int:
    """Write the fingerprints of findings, sorted, one per line; return their number."""
    rows = sorted(set(map(fingerprint, findings)))
    lines = [json.dumps(dict(zip(("path", "key", "code", "texts"), row, strict=True)), ensure_ascii=False) for row in rows]
    body = ",\n".join(f"  {line}" for line in lines)
    path.write_text(f'{{"version": 1, "findings": [\n{body}\n]}}\n' if rows else '{"version": 1, "findings": []}\n', "utf-8")
    return len(rows)
