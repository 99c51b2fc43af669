"""Terms: nothing is paid at 0 that may not pass unseen, totals are sums, and numbers are read as people type them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.checks import UNUSABLE, WARNINGS
from app.errors import InputError
from app.planning.band_lists import read_bands
from app.planning.bands import Band, check_bands
from app.planning.numerals import is_plain, number_of
from app.planning.terms import Terms, error_is_critical
from app.planning.totals import document_answer, placing
from app.predictors import LABELS
from app.predictors.labels import CRITICAL, Scale, label_named

ROW = st.fixed_dictionaries(
    {
        "score": st.floats(0, 1),
        "confidence": st.floats(0, 1),
        "source_tokens": st.just(3),
        "translation_tokens": st.just(3),
        "source_words": st.integers(0, 50),
        "bad_probability": st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.5, 0.9]),
        "warnings": st.lists(st.just({"code": "numbers"}), max_size=1),
    }
)
GIVEN = (Band("a", 0.9, 0.0), Band("b", 0.6, 0.3), Band("c", 0.3, 0.0), Band("d", 0.0, 1.0))


@given(st.lists(ROW, max_size=30), st.floats(0.01, 0.9), st.sampled_from(["risk", "given"]), st.floats(0, 3))
def test_nothing_is_paid_at_0_that_acceptance_does_not_let_pass(
    rows: list[dict[str, Any]], rate: float, basis: str, price: float
) -> None:
    asked = Terms(() if basis == "risk" else GIVEN, basis == "risk", None, rate, "EUR", price).of_label(LABELS["hter"])
    document = document_answer(rows, asked, warnings=True)
    rates = {band["name"]: band["rate"] for band in document["bands"]}
    segments, words = dict.fromkeys(rates, 0), dict.fromkeys(rates, 0.0)
    for row in rows:
        put = placing(document)(row)
        assert rates[put["band"]] > 0 or put["accept"]
        assert not (put["accept"] and row["warnings"])
        segments[put["band"]] += 1
        words[put["band"]] += row["source_words"]
    assert [(band["segments"], band["source_words"]) for band in document["bands"]] == [
        (segments[name], words[name]) for name in rates
    ]
    total = document["total"]
    assert total["segments"] == len(rows) and total["source_words"] == sum(row["source_words"] for row in rows)
    for name in ("paid_words", "paid"):
        assert total[name] == pytest.approx(sum(band[name] for band in document["bands"]), abs=1e-6)
    assert total["paid_words"] == pytest.approx(sum(words[name] * rates[name] for name in rates), abs=0.05)


def test_a_band_that_is_paid_nothing_asks_for_a_risk_and_the_sentence_says_which() -> None:
    asked = Terms(GIVEN).of_label(LABELS["hter"])
    assert (asked.at_worst, asked.error_rate) == (0.3, 0.1)
    assert Terms((Band("all", 0.0, 1.0),)).of_label(LABELS["hter"]).error_rate is None
    row = {"score": 0.05, "confidence": 0.95, "source_tokens": 1, "translation_tokens": 1, "source_words": 10}
    sure, unsure = {**row, "bad_probability": 0.02}, {**row, "bad_probability": 0.4}
    some = document_answer([sure], asked)
    assert some["terms"]["assumption"] == (
        "Only segments that can skip review are free: at most 10 % of them are expected to be worse than 0.3. "
        "The rates are yours, as shares of the price of a new word."
    )
    nothing = document_answer([unsure], asked)
    assert nothing["terms"]["unseen"] == "nothing" and nothing["total"]["paid_words"] == 3.0
    unknown = document_answer([row], Terms(by_risk=True).of_label(LABELS["time"]))
    assert unknown["terms"]["unseen"] == "unknown" and "acceptance" not in unknown
    assert [(band["name"], band["source_words"]) for band in unknown["bands"]] == [("unseen", 0), ("full", 10)]
    priced = document_answer([unsure], Terms(by_risk=True, currency="EUR", word_price=0.1).of_label(LABELS["hter"]))
    assert priced["total"] == {"segments": 1, "source_words": 10, "paid_words": 2.7, "paid": 0.27}
    assert priced["terms"]["assumption"].endswith("price of a new word. 0.1 EUR is the full price of a word.")


# As the cards of shipped predictors declare it.
CRITICAL_DECLARED = label_named("critical", Scale(False, 0.0, 1.0, (0.0, 1.0), CRITICAL.unit))


def test_critical_errors_are_called_so() -> None:
    row = {"score": 0.04, "confidence": 0.96, "source_tokens": 1, "translation_tokens": 1, "source_words": 10}
    terms = Terms(by_risk=True, error_rate=0.1).of_label(CRITICAL_DECLARED)
    assert Terms.from_json(terms.as_json()) == terms and terms.is_critical
    some = document_answer([{**row, "bad_probability": 0.04}], terms)["terms"]["assumption"]
    assert "at most 10 % of them are expected to have a critical error." in some and "worse than" not in some
    nothing = document_answer([{**row, "bad_probability": 0.4}], terms)["terms"]["assumption"]
    assert "more than 10 % are expected to have a critical error." in nothing and "worse than" not in nothing
    # Where even the worse class is no error, no error is critical.
    assert not error_is_critical(CRITICAL_DECLARED, 1.0) and not error_is_critical(LABELS["origin"], 1.0)
    assert not error_is_critical(label_named("critical", Scale(True, 0.0, 1.0, (0.0, 1.0))), 0.0)


def test_without_a_stated_risk_no_segment_skips_review_of_critical_errors() -> None:
    terms = Terms(by_risk=True).of_label(CRITICAL_DECLARED)
    assert [(band.name, band.at_least) for band in terms.bands] == [("light", 0.5), ("full", 0.0)]
    row = {"score": 0.01, "confidence": 0.99, "source_tokens": 1, "translation_tokens": 1, "source_words": 10}
    document = document_answer([{**row, "bad_probability": 0.01}], terms)
    assert "acceptance" not in document and document["terms"]["unseen"] == "all-paid" and document["total"]["paid_words"] == 2.7
    stated = Terms(by_risk=True, error_rate=0.05).of_label(CRITICAL_DECLARED)
    assert [band.name for band in stated.bands] == ["unseen", "light", "full"] and stated.at_worst == 0.0
    # Who writes a free band wants one.
    assert Terms(GIVEN).of_label(CRITICAL_DECLARED).error_rate == 0.1


def test_terms_survive_a_job() -> None:
    asked = Terms((), True, 0.2, 0.1, "EUR", 0.12).of_label(LABELS["hter"])
    assert Terms.from_json(asked.as_json()) == asked and asked.bands[1] == Band("light", 0.8, 0.27)


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.8", 0.8), ("0,8", 0.8), (" 10 % ", 0.1), ("7%", 0.07), ("12,5%", 0.125), ("-1", -1.0), ("1e-3", 0.001), ("0,8,3", None),
     ("1.000,5", None), ("nan", None), ("inf", None), ("1_0", None), ("", None), ("%", None), ("1" * 50, None)],
)  # fmt: skip
def test_numbers_are_read_as_people_type_them(text: str, number: float | None) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    "spec", ["good=0.8:0.3,rest=0:1", "good=0,8:0,3,rest=0:1", "good=0,8:0,3;rest=0:1", "good=80%:30%, rest=0%:100%"]
)
def test_lists_of_bands_with_points_commas_and_percentages(spec: str) -> None:
    bands = read_bands(spec, ("--bands",))
    assert bands == [{"name": "good", "at_least": 0.8, "rate": 0.3}, {"name": "rest", "at_least": 0.0, "rate": 1.0}]
    check_bands([Band(**band) for band in bands])


@pytest.mark.parametrize(
    "spec", ["good=0,8:0.3,rest=0:1", "good=0,8,3:1,rest=0", "good", "a=x", "a=1:2:3", "", ",", "a=", "a=0.5:"]
)
def test_lists_of_bands_that_could_mean_two_things_are_refused(spec: str) -> None:
    with pytest.raises(InputError) as refused:
        read_bands(spec, ("--bands",))
    assert "decimal" in refused.value.detail or "NAME=FROM:RATE" in refused.value.detail


def test_names_are_one_visible_line() -> None:
    assert is_plain("gut – 80 %") and is_plain("می\u200cخواهم") and is_plain("€")
    for text in ("", "  ", "a\nb", "a\tb", "a\u202eb", "a\u2066b", "a\x00", "\ud800", "a\u2028b", "\ufeff"):
        assert not is_plain(text), text


def test_what_is_no_translation_is_paid_in_full_and_what_has_another_warning_by_its_score() -> None:
    """A copy of the source, four words, at a quality of .9, beside a segment with a wrong number and a sound one."""
    row = {"score": 0.1, "confidence": 0.9, "source_words": 4, "source_tokens": 4, "translation_tokens": 4, "bad_probability": 0.01}
    rows = [{**row, "warnings": [{"code": code}] if code else []} for code in ("copied-source", "numbers", None)]
    document = document_answer(rows, Terms(by_risk=True).of_label(LABELS["hter"]), True)
    assert [(band["name"], band["source_words"]) for band in document["bands"]] == [("unseen", 4), ("light", 4), ("full", 4)]
    assert [placing(document)(row)["band"] for row in rows] == ["full", "light", "unseen"]
    assert WARNINGS.keys() > UNUSABLE


@pytest.mark.parametrize(("label", "worst"), [("hter", 30.0), ("hter", -1.0), ("likert", 0.5), ("effort", 6.0)])
def test_an_error_lies_in_the_range_of_its_label(label: str, worst: float) -> None:
    with pytest.raises(InputError, match="is none that") as refused:
        Terms(at_worst=worst).of_label(LABELS[label])
    assert refused.value.where == ("accept", "at_worst")
    assert Terms(at_worst=-7.0).of_label(LABELS["da"]).at_worst == -7.0
