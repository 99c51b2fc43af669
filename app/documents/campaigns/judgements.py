"""Judgements from Pearmut's logs: the lines that its server writes, or the file that its dashboard downloads."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

from app.documents.campaigns.campaign import ITEM_MEMBER, ErrorSpan
from app.documents.campaigns.shown_text import ShownText, plain_form
from app.errors import InputError
from app.text.reading.lines import decode_text
from app.text.reading.objects import has_many_small

__all__ = ["Judgement", "JudgementLog", "read_judgements"]

Json = dict[str, Any]
# Pearmut's marker for a task that starts again: earlier entries of the annotator do not count.
RESET: Final = "__RESET__"
# JSON can escape characters that text may not hold.
FORBIDDEN_CHARACTER: Final = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True)
class Judgement:
    """A person's score of a translation, with marked errors; `missing` is the number of marks of missing text."""

    segment: str
    source: str
    system: str
    translation: str
    annotator: str
    score: float
    spans: tuple[ErrorSpan, ...]
    missing: int
    prediction: float | None


@dataclass
class JudgementLog:
    """Judgements, and counts of further contents of logs.

    `checks` has passed and finished attention checks by annotator; `skipped` counts translations without a score, `replacements`
    entries that the annotator replaced or reset, `forms` answered forms.
    """

    judgements: list[Judgement] = field(default_factory=list)
    checks: dict[str, tuple[int, int]] = field(default_factory=dict)
    unanswered_checks: int = 0
    skipped: int = 0
    replacements: int = 0
    forms: int = 0


def read_judgements(raw: bytes, name: str) -> JudgementLog:
    """Judgements of a log; the last entry of an annotator about an item counts. InputError names the entry, from 1 on."""
    log = JudgementLog()
    tasks: dict[tuple[str, str], dict[str, tuple[int, Json]]] = {}
    for number, campaign, entry in _entries(raw, name):
        annotator = entry.get("user_id")
        if not isinstance(annotator, str):
            raise _broken(name, number, "it has no user_id")
        task = tasks.setdefault((campaign, annotator), {})
        if entry.get("annotation") == RESET:
            log.replacements += len(task)
            task.clear()
            continue
        item = json.dumps(entry.get("item_i"))
        log.replacements += item in task
        task[item] = number, entry
    for (_, annotator), task in tasks.items():
        for number, entry in task.values():
            _add_entry(log, annotator, entry, name, number)
    return log


def _entries(raw: bytes, name: str) -> Iterator[tuple[int, str, Json]]:
    """Number, campaign and object of each entry, from lines of JSON or one object with a list for each campaign."""
    if has_many_small(raw):
        raise InputError("unsafe-document", f"{name} has more objects and lists than a log of its length", (name,))
    text = decode_text(raw, name)
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        raise InputError("empty-input", f"{name} has no judgement", (name,))
    first = _parsed(lines[0])
    if isinstance(first, dict) and "user_id" in first:
        for number, line in enumerate(lines, 1):
            row = _parsed(line)
            if not isinstance(row, dict):
                raise _broken(name, number, "it is no object of JSON")
            yield number, "", row
        return
    campaigns = _parsed(text)
    if not isinstance(campaigns, dict) or not all(isinstance(rows, list) for rows in campaigns.values()):
        detail = f"{name} is no log of Pearmut; give data/annotations/ID.jsonl, or the annotations that its dashboard downloads"
        raise InputError("invalid-document", detail, (name,))
    number = 0
    for campaign, rows in campaigns.items():
        for row in rows:
            number += 1
            if not isinstance(row, dict):
                raise _broken(name, number, "it is no object of JSON")
            yield number, campaign, row


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _add_entry(log: JudgementLog, annotator: str, entry: Json, name: str, number: int) -> None:
    items, answers = entry.get("item"), entry.get("annotation")
    if not isinstance(items, list) or not isinstance(answers, list) or len(items) != len(answers):
        raise _broken(name, number, "its item and annotation are no lists of one length")
    if items and isinstance(items[0], dict) and "form" in items[0]:
        log.forms += 1
        return
    validations = entry.get("validations")
    results = iter(validations if isinstance(validations, list) else ())
    for item, answer in zip(items, answers, strict=True):
        if not isinstance(item, dict) or not isinstance(item.get("tgt"), dict):
            raise _broken(name, number, "an item has no translations")
        if item.get("validation"):
            _add_check(log, annotator, next(results, None))
        else:
            _add_answers(log, annotator, item, answer, name, number)


def _add_check(log: JudgementLog, annotator: str, result: Any) -> None:
    if not isinstance(result, bool):
        log.unanswered_checks += 1
        return
    passes, answers = log.checks.get(annotator, (0, 0))
    log.checks[annotator] = passes + result, answers + 1


def _add_answers(log: JudgementLog, annotator: str, item: Json, answer: Any, name: str, number: int) -> None:
    extra = item.get(ITEM_MEMBER)
    members: Mapping[str, Any] = extra if isinstance(extra, dict) else {}
    predictions = members.get("predictions")
    for system, form in item["tgt"].items():
        response = answer.get(system) if isinstance(answer, dict) else None
        score = response.get("score") if isinstance(response, dict) else None
        if response is None or score is None:
            log.skipped += 1
            continue
        if isinstance(score, bool) or not isinstance(score, int | float) or not isfinite(score) or not isinstance(form, str):
            raise _broken(name, number, "a score is no number or a translation is no text")
        text = ShownText.of(plain_form(form)) if members else ShownText.of(form, guarded=False)
        spans, missing = _spans(response.get("error_spans"), text, name, number)
        source, segment = str(item.get("src", "")), str(item.get("item_id", f"entry {number}"))
        if FORBIDDEN_CHARACTER.search("".join((source, form, segment, system, annotator))):
            raise _broken(name, number, "a text has a NUL or a lone surrogate")
        prediction = predictions.get(system) if isinstance(predictions, dict) else None
        log.judgements.append(
            Judgement(
                segment,
                plain_form(source) if members else source,
                system,
                text.text,
                annotator,
                float(score),
                spans,
                missing,
                float(prediction) if isinstance(prediction, float | int) and isfinite(prediction) else None,
            )
        )


def _spans(rows: Any, text: ShownText, name: str, number: int) -> tuple[tuple[ErrorSpan, ...], int]:
    """Spans of the translation, and the number of marks behind it, which mean missing text."""
    spans: list[ErrorSpan] = []
    missing = 0
    for row in rows if isinstance(rows, list) else [] if rows is None else [rows]:
        first, last = (row.get("start_i"), row.get("end_i")) if isinstance(row, dict) else (None, None)
        if type(first) is not int or type(last) is not int or not 0 <= first <= last:
            raise _broken(name, number, "an error span has no places")
        if first >= text.length:
            missing += 1
            continue
        severity = row.get("severity")
        spans.append(ErrorSpan(*text.to_characters(first, last), severity if isinstance(severity, str) else None))
    return tuple(sorted(spans, key=lambda span: span.start)), missing


def _broken(name: str, number: int, detail: str) -> InputError:
    return InputError("invalid-document", f"{name}, entry {number}: {detail}; give a log of Pearmut 1.1", (name, number))
