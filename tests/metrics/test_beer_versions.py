"""BEER 0.1, 1.0, 1.1 and Treepel: features against METEOR's program and brute force, scores against the formulas of the thesis."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ufal import udpipe

from app.errors import InputError
from app.metrics import TrainedMetric, load_trained_metrics, metric_named, use_metric_files
from app.metrics.learnt.dependency_trees import NO_HEAD, RELATIONS, parser_of
from app.metrics.learnt.features import feature_values
from app.metrics.learnt.linear_metric import PairMaker
from app.metrics.learnt.overlap_kernels import match_arcs
from app.metrics.learnt.templates import NEEDS, feature_template
from app.metrics.word_order.order_metric import stemmer
from app.settings import ROOT
from tests.metrics.test_meteor import PUBLISHED, write_tables

SHIPPED = load_trained_metrics(ROOT / "models" / "metrics")
VERSIONS = ("0.1", "1.0", "1.1", "treepel")
NAMES = [name for name in SHIPPED if name.startswith(tuple(f"beer-{version}" for version in VERSIONS))]
STAGES = ("exact", "stem", "synonym", "paraphrase")
TEXTS = {
    "en": ("The cats were sitting on the old mat .", "A cat sat on that old mat , outside ."),
    "de": ("Die Katzen saßen auf der alten Matte .", "Eine Katze sitzt draußen auf alten Matten ."),
    "zh": ("猫坐在旧垫子上。", "旧的垫子上坐着一只猫。"),
}


@pytest.fixture(autouse=True)
def tables(tmp_path: Path) -> Iterator[Path]:
    """METEOR's tables of the published values under the name full."""
    write_tables(tmp_path)
    use_metric_files(None, tmp_path)
    yield tmp_path / "meteor"
    use_metric_files()


def untrained(features: list[str] | tuple[str, ...], **fields: object) -> TrainedMetric:
    n = len(features)
    return TrainedMetric("test", "beer", "en", tuple(features), (0.0,) * n, (1.0,) * n, (1.0,) * n, tokenise="none", **fields)  # type: ignore[arg-type]


def values(metric: TrainedMetric, hypotheses: list[str], references: list[str], tables: str | None = None) -> np.ndarray:
    maker = PairMaker(metric, False, metric_named, tables)
    sides = [(maker.side(texts, "systems"), texts) for texts in (hypotheses, references)]
    return feature_values(metric.features, maker.pair(*sides))  # type: ignore[arg-type]


def test_numbers_of_features_are_those_of_the_paper_and_the_tool() -> None:
    sizes = {version: len(feature_template(f"beer-{version}").features) for version in VERSIONS}
    assert sizes == {"0.1": 33, "1.0": 33, "1.1": 45, "treepel": 45 + 3 * 37}
    # "Any other language" of the tool: equal words, no function words.
    assert len(feature_template("beer-1.1").without(NEEDS).features) == 30


def test_matches_of_each_stage_are_those_of_the_published_program() -> None:
    """Statistics that METEOR 1.5 printed; one column of P, R and F for each stage, over all words of a side."""
    statistics = np.array(PUBLISHED["statistics"], float)
    features = [f"matched{stage}.{value}" for stage in STAGES for value in ("p", "r", "pf.1")]
    hypotheses, references = ([pair[side].lower() for pair in PUBLISHED["pairs"]] for side in (0, 1))
    found = values(untrained(features, stem="en"), hypotheses, references, "full")
    for row, counts in zip(found, statistics, strict=True):
        for k in range(4):
            of_hypothesis, of_reference = counts[4 + 4 * k] + counts[6 + 4 * k], counts[5 + 4 * k] + counts[7 + 4 * k]
            p, r = of_hypothesis / max(counts[0], 1), of_reference / max(counts[1], 1)
            assert row[3 * k : 3 * k + 3].tolist() == pytest.approx([p, r, 2 * p * r / (p + r) if p + r else 0])


def test_function_and_content_words_and_order_by_hand() -> None:
    """``indoors`` and ``in the house`` are paraphrases, and one element of the permutation 3 0 1 2."""
    names = [f"matched{kind}.{value}" for kind in ("", "function", "content") for value in ("p", "r")]
    names += ["order.kendall", "order.kendall.recall.0.5", "order.monotone", "order.inverted", "order.arity-4"]
    metric = untrained(names, function_words=("the", "a"))
    found = values(metric, ["indoors x the red dog"], ["the red dog in the house"], "paraphrases")[0]
    shares = [4 / 5, 6 / 6, 1 / 5, 2 / 6, 3 / 5, 4 / 6]
    assert found.tolist() == pytest.approx([*shares, 3 / 6, (3 / 6) ** 0.5, 2 / 3, 1 / 3, 0])


def test_order_of_the_digest() -> None:
    """Digest 4.4: matched ranks 4 5 6 1 2 3 have Kendall .4, and one inverted node among five."""
    metric = untrained(["order.kendall", "order.kendall.recall.0.25", "order.inverted", "order.monotone"])
    found = values(metric, ["on the mat the cat sat"], ["the cat sat on the mat"])[0]
    assert found.tolist() == pytest.approx([0.4, 0.4**0.25, 1 / 5, 4 / 5])


Tree = list[tuple[int, int, int]]
TREES = st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 8), st.integers(0, 3)), max_size=9)


def arrays(trees: list[Tree]) -> tuple[np.ndarray, ...]:
    """Words, heads, relations and offsets; a head beyond the segment is a root."""
    rows = [(word, head if head < len(tree) else NO_HEAD, relation) for tree in trees for word, head, relation in tree]
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return *np.ascontiguousarray(columns.T), np.concatenate([[0], np.cumsum([len(tree) for tree in trees])]).astype(np.int64)


def arcs(tree: Tree) -> Counter[tuple[int, int | None, int]]:
    return Counter((relation, tree[head][0] if 0 <= head < len(tree) else None, word) for word, head, relation in tree)


@given(st.lists(TREES, min_size=1, max_size=3), st.lists(TREES, min_size=2, max_size=2))
def test_arcs_are_matched_as_bags(hypotheses: list[Tree], references: list[Tree]) -> None:
    own = np.arange(len(hypotheses)) % 2
    counts = match_arcs(*arrays(hypotheses), *arrays(references), own, 4)
    for row, tree, segment in zip(counts, hypotheses, own, strict=True):
        ours, theirs = arcs(tree), arcs(references[segment])
        for relation in range(4):
            sums = [sum(n for arc, n in bag.items() if arc[0] == relation) for bag in (ours & theirs, ours, theirs)]
            assert row[relation].tolist() == sums


@pytest.mark.parametrize("language", ["en", "de", "et", "ro", "ru", "zh"])
def test_trees_are_those_of_udpipes_own_writer(language: str) -> None:
    texts = [pair.replace("。", " 。") for pair in TEXTS.get(language, TEXTS["en"])]
    heads, relations = parser_of(language).parse([text.split() for text in texts])
    model = udpipe.Model.load(str(ROOT / "resources" / language / "tagger" / "tagger.udpipe"))
    pipeline = udpipe.Pipeline(model, "horizontal", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")
    rows = [line.split("\t") for line in pipeline.process("\n".join(texts)).splitlines() if line[:1].isdigit()]
    assert (heads + 1).tolist() == [int(row[6]) for row in rows]
    assert [RELATIONS[number] for number in relations] == [row[7].partition(":")[0] for row in rows]


def test_shares_of_arcs() -> None:
    """A matched arc counts 2 / (arcs of both), another 1 / (arcs of its side), by relation; shares of all relations add up."""
    template = [name for name in feature_template("beer-treepel").features if name.startswith("arcs.")]
    hypothesis, reference = "The old cat sat on the mat .", "The cat sat on a mat ."
    found = dict(zip(template, values(untrained(template), [hypothesis], [reference])[0].tolist(), strict=True))
    sides = []
    for text in (hypothesis, reference):
        words = text.split()
        heads, relations = parser_of("en").parse([words])
        sides.append(
            Counter((RELATIONS[r], words[h] if h >= 0 else None, w) for w, h, r in zip(words, heads, relations, strict=True))
        )
    matched = sides[0] & sides[1]
    assert matched.total() > 2
    for name, value in found.items():
        _, relation, kind = name.split(".")
        bag, size = {"both": (matched, (8 + 7) / 2), "hypothesis": (sides[0] - matched, 8), "reference": (sides[1] - matched, 7)}[
            kind
        ]
        assert value == pytest.approx(sum(n for arc, n in bag.items() if arc[0] == relation) / size)


def treepel(language: str, **resources: str) -> TrainedMetric:
    """Treepel with equal weights, which no training made."""
    features = feature_template("beer-treepel").without(["synonyms", "paraphrases"]).features
    return replace(untrained(features, stem="de", resources=resources), id="mine", language=language)


def scorer(name: str):  # type: ignore[no-untyped-def]
    metric = SHIPPED[name]
    return metric_named(f"beer:{name[5:]}{'|tables:full' if metric.needs_tables else ''}", SHIPPED)


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_the_thesis(name: str) -> None:
    """σ(w·φ) of 0.1 (6.2), 2σ(w·(φ - φ of the reference itself)) of the others, at most 1 (6.4); the corpus score is the mean (6.9)."""
    metric = SHIPPED[name]
    texts = list(TEXTS[metric.language])
    hypotheses, references = [*texts, ""], [texts[1], texts[1], texts[0]]
    named = "full" if metric.needs_tables else None
    phi, own_phi = (values(metric, side, references, named) for side in (hypotheses, references))
    slopes = np.array(metric.weights) / (np.array(metric.high) - np.array(metric.low))
    if "0.1" in name:
        expected = [100 / (1 + exp(-float(row @ slopes))) for row in phi]
    else:
        expected = [100 * min(1.0, 2 / (1 + exp(-float(row @ slopes)))) for row in phi - own_phi]
        assert expected[1] == 100
    built = scorer(name)
    statistics = built.prepare([references]).statistics(hypotheses)
    assert built.segment_scores(statistics).tolist() == pytest.approx(expected)
    assert float(built.score(statistics.sum(0, keepdims=True))[0]) == pytest.approx(sum(expected) / 3)
    assert expected[1] > expected[0] > expected[2] or expected[1] > expected[2]


@pytest.mark.parametrize("name", [name for name in NAMES if SHIPPED[name].stem])
def test_another_form_of_a_word_is_no_better_than_the_word(name: str) -> None:
    metric, stem = SHIPPED[name], stemmer(SHIPPED[name].stem)
    assert stem is not None
    forms = {"en": ("walk", "walks", "walked", "walking"), "de": ("Tag", "Tage", "Tagen", "Tages")}[metric.language]
    assert len(set(map(stem, forms))) == 1
    references = [f"{start} {forms[0]} {end}".strip() for start in ("", "x", "x y z") for end in ("", ".", "a b c d e f .")]
    built = scorer(name)
    prepared = built.prepare([references])
    own = built.segment_scores(prepared.statistics(references))
    for form in forms[1:]:
        assert (own > built.segment_scores(prepared.statistics([text.replace(forms[0], form, 1) for text in references]))).all()


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30)
@given(st.lists(st.sampled_from(["the", "cat", "cats", "sat", "on", "a", "mat", "of", ",", "."]), min_size=1), st.randoms())
def test_no_shuffle_beats_its_reference(name: str, words: list[str], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(words, len(words))
    built = scorer(name)
    prepared = built.prepare([[" ".join(words)] * 2])
    own, other = built.segment_scores(prepared.statistics([" ".join(words), " ".join(shuffled)]))
    assert own >= other - 1e-9


def test_signatures_name_weights_and_resources(tables: Path) -> None:
    options = scorer("beer-1.1-tables-en").options()
    sha = SHIPPED["beer-1.1-tables-en"].checksum[:8]
    assert options.startswith(f"case:mixed|tok:13a|model:beer-1.1-tables-en|sha:{sha}|stem:en|tables:full|tables-sha:")
    assert scorer("beer-1.1-zh").options().endswith("|stem:no|tables:no")
    parser = hashlib.sha256((ROOT / "resources" / "de" / "tagger" / "tagger.udpipe").read_bytes()).hexdigest()[:8]
    assert metric_named("trained:mine", {"mine": treepel("de")}).options().endswith(f"|stem:de|tables:no|parser-sha:{parser}")
    (tables / "full" / "function.words").write_text("the\n", "utf-8")
    assert scorer("beer-1.1-tables-en").options() != options


def test_other_resources_than_those_of_the_training_are_said() -> None:
    statistics = np.ones((1, 2))
    assert "another file of tables" in scorer("beer-1.1-tables-en").cautions(statistics)[0]
    assert scorer("beer-1.1-de").cautions(statistics) == []
    other = metric_named("trained:mine", {"mine": treepel("de", parser="00000000")})
    assert "another file of parser (checksum 00000000)" in other.cautions(statistics)[0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("beer:1.1-tables-en", r"add \|tables:NAME"),
        ("beer:1.1-de|tables:full", "beer-1.1-de reads no tables"),
        ("beer|tables:full", "beer-2.0 reads no tables"),
        ("trained:mine|parser-sha:00000000", "parser-sha of trained:mine is .*, and not 00000000"),
    ],
)
def test_names_that_do_not_fit_their_resources_are_refused(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        metric_named(name, {**SHIPPED, "mine": treepel("de")})
    assert refused.value.code == "unknown-metric"


def test_languages_without_a_parser_are_refused_by_name(tmp_path: Path) -> None:
    finnish = treepel("fi")
    with pytest.raises(InputError, match=r"trees of fi .*; models are there for de, en, et, ro, ru, zh") as refused:
        metric_named("trained:mine", {"mine": finnish})
    assert refused.value.code == "missing-resource"
    (tmp_path / "fi").mkdir()
    (tmp_path / "fi" / "tagger.udpipe").write_bytes(b"no model")
    use_metric_files(None, None, (tmp_path,))
    with pytest.raises(InputError, match="no UDPipe model with tagger and parser"):
        metric_named("trained:mine", {"mine": finnish})
    with pytest.raises(InputError, match="trees of de"):
        metric_named("trained:mine", {"mine": treepel("de")})
