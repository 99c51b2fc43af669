"""Translations that a change emptied or removed."""

import json
from typing import Any, cast

import pytest

from app.engine import Engine
from app.operations.review import review_files
from app.operations.review.request import ReviewRequest

ENGLISH = {"a": "Open", "b": "Save file", "c": "Close it"}
GERMAN = {"a": "Öffnen", "b": "Datei speichern", "c": "Schließe es"}
PO = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "Open"\nmsgstr "Öffnen"\n\nmsgid "Close"\nmsgstr "Zu"\n'
UNIT = "<trans-unit id='{0}'><source>{0}</source><target>Text {0}</target></trans-unit>"
XLIFF = f"<xliff version='1.2'><file source-language='en' target-language='de' original='x' datatype='x'><body>{UNIT.format(1)}\
{UNIT.format(2)}</body></file></xliff>"
XLIFF_2 = "<xliff version='2.0' srcLang='en' trgLang='de' xmlns='urn:oasis:names:tc:xliff:document:2.0'><file id='f'><unit id='u'>\
<segment><source>Open</source><target>Auf</target></segment></unit></file></xliff>"
QT = (
    '<TS language="de"><context><name>A</name><message><source>Open</source><translation>Auf</translation></message></context></TS>'
)
UNIT_OF_APPLE = {"localizations": {"de": {"stringUnit": {"state": "translated", "value": "Auf"}}}}
MEMORY = "<tu><tuv xml:lang='en'><seg>{0}</seg></tuv><tuv xml:lang='de'><seg>Text {0}</seg></tuv></tu>"
TMX = f"<tmx version='1.4'><header srclang='en'/><body>{MEMORY.format(1)}{MEMORY.format(2)}</body></tmx>"
APPLE = json.dumps({"sourceLanguage": "en", "version": "1.0", "strings": {"Open": UNIT_OF_APPLE}})


def losses(*files: dict[str, Any]) -> tuple[str, list[tuple[str, str, str]]]:
    """The verdict about changed files; path, key and severity of lost translations. Nothing is predicted, so no engine is asked."""
    request = ReviewRequest.model_validate({"files": list(files), "compare": True, "predict": False})
    answer = review_files(cast(Engine, None), request)
    return answer["verdict"], [(row["path"], row["key"], row["severity"]) for row in answer["findings"] if row["code"] == "missing"]


def changed(path: str, old: object, new: object, **fields: object) -> dict[str, Any]:
    texts = [text if isinstance(text, str) else json.dumps(text, indent=1, ensure_ascii=False) for text in (old, new)]
    return {"path": path, "old_text": texts[0], "text": texts[1], **fields}


@pytest.mark.parametrize(
    ("german", "keys"),
    [
        ({**GERMAN, "b": "", "a": "Auf"}, "b"),
        ({**GERMAN, "b": "  "}, "b"),
        ({"a": "Öffnen", "c": "Schließe es"}, "b"),
        (dict.fromkeys(GERMAN, ""), "abc"),
        ([], "abc"),
        (GERMAN, ""),
    ],
)
def test_a_lost_translation_is_an_error_with_its_key(german: object, keys: str) -> None:
    verdict, rows = losses(changed("en.json", ENGLISH, ENGLISH), changed("de.json", GERMAN, german))
    assert rows == [("de.json", key, "error") for key in keys]
    assert verdict == ("findings" if keys else "nothing")


def test_a_source_explains_its_loss() -> None:
    """A source that is gone needs no translation. One that changed waits for a new one."""
    shorter = {key: text for key, text in ENGLISH.items() if key != "b"}
    rest = {key: text for key, text in GERMAN.items() if key != "b"}
    assert losses(changed("en.json", ENGLISH, shorter), changed("de.json", GERMAN, rest)) == ("nothing", [])
    later = {**ENGLISH, "b": "Store all"}
    assert losses(changed("en.json", ENGLISH, later), changed("de.json", GERMAN, rest)) == ("clean", [("de.json", "b", "warning")])


def test_plural_forms_of_other_languages_may_go() -> None:
    """German has one and other; a form of two is no loss beside them."""
    english = {"n_one": "{{n}} file", "n_other": "{{n}} files"}
    german = {"n_one": "{{n}} Datei", "n_two": "{{n}} Dateien", "n_other": "{{n}} Dateien"}
    source = changed("en.json", english, english)
    assert losses(source, changed("de.json", german, {key: german[key] for key in english}))[1] == []
    assert losses(source, changed("de.json", german, {**german, "n_other": ""}))[1] == [("de.json", "n[other]", "error")]


def test_the_place_is_that_of_the_string_before() -> None:
    request = {"files": [changed("en.json", ENGLISH, ENGLISH), changed("de.json", GERMAN, {**GERMAN, "b": ""})], "compare": True}
    answer = review_files(cast(Engine, None), ReviewRequest.model_validate({**request, "predict": False}))
    [row] = answer["findings"]
    assert (row["line"], row["source"], row["translation"]) == (2, "Save file", "Datei speichern")


@pytest.mark.parametrize(
    ("path", "old", "new", "count"),
    [
        ("po/de.po", PO, PO.replace('"Zu"', '""'), 1),
        ("po/de.po", PO, PO.replace('"Zu"', '""').replace('"Öffnen"', '""'), 2),
        ("po/de.po", PO, PO.replace('msgid "Close"\nmsgstr "Zu"\n', ""), 0),
        ("a.xlf", XLIFF, XLIFF.replace("<target>Text 2</target>", ""), 1),
        ("a.xlf", XLIFF, XLIFF.replace("<target>Text 2</target>", "<target/>"), 1),
        ("a.xlf", XLIFF, XLIFF.replace(UNIT.format(2), ""), 0),
        ("a.xlf", XLIFF_2, XLIFF_2.replace("<target>Auf</target>", ""), 1),
        ("a.tmx", TMX, TMX.replace("<tuv xml:lang='de'><seg>Text 2</seg></tuv>", ""), 1),
        ("a.tmx", TMX, TMX.replace("<tuv xml:lang='de'><seg>Text 1</seg></tuv>", ""), 1),
        ("a.tmx", TMX, TMX.replace("<seg>Text 2</seg>", "<seg/>"), 1),
        ("a.tmx", TMX, TMX.replace(MEMORY.format(2), ""), 0),
        ("a_de.ts", QT, QT.replace("Auf", ""), 1),
        ("a_de.ts", QT, QT.replace("<source>Open", "<source>Close").replace("Auf", "Zu"), 0),
        ("a.xcstrings", APPLE, APPLE.replace("Auf", ""), 1),
        ("a.xcstrings", APPLE, APPLE.replace(json.dumps(UNIT_OF_APPLE), "{}"), 1),
        ("a.xcstrings", APPLE, APPLE.replace(f'"Open": {json.dumps(UNIT_OF_APPLE)}', ""), 0),
    ],
)
def test_files_of_both_texts_lose_translations(path: str, old: str, new: str, count: int) -> None:
    assert old != new and len(losses(changed(path, old, new))[1]) == count


def test_a_removed_file_is_an_error_while_its_source_remains() -> None:
    source, german = changed("en.json", ENGLISH, ENGLISH), changed("de.json", GERMAN, "", removed=True)
    assert losses(source, german) == ("findings", [("de.json", "", "error")])
    assert losses(changed("po/de.po", PO, "", removed=True)) == ("findings", [("po/de.po", "", "error")])
    assert losses(german) == ("nothing", [])
    assert losses(source, changed("de.json", "{", "", removed=True)) == ("nothing", [])
    assert losses({**source, "removed": True, "text": ""}, changed("de.json", GERMAN, GERMAN)) == ("nothing", [])
