"""Paths through confusion networks as n-best lists with features, for any tuner."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int32s
from app.metrics import Metric
from app.resources.language_models import LanguageModel
from app.running.journal import Journal
from app.smt.lists.combination.network import ConfusionNetwork
from app.smt.lists.combination.path_kernels import best_paths
from app.smt.lists.mbr.decision import PlainTextLists, TextLists, decide
from app.text.batch import pack_lines
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts
from app.text.ragged import offsets_of

__all__ = ["Paths", "Scorers", "feature_names", "network_paths", "start_weights"]


@dataclass(frozen=True)
class Scorers:
    """Scorers of whole paths: a sentence metric against all outputs, and an optional language model.

    `lowered` says that the model's words are in lower case.
    """

    consensus: Metric
    model: LanguageModel | None = None
    lowered: bool = True


@dataclass(frozen=True, eq=False)
class Paths:
    """N-best lists of the distinct texts of the best paths, and the arcs of each path (slots,)."""

    lists: NBestLists
    arcs: Sequence[Int32s]


def feature_names(systems: int, scorers: Scorers) -> tuple[str, ...]:
    """Return column names: slots equal to each system, slots equal to the backbone, words, agreement, language model."""
    names = ("votes",) * systems + ("backbone", "words", "consensus")
    return names if scorers.model is None else (*names, "lm", "unknown")


def start_weights(systems: int, scorers: Scorers) -> Float64s:
    """Return start weights: equal votes, and a weight of some words for the agreement of a path with all outputs."""
    weights = np.zeros(len(feature_names(systems, scorers)))
    weights[:systems] = 1.0 / systems
    weights[systems : systems + 3] = (0.1, 0.0, 10.0)
    if scorers.model is not None:
        weights[-2:] = (0.1, -0.5)
    return weights


def network_paths(
    networks: Sequence[ConfusionNetwork], outputs: TextLists, scorers: Scorers, weights: Float64s, limit: int, journal: Journal
) -> Paths:
    """Return the `limit` best paths of each network by arc scores, each text once, with features."""
    systems = networks[0].votes.shape[1] if networks else 0
    texts: list[str] = []
    arcs: list[Int32s] = []
    columns: list[Float64s] = []
    sizes = []
    for number, network in enumerate(networks):
        journal.report("searching", number / len(networks))
        features = _arc_features(network)
        paths = best_paths(features @ weights[: features.shape[1]], network.offsets, limit)
        distinct: dict[str, int] = {}
        for place, path in enumerate(paths.tolist()):
            words = [network.words[arc] for arc in path]
            distinct.setdefault(network.spacing.joined([word for word in words if word.text]), place)
        distinct_paths = paths[list(distinct.values())]
        texts += distinct
        arcs += list(distinct_paths)
        sizes.append(len(distinct_paths))
        columns.append(features[distinct_paths].sum(1))
    offsets = offsets_of(sizes)
    path_texts = PackedTexts.of(texts)
    arc_columns = np.concatenate([np.empty((0, systems + 2)), *columns])
    features = np.column_stack([arc_columns, *_text_columns(PlainTextLists(offsets, path_texts), outputs, scorers, journal)])
    names = feature_names(systems, scorers)
    return Paths(NBestLists(offsets, path_texts, features @ weights, names, features), arcs)


def _arc_features(network: ConfusionNetwork) -> Float64s:
    """Return the features of each arc: votes of systems, vote of the backbone, and 1 for a word; (arcs, systems + 2)."""
    words = np.array([bool(word.text) for word in network.words], np.float64)
    return np.column_stack([network.votes.astype(np.float64), network.votes[:, network.backbone].astype(np.float64), words])


def _text_columns(lists: TextLists, outputs: TextLists, scorers: Scorers, journal: Journal) -> list[Float64s]:
    metric = scorers.consensus
    expected = decide(lists, metric, references=outputs, journal=journal).expected
    sign = (1.0 if metric.higher_is_better else -1.0) / (100.0 if "100" in metric.unit else 1.0)
    columns = [sign * expected]
    if scorers.model is not None:
        texts = [text.lower() for text in lists.texts] if scorers.lowered else list(lists.texts)
        scores = scorers.model.score(pack_lines(texts))
        columns += [scores.log_prob, scores.unknown.astype(np.float64)]
    return columns
