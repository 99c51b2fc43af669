"""Document types: one that only names another file is passed over and stays; one that declares anything is refused."""

import re

import pytest

from app.documents import QualityMark, file_format, read_file
from app.documents.xml.markup import parse_markup
from app.documents.xml.prolog import prolog_of
from app.errors import InputError
from tests.growth import assert_grows_evenly

MARK = QualityMark(0.5, 0.25, 0.1, 0.9, "hter", "fraction of words", "lower is better", "ro-en-hter", "top", ("numbers",))
ROOTS = {
    "tmx": '<tmx version="1.4"><header srclang="en"/>\n<body><tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="de"><seg>ä</seg></tuv></tu></body></tmx>\n',
    "xliff-1.2": '<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1"><source>a</source><target>ä</target></trans-unit></body></file></xliff>\n',
    "xliff-2": '<xliff version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="u"><segment id="s"><source>a</source><target>ä</target></segment></unit></file></xliff>\n',
}  # fmt: skip
# As tools write them: OmegaT, Trados Workbench, Okapi, memoQ, and what the standards print.
PASSED = [
    '<!DOCTYPE tmx SYSTEM "tmx14.dtd">',
    "<!DOCTYPE tmx SYSTEM 'tmx11.dtd'>\n",
    '\n<!DOCTYPE tmx PUBLIC "-//LISA OSCAR:1998//DTD for Translation Memory eXchange//EN" "tmx14.dtd" >\n',
    "<!DOCTYPE xliff PUBLIC '-//XLIFF//DTD XLIFF//EN'\r\n  \"http://www.oasis-open.org/committees/xliff/documents/xliff.dtd\">",
    '<!-- a > <!DOCTYPE b [ --><?pi <tmx ?>\n<!DOCTYPE tmx SYSTEM "a>b <c> [\']"><!-- <tmx> -->\n<?more?>',
    "<!DOCTYPE tmx>",
    "<!DOCTYPE tmx [ \n]>",
    '<!DOCTYPE tmx SYSTEM "tmx14.dtd" []>\n',
]
REFUSED = [
    '<!DOCTYPE tmx SYSTEM "tmx14.dtd" [<!ENTITY a "lol">]>',
    "<!DOCTYPE tmx [<!ELEMENT tmx ANY>]>",
    '<!DOCTYPE tmx [<?x "?>]>',
    "<!DOCTYPE tmx [ % a; ]>",
    '<!DOCTYPE tmx SYSTEM "a"><!DOCTYPE tmx SYSTEM "b">',
    '<!DOCTYPE tmx SYSTEM "a>',
    "<!DOCTYPE>",
    "<!DOCTYPE tmx SYSTEM>",
    '<!DOCTYPE tmx PUBLIC "a">',
    "<!doctype tmx>",
    "<!ENTITY a 'b'>",
    '<!DOCTYPE "tmx">',
]
OURS = re.compile(r'\s*<prop type="x-assay[^>]*>[^<]*</prop>| (?:xmlns:)?its:?\w*="[^"]*"|<note from="assay"[^>]*>[^<]*</note>')
OURS_2 = re.compile(r'\s*<mtc:matches.*?</mtc:matches>|<notes><note id="assay.*?</notes>|<mrk id="assay-[^>]*>|</mrk>', re.DOTALL)
# How the bytes of a text begin, and what its declaration calls them.
ENCODINGS = [
    ("utf-8", b"", "utf-8"),
    ("utf-8", b"\xef\xbb\xbf", "UTF-8"),
    ("utf-16-le", b"\xff\xfe", "utf-16"),
    ("utf-16-be", b"\xfe\xff", "UTF-16"),
    ("utf-16-le", b"", "utf-16"),
    ("utf-16-be", b"", "utf-16"),
    ("iso-8859-1", b"", "ISO-8859-1"),
]


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("declaration", PASSED)
def test_a_document_type_that_declares_nothing_is_passed_over_in_every_encoding(root: str, declaration: str) -> None:
    for codec, mark, name in ENCODINGS:
        text = f'<?xml version="1.0" encoding="{name}"?>{declaration}{ROOTS[root]}'
        document = read_file(mark + text.encode(codec), "file")
        assert (document.format, document.languages) == (root, ("en", "de"))
        # The line is the one it stands on, as lxml counts it for a file without a type.
        (unit,) = document.units
        assert (unit.source, unit.translation, unit.line) == ("a", "ä", text.count("\n", 0, text.index("ä")) + 1)
        once = document.marked([MARK])
        assert once.startswith(mark) and read_file(once, "file").marked([MARK]) == once
        assert OURS_2.sub("", OURS.sub("", once[len(mark) :].decode(codec))).encode(codec) == text.encode(codec)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("declaration", REFUSED)
def test_a_document_type_that_declares_something_is_refused_with_its_place(root: str, declaration: str) -> None:
    at = declaration.rfind("<!DOCTYPE", 1) if declaration.count("<!DOCTYPE") > 1 else 0
    for codec, mark, name in ENCODINGS[:3]:
        text = f'<?xml version="1.0" encoding="{name}"?>\n <!-- x -->\n  {declaration}{ROOTS[root]}'
        raw = mark + text.encode(codec)
        with pytest.raises(InputError) as caught:
            (read_file if "DOCTYPE " in declaration else parsed)(raw, "file")
        assert (caught.value.code, caught.value.where) == ("unsafe-document", ("file", 3, 3 + at))
        assert "DOCTYPE" in caught.value.detail and "lol" not in str(caught.value)


def parsed(raw: bytes, name: str) -> None:
    parse_markup(raw, name)


def test_entities_stay_unknown_behind_a_document_type_that_may_define_them() -> None:
    text = '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "file:///etc/hosts">\n' + ROOTS["tmx"].replace("ä", "&nbsp;")
    with pytest.raises(InputError) as caught:
        read_file(text.encode(), "file")
    assert caught.value.code == "invalid-document" and caught.value.where[:2] == ("file", 4)


def test_a_document_of_another_kind_is_none_of_ours_whatever_its_type_says() -> None:
    for root in ("<html/>", "<svg/>", "<x/>"):
        with pytest.raises(InputError) as caught:
            file_format(f'<!DOCTYPE tmx SYSTEM "tmx14.dtd">{root}'.encode(), "file")
        assert caught.value.code == "unknown-format"


@pytest.mark.parametrize(
    "piece", ["<!---->", "<?a?>", "<!DOCTYPE a>", '<!DOCTYPE a SYSTEM "', "<!DOCTYPE a [", "<!--", "<?", " ", "\n<!DOCTYPE "]
)
def test_a_prolog_is_scanned_in_time_that_grows_with_it(piece: str) -> None:
    assert_grows_evenly(lambda size: (piece * (size // len(piece))).encode(), lambda raw: prolog_of(raw.decode()), 100_000)
    assert prolog_of("<!-- a --><!DOCTYPE tmx SYSTEM 'x'> <tmx>").end == 36
