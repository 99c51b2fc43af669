"""Composed texts, and the places of their characters."""

from itertools import pairwise
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.composition import composed_with_places
from app.text.pieces import places_of_words, words_of_pieces

# Letters, accents, parts of Hangul syllables, vowel signs that join a sign before them, and a lone surrogate.
TEXTS = st.text(
    st.sampled_from("aeno \u0301\u0323\u0308\u1100\u1161\u11a8\uac00\u09c7\u09be\u0dd9\u0dcf\u0dca\u0344\u212b\ud800é"), max_size=30
)


@given(TEXTS)
def test_characters_of_the_composed_text_have_places_in_order(text: str) -> None:
    composed, places = composed_with_places(text)
    assert composed == normalize("NFC", text)
    if not places:
        assert composed == text
        return
    assert len(places) == len(composed) and places[0][0] == 0 and places[-1][1] == len(text)
    # Characters of one part have its place; parts follow each other without gaps.
    assert all(before == after or before[1] == after[0] for before, after in pairwise(places))


@pytest.mark.parametrize("text", ["Il est allé à Hué", "한국어 문장", "Đây là Hà Nội"])
def test_words_of_decomposed_texts_have_their_places(text: str) -> None:
    decomposed, words = normalize("NFD", text), text.split()
    assert decomposed != text
    assert [decomposed[begin:end] for begin, end in filter(None, places_of_words(decomposed, words))] == decomposed.split()
    pieces = [part for word in decomposed.lower().split() for part in (word[:1], word[1:])]
    assert words_of_pieces(pieces, [word.lower() for word in words]) == [n for n in range(len(words)) for _ in range(2)]
