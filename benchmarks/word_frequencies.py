"""Gain by word frequencies of other people on unseen pairs: ``python -m benchmarks.word_frequencies DATA --encoded FOLDER``.

It needs ``pip install wordfreq simplemma``, which Assay does not install. Both sides get the frequency features of `side_features`:
frequencies of wordfreq (its scale of Zipf), and unknown words, also those whose lemma by simplemma is unknown. A language without a
list has the means of other pairs in place of values. The table has Pearson with DA and HTER on dev with and without them, each pair by
a predictor and a judge without it, as ``python -m benchmarks.small_resources`` does.
"""

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.arrays import Float64s
from app.features.encoded import READ
from app.predictors.sentences.model import LABELS
from app.settings import Settings
from app.text.batch import TokenColumn
from benchmarks.small_resources import Values, batch_of, report
from scripts.mlqe_pe.curves import left_out_pairs
from scripts.mlqe_pe.left_out import SEED, LeftOutRows

try:
    import simplemma
    from wordfreq import available_languages, get_frequency_dict
except ImportError:
    raise SystemExit("this benchmark needs wordfreq and simplemma: pip install wordfreq simplemma") from None

# Frequencies on Zipf's scale: log10 of occurrences per thousand million words. Words rarer than 1 are in no list.
BINS = (3.0, 4.0, 5.0, 6.0)
WIDTH = 9


def lemmatiser_of(language: str) -> Callable[[str], str]:
    try:
        simplemma.lemmatize("a", language)
    except ValueError:
        return lambda word: word
    return lambda word: simplemma.lemmatize(word, language)


def side_features(language: str, column: TokenColumn) -> Float64s:
    """Mean, least and spread of frequencies of the words of letters, shares of bins, of unknown words, and of unknown lemmas.

    Shape (n, 9), NaN for a language without a list.
    """
    out = np.full((len(column), WIDTH), np.nan)
    if language not in available_languages("best"):
        return out
    frequencies, lemma_of = get_frequency_dict(language, "best"), lemmatiser_of(language)
    zipf = np.array([math.log10(frequencies.get(word, 1e-9)) + 9 for word in column.vocabulary])
    lemmas = np.array(
        [math.log10(max(frequencies.get(word, 0), frequencies.get(lemma_of(word), 1e-9))) + 9 for word in column.vocabulary]
    )
    letters = np.array([word.isalpha() for word in column.vocabulary], np.bool_)
    for row in range(len(column)):
        ids = column.ids[column.offsets[row] : column.offsets[row + 1]]
        ids = ids[letters[ids]]
        if not len(ids):
            out[row] = 0
            continue
        places = np.bincount(np.digitize(zipf[ids], BINS), minlength=len(BINS) + 1)[1:] / len(ids)
        unknown = (zipf[ids] <= 0).mean(), (lemmas[ids] <= 0).mean()
        out[row] = [zipf[ids].mean(), zipf[ids].min(), zipf[ids].std(), *places, *unknown]
    return out


def frequency_values(data: LeftOutRows, selections: Sequence[np.ndarray]) -> dict[str, Values]:
    """Features of both sides and differences of their means, as they are, and less the mean of each pair over its spread."""
    values: list[list[Float64s]] = []
    for row, selection in zip(data.rows, selections, strict=True):
        parts = []
        for batch in (batch_of(row.train, selection), batch_of(row.dev)):
            sides = [side_features(*side) for side in ((row.pair.source, batch.source), (row.pair.target, batch.translation))]
            parts.append(np.hstack([*sides, sides[0] - sides[1]]))
        values.append(parts)
        print(f"{row.pair}: {3 * WIDTH} features", file=sys.stderr, flush=True)
    means = np.nanmean(np.concatenate([parts[0] for parts in values]), axis=0)
    plain = [tuple(np.where(np.isnan(part), means, part) for part in parts) for parts in values]
    standardised_values = []
    for train, dev in plain:
        centre, spread = train.mean(0), train.std(0)
        spread[spread < 1e-9] = 1
        standardised_values.append(((train - centre) / spread, (dev - centre) / spread))
    result: dict[str, Any] = {"word frequencies": plain, "less each pair's means, over their spread": standardised_values}
    return result


def main() -> None:
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.word_frequencies", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--encoded", type=Path, required=True)
    parser.add_argument("--learner", default="blend")
    parser.add_argument("--rows", type=int, default=500, help="training rows of each pair")
    parser.add_argument("--without-network", action="store_true", help="leave out the four features of the network (53 of 57)")
    options = parser.parse_args()
    data = left_out_pairs(
        options.data, settings.resources_dir, settings.models_dir, "auto", options.encoded, not options.without_network
    )
    pairs = range(len(data.rows))
    selections = [np.sort(np.random.default_rng(SEED).permutation(len(row.values))[: options.rows]) for row in data.rows]
    network_features = {f"enc.{name}" for name, _ in READ} if options.without_network else set()
    columns = [k for k, name in enumerate(data.names) if name not in network_features]
    names = [data.names[k] for k in columns]
    values = [(data.of_train(pair, selections[pair])[:, columns], data.of_dev(pair)[:, columns]) for pair in pairs]
    labels = {
        label: [
            (row.train.labels(label)[selection], row.dev.labels(label))
            for row, selection in zip(data.rows, selections, strict=True)
        ]
        for label in LABELS
    }
    report([row.pair for row in data.rows], values, labels, names, frequency_values(data, selections), options.learner)


if __name__ == "__main__":
    main()
