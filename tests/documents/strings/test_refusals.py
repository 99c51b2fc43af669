"""Damaged string files are refused with line and column, and hostile ones take even time."""

from typing import Final

import pytest

from app.documents.strings import string_format
from app.errors import InputError
from tests.growth import assert_grows_evenly


def refusal(name: str, text: str) -> InputError:
    """The error of a file."""
    form = string_format(name)
    assert form is not None
    with pytest.raises(InputError) as refused:
        form.entries(text, name)
    return refused.value


@pytest.mark.parametrize(
    ("name", "text", "line", "column"),
    [
        ("x.json", '{"a": "b",\n "a": "c"}', 2, 2),
        ("x.json", '{"a": "b"', 1, 10),
        ("strings.xml", '<resources><string name="a">b</string>\n<string name="a">c</string></resources>', 2, 18),
        ("x.yml", 'a: "b"\na: "c"', 2, 1),
        ("x.json", '{"a.b": "c",\n "a": {"b": "d"}}', 2, 14),
        ("x.yml", "a: *x", 1, 4),
        ("x.yml", "a: &x b\n*x : c", 2, 1),
        ("x.yml", "a.b: c\na: {b: d}", 2, 8),
        ("x.yml", '\ufeffa: "b"\na: "c"', 2, 1),
        ("x.yml", 'a: "b', 1, 6),
        ("x.properties", "a=b\na=c", 2, 3),
        ("x.properties", "a=\\u12", 1, 3),
        ("x.properties", "a=\\\\\\u12", 1, 5),
        ("x.strings", '"a" = "b";\n"c" "d";', 2, 1),
        ("x.ts", "const a = 1;", 1, 1),
        ("x.srt", "1\nHello", 2, 1),
        ("x.ftl", "hello = a\n?", 2, 1),
        ("x.ftl", "a = }", 1, 5),
        ("x.ftl", 'a = {"b}\nc = d', 1, 6),
        ("x.ftl", "a = {\nb = {c}}", 2, 3),
        ("x.ftl", "a = b { $c\n", 1, 11),
        ("x.ftl", "a = b\n    [c] d", 2, 1),
        ("x.php", "<?php return ['a' => 'b'", 1, 25),
        ("x.php", "<?php echo 1;", 1, 1),
        ("x.php", "<?php return array_merge(['a' => 'b'], C);", 1, 1),
        ("x.php", "<?php return [\n<<<A\nB\n];", 2, 1),
        ("x.php", "<?php return [\n/* 'a' ];", 2, 1),
        ("x.resx", "<root>", 1, 7),
        ("x.usfm", "Hello", 1, 1),
        ("x.usfm", "\\c 1\n\\p\n\\s a", 2, 1),
        ("x.usfm", "\\id Genesis", 1, 1),
        ("x.usfm", "\\id GEN\n\\v 1 a", 2, 1),
        ("x.usfm", "\\id GEN\n\\c 1\n\\v one", 3, 1),
        ("x.usfm", "\\id GEN\n\\c 1\n\\v 1 a\\f + \\ft b\n\\v 2 c\\f + d\\f*", 3, 7),
    ],
)
def test_faults_have_their_place(name: str, text: str, line: int, column: int) -> None:
    error = refusal(name, text)
    assert error.code == "invalid-document" and error.where == (name, line, column)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json", "[" * 3000),
        ("x.yml", "[" * 3000),
        ("x.yml", "".join(" " * k + "a:\n" for k in range(300))),
        ("x.php", "<?php return " + "[" * 3000),
        ("strings.xml", "<a>" * 3000),
        ("x.resx", '<!DOCTYPE a [<!ENTITY b "c">]><root>&b;</root>'),
    ],
)
def test_deep_and_unsafe_files_are_refused(name: str, text: str) -> None:
    assert refusal(name, text).code in {"invalid-document", "unsafe-document"}


LONG: Final = "k" * 50_000
MANY: Final = '"a",' * 10_000 + '"a"'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json", '{"' + LONG + '": [' + MANY + "]}"),
        ("x.json", "[" * 99 + (MANY + ",") * 4 + '"a"' + "]" * 99),
        ("x.xcstrings", '{"' + LONG + '": [' + MANY + "]}"),
        ("x.arb", '{"@' + LONG + '": [' + MANY + "]}"),
        ("x.yml", "? " + LONG + "\n: [" + MANY + "]"),
        ("x.php", "<?php return ['" + LONG + "' => [" + MANY + "]];"),
    ],
    ids=lambda value: value[:20],
)
def test_long_keys_above_many_texts_are_refused(name: str, text: str) -> None:
    """Keys would take a thousand times the room of the file."""
    error = refusal(name, text)
    assert error.code == "document-too-large" and len(error.detail) < 300


@pytest.mark.parametrize(
    ("name", "piece"),
    [
        ("x.json", '{"a":'),
        ("x.json", '"\\'),
        ("x.yml", "a: b\n"),
        ("x.yml", "- "),
        ("x.properties", "a\\\n"),
        ("x.properties", "a b:"),
        ("x.strings", '/* "'),
        ("x.strings", '"a" = '),
        ("x.php", "<?php return ['"),
        ("x.php", "<?php return [/*"),
        ("x.php", "<?php return [\n<<<A\n"),
        ("x.php", "<?php return ['a'=>"),
        ("x.ftl", "a = {\n "),
        ("x.ftl", 'a = {"'),
        ("x.ftl", "a = { b ->\n [c] {"),
        ("x.ftl", "a = b\n  c\n\n"),
        ("x.ftl", "a = b\n\n  c\n\n"),
        ("x.ftl", "  b {c}\n\n"),
        ("x.md", "|-"),
        ("x.md", "---\na"),
        ("x.md", "<!-- "),
        ("x.md", "- a\n  "),
        ("x.md", "<a b='"),
        ("x.md", "<a "),
        ("x.md", "> "),
        ("x.md", "# "),
        ("x.mdx", "{"),
        ("x.mdx", "<a\n\n"),
        ("x.md", "[a]( <b `"),
        ("x.md", "- > # a\n"),
        ("x.srt", "1\n"),
        ("x.vtt", "NOTE\n\n"),
        ("strings.xml", "<a>&lt;"),
        ("x.ts", "<TS"),
        ("x.usfm", "\\id GEN\n\\c 1\n\\v 1 a "),
        ("x.usfm", "\\f + a"),
        ("x.usfm", "\\w a|"),
        ("x.usfm", "\\s\n\\p\n"),
        ("x.usfm", "\\"),
        ("x.usfm", "\\w a \\w*"),
    ],
)
def test_time_grows_with_length(name: str, piece: str) -> None:
    form = string_format(name)
    assert form is not None

    def read(text: str) -> None:
        try:
            form.entries(text, name)
        except InputError:
            return

    assert_grows_evenly(lambda count: piece * count, read, 10_000)
