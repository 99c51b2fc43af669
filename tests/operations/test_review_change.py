"""Quality of strings before and behind a change."""

import json
from typing import Any

import pytest
from httpx2 import Client
from hypothesis import given
from hypothesis import strategies as st

from app.operations.review.change import quality_change
from tests.shell.test_documented import PAIRS

CONFIDENCES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=10, max_size=30)
SOURCES = {f"k{k}": source for k, (source, _) in enumerate(PAIRS[:60])}
TRANSLATIONS = {f"k{k}": text for k, (_, text) in enumerate(PAIRS[:60])}
# Each source has the translation of another one.
SHUFFLED = dict(zip(TRANSLATIONS, [*list(TRANSLATIONS.values())[1:], TRANSLATIONS["k0"]], strict=True))


def review(client: Client, before: dict[str, str], after: dict[str, str], **options: Any) -> dict[str, Any]:
    files = [
        {"path": "ro.json", "text": json.dumps(SOURCES)},
        {"path": "en.json", "text": json.dumps(after), "old_text": json.dumps(before)},
    ]
    body = {"source_language": "ro", "files": files, "compare": True, **options}
    answer: dict[str, Any] = client.post("/v1/review", json=body).json()
    return answer


def test_other_translations_are_worse_and_back_again_better(client: Client) -> None:
    worse = review(client, TRANSLATIONS, SHUFFLED)["change"]
    better = review(client, SHUFFLED, TRANSLATIONS)["change"]
    assert (worse["outcome"], better["outcome"], worse["strings"]) == ("worse", "better", 60)
    assert (worse["before"], worse["after"]) == (better["after"], better["before"]) and worse["p_value"] < 0.01


def test_few_changes_say_nothing_and_new_strings_have_no_earlier_quality(client: Client) -> None:
    assert "change" not in review(client, TRANSLATIONS, {**TRANSLATIONS, "k1": f"{TRANSLATIONS['k1']}!"})
    assert "change" not in review(client, {"k0": TRANSLATIONS["k0"]}, TRANSLATIONS)
    assert "change" not in review(client, TRANSLATIONS, SHUFFLED, predict=False)


def test_a_change_for_the_worse_fails_if_asked(client: Client) -> None:
    few = dict.fromkeys(list(TRANSLATIONS)[:20])
    before, after = ({key: texts[key] for key in few} for texts in (TRANSLATIONS, SHUFFLED))
    ignore = [{"code": "*", "reason": "the quality alone"}]
    assert review(client, before, after, fail_if_worse=True, ignore=ignore)["verdict"] == "findings"
    assert review(client, before, after, ignore=ignore)["verdict"] == "clean"
    assert review(client, after, before, fail_if_worse=True, ignore=ignore)["verdict"] == "clean"


@pytest.mark.parametrize("options", [{"compare": False}, {"predict": False}])
def test_earlier_quality_needs_earlier_texts_and_predictions(client: Client, options: dict[str, Any]) -> None:
    answer = review(client, TRANSLATIONS, SHUFFLED, fail_if_worse=True, **options)
    assert answer["status"] == 422 and "compare and predict" in answer["detail"]


@given(CONFIDENCES)
def test_exchanged_versions_exchange_the_outcome(confidences: list[tuple[float, float]]) -> None:
    change = quality_change(confidences)
    exchanged = quality_change([(after, before) for before, after in confidences])
    assert change is not None and exchanged is not None
    outcomes = {"better": "worse", "worse": "better", "none": "none"}
    assert exchanged["outcome"] == outcomes[change["outcome"]] and exchanged["p_value"] == change["p_value"]
    low, high = change["interval"]
    assert exchanged["interval"] == pytest.approx((-high, -low), abs=1e-4)


@given(st.lists(st.floats(0, 1), min_size=10, max_size=30))
def test_equal_versions_are_never_better_or_worse(values: list[float]) -> None:
    change = quality_change([(value, value) for value in values])
    assert change is not None and change["outcome"] == "none" and change["p_value"] == 1.0
