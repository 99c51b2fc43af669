"""`Direction`: tables of one direction of alignment, learned by sampling, and posteriors of links in any text.

Östling and Tiedemann 2016 describe the model: an HMM with fertilities whose Dirichlet priors are integrated out, so that the state
of the Gibbs sampler is the links alone. Tables are means over the samples. The posteriors of a text are drawn with fixed tables, so
the training text is aligned like any other text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s, Int32s, UInt64s
from app.building.alignment.joint import FARTHEST_JUMP, PRIOR, Start, prior_of
from app.building.alignment.joint_kernels import choose_links, count_cells, expect_posteriors
from app.building.alignment.sampling_kernels import add_links, draw_segments, sweep_corpus
from app.building.alignment.word_pairs import WordPairs

__all__ = ["Direction", "sample"]

# The share of target words that no word explains, before their words are looked at.
EMPTY: Final = 0.2
# Fertilities are told apart up to here; the prior of each of them, and of each jump.
MOST_FERTILE: Final = 6
PRIOR_COUNT: Final = 0.5
# Independent samplers, sweeps of each that are forgotten, and sweeps that count.
MOST_CHAINS: Final = 4
# Cells by which they become fewer: of much text one sampler is enough.
CHAIN_CELLS: Final = 4_000_000
BURN, SWEEPS = 20, 40
# Of text that is aligned.
FINAL_BURN, FINAL_SWEEPS = 4, 64
# Rarer pairs and weights of first letters are left out, as if they had not been seen.
RAREST: Final = 1e-3
# Subtracted from the expected links of a pair. A sampler excludes the link that it draws, and without this discount rare words
# would support their own links.
DISCOUNT: Final = 0.6
SEED: Final = 88172645463325252


@dataclass(frozen=True)
class Direction:
    """Tables of one direction; `words` and keys are sorted hashes, as `WordPairs` has them.

    - `counts`: expected links of each pair of words.
    - `stem_weights`: additions of pairs of first letters to the prior of their words.
    - `totals`: sums of counts and priors over all translations of each source word.
    - `fertilities`: how often each source word explains 0, 1, 2 ... target words.
    """

    words: UInt64s
    totals: Float64s
    fertilities: Float32s
    keys: UInt64s
    counts: Float32s
    stem_keys: UInt64s
    stem_weights: Float32s
    jumps: Float64s

    def arrays(self) -> dict[str, np.ndarray]:
        """Tables by name."""
        return {name: getattr(self, name) for name in Direction.__dataclass_fields__}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray]) -> "Direction":
        """Build from the output of `arrays`."""
        return cls(**{name: arrays[name] for name in cls.__dataclass_fields__})

    def posteriors(self, pairs: WordPairs) -> tuple[Float32s, Float64s]:
        """The posterior of every cell, and the log-likelihood of every segment under the HMM without fertilities."""
        stems = _values_of_keys(pairs.stem_keys, self.stem_keys, self.stem_weights)
        weights = prior_of(pairs, stems) + _values_of_keys(pairs.keys, self.keys, self.counts)
        place = _places(pairs.word_hashes, self.words)
        # An unknown word has mean fertilities, and its prior rests on spelling alone.
        totals = np.where(place >= 0, self.totals[place], 1.0)
        fertilities = self.fertilities[place].astype(np.float64)
        fertilities[place < 0] = self.fertilities.sum(axis=0, dtype=np.float64)
        cells = pairs.entry, pairs.entry_offsets, pairs.source_offsets, pairs.target_offsets
        posterior, _, likelihoods = expect_posteriors(*cells, weights / totals[pairs.group], self.jumps, EMPTY)
        links = choose_links(posterior, *cells[1:])
        tables = weights, totals, self.jumps, fertilities
        counts = draw_segments(*cells, pairs.source, links, *tables, EMPTY, FINAL_BURN, FINAL_SWEEPS, np.uint64(SEED))
        return counts / np.float32(FINAL_SWEEPS), likelihoods


def sample(pairs: WordPairs, start: Start, seed: int = SEED) -> Direction:
    """Sample the links of a corpus from those it starts with; the same for the same seed. O(sweeps × Σ I J)."""
    prior = prior_of(pairs, start.stems)
    cells = pairs.entry, pairs.entry_offsets, pairs.source_offsets, pairs.target_offsets
    words = len(pairs.word_hashes)
    posterior = np.zeros(len(pairs.entry), np.float32)
    jumps, fertilities = np.zeros(2 * FARTHEST_JUMP + 1), np.zeros((words, MOST_FERTILE + 1))
    chains = max(1, min(MOST_CHAINS, CHAIN_CELLS // max(1, len(pairs.entry))))
    for chain in range(chains):
        links = start.links.copy()
        tables = (
            prior.copy(),
            np.bincount(pairs.group, weights=prior, minlength=words),
            np.full(len(jumps), PRIOR_COUNT),
            np.full(fertilities.shape, PRIOR_COUNT),
        )
        add_links(*cells, pairs.source, pairs.group, links, *tables)
        state = np.uint64(seed + 2 * chain)
        for sweep in range(BURN + SWEEPS):
            is_counted = sweep >= BURN
            state = np.uint64(sweep_corpus(*cells, pairs.source, links, *tables, EMPTY, is_counted, posterior, state))
            if is_counted:
                jumps += tables[2]
                fertilities += tables[3]
    posterior /= chains * SWEEPS
    return _direction(pairs, start, posterior, jumps / jumps.sum(), (fertilities / (chains * SWEEPS)).astype(np.float32))


def _direction(pairs: WordPairs, start: Start, posterior: Float32s, jumps: Float64s, fertilities: Float32s) -> Direction:
    counts = count_cells(pairs.entry, posterior, len(pairs))
    counts = np.maximum(counts - DISCOUNT, 0.0)
    counts[counts < RAREST] = 0.0
    totals = np.bincount(pairs.group, weights=counts + prior_of(pairs, start.stems), minlength=len(pairs.word_hashes))
    rows = np.flatnonzero(counts)
    rows = rows[np.argsort(pairs.keys[rows])]
    stem_keys, first = np.unique(pairs.stem_keys, return_index=True)
    mask = start.stems[first] >= RAREST
    order = np.argsort(pairs.word_hashes)
    return Direction(
        pairs.word_hashes[order],
        np.maximum(totals, PRIOR)[order],
        fertilities[order],
        pairs.keys[rows],
        counts[rows].astype(np.float32),
        stem_keys[mask],
        start.stems[first][mask].astype(np.float32),
        jumps,
    )


def _places(hashes: UInt64s, rows: UInt64s) -> Int32s:
    """The place of each hash among sorted ones, -1 where it is not."""
    places = np.minimum(np.searchsorted(rows, hashes), max(len(rows) - 1, 0))
    return np.where(rows[places] == hashes, places, -1).astype(np.int32)


def _values_of_keys(keys: UInt64s, rows: UInt64s, values: Float32s) -> Float64s:
    """The value of each key, 0 where it has none."""
    if not len(rows):
        return np.zeros(len(keys))
    places = _places(keys, rows)
    return np.where(places >= 0, values[places].astype(np.float64), 0.0)
