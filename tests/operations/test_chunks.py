"""Jobs are cut into chunks that take seconds: by rows, and by characters where these are long."""

from hypothesis import given
from hypothesis import strategies as st

from app.operations.operation import CHUNK_CHARACTERS, Json, cut
from app.operations.parts.from_files import _parts

LENGTHS = st.lists(st.sampled_from([0, 10, 1000, 60_000, 150_000, 250_000]), max_size=30)


@given(LENGTHS, st.integers(1, 5))
def test_no_chunk_is_larger_than_it_must_be(lengths: list[int], rows: int) -> None:
    texts = ["x" * length for length in lengths]
    chunks = cut({"sources": texts, "beside": [[text] for text in texts], "none": None, "named": {"a": lengths}}, rows)
    assert [text for _, chunk in chunks for text in chunk["sources"]] == texts
    assert [length for _, chunk in chunks for length in chunk["named"]["a"]] == lengths
    for count, chunk in chunks:
        assert count == len(chunk["sources"]) == len(chunk["beside"]) and 1 <= count <= rows and "none" not in chunk
        assert count == 1 or 2 * sum(map(len, chunk["sources"])) <= CHUNK_CHARACTERS
    assert list(_parts(iter([(text, text) for text in texts]), rows)) == [
        [(text, text) for text in chunk["sources"]] for _, chunk in chunks
    ]


def test_short_rows_are_cut_by_their_number_alone() -> None:
    parts: list[tuple[int, Json]] = cut({"numbers": list(range(1200))}, 500)
    assert [count for count, _ in parts] == [500, 500, 200]
    assert cut({}, 5) == []
