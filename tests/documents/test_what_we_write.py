"""What we write, we read: any document that is read can be marked, and is then read with the same texts.

Files are damaged in many ways; ``pytest --hypothesis-profile many tests/documents/test_what_we_write.py`` tries far more of them.
"""

import io
import re
import zipfile
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.documents import FILE_FORMATS, Document, QualityMark, read_file
from app.errors import InputError
from benchmarks.fuzz import ATTRIBUTES, ELEMENT, SOURCES, START, WORDS
from tests.documents.test_documents import EXPECTED, SAMPLES

FIRST = QualityMark(0.83, 0.17, 0.05, 0.9, "hter", "fraction of words", "lower is better", "ro-en-hter", "top", ("numbers",))
# Longer and shorter in every part, and with what a format might take for its own.
SECOND = QualityMark(0.0, 12.5, -1.0, 99.25, "da", "z", "higher is better", "en-de-da-2.1", "=a;b,c\t|", ("numbers", "length"))
# What is replaced where it stands.
OF_BEFORE = re.compile(rb"assay|mtConfidence|annotatorsRef|locQualityRating", re.IGNORECASE)
FORMATS = [form for form in FILE_FORMATS if form != "zip"]
# Small documents of every format, beside the samples: a change in them is a change of something that counts.
SMALL = {
    "po": [b'msgid "a"\nmsgstr "b"\n', b'\r\n# x\r\nmsgid "a"\r\nmsgid_plural "c"\r\nmsgstr[0] "b"\r\nmsgstr[1] "d"', b'#. assay: x\nmsgid "a"\nmsgstr "b"\n#. assay: y'],
    "csv": [b"source,mt\na,b\n", b'source;mt;n\r\na;b;0,50\r\n"c";d;-1.234,5\r\n', b'"a";"b"\r\n"c\r\nd";"e"\r\n', b'id;source;target\r\r\n1;"a;""b""";c\r\r\n', b"source,translation,assay_quality,assay_score,assay_low,assay_high,assay_band,assay_warnings\na,b,0.5000,1,1,1,x,y\n"],
    "tsv": [b"a\tb\n", b"\n\nsource\tmt\tn\r\na\tb\t1\r\n\t\t\r\n", b"a\tb\t0.5000\t1\t1\t1\tx\ty\nc\td\t0.5000\t1\t1\t1\tx\ty"],
    "jsonl": [b'{"source": "a", "mt": "b"}\n', b'\n{"src": "a", "tgt": "b", "assay": {"x": 1}}\r\n{"mt": "}", "source": "{\\"assay\\": {}}"}'],
    "bars": [b"a ||| b\n", b"\na ||| b ||| 0.5000\r\n ||| c\n"],
    "n-best": [b"0 ||| a ||| lm= 1 ||| -1\n", b"1 ||| b ||| d: -1 Assay= 0.5 lm: 2 ||| -1 ||| 0-0\r\n0 |||  |||  ||| 0\n"],
    "tmx": [b'<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>a</seg></tuv>\n<tuv xml:lang="de"><prop type="x-assay">x</prop><seg>b</seg></tuv></tu></body></tmx>'],
    "xliff-1.2": [b'<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1"><source>a</source><target>b</target><note from="assay">x</note></trans-unit></body></file></xliff>'],
    "xliff-2": [b'<xliff version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="u"><segment id="s"><source>a</source><target>b</target></segment></unit></file></xliff>'],
}  # fmt: skip


@cache
def samples(form: str) -> Sequence[bytes]:
    """Small documents of a format, and the samples."""
    return [*SMALL[form], *((SAMPLES / name).read_bytes() for name in EXPECTED if EXPECTED[name][0] == form)]


@st.composite
def damaged(draw: st.DrawFn, form: str) -> bytes:
    """A document in which a few things were put in, taken out, said twice or brought from elsewhere."""
    raw = draw(st.sampled_from(samples(form)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(raw)))
        kind = draw(st.sampled_from(["put", "taken", "twice", "moved", "cut", "element", "attribute"]))
        end = min(len(raw), at + draw(st.sampled_from([0, 1, 2, 5, 40, 300])))
        if kind == "put":
            raw = raw[:at] + draw(st.sampled_from(WORDS)) + raw[at:]
        elif kind == "taken":
            raw = raw[:at] + raw[end:]
        elif kind == "twice":
            raw = raw[:end] + raw[at:end] * draw(st.integers(1, 3)) + raw[end:]
        elif kind == "moved":
            other = draw(st.sampled_from(samples(draw(st.sampled_from([form, form, *FORMATS])))))
            begin = draw(st.integers(0, len(other)))
            raw = raw[:at] + other[begin : begin + 300] + raw[end:]
        elif kind == "cut":
            raw = raw[:at]
        elif kind == "element" and (elements := list(ELEMENT.finditer(raw))):
            element, place = draw(st.sampled_from(elements)), draw(st.sampled_from(elements))
            raw = raw[: place.end()] + element[0] + raw[place.end() :]
        elif kind == "attribute" and (tags := list(START.finditer(raw))):
            place = draw(st.sampled_from(tags))
            raw = raw[: place.end(1)] + draw(st.sampled_from(ATTRIBUTES)) + raw[place.end(1) :]
    return raw


@st.composite
def packed(draw: st.DrawFn) -> bytes:
    """An archive of damaged documents."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))) as archive:
        for name in draw(st.lists(st.sampled_from(["a.x", "in/a", "ä b"]), min_size=1, unique=True)):
            archive.writestr(name, draw(damaged(draw(st.sampled_from(FORMATS)))))
    return out.getvalue()


def texts_of(document: Document) -> list[tuple[str, str]]:
    return [(unit.source, unit.translation) for unit in document.units]


def marked(raw: bytes, mark: QualityMark) -> bytes:
    document = read_file(raw, "file", None, SOURCES)
    return document.marked([mark] * len(document.units))


def assert_written_and_read(raw: bytes) -> None:
    """What is read can be marked, is then the same texts, and nothing stays of a mark whose place another takes."""
    try:
        document = read_file(raw, "file", None, SOURCES)
    except InputError:
        return
    once = document.marked([FIRST] * len(document.units))
    again = read_file(once, "file", None, SOURCES)
    assert (again.format, again.languages, again.skipped) == (document.format, document.languages, document.skipped)
    assert texts_of(again) == texts_of(document)
    assert again.marked([FIRST] * len(again.units)) == once
    other = again.marked([SECOND] * len(again.units))
    assert texts_of(read_file(other, "file", None, SOURCES)) == texts_of(document)
    assert marked(other, FIRST) == once
    if document.format in ("tmx", "po", "xliff-1.2", "jsonl") and not OF_BEFORE.search(raw.replace(b"\0", b"")):
        assert is_inside(raw, once)


def is_inside(raw: bytes, marked: bytes) -> bool:
    """Whether all bytes of the one are in the other, in their order."""
    rest = iter(marked)
    return all(byte in rest for byte in raw)


def with_profile(test):  # type: ignore[no-untyped-def]
    """Documents that are refused are quick, and many are."""
    return settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])(test)


FOUND: dict[str, bytes] = {
    "header of csv before two carriages": b"source,mt\r\r\na,b\r\r\n",
    "header of csv before three carriages": b'source;mt\r\r\r\n"a";b\r\r\r\n',
    "lone quote behind a catalogue": b'msgid "a"\nmsgstr "b"\n"',
    "lone quote behind a translation": b'msgid "a"\nmsgstr "b""',
}


@pytest.mark.parametrize("case", FOUND)
def test_what_was_found_once_stays_mended(case: str) -> None:
    assert_written_and_read(FOUND[case])


@pytest.mark.parametrize("form", FORMATS)
def test_what_we_write_we_read(form: str) -> None:
    @with_profile
    @given(damaged(form))
    def check(raw: bytes) -> None:
        assert_written_and_read(raw)

    check()


@with_profile
@given(packed())
def test_what_we_write_into_archives_we_read(raw: bytes) -> None:
    assert_written_and_read(raw)
