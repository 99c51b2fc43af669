"""One view of everything that was trained, whatever its card looks like on disk."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.metrics import read_trained_metric

__all__ = ["METRIC", "PREDICTOR", "WORD_TAGGER", "Entry", "metric_entry", "predictor_entry", "word_tagger_entry"]

PREDICTOR: Final = "predictor"
WORD_TAGGER: Final = "word-tagger"
METRIC: Final = "metric"
NUMBERS: Final = "arrays.safetensors"


@dataclass(frozen=True)
class Entry:
    """What is known of an artifact without loading it.

    `scope` is a language pair, or the language of a metric; `label` is what a predictor predicts. `accuracy` is what was
    measured, `details` the whole card. Who was trained from another names it as `parent`. `numbers` is the file that holds
    what was learned.
    """

    id: str
    kind: str
    scope: str
    licence: str
    accuracy: Mapping[str, Any]
    numbers: Path
    details: Mapping[str, Any] = field(repr=False)
    label: str | None = None
    created: str | None = None
    parent: str | None = None
    version: int = 1

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of the numbers, in hexadecimal."""
        with self.numbers.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def predictor_entry(folder: Path) -> Entry | None:
    """A predictor's; None where the folder holds something else, InputError where it cannot be read."""
    card = _card(folder, "card.json")
    if card is None:
        return None
    try:
        float(card["accuracy"]["pearson"])
        [str(name) for name in card["features"]]
        return Entry(
            id=folder.name,
            kind=PREDICTOR,
            scope=card["pair"],
            licence=card["licence"],
            accuracy=card["accuracy"],
            numbers=folder / NUMBERS,
            details=card,
            label=card["label"],
            created=card["created"],
            parent=card.get("parent"),
            version=int(card.get("version", 1)),
        )
    except (KeyError, TypeError, ValueError):
        raise _unreadable(folder, "card.json") from None


def word_tagger_entry(folder: Path) -> Entry | None:
    """A word tagger's; None where the folder holds something else, InputError where it cannot be read."""
    card = _card(folder, "word-tags.json")
    if card is None:
        return None
    try:
        float(card["accuracy"]["words"]["mcc"])
        return Entry(
            id=folder.name,
            kind=WORD_TAGGER,
            scope=card["pair"],
            licence=card["licence"],
            accuracy=card["accuracy"],
            numbers=folder / NUMBERS,
            details=card,
            created=card["created"],
        )
    except (KeyError, TypeError, ValueError):
        raise _unreadable(folder, "word-tags.json") from None


def metric_entry(path: Path) -> Entry | None:
    """A trained metric's; None where the path is no file of JSON, InputError where it cannot be read."""
    if path.suffix != ".json" or not path.is_file():
        return None
    metric = read_trained_metric(path)
    return Entry(
        id=metric.id,
        kind=METRIC,
        scope=metric.language,
        licence=str(metric.card.get("licence", "")),
        accuracy=metric.card.get("accuracy", {}),
        numbers=path,
        details=metric.card,
        created=metric.card.get("created"),
    )


def _card(folder: Path, name: str) -> dict[str, Any] | None:
    path = folder / name
    if not path.is_file():
        return None
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(card, dict) or not (folder / NUMBERS).is_file():
            raise ValueError
    except (OSError, ValueError):
        raise _unreadable(folder, name) from None
    return card


def _unreadable(folder: Path, name: str) -> InputError:
    return InputError("unknown-model", f"models/{folder.name} has no readable {name} and {NUMBERS}")
