"""Warnings of hostile segments, in time that grows with them."""

import pytest

from app.checks.guard.loops import repeated_words
from app.checks.meaning.names import linked_rows, missing_names
from app.checks.meaning.negation import LANGUAGES, one_sided_negation
from app.checks.meaning.numbers import unmatched_numbers
from app.checks.meaning.untranslated import untranslated_words
from app.resources.lexical_table import LexicalTable
from app.text.tokenisation import tokeniser_for
from tests.growth import PIECES, assert_grows_evenly

CHARACTERS = 2000


def word(k: int) -> str:
    """A name of letters alone, another for each number."""
    return "N" + "".join(chr(ord("a") + int(digit)) for digit in str(k))


TABLE = LexicalTable.from_entries([(word(k).lower(), f"w{k}", 1.0) for k in range(5000)])


def checked(pair: tuple[str, str], source: str, translation: str) -> None:
    ours, theirs = (tokeniser_for(language).cased(text) for language, text in zip(pair, (source, translation), strict=True))
    unmatched_numbers(source, translation, pair)
    untranslated_words(pair, ours, theirs)
    missing_names(pair, ours, theirs, None, TABLE)
    missing_names(pair, ours, theirs, [True] * len(ours), None)
    linked_rows(TABLE, ours, theirs)
    one_sided_negation(pair, source, translation)


@pytest.mark.parametrize("pair", [("en", "fr"), ("de", "en"), ("ne", "en"), ("en", "zh")])
def test_repeated_pieces_are_checked_evenly(pair: tuple[str, str]) -> None:
    for piece in PIECES.values():

        def make(size: int, piece: str = piece) -> str:
            return "a " + piece * (size // len(piece))

        try:
            assert_grows_evenly(make, lambda text: checked(pair, text, f"b {text}"), CHARACTERS)
        except AssertionError as error:
            raise AssertionError(f"{piece!r}: {error}") from None


@pytest.mark.parametrize("pair", [("en", "de"), ("ja", "en"), ("en", "zh"), ("ro", "en")])
@pytest.mark.parametrize(
    "piece", ["9", "1万", "5月", "3 p.m. ", "3割", "thousand ", "hundred and ", "40 de ", "n't ", "1.2.", "XIV ", "5 mg "]
)
def test_numbers_months_and_hours_are_compared_evenly(pair: tuple[str, str], piece: str) -> None:
    for end in ("", "万5", " million"):
        assert_grows_evenly(
            lambda size, piece=piece, end=end: piece * (size // len(piece)) + end,
            lambda text: (unmatched_numbers(text, f"7 {text}", pair), one_sided_negation(pair, text, "x")),
            CHARACTERS,
        )


def test_a_number_of_thousands_of_digits_is_a_number() -> None:
    for end in ("万5", "億1万", "", " km", " million", "割"):
        assert unmatched_numbers("9" * 9000 + end, "9" * 9000 + end, ("ja", "ja")) == ([], [], False)


@pytest.mark.parametrize("piece", ["town ", "town, ", "of-the-news-", "news-", "town town town x ", "ab", "\u0928\u092e", "房"])
def test_loops_are_looked_for_evenly(piece: str) -> None:
    def make(size: int) -> str:
        return "a b c " + piece * (size // len(piece))

    # What the source says as often is looked for to the end.
    for others in ("x", piece * (CHARACTERS // len(piece))):
        assert_grows_evenly(make, lambda text, others=others: repeated_words(others, text), CHARACTERS)
    assert_grows_evenly(make, lambda text: repeated_words(text, f"d {text}"), CHARACTERS)


def test_as_many_names_and_numbers_as_fit_are_checked_evenly() -> None:
    def make(size: int) -> tuple[str, str]:
        return " ".join(f"{word(k)} {k}" for k in range(size // 10)), " ".join(
            f"{k}.5 {word(k).lower()[::-1]}" for k in range(size // 10)
        )

    assert_grows_evenly(make, lambda texts: checked(("en", "fr"), *texts), CHARACTERS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_word_is_matched_evenly(language: str) -> None:
    for piece in ("n", "n'", "a", "\u0926\u0948\u0928", "\u090f\u0928", "\u0db1\u0dd9\u0dcf", "\u0928"):
        assert_grows_evenly(
            lambda size, piece=piece: piece * (size // len(piece)) + "!",
            lambda text: one_sided_negation((language, "en"), text, "not"),
            CHARACTERS,
        )


@pytest.mark.parametrize("accents", ["\u0301", "\u0301\u0323", "\u0345\u0301\u0323"])
def test_any_number_of_accents_in_any_order_is_dropped(accents: str) -> None:
    tokens = ["The", "E" + accents * 1000 + "lan"]
    assert missing_names(("en", "fr"), tokens, ["elan"], [True, True], None) == []
    assert_grows_evenly(
        lambda size: accents * (size // 2), lambda text: missing_names(("en", "fr"), ["A", "Bcd"], ["a" + text], None, None), 20_000
    )
