"""Hostile documents: refused or read in time that grows with them, and what is read can be written."""

import io
import random
import struct
import time
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable

import pytest
from lxml import etree

from app.documents import FILE_FORMATS, Document, QualityMark, read_file
from app.errors import InputError
from app.text.reading.lines import TextFile
from app.text.reading.tables import open_table
from tests.growth import PIECES, assert_grows_evenly

MARK = QualityMark(
    0.83, 0.17, 0.05, 0.9, "hter", "fraction of words", "lower is better", "ro-en-hter-blend-95", "=cmd", ("numbers",)
)
XLIFF = '<xliff version="1.2"%s><file source-language="en" target-language="de"><body>%s</body></file></xliff>'
UNIT = '<trans-unit id="1"><source>a</source><target%s>%s</target></trans-unit>'
XLIFF_2 = '<xliff version="2.0" srcLang="en" trgLang="de"><file id="f">%s</file></xliff>'
UNIT_2 = '<unit id="u"><segment id="s"><source>a</source><target>%s</target></segment></unit>'
TMX = '<tmx version="1.4"><header srclang="en"/><body>%s</body></tmx>'
TU = '<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="de"><seg>%s</seg></tuv></tu>'
PO = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "a"\nmsgstr "b"\n'
ITS = "{http://www.w3.org/2005/11/its}"
# Where pieces are put, {} being the place: anything that a reader may begin to read as its own.
PLACES = {
    "start": "{}",
    "root": "{}!",
    "prolog of xliff": "{}" + XLIFF % ("", UNIT % ("", "b")),
    "root of xliff": XLIFF % (" a='{}'", UNIT % ("", "b")),
    "declarations": XLIFF % (" {}", UNIT % ("", "b")),
    "target of xliff": XLIFF % ("", UNIT % ("", "b{}")),
    "attribute of xliff": XLIFF % ("", UNIT % (' a="{}"', "b")),
    "body of xliff": XLIFF % ("", UNIT % ("", "b") + "{}"),
    "target of xliff-2": XLIFF_2 % (UNIT_2 % "b{}"),
    "unit of xliff-2": XLIFF_2 % (UNIT_2 % "b" + "{}"),
    "segment of tmx": TMX % (TU % "b{}"),
    "body of tmx": TMX % (TU % "b" + "{}"),
    "after po": PO + "{}",
    "message of po": PO + '\nmsgid "c{}"\nmsgstr "{}"\n',
    "cell of tsv": "source\ttranslation\na\tb{}\n",
    "row of tsv": "source\ttranslation\na\tb\n{}",
    "header of tsv": "source\ttranslation\t{}\na\tb\tc\n",
    "cell of csv": "source,translation\na,{}\n",
    "quoted cell of csv": 'source,translation\na,"{}"\n',
    "row of csv": "source,translation\na,b\n{}",
    "text of jsonl": '{"source": "a", "mt": "{}"}\n',
    "object of jsonl": '{"source": "a", "mt": "b", {}}\n',
    "line of jsonl": '{"source": "a", "mt": "b"}\n{}',
    "line of bars": "a ||| b{}\n",
    "lines of bars": "a ||| b\n{}",
    "text of n-best": "0 ||| a{} ||| lm= 1 ||| -1\n",
    "features of n-best": "0 ||| a ||| lm= 1 {} ||| -1\n",
    "lines of n-best": "0 ||| a ||| lm= 1 ||| -1\n{}",
}
CHARACTERS = 8000


def written(document: Document) -> bytes:
    return document.marked([MARK] * len(document.units))


def read_and_write(raw: bytes) -> None:
    try:
        document = read_file(raw, "file", None, ["a"])
    except InputError:
        return
    again = read_file(written(document), "file", None, ["a"])
    assert [(unit.source, unit.translation) for unit in again.units] == [(unit.source, unit.translation) for unit in document.units]


@pytest.mark.parametrize("place", PLACES)
def test_time_grows_with_the_document(place: str) -> None:
    for piece in PIECES.values():

        def make(size: int, piece: str = piece) -> bytes:
            return PLACES[place].replace("{}", piece * (size // len(piece))).encode()

        try:
            assert_grows_evenly(make, read_and_write, CHARACTERS)
        except AssertionError as error:
            raise AssertionError(f"{piece!r} as {place}: {error}") from None


def nested(opening: str, closing: str, inner: str, count: int) -> str:
    return opening * count + inner + closing * count


SHAPES = {
    "namespaces": lambda n: XLIFF % (" ".join(f' xmlns:a{k}="u{k}"' for k in range(n // 20)), UNIT % ("", "b") * (n // 100)),
    "namespaces of units": lambda n: XLIFF % ("", "".join(UNIT % (f' xmlns:a{k}="u{k}"', "b") for k in range(n // 80))),
    "prefixes": lambda n: XLIFF % ("", "".join(UNIT % (f' xmlns:its{k}="u{k}"', "b") for k in range(n // 80))),
    "attributes": lambda n: XLIFF % ("", UNIT % (" ".join(f' a{k}="x"' for k in range(n // 10)), "b")),
    "segments": lambda n: XLIFF % ("", "<trans-unit><source><mrk mtype='seg' mid='1'>" + "a " * (n // 4) + "</mrk></source><target>" + "<mrk mtype='seg' mid='1'>b</mrk>" * (n // 50) + "</target></trans-unit>"),
    "notes": lambda n: XLIFF % ("", "<trans-unit><source>a</source><target>b</target>" + '<note from="assay">x</note>' * (n // 30) + "</trans-unit>"),
    "deep text": lambda n: XLIFF % ("", UNIT % ("", nested("<g>", "</g>", "<x/>b" * (n // 5), 90))),
    "segments of a unit": lambda n: XLIFF_2 % ("<unit>" + "<segment id='s'><source>a</source><target>b</target></segment>" * (n // 60) + "</unit>"),
    "ids": lambda n: XLIFF_2 % (UNIT_2 % "".join(f"<ph id='assay-1-{k}'/>b" for k in range(2, n // 25))),
    "variants": lambda n: TMX % ("<tu>" + "".join(f'<tuv xml:lang="l{k}"><seg>a</seg></tuv>' for k in range(n // 40)) + "</tu>"),
    "properties": lambda n: TMX % ('<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="de">' + '<prop type="x-assay">x</prop>' * (n // 30) + "<seg>b</seg></tuv></tu>"),
    "messages": lambda n: PO + 'msgid "a"\nmsgstr "b"\n' * (n // 20),
    "continuation lines": lambda n: PO + 'msgid ""\nmsgstr "x"\n' + '"0123456789012345678901234567890123456789"\n' * (n // 43),
    "plural forms": lambda n: PO + 'msgid "a"\nmsgid_plural "b"\n' + "".join(f'msgstr[{k}] "c"\n' for k in range(min(9999, n // 15))),
    "header lines": lambda n: 'msgid ""\nmsgstr "a: b\\n"\n' + '"c\\n"\n' * (n // 6) + 'msgid "a"\nmsgstr "b"\n',
    "columns": lambda n: "source\ttranslation\t" + "\t".join(f"c{k}" for k in range(n // 10)) + "\na\tb\t" + "\t" * (n // 10 - 1) + "\n",
    "annotated rows": lambda n: "source,translation,assay_quality,assay_score,assay_low,assay_high,assay_band,assay_warnings\n" + 'a,"b,",0.5,1,1,1,"x,","y"\n' * (n // 25),
    "names of features": lambda n: "0 ||| a ||| " + " ".join(f"f{k}= 1" for k in range(n // 10)) + " ||| -1\n",
    "keys": lambda n: '{"source": "a", "mt": "b", ' + ", ".join(f'"{k}": 1' for k in range(n // 10)) + "}\n",
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_what_is_in_it(shape: str) -> None:
    assert_grows_evenly(lambda size: SHAPES[shape](size).encode(), read_and_write, 15_000)


def filled(begin: str, piece: str, end: str = "") -> bytes:
    """Two million characters of one piece."""
    return (begin + piece * (2_000_000 // len(piece)) + end).encode()


HEADING = "source,translation\n"
OBJECT = '{"source": "a", "translation": "b"'
WIDE = {
    "separators": filled("", ";,\t|"),
    "tabs": filled("", "\t"),
    "cells of tsv": filled("a\tb\n", "a\t"),
    "commas": filled(HEADING, ","),
    "cells of csv": filled(HEADING, "ab,"),
    "quoted cells": filled(HEADING + "a,b\n", '"a,b",'),
    "cells over lines": filled(HEADING, '"\n",'),
    "declared": filled("sep=;\n", ";"),
    "bars": filled("a ||| b\n", " ||| "),
    "n-best": filled("0 ||| a ||| f= 1 ||| 1\n0 ", "||| a "),
    "lists": filled(OBJECT + ', "x": [', "[],", "1]}\n"),
}  # fmt: skip


@pytest.mark.parametrize("shape", WIDE)
def test_rows_of_too_many_columns_take_no_memory(shape: str) -> None:
    def read(open_file: Callable[[], object]) -> None:
        begin = time.process_time()
        tracemalloc.start()
        try:
            with pytest.raises(InputError):
                open_file()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 6 * len(WIDE[shape]) and time.process_time() - begin < 1.0

    read(lambda: read_file(WIDE[shape], "file", None, ["a"]))
    if b"\t" in WIDE[shape]:
        read(lambda: open_table(TextFile("file", WIDE[shape])).read())


def test_members_and_empty_lines_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.text.reading.lines.MOST_EMPTY_LINES", 10)
    members = "".join(f', "k{k}": 1' for k in range(1000))
    with pytest.raises(InputError, match="an object has more than 1000 members"):
        read_file((OBJECT + members + "}\n").encode(), "file")
    for row in ("a\tb", "a ||| b", OBJECT + "}", "0 ||| a ||| f= 1 ||| 1"):
        assert len(read_file(f"{row}\n".encode() + b"\n" * 9, "file", None, ["a"]).units) == 1
        with pytest.raises(InputError, match="file has more than 10 empty lines; delete them"):
            read_file(f"{row}\n".encode() + b"\n" * 11, "file", None, ["a"])


def test_commas_in_quotes_make_no_columns() -> None:
    text = ",;" * 2_000
    table = f'source,translation\n"{text}","{text}\n{text}"\n\n\r\na,b\n'.encode()
    units = read_file(table, "file").units
    assert [(unit.source, unit.translation, unit.line) for unit in units] == [(text, f"{text} {text}", 2), ("a", "b", 6)]


def test_an_archive_of_many_members_is_refused_before_they_are_listed() -> None:
    def archive(count: int) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            for k in range(count):
                file.writestr(f"{k}.tsv", b"a\tb\n")
        return out.getvalue()

    assert_grows_evenly(archive, read_and_write, 250)
    with pytest.raises(InputError) as caught:
        read_file(archive(1001), "file")
    assert caught.value.code == "document-too-large"


BROTHERS = UNIT % ("", "b")
NESTED = {
    "files": XLIFF % ("", BROTHERS + '<file source-language="en" target-language="de"><body>' + BROTHERS + "</body></file>"),
    "95 files": '<xliff version="1.2">' + nested('<file source-language="en" target-language="de"><body>', "</body></file>", BROTHERS, 45) + "</xliff>",
    "unit in a note": XLIFF % ("", f"<trans-unit><source>a</source><target>b</target><note>{BROTHERS}</note></trans-unit>"),
    "group in a note": XLIFF % ("", f"<trans-unit><source>a</source><target>b</target><note><group>{BROTHERS}</group></note></trans-unit>"),
    "unit in a target": XLIFF % ("", UNIT % ("", f"b{BROTHERS}")),
    "unit in a unit": XLIFF % ("", f"<trans-unit><source>a</source><target>b</target>{BROTHERS}</trans-unit>"),
    "segment in a segment": XLIFF % ("", '<trans-unit><source><mrk mtype="seg" mid="1">a</mrk></source><target><mrk mtype="seg" mid="1">b<mrk mtype="seg" mid="2">c</mrk></mrk></target></trans-unit>'),
    "files of xliff-2": XLIFF_2 % (UNIT_2 % "b" + f'<file id="g">{UNIT_2 % "b"}</file>'),
    "unit in a unit of xliff-2": XLIFF_2 % f'<unit id="v">{UNIT_2 % "b"}<segment><source>a</source><target>b</target></segment></unit>',
    "unit in a note of xliff-2": XLIFF_2 % f'<notes><note>{UNIT_2 % "b"}</note></notes>',
    "tu in prop": TMX % (f"<tu><prop>{TU % 'b'}</prop>" + (TU % "b").removeprefix("<tu>")),
    "tu in seg": TMX % (TU % (TU % "b")),
}  # fmt: skip


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("namespace", [False, True])
def test_what_standards_forbid_is_refused_with_its_place(name: str, namespace: bool) -> None:
    text = (
        NESTED[name].replace("<xliff ", '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" ', 1) if namespace else NESTED[name]
    )
    with pytest.raises(InputError) as caught:
        read_file(("\n" + text.replace("><", ">\n<")).encode(), "file")
    assert caught.value.code == "invalid-document"
    assert "may not stand" in caught.value.detail
    assert caught.value.where[0] == "file" and isinstance(caught.value.where[1], int) and caught.value.where[1] > 2


@pytest.mark.parametrize("header", ["<file>x</file>", "<x:file/>", "<x:trans-unit/>"])
def test_other_formats_may_use_the_same_names(header: str) -> None:
    inside = f'<x:y xmlns:x="urn:x">{header.replace("<file>", "<x:file>").replace("</file>", "</x:file>")}</x:y>'
    text = XLIFF.replace("<body>", f"<header>{inside}</header><body>") % ("", BROTHERS)
    assert len(read_file(text.encode(), "file").units) == 1


def two_of_each() -> dict[str, bytes]:
    return {
        "xliff-1.2": (XLIFF % ("", BROTHERS * 2)).encode(),
        "xliff-2": (XLIFF_2 % (UNIT_2 % "b" * 2)).encode(),
        "tmx": (TMX % (TU % "b" * 2)).encode(),
        "po": (PO + 'msgid "c"\nmsgstr "d"\n').encode(),
        "tsv": b"a\tb\n" * 2,
        "csv": b"source,mt\n" + b"a,b\n" * 2,
        "jsonl": b'{"source": "a", "mt": "b"}\n' * 2,
        "bars": b"a ||| b\n" * 2,
        "n-best": b"0 ||| a ||| lm= 1 ||| -1\n" * 2,
        "zip": packed({"a": b"a\tb\n", "b": b"a\tb\n"}),
    }


def packed(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("name", FILE_FORMATS)
def test_units_are_counted_while_they_are_read(name: str) -> None:
    raw = two_of_each()[name]
    assert len(read_file(raw, "file", None, ["a"], 2).units) == 2
    with pytest.raises(InputError) as caught:
        read_file(raw, "file", None, ["a"], 1)
    assert caught.value.code == "too-many-segments"


def test_rows_behind_the_last_that_is_accepted_are_not_read() -> None:
    # The fourth line is damaged, and nobody gets there.
    with pytest.raises(InputError, match="more than 1 segments"):
        read_file(b'source,mt\na,b\na,b\n"open', "file", None, None, 1)


def unnamed(name: bytes) -> bytes:
    """An archive of one table by hand, since no packer gives a file such a name."""
    body = b"a\tb\n"
    about = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, zlib.crc32(body), len(body), len(body), len(name), 0)
    local = b"PK\x03\x04" + about + name + body
    entry = b"PK\x01\x02" + struct.pack("<H", 20) + about + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    return local + entry + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local), 0)


@pytest.mark.parametrize("name", [b"", b"\0", b"\0a"])
def test_a_member_without_a_name_is_refused(name: bytes) -> None:
    assert len(read_file(unnamed(b"a.tsv"), "file").units) == 1
    with pytest.raises(InputError) as caught:
        read_file(unnamed(name), "file")
    assert (caught.value.code, caught.value.where) == ("unsafe-document", ("file", 1))


def test_any_damage_of_an_archive_is_refused() -> None:
    chance = random.Random(7)
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", compression) as archive:
            archive.writestr("a.tsv", b"a\tb\n" * 10)
        for _ in range(300):
            raw = bytearray(out.getvalue())
            raw[chance.randrange(4, len(raw))] ^= 1 << chance.randrange(8)
            read_and_write(bytes(raw))


@pytest.mark.parametrize("digits", [b"9" * 5000, b"0" * 5000, b"9" * 8, b"-" + b"9" * 5000])
def test_numbers_of_thousands_of_digits_are_no_numbers(digits: bytes) -> None:
    for raw in (
        digits + b" ||| a ||| lm= -1 ||| -1\n",
        b"0 ||| a ||| lm= " + digits + b" ||| -1\n",
        b"0 ||| a ||| lm= -1 ||| " + digits + b"\n",
        b"0 ||| a ||| lm= -1 ||| -1 ||| " + digits + b"-0\n",
        b'msgid "a"\nmsgid_plural "b"\nmsgstr[' + digits + b'] "c"\n',
        b'{"source": "a", "mt": "b", "n": ' + digits + b"}\n",
        b'<?xml version="1.0"?><tmx version="' + digits + b'"><body>&#' + digits + b";</body></tmx>",
    ):
        read_and_write(raw)


ATTRIBUTES = [
    """ note=' its:mtConfidence="x" '""", """ note=" its:mtConfidence='x' \"""", """ note='a its:mtConfidence="x" b' xmlns:its='http://www.w3.org/2005/11/its' its:mtConfidence='0.1'""",
    ' xmlns:its="http://www.w3.org/2005/11/its" its:mtConfidence="0.1"', ' xmlns:i="http://www.w3.org/2005/11/its" i:mtConfidence="0.1" i:annotatorsRef="mt-confidence|x"',
    ' xmlns:its="urn:other" its:mtConfidence="kept"', "\n\txmlns:its\n=\n'urn:other'", ' note="xmlns:its=&quot;u&quot;"',
]  # fmt: skip
ROOTS = [
    "",
    ' xmlns:its="http://www.w3.org/2005/11/its"',
    ' xmlns:a="http://www.w3.org/2005/11/its" xmlns:b="http://www.w3.org/2005/11/its"',
    ' xmlns:its="urn:other"',
]


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_marks_leave_other_attributes_alone(root: str, attribute: str) -> None:
    raw = (XLIFF % (root, UNIT % (attribute, "b"))).encode()
    once = written(read_file(raw, "file"))
    before, after = (next(etree.fromstring(text).iter("target")) for text in (raw, once))
    assert after.get(f"{ITS}mtConfidence") == MARK.number
    ours = {f"{ITS}mtConfidence", f"{ITS}annotatorsRef"}
    assert {name: value for name, value in after.attrib.items() if name not in ours} == {
        name: value for name, value in before.attrib.items() if name not in ours
    }
    assert written(read_file(once, "file")) == once


@pytest.mark.parametrize("prefix", ["a", "b"])
def test_an_attribute_is_found_under_any_prefix_of_its_namespace(prefix: str) -> None:
    raw = (XLIFF % (ROOTS[2], UNIT % (f' {prefix}:mtConfidence="0.1"', "b"))).encode()
    assert next(etree.fromstring(written(read_file(raw, "file"))).iter("target")).get(f"{ITS}mtConfidence") == MARK.number


def test_characters_that_an_encoding_lacks_are_written_as_references() -> None:
    text = f'<?xml version="1.0" encoding="iso-8859-1"?>{XLIFF_2 % (UNIT_2 % "&#x4e2d; &#x41f;")}'
    once = written(read_file(text.encode("iso-8859-1"), "file"))
    assert once.count(b"&#20013; &#1055;") == 1 and once.count(b"&#x4e2d;") == 1
    assert read_file(once, "file").units[0].translation == "中 П"


@pytest.mark.parametrize("box", ["<notes/>", '<mtc:matches xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"/>'])
def test_an_empty_box_is_opened(box: str) -> None:
    raw = (XLIFF_2 % (UNIT_2 % "b").replace("<segment", f"{box}<segment")).encode()
    once = written(read_file(raw, "file"))
    unit = next(etree.fromstring(once).iter("unit"))
    assert {etree.QName(child).localname for child in unit} == {"notes", "matches", "segment"}
    assert written(read_file(once, "file")) == once


def test_what_a_spreadsheet_runs_is_never_written_into_a_table() -> None:
    for raw, cut in ((b"source,mt\n=1+1,-0.5\n", ","), (b"=1+1\t-0.5\n", "\t")):
        own, *ours = written(read_file(raw, "file")).decode().split("\n")[-2].split(cut)[1:]
        assert own == "-0.5" and b"=1+1" in raw
        assert all(cell[:1] not in "=+@\t\r" for cell in ours) and ours[4] == "_cmd"


def test_cells_of_ours_in_quotes_are_taken_away_whole() -> None:
    header = "source,translation,assay_quality,assay_score,assay_low,assay_high,assay_band,assay_warnings\n"
    raw = header + 'a,"b, ""c""","0.5",1,1,1,"x,""y","z, w"\n'
    line = written(read_file(raw.encode(), "file")).decode().split("\n")[1]
    assert line == 'a,"b, ""c""",0.8300,0.1700,0.0500,0.9000,_cmd,numbers'


def test_carriages_before_a_line_end_stay_there() -> None:
    once = written(read_file(b"source,mt\r\r\na,b\r\r\n", "file"))
    assert once.count(b"assay_warnings\r\r\n") == 1 and once.count(b"numbers\r\r\n") == 1


def test_a_document_type_behind_a_second_mark_is_refused() -> None:
    raw = b"\xef\xbb\xbf" * 2 + b"<!DOCTYPE xliff [<!ENTITY a 'b'>]>" + (XLIFF % ("", BROTHERS)).encode()
    with pytest.raises(InputError):
        read_file(raw, "file")


def test_far_more_tags_than_text_are_refused_before_they_are_parsed() -> None:
    with pytest.raises(InputError) as caught:
        read_file((XLIFF % ("", "<a/>" * 1_500_000)).encode(), "file")
    assert caught.value.code == "document-too-large"
