"""Needs of a feature: resources loaded for a language pair, side information sent with segments, and checkpoints."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from app.errors import InputError
from app.resources.checkpoints import Checkpoints
from app.text.side_information import KINDS, GivenPart, Kind

__all__ = [
    "NEEDS",
    "Alternatives",
    "CheckpointNeed",
    "Evidence",
    "Need",
    "PartNeed",
    "Resource",
    "in_order",
    "need_called",
    "refusal",
    "required",
]

T = TypeVar("T")


class Resource(StrEnum):
    """A resource of the language pair that features need."""

    SOURCE_LANGUAGE_MODEL = "source language model"
    TARGET_LANGUAGE_MODEL = "target language model"
    SOURCE_NGRAM_COUNTS = "source n-gram counts"
    TARGET_NGRAM_COUNTS = "target n-gram counts"
    LEXICAL_TABLE = "lexical table"
    REVERSE_LEXICAL_TABLE = "lexical table from target to source"
    SOURCE_TAGGER = "source tagger"
    TARGET_TAGGER = "target tagger"
    SOURCE_PARSER = "source parser"
    TARGET_PARSER = "target parser"
    TARGET_TAG_MODEL = "language model of target parts of speech"
    CORPUS_INDEX = "index of training segments"
    BAGS_OF_WORDS = "topics, triggers and word lexicon"
    SOURCE_GRAMMAR = "source grammar"
    TARGET_GRAMMAR = "target grammar"
    SOURCE_NAMES = "source tagger of named entities"
    TARGET_NAMES = "target tagger of named entities"
    WORD_TAGGER = "word tagger"
    NMT_WORD_TAGGER = "word tagger for tokens of the MT system"
    CROSS_ENCODER = "cross-encoder"


@dataclass(frozen=True)
class CheckpointNeed:
    """A checkpoint of ASSAY_CHECKPOINTS that scores a translation beside its source alone, whatever the language pair."""

    name: str

    def __str__(self) -> str:
        return f"checkpoint {self.name}"


@dataclass(frozen=True)
class PartNeed:
    """A part of side information that every segment must have: one of `parts` of a kind; `words` describes it."""

    kind: Kind[Any]
    parts: tuple[str, ...]
    words: str

    def __str__(self) -> str:
        return self.words

    def is_met(self, evidence: "Evidence") -> bool:
        """Return True if every segment has one of the parts."""
        return any(GivenPart(self.kind.name, part) in evidence for part in self.parts)


@dataclass(frozen=True)
class Alternatives:
    """Several needs, such as something sent or something loaded; one of them is enough."""

    needs: tuple["Resource | PartNeed", ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.needs))


Need = Resource | Kind[Any] | CheckpointNeed | PartNeed | Alternatives
"""A need of a feature: loaded for the language pair or any pair, or given with the segments."""
Evidence = frozenset[Need | GivenPart]
"""Kinds of side information that segments have, and the parts that every segment has."""
NEEDS: Final[tuple[Need, ...]] = (*Resource, *KINDS)
"""All needs but checkpoints, which users name."""


def in_order(needs: Iterable[Need]) -> tuple[Need, ...]:
    """Distinct needs in the order of `NEEDS`, then parts, alternatives and checkpoints by name."""
    distinct = set(needs)
    named_needs = sorted((need for need in distinct if isinstance(need, (Alternatives, CheckpointNeed, PartNeed))), key=str)
    return (*(need for need in NEEDS if need in distinct), *named_needs)


def need_called(words: str) -> Need:
    """The need with this name; ValueError for an unknown one."""
    for need in NEEDS:
        if str(need) == words:
            return need
    raise ValueError(words)


def refusal(need: Need, checkpoints: Checkpoints | None = None) -> InputError:
    """The error for a missing need; for a checkpoint of `checkpoints` it gives the reason why the checkpoint is unusable."""
    if isinstance(need, CheckpointNeed):
        reason = None if checkpoints is None else checkpoints.obstacle(need.name)
        return InputError("missing-checkpoint", reason or f"the {need} is not loaded")
    if isinstance(need, Alternatives):
        return InputError("missing-evidence", f"this feature set needs {need}")
    if isinstance(need, PartNeed):
        return InputError(need.kind.code, f"this feature set needs {need} with every segment")
    if isinstance(need, Kind):
        return InputError(need.code, need.absent or f"this feature set needs {need} with every segment")
    if need is Resource.CROSS_ENCODER:
        return InputError(
            "missing-resource",
            f"the {need} is not asked: the profile is fast, ASSAY_ENCODER is none, there is none, or it cannot be used; "
            "`broken` of GET /v1/models has the reason",
        )
    return InputError("missing-resource", f"the {need} is not loaded")


def required(value: T | None, need: Need) -> T:
    """`value`; for None an InputError that names the missing need."""
    if value is None:
        raise refusal(need)
    return value
