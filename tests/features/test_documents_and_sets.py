"""Document features by hand, QuEst's feature files, and every declared feature on real data of several pairs."""

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.arrays import Int8s
from app.building.bags_of_words import train_bags_of_words
from app.building.grammars import induced_grammar
from app.engine import Engine
from app.engine.bounding import BoundedSegments
from app.engine.model_choice import view_of
from app.engine.segments import Segments
from app.errors import InputError
from app.features import (
    CATALOGUE,
    NEEDS,
    Alternatives,
    Level,
    PairResources,
    PartNeed,
    View,
    exact_set,
    extract_features,
    feature_sets,
)
from app.features.quest_files import read_quest_features
from app.resources.linear_tagger.names import NameTagger
from app.text import LanguagePair, SegmentBatch, TokenColumn, pack_lines
from app.text.parallel_corpus import ParallelCorpus
from app.text.side_information import SideInformation
from app.text.trees.brackets import bracketed_trees
from app.text.trees.phrases import PHRASES
from tests.features.hashed_reader import HashedReader

ROWS = 150


def document(source: list[str], target: list[str], *ids: str) -> list[float]:
    batch = SegmentBatch(LanguagePair("ro", "en"), pack_lines(source), pack_lines(target))
    matrix = extract_features(batch, exact_set("t", ids), PairResources(batch.pair), strict=True)
    assert matrix.values.shape == (1, len(ids))
    return matrix.values[0].tolist()


def test_documents_by_hand() -> None:
    ids = ("doc.segments", "doc.source_tokens", "doc.target_tokens", "doc.length_ratio", "doc.source_repetition")
    assert document(["a b", "a c a"], ["x", "y z"], *ids) == pytest.approx([2, 5, 3, 3 / 5, 5 / 3])
    assert document(["a b", "a c a"], ["x", "y z"], "doc.mean.1001", "doc.mean.1004") == pytest.approx([2.5, (1 / 2 + 2 / 3) / 2])


def test_document_perplexity_pools_all_words(engine: Engine) -> None:
    pair = LanguagePair("ro", "en")
    texts = ["The house is big.", "He went to the market."]
    pooled = engine.features(Segments(pair, ["a", "b"], texts), exact_set("t", ["doc.target_perplexity"])).values[0, 0]
    single = engine.features(Segments(pair, ["a", "b"], texts), exact_set("t", ["1012", "1002", "lm.target.unknown"])).values
    counted = (single[:, 1] * (1 - single[:, 2]) + 1).sum()
    assert pooled == pytest.approx(10 ** (-single[:, 0].sum() / counted))


def test_levels_do_not_mix(engine: Engine) -> None:
    sent = Segments(LanguagePair("ro", "en"), ["a"], ["b"])
    with pytest.raises(InputError, match="in two requests"):
        engine.features(sent, exact_set("t", ["1001", "doc.segments"]))
    with pytest.raises(InputError, match="level=word"):
        engine.features(sent, "word")


QUEST = b"""<?xml version="1.0"?>
<features><feature class="shef.mt.features.impl.bb.Feature1001" description="tokens" index="1001"/>
<feature class="x" index=" 1012 "/><feature class="x" index="1001"/><feature class="x" index="1122"/></features>"""


def test_quest_files_name_features() -> None:
    assert read_quest_features(QUEST) == (["1001", "1012"], ["1122"])


@pytest.mark.parametrize(
    "content",
    [
        b"", b"not xml", b"<features/>", b"<features><feature></features>",
        b'<!DOCTYPE f [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><f><feature index="&b;"/></f>',
        b'<!DOCTYPE f SYSTEM "file:///etc/passwd"><f><feature index="1001"/></f>', b" " * 2_000_000,
    ],
)  # fmt: skip
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(InputError):
        read_quest_features(content)


def decoded(k: int) -> dict[str, tuple[float, ...]]:
    return {"d": (-1.0 * k,) * 7, "tm": (0.5 * k,) * 5, "w": (-3.0 - k,), "lm": (-2.0 * k,)}


class CapitalNames(NameTagger):
    """A tagger that takes words with a capital for names, of a class by their length."""

    def __init__(self) -> None:
        pass

    def classes(self, column: TokenColumn) -> Int8s:
        numbers = [1 + len(word) % 4 if word[:1].isupper() else 0 for word in column.vocabulary]
        return np.array(numbers, np.int8)[column.ids]


def tree_of(text: str, extra: int) -> str:
    """A tree with phrases of every label, in numbers that depend on the text."""
    phrases = [f"({label} (X a))" * ((len(text) + extra) % (3 + k)) for k, label in enumerate(PHRASES)]
    return f"(S{' (VP' * (len(text) % 4)} (X a) {' '.join(phrases)}{')' * (len(text) % 4)})"


def real_batch(shared: Path, pair: str, engine: Engine) -> View:
    with gzip.open(shared / "data" / "mlqe-pe" / pair / "dev.tsv.gz", "rt", encoding="utf-8", newline="\n") as file:
        header, *rows = [line.rstrip("\n").split("\t") for line in list(file)[: ROWS + 1]]
    with gzip.open(shared / "data" / "mlqe-pe" / pair / "dev.nmt.tokens.gz", "rt", encoding="utf-8") as file:
        tokens = tuple(tuple(line.split()) for line in list(file)[:ROWS])
    with gzip.open(shared / "data" / "mlqe-pe" / pair / "dev.nmt.logprobs.gz", "rt", encoding="utf-8") as file:
        log_probs = [[float(cell) for cell in line.split()] for line in list(file)[:ROWS]]
    source, target, edited = ([row[header.index(name)] for row in rows] for name in ("source", "translation", "post_edit"))
    side_information = SideInformation(
        tokens=tokens,
        token_log_probs=log_probs,
        token_entropies=tuple(tuple(-value for value in row) for row in log_probs),
        passes=tuple((tuple(row), tuple(1.1 * value for value in row)) for row in log_probs),
        samples=tuple(zip(target, edited, strict=True)),
        n_best=tuple(
            [{"text": t, "score": -1.0 - k, "features": decoded(k)}, {"text": e, "score": -9.0}, {"text": e, "score": -9.5}]
            for k, (t, e) in enumerate(zip(target, edited, strict=True))
        ),
        search=tuple(
            {
                "hypotheses": 10.0 + k, "nodes": 9.0 + k, "discarded": 1.0 + k, "pruned": 2.0 * k, "recombined": 1.0 * k,
                "phrases": 3.0, "longest_phrase": 1.0 + k % 4, "unknown_words": k % 2,
            }
            for k in range(ROWS)
        ),
        pseudo_references=tuple((text,) for text in edited),
        back_translations=tuple(source[1:] + source[:1]),
        source_trees=[tree_of(text, 0) for text in source],
        translation_trees=[tree_of(text, 1) for text in target],
    )  # fmt: skip
    segments = Segments(LanguagePair.parse(pair), source, target, side_information)
    loaded = engine.pair_resources(segments.pair)
    grammar = induced_grammar(bracketed_trees([(1, "(S (NP (DT a) (NN b)) (VP (VB c) (NP (NN b))) (. .))")], "bank"))
    resources = replace(
        loaded,
        cross_encoder=HashedReader(),
        source_grammar=grammar,
        target_grammar=grammar,
        source_names=CapitalNames(),
        target_names=CapitalNames(),
    )
    view = view_of(BoundedSegments(segments), resources)
    bags = train_bags_of_words(ParallelCorpus(view.source, view.target))
    return View(view.batch, replace(view.resources, bags_of_words=bags))


# The same everywhere, or of marks that hardly occur in these segments.
RARE = {"9303", "9307", "word.always", "gap.always", "doc.segments", "1008", "1055", "doc.mean.1008"}
RARE |= {f"{mean}{number}" for mean in ("", "doc.mean.") for number in range(1066, 1074)}


def test_every_feature_has_values_on_real_data_of_two_pairs(shared: Path, engine: Engine) -> None:
    views = [real_batch(shared, pair, engine) for pair in ("en-de", "ro-en", "et-en")]
    sizes = {
        Level.SENTENCE: lambda view: {len(view)},
        Level.DOCUMENT: lambda view: {1},
        Level.WORD: lambda view: {len(view.target.ids), len(view.target.ids) + len(view)},
    }
    constant = set()
    for feature in CATALOGUE.values():
        columns = [np.asarray(feature.compute(view)) for view in views]
        for view, values in zip(views, columns, strict=True):
            assert len(values) in sizes[feature.level](view), feature.id
            assert np.isfinite(values.astype(np.float64)).all(), feature.id
        if feature.level is Level.DOCUMENT:
            moves = len({float(values[0]) for values in columns}) > 1
        else:
            moves = sum(len(np.unique(values)) > 1 for values in columns) >= 2
        if not moves:
            constant.add(feature.id)
    assert constant <= RARE


def test_every_need_is_of_some_feature_and_every_set_says_what_it_requires() -> None:
    needs = {need for feature in CATALOGUE.values() for need in feature.needs}
    alternatives = {need for several in needs if isinstance(several, Alternatives) for need in several.needs}
    needs |= {need.kind if isinstance(need, PartNeed) else need for need in alternatives}
    assert {need for need in needs if not isinstance(need, (Alternatives, PartNeed))} == set(NEEDS)
    # A part of a kind is beside its kind.
    for feature in CATALOGUE.values():
        assert {need.kind for need in feature.needs if isinstance(need, PartNeed)} <= set(feature.needs)
    for each in feature_sets().values():
        assert each.requires <= set(each.needs), each.name
        assert len({feature.id for feature in each.features}) == len(each.features)
