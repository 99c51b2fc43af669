"""Expected features of a lattice: the features of its arcs, weighted by their shares."""

from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.smt.decoder.graphs.lattice import Lattice
from app.smt.decoder.graphs.lattice_kernels import ways_of, windows_of
from app.smt.decoder.language_models import END
from app.smt.decoder.options import UNKNOWN_SCORE
from app.smt.decoder.system import System
from app.smt.decoder.tuning.orientation_kernels import orientations
from app.text.ragged import ragged_rows

__all__ = ["expected_features"]

# Row of an unknown word.
UNKNOWN: Final = -1
# Arcs in one batch, since the ways to them take memory.
BATCH_ARCS: Final = 1 << 15
# Smaller shares count as 0; an arc adds a few hundred to a feature at most.
NEGLIGIBLE: Final = 1e-12


def expected_features(system: System, lattice: Lattice, shares: Float64s) -> Float64s:
    """Σ share · features over the arcs of text without markup, in the system's columns; shares may be differences.

    Recombined hypotheses have equal continuations, so features of an arc are computed behind the best way to it. (Features of
    weight 0 do not separate hypotheses; their values are those of the best way.)
    """
    values = np.zeros(len(system.weights))
    arcs = np.flatnonzero(np.abs(shares) > NEGLIGIBLE)
    for begin in range(0, len(arcs), BATCH_ARCS):
        values += _expected(system, lattice, arcs[begin : begin + BATCH_ARCS], shares)
    return values


def _expected(system: System, lattice: Lattice, arcs: Int64s, all_shares: Float64s) -> Float64s:
    values = np.zeros(len(system.weights))
    options, shares = lattice.options, all_shares[arcs]
    ways, ends = ways_of(lattice.offsets, lattice.previous, lattice.arc_options, arcs)
    last = lattice.arc_options[arcs]
    rows = options.rows[last]
    in_table = rows >= 0
    values[system.table_columns] = shares[in_table] @ system.rows.scores[rows[in_table]]
    starts, stops = options.starts[ways], options.ends[ways]
    last_places, follows = ends[1:] - 1, np.diff(ends) > 1
    jumps = np.abs(starts[last_places] - np.where(follows, stops[last_places - 1], 0))
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
        # Nodes are sorted by translated words, so the last ones are complete.
        first_end = lattice.offsets[len(lattice.offsets) - 1 - lattice.ends]
        values[[system.begins_of[name] for name in system.model_names]] = _language(
            system, lattice, ways, ends, arcs >= first_end, shares
        )
    orientations_by_kind: dict[bool, tuple[Int64s, Int64s]] = {}
    for model in system.reordering:
        kind = model.kind
        if kind.hierarchical not in orientations_by_kind:
            orientations_by_kind[kind.hierarchical] = orientations(starts, stops, ends, kind.hierarchical)
        previous_orientations, next_orientations = orientations_by_kind[kind.hierarchical]
        for backward, phrase_places, orientation in (
            (True, last_places, previous_orientations[last_places]),
            (False, last_places - 1, next_orientations[last_places - 1]),
        ):
            if not (kind.backward if backward else kind.forward):
                continue
            row = options.rows[ways[phrase_places]]
            mask = (row >= 0) & (follows | backward)
            columns = np.array(kind.columns_of(backward))[orientation[mask]]
            scores = shares[mask] * model.scores[row[mask], columns]
            values[model.begin : model.begin + kind.scores] += np.bincount(columns, scores, kind.scores)
    return values


def _language(system: System, lattice: Lattice, ways: Int64s, ends: Int64s, complete: Bools, shares: Float64s) -> Float64s:
    """Expected scores of language models: words of each arc, after the preceding words that influence them."""
    context_limit = system.models.longest_context
    options = lattice.options
    words, offsets, contexts = windows_of(ways, ends, complete.astype(np.int64), options.offsets, options.words, context_limit, END)
    values = np.zeros(len(system.model_names))
    for context in np.unique(contexts).tolist():
        indices = np.flatnonzero(contexts == context)
        places, window_offsets = ragged_rows(offsets, indices)
        values += shares[indices] @ system.models.of_windows(words[places], window_offsets, context, context < context_limit)
    return values
