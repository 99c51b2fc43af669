"""Features of vectors: similarity of the tokens of both texts, and predictions of a judge that reads such vectors.

The judge learns from labels of many language pairs, so it answers for any two languages of the encoder.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.features.declaration import Column, Family, FeatureGroup
from app.features.encoded.alignment import NUMBERS
from app.features.needs import Resource, required
from app.features.token_vectors import EncodedSides
from app.features.view import View

__all__ = ["READ", "READING", "VECTOR_GROUP", "begin_encoding", "computed_numbers", "cut_rows", "encoded_sides"]

VECTOR_GROUP: Final = FeatureGroup("Vectors of a multilingual encoder", "Zhang et al. 2020, BERTScore")
READING: Final = FeatureGroup("What a network reads in token vectors", "Parikh et al. 2016, decomposable attention")
# Characters of texts per group: token vectors of a long document would take gigabytes.
CHARACTERS_PER_GROUP: Final = 20_000
JUDGE_FEATURES: Final = (
    ("da", "Direct assessment as a judge of both texts' vectors expects it, in standard deviations of a pair"),
    ("hter", "HTER as a judge of both texts' vectors expects it, in standard deviations of a pair"),
)

# Readings of a network that reads the tokens of both texts.
READ: Final = (
    ("read.da", "Direct assessment as a network that reads the tokens of both texts expects it, in standard deviations of a pair"),
    ("read.hter", "HTER as a network that reads the tokens of both texts expects it, in standard deviations of a pair"),
    ("read.source", "Share of source tokens that a network takes for wrongly translated"),
    ("read.target", "Share of tokens of the translation that a network takes for wrong"),
)


def begin_encoding(view: View) -> None:
    """Start encoding of the first segments of both sides in the background."""
    encoder = view.resources.encoder
    if encoder is not None and len(view):
        sources, translations = view.texts
        _, end = next(_groups(_characters(sources, translations)))
        encoder.begin([*sources[:end], *translations[:end]])


def encoded_sides(view: View) -> Iterator[EncodedSides]:
    """Token vectors of both sides, a group of segments at a time; InputError for an encoder without token vectors."""
    encoder = required(view.resources.encoder, Resource.ENCODER)
    sources, translations = view.texts
    for begin, end in _groups(_characters(sources, translations)):
        vectors = encoder.encode_tokens([*sources[begin:end], *translations[begin:end]])
        if vectors is None:
            raise InputError("missing-resource", f"the encoder {encoder.name} has no vectors of tokens")
        yield EncodedSides(*vectors.split(end - begin))


def _characters(sources: Sequence[str], translations: Sequence[str]) -> list[int]:
    return [len(source) + len(translation) for source, translation in zip(sources, translations, strict=True)]


def _groups(characters: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Begin and end of groups of segments with up to `CHARACTERS_PER_GROUP` characters, or with one segment."""
    begin = total = 0
    for row, count in enumerate(characters):
        if row > begin and total + count > CHARACTERS_PER_GROUP:
            yield begin, row
            begin, total = row, 0
        total += count
    if len(characters) > begin:
        yield begin, len(characters)


def cut_rows(view: View) -> frozenset[int]:
    """Rows of segments with a side that the encoder reads only in part."""
    encoder = required(view.resources.encoder, Resource.ENCODER)
    # Most tokens are several characters, and few characters are several tokens.
    long = [(row, text) for texts in view.texts for row, text in enumerate(texts) if len(text) >= encoder.longest // 2]
    cut = encoder.cut([text for _, text in long]) if long else ()
    return frozenset(row for (row, _), is_cut in zip(long, cut, strict=True) if is_cut)


def _judged(view: View) -> Mapping[str, Float64s]:
    judge = required(view.resources.sentence_judge, Resource.SENTENCE_JUDGE)
    parts = [judge.judge(view.batch.pair, sides) for sides in encoded_sides(view)]
    if not parts:
        return {name: np.empty(0) for name, _ in (*NUMBERS, *JUDGE_FEATURES, *READ)}
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def computed_numbers(view: View) -> Float64s | None:
    """Columns of NUMBERS (n, 15) if a feature of the view has computed them, else None: encoding takes most of an answer's time."""
    if not view.is_cached(_judged):
        return None
    columns = view.cached(_judged)
    return np.stack([columns[name] for name, _ in NUMBERS], 1)


def _column(name: str) -> Column:
    def column(view: View) -> Float64s:
        columns = view.cached(_judged)
        if name not in columns:
            raise InputError("missing-resource", f"the {Resource.SENTENCE_JUDGE} has no network that says {name}")
        return columns[name]

    return column


for _name, _description in (*NUMBERS, *JUDGE_FEATURES, *READ):
    _group = READING if (_name, _description) in READ else VECTOR_GROUP
    _source = "Assay" if (_name, _description) in JUDGE_FEATURES else None
    _needs = (Resource.ENCODER, Resource.SENTENCE_JUDGE)
    _id = f"enc.{_name}"
    _group.add(_id, _id.replace(".", "_"), _description, Family.ADEQUACY, _column(_name), *_needs, source=_source)
