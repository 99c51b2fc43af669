"""Places and spellings of single texts: a new text changes its own characters alone."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.retexting import Edit, apply_edits
from app.documents.strings import StringEntry, string_format
from app.errors import InputError

BIBLE: Final = "\\id GEN\n\\c 1\n\\v 1 "


def entries_of(name: str, text: str) -> list[StringEntry]:
    form = string_format(name)
    assert form is not None
    return form.entries(text, name)


def with_new(name: str, text: str, key: str, new: str) -> str:
    """The file with a new text for a key."""
    form = string_format(name)
    assert form is not None
    [entry] = [entry for entry in form.entries(text, name) if entry.key == key]
    return apply_edits(text, [Edit(entry.start, entry.end, form.spelled(new, text, entry))])


def texts(name: str, text: str) -> dict[str, str]:
    return {entry.key: entry.text for entry in entries_of(name, text)}


@pytest.mark.parametrize(
    ("name", "text", "key", "new", "expected"),
    [
        ("x.yml", "\ufeffa: b\nc: d\n", "c", "e", '\ufeffa: b\nc: "e"\n'),
        ("x.yml", "a: &x 'b' # c\nd: *x\n", "a", "e", 'a: &x "e" # c\nd: *x\n'),
        ("x.yml", "a: !!str # c\n  3\n", "a", "e", 'a: !!str # c\n  "e"\n'),
        ("x.yml", "a: |\r\n  b\r\n\r\n# c\r\nd: e\r\n", "a", "f", 'a: "f"\r\n\r\n# c\r\nd: e\r\n'),
        ("x.yml", "a: b", "a", "e\x85\u2028f", 'a: "e\\u0085\\u2028f"'),
        ("x.ftl", "a =\n  b\n  c\n", "a", "[d\ne", 'a =\n  {""}[d\n  e\n'),
        ("x.ftl", "a = b\n", "a", "{ $n ->\n[x] y\n*[z] u\n}\nv", "a = { $n ->\n[x] y\n*[z] u\n}\n    v\n"),
        ("x.md", "---\ntitle: a # b\n---\n# c #\r\n", "front.title", 'd: "e"', '---\ntitle: "d: \\"e\\"" # b\n---\n# c #\r\n'),
        ("x.md", "\ufeff# a ##\n", "h1.1", "b", "\ufeff# b ##\n"),
        (
            "x.usfm",
            BIBLE + "a\\f + \\ft b\\f* c\n\\q1 d \\nd e\\nd* f",
            "GEN 1:1",
            "a c d y f",
            BIBLE + "a\\f + \\ft b\\f* c\n\\q1 d y f",
        ),
        ("x.usfm", BIBLE + "a\n\\q2 b\n", "GEN 1:1", "x y z", BIBLE + "x y z\n\\q2 \n"),
        ("x.usfm", BIBLE + "a b", "GEN 1:1", "c|\\d//e~ a b", BIBLE + "c\\|\\\\d\\/\\/e\\~ a b"),
        ("x.json", '\ufeff{"a": "b"}', "a", "c", '\ufeff{"a": "c"}'),
    ],
)
def test_a_new_text_changes_its_place(name: str, text: str, key: str, new: str, expected: str) -> None:
    assert with_new(name, text, key, new) == expected
    assert texts(name, expected)[key].replace('{""}', "") == new


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.yml", "a: &x b\nc: *x\n<<: *x\nd: e", {"a": "b", "d": "e"}),
        ("x.yml", "a: |+\n  b\n\nc: >\n  d\n  e\n", {"a": "b\n\n", "c": "d e\n"}),
        ("x.yml", "de:\n  no: yes\n  on: 'on'\n", {"on": "on"}),
        ("x.yml", "a: b\n---\nc: d\n", {"a": "b"}),
        ("x.yml", "", {}),
        ("x.yml", "- a\n- [b, {c: d}]", {"0": "a", "1.0": "b", "1.1.c": "d"}),
        ("x.json", '{"a": ' + "9" * 5000 + ', "b": "c"}', {"b": "c"}),
        ("x.json", '{"a": ["b", ["c"], {"d": "e"}]}', {"a.0": "b", "a.1.0": "c", "a.2.d": "e"}),
        (
            "x.php",
            "<?php\n/* returns it's */ return ['a' => 'b', // it's\n 'c' => \"\\x41\\u{e9}\\303\\251\"];",
            {"a": "b", "c": "Aéé"},
        ),
        (
            "x.php",
            "<?php function f() { return ['a' => 'b']; }\nreturn ['c', 5 => 'd', 'e'] ?>\nit's",
            {"0": "c", "5": "d", "6": "e"},
        ),
        ("x.php", "<?php return ['a' => t(1, 'b'), 'c' => fn() => 'd', 'e' => ['f'] + ['g'], 'h' . I => 'j'];", {}),
        ("x.php", "<?php return ['a' => \"b $c\", 'd' => \"{$e}\", 'f' => 'g' . 'h', 'i' => j ? 'k' : 'l', 'm' => ('n')];", {}),
        ("x.php", "<?php return ['a' => <<<B\n it's \"c\n B, 'd' => <<<'E'\nEF 'g\nE\n, 'h' => 'i'];", {"h": "i"}),
        (
            "x.properties",
            "p=C:\\\\users\nke\\\n   y \\\n = v\na\u00a0b=c\n\\\n#d=e",
            {"p": "C:\\users", "key": "v", "a\u00a0b": "c"},
        ),
        ("x.properties", "a=b\rc: d\r\r\n=e\nf", {"a": "b", "c": "d"}),
        ("x.strings", '"a" = "\\Ue9\\101\\U00E9\\\\u00e9"; "b"; c = "d"; // "e"\n', {"a": "éAé\\u00e9", "c": "d"}),
        ("x.ftl", 'a = b {"{"} "c\n    { "}" }\n  d\n.t = e', {"a": 'b {"{"} "c\n  { "}" }\nd', "a.t": "e"}),
        ("x.ftl", "a =\n      b\n    c\n\n    d\u00a0\n-e = f", {"a": "  b\nc\n\nd\u00a0", "-e": "f"}),
        (
            "x.ftl",
            'a = { $n ->\n [one] "{ $n ->\n [x] y\n *[z] "\n}\n *[two] c } d\n{ b }',
            {"a": '{ $n ->\n [one] "{ $n ->\n [x] y\n *[z] "\n}\n *[two] c } d\n{ b }'},
        ),
        (
            "x.md",
            "a\n===\n- b\n\n    c\n\n      d\n\ne <!-- f\n\n<!-- g\n\nh -->\ni",
            {"h1.1": "a", "li.1": "b", "p.1": "c", "p.2": "e <!-- f", "p.3": "i"},
        ),
        ("x.md", "- ```\n  a\n\nb\n\n> ~~~\n> c\n\nd\n```e``` f\n\n   ```\n    ```\ng", {"p.1": "b", "p.2": "d\n```e``` f"}),
        (
            "x.md",
            "+++\ntitle = 'a'\n+++\nexport b\n\nimport c\n\n<d@e.org> f",
            {"p.1": "export b", "p.2": "import c", "p.3": "<d@e.org> f"},
        ),
        ("x.md", "---\nsubtitle: a\ntitle: 'b' # c\n---\nd", {"front.title": "b", "p.1": "d"}),
        (
            "x.mdx",
            "import A from 'b'\nexport const c = {\n}\n\n<A\n  d='e'\n>\n\nf\n\n</A>\n\n{/* g\n\nh */}\n\n{i} j",
            {"p.1": "f", "p.2": "{i} j"},
        ),
        (
            "x.usfm",
            "\\id gen\n\\c 1\n\\v 1 a\n\\v 1 b\n\\p\n\\v 2a-3b c|d\\zx e",
            {"GEN 1:1": "a", "GEN 1:1#2": "b", "GEN 1:2a-3b": "c|de"},
        ),
        (
            "x.sfm",
            "\\id GEN\n\\mt1 a\n\\mt b\n\\c 1\n\\p c\n\\zx d\n\\v 1 \\+nd e\\+nd*f\n\\c 2\n\\p\n\\s g",
            {"GEN mt": "a", "GEN mt#2": "b", "GEN 1 p": "c", "GEN 1:1": "ef", "GEN 2 s": "g"},
        ),
        ("x.usfm", "\\id GEN\n\\c 1\n\\v 1\\f + \\ft a\\f* b\\x - \\xt c\\x*\\fig d|e\\fig*, f\\rq g\\rq*\n", {"GEN 1:1": "b, f"}),
        ("x.usfm", BIBLE + '\\w a|b\\w* c \\zx-s | d="e"\nf \\k-s|g\\*h\\k-e\\*', {"GEN 1:1": "a c f h"}),
        ("x.usfm", "\n", {}),
    ],
)
def test_texts_of_small_files(name: str, text: str, expected: dict[str, str]) -> None:
    assert texts(name, text) == expected
    # A mark before the file, and other line ends, change no text.
    assert texts(name, f"\ufeff{text}") == expected
    assert texts(name, text.replace("\n", "\r\n")) == expected


@given(
    st.lists(st.sampled_from(["a", "b", " ", "\n\\q1 ", "\\nd a\\nd*", "\\f + \\ft n\\f*", "\\w a|b\\w*", "\\ts\\*", "//"])),
    st.text("ab |~/\\"),
)
def test_new_verses_keep_paragraphs_and_notes(pieces: list[str], new: str) -> None:
    text = BIBLE + "a" + "".join(pieces)
    words = " ".join(new.split())
    if words:
        respelled = with_new("x.usfm", text, "GEN 1:1", new)
        assert texts("x.usfm", respelled) == {"GEN 1:1": words}
        assert [respelled.count(piece) for piece in ("\\q1", "\\f*", "\\ts")] == [
            text.count(piece) for piece in ("\\q1", "\\f*", "\\ts")
        ]


@given(st.text("ab \\|~/*vcp1\n\u200f", max_size=40))
def test_damaged_words_of_verses_stay(damage: str) -> None:
    """A verse in its own place changes no character."""
    text = BIBLE + damage
    form = string_format("x.usfm")
    assert form is not None
    try:
        entries = form.entries(text, "x.usfm")
    except InputError:
        return
    assert all(form.spelled(entry.text, text, entry) == text[entry.start : entry.end] for entry in entries)
