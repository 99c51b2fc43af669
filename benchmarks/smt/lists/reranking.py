"""Gains by each kind of reranking feature on real n-best lists: ``python -m benchmarks.smt.lists.reranking DATA [CACHE]``.

DATA has ``multi30k-nbest`` and ``multi30k-de-en``. Multi30k's training text gives the resources (stored in the folder CACHE, if any).
Weights are tuned on the validation lists alone, and BLEU is that of test_2016_flickr. Gains are over MIRA with the decoder's
own features, with the 95 % interval of a paired bootstrap.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.arrays import Float64s, Int64s
from app.building.building import align_corpus
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.building.lexical_table import estimate_lexical_table
from app.metrics import metric_named
from app.metrics.significance.resampling import bootstrap_scores, resample_weights
from app.resources.language_models import open_language_model
from app.resources.lexical_table import LexicalTable
from app.resources.tagger import UNIVERSAL_TAGS, load_tagger
from app.settings import ROOT
from app.smt.lists.reranking.columns import THESIS, with_features
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.lists.reranking.expected_gain import expected_sbleu
from app.smt.lists.reranking.list_ngrams import list_ngrams
from app.smt.lists.reranking.neural.model import TranslationModel
from app.smt.lists.reranking.neural.training import train_translation_model
from app.smt.lists.reranking.posteriors import probabilities
from app.smt.lists.reranking.word_lexicon import WordLexicon, train_word_lexicon
from app.smt.tuning.choice_kernels import first_of_best
from app.smt.tuning.pool import TuningPool, pool_of
from app.smt.tuning.rescoring import oracle_gains
from app.smt.tuning.weights import FeatureWeights
from app.text.batch import TokenColumn, pack_lines
from app.text.n_best import NBestLists
from app.text.parallel_corpus import ParallelCorpus
from app.text.reading.n_best_files import read_lists
from benchmarks.smt.lists.rerankers import train_reranker
from benchmarks.text_lines import lines

METRIC = "bleu|tok:none|smooth:none"
TEST = "test_2016_flickr"
SEEDS = (1, 2, 3, 4, 5)
LANGUAGE_MODELS = [spec for spec in THESIS if spec.startswith(("lm", "ppl"))]
TAGS = ["plm3", "plm4", "plm5"]
POSTERIORS = ["mbr|scale:0.3", "np|scale:0.3", "len|scale:0.3", "lenr"]
MODEL_1 = ["ibm", "ibm-1"]
NINETEEN = [*LANGUAGE_MODELS, *TAGS, *POSTERIORS, *MODEL_1]
UTILITIES = ["mbr|metric:chrf|scale:0.3", "mbr|metric:bleu|scale:0.3"]
SCALES = (2.0, 4.0, 8.0, 16.0)
STEPS = {
    "+ language models": LANGUAGE_MODELS,
    "+ parts of speech": TAGS,
    "+ model 1": MODEL_1,
    "+ posteriors, length": POSTERIORS,
    "+ all 19": NINETEEN,
    "+ word lexicon": ["dwl"],
    "+ neural": ["neural"],
    "+ 19, chrF and BLEU MBR": [*NINETEEN, *UTILITIES],
    "+ 19, lexicon": [*NINETEEN, "dwl"],
    "+ 19, lexicon, neural": [*NINETEEN, "dwl", "neural"],
    "+ all": [*NINETEEN, *UTILITIES, "dwl", "neural"],
}


def resources_of(data: Path, cache: Path) -> RerankingResources:
    """Resources of all features, from the training text or from `cache`."""
    texts = {side: lines(data / "multi30k-de-en" / f"train.{side}.gz") for side in ("de", "en")}
    source, target = (pack_lines(texts[side]) for side in ("de", "en"))
    tagger = load_tagger(ROOT / "resources" / "en" / "tagger")
    assert tagger is not None
    tags: TokenColumn | None = None
    for order in range(2, 8):
        if not (cache / f"lm{order}").exists():
            write_kenlm_trie(estimate_language_model(target, order), cache / f"lm{order}")
        if order in (3, 4, 5) and not (cache / f"tags{order}").exists():
            tags = tags or TokenColumn(UNIVERSAL_TAGS, tagger.annotate(target, False).tags.astype(np.int32), target.offsets)
            write_kenlm_trie(estimate_language_model(tags, order), cache / f"tags{order}")
    say("language models")
    if not (cache / "tables.npz").exists():
        corpus = align_corpus(ParallelCorpus.of_lines(texts["de"], texts["en"])).corpus
        tables = {"to": estimate_lexical_table(corpus).table(), "back": estimate_lexical_table(corpus.reversed).table()}
        np.savez(
            cache / "tables.npz", **{f"{way}_{name}": array for way, t in tables.items() for name, array in t.arrays().items()}
        )
        say("lexical tables")
    arrays = np.load(cache / "tables.npz")
    lexical_tables = [
        LexicalTable(*(arrays[f"{way}_{name}"] for name in ("source", "offsets", "target", "probability")))
        for way in ("to", "back")
    ]
    if not (cache / "lexicon").exists():
        train_word_lexicon(source, target).save(cache / "lexicon")
        say("word lexicon")
    if not (cache / "neural").exists():
        train_translation_model(source, target).save(cache / "neural")
        say("neural translation model")
    return RerankingResources(
        {order: open_language_model(cache / f"lm{order}") for order in range(2, 8)},
        {order: open_language_model(cache / f"tags{order}") for order in (3, 4, 5)},
        tagger,
        *lexical_tables,
        WordLexicon.load(cache / "lexicon"),
        TranslationModel.load(cache / "neural"),
    )


def chosen_columns(lists: NBestLists, names: list[str]) -> NBestLists:
    """Lists with the features `names` alone."""
    columns = [lists.names.index(name) for name in names]
    return replace(lists, names=tuple(names), features=np.ascontiguousarray(lists.features[:, columns]))


def gain(pool: TuningPool, old: Int64s, new: Int64s) -> str:
    """Difference of two choices with its interval."""
    statistics = {"old": pool.statistics[old], "new": pool.statistics[new]}
    scores = bootstrap_scores(pool.metric, statistics, resample_weights(len(pool), 1000, 12345))
    low, high = np.percentile(scores["new"] - scores["old"], [2.5, 97.5])
    return f"{pool.score_of(new) - pool.score_of(old):+.2f} ({low:+.2f} to {high:+.2f})"


def by_expected_sbleu(lists: NBestLists, scores: Float64s, scale: float) -> Int64s:
    """Minimum-Bayes-risk choice by weighted sums."""
    tokens = pack_lines(list(lists.texts))
    shares = probabilities(scores, lists.offsets, scale)
    return np.asarray(first_of_best(expected_sbleu(tokens, list_ngrams(tokens, lists.offsets, 4), shares), lists.offsets))


def row(name: str, val: float, test: float, change: str = "") -> None:
    print(f"| {name} | {val:.2f} | {test:.2f} | {change} |", flush=True)


START = [time.monotonic()]


def say(label: str) -> None:
    """Print elapsed seconds on stderr."""
    print(f"{label}: {time.monotonic() - START[0]:.0f} s", file=sys.stderr, flush=True)
    START[0] = time.monotonic()


def main(data: Path, cache: Path) -> None:
    resources = resources_of(data, cache)
    metric = metric_named(METRIC)
    lists, references, pools = {}, {}, {}
    for part in ("val", TEST):
        read = read_lists([data / "multi30k-nbest" / f"{part}.nbest.gz"]).lists
        sources, references[part] = (lines(data / "multi30k-de-en" / f"{part}.{side}.gz") for side in ("de", "en"))
        lists[part] = with_features(read, [*NINETEEN, *UTILITIES, "dwl", "neural"], resources, sources)
        pools[part] = pool_of(lists[part], metric, [references[part]])
        say(f"features of {part}")
    decoder_names = [name for name in lists["val"].names if name.startswith("F")]
    val, test = pools["val"], pools[TEST]
    print("| weights and features | val | test | gain over MIRA on test (95 %) |\n| --- | --- | --- | --- |")
    row("first hypotheses", *(pool.score_of(pool.offsets[:-1]) for pool in (val, test)))

    def tuned(names: list[str], method: str) -> tuple[FeatureWeights, Int64s, Int64s]:
        narrow = chosen_columns(lists["val"], names)
        weights = train_reranker(narrow, [references["val"]], method, METRIC, seeds=SEEDS, average=method == "mira").weights
        values = [lists[part].values[:, [lists[part].names.index(name) for name in names]] for part in ("val", TEST)]
        choices = [
            first_of_best(np.ascontiguousarray(value @ weights.of_columns(names)), pool.offsets)
            for value, pool in zip(values, (val, test), strict=True)
        ]
        return weights, choices[0], choices[1]

    _, on_val, base = tuned(decoder_names, "mira")
    _, mert_val, mert_test = tuned(decoder_names, "mert")
    row("MERT, decoder's features", val.score_of(mert_val), test.score_of(mert_test), gain(test, base, mert_test))
    row("MIRA, decoder's features", val.score_of(on_val), test.score_of(base))
    weights = FeatureWeights({})
    names: list[str] = []
    for name, additions in STEPS.items():
        names = [*decoder_names, *additions]
        weights, on_val, on_test = tuned(names, "mira")
        row(name, val.score_of(on_val), test.score_of(on_test), gain(test, base, on_test))
        say(name)
    sums = {part: chosen_columns(lists[part], names).values @ weights.of_columns(names) for part in ("val", TEST)}
    spread = float(np.std(sums["val"] - np.maximum.reduceat(sums["val"], val.offsets[:-1])[val.segment_of]))
    trials = [(val.score_of(by_expected_sbleu(lists["val"], sums["val"], scale / spread)), scale) for scale in SCALES]
    best, scale = max(trials)
    choice = by_expected_sbleu(lists[TEST], sums[TEST], scale / spread)
    row(f"+ all, chosen by expected sBLEU (scale {scale:g})", best, test.score_of(choice), gain(test, base, choice))
    oracles = [first_of_best(oracle_gains(pool), pool.offsets) for pool in (val, test)]
    row("oracle", val.score_of(oracles[0]), test.score_of(oracles[1]))


def run_with_cache(work: Callable[[Path, Path], None]) -> None:
    """Run on the DATA folder of the command line, with its CACHE or a temporary folder."""
    data, *caches = (Path(argument) for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as scratch:
        for cache in caches:
            cache.mkdir(exist_ok=True)
        work(data, *(caches or [Path(scratch)]))


if __name__ == "__main__":
    run_with_cache(main)
