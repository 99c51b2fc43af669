"""Selectors that look at n-best lists, against loops over all hypotheses and an example by hand."""

from pathlib import Path

import numpy as np
import pytest
import sacrebleu

from app.errors import InputError
from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.materials import Materials
from app.smt.corpus.selection.methods import make_scorer
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scorers.n_best import lists_of, statistics_of
from app.smt.corpus.selection.scorers.separability import Separability, quality_of_oracles, scatter
from app.smt.corpus.selection.selecting import SelectionFiles, select_data
from tests.smt.corpus.selection.test_methods import scores_of, written

TARGETS = [
    "the house is very old and small",
    "A book is here on the table now",
    "they went",
    "there is nothing to see here at all",
    "so",
]
LISTS = [
    (0, "the house is very old but small", (1.0, -2.0)),
    (0, "the house is very old and small", (0.5, -3.0)),
    (0, "that house is very old and tiny", (0.0, -1.0)),
    (1, "a book is here on the desk now", (2.0, -2.5)),
    (1, "book is here on the chair", (1.5, 0.0)),
    (3, "there is nothing to see", (-1.0, -1.0)),
]


def lines_of(lists: list[tuple[int, str, tuple[float, float]]]) -> list[str]:
    return [f"{segment} ||| {text} ||| a= {x} b= {y} ||| -1" for segment, text, (x, y) in lists]


@pytest.fixture
def pool(tmp_path: Path) -> Pool:
    written(tmp_path, "lists", lines_of(LISTS))
    return Pool(written(tmp_path, "source", ["s a b", "s", "a b c", "b d", "d"]), written(tmp_path, "target", TARGETS))


def test_the_worked_example_of_b() -> None:
    assert quality_of_oracles(0.5, np.array([0.4, 0.3, 0.3])) == pytest.approx(0.75)
    assert quality_of_oracles(0.5, np.zeros(0)) == 0


def test_scatter_is_the_quotient_of_traces() -> None:
    generator = np.random.default_rng(1)
    oracles, others = generator.normal(size=(5, 3)) + 1, generator.normal(size=(9, 3))
    mean = np.concatenate([oracles, others]).mean(0)
    between = sum(np.outer(rows.mean(0) - mean, rows.mean(0) - mean) for rows in (oracles, others))
    within = sum(sum(np.outer(x - rows.mean(0), x - rows.mean(0)) for x in rows) / len(rows) for rows in (oracles, others))
    assert scatter(oracles, others) == pytest.approx(np.trace(between) / np.trace(within))


def add_one(hypothesis: str, reference: str) -> float:
    """Sentence BLEU with one added to matches and totals of all orders, by sacreBLEU's counts."""
    score = sacrebleu.sentence_bleu(hypothesis.lower(), [reference.lower()], tokenize="none", use_effective_order=False)
    precisions = [(c + 1) / (t + 1) for c, t in zip(score.counts, score.totals, strict=True)]
    penalty = min(1.0, np.exp(1 - score.ref_len / score.sys_len))
    return float(penalty * np.exp(np.mean(np.log(precisions))))


def test_oracles_are_the_best_of_their_lists(pool: Pool, tmp_path: Path) -> None:
    scores = scores_of(make_scorer("oracle-bleu", pool, Materials(n_best=tmp_path / "lists")), pool, 2)
    best = [max((add_one(text, TARGETS[k]) for segment, text, _ in LISTS if segment == k), default=-np.inf) for k in range(5)]
    np.testing.assert_allclose(scores, best)


def test_separability_is_that_of_its_formula(pool: Pool, tmp_path: Path) -> None:
    lists = lists_of(tmp_path / "lists")
    measured = Separability(lists, statistics_of(pool, lists, "lists"))
    for places in ([0, 1, 3], [0, 1], [1], [3]):
        rows = [[row for row in LISTS if row[0] == place] for place in places]
        ranked = [
            max(range(len(row)), key=lambda k, row=row, place=place: add_one(row[k][1], TARGETS[place]))
            for row, place in zip(rows, places, strict=True)
        ]
        others = [[row[k] for k in range(len(row)) if k != best] for row, best in zip(rows, ranked, strict=True)]

        def bleu(chosen: list[tuple[int, str, tuple[float, float]]]) -> float:
            texts, references = [row[1] for row in chosen], [TARGETS[row[0]].lower() for row in chosen]
            return sacrebleu.corpus_bleu(texts, [references], tokenize="none", smooth_method="none").score / 100

        oracles = [row[best] for row, best in zip(rows, ranked, strict=True)]
        columns = [[other[i] for other in others if i < len(other)] for i in range(max(map(len, others)))]
        total = sum(bleu(column) for column in columns)
        b = len(columns) * bleu(oracles) ** 2 / total if total else 0.0
        values = [np.array([row[2] for row in group]) for group in (oracles, [row for other in others for row in other])]
        j = scatter(*values) if len(values[1]) else 0.0
        assert measured.value(np.array(places)) == pytest.approx(b * j, abs=1e-9), places
        assert (b * j > 0) == (len(places) > 1)


def test_the_set_that_is_chosen_has_the_highest_value_and_fits(pool: Pool, tmp_path: Path) -> None:
    budget = Budget(pairs=2)
    scorer = make_scorer("separability|sets:40", pool, Materials(n_best=tmp_path / "lists"), budget)
    scores = scores_of(scorer, pool)
    lists = lists_of(tmp_path / "lists")
    measured = Separability(lists, statistics_of(pool, lists, "lists"))
    values = {places: measured.value(np.array(places)) for places in ((0, 1), (0, 3), (1, 3))}
    assert len(set(values.values())) == 3
    best = max(values, key=values.__getitem__)
    assert np.flatnonzero(np.isfinite(scores)).tolist() == list(best)
    assert scores[best[0]] == pytest.approx(values[best])


def test_vectors_of_features_are_compared_by_cosine(pool: Pool, tmp_path: Path) -> None:
    other = [(0, "x", (3.0, 1.0)), (0, "y", (9.0, 9.0)), (1, "z", (-1.0, 0.5))]
    files = Materials(n_best=tmp_path / "lists", wanted_n_best=written(tmp_path, "wanted", lines_of(other)))
    rows, wanted = np.array([LISTS[k][2] for k in (0, 3, 5)]), np.array([other[k][2] for k in (0, 2)])

    def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (a @ b.T) / np.linalg.norm(a, axis=1)[:, None] / np.linalg.norm(b, axis=1)

    for size in (10, 2):
        scores = scores_of(make_scorer("features|scaled:no", pool, files), pool, size)
        np.testing.assert_allclose(scores[[0, 1, 3]], cosines(rows, wanted).max(1))
        assert np.isinf(scores[[2, 4]]).all()
    scaled = [(values - rows.mean(0)) / rows.std(0) for values in (rows, wanted)]
    np.testing.assert_allclose(scores_of(make_scorer("features|take:mean", pool, files), pool)[[0, 1, 3]], cosines(*scaled).mean(1))
    directions = wanted / np.linalg.norm(wanted, axis=1)[:, None]
    whole = cosines(rows, directions.sum(0)[None])[:, 0]
    np.testing.assert_allclose(scores_of(make_scorer("features|take:whole|scaled:no", pool, files), pool)[[0, 1, 3]], whole)


def test_combinations_are_weighted_sums(pool: Pool, tmp_path: Path) -> None:
    text = Materials(in_source=written(tmp_path, "in", ["a b", "d d"]))
    both = Materials(in_source=text.in_source, n_best=tmp_path / "lists")
    first, second = (
        scores_of(make_scorer("tfidf", pool, text), pool),
        scores_of(make_scorer("oracle-bleu", pool, Materials(n_best=both.n_best)), pool),
    )
    together = scores_of(make_scorer("combined|with:oracle-bleu|weight:0.25", pool, both), pool)
    there = np.isfinite(second)
    np.testing.assert_allclose(together[there], 0.75 * first[there] + 0.25 * second[there])
    assert np.isinf(together[~there]).all()


def test_more_lists_than_pairs_and_other_features_are_refused(pool: Pool, tmp_path: Path) -> None:
    more = written(tmp_path, "more", [*lines_of(LISTS), "7 ||| x ||| a= 1 b= 2 ||| 0"])
    with pytest.raises(InputError, match=r"lists of 8 segments, but .*target has 5 lines"):
        make_scorer("oracle-bleu", pool, Materials(n_best=more))
    other = written(tmp_path, "other", ["0 ||| x ||| c= 1 ||| 0"])
    with pytest.raises(InputError, match="have different features"):
        make_scorer("features", pool, Materials(n_best=more, wanted_n_best=other))
    outputs = SelectionFiles(source=tmp_path / "out")
    made = select_data(pool, "separability", Budget(words=4, strict=True), outputs, Materials(n_best=tmp_path / "lists"))
    assert 0 < made.words <= 4
