"""Rules of pairs: each by an example, all against a loop, and files as they were."""

import gzip
import re
import time
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
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.repetition_kernels import most_repeats
from app.smt.corpus.selection.rules import Fault, Rules, Same, filter_pairs
from app.smt.corpus.selection.sides import has_markup, is_otherwise, punctuation, repeats, script_share


@pytest.mark.parametrize(
    ("rules", "source", "target", "fault"),
    [
        (Rules(), "a", "b", Fault.KEPT),
        (Rules(), "", "b", Fault.WORDS),
        (Rules(most=2), "a b", "a b c", Fault.WORDS),
        (Rules(), "a", "x " * 9, Fault.KEPT),
        (Rules(), "a", "x " * 10, Fault.RATIO),
        (Rules(ratio=1.5), "a b c", "a b", Fault.KEPT),
        (Rules(longest=3), "a bcde", "x", Fault.WORD),
        (Rules(copies=False), "a  b", "a b ", Fault.COPY),
        (Rules(letters=0.5), "ab 12", "cd ef", Fault.KEPT),
        (Rules(letters=0.5), "ab 123", "cd ef", Fault.LETTERS),
        (Rules(numbers=True), "am 3. Mai 2020", "2020 May 3", Fault.KEPT),
        (Rules(numbers=True), "1,000", "1 000", Fault.KEPT),
        (Rules(numbers=True), "12", "21", Fault.NUMBERS),
        (Rules(characters=(3, 5)), "abc", "ab cd", Fault.KEPT),
        (Rules(characters=(3, 5)), "abc", " ab ", Fault.CHARACTERS),
        (Rules(characters=(0, 5)), "abc", "abcdef", Fault.CHARACTERS),
        (Rules(scripts=("cyrillic", "cyrillic")), "да 12", "нет!", Fault.KEPT),
        (Rules(scripts=("cyrillic", "cyrillic")), "да", "да no", Fault.SCRIPT),
        (Rules(scripts=("cyrillic", "cyrillic"), script_share=0.5), "да", "да no", Fault.KEPT),
        (Rules(scripts=("japanese", "japanese")), "東京タワーへ", "ひらがな。", Fault.KEPT),
        (Rules(scripts=("han", "han")), "東京", "東京へ", Fault.SCRIPT),
        (Rules(markup=False), "a < b > c & d; e", "1 <3 x>", Fault.KEPT),
        (Rules(markup=False), "a", "a <b>c", Fault.MARKUP),
        (Rules(markup=False), "a", "</p>", Fault.MARKUP),
        (Rules(markup=False), "a", "<!-- x", Fault.MARKUP),
        (Rules(markup=False), "a", "a&nbsp;b", Fault.MARKUP),
        (Rules(markup=False), "a", "a&#160;b", Fault.MARKUP),
        (Rules(punctuation=-2.0), "a.", "b。", Fault.KEPT),
        (Rules(punctuation=-0.5), "a.", "b", Fault.PUNCTUATION),
        (Rules(repeats=2), "ja ja", "ja", Fault.KEPT),
        (Rules(repeats=1), "oh no oh no", "oh", Fault.LOOP),
        (Rules(repeats=2), "so gut so gut so gut", "x", Fault.LOOP),
        (Rules(repeats=2), "a", "abcabcabc", Fault.LOOP),
        (Rules(languages=("de", "de")), "Das ist ein kleines Haus am Meer.", "Haus", Fault.KEPT),
        (Rules(languages=("de", "de")), "Das ist ein kleines Haus am Meer.", "This is a small house by the sea.", Fault.LANGUAGE),
    ],
)
def test_each_rule(rules: Rules, source: str, target: str, fault: Fault) -> None:
    assert rules.judge(source, target) == fault
    assert rules.judge(target, source) == fault, "all rules hold of either side"


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
        has_markup(text), repeats(text), punctuation(text, "x"), script_share(text, "latin"), is_otherwise(text, "de")
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    ("source", "target", "score"),
    [("a.", "b.", 0.0), ("a", "b", 0.0), ("a.", "b", -log(2)), ("a. b. c.", "x.", -log(5)), ("?!", "…", -log(3))],
)
def test_agreement_of_marks_is_the_formula(source: str, target: str, score: float) -> None:
    assert punctuation(source, target) == pytest.approx(score)


@pytest.mark.parametrize(
    "wrong", [{"scripts": ("elvish", None)}, {"languages": (None, "tlh")}, {"script_share": 2.0}, {"characters": (5, 3)}]
)
def test_rules_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Rules(**wrong)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(
    *[st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=12)] * 2,
    st.sampled_from(Same),
    st.booleans(),
)
def test_pairs_of_other_texts_are_left_out(
    tmp_path: Path, rows: list[tuple[str, str]], known: list[tuple[str, str]], same: Same, unique: bool
) -> None:
    for name, pairs in (("p", rows), ("k", known)):
        for side in (0, 1):
            (tmp_path / f"{name}{side}").write_text("".join(f"{pair[side]}\n" for pair in pairs))
    key = {Same.BOTH: lambda pair: pair, Same.SOURCE: lambda pair: pair[0], Same.TARGET: lambda pair: pair[1]}[same]
    seen, expected = {key(pair) for pair in known}, []
    for pair in rows:
        if key(pair) not in seen:
            expected.append(pair)
            if unique:
                seen.add(key(pair))
    pool, other = Pool(tmp_path / "p0", tmp_path / "p1"), Pool(tmp_path / "k0", tmp_path / "k1")
    outputs = {name: tmp_path / name for name in ("source", "target")}
    made = filter_pairs(pool, Rules(repeated=not unique), outputs, [other], same)
    assert made.faults[Fault.KEPT] == len(expected)
    assert [(tmp_path / name).read_text().split() for name in outputs] == [[pair[side] for pair in expected] for side in (0, 1)]


TEXTS = st.lists(st.sampled_from(["a", "b", "1", "cc"]), max_size=4).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=20), st.integers(1, 3), st.booleans())
def test_kept_pairs_are_the_first_that_keep_all_rules(tmp_path: Path, rows: list[tuple[str, str]], most: int, unique: bool) -> None:
    for side, name in enumerate(("s", "t")):
        (tmp_path / name).write_text("".join(f"{row[side]}\n" for row in rows))
    rules = Rules(most=most, ratio=2, copies=False, numbers=True, repeated=not unique)
    expected: list[tuple[str, str]] = []
    for row in rows:
        if rules.judge(*row) == Fault.KEPT and not (unique and row in expected):
            expected.append(row)
    outputs = {name: tmp_path / f"out-{name}" for name in ("source", "target", "decisions")}
    made = filter_pairs(Pool(tmp_path / "s", tmp_path / "t"), rules, outputs)
    kept = zip(*((tmp_path / f"out-{name}").read_text().split("\n")[:-1] for name in ("source", "target")), strict=True)
    assert list(kept) == expected
    assert made.total == len(rows) and made.faults[Fault.KEPT] == len(expected)
    assert (tmp_path / "out-decisions").read_text().split().count("kept") == len(expected)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s").write_bytes(gzip.compress(b"a  b\nsame\na  b\n\n"))
    Path("t").write_text("x y\nsame\nx y\nz\n")
    command = typer.main.get_command(program)
    arguments = ["filter", "s", "t", "--out-source", "os.gz", "--out-target", "ot", "--no-copies", "--unique"]
    command.main(arguments, standalone_mode=False)
    assert gzip.decompress(Path("os.gz").read_bytes()) == b"a  b\n" and Path("ot").read_text() == "x y\n"
    told = capsys.readouterr().err
    assert "kept 1 of 4 pairs" in told and "left out 1 pair that were there before" in told
    for wrong, problem in (
        (arguments, r"os\.gz is there already"),
        (arguments[:3], "say what to write"),
        ([*arguments[:3], "--decisions", "d", "--min-words", "5", "--max-words", "3"], "sides have 1 word"),
        ([*arguments[:3], "--out-links", "l"], "--out-links"),
        ([*arguments[:3], "--decisions", "d", "--not-in", "s"], "source and target"),
        ([*arguments[:3], "--decisions", "d", "--same", "source"], "--not-in"),
        ([*arguments[:3], "--decisions", "d", "--min-script", "0.5"], "--source-script"),
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
    made = filter_pairs(pool, Rules(repeated=False), {"source": tmp_path / "out"}, [other])
    assert (made.faults[Fault.KNOWN], made.faults[Fault.REPEATED]) == (2, 1)
    assert (tmp_path / "out").read_bytes() == b"ein mann\n"
