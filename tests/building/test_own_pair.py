"""The steps of a pair of one's own: what is left out, which labels are found, which words are BAD, what is to be expected."""

import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.building.own_pair.cleaning import clean_text
from app.building.own_pair.expecting import SAMPLES, Expectation, cross_validate, expectation_of
from app.building.own_pair.labels import labelled_text
from app.building.own_pair.word_tags import tags_of_post_edits
from app.errors import InputError
from app.predictors.labels import Label, Scale, label_named
from app.predictors.training import TrainingSet
from app.text import LanguagePair

TOY, EN_FR = LanguagePair("ee", "bm"), LanguagePair("en", "fr")
GOOD = [(f"this is line number {k} of it", f"ceci est la ligne numéro {k} du texte") for k in range(20)]
FRENCH = "Les enfants jouent dans le jardin parce que le soleil brille depuis ce matin."
ENGLISH = "The children play in the garden because the sun has been shining since this morning."


def test_what_teaches_wrong_things_is_left_out_and_counted() -> None:
    rows = [
        *GOOD,
        ("", "vide"),
        ("empty", " \t"),
        GOOD[3],
        ("this  is line number 3 of it", GOOD[3][1]),
        ("ACME 3000", "ACME 3000"),
        ("a" * 2001, "b" * 2001),
        ("a short line of it", "une ligne " * 30),
        ("held back for labels", "mis de côté"),
    ]
    text = clean_text(TOY, rows, frozenset({"held back for labels"}))
    assert list(zip(text.sources, text.targets, strict=True)) == GOOD
    assert text.left_out == {
        "empty": 2, "repeated": 2, "copies": 1, "too long": 1, "labelled": 1, "lengths that do not fit": 1, "another language": 0,
    }  # fmt: skip


def test_lengths_are_held_to_what_is_usual_for_the_pair() -> None:
    rows = [(f"{k} " + "long words of a language that writes much " * 5, f"{k}{'字' * 25}") for k in range(20)]
    assert len(clean_text(TOY, rows)) == 20


def test_segments_in_another_language_are_left_out() -> None:
    rows = [(f"{ENGLISH} {k}", f"{FRENCH} {k}") for k in range(20)]
    text = clean_text(EN_FR, [*rows, (ENGLISH, ENGLISH + " It is warm."), (FRENCH, FRENCH + " Il fait chaud.")])
    assert (len(text), text.left_out["another language"]) == (20, 2)
    with pytest.raises(InputError, match="most sources look like fr, not en"):
        clean_text(EN_FR, [(target, source) for source, target in rows])


def test_too_little_text_is_refused_with_its_reasons() -> None:
    with pytest.raises(InputError, match=r"9 segments are left \(3 repeated\); at least 10"):
        clean_text(TOY, [*GOOD[:9], *GOOD[:3]])


TEXTS = {"source": ["eins", "zwei", ""], "translation": ["one", "two three", "x"]}


@pytest.mark.parametrize(
    ("columns", "asked", "expected"),
    [
        ({"hter": ["0.5", "0", "9"]}, (None, None), ("hter", [0.5, 0.0], "hter")),
        ({"hter": ["0,25", "1", "9"]}, (None, None), ("hter", [0.25, 1.0], "hter")),
        ({"da_z": ["-1.5", "0", "x"]}, (None, None), ("da", [-1.5, 0.0], "da_z")),
        ({"post_edit": ["one", "two four", "x"]}, (None, None), ("hter", [0.0, 0.5], "post_edit")),
        ({"post_edit": ["one", "two four", ""], "da": ["1", "2", "3"]}, ("hter", None), ("hter", [0.0, 0.5], "post_edit")),
        ({"da_z": ["-1.5", "0", "x"], "da": ["23", "60", "x"]}, (None, None), ("da", [-1.5, 0.0], "da_z")),
        ({"da": ["23", "60", "x"], "z_mean": ["-1.5", "0", "x"]}, ("da", None), ("da", [-1.5, 0.0], "z_mean")),
        ({"score": ["1", "5", "0"]}, ("likert", None), ("likert", [1.0, 5.0], "score")),
        ({"grade by ann": ["1", "5", "0"]}, ("effort", "Grade by Ann"), ("effort", [1.0, 5.0], "grade by ann")),
    ],
)
def test_labels_are_found_by_their_headings(
    columns: dict[str, list[str]], asked: tuple[str | None, str | None], expected: tuple[str, list[float], str]
) -> None:
    text = labelled_text({**TEXTS, **columns}, *asked)
    assert (text.label.name, text.labels.tolist(), text.column) == expected and text.sources == ["eins", "zwei"]


def test_scores_on_a_declared_scale_are_what_was_said() -> None:
    def declared(lowest: float, highest: float, higher: bool) -> Callable[[str], Label]:
        return lambda name: label_named(name, Scale(higher, lowest, highest))

    ratings = {**TEXTS, "da_z": ["-1.5", "0", "x"], "da": ["23", "60", "x"]}
    text = labelled_text(ratings, meaning=declared(0, 100, True))
    assert (text.column, text.labels.tolist(), text.label.unit) == ("da", [23.0, 60.0], "points")
    effort = labelled_text({**TEXTS, "effort": ["1", "3", "x"]}, meaning=declared(1, 3, False))
    assert (effort.label.higher_is_better, effort.labels.tolist()) == (False, [1.0, 3.0])
    with pytest.raises(InputError, match="row 2 has '4': Rank is from 1 to 3"):
        labelled_text({**TEXTS, "rank": ["1", "4", "x"]}, "Rank", meaning=declared(1, 3, False))


@pytest.mark.parametrize(
    ("columns", "asked", "message"),
    [
        ({}, (None, None), "must say what is to be predicted; the columns are source, translation"),
        ({"score": ["1", "2", "3"]}, (None, None), "must say what is to be predicted"),
        ({"score": ["1", "2", "3"]}, (None, "score"), "--label must say what score is"),
        ({"hter": ["0.1", "0.2", "0"], "da": ["1", "2", "3"]}, (None, None), "must say"),
        ({"hter": ["0.1", "40", "0"]}, (None, None), r"row 2 has '40': hter is from 0 to 1"),
        ({"da": ["1.5", "58.8", "0"]}, (None, None), r"row 2 has '58.8': da is a z-score, .* --higher-is-better --range 0:100"),
        ({"hter": ["0,5", "0.5", "0"]}, (None, None), r"hter is a number, row 1 has '0,5'"),
        ({"hter": ["0,5,5", "1", "0"]}, (None, None), r"hter is a number, row 1 has '0,5,5'"),
        ({"da": ["nan", "1", "0"]}, (None, None), r"da is a number, row 1 has 'nan'"),
        ({"post_edit": ["one", "", "x"]}, (None, None), "a post-edit is empty"),
        ({"hter": ["0", "0", "0"]}, ("hter", "x"), "there is no column x"),
    ],
)
def test_labels_that_are_unclear_are_refused(
    columns: dict[str, list[str]], asked: tuple[str | None, str | None], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        labelled_text({**TEXTS, **columns}, *asked)


@pytest.mark.parametrize(
    ("translation", "post_edit", "words", "gaps"),
    [
        ("a b c", "a b c", "000", "0000"),
        ("a x c", "a b c", "010", "0000"),
        ("a b x c", "a b c", "0010", "00000"),
        ("a c", "a b b c", "00", "010"),
        ("b", "a b c", "0", "11"),
        ("", "a", "", "1"),
        ("a b", "", "11", "000"),
    ],
)
def test_words_that_were_changed_and_gaps_that_were_filled_are_bad(translation: str, post_edit: str, words: str, gaps: str) -> None:
    found = tags_of_post_edits([translation.split(), ["k"]], [post_edit.split(), ["k"]])
    assert ["".join(map(str, tags.tolist())) for tags in found] == [f"{words}0", f"{gaps}00"]


def test_what_to_expect_is_measured_with_its_uncertainty() -> None:
    rng = np.random.default_rng(3)
    labels = rng.normal(size=400)
    predicted = 0.6 * labels + 0.8 * rng.normal(size=400)
    expected = expectation_of(labels, predicted, rng.integers(400, size=(2000, 400)))
    # Fisher's interval of a correlation.
    z, half = np.arctanh(np.corrcoef(labels, predicted)[0, 1]), 1.96 / np.sqrt(397)
    assert expected.pearson_interval == pytest.approx((np.tanh(z - half), np.tanh(z + half)), abs=0.02)
    assert expected.mae == pytest.approx(np.abs(labels - predicted).mean())
    assert expected.mae_interval[0] < expected.mae < expected.mae_interval[1]
    assert len(expected.sentences("da")) == 2


class _Learnt:
    """Says the first feature of a row."""

    def predict(self, values: np.ndarray) -> Any:
        return SimpleNamespace(mean=values[:, 0])


def _expected_of(n: int) -> tuple[TrainingSet, Expectation]:
    values = np.random.default_rng(n).normal(size=(n, 2))
    rows = TrainingSet(values, 0.7 * values[:, 0] + values[:, 1], "rows", "")
    return rows, cross_validate(rows, lambda *_: _Learnt())  # type: ignore[arg-type,return-value]


def test_resamples_one_by_one_give_the_numbers_of_all_at_once() -> None:
    rows, expected = _expected_of(61)
    labels, predicted, rng = rows.labels, rows.values[:, 0], np.random.default_rng(12345)
    rng.permutation(61)
    samples = rng.integers(61, size=(SAMPLES, 61))
    errors = np.abs(predicted - labels)
    assert expected == Expectation(
        61,
        np.corrcoef(labels, predicted)[0, 1],
        tuple(np.quantile([np.corrcoef(labels[k], predicted[k])[0, 1] for k in samples], [0.025, 0.975])),
        errors.mean(),
        tuple(np.quantile(errors[samples].mean(1), [0.025, 0.975])),
        np.abs(labels - labels.mean()).mean(),
    )


def test_what_to_expect_of_many_labels_needs_room_for_few_of_their_resamples() -> None:
    tracemalloc.start()
    try:
        _expected_of(5_000)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # All resamples at once are two arrays of 80 MB.
    assert most < 2_000_000


def test_few_labels_and_useless_scores_are_said_in_plain_words() -> None:
    rng = np.random.default_rng(4)
    labels, predicted = rng.normal(size=(2, 60))
    said = " ".join(expectation_of(labels, predicted, rng.integers(60, size=(500, 60))).sentences("da"))
    assert "60 labels are few" in said and "do not rely on them" in said
