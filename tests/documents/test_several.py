"""Files with several translations: which columns and alternatives are candidates, and everything that is said to be none."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.documents.several import CandidateFile, read_candidates
from app.errors import InputError
from app.text.languages import LanguagePair
from tests.growth import PIECES, assert_grows_evenly

SOURCE, GOOD, FAIR = "Casa este mare astăzi.", "The house is big today.", "House is big now here."
# After the examples of alt-trans in OASIS, XLIFF 1.2 (sections 2.5 and 3.2.4): proposals, a segment's number, a reference.
XLIFF = """<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a.txt" source-language="en-US" target-language="fr-FR" datatype="plaintext"><body>
<trans-unit id="1"><source>Goodbye world!</source><target>Au revoir !</target>
 <alt-trans match-quality="60%" origin="memory"><source>Hello world!</source><target xml:lang="fr-FR">Bonjour le monde !</target></alt-trans>
 <alt-trans match-quality="90%" origin="memory"><target>Au revoir le <g id="1">monde</g> !</target></alt-trans>
 <alt-trans tool-id="mt"><target>Adieu monde !</target><target>Adieu, monde !</target></alt-trans>
 <alt-trans alttranstype="previous-version"><target>Adieu !</target></alt-trans>
 <alt-trans alttranstype="reference"><target xml:lang="fr-CA">Salut !</target></alt-trans>
 <alt-trans origin="memory"><target xml:lang="es">Hola mundo</target></alt-trans>
 <alt-trans origin="empty"><target/></alt-trans>
</trans-unit>
<trans-unit id="2"><source>One. Two.</source>
 <seg-source><mrk mtype="seg" mid="a">One.</mrk> <mrk mtype="seg" mid="b">Two.</mrk></seg-source>
 <target><mrk mtype="seg" mid="a">Un.</mrk> <mrk mtype="seg" mid="b">Deux.</mrk></target>
 <alt-trans mid="b" origin="mt"><target>Le deux.</target></alt-trans>
 <alt-trans origin="mt"><target><mrk mtype="seg" mid="a">Le un.</mrk></target></alt-trans>
 <alt-trans origin="mt"><target>Un, deux.</target></alt-trans>
</trans-unit>
<trans-unit id="3"><source>Nothing</source></trans-unit>
<trans-unit id="4" translate="no"><source>x</source><target>y</target></trans-unit>
</body></file></xliff>"""
# After the example of the Translation Candidates module in OASIS, XLIFF 2.1 (section 5.1.6).
XLIFF_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0" version="2.1"
 srcLang="en" trgLang="fr"><file id="f1"><unit id="1">
<mtc:matches>
 <mtc:match id="1" ref="#m1" matchQuality="80.0"><source>He is my friend.</source><target>Il est mon ami.</target></mtc:match>
 <mtc:match id="2" ref="#m1" origin="memory"><source>He is my best friend.</source><target>Il est mon meilleur ami.</target></mtc:match>
 <mtc:match id="3" ref="#s2" type="mt"><source>Yet, I barely see him.</source><target>Je le vois peu.</target></mtc:match>
 <mtc:match id="4" ref="#m2"><source>barely</source><target>peu</target></mtc:match>
 <mtc:match id="5" ref="#s2" reference="yes"><source>Yet, I barely see him.</source><target>Ich sehe ihn kaum.</target></mtc:match>
 <mtc:match id="assay-1" ref="#s2" origin="assay"><source>Yet, I barely see him.</source><target>Or.</target></mtc:match>
 <mtc:match id="6" ref="#s2"><source>Yet, I barely see him.</source><target/></mtc:match>
</mtc:matches>
<segment id="s1"><source><mrk id="m1" type="mtc:match">He is my friend.</mrk></source></segment>
<segment id="s2"><source>Yet, I <mrk id="m2" type="mtc:match">barely</mrk> see him.</source><target>Pourtant, je le vois à peine.</target></segment>
</unit></file></xliff>"""


def read(text: str, **options: object) -> CandidateFile:
    return read_candidates(text.encode(), "file", **options)  # type: ignore[arg-type]


def table(*rows: tuple[str, ...]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def translations(document: CandidateFile) -> list[dict[str, str]]:
    return [dict(unit.translations) for unit in document.units]


BODY = (SOURCE, GOOD, FAIR)


@pytest.mark.parametrize(
    ("heading", "row", "source", "systems", "left_out"),
    [
        (("source", "google", "deepl"), BODY, 1, ["google", "deepl"], {}),
        (("source", "DeepL output with a long heading name", "two", "human"), (*BODY, GOOD), 1,
         ["DeepL output with a long heading name", "two", "human"], {}),
        (("source", "one", "two"), ("Fișier", "File", "A file"), 1, ["one", "two"], {}),
        (("source", "DeepL", "my-system", "human"), (*BODY, GOOD), 1, ["DeepL", "my-system", "human"], {}),
        (("source", "mt-base", "mt-large", "human"), (*BODY, GOOD), 1, ["mt-base", "mt-large", "human"], {}),
        (("mt1", "source", "mt2"), (GOOD, SOURCE, FAIR), 2, ["mt1", "mt2"], {}),
        (("Quelle", "Übersetzung", "mt"), BODY, 1, ["Übersetzung", "mt"], {}),
        (("source", "mt", "translation", "score"), (*BODY, "0.5"), 1, ["mt", "translation"], {4: "name"}),
        (("source", "mt", "translation", "reference"), (*BODY, GOOD), 1, ["mt", "translation"], {4: "name"}),
        (("source", "one", "two", "Kommentar"), (*BODY, GOOD), 1, ["one", "two"], {4: "name"}),
        (("id", "source", "one", "two"), ("7", *BODY), 2, ["one", "two"], {1: "name"}),
        (("source", "one", "two", "words"), (*BODY, "17"), 1, ["one", "two"], {4: "numbers"}),
        (("source", "one", "two", "client"), (*BODY, "Acme"), 1, ["one", "two"], {4: "words"}),
        (("source", "one", "two", "three"), (*BODY, ""), 1, ["one", "two"], {4: "empty"}),
        (("ro", "en (Google)", "en (DeepL)"), BODY, 1, ["en (Google)", "en (DeepL)"], {}),
        (("source_ro", "target_en", "mt_en", "mt_fr"), (*BODY, GOOD), 1, ["target_en", "mt_en"], {4: "language"}),
        (None, BODY, 1, ["column 2", "column 3"], {}),
        (None, (*BODY, "0.5"), 1, ["column 2", "column 3"], {4: "numbers"}),
        (None, ("17", *BODY), 2, ["column 3", "column 4"], {1: "numbers"}),
        (None, ("file one", *BODY), 2, ["column 3", "column 4"], {1: "words"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["tsv", "csv"])
def test_columns_have_roles(
    heading: tuple[str, ...] | None, row: tuple[str, ...], source: int, systems: list[str], left_out: dict[int, str], form: str
) -> None:
    rows = [*([heading] if heading else []), row, row, row]
    text = io.StringIO()
    csv.writer(
        text, delimiter="\t" if form == "tsv" else ";", quoting=csv.QUOTE_MINIMAL if form == "tsv" else csv.QUOTE_ALL
    ).writerows(rows)
    document = read(text.getvalue())
    answer = document.answer()
    reading = answer["reading"]
    assert reading is not None
    assert reading["source"]["column"] == source
    assert [column["name"] for column in reading["translations"]] == systems
    assert {column["column"]: column["reason"] for column in reading["left_out"]} == left_out
    assert (reading["heading"] is not None) == (heading is not None)
    assert reading["unclear"] == (heading is None)
    assert [unit.source for unit in document.units] == [row[source - 1]] * 3
    # Every column is said to be something.
    said = {source, *(column["column"] for column in reading["translations"]), *left_out}
    assert said == set(range(1, len(row) + 1))


def test_empty_cells_short_rows_and_rows_without_translations_are_counted() -> None:
    document = read(
        table(("source", "one", "two"), BODY, (SOURCE, "", FAIR), (SOURCE, GOOD), (SOURCE, "", ""), (SOURCE,), ("", GOOD, FAIR))
    )
    assert translations(document) == [
        {"one": GOOD, "two": FAIR}, {"two": FAIR}, {"one": GOOD}, {"one": GOOD, "two": FAIR},
    ]  # fmt: skip
    answer = document.answer()
    assert answer["systems"] == [{"system": "one", "segments": 3}, {"system": "two", "segments": 3}]
    assert (answer["incomplete"], answer["single"], answer["skipped"], answer["skipped_lines"]) == (2, 2, 2, [5, 6])
    assert [unit.line for unit in document.units] == [2, 3, 4, 7]


def test_a_person_says_what_the_first_row_is() -> None:
    rows = table(("eins", "zwei", "drei"), BODY)
    assert len(read(rows, header=True).units) == 1
    assert len(read(rows, header=False).units) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (table((SOURCE, GOOD), (SOURCE, GOOD)), "1 columns of translations"),
        (table(("source", "mt", "score"), (SOURCE, GOOD, "1")), "column 3 is no translation (by its name)"),
        (table(("source", "mt", "source text"), BODY), "columns 1 (source) and 3 (source text) could each be the source"),
        (table(("source", "mt", "mt"), BODY), "names two translations mt"),
        (table(BODY, (*BODY, GOOD)), "line 2 of file has 4 columns, the first row has 3"),
        (table(("ro", "en", "fr"), BODY), "in another language"),
        (table(("1", "2", "3"), ("4", "5", "6")), "no column of texts"),
        (table(("source", "one", "two"), (SOURCE, GOOD, ""), (SOURCE, "", FAIR)), "no source of file has two translations"),
        ("a ||| b\n", "holds one translation of each source"),
        ("plain text, with, commas\n", "cannot read this file"),
        ("", "this file is empty"),
        (XLIFF_2.replace("matches:2.0", "matches:9.0"), "no source of file has two translations"),
    ],
)
def test_other_files_are_refused_with_a_reason(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("(", r"\(").replace(")", r"\)").replace("|", r"\|")):
        read(text)


def test_a_limit_counts_translations() -> None:
    assert len(read(table(*[BODY] * 3), limit=6).units) == 3
    with pytest.raises(InputError, match="more than 5 translations"):
        read(table(*[BODY] * 3), limit=5)


def test_alternatives_of_xliff_1_2() -> None:
    document = read(XLIFF)
    assert document.languages == ("en-US", "fr-FR")
    assert [(unit.source, dict(unit.translations)) for unit in document.units] == [
        ("Goodbye world!", {
            "target": "Au revoir !", "memory": "Bonjour le monde !", "memory 2": "Au revoir le monde !", "mt": "Adieu monde !",
            "mt 2": "Adieu, monde !", "previous-version": "Adieu !",
        }),
        ("One.", {"target": "Un.", "mt": "Le un."}),
        ("Two.", {"target": "Deux.", "mt": "Le deux."}),
    ]  # fmt: skip
    answer = document.answer()
    assert answer["left_out"] == {"reference": 1, "language": 1, "empty": 1, "part": 1}
    assert (answer["skipped"], answer["skipped_lines"]) == (2, [20, 21])


def test_matches_of_xliff_2() -> None:
    document = read(XLIFF_2)
    assert [(unit.source, dict(unit.translations)) for unit in document.units] == [
        ("He is my friend.", {"match": "Il est mon ami.", "memory": "Il est mon meilleur ami."}),
        ("Yet, I barely see him.", {"target": "Pourtant, je le vois à peine.", "mt": "Je le vois peu."}),
    ]
    assert document.answer()["left_out"] == {"part": 1, "reference": 1, "assay": 1, "empty": 1}


def test_the_pair_chooses_among_files_of_xliff() -> None:
    second = XLIFF.replace("<xliff", "<!-- --><xliff", 1)
    both = second.replace("</file>", "</file>" + XLIFF[XLIFF.index("<file") : XLIFF.index("</xliff>")].replace("fr-FR", "de-DE"), 1)
    assert read(both, pair=LanguagePair("en", "de")).languages == ("en-US", "de-DE")


CELL = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(CELL, min_size=4, max_size=4), min_size=1, max_size=8))
def test_every_filled_cell_of_a_translation_is_a_candidate(cells: list[list[str]]) -> None:
    """A named table gives exactly its filled cells, in order, or says that no source has two."""
    rows = [("source", "mt one", "translation", "target"), *map(tuple, cells)]
    expected = [
        {name: text for name, cell in zip(rows[0][1:], row[1:], strict=True) if (text := " ".join(cell.split()))} for row in cells
    ]
    filled = [row for row in expected if row]
    try:
        document = read(table(*rows))
    except InputError as error:
        assert all(len(row) < 2 for row in filled) or "columns of translations" in error.detail
        return
    names = {column["name"] for column in (document.answer()["reading"] or {"translations": []})["translations"]}
    assert translations(document) == [
        row for row in ({name: text for name, text in row.items() if name in names} for row in expected) if row
    ]


PLACES = {
    "cell": "source\tone\ttwo\na\tb{}\tc\n",
    "heading": "source\tone\ttwo{}\na\tb\tc\n",
    "rows": "source\tone\ttwo\na\tb\tc\n{}",
    "csv": '"a","b","c{}"\n',
    "first line": "source,a,b{}",
    "unit": XLIFF.replace("</trans-unit>", "{}</trans-unit>", 1),
    "target": XLIFF.replace("Adieu !", "{}", 1),
    "matches": XLIFF_2.replace("</mtc:matches>", "{}</mtc:matches>"),
    "source 2": XLIFF_2.replace("He is my friend.</mrk>", "{}</mrk>"),
}
REPEATED = (
    '<alt-trans origin="a"><target>b</target></alt-trans>', '<alt-trans><target><mrk mtype="seg">',
    '<mtc:match ref="#s1"><target>x</target></mtc:match>', '<mrk id="z" type="mtc:match">', "\tx", ",x", '"',
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_hostile_files_are_read_or_refused_in_even_time(place: str) -> None:
    def use(text: str) -> None:
        try:
            read(text).answer()
        except InputError:
            return

    for piece in (*PIECES.values(), *REPEATED):
        assert_grows_evenly(lambda size, piece=piece: PLACES[place].replace("{}", piece * (size // len(piece))), use, 8000)  # type: ignore[misc]


def test_a_unit_has_no_endless_alternatives() -> None:
    with pytest.raises(InputError, match="more than 1000 alternatives"):
        read(XLIFF.replace("</trans-unit>", '<alt-trans origin="a"><target>b</target></alt-trans>' * 3000 + "</trans-unit>", 1))
    with pytest.raises(InputError, match="names more than 1000 systems"):
        unit = '<trans-unit id="u{0}"><source>a</source><target>b</target><alt-trans origin="s{0}"><target>b</target></alt-trans></trans-unit>'
        read(XLIFF.replace("<body>", "<body>" + "".join(unit.format(k) for k in range(1500)), 1))
