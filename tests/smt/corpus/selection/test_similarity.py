"""TF-IDF against scikit-learn and by hand, cynical choice against the search of all sentences at each step, bitext by its parts."""

from collections import Counter
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.materials import Materials
from app.smt.corpus.selection.methods import make_scorer
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scorers.cynical import choose_cynically
from app.smt.corpus.selection.scorers.tfidf import count_documents
from app.smt.corpus.selection.selecting import SelectionFiles, select_data
from app.text.batch import pack_lines
from tests.smt.corpus.selection.test_methods import SOURCE, TARGET, scores_of, written


def pool_of(folder: Path, lines: list[str]) -> Pool:
    return Pool(written(folder, "source", lines), written(folder, "target", ["x"] * len(lines)))


def test_weights_by_hand(tmp_path: Path) -> None:
    """Of three documents a word in all weighs nothing, one in a single one log 3."""
    weights = count_documents(pool_of(tmp_path, ["a b b", "a c", "a d"]))
    of = dict(zip(weights.words.tolist(), weights.weights.tolist(), strict=True))
    column = pack_lines(["a b c d"])
    assert [of[word] for word in column.hashes.tolist()] == pytest.approx([0, *[1.098612] * 3], abs=1e-6)


def test_cosines_are_scikit_learns(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    lines = [" ".join(generator.choice(list("abcdefgh"), generator.integers(1, 8))) for _ in range(40)]
    wanted = ["a b", "c c d x", "x y", "e f g h a"]
    pool = pool_of(tmp_path, lines)
    counter = CountVectorizer(token_pattern=r"\S+")
    counts = counter.fit_transform(lines).toarray()
    idf = np.log(len(lines) / (counts > 0).sum(0))
    cosines = cosine_similarity(counts * idf, counter.transform(wanted).toarray() * idf)
    files = Materials(in_source=written(tmp_path, "wanted", wanted))
    for size in (100, 7):
        np.testing.assert_allclose(scores_of(make_scorer("tfidf", pool, files), pool, size), cosines.max(1), atol=1e-12)
    np.testing.assert_allclose(scores_of(make_scorer("tfidf|take:mean", pool, files), pool), cosines.mean(1), atol=1e-12)
    rows = counter.transform(wanted).toarray() * idf
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    whole = (rows / np.where(norms > 0, norms, 1)).sum(0, keepdims=True)
    expected = cosine_similarity(counts * idf, whole).ravel()
    np.testing.assert_allclose(scores_of(make_scorer("tfidf|take:whole", pool, files), pool), expected, atol=1e-12)


LINES = st.lists(st.lists(st.sampled_from("abcdx"), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=10)


def entropy(wanted: Counter[str], chosen: Counter[str], words: int) -> float:
    """Cross-entropy of the wanted words under a unigram model of the chosen ones, 0.01 added to the words that are wanted."""
    total = words + 0.01 * len(wanted)
    return -sum(count / wanted.total() * log((chosen[word] + 0.01) / total) for word, count in wanted.items())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(LINES, LINES, st.integers(1, 12), st.booleans(), st.booleans())
def test_cynical_choice_lowers_the_entropy_most_at_each_step(
    tmp_path: Path, lines: list[str], wanted: list[str], words: int, strict: bool, falling: bool
) -> None:
    task = Counter(word for line in wanted for word in line.split())
    chosen: Counter[str] = Counter()
    left, order, total = list(range(len(lines))), [], 0
    while left and total < words:
        entropies = {
            place: entropy(task, chosen + Counter(lines[place].split()), total + len(lines[place].split())) for place in left
        }
        least = min(entropies.values())
        place = min(place for place in left if entropies[place] < least + 1e-9)
        if falling and order and entropies[place] >= entropy(task, chosen, total) - 1e-12:
            break
        left.remove(place)
        length = len(lines[place].split())
        if strict and total + length > words:
            continue
        order.append(place)
        total += length
        chosen.update(lines[place].split())
    pool = pool_of(tmp_path, lines)
    scorer = choose_cynically(pool, 0, pack_lines(wanted), Budget(words=words, strict=strict), falling=falling)
    steps = scorer.scores
    ours = sorted(np.flatnonzero(np.isfinite(steps)).tolist(), key=lambda place: -steps[place])
    # Where sentences are equal to the last digits, either is right; what is chosen is then worth the same.
    assert len(ours) == len(order)
    for mine, theirs in zip(ours, order, strict=True):
        assert mine == theirs or sorted(lines[mine].split()) == sorted(lines[theirs].split()) or ambiguous(task, lines, ours, order)


def ambiguous(task: Counter[str], lines: list[str], ours: list[int], theirs: list[int]) -> bool:
    """Whether both choices are worth the same at the first step where they differ."""
    step = next(k for k, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1])
    worth = []
    for order in (ours, theirs):
        words = [word for place in order[: step + 1] for word in lines[place].split()]
        worth.append(entropy(task, Counter(words), len(words)))
    return abs(worth[0] - worth[1]) < 1e-9


def test_cynical_choice_is_within_the_budget_of_the_command(tmp_path: Path) -> None:
    pool = Pool(written(tmp_path, "source", SOURCE), written(tmp_path, "target", TARGET))
    files = Materials(in_target=written(tmp_path, "in", ["the house", "a house is old", "the book"]))
    outputs = SelectionFiles(target=tmp_path / "out")
    made = select_data(pool, "cynical|side:target", Budget(pairs=2), outputs, files, best_first=True)
    first, second = (tmp_path / "out").read_text().splitlines()
    assert len(made.scores) == 8 and first != second
    assert "house" in first


def test_a_bitext_score_is_the_sum_of_its_parts(tmp_path: Path) -> None:
    pool = Pool(written(tmp_path, "source", SOURCE), written(tmp_path, "target", TARGET))
    text = {"in_source": written(tmp_path, "in.s", SOURCE), "in_target": written(tmp_path, "in.t", TARGET)}
    together = scores_of(make_scorer("bitext|lm:0.25", pool, Materials(**text)), pool)
    alone = scores_of(make_scorer("ibm1", pool, Materials()), pool)
    perplexities = -scores_of(make_scorer("perplexity|side:both", pool, Materials(**text)), pool)
    np.testing.assert_allclose(together, alone - 0.25 * np.log(perplexities), rtol=1e-9)
