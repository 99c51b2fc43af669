"""Laws of all formats of string files, on the samples of `samples/`: `NAME.SUFFIX` with its texts in `NAME.SUFFIX.tsv`."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.retexting import Edit, apply_edits
from app.documents.strings import STRING_FORMATS, StringEntry, StringFormat, string_format
from app.errors import InputError

SAMPLES: Final = sorted(path for path in (Path(__file__).parent / "samples").iterdir() if path.suffix != ".tsv")
# Each format can hold letters, quotes, signs of markup and escapes.
NEW_TEXTS: Final = ("Überall", 'it\'s "here"', "a & b < c", "100 % \\n {name}", "e = f: g # h", "日本 \U0001f600")


def read(path: Path) -> str:
    """Text of a sample, with its line ends."""
    return path.read_bytes().decode()


def form_of(path: Path) -> StringFormat:
    """The format of a sample."""
    form = string_format(path.name)
    assert form is not None, path.name
    return form


def respelled(form: StringFormat, text: str, new_texts: dict[int, str]) -> list[StringEntry]:
    """Entries of a file after new texts."""
    entries = form.entries(text, "file")
    edits = [Edit(entries[k].start, entries[k].end, form.spelled(new, text, entries[k])) for k, new in new_texts.items()]
    return form.entries(apply_edits(text, edits), "file")


def bare(entries: list[StringEntry]) -> list[StringEntry]:
    """Entries without places."""
    return [replace(entry, start=0, end=0) for entry in entries]


def test_each_format_has_a_sample() -> None:
    """Samples lie beside this module."""
    assert {form.name for form in STRING_FORMATS} == {form_of(path).name for path in SAMPLES}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_texts_of_samples_equal_those_that_a_person_read(path: Path) -> None:
    """A row of the table has key, plural form and text, with ``\\n`` for line ends."""
    entries = form_of(path).entries(read(path), path.name)
    rows = [(entry.key, entry.plural, entry.text.replace("\n", "\\n").replace("\t", "\\t")) for entry in entries]
    expected = [tuple(line.split("\t")) for line in Path(f"{path}.tsv").read_text().split("\n")[:-1]]
    assert rows == expected


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_text_in_its_own_place_changes_no_text(path: Path) -> None:
    """Places and spelling agree."""
    form, text = form_of(path), read(path)
    entries = form.entries(text, path.name)
    assert bare(respelled(form, text, {k: entry.text for k, entry in enumerate(entries)})) == bare(entries)
    assert all(0 <= entry.start <= entry.end <= len(text) for entry in entries)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("new", NEW_TEXTS)
def test_new_texts_are_read_again(path: Path, new: str) -> None:
    """One new text changes one text."""
    form, text = form_of(path), read(path)
    entries = form.entries(text, path.name)
    for k in (0, len(entries) - 1):
        assert bare(respelled(form, text, {k: new})) == [
            replace(entry, text=new) if number == k else entry for number, entry in enumerate(bare(entries))
        ]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@given(data=st.data())
def test_damaged_files_are_read_or_refused_with_their_place(path: Path, data: st.DataObject) -> None:
    """No damage raises another error."""
    text = read(path)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    damaged = text[:start] + data.draw(st.text("{}[]<>\"'\\/#=:;,.-&|%\n\t aé0\ufeff", max_size=12)) + text[end:]
    try:
        form_of(path).entries(damaged, path.name)
    except InputError as error:
        assert error.code in {"invalid-document", "invalid-character", "unsafe-document"} and error.where[0] == path.name
