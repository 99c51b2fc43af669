"""Warnings of strings as they count in files, on cases from translation commits of public projects."""

import pytest

from app.operations.review.files import ReviewFile
from app.operations.review.judging import findings_of, judge_strings
from app.operations.review.reading.strings import read_strings
from app.operations.review.reviewed import ReviewString
from app.text.languages import LanguagePair

COPY = ("untranslated", "warning")


def codes(language: str, source: str, translation: str, plural: str = "") -> list[tuple[str, str]]:
    string = ReviewString("x", language, "key", plural, source, translation, (1, 1, 1, 2))
    [result] = judge_strings(None, LanguagePair("en", language), [string]).strings
    return [(row["code"], row["severity"]) for row in findings_of(result, None)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Password required", [COPY]),
        ("We weren't able to delete this item", [COPY]),
        ("The following {0, plural, one {item} other {items}} can't be deleted.", [COPY]),
        ("Customise the toolbar of this window", [COPY]),
        ("Cancel", [("untranslated", "info")]),
        ("Next &raquo;", [("untranslated", "info")]),
        ("ελληνικά", [("untranslated", "info")]),
        ("%d × %s", []),
        ("42", []),
    ],
)
@pytest.mark.parametrize("language", ["ru", "cy", "fil"])
def test_a_copy_waits_for_its_translation(language: str, source: str, expected: list[tuple[str, str]]) -> None:
    assert codes(language, source, source) == expected


def test_a_copy_of_an_earlier_source_waits_too() -> None:
    assert codes("de", "Choose a toolbar mode to customise", "Choose a toolbar mode to customize") == [COPY]


def test_a_translation_in_a_third_language_misleads() -> None:
    assert codes("de", "Journal abbreviation on save", "Abréviation du journal lors de la sauvegarde") == [
        ("wrong-language", "error")
    ]


def test_words_of_placeholders_have_no_script() -> None:
    assert codes("zh", "Edit %entity_label_singular%", "編輯%entity_label_singular%") == []
    assert ("wrong-script", "error") in codes("zh", "Edit the field", "редактировать поле")


@pytest.mark.parametrize(
    ("plural", "translation", "expected"),
    [
        ("one", "1 hoofdstuk overgeslagen", []),
        ("other", "Hoofdstukken overgeslagen", [("placeholders", "error")]),
        ("one", "%s hoofdstuk overgeslagen", [("placeholders", "error")]),
    ],
)
def test_a_plural_form_may_name_its_number(plural: str, translation: str, expected: list[tuple[str, str]]) -> None:
    assert codes("nl", "Skipping %d chapters", translation, plural) == expected


def test_a_plural_form_names_no_other_placeholder() -> None:
    assert codes("nl", "{name} shared {count} files", "{name} deelde één bestand", "one") == []
    assert codes("nl", "{name} shared {count} files", "Eén van {count} bestanden", "one") == [("placeholders", "error")]


def test_a_number_may_be_written_as_a_text() -> None:
    """Programs may give a number as %s, so a form of one number without it is no sure error."""
    assert codes("de", "Done in %1$s with %2$s errors", "Erledigt in %1$s mit einem Fehler", "one") == [("placeholders", "warning")]
    assert codes("de", "Done in %1$s with %2$s errors", "Erledigt in %1$s mit Fehlern", "other") == [("placeholders", "error")]


def test_forms_with_a_number_have_a_source_with_one() -> None:
    """The form of 1 in English may name no number; that of Russian is for 21 too."""
    form = '<resources><plurals name="a"><item quantity="one">{}</item><item quantity="other">{}</item></plurals></resources>'
    files = [
        ReviewFile(path="values/strings.xml", text=form.format("An entry was skipped", "%d entries were skipped")),
        ReviewFile(path="values-hr/strings.xml", text=form.format("%d unos je preskočen", "%d unosa je preskočeno")),
        ReviewFile(path="values-de/strings.xml", text=form.format("Ein Eintrag entfiel", "%d Einträge entfielen")),
    ]
    sources = {file.language: [string.source for string in file.strings] for file in read_strings(files, "en")}
    assert sources["hr"] == ["%d entries were skipped"] * 2
    assert sources["de"] == ["An entry was skipped", "%d entries were skipped"]


def test_files_of_qt_hold_their_sources() -> None:
    """A file of the source language beside them has plural forms alone."""
    message = "<message><source>Open</source><translation>{}</translation></message>"
    form = '<!DOCTYPE TS><TS version="2.1" language="{}"><context><name>A</name>{}</context></TS>'
    files = [
        ReviewFile(path="app_de.ts", text=form.format("de", message.format("Öffnen"))),
        ReviewFile(path="app_en.ts", text=form.format("en", "")),
    ]
    [file] = (file for file in read_strings(files, "en") if file.strings)
    assert (file.path, [(string.source, string.translation) for string in file.strings]) == ("app_de.ts", [("Open", "Öffnen")])
