"""Texts in XML: references, CDATA, notes and tags in the places of string files, and new texts there."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.documents.retexting import Edit, apply_edits
from app.documents.strings import StringEntry, StringFormat, string_format
from app.errors import InputError
from tests.growth import assert_grows_evenly

ANDROID = '<resources xmlns:x="urn:oasis:names:tc:xliff:document:1.2"><string name="k">{}</string></resources>'
RESX = '<?xml version="1.0"?>\r\n<root><data name="k"><value>{}</value></data></root>'
QT = '<TS language="de"><context><name>C</name><message><source>a</source><translation>{}</translation></message></context></TS>'
DICT = "<plist><dict><key>k</key><dict><key>NSStringLocalizedFormatKey</key><string>{}</string></dict></dict></plist>"
FILES = {"strings.xml": ANDROID, "a.resx": RESX, "a.ts": QT, "a.stringsdict": DICT}
# Contents before a new text comes: plain, with tags, with CDATA, with notes.
CONTENTS = (
    "plain",
    'a <b>bold</b> <x:g id="1">%s</x:g>',
    '<a href="https://example.org/?a=1&amp;b=2">link</a><br/> &lt;i&gt;',
    "<![CDATA[<b>raw</b>]]>",
    "text <![CDATA[<b>raw</b>]]>",
    "<!-- note <i> --><?do it?>text<!-- note -->",
)
SIGNS = [
    "<",
    ">",
    "&",
    "]]>",
    "<![CDATA[",
    "<b>",
    "</b>",
    "<b/>",
    "<x:g>",
    "</x:g>",
    "<y:g>",
    "<a href='x'>",
    "</a>",
    "<a b='' b=''>",
    "<br/>",
    "<!--",
]
SIGNS += [
    "&lt;",
    "&#0;",
    "'",
    '"',
    "\\",
    "\\n",
    "\\u0041",
    "@string/a",
    "?attr/a",
    " ",
    "  ",
    "\n",
    "\t",
    "\r",
    "\u00a0",
    "\u2028",
    "\U0001f600",
    "a",
    "{0}",
]
TEXTS = st.lists(
    st.one_of(st.sampled_from(SIGNS), st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), max_size=3)),
    min_size=1,
    max_size=12,
)
TEXTS_OF_SIGNS = TEXTS.map("".join)


def form_of(name: str) -> StringFormat:
    """The format of a file."""
    form = string_format(name)
    assert form is not None
    return form


def only(name: str, text: str) -> StringEntry:
    """The one entry of a file."""
    (entry,) = form_of(name).entries(text, name)
    return entry


def edited(name: str, text: str, new: str) -> str:
    """A file with a new text in the place of its one entry."""
    entry = only(name, text)
    return apply_edits(text, [Edit(entry.start, entry.end, form_of(name).spelled(new, text, entry))])


@pytest.mark.parametrize("name", FILES)
@given(content=st.sampled_from(CONTENTS), mark=st.sampled_from(["", "\ufeff"]), new=TEXTS_OF_SIGNS)
@example(content=CONTENTS[1], mark="", new="<b>open <x:g>")
@example(content=CONTENTS[3], mark="", new="]]>\r]]>")
@example(content=CONTENTS[0], mark="", new="  @string/a  ")
def test_new_texts_are_read_again(name: str, content: str, mark: str, new: str) -> None:
    if name != "strings.xml":
        content = content.replace("x:g", "g")
    assume(new.strip())
    text = mark + FILES[name].format(content)
    entry = only(name, text)
    result = edited(name, text, new)
    assert only(name, result).text == new
    assert result.startswith(text[: entry.start]) and result.endswith(text[entry.end :])


@pytest.mark.parametrize("name", FILES)
@given(content=TEXTS_OF_SIGNS)
def test_a_text_in_its_own_place_is_read_again(name: str, content: str) -> None:
    text = FILES[name].format(content)
    try:
        (entry,) = form_of(name).entries(text, name)
    except (InputError, ValueError):
        return
    assert only(name, edited(name, text, entry.text)).text == entry.text


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("character", ["\0", "\ud800"])
def test_characters_that_no_file_holds_are_refused(name: str, character: str) -> None:
    with pytest.raises(InputError) as refused:
        edited(name, FILES[name].format("plain"), f"a{character}")
    assert refused.value.code == "invalid-character"


def test_controls_are_refused_or_escaped() -> None:
    assert edited("strings.xml", ANDROID.format("a"), "\x1b") == ANDROID.format("\\u001b")
    assert edited("a.ts", QT.format("a"), "b\x1b") == QT.format('b<byte value="x1b"/>')
    for name in ("a.resx", "a.stringsdict"):
        with pytest.raises(InputError):
            edited(name, FILES[name].format("a"), "b\x1b")


@pytest.mark.parametrize(
    ("content", "value", "spelling"),
    [
        ("&#65;&#x42;&#00000000067;&#150;", "ABC\x96", "&#65;&#x42;&#00000000067;&#150;"),
        ("a\r\nb\rc&#13;d", "a\nb\nc\rd", "a\r\nb\rc&#13;d"),
        ("<!-- a -->b<?c d?>e<!-- f -->", "be", "b<?c d?>e"),
        (" <![CDATA[a]]]]><![CDATA[>b]]> ", "a]]>b", "a]]]]><![CDATA[>b"),
        ("a <![CDATA[<b>]]>", "a <b>", "a <![CDATA[<b>]]>"),
        ("<i a='&amp;'>b</i>", "<i a='&amp;'>b</i>", "<i a='&amp;'>b</i>"),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_values_and_places(mark: str, content: str, value: str, spelling: str) -> None:
    text = mark + RESX.format(content)
    entry = only("a.resx", text)
    assert (entry.text, text[entry.start : entry.end]) == (value, spelling)


@pytest.mark.parametrize(
    ("content", "new", "expected"),
    [
        ("<b>a</b>", "<b>open", "&lt;b&gt;open"),
        ("<b>a</b>", "<b><i>c</i></b>", "<b>&lt;i&gt;c&lt;/i&gt;</b>"),
        ("&lt;b&gt;a", "<b>c</b>", "&lt;b&gt;c&lt;/b&gt;"),
        ('<a href="x">a</a>', '<a href="y&amp;z">c</a>', '<a href="y&amp;z">c</a>'),
        ('<a href="x">a</a>', '<a href="y&z">c</a>', '&lt;a href="y&amp;z"&gt;c&lt;/a&gt;'),
        ("<![CDATA[a]]>", "b]]>c", "<![CDATA[b]]]]><![CDATA[>c]]>"),
        ("<![CDATA[a]]>", "<b> & c", "<![CDATA[<b> & c]]>"),
        ("a <![CDATA[<b>]]>", "<b>c</b>", "&lt;b&gt;c&lt;/b&gt;"),
        ("a", "b\nc", "b\r\nc"),
        ('<y:g xmlns:y="u">a</y:g>', '<y:g xmlns:y="u">b</y:g>', '<y:g xmlns:y="u">b</y:g>'),
        ('<y:g xmlns:y="u">a</y:g>', "<y:g>b</y:g>", "&lt;y:g&gt;b&lt;/y:g&gt;"),
    ],
)
def test_spellings_of_new_texts(content: str, new: str, expected: str) -> None:
    assert edited("a.resx", RESX.format(content), new) == RESX.format(expected)


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (r"\u0020a\u00a0 b", " a\u00a0 b"),
        (r"\ud83d\ude00", "\U0001f600"),
        ("a\u00a0\u00a0b \u2009c", "a\u00a0\u00a0b \u2009c"),
        ('"a\n  b"  c', "a\n  b c"),
        (r"It\'s \"a\" \@b \?c \#d", 'It\'s "a" @b ?c #d'),
        (r"&lt;a href=\"b\"&gt;c&lt;/a&gt;", '<a href="b">c</a>'),
        ('<![CDATA[<a href="b">c</a>\\n ]]>', '<a href="b">c</a>\n'),
        ("\n  <!-- note -->\n  a\n  b\n", "a b"),
        ('"a <b>c  d</b>  e"', "a <b>c d</b> e"),
        ("a <x:g>  b</x:g>", "a <x:g>b</x:g>"),
        (r"\u12", "u12"),
        ("&#32;&#9;a&#10;b", "a b"),
    ],
)
def test_texts_of_android(content: str, value: str) -> None:
    assert only("strings.xml", ANDROID.format(content)).text == value


@pytest.mark.parametrize("content", ["@string/other", "@android:string/ok", "@null", " ?attr/title ", "@+id/a"])
def test_references_of_android_are_no_texts(content: str) -> None:
    assert form_of("strings.xml").entries(ANDROID.format(content), "strings.xml") == []


@pytest.mark.parametrize("content", [r"\ud83d", r"a\u0000", r"\ude00\ud83d"])
def test_half_characters_of_android_are_refused(content: str) -> None:
    with pytest.raises(InputError) as refused:
        form_of("strings.xml").entries(ANDROID.format(content), "strings.xml")
    assert refused.value.code == "invalid-character" and refused.value.where[1:] == (1, ANDROID.index("{}") + 1)


def test_elements_of_android() -> None:
    text = """<resources>
        <string name="a">A</string><string name="a" product="tablet">B</string>
        <item type="string" name="c">C</item><item type="dimen" name="d">D</item>
        <string name="e" translatable="false">E</string><plurals name="f" translatable="false"><item quantity="one">F</item></plurals>
        <string-array name="g"><item/><item>@string/a</item><!-- note --><item>G</item></string-array>
        <string>no name</string><color name="h">#fff</color>
    </resources>"""
    entries = form_of("strings.xml").entries(text, "strings.xml")
    assert [(entry.key, entry.text) for entry in entries] == [("a", "A"), ("a (tablet)", "B"), ("c", "C"), ("g.2", "G")]
    assert form_of("strings.xml").entries(text.replace("<resources>", '<resources translatable="false">'), "strings.xml") == []


def test_places_of_android_begin_at_the_text() -> None:
    text = ANDROID.format("\n    First\n  second\n")
    entry = only("strings.xml", text)
    assert text[entry.start : entry.end] == "First\n  second"


def test_data_of_resx() -> None:
    text = """<root><!-- <data name="no"><value>no</value></data> --><metadata name="m"><value>M</value></metadata>
        <data name="a" type="System.String, mscorlib"><comment>note</comment><value xml:space="preserve"> A </value></data>
        <data name="b" mimetype="text/plain"><value>B</value></data><data name="c" type="System.Int32"><value>3</value></data>
        <data name="d"><value/></data><data name="e"/><data><value>E</value></data></root>"""
    assert [(entry.key, entry.text) for entry in form_of("a.resx").entries(text, "a.resx")] == [("a", " A ")]


def test_variables_and_choices_of_stringsdict() -> None:
    text = """<plist><dict><key>k &amp; l</key><dict>
        <key>NSStringLocalizedFormatKey</key><string>%#@a@ in %#@b@</string>
        <key>b</key><dict><key>NSStringFormatValueTypeKey</key><string>d</string><key>other</key><string>%d B</string>
        <key>few</key><string>%d b</string><key>one</key><integer>1</integer></dict>
        <key>a</key><dict><key>zero</key><string>no</string><!-- note --><key>many</key><!-- note --><string>%d A</string></dict></dict>
        <key>m</key><dict><key>NSStringVariableWidthRuleType</key><dict><key>20</key><string>short</string></dict></dict>
        <key>n</key><dict><key>NSStringDeviceSpecificRuleType</key><dict><key>mac</key><string>Click</string></dict></dict>
        <key>o</key><string>plain</string>
        <key>p</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@a@ %2$#@b@</string></dict></dict></plist>"""
    entries = form_of("a.stringsdict").entries(text, "a.stringsdict")
    assert [(entry.key, entry.plural, entry.text) for entry in entries] == [
        ("k & l", "", "%#@a@ in %#@b@"),
        ("k & l.b", "other", "%d B"),
        ("k & l.b", "few", "%d b"),
        ("k & l.a", "zero", "no"),
        ("k & l.a", "many", "%d A"),
        ("m.20", "", "short"),
        ("n.mac", "", "Click"),
    ]


def test_messages_of_qt() -> None:
    text = """<!-- note --><!DOCTYPE TS><TS language="de_DE"><message id="x"><source>S</source><translation>T</translation></message>
        <context><name>A &amp; B</name>
        <message><source>a</source><translation>1</translation></message>
        <message><source>a</source><comment>c <!-- d --> e</comment><translation>2</translation></message>
        <message numerus="yes"><source>%n</source><translation><numerusform/><numerusform variants="yes"><lengthvariant>long</lengthvariant>
        <lengthvariant>l</lengthvariant></numerusform></translation></message>
        <message><source>b<byte value="x1b"/></source><translation>c<byte value="27"></byte>d<byte value="x0"/></translation></message>
        <message><source>o</source><translation type="obsolete">O</translation></message>
        <message><source>n</source></message></context></TS>"""
    entries = form_of("a.ts").entries(text, "a.ts")
    assert [(entry.key, entry.plural, entry.source, entry.text) for entry in entries] == [
        ("x", "", "S", "T"),
        ("A & B.a", "", "a", "1"),
        ("A & B.a (c  e)", "", "a", "2"),
        ("A & B.%n", "1", "%n", "long"),
        ("A & B.%n.1", "1", "%n", "l"),
        ("A & B.b\x1b", "", "b\x1b", 'c\x1bd<byte value="x0"/>'),
    ]


@pytest.mark.parametrize(
    ("head", "is_qt"),
    [
        ("<TS version='2.1'>", True),
        ("\ufeff<?xml", True),
        ("\n<!DOCTYPE TS>", True),
        ("<any>window.a = 1", False),
        ("<T>(a: T) => a", False),
    ],
)
def test_files_of_qt_are_known_by_their_begin(head: str, is_qt: bool) -> None:
    assert form_of("a.ts").recognises(head) is is_qt


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", ["&undeclared;", "&copy;", "<a>", "&#0;", "&#xd800;", "\0", "\ud800", "<y:a/>"])
def test_faults_in_texts_are_refused(name: str, content: str) -> None:
    with pytest.raises(InputError) as refused:
        form_of(name).entries(FILES[name].format(content), name)
    assert refused.value.code in {"invalid-document", "invalid-character"}


@pytest.mark.parametrize("name", FILES)
def test_declared_entities_are_refused(name: str) -> None:
    text = '<!DOCTYPE a [<!ENTITY b "c">]>' + FILES[name].removeprefix('<?xml version="1.0"?>\r\n').format("&b;")
    with pytest.raises(InputError) as refused:
        form_of(name).entries(text.replace("<!DOCTYPE a", "<!DOCTYPE TS"), name)
    assert refused.value.code == "unsafe-document"


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("a.stringsdict", "<plist><dict><key>{}</key><dict>{}</dict></dict></plist>", "<key>a</key><dict/>"),
        (
            "a.ts",
            "<TS><context><name>{}</name>{}</context></TS>",
            "<message><source>a</source><translation>b</translation></message>",
        ),
        ("strings.xml", '<resources><string-array name="{}">{}</string-array></resources>', "<item>a</item>"),
    ],
)
def test_long_keys_above_many_texts_are_refused(name: str, text: str, part: str) -> None:
    with pytest.raises(InputError) as refused:
        form_of(name).entries(text.format("k" * 50_000, part * 3000), name)
    assert refused.value.code == "document-too-large"


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("piece", ["<?a?>", "<!-- -->", "<b>a</b>", "<![CDATA[<!--]]>", "\\", '"', "&lt;a ", "&amp;", " ", "%#@"])
def test_time_of_reading_grows_with_length(name: str, piece: str) -> None:
    assert_grows_evenly(lambda count: FILES[name].format(piece * count), lambda text: form_of(name).entries(text, name), 5_000)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("piece", ["<b>", "</b>", "<b", "<b></b>", "<b a='c' ", "]]>", " ", "\n", "&"])
def test_time_of_spelling_grows_with_length(name: str, piece: str) -> None:
    text = FILES[name].format("a <b>b</b>")
    entry = only(name, text)
    assert_grows_evenly(lambda count: piece * count, lambda new: form_of(name).spelled(new, text, entry), 5_000)
