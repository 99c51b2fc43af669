"""Short cuts of checks beside plain twins: words of pieces between blanks, and texts in which nothing can be found."""

import re
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import or_

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.checks.cldr import language_words, without_accents
from app.checks.guard.loops import repeated_words
from app.checks.meaning import negation
from app.checks.meaning.negation import LANGUAGES
from app.checks.meaning.numbers.readings import FREQUENCIES, HALVES, NUMBER, kinds_of
from app.checks.meaning.numbers.runs import number_parts
from app.checks.meaning.untranslated import untranslated_words
from app.checks.scripts import foreign_words
from app.checks.words import plain_words

SIGNS = st.sampled_from([" ", "  ", "\u00a0", "\n", "-", "'", "\u2019", ", ", ".", "_", "1", "(", "`"])
LETTERS = re.compile(r"[^\W\d_]+")


def texts_of(words: Sequence[str]) -> st.SearchStrategy[str]:
    """Texts of words with any signs between them."""
    pairs = st.lists(st.tuples(st.sampled_from(words), SIGNS), max_size=9)
    return pairs.map(lambda pieces: "".join(word + sign for word, sign in pieces))


@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "zh", "xx"])
@given(data=st.data())
def test_kinds_of_a_text_are_those_of_its_words(language: str, data: st.DataObject) -> None:
    names = language_words(language)
    text = data.draw(texts_of(sorted({"house", "Pool", "half", "twice", "дом", *names.numbers, *names.months})))
    assert kinds_of(text, language) == reduce(or_, (kinds_of(word, language) for word in LETTERS.findall(text)), 0)


@pytest.mark.parametrize("language", ["cs", "de", "en", "et", "fr", "nb", "ro", "ru", "zh"])
def test_every_number_has_its_kind(language: str) -> None:
    names = language_words(language)
    words = {*names.numbers, *names.magnitudes, *FREQUENCIES, *HALVES, "zweiunddreißig", "einundzwanzig", "deuxcents", "cents"}
    for word in words:
        for piece in LETTERS.findall(word):
            assert bool(kinds_of(piece, language) & NUMBER) == bool(number_parts(without_accents(piece), language)), piece


@pytest.mark.parametrize("name", LANGUAGES)
@given(data=st.data())
def test_negations_are_those_of_a_text_without_phrases(name: str, data: st.DataObject) -> None:
    """Pieces between blanks say only that a text has no negation."""
    language = negation._languages()[name]
    phrases = negation.TABLES[name]["phrases"].replace("\n", "|").replace("*", "").replace("#", "1").split("|")
    pieces = [phrase.strip() for phrase in phrases if phrase.strip()]
    for words in (language.clear, language.weak, language.without, language.other):
        pieces += [*sorted(words.words)[:20], *sorted(words.beginnings)[:9], *sorted(words.endings)[:9]]
    text = data.draw(texts_of([*pieces, *sorted(language.initial), "casa", "not", "x"]))
    plain = language.phrases.sub(" ", text)
    words_of_text = negation.WORD.findall(plain)
    if language.is_unspaced:
        return
    beginnings = [match[1] for match in negation.SENTENCE.finditer(plain) if match[1] in language.initial]
    is_needed = language.needs is None or any(map(language.needs.have, words_of_text))
    expected = [*beginnings, *filter(language.clear.have, words_of_text)] if is_needed else []
    assert language.clear_words(text) == expected
    for without in (True, False):
        may_negate = any(
            language.clear.have(word)
            or (without and language.without.have(word))
            or (language.weak.have(word) and not language.other.have(word))
            for word in words_of_text
        )
        assert language.may_negate(text, without) == (may_negate or bool(beginnings))


@given(texts_of(["la", "ha", "no", "Error", "ERROR", "l\u00e4uft", "\u8c22", "aaaaaaaaaaaaaaaaaaaaaaaaaaa"]))
def test_a_loop_needs_repetitions(text: str) -> None:
    """Texts without a word behind itself, three words twice, long words and chains have no loops."""
    words = [word.lower() for word in plain_words(text)]
    threes = list(zip(words, words[1:], words[2:], strict=False))
    items = [item.lower() for item in re.findall(r"\w+", text)]
    repeats = len(set(threes)) < len(threes) or any(first == second for first, second in pairwise(items))
    if not repeats and not any(len(word) >= 20 for word in words) and text.count("-") < 5:
        assert repeated_words("x", text) == []


def longest_run(source: Sequence[str], translation: Sequence[str]) -> list[str]:
    """The first common run of three plain words, as far as it goes."""

    def runs(words: Sequence[str]) -> list[tuple[str, ...]]:
        return [tuple(words[k : k + 3]) for k in range(len(words) - 2)]

    common = [run for run in runs(source) if all(word.isalpha() and word.islower() for word in run)]
    for k, run in enumerate(runs(translation)):
        if run in common:
            end = k + 1
            while end < len(translation) - 2 and runs(translation)[end] in common:
                end += 1
            return list(translation[k : end + 2])
    return []


WORDS = st.lists(st.sampled_from(["a", "b", "c", "A", "7", "the"]), max_size=9)


@given(WORDS, WORDS)
def test_a_run_of_three_words_is_untranslated(source: list[str], translation: list[str]) -> None:
    is_copy = [word.lower() for word in source] == [word.lower() for word in translation] and "the" in map(str.lower, source)
    expected = translation if is_copy else longest_run(source, translation)
    assert untranslated_words(("en", "fr"), source, translation) == expected


@given(texts_of(["house", "дом", "большой", "房子", "Ünder", "\uff48\uff49"]))
def test_foreign_words_have_most_letters(text: str) -> None:
    words = plain_words(text)
    cyrillic = [word for word in words if re.search("[\u0400-\u04ff]", word)]
    letters = sum(len(word) for word in words)
    # Names of other scripts than Cyrillic and Latin are foreign to English too.
    han = [word for word in words if re.search("[\u4e00-\u9fff]", word)]
    foreign = sum(map(len, cyrillic + han))
    assert bool(foreign_words(text, "en")) == (foreign >= 4 and 2 * foreign > letters)
