"""Decoders of single sentences, each with weights of its own (Song 2015, Algorithm 5.2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from app.arrays import Int64s
from app.errors import InputError
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.system import SystemParts, system_of
from app.smt.decoder.text_phrases import places_of
from app.smt.tuning.local_weights_file import LocalWeightsFile
from app.text.hashing import hash_tokens

__all__ = ["SentenceDecoders"]

# The sum of absolute weights, which scales them, has to be a number.
LARGEST_WEIGHT: Final = 1e30


class SentenceDecoders:
    """Decoders by segment number: of its own weights, or else of the weights for all.

    Each vector is scaled to the configuration's sum of absolute weights, since beams depend on this scale. InputError for a system
    with sparse features, or weights of other features.
    """

    def __init__(self, parts: SystemParts, file: LocalWeightsFile, limits: SearchLimits) -> None:
        if parts.has_sparse:
            detail = "weights of sentences are those of dense features, and this system has sparse ones"
            raise InputError("invalid-request", detail, ("--sentence-weights",))
        self._parts, self._limits = parts, limits
        total = float(np.abs(parts.weights).sum())
        self._weights = {}
        for segment, weights in ((-1, file.common_weights), *file.segments.items()):
            vector = weights.of_columns(parts.names)
            if not 0 < np.abs(vector).max(initial=0) < LARGEST_WEIGHT:
                place = "for_all" if segment < 0 else f"segment {segment}"
                raise InputError(
                    "invalid-weights", f"the weights of {place} are all 0, or too large", ("--sentence-weights", place)
                )
            self._weights[segment] = vector * (total / float(np.abs(vector).sum()))

    def decoder(self, segment: int, tokens: Sequence[str]) -> Decoder:
        """Decoder of a sentence, with the rows of its phrases alone."""
        weights = self._weights.get(segment, self._weights[-1])
        return Decoder(system_of(_parts_of_sentence(self._parts, tokens), weights), self._limits)


def _parts_of_sentence(parts: SystemParts, tokens: Sequence[str]) -> SystemParts:
    """Rows of the phrases of a sentence."""
    longest = max((table.longest for table in parts.tables), default=0)
    phrases = {
        " ".join(tokens[start:end])
        for start in range(len(tokens))
        for end in range(start + 1, min(start + longest, len(tokens)) + 1)
    }
    hashes = np.sort(hash_tokens(list(phrases)))
    rows: list[Int64s] = [places_of(table.sources, hashes)[0] for table in parts.tables]
    begins = np.cumsum([0, *(len(table) for table in parts.tables)]).tolist()
    places = np.concatenate([np.zeros(0, np.int64), *(begin + part for begin, part in zip(begins, rows, strict=False))])
    return replace(
        parts,
        tables=tuple(table.rows(part) for table, part in zip(parts.tables, rows, strict=True)),
        reordering=tuple(replace(model, scores=model.scores[places]) for model in parts.reordering),
    )
