"""Answers of `assay score` in the form that its options name."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.gates.report import Case, junit_report
from app.shell.options.scoring import ScoreOptions
from app.shell.output import counted, print_json, say
from app.shell.scoring.tables import print_scores

__all__ = ["print_answer_of", "say_empty"]

# Decimals with --score-only, as sacreBLEU's.
SINGLE_DIGITS: Final = 1


def print_answer_of(options: ScoreOptions, answer: Mapping[str, Any], cases: Sequence[Case]) -> None:
    """Print the answer: scores alone, cases of gates as JUnit, JSON, or tables."""
    if options.form == "junit":
        print(junit_report("score", cases))
    elif options.score_only:
        _print_alone(answer["metrics"], SINGLE_DIGITS if options.width is None else options.width, options.form)
    else:
        _print(answer, Format(options.form), options.width)


def _print_alone(rows: Sequence[dict[str, Any]], width: int, form: str) -> None:
    """Print a line for each metric and system, or for each of its segments."""
    if form not in ("text", "tsv"):
        raise InputError("invalid-request", "scores alone are text (--format text)", ("--score-only",))
    for row in rows:
        for value in row.get("segments", [row["score"]]):
            print(f"{value:.{width}f}")


def _rounded(row: dict[str, Any], width: int, form: Format) -> dict[str, Any]:
    """A row with scores of `width` decimals: numbers in JSON, text in other forms."""

    def rounded(value: float) -> float | str:
        return round(value, width) if form is Format.JSON else f"{value:.{width}f}"

    segments = {"segments": [rounded(value) for value in row["segments"]]} if "segments" in row else {}
    return {**row, "score": rounded(row["score"]), **segments}


def _print(answer: Mapping[str, Any], form: Format, width: int | None) -> None:
    if width is not None:
        answer = {**answer, "metrics": [_rounded(row, width, form) for row in answer["metrics"]]}
    if form is Format.JSON:
        print_json(answer)
    else:
        print_scores(answer, form)


def say_empty(empty: Mapping[str, Any]) -> None:
    """Print the number of empty segments and their treatment, if there are any."""
    number, policy = empty["segments"], empty["policy"]
    if number:
        outcome = "scored all the same" if policy == "score" else "left out"
        say(f"{counted(number, 'segment')} {'is' if number == 1 else 'are'} empty somewhere, and {outcome} (--empty {policy})")
