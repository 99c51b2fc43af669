"""Corrections in hostile documents: work and memory grow with the document whatever is in it, counted in calls and bytes."""

import sys
import tracemalloc
from collections.abc import Callable, Mapping

import pytest

from app.documents import Document, read_file
from app.documents.correcting import with_corrections
from app.documents.retexting import Revision
from app.errors import InputError
from app.running.deadline import Deadline, until
from tests.documents.test_hostile import MARK, PO, TMX, TU, UNIT, UNIT_2, XLIFF, XLIFF_2, two_of_each
from tests.growth import assert_grows_evenly

PHRASE = ' xmlns:m="http://www.memsource.com/mxlf/2.0"'
SDL = ' xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0"'
# A cell of CSV may have no more than a million characters.
BLANKS = 900_000


def segments(word: str, count: int) -> str:
    return "".join(f'<mrk mtype="seg" mid="{k}">{word} {k}</mrk>' for k in range(count))


def cut(count: int, more: str = "", before: str = "") -> str:
    """A unit that is cut into segments."""
    texts = f"<seg-source>{segments('house', count)}</seg-source>{before}<target>{segments('Haus', count)}</target>"
    return f'<trans-unit id="1"><source>a</source>{texts}{more}</trans-unit>'


def trados(count: int) -> str:
    states = "".join(f'<sdl:seg id="{k}"/>' for k in range(count))
    return XLIFF % (SDL, cut(count, f"<sdl:seg-defs>{states}</sdl:seg-defs>"))


def forms(count: int) -> str:
    plurals = "".join(f'msgstr[{k}] "Haus {k}"\n' for k in range(count))
    return f"{PO}\n{'#' * 10}\n" + "# comment\n" * count + f'msgid "house"\nmsgid_plural "houses"\n{plurals}'


# Many units in one group, entry or line, or one unit of very much.
SHAPES: Mapping[str, Callable[[int], str]] = {
    "segments of a unit": lambda n: XLIFF % ("", cut(n)),
    "segments of trados": trados,
    "units": lambda n: XLIFF % ("", "".join(UNIT % ("", f"Haus {k}") for k in range(n))),
    "units in groups": lambda n: XLIFF % ("", "".join("<group>" * 20 + UNIT % ("", f"Haus {k}") + "</group>" * 20 for k in range(n))),
    "tags of a unit": lambda n: XLIFF % ("", UNIT % ("", "Haus" + ' <x id="1" ctype="lb"/>' * n + "klein")),
    "codes": lambda n: XLIFF % (PHRASE, UNIT % ("", "Haus {1} klein &lt;1}") * n),
    "references of a unit": lambda n: XLIFF % ("", UNIT % ("", "Haus &amp;&#32; " * n)),
    "segments of a unit of xliff-2": lambda n: XLIFF_2 % ('<unit id="u">' + "<segment><source>a</source><target>b</target></segment>" * n + "</unit>"),
    "units of xliff-2": lambda n: XLIFF_2 % (UNIT_2 % "b" * n),
    "units of tmx": lambda n: TMX % (TU % "b" * n),
    "messages": lambda n: PO + '\n#, fuzzy\nmsgid "a"\nmsgstr "b"\n' * n,
    "plural forms": forms,
    "lines of a message": lambda n: PO + '\nmsgid "a"\nmsgstr ""\n' + '"b c\\n"\n' * n,
    "rows": lambda n: "a\tb\n" * n,
    "quoted rows": lambda n: "source,mt\n" + 'a,"b ""c"""\n' * n,
    "doubled quotes": lambda n: 'source,mt\na,"b' + '""' * n + '"\n',
    "columns": lambda n: f"source,{','.join(f'c{k}' for k in range(500))},mt\n" + f"a{',c' * 500},b\n" * (n // 10),
    "objects": lambda n: '{"source": "a", "mt": "b"}\n' * n,
    "members": lambda n: '{"source": "a", "mt": "b"' + "".join(f', "{k}": 1' for k in range(n)) + "}\n",
    "bars": lambda n: "a ||| b\n" * n,
    "hypotheses": lambda n: "0 ||| b ||| lm= 1 ||| -1\n" * n,
}  # fmt: skip


def read(raw: bytes) -> Document:
    return read_file(raw, "file", None, ["a"])


def corrected(raw: bytes, begin: str = "Neues ") -> tuple[Document, frozenset[int]]:
    """The document with another text in every unit."""
    document = read(raw)
    texts = {number: Revision(begin + unit.translation, 1.0) for number, unit in enumerate(document.units)}
    return with_corrections(raw, read, texts)


def calls(run: Callable[[], object]) -> int:
    """How many functions are called, built-in ones and steps of generators too."""
    count = 0

    def note(frame: object, event: str, about: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_what_is_corrected(shape: str) -> None:
    few, many = (SHAPES[shape](count).encode() for count in (50, 200))
    assert not corrected(many)[1]
    assert calls(lambda: corrected(many)) < 5 * calls(lambda: corrected(few))


@pytest.mark.parametrize("shape", ["xliff-1.2", "phrase", "section", "po", "csv", "jsonl", "bars"])
def test_blanks_cost_nothing(shape: str) -> None:
    text = {
        "xliff-1.2": XLIFF % ("", UNIT % ("", "ein {}<x/> Haus")),
        "phrase": XLIFF % (PHRASE, UNIT % ("", "ein {}&lt;1} Haus")),
        "section": XLIFF % ("", UNIT % ("", "ein <![CDATA[{}]]> Haus")),
        "po": PO + '\nmsgid "c"\nmsgstr "ein {} Haus"\n',
        "csv": 'source,mt\na,"ein {} Haus"\n',
        "jsonl": '{"source": "a", "mt": "ein {} Haus"}\n',
        "bars": "a ||| ein {} Haus\n",
    }[shape]
    raw, plain = (text.replace("{}", " " * count).encode() for count in (BLANKS, 1))
    document = read(raw)
    revised = {len(document.units) - 1: Revision("ein großes Haus", 1.0)}
    assert calls(lambda: document.retext(revised)) <= calls(lambda: read(plain).retext(revised))
    tracemalloc.start()
    try:
        content, left = document.retext(revised)
        # Text and bytes of the document, before and after.
        assert tracemalloc.get_traced_memory()[1] < 8 * BLANKS
    finally:
        tracemalloc.stop()
    assert not left and read(content).units[-1].translation == "ein großes Haus"


def test_codes_are_not_looked_for_in_a_target_of_millions() -> None:
    text = XLIFF % (PHRASE, UNIT % ("", "Haus" + "{1}" * 400_000))
    document = read(text.encode())
    assert document.units[0].translation == "Haus"
    assert calls(lambda: document.retext({0: Revision("Hof")})) < 1000
    assert document.retext({0: Revision("Hof")}) == (text.encode(), frozenset({0}))


@pytest.mark.parametrize("shape", ["xliff-1.2", "xliff-2", "tmx"])
def test_blanks_before_an_element_are_not_repeated_by_the_thousand(shape: str) -> None:
    blanks = " " * 100_000
    text = {
        "xliff-1.2": XLIFF % ("", cut(50, before=blanks)),
        "xliff-2": XLIFF_2 % (f'<unit id="u">{blanks}' + "<segment id='s'><source>a</source><target>b</target></segment>" * 50 + "</unit>"),
        "tmx": TMX % (TU % "b").replace("<seg>b", f"{blanks}<seg>b"),
    }[shape]  # fmt: skip
    document = read(text.encode())
    once = document.marked([MARK] * len(document.units))
    assert len(once) < len(text) + 1500 * len(document.units)
    assert read(once).marked([MARK] * len(document.units)) == once


def test_a_catalogue_is_one_however_many_comments_are_before_its_first_message() -> None:
    raw = ("# a comment of a person\n" * 50_000 + 'msgid "a"\nmsgstr "b"\n').encode()
    assert read(read(raw).marked([MARK])).format == "po"


def test_states_of_trados_are_looked_for_once() -> None:
    # Calls into lxml are not counted.
    assert_grows_evenly(lambda count: trados(count).encode(), corrected, 500)


class After(Deadline):
    """Somebody gives up after so many parts of the work."""

    def __init__(self, parts: int) -> None:
        super().__init__()
        self.left = parts

    def check(self) -> None:
        self.left -= 1
        if self.left < 0:
            self.give_up()
        super().check()


@pytest.mark.parametrize("name", two_of_each())
def test_reading_correcting_and_marking_stop_where_nobody_waits(name: str) -> None:
    raw = two_of_each()[name]

    def work() -> bytes:
        document, left = corrected(raw)
        assert not left
        return document.marked([MARK] * len(document.units))

    with until(waiting := After(1000)):
        whole = work()
    parts = 1000 - waiting.left
    # Each unit is read three times, corrected and marked; plain texts of one member may share a part.
    assert parts >= 2 * 5
    for fewer in range(parts):
        with until(After(fewer)), pytest.raises(InputError) as caught:
            work()
        assert caught.value.code == "too-slow"
    with until(After(parts)):
        assert work() == whole
