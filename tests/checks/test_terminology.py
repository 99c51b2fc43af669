"""The check of terms: missing ones are warnings, forbidden ones errors, each with its places."""

from app.checks import SegmentWarning, segment_warnings
from app.documents.glossaries import Glossary, Term
from app.features.view import PairResources, View
from app.text import LanguagePair
from app.text.batch import SegmentBatch
from app.text.tokenisation import tokeniser_for

PAIR = LanguagePair("en", "de")
GLOSSARY = Glossary((Term("folder", ("Ordner",), ("Verzeichnis",)), Term("user", ("Anwender", "Nutzer"))))


def warnings_of(source: str, translation: str, glossary: Glossary | None = GLOSSARY) -> list[SegmentWarning]:
    batch = SegmentBatch.build(tokeniser_for("en"), tokeniser_for("de"), [source], [translation])
    return list(segment_warnings(View(batch, PairResources(PAIR)), glossary)[0])


def test_a_missing_term_is_a_warning_with_its_place() -> None:
    (warning,) = warnings_of("Open the folders.", "Öffnen Sie die Mappe.")
    expected = SegmentWarning("terminology", ("folders",), (), severity="warning", source_spans=((9, 16),), expected=("Ordner",))
    assert warning == expected
    assert warnings_of("Open the folders.", "Öffnen Sie die Mappe.", None) == []


def test_a_forbidden_term_is_an_error_with_both_places() -> None:
    (warning,) = warnings_of("Open the folders for users.", "Öffnen Sie die Verzeichnisse für die Nutzerinnen.")
    assert (warning.severity, warning.source, warning.translation) == ("error", ("folders",), ("Verzeichnisse",))
    assert (warning.source_spans, warning.translation_spans, warning.expected) == (((9, 16),), ((15, 28),), ("Ordner",))


def test_words_of_programs_are_no_terms() -> None:
    assert warnings_of("Delete {user} now.", "Jetzt {user} löschen.") == []
    assert [warning.code for warning in warnings_of("Delete {user} of the user now.", "Jetzt {user} löschen.")] == ["terminology"]


def test_places_are_those_of_the_text_beside_placeholders() -> None:
    source, translation = "{count} of <b>the</b> folders", "{count} der <b>Verzeichnisse</b>"
    (warning,) = [warning for warning in warnings_of(source, translation) if warning.code == "terminology"]
    assert [source[start:end] for start, end in warning.source_spans] == ["folders"]
    assert [translation[start:end] for start, end in warning.translation_spans] == ["Verzeichnisse"]


def test_copies_and_empty_texts_have_other_warnings() -> None:
    texts = ("Open the folder and save your changes.", "")
    assert "terminology" not in {warning.code for warning in warnings_of(*texts)}
    assert "terminology" not in {warning.code for warning in warnings_of(texts[0], texts[0])}
