"""Rows of answers as rows of a table: what has parts of its own becomes columns or text."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["columns_of_rows", "flat_row"]


def columns_of_rows(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The names of all these rows, in the order in which they first come: not every row has every column."""
    return list(dict.fromkeys(name for row in rows for name in row))


def flat_row(row: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Columns of a row: intervals become two columns, features one each, words and tags one, rankings best, score, order.

    A name is not enough: what an operation calls words may be their number. Other nested values become JSON.
    """
    for key, value in row.items():
        if key in ("interval", "confidence_interval") and isinstance(value, list):
            stem = "" if key == "interval" else f"{key}_"
            yield f"{stem}low", value[0]
            yield f"{stem}high", value[1]
        elif key == "interval" and value is None:
            yield from (("low", ""), ("high", ""))
        elif key == "features" and isinstance(value, dict):
            yield from value.items()
        elif key in ("percentiles", "deviations") and isinstance(value, dict):
            yield from ((f"{key[:-1]}_{name}", number) for name, number in value.items())
        elif key == "order" and _all_have(value, "system", "score"):
            yield "best", value[0]["system"]
            yield "best_score", value[0]["score"]
            yield "order", " ".join(f"{entry['system']}={entry['score']}" for entry in value)
            warning_cells = [f"{entry['system']}={warning['code']}" for entry in value for warning in entry.get("warnings", ())]
            if _all_have(value, "warnings"):
                yield "warnings", " ".join(warning_cells)
        elif key in ("warnings", "reasons") and _all_have(value, "code"):
            yield key, " ".join(warning["code"] for warning in value)
        elif key == "warnings" and isinstance(value, dict):
            yield key, " ".join(f"{code}={count}" for code, count in value.items())
        elif key == "texts" and isinstance(value, dict):
            yield from ((f"translation_{name}", text) for name, text in value.items())
        elif key == "words" and _all_have(value, "text", "tag"):
            yield "words", " ".join(word["text"] for word in value)
            yield "word_tags", " ".join(word["tag"] for word in value)
        elif key == "gaps" and _all_have(value, "tag"):
            yield "gap_tags", " ".join(gap["tag"] for gap in value)
        elif key == "source_tags" and _all_have(value, "text", "tag"):
            yield "tagged_source", " ".join(word["text"] for word in value)
            yield "source_tags", " ".join(word["tag"] for word in value)
        elif _all_have(value, "feature", "contribution"):
            yield key, " ".join(f"{entry['feature']}={entry['contribution']}" for entry in value)
        elif isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
            yield key, " ".join(map(str, value))
        elif isinstance(value, dict | list):
            yield key, json.dumps(value, ensure_ascii=False, allow_nan=False)
        else:
            yield key, value


def _all_have(value: object, *names: str) -> bool:
    """Return True if a value is a list of objects with these names."""
    return isinstance(value, list) and all(isinstance(item, dict) and all(name in item for name in names) for item in value)
