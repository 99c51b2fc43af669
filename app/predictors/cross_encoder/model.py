"""A cross-encoder on disk and in memory: cross-encoder.json, network.onnx, a graph of layers in 8 bits, and pieces.safetensors.

The graph reads vectors of the pieces of ``<s> source </s></s> translation </s>``, from the table of pieces. onnxruntime runs
one pair at a time. Without padding, an answer does not depend on other pairs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.arrays import Float32s, Float64s, Int64s
from app.errors import InputError
from app.predictors.cross_encoder.relation import Relation
from app.predictors.cross_encoder.revision import TagRevision
from app.predictors.cross_encoder.source_words import SourceRevision
from app.predictors.stored import read_stored_card, unreadable
from app.predictors.word_tags.marks import Marks, read_marks
from app.resources.graphs import graph_of_file
from app.resources.manifest import recalled_check, recalled_checksum
from app.resources.pieces import PieceTable, read_pieces
from app.running.deadline import check_deadline
from app.running.threads.spreading import Spreading
from app.text.languages import LanguagePair
from app.text.reading.stored_json import as_kind

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

__all__ = [
    "CARD",
    "GRAPH",
    "PIECES",
    "CrossEncoder",
    "CrossEncoderCard",
    "CrossReading",
    "load_cross_encoder",
    "read_cross_encoder_card",
]

SCHEMA_VERSION: Final = 2
CARD: Final = "cross-encoder.json"
GRAPH: Final = "network.onnx"
PIECES: Final = "pieces.safetensors"
# Inputs and outputs of the graph, with their numbers of dimensions.
INPUTS: Final[Mapping[str, int]] = {"vectors": 3, "sides": 2, "in_source": 2, "in_target": 2, "pair": 1}
OUTPUTS: Final = ("labels", "target_tags", "source_tags")
# Labels in the order of the graph: DA, HTER and MQM in standard deviations of a pair, and log odds of a critical error.
LABELS: Final = ("da", "hter", "mqm", "critical")
# Signs around both texts: <s> and </s> of the source, </s> before and after the translation.
SIGNS: Final = 4
TARGET_TAGS: Final = 4
# A text that each network reads once when it loads.
SAMPLE: Final = (LanguagePair("en", "de"), "The house is big.", "Das Haus ist groß.")
# Attention is quadratic in the number of pieces.
MOST_PIECES: Final = 4096
LARGEST_GRAPH: Final = 500_000_000


@dataclass(frozen=True)
class CrossEncoderCard:
    """Identity and training data of a cross-encoder.

    `layers` names the released layers that its training began with. `graph_sha256` and `pieces_sha256` are checksums of its files.
    `languages` are ISO 639-1 codes; any two form a pair. `longest` is the number of pieces that a pair may have. `accuracy` has
    correlations on dev by label and pair, and those of tags. `revisions` has the numbers of a `TagRevision` by word tagger,
    `source_revisions` those of a `SourceRevision`. `marks` has the marks of `words` and of `source_words` by word tagger, and the
    `data` of their choice. `relation` has a `Relation`'s members.
    """

    schema_version: int
    id: str
    layers: str
    graph_sha256: str
    pieces_sha256: str
    languages: tuple[str, ...]
    pairs: tuple[str, ...]
    longest: int
    hyper_parameters: Mapping[str, int | float]
    training_data: Mapping[str, Any]
    accuracy: Mapping[str, Any]
    created: str
    licence: str
    revisions: Mapping[str, Any] = field(default_factory=dict)
    source_revisions: Mapping[str, Any] = field(default_factory=dict)
    marks: Mapping[str, Any] = field(default_factory=dict)
    relation: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CrossReading:
    """Reading of a pair with s pieces of the source and t of the translation.

    `labels` (4,) are DA, HTER and MQM in standard deviations of a pair, and the log odds of a critical error. `target` (t, 4) are
    probabilities of a wrong piece, of a missing word before it, of an error of MQM, and of a major error. `source`
    (s,) are probabilities that a piece is translated wrongly. `is_cut` is True if the network saw the texts only in part.
    """

    labels: Float64s
    target: Float32s
    source: Float32s
    target_pieces: Sequence[str]
    source_pieces: Sequence[str]
    is_cut: bool


@dataclass(frozen=True)
class CrossEncoder:
    """A graph and its pieces, with the card of their training; any number of threads may use it, and `spreading` has some."""

    card: CrossEncoderCard
    session: "InferenceSession"
    table: PieceTable
    spreading: Spreading = field(default_factory=Spreading)

    @cached_property
    def languages(self) -> frozenset[str]:
        """Codes of the languages that the network knows."""
        return frozenset(self.card.languages)

    @cached_property
    def revisions(self) -> Mapping[str, TagRevision]:
        """Revisions of word taggers by their names; ValueError for invalid members of the card."""
        return dict(as_kind(dict[str, TagRevision], self.card.revisions, f"{CARD}: revisions"))

    @cached_property
    def source_revisions(self) -> Mapping[str, SourceRevision]:
        """Revisions that tag source words beside word taggers, by their names; ValueError for invalid members of the card."""
        numbers = as_kind(dict[str, list[float]], self.card.source_revisions, f"{CARD}: source_revisions")
        return {name: SourceRevision.from_array(np.array(row)) for name, row in numbers.items()}

    @cached_property
    def word_marks(self) -> Mapping[str, Marks]:
        """Marks of words by word tagger; ValueError for invalid members of the card."""
        return self._marks("words")

    @cached_property
    def source_marks(self) -> Mapping[str, Marks]:
        """Marks of source words by word tagger; ValueError for invalid members of the card."""
        return self._marks("source_words")

    @cached_property
    def relation(self) -> Relation:
        """Weights and limits of the warning about unrelated texts; ValueError for invalid members of the card."""
        if unknown := self.card.relation.keys() - {member.name for member in fields(Relation)}:
            raise ValueError(f"{CARD}: relation has unknown members {', '.join(sorted(unknown))}")
        return as_kind(Relation, self.card.relation, f"{CARD}: relation")

    def _marks(self, kind: str) -> Mapping[str, Marks]:
        stored = as_kind(dict[str, dict[str, Any]], self.card.marks.get(kind, {}), f"{CARD}: marks.{kind}")
        return {name: read_marks(marks, f"{CARD}: marks.{kind}") for name, marks in stored.items()}

    @cached_property
    def _pair_numbers(self) -> Mapping[str, int]:
        return {pair: number for number, pair in enumerate(self.card.pairs)}

    def read(self, pair: LanguagePair, sources: Sequence[str], translations: Sequence[str]) -> Iterator[CrossReading]:
        """Readings of pairs of texts, in order; all untrained language pairs are treated alike. InputError after the deadline."""
        for source, translation in zip(sources, translations, strict=True):
            check_deadline()
            yield self.reading(pair, source, translation)

    def reading(self, pair: LanguagePair, source: str, translation: str) -> CrossReading:
        """Reading of a pair of texts."""
        near, far = (self.table.pieces_of(text, self.card.longest) for text in (source, translation))
        of_source, of_target = near.ids[near.inner], far.ids[far.inner]
        lengths = _cut(len(of_source), len(of_target), self.card.longest - SIGNS)
        is_cut = near.cut or far.cut or lengths != (len(of_source), len(of_target))
        of_source, of_target = of_source[: lengths[0]], of_target[: lengths[1]]
        begin, end = near.ids[:1], near.ids[-1:]
        ids = np.concatenate([begin, of_source, end, end, of_target, end])
        sides = np.concatenate([np.zeros(len(of_source) + 2, np.int64), np.ones(len(of_target) + 2, np.int64)])
        places = np.arange(len(ids))
        source_places = slice(1, 1 + len(of_source))
        target_places = slice(len(of_source) + 3, len(ids) - 1)
        inputs = {
            "vectors": self.table.vectors(ids)[None],
            "sides": sides[None],
            "in_source": _share(places, source_places),
            "in_target": _share(places, target_places),
            "pair": np.array([self._pair_numbers.get(str(pair), len(self.card.pairs))], np.int64),
        }
        labels, target_tags, source_tags = self.session.run(list(OUTPUTS), inputs)
        if not np.isfinite(labels).all():
            raise InputError("missing-encoder", f"the cross-encoder {self.card.id} read a text without a finite result")
        return CrossReading(
            np.asarray(labels[0], np.float64),
            target_tags[0, target_places],
            source_tags[0, source_places, 0],
            [self.table.pieces[number] for number in of_target.tolist()],
            [self.table.pieces[number] for number in of_source.tolist()],
            is_cut,
        )


def _share(places: Int64s, inside: slice) -> Float32s:
    """Weights (1, t) of a mean over the pieces inside; zeros if there are none."""
    weights = ((places >= inside.start) & (places < inside.stop)).astype(np.float32)
    return np.asarray(weights / max(1, inside.stop - inside.start))[None]


def _cut(source: int, target: int, room: int) -> tuple[int, int]:
    """Lengths of both sides that fit into the room: the longer side is cut first."""
    if source + target <= room:
        return source, target
    half = room // 2
    if source <= half:
        return source, room - source
    return (room - target, target) if target <= half else (half, room - half)


def read_cross_encoder_card(folder: Path) -> CrossEncoderCard:
    """Read the card of a cross-encoder and check the types of its members; the InputError names the fault."""
    return read_stored_card(folder, CARD, CrossEncoderCard, SCHEMA_VERSION, {"revisions", "source_revisions", "marks", "relation"})


def load_cross_encoder(folder: Path) -> CrossEncoder:
    """Read and check a cross-encoder, with one run; the InputError names the fault, such as a missing onnxruntime."""
    card = read_cross_encoder_card(folder)
    graph, pieces = (folder / name for name in (GRAPH, PIECES))
    try:
        if not all(path.resolve().is_relative_to(folder.resolve()) for path in (graph, pieces)):
            raise ValueError(f"{GRAPH} or {PIECES} is a link out of the folder")
        if graph.stat().st_size > LARGEST_GRAPH:
            raise ValueError(f"{GRAPH} has more than {LARGEST_GRAPH} bytes")
        if recalled_checksum(graph) != card.graph_sha256:
            raise ValueError(f"{GRAPH} is not as {CARD} says")
        if pieces.stat().st_size > LARGEST_GRAPH or recalled_checksum(pieces) != card.pieces_sha256:
            raise ValueError(f"{PIECES} is not as {CARD} says")
        network = CrossEncoder(card, graph_of_file(graph), read_pieces(pieces))
        _check(network)
        # The runs take a twentieth of a command.
        recalled_check([folder / CARD, graph, pieces], partial(_try, network))
    except (OSError, ValueError, TypeError) as error:
        raise unreadable(folder, CARD, error, f"{GRAPH} and {PIECES}") from None
    return network


def _check(network: CrossEncoder) -> None:
    """ValueError or TypeError unless the members of the card and the inputs of the graph are valid."""
    card, session = network.card, network.session
    _ = network.source_revisions, network.word_marks, network.source_marks, network.relation
    accuracy = as_kind(dict[str, dict[str, float]], card.accuracy.get("words", {}), f"{CARD}: accuracy.words")
    if not all("revised" in accuracy.get(name, {}) for name in network.revisions):
        raise ValueError(f"{CARD} has revisions of word taggers without their accuracy")
    if not card.languages:
        raise ValueError(f"{CARD} has no languages")
    if len(set(card.pairs)) < len(card.pairs):
        raise ValueError(f"{CARD} has a pair twice")
    if not SIGNS < card.longest <= MOST_PIECES:
        raise ValueError(f"{CARD}: longest is from {SIGNS + 1} to {MOST_PIECES}")
    shapes = {value.name: value.shape for value in session.get_inputs()}
    if {name: len(shape) for name, shape in shapes.items()} != INPUTS or shapes["vectors"][2] != network.table.dimensions:
        raise ValueError(f"{GRAPH} has other inputs than a cross-encoder")


def _try(network: CrossEncoder) -> None:
    """ValueError unless card and graph fit together for the longest texts and an untrained pair."""
    card, session = network.card, network.session
    longest, width = card.longest, network.table.dimensions
    means = np.full((1, longest), 1 / longest, np.float32)
    inputs = {
        "vectors": np.zeros((1, longest, width), np.float32),
        "sides": np.zeros((1, longest), np.int64),
        "in_source": means,
        "in_target": means,
        "pair": np.array([len(card.pairs)], np.int64),
    }
    try:
        outputs = session.run(list(OUTPUTS), inputs)
    except Exception:
        # onnxruntime raises exceptions without a common class.
        raise ValueError(f"{GRAPH} does not fit {CARD}: its pairs, its longest texts or its outputs") from None
    if [output.shape for output in outputs] != [(1, len(LABELS)), (1, longest, TARGET_TAGS), (1, longest, 1)]:
        raise ValueError(f"{GRAPH} has other outputs than a cross-encoder")
    if not all(np.isfinite(output).all() for output in outputs):
        raise ValueError(f"{GRAPH} has numbers that are not finite")
    try:
        network.reading(*SAMPLE)
    except (IndexError, InputError):
        raise ValueError(f"{PIECES} cannot cut a text, or {GRAPH} cannot read it") from None
