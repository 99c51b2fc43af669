"""Lattices in PLF: all paths by brute force, scores from features, distances by walking, and what is refused."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.decoder.coverage_kernels import OUT_OF_REACH
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.derivation import Derivation
from app.smt.decoder.system import System, load_system
from app.smt.decoder.tuning.list_features import features_of_list
from app.smt.decoder.word_lattices.options import lattice_options, translate_lattice
from app.smt.decoder.word_lattices.reading import Arc, WordLattice, parse_plf
from tests.smt.decoder.systems import all_derivations, write_system

# Nodes 0 to 4; an arc over node 2, an unknown word, and equal words by different ways.
LATTICE = "((('s0',0.6,1),('s1',0.4,1),),(('s2',0.5,1),('s3',0.3,2),('new',0.2,1),),(('s3',0.9,1),),(('s4',0.7,1),('s2',0.3,1),),)"
NETWORK = "((('s0',0.6,1),('s1',0.4,1),),(('s2',0.8,1),('s4',0.2,1),),(('s3',1,1),),(('s1',0.5,1),('s0',0.5,1),),)"
WEIGHT = 0.7


def system_with(folder: Path, reordering: str, distortion: int, feature: str = "InputFeature", weights: str = "0.7") -> System:
    config = write_system(folder, 5, reordering, distortion)
    text = config.read_text().replace("[feature]\n", f"[feature]\n{feature}\n").replace("[weight]\n", f"[weight]\nInputFeature0= {weights}\n")  # fmt: skip
    config.write_text(text)
    return load_system(config)


def paths_of(lattice: WordLattice) -> list[list[Arc]]:
    """Every path from the first node to the last."""

    def walk(node: int) -> list[list[Arc]]:
        if node == lattice.length:
            return [[]]
        return [[arc, *rest] for arc in lattice.arcs[node] for rest in walk(arc.end)]

    return walk(0)


def expected(system: System, lattice: WordLattice) -> list[tuple[float, str]]:
    """Score and text of every derivation of every path."""
    rows = []
    for path in paths_of(lattice):
        inputs = WEIGHT * sum(arc.scores[0] for arc in path)
        derivations = all_derivations(system, " ".join(arc.word for arc in path))
        rows.extend((derivation.score + inputs, derivation.text) for derivation in derivations)
    return sorted(rows, key=lambda row: -row[0])


@pytest.mark.parametrize(
    ("plf", "reordering", "distortion"),
    [(LATTICE, "msd-bidirectional-fe", 0), (NETWORK, "msd-bidirectional-fe", 2), (NETWORK, "hier-mslr-bidirectional-fe", -1)],
)
def test_all_derivations_of_all_paths(plf: str, reordering: str, distortion: int, tmp_path: Path) -> None:
    system = system_with(tmp_path, reordering, distortion)
    lattice = parse_plf(plf, 1, "file", 1)
    derivations = expected(system, lattice)
    ours = translate_lattice(Decoder(system), lattice, alternatives=True).n_best(len(derivations) + 10)
    assert len(ours) == len(derivations)
    np.testing.assert_allclose([each.score for each in ours], [score for score, _ in derivations], rtol=0, atol=1e-9)
    assert ours[0].text == derivations[0][1]
    np.testing.assert_allclose(features_of_list(system, ours) @ system.weights, [each.score for each in ours], rtol=0, atol=1e-9)
    best = translate_lattice(Decoder(system), lattice).best()
    assert best is not None and best.score == pytest.approx(ours[0].score)


def test_jumps_are_shortest_paths_and_phrases_make_one_path(tmp_path: Path) -> None:
    system = system_with(tmp_path, "msd-bidirectional-fe", 3)
    lattice = parse_plf(LATTICE, 1, "file", 1)
    ours = translate_lattice(Decoder(system), lattice, alternatives=True).n_best(5000)
    words = {tuple(arc.word for arc in path) for path in paths_of(lattice)}
    jumps = set()
    for derivation in ours:
        order = sorted(derivation.phrases, key=lambda phrase: phrase.start)
        assert [phrase.end for phrase in order] == [*(phrase.start for phrase in order[1:]), lattice.length]
        assert tuple(word for phrase in order for word in phrase.source) in words
        last = 0
        for phrase, jump in zip(derivation.phrases, derivation.jumps or (), strict=True):
            assert jump == lattice.distances[last, phrase.start] <= 3
            jumps.add((jump, abs(last - phrase.start)))
            last = phrase.end
    # The arc s3 leads from node 1 to 3 in one step.
    assert (1, 2) in jumps
    np.testing.assert_allclose(features_of_list(system, ours) @ system.weights, [each.score for each in ours], rtol=0, atol=1e-9)


def test_links_are_those_of_the_words_of_the_path(tmp_path: Path) -> None:
    system = system_with(tmp_path, "msd-bidirectional-fe", 0)
    lattice = parse_plf("((('s0',1,2),),(('x',1,1),),(('s3',1,1),),)", 1, "file", 1)
    best = translate_lattice(Decoder(system), lattice).best()
    assert best is not None
    plain = max(all_derivations(system, "s0 s3"), key=lambda derivation: derivation.score)
    assert best.word_alignment(system) == plain.word_alignment(system) and best.text == plain.text


def test_arcs_without_words_translate_into_nothing(tmp_path: Path) -> None:
    system = system_with(tmp_path, "msd-bidirectional-fe", 0, "InputFeature num-features=2 num-input-features=1 real-word-count=1", "0.7 0.1")  # fmt: skip
    with_arc = parse_plf("((('*EPS*',1,1),),(('s0',1,1),),(('*EPS*',1,1),),(('s3',1,1),),)", 1, "file", 1)
    without = parse_plf("((('s0',1,1),),(('s3',1,1),),)", 1, "file", 1)
    best, plain = (translate_lattice(Decoder(system), each, True).n_best(500) for each in (with_arc, without))
    assert {each.text for each in best} == {each.text for each in plain}
    # Both arcs are phrases of their own in the best derivation, since the weight of each phrase is above 0.
    assert best[0].score == pytest.approx(plain[0].score + 2 * system.weight("PhrasePenalty"))
    values = features_of_list(system, best[:1])[0]
    begin = system.begin_of("InputFeature")
    assert begin is not None and values[begin : begin + 2].tolist() == [0.0, -2.0]


def test_an_empty_lattice_is_an_empty_sentence(tmp_path: Path) -> None:
    system = system_with(tmp_path, "msd-bidirectional-fe", 0)
    for text in ("", "()", " ( ) "):
        assert translate_lattice(Decoder(system), parse_plf(text, 1, "file", 1)).best() == Derivation((), 0.0)


words = st.text(st.characters(exclude_categories=["Zs", "Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=5).filter(
    lambda word: "|||" not in word and word != "*EPS*"
)


@given(st.lists(st.lists(st.tuples(words, st.floats(1e-6, 1), st.integers(1, 3)), min_size=1, max_size=3), min_size=1, max_size=8))
def test_any_lattice_is_read_as_written_and_distances_are_those_of_walking(columns: list[list[tuple[str, float, int]]]) -> None:
    size = len(columns)
    kept = [[(word, p, min(step, size - k)) for word, p, step in column] for k, column in enumerate(columns)]

    def quoted(word: str) -> str:
        return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"

    text = "(" + "".join("(" + "".join(f"({quoted(w)},{p!r},{s})," for w, p, s in column) + ")," for column in kept) + ")"
    lattice = parse_plf(text, 1, "file", 1)
    read = [[(arc.word, arc.end - arc.start) for arc in arcs] for arcs in lattice.arcs]
    assert read == [[(word, step) for word, _, step in column] for column in kept]
    for first, second in product(range(size + 1), repeat=2):
        low, high = sorted((first, second))
        steps = {low: 0}
        for node in range(low, high):
            for arc in lattice.arcs[node] if node in steps else ():
                steps[arc.end] = min(steps.get(arc.end, OUT_OF_REACH), steps[node] + 1)
        assert lattice.distances[first, second] == steps.get(high, OUT_OF_REACH)


@pytest.mark.parametrize(
    ("text", "words_of_error"),
    [
        ("(('a',1,1),)", "character 3: expected: \\("),
        ("((('a',1,1),)", "expected"),
        ("((('a',1,2),),)", "character 3: an arc ends with"),
        ("((('a',1,0),),)", "an arc ends with"),
        ("((('a',1,0.5),),)", "an arc ends with"),
        ("((('a',1),),)", "has 0 probabilities, but InputFeature has 1"),
        ("((('a',nan,1),),)", "expected: a number"),
        ("((('a',-1,1),),)", "expected: a number"),
        ("((('a',1_0,1),),)", "expected: a number"),
        ("((('a b',1,1),),)", "no blank"),
        ("((('a,1,1),),)", "second quote"),
        ("((('a',1,1),),) x", "has ended"),
        ("((('a',1,1),),(),)", "no path reaches"),
        ("(" * 100_000, "expected"),
        ("(" + "(('a',1,1),)," * 1001 + ")", "at most 1000"),
    ],
)
def test_lines_that_are_no_lattice_are_refused(text: str, words_of_error: str) -> None:
    with pytest.raises(InputError, match=words_of_error):
        parse_plf(text, 1, "file", 3)


def test_lattices_with_too_many_paths_are_refused(tmp_path: Path) -> None:
    system = system_with(tmp_path, "msd-bidirectional-fe", 0)
    column = "(" + "".join(f"('w{k}',0.1,1)," for k in range(500)) + "),"
    with pytest.raises(InputError, match="more than 200,000 paths"):
        translate_lattice(Decoder(system), parse_plf(f"({column * 3})", 1, "file", 1))
    equal = "(" + "('a',0.1,1)," * 500 + "),"
    with pytest.raises(InputError, match="more than 200,000 paths"):
        translate_lattice(Decoder(system), parse_plf(f"({column + equal})", 1, "file", 1))


def test_translations_of_a_lattice_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = system_with(tmp_path, "msd-bidirectional-fe", 2)
    lattice = parse_plf(NETWORK, 1, "x", 1)
    limits = "app.smt.decoder.word_lattices.options.OPTION_LIMIT"
    options, _, _ = lattice_options(system, lattice)
    translations = int((options.rows >= 0).sum())
    monkeypatch.setattr(limits, translations)
    assert len(lattice_options(system, lattice)[0].rows) == len(options.rows)
    monkeypatch.setattr(limits, translations - 1)
    with pytest.raises(InputError, match=f"have {translations} translations; at most {translations - 1} are searched") as refused:
        lattice_options(system, lattice)
    assert refused.value.code == "segment-too-long"
