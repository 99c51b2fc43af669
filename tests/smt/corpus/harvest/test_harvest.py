"""Comparable texts and unknown words: pairs that are there, against every pair looked at, and words by hand."""

from pathlib import Path

import numpy as np
import pytest

from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.metrics.registry import metric_named
from app.resources.language_models import open_language_model
from app.smt.corpus.harvest.automatic import NAMES, HarvestCounts, take_translations
from app.smt.corpus.harvest.comparable import MiningLimits, mine_files, mined_pairs
from app.smt.corpus.harvest.unknown_words import StemDictionary, translate_unknown
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.n_best_lines import n_best_lines
from app.smt.decoder.system import load_system
from app.text.batch import pack_lines
from tests.smt.decoder.systems import write_system

SOURCE = ["der hund schläft", "die katze trinkt milch", "1 2 3 4", "etwas ganz anderes", "das haus ist gross"]
TRANSLATIONS = ["the dog sleeps", "the cat drinks milk", "1 2 3 4", "quite another thing", "the house is big"]
TARGET = ["the cat drinks warm milk", "rates rose again", "the dog is asleep", "1 2 3 5", "the house is very big and it is old and it is red", "big house", "the dog sleeps ."]  # fmt: skip


def test_pairs_are_those_with_the_lowest_ter_within_limits() -> None:
    made = mined_pairs(TRANSLATIONS, TARGET)
    assert list(zip(made.sources.tolist(), made.targets.tolist(), strict=True)) == [(0, 6), (1, 0)]
    assert made.ter == pytest.approx([1 / 3, 1 / 4])
    # More numbers, and sides of other lengths, where that is allowed.
    free = mined_pairs(TRANSLATIONS, TARGET, MiningLimits(numbers=1.0, ratio=10.0, ter=10.0))
    assert (2, 3) in set(zip(free.sources.tolist(), free.targets.tolist(), strict=True))


def test_what_is_no_sentence_is_not_paired() -> None:
    """Edits of a line of ten thousand words would take a day."""
    long = " ".join(f"w{k}" for k in range(10_000))
    made = mined_pairs(["the dog sleeps", long], ["the dog sleeps", long, "a cat", "rates rose", "b c", "d e"])
    assert list(zip(made.sources.tolist(), made.targets.tolist(), strict=True)) == [(0, 0)]


def test_every_pair_looked_at_gives_the_same() -> None:
    generator = np.random.default_rng(1)
    translations, target = (
        [" ".join(generator.choice(list("abcdefghijkl"), generator.integers(2, 8))) for _ in range(40)] for _ in range(2)
    )
    limits = MiningLimits(candidates=40, ter=0.9, ratio=2.0)
    ours = mined_pairs(translations, target, limits)
    metric = metric_named("ter")
    by_hand = {}
    for row, text in enumerate(translations):
        rates = metric.segment_scores(metric.prepare([[text] * 40]).statistics(target)) / 100
        sizes = np.array([len(line.split()) for line in target])
        size = len(text.split())
        shared = np.array([bool(set(text.split()) & set(line.split())) for line in target])
        usable = (np.maximum(sizes, size) <= 2 * np.minimum(sizes, size)) & shared
        if usable.any() and rates[usable].min() < 0.9:
            by_hand[row] = rates[usable].min()
    # Words that a fifth of all sentences have are not looked for, so that some pairs are not seen.
    assert set(ours.sources.tolist()) <= by_hand.keys()
    assert all(ter >= by_hand[row] - 1e-12 for row, ter in zip(ours.sources.tolist(), ours.ter.tolist(), strict=True))
    assert np.all(np.diff(ours.sources) > 0) and (ours.ter < 0.9).all() and (ours.cosine <= 1 + 1e-9).all()


def test_files_are_paired_within_days(tmp_path: Path) -> None:
    texts = {"s": SOURCE, "t": TRANSLATIONS, "e": TARGET, "ds": ["2011-07-20"] * 5, "de": ["2011-07-26"] * 6 + ["2011-07-25"]}
    paths = {name: tmp_path / name for name in texts}
    for name, lines in texts.items():
        paths[name].write_text("".join(f"{line}\n" for line in lines), "utf-8")
    mine_files(paths["s"], paths["t"], paths["e"], tmp_path / "out", dates=(paths["ds"], paths["de"]))
    assert (tmp_path / "out" / "source").read_text("utf-8") == "der hund schläft\n"
    assert (tmp_path / "out" / "pairs.tsv").read_text("utf-8").splitlines()[1].startswith("1\t7\t0.3333\t")
    with pytest.raises(InputError, match="--replace"):
        mine_files(paths["s"], paths["t"], paths["e"], tmp_path / "out")
    with pytest.raises(InputError, match="7 lines"):
        mine_files(paths["s"], paths["e"], paths["t"], tmp_path / "new")


def test_automatic_translations_become_text_that_phrases_are_taken_of(tmp_path: Path) -> None:
    """The chain: decoder, the translations it is sure of, extraction."""
    decoder = Decoder(load_system(write_system(tmp_path, 3, "msd-bidirectional-fe", 2)))
    source = ["s0 s1", "s2", "unknown", "s3 s4 s0"]
    with (tmp_path / "lists").open("w", encoding="utf-8") as file:
        for segment, line in enumerate(source):
            rows = n_best_lines(decoder.system, segment, decoder.translate(line, alternatives=True).n_best(3))
            file.writelines(f"{row}\n" for row in rows)
    (tmp_path / "source").write_text("\n".join(source) + "\n", "utf-8")
    # An unknown word costs 100.
    made = take_translations(tmp_path / "source", tmp_path / "lists", tmp_path / "taken", 20.0)
    assert made == HarvestCounts(4, 3)
    assert (tmp_path / "taken" / "source").read_text("utf-8").splitlines() == ["s0 s1", "s2", "s3 s4 s0"]
    best = [decoder.translate(line).best() for line in source]
    assert (tmp_path / "taken" / "target").read_text("utf-8").splitlines() == [best[k].text for k in (0, 1, 3)]  # type: ignore[union-attr]
    links = (tmp_path / "taken" / "links").read_text("utf-8").splitlines()
    assert links == [best[k].word_alignment(decoder.system) for k in (0, 1, 3)]  # type: ignore[union-attr]
    assert extract_phrases(*(tmp_path / "taken" / name for name in NAMES), tmp_path / "extracted").sentences == 3
    assert take_translations(tmp_path / "source", tmp_path / "lists", tmp_path / "none", -1000.0).pairs == 0
    (tmp_path / "source").write_text("s0 s1\n", "utf-8")
    with pytest.raises(InputError, match="sentence 1"):
        take_translations(tmp_path / "source", tmp_path / "lists", tmp_path / "new", 20.0)
    (tmp_path / "lists").write_text("0 ||| a ||| f= 1 ||| -1\n", "utf-8")
    with pytest.raises(InputError, match="line 1"):
        take_translations(tmp_path / "source", tmp_path / "lists", tmp_path / "new", 20.0)
    assert not (tmp_path / "new").exists()


TABLE = """baum ||| tree ||| 1 1 1 0.8 ||| 0-0 ||| 1 1 1 ||| |||
baumes ||| trunk ||| 1 1 1 0.1 ||| 0-0 ||| 1 1 1 ||| |||
bäume ||| trees ||| 1 1 1 0.5 ||| 0-0 ||| 1 1 1 ||| |||
berlin ||| berlin ||| 1 1 1 0.9 ||| 0-0 ||| 1 1 1 ||| |||
der baum ||| the tree ||| 1 1 1 0.7 ||| 0-0 1-1 ||| 1 1 1 ||| |||
"""


def test_unknown_words_are_translated_by_their_stems(tmp_path: Path) -> None:
    (tmp_path / "table").write_text(TABLE, "utf-8")
    dictionary = StemDictionary.read(tmp_path / "table", "de")
    # Snowball has baum, baumes and bäume as one stem.
    assert dictionary.candidates("bäumen") == ["tree", "trees", "trunk"]
    assert not dictionary.candidates("berlin") and not dictionary.candidates("xyz")
    text = ["the trees are green", "a tree is green", "the trunk is old", "two trees are old"]
    write_kenlm_trie(estimate_language_model(pack_lines(text), 2), tmp_path / "lm")
    model = open_language_model(tmp_path / "lm")
    (tmp_path / "source").write_text("zwei bäumen in berlin\nxyz\nden bäumen\n", "utf-8")
    (tmp_path / "output").write_text("two bäumen are berlin\nxyz\nthe trees\n", "utf-8")
    made = translate_unknown(tmp_path / "source", tmp_path / "output", dictionary, model, tmp_path / "out")
    assert made == (3, 1)
    # Names and what nothing is known of stay.
    assert (tmp_path / "out").read_text("utf-8") == "two trees are berlin\nxyz\nthe trees\n"
    (tmp_path / "output").write_text("two\n", "utf-8")
    with pytest.raises(InputError):
        translate_unknown(tmp_path / "source", tmp_path / "output", dictionary, model, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    (tmp_path / "source").write_text("bäumen\n", "utf-8")
    (tmp_path / "output").write_text("bäumen " * 1001 + "\n", "utf-8")
    with pytest.raises(InputError, match=r"line 1 of .* has 1001 words"):
        translate_unknown(tmp_path / "source", tmp_path / "output", dictionary, model, tmp_path / "new")


def test_tables_and_languages_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    (tmp_path / "table").write_text(TABLE + "a ||| b ||| 1\n", "utf-8")
    with pytest.raises(InputError, match="line 6"):
        StemDictionary.read(tmp_path / "table", "de")
    for score in ("nan", "inf", "-1"):
        (tmp_path / "table").write_text(TABLE + f"a ||| b ||| 1 1 1 {score}\n", "utf-8")
        with pytest.raises(InputError, match="line 6"):
            StemDictionary.read(tmp_path / "table", "de")
    (tmp_path / "table").write_text("a ||| b ||| 1 1 1 1 1\n", "utf-8")
    with pytest.raises(InputError, match=r"line 1 .* four scores"):
        StemDictionary.read(tmp_path / "table", "de")
    with pytest.raises(InputError, match="stemmers"):
        StemDictionary.read(tmp_path / "table", "zh")
