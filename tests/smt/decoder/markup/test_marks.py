"""Markup against all derivations of small systems: those that are left are derivations that keep to it, and no others are lost."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from app.smt.decoder.decoder import Decoder
from app.smt.decoder.derivation import Derivation, Phrase
from app.smt.decoder.markup.marks import MarkupUse
from app.smt.decoder.markup.reading import plain_and_marks
from app.smt.decoder.system import System, load_system
from app.smt.decoder.tuning.list_features import features_of_list
from tests.smt.decoder.plain_features import features_of_derivation
from tests.smt.decoder.systems import all_derivations, write_system

TYPES = [("hier-mslr-bidirectional-fe", -1), ("msd-bidirectional-fe", 2), ("phrase-msd-forward-f", 3)]


@pytest.fixture(scope="module", params=TYPES, ids=lambda case: case[0])
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> System:
    reordering, distortion = request.param
    return load_system(write_system(tmp_path_factory.mktemp("system"), len(reordering), reordering, distortion))


def ours(system: System, line: str, use: MarkupUse = MarkupUse.EXCLUSIVE) -> list[Derivation]:
    text, marks = plain_and_marks(line, use, "text", 1)
    return Decoder(system).translate(text, alternatives=True, marks=marks).n_best(100_000)


def same(ours: list[Derivation], theirs: list[Derivation]) -> None:
    assert {each.phrases for each in ours} == {each.phrases for each in theirs}
    np.testing.assert_allclose([each.score for each in ours], sorted((each.score for each in theirs), reverse=True), atol=1e-9)


HINTED = 's1 <n translation="t0 given||t2" prob="0.8||20">s0 new</n> s3'
GIVEN = [Phrase(1, 3, ("t0", "given"), -1, np.log(0.8)), Phrase(1, 3, ("t2",), -1, np.log(20))]


def holds(phrase: Phrase) -> bool:
    text = f" {' '.join(phrase.words)} "
    return phrase.start <= 1 and phrase.end >= 3 and (" t0 given " in text or " t2 " in text)


@pytest.mark.parametrize(
    ("use", "may"),
    [
        (MarkupUse.EXCLUSIVE, lambda phrase: phrase.end <= 1 or phrase.start >= 3),
        (MarkupUse.INCLUSIVE, lambda phrase: True),
        (MarkupUse.CONSTRAINT, lambda phrase: phrase.end <= 1 or phrase.start >= 3 or holds(phrase)),
    ],
)
def test_given_translations_are_all_or_some(system: System, use: MarkupUse, may: Callable[[Phrase], bool]) -> None:
    theirs = list(all_derivations(system, "s1 s0 new s3", GIVEN, may))
    found = ours(system, HINTED, use)
    same(found, theirs)
    used = [any(phrase in GIVEN for phrase in each.phrases) for each in found]
    assert any(used) and (use is MarkupUse.INCLUSIVE) == (not all(used))
    for each, row in zip(found[:20], features_of_list(system, found[:20]), strict=True):
        values = features_of_derivation(system, each.phrases)
        np.testing.assert_allclose(row, values, atol=1e-9)
        assert each.score == pytest.approx(values @ system.weights, abs=1e-9)


def test_a_phrase_that_holds_what_is_given_is_left(system: System) -> None:
    theirs = list(
        all_derivations(system, "s1 s0 s3", [Phrase(1, 2, ("t0",), -1, 0.0)], lambda p: not p.start <= 1 < p.end or "t0" in p.words)
    )
    same(ours(system, 's1 <n english="t0">s0</n> s3', MarkupUse.CONSTRAINT), theirs)


def test_ignored_and_passed_through(system: System) -> None:
    same(ours(system, "<zone>s1 s0</zone><wall/>" + HINTED[3:], MarkupUse.IGNORE), list(all_derivations(system, "s1 s0 s0 new s3")))
    passed = plain_and_marks(HINTED, MarkupUse.THROUGH, "text", 1)
    assert passed[0] == HINTED and not passed[1].hints


def of_zone(begin: int, end: int) -> Callable[[Derivation], bool]:
    """Whether the words of a zone stand together: no step between its first and last has a word from outside."""

    def kept(derivation: Derivation) -> bool:
        steps = [k for k, phrase in enumerate(derivation.phrases) if phrase.start < end and begin < phrase.end]
        between = derivation.phrases[steps[0] : steps[-1] + 1]
        return all(begin <= phrase.start and phrase.end <= end for phrase in between[1:-1])

    return kept


def of_wall(begin: int, wall: int, end: int) -> Callable[[Derivation], bool]:
    """Whether the last step before a wall is none behind the first step behind it."""

    def kept(derivation: Derivation) -> bool:
        step = {t: k for k, phrase in enumerate(derivation.phrases) for t in range(phrase.start, phrase.end)}
        return max(step[t] for t in range(begin, wall)) <= min(step[t] for t in range(wall, end))

    return kept


@pytest.mark.parametrize(
    ("line", "laws"),
    [
        ("s1 <zone>s0 new s3</zone> s2", [of_zone(1, 4)]),
        ("s1 s0 <zone>new s3 s2</zone>", [of_zone(2, 5)]),
        ("<zone>s1 <zone>s0 new</zone> s3</zone> s2", [of_zone(0, 4), of_zone(1, 3)]),
        ("s1 s0 <wall/> new s3<wall/>s2", [of_wall(0, 2, 5), of_wall(0, 4, 5)]),
        ("s1 <zone> s0 <wall/> new s3 </zone> s2", [of_zone(1, 4), of_wall(1, 2, 4)]),
        ("<wall/><zone> s1 s0 new s3 s2<wall/></zone>", []),
    ],
)
def test_zones_and_walls_bound_what_is_reordered(system: System, line: str, laws: list[Callable[[Derivation], bool]]) -> None:
    every = list(all_derivations(system, "s1 s0 new s3 s2"))
    theirs = [each for each in every if all(law(each) for law in laws)]
    assert (len(theirs) < len(every)) == bool(laws)
    text, marks = plain_and_marks(line, MarkupUse.EXCLUSIVE, "text", 1)
    result = Decoder(system).translate(text, alternatives=True, marks=marks)
    found = result.n_best(300)
    scores = sorted((each.score for each in theirs), reverse=True)[:300]
    np.testing.assert_allclose([each.score for each in found], scores, atol=1e-9)
    assert all(law(each) for law in laws for each in found)


def test_words_that_are_needed_may_be_given(system: System) -> None:
    text, marks = plain_and_marks(HINTED, MarkupUse.INCLUSIVE, "text", 1)
    decoder = Decoder(system)
    assert decoder.translate(text, target="t0 given", marks=marks).best() is None
    wanted = next(each.text for each in ours(system, HINTED, MarkupUse.INCLUSIVE) if "given" in each.words)
    reached = decoder.translate(text, target=wanted, marks=marks).best()
    assert reached is not None and reached.text == wanted and decoder.translate(text, target=wanted).best() is None


def test_a_narrow_search_gets_through_a_wide_zone(tmp_path: Path) -> None:
    system = load_system(write_system(tmp_path, 9, "msd-bidirectional-fe", 2))
    words = [f"s{k % 5}" for k in range(30)]
    for begin, end in product((1, 4), (12, 28)):
        line = " ".join([*words[:begin], "<zone>", *words[begin:end], "</zone>", "<wall/>", *words[end:]])
        text, marks = plain_and_marks(line, MarkupUse.EXCLUSIVE, "text", 1)
        decoder = Decoder(system, replace(system.ini.limits, stack=3))
        best = decoder.translate(text, marks=marks).best()
        assert best is not None and of_zone(begin, end)(best) and of_wall(0, end, 30)(best)
