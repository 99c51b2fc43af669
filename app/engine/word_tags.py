"""Tags of words by a word tagger, corrected by a network that reads tokens; the network tags words of sources too."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.engine.bounding import BoundedSegments
from app.engine.segments import SourceTags, TaggedWords
from app.features import PairResources, View
from app.features.encoded import begin_encoding, cut_rows, encoded_sides
from app.features.lexical_links import source_links, target_links
from app.predictors.sentences import Judge
from app.predictors.sentences.revision import wrong_words
from app.predictors.sentences.source_words import SourceRevision, WordReading, read_source_words, source_features
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
    """Tag the words of a view; `revise` lets the network correct them if it was trained beside the tagger."""
    words, texts = view.batch.cased_translation, bounds.segments.translations
    mcc = words_mcc(tagger, view.resources, revise)
    judge = _judge(view.resources, revise)
    revision = judge.revisions.get(tagger.card.id) if judge is not None else None
    of_source = _of_source(judge, tagger, view.resources)
    if judge is None or (revision is None and of_source is None):
        return TaggedWords(tagger, mcc, tagger.tag(view), words, texts, bounds.truncated)
    begin_encoding(view)
    tags = tagger.tag(view)
    wrong, readings = [], []
    for of_translation, reading in _read(judge, view):
        wrong.append(of_translation)
        readings.append(reading)
    if revision is not None:
        tags = revision.revised(tags, np.concatenate([np.empty(0), *wrong]), judge.word_marks.get(tagger.card.id, NO_MARKS))
    source_marks = judge.source_marks.get(tagger.card.id, NO_MARKS)
    sources = None if of_source is None else _source_tags(of_source, source_marks, view, tags, readings, bounds.segments.sources)
    return TaggedWords(tagger, mcc, tags, words, texts, bounds.truncated | cut_rows(view), sources)


def words_mcc(tagger: WordTagger, resources: PairResources, revise: bool) -> float:
    """Matthews' correlation measured for a tagger's words, after the network's correction if `revise` asks for it."""
    judge = _judge(resources, revise)
    if judge is None or tagger.card.id not in judge.revisions:
        return float(tagger.card.accuracy["words"]["mcc"])
    return float(judge.card.accuracy["words"][tagger.card.id]["revised"])


def marks_of(tagger: WordTagger, resources: PairResources, revise: bool) -> TaggerMarks:
    """Marks measured for a tagger, after the network's correction if `revise` asks for it."""
    judge, name = _judge(resources, revise), tagger.card.id
    if judge is None:
        return TaggerMarks(tagger.word_marks, tagger.gap_marks, None)
    words = judge.word_marks.get(name, NO_MARKS) if name in judge.revisions else tagger.word_marks
    has_source = _of_source(judge, tagger, resources) is not None
    return TaggerMarks(words, tagger.gap_marks, judge.source_marks.get(name, NO_MARKS) if has_source else None)


def _judge(resources: PairResources, revise: bool) -> Judge | None:
    judge = resources.sentence_judge if revise and resources.encoder is not None else None
    return judge if isinstance(judge, Judge) else None


def _of_source(judge: Judge | None, tagger: WordTagger, resources: PairResources) -> SourceRevision | None:
    """The revision that tags source words beside a tagger; None if it was not trained, or a lexical table is missing."""
    has_tables = resources.lexical_table is not None and resources.reverse_table is not None
    return judge.source_revisions.get(tagger.card.id) if judge is not None and has_tables else None


def _read(judge: Judge, view: View) -> Iterator[tuple[Float64s, WordReading]]:
    """For each segment the probabilities that words of the translation are wrong, and the reading of the source words."""
    row = 0
    for sides in encoded_sides(view):
        texts = zip(sides.source.single_texts(), sides.target.single_texts(), judge.readings(view.batch.pair, sides), strict=True)
        for source, target, reading in texts:
            source_words, target_words = view.batch.cased_source.tokens(row), view.batch.cased_translation.tokens(row)
            of_source = read_source_words(reading, source.pieces, target.pieces, source_words, target_words)
            yield wrong_words(target.pieces, reading.target, target_words), of_source
            row += 1


def _source_tags(
    revision: SourceRevision, marks: Marks, view: View, tags: WordTags, readings: Sequence[WordReading], texts: Sequence[str]
) -> SourceTags:
    links = view.cached(source_links), view.cached(target_links)
    features = source_features(view.source.offsets, tags.word_offsets, tags.words, links, readings)
    return SourceTags(revision.probabilities(features), marks, view.batch.cased_source, texts, revision.threshold)
