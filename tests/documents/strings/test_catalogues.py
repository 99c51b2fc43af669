"""Variations, states and sources in string catalogues of Apple."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.retexting import Edit, apply_edits
from app.documents.strings import StringEntry, string_format
from app.errors import InputError

NAME = "a.xcstrings"


def unit(value: str, state: str = "translated") -> dict[str, Any]:
    """A value with its state."""
    return {"stringUnit": {"state": state, "value": value}}


def varied(kind: str, **values: Any) -> dict[str, Any]:
    """Variations of a kind."""
    return {"variations": {kind: {choice: unit(value) if isinstance(value, str) else value for choice, value in values.items()}}}


def read(strings: Any) -> list[StringEntry]:
    """Entries of a catalogue."""
    form = string_format(NAME)
    assert form is not None
    return form.entries(json.dumps({"sourceLanguage": "en", "strings": strings, "version": "1.0"}), NAME)


def german(member: Any) -> list[tuple[str, str, str | None, str]]:
    """Key, plural, source and text of the German strings of one key."""
    return [(entry.key, entry.plural, entry.source, entry.text) for entry in read({"k": member}) if entry.language == "de"]


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        ({"localizations": {"de": unit("K")}}, [("k", "", "k", "K")]),
        ({"localizations": {"en": unit("Source"), "de": unit("K")}}, [("k", "", "Source", "K")]),
        ({"shouldTranslate": False, "localizations": {"de": unit("K")}}, []),
        ({"shouldTranslate": True, "localizations": {"de": unit("K")}}, [("k", "", "k", "K")]),
        ({"extractionState": "stale", "localizations": {"de": unit("K")}}, []),
        ({"extractionState": "manual", "localizations": {"de": unit("K")}}, [("k", "", "k", "K")]),
        ({"localizations": {"de": unit("k", "new")}}, []),
        ({"localizations": {"en": unit("Source", "new"), "de": unit("K", "needs_review")}}, [("k", "", "Source", "K")]),
        (
            {"localizations": {"en": varied("plural", one="1 S", other="S"), "de": varied("plural", one="1 K", few="2 K")}},
            [("k", "one", "1 S", "1 K"), ("k", "few", "S", "2 K")],
        ),
        (
            {"localizations": {"en": varied("device", mac="Click", other="Tap"), "de": varied("device", mac="Klick", ipad="Tipp")}},
            [("k.mac", "", "Click", "Klick"), ("k.ipad", "", "Tap", "Tipp")],
        ),
        ({"localizations": {"en": unit("Tap"), "de": varied("device", mac="Klick")}}, [("k.mac", "", "Tap", "Klick")]),
        ({"localizations": {"en": varied("device", mac="Click", other="Tap"), "de": unit("Tipp")}}, [("k", "", "Tap", "Tipp")]),
        (
            {"localizations": {"de": varied("device", mac=varied("plural", one="1", other="2"))}},
            [("k.mac", "one", "k", "1"), ("k.mac", "other", "k", "2")],
        ),
        ({"localizations": {"de": varied("plural", one=varied("device", mac="1"))}}, [("k.mac", "one", "k", "1")]),
        (
            {
                "localizations": {
                    "en": unit("%#@plural@")
                    | {"substitutions": {"plural": {"formatSpecifier": "d"} | varied("plural", other="%arg S")}},
                    "de": unit("%#@plural@") | {"substitutions": {"plural": {"argNum": 1} | varied("plural", one="%arg K")}},
                }
            },
            [("k.plural", "one", "%arg S", "%arg K")],
        ),
        ({"localizations": {"de": unit(" ")}}, []),
        ({"localizations": {"de": {"stringUnit": "K"}, "fr": "K", "es": unit("K")["stringUnit"]}}, []),
        ({"localizations": "de"}, []),
        ([], []),
    ],
)
def test_strings_of_a_catalogue(member: Any, expected: list[tuple[str, str, str, str]]) -> None:
    assert german(member) == expected


def test_an_empty_key_without_a_source_has_no_text() -> None:
    assert read({"": {"localizations": {"de": unit("K")}}}) == []


@pytest.mark.parametrize("strings", [[], "a", 1, None, {"k": 1}, {"k": {"localizations": {"de": []}}}])
def test_other_shapes_have_no_texts(strings: Any) -> None:
    assert read(strings) == []


@given(
    json_value=st.recursive(
        st.none() | st.booleans() | st.text(max_size=3),
        lambda children: st.dictionaries(
            st.sampled_from(
                [
                    "k",
                    "localizations",
                    "de",
                    "en",
                    "variations",
                    "plural",
                    "device",
                    "one",
                    "other",
                    "substitutions",
                    "stringUnit",
                    "value",
                    "state",
                    "shouldTranslate",
                ]
            ),
            children,
            max_size=3,
        ),
    )
)
def test_any_object_is_read(json_value: Any) -> None:
    read(json_value)


@given(new=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
def test_new_texts_are_read_again(new: str) -> None:
    text = json.dumps({"sourceLanguage": "en", "strings": {"k": {"localizations": {"de": unit("\u00e9"), "fr": unit("K")}}}})
    form = string_format(NAME)
    assert form is not None
    entry = form.entries(text, NAME)[0]
    result = apply_edits(text, [Edit(entry.start, entry.end, form.spelled(new, text, entry))])
    assert [entry.text for entry in form.entries(result, NAME)] == [part for part in (new, "K") if part.strip()]


def test_a_repeated_key_is_refused_with_its_place() -> None:
    form = string_format(NAME)
    assert form is not None
    with pytest.raises(InputError) as refused:
        form.entries('{"strings": {\n"a": {},\n "a": {}}}', NAME)
    assert refused.value.where == (NAME, 3, 2)


def test_a_mark_and_long_numbers_are_read() -> None:
    form = string_format(NAME)
    assert form is not None
    text = '\ufeff{"n": ' + "9" * 5000 + ', "strings": {"k": {"localizations": {"de": {"stringUnit": {"value": "K"}}}}}}'
    assert [entry.text for entry in form.entries(text, NAME)] == ["K"]
