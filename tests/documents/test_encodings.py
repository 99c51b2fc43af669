"""One answer about the bytes of a file, whoever asks: by its mark, by what it declares, UTF-8 otherwise."""

import struct
from pathlib import Path

import polib
import pytest

from app.documents import HEAD_BYTES, QualityMark, is_plain_table, read_file
from app.errors import InputError
from app.operations.parts.document_jobs import texts_of
from app.text.reading.encodings import decode
from app.text.reading.foreign import foreign_kind
from tests.documents.test_documents import make_zip

MARK = QualityMark(0.5, 0.25, 0.1, 0.9, "hter", "fraction of words", "lower is better", "ro-en-hter", "top", ("numbers",))
# The charsets that GNU's and Django's catalogues have declared, and a sentence that each of them holds.
CHARSETS = {
    "CP1251": "Привет, мир", "windows-1251": "Привет, мир", "KOI8-R": "Привет, мир", "KOI8-U": "Привіт, світе",
    "ISO-8859-5": "Привет, мир", "ISO-8859-1": "Schöne Grüße", "iso-8859-15": "à 5 €", "ISO-8859-2": "Zażółć gęślą jaźń",
    "windows-1250": "Příliš žluťoučký", "ISO-8859-9": "Türkçe şöyle", "EUC-JP": "こんにちは", "Shift_JIS": "こんにちは",
    "EUC-KR": "안녕하세요", "GB2312": "你好", "GBK": "你好", "BIG5": "你好", "UTF-8": "Привет 你好", "us-ascii": "hello",
}  # fmt: skip


def catalogue(charset: str, text: str, *, before: str = "", folded: bool = False) -> str:
    line = '"Content-Type: text/plain; "\n"charset=%s\\n"' if folded else '"Content-Type: text/plain; charset=%s\\n"'
    return f'{before}msgid ""\nmsgstr ""\n"Language: de\\n"\n{line % charset}\n\nmsgid "greeting"\nmsgstr "{text}"\n'


@pytest.mark.parametrize("charset", CHARSETS)
def test_a_catalogue_is_read_by_the_charset_that_its_header_declares(charset: str, tmp_path: Path) -> None:
    text = CHARSETS[charset]
    # Old catalogues name everybody who worked on them, more than a few thousand bytes of them.
    for before in ("", "# Translators:\n#\n" + "# Somebody with a long name\n" * 400):
        for folded in (False, True):
            raw = catalogue(charset, text, before=before, folded=folded).encode(charset)
            path = tmp_path / "x.po"
            path.write_bytes(raw)
            assert [entry.msgstr for entry in polib.pofile(str(path), encoding=charset)] == [text]
            document = read_file(raw, "file")
            assert texts_of(document) == (["greeting"], [text])
            # What streams tables leaves it alone, so that jobs, commands and pages read it as this does.
            assert not is_plain_table(raw[:HEAD_BYTES])
            once = document.marked([MARK])
            at = raw.index(b'msgid "greeting"')
            assert once.startswith(raw[:at] + b"#. assay: ") and once.endswith(b"\n" + raw[at:])


def test_a_charset_may_stand_behind_a_blank_and_its_keyword_on_a_line_of_its_own() -> None:
    for changed in (("charset=", "charset= "), ('msgstr ""\n', 'msgstr\n""\n'), ('msgid ""\n', 'msgid\n""\n'), ("\n", "\r\r\n")):
        raw = catalogue("KOI8-R", "Привет").replace(*changed).encode("koi8-r")
        assert texts_of(read_file(raw, "file"))[1] == ["Привет"]


def test_keywords_on_lines_of_their_own_and_names_of_catalogues_are_read() -> None:
    raw = b'msgid "a"\nmsgid_plural\n"as"\nmsgstr[0]\n"b"\nmsgstr[1]"bs"\n\ndomain first\n\nmsgid\n"c"\nmsgstr "d"\ndomain "other one"\nmsgid "e"\nmsgstr "f"'
    document = read_file(raw, "file")
    assert texts_of(document) == (["a", "as", "c", "e"], ["b", "bs", "d", "f"])
    once = document.marked([MARK] * 4)
    assert b"".join(line for line in once.splitlines(keepends=True) if not line.startswith(b"#. assay: ")) == raw
    for damaged in (b'msgid "a"\ndomain x\nmsgstr "b"\n', b'msgid "a"\nmsgstr "b"\ndomain\n', b'msgid "a"\nmsgstr "b"\nmsgstr\n'):
        with pytest.raises(InputError, match="no line of a PO catalogue"):
            read_file(damaged, "file")


def test_a_mark_comes_before_what_a_header_says() -> None:
    for charset in ("UTF-8", "CP1251"):
        raw = b"\xef\xbb\xbf" + catalogue(charset, "Привет").encode()
        assert texts_of(read_file(raw, "file"))[1] == ["Привет"]
    assert texts_of(read_file(catalogue("CHARSET", "Привет").encode(), "file"))[1] == ["Привет"]


@pytest.mark.parametrize("name", ["TCVN", "x-unknown-9", "utf-7", "zlib", "unicode_escape", "ISO-8859-12"])
def test_a_charset_that_is_not_read_is_named(name: str) -> None:
    for raw in (catalogue(name, "a").encode(), f'<?xml version="1.0" encoding="{name}"?><tmx/>'.encode()):
        assert not is_plain_table(raw)
        with pytest.raises(InputError, match=f"declares the (unknown )?encoding {name}") as caught:
            read_file(raw, "file")
        assert caught.value.code == "invalid-encoding"


def test_bytes_that_a_declared_charset_lacks_are_refused_with_their_line() -> None:
    for charset, bad in (("UTF-8", b"\xe4"), ("CP1251", b"\x98"), ("us-ascii", b"\xe4"), ("EUC-JP", b"\xff")):
        raw = catalogue(charset, "ab").encode().replace(b"ab", b"a" + bad)
        assert not is_plain_table(raw)
        with pytest.raises(InputError) as caught:
            read_file(raw, "file")
        assert (caught.value.code, caught.value.where) == ("invalid-encoding", ("file", 7, 10))


def test_what_only_speaks_of_a_charset_declares_none() -> None:
    table = "source\ttranslation\nContent-Type: text/plain; charset=iso-8859-1\tgrün\n"
    assert decode(table.encode(), "f").codec == "utf-8" and is_plain_table(table.encode())
    message = 'msgid "Content-Type: text/html; charset=iso-8859-1\\n"\nmsgstr "grün"\n'
    assert texts_of(read_file(message.encode(), "f"))[1] == ["grün"]
    late = catalogue("UTF-8", "a") + '\nmsgid "x"\nmsgstr "Content-Type: text/html; charset=cp1251 ä"\n'
    assert texts_of(read_file(late.encode(), "f"))[1][1].endswith("ä")


@pytest.mark.parametrize("first", ["", "#: a.c\n", "#, fuzzy\n", "# x\n#. y\n", 'msgctxt "c"\n'])
def test_the_first_message_of_a_catalogue_without_header_has_its_mark_before_it(first: str) -> None:
    for end in ("\n", "\r\n"):
        raw = f'{first}msgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr "d"\n'.replace("\n", end).encode()
        once = read_file(raw, "f").marked([MARK, MARK])
        lines = once.decode().split(end)
        own = [k for k, line in enumerate(lines) if line.startswith("#. assay: ")]
        comments = sum(first.startswith(kind) for kind in ("# ",)) * 2
        assert own[0] == comments and lines[own[1] + 1] == 'msgid "c"'
        assert end.join(line for k, line in enumerate(lines) if k not in own).encode() == raw


FOREIGN = {
    "picture (JPEG)": b"\xff\xd8\xff\xe0\0\x10JFIF\0",
    "picture (PNG)": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "RTF": b"{\\rtf1\\ansi hello\\par}",
    "before 2007": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 40,
    "gzip": b"\x1f\x8b\x08\0\0\0\0\0\0\3a\tb\n",
    "compiled catalogue": struct.pack("<7I", 0x950412DE, 0, 1, 28, 36, 0, 28),
    "web page": b"<!DOCTYPE html>\n<html><p>a\tb</p></html>",
    "picture (SVG)": b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
    "spreadsheet (Excel)": make_zip({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<a/>"}),
    "office document (Word)": make_zip({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<a/>"}),
    "OpenDocument": make_zip({"META-INF/manifest.xml": b"<a/>", "content.xml": b"<a/>"}),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_no_translation_file_is_called_by_its_name(kind: str) -> None:
    raw = FOREIGN[kind]
    assert not is_plain_table(raw)
    with pytest.raises(InputError) as caught:
        read_file(raw, "file")
    assert caught.value.code == "unknown-format" and kind in caught.value.detail


def test_texts_are_taken_for_nothing_else() -> None:
    for text in (
        "BM 1\tb\n",
        "MZ\tb\n",
        "GIF\tb\n",
        "<b>a</b>\tb\n",
        "%PDF\tb\n",
        "{\\r\tb\n",
        "ID3\tb\n",
        "RIFF\tb\n",
        "II*\tb\n",
    ):
        assert foreign_kind(text.encode()) is None and read_file(text.encode(), "f").format == "tsv"
    assert foreign_kind(b"") is None
