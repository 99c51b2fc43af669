"""Headings of tables: by names of many languages, by languages, by what stands below; and that no segment is swallowed."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.documents import QualityMark, is_plain_table, read_file
from app.errors import InputError
from app.resources.identification import order_of
from app.text import LanguagePair
from app.text.reading.column_names import SOURCE, TRANSLATION, role_of
from app.text.reading.lines import TextFile
from app.text.reading.role_names import ROLE_NAMES
from app.text.reading.tables import open_table

RESOURCES = Path(__file__).parents[2] / "resources"
MARK = QualityMark(0.5, 0.25, 0.1, 0.9, "hter", "fraction of words", "lower is better", "ro-en-hter", "top", ("numbers",))
SENTENCES = [
    ("Das Haus ist sehr groß.", "The house is very big."),
    ("Wo ist der alte Bahnhof?", "Where is the old station?"),
    ("Wir fahren morgen nach Wien.", "We are going to Vienna tomorrow."),
    ("Er hat das Buch gelesen.", "He has read the book."),
]
WORDS = [("Datei", "File"), ("Öffnen", "Open"), ("Schließen", "Close"), ("Hilfe", "Help")]


def text(*rows: Sequence[str], cut: str = "\t") -> bytes:
    return "".join(cut.join(row) + "\n" for row in rows).encode()


def assert_read(raw: bytes, basis: str, heading: int | None, pairs: Sequence[Sequence[str]], **more: object) -> None:
    """A table is read so whether it is streamed or a document, and so again once it is annotated."""
    document = read_file(raw, "file")
    assert document.reading is not None
    answer = document.reading.answer()
    assert (answer["basis"], answer["heading"]) == (basis, heading)
    assert [(unit.source, unit.translation) for unit in document.units] == [tuple(pair) for pair in pairs]
    for name, value in more.items():
        assert (document.languages if name == "languages" else answer[name]) == value  # type: ignore[literal-required]
    if is_plain_table(raw):
        stream = open_table(TextFile("file", io.BytesIO(raw)))
        assert stream.reading == document.reading
        assert list(stream.select(["source", "translation"])) == [tuple(pair) for pair in pairs]
    once = document.marked([MARK] * len(document.units))
    again = read_file(once, "file")
    assert again.units == document.units and again.marked([MARK] * len(again.units)) == once


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Quelle", "Ziel"), ("Ausgangstext", "Übersetzung"), ("Texte source", "Texte cible"), ("source", "traduction"), ("Origen", "Traducción"),
        ("texto de origen", "destino"), ("Sursă", "Țintă"), ("text sursă", "Traducere"), ("原文", "译文"), ("源语言", "目标语言"), ("Source text", "Target-Text"),
        ("SRC", " Target "), ("source_text", "machine translation"), ("Источник", "Перевод"), ("original", "mt"),
    ],
)  # fmt: skip
def test_names_in_several_languages_are_headings_whatever_is_below(source: str, translation: str) -> None:
    for rows in (SENTENCES, WORDS, WORDS[:1]):
        assert_read(text((source, translation), *rows), "names", 1, rows)
        swapped = [(b, "7", a) for a, b in rows]
        assert_read(text((translation, "n", source), *swapped), "names", 1, rows)


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Lähtetekst", "Tõlge"), ("स्रोत", "अनुवाद"), ("මූලාශ්\u200dරය", "පරිවර්තනය"), ("මූලාශ්රය", "පරිවර්තනය"), ("Zdroj", "Překlad"), ("Kilde", "Oversættelse"),
        ("Källa", "Översättning"), ("Джерело", "Переклад"), ("מקור", "\u200fתרגום"), ("Forrás", "Fordítás"), ("ソース", "ターゲット"), ("متن مبدأ", "ترجمه"),
        ("Nguồn", "Bản dịch"), ("Nguo\u0302\u0300n", "Ba\u0309n di\u0323ch"), ("KAYNAK", "ÇEVİRİ"), ("원문", "번역"), ("Fonte", "Traduzione"), ("Bron", "Vertaling"),
        ("Źródło", "Tłumaczenie"), ("المصدر", "الترجمة"), ("Ｓｏｕｒｃｅ", "ＭＴ"),
    ],
)  # fmt: skip
def test_names_in_other_languages_say_which_column_is_which(source: str, translation: str) -> None:
    assert_read(text((source, translation), *SENTENCES), "names", 1, SENTENCES, unclear=False)
    assert_read(text((translation, source), *((b, a) for a, b in SENTENCES)), "names", 1, SENTENCES, unclear=False)


def test_every_language_that_ships_has_names_of_columns_and_no_name_has_two_roles() -> None:
    shipped = {folder.name for folder in RESOURCES.iterdir() if folder.is_dir() and "-" not in folder.name}
    assert shipped <= ROLE_NAMES.keys() and len(shipped) > 6
    for names in ROLE_NAMES.values():
        for role, listed in zip((SOURCE, TRANSLATION), names, strict=True):
            assert {role_of(name.strip()) for name in listed.split(";")} == {(role, None)}


@pytest.mark.parametrize(
    ("source", "translation", "basis", "languages"),
    [
        ("de", "en", "languages", ("de", "en")), ("de-DE", "en_US", "languages", ("de-DE", "en-US")), ("German", "English", "languages", ("de", "en")),
        ("Deutsch", "Englisch", "languages", ("de", "en")), ("allemand", "anglais", "languages", ("de", "en")), ("zh-Hans", "pt-BR", "languages", ("zh-Hans", "pt-BR")),
        ("中文", "Română", "languages", ("zh", "ro")), ("Source (de-DE)", "Target (en)", "names", ("de-DE", "en")), ("source_de", "target_en", "names", ("de", "en")),
        ("src de", "mt en", "names", ("de", "en")), ("Source", "English", "languages", (None, "en")), ("German", "Translation", "languages", ("de", None)),
        ('"de"', '"en"', "languages", ("de", "en")),
    ],
)  # fmt: skip
def test_languages_are_headings(source: str, translation: str, basis: str, languages: tuple[str | None, str | None]) -> None:
    for rows in (SENTENCES, WORDS):
        assert_read(text((source, translation), *rows), basis, 1, rows, languages=languages)
        wide = [("7", *row) for row in rows]
        assert_read(text(("id", source, translation), *wide), basis, 1, rows, languages=languages)


@pytest.mark.parametrize(
    "name",
    [
        "my-system", "my_system", "mt-base", "mt-large", "mt.large", "mt-de", "ro-base", "en-v2", "de-DE-old01", "pt-hi", "zh-Test", "es-999", "my-mt", "my human",
        "DeepL",
    ],
)  # fmt: skip
def test_names_of_systems_are_no_languages(name: str) -> None:
    assert role_of(name) == (None, None)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("ro", "ro"), ("en-US", "en-US"), ("de_AT", "de-AT"), ("pt-BR", "pt-BR"), ("zh-Hant", "zh-Hant"), ("zh-Hans-CN", "zh-Hans-CN"), ("sr-Latn", "sr-Latn"),
        ("es-419", "es-419"), ("mt-MT", "mt-MT"), ("id_ID", "id-ID"), ("ca-valencia", "ca-valencia"), ("de-CH-1996", "de-CH-1996"), ("de_DE.UTF-8", "de-DE"),
    ],
)  # fmt: skip
def test_tags_with_known_parts_are_languages(name: str, language: str) -> None:
    assert role_of(name) == (None, language)


def test_my_is_the_english_word_before_a_name() -> None:
    assert role_of("my translation") == role_of("my_mt") == (TRANSLATION, None)
    assert role_of("source_my") == (SOURCE, "my")


@pytest.mark.parametrize("heading", [("Frage", "Antwort"), ("text_a", "text_b"), ("A", "B"), ("Spalte1", "Spalte2")])
def test_words_over_sentences_are_a_heading(heading: tuple[str, str]) -> None:
    named = {"column": 1, "name": heading[0]}
    assert_read(text(heading, *SENTENCES), "content", 1, SENTENCES, source=named, unclear=True)
    # The heading is on the line where it stands.
    assert_read(b"\n" + text(heading, *SENTENCES), "content", 2, SENTENCES)


def test_names_over_numbers_are_a_heading_and_the_texts_are_found() -> None:
    rows = [(str(k), a, f"{k},5", b, "x.txt") for k, (a, b) in enumerate(SENTENCES)]
    raw = text(("Nr", "Der deutsche Text", "Score", "Der englische Text", "file"), *rows)
    assert_read(
        raw,
        "content",
        1,
        SENTENCES,
        labels=[{"column": 3, "name": "Score"}],
        translation={"column": 4, "name": "Der englische Text"},
    )
    # Short texts too, where a number beside them says so.
    assert_read(text(("one", "two", "points"), *((a, b, "0.5") for a, b in WORDS)), "content", 1, WORDS)


@pytest.mark.parametrize(
    "rows",
    [
        [("Introduction", "Einleitung"), *WORDS],
        [("Wiederaufnahme der Sitzungsperiode", "Resumption of the session"), *SENTENCES],
        [("Guten Morgen!", "Good morning!"), *SENTENCES],
        [("Titel", "Title"), ("Kapitel", "Chapter"), *SENTENCES],
        [("Frage", "Antwort"), *SENTENCES[:2]],
        [("Target", "Objectif"), *WORDS],
        [("Source", "Quelle"), *WORDS],
        [("German", "Deutsch"), *WORDS],
        [("1", "1"), ("2", "2"), ("3", "3"), ("4", "4")],
        [("Kapitel", "Chapter"), ("1", "1"), ("2", "2"), ("3", "3")],
        [("", "Antwort"), *SENTENCES],
        [("Ja", "Yes")],
        SENTENCES,
        WORDS,
    ],
)  # fmt: skip
def test_a_segment_is_never_swallowed_where_it_is_not_plain(rows: Sequence[tuple[str, str]]) -> None:
    assert_read(text(*rows), "places", None, rows)


def test_it_is_said_where_a_first_segment_may_be_a_heading() -> None:
    assert_read(text(("Frage", "Antwort"), *WORDS), "places", None, [("Frage", "Antwort"), *WORDS], unclear=True)
    assert_read(text(*SENTENCES), "places", None, SENTENCES, unclear=False, sentence="the table has no heading; column 1 is the source, column 2 the translation")  # fmt: skip


@pytest.mark.parametrize("stated", [None, True])
def test_words_tell_columns_apart_that_a_heading_does_not_name(stated: bool | None) -> None:
    pair = LanguagePair("de", "en")
    swapped = [(b, a) for a, b in SENTENCES]
    for rows, expected in ((SENTENCES, (1, 2)), (swapped, (2, 1))):
        for cells in (("Frage", "Antwort"), ("Frage", "Nr", "Antwort")):
            wide = [(a, "7", b) if len(cells) > 2 else (a, b) for a, b in rows]
            raw = text(cells, *wide)
            document = read_file(raw, "file", pair, header=stated, order=order_of(pair))
            assert document.reading is not None and not document.reading.unclear
            assert [(unit.source, unit.translation) for unit in document.units] == SENTENCES
            stream = open_table(TextFile("file", raw), has_heading=stated, order=order_of(pair))
            assert stream.reading == document.reading and document.reading.sentence.endswith(", by their words")
            assert [document.reading.source < document.reading.translation] == [expected == (1, 2)]
            # It stays so in the file that is written.
            again = read_file(document.marked([MARK] * 4), "file", pair, header=stated, order=order_of(pair))
            assert again.units == document.units


@pytest.mark.parametrize(
    ("pair", "rows"),
    [
        (None, [(b, a) for a, b in SENTENCES]),
        ("fr-en", [(b, a) for a, b in SENTENCES]),
        ("de-en", [("Berlin, 12.", "Vienna, 13."), ("Graz, 7.", "Linz, 8."), ("IBM, 5.", "BMW, 6.")]),
        ("de-en", [("The old house is there.", "The house is very big."), *SENTENCES[:2], SENTENCES[2][::-1]]),
    ],
)
def test_places_tell_columns_apart_where_words_do_not_and_it_is_said(pair: str | None, rows: Sequence[tuple[str, str]]) -> None:
    named = LanguagePair.parse(pair) if pair else None
    document = read_file(text(("Frage", "Antwort"), *rows), "file", named, order=order_of(named))
    assert document.reading is not None and document.reading.unclear
    assert (document.reading.source, document.reading.translation) == (0, 1)
    assert document.reading.sentence.endswith(
        "column 1 (Frage) is the source, column 2 (Antwort) the translation, by their positions; "
        "if they are swapped, name them source and translation"
    )


def test_words_do_not_gainsay_names_nor_tables_without_a_heading() -> None:
    pair = LanguagePair("en", "de")
    for heading in (("Quelle", "Ziel"), ("Quelle", "Text"), ("Text", "Ziel")):
        document = read_file(text(heading, *SENTENCES), "file", pair, order=order_of(pair))
        assert document.units[0].source == SENTENCES[0][0] and not document.reading.unclear  # type: ignore[union-attr]
    bare = read_file(text(*SENTENCES), "file", pair, order=order_of(pair))
    assert bare.units[0].source == SENTENCES[0][0]


@pytest.mark.parametrize("heading", [("トルコ", "アゼルバイジャン"), ("mes phrases de départ", "meine Sätze hier")])
def test_it_is_said_where_a_first_row_is_far_shorter_than_the_rest(heading: tuple[str, str]) -> None:
    rows = [(a * 3, b * 3) for a, b in SENTENCES[:2]]
    assert_read(text(heading, *rows), "places", None, [heading, *rows], unclear=True)
    assert_read(text(("Wiederaufnahme der Sitzung", "Resumption of the session"), *SENTENCES), "places", None,
                [("Wiederaufnahme der Sitzung", "Resumption of the session"), *SENTENCES], unclear=False)  # fmt: skip


def test_a_word_in_katakana_is_a_name() -> None:
    assert_read(text(("インプット", "アウトプット"), *SENTENCES), "content", 1, SENTENCES)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        (("source", "original", "target"), r"column 1 \(source\) and column 2 \(original\) could each be the source; rename"),
        (
            ("source", "translation", "target"),
            r"column 2 \(translation\) and column 3 \(target\) could each be the translation; rename .*use Rank",
        ),
        (("id", "id", "source", "mt"), "line 1 of file names a column twice: columns 1 and 2 are both called id; rename one"),
        (("id", "text", "text_clean", "mt"), r"has 4 columns, .*; column 4 \(mt\) is the translation, so name the source too"),
        (("a", "b", "c"), "has 3 columns, .*; name two of them source and translation"),
    ],
)
def test_what_cannot_be_told_is_named_with_what_to_do(heading: Sequence[str], expected: str) -> None:
    rows = [["Das ist ein ganzer Satz."] * len(heading) for _ in range(4)]
    with pytest.raises(InputError, match=expected):
        read_file(text(heading, *rows), "file")


def test_one_known_name_over_sentences_is_a_heading() -> None:
    for heading in (("Source", "Text"), ("Text", "Translation")):
        assert_read(text(heading, *SENTENCES[:2]), "content", 1, SENTENCES[:2])
    # It says which of two columns is which.
    assert_read(text(("Ziel", "Text"), *SENTENCES), "content", 1, [(b, a) for a, b in SENTENCES])


def test_a_source_by_name_makes_a_heading_of_any_names() -> None:
    name = "DeepL output with a long heading name"
    assert_read(text(("source", name), *SENTENCES), "content", 1, SENTENCES, unclear=False)
    # One-word segments too, if a third column excludes a translation of the word source.
    for rows in (SENTENCES, WORDS):
        wide = [("7", *row) for row in rows]
        assert_read(text(("some number of the row here", "source", name), *wide), "content", 1, rows, unclear=False)
    # The translation of a title of one word remains a segment.
    assert_read(text(("Original", "Das war alles."), *SENTENCES), "places", None, [("Original", "Das war alles."), *SENTENCES])


@pytest.mark.parametrize("rows", [SENTENCES, WORDS])
def test_what_is_stated_is_taken(rows: Sequence[tuple[str, str]]) -> None:
    for heading in (("Quelle", "Ziel"), ("Frage", "Antwort"), ("Das ist ein Satz.", "x")):
        raw = text(heading, *rows)
        for stated, expected in ((True, rows), (False, [heading, *rows])):
            document = read_file(raw, "file", header=stated)
            assert document.reading is not None and (document.reading.answer()["heading"] == 1) == stated
            assert [(unit.source, unit.translation) for unit in document.units] == list(expected)
            stream = open_table(TextFile("file", raw), has_heading=stated)
            assert list(stream.select(["source", "translation"])) == list(expected)
            once = document.marked([MARK] * len(expected))
            again = read_file(once, "file", header=stated)
            assert again.units == document.units and again.marked([MARK] * len(expected)) == once


def test_more_columns_than_two_of_text_need_names() -> None:
    rows = [(a, b, a) for a, b in SENTENCES]
    with pytest.raises(InputError, match="has 3 columns, expected a header that names source and translation"):
        read_file(text(("eins", "zwei", "drei"), *rows), "file")
    with pytest.raises(InputError, match="has 3 columns"):
        read_file(text(*((a, b, "7") for a, b in SENTENCES)), "file")
    assert_read(text(("Ziel", "Quelle", "drei"), *rows), "names", 1, [(b, a) for a, b in SENTENCES])


def test_a_table_of_several_translations_is_sent_to_the_ranking() -> None:
    rows = [(a, b, b, b) for a, b in SENTENCES]
    for first in (("source", "one", "two", "three"), ("source", "my-system", "mt-base", "human")):
        with pytest.raises(InputError, match=r"has 4 columns.*so name the translation too. For several .*, use Rank"):
            read_file(text(first, *rows), "file")
    with pytest.raises(InputError) as refusal:
        read_file(text(("source", "one", "two"), *((a, "1", "2") for a, _ in SENTENCES)), "file")
    assert "Rank" not in refusal.value.detail


def test_a_table_may_have_a_thousand_columns() -> None:
    for width in (1000, 1001):
        raw = text(("source", "mt", *(f"c{k}" for k in range(width - 2))), ("a", "b", *("x" for _ in range(width - 2))))
        if width == 1000:
            assert_read(raw, "names", 1, [("a", "b")])
        else:
            with pytest.raises(InputError, match="has 1001 columns; a table may have at most 1000"):
                read_file(raw, "file")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tables_of_a_spreadsheet_are_read(end: str) -> None:
    rows = [("Zwei; oder\nmehr Zeilen sind es", "Two; or\nmore lines they are"), *SENTENCES]
    cells = "".join(f'"{a}";"{b}";0,5{end}' for a, b in rows)
    pairs = [(a.replace("\n", " "), b.replace("\n", " ")) for a, b in rows]
    for first, basis in (("Quelle;Ziel;Punkte", "names"), ("de-DE;en-US;Punkte", "languages"), ("Frage;Antwort;Punkte", "content")):
        for separator in (f"sep=;{end}", f'"sep=;"{end}'):
            raw = b"\xef\xbb\xbf" + (separator + first + end + cells).encode()
            assert_read(raw, basis, 2, pairs)
            assert (
                read_file(raw, "file")
                .marked([MARK] * 5)
                .startswith(b"\xef\xbb\xbf" + separator.encode() + first.encode() + b";assay_quality;")
            )
        if basis != "content":
            assert_read((first + end + cells).encode(), basis, 1, pairs)
    assert_read(f"sep=\t{end}de\ten{end}Haus\thouse{end}".encode(), "languages", 2, [("Haus", "house")])


def test_columns_of_ours_stay_where_somebody_has_put_them() -> None:
    once = read_file(text(("Frage", "Antwort"), *SENTENCES), "file").marked([MARK] * 4).decode().split("\n")
    moved = "".join(
        "\t".join([*line.split("\t")[:1], *line.split("\t")[2:], line.split("\t")[1], "x"]) + "\n" for line in once[:-1]
    )
    moved = moved.replace("Antwort\tx", "Antwort\tcomment")
    document = read_file(moved.encode(), "file")
    assert document.marked([MARK] * 4).decode() == moved
    with pytest.raises(InputError, match="has some columns of quality"):
        read_file(b"source\tmt\tassay_score\na\tb\t1\n", "file")
