"""N-best lists in requests: as JSON, from files, as chunks, and what is refused."""

import gzip
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from app.errors import InputError
from app.operations.parts.limits import RequestLimits
from app.smt.operations.parts.n_best.chunks import amount_of_chunk, chunks_of_lists, lists_of_chunk
from app.smt.operations.parts.n_best.fields import (
    EXAMPLE_LISTS,
    NBestRequest,
    References,
    amount_of_hypotheses,
    check_n_best,
    work_of_hypotheses,
)
from app.smt.operations.parts.n_best.files import read_list_files
from app.text.n_best import NBestLists

LIMITS = RequestLimits(1000, 1000, 8, 100)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
HYPOTHESES = st.fixed_dictionaries(
    {
        "text": TEXTS,
        "score": st.floats(-1e9, 1e9),
        "features": st.fixed_dictionaries(
            {},
            optional={name: st.lists(st.floats(-1e9, 1e9), min_size=n, max_size=n) for name, n in (("lm", 1), ("tm", 2), ("w", 1))},
        ),
    }
)


class Asked(NBestRequest):
    """A request with references."""

    references: References


def request(lists: Any = EXAMPLE_LISTS, **fields: Any) -> Asked:
    return Asked.model_validate({"n_best": lists, "references": {"A": [""] * len(lists)}, **fields})


def test_a_request_holds_arrays_and_is_posted_as_it_came() -> None:
    asked = request(sources=["das Haus ist groß", "er geht"])
    assert isinstance(asked.n_best, NBestLists) and asked.n_best.names == ("lm", "tm", "tm")
    posted = asked.model_dump(mode="json", exclude_unset=True)
    assert json.loads(json.dumps(posted))["n_best"] == EXAMPLE_LISTS
    assert request(asked.n_best).n_best is asked.n_best


@given(st.lists(st.lists(HYPOTHESES, max_size=4), min_size=1, max_size=5), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_chunks_hold_what_the_request_held(lists: list[list[dict[str, Any]]], rows: int) -> None:
    whole = request(lists).n_best
    sources = [str(number) for number in range(len(lists))]
    chunks = chunks_of_lists(whole, rows, {"sources": sources, "references": {"A": sources}, "absent": None})
    assert sum(count for count, _ in chunks) == len(lists) and all("absent" not in chunk for _, chunk in chunks)
    read = [json.loads(json.dumps(chunk)) for _, chunk in chunks]
    assert [text for chunk in read for text in chunk["references"]["A"]] == sources
    assert NBestLists.joined([lists_of_chunk(chunk) for chunk in read]).as_json() == whole.as_json()
    amounts = [amount_of_chunk(chunk) for chunk in read]
    total = amount_of_hypotheses(whole)
    assert sum(amount.segments for amount in amounts) == total.segments
    assert sum(amount.characters for amount in amounts) == total.characters


@pytest.mark.parametrize(
    ("lists", "where"),
    [
        ([[{"text": "a", "total": 1.0}]], ("n_best", 0, 0, "total")),
        ([[], [{"score": 1.0}]], ("n_best", 1, 0, "text")),
        ([[{"text": "a", "score": float("nan")}]], ("n_best", 0, 0, "score")),
        ([[{"text": "a", "features": {"lm": []}}]], ("n_best", 0, 0, "features", "lm")),
        ([[{"text": "a", "features": {"lm": [1.0, float("inf")]}}]], ("n_best", 0, 0, "features", "lm", 1)),
        ([[{"text": "a", "features": {"l m": [1.0]}}]], ("n_best", 0, 0, "features", "l m", "[key]")),
        ([[{"text": "a", "features": {"": [1.0]}}]], ("n_best", 0, 0, "features", "", "[key]")),
        ([{"text": "a"}], ("n_best", 0)),
    ],
)
def test_what_is_no_list_is_refused_at_its_place(lists: Any, where: tuple[str | int, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        request(lists)
    assert caught.value.errors()[0]["loc"] == where


@pytest.mark.parametrize(
    ("lists", "fields", "code", "where"),
    [
        ([[], []], {}, "empty-input", ("n_best",)),
        ([[{"text": "a"}], [{"text": "b"}, {"text": "c\0"}]], {}, "invalid-character", ("n_best", 1, 1, "text")),
        ([[{"text": "\ud800"}]], {}, "invalid-character", ("n_best", 0, 0, "text")),
        ([[{"text": "a" * 101}]], {}, "segment-too-long", ("n_best", 0, 0, "text")),
        ([[{"text": "a"}] * 1001], {}, "too-many-segments", ("n_best",)),
        ([[{"text": "a"}], *([[]] * 1000)], {}, "too-many-segments", ("n_best",)),
        ([[{"text": "a"}]], {"references": {"A": []}}, "unequal-lengths", ("references", 0)),
        ([[{"text": "a"}]], {"references": {"A": ["a"], "B": ["a", "b"]}}, "unequal-lengths", ("references", 1)),
        ([[{"text": "a"}]], {"sources": ["a", "b"]}, "unequal-lengths", ("sources",)),
    ],
)
def test_what_cannot_be_is_refused(lists: Any, fields: Any, code: str, where: tuple[str | int, ...]) -> None:
    asked = request(lists, **fields)
    with pytest.raises(InputError) as caught:
        check_n_best(asked.n_best, LIMITS, asked.references, asked.sources)
    assert (caught.value.code, caught.value.where) == (code, where)


def test_files_become_fields() -> None:
    one, other = (
        b"0 ||| a b ||| lm= -1 ||| -1\n1 ||| c ||| lm= -2 ||| -2\n",
        b"0 ||| a b ||| lm= -1 ||| -1\n0 ||| a ||| lm= -3 ||| -3\n",
    )
    fields = read_list_files(
        {
            "n_best:1": one,
            "n_best:2": gzip.compress(other),
            "reference:A": b"a b\nc\n",
            "reference:B": b"a\nc\n",
            "source": b"x\ny\n",
        }
    )
    asked = Asked.model_validate(fields)
    check_n_best(asked.n_best, LIMITS, asked.references, asked.sources)
    assert list(asked.n_best.texts) == ["a b", "a", "c"] and asked.n_best.lengths.tolist() == [2, 1]
    assert asked.references == {"A": ["a b", "c"], "B": ["a", "c"]} and asked.sources == ["x", "y"]
    assert np.array_equal(asked.n_best.features, [[-1], [-3], [-2]])
    held_out = read_list_files({"held_out_n_best": one, "held_out_reference": b"a b\nc\nd\n"}, "held_out_")
    assert set(held_out) == {"held_out_n_best", "held_out_references"} and held_out["held_out_references"] == {
        "reference": ["a b", "c", "d"]
    }
    # The last segment has no hypotheses.
    assert held_out["held_out_n_best"].lengths.tolist() == [1, 1, 0]


def test_damaged_files_and_unknown_roles_are_refused() -> None:
    for files, code in (
        ({"n_best": gzip.compress(b"0 ||| a ||| lm= 1 ||| 1")[:-9]}, "invalid-encoding"),
        ({"n_best": b"no list"}, "unknown-format"),
        ({"n_best": b"0 ||| a ||| lm= 1 ||| 1\n0 ||| b"}, "invalid-table"),
        ({"n_best": b""}, "empty-input"),
        ({"n_best": b"0 ||| a ||| lm= 1 ||| 1", "reference": b"a\nb\n", "source": b"a\n"}, "unequal-lengths"),
        ({"reference": b"a"}, "invalid-job"),
        ({"weights": b"1"}, "invalid-job"),
    ):
        with pytest.raises(InputError) as caught:
            read_list_files(files)
        assert caught.value.code == code


def test_work_grows_with_texts_and_references() -> None:
    asked = request()
    alone = work_of_hypotheses(asked.n_best)
    some = work_of_hypotheses(asked.n_best, {"A": ["x" * 10, "y" * 20]})
    # 34 characters beside 10, and 12 beside 20.
    assert some - alone == 34 * 10 + 12 * 20
    assert work_of_hypotheses(asked.n_best, {"A": ["x" * 10, "y" * 20]}, 3) - alone == 3 * (some - alone)


def test_lists_without_hypotheses_count_to_quotas_too() -> None:
    """A file of one line may number its segment two millions, each of which is worked on and answered."""
    lists = NBestLists.from_json([[], [], [{"text": "é b", "score": 0.0}, {"text": "", "score": 0.0}], []])
    amount = amount_of_hypotheses(lists)
    assert (amount.segments, amount.characters) == (5, 3)
    chunks = [chunk for _, chunk in chunks_of_lists(lists, 2)]
    assert sum(amount_of_chunk(chunk).segments for chunk in chunks) == 5
