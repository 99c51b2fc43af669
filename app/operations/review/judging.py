"""Findings about strings: checks and predicted quality, a language at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.checks import WARNINGS, SegmentWarning, segment_warnings
from app.checks.inline_codes import changed_codes
from app.checks.structure import STRUCTURE
from app.documents.glossaries import Glossary
from app.engine import Engine
from app.engine.segments import Assessment, Options, Segments
from app.errors import InputError
from app.features.view import PairResources, View
from app.operations.parts.word_rows import word_rows
from app.operations.review.in_files import in_file
from app.operations.review.request import CODES, Finding, WorstString
from app.operations.review.reviewed import ReviewString
from app.operations.review.varieties import VarietyPair, variety_warnings
from app.text.batch import SegmentBatch
from app.text.languages import LanguagePair
from app.text.tokenisation import tokeniser_for

__all__ = ["JudgedString", "Judgement", "finding", "judge_strings"]

BATCH: Final = 500
# Severity of findings that are no warnings of a string alone.
PLAIN: Final = SegmentWarning("")
# Codes of parts that both sides should have.
OF_BOTH_SIDES: Final = frozenset({*STRUCTURE, "numbers", "negation"})
# Errors of pairs that no engine serves.
CODES_OF_PAIRS: Final = frozenset({"unknown-language-pair", "language-pair-not-here", "unknown-model"})


@dataclass(frozen=True)
class JudgedString:
    """A string with its warnings; confidence, that before its change, and spans of wrong words if its quality was predicted."""

    string: ReviewString
    warnings: tuple[SegmentWarning, ...]
    confidence: float | None = None
    wrong_spans: tuple[tuple[int, int], ...] = ()
    earlier_confidence: float | None = None


@dataclass(frozen=True)
class Judgement:
    """Judged strings of one language, the predictor of their quality, and the reason if there is none."""

    strings: list[JudgedString]
    model: str | None = None
    caution: str | None = None


def judge_strings(
    engine: Engine | None, pair: LanguagePair, strings: Sequence[ReviewString], glossary: Glossary | None = None
) -> Judgement:
    """Check strings, and predict their quality with an engine; a pair without predictor is checked alone."""
    if engine is None or isinstance(pair, VarietyPair):
        return Judgement([result for part in _batches(strings) for result in _checked(pair, part, glossary)])
    judged_strings: list[JudgedString] = []
    model = ""
    try:
        for part in _batches(strings):
            segments = Segments(pair, [string.source for string in part], [string.translation for string in part])
            answer = engine.quality(segments, options=Options(words=True, warnings=True, glossary=glossary))
            model = answer.model.card.id
            judged_strings += _predicted(part, answer, _earlier_confidence(engine, pair, part, glossary))
    except InputError as error:
        if error.code not in CODES_OF_PAIRS:
            raise
        caution = f"{pair}: no predictor answers for these languages, so strings were checked without predicted quality"
        return Judgement([result for part in _batches(strings) for result in _checked(pair, part, glossary)], caution=caution)
    return Judgement(judged_strings, model)


def finding(string: ReviewString, code: str, message: str | None = None, warning: SegmentWarning = PLAIN) -> Finding:
    """A finding about a string, with the severity and the places of a warning."""
    line, column, end_line, end_column = string.place
    row: Finding = {
        "path": string.path,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "key": f"{string.key}[{string.plural}]" if string.plural else string.key,
        "language": string.language,
        "code": code,
        "severity": "info" if string.is_draft else warning.severity,
        "message": message or CODES[code],
        "source": string.source,
        "translation": string.translation,
        "source_spans": list(warning.source_spans),
        "translation_spans": list(warning.translation_spans),
    }
    old_source, old_translation = _changed_texts(string)
    if old_source is not None:
        row["earlier_source"] = old_source
    if old_translation is not None:
        row["earlier_translation"] = old_translation
    return row


def _changed_texts(string: ReviewString) -> tuple[str | None, str | None]:
    """Source and translation before the change, each None if it is still the present one."""
    old_source, old_translation = string.earlier or (None, None)
    is_equal = (old_source == string.source, old_translation == string.translation)
    return None if is_equal[0] else old_source, None if is_equal[1] else old_translation


def findings_of(result: JudgedString, min_quality: float | None) -> Iterator[Finding]:
    """Findings about one string alone."""
    string = result.string
    of_codes = changed_codes(*string.codes)
    for warning in (*in_file(string, result.warnings), *([of_codes] if of_codes is not None else [])):
        yield finding(string, warning.code, _message(warning), warning)
    if string.is_stale:
        yield finding(string, "stale")
    if string.longest is not None and len(string.translation) > string.longest:
        message = f"{len(string.translation)} characters; its file allows {string.longest}"
        yield finding(string, "too-long", message, SegmentWarning("too-long", severity="error"))
    if min_quality is not None and result.confidence is not None and result.confidence < min_quality:
        yield finding(string, "quality", f"predicted quality {result.confidence:.2f}, below {min_quality:.2f}")


def worst_string(result: JudgedString) -> WorstString:
    """A string of low quality as it is answered."""
    string = result.string
    assert result.confidence is not None
    row: WorstString = {
        "path": string.path,
        "line": string.place[0],
        "key": string.key,
        "language": string.language,
        "confidence": result.confidence,
        "source": string.source,
        "translation": string.translation,
        "wrong_spans": list(result.wrong_spans),
    }
    old_translation = _changed_texts(string)[1]
    return row if old_translation is None else {**row, "earlier_translation": old_translation}


def _batches(strings: Sequence[ReviewString]) -> Iterator[Sequence[ReviewString]]:
    return (strings[begin : begin + BATCH] for begin in range(0, len(strings), BATCH))


def _message(warning: SegmentWarning) -> str:
    """The meaning of a warning, with its words."""
    words = [", ".join(side) for side in (warning.source, warning.translation) if side]
    if len(words) == 1 and warning.code in OF_BOTH_SIDES:
        return f"{WARNINGS[warning.code]}; in the {'source' if warning.source else 'translation'} alone: {words[0]}"
    if warning.looks_like is not None:
        words.append(warning.looks_like)
    message = f"{WARNINGS[warning.code]}: {' → '.join(words)}" if words else WARNINGS[warning.code]
    return f"{message}; expected: {', '.join(warning.expected)}" if warning.expected else message


def _checked(pair: LanguagePair, strings: Sequence[ReviewString], glossary: Glossary | None) -> Iterable[JudgedString]:
    """Strings that are checked without resources."""
    if isinstance(pair, VarietyPair):
        return [JudgedString(string, variety_warnings(string.source, string.translation, pair)) for string in strings]
    texts = [string.source for string in strings], [string.translation for string in strings]
    batch = SegmentBatch.build(tokeniser_for(pair.source), tokeniser_for(pair.target), *texts)
    rows = segment_warnings(View(batch, PairResources(pair)), glossary, pair)
    return [JudgedString(string, warnings) for string, warnings in zip(strings, rows, strict=True)]


def _earlier_confidence(
    engine: Engine, pair: LanguagePair, strings: Sequence[ReviewString], glossary: Glossary | None
) -> dict[int, float]:
    """Confidence of strings before their change, by their places; strings that were empty have none."""
    texts = {k: string.earlier for k, string in enumerate(strings) if string.earlier is not None and string.earlier[1].strip()}
    if not texts:
        return {}
    segments = Segments(pair, [source for source, _ in texts.values()], [translation for _, translation in texts.values()])
    answer = engine.quality(segments, options=Options(warnings=True, glossary=glossary))
    return dict(zip(texts, (round(float(value), 4) for value in answer.confidence), strict=True))


def _predicted(strings: Sequence[ReviewString], answer: Assessment, earlier: Mapping[int, float]) -> list[JudgedString]:
    """Strings with their quality, and words that are marked as wrong."""
    assert answer.warnings is not None
    spans = _wrong_spans(answer, len(strings))
    return [
        JudgedString(string, answer.warnings[k], round(float(answer.confidence[k]), 4), spans[k], earlier.get(k))
        for k, string in enumerate(strings)
    ]


def _wrong_spans(answer: Assessment, count: int) -> list[tuple[tuple[int, int], ...]]:
    """Places of wrong words; none for languages without tags of words."""
    if answer.words is None:
        return [()] * count
    return [
        tuple(
            (word["start"], word["end"])
            for word in row["words"]
            if word["tag"] == "BAD" and word["start"] is not None and word["end"] is not None
        )
        for row in word_rows(answer.words)
    ]
