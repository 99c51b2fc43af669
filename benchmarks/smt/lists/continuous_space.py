"""Gains by a continuous-space language model: ``python -m benchmarks.smt.lists.continuous_space DATA [CACHE]``.

DATA has ``multi30k-nbest`` and ``multi30k-de-en``. The training text gives a network and a 5-gram model (stored in the folder
CACHE, if any). Perplexities are of sentence ends and of words in the 5-gram model; EM finds the share of the network on val.
Then n-best lists are rescored as in ``benchmarks.smt.lists.reranking``: weights by MIRA on val, BLEU on test, gains
over MIRA with the decoder's own features.
"""

import time
from pathlib import Path

import numpy as np

from app.arrays import Float64s
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.metrics import metric_named
from app.resources.language_models import open_language_model
from app.smt.lists.reranking.columns import with_features
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.lists.reranking.neural.continuous_space import ContinuousSpaceModel
from app.smt.lists.reranking.neural.continuous_space_training import train_continuous_space
from app.smt.tuning.choice_kernels import first_of_best
from app.smt.tuning.pool import pool_of
from app.text.batch import pack_lines
from app.text.reading.n_best_files import read_lists
from benchmarks.smt.lists.rerankers import train_reranker
from benchmarks.smt.lists.reranking import METRIC, SEEDS, TEST, chosen_columns, gain, run_with_cache
from benchmarks.text_lines import lines

ORDER = 5
STEPS = 50


def share_of(network: Float64s, words: Float64s) -> float:
    """Share of the network in the mixture with the greatest probability of the text, by EM."""
    share = 0.5
    for _ in range(STEPS):
        share = float((share * network / (share * network + (1 - share) * words)).mean())
    return share


def main(data: Path, cache: Path) -> None:
    text = pack_lines(lines(data / "multi30k-de-en" / "train.en.gz"))
    if not (cache / "network").exists():
        start = time.process_time()
        train_continuous_space(text, ORDER).save(cache / "network")
        print(f"training: {time.process_time() - start:.0f} s of processor time\n", flush=True)
    if not (cache / "lm").exists():
        write_kenlm_trie(estimate_language_model(text, ORDER), cache / "lm")
    network, backing = ContinuousSpaceModel.load(cache / "network"), open_language_model(cache / "lm")
    print("| perplexity | 5-gram | network's share | mixture | less |\n| --- | --- | --- | --- | --- |")
    share = 0.0
    for part in ("val", TEST):
        column = pack_lines(lines(data / "multi30k-de-en" / f"{part}.en.gz"))
        log_probs, word_mask = network.log_probs(column)
        words = backing.score_both(column)[1]
        mask = words.matched_orders > 0
        network_probs, word_probs = (10.0**log_probs * word_mask)[mask], 10.0 ** words.log_prob[mask]
        share = share or share_of(network_probs, word_probs)
        word_perplexity, mixture_perplexity = (
            float(np.exp(-np.log(values).mean())) for values in (word_probs, share * network_probs + (1 - share) * word_probs)
        )
        print(
            f"| {part} | {word_perplexity:.1f} | {share:.2f} | {mixture_perplexity:.1f} | {100 * (1 - mixture_perplexity / word_perplexity):.0f} % |",
            flush=True,
        )
    features = {"+ `lm5`": ["lm5"], "+ `cslm`": ["cslm"], "+ `cslm` mixed with `lm5`": [f"cslm|with:5|share:{share:.2f}"]}
    features["+ `lm5`, `cslm`"] = ["lm5", "cslm"]
    resources = RerankingResources({ORDER: backing}, continuous_space=network)
    metric = metric_named(METRIC)
    lists, references, pools = {}, {}, {}
    for part in ("val", TEST):
        read = read_lists([data / "multi30k-nbest" / f"{part}.nbest.gz"]).lists
        references[part] = lines(data / "multi30k-de-en" / f"{part}.en.gz")
        lists[part] = with_features(
            read, list(dict.fromkeys(name for additions in features.values() for name in additions)), resources
        )
        pools[part] = pool_of(lists[part], metric, [references[part]])
    decoder_names = [name for name in lists["val"].names if name.startswith("F")]
    print("\n| weights and features | val | test | gain over MIRA on test (95 %) |\n| --- | --- | --- | --- |")
    base = None
    for name, additions in {"MIRA, decoder's features": [], **features}.items():
        names = [*decoder_names, *additions]
        narrow = chosen_columns(lists["val"], names)
        weights = train_reranker(narrow, [references["val"]], "mira", METRIC, seeds=SEEDS, average=True).weights
        selection = {}
        for part in ("val", TEST):
            values = lists[part].values[:, [lists[part].names.index(name) for name in names]]
            selection[part] = first_of_best(np.ascontiguousarray(values @ weights.of_columns(names)), pools[part].offsets)
        scores = [pools[part].score_of(selection[part]) for part in ("val", TEST)]
        base = selection[TEST] if base is None else base
        print(
            f"| {name} | {scores[0]:.2f} | {scores[1]:.2f} | {gain(pools[TEST], base, selection[TEST]) if additions else ''} |",
            flush=True,
        )


if __name__ == "__main__":
    run_with_cache(main)
