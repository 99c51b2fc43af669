"""Files of weights for single sentences: JSON that ``assay nbest tune-local`` writes and ``assay nbest rerank`` reads.

``{"format": "assay-local-weights", "version": 1, "card": {…}, "for_all": {"lm": [0.7], …},
"segments": [{"segment": 0, "weights": {"lm": [0.6], …}}, …]}``; segments are numbered from 0 and stand in ascending order.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.errors import InputError
from app.smt.tuning.weights import FeatureWeights
from app.smt.tuning.weights_file import LOCAL_FORMAT, checked_weights, in_utf8, invalid_weights, read_object

__all__ = ["LocalWeightsFile", "holds_local_weights", "read_local_weights", "sources_checksum", "write_local_weights"]

VERSION: Final = 1


@dataclass(frozen=True)
class LocalWeightsFile:
    """Weights by segment number, weights for all segments, and a card.

    The card has method, metric and its signature, seed, the development lists, the SHA-256 of the sentences' sources (`sources`,
    see `sources_checksum`) and counts of events.
    """

    segments: Mapping[int, FeatureWeights]
    common_weights: FeatureWeights
    card: Mapping[str, Any]


def holds_local_weights(raw: bytes) -> bool:
    """Return True for a file of this format."""
    try:
        if LOCAL_FORMAT.encode() not in in_utf8(raw, "weights"):
            return False
        return bool(read_object(raw, "weights").get("format") == LOCAL_FORMAT)
    except InputError:
        return False


def read_local_weights(raw: bytes, name: str = "weights") -> LocalWeightsFile:
    """Read a file; InputError (`invalid-weights`) names the place of a fault."""
    content = read_object(raw, name)
    if content.get("format") != LOCAL_FORMAT or content.get("version") != VERSION:
        raise invalid_weights(f"expected the format {LOCAL_FORMAT}, version {VERSION}", (name, "format"))
    rows, card = content.get("segments"), content.get("card", {})
    if not isinstance(rows, list) or not isinstance(card, dict):
        wrong = "card" if isinstance(rows, list) else "segments"
        raise invalid_weights("segments must be a list, and card an object", (name, wrong))
    segments: dict[int, FeatureWeights] = {}
    for place, row in enumerate(rows):
        number = row.get("segment") if isinstance(row, dict) else None
        if type(number) is not int or number < 0 or number in segments:
            raise invalid_weights("an entry needs its segment number, from 0, and no number may repeat", (name, "segments", place))
        segments[number] = checked_weights(row.get("weights"), (name, "segments", place, "weights"))
    return LocalWeightsFile(segments, checked_weights(content.get("for_all"), (name, "for_all")), card)


def write_local_weights(file: LocalWeightsFile) -> bytes:
    """Return the bytes of a file; equal weights and card give equal bytes."""
    rows = [{"segment": number, "weights": file.segments[number].values} for number in sorted(file.segments)]
    content = {
        "format": LOCAL_FORMAT,
        "version": VERSION,
        "card": dict(file.card),
        "for_all": file.common_weights.values,
        "segments": rows,
    }
    return (json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


def sources_checksum(sources: Sequence[str]) -> str:
    """Return the SHA-256 of source texts, each with a line end; it identifies the sentences of the weights."""
    return hashlib.sha256("".join(f"{text}\n" for text in sources).encode("utf-8", "surrogatepass")).hexdigest()
