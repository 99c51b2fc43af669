"""Corrections in files of translators: what is written is read again, all else stays, and what cannot be written is told beside it."""

import difflib
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import polib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from app.documents import Document, read_file
from app.documents.correcting import with_corrections
from app.documents.retexting import Revision
from tests.documents.test_documents import EXPECTED, HOUSE, SAMPLES, mark, sources

# Files that have no room for a comment; a table without a heading would not tell what it is.
SILENT = {"trados.sdlxliff", "pairs.txt", "moses.nbest", "two.tsv"}
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")), min_size=1, max_size=40)
PLAIN = '<?xml version="1.0"?><xliff version="1.2"><file source-language="ro" target-language="en"><body>%s</body></file></xliff>'


def corrected(raw: bytes, texts: dict[int, str], name: str = "file") -> tuple[bytes, Document, frozenset[int]]:
    """A file with other texts, what is read in it, and what it could not hold."""
    revised = {number: Revision(text, 1_600_000_000.0) for number, text in texts.items()}
    document, left = with_corrections(raw, lambda content: read_file(content, "file", None, sources(name)), revised)
    return (raw if len(left) == len(texts) else document.retext({})[0]), document, left


def unit_of(target: str, more: str = "") -> bytes:
    return (PLAIN % f'<trans-unit id="1"><source>Casa.</source><target{more}>{target}</target></trans-unit>').encode()


def target_of(raw: bytes) -> str:
    text = raw.decode()
    return text[text.index("<target") : text.index("</target>")].partition(">")[2]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_correction_is_read_again_and_marked(name: str) -> None:
    raw = (SAMPLES / name).read_bytes()
    before = read_file(raw, "file", None, sources(name))
    new = f"{before.units[0].translation} Indeed."
    content, document, left = corrected(raw, {0: new}, name)
    assert not left
    assert [unit.translation for unit in document.units] == [new, *(unit.translation for unit in before.units[1:])]
    assert [unit.source for unit in document.units] == [unit.source for unit in before.units]
    # Nothing is taken away but the flag or the state that is not true any more.
    old, now = raw.decode("latin-1"), content.decode("latin-1")
    gone = "".join(old[a:b] for op, a, b, _, _ in difflib.SequenceMatcher(None, old, now, False).get_opcodes() if op != "equal")
    assert len(gone) < 60
    marked = document.marked([mark(k) for k in range(len(before.units))])
    assert [unit.translation for unit in read_file(marked, "file", None, sources(name)).units] == [
        unit.translation for unit in document.units
    ]


@pytest.mark.parametrize("name", EXPECTED)
@settings(max_examples=12)
@given(data=st.data())
def test_any_text_is_there_or_told_not_to_be(name: str, data: st.DataObject) -> None:
    raw = (SAMPLES / name).read_bytes()
    before = read_file(raw, "file", None, sources(name))
    number = data.draw(st.integers(0, len(before.units) - 1))
    text = " ".join(data.draw(TEXTS).split()) or '"x", <y> & \\z;'
    content, document, left = corrected(raw, {number: text}, name)
    expected = [text if k == number and not left else unit.translation for k, unit in enumerate(before.units)]
    assert [unit.translation for unit in document.units] == expected
    if left:
        assert content == raw
    elif name not in SILENT:
        assert document.holds_comment(text)


def test_tags_stay_around_what_they_were_around() -> None:
    raw = unit_of('Press <g id="1">Save</g> for &quot;2<x id="2"/> kg&quot;.')
    # Nothing says where the tags should go.
    content, _, left = corrected(raw, {0: "Keep two kilos."})
    assert left == {0} and content == raw
    content, _, _ = corrected(raw, {0: 'Click <Save> on "2 kg" & more.'})
    assert target_of(content) == 'Click &lt;<g id="1">Save</g>&gt; on &quot;2<x id="2"/> kg&quot; &amp; more.'
    content, _, _ = corrected(unit_of('Click <g id="1">the big</g> red one.'), {0: "Press the large red one."})
    assert target_of(content) == 'Press <g id="1">the large</g> red one.'
    content, _, _ = corrected(raw, {0: 'Click Save for about "2 kilos".'})
    assert target_of(content) == 'Click <g id="1">Save</g> for about &quot;2<x id="2"/> kilos&quot;.'
    content, _, _ = corrected(raw, {0: 'Press Store & go for "2 kg".'})
    assert target_of(content) == 'Press <g id="1">Store &amp; go</g> for &quot;2<x id="2"/> kg&quot;.'


def test_what_is_no_text_stays_too() -> None:
    raw = unit_of('A <bpt id="1">&lt;b></bpt>big<ept id="1">&lt;/b></ept> <!-- c --><![CDATA[<the old>]]> house')
    content, _, left = corrected(raw, {0: "A large <the new> house"})
    assert not left
    assert target_of(content) == 'A <bpt id="1">&lt;b></bpt>large<ept id="1">&lt;/b></ept> <!-- c --><![CDATA[<the new>]]> house'
    assert corrected(raw, {0: "A big ]]> house"})[2] == {0}
    content, _, _ = corrected(unit_of("\n   Two\n   lines.\n"), {0: "Three lines."})
    assert target_of(content) == "\n   Three\n   lines.\n"


def test_states_say_that_a_person_translated() -> None:
    content, _, _ = corrected(
        unit_of("House.", ' state="needs-review-translation" state-qualifier="leveraged-mt"'), {0: "A house."}
    )
    assert b'<target state="translated">A house.' in content
    tool = (SAMPLES / "tool-2.0.xlf").read_bytes()
    for segment in etree.fromstring(corrected(tool, {0: "Good day, world."})[0]).findall(".//{*}segment"):
        text = "".join(segment.find("{*}target").itertext()) if segment.find("{*}target") is not None else ""
        assert (segment.get("state") == "translated") == (text == "Good day, world."), text
    trados = etree.fromstring(corrected((SAMPLES / "trados.sdlxliff").read_bytes(), {0: "The house is large."})[0])
    assert "Translated" in [each.get("conf") for each in trados.iter("{*}seg")]
    memory = etree.fromstring(corrected((SAMPLES / "omegat.tmx").read_bytes(), {0: "The house is large."})[0])
    # 1,600,000,000 seconds after 1970.
    assert "20200913T122640Z" in [variant.get("changedate") for variant in memory.iter("tuv")]


def test_a_unit_of_two_segments_is_translated_when_both_are() -> None:
    segments = '<mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="2">Two.</mrk>'
    cut = segments.replace("One", "Unu").replace("Two", "Doi")
    unit = f'<trans-unit id="1"><source>Unu. Doi.</source><seg-source>{cut}</seg-source><target>{segments}</target></trans-unit>'
    raw = (PLAIN % unit).encode()
    assert b"state=" not in corrected(raw, {0: "First."})[0]
    assert b'<target state="translated">' in corrected(raw, {0: "First.", 1: "Second."})[0]


def test_catalogues_keep_their_lines_and_lose_the_flag(tmp_path: Path) -> None:
    raw = b'#, fuzzy, c-format\nmsgid "a %d\\nb"\nmsgstr ""\n"first line\\n"\n"second line\\n"\n\n#, fuzzy\nmsgid "x"\nmsgstr "y"\n'
    content, document, _ = corrected(raw, {0: 'first line third "line"'})
    assert content == (
        b'#, c-format\nmsgid "a %d\\nb"\nmsgstr ""\n"first line\\n"\n"third \\"line\\"\\n"\n\n#, fuzzy\nmsgid "x"\nmsgstr "y"\n'
    )
    path = tmp_path / "x.po"
    path.write_bytes(document.marked([mark(0), mark(1)]))
    assert [entry.msgstr for entry in polib.pofile(str(path))] == ['first line\nthird "line"\n', "y"]
    # One of two plural forms is no whole entry.
    plural = b'#, fuzzy\nmsgid "%d a"\nmsgid_plural "%d b"\nmsgstr[0] "c"\nmsgstr[1] "d"\n'
    assert corrected(plural, {1: "e"})[0] == plural.replace(b'"d"', b'"e"')
    assert corrected(plural, {0: "f", 1: "e"})[0] == plural.replace(b'"d"', b'"e"').replace(b'"c"', b'"f"').replace(
        b"#, fuzzy\n", b""
    )
    # A file in an encoding that lacks a letter keeps its text.
    assert corrected((SAMPLES / "latin1.po").read_bytes(), {0: "Wetter „schön” ș"})[2] == {0}


def test_cells_are_quoted_where_they_must_be() -> None:
    table = b'source,target\r\nCasa,House\r\n"Da, da","Yes, ""yes"""\r\nNimic,\r\n'
    content, _, _ = corrected(table, {0: 'House, "big"', 1: 'No, ""yes""', 2: " ".join(["Nothing"])})
    assert content == b'source,target\r\nCasa,"House, ""big"""\r\n"Da, da","No, """"yes"""""\r\nNimic,Nothing\r\n'
    lines = b'{"source": "Casa", "n": 1, "target": "The \\"house\\" \\u0103", "more": [{"target": 2}]}\r\n'
    content, _, _ = corrected(lines, {0: 'A "hut" ă 😀'})
    assert json.loads(content) == {"source": "Casa", "n": 1, "target": 'A "hut" ă 😀', "more": [{"target": 2}]}
    assert content.startswith(b'{"source": "Casa", "n": 1, "target": "') and content.endswith(b', "more": [{"target": 2}]}\r\n')


def test_archives_are_corrected_member_by_member() -> None:
    packed = io.BytesIO()
    members = {name: (SAMPLES / name).read_bytes() for name in ("omegat.tmx", "gettext.po")}
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    content, document, left = corrected(packed.getvalue(), {2: "The house is large."})
    assert not left and document.units[2].translation == "The house is large." and document.units[0].translation == HOUSE[1]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.read("omegat.tmx") == members["omegat.tmx"] != archive.read("gettext.po")


@pytest.mark.parametrize("name", sorted(EXPECTED.keys() - SILENT))
def test_comments_are_beside_translations_and_go_again(name: str) -> None:
    raw = (SAMPLES / name).read_bytes()
    document = read_file(raw, "file", None, sources(name))
    comment = 'Better "so", {not} <that>; & more'
    assert document.holds_comment(comment)
    plain = [mark(k) for k in range(len(document.units))]
    content = document.marked([replace(plain[0], comment=comment), *plain[1:]])
    again = read_file(content, "file", None, sources(name))
    assert [unit.translation for unit in again.units] == [unit.translation for unit in document.units]
    assert b"Better" in content.replace(b"\0", b"")
    # Marked anew, nothing is left of it.
    assert again.marked(plain) == read_file(document.marked(plain), "file", None, sources(name)).marked(plain)
