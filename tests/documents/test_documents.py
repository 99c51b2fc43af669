"""Files of translators: what is read out of real-shaped samples, and that all but our marks stays byte for byte."""

import codecs
import csv
import difflib
import io
import json
import re
import zipfile
from pathlib import Path

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from app.documents import QualityMark, file_format, read_file
from app.errors import InputError
from app.text import LanguagePair

SAMPLES = Path(__file__).parent / "samples"
ITS = "{http://www.w3.org/2005/11/its}"
HOUSE = ("Casa este mare.", "The house is big.")
N_BEST_SOURCES = ["casa este mare", "bună ziua"]
# What each sample holds, read by eye: format, languages, pairs, skipped.
EXPECTED = {
    "trados.sdlxliff": ("xliff-1.2", "ro-RO", "en-GB", [HOUSE, ("Guvernul numește un prefect.", "The Government appoints a prefect.")], 1),
    "memoq.mqxliff": ("xliff-1.2", "ro", "en-US", [("Apăsați Salvare pentru 2,5 kg.", "Press Save for 2.5 kg.")], 1),
    "matecat.xlf": ("xliff-1.2", "ro-RO", "en-US", [("Bună ziua lume.", "Hello world."), ("După doar 200 de metri ajungem.", "Only 200 metres later we arrive.")], 0),
    "okapi-its.xlf": ("xliff-1.2", "en", "de", [("The motherboard is <new>.", "Die Hauptplatine ist <neu>."), ("Fish & chips <fresh>", "Fisch & Pommes <frisch>")], 0),
    "xcode.xliff": ("xliff-1.2", "en", "de", [("You've %d messages", "Sie haben %d Nachrichten")], 1),
    "phrase.mxliff": ("xliff-1.2", "ro", "en", [HOUSE], 0),
    "tool-2.0.xlf": ("xliff-2", "ro", "en-GB", [("Bună ziua lume.", "Good day world."), HOUSE], 2),
    "okapi-2.1.xlf": ("xliff-2", "en", "de", [("Hello world.", "Hallo Welt.")], 0),
    "omegat.tmx": ("tmx", "ro-RO", "en-GB", [HOUSE, ("Bună ziua.", "Good day.")], 1),
    "workbench.tmx": ("tmx", "en-US", "de-DE", [("The weather is fine.", "Das Wetter ist schön.")], 0),
    "gettext.po": ("po", "ro", "en-GB", [HOUSE, ("%d fișier", "%d file"), ("%d fișiere", "%d files"), ('Bună ziua, lume „nouă” "x".', 'Good day, new world "x".')], 1),
    "latin1.po": ("po", None, "de", [("The weather is fine.", "Das Wetter ist schön.")], 0),
    "excel.csv": ("csv", None, None, [("Casa; mare", 'The "big"; house'), ("Două rânduri", "Two lines"), ("Nimic", "")], 0),
    "plain.csv": ("csv", None, None, [HOUSE, ("Bună ziua", "Hello, world")], 0),
    "languages.tsv": ("tsv", "ro", "en", [HOUSE, ('"citat" rămâne', '"quote" stays')], 0),
    "two.tsv": ("tsv", None, None, [HOUSE, ("Bună ziua.", "Good day.")], 0),
    "rows.jsonl": ("jsonl", None, None, [HOUSE, ("Bună ziua.", "Good day é.")], 1),
    "pairs.txt": ("bars", None, None, [("Casa este mare .", "The house is big ."), ("Bună ziua .", "Good day .")], 0),
    "moses.nbest": ("n-best", None, None, [("casa este mare", "the house is big"), ("casa este mare", "the house is large"), ("bună ziua", "good day")], 0),
}  # fmt: skip
# Nothing is replaced in these but a confidence that stood there before.
REPLACED = {"okapi-its.xlf", "okapi-2.1.xlf"}


def sources(name: str) -> list[str] | None:
    return N_BEST_SOURCES if name.endswith(".nbest") else None


def mark(k: int = 0) -> QualityMark:
    confidence = round(0.9 - 0.07 * (k % 10), 4)
    return QualityMark(confidence, round(1 - confidence, 4), 0.05, 0.9, "hter", "fraction of words", "lower is better", "ro-en-hter-blend-95", "top", ("numbers",) * (k % 2))  # fmt: skip


def marked(raw: bytes, name: str) -> bytes:
    document = read_file(raw, "file", None, sources(name))
    return document.marked([mark(k) for k in range(len(document.units))])


def text_of(raw: bytes) -> str:
    if raw[:2] == codecs.BOM_UTF16_LE:
        return raw.decode("utf-16")
    return raw.decode("iso-8859-1")


def test_every_sample_has_its_expectation() -> None:
    assert {path.name for path in SAMPLES.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_samples_are_read(name: str) -> None:
    form, source, target, pairs, skipped = EXPECTED[name]
    found = read_file((SAMPLES / name).read_bytes(), "file", None, sources(name))
    assert (found.format, found.source_language, found.target_language) == (form, source, target)
    assert [(unit.source, unit.translation) for unit in found.units] == pairs
    assert found.skipped == skipped


@pytest.mark.parametrize("name", EXPECTED)
def test_only_ours_is_added(name: str) -> None:
    raw = (SAMPLES / name).read_bytes()
    once = marked(raw, name)
    before, after = text_of(raw), text_of(once)
    changes = {op for op, *_ in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()}
    assert changes <= ({"equal", "insert", "replace", "delete"} if name in REPLACED else {"equal", "insert"})
    assert once[:2] == raw[:2] or name in ("two.tsv", "plain.csv")
    assert (b"\r\n" in once) == (b"\r\n" in raw) and once.count(b"\n") >= raw.count(b"\n")
    # Marking again replaces our marks and nothing else; what is read stays the same.
    assert marked(once, name) == once
    assert read_file(once, "file", None, sources(name)).units == read_file(raw, "file", None, sources(name)).units or name.endswith(("po", "tmx", "f", "ff"))  # fmt: skip
    pairs = [(u.source, u.translation) for u in read_file(once, "file", None, sources(name)).units]
    assert pairs == EXPECTED[name][3]


@pytest.mark.parametrize("name", EXPECTED)
def test_marks_need_no_second_parse(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = (SAMPLES / name).read_bytes()
    expected = marked(raw, name)
    document = read_file(raw, "file", None, sources(name))
    for module, reader in ((etree, "fromstring"), (polib, "pofile"), (csv, "reader"), (json, "loads")):
        monkeypatch.setattr(module, reader, None)
    assert document.marked([mark(k) for k in range(len(document.units))]) == expected


@pytest.mark.parametrize("name", [name for name in EXPECTED if EXPECTED[name][0].startswith("xliff")])
def test_confidences_are_where_its_says(name: str) -> None:
    root = etree.fromstring(marked((SAMPLES / name).read_bytes(), name))
    found = [each for each in root.iter("*") if each.get(f"{ITS}mtConfidence") is not None]
    assert [each.get(f"{ITS}mtConfidence") for each in found] == [mark(k).number for k in range(len(EXPECTED[name][3]))]
    assert root.get(f"{ITS}version") == "2.0"
    for each in found:
        kinds = dict(part.split("|", 1) for part in each.get(f"{ITS}annotatorsRef").split())
        assert kinds["mt-confidence"] == "urn:assay:model:ro-en-hter-blend-95"
        kind = etree.QName(each).localname
        assert kind in ("target", "mrk")
        if kind == "mrk" and EXPECTED[name][0] == "xliff-1.2":
            assert each.get("mtype") == "seg"
        if EXPECTED[name][0] == "xliff-2":
            assert each.get("type") in ("its:generic", "its:any") and etree.QName(each.getparent()).localname == "target"
    ratings = [float(each.get(f"{ITS}locQualityRatingScore", "nan")) for each in root.iter("{*}file")]
    count = len(EXPECTED[name][3])
    assert ratings[0] == pytest.approx(100 * sum(mark(k).confidence for k in range(count)) / count, abs=0.01)


def test_other_annotators_and_tools_are_left_alone() -> None:
    root = etree.fromstring(marked((SAMPLES / "okapi-its.xlf").read_bytes(), "okapi-its.xlf"))
    target = next(root.iter("{*}target"))
    assert target.get(f"{ITS}annotatorsRef").split()[0] == "terminology|http://example.org/terms"
    assert target.get("state") == "translated"
    assert "assay" not in etree.tostring(etree.fromstring(marked((SAMPLES / "trados.sdlxliff").read_bytes(), "x")).find(".//{*}trans-unit[@id='a2']")).decode().replace("urn:assay", "")  # fmt: skip
    matecat = etree.fromstring(marked((SAMPLES / "matecat.xlf").read_bytes(), "matecat.xlf"))
    assert [each.get("match-quality") for each in matecat.iter("{*}alt-trans")] == ["85%"]
    assert [n.text[:20] for n in matecat.iter("{*}note")] == ["segment 1: quality 0", "segment 2: quality 0"]


def test_matches_of_xliff_2_carry_the_quality() -> None:
    root = etree.fromstring(marked((SAMPLES / "tool-2.0.xlf").read_bytes(), "tool-2.0.xlf"))
    unit = next(root.iter("{*}unit"))
    assert [etree.QName(child).localname for child in unit] == [
        "matches",
        "notes",
        "originalData",
        "segment",
        "ignorable",
        "segment",
    ]
    found = [(each.get("ref"), each.get("matchQuality"), each.findtext("{*}target")) for each in unit.iter("{urn:oasis:names:tc:xliff:matches:2.0}match")]  # fmt: skip
    assert found == [("#s1", "90.00", "Good day world."), ("#s2", "83.00", "The house is big.")]
    assert [each.get("category") for each in unit.iter("{*}note")] == ["context", "assay", "assay"]


def test_tables_and_lines_get_columns() -> None:
    rows = list(csv.reader(io.StringIO(marked((SAMPLES / "excel.csv").read_bytes(), "excel.csv").decode("utf-8-sig"), newline=""), delimiter=";"))  # fmt: skip
    assert rows[0][-6:] == ["assay_quality", "assay_score", "assay_low", "assay_high", "assay_band", "assay_warnings"]
    assert [row[4] for row in rows[1:]] == ["0.9000", "0.8300", "0.7600"] and {len(row) for row in rows} == {10}
    assert rows[2][1] == "Două\r\nrânduri"
    tsv = marked((SAMPLES / "languages.tsv").read_bytes(), "languages.tsv").decode().split("\n")
    assert tsv[1].split("\t")[:4] == ["7", *HOUSE, "0.9000"]
    lines = [json.loads(line) for line in marked((SAMPLES / "rows.jsonl").read_bytes(), "rows.jsonl").decode().split("\n") if line]
    assert lines[1]["assay"]["quality"] == 0.83 and lines[1]["x"] == "}" and "assay" not in lines[2]
    n_best = marked((SAMPLES / "moses.nbest").read_bytes(), "moses.nbest").decode().split("\n")
    assert n_best[2] == "1 ||| good day ||| LexicalReordering0= -0.1 0 Distortion0= 0 LM0= -5 Assay= 0.7600 ||| -1.0e0 ||| 0-0 1-1"
    bars = marked((SAMPLES / "pairs.txt").read_bytes(), "pairs.txt").decode().split("\n")
    assert bars[0] == "Casa este mare . ||| The house is big . ||| 0.9000"


def test_po_gets_extracted_comments_that_gettext_reads(tmp_path: Path) -> None:
    path = tmp_path / "x.po"
    path.write_bytes(marked((SAMPLES / "gettext.po").read_bytes(), "gettext.po"))
    before, after = polib.pofile(str(SAMPLES / "gettext.po")), polib.pofile(str(path))
    assert [(e.msgid, e.msgstr, e.msgstr_plural, e.flags, e.tcomment, e.previous_msgid) for e in after] == [
        (e.msgid, e.msgstr, e.msgstr_plural, e.flags, e.tcomment, e.previous_msgid) for e in before
    ]
    assert after[0].comment.split("\n")[0] == "shown on top" and after[0].comment.split("\n")[1].startswith("assay: quality 0.90")
    assert [line[:24] for line in after[1].comment.split("\n")] == ["assay: msgstr[0] quality", "assay: msgstr[1] quality"]


def make_zip(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_archives_are_annotated_member_by_member() -> None:
    members = {name: (SAMPLES / name).read_bytes() for name in ("trados.sdlxliff", "omegat.tmx", "languages.tsv")}
    raw = make_zip({"in/a.xlf": members["trados.sdlxliff"], "picture.png": b"\x89PNG\r\n\x00\x00", "b.tmx": members["omegat.tmx"], "c.tsv": members["languages.tsv"]})  # fmt: skip
    found = read_file(raw, "file")
    assert (found.format, found.source_language, len(found.units), found.skipped) == ("zip", "ro-RO", 6, 2)
    assert found.members == (("xliff-1.2", 2), ("tmx", 2), ("tsv", 2))
    with zipfile.ZipFile(io.BytesIO(found.marked([mark(k) for k in range(6)]))) as archive:
        assert archive.namelist() == ["in/a.xlf", "picture.png", "b.tmx", "c.tsv"]
        assert archive.read("picture.png") == b"\x89PNG\r\n\x00\x00"
        assert archive.read("b.tmx") == read_file(members["omegat.tmx"], "file").marked([mark(2), mark(3)])
    other = make_zip({"a.xlf": members["trados.sdlxliff"], "b.xlf": (SAMPLES / "xcode.xliff").read_bytes()})
    with pytest.raises(InputError, match="file 2 of the archive has another language pair"):
        read_file(other, "file")


def test_the_wanted_pair_is_taken_of_several() -> None:
    raw = (SAMPLES / "xcode.xliff").read_bytes()
    assert [u.translation for u in read_file(raw, "file", LanguagePair("en", "fr")).units] == ["Oui"]
    tmx = (SAMPLES / "omegat.tmx").read_bytes()
    assert [u.translation for u in read_file(tmx, "file", LanguagePair("ro", "fr")).units] == ["Bonjour."]
    assert b"Oui</target><note" not in marked(raw, "xcode.xliff")


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><xliff version="1.2">&b;</xliff>'
)
EXTERNAL = '<?xml version="1.0"?>\n<!-- x -->\n<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><tmx version="1.4"><body>&e;</body></tmx>'


def huge_zip() -> bytes:
    return make_zip({"a.tsv": b"\0" * 50_000_000})


def lying_zip() -> bytes:
    """An archive whose directory says that a file is small."""
    raw = bytearray(make_zip({"a.tsv": b"a\tb\n" * 100_000}))
    at = raw.rindex(b"PK\x01\x02")
    raw[at + 24 : at + 28] = (10).to_bytes(4, "little")
    return bytes(raw)


def link_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link.tsv")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return out.getvalue()


@pytest.mark.parametrize(
    ("raw", "code", "said"),
    [
        (LAUGHS.encode(), "unsafe-document", "line 1, column 22: this DOCTYPE has declarations"),
        (EXTERNAL.encode(), "unsafe-document", "line 3, column 1: this DOCTYPE has declarations"),
        (EXTERNAL.encode("utf-16"), "unsafe-document", "DOCTYPE"),
        (b'<xliff version="1.2"><file>&unknown;</file></xliff>', "invalid-document", "line 1, column"),
        (b"<xliff version='1.2'>\n <file>\n</xliff>", "invalid-document", "line 3, column"),
        (b'<xliff version="1.2">' + b"<g>" * 101 + b"</g>" * 101 + b"</xliff>", "unsafe-document", "deep"),
        (b'<xliff version="1.2">' + b"<g>" * 100_000, "invalid-document", "line 1"),
        (b'<xliff version="1.2"/>', "invalid-document", "no <file>"),
        (b'<?xml version="1.0" encoding="zlib"?><xliff version="1.2"/>', "invalid-encoding", "save it as UTF-8"),
        (b'<?xml version="1.0" encoding="unicode_escape"?><xliff/>', "invalid-encoding", "save it as UTF-8"),
        (b"<html><body>x</body></html>", "unknown-format", "XLIFF 1.2"),
        (b"hello\nworld\n", "unknown-format", "Assay cannot read this file"),
        (b"hello\nworld\n", "unknown-format", "send a plain text as two files"),
        (b"a\tb\nc\td\te\n", "invalid-table", "line 2 of file has 3 columns, expected 2"),
        (b'source,target\n"open,x\n', "invalid-table", "a quote is open"),
        (b'{"source": "a", "mt": "b"}\n{"source": "a"\n', "invalid-document", "line 2, column 15"),
        (b'{"source": "\\ud800", "mt": "b"}\n', "invalid-character", "lone surrogate"),
        (b"[" * 100_000, "unknown-format", "cannot read this file"),
        (b"x" * 300_000, "unknown-format", "cannot read this file"),
        (b'{"source": "a", "mt": "b", "n": ' + b"9" * 100_000 + b"}\n", "unsafe-document", "too many digits"),
        (b'{"a":' * 100_000, "unsafe-document", "nested too deep"),
        (b"a\xff\tb\n", "invalid-encoding", "line 1, column 2"),
        (b"a\0\tb\n", "invalid-character", "NUL"),
        (b"", "empty-input", "empty"),
        (b"\xef\xbb\xbf \n", "empty-input", "empty"),
        (b'msgid "a"\nmsgstr "b\n\nmsgid unquoted\n', "invalid-document", "PO catalogue"),
        (b"PK\x03\x04 nothing", "invalid-document", "damaged"),
        (huge_zip(), "unsafe-document", "compressed more than 200 times"),
        (lying_zip(), "", ""),
        (link_zip(), "unsafe-document", "is a link"),
        (make_zip({"../../etc/x.tsv": b"a\tb\n"}), "unsafe-document", "path outside"),
        (make_zip({"/etc/x.tsv": b"a\tb\n"}), "unsafe-document", "path outside"),
        (make_zip({"C:\\x.tsv": b"a\tb\n"}), "unsafe-document", "path outside"),
        (make_zip({f"{k}.tsv": b"a\tb\n" for k in range(1001)}), "document-too-large", "at most 1000 files"),
        (make_zip({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<a/>"}), "unknown-format", "office document"),
        (make_zip({"a.png": b"\x89PNG"}), "unknown-format", "no file that Assay can read"),
        (make_zip({"in.zip": make_zip({"a.tsv": b"a\tb\n"})}), "unknown-format", "no file that Assay can read"),
        (b"0 ||| a ||| lm= -1 ||| -1\n", "missing-evidence", "no sources"),
    ],
)  # fmt: skip
def test_hostile_and_broken_files_are_refused(raw: bytes, code: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_file(raw, "file")
    assert caught.value.code == (code or caught.value.code)
    assert said in str(caught.value)
    assert "passwd" not in str(caught.value) and "lol" not in str(caught.value)


def test_two_gigabytes_of_nothing_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "nothing.zip"
    archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
    with archive, archive.open("a.tsv", "w", force_zip64=True) as file:
        for _ in range(200):
            file.write(b"\0" * 1_000_000)
    with pytest.raises(InputError) as caught:
        read_file(path.read_bytes(), "file")
    assert caught.value.code == "document-too-large"


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co", "Cn"]), min_size=1, max_size=20).filter(str.strip)
PAIRS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5)


def xml_text(text: str, tag: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    cut = len(text) // 2
    if "&" in escaped or not tag:
        return escaped
    return f"{text[:cut]}{tag}{text[cut:]}"


@given(PAIRS, st.sampled_from(["", "<x id='1'/>", '<ph id="2">&lt;b></ph>', "<bpt id='3'>x</bpt><ept id='3'>y</ept>", "<!-- > -->"]), st.sampled_from(["\n", "\r\n", ""]), st.sampled_from(["utf-8", "utf-16"]))  # fmt: skip
def test_round_trip_of_xliff(pairs: list[tuple[str, str]], tag: str, end: str, encoding: str) -> None:
    units = "".join(
        f'<trans-unit id="{k}">{end}<source>{xml_text(s, tag)}</source>{end} <target>{xml_text(t, tag)}</target></trans-unit>{end}'
        for k, (s, t) in enumerate(pairs)
    )
    text = f'<?xml version="1.0" encoding="{encoding}"?>{end}<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" target-language="de"><body>{units}</body></file></xliff>'
    raw = text.encode(encoding)
    found = read_file(raw, "file")
    assert [(u.source, u.translation) for u in found.units] == [(" ".join(s.split()), " ".join(t.split())) for s, t in pairs]
    once = marked(raw, "file")
    assert marked(once, "file") == once
    # Taking away what carries our names leaves the file as it was.
    bare = re.sub(r' (xmlns:)?its:?\w*="[^"]*"', "", once.decode(encoding))
    bare = re.sub(r'\s*<note from="assay"[^>]*>[^<]*</note>', "", bare)
    assert bare.encode(encoding) == raw


@given(PAIRS, st.sampled_from([",", ";"]), st.sampled_from(["\n", "\r\n"]))
def test_round_trip_of_csv(pairs: list[tuple[str, str]], delimiter: str, end: str) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(
        [["source", "note", "target"], *((s, "x\ny", t) for s, t in pairs)]
    )
    raw = out.getvalue().encode()
    assert [(u.source, u.translation) for u in read_file(raw, "file").units] == [(" ".join(s.split()), " ".join(t.split())) for s, t in pairs]  # fmt: skip
    once = marked(raw, "file")
    assert marked(once, "file") == once
    rows = list(csv.reader(io.StringIO(once.decode(), newline=""), delimiter=delimiter))
    assert [row[:3] for row in rows] == list(csv.reader(io.StringIO(raw.decode(), newline=""), delimiter=delimiter))
    assert [row[3] for row in rows[1:]] == [mark(k).number for k in range(len(pairs))]


@given(PAIRS)
def test_round_trip_of_po_and_json_lines(pairs: list[tuple[str, str]]) -> None:
    catalogue = polib.POFile()
    catalogue.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Language": "de"}
    for k, (source, text) in enumerate(pairs):
        catalogue.append(polib.POEntry(msgid=source, msgstr=text, msgctxt=str(k), occurrences=[("a.c", "1")], comment="hint"))
    for raw in (str(catalogue).encode(), "".join(json.dumps({"mt": t, "n": k, "source": s}) + "\n" for k, (s, t) in enumerate(pairs)).encode()):  # fmt: skip
        assert [(u.source, u.translation) for u in read_file(raw, "file").units] == [(" ".join(s.split()), " ".join(t.split())) for s, t in pairs]  # fmt: skip
        once = marked(raw, "file")
        assert marked(once, "file") == once
        bare = re.sub(r'#\. assay: [^\n]*\n|, "assay": \{[^}]*\}', "", once.decode())
        assert bare == raw.decode()


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    for each in (
        raw,
        b"PK\x03\x04" + raw,
        b"<?xml version='1.0'?><xliff version='1.2'>" + raw,
        b'msgid ""\nmsgstr ""\n' + raw,
        b"source,mt\n" + raw,
    ):
        try:
            found = read_file(each, "file")
        except InputError:
            continue
        found.marked([mark() for _ in found.units])


def test_formats_are_told_by_content_alone() -> None:
    assert {file_format((SAMPLES / name).read_bytes(), "file").name for name in EXPECTED} == {
        form for form, *_ in EXPECTED.values()
    }


@given(PAIRS, st.sampled_from(["", '<ph id="p"/>', '<sc id="q"/>']), st.sampled_from(["\n", "\r\n", ""]), st.booleans())
def test_round_trip_of_xliff_2_and_tmx(pairs: list[tuple[str, str]], tag: str, end: str, noted: bool) -> None:
    notes = '<notes><note id="n">x</note></notes>' if noted else ""
    units = "".join(
        f'<unit id="{k}">{end} {notes}<segment id="s{k}"><source>{xml_text(s, tag)}</source>{end}<target>{xml_text(t, tag)}</target></segment></unit>{end}'
        for k, (s, t) in enumerate(pairs)
    )
    xliff = f'<?xml version="1.0"?>{end}<xliff version="2.0" srcLang="en" trgLang="de" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f">{units}</file></xliff>'
    code = "<ut>\\b</ut>" if tag else ""
    memory = "".join(
        f'<tu>{end}<tuv xml:lang="en"><seg>{xml_text(s, code)}</seg></tuv> <tuv xml:lang="de">{end}<seg>{xml_text(t, code)}</seg></tuv></tu>'
        for s, t in pairs
    )
    tmx = f'<?xml version="1.0"?><tmx version="1.4">{end}<header srclang="en"/><body>{memory}</body></tmx>'
    for text in (xliff, tmx):
        raw = text.encode()
        expected = [(" ".join(s.split()), " ".join(t.split())) for s, t in pairs]
        assert [(u.source, u.translation) for u in read_file(raw, "file").units] == expected
        once = marked(raw, "file")
        assert marked(once, "file") == once
        assert [(u.source, u.translation) for u in read_file(once, "file").units] == expected
        etree.fromstring(once)
        bare = re.sub(r'\s*<prop type="x-assay[^>]*>[^<]*</prop>| (?:xmlns:)?its:?\w*="[^"]*"', "", once.decode())
        bare = re.sub(r'\s*<mtc:matches.*?</mtc:matches>|<note id="assay-[^>]*>[^<]*</note>', "", bare, flags=re.DOTALL)
        bare = re.sub(r'<mrk id="assay-[^>]*>(.*?)</mrk>', r"\1", bare, flags=re.DOTALL)
        bare = re.sub(r"\s*<notes></notes>", "", bare)
        assert bare == text


@given(PAIRS, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_round_trip_of_tsv(pairs: list[tuple[str, str]], end: str, header: bool) -> None:
    rows = [(" ".join(s.split()), " ".join(t.split())) for s, t in pairs]
    text = ("mt\tid\tsrc" + end if header else "") + "".join(f"{t}\t7\t{s}{end}" if header else f"{s}\t{t}{end}" for s, t in rows)
    raw = text.encode()
    assert [(u.source, u.translation) for u in read_file(raw, "file").units] == rows
    once = marked(raw, "file")
    assert marked(once, "file") == once
    width = 3 if header else 2
    assert (
        "\n".join(
            "\t".join(line.removesuffix("\r").split("\t")[:width]) + ("\r" if line.endswith("\r") else "")
            for line in once.decode().split("\n")
        )
        == text
    )
