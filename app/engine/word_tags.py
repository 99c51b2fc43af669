"""Tags of words by a word tagger, corrected by a cross-encoder, which tags words of sources too."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.engine.bounding import BoundedSegments
from app.engine.segments import SourceTags, TaggedWords
from app.features import PairResources, View
from app.features.cross_encoder import cross_cut_rows, cross_readings
from app.features.lexical_links import source_links, target_links
from app.predictors.cross_encoder import CrossEncoder
from app.predictors.cross_encoder.revision import wrong_words
from app.predictors.cross_encoder.source_words import SourceRevision, source_features
from app.predictors.word_tags import WordTagger, WordTags
from app.predictors.word_tags.marks import NO_MARKS, Marks

__all__ = ["TaggerMarks", "marks_of", "tagged_words", "words_mcc"]


@dataclass(frozen=True)
class TaggerMarks:
    """Marks of words, of gaps and of source words; None for source words without tags."""

    words: Marks
    gaps: Marks
    source: Marks | None


def tagged_words(tagger: WordTagger, view: View, bounds: BoundedSegments, revise: bool) -> TaggedWords:
    """Tag the words of a view; `revise` lets the cross-encoder correct them if its card has a revision of the tagger."""
    words, texts = view.batch.cased_translation, bounds.segments.translations
    mcc = words_mcc(tagger, view.resources, revise)
    network = _network(view.resources, revise)
    revision = network.revisions.get(tagger.card.id) if network is not None else None
    of_source = _of_source(network, tagger, view.resources)
    tags = tagger.tag(view)
    if network is None or (revision is None and of_source is None):
        return TaggedWords(tagger, mcc, tags, words, texts, bounds.truncated)
    readings = view.cached(cross_readings)
    truncated = bounds.truncated | cross_cut_rows(view)
    if revision is not None:
        wrong = [
            wrong_words(reading.target_pieces, reading.target[:, 0], words.tokens(row)) for row, reading in enumerate(readings)
        ]
        tags = revision.revised(tags, np.concatenate([np.empty(0), *wrong]), network.word_marks.get(tagger.card.id, NO_MARKS))
    sources = None
    if of_source is not None:
        probabilities = of_source.probabilities(_source_features(view, tags))
        marks = network.source_marks.get(tagger.card.id, NO_MARKS)
        sources = SourceTags(probabilities, marks, view.batch.cased_source, bounds.segments.sources, of_source.threshold)
    return TaggedWords(tagger, mcc, tags, words, texts, truncated, sources)


def words_mcc(tagger: WordTagger, resources: PairResources, revise: bool) -> float:
    """Matthews' correlation measured for a tagger's words, after the network's correction if `revise` asks for it."""
    network = _network(resources, revise)
    if network is None or tagger.card.id not in network.revisions:
        return float(tagger.card.accuracy["words"]["mcc"])
    return float(network.card.accuracy["words"][tagger.card.id]["revised"])


def marks_of(tagger: WordTagger, resources: PairResources, revise: bool) -> TaggerMarks:
    """Marks measured for a tagger, after the network's correction if `revise` asks for it."""
    network, name = _network(resources, revise), tagger.card.id
    if network is None:
        return TaggerMarks(tagger.word_marks, tagger.gap_marks, None)
    words = network.word_marks.get(name, NO_MARKS) if name in network.revisions else tagger.word_marks
    has_source = _of_source(network, tagger, resources) is not None
    return TaggerMarks(words, tagger.gap_marks, network.source_marks.get(name, NO_MARKS) if has_source else None)


def _network(resources: PairResources, revise: bool) -> CrossEncoder | None:
    network = resources.cross_encoder if revise else None
    return network if isinstance(network, CrossEncoder) else None


def _of_source(network: CrossEncoder | None, tagger: WordTagger, resources: PairResources) -> SourceRevision | None:
    """The revision that tags source words beside a tagger; None if it was not trained, or a lexical table is missing."""
    has_tables = resources.lexical_table is not None and resources.reverse_table is not None
    return network.source_revisions.get(tagger.card.id) if network is not None and has_tables else None


def _source_features(view: View, tags: WordTags) -> Float64s:
    words = view.batch.cased_source
    wrong = [
        wrong_words(reading.source_pieces, reading.source, words.tokens(row))
        for row, reading in enumerate(view.cached(cross_readings))
    ]
    links = view.cached(source_links), view.cached(target_links)
    return source_features(view.source.offsets, tags.word_offsets, tags.words, links, np.concatenate([np.empty(0), *wrong]))
