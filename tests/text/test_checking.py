"""Limits of segments and log-probabilities."""

import pytest

from app.errors import InputError
from app.text import LanguagePair
from app.text.log_probs import check_log_probs
from app.text.reading.checking import check_segments


def test_good_text_passes() -> None:
    check_segments(["", "a", "\u202eשלום", "😀", "\u0000"[:0]], 5, ("segments",), "source")


@pytest.mark.parametrize(
    ("text", "code"), [("abcdef", "segment-too-long"), ("a\0", "invalid-character"), ("é\ud800", "invalid-character"), ("\udc80", "invalid-character")]
)  # fmt: skip
def test_bad_text_is_refused_with_its_place(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        check_segments(["ok", text], 5, ("segments",), "source")
    assert caught.value.code == code
    assert caught.value.where == ("segments", 1, "source")
    assert text not in caught.value.detail


@pytest.mark.parametrize("row", [None, [], [0.5], [float("nan")], [float("-inf")], [-1.0] * 11])
def test_bad_log_probabilities_are_refused(row: list[float] | None) -> None:
    with pytest.raises(InputError) as caught:
        check_log_probs([[-0.1], row], ("segments",), 10)
    assert caught.value.code == "log-prob-mismatch"
    assert caught.value.where[:2] == ("segments", 1)


@pytest.mark.parametrize("text", ["en", "en_de", "en-", "x-y", "../etc-passwd"])
def test_language_pairs_are_codes(text: str) -> None:
    with pytest.raises(InputError):
        LanguagePair.parse(text)
