"""Reasons in a translator's words: phrases that are there, counts by hand, and nothing claimed without its evidence."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from app.arrays import Bools, Float64s, Int64s
from app.checks import segment_warnings
from app.checks.reasons import REASONS, Reason, segment_reasons
from app.engine import Engine
from app.engine.segments import Options, Segments
from app.features.view import PairResources, View
from app.text import LanguagePair
from app.text.batch import SegmentBatch
from app.text.tokenisation import tokeniser_for

RO_EN = LanguagePair("ro", "en")


@dataclass(frozen=True)
class Said:
    """What a tagger would say of one segment."""

    words: Float64s
    gaps: Float64s
    wrong: float = 0.5
    possible: float = 0.5
    gap: float = 0.5

    @property
    def wrong_words(self) -> Bools:
        return self.words >= self.wrong

    @property
    def possible_words(self) -> Bools:
        return (self.words >= self.possible) & ~self.wrong_words

    @property
    def marked_gaps(self) -> Bools:
        return self.gaps >= self.gap

    @property
    def word_offsets(self) -> Int64s:
        return np.array([0, len(self.words)])

    @property
    def gap_offsets(self) -> Int64s:
        return np.array([0, len(self.gaps)])


def view(source: str, translation: str, resources: PairResources | None = None) -> View:
    batch = SegmentBatch.build(tokeniser_for("ro"), tokeniser_for("en"), [source], [translation])
    return View(batch, resources or PairResources(RO_EN))


def reasons_of(looked_at: View, said: Said | None = None) -> dict[str, Reason]:
    return {reason.code: reason for reason in segment_reasons(looked_at, said, segment_warnings(looked_at))[0]}


def test_neighbours_are_one_phrase_as_it_stands_in_the_text() -> None:
    looked_at = view("a b c d e f", "It's  the WRONG “big tree”, here")
    words = looked_at.batch.cased_translation.tokens(0)
    wrong = np.array([word in ("WRONG", "big", "tree", "here") for word in words], float)
    gaps = np.zeros(len(words) + 1)
    gaps[0] = gaps[-1] = 1.0
    found = reasons_of(looked_at, Said(wrong, gaps))
    assert found["wrong"].translation == ("WRONG", "big tree", "here") and found["wrong"].source == ()
    assert found["missing"].translation == (f"… {words[0]}", "here …")
    assert found["wrong"].text == REASONS["wrong"] and "probably" in found["wrong"].text


def test_what_a_tagger_only_suspects_may_be_so() -> None:
    looked_at = view("a b c d", "one two three four")
    found = reasons_of(looked_at, Said(np.array([0.6, 0.45, 0.1, 0.45]), np.array([0.0, 0.15, 0.0, 0.25, 0.0]), 0.5, 0.4, 0.2))
    assert found["wrong"].translation == ("one",) and found["doubtful"].translation == ("two", "four")
    assert found["missing"].translation == ("three … four",)
    assert "may" in found["doubtful"].text and "may" in found["missing"].text
    # Nothing is said of words that are not marked.
    found = reasons_of(looked_at, Said(np.array([0.55, 0.7, 0.0, 0.0]), np.zeros(5), 0.6, 0.6))
    assert found["wrong"].translation == ("two",) and "doubtful" not in found


@pytest.mark.parametrize(
    ("source", "translation", "code"),
    [("a b c", "a b c d e f g", "long"), ("a b c", "a b c d e f", None), ("a b c d e f g", "x y z", "short"), ("a", "b c d", None)],
)
def test_lengths_are_counted(source: str, translation: str, code: str | None) -> None:
    assert ({"long", "short"} & reasons_of(view(source, translation)).keys()) == ({code} if code else set())


def test_without_resources_nothing_is_claimed_of_words() -> None:
    assert reasons_of(view("Casa este mare.", "The house is big.")).keys() == set()
    assert reasons_of(view("Sunt 12 case.", "There are 21 houses."))["numbers"].source == ("12",)
    assert reasons_of(view("", "x")).keys() == {"empty-source"}
    assert reasons_of(view("Casa este mare.", "Casa este mare."))["untranslated"].translation[0].startswith("Casa este mare")


def test_a_long_list_is_cut_and_hostile_text_is_read() -> None:
    looked_at = view("\u202e casa " * 40, "x\u0301 the " * 40)
    words = looked_at.batch.cased_translation.tokens(0)
    alternate = np.arange(len(words)) % 2.0
    assert len(reasons_of(looked_at, Said(alternate, np.zeros(len(words) + 1)))["wrong"].translation) == 5


def test_what_is_not_translated_is_named_and_what_is_is_not(engine: Engine) -> None:
    resources = replace(engine.pair_resources(RO_EN), source_tagger=None)
    whole = view("Guvernul numește un prefect în fiecare județ.", "The Government appoints a prefect to each county.", resources)
    part = view("Guvernul numește un prefect în fiecare județ.", "The Government appoints a prefect.", resources)
    assert "uncovered" not in reasons_of(whole)
    assert any("județ" in phrase for phrase in reasons_of(part)["uncovered"].source)
    odd = reasons_of(view("Casa xqzvw este mare.", "The house qqzzww is big.", resources))
    assert odd["rare"].source == ("xqzvw",) and odd["unknown"].translation == ("qqzzww",)
    # What the tables do not know is no evidence that it is missing.
    assert "uncovered" not in odd and "added" not in odd


def test_explained_answers_have_reasons(engine: Engine) -> None:
    segments = Segments(RO_EN, ["Sunt 12 case."], ["There are 21 houses."])
    answer = engine.quality(segments, "ro-en-hter-gp-17", options=Options(explain=True))
    assert answer.reasons is not None and {"numbers"} <= {reason.code for reason in answer.reasons[0]} <= REASONS.keys()
    assert answer.warnings is None and answer.words is None
    assert engine.quality(segments, "ro-en-hter-gp-17").reasons is None


def test_reasons_of_a_segment_without_a_side_do_not_depend_on_company(engine: Engine) -> None:
    texts = [("Casa este mare și veche.", ""), ("", "The house is big and old."), ("Casa este mare.", "The house is big.")]

    def codes(rows: list[tuple[str, str]]) -> list[set[str]]:
        segments = Segments(RO_EN, [source for source, _ in rows], [translation for _, translation in rows])
        reasons = engine.quality(segments, "ro-en-hter-gp-17", options=Options(explain=True)).reasons
        assert reasons is not None
        return [{reason.code for reason in row} for row in reasons]

    assert codes(texts) == [row for pair in texts for row in codes([pair])]
