"""Combination of system outputs by votes in confusion networks (Rosti et al. 2007; Srivastava's thesis §2.5.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics import Metric
from app.running.journal import SILENT, Journal, Share
from app.smt.lists.combination.network import ConfusionNetwork, build_network
from app.smt.lists.combination.outputs import SystemOutputs
from app.smt.lists.combination.paths import Paths, Scorers, network_paths
from app.smt.lists.combination.words import Word, split_words
from app.smt.lists.mbr.decision import decide
from app.smt.tuning.choice_kernels import first_of_best
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import pool_of
from app.smt.tuning.tune import tune
from app.smt.tuning.weights import normalised
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts

__all__ = ["CombinedText", "CombinedWord", "Combiner", "TunedCombination"]

PATHS: Final = 100
ROUNDS: Final = 3


@dataclass(frozen=True)
class CombinedWord:
    """A word of the combined text, and the systems with this word at its position."""

    text: str
    systems: tuple[str, ...]


@dataclass(frozen=True)
class CombinedText:
    """The combined text of a segment, its words with their systems, and the backbone system."""

    text: str
    words: tuple[CombinedWord, ...]
    backbone: str


@dataclass(frozen=True, eq=False)
class TunedCombination:
    """Weights of the columns of `feature_names`, and the corpus score of their combined texts.

    `rounds` has the corpus score of the start weights and of each round, after a new search of paths.
    """

    weights: Float64s
    score: float
    rounds: tuple[float, ...]


class Combiner:
    """Networks of all segments; minimum Bayes risk under the metric `backbone` chooses each backbone."""

    def __init__(
        self, outputs: SystemOutputs, backbone: Metric, scorers: Scorers, path_limit: int = PATHS, journal: Journal = SILENT
    ) -> None:
        self._outputs, self._scorers, self._path_limit = outputs, scorers, path_limit
        self.choices: Int64s = decide(outputs, backbone, journal=Share(journal, 0.0, 0.3)).chosen - outputs.offsets[:-1]
        self._networks = _networks(outputs, self.choices, Share(journal, 0.3, 1.0))

    def paths(self, weights: Float64s, journal: Journal = SILENT) -> Paths:
        """Return the best paths by their arc scores."""
        return network_paths(self._networks, self._outputs, self._scorers, weights, self._path_limit, journal)

    def combine(self, weights: Float64s, journal: Journal = SILENT) -> list[CombinedText]:
        """Return the text of each segment with the highest weighted sum of features."""
        paths = self.paths(weights, journal)
        names = list(self._outputs.systems)
        best_paths = first_of_best(paths.lists.scores, paths.lists.offsets).tolist()
        texts = []
        for network, h in zip(self._networks, best_paths, strict=True):
            arcs = [arc for arc in paths.arcs[h].tolist() if network.words[arc].text]
            words = tuple(
                CombinedWord(network.words[arc].text, tuple(names[s] for s in np.flatnonzero(network.votes[arc]).tolist()))
                for arc in arcs
            )
            texts.append(CombinedText(paths.lists.texts[h], words, names[network.backbone]))
        return texts

    def tune(
        self,
        metric: Metric,
        references: Sequence[Sequence[str]],
        start: Float64s,
        method: str = "mert",
        seed: int = 1,
        rounds: int = ROUNDS,
        journal: Journal = SILENT,
    ) -> TunedCombination:
        """Tune weights towards a metric: each round tunes on all paths so far, then searches new paths by the new weights.

        Weights are scored on their own paths, because paths of other weights say little about them. The best round counts; it
        may be the start.
        """
        weights = normalised(start)
        best, best_score, scores = weights, float("nan"), []
        lists: NBestLists | None = None
        for number in range(rounds + 1):
            share = Share(journal, number / (rounds + 1), (number + 1) / (rounds + 1))
            paths = self.paths(weights, Share(share, 0.0, 0.5)).lists
            own_pool = pool_of(paths, metric, references)
            scores.append(own_pool.score(weights))
            if number == 0 or own_pool.better(scores[-1], best_score):
                best, best_score = weights, scores[-1]
            if number < rounds:
                lists = paths if lists is None else _united(lists, paths)
                pool = pool_of(lists, metric, references)
                weights = tune(TuningData(pool, weights), method, (seed,), journal=Share(share, 0.5, 1.0)).best.weights
        return TunedCombination(best, best_score, tuple(scores))


def _networks(outputs: SystemOutputs, backbones: Int64s, journal: Journal) -> list[ConfusionNetwork]:
    networks = []
    for segment, texts in enumerate(zip(*outputs.systems.values(), strict=True)):
        journal.report("aligning", segment / len(outputs))
        words: list[list[Word]] = [split_words(text) for text in texts]
        networks.append(build_network(words, int(backbones[segment])))
    return networks


def _united(first: NBestLists, second: NBestLists) -> NBestLists:
    """Join two lists per segment, each text once; both have the same features."""
    places = []
    sizes = []
    texts = [*first.texts, *second.texts]
    for first_range, second_range in zip(first, second, strict=True):
        distinct = {texts[h]: h for h in reversed([*first_range, *(len(first.scores) + h for h in second_range)])}
        indices = sorted(distinct.values())
        places += indices
        sizes.append(len(indices))
    rows = np.array(places, np.int64)
    features = np.concatenate([first.features, second.features])[rows]
    scores = np.concatenate([first.scores, second.scores])[rows]
    return NBestLists(
        np.concatenate([[0], np.cumsum(sizes)]), PackedTexts.of(texts[h] for h in places), scores, first.names, features
    )
