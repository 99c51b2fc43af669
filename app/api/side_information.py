"""What may come beside the texts of a request, checked: for every segment or for none, bounded, free of impossible values."""

from collections.abc import Sequence
from typing import Final

from app.api.quality_schemas import Segment
from app.errors import InputError
from app.text.checking import check_segments
from app.text.log_probs import check_log_probs
from app.text.side_information import NO_SIDE_INFORMATION, Hypothesis, SideInformation

__all__ = ["check_side_information"]

# Field of a request's segment: column of the side information.
FIELDS: Final = {
    "tokens": "tokens",
    "token_entropies": "token_entropies",
    "passes": "passes",
    "samples": "samples",
    "n_best": "n_best",
    "search": "search",
    "pseudo_references": "pseudo_references",
    "back_translation": "back_translations",
}


def check_side_information(segments: Sequence[Segment], longest: int) -> SideInformation:
    """Everything optional that every segment has; InputError where only some have it, or where a value cannot be."""
    columns = {column: _column(segments, name) for name, column in FIELDS.items()}
    if all(column is None for column in columns.values()):
        return NO_SIDE_INFORMATION
    side_information = SideInformation(**columns)  # type: ignore[arg-type]
    _check(side_information, longest)
    return side_information


def _column(segments: Sequence[Segment], name: str) -> tuple[object, ...] | None:
    values = [getattr(segment, name) for segment in segments]
    if all(value is None for value in values):
        return None
    for row, value in enumerate(values):
        if value is None:
            raise InputError("missing-evidence", f"{name} is given for some segments but not for this one", ("segments", row, name))
    if name == "n_best":
        return tuple(
            tuple(Hypothesis(h.text, h.score, {key: tuple(v) for key, v in h.features.items()}) for h in row) for row in values
        )
    if name == "passes":
        return tuple(tuple(tuple(each) for each in row) for row in values)
    return tuple(value if isinstance(value, (str, dict)) else tuple(value) for value in values)


def _check(side_information: SideInformation, longest: int) -> None:
    for row, entropies in enumerate(side_information.token_entropies or ()):
        if not 0 < len(entropies) <= longest or min(entropies) < 0:
            raise InputError(
                "missing-evidence",
                f"{len(entropies)} numbers; expected one per token, 1 to {longest}, none below 0",
                ("segments", row, "token_entropies"),
            )
    for row, texts in enumerate(side_information.tokens or ()):
        check_segments(texts, longest, ("segments", row, "tokens"))
    for row, passes in enumerate(side_information.passes or ()):
        check_log_probs(passes, ("segments", row, "passes"), longest)
    for row, texts in enumerate(side_information.samples or ()):
        check_segments(texts, longest, ("segments", row, "samples"))
    for row, texts in enumerate(side_information.pseudo_references or ()):
        check_segments(texts, longest, ("segments", row, "pseudo_references"))
    for row, hypotheses in enumerate(side_information.n_best or ()):
        check_segments([h.text for h in hypotheses], longest, ("segments", row, "n_best"), "text")
    for row, counts in enumerate(side_information.search or ()):
        if any(value < 0 for value in counts.values()):
            raise InputError("missing-evidence", "counts are not below 0", ("segments", row, "search"))
    check_segments(side_information.back_translations or (), longest, ("segments",), "back_translation")
