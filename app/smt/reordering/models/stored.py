"""Grammars on disk: their options, their card, and the checks of their probabilities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import numpy as np
from pydantic import Field

from app.smt.reordering.grammar import Grammar
from app.smt.reordering.labels import Layout
from app.smt.reordering.models.artifacts import Arrays, load_artifact, save_artifact
from app.smt.reordering.terminals import UNKNOWN
from app.smt.reordering.treebank import Trees
from app.smt.reordering.units import Attachment

__all__ = ["GRAMMAR", "GrammarCard", "Models", "Splits", "TrainingOptions", "load_grammars", "save_grammars"]

GRAMMAR: Final = "grammar.safetensors"
# Probabilities of a distribution are stored with seven digits.
TOLERANCE: Final = 1e-3
Splits = Annotated[int, Field(ge=1, le=100)]
Models = Annotated[int, Field(ge=1, le=16)]


@dataclass(frozen=True)
class TrainingOptions:
    """Options of a training: the trees of a sentence, the side of unaligned words, splits of binary and of wider labels.

    Words seen at most `rare` times become classes, by the tagger of `language` if any. Noise is a share of each probability;
    smoothing is the share of `smoothed`, before each iteration and after the last. Grammars of `models` successive seeds choose
    orders together.
    """

    trees: Trees = "forest"
    attach: Attachment = "right"
    splits: tuple[Splits, Splits] = (30, 3)
    iterations: int = 10
    rare: int = 3
    noise: float = 0.5
    seed: int = 1
    language: str | None = None
    smoothing: Annotated[float, Field(ge=0, le=1)] = 0.0
    models: Models = 1

    @property
    def layout(self) -> Layout:
        """Places of the splits."""
        return Layout(*self.splits)


@dataclass(frozen=True)
class GrammarCard:
    """Description of grammars: options, training sentences, those left out by reason, and the likelihood before each iteration.

    The iterations of one grammar follow those of another. Logs are natural, of all sentences. `words` counts the words of
    sentences, `data` has the checksums of the training's files.
    """

    options: TrainingOptions
    sentences: int
    words: int
    omissions: Mapping[str, int]
    log_likelihoods: Sequence[float]
    data: Mapping[str, str]
    licence: str
    assay: str
    sha256: str = ""
    format: Literal["assay-reordering-grammar"] = "assay-reordering-grammar"
    version: Literal[1] = 1


def save_grammars(grammars: Sequence[Grammar], card: GrammarCard, folder: Path) -> None:
    """Write grammars over the same words, one below the other, and their card into an existing folder."""
    tables = {name: [getattr(grammar, name) for grammar in grammars] for name in ("roots", "rules", "emissions")}
    arrays = {name: np.concatenate(rows).astype(np.float32) for name, rows in tables.items()}
    texts = np.frombuffer("\n".join(grammars[0].words).encode(), np.uint8)
    save_artifact({**arrays, "words": texts}, card, folder, GRAMMAR)


def load_grammars(folder: Path) -> tuple[list[Grammar], GrammarCard]:
    """Read grammars; InputError (`invalid-table`) for a missing or damaged file, or for numbers that are no probabilities."""
    return load_artifact(folder, GRAMMAR, GrammarCard, _grammars_of)


def _grammars_of(arrays: Arrays, card: GrammarCard) -> list[Grammar]:
    """Grammars of stored arrays; ValueError for other names, kinds, shapes or numbers than those of probabilities."""
    layout, count = card.options.layout, card.options.models
    if arrays.keys() != {"roots", "rules", "emissions", "words"} or arrays["words"].dtype != np.uint8:
        raise ValueError(f"{GRAMMAR} has other arrays")
    words = tuple(arrays["words"].tobytes().decode().split("\n"))
    symbols, slots = int(layout.symbols[-1]), int(layout.slots[-1])
    shapes = {"roots": (symbols,), "rules": (slots, symbols), "emissions": (len(words), slots)}
    tables = {}
    for name, shape in shapes.items():
        if arrays[name].dtype != np.float32 or arrays[name].shape != (count * shape[0], *shape[1:]):
            raise ValueError(f"{name} has not the shape {shape} of the options and words")
        tables[name] = arrays[name].astype(np.float64).reshape(count, *shape)
        if not (tables[name] >= 0).all() or not (tables[name] <= 1 + TOLERANCE).all():
            raise ValueError(f"{name} has numbers that are no probabilities")
    totals = tables["rules"].sum(2) + tables["emissions"].sum(1)
    distributions = (np.abs(totals - 1) < TOLERANCE) | (totals == 0)
    roots = np.abs(tables["roots"].sum(1) - 1) < TOLERANCE
    if words[0] != UNKNOWN or len(set(words)) < len(words) or not distributions.all() or not roots.all():
        raise ValueError("words occur twice, or probabilities do not add up to 1")
    return [Grammar(layout, words, *rows) for rows in zip(tables["roots"], tables["rules"], tables["emissions"], strict=True)]
