"""The assessment of segments by the model that was chosen for them: scores, intervals, and the parts that options ask for."""

from dataclasses import replace

from app.checks import segment_warnings
from app.checks.reasons import segment_reasons
from app.engine.model_choice import Answering
from app.engine.predicting import model_values, predict, rows_cut
from app.engine.segments import Assessment, Options
from app.engine.word_tags import tagged_words
from app.predictors import Model
from app.text.tokenisation import word_count

__all__ = ["assess"]


def assess(answering: Answering[Model], options: Options) -> Assessment:
    """Predict the quality of every segment, with the parts that `options` ask for."""
    model, view, segments, bounds = answering.model, answering.view, answering.segments, answering.bounds
    registry, tagger = answering.inventory.registry, None
    values = model_values(model, view)
    drift = registry.drift.count(model, values)
    empty = (view.target.lengths == 0) & (view.source.lengths > 0)
    prediction, truncated = predict(model, values, options.interval, empty), bounds.truncated | rows_cut(model, view)
    if options.words or options.explain:
        tagger = registry.best_word_tagger(view.resources, segments.evidence)
    word_tags = None if tagger is None else tagged_words(tagger, view, bounds, answering.inventory.corrects_words)
    warnings = segment_warnings(view, options.glossary, segments.pair) if options.warnings or options.explain else ()
    return Assessment(
        model=model,
        prediction=prediction,
        source_words=[word_count(segments.pair.source, text) for text in segments.sources],
        source_tokens=bounds.whole_source_tokens(view.source.lengths),
        translation_tokens=bounds.whole_translation_tokens(view.target.lengths),
        options=replace(options, terms=options.terms.of_label(model.label)),
        contributions=model.contributions(values) if options.explain else None,
        words=word_tags if options.words else None,
        warnings=warnings if options.warnings else None,
        reasons=segment_reasons(view, word_tags.tags if word_tags else None, warnings) if options.explain else None,
        truncated=truncated if word_tags is None else truncated | word_tags.truncated,
        drift=drift,
    )
