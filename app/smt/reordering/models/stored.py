"""Grammars on disk: probabilities as safetensors, and a card with their data, licence, options and checksum."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import Field
from safetensors import SafetensorError
from safetensors.numpy import load_file

from app.building.writing import save_arrays
from app.errors import InputError
from app.resources.manifest import checksum
from app.smt.reordering.grammar import Grammar
from app.smt.reordering.labels import Layout
from app.smt.reordering.terminals import UNKNOWN
from app.smt.reordering.treebank import Trees
from app.smt.reordering.units import Attachment
from app.text.reading.stored_json import as_kind, read_object

__all__ = ["CARD", "GRAMMAR", "GrammarCard", "Splits", "TrainingOptions", "load_grammar", "save_grammar"]

GRAMMAR: Final = "grammar.safetensors"
CARD: Final = "card.json"
# Probabilities of a distribution are stored with seven digits.
TOLERANCE: Final = 1e-3
Splits = Annotated[int, Field(ge=1, le=100)]


@dataclass(frozen=True)
class TrainingOptions:
    """Options of a training: the trees of a sentence, the side of unaligned words, splits of binary and of wider labels.

    Words seen at most `rare` times become classes, by the tagger of `language` if any. Noise is a share of each probability.
    """

    trees: Trees = "forest"
    attach: Attachment = "right"
    splits: tuple[Splits, Splits] = (30, 3)
    iterations: int = 10
    rare: int = 3
    noise: float = 0.5
    seed: int = 1
    language: str | None = None

    @property
    def layout(self) -> Layout:
        """Places of the splits."""
        return Layout(*self.splits)


@dataclass(frozen=True)
class GrammarCard:
    """Description of a grammar: options, training sentences, those left out by reason, and the likelihood before each iteration.

    Logs are natural, of all sentences; `words` counts the words of sentences. `data` has the checksums of the training's files.
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


def save_grammar(grammar: Grammar, card: GrammarCard, folder: Path) -> None:
    """Write both files into an existing folder; the card gets the checksum."""
    tables = {"roots": grammar.roots, "rules": grammar.rules, "emissions": grammar.emissions}
    arrays = {name: table.astype(np.float32) for name, table in tables.items()}
    texts = np.frombuffer("\n".join(grammar.words).encode(), np.uint8)
    save_arrays({**arrays, "words": texts}, folder / GRAMMAR)
    fields = asdict(replace(card, sha256=checksum(folder / GRAMMAR)))
    (folder / CARD).write_text(json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=1) + "\n", "utf-8")


def load_grammar(folder: Path) -> tuple[Grammar, GrammarCard]:
    """Read a grammar; InputError (`invalid-table`) for a missing or damaged file, or for numbers that are no probabilities."""
    try:
        card = as_kind(GrammarCard, read_object(folder / CARD), CARD)
        if checksum(folder / GRAMMAR) != card.sha256:
            raise ValueError(f"{GRAMMAR} is damaged: its checksum differs from that of {CARD}")
        return _grammar_of(card.options.layout, load_file(folder / GRAMMAR)), card
    except (OSError, SafetensorError, ValueError) as error:
        detail = f"{folder} holds no grammar of assay smt preorder train: {_reason(error)}"
        raise InputError("invalid-table", detail, (str(folder),)) from None


def _reason(error: Exception) -> str:
    return f"{GRAMMAR} is missing or unreadable" if isinstance(error, OSError | SafetensorError) else str(error)


def _grammar_of(layout: Layout, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Grammar:
    """Grammar of stored arrays; ValueError for other names, kinds, shapes or numbers than those of probabilities."""
    if arrays.keys() != {"roots", "rules", "emissions", "words"} or arrays["words"].dtype != np.uint8:
        raise ValueError(f"{GRAMMAR} has other arrays")
    words = tuple(arrays["words"].tobytes().decode().split("\n"))
    symbols, slots = int(layout.symbols[-1]), int(layout.slots[-1])
    shapes = {"roots": (symbols,), "rules": (slots, symbols), "emissions": (len(words), slots)}
    tables = {}
    for name, shape in shapes.items():
        if arrays[name].dtype != np.float32 or arrays[name].shape != shape:
            raise ValueError(f"{name} has not the shape {shape} of the options and words")
        tables[name] = arrays[name].astype(np.float64)
        if not (tables[name] >= 0).all() or not (tables[name] <= 1 + TOLERANCE).all():
            raise ValueError(f"{name} has numbers that are no probabilities")
    totals = tables["rules"].sum(1) + tables["emissions"].sum(0)
    distributions = (np.abs(totals - 1) < TOLERANCE) | (totals == 0)
    if words[0] != UNKNOWN or len(set(words)) < len(words) or not distributions.all() or abs(tables["roots"].sum() - 1) > TOLERANCE:
        raise ValueError("words occur twice, or probabilities do not add up to 1")
    return Grammar(layout, words, **tables)
