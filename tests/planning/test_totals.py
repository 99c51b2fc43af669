"""Totals of documents: closed forms over rows."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.planning.bands import Band
from app.planning.terms import Terms
from app.planning.totals import document_answer, placing

BANDS = (Band("good", 0.5, 0.5), Band("poor", 0.0, 1.0))
ROWS = st.fixed_dictionaries(
    {
        "score": st.floats(-3, 3),
        "confidence": st.floats(0, 1),
        "source_tokens": st.integers(0, 50),
        "translation_tokens": st.integers(0, 50),
        "source_words": st.integers(0, 50),
        "bad_probability": st.floats(0, 1),
        "warnings": st.lists(st.sampled_from([{"code": "numbers"}, {"code": "names"}]), max_size=2),
    }
)


@given(st.lists(ROWS))
def test_sums_and_means(rows: list[dict[str, object]]) -> None:
    plain = document_answer(iter(rows))
    assert set(plain) == {
        "score", "weighted_score", "confidence", "segments", "source_tokens", "translation_tokens", "source_words",
    }  # fmt: skip
    assert plain["segments"] == len(rows)
    for name in ("source_tokens", "translation_tokens", "source_words"):
        assert plain[name] == sum(row[name] for row in rows)
    if not rows:
        assert plain["score"] is plain["weighted_score"] is plain["confidence"] is None
        return
    # An empty translation weighs as much as its source; rows without any text count where no row has one.
    weights = [row["translation_tokens"] or row["source_tokens"] for row in rows]
    texts = [row for row, weight in zip(rows, weights, strict=True) if weight] or rows
    assert plain["score"] == pytest.approx(math.fsum(row["score"] for row in texts) / len(texts), abs=1e-6)
    total = math.fsum(row["score"] * weight for row, weight in zip(rows, weights, strict=True))
    weighted = total / sum(weights) if any(weights) else plain["score"]
    assert plain["weighted_score"] == pytest.approx(weighted, abs=2e-6)


@given(st.lists(ROWS, min_size=1), st.floats(0.01, 0.9))
def test_what_is_asked_for_is_added(rows: list[dict[str, object]], rate: float) -> None:
    answer = document_answer(rows, Terms(BANDS, at_worst=0.3, error_rate=rate), True)
    assert sum(band["segments"] for band in answer["bands"]) == len(rows)
    assert sum(band["source_words"] for band in answer["bands"]) == answer["source_words"]
    paid = sum(row["source_words"] * (0.5 if row["confidence"] >= 0.5 else 1.0) for row in rows)
    assert sum(band["paid_words"] for band in answer["bands"]) == pytest.approx(paid, abs=0.02)
    assert sum(answer["warnings"].values()) == sum(len(row["warnings"]) for row in rows)
    passing = [row for row in rows if placing(answer)(row)["accept"]]
    assert len(passing) == answer["acceptance"]["accepted"]
    assert answer["acceptance"]["expected_errors"] == pytest.approx(sum(row["bad_probability"] for row in passing), abs=1e-6)
    assert placing(document_answer(rows))(rows[0]) == {}


def test_style_alone_stops_nothing_and_a_text_read_in_part_never_passes() -> None:
    row = {
        "score": 0.1, "confidence": 0.9, "source_tokens": 5, "translation_tokens": 5, "source_words": 5, "bad_probability": 0.01,
    }  # fmt: skip
    style, number = ({"code": code, "severity": severity} for code, severity in (("spaces", "info"), ("numbers", "warning")))
    rows = [{**row, "warnings": [style]}, {**row, "warnings": [number]}, {**row, "warnings": [], "truncated": True}]
    answer = document_answer(rows, Terms(BANDS, at_worst=0.3, error_rate=0.1), True)
    assert [placing(answer)(each)["accept"] for each in rows] == [True, False, False]


def test_empty_translations_and_blank_rows() -> None:
    row = {"score": 0.2, "confidence": 0.8, "source_tokens": 4, "translation_tokens": 4, "source_words": 4}
    empty = {**row, "score": 1.0, "confidence": 0.0, "translation_tokens": 0}
    blank = {**row, "source_tokens": 0, "translation_tokens": 0, "source_words": 0}
    assert document_answer([row, empty])["weighted_score"] == pytest.approx(0.6)
    answer = document_answer([{**row, "score": 0.6, "confidence": 0.4}, blank])
    assert (answer["score"], answer["weighted_score"], answer["confidence"], answer["segments"]) == (0.6, 0.6, 0.4, 2)
