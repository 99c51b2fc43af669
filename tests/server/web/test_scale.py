"""One scale a page, and the report: numbers in one unit, what is said of a job, and what is shown of its segments."""

import re
from typing import Any

import numpy as np
import pytest
from lxml import html
from starlette.requests import Request

from app.errors import InputError
from app.planning.bands import Band
from app.planning.confidence import confidence_of
from app.planning.terms import Terms
from app.planning.totals import document_answer, placing
from app.predictors import LABELS, Label
from app.predictors.labels import Scale, label_named
from app.server.service import KEYLESS_CALLER
from app.server.store import JobView
from app.server.web.charts import histogram_svg
from app.server.web.rendering import page
from app.server.web.report import ReportChoice, report_values, to_look_at
from app.server.web.scale import PageScale, assumption, class_accuracy
from app.server.web.texts import texts_for
from app.settings import ROOT

ENGLISH = texts_for("en")
CODE = {"code": "numbers", "source": ["12"], "translation": ["21"]}


def row(score: float, bad: float, words: int = 10, **more: Any) -> dict[str, Any]:
    counts = {"source_words": words, "source_tokens": words + 1, "translation_tokens": 3 * words}
    texts = {"source": "Casa <b>", "translation": "The house"}
    return {"score": score, "confidence": 1 - score, "bad_probability": bad, **counts, **texts, "warnings": [], **more}


ROWS = [row(0.1, 0.05), row(0.2, 0.06, warnings=[CODE]), row(0.6, 0.8, words=20), row(0.9, 0.9)]


PAID_BY_RISK = Terms(by_risk=True, currency="EUR", word_price=0.1)


# As the cards of shipped predictors declare it.
CRITICAL = label_named("critical", Scale(False, 0.0, 1.0, (0.0, 1.0), "probability of a critical error"))
ACCURACY = {"pearson": 0.61, "mae": 0.2, "segments": 1000}


def shown(
    terms: Terms = PAID_BY_RISK, warnings: bool = True, label: Label = LABELS["hter"], accuracy: Any = ACCURACY, **choice: Any
) -> Any:
    """The report of these rows as a page."""
    document = document_answer(ROWS, terms.of_label(label), warnings)
    summary = {
        "source_language": "ro",
        "target_language": "en",
        "model": "mine",
        "label": label.name,
        "interval": 0.9,
        "document": document,
    }
    job = JobView(
        id="00000000000000000000000000000000",
        kind="quality",
        state="succeeded",
        params={"file": {"name": "a.xlf"}},
        done=4,
        total=4,
        created=0.0,
        started=0.0,
        finished=86400.0 * 365,
        error=None,
        summary=summary,
        rate=None,
        idle=0.0,
        cancel_requested=False,
        owner="Ana",
    )
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/x",
        "query_string": b"",
        "headers": [],
        "server": ("x", 80),
        "scheme": "http",
    }
    request = Request({**scope, "caller": KEYLESS_CALLER})
    chosen = ReportChoice(**choice)
    scale = PageScale(chosen.scale, label, ENGLISH)
    rows = [{**each, **placing(document)(each)} for each in ROWS]
    answer = page(
        request,
        "report.html",
        **report_values(job, rows, {3: {"text": "The big house", "assessment": None}}, accuracy, scale, chosen),
    )
    return html.fromstring(bytes(answer.body).decode())


def text_of(element: Any) -> str:
    return " ".join(" ".join(element.itertext()).split())


def test_the_report_says_of_what_by_whom_when_and_how_sure() -> None:
    report = shown()
    summary = text_of(report.find_class("summary")[0])
    for said in (
        "a.xlf",
        "Romanian → English",
        "1971-01-01",
        "Ana",
        "mine",
        "correlation 0.61, mean error 20 %, on 1,000 segments",
    ):
        assert said in summary, said
    # 10, 10, 20 and 10 words at .1, .2, .6 and .9, weighted alike by words and by translations: 24 of 50.
    assert "Words to edit 48 %" in summary and "about 24 in 50 source words" in summary
    # The second has a warning, the third is corrected, the fourth may not pass.
    assert "To review 2" in summary and "Corrected 1" in summary
    # The first 10 words pass, the second's 10 have a warning and are light, 30 are worse than .3: 2.7 and 22.5 words, 2.52 euros.
    assert "Total 4 50 25.2 2.52" in summary and "at most 10 % of them" in summary
    assert len(report.find_class("full")[0].findall("tbody/tr")) == 4
    assert "The big house" in text_of(report.find_class("full")[0]) and "Casa <b>" in text_of(report.find_class("full")[0])


@pytest.mark.parametrize(
    ("choice", "numbers"),
    [
        ({"show": "look"}, ["2", "4"]),
        ({"show": "all", "threshold": "60%"}, ["3", "4"]),
        ({"show": "all", "threshold": "0,2", "scale": "quality"}, ["4"]),
        ({"show": "look", "threshold": "0.9"}, ["4"]),
        ({"show": "none"}, []),
        ({"show": "all", "threshold": "1"}, []),
    ],
)
def test_segments_are_shown_by_choice(choice: dict[str, Any], numbers: list[str]) -> None:
    assert [text_of(each) for each in shown(**choice).xpath("//table[contains(@class, 'full')]/tbody/tr/th")] == numbers


def test_everything_is_on_one_scale() -> None:
    own, quality = text_of(shown()), text_of(shown(scale="quality"))
    assert "Words to edit 48 %" in own and "light 30 % 1" in own and "48 %" not in quality
    # The mean of .1, .2, .6 and .9, of which the third is twice as long as each other.
    assert "without that it would be 45 %" in own and "without that it would be 0.55, the number in your files" in quality
    assert "Quality 0.52" in quality and "light 0.70 1" in quality and "Expected edits" not in quality
    with pytest.raises(InputError) as refused:
        shown(threshold="x")
    assert refused.value.where == ("threshold",)


def test_numbers_of_two_classes_are_called_probabilities() -> None:
    assert PageScale("own", CRITICAL, ENGLISH).title == "Probability of a critical error"
    assert PageScale("own", CRITICAL, texts_for("fr")).title == "Probabilité d’une erreur critique"
    assert PageScale("own", LABELS["origin"], ENGLISH).title == "Probability of a person"
    assert PageScale("own", LABELS["da"], ENGLISH).title == "Human rating, z-score"
    assert not PageScale("own", CRITICAL, ENGLISH).has_ranges and PageScale("own", LABELS["likert"], ENGLISH).has_ranges
    assert "Probability of a critical error" in histogram_svg([0.1, 0.9], CRITICAL, ENGLISH)


def test_a_report_of_critical_errors_says_what_they_are_and_what_the_model_finds() -> None:
    grades = [{"grade": 0.0, "recall": 0.9, "precision": 0.8}, {"grade": 1.0, "recall": 0.452, "precision": 0.52}]
    report = text_of(shown(Terms(by_risk=True, error_rate=0.1), label=CRITICAL, accuracy={**ACCURACY, "grades": grades}))
    assert (
        "finds 45 % of the critical errors; 52 % of its alarms are right (probability of 0.50 or more, on 1,000 segments" in report
    )
    assert "1 segment can skip review; 0.1 are expected to have a critical error." in report
    assert "at most 10 % of them are expected to have a critical error." in report
    assert "worse than" not in report and "correlation" not in report and "range" not in report
    unstated = text_of(shown(Terms(by_risk=True), label=CRITICAL))
    assert "skip review" not in unstated and "unseen" not in unstated and "correlation 0.61" in unstated


def test_where_a_card_has_no_classes_its_correlation_of_them_is_told() -> None:
    critical = PageScale("own", CRITICAL, ENGLISH)
    unfound = [{"grade": 1.0, "recall": 0.0, "precision": None}]
    assert class_accuracy({**ACCURACY, "grades": unfound, "mcc": 0.31}, critical).startswith("Matthews correlation 0.31, on 1,000")
    assert class_accuracy({**ACCURACY, "grades": unfound}, critical) == ""
    assert class_accuracy({**ACCURACY, "mcc": 0.31}, PageScale("own", LABELS["hter"], ENGLISH)) == ""


@pytest.mark.parametrize("name", LABELS)
def test_limits_of_bands_are_found_again_in_the_unit(name: str) -> None:
    scale = PageScale("own", LABELS[name], ENGLISH)
    for confidence in (0.2, 0.5, 0.8):
        assert confidence_of(LABELS[name], np.array([scale.score_at(confidence)]))[0] == pytest.approx(confidence, abs=1e-3)


def test_zero_has_no_sign_and_decimals_are_the_languages() -> None:
    scale = PageScale("own", LABELS["da"], ENGLISH)
    assert scale.say(-0.001) == scale.say(-0.0) == scale.limit(0.5) == "0.00"
    assert PageScale("quality", LABELS["hter"], texts_for("de")).say(0.25) == "0,75"


def test_what_a_person_would_look_at() -> None:
    assert to_look_at({"accept": False}, False, True) and to_look_at({"accept": True, "warnings": [CODE]}, False, True)
    assert not to_look_at({"accept": True, "warnings": []}, False, True) and not to_look_at({"accept": False}, True, True)
    assert not to_look_at({}, False, True)


def test_a_report_lists_severe_warnings_first(monkeypatch: pytest.MonkeyPatch) -> None:
    severe = row(0.1, 0.05, warnings=[{**CODE, "severity": "error"}])
    monkeypatch.setattr("tests.server.web.test_scale.ROWS", [row(0.9, 0.9), severe, row(0.2, 0.06)])
    report = shown()
    assert report.xpath("//table[@class='plain full']//tbody//th/text()") == ["2", "1", "3"]
    assert [chip.text for chip in report.xpath("//span[@class='chip severe']")] == ["numbers (error): 12, 21"]


def test_where_no_risk_was_stated_only_warnings_are_told() -> None:
    assert to_look_at({"warnings": [CODE]}, True, False) and not to_look_at({"warnings": []}, False, False)
    bands = (Band("good", 0.8, 0.3), Band("rest", 0.0, 1.0))
    report = text_of(shown(Terms(bands=bands), show="look"))
    assert "With a warning 1 Corrected 1" in report and "o review" not in report
    # Nobody asked for warnings either: there is nothing to count, or to choose.
    bare = shown(Terms(bands=bands), warnings=False)
    assert "With a warning" not in text_of(bare) and bare.xpath("//select[@name='show']/option/@value") == ["all", "none"]


@pytest.mark.parametrize(
    ("language", "text"), [("de", "30\u00a0%. Die Faktoren sind"), ("fr", "30\u202f%. Les taux sont"), ("zh", "30%。计费比例")]
)
def test_what_is_assumed_is_written_as_the_language_does(language: str, text: str) -> None:
    document = document_answer(ROWS, Terms(by_risk=True, currency="Fr.", word_price=0.125).of_label(LABELS["hter"]), True)
    written = assumption(document, PageScale("own", LABELS["hter"], texts_for(language)))
    assert text in written
    assert ("0.125 Fr." if language == "zh" else "0,125 Fr.") in written


def test_nothing_wavy_is_printed() -> None:
    """Chromium prints a wavy line curve by curve: 2,000 segments took minutes."""
    printed = (ROOT / "app" / "server" / "web" / "static" / "document.css").read_text("utf-8").partition("@media print")[2]
    marks = re.search(r"\bmark \{([^}]*)\}", printed)
    assert marks is not None and "text-decoration: underline solid" in marks[1]
