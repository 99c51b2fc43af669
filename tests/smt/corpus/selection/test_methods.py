"""Scores of selectors against kenlm's package, hand-computed values and EM by enumeration; streams equal wholes."""

from collections import defaultdict
from itertools import product
from math import log, log2
from pathlib import Path

import kenlm
import numpy as np
import pytest

from app.building.alignment.aligner import train_aligner
from app.building.arpa import write_arpa
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.smt.corpus.selection.materials import Materials, sample_pool
from app.smt.corpus.selection.methods import make_scorer
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scorers.entropies import RARE, EntropyDifference, PerplexityScorer, SideModel, train_models
from app.smt.corpus.selection.scorers.model1 import train_model1
from app.smt.corpus.selection.scorers.plain import draw
from app.smt.corpus.selection.scoring import Scorer
from app.text.batch import pack_lines
from app.text.parallel_corpus import ParallelCorpus

SOURCE = ["das haus ist alt", "das buch", "ein buch ist hier alt", "ein haus", "Anna liest das Buch", "", "ja ja", "das haus"]
TARGET = ["the house is old", "the book", "a book is old here", "a house", "Anna reads the book", "nothing", "yes yes", "the house"]
DOMAIN = ["das haus ist alt", "das haus", "ein haus ist alt", "das alt haus", "haus ist das"]


def written(folder: Path, name: str, lines: list[str]) -> Path:
    (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return folder / name


@pytest.fixture
def pool(tmp_path: Path) -> Pool:
    return Pool(written(tmp_path, "source", SOURCE), written(tmp_path, "target", TARGET))


def scores_of(scorer: Scorer, pool: Pool, size: int = 100) -> np.ndarray:
    return np.concatenate([np.where(chunk.usable, scorer.score(chunk), -np.inf) for chunk in pool.chunks(size)])


def test_cross_entropies_are_kenlms(tmp_path: Path) -> None:
    general = ["das buch ist hier", "ein buch", "ja das haus", "ja ja ja"]
    kept = {"das", "haus", "ist", "alt"}

    def rare(line: str) -> str:
        return " ".join(word if word in kept else RARE for word in line.split())

    models = train_models([pack_lines(DOMAIN), pack_lines(general)], order=3, minimum_count=2)
    for text, model in zip((DOMAIN, general), models, strict=True):
        write_arpa(estimate_language_model(pack_lines([rare(line) for line in text]), 3), tmp_path / "lm.arpa")
        peer = kenlm.Model(str(tmp_path / "lm.arpa"))
        expected = [-log2(10) * peer.score(rare(line)) / (len(line.split()) + 1) for line in SOURCE]
        np.testing.assert_allclose(model.entropies(pack_lines(SOURCE)), expected, rtol=1e-5)


ARPA = """\\data\\
ngram 1=5
ngram 2=1

\\1-grams:
-99\t<s>\t0
{end}\t</s>
{a}\ta\t0
{b}\tb\t0
-2\t<unk>

\\2-grams:
-9\tb b

\\end\\
"""


def test_moore_and_lewis_by_hand(tmp_path: Path) -> None:
    """Unigrams of ½, ¼, ¼ and ¼, ½, ¼ for a, b and the end: `a a` has 4/3 and 6/3 bits a word, `a b` 5/3 and 5/3."""
    half, quarter = log(0.5, 10), log(0.25, 10)
    models = []
    for a, b in ((half, quarter), (quarter, half)):
        (tmp_path / "lm.arpa").write_text(ARPA.format(end=quarter, a=a, b=b))
        models.append(SideModel.open(tmp_path / "lm.arpa"))
    pool = Pool(written(tmp_path, "s", ["a a", "a b", "b a b", "c"]), written(tmp_path, "t", ["x"] * 4))
    difference = EntropyDifference({0: models[0]}, {0: models[1]})
    np.testing.assert_allclose(scores_of(difference, pool), [2 / 3, 0, -1 / 4, 0], atol=1e-5)
    perplexities = scores_of(PerplexityScorer({0: models[0]}), pool)
    np.testing.assert_allclose(
        perplexities, [-(2 ** (4 / 3)), -(2 ** (5 / 3)), -(2 ** (7 / 4)), -(2 ** ((2 * log2(10) + 2) / 2))], rtol=1e-5
    )


def test_both_sides_are_added_and_one_side_is_moore_and_lewis(tmp_path: Path, pool: Pool) -> None:
    inside = Materials(in_source=written(tmp_path, "in.s", DOMAIN), in_target=written(tmp_path, "in.t", ["the house is old"] * 5))
    of = {
        side: scores_of(make_scorer(f"cross-entropy-difference|side:{side}", pool, inside), pool)
        for side in ("source", "target", "both")
    }
    there = np.isfinite(of["both"])
    np.testing.assert_allclose(of["both"][there], (of["source"] + of["target"])[there])
    alone = Materials(in_source=inside.in_source)
    np.testing.assert_array_equal(scores_of(make_scorer("moore-lewis", pool, alone), pool), of["source"])
    assert of["source"][0] > of["source"][6]


def test_model_1_is_em_over_all_alignments() -> None:
    source, target = [line.lower().split() for line in SOURCE], [line.lower().split() for line in TARGET]
    pairs = [(s, t) for s, t in zip(source, target, strict=True) if s and t]
    words = {word for _, t in pairs for word in t}
    together = {(s, t) for ss, ts in pairs for s, t in product(["", *ss], ts)}
    partners = {given: [t for s, t in together if s == given] for given, _ in together}
    table = {(s, t): 1 / len(partners[s]) for s, t in together}
    for _ in range(3):
        counts: dict[tuple[str, str], float] = defaultdict(float)
        for ss, ts in pairs:
            for t in ts:
                total = sum(table[s, t] for s in ["", *ss])
                for s in ["", *ss]:
                    counts[s, t] += table[s, t] / total
        totals: dict[str, float] = defaultdict(float)
        for (s, _), count in counts.items():
            totals[s] += count
        table = {(s, t): count / totals[s] for (s, t), count in counts.items()}
    corpus = ParallelCorpus(pack_lines([" ".join(s) for s, _ in pairs]), pack_lines([" ".join(t) for _, t in pairs]))
    new = ParallelCorpus.of_lines(["das haus", "ja buch", "nie"], ["the book", "yes old old", "the never"])
    expected = [
        np.mean([log(sum(max(table.get((s, t), 0), 1e-7) for s in ["", *ss.split()]) / (len(ss.split()) + 1)) for t in ts.split()])
        for ss, ts in zip(["das haus", "ja buch", "nie"], ["the book", "yes old old", "the never"], strict=True)
    ]
    assert words
    np.testing.assert_allclose(train_model1(corpus, 3).score(new), expected, rtol=1e-5)


def test_a_translation_has_a_better_score_than_another_sentence(pool: Pool, tmp_path: Path) -> None:
    for method in ("ibm1", "ibm1|agreement:yes"):
        scorer = make_scorer(method, pool, Materials())
        crossed = Pool(pool.source, written(tmp_path, "crossed", [TARGET[3], TARGET[6], *TARGET[2:]]))
        right, wrong = scores_of(scorer, pool), scores_of(scorer, crossed)
        assert (right[:2] > wrong[:2]).all()
        assert right[5] == -np.inf


def test_scores_do_not_depend_on_chunks(pool: Pool, tmp_path: Path) -> None:
    lower = ParallelCorpus.of_lines([line.lower() for line in SOURCE], [line.lower() for line in TARGET])
    train_aligner(lower).save(tmp_path / "aligner")
    files = Materials(
        in_source=written(tmp_path, "in.s", DOMAIN), in_target=written(tmp_path, "in.t", ["the house is old", "a house"])
    )
    only = {
        "moore-lewis": Materials(in_source=files.in_source),
        "cross-entropy-difference": files,
        "perplexity|side:both": files,
        "aligner": Materials(aligner=tmp_path / "aligner"),
        "given": Materials(score_file=written(tmp_path, "given", [str(k) for k in range(len(SOURCE))])),
    }
    for method in ("random|seed:7", "length|low:2|high:3", "ibm1", *only):
        at_once, *others = (scores_of(make_scorer(method, pool, only.get(method, Materials())), pool, size) for size in (100, 3, 1))
        for other in others:
            np.testing.assert_array_equal(at_once, other, err_msg=method)


def test_lengths_and_random_numbers(pool: Pool) -> None:
    scores = scores_of(make_scorer("length|low:2|high:3", pool, Materials()), pool)
    assert (scores > -np.inf).tolist() == [len(line.split()) in (2, 3) for line in SOURCE]
    numbers = draw(np.arange(100_000), 3)
    assert abs(numbers.mean() - 0.5) < 0.005 and abs(numbers.var() - 1 / 12) < 0.002
    assert abs(np.corrcoef(numbers, draw(np.arange(100_000), 4))[0, 1]) < 0.02


def test_samples_are_drawn_alike_of_any_length(tmp_path: Path) -> None:
    lines = [f"w{k}" for k in range(12_000)]
    pool = Pool(written(tmp_path, "s", lines), written(tmp_path, "t", lines))
    sample = sample_pool(pool, 100, 5)
    expected = np.sort(np.argsort(draw(np.arange(12_000), 5))[:100])
    assert list(sample.source.vocabulary) == [f"w{k}" for k in expected]


@pytest.mark.parametrize(
    ("method", "files", "problem"),
    [
        ("best", {}, "methods are random"),
        ("random|sed:1", {}, "random has the options seed"),
        ("moore-lewis", {}, "--in-source: moore-lewis needs this file"),
        ("perplexity", {}, "--in-target: perplexity without a language model"),
        ("random", {"in_source": "source"}, "--in-source: random has no use"),
        ("given", {"score_file": "short"}, "short has 2 lines, but the pool has more pairs"),
        ("given", {"score_file": "words"}, "line 2 of .*words is no number"),
    ],
)
def test_what_cannot_be_scored_is_refused(method: str, files: dict[str, str], problem: str, pool: Pool, tmp_path: Path) -> None:
    written(tmp_path, "short", ["1", "2"])
    written(tmp_path, "words", ["1", "two", *"345678"])
    with pytest.raises(InputError, match=problem):
        scores_of(make_scorer(method, pool, Materials(**{name: tmp_path / path for name, path in files.items()})), pool)
