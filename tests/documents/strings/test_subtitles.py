"""Cues of subtitles: their places, references and tags, and new texts in them."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.documents.retexting import Edit, apply_edits
from app.documents.strings import StringEntry, StringFormat, string_format
from app.errors import InputError
from tests.growth import assert_grows_evenly

TIMING = "00:00:01.000 --> 00:00:02.000"
CUES = f"1\n{TIMING}\nFirst\n\n2\n{TIMING} line:0\nSecond &lt;\n\n3\n{TIMING}\n<i>Third</i>\nline"
HEADS = {"a.srt": "", "a.vtt": "WEBVTT\n\n"}
SIGNS = [
    "<",
    ">",
    "&",
    "&amp;",
    "&lt;",
    "&#10;",
    "-->",
    "--",
    "<i>",
    "</i>",
    "<v A>",
    "<v a-->",
    "<00:01.000>",
    "<foo>",
    "<i\n>",
    "\n",
    "\n\n",
    "\r",
]
SIGNS += [" ", "\t", "7", "NOTE", "STYLE", "WEBVTT", TIMING, f"5\n{TIMING}", "\u00a0", "\u2028", "\x0b", "a"]
TEXTS = st.lists(st.one_of(st.sampled_from(SIGNS), st.text(max_size=3)), max_size=10).map("".join)


def form_of(name: str) -> StringFormat:
    """The format of a file."""
    form = string_format(name)
    assert form is not None
    return form


def texts(name: str, text: str) -> list[tuple[str, str]]:
    """Keys and texts of a file."""
    return [(entry.key, entry.text) for entry in form_of(name).entries(text, name)]


def edited(name: str, text: str, entry: StringEntry, new: str) -> str:
    """A file with a new text in the place of an entry."""
    return apply_edits(text, [Edit(entry.start, entry.end, form_of(name).spelled(new, text, entry))])


def plain(text: str) -> str:
    """A text with plain line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@given(new=TEXTS, place=st.integers(0, 2), ends=st.sampled_from(["\n", "\r\n", "\r"]), mark=st.sampled_from(["", "\ufeff"]))
@example(new="a\n\n-->\n", place=1, ends="\r\n", mark="\ufeff")
def test_webvtt_holds_any_text(new: str, place: int, ends: str, mark: str) -> None:
    assume(new.strip())
    text = mark + (HEADS["a.vtt"] + CUES).replace("\n", ends)
    entry = form_of("a.vtt").entries(text, "a.vtt")[place]
    expected = texts("a.vtt", text)
    expected[place] = (str(place + 1), plain(new))
    assert texts("a.vtt", edited("a.vtt", text, entry, new)) == expected


@given(
    new=TEXTS,
    place=st.integers(0, 2),
    ends=st.sampled_from(["\n", "\r\n", "\r"]),
    gap=st.sampled_from(["\n\n2\n", "\n2\n", "\n", "\n\n", "\n \t\n2\n"]),
)
@example(new="7", place=0, ends="\n", gap="\n")
def test_subrip_holds_texts_without_empty_lines(new: str, place: int, ends: str, gap: str) -> None:
    text = CUES.replace("\n\n2\n", gap).replace("\n", ends)
    entry = form_of("a.srt").entries(text, "a.srt")[place]
    lines = [line for line in plain(new).split("\n") if line.strip(" \t")]
    assume("".join(lines).strip())
    expected = texts("a.srt", text)
    expected[place] = (str(place + 1), "\n".join(lines))
    try:
        result = edited("a.srt", text, entry, new)
    except InputError as error:
        assert error.code == "invalid-character" and TIMING in new
        return
    assert texts("a.srt", result) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"\n\n\n1\n{TIMING}\na", [("1", "a")]),
        (f"\ufeff1\r\n{TIMING}\r\na\r\n\r\n\r\n5\r\n{TIMING}\r\nb\r\nc\r\n", [("1", "a"), ("2", "b\nc")]),
        (f"{TIMING}\na\n\n{TIMING}\nb", [("1", "a"), ("2", "b")]),
        (f"1\n{TIMING}\na\n2\n{TIMING}\nb", [("1", "a"), ("2", "b")]),
        (f"1\n{TIMING}\n1984\n\n2\n{TIMING}\n7\n8", [("1", "1984"), ("2", "7\n8")]),
        (f"1\n{TIMING}\n\n2\n{TIMING}\n2\n3\n{TIMING}\na --> b", [("2", "2"), ("3", "a --> b")]),
        (f"1\n{TIMING}\n2\n{TIMING}\nb", [("2", "b")]),
        (f"1\n{TIMING}", []),
        ("", []),
        ("\n \n", []),
    ],
)
def test_cues_of_subrip(text: str, expected: list[tuple[str, str]]) -> None:
    assert texts("a.srt", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"WEBVTT\n{TIMING}\na", [("1", "a")]),
        (f"WEBVTT title\nKind: captions\n\nNOTES-1\n{TIMING}\na\n\nSTYLE guide\n{TIMING}\nb", [("1", "a"), ("2", "b")]),
        (f"\ufeffWEBVTT\r\n\r\nNOTE\r\na\r\n\r\nREGION \r\nid:b\r\n\r\nSTYLE\r\n::cue\r\n\r\n{TIMING}\r\nc", [("1", "c")]),
        (f"WEBVTT\n\nNOTE\n{TIMING}\na", [("1", "a")]),
        (f"WEBVTT\n\n{TIMING} align:start\n7\n{TIMING}\na\n \nb", [("1", "7"), ("2", "a\n \nb")]),
        (
            f"WEBVTT\n\n{TIMING}\n<v A &amp; B>a &amp;&nbsp;b &lt;i&gt; AT&T <c.x>&#x41;</c>",
            [("1", "<v A &amp; B>a &\u00a0b <i> AT&T <c.x>A</c>")],
        ),
        (f"WEBVTT\n\n{TIMING}\na <00:01.500>b", [("1", "a <00:01.500>b")]),
        ("WEBVTT", []),
    ],
)
def test_cues_of_webvtt(text: str, expected: list[tuple[str, str]]) -> None:
    assert texts("a.vtt", text) == expected


@pytest.mark.parametrize(
    ("content", "new", "expected"),
    [
        ("a", "<i>b</i> & <u2>", "<i>b</i> &amp; &lt;u2>"),
        ("&lt;i&gt;a", "<i>b", "&lt;i>b"),
        ("<b>a</b> &lt;", "<b>b</b> <", "<b>b</b> &lt;"),
        ("a", ">> b --> c", ">> b --&gt; c"),
        ("a", "b\n\nc", "b\n&#10;c"),
    ],
)
def test_spellings_of_webvtt(content: str, new: str, expected: str) -> None:
    text = f"WEBVTT\n\n{TIMING}\n{content}"
    (entry,) = form_of("a.vtt").entries(text, "a.vtt")
    assert edited("a.vtt", text, entry, new) == f"WEBVTT\n\n{TIMING}\n{expected}"


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.srt", f"1\n{TIMING}\na\n\nb\nc\nd", 6),
        ("a.srt", "1\n00:00:01 --> 00:00:02\na", 2),
        ("a.srt", "1", 1),
        ("a.vtt", f"{TIMING}\na", 1),
        ("a.vtt", "WEBVTTS\n", 1),
        ("a.vtt", "", 1),
        ("a.vtt", "WEBVTT\n\nNOTES\na", 4),
    ],
)
def test_blocks_without_timing_are_refused(name: str, text: str, line: int) -> None:
    with pytest.raises(InputError) as refused:
        form_of(name).entries(text, name)
    assert refused.value.where == (name, line, 1)


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize(
    "piece", ["NOTE\n", "NOTE\n\n", f"{TIMING}\n", f"1\n{TIMING}\na\n", "<v ", "&", "&amp", "a\n", "\r", "7\n", "<i>&lt;"]
)
def test_time_grows_with_length(name: str, piece: str) -> None:
    def use(text: str) -> None:
        try:
            for entry in form_of(name).entries(text, name):
                if entry.key == "1":
                    edited(name, text, entry, entry.text)
        except InputError:
            return

    assert_grows_evenly(lambda count: HEADS[name] + f"1\n{TIMING}\n" + piece * count, use, 10_000)
