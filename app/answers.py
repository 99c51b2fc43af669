"""What the engine answered, as plain JSON values: the one form that HTTP, jobs and the shell share."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.arrays import Float64s, Int64s
from app.engine import Engine
from app.engine.segments import QualityAnswer, WordAnswer
from app.features import CATALOGUE, FeatureMatrix
from app.features.warnings import SegmentWarning
from app.metrics import (
    Metric,
    RunSummary,
    Significance,
    SystemScore,
    drop_empty,
    run_summaries,
    scores_of_statistics,
    segment_statistics,
)
from app.planning.bands import band_of
from app.predictors import Model
from app.predictors.prediction import grade_probabilities
from app.predictors.word_tags import WordTagger
from app.ranking import Ranking, SegmentRanking, SystemStanding
from app.text.pieces import places_of_words

__all__ = [
    "features_answer",
    "model_summary",
    "quality_rows",
    "rank_rows",
    "resources_answer",
    "score_rows",
    "scoring_answer",
    "selection_answer",
    "standing_rows",
    "statistics_answer",
    "word_rows",
    "word_tagger_summary",
]

Json = dict[str, Any]
# More digits than any prediction deserves, few enough to read.
DIGITS = 6


def _rounded(value: float) -> float:
    return round(float(value), DIGITS)


def features_answer(matrix: FeatureMatrix) -> Json:
    """Feature ids, names, rows of values; and which features of the set are missing, and why."""
    return {
        "features": [{"id": feature.id, "name": feature.name} for feature in matrix.features],
        "left_out": [{"id": each.feature.id, "name": each.feature.name, "reason": each.reason} for each in matrix.left_out],
        "values": [[float(value) for value in row] for row in matrix.values],
    }


def model_summary(model: Model) -> Json:
    """What every answer says about the model that gave it."""
    card = model.card
    return {"model": card.id, "label": card.label, "unit": card.unit, "direction": card.direction}


def quality_rows(answer: QualityAnswer) -> list[Json]:
    """One row per segment, in the order of the request."""
    p, classes = answer.prediction, answer.model.label.classes
    grades = grade_probabilities(p, classes) if classes else None
    names = answer.model.card.features
    titles = [CATALOGUE[name].name if name in CATALOGUE else name for name in names]
    rows: list[Json] = []
    for i in range(len(p.mean)):
        row: Json = {
            "score": _rounded(p.mean[i]),
            "std": _rounded(p.std[i]),
            "interval": [_rounded(p.low[i]), _rounded(p.high[i])],
            "confidence": _rounded(answer.confidence[i]),
            "source_words": answer.source_words[i],
            "source_tokens": int(answer.source_tokens[i]),
            "translation_tokens": int(answer.translation_tokens[i]),
        }
        if grades is not None:
            row |= {"grade": classes[int(grades[i].argmax())], "grade_probabilities": [_rounded(each) for each in grades[i]]}
        if answer.contributions is not None:
            values = answer.contributions[i]
            order = np.argsort(-np.abs(values), kind="stable")
            row["contributions"] = [
                {"feature": names[k], "name": titles[k], "contribution": _rounded(values[k])} for k in order.tolist()
            ]
        if answer.options.bands:
            row["band"] = band_of(answer.options.bands, float(answer.confidence[i])).name
        if answer.warnings is not None:
            row["warnings"] = [_warning(each) for each in answer.warnings[i]]
        if answer.bad is not None:
            row["bad_probability"] = _rounded(answer.bad[i])
        rows.append(row)
    if answer.words is not None:
        for row, tagged in zip(rows, word_rows(answer.words), strict=True):
            row |= tagged
    return rows


def _warning(each: SegmentWarning) -> Json:
    return {"code": each.code, "source": list(each.source), "translation": list(each.translation)}


def word_rows(answer: WordAnswer) -> list[Json]:
    """Per segment its words, with their places in the text as it was sent, and the gaps around them."""
    tags, rows = answer.tags, []
    for i, text in enumerate(answer.texts):
        words = answer.words.tokens(i)
        begin, first_gap = int(tags.word_offsets[i]), int(tags.gap_offsets[i])
        bad = tags.words[begin : begin + len(words)].tolist()
        gaps = tags.gaps[first_gap : first_gap + len(words) + 1].tolist()
        rows.append(
            {
                "words": [
                    {"text": word, "start": place and place[0], "end": place and place[1], **_tag(p, tags.word_threshold)}
                    for word, place, p in zip(words, places_of_words(text, words), bad, strict=True)
                ],
                "gaps": [_tag(p, tags.gap_threshold) for p in gaps],
            }
        )
    return rows


def _tag(bad: float, threshold: float) -> Json:
    return {"tag": "BAD" if bad >= threshold else "OK", "bad": _rounded(bad)}


def word_tagger_summary(answer: WordTagger) -> Json:
    """What an answer says about the word tagger that gave it."""
    card = answer.card
    return {"model": card.id, "level": "word", "mcc": card.accuracy["words"]["mcc"], "gap_mcc": card.accuracy["gaps"]["mcc"]}


def selection_answer(model: Model, rows: Int64s, worth: Float64s, sources: Sequence[str], translations: Sequence[str]) -> Json:
    """The segments of a pool that are worth annotating, best first."""
    chosen = [
        {"segment": int(row), "worth": float(value), "source": sources[row], "translation": translations[row]}
        for row, value in zip(rows.tolist(), worth.tolist(), strict=True)
    ]
    return {**model_summary(model), "segments": chosen}


def rank_rows(segments: Sequence[SegmentRanking]) -> list[Json]:
    """One row per segment: candidates from best to worst."""
    return [
        {
            "order": [
                {"system": system, "score": _rounded(score), "std": _rounded(std)}
                for system, score, std in zip(each.systems, each.scores, each.stds, strict=True)
            ],
            "confidence": _rounded(each.confidence),
        }
        for each in segments
    ]


def standing_rows(ranking: Ranking) -> list[Json]:
    """One row per system, best first."""

    def row(each: SystemStanding) -> Json:
        return {
            "system": each.system,
            "segments": each.segments,
            "wins": _rounded(each.wins),
            "mean": _rounded(each.mean),
            "interval": [_rounded(each.interval[0]), _rounded(each.interval[1])],
            "confidence": _rounded(each.confidence),
        }

    return [row(each) for each in ranking.systems]


def scoring_answer(
    metrics: Mapping[str, Metric],
    systems: Mapping[str, Sequence[str]],
    references: Mapping[str, Sequence[str]],
    segments: bool = False,
    significance: Significance | None = None,
    empty: str = "score",
) -> Json:
    """Everything that scoring answers, from texts."""
    systems, references, count = drop_empty(systems, references, empty)
    statistics = segment_statistics(metrics, systems, references)
    answer = statistics_answer(metrics, statistics, len(references), segments, significance)
    return {**answer, "empty": {"policy": empty, "segments": count}}


def statistics_answer(
    metrics: Mapping[str, Metric],
    statistics: Sequence[Mapping[str, Float64s]],
    references: int,
    segments: bool = False,
    significance: Significance | None = None,
) -> Json:
    """Scores, and systems over their runs, from statistics."""
    answer: Json = {"metrics": score_rows(scores_of_statistics(metrics, statistics, references, segments, significance))}
    if significance is not None:
        answer["test"] = _test_answer(significance)
        if significance.runs:
            answer["runs"] = [_run_row(each) for each in run_summaries(metrics, statistics, significance)]
    return answer


def _test_answer(asked: Significance) -> Json:
    explained = {
        "bootstrap": "p is how often resampled test sets give a difference this much larger than their mean (paired bootstrap)",
        "randomisation": "p is how often swapping the systems' outputs at random gives a larger difference",
    }[asked.test]
    count = {"resamples": asked.samples} if asked.test == "bootstrap" else {"trials": asked.trials, "resamples": asked.samples}
    return {
        "name": asked.test,
        **count,
        "seed": asked.seed,
        "meaning": f"{explained}; corrected_p_value is Holm's, over all systems",
    }


def _run_row(each: RunSummary) -> Json:
    row = {name: value for name, value in each.__dict__.items() if value is not None}
    return {**row, "runs": list(each.runs)}


def score_rows(scores: Sequence[SystemScore]) -> list[Json]:
    """One row per metric and system."""
    rows: list[Json] = []
    for each in scores:
        row: Json = {
            "system": each.system,
            "metric": each.metric,
            "score": each.score,
            "unit": each.unit,
            "direction": each.direction,
            "range": list(each.range),
            "signature": each.signature,
        }
        if each.interval is not None:
            row["confidence_interval"] = [each.interval.low, each.interval.high]
            row["bootstrap_mean"] = each.interval.mean
        if each.against_baseline is not None:
            test = each.against_baseline
            row |= {
                "difference": test.difference,
                "p_value": test.p_value,
                "corrected_p_value": test.corrected_p_value,
                "wins": test.wins,
                "losses": test.losses,
                "ties": test.ties,
            }
        if each.letters is not None:
            row["letters"] = each.letters
        if each.segments is not None:
            row["segments"] = list(each.segments)
        rows.append(row)
    return rows


def resources_answer(engine: Engine) -> Json:
    """What is loaded per language and pair."""
    rows = [
        {
            "name": name,
            "kind": "pair" if "-" in name else "language",
            "description": manifest.description,
            "licence": manifest.licence,
            "bytes": engine.resources.sizes[name],
            "files": dict(manifest.files),
            "built_from": dict(manifest.inputs),
            "command": manifest.command,
            "statistics": dict(manifest.statistics),
        }
        for name, manifest in engine.resources.manifests.items()
    ]
    return {"pairs": [str(pair) for pair in engine.resources.pairs], "resources": rows}
