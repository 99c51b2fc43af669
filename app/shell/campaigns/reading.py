"""Rows of a table from judgements, and sentences about everything that is in no row."""

from collections.abc import Sequence
from typing import Any

from app.documents.campaigns import JudgementLog
from app.planning.annotator_scores import standardised_scores
from app.shell.output import counted

__all__ = ["inattentive", "rows_of", "sentences_of"]


def inattentive(log: JudgementLog) -> set[str]:
    """Annotators who failed an attention check."""
    return {name for name, (passes, answers) in log.checks.items() if passes < answers}


def rows_of(log: JudgementLog, attentive: bool) -> list[dict[str, Any]]:
    """A row for each judgement; without inattentive annotators if `attentive`.

    `esa` is the score, `da` its standardised form for the annotator, and `predicted` the prediction when the campaign was made.
    """
    omitted_annotators = inattentive(log) if attentive else set()
    judgements = [judgement for judgement in log.judgements if judgement.annotator not in omitted_annotators]
    standard_scores = standardised_scores([row.annotator for row in judgements], [row.score for row in judgements])
    rows: list[dict[str, Any]] = []
    for judgement, standard_score in zip(judgements, standard_scores.tolist(), strict=True):
        passes, answers = log.checks.get(judgement.annotator, (0, 0))
        rows.append(
            {
                "segment": judgement.segment,
                "system": judgement.system,
                "annotator": judgement.annotator,
                "source": judgement.source,
                "translation": judgement.translation,
                "esa": judgement.score,
                "da": round(standard_score, 6),
                **({} if judgement.prediction is None else {"predicted": judgement.prediction}),
                "spans": [{"start": span.start, "end": span.end, "severity": span.severity} for span in judgement.spans],
                "missing": judgement.missing,
                "checks": answers,
                "failed_checks": answers - passes,
            }
        )
    return rows


def sentences_of(logs: Sequence[JudgementLog], attentive: bool) -> list[str]:
    """Sentences on the judgements of logs, on attention checks, and on entries without a judgement."""
    rows = [judgement for log in logs for judgement in log.judgements]
    sentences = [f"{counted(len(rows), 'judgement')} of {counted(len({row.annotator for row in rows}), 'annotator')}"]
    answers = sum(pair[1] for log in logs for pair in log.checks.values())
    failures = answers - sum(pair[0] for log in logs for pair in log.checks.values())
    sentences.append(f"attention checks: {answers} answered, {failures} failed")
    for log in logs:
        for name in sorted(inattentive(log)):
            passes, count = log.checks[name]
            omitted_rows = sum(row.annotator == name for row in log.judgements)
            outcome = f"left out {counted(omitted_rows, 'judgement')}" if attentive else "--attentive leaves the judgements out"
            sentences.append(f"{name} failed {count - passes} of {counted(count, 'attention check')}; {outcome}")
    for count, noun in (
        (sum(log.unanswered_checks for log in logs), "attention check without an answer"),
        (sum(log.skipped for log in logs), "translation without a score"),
        (sum(log.replacements for log in logs), "earlier answer that its annotator replaced or reset"),
        (sum(log.forms for log in logs), "form, which holds no judgement"),
    ):
        if count:
            sentences.append(f"{count} x {noun}")
    return sentences
