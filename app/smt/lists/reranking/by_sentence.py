"""Scores of hypotheses by the weights of their sentence, from ``assay nbest tune-local``."""

from collections.abc import Sequence

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.smt.lists.reranking.ordering import reorder
from app.smt.tuning.local_weights_file import LocalWeightsFile, sources_checksum
from app.text.n_best import NBestLists

__all__ = ["scores_by_sentence"]


def scores_by_sentence(
    lists: NBestLists, file: LocalWeightsFile, name: str, sources: Sequence[str] | None = None, zero_missing: bool = False
) -> Float64s:
    """Return the weighted sum of every hypothesis by the weights of its segment; (h,).

    InputError names the file `name` if its weights belong to other sentences: lists without weights, weights without lists, or
    different `sources`.
    """
    lacking = [number for number in range(len(lists)) if lists.lengths[number] and number not in file.segments]
    if lacking or any(number >= len(lists) for number in file.segments):
        detail = f"these are weights of {len(file.segments)} sentences, not those of the {len(lists)} lists"
        raise InputError("missing-weights", f"{detail}: run assay nbest tune-local with the same lists as --test", (name,))
    if sources is not None and file.card.get("sources") not in (None, sources_checksum(sources)):
        detail = "these are weights of other sentences: run assay nbest tune-local with the same sources as --test-source"
        raise InputError("missing-weights", detail, (name,))
    scores = np.zeros(len(lists.scores))
    for number in np.flatnonzero(lists.lengths).tolist():
        begin, end = lists.offsets[number : number + 2].tolist()
        scores[begin:end] = reorder(lists.rows(np.array([number])), file.segments[number], zero_missing).scores
    return scores
