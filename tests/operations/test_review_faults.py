"""Reviews of files with faults: broken sources and earlier texts, long strings, many translations of one source."""

import json

import pytest
from httpx2 import Client

from app.operations.review.across import findings_across
from app.operations.review.request import ReviewRequest
from app.operations.review.reviewed import ReviewString
from tests.operations.test_review import ENGLISH, GERMAN, codes, review

LONG = "a" * 25_000


def test_a_broken_source_is_named_once_at_its_own_place(client: Client) -> None:
    answer = review(
        client,
        {"en.json": '{"a": "Hi",\n "a": 1}', "de.json": GERMAN, "fr.json": GERMAN, "x/en.json": ENGLISH, "x/de.json": GERMAN},
    )
    [row] = answer["findings"]
    assert (row["path"], row["line"], row["column"], row["language"], row["code"]) == ("en.json", 2, 2, "en", "unreadable")
    assert answer["strings"] == 4


def test_a_broken_earlier_document_is_none(client: Client) -> None:
    po = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "Hello, %s"\nmsgstr "Hallo, %s"\n'
    body = {"files": [{"path": "de.po", "text": po, "old_text": 'msgid "a\nmsgstr'}], "predict": False, "compare": True}
    answer = client.post("/v1/review", json=body).json()
    assert (answer["verdict"], answer["strings"]) == ("clean", 1)


@pytest.mark.parametrize("side", ["en.json", "de.json"])
def test_a_long_string_is_a_finding(client: Client, side: str) -> None:
    files = {
        "en.json": json.dumps({"long": "Short", **ENGLISH}, indent=1),
        "de.json": json.dumps({"long": "Kurz", **GERMAN}, indent=1),
    }
    files[side] = json.dumps({**json.loads(files[side]), "long": LONG}, indent=1)
    answer = review(client, files)
    [row] = answer["findings"]
    assert (row["path"], row["key"], row["line"], row["code"], row["severity"]) == ("de.json", "long", 2, "unjudged", "error")
    assert "25000 characters; the limit is" in row["message"]
    assert (answer["strings"], answer["files"][0]["strings"], answer["files"][0]["judged_strings"]) == (4, 5, 4)


def test_long_strings_before_and_beside_a_change_do_not_matter(client: Client) -> None:
    old = {**GERMAN, "hi": LONG}
    answer = review(client, {"en.json": (ENGLISH, ENGLISH), "de.json": (old, GERMAN)}, compare=True)
    assert (answer["verdict"], answer["strings"]) == ("clean", 1)
    new = {**old, "n": "46 Dateien im Ordner"}
    assert codes(review(client, {"en.json": (ENGLISH, ENGLISH), "de.json": (old, new)}, compare=True)) == [("n", "numbers")]


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        ({"en": 0.99, "*": 0}, 0.99),
        ({"en": 0.2, "en-GB": 0.99}, 0.99),
        ({"EN_gb": 0.99}, 0.99),
        ({"fr": 1, "*": 0.99}, 0.99),
        ({"fr": 1}, None),
    ],
)
def test_a_limit_reaches_regions_of_its_language(limits: dict[str, float], limit: float | None) -> None:
    request = ReviewRequest.model_validate({"files": [{"path": "en-GB.json", "text": ""}], "min_quality": limits})
    assert request.quality_limit("en-GB") == limit


def test_one_path_is_one_file(client: Client) -> None:
    files = [{"path": "en.json", "text": "{}"}, {"path": "de.json", "text": "{}"}, {"path": "de.json", "text": "{"}]
    answer = client.post("/v1/review", json={"files": files})
    assert answer.status_code == 422 and "an earlier file has this path" in answer.text


def string(number: int, source: str = "Delete all the files", translation: str | None = None) -> ReviewString:
    return ReviewString("de.json", "de", str(number), "", source, translation or f"Text Nummer {number}", (number, 1, number, 9))


def test_each_of_many_translations_names_a_rival_without_findings() -> None:
    """The first string without findings is the rival of all others, and the second one its own."""
    strings = [string(number) for number in range(1, 6)]
    suspects = {("de.json", 1, 1), ("de.json", 3, 1)}
    rows = [row for row in findings_across(strings, "de", suspects) if row["code"] == "inconsistent"]
    assert [row["message"].split(" in ")[1] for row in rows] == ["de.json, line 2", "de.json, line 4", *["de.json, line 2"] * 3]
