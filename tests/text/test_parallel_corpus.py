"""Parallel corpora and columns of tokens: cut, joined, turned round."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.text import TokenColumn, pack_lines, pack_tokens
from app.text.parallel_corpus import ParallelCorpus, WordLinks

SEGMENTS = st.lists(st.lists(st.sampled_from(["a", "b", "ß", "c", "\ud800"]), max_size=5), max_size=6)


def same(left: TokenColumn, right: TokenColumn) -> None:
    assert list(left.vocabulary) == list(right.vocabulary)
    assert left.ids.tolist() == right.ids.tolist()
    assert left.offsets.tolist() == right.offsets.tolist()
    assert (left.ids.dtype, left.offsets.dtype) == (right.ids.dtype, right.offsets.dtype)


@given(SEGMENTS, st.data())
def test_rows_are_packed_as_if_alone(segments: list[list[str]], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(segments) - 1), max_size=7)) if segments else []
    expected = pack_tokens([segments[row] for row in rows])
    for column in (pack_tokens(segments), pack_lines([" ".join(row) for row in segments])):
        same(column.rows(np.array(rows, np.int64)), expected)


@given(st.lists(SEGMENTS, min_size=1, max_size=3))
def test_columns_are_joined_as_if_packed_together(parts: list[list[list[str]]]) -> None:
    together = pack_tokens([row for part in parts for row in part])
    same(TokenColumn.joined([pack_tokens(part) for part in parts]), together)
    same(TokenColumn.joined([pack_lines([" ".join(row) for row in part]) for part in parts]), together)


@given(st.lists(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6), max_size=5))
def test_links_come_back(segments: list[set[tuple[int, int]]]) -> None:
    links = WordLinks.of(list(segments))
    lines = list(links.lines())
    assert lines == [" ".join(f"{i}-{j}" for i, j in sorted(row)) for row in segments]
    assert list(WordLinks.read(lines).lines()) == lines
    assert list(links.reversed.lines()) == list(WordLinks.of([{(j, i) for i, j in row} for row in segments]).lines())
    assert list(links.reversed.reversed.lines()) == lines


def test_a_corpus_is_cut_and_turned_round() -> None:
    corpus = ParallelCorpus.of_lines(["a b", "c"], ["x", "y z"], ["1-0", "0-1"])
    part = corpus.rows(np.array([1]))
    assert (part.source.tokens(0), part.target.tokens(0)) == (["c"], ["y", "z"])
    assert part.links is not None and list(part.links.lines()) == ["0-1"]
    turned = corpus.reversed
    assert turned.source.tokens(1) == ["y", "z"]
    assert turned.links is not None and list(turned.links.lines()) == ["0-1", "1-0"]


@pytest.mark.parametrize(
    ("links", "code"),
    [
        (["0-0"], "unequal-lengths"),
        (["0-0", "2-0"], "invalid-table"),
        (["0-0", "0-1"], "invalid-table"),
        (["0-0", "x"], "invalid-table"),
    ],
)
def test_links_to_nothing_are_refused(links: list[str], code: str) -> None:
    with pytest.raises(InputError) as caught:
        ParallelCorpus.of_lines(["a", "b"], ["x", "y"], links)
    assert caught.value.code == code


@pytest.mark.parametrize("line", ["0", "0-", "-0", "0-0-0", "a-b", "٣-0", "0-12345678", "0 - 0"])
def test_what_is_no_link_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(InputError) as caught:
        WordLinks.read(["0-0", line])
    assert caught.value.where == (2,)
