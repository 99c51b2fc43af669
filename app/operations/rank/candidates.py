"""Files with several translations: their languages, and their segments as a request has them."""

from app.documents.several import CandidateFile
from app.engine import Engine
from app.operations.operation import Json
from app.operations.parts.languages import check_named, guess_languages
from app.text import LanguagePair

__all__ = ["pair_of_candidates", "segments_of_candidates", "texts_of_candidates"]


def texts_of_candidates(document: CandidateFile) -> tuple[list[str], list[str]]:
    """Sources of a file, and the first translation of each."""
    return [unit.source for unit in document.units], [next(iter(unit.translations.values())) for unit in document.units]


def pair_of_candidates(engine: Engine, document: CandidateFile, pair: LanguagePair | None) -> LanguagePair:
    """The loaded pair of the request, else of the file, else of its words; InputError if the first two differ."""
    if pair is None:
        return guess_languages(engine, *texts_of_candidates(document), document.languages)
    check_named(document.languages, pair)
    return pair.nearest(engine.resources.pairs) or pair


def segments_of_candidates(document: CandidateFile) -> list[Json]:
    """Field `segments` of a ranking."""
    return [
        {"source": unit.source, "translations": [{"system": system, "text": text} for system, text in unit.translations.items()]}
        for unit in document.units
    ]
