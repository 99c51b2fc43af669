"""Features that look at models of text, against the digest's examples (4.10, 4.11) and against the models themselves."""

from collections import Counter
from itertools import pairwise
from math import log
from pathlib import Path

import numpy as np
import pytest

from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.resources.language_models import SentenceScores, open_language_model
from app.resources.lexical_table import LexicalTable
from app.resources.tagger import UNIVERSAL_TAGS, Annotation
from app.smt.lists.reranking.columns import perplexity, with_features
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.lists.reranking.model1 import LOWEST, model1_log_prob
from app.smt.lists.reranking.word_lexicon import WordLexicon, train_word_lexicon
from app.text.batch import TokenColumn, pack_lines
from tests.smt.lists.reranking.test_list_features import lists_of

TEXT = ["the dog barks .", "the dog runs .", "a dog barks .", "the cat runs .", "a cat sleeps on the mat ."] * 3


class EveryWordANoun:
    """A tagger that knows one part of speech."""

    parses = False

    def begin(self, column: TokenColumn) -> None:
        raise NotImplementedError

    def annotate(self, column: TokenColumn, parse: bool) -> Annotation:
        noun = UNIVERSAL_TAGS.index("NOUN")
        return Annotation(np.full(len(column.ids), noun, np.int8), np.full(len(column.ids), -1, np.int32))


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> RerankingResources:
    folder = tmp_path_factory.mktemp("models")
    for order in (3, 7):
        write_kenlm_trie(estimate_language_model(pack_lines(TEXT), order), folder / f"words{order}")
    write_kenlm_trie(estimate_language_model(pack_lines(["NOUN VERB PUNCT", "NOUN NOUN PUNCT", "NOUN NOUN"]), 3), folder / "tags3")
    return RerankingResources(
        {order: open_language_model(folder / f"words{order}") for order in (3, 7)},
        {3: open_language_model(folder / "tags3")},
        EveryWordANoun(),
    )


def test_perplexity_by_hand() -> None:
    """10 words, log10 p = -12."""
    scores = SentenceScores(np.array([-12.0]), np.array([-1.0]), np.array([0]), np.array([0]))
    assert perplexity(scores, np.array([10.0])) == pytest.approx([12.328467])
    unknown = SentenceScores(np.array([-12.0]), np.array([-1.0]), np.array([1]), np.array([0]))
    assert perplexity(unknown, np.array([10.0])) == pytest.approx([15.848932])


def test_columns_are_what_the_models_say(resources: RerankingResources) -> None:
    lists = lists_of([[("The dog runs .", -1.0), ("the mouse runs .", -2.0)], [("", -1.0)]])
    columns = with_features(lists, ["lm3", "lm7", "ppl7", "plm3"], resources).features
    words = resources.models[7].score(pack_lines(["the dog runs .", "the mouse runs .", ""]))
    assert columns[:, 1] == pytest.approx(words.log_prob)
    assert columns[:, 2] == pytest.approx(10 ** (-words.log_prob / np.array([5, 4, 1])))
    assert columns[:, 0] == pytest.approx(
        resources.models[3].score(pack_lines(["the dog runs .", "the mouse runs .", ""])).log_prob
    )
    tags = resources.tag_models[3].score(pack_lines(["NOUN NOUN NOUN NOUN"] * 2 + [""]))
    assert columns[:, 3] == pytest.approx(tags.log_prob)


def test_a_model_of_order_seven_sums_to_one(tmp_path: Path) -> None:
    """Orders beyond six, which lmplz is not built for: the probabilities of all words after a history are 1 in sum."""
    write_kenlm_trie(estimate_language_model(pack_lines(TEXT), 7), tmp_path / "lm")
    model = open_language_model(tmp_path / "lm")
    words = sorted({word for line in TEXT for word in line.split()})
    for history in ("a cat sleeps on the mat", "the dog"):
        lines = pack_lines([f"{history} {word}" for word in words] + [history])
        scores = model.score_both(lines)[1].log_prob
        ends = lines.offsets[1:] + np.arange(len(lines))
        after = [float(scores[end - 1]) for end in ends[:-1]] + [float(scores[ends[-1]])]
        # The rest is the unknown word's.
        assert 0.9 < sum(10**value for value in after) < 1.0


def test_model_1_by_hand() -> None:
    """Digest 4.10: ``la maison`` given ``the house``."""
    entries = [("the", "la", 0.7), ("NULL", "la", 0.1), ("house", "la", 0.05), ("house", "maison", 0.8)]
    table = LexicalTable.from_entries([*entries, ("the", "maison", 0.02), ("NULL", "maison", 0.01)])
    value = model1_log_prob(table, pack_lines(["the house", "the house", ""]), pack_lines(["la maison", "x", "la"]))
    assert value == pytest.approx([-2.546073085, log(LOWEST), log(0.1)], abs=1e-6)
    lists = lists_of([[("The house", 0.0)]])
    assert with_features(lists, ["ibm-1"], RerankingResources(reverse_table=table), ["la maison"]).features[0, 0] == value[0]
    lists = lists_of([[("la maison", 0.0)]])
    assert with_features(lists, ["ibm"], RerankingResources(table=table), ["the house"]).features[0, 0] == value[0]


def test_a_word_lexicon_learns_which_word_stands_for_which(tmp_path: Path) -> None:
    pairs = [("der hund", "the dog"), ("die katze", "the cat"), ("ein hund", "a dog"), ("eine katze", "a cat")] * 30
    sources, targets = (pack_lines([pair[side] for pair in pairs]) for side in (0, 1))
    lexicon = train_word_lexicon(sources, targets, 2)
    lexicon.save(tmp_path / "lexicon")
    read = WordLexicon.load(tmp_path / "lexicon")
    lists = lists_of(
        [[("the cat", 0.0), ("the dog", 0.0), ("a dog", 0.0), ("the dog dog unheard", 0.0)], [("a cat", 0.0), ("", 0.0)]]
    )
    given = with_features(lists, ["dwl"], RerankingResources(lexicon=read), ["der hund", "eine katze"]).features[:, 0]
    assert given[1] > max(given[0], given[2])
    assert given[3] == given[1]
    assert given[4] > 0 == given[5]
    assert train_word_lexicon(sources, targets, 2).weights.tobytes() == lexicon.weights.tobytes()
    (tmp_path / "other").write_bytes(b"x")
    with pytest.raises(InputError, match="is not a word lexicon"):
        WordLexicon.load(tmp_path / "other")


@pytest.mark.parametrize(
    ("spec", "code"),
    [("lm6", "missing-resource"), ("plm4", "missing-resource"), ("ibm", "missing-resource"), ("ibm-1", "missing-resource"),
     ("dwl", "missing-resource"), ("lenr", "missing-evidence"), ("np|order:9", "invalid-weights"), ("none", "invalid-weights")],
)  # fmt: skip
def test_what_is_not_there_is_named(resources: RerankingResources, spec: str, code: str) -> None:
    with pytest.raises(InputError) as problem:
        with_features(lists_of([[("a", 0.0)]]), [spec], resources)
    assert problem.value.code == code


def test_sources_are_as_many_as_lists(resources: RerankingResources) -> None:
    with pytest.raises(InputError, match="2 sources"):
        with_features(lists_of([[("a", 0.0)]]), ["lenr"], resources, ["a", "b"])


def test_blocks_change_nothing(resources: RerankingResources, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[(line, -float(k)) for k, line in enumerate(TEXT[i : i + 4])] for i in range(5)] + [[]]
    specs, sources = ["lm3", "mbr", "np", "len", "lenr"], ["a b", "c", "", "d", "e", "f"]
    whole = with_features(lists_of(rows), specs, resources, sources).features
    monkeypatch.setattr("app.smt.lists.reranking.columns.BLOCK", 5)
    assert with_features(lists_of(rows), specs, resources, sources).features == pytest.approx(whole, abs=1e-12)


def test_columns_of_a_name_that_is_there_are_replaced(resources: RerankingResources) -> None:
    once = with_features(lists_of([[("the dog", 0.0)]]), ["lm3", "len"], resources)
    again = with_features(once, ["lm3"], resources)
    assert again.names == ("len", "lm3")
    assert Counter(pairwise(again.features[0].tolist())) == Counter([(0.0, once.features[0, 0])])
