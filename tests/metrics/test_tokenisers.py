"""Tokenisers in kernels against sacreBLEU's own: every character, marks beside numbers, real lines, any text, any threads."""

import gzip
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, product
from pathlib import Path

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from app.metrics import metrics_named, segment_statistics
from app.metrics.analysis.ngram_differences import metric_tokens
from app.metrics.lexical import error_rates, matching
from app.metrics.numbering import Numbering, interleave
from app.metrics.tokenisers import CHRF_WORDS, METRIC_TOKENISERS, tercom
from app.metrics.tokens import texts as texts_module
from app.metrics.tokens.texts import SystemTexts, Texts, joined_texts
from app.running.threads import blocks
from app.running.threads.spreading import Spreading
from app.text.ragged import offsets_of

# Every ninth letter and line; all of them with ``--hypothesis-profile many``, in three minutes.
STRIDE = 1 if settings.default.max_examples > 1000 else 9
NAMES = ("13a", "intl", "zh", "char", "none")
# Each character alone, twice, between letters, between digits, beside marks and dashes, and at both ends.
CONTEXTS = "{0}a a{0} a{0}b {0}1 1{0} 1{0}2 {0}{0} 1{0}{0}2 .{0} {0}. 1.{0} {0}.1 1{0}. ,{0},1 {0}-1 1-{0} 中{0} {0}€1 {0}"
EDGES = ("{0}", "{0}1", "1{0}", "{0}{0}", "1{0}{0}", "{0}{0}1", "{0} a", "a {0}", "{0}.", ".{0}", ".{0}1")
TRICKY = "ab1٣.,-—'’«$€_&;\"中，。\u3000\x85\xa0 \t\n\0\x1c²½ΣİẞſK\u0301\U0001f600\U00020000"


@cache
def peer_of(name: str) -> Callable[[str], str]:
    tokenise = BLEU(tokenize=name).tokenizer

    def tokens(text: str) -> str:
        return str(tokenise(text.rstrip()))

    return tokens


def expected_tokens(name: str, texts: Sequence[str]) -> list[list[str]]:
    peer = peer_of(name)
    return [peer(text).split() for text in texts]


def assert_equal_tokens(name: str, texts: Sequence[str]) -> None:
    for text, found, expected in zip(texts, metric_tokens(texts, name), expected_tokens(name, texts), strict=True):
        assert found == expected, (name, text)


def assigned() -> list[str]:
    """Characters of Python's version of Unicode, and those that sacreBLEU's package knows as numbers, marks or symbols."""
    newer = regex.compile(r"[\p{N}\p{P}\p{S}]")
    characters = map(chr, range(0x110000))
    return [c for c in characters if unicodedata.category(c) not in ("Cs", "Co", "Cn") or newer.match(c)]


def is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM"


@pytest.fixture(scope="module")
def characters() -> list[str]:
    """Every assigned character that is no letter, and a sample of the letters."""
    characters = assigned()
    return [c for c in characters if not is_letter(c)] + [c for c in characters if is_letter(c)][::STRIDE]


@pytest.mark.parametrize("name", NAMES)
def test_every_character_in_every_context(name: str, characters: list[str]) -> None:
    """Contexts of twenty characters share a line."""
    texts = [" ".join(CONTEXTS.format(c) for c in characters[at : at + 20]) for at in range(0, len(characters), 20)]
    assert_equal_tokens(name, texts)


@pytest.mark.parametrize("name", NAMES)
def test_every_mark_at_the_ends_of_a_segment(name: str, characters: list[str]) -> None:
    marks = [c for c in characters if not is_letter(c)][::STRIDE]
    assert_equal_tokens(name, [edge.format(c) for c in marks for edge in EDGES])


@pytest.mark.parametrize("name", NAMES)
def test_every_run_of_marks_and_numbers(name: str) -> None:
    """All texts of up to six characters of six kinds: the rules replace pairs from left to right."""
    assert_equal_tokens(
        name, ["".join(text) for size in range(7) for text in product("a1. ,-" if name != "intl" else "a1. $-", repeat=size)]
    )


@pytest.mark.parametrize("name", NAMES)
@given(st.lists(st.one_of(st.text(max_size=30), st.text(TRICKY, max_size=12)), min_size=1, max_size=5))
def test_any_text(name: str, texts: list[str]) -> None:
    assert_equal_tokens(name, texts)


@pytest.mark.parametrize("name", NAMES)
def test_cleaning_looks_at_one_segment(name: str) -> None:
    texts = [
        "a-",
        "-\nb",
        "c-\n",
        "&amp;",
        "quot;",
        "<skip",
        "ped>",
        "&amp;lt;",
        "<skipped>x",
        "a\0b&gt;",
        "",
        " ",
        "x-\ny &quot;z&quot;",
    ]
    for count in range(len(texts) + 1):
        assert_equal_tokens(name, texts[:count])
        assert_equal_tokens(name, texts[count:])


def mlqe_lines(shared: Path) -> Iterator[str]:
    for path in sorted((shared / "data" / "mlqe-pe").glob("*/train.tsv.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as rows:
            for row in rows:
                yield from row.rstrip("\n").split("\t")[:3]


@pytest.mark.parametrize("name", NAMES)
def test_real_lines(name: str, shared: Path) -> None:
    """147,000 lines of eight languages."""
    texts = list(mlqe_lines(shared))
    assert len(texts) > 100_000
    assert_equal_tokens(name, texts[::STRIDE])


@given(st.lists(st.one_of(st.text(max_size=30), st.text(TRICKY + "!?()", max_size=12)), min_size=1, max_size=5))
def test_words_and_characters_of_chrf(texts: list[str]) -> None:
    peer = CHRF(word_order=2)
    words = Texts(texts).tokens(CHRF_WORDS, False, with_spans=True)
    strings = words.strings(words.spans)
    for i, text in enumerate(texts):
        assert strings[words.offsets[i] : words.offsets[i + 1]] == peer._remove_punctuation(text)
    for with_blanks in (False, True):
        codes, offsets = Texts(texts).characters(False, with_blanks)
        found = ["".join(map(chr, codes[offsets[i] : offsets[i + 1]])) for i in range(len(texts))]
        assert found == [text if with_blanks else "".join(text.split()) for text in texts]


@pytest.mark.parametrize("options", list(product((False, True), repeat=3)))
@given(st.lists(st.text(TRICKY + "s!?()、", max_size=20), min_size=1, max_size=4))
def test_tercom(options: tuple[bool, bool, bool], texts: list[str]) -> None:
    normalise, punctuation, asian = options
    peer = TER(normalized=normalise, no_punct=not punctuation, asian_support=asian).tokenizer
    tokens = Texts(texts).tokens(tercom(normalise, punctuation, asian), True, with_spans=True)
    strings = tokens.strings(tokens.spans)
    for i, text in enumerate(texts):
        assert strings[tokens.offsets[i] : tokens.offsets[i + 1]] == peer(text.rstrip()).split()


@given(st.lists(st.text(TRICKY, max_size=20), max_size=6), st.booleans())
def test_equal_symbols_are_equal_tokens(texts: list[str], lowercase: bool) -> None:
    numbering = Numbering(METRIC_TOKENISERS["13a"], lowercase)
    for part in (texts[:2], texts[2:], texts):
        numbers, offsets = numbering.number(part)
        strings = [token for text in metric_tokens([text.lower() if lowercase else text for text in part], "13a") for token in text]
        assert [numbering.symbols()[number] for number in numbers] == strings
        tokens = Texts(part).tokens(METRIC_TOKENISERS["13a"], lowercase)
        assert tokens.offsets.tolist() == offsets.tolist()
        assert len({*zip(tokens.symbols.tolist(), strings, strict=True)}) == len(set(strings)) == len(set(tokens.symbols.tolist()))


def test_texts_are_tokenised_once_for_all_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = SystemTexts([["a b.", "c"], ["a", "d e"]])
    assert list(joined_texts(systems)) == ["a b.", "c", "a", "d e"]
    assert joined_texts(systems) is systems.concatenation and Texts.of(systems[0]) is systems[0]
    tokens = systems.concatenation.tokens(METRIC_TOKENISERS["13a"], False)
    assert systems.concatenation.tokens(METRIC_TOKENISERS["13a"], False) is tokens
    assert len(systems.concatenation.tokens(METRIC_TOKENISERS["13a"], False, with_spans=True).spans) == len(tokens.symbols) == 7


@given(st.lists(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=3, max_size=3), min_size=1, max_size=3))
def test_interleaved_rows(sides: list[list[list[int]]]) -> None:
    arrays = [(np.array(list(chain.from_iterable(rows)), np.int64), offsets_of([len(row) for row in rows])) for rows in sides]
    symbols, offsets = interleave(arrays)
    expected = [row for group in zip(*sides, strict=True) for row in group]
    assert [symbols[offsets[i] : offsets[i + 1]].tolist() for i in range(len(expected))] == expected


METRICS = ("bleu", "bleu|tok:intl|case:lc", "chrf++", "chrf|space:yes", "ter", "ter|norm:yes", "wer", "per", "nist")


@pytest.mark.parametrize("references", [1, 2])
def test_threads_and_blocks_change_no_statistic(references: int, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for _, line in zip(range(400), mlqe_lines(shared), strict=False)]
    systems = {"a": lines[0:200:2], "b": lines[1:200:2]}
    sides = {str(k): lines[200 + k : 400 + k : 2][:100] for k in range(references)}
    expected = segment_statistics(metrics_named(METRICS), systems, sides)
    for threads in (1, 3):
        monkeypatch.setattr(blocks, "_spreading", cache(lambda threads=threads: Spreading(threads)))
        for module, size in ((texts_module, 100), (matching, 500), (error_rates, 1000)):
            monkeypatch.setattr(module, "BLOCK", size)
        found = segment_statistics(metrics_named(METRICS), systems, sides)
        for rows, other in zip(found, expected, strict=True):
            assert all((rows[name] == other[name]).all() for name in systems)
