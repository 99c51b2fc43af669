"""Tokens against sacremoses, against hand-made cases, and on anything at all."""

import gzip
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from app.text import tokeniser_for
from app.text.moses import MosesWords

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


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from(["en", "de", "fr"]))
@example("' 'a", "en")
@example("'5' a.", "en")
@example(",5 ,5", "de")
@example("No. 5 No. a No.", "en")
def test_anything_gives_moses_tokens(text: str, language: str) -> None:
    assert moses_words(language)(text) == moses(language).tokenize(text, escape=False)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["en", "de", "fr"]))
def test_any_text_gives_moses_tokens(text: str, language: str) -> None:
    assert moses_words(language)(text) == moses(language).tokenize(text, escape=False)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.sampled_from(LANGUAGES))
def test_cased_tokens_are_the_small_ones_as_written(text: str, language: str) -> None:
    tokenise = tokeniser_for(language)
    assert [token.lower() for token in tokenise.cased(text)] == tokenise(text)


def test_memory_of_pieces_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.text.moses.CACHE_SIZE", 1000)
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
