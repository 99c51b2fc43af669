"""Campaign files and logs of Pearmut: texts and places survive the way there and back, and broken logs are named."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.campaigns import (
    Campaign,
    CampaignItem,
    ErrorSpan,
    JudgementLog,
    campaign_json,
    check_campaign_names,
    read_judgements,
)
from app.documents.campaigns.shown_text import ShownText, guarded_form, plain_form
from app.errors import InputError

# `contentToCharSpans` and `isMediaContent` of Pearmut 1.1.6.
ACTIVE = re.compile(r"</?(?:br|strong|b|i|p|em|h1|h2|h3)>")
MEDIA = ("<audio ", "<video ", "<img ", "<iframe ")
PARTS = [
    "<",
    "</",
    "<b>",
    "</b>",
    "<br>",
    "<img ",
    "<iframe src=x>",
    "<h1>",
    "<h4>",
    "\u2060",
    ">",
    "b",
    " ",
    "&lt;",
    "é",
    "中",
    "😀",
    "👩‍🚀",
]
TEXTS = st.lists(st.sampled_from(PARTS) | st.characters(codec="utf-8"), max_size=12).map("".join)


@given(TEXTS)
def test_a_text_has_no_active_tag_and_comes_back(text: str) -> None:
    form = guarded_form(text)
    assert not ACTIVE.search(form) and not form.startswith(MEDIA)
    assert plain_form(form) == text
    assert form.replace("\u2060", "") == text.replace("\u2060", "")


@given(TEXTS, st.data())
def test_places_come_back(text: str, data: st.DataObject) -> None:
    shown_text = ShownText.of(text)
    assert shown_text.form == guarded_form(text)
    units = shown_text.form.encode("utf-16-le")
    assert shown_text.length == len(units) // 2
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    first, last = shown_text.to_units(start, end)
    assert units[2 * first : 2 * last + 2].decode("utf-16-le").replace("\u2060", "") == text[start:end].replace("\u2060", "")
    assert shown_text.to_characters(first, last) == (start, end)


def entry(item: dict[str, Any], answer: Any, **members: Any) -> dict[str, Any]:
    return {"annotation": [answer], "actions": [], "item": [item], "user_id": "ann", "item_i": 0, **members}


def lines(*entries: Any) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in entries).encode()


def item_json(item: CampaignItem) -> dict[str, Any]:
    found: dict[str, Any] = campaign_json(Campaign("c", [[item]]))["data"][0][0][0]
    return found


ITEM = item_json(CampaignItem(7, "Eins <b>zwei</b>", {"x": "One <b>two</b>", "y": "Three"}, predictions={"x": 0.5}))
ANSWER = {"x": {"score": 80, "error_spans": []}, "y": {"score": 20, "error_spans": []}}
CHECK = item_json(
    CampaignItem(9, "Eins", {"attention-damaged": "One some two"}, damaged_name="attention-damaged", damage=ErrorSpan(4, 8))
)
CHECK_ANSWER = {"attention-damaged": {"score": 10, "error_spans": []}}


@given(TEXTS, st.dictionaries(st.sampled_from(["a", "b", "c"]), TEXTS, min_size=1))
def test_a_campaign_and_its_log_hold_the_texts_of_the_input(source: str, translations: dict[str, str]) -> None:
    item = item_json(CampaignItem(1, source, translations))
    answer = {name: {"score": 1, "error_spans": []} for name in translations}
    log = read_judgements(lines(entry(json.loads(json.dumps(item)), answer)), "log")
    assert {row.system: row.translation for row in log.judgements} == translations
    assert {row.source for row in log.judgements} == {source}


def test_both_forms_of_a_log_are_one() -> None:
    rows = [entry(ITEM, ANSWER), entry(CHECK, CHECK_ANSWER, item_i=1, validations=[False])]
    download = json.dumps({"campaign": rows}).encode()
    pretty = json.dumps({"campaign": rows}, indent=1).encode()
    log = read_judgements(lines(*rows), "log")
    assert log == read_judgements(download, "log") == read_judgements(pretty, "log")
    assert [(row.segment, row.system, row.score, row.prediction) for row in log.judgements] == [
        ("7", "x", 80, 0.5),
        ("7", "y", 20, None),
    ]
    assert log.checks == {"ann": (0, 1)}


def test_everything_is_counted() -> None:
    half = {"x": {"score": None, "error_spans": []}, "y": {"score": 3, "error_spans": []}}
    form = {"annotation": ["x"], "item": [{"text": "Age?", "form": "string"}], "user_id": "ann", "item_i": "welcome_0"}
    log = read_judgements(
        lines(
            entry(ITEM, ANSWER), entry(ITEM, half), entry(ITEM, None, item_i=3), entry(CHECK, CHECK_ANSWER, item_i=4), form,
            entry(ITEM, ANSWER, user_id="bob"), {"user_id": "bob", "annotation": "__RESET__"}, entry(ITEM, ANSWER, user_id="bob"),
        ),
        "log",
    )  # fmt: skip
    assert [(row.annotator, row.system, row.score) for row in log.judgements] == [
        ("ann", "y", 3),
        ("bob", "x", 80),
        ("bob", "y", 20),
    ]
    # One translation is without a score, and a whole page of two.
    assert (log.skipped, log.replacements, log.unanswered_checks, log.forms, log.checks) == (3, 2, 1, 1, {})


def test_a_campaign_of_another_maker() -> None:
    item = {"src": "<b>a</b>", "tgt": {"m": "<b>one</b> two"}}
    span = {"start_i": 3, "end_i": 5, "severity": "minor", "category": None}
    end = {"start_i": 14, "end_i": 14, "severity": "major", "category": None}
    log = read_judgements(lines(entry(item, {"m": {"score": 5.5, "error_spans": [span, end]}})), "log")
    (row,) = log.judgements
    assert (row.source, row.translation, row.spans, row.missing) == ("<b>a</b>", "<b>one</b> two", (ErrorSpan(3, 6, "minor"),), 1)


@pytest.mark.parametrize(
    ("raw", "code", "place"),
    [
        (b"", "empty-input", ""),
        (b"\n \n", "empty-input", ""),
        (b"not json", "invalid-document", ""),
        (b"[1, 2]", "invalid-document", ""),
        (b'{"campaign": [1]}', "invalid-document", "entry 1"),
        (b"\xff\xfe\x00", "invalid-encoding", ""),
        (lines(entry(ITEM, ANSWER)) + b"half a li", "invalid-document", "entry 2"),
        (lines(entry(ITEM, {"x": {"score": "80"}})), "invalid-document", "entry 1"),
        (lines(entry(ITEM, {"x": {"score": float("inf")}})), "invalid-document", "entry 1"),
        (lines({**entry(ITEM, ANSWER), "item": []}), "invalid-document", "entry 1"),
        (lines({**entry(ITEM, ANSWER), "user_id": 3}), "invalid-document", "entry 1"),
        (lines(entry({"src": "a"}, ANSWER)), "invalid-document", "entry 1"),
        (lines(entry(ITEM, {"x": {"score": 1, "error_spans": [{"start_i": 4, "end_i": 2}]}})), "invalid-document", "entry 1"),
        (lines(entry(ITEM, {"x": {"score": 1, "error_spans": 4}})), "invalid-document", "entry 1"),
        (lines(entry({**ITEM, "src": "\ud800"}, ANSWER)), "invalid-document", "entry 1"),
        (lines(entry({**ITEM, "tgt": {"x": "a\0"}}, ANSWER)), "invalid-document", "entry 1"),
        (b"[" * 100_000, "invalid-document", ""),
        (b"{}" + b"[],{}" * 300_000, "unsafe-document", ""),
    ],
)
def test_broken_logs(raw: bytes, code: str, place: str) -> None:
    with pytest.raises(InputError) as error:
        read_judgements(raw, "log.jsonl")
    assert error.value.code == code and place in error.value.detail and "log.jsonl" in str(error.value)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda part: st.lists(part, max_size=3) | st.dictionaries(
    st.sampled_from(["annotation", "item", "user_id", "item_i", "validations", "tgt", "score", "error_spans", "start_i", "end_i", "x"]), part, max_size=4
), max_leaves=12))  # fmt: skip
def test_no_log_ends_in_another_error(value: Any) -> None:
    for raw in (lines({**entry(ITEM, ANSWER), "annotation": value}), lines({**entry(ITEM, ANSWER), "item": value}), lines({"user_id": "a", "x": value}),
                json.dumps({"c": value}).encode(), lines(entry({"tgt": {"x": "a"}}, {"x": value}))):  # fmt: skip
        try:
            assert isinstance(read_judgements(raw, "log"), JudgementLog)
        except InputError as error:
            assert error.code == "invalid-document"


@pytest.mark.parametrize("name", ["12", "a<b", 'a"b', "__proto__", "", "attention-x", "a\nb", "x" * 101])
def test_names_that_the_page_cannot_have(name: str) -> None:
    with pytest.raises(InputError):
        check_campaign_names("fine", [name])


@pytest.mark.parametrize("campaign_id", ["../x", "", ".", "a/b", "a b", ".hidden"])
def test_ids_that_are_no_file_names(campaign_id: str) -> None:
    with pytest.raises(InputError):
        check_campaign_names(campaign_id, ["fine"])


def test_fair_names() -> None:
    check_campaign_names("wmt25_#_en-cs_CZ", ["online-A.0", "LMU-nmt-reranked.4934", "Система 1", "gpt-5 (large)"])
