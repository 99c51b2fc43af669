"""Tokens against sacremoses, against hand-made cases, and on anything at all."""

import gzip
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from app.resources import word_table
from app.text import tokeniser_for
from app.text.moses.tables import abbreviations, character_classes
from app.text.moses.words import LATER_SIGNS, MosesWords

LANGUAGES = ("en", "de", "zh", "et", "ne", "ro", "ru", "si")
moses, moses_words = cache(MosesTokenizer), cache(MosesWords)


@pytest.mark.parametrize("language", ["en", "de", "et", "ro", "ru"])
@pytest.mark.parametrize("text", ["It's 3.5 miles, Mr. Smith!", "«Да», он сказал.", "Das ist z.B. gut (sehr).", "a--b 'c' ..."])
def test_tokens_are_moses_lower_cased(language: str, text: str) -> None:
    expected = [token.lower() for token in moses(language).tokenize(text, escape=False)]
    assert tokeniser_for(language)(text) == expected


@pytest.mark.parametrize("language", ["en", "de", "et", "ro", "ru"])
def test_real_text_of_every_language_gives_moses_tokens(shared: Path, language: str) -> None:
    peer, ours = moses(language), moses_words(language)
    for pair in ("en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en"):
        with gzip.open(shared / "data" / "mlqe-pe" / pair / "dev.tsv.gz", "rt", encoding="utf-8", newline="\n") as file:
            for line in list(file)[1:51]:
                for text in line.split("\t")[:3]:
                    assert ours(text) == peer.tokenize(text, escape=False)


NTREX = {"en": "eng-US", "de": "deu", "et": "est", "ro": "ron", "ru": "rus", "es": "spa", "fr": "fra"}


@pytest.mark.parametrize("rules", NTREX)
def test_news_in_many_scripts_gives_moses_tokens(shared: Path, rules: str) -> None:
    peer, words = moses(rules), moses_words(rules)
    folder = shared / "data" / "ntrex-128"
    local_path = folder / f"newstest2019-ref.{NTREX[rules]}.txt.gz"
    paths = sorted(folder.glob("newstest2019-ref.*.txt.gz"))
    assert local_path in paths
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            texts = file.read().split("\n")
        for text in texts[: 200 if path == local_path else 3]:
            assert words(text) == peer.tokenize(text, escape=False)


def test_character_classes_are_those_of_sacremoses() -> None:
    classes = character_classes()
    assert classes.alnum == frozenset(MosesTokenizer.IsAlnum)
    assert classes.alpha == frozenset(MosesTokenizer.IsAlpha)
    assert classes.lower == frozenset(MosesTokenizer.IsLower)
    assert classes.number == frozenset(MosesTokenizer.IsN)


def test_every_character_is_padded_or_not_as_in_sacremoses() -> None:
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    padded = [
        sign for sign in characters if sign not in character_classes().alnum and sign not in LATER_SIGNS and not sign.isspace()
    ]
    assert MosesTokenizer.PAD_NOT_ISALNUM[0].findall("".join(characters)) == padded


@pytest.mark.parametrize("rules", NTREX)
def test_abbreviations_are_those_of_sacremoses(rules: str) -> None:
    assert abbreviations(rules) == frozenset(moses(rules).NONBREAKING_PREFIXES)


def test_tokens_need_no_import_of_sacremoses() -> None:
    program = (
        "import sys; from app.text import tokeniser_for; "
        "assert tokeniser_for('en')(\"It's 3.5, Mr. Smith!\")[:2] == ['it', \"'s\"]; assert 'sacremoses' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


PIECES = [
    "a",
    "b",
    "A",
    "5",
    ".",
    "..",
    ",",
    "'",
    "`",
    "-",
    '"',
    "(",
    "?",
    "Mr.",
    "No.",
    "z.B.",
    "MULTI",
    "DOT",
    "é",
    "我",
    "\x01",
    "u",
]
PIECES += ["'s", ". ", ", ", " ", " ", "\u00a0", "\u0941", "...", "\x1c"]
# A number that is a letter, a number that is none, signs that Moses joins to letters, small letters outside the first plane,
# a letter in no class, and symbols.
PIECES += ["Ⅷ", "½", "²", "\u094d", "\u093c", "𝐚", "ß", "ſ", "ⅰ", "𐐨", "𠀀", "€", "’", "_", "\u0301", "\u200b", "\ud800"]
PIECES += ["s", "S", "0", "' ", " '", ",'", "''", "a'b'c", "5's", "1,000", "Art.", "pp."]
PIECES += ["DOTMULTI", "DOTDOTMULTI", "&", "|", "@-@"]


@cache
def pieces_of(rules: str) -> st.SearchStrategy[str]:
    """Texts of the pieces above and of abbreviations of a language."""
    words = sorted(word.split()[0] for word in abbreviations(rules))
    pieces = st.one_of(st.sampled_from(PIECES), st.sampled_from(words), st.sampled_from(words).map(lambda word: f"{word}. "))
    return st.lists(pieces, max_size=14).map("".join)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(NTREX)).flatmap(lambda rules: st.tuples(pieces_of(rules), st.just(rules))))
@example(("' 'a", "en"))
@example(("'5' a.", "en"))
@example((",5 ,5", "de"))
@example(("No. 5 No. a No.", "en"))
@example(("a'Ⅷ's Ⅷ's Ⅷ'a 5'a", "en"))
@example(("Ⅷ,5 Ⅷ, ,Ⅷ ½,½", "fr"))
def test_anything_gives_moses_tokens(case: tuple[str, str]) -> None:
    text, rules = case
    assert moses_words(rules)(text) == moses(rules).tokenize(text, escape=False)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.sampled_from(list(NTREX)))
def test_any_text_gives_moses_tokens(text: str, rules: str) -> None:
    assert moses_words(rules)(text) == moses(rules).tokenize(text, escape=False)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.sampled_from(LANGUAGES))
def test_cased_tokens_are_the_small_ones_as_written(text: str, language: str) -> None:
    tokenise = tokeniser_for(language)
    assert [token.lower() for token in tokenise.cased(text)] == tokenise(text)


def test_memory_of_pieces_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.text.moses.words.CACHE_SIZE", 1000)
    words = MosesWords("en")
    for k in range(2100):
        words(f"w{k}")
    assert 0 < len(words._cache.tokens) <= 1000


def test_han_text_is_split_into_characters() -> None:
    assert tokeniser_for("zh")("我爱 NLP。") == ["我", "爱", "nlp", "。"]


def test_indic_marks_stay_with_their_letters() -> None:
    assert tokeniser_for("ne")("नेपाल राम्रो छ।") == ["नेपाल", "राम्रो", "छ", "।"]
    assert tokeniser_for("si")("ශ්‍රී ලංකාව.") == ["ශ්රී", "ලංකාව", "."]


PUBLISHED = [(pair, side) for pair in ("en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en") for side in ("src", "mt")]
# The published Chinese was cut into words by another tool; ours are characters.
PUBLISHED.remove(("en-zh", "mt"))


@pytest.mark.parametrize(("pair", "side"), PUBLISHED)
def test_tokens_agree_with_the_published_tokenisation(shared: Path, pair: str, side: str) -> None:
    folder = shared / "data" / "mlqe-pe" / pair
    with gzip.open(folder / "dev.tsv.gz", "rt", encoding="utf-8", newline="\n") as file:
        header, *rows = [line.rstrip("\n").split("\t") for line in file]
    with gzip.open(folder / f"dev.tok.{side}.gz", "rt", encoding="utf-8", newline="\n") as file:
        published = [line.lower().split() for line in file]
    tokenise = tokeniser_for(pair.split("-")[0 if side == "src" else 1])
    same = [
        tokenise(row[header.index("source" if side == "src" else "translation")]) == tokens
        for row, tokens in zip(rows, published, strict=True)
    ]
    assert sum(same) / len(same) > 0.9


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120), st.sampled_from(LANGUAGES))
def test_any_text_gives_tokens_without_blanks(text: str, language: str) -> None:
    tokens = tokeniser_for(language)(text)
    assert all(tokens)
    assert not any(set(token) & set(" \t\n") for token in tokens)


def test_one_endless_word_is_quick() -> None:
    assert tokeniser_for("en")("a" * 20_000)
    assert tokeniser_for("ne")("क" * 20_000)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(LANGUAGES), st.lists(st.text(max_size=30) | st.text("aΑΣσİß.'’ A,", max_size=12), max_size=3))
def test_lines_are_the_tokens_in_both_cases(language: str, texts: list[str]) -> None:
    tokenise = tokeniser_for(language)
    lines = tokenise.lines(texts)
    assert [line.split() for line in lines.with_case] == [tokenise.cased(text) for text in texts]
    assert [line.split() for line in lines.lower] == [tokenise(text) for text in texts]


def test_a_table_of_words_holds_short_words_and_is_emptied_when_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_table, "WORDS_AT_HAND", 3)
    calls: list[str] = []

    def length(word: str) -> int:
        calls.append(word)
        return len(word)

    table = word_table.WordTable(length)
    assert list(map(table.__getitem__, ["a", "bb", "a", "c" * 41, "c" * 41])) == [1, 2, 1, 41, 41]
    assert calls == ["a", "bb", "c" * 41, "c" * 41] and set(table) == {"a", "bb"}
    assert [table["d"], table["e"]] == [1, 1] and set(table) == {"e"}
