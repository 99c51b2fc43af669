"""POST /v1/review: files in, findings out."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from httpx2 import Client

from app.documents.strings import STRING_FORMATS
from app.operations.review.comment import markdown_review

ENGLISH = {"hi": "Hello, {name}!", "a": "Delete all the files", "b": "Remove all the files", "n": "45 files in a folder"}
GERMAN = {"hi": "Hallo, {name}!", "a": "Alle Dateien löschen", "b": "Sämtliche Dateien entfernen", "n": "45 Dateien im Ordner"}


def review(client: Client, files: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """The answer about files: texts, or earlier and present ones."""
    rows = []
    for path, content in files.items():
        old, text = content if isinstance(content, tuple) else (None, content)
        row = {"path": path, "text": text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)}
        rows.append(row if old is None else {**row, "old_text": json.dumps(old, ensure_ascii=False)})
    answer = client.post("/v1/review", json={"files": rows, "predict": False, **options})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def codes(answer: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(row["key"], row["code"]) for row in answer["findings"]]


def test_good_strings_are_clean(client: Client) -> None:
    answer = review(client, {"en.json": ENGLISH, "de.json": GERMAN})
    assert (answer["verdict"], answer["findings"], answer["strings"]) == ("clean", [], 4)
    assert answer["files"] == [
        {"path": "de.json", "source_path": "en.json", "language": "de", "strings": 4, "judged_strings": 4, "missing": 0}
    ]


def test_each_fault_has_its_code(client: Client) -> None:
    german = {**GERMAN, "hi": "Hallo, {nom}!", "n": "54 Dateien im Ordner", "b": GERMAN["a"]}
    answer = review(client, {"en.json": ENGLISH, "de.json": german})
    assert codes(answer) == [("hi", "placeholders"), ("n", "numbers"), ("a", "ambiguous"), ("b", "ambiguous")]
    assert answer["counts"] == {"error": 2, "warning": 0, "info": 2}
    assert (
        codes(review(client, {"en.json": ENGLISH, "de.json": german}, ignore=[{"code": "a*", "reason": "x"}])) == codes(answer)[:2]
    )


def test_plural_forms_are_those_of_the_language(client: Client) -> None:
    """CLDR has one and other in English, and one, few, many and other in Russian."""
    english = {"item_one": "{{count}} item", "item_other": "{{count}} items"}
    russian = {"item_one": "{{count}} предмет", "item_few": "{{count}} предмета", "item_other": "{{count}} предметов"}
    [row] = review(client, {"en.json": english, "ru.json": russian})["findings"]
    assert (row["code"], row["severity"], row["message"]) == ("plurals", "warning", "plural forms of ru are missing: many")
    assert review(client, {"en.json": english, "ru.json": {**russian, "item_many": "{{count}} предметов"}})["findings"] == []


def test_changes_alone_are_judged(client: Client) -> None:
    files = {"en.json": (ENGLISH, {**ENGLISH, "new": "New"}), "de.json": (GERMAN, {**GERMAN, "new": "Neu", "hi": "Hallo {name}!"})}
    answer = review(client, files, compare=True)
    assert answer["files"][0]["judged_strings"] == 2 and answer["files"][0]["strings"] == 5
    assert review(client, {path: (new, new) for path, (_, new) in files.items()}, compare=True)["verdict"] == "nothing"


@pytest.mark.parametrize(
    ("fail_on", "verdict"),
    [
        ("error", "findings"),
        ({"de": "none"}, "clean"),
        ({"*": "none"}, "clean"),
        ({"*": "none", "de": "error"}, "findings"),
        ({"fr": "none"}, "findings"),
    ],
)
def test_failures_may_differ_by_language(client: Client, fail_on: object, verdict: str) -> None:
    files = {"en.json": ENGLISH, "de-AT.json": {**GERMAN, "hi": "Servus, {nom}!"}}
    answer = review(client, files, fail_on=fail_on)
    assert (answer["verdict"], answer["counts"]["error"]) == (verdict, 1)


def test_a_changed_string_has_its_earlier_texts(client: Client) -> None:
    german = {**GERMAN, "hi": "Hallo, {nom}!"}
    [row] = review(client, {"en.json": (ENGLISH, ENGLISH), "de.json": (GERMAN, german)}, compare=True)["findings"]
    assert row["earlier_translation"] == GERMAN["hi"] and "earlier_source" not in row
    english = {**ENGLISH, "a": "Delete 3 files"}
    rows = review(client, {"en.json": (ENGLISH, english), "de.json": (GERMAN, GERMAN)}, compare=True)["findings"]
    assert {(row["key"], row["earlier_source"]) for row in rows} == {("a", ENGLISH["a"])}
    assert all("earlier_translation" not in row for row in rows)


def test_swapped_translations_are_seen(client: Client) -> None:
    """Each has the earlier translation of the other source; a change of one alone is no swap."""
    english = {"share": "Share", "delete": "Delete", "c": "Close"}
    old = {"share": "Teilen", "delete": "Löschen", "c": "Zu"}
    answer = review(
        client, {"en.json": (english, english), "de.json": (old, {**old, "share": "Löschen", "delete": "Tilgen"})}, compare=True
    )
    assert [(row["key"], row["code"], row["severity"]) for row in answer["findings"]] == [("share", "ambiguous", "warning")]
    assert "“Delete” in de.json" in answer["findings"][0]["message"]
    answer = review(client, {"en.json": (english, english), "de.json": (old, {**old, "share": "Weitergeben"})}, compare=True)
    assert answer["findings"] == []


def test_an_empty_bundle_is_no_source(client: Client) -> None:
    files = {"m.properties": "a=Hello, {0}!\n", "m_en.properties": "# English is the default\n", "m_de.properties": "a=Hallo!\n"}
    answer = review(client, files)
    assert codes(answer) == [("a", "placeholders")] and answer["files"][0]["source_path"] == "m.properties"


def page(*sections: str) -> str:
    return "# A page\n\n" + "".join(f"## {name}\n\nText about {name} and `{name}`.\n\n" for name in sections)


def test_blocks_of_a_page_are_known_by_their_texts(client: Client) -> None:
    """A new section before others changes nothing else; a changed paragraph makes its translation stale."""
    old, new = page("one", "two"), page("zero", "one", "two")
    files = [{"path": f"{name}/x.md", "text": text, "old_text": past} for name, text, past in (("en", new, old), ("de", new, old))]
    answer = client.post("/v1/review", json={"files": files, "predict": False, "compare": True}).json()
    assert answer["files"][0]["judged_strings"] == 2
    files[0] |= {"text": old.replace("Text about two", "All about two")}
    files[1] |= {"text": old}
    answer = client.post("/v1/review", json={"files": files, "predict": False, "compare": True}).json()
    [row] = [row for row in answer["findings"] if row["code"] == "stale"]
    assert (row["source"], row["earlier_source"]) == ("All about two and `two`.", "Text about two and `two`.")


def test_documents_have_both_texts(client: Client) -> None:
    po = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "Hello, %s"\nmsgstr "Hallo, %d"\n'
    [row] = review(client, {"po/x.po": po})["findings"]
    assert (row["path"], row["line"], row["language"], row["code"]) == ("po/x.po", 5, "de", "placeholders")
    assert review(client, {"po/fr.po": po.replace("Language: de\\n", "X: y\\n")})["files"][0]["language"] == "fr"


@pytest.mark.parametrize(
    ("attributes", "messages"),
    [
        ('maxwidth="5" size-unit="char"', ["16 characters; its file allows 5"]),
        ('maxwidth="15" size-unit="char"', ["16 characters; its file allows 15"]),
        ('maxwidth="16" size-unit="char"', []),
        # Widths are in pixels by default (XLIFF 1.2, "size-unit").
        ('maxwidth="5"', []),
        ('maxwidth="5" size-unit="pixel"', []),
        ('maxwidth="a" size-unit="char"', []),
    ],
)
def test_a_text_longer_than_its_file_allows_is_an_error(client: Client, attributes: str, messages: list[str]) -> None:
    xliff = (
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" target-language="de"'
        f' original="a" datatype="plaintext"><body><trans-unit id="1" {attributes}><source>Full name</source>'
        "<target>Kompletter Name.</target></trans-unit></body></file></xliff>"
    )
    rows = [row for row in review(client, {"x.xlf": xliff})["findings"] if row["code"] == "too-long"]
    assert [row["message"] for row in rows] == messages and {row["severity"] for row in rows} <= {"error"}


def test_a_broken_file_is_a_finding_and_others_go_on(client: Client) -> None:
    answer = review(client, {"en.json": ENGLISH, "de.json": GERMAN, "fr.json": '{"a": 1, "a": 2}'})
    [row] = answer["findings"]
    assert (row["path"], row["line"], row["column"], row["code"]) == ("fr.json", 1, 10, "unreadable") and answer["strings"] == 4


def test_a_nul_is_a_finding_with_its_place(client: Client) -> None:
    [row] = review(client, {"en.properties": "a=Hello", "de.properties": "b=x\na=Ha\0llo"})["findings"]
    assert (row["path"], row["line"], row["column"], row["code"]) == ("de.properties", 2, 5, "unreadable")


def test_no_translation_is_no_pass(client: Client) -> None:
    assert review(client, {"en.json": ENGLISH, "package.json": {"name": "x"}})["verdict"] == "nothing"


def test_every_format_has_a_title() -> None:
    assert all(form.title and form.suffixes for form in STRING_FORMATS)


@pytest.mark.parametrize("body", [{"files": []}, {"files": [{"path": "", "text": ""}]}, {"files": [{"path": "a"}]}])
def test_other_bodies_are_refused(client: Client, body: dict[str, Any]) -> None:
    assert client.post("/v1/review", json=body).status_code == 422


def test_a_limit_of_quality_needs_predictions(client: Client) -> None:
    body = {"files": [{"path": "de.json", "text": "{}"}], "predict": False, "min_quality": {"*": 0.5}}
    answer = client.post("/v1/review", json=body)
    assert answer.status_code == 422 and answer.json()["where"] == "min_quality"


def test_a_catalogue_of_the_source_language_is_no_translation(client: Client) -> None:
    po = 'msgid ""\nmsgstr "Language: en\\n"\n\nmsgid "Hello"\nmsgstr "Hello"\n'
    assert review(client, {"po/en.po": po})["verdict"] == "nothing"


def test_a_file_with_both_texts_needs_none_beside_it(client: Client) -> None:
    """English files of Qt have plural forms alone."""
    message = "<message><source>Close the door</source><translation>{}</translation></message>"
    file = '<TS language="{}"><context><name>A</name>' + message + "</context></TS>"
    answer = review(client, {"app_en.ts": file.format("en", ""), "app_de.ts": file.format("de", "Die {x} schließen")})
    assert codes(answer) == [("A.Close the door", "placeholders")]
    assert [(row["path"], row["source_path"]) for row in answer["files"]] == [("app_de.ts", "app_de.ts")]


def test_a_region_may_stand_for_its_language(client: Client) -> None:
    """br is Breton, and in many projects the Portuguese of Brazil; cz is no language."""
    portuguese = {"a": "Você tem certeza de que deseja excluir este produto?", "b": "Selecione as zonas de envio disponíveis."}
    english = {"a": "Are you sure you want to delete this product?", "b": "Select the available shipping zones."}
    answer = review(client, {"en.json": english, "br.json": portuguese, "cz.json": {"a": "Opravdu chcete smazat tento produkt?"}})
    assert {row["path"]: row["language"] for row in answer["files"]} == {"br.json": "pt-BR", "cz.json": "cs"}
    assert answer["findings"] == []


def test_a_variety_is_judged_beside_the_default(client: Client) -> None:
    """British words are no copies that wait for a translation, and a lost placeholder is an error."""
    android = '<resources><string name="a">Hello %s</string><string name="b">The colour of the page</string></resources>'
    texts = {"": android.replace("colour", "color"), "-en-rGB": android.replace(" %s", ""), "-de": android.replace(" %s", " %d")}
    answer = review(client, {f"values{name}/strings.xml": text for name, text in texts.items()})
    errors = {(row["path"], row["key"], row["code"]) for row in answer["findings"] if row["severity"] == "error"}
    assert errors == {("values-en-rGB/strings.xml", "a", "placeholders"), ("values-de/strings.xml", "a", "placeholders")}
    assert {row["path"] for row in answer["findings"] if row["key"] == "b"} == {"values-de/strings.xml"}
    catalogue = 'msgid ""\nmsgstr "Language: en_GB\\n"\n\nmsgid "Color %s"\nmsgstr "Colour"\n'
    assert codes(review(client, {"po/en_GB.po": catalogue}, predict=True)) == [("", "placeholders")]


def stated(client: Client, path: str, text: Any = GERMAN, **fields: Any) -> dict[str, Any]:
    """The answer about one translation beside `source.json`, with fields that state its language and source."""
    source = {"path": "source.json", "text": json.dumps(ENGLISH)}
    row = {"path": path, "text": text if isinstance(text, str) else json.dumps(text, ensure_ascii=False), **fields}
    answer = client.post("/v1/review", json={"files": [source, row], "predict": False})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.parametrize(
    ("path", "fields", "language"),
    [
        ("new.json", {"language": "German", "source": "source.json"}, "de"),
        ("app_de.json", {"source": "source.json"}, "de"),
        ("app_de.json", {"source": "source.json", "language": "de-AT"}, "de-AT"),
    ],
)
def test_files_state_their_language_and_source(client: Client, path: str, fields: dict[str, str], language: str) -> None:
    answer = stated(client, path, {**GERMAN, "n": "54 Dateien im Ordner"}, **fields)
    assert codes(answer) == [("n", "numbers")]
    assert [(row["language"], row["source_path"], row["strings"]) for row in answer["files"]] == [(language, "source.json", 4)]


def test_a_document_states_its_language_where_neither_header_nor_path_does(client: Client) -> None:
    po = 'msgid ""\nmsgstr ""\n\nmsgid "Hello, %s"\nmsgstr "Hallo, %d"\n'
    assert [row["code"] for row in stated(client, "new.po", po, language="de")["findings"]] == ["placeholders"]
    assert (
        stated(client, "new.po", po.replace('msgstr ""\n\n', 'msgstr "Language: fr\\n"\n\n'), language="de")["files"][0]["language"]
        == "fr"
    )


@pytest.mark.parametrize(
    ("path", "source", "words"), [("new.json", "source.json", "names no language"), ("de.json", "en.json", "not among")]
)
def test_a_file_without_language_or_source_is_a_finding(client: Client, path: str, source: str, words: str) -> None:
    answer = stated(client, path, source=source)
    [row] = answer["findings"]
    assert (row["path"], row["code"], answer["verdict"]) == (path, "unreadable", "findings") and words in row["message"]


def test_a_confused_string_is_a_warning_and_its_rival_an_info(client: Client) -> None:
    """The translation of `b` stands in `a` too, where its number is wrong."""
    english = {"a": "Show all hidden folders", "b": "Show all of the 45 files"}
    german = dict.fromkeys(english, "Alle 45 Dateien zeigen")
    rows = [row for row in review(client, {"en.json": english, "de.json": german})["findings"] if row["code"] == "ambiguous"]
    assert [(row["key"], row["severity"]) for row in rows] == [("a", "warning"), ("b", "info")]
    assert rows[0]["message"] == "has the translation of “Show all of the 45 files” in de.json, line 1"


def test_a_message_says_the_side(client: Client) -> None:
    files = {"en.json": {"a": "45 files", "b": "Files"}, "de.json": {"a": "Dateien", "b": "45 Dateien"}}
    messages = {row["key"]: row["message"] for row in review(client, files)["findings"]}
    assert messages["a"].endswith("; in the source alone: 45") and messages["b"].endswith("; in the translation alone: 45")


def test_a_comment_has_a_row_for_each_string_and_folds_infos(client: Client) -> None:
    english = {"a": "45 files of {name}.", "b": "Close the door."}
    answer = review(client, {"en.json": english, "de.json": {"a": "54 Dateien", "b": "Die Tür schließen"}})
    comment = markdown_review(answer)
    table, _, folded = comment.partition("<details>")
    assert table.count("| `de.json:1` |") == 1 and table.count("<br>") >= 1 and folded.startswith("<summary>Infos</summary>")
    assert "please change or answer these" in table and "| b |" in folded


def test_a_long_cell_shows_the_place_of_its_finding(client: Client) -> None:
    text = f"{'word ' * 100}45 files"
    answer = review(client, {"en.json": {"a": text}, "de.json": {"a": f"{'Wort ' * 100}54 Dateien"}})
    comment = markdown_review(answer)
    assert "45 files" in comment and "54 Dateien" in comment and text not in comment
