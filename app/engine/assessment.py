"""The assessment of segments by the model that was chosen for them: scores, intervals, and the parts that options ask for."""

from dataclasses import replace

from app.engine.answering import Answering
from app.engine.empty_translations import with_worst_where_empty
from app.engine.model_values import model_values, rows_cut
from app.engine.segments import Assessment, Options
from app.engine.word_tags import tagged_words
from app.features.evidence import segment_reasons
from app.features.warnings import segment_warnings
from app.planning.acceptance import bad_probability
from app.planning.confidence import confidence_of
from app.predictors import Model
from app.registry.models import ModelRegistry
from app.text.word_count import word_count

__all__ = ["assess"]


def assess(answering: Answering[Model], options: Options, registry: ModelRegistry, revise: bool) -> Assessment:
    """Predict the quality of every segment; `revise` lets a network that reads tokens correct the tags of words."""
    model, view, segments, bounds = answering.model, answering.view, answering.segments, answering.bounds
    values = model_values(model, view)
    truncated = bounds.truncated | rows_cut(model, view)
    drift = registry.drift.count(model, values)
    prediction = with_worst_where_empty(model, model.predict(values, options.interval), view)
    words = options.words or options.explain
    tagger = registry.best_word_tagger(view.resources, segments.given) if words else None
    word_tags = None if tagger is None else tagged_words(tagger, view, bounds, revise)
    warnings = segment_warnings(view) if options.warnings or options.explain else ()
    terms = options.terms.of_label(model.label)
    bad = None if terms.at_worst is None else bad_probability(model, prediction.mean, prediction.std, terms.at_worst)
    return Assessment(
        model=model,
        prediction=prediction,
        confidence=confidence_of(model.label, prediction.mean),
        source_words=[word_count(segments.pair.source, text) for text in segments.sources],
        source_tokens=bounds.whole_source_tokens(view.source.lengths),
        translation_tokens=bounds.whole_translation_tokens(view.target.lengths),
        options=replace(options, terms=terms),
        contributions=model.contributions(values) if options.explain else None,
        words=word_tags if options.words else None,
        warnings=warnings if options.warnings else None,
        bad=bad,
        reasons=segment_reasons(view, word_tags.tags if word_tags else None, warnings) if options.explain else None,
        truncated=truncated,
        drift=drift,
    )
