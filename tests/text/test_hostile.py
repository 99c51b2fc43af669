"""Hostile texts: tokens, n-best lists, tables and pieces in time that grows with them."""

from collections.abc import Callable
from typing import Any

import pytest

from app.errors import InputError
from app.metrics.tokenisers import CHRF_WORDS, METRIC_TOKENISERS, MetricTokeniser, tercom
from app.metrics.tokens.texts import Texts
from app.text import tokenisation
from app.text.language_names import LANGUAGE_NAMES
from app.text.n_best import NBestLists
from app.text.pieces import places_of_words, words_of_pieces
from app.text.reading.lines import TextFile
from app.text.reading.moses_n_best import n_best_lines
from app.text.reading.n_best_lists.bars import read_n_best
from app.text.reading.tables import open_lines, open_table, read_systems
from app.text.tokenisation import tokeniser_for, word_count
from tests.growth import PIECES, assert_grows_evenly

# A sixteenth of the longest segment, so that a quarter of it is tried.
CHARACTERS = 1250


def assert_texts_grow_evenly(use: Callable[[str], Any]) -> None:
    for piece in PIECES.values():
        # With a word at either end, which is where most rules look for one.
        for around in ("{}", "a{} a"):

            def make(size: int, piece: str = piece, around: str = around) -> str:
                return around.format(piece * (size // len(piece)))

            try:
                assert_grows_evenly(make, use, CHARACTERS)
            except AssertionError as error:
                raise AssertionError(f"{piece!r} in {around!r}: {error}") from None


@pytest.mark.parametrize("language", ["en", "fr", "zh", "ne"])
def test_segments_are_tokenised_evenly(language: str) -> None:
    assert_texts_grow_evenly(tokeniser_for(language))


def test_every_language_is_tokenised_by_rules_that_are_tried_here() -> None:
    kinds = {(language in tokenisation.INDIC, language in tokenisation.CHARACTER_LANGUAGES) for language in LANGUAGE_NAMES}
    assert kinds == {(False, False), (False, True), (True, False)}


METRICS = {
    **{name: METRIC_TOKENISERS[name] for name in ("13a", "intl", "zh", "char", "none")},
    "tercom": tercom(True, True, True),
    "tercom without marks": tercom(True, False, True),
    "chrf": CHRF_WORDS,
}


@pytest.mark.parametrize("name", METRICS)
def test_metrics_tokenise_evenly(name: str) -> None:
    def tokens(text: str, tokeniser: MetricTokeniser = METRICS[name]) -> object:
        return Texts([text]).tokens(tokeniser, lowercase=False)

    assert_texts_grow_evenly(tokens)


@pytest.mark.parametrize("language", ["en", "zh", "ne"])
def test_words_are_found_and_counted_evenly(language: str) -> None:
    tokenise = tokeniser_for(language)

    def places(text: str) -> None:
        words = tokenise.cased(text)
        places_of_words(text, words)
        word_count(language, text)
        words_of_pieces([f"{word}@@" for word in words], words)
        words_of_pieces(text.split(" "), words)

    assert_texts_grow_evenly(places)


def test_words_that_are_nowhere_are_sought_evenly() -> None:
    assert_grows_evenly(
        lambda size: [f"x{k}" for k in range(size // 4)], lambda words: places_of_words("ab " * len(words), words), 5000
    )


@pytest.mark.parametrize(
    "reference", ["&#" + "9" * 5000 + ";", "&#x" + "9" * 5000 + ";", "&#" + "0" * 5000 + "65;", "&#65;", "&amp;"]
)
def test_references_of_thousands_of_digits_are_no_characters(reference: str) -> None:
    owners = words_of_pieces([reference], ["a"])
    assert owners == ([0] if reference == "&#65;" else None)


LISTS: dict[str, Callable[[int], str]] = {
    "hypotheses": lambda n: "0 ||| a ||| lm= 1 ||| -1\n" * (n // 25),
    "names": lambda n: "0 ||| a ||| " + " ".join(f"f{k}= 1" for k in range(n // 8)) + " ||| -1\n",
    "components": lambda n: ("0 ||| a ||| lm= " + "1 " * 1000 + "||| -1\n") * (n // 2000),
    "bars": lambda n: "0 ||| a ||| lm= 1 ||| -1" + " ||| " * (n // 5) + "\n",
    "links": lambda n: "0 ||| a ||| lm= 1 ||| -1 ||| " + "0-0 " * (n // 4) + "\n",
    "layouts": lambda n: "".join(
        f"0 ||| a ||| {' '.join(f'a{j}= 1' for j in range(k))} ||| -1\n" for k in range(int((n // 4) ** 0.5))
    ),
    "segments": lambda n: "".join(f"{k} ||| a ||| lm= 1 ||| -1\n" for k in range(n // 25)),
}


@pytest.mark.parametrize("shape", LISTS)
def test_n_best_lists_are_read_and_written_evenly(shape: str) -> None:
    def use(text: str) -> None:
        lists = read_n_best(text.split("\n"))
        assert list(n_best_lines(NBestLists.from_json(lists.as_json()))) if shape != "links" else list(n_best_lines(lists))

    assert_grows_evenly(LISTS[shape], use, 50_000)


@pytest.mark.parametrize("digits", ["9" * 5000, "0" * 5000, "9" * 8])
def test_a_segment_number_of_thousands_of_digits_is_none(digits: str) -> None:
    with pytest.raises(InputError) as caught:
        read_n_best([f"{digits} ||| a ||| lm= 1 ||| -1"])
    assert caught.value.where == (1,)
    assert len(read_n_best([f"0 ||| a ||| lm= 1 ||| -1 ||| {digits}-{digits}"])) == 1


@pytest.mark.parametrize("piece", ["a\tb\n", "\t", "\n", "a", '"', "a\t\n", "\r", "source\ttranslation\n"])
def test_tables_are_read_evenly(piece: str) -> None:
    def use(raw: bytes) -> None:
        for read in (
            lambda file: open_table(file).read(),
            lambda file: open_table(file, {"tokens": TextFile("tokens", raw)}).read(),
            lambda file: open_lines({"source": file, "translation": TextFile("b", raw)}).read(),
            read_systems,
        ):
            try:
                read(TextFile("file", raw))
            except InputError:
                continue

    assert_grows_evenly(lambda size: ("source\ttranslation\n" + piece * (size // len(piece))).encode(), use, 50_000)
