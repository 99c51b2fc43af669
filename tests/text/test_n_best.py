"""N-best lists: text in and out, JSON in and out, cut and joined."""

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.text.n_best import NBestLists
from app.text.reading.moses_n_best import n_best_lines
from app.text.reading.n_best_lists.bars import read_n_best

NUMBERS = st.floats(-1e6, 1e6) | st.integers(-9, 9).map(float)
# A feature has equally many components in every hypothesis that has it.
COMPONENTS = {"d": 2, "lm": 1, "TranslationModel0": 3, "w": 1}
FEATURES = st.fixed_dictionaries(
    {}, optional={name: st.lists(NUMBERS, min_size=count, max_size=count) for name, count in COMPONENTS.items()}
)
ENTRIES = st.fixed_dictionaries(
    {
        "text": st.lists(st.sampled_from(["a", "ă", "|", "x=1", ""])).map(" ".join).map(str.strip),
        "score": NUMBERS,
        "features": FEATURES,
    }
)
LISTS = st.lists(st.lists(ENTRIES, max_size=4), max_size=5)
REAL = (
    ("moses-mert/run1.nbest.gz", ": "),
    ("moses-mert/run7.nbest.gz", ": "),
    ("moses-nbest/nbest.out.gz", ": "),
    ("multi30k-nbest/val.nbest.gz", "= "),
)


@given(LISTS)
def test_json_comes_back(lists: list[list[dict[str, object]]]) -> None:
    assert NBestLists.from_json(lists).as_json() == lists


@given(LISTS, st.sampled_from(["= ", ": ", "="]))
def test_text_comes_back(lists: list[list[dict[str, object]]], naming: str) -> None:
    packed = NBestLists.from_json(lists)
    read = read_n_best(n_best_lines(packed, naming))  # type: ignore[arg-type]
    # Segments without hypotheses at the end have no line.
    while lists and not lists[-1]:
        lists.pop()
    assert read.as_json() == lists


@given(LISTS, LISTS, st.data())
def test_lists_are_cut_and_joined(
    left: list[list[dict[str, object]]], right: list[list[dict[str, object]]], data: st.DataObject
) -> None:
    joined = NBestLists.joined([NBestLists.from_json(left), NBestLists.from_json(right)])
    assert joined.as_json() == left + right
    rows = data.draw(st.lists(st.integers(0, len(joined) - 1), max_size=6)) if len(joined) else []
    assert joined.rows(np.array(rows, np.int64)).as_json() == [(left + right)[row] for row in rows]


@pytest.mark.parametrize(("name", "naming"), REAL)
def test_real_lists_are_written_as_they_were(shared: Path, name: str, naming: str) -> None:
    with gzip.open(shared / "data" / name, "rt", encoding="utf-8", newline="\n") as file:
        lines = [line.rstrip("\n") for line in list(file)[:5000]]
    lists = read_n_best(lines)
    written = list(n_best_lines(lists, naming))  # type: ignore[arg-type]
    # What an independent split of the line says.
    cells = [line.split("||| ") for line in lines]
    assert lists.segments.tolist() == [int(row[0]) for row in cells]
    assert lists.scores.tolist() == [float(row[3]) for row in cells]
    numbers = [[float(word) for word in row[2].split() if word[-1] not in ":="] for row in cells]
    assert lists.features.tolist() == numbers
    assert not np.isnan(lists.features).any()
    assert [line.split() for line in written] == [line.replace("|||", " |||", 1).split() for line in lines]


def test_numbers_in_any_order_leave_empty_lists() -> None:
    lists = read_n_best(["2 ||| c ||| d: 1 4 ||| -1", "", "0 ||| a ||| d: 2 -3 ||| -2", "2 ||| b ||| ||| -3\r"])
    assert lists.offsets.tolist() == [0, 1, 1, 3]
    assert list(lists.texts) == ["a", "c", "b"]
    assert lists.names == ("d", "d")
    np.testing.assert_array_equal(lists.features, [[2, -3], [1, 4], [math.nan, math.nan]])
    assert lists.values.tolist() == [[2, -3], [1, 4], [0, 0]]
    assert len(read_n_best([])) == 0


def test_three_ways_of_naming_features() -> None:
    lines = [
        "0 ||| a ||| d: 0 -1 lm: 2 ||| 1",
        "0 ||| a ||| d= 0 -1 lm= 2 ||| 1",
        "0 ||| a ||| d=0 d=-1 lm=2 ||| 1",
        "0 ||| a ||| 5 ||| 1",
    ]
    lists = read_n_best(lines)
    assert lists.names == ("d", "d", "lm", "score")
    assert lists.features[:3, :3].tolist() == [[0, -1, 2]] * 3
    assert lists.features[3, 3] == 5


def test_alignments_of_words_and_of_phrases() -> None:
    words = read_n_best(["0 ||| a b ||| d= 0 ||| 1 ||| 0-0 1-1", "0 ||| a ||| d= 0 ||| 1", "1 ||| a ||| d= 0 ||| 1 ||| 7 ||| 0-3"])
    assert words.alignments is not None
    assert words.alignments.offsets.tolist() == [0, 2, 2, 3]
    assert words.alignments.spans.tolist() == [[0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 3, 3]]
    assert next(iter(n_best_lines(words))) == "0 ||| a b ||| d= 0 ||| 1 ||| 0-0 1-1"
    line = "0 ||| a b c ||| d= 0 ||| 1 ||| 0-1=0-2 2=3"
    phrases = read_n_best([line])
    assert phrases.alignments is not None
    assert phrases.alignments.phrases
    assert phrases.alignments.spans.tolist() == [[0, 1, 0, 2], [2, 2, 3, 3]]
    assert list(n_best_lines(phrases)) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "0 ||| a",
        "x ||| a ||| d: 1 ||| 2",
        "-1 ||| a ||| d: 1 ||| 2",
        "99999999999 ||| a ||| d: 1 ||| 2",
        "٣ ||| a ||| d: 1 ||| 2",
        "0 ||| a ||| d: x ||| 2",
        "0 ||| a ||| d: nan ||| 2",
        "0 ||| a ||| d: 1e999 ||| 2",
        "0 ||| a ||| d: 1 ||| inf",
        "0 ||| a ||| d: 1 ||| ",
    ],
)
def test_what_is_no_list_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(InputError) as caught:
        read_n_best(["0 ||| a ||| d: 1 ||| 2", line])
    assert caught.value.where == (2,)


def test_names_that_few_have_become_sparse() -> None:
    lines = [f"0 ||| a ||| lm= {k} f{k}= 1 4 f{k + 1}= 2 -3 ||| 2" for k in range(5000)]
    lists = read_n_best(lines)
    assert lists.names == ("lm",)
    assert lists.features.shape == (5000, 1)
    assert lists.sparse is not None
    assert len(lists.sparse.values) == 20_000
    assert list(n_best_lines(lists))[:2] == ["0 ||| a ||| lm= 0 f0= 1 4 f1= 2 -3 ||| 2", "0 ||| a ||| lm= 1 f1= 1 4 f2= 2 -3 ||| 2"]
    assert lists.components("f1", np.array([0, 2, 1])).tolist()[0] == [2, -3]
    part = lists.rows(np.array([0]))
    again = NBestLists.from_json(lists.as_json())
    joined = NBestLists.joined([part, again])
    assert joined.as_json() == lists.as_json() * 2
    assert joined.sparse is not None
    assert joined.names == ("lm",)


def test_small_input_cannot_ask_for_a_large_matrix() -> None:
    parts = [
        NBestLists.from_json([[{"text": "", "score": 0.0, "features": {f"{k}.{j}": [1.0] for j in range(1500)}}] * 1000])
        for k in range(2)
    ]
    assert NBestLists.joined(parts[:1]).features.shape == (1000, 1500)
    assert NBestLists.joined(parts).features.size <= 4_000_000 + 4 * 3_000_000
