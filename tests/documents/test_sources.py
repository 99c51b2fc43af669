"""Files of sources alone: which texts a translation service may get."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.several.sources import read_sources
from app.errors import InputError
from app.text import LanguagePair

PAIR = LanguagePair("ro", "en")
WORDS = st.text("abcdeăș ", min_size=1, max_size=20).map(lambda text: f"x{text}y")


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("Casa este mare.\n\n \nBună ziua.\n", ["Casa este mare.", "Bună ziua."]),
        ("source\nCasa este mare.\n", ["Casa este mare."]),
        ("\ufeffSursă\r\nCasa este mare.\r\n", ["Casa este mare."]),
        ("Română\nCasa este mare.\n", ["Casa este mare."]),
        # A heading above a line that could be one keeps the line.
        ("source\nSource\n<b>Nou</b>\n", ["Source", "<b>Nou</b>"]),
        ('source\n"Casa, nu este mare."\n"""Da"", zice."\n', ["Casa, nu este mare.", '"Da", zice.']),
        ("id\tsource\tcomment\n7\tCasa este mare.\tWe have to say it here.\n", ["Casa este mare."]),
        ("id,source\n7,Casa este mare.\n", ["Casa este mare."]),
        ("source;id\nCasa este mare.;7\n;8\n", ["Casa este mare."]),
        ("source\ttranslation\nCasa este mare.\t\n", ["Casa este mare."]),
        ("ro\tid\nCasa este mare.\t7\n", ["Casa este mare."]),
        ("[Aplauze]\nHe, it is so.\n", ["[Aplauze]", "He, it is so."]),
    ],
)
def test_only_sources_are_read(text: str, sources: list[str]) -> None:
    assert list(read_sources(text.encode(), "file", PAIR).sources) == sources


def test_empty_sources_are_counted() -> None:
    assert read_sources(b"\none\n\n \ntwo\n\n", "file", PAIR).skipped == 4
    assert read_sources(b"source\tid\none\t1\n\t2\n", "file", PAIR).skipped == 1


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('<?xml version="1.0"?>\n<xliff version="1.2"><file></file></xliff>\n', "XLIFF 1.2"),
        ('<?xml version="1.0"?>\n<tmx version="1.4"><body></body></tmx>\n', "TMX"),
        ('msgid "Da"\nmsgstr "Yes"\n', "PO"),
        ('{"source": "Da", "translation": "Yes"}\n', "JSON lines"),
        ('[{"source": "Da"}]\n', "JSON"),
        ("Da ||| Yes\n", "|||"),
        ("<resources><string>Da</string></resources>\n", "markup"),
        ("<!doctype html><html><p>Da</p></html>", "HTML"),
        ("source\ttranslation\tscore\nCasa este mare.\tThe house is big.\t0.2\n", "column 2 (translation)"),
        ("source\tDeepL\nCasa este mare.\tThe house is big.\n", "column 2 (DeepL)"),
        ("ro\ten\nCasa este mare.\tThe house is big.\n", "column 2 (en)"),
        ("Casa este mare.\tThe house is big.\n", "none is called source"),
        ('"1","Casa este mare.","The house is big."\n', "none is called source"),
        ("source,target\nCasa este mare.,The house is big.\n", "column 2 (target)"),
        ("translation\nThe house is big.\n", "column 1 (translation)"),
        ("source\tid\nCasa este mare.\n", "line 2"),
    ],
)
def test_files_with_translations_are_refused(text: str, word: str) -> None:
    with pytest.raises(InputError, match="file") as refused:
        read_sources(text.encode(), "file", PAIR)
    assert word in refused.value.detail


def test_a_late_translation_is_found() -> None:
    rows = ["Casa este mare.\t"] * 100 + ["Bună ziua tuturor.\tGood day to all."]
    with pytest.raises(InputError, match="holds translations"):
        read_sources("\n".join(["source\tmt", *rows]).encode(), "file", PAIR)


@given(st.lists(WORDS, min_size=1))
def test_lines_are_the_sources_with_a_heading_or_without(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert list(read_sources(text.encode(), "file", PAIR).sources) == lines
    assert list(read_sources(f"source\n{text}\n".encode(), "file", PAIR).sources) == lines
