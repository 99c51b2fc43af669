"""Expected features: of each arc of a lattice what it adds to each feature, times its share."""

from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.smt.decoder.graphs.lattice import Lattice
from app.smt.decoder.graphs.lattice_kernels import ways_of, windows_of
from app.smt.decoder.language_models import END
from app.smt.decoder.options import UNKNOWN_SCORE
from app.smt.decoder.system import System
from app.smt.decoder.tuning.orientation_kernels import orientations

__all__ = ["expected_features"]

# The row of an unknown word.
UNKNOWN: Final = -1
# Arcs that are looked at together: the ways to them take memory.
TOGETHER: Final = 1 << 15
# Shares below this are none: an arc adds some hundreds to a feature at most.
NEGLIGIBLE: Final = 1e-12


def expected_features(system: System, lattice: Lattice, shares: Float64s) -> Float64s:
    """Σ share · features over the arcs of text without markup, in the system's columns; shares may be differences of shares.

    Of hypotheses that were recombined what comes next hears the same, whichever way led to them, so the features of an arc are
    those behind the best way to it. (Features whose weight is 0 do not keep hypotheses apart; theirs are of the best way alone.)
    """
    values = np.zeros(len(system.weights))
    arcs = np.flatnonzero(np.abs(shares) > NEGLIGIBLE)
    for begin in range(0, len(arcs), TOGETHER):
        values += _expected(system, lattice, arcs[begin : begin + TOGETHER], shares)
    return values


def _expected(system: System, lattice: Lattice, arcs: Int64s, all_shares: Float64s) -> Float64s:
    values = np.zeros(len(system.weights))
    options, shares = lattice.options, all_shares[arcs]
    ways, ends = ways_of(lattice.offsets, lattice.before, lattice.chosen, arcs)
    last = lattice.chosen[arcs]
    rows = options.rows[last]
    told = rows >= 0
    values[system.table_columns] = shares[told] @ system.rows.scores[rows[told]]
    starts, stops = options.starts[ways], options.ends[ways]
    at, follows = ends[1:] - 1, np.diff(ends) > 1
    jumps = np.abs(starts[at] - np.where(follows, stops[at - 1], 0))
    words = options.offsets[last + 1] - options.offsets[last]
    plain = {
        "WordPenalty": -float(shares @ words),
        "PhrasePenalty": float(shares.sum()),
        "UnknownWordPenalty": UNKNOWN_SCORE * float(shares[rows == UNKNOWN].sum()),
        "Distortion": -float(shares @ jumps),
    }
    for feature in system.features:
        if feature.kind in plain:
            values[system.begins_of[feature.name]] = plain[feature.kind]
    if system.model_names:
        # Nodes stand by how much is translated, so the last ones are whole.
        first_end = lattice.offsets[len(lattice.offsets) - 1 - lattice.ends]
        values[[system.begins_of[name] for name in system.model_names]] = _language(
            system, lattice, ways, ends, arcs >= first_end, shares
        )
    turns: dict[bool, tuple[Int64s, Int64s]] = {}
    for model in system.reordering:
        kind = model.kind
        if kind.hierarchical not in turns:
            turns[kind.hierarchical] = orientations(starts, stops, ends, kind.hierarchical)
        following, followed = turns[kind.hierarchical]
        for backward, places, turn in ((True, at, following[at]), (False, at - 1, followed[at - 1])):
            if not (kind.backward if backward else kind.forward):
                continue
            row = options.rows[ways[places]]
            there = (row >= 0) & (follows | backward)
            columns = np.array(kind.columns_of(backward))[turn[there]]
            scores = shares[there] * model.scores[row[there], columns]
            values[model.begin : model.begin + kind.scores] += np.bincount(columns, scores, kind.scores)
    return values


def _language(system: System, lattice: Lattice, ways: Int64s, ends: Int64s, whole: Bools, shares: Float64s) -> Float64s:
    """What language models expect: of an arc its words, after as many before them as can matter."""
    most = system.models.longest_context
    options = lattice.options
    words, offsets, before = windows_of(ways, ends, whole.astype(np.int64), options.offsets, options.words, most, END)
    values = np.zeros(len(system.model_names))
    for skipped in np.unique(before).tolist():
        some = np.flatnonzero(before == skipped)
        lengths = offsets[some + 1] - offsets[some]
        own = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(offsets[some] - own[:-1], lengths) + np.arange(own[-1])
        values += shares[some] @ system.models.of_windows(words[places], own, skipped, skipped < most)
    return values
