"""What may be sent beside the segments: the MT system's own doubts, its other translations, those of other systems."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

__all__ = ["NO_SIDE_INFORMATION", "Hypothesis", "SideInformation"]


@dataclass(frozen=True)
class Hypothesis:
    """One entry of an n-best list: its text, the decoder's total score (a log) and the feature scores behind it, by name."""

    text: str
    score: float
    features: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class SideInformation:
    """Everything optional, each for all n segments or None.

    `tokens`: the subword tokens of the MT system, to which its log-probabilities belong. `token_entropies`: nats, one per
    token. `passes`: natural-log probabilities of the translation's tokens in several passes (dropout or ensemble members).
    `samples`: further translations of the source by the same system, sampled. `n_best`: the decoder's list, best first.
    `search`: the decoder's counts by name. `pseudo_references`: translations by other systems. `back_translations`: the
    translation, translated back into the source language.
    """

    tokens: tuple[tuple[str, ...], ...] | None = None
    token_entropies: tuple[tuple[float, ...], ...] | None = None
    passes: tuple[tuple[tuple[float, ...], ...], ...] | None = None
    samples: tuple[tuple[str, ...], ...] | None = None
    n_best: tuple[tuple[Hypothesis, ...], ...] | None = None
    search: tuple[Mapping[str, float], ...] | None = None
    pseudo_references: tuple[tuple[str, ...], ...] | None = None
    back_translations: tuple[str, ...] | None = None

    def columns(self) -> dict[str, Any]:
        """What was sent, by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if getattr(self, each.name) is not None}

    def as_json(self) -> dict[str, Any]:
        """The same as lists that JSON can hold, by name."""
        columns = self.columns()
        if self.n_best is not None:
            columns["n_best"] = [
                [{"text": h.text, "score": h.score, "features": {name: list(v) for name, v in h.features.items()}} for h in row]
                for row in self.n_best
            ]
        return {name: list(value) for name, value in columns.items()}

    @classmethod
    def from_json(cls, columns: Mapping[str, Any]) -> "SideInformation":
        """What `as_json` wrote; other columns are ignored."""
        known = {each.name: columns[each.name] for each in fields(cls) if columns.get(each.name) is not None}
        if "n_best" in known:
            known["n_best"] = tuple(
                tuple(Hypothesis(h["text"], h["score"], {name: tuple(v) for name, v in h["features"].items()}) for h in row)
                for row in known["n_best"]
            )
        if "passes" in known:
            known["passes"] = tuple(tuple(tuple(each) for each in row) for row in known["passes"])
        for name in ("tokens", "token_entropies", "samples", "pseudo_references"):
            if name in known:
                known[name] = tuple(tuple(row) for row in known[name])
        return cls(**{name: tuple(value) for name, value in known.items()})


NO_SIDE_INFORMATION = SideInformation()
