"""Blanks, signs at the end, escapes, accelerators and lengths of translations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.checks import segment_warnings
from app.checks.meaning.lengths import unusual_length
from app.checks.structure_warnings import checked_structure
from app.features.view import PairResources, View
from app.text import LanguagePair
from app.text.batch import SegmentBatch
from app.text.tokenisation import tokeniser_for
from tests.growth import assert_grows_evenly

SENTENCE = "The museum opens at nine in the morning and closes late in the evening."


def severities(source: str, translation: str, pair: str = "en-de") -> dict[str, str]:
    """Severities of the warnings of structure by code."""
    first, second = pair.split("-")
    return {
        warning.code: warning.severity for warning in checked_structure(source, translation, LanguagePair(first, second)).warnings
    }


@pytest.mark.parametrize(
    ("source", "translation", "pair"),
    [
        ("Is it here?", "Είναι εδώ;", "en-el"),
        ("Is it here?", "هل هو هنا؟", "en-ar"),
        ("It is here.", "它在这里。", "en-zh"),
        ("It is here.", "यह यहाँ है।", "en-hi"),
        ("It is here.", "อยู่ที่นี่", "en-th"),
        ("Name:", "Nom\u00a0:", "en-fr"),
        ("Wait...", "Warten…", "en-de"),
        ("He said “yes.”", "Er sagte „ja.“", "en-de"),
        ("&File", "&Datei", "en-de"),
        ("E&xit", "Be&enden", "en-de"),
        ("&File", "ファイル(&F)", "en-ja"),
        ("_Open", "Ö_ffnen", "en-de"),
        ("Tom & Jerry", "Tom und Jerry", "en-de"),
        ("AT&T", "AT und T", "en-de"),
        ("R&D costs", "F&E-Kosten", "en-de"),
        ("Salt &amp; pepper", "Salz und Pfeffer", "en-de"),
        ("user_name is _not_ set", "user_name fehlt", "en-de"),
        (r"One\nTwo", r"Eins\nZwei", "en-de"),
        (r"C:\new", r"C:\new", "en-de"),
        ("10&nbsp;km", "10\u00a0km", "en-de"),
    ],
)
def test_right_texts_have_no_warning(source: str, translation: str, pair: str) -> None:
    assert severities(source, translation, pair) == {}


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("Name: ", "Name:", {"spaces": "info"}),
        ("One\nTwo", "Eins Zwei", {"spaces": "info"}),
        ("Is it here?", "Es ist hier.", {"punctuation": "info"}),
        ("It is here", "Es ist hier!", {"punctuation": "info"}),
        (r"One\nTwo", r"Eins\ nZwei", {"escapes": "error"}),
        (r"One\nTwo", "Eins, Zwei", {"escapes": "warning"}),
        ("10&nbsp;km", "10& nbsp;km", {"escapes": "error"}),
        ("10&nbsp;km", "10&nbspkm"[:7] + " km", {"escapes": "error"}),
        ("&File", "Datei", {"accelerators": "warning"}),
        ("E&xit", "&Be&enden", {"accelerators": "warning"}),
        ("_Open", "Öffnen", {"accelerators": "warning"}),
    ],
)
def test_faults_have_their_severity(source: str, translation: str, expected: dict[str, str]) -> None:
    assert severities(source, translation) == expected


@pytest.mark.parametrize(
    ("languages", "source", "translation", "severity"),
    [
        (("en", "de"), SENTENCE * 10, "Das Museum öffnet um neun Uhr morgens und schließt spät am Abend.", "error"),
        (("en", "de"), SENTENCE, "Das Museum öffnet um neun Uhr.", "warning"),
        (("en", "de"), SENTENCE, SENTENCE * 3, "warning"),
        (("en", "de"), SENTENCE, "Das Museum öffnet um neun Uhr morgens und schließt spät.", None),
        (("en", "zh"), SENTENCE, "博物馆早上九点开门，晚上很晚才关门。", None),
        (("en", "de"), "Open", "Das Programm öffnet die Datei", None),
        (("en", "tlh"), SENTENCE, "Heghlu'meH", None),
    ],
)
def test_lengths_count_by_language(languages: tuple[str, str], source: str, translation: str, severity: str | None) -> None:
    """German is 1.1 times as long as English, Chinese 0.3 times; Klingon has no figures."""
    warning = unusual_length(languages, source, translation)
    assert (None if warning is None else warning.severity) == severity


@given(st.text(max_size=60))
def test_a_text_beside_itself_is_right(text: str) -> None:
    assert not severities(text, text).keys() & {"spaces", "punctuation", "escapes", "accelerators"}
    assert unusual_length(("en", "en"), text, text) is None


@pytest.mark.parametrize("piece", ["&", "_a", "\\n", "& nbsp ", "&a;", ". ", "…", "\n"])
def test_time_grows_with_length(piece: str) -> None:
    assert_grows_evenly(lambda count: piece * count, lambda text: severities(f"a{text}", f"{text}b"), 20_000)


@pytest.mark.parametrize(
    ("source", "translation", "pair"),
    [
        ("{n, plural, one {# hour} other {# hours}}", "{n, plural, one {# hora} other {# horas}}", "en-es"),
        (
            "{n, plural, one {# item added.} other {# items added.}}",
            "{n, plural, one {# objekt tillagt.} other {# objekt tillagda.}}",
            "en-sv",
        ),
        ("{n, plural, one {# file{why}} other {# files{why}}}", "{n, plural, one {Datei #{why}} other {# Dateien{why}}}", "en-de"),
        ("Couldn't copy to clipboard.", "Kopieren in die Zwischenablage fehlgeschlagen.", "en-de"),
        ("Couldn't load library.", "Wystąpił błąd w trakcie ładowania biblioteki.", "en-pl"),
        ("Command is not available.", "Команда недоступна.", "en-ru"),
        ("{name}", "{name}", "en-de"),
        ("https://example.org", "https://example.org", "en-de"),
    ],
)
def test_strings_of_programs_that_people_translated_have_no_warning(source: str, translation: str, pair: str) -> None:
    """Keywords of messages are no words, failures express negations, and marks need no translation."""
    language_pair = LanguagePair.parse(pair)
    tokenisers = tokeniser_for(language_pair.source), tokeniser_for(language_pair.target)
    batch = SegmentBatch.build(*tokenisers, [source], [translation])
    assert segment_warnings(View(batch, PairResources(language_pair))) == [()]
