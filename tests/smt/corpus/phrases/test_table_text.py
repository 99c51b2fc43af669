"""Tables as text: numbers and columns as Python reads them, however they are spaced."""

import gzip
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.corpus.phrases.row_kernels import parse_numbers
from app.smt.corpus.phrases.table_text import read_table

TIDY = (
    "das haus ||| the house ||| 0.5 1e-300 ||| 0-0 1-1 ||| 2 1 1 ||| |||\ndas ||| ||| 1 0\nhaus ||| home ||| 2.5E-3 .25 ||| 0-0\n"
)
UNTIDY = TIDY.replace("das haus |||", "  das\u00a0 haus|||").replace("2.5E-3 .25", "2.5E-3\t.25 ").replace("0-0\n", "0-0 \r\n")


@pytest.mark.parametrize("text", [TIDY, UNTIDY, "\ufeff" + TIDY])
@pytest.mark.parametrize("packed", [False, True])
def test_lines_by_hand(text: str, packed: bool, tmp_path: Path) -> None:
    raw = text.encode()
    (tmp_path / "table").write_bytes(gzip.compress(raw) if packed else raw)
    (block,) = read_table(tmp_path / "table")
    assert [block.text[begin:end].tobytes().decode() for begin, end in block.sources] == ["das haus", "das", "haus"]
    words, places, offsets = block.target_words()
    assert (words, places.tolist(), offsets.tolist()) == (["the", "house", "home"], [0, 1, 2], [0, 2, 2, 3])
    expected = [[log(0.5), -100], [0, -100], [log(0.0025), log(0.25)]]
    np.testing.assert_allclose(block.scores, expected, rtol=1e-15)
    assert block.links.tolist() == [0, 0, 1, 1, 0, 0] and block.link_offsets.tolist() == [0, 2, 2, 3]
    assert block.longest_source() == 2 and len(set(block.pair_hashes().tolist())) == 3


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=20), st.sampled_from(["g", ".17g", "e", ".3f", "r"]))
def test_numbers_are_those_that_python_reads(values: list[float], form: str) -> None:
    texts = [repr(value) if form == "r" else format(value, form) for value in values]
    raw = np.frombuffer(" ".join(texts).encode(), np.uint8)
    read, bad = parse_numbers(raw, np.array([[0, len(raw)]]), len(values))
    assert bad == -1
    np.testing.assert_allclose(read[0], list(map(float, texts)), rtol=1e-13, atol=1e-320)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a ||| b ||| 1 1", "3 scores are expected, not 2"),
        ("a ||| b ||| 1 1 -1", "negative or not finite"),
        ("a ||| b ||| 1 1 1e999", "negative or not finite"),
        ("a ||| b ||| 1 1 1_0", "not a plain number"),
        ("a ||| b ||| 1 1 1e", "not a number"),
        ("a ||| b ||| 1 1 1 ||| 0-0 0", "not of the form"),
        ("a ||| b ||| 1 1 1 ||| 0-0-0", "not of the form"),
        ("a ||| b ||| 1 1 1 ||| 0-9999999999999999999", "exceeds the words of the phrases"),
        ("||| b ||| 1 1 1", "expected: source"),
        ("", "expected: source"),
    ],
)
def test_a_bad_line_is_named(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "table").write_text(f"a ||| b ||| 1 1 1\n{line}\na ||| c ||| 1 1 1\n")
    with pytest.raises(InputError, match=f"line 2 of table: .*{message}"):
        list(read_table(tmp_path / "table"))


def test_a_last_line_without_an_end(tmp_path: Path) -> None:
    (tmp_path / "table").write_text(TIDY.rstrip("\n"))
    assert sum(len(block) for block in read_table(tmp_path / "table")) == 3


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(b"a ||| b ||| 1\na ||| \xff ||| 1\n")
    with pytest.raises(InputError, match="line 2 of table is not UTF-8"):
        list(read_table(tmp_path / "table"))
    (tmp_path / "table").write_bytes(gzip.compress(TIDY.encode())[:-9])
    with pytest.raises(InputError, match="damaged gzip"):
        list(read_table(tmp_path / "table"))
