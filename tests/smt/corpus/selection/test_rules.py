"""Rules of pairs: each by an example, all against a loop, and files as they were."""

import gzip
import re
import time
from dataclasses import fields
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.shell.program import program
from app.smt.corpus.selection.filtering import KNOWN_PAIR, REPETITION, EqualSides, filter_pairs
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.repetition_kernels import most_repeats
from app.smt.corpus.selection.rules import (
    RULES,
    CharacterCount,
    Copy,
    Language,
    LengthRatio,
    Letters,
    Loop,
    Markup,
    Numbers,
    Punctuation,
    Rule,
    Script,
    SentencePair,
    WordCount,
    WordLength,
)  # fmt: skip
from app.smt.corpus.selection.sides import has_markup, is_foreign, punctuation, repeats, script_share


@pytest.mark.parametrize(
    ("rule", "source", "target", "accepted"),
    [
        (WordCount(), "a", "b", True),
        (WordCount(), "", "b", False),
        (WordCount(max_words=2), "a b", "a b c", False),
        (LengthRatio(), "a", "x " * 9, True),
        (LengthRatio(), "a", "x " * 10, False),
        (LengthRatio(max_ratio=1.5), "a b c", "a b", True),
        (WordLength(max_word_length=3), "a bcde", "x", False),
        (Copy(no_copies=True), "a  b", "a b ", False),
        (Letters(min_letters=0.5), "ab 12", "cd ef", True),
        (Letters(min_letters=0.5), "ab 123", "cd ef", False),
        (Numbers(same_numbers=True), "am 3. Mai 2020", "2020 May 3", True),
        (Numbers(same_numbers=True), "1,000", "1 000", True),
        (Numbers(same_numbers=True), "12", "21", False),
        (CharacterCount(min_characters=3, max_characters=5), "abc", "ab cd", True),
        (CharacterCount(min_characters=3, max_characters=5), "abc", " ab ", False),
        (CharacterCount(max_characters=5), "abc", "abcdef", False),
        (Script(source_script="cyrillic", target_script="cyrillic"), "да 12", "нет!", True),
        (Script(source_script="cyrillic", target_script="cyrillic"), "да", "да no", False),
        (Script(source_script="cyrillic", target_script="cyrillic", min_script=0.5), "да", "да no", True),
        (Script(source_script="japanese", target_script="japanese"), "東京タワーへ", "ひらがな。", True),
        (Script(source_script="han", target_script="han"), "東京", "東京へ", False),
        (Markup(no_markup=True), "a < b > c & d; e", "1 <3 x>", True),
        (Markup(no_markup=True), "a", "a <b>c", False),
        (Markup(no_markup=True), "a", "</p>", False),
        (Markup(no_markup=True), "a", "<!-- x", False),
        (Markup(no_markup=True), "a", "a&nbsp;b", False),
        (Markup(no_markup=True), "a", "a&#160;b", False),
        (Punctuation(min_punctuation=-2.0), "a.", "b。", True),
        (Punctuation(min_punctuation=-0.5), "a.", "b", False),
        (Loop(max_repeats=1), "ja ja", "ja", True),
        (Loop(max_repeats=0), "oh no oh no", "oh", False),
        (Loop(max_repeats=1), "so gut so gut so gut", "x", False),
        (Loop(max_repeats=1), "a", "abcabcabc", False),
        (Language(source_language="de", target_language="de"), "Das ist ein kleines Haus am Meer.", "Haus", True),
        (
            Language(source_language="de", target_language="de"),
            "Das ist ein kleines Haus am Meer.",
            "This is a small house by the sea.",
            False,
        ),
    ],
)
def test_each_rule(rule: Rule, source: str, target: str, accepted: bool) -> None:
    assert rule.active and rule.accept(SentencePair(source, target)) is accepted
    assert rule.accept(SentencePair(target, source)) is accepted, "all rules hold of either side"


def test_rules_have_names_reasons_and_options_of_their_own() -> None:
    assert len({rule.name for rule in RULES}) == len({rule.reason for rule in RULES}) == len(RULES)
    options = [field.name for rule in RULES for field in fields(rule)]
    assert len(set(options)) == len(options)
    assert [rule.name for rule in RULES if rule().active] == ["words", "ratio"]


@settings(deadline=None)
@given(st.text(alphabet="ab .", max_size=40))
def test_repeats_are_those_that_a_pattern_finds(text: str) -> None:
    """Beside a backtracking pattern, which no command runs: a stretch, and itself behind it so many times."""
    line = f"{' '.join(text.split())} "
    found = [times for times in range(1, 14) if re.search(rf"(?=(.{{3,100}}?)\1{{{times}}})", line)]
    assert (
        repeats(text) == max(found, default=0) == most_repeats.py_func(np.frombuffer(line.encode("utf-32-le"), np.uint32), 3, 100)
    )


def test_a_long_line_is_judged_in_a_moment() -> None:
    begun = time.monotonic()
    for text in ("<" * 10**5, "&" * 10**5, "<a " * 10**5, "a" * 10**6, "&a" * 10**5, "?" * 10**5):
        has_markup(text), repeats(text), punctuation(text, "x"), script_share(text, "latin"), is_foreign(text, "de")
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    ("source", "target", "score"),
    [("a.", "b.", 0.0), ("a", "b", 0.0), ("a.", "b", -log(2)), ("a. b. c.", "x.", -log(5)), ("?!", "…", -log(3))],
)
def test_agreement_of_marks_is_the_formula(source: str, target: str, score: float) -> None:
    assert punctuation(source, target) == pytest.approx(score)


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        (Script, {"source_script": "elvish"}),
        (Language, {"target_language": "tlh"}),
        (Script, {"source_script": "latin", "min_script": 2.0}),
        (CharacterCount, {"min_characters": 5, "max_characters": 3}),
        (WordCount, {"min_words": 5, "max_words": 3}),
    ],
)
def test_rules_that_cannot_be_are_refused(rule: type[Rule], wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        rule(**wrong)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(
    *[st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=12)] * 2,
    st.sampled_from(EqualSides),
    st.booleans(),
)
def test_pairs_of_other_texts_are_left_out(
    tmp_path: Path, rows: list[tuple[str, str]], known: list[tuple[str, str]], same: EqualSides, unique: bool
) -> None:
    for name, pairs in (("p", rows), ("k", known)):
        for side in (0, 1):
            (tmp_path / f"{name}{side}").write_text("".join(f"{pair[side]}\n" for pair in pairs))
    key = {EqualSides.PAIR: lambda pair: pair, EqualSides.SOURCE: lambda pair: pair[0], EqualSides.TARGET: lambda pair: pair[1]}[
        same
    ]
    seen, expected = {key(pair) for pair in known}, []
    for pair in rows:
        if key(pair) not in seen:
            expected.append(pair)
            if unique:
                seen.add(key(pair))
    pool, other = Pool(tmp_path / "p0", tmp_path / "p1"), Pool(tmp_path / "k0", tmp_path / "k1")
    outputs = {name: tmp_path / name for name in ("source", "target")}
    made = filter_pairs(pool, [], outputs, [other], same, unique)
    assert made.pass_count == len(expected)
    assert [(tmp_path / name).read_text().split() for name in outputs] == [[pair[side] for pair in expected] for side in (0, 1)]


TEXTS = st.lists(st.sampled_from(["a", "b", "1", "cc"]), max_size=4).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=20), st.integers(1, 3), st.booleans())
def test_kept_pairs_are_the_first_that_keep_all_rules(tmp_path: Path, rows: list[tuple[str, str]], most: int, unique: bool) -> None:
    for side, name in enumerate(("s", "t")):
        (tmp_path / name).write_text("".join(f"{row[side]}\n" for row in rows))
    rules = [WordCount(max_words=most), LengthRatio(max_ratio=2), Copy(no_copies=True), Numbers(same_numbers=True)]
    expected: list[tuple[str, str]] = []
    for row in rows:
        if all(rule.accept(SentencePair(*row)) for rule in rules) and not (unique and row in expected):
            expected.append(row)
    outputs = {name: tmp_path / f"out-{name}" for name in ("source", "target", "decisions")}
    made = filter_pairs(Pool(tmp_path / "s", tmp_path / "t"), rules, outputs, unique=unique)
    kept = zip(*((tmp_path / f"out-{name}").read_text().split("\n")[:-1] for name in ("source", "target")), strict=True)
    assert list(kept) == expected
    assert made.total == len(rows) and made.pass_count == len(expected)
    assert (tmp_path / "out-decisions").read_text().split().count("kept") == len(expected)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s").write_bytes(gzip.compress(b"a  b\nsame\na  b\n\n"))
    Path("t").write_text("x y\nsame\nx y\nz\n")
    command = typer.main.get_command(program)
    arguments = ["corpus", "filter", "s", "t", "--out-source", "os.gz", "--out-target", "ot", "--no-copies", "--unique"]
    command.main(arguments, standalone_mode=False)
    assert gzip.decompress(Path("os.gz").read_bytes()) == b"a  b\n" and Path("ot").read_text() == "x y\n"
    told = capsys.readouterr().err
    assert "kept 1 of 4 pairs" in told and "left out 1 pair that occur before" in told
    for wrong, problem in (
        (arguments, r"os\.gz exists already"),
        (arguments[:4], "name an output"),
        ([*arguments[:4], "--decisions", "d", "--min-words", "5", "--max-words", "3"], "maximum of words"),
        ([*arguments[:4], "--out-links", "l"], "--out-links"),
        ([*arguments[:4], "--decisions", "d", "--not-in", "s"], "source and target"),
        ([*arguments[:4], "--decisions", "d", "--same", "source"], "--not-in"),
        ([*arguments[:4], "--decisions", "d", "--min-script", "0.5"], "--source-script"),
    ):
        with pytest.raises(InputError, match=problem):
            command.main(wrong, standalone_mode=False)


def test_how_lines_end_is_no_difference_of_pairs(tmp_path: Path) -> None:
    for name, raw in (
        ("s", b"zwei hunde\neine frau\nein mann\nein mann\r\n"), ("t", b"two dogs\na woman\na man\na man\r\n"),
        ("test.s", b"\xef\xbb\xbfzwei hunde\r\neine frau"), ("test.t", b"\xef\xbb\xbftwo dogs\r\na woman"),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(raw)
    pool, other = (Pool(tmp_path / f"{name}s", tmp_path / f"{name}t") for name in ("", "test."))
    made = filter_pairs(pool, [WordCount()], {"source": tmp_path / "out"}, [other], unique=True)
    assert (made.faults[KNOWN_PAIR], made.faults[REPETITION]) == (2, 1)
    assert (tmp_path / "out").read_bytes() == b"ein mann\n"
