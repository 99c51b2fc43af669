"""Features of vectors: how tokens of both texts find one another, and what a judge of such vectors says.

The judge learned from labels of many language pairs together, so it answers for any two languages that the encoder knows.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from app.arrays import Float64s
from app.errors import InputError
from app.features.declaration import Column, Family, FeatureGroup, Resource
from app.features.encoded.alignment import NUMBERS, EncodedSides
from app.features.requirements import required
from app.features.view import View

__all__ = ["ENCODED", "encoded_sides"]

ENCODED: Final = FeatureGroup("Vectors of a multilingual encoder", "Zhang et al. 2020, BERTScore")
JUDGED: Final = (
    ("da", "Direct assessment as a judge of both texts' vectors expects it, in standard deviations of a pair"),
    ("hter", "HTER as a judge of both texts' vectors expects it, in standard deviations of a pair"),
)


def _texts(view: View) -> tuple[Sequence[str], Sequence[str]]:
    if view.batch.texts is not None:
        return view.batch.texts
    columns = view.batch.cased_source, view.batch.cased_translation
    source, target = ([" ".join(column.tokens(row)) for row in range(len(column))] for column in columns)
    return source, target


def encoded_sides(view: View) -> EncodedSides:
    """The token vectors of both sides; InputError where the encoder has none."""
    encoder = required(view.resources.encoder, Resource.ENCODER)
    sources, translations = _texts(view)
    source, target = encoder.encode_tokens(sources), encoder.encode_tokens(translations)
    if source is None or target is None:
        raise InputError("missing-resource", f"the encoder {encoder.name} has no vectors of tokens")
    return EncodedSides(source, target)


def _judged(view: View) -> Mapping[str, Float64s]:
    judge = required(view.resources.sentence_judge, Resource.SENTENCE_JUDGE)
    return judge.judge(view.batch.pair, view.once(encoded_sides))


def _column(name: str) -> Column:
    return lambda view: view.once(_judged)[name]


for _name, _description in (*NUMBERS, *JUDGED):
    _source = None if (_name, _description) in NUMBERS else "Assay"
    _needs = (Resource.ENCODER, Resource.SENTENCE_JUDGE)
    _id = f"enc.{_name}"
    ENCODED.add(_id, _id.replace(".", "_"), _description, Family.ADEQUACY, _column(_name), *_needs, source=_source)
