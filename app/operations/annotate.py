"""Documents that people translate in: their content, the job of their scores, and the copy with scores."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Any, BinaryIO, Final, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.checks.inline_codes import changed_codes
from app.documents import FILE_FORMATS, Document, QualityMark, read_file
from app.documents.correcting import with_corrections
from app.documents.document import Languages
from app.documents.retexting import Revision
from app.documents.several import CandidatesAnswer, read_candidates
from app.engine import Engine
from app.errors import InputError
from app.operations.judgements.corrections import Correction
from app.operations.judgements.reassessment import assessed
from app.operations.operation import Json
from app.operations.parts.about_models import ModelSummary
from app.operations.parts.document_jobs import check_document, document_pair, header_of, order_taken, read_sources, texts_of
from app.operations.parts.languages import WhoSays, find_languages, named_pair, who_says
from app.operations.parts.limits import RequestLimits
from app.operations.parts.terms import BY_RISK
from app.operations.quality import QualityRequest, predict_quality
from app.operations.rank.candidates import texts_of_candidates
from app.resources.guessing import Guess
from app.resources.identification import order_of
from app.text import LanguagePair
from app.text.reading.columns import Order, ReadingAnswer
from app.text.reading.lines import TextFile
from app.text.reading.tables import open_lines
from app.text.tokenisation import word_count

__all__ = [
    "ANNOTATION",
    "AnnotatedFile",
    "CorrectionPlace",
    "FileAnswer",
    "annotate_document",
    "annotated",
    "inspect_candidates",
    "inspect_files",
]

# Where corrections go in a file.
CorrectionPlace = Literal["target", "comment", "none"]
SHOWN_SEGMENTS: Final = 3
# Marks in a document beside the scores, as fields of a quality request.
ANNOTATION: Final[Json] = {"bands": BY_RISK}


class LooksLike(TypedDict):
    """The language of each side by its words, null where it is not clear."""

    source_language: str | None
    target_language: str | None


class FileAnswer(TypedDict):
    """Content of a file. `pair` is declared by the file or guessed from its words; null if no loaded pair fits."""

    format: str
    title: str
    source_language: Annotated[str | None, Field(description="Language that the file declares")]
    target_language: str | None
    pair: str | None
    guessed: Annotated[bool, Field(description="True if the pair comes from the words rather than from the file")]
    languages: Annotated[WhoSays | None, Field(description="Origin of the pair: the file or its words; null without a pair")]
    looks_like: Annotated[
        LooksLike, Field(description="Languages guessed from the words, independent of the file and of the loaded pairs")
    ]
    model: Annotated[str | None, Field(description="The predictor that would be asked")]
    segments: int
    source_words: int
    skipped: Annotated[int, Field(description="Units without a translation, or not to be translated")]
    members: list[dict[str, Any]]
    examples: list[dict[str, str]]
    reading: Annotated[ReadingAnswer | None, Field(description="Columns of a table and their roles; null for other formats")]
    candidates: NotRequired[
        Annotated[CandidatesAnswer, Field(description="Several translations of a source; only for `kind` rank")]
    ]


def inspect_files(engine: Engine, files: Mapping[str, BinaryIO], header: bool | None = None) -> FileAnswer:
    """Describe a file: format, languages, segments, and the predictor of its pair; `header` as in `read_file`."""
    document, guess = _read_and_guess(engine, files, header)
    sources, translations = texts_of(document)
    members = [{"format": name, "segments": count} for name, count in document.members]
    about = _about(engine, guess, document.format, document.languages, sources, translations)
    reading = None if document.reading is None else document.reading.answer()
    return {**about, "skipped": document.skipped, "members": members, "reading": reading}


def inspect_candidates(engine: Engine, files: Mapping[str, BinaryIO], header: bool | None = None) -> FileAnswer:
    """Describe a file with several translations of each source; `header` as in `read_candidates`."""
    if set(files) != {"file"}:
        raise InputError("invalid-request", "send one file with several translations, called file")
    document = read_candidates(files["file"].read(), "file", header=header)
    sources, translations = texts_of_candidates(document)
    guess = find_languages(engine, sources, translations, document.languages)
    about = _about(engine, guess, document.format, document.languages, sources, translations)
    answer = document.answer()
    return {**about, "skipped": answer["skipped"], "candidates": answer}


def _about(
    engine: Engine, guess: Guess, form: str, languages: Languages, sources: Sequence[str], translations: Sequence[str]
) -> FileAnswer:
    """Members of an answer that each kind of file has."""
    pair, model = guess.pair, None
    if pair is not None:
        with suppress(InputError):
            model = engine.model_for(pair, None, None, frozenset()).card.id
    language = pair.source if pair else languages[0] or guess.source or ""
    return {
        "format": form,
        "title": FILE_FORMATS[form].title if form in FILE_FORMATS else "two text files",
        "source_language": languages[0],
        "target_language": languages[1],
        "pair": None if pair is None else str(pair),
        "guessed": pair is not None and None in languages,
        "languages": None if pair is None else who_says(None, languages),
        "looks_like": {"source_language": guess.source, "target_language": guess.translation},
        "model": model,
        "segments": len(sources),
        "source_words": sum(word_count(language, source) for source in sources),
        "skipped": 0,
        "members": [],
        "examples": [
            {"source": source[:300], "translation": translation[:300]}
            for source, translation in islice(zip(sources, translations, strict=True), SHOWN_SEGMENTS)
        ],
        "reading": None,
    }


def _read_and_guess(engine: Engine, files: Mapping[str, BinaryIO], header: bool | None) -> tuple[Document, "Guess"]:
    """A file and the languages of its words, which identify columns without a heading."""
    document = _read(files, header)
    guess = find_languages(engine, *texts_of(document), document.languages)
    reading = document.reading
    if reading is None or reading.headings is None or not reading.unclear:
        return document, guess
    pair = guess.pair
    if pair is None and guess.source is not None and guess.translation is not None and guess.source != guess.translation:
        pair = LanguagePair(guess.translation, guess.source).nearest(engine.resources.pairs)
    for file in files.values():
        file.seek(0)
    document = _read(files, header, order_of(pair))
    return document, find_languages(engine, *texts_of(document), document.languages)


def _read(files: Mapping[str, BinaryIO], header: bool | None, order: Order | None = None) -> Document:
    if set(files) == {"source", "translation"}:
        rows = open_lines({role: TextFile(role, files[role]) for role in ("source", "translation")}).rows
        return Document.of_lines(rows)
    if "file" not in files or set(files) - {"file", "source"}:
        raise InputError("invalid-request", "send file, or file and source, or source and translation")
    return read_file(files["file"].read(), "file", None, read_sources(files), header=header, order=order)


@dataclass(frozen=True)
class AnnotatedFile:
    """A document with scores in it; `corrections` counts those that stand as the target, as a comment, or nowhere."""

    content: bytes
    name: str
    media_type: str
    corrections: Mapping[str, int]


def annotated(
    params: Json,
    raw: bytes | None,
    sources: bytes | None,
    rows: Iterable[Mapping[str, Any]],
    corrections: Iterable[Correction] = (),
    place: CorrectionPlace = "target",
) -> AnnotatedFile:
    """The file of a quality job with the job's scores in it, and with the texts that people put in place of translations.

    Texts go into the target, or into a comment beside it, as `place` says. A text that would lose tags in the target also becomes
    a comment, if the format has comments. InputError where the job has no file, or tags of words instead of scores.
    """
    about = params.get("file")
    if "label" not in params or params.get("level") == "word" or about is None or raw is None:
        detail = "only a quality job of segments that came in a file can be written into it; ask for tsv, json or jsonl"
        raise InputError("invalid-request", detail, ("format",))
    lines = None if sources is None else list(TextFile("source", sources).lines())
    standing = {c.segment - 1: c for c in corrections if place != "none"}
    texts = {number: Revision(c.text, c.changed) for number, c in standing.items() if c.text is not None}
    targets = texts if place == "target" else {}
    judged_rows = list(rows)

    def read(content: bytes) -> Document:
        # A job took it already.
        document = read_file(content, "file", named_pair(params), lines, sys.maxsize, header_of(about), order_taken(about))
        if "reading" not in about and len(document.units) != len(judged_rows):
            # A job of before, which took a heading of unknown names for a segment.
            document = read_file(content, "file", named_pair(params), lines, sys.maxsize, False)
        return document

    document, unplaced_corrections = with_corrections(raw, read, targets)
    put = targets.keys() - unplaced_corrections
    comments = {number: texts[number].text for number in texts.keys() - put if document.holds_comment(texts[number].text)}
    counts = {"target": len(put), "comment": len(comments), "none": len(texts) - len(put) - len(comments)}
    marks = [
        _corrected(row, standing[n], params) if n in put else _mark(row, params, comments.get(n, ""))
        for n, row in enumerate(judged_rows)
    ]
    return AnnotatedFile(
        document.marked(_with_codes(document, marks)), about["name"], FILE_FORMATS[about["format"]].media_type, counts
    )


def _with_codes(document: Document, marks: Iterable[QualityMark]) -> list[QualityMark]:
    """Marks with the check `tags` for units whose inline codes differ."""
    return [
        mark if "tags" in mark.warnings or changed_codes(*unit.codes) is None else replace(mark, warnings=(*mark.warnings, "tags"))
        for unit, mark in zip(document.units, marks, strict=True)
    ]


def _corrected(row: Mapping[str, Any], correction: Correction, model: Mapping[str, Any]) -> QualityMark:
    """The mark of a correction in the place of its translation."""
    remark = "corrected since" if correction.assessment is None else "score of the correction"
    original = (row["translation"], row["confidence"])
    return replace(_mark(assessed(row, correction.assessment), model), original=original, remark=remark)


def _mark(row: Mapping[str, Any], model: Mapping[str, Any], comment: str = "") -> QualityMark:
    return QualityMark(
        row["confidence"],
        row["score"],
        row["interval"][0],
        row["interval"][1],
        model["label"],
        model["unit"],
        model["direction"],
        model["model"],
        row.get("band", ""),
        # A score of a part of the text is no score of the segment.
        (*(warning["code"] for warning in row.get("warnings", ())), *(["truncated"] if row.get("truncated") else [])),
        comment=comment,
    )


class DocumentSummary(ModelSummary):
    """Counts of corrections in a document."""

    pair: str
    languages: WhoSays
    segments: int
    skipped: int
    reading: ReadingAnswer | None


def annotate_document(
    engine: Engine,
    raw: bytes,
    name: str,
    limits: RequestLimits,
    pair: LanguagePair | None = None,
    sources: Sequence[str] | None = None,
    model: str | None = None,
    label: Any = None,
    header: bool | None = None,
    profile: Literal["fast", "accurate"] | None = None,
    glossary: Any = None,
) -> tuple[bytes, DocumentSummary]:
    """A document with the quality of every segment written into it, with bands and warnings, and by which predictor."""
    document = read_file(raw, name, pair, sources, limits.segments, header, order_of(pair))
    languages = document_pair(engine, document, pair)
    check_document(document, limits, name)
    request = QualityRequest(
        source_language=languages.source,
        target_language=languages.target,
        model=model,
        label=label,
        profile=profile,
        glossary=glossary,
        **ANNOTATION,
        segments=[{"source": unit.source, "translation": unit.translation} for unit in document.units],  # type: ignore[misc]
    )
    answer: Any = predict_quality(engine, request)
    summary: DocumentSummary = {
        **{name: answer[name] for name in ("model", "label", "unit", "direction")},  # type: ignore[typeddict-item]
        "pair": str(languages),
        "languages": who_says(pair, document.languages),
        "segments": len(document.units),
        "skipped": document.skipped,
        **{name: answer[name] for name in ("cautions", "new_pair") if name in answer},
        "reading": None if document.reading is None else document.reading.answer(),
    }
    return document.marked(_with_codes(document, [_mark(row, answer) for row in answer["segments"]])), summary
