"""The card of an imported checkpoint: its origin, its licence, the texts that it compares, and the parts of its network."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from json import dumps
from pathlib import Path
from typing import Final, Literal

from app.text.reading.stored_json import as_kind, read_object

__all__ = ["CARD", "LONGEST", "Architecture", "CheckpointCard", "Use", "forbids_commerce", "is_name", "read_card", "write_card"]

CARD: Final = "card.json"
# Requests have names behind neural: and before |, and behind neural. and before +.
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
FORMAT: Final = 1
# MetricX-24, the longest, reads 1,536 tokens; attention takes memory by the square of the length.
LONGEST: Final = 4096
Architecture = Literal["comet-estimator", "comet-referenceless", "comet-unified", "transquest-mono", "bleurt", "metricx"]
Use = Literal["needed", "optional", "unused"]
# Words in licences' names (SPDX and Hugging Face's tags) that forbid commercial use.
NON_COMMERCIAL: Final = frozenset({"nc", "noncommercial", "non-commercial", "research"})


@dataclass(frozen=True)
class CheckpointCard:
    """`source` and `reference` are the model's needs beside a translation; `files` are SHA-256 by name.

    `begin`, `end` and `pad` are tokens (-1: none), `separators` the number of `end` between two texts, `longest` the most tokens
    of a sequence and `longest_part` of a text in it. `first_place` is the position of the first token; with `padding_has_no_place`,
    a `pad` in the text is not counted, as in RoBERTa. `two_kinds`: the second text's tokens are of another kind.
    `activation` and `final_activation` are the head's. `template` is the order of MetricX's texts.
    `buckets` and `farthest` are T5's relative_attention_num_buckets and relative_attention_max_distance.
    """

    format: int
    name: str
    architecture: Architecture
    licence: str
    origin: str
    converted_by: str
    source: Use
    reference: Use
    higher_is_better: bool
    lowest: float | None
    highest: float | None
    files: Mapping[str, str]
    dimensions: int
    begin: int
    end: int
    pad: int
    separators: int
    longest: int
    longest_part: int
    first_place: int
    padding_has_no_place: bool
    two_kinds: bool
    pooling: Literal["avg", "max", "cls"]
    activation: str
    final_activation: str
    template: str
    buckets: int
    farthest: int

    @property
    def non_commercial(self) -> bool:
        """Return True if the licence's name forbids commercial use."""
        return forbids_commerce(self.licence)

    @property
    def reads_apart(self) -> bool:
        """Return True if the network reads each text alone, so that a pair of known texts costs its head only."""
        return self.architecture in ("comet-estimator", "comet-referenceless")

    @property
    def needs(self) -> str:
        """The texts that the model compares, in words."""
        beside = {"needed": "{}", "optional": "{} where given", "unused": ""}
        parts = ["translation", beside[self.source].format("source"), beside[self.reference].format("reference")]
        return ", ".join(filter(None, parts))


def is_name(name: str) -> bool:
    """Return True if a checkpoint may have this name."""
    return NAME.fullmatch(name) is not None


def forbids_commerce(licence: str) -> bool:
    """Return True if a licence's name forbids commercial use."""
    words = licence.casefold().replace("_", "-").replace(" ", "-")
    return "non-commercial" in words or not NON_COMMERCIAL.isdisjoint(words.split("-"))


def read_card(folder: Path) -> CheckpointCard:
    """The card in a folder; ValueError names the member that is wrong."""
    fields = read_object(folder / CARD)
    if fields.get("format") != FORMAT:
        raise ValueError(f"{CARD} is of format {fields.get('format')!r}, and {FORMAT} is read; import the checkpoint again")
    if fields.keys() != CheckpointCard.__dataclass_fields__.keys():
        raise ValueError(f"{CARD} lacks members of a checkpoint's card, or has unknown ones")
    card = as_kind(CheckpointCard, fields, CARD)
    if not (2 < card.longest <= LONGEST and 2 < card.longest_part <= LONGEST and 0 < card.dimensions <= 1 << 16):
        raise ValueError(f"{CARD}: longest, longest_part or dimensions are out of bounds")
    if not (min(card.begin, card.end, card.pad) >= -1 and 1 <= card.separators <= 2 and 0 <= card.first_place < LONGEST):
        raise ValueError(f"{CARD}: begin, end, pad, separators or first_place are out of bounds")
    if not (0 <= card.buckets <= 1 << 12 and 0 <= card.farthest <= 1 << 16):
        raise ValueError(f"{CARD}: buckets or farthest are out of bounds")
    return card


def write_card(folder: Path, card: CheckpointCard) -> None:
    """Write the card with sorted keys."""
    (folder / CARD).write_text(dumps(asdict(card), indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
