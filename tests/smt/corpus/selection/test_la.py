"""LA selection (Song 2015, chapter 4) against examples worked out by script, and what holds of any pool."""

from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.shell.program import program
from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.greedy import Decision, TextFilters, choose, similarities
from app.smt.corpus.selection.materials import Materials
from app.smt.corpus.selection.methods import make_scorer
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scorers.classifier import train_classifier
from app.smt.corpus.selection.scorers.parallel_features import FEATURES, ParallelFeatures, ParallelScorer
from app.smt.corpus.selection.scoring import PoolScores, score_pool
from app.text.batch import pack_lines
from app.text.parallel_corpus import ParallelCorpus

FUNCTION = frozenset({"the"})
# Lengths, links and function words of two pairs; the second has a word that collects what fits nowhere.
PAIRS = [
    (12, ["the"] * 3 + ["."] + ["w"] * 7, "0-0 1-2 2-1 3-3 4-4 6-8 7-10 8-9 9-7 10-5 11-6"),
    (12, ["the", ",", "the", "the", "!?"] + ["w"] * 7, "0-0 1-1 2-3 3-3 4-3 5-3 6-3 11-11"),
]
EXPECTED = [
    [0.916667, 1, 0.956522, *[-0.090909] * 3, 0.5, 1, -0.083333, 0, 0.916667, 0.695144],
    [0.666667, 0.333333, 0.5, -0.416667, -0.083333, -0.083333, 0.583333, 0.166667, -4 / 12, -7 / 12, 1, 0.659241],
]


def worked() -> ParallelCorpus:
    source, target, links = zip(*[(" ".join(["s"] * n), " ".join(words), links) for n, words, links in PAIRS], strict=True)
    return ParallelCorpus.of_lines(source, target, links)


def test_features_of_the_worked_examples() -> None:
    values = ParallelFeatures(FUNCTION).of(worked())
    np.testing.assert_allclose(values, EXPECTED, atol=5e-7)
    np.testing.assert_allclose(values.sum(1), [5.628938, 2.409241], atol=5e-7)
    literally = ParallelFeatures(FUNCTION, sign=-1).of(worked())
    np.testing.assert_allclose(literally.sum(1), [4.238651, 1.090759], atol=5e-7)


def by_hand(source: int, target: list[str], links: set[tuple[int, int]]) -> list[float]:
    """The same, word by word."""
    sides = [[any(link[side] == place for link in links) for place in range(n)] for side, n in ((0, source), (1, len(target)))]

    def longest(flags: list[bool], wanted: bool) -> int:
        return max(len(run) for run in "".join("x" if flag is wanted else " " for flag in flags).split(" "))

    fertilities = sorted((sum(j == place for _, j in links) for place in range(len(target))), reverse=True) + [0, 0]
    lengths = source, len(target)
    function = sum(word in FUNCTION or word == "." for word in target)
    return [
        sum(sides[0]) / source,
        sum(sides[1]) / len(target),
        sum(map(sum, sides)) / sum(lengths),
        *(-fertility / len(target) for fertility in fertilities[:3]),
        *(longest(flags, True) / n for flags, n in zip(sides, lengths, strict=True)),
        *(-longest(flags, False) / n for flags, n in zip(sides, lengths, strict=True)),
        min(lengths) / max(lengths),
        exp(-function / len(target)),
    ]


LINKED = st.tuples(st.integers(1, 7), st.lists(st.sampled_from(["the", ".", "w"]), min_size=1, max_size=7)).flatmap(
    lambda pair: st.tuples(
        st.just(pair[0]), st.just(pair[1]), st.sets(st.tuples(st.integers(0, pair[0] - 1), st.integers(0, len(pair[1]) - 1)))
    )
)


@given(st.lists(LINKED, min_size=1, max_size=5))
def test_features_are_those_of_each_pair_alone(pairs: list[tuple[int, list[str], set[tuple[int, int]]]]) -> None:
    links = [" ".join(f"{i}-{j}" for i, j in links) for _, _, links in pairs]
    corpus = ParallelCorpus.of_lines([" ".join(["s"] * n) for n, _, _ in pairs], [" ".join(words) for _, words, _ in pairs], links)
    values = ParallelFeatures(FUNCTION).of(corpus)
    np.testing.assert_allclose(values, [by_hand(*pair) for pair in pairs])
    assert (values.sum(1) < 7).all()
    other = ParallelFeatures(FUNCTION, "source").of(corpus)
    np.testing.assert_allclose(other[:, 3:6], ParallelFeatures(FUNCTION).of(corpus.reversed)[:, 3:6])


SOURCES = [
    "a b c d e f g h i",
    "le chat noir dort sur le vieux tapis rouge de ma tante",
    "le chat noir dort sur le vieux tapis vert de ma tante",
    "nous avons vote hier contre le budget propose par la commission",
    "la pluie est tombee toute la nuit sur les toits de la ville",
]
SCORES = [5.90, 5.63, 5.40, 5.10, 4.00]


def pool_of(folder: Path, sources: list[str], targets: list[str] | None = None, name: str = "") -> Pool:
    for side, lines in (("source", sources), ("target", targets or [f"x{k} y z" for k in range(len(sources))])):
        (folder / f"{name}{side}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return Pool(folder / f"{name}source", folder / f"{name}target")


def given_scores(scores: list[float], sources: list[str], low: int = 10, top: int = 50) -> PoolScores:
    words = np.array([len(source.split()) for source in sources], np.int32)
    return PoolScores(np.where((words > low) & (words < top), scores, -np.inf).astype(np.float32), words)


def test_the_worked_selection(tmp_path: Path) -> None:
    """E is too short, B is like A; 24 words are not there before D, which exceeds them."""
    pool, scores = pool_of(tmp_path, SOURCES), given_scores(SCORES, SOURCES)
    filters = TextFilters(0.3, 0.6)
    choice = choose(pool, scores, Budget(words=24), filters)
    assert choice.order.tolist() == [1, 3, 4] and scores.words[choice.order].sum() == 36
    assert choice.decisions.tolist() == [
        Decision.UNFIT,
        Decision.SELECTION,
        Decision.SIMILAR,
        Decision.SELECTION,
        Decision.SELECTION,
    ]
    strict = choose(pool, scores, Budget(words=24, strict=True), filters)
    assert strict.order.tolist() == [1, 3] and strict.decisions[4] == Decision.REST


def test_a_strict_budget_that_nothing_fits_any_more_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [" ".join(f"w{pair}-{word}" for word in range(12)) for pair in range(60)]
    compared: list[int] = []

    def compare(*texts: Any) -> Any:
        compared.append(1)
        return similarities(*texts)

    monkeypatch.setattr("app.smt.corpus.selection.greedy.similarities", compare)
    choice = choose(pool_of(tmp_path, sources), given_scores([1.0] * 60, sources), Budget(words=30, strict=True), TextFilters(0.3))
    assert choice.order.tolist() == [0, 1] and len(compared) == 1


def test_similarities_are_sentence_bleu_with_one_added() -> None:
    words = {word: number for number, word in enumerate(sorted({word for source in SOURCES for word in source.split()}))}
    numbers = [np.array([words[word] for word in source.split()], np.int64) for source in SOURCES]

    def of(new: int, old: int, alpha: float = 1.0) -> float:
        return float(similarities(numbers[new], numbers[old], np.array([0, len(numbers[old])]), alpha)[0])

    assert of(2, 1) == pytest.approx(0.761161, abs=1e-6) and of(2, 1, 0.0) == pytest.approx(0.734889, abs=1e-6)
    assert of(3, 1) == pytest.approx(0.104009, abs=1e-6)
    assert max(of(4, 1), of(4, 3)) == pytest.approx(0.105711, abs=1e-6)
    peer = sacrebleu.sentence_bleu(SOURCES[2], [SOURCES[1]], smooth_method="none", tokenize="none")
    assert of(2, 1, 0.0) == pytest.approx(peer.score / 100, abs=1e-6)


WORDS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(WORDS, WORDS, st.sampled_from([1.0, 2.0, 3.0])), min_size=1, max_size=12),
    st.integers(1, 25),
    st.integers(1, 3),
)
def test_greedy_choice_is_the_algorithm(tmp_path: Path, rows: list[tuple[str, str, float]], words: int, window: int) -> None:
    sources, targets, numbers = map(list, zip(*rows, strict=True))
    pool, scores = pool_of(tmp_path, sources, targets), given_scores(numbers, sources, 0)
    filters = TextFilters(0.5, 0.8, window)
    ids = {word: number for number, word in enumerate("abcdef")}
    text = [[np.array([ids[word] for word in line.split()], np.int64) for line in side] for side in (sources, targets)]

    def alike(first: np.ndarray, second: np.ndarray) -> float:
        return float(similarities(first, second, np.array([0, len(second)]), 1.0)[0])

    selected: list[int] = []
    total = 0
    for place in sorted(range(len(rows)), key=lambda place: -numbers[place]):
        if total >= words:
            break
        near = max((alike(text[0][place], text[0][other]) for other in selected[-window:]), default=0.0)
        if near < 0.5 and alike(text[0][place], text[1][place]) < 0.8:
            selected.append(place)
            total += len(text[0][place])
    for batch in (1, 3, 100):
        assert choose(pool, scores, Budget(words=words), filters, batch).order.tolist() == selected


def test_a_classifier_prefers_what_is_like_good_data(tmp_path: Path) -> None:
    words = [f"w{k}" for k in range(12)]
    links = [" ".join(f"{k}-{k}" for k in range(12)), "0-0 1-0 2-0", " ".join(f"{k}-{k}" for k in range(10))]
    (tmp_path / "links").write_text("\n".join([links[0], links[1]] * 20 + [links[2]]))
    (tmp_path / "good-links").write_text("\n".join([links[0]] * 9))
    base = pool_of(tmp_path, [" ".join(words)] * 41, [" ".join(words)] * 41)
    good = pool_of(tmp_path, [" ".join(words)] * 9, [" ".join(words)] * 9, "good-")
    pool, other = (Pool(p.source, p.target, tmp_path / name) for p, name in ((base, "links"), (good, "good-links")))
    scorer = train_classifier(pool, other, ParallelScorer(ParallelFeatures(FUNCTION)), words=100)
    scores = score_pool(pool, scorer).scores
    assert scores[0] > 0 > scores[1] and scores[0] > scores[40] > scores[1]


def test_the_command_writes_features_and_decisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pool_of(tmp_path, SOURCES, SOURCES)
    Path("links").write_text("".join(" ".join(f"{k}-{k}" for k in range(len(source.split()))) + "\n" for source in SOURCES))
    arguments = ["corpus", "select", "source", "target", "--links", "links", "--function-words", "en", "--words", "24"]
    command = typer.main.get_command(program)
    outputs = ["--out-source", "s", "--features", "f", "--decisions", "d"]
    command.main([*arguments, "--method", "la", "--untranslated", "1", "--best-first", *outputs], standalone_mode=False)
    rows = [line.split("\t") for line in Path("f").read_text().splitlines()]
    assert rows[0] == list(FEATURES) and rows[2][:3] == ["1.000000"] * 3 and len(rows) == 6
    # Where all words are linked, longer is better: each has a smaller share of the links.
    assert Path("d").read_text().split() == ["unfit", "chosen", "left", "left", "chosen"]
    assert Path("s").read_text().splitlines() == [SOURCES[4], SOURCES[1]]
    command.main([*arguments, "--method", "la", "--replace", "--decisions", "d"], standalone_mode=False)
    assert Path("d").read_text().split() == ["unfit", *["untranslated"] * 4]
    with pytest.raises(InputError, match="the method la has features"):
        command.main([*arguments[:4], "--pairs", "1", "--method", "random", *outputs, "--replace"], standalone_mode=False)


@pytest.mark.parametrize(
    ("spec", "files", "problem"),
    [
        ("la", Materials(), "--function-words: la counts"),
        ("la|only:LAR", Materials(), "la needs links"),
        ("la|only:lar", Materials(), "option only of la accepts: features with"),
    ],
)
def test_what_la_lacks_is_named(spec: str, files: Materials, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=problem):
        make_scorer(spec, pool_of(tmp_path, SOURCES), files)


def test_no_links_no_features() -> None:
    with pytest.raises(InputError, match="need links"):
        ParallelFeatures(FUNCTION).of(ParallelCorpus(pack_lines(["a"]), pack_lines(["b"])))
