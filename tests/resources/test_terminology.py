"""Terms in texts: inflected, in compounds, of several words, in scripts without blanks, and their case."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.glossaries import Glossary, Term
from app.resources.terminology import Terminology, TermUse, has_lemmas
from app.resources.terminology.words import words_of
from app.text.languages import LanguagePair
from tests.growth import assert_grows_evenly


def uses(pair: str, terms: list[Term], source: str, translation: str) -> list[TermUse]:
    return Terminology(Glossary(tuple(terms)), LanguagePair.parse(pair)).uses(source, translation)


def confirmed(pair: str, term: Term, source: str, translation: str) -> bool | None:
    """True for a confirmed term, False for a missing one, None for one that the source has not."""
    results = uses(pair, [term], source, translation)
    return None if not results else not results[0].is_missing


@pytest.mark.parametrize(
    ("pair", "source_term", "target", "source", "translation"),
    [
        ("en-de", "house", "Haus", "The HOUSES are old.", "In den Häusern"),
        ("en-et", "house", "maja", "two houses", "kahes majas"),
        ("en-ro", "city", "oraș", "of the cities", "ale orașelor"),
        ("en-ru", "minister of defence", "министр обороны", "ministers of defence", "для министров обороны"),
        ("en-de", "patient", "Patient", "The patients' beds", "Die Patientenbetten"),
        ("en-de", "hospital", "Krankenhaus", "a hospital", "im Universitätskrankenhaus"),
        (
            "en-de",
            "machine translation",
            "maschinelle Übersetzung",
            "by machine translation",
            "mit maschinellen Übersetzungssystemen",
        ),
        ("en-de", "e-mail", "E-Mail", "two e-mails", "zwei E-Mails"),
        ("en-zh", "black hole", "黑洞", "black holes", "有两个黑洞。"),
        ("zh-en", "黑洞", "black hole", "有两个黑洞。", "There are two black holes."),
        ("en-ja", "server", "サーバー", "the server", "このサーバーは"),
        ("en-ko", "server", "서버", "the server", "서버는"),
        ("en-hi", "house", "घर", "a house", "एक घर है"),
        ("en-de", "C++", "C++", "in C++", "in C++"),
    ],
)
def test_inflected_terms_are_confirmed(pair: str, source_term: str, target: str, source: str, translation: str) -> None:
    assert confirmed(pair, Term(source_term, (target,)), source, translation) is True


@pytest.mark.parametrize(
    ("pair", "source_term", "target", "source", "translation", "result"),
    [
        ("en-de", "house", "Haus", "The housing is old.", "Das Haus", None),
        ("en-de", "house", "Haus", "The house", "Die Hütte", False),
        ("en-de", "rate", "Rat", "The rate", "Der Ratgeber", False),
        ("en-de", "C++", "C++", "in C", "in C", None),
        ("en-de", "bank account", "Bankkonto", "The bank has an account.", "Die Bank", None),
        ("en-zh", "black hole", "黑洞", "black holes", "黑色的洞", False),
        ("en-si", "house", "ගෙය", "houses", "ගෙවල්", False),
    ],
)
def test_other_words_are_none(pair: str, source_term: str, target: str, source: str, translation: str, result: bool | None) -> None:
    assert confirmed(pair, Term(source_term, (target,)), source, translation) is result


def test_the_longest_term_counts() -> None:
    terms = [Term("account", ("Benutzerkonto",)), Term("bank account", ("Bankkonto",), ("Konto",))]
    (use,) = uses("en-de", terms, "Two bank accounts.", "Zwei Bankkonten.")
    assert (use.source, use.expected, use.target) == (((4, 17),), ("Bankkonto",), (5, 15))


def test_terms_of_one_source_are_alternatives() -> None:
    terms = [Term("bank", ("Bank",)), Term("bank", ("Ufer",))]
    (use,) = uses("en-de", terms, "At the bank of the bank", "Am Ufer")
    assert use.expected == ("Bank", "Ufer")
    assert (use.target, use.source) == ((3, 7), ((7, 11), (19, 23)))


def test_forbidden_words_count_outside_of_terms() -> None:
    terms = [Term("map", ("blaue Karte", "Plan"), ("Karte",)), Term("data", ("Datum",), ("Daten",))]
    (use,) = uses("en-de", terms, "The map", "Die blauen Karten und diese Karten")
    assert use.forbidden == ((28, 34),)
    # A form of an allowed word is allowed.
    (use,) = uses("en-de", terms, "The data", "Die Daten")
    assert (use.forbidden, use.is_missing) == ((), False)


@pytest.mark.parametrize(
    ("term", "source", "translation", "result"),
    [
        (Term("Apple", ("Apple",), exact_case=True), "an apple", "ein Apfel", None),
        (Term("Apple", ("Apple",), exact_case=True), "by Apple", "von APPLE", False),
        (Term("iPhone", ("iPhone",), exact_case=True), "iPhones", "die iPhones", True),
        (Term("go", ("gehen",), exact_case=True), "Go there", "Gehen Sie", True),
        (Term("Apple", ("Apple",)), "APPLE", "apple", True),
    ],
)
def test_case_counts_if_it_is_exact(term: Term, source: str, translation: str, result: bool | None) -> None:
    assert confirmed("en-de", term, source, translation) is result


def test_languages_without_lemmas_have_a_caution() -> None:
    glossary = Glossary((Term("house", ("x",)),))
    assert Terminology(glossary, LanguagePair("en", "de")).cautions == []
    (caution,) = Terminology(glossary, LanguagePair("en", "si")).cautions
    assert "Sinhala" in caution
    assert [has_lemmas(language) for language in ("et", "pt-BR", "hr", "nb", "zh", "ne")] == [True, True, True, True, False, False]


@given(st.text(max_size=60))
def test_words_have_their_places(text: str) -> None:
    words = words_of(text)
    assert [text[word.start : word.end] for word in words] == [word.text for word in words]
    assert all(first.end <= second.start for first, second in pairwise(words))


WORDS = st.lists(st.sampled_from(["aba", "cabo", "dado", "efa", "gugu", "hoho", "iki", "jujo"]), min_size=1, max_size=8)


@given(WORDS, WORDS, WORDS)
def test_a_term_is_found_where_it_stands(before: list[str], term: list[str], behind: list[str]) -> None:
    """Also against a search of words: made-up words have no other forms."""
    text, name = " ".join([*before, *term, *behind]), " ".join(term)
    (use,) = uses("eo-zh", [Term(name, ("x",))], text, "y")
    assert f" {text} ".find(f" {name} ") in {start for start, _ in use.source}
    assert use.is_missing
    (use,) = uses("zh-yo", [Term("词", (name,))], "词", text)
    assert use.target is not None
    assert text[slice(*use.target)] == name


def test_time_grows_evenly() -> None:
    terms = [Term(" ".join(["a"] * n), ("b " * n + "c",)) for n in range(1, 60)]
    terminology = Terminology(Glossary(tuple(terms)), LanguagePair("en", "de"))
    terminology.uses("a", "b")
    assert_grows_evenly(lambda n: ("a " * n, "b " * n), lambda texts: terminology.uses(*texts), 300)
