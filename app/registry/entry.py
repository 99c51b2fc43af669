"""One view of every trained artifact, for all forms of cards on disk."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.features import Evidence, PairResources, feature_called, missing, needs_of
from app.metrics import read_trained_metric
from app.metrics.learnt.features import check_features
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.word_order.names import STEMMERS
from app.predictors import Card, Scale, read_card
from app.predictors.cross_encoder import GRAPH, CrossEncoderCard, read_cross_encoder_card
from app.predictors.evaluation import correlation_bound
from app.predictors.word_tags import read_word_card
from app.predictors.word_tags.model import WordTagCard
from app.resources.manifest import recalled_checksum

__all__ = [
    "CROSS_ENCODER",
    "METRIC",
    "PREDICTOR",
    "WORD_TAGGER",
    "RegistryEntry",
    "best_first",
    "can_answer",
    "cross_encoder_entry",
    "metric_entry",
    "predictor_entry",
    "rank_of",
    "scale_of",
    "word_tagger_entry",
]

PREDICTOR: Final = "predictor"
WORD_TAGGER: Final = "word-tagger"
METRIC: Final = "metric"
CROSS_ENCODER: Final = "cross-encoder"
NUMBERS: Final = "arrays.safetensors"
# At most this many unknown features are named.
FEATURE_LIMIT: Final = 3


@dataclass(frozen=True)
class RegistryEntry:
    """Card of an artifact, read without loading its arrays.

    `scope` is a language pair, or the language of a metric; `label` is the label of a predictor. `accuracy` has measured values,
    `details` the whole card. `parent` is the model that this version was trained from. `numbers` is the file of learned arrays.
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
        return recalled_checksum(self.numbers)


def predictor_entry(folder: Path) -> RegistryEntry | None:
    """Entry of a predictor; None for a folder of another kind, InputError for an unreadable or empty folder."""
    if not _has(folder, "card.json"):
        _check_folder(folder)
        return None
    card = read_card(folder)
    if unknown := [name for name in card.features if feature_called(name) is None]:
        rest = len(unknown) - FEATURE_LIMIT
        names = ", ".join(unknown[:FEATURE_LIMIT]) + (f" and {rest} more" if rest > 0 else "")
        raise InputError("unknown-model", f"its features {names} do not exist in this version; train it again")
    details = {**card.as_json(), "features": list(card.features)}
    entry = _entry(folder, PREDICTOR, "card.json", card.pair, card, details)
    return replace(entry, label=card.label, parent=card.parent, version=card.version)


def word_tagger_entry(folder: Path) -> RegistryEntry | None:
    """Entry of a word tagger; None for a folder of another kind, InputError for an unreadable one."""
    if not _has(folder, "word-tags.json"):
        return None
    card = read_word_card(folder)
    details = {**asdict(card), "word_features": list(card.word_features), "gap_features": list(card.gap_features)}
    return _entry(folder, WORD_TAGGER, "word-tags.json", card.pair, card, details)


def cross_encoder_entry(folder: Path) -> RegistryEntry | None:
    """Entry of a cross-encoder; None for a folder of another kind, InputError for an unreadable one."""
    if not _has(folder, "cross-encoder.json"):
        return None
    card = read_cross_encoder_card(folder)
    return _entry(folder, CROSS_ENCODER, "cross-encoder.json", card.layers, card, asdict(card), GRAPH)


def _entry(
    folder: Path,
    kind: str,
    file: str,
    scope: str,
    card: Card | WordTagCard | CrossEncoderCard,
    details: Mapping[str, Any],
    name: str = NUMBERS,
) -> RegistryEntry:
    numbers = folder / name
    if not numbers.is_file():
        raise InputError("unknown-model", f"models/{folder.name} has no readable {file} and {name}: there is no {name}")
    return RegistryEntry(folder.name, kind, scope, card.licence, card.accuracy, numbers, details, created=card.created)


def metric_entry(path: Path) -> RegistryEntry | None:
    """Entry of a trained metric; None for a path without the suffix of JSON, InputError for an unreadable file."""
    if path.suffix != ".json":
        return None
    metric = read_trained_metric(path)
    check_features(metric.features)
    if metric.tokenise not in METRIC_TOKENISERS or metric.stem not in (None, *STEMMERS):
        raise InputError("unknown-model", f"{path.name} needs a tokeniser or stemmer that is not installed")
    return RegistryEntry(
        id=metric.id,
        kind=METRIC,
        scope=metric.language,
        licence=str(metric.card.get("licence", "")),
        accuracy=metric.card.get("accuracy", {}),
        numbers=path,
        details=metric.card,
        created=metric.card.get("created"),
    )


def _has(folder: Path, name: str) -> bool:
    """Return True if a folder has a file, folder or link of this name."""
    path = folder / name
    return path.is_symlink() or path.exists()


def _check_folder(folder: Path) -> None:
    """InputError for an empty folder and for a broken link."""
    if folder.is_symlink() and not folder.exists():
        raise InputError("unknown-model", f"models/{folder.name} is a link that leads nowhere")
    if folder.is_dir() and not any(folder.iterdir()):
        raise InputError("unknown-model", f"models/{folder.name} is empty")


def scale_of(entry: RegistryEntry) -> Scale | None:
    """Declared scale of a predictor's label; None for the usual one."""
    scale = entry.details.get("scale")
    return None if scale is None else Scale(**{**scale, "classes": tuple(scale["classes"])})


def rank_of(accuracy: Mapping[str, Any], name: str) -> tuple[float, str]:
    """Rank of a predictor among those that can answer; the highest one answers.

    The lower bound of the correlation on the card wins, so that few segments do not beat many by chance; then the name.
    """
    return correlation_bound(float(accuracy["pearson"]), int(accuracy["segments"])), name


def best_first(entries: Iterable[RegistryEntry], general: Iterable[RegistryEntry]) -> list[RegistryEntry]:
    """Predictors of a pair from best to worst; the `general` ones of any pair where none of them follows its labels."""
    entries = list(entries)
    following = [entry for entry in entries if float(entry.accuracy["pearson"]) > 0]
    return sorted(following or list(general) or entries, key=lambda entry: rank_of(entry.accuracy, entry.id), reverse=True)


def can_answer(entry: RegistryEntry, resources: PairResources, evidence: Evidence) -> bool:
    """Return True if all features of a predictor can be computed."""
    return missing(needs_of(entry.details["features"]), resources, evidence) is None
