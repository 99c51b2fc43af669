"""Review of translated files: findings about strings that changed, or about all."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from app.checks import SEVERITIES, SegmentWarning
from app.documents.glossaries import Glossary
from app.engine import Engine
from app.errors import InputError
from app.operations.glossary import cautions_of_glossary, requested_glossary
from app.operations.operation import Operation
from app.operations.parts.costs.cost import Cost, amount_of_texts
from app.operations.parts.costs.network_work import work_of_reading
from app.operations.parts.costs.work import work_of_pairs
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.review.across import findings_across
from app.operations.review.change import quality_change
from app.operations.review.faults import FAULT_CODE
from app.operations.review.gate import fails
from app.operations.review.globs import Glob
from app.operations.review.judging import JudgedString, Judgement, finding, findings_of, judge_strings, worst_string
from app.operations.review.request import Finding, IgnoredFindings, ReviewAnswer, ReviewedFile, ReviewRequest
from app.operations.review.reviewed import Fault, FileStrings, ReviewString
from app.operations.review.unreadable import unreadable
from app.running.deadline import awaited
from app.text.languages import LanguagePair

__all__ = ["operation", "review_files"]

WORST_COUNT: Final = 20


def review_files(engine: Engine, request: ReviewRequest) -> ReviewAnswer:
    """Review the files of a request."""
    files = request.file_strings()
    findings = _of_broken_files(files, request.source_language)
    glossary = requested_glossary(request.glossary, request.source_language)
    judgements = {pair: _judged(engine, request, pair, files, glossary) for pair in request.pairs()}
    for pair, judgement in judgements.items():
        min_quality = request.quality_limit(pair.target)
        of_strings = [row for result in judgement.strings for row in findings_of(result, min_quality)]
        findings += of_strings
        strings = [string for file in files if file.language == pair.target for string in file.strings]
        suspects = {(row["path"], row["line"], row["column"]) for row in of_strings}
        findings += findings_across(strings, pair.target, suspects)
    errors = {_place_of(row) for row in findings if row["severity"] == "error"}
    faults = (_of_fault(fault) for file in files for fault in file.faults)
    # A check may have found the fault already.
    findings += [row for row in faults if _place_of(row) not in errors]
    rules = [_globs(rule) for rule in awaited(request.ignore)]
    remainder = [row for row in findings if not _is_ignored(row, rules)]
    order = {path: place for place, path in enumerate(dict.fromkeys(file.path for file in request.files))}
    remainder.sort(key=lambda row: (SEVERITIES.index(row["severity"]), order[row["path"]], row["line"]))
    results = [result for judgement in judgements.values() for result in judgement.strings]
    worst = sorted((result for result in results if result.confidence is not None), key=lambda result: result.confidence or 0.0)
    counts = Counter(row["severity"] for row in remainder)
    change = quality_change([row for result in results if (row := _confidences(result)) is not None])
    has_failed = any(fails(row, request.fail_on) for row in remainder)
    has_failed |= request.fail_if_worse and change is not None and change["outcome"] == "worse"
    answer: ReviewAnswer = {
        "strings": len(results),
        "verdict": "findings" if has_failed else "clean" if results or remainder else "nothing",
        "counts": {severity: counts[severity] for severity in SEVERITIES},
        "ignored_findings": len(findings) - len(remainder),
        "findings": remainder,
        "worst": [worst_string(result) for result in worst[:WORST_COUNT]],
        "files": [_row(file, judgements) for file in files if file.language or file.error is not None],
    }
    if change is not None:
        answer["change"] = change
    cautions = [judgement.caution for judgement in judgements.values() if judgement.caution is not None]
    cautions += dict.fromkeys(caution for pair in judgements for caution in cautions_of_glossary(glossary, pair))
    return {**answer, "cautions": cautions} if cautions else answer


def _of_broken_files(files: Iterable[FileStrings], source_language: str) -> list[Finding]:
    """A finding about each file that cannot be read; one about a file of sources, which several translations may have."""
    findings: dict[str, Finding] = {}
    for file in files:
        if file.error is not None:
            is_source = file.error.where[:1] == (file.source_path,)
            path, language = (file.source_path, source_language) if is_source else (file.path, file.language)
            findings.setdefault(path, unreadable(path, language, file.error))
    return list(findings.values())


def _judged(
    engine: Engine, request: ReviewRequest, pair: LanguagePair, files: Iterable[FileStrings], glossary: Glossary | None
) -> Judgement:
    """Judgement of the changed strings of a language."""
    strings = [string for file in files if file.language == pair.target for string in file.strings if string.is_changed]
    return judge_strings(engine.at(request.profile) if request.predict and strings else None, pair, strings, glossary)


def _confidences(result: JudgedString) -> tuple[float, float] | None:
    """Confidence before and behind a change; None for a new string, and without prediction."""
    if result.confidence is None or result.earlier_confidence is None:
        return None
    return result.earlier_confidence, result.confidence


def _place_of(row: Finding) -> tuple[str, int, str]:
    return row["path"], row["line"], row["code"]


def _of_fault(fault: Fault) -> Finding:
    return finding(fault.string, fault.code, fault.message, SegmentWarning(fault.code, severity=fault.severity))


def _row(file: FileStrings, judgements: dict[LanguagePair, Judgement]) -> ReviewedFile:
    row: ReviewedFile = {
        "path": file.path,
        "source_path": file.source_path,
        "language": file.language,
        "strings": len(file.strings) + sum(fault.code == FAULT_CODE for fault in file.faults),
        "judged_strings": sum(string.is_changed for string in file.strings),
        "missing": file.missing,
    }
    model = next((judgement.model for pair, judgement in judgements.items() if pair.target == file.language), None)
    return {**row, "model": model} if model else row


def _globs(rule: IgnoredFindings) -> dict[str, Glob]:
    """Patterns of a rule by the members of findings."""
    patterns = {"code": rule.code, "key": rule.key, "path": rule.path}
    return {name: Glob(pattern) for name, pattern in patterns.items() if pattern is not None}


def _is_ignored(finding: Mapping[str, Any], rules: Sequence[Mapping[str, Glob]]) -> bool:
    """Return True if a rule leaves out the finding."""
    return any(all(glob.matches(finding[name]) for name, glob in rule.items()) for rule in awaited(rules))


def _changed_strings(request: ReviewRequest) -> list[ReviewString]:
    return [string for file in request.file_strings() for string in file.strings if string.is_changed]


def _check(request: ReviewRequest, limits: RequestLimits) -> None:
    requested_glossary(request.glossary, request.source_language)
    if request.fail_if_worse and not (request.compare and request.predict):
        raise InputError("invalid-request", "quality before a change needs compare and predict", ("fail_if_worse",))
    # A long string is a finding of its own; the rest is judged.
    request.set_faults_apart(limits.characters)
    if request.min_quality and not request.predict:
        raise InputError("invalid-request", "a limit of predicted quality needs predict", ("min_quality",))
    strings = _changed_strings(request)
    check_count(len(strings), limits.segments, ("files",))


def _cost(engine: Engine, request: ReviewRequest) -> Cost:
    strings = _changed_strings(request)
    pairs = [(string.source, string.translation) for string in strings]
    if request.predict:
        pairs += [string.earlier for string in strings if string.earlier is not None]
    reading = work_of_reading(engine, request, pairs) if request.predict else 0
    return Cost(amount_of_texts(string.source for string in strings), work_of_pairs(pairs), reading)


operation = Operation[ReviewRequest, ReviewAnswer](
    name="review",
    id="reviewFiles",
    summary="Review translated files: broken structure, changed numbers, and low predicted quality.",
    request=ReviewRequest,
    answer_type=ReviewAnswer,
    check=_check,
    answer=review_files,
    cost=_cost,
)
