"""Request and answer of a review of translated files."""

from typing import Annotated, Final, Literal, NotRequired

from pydantic import Field, PrivateAttr, model_validator
from typing_extensions import TypedDict

from app.checks import WARNINGS, Severity
from app.documents.strings.paths import Layout
from app.errors import InputError
from app.operations.glossary import GLOSSARY, GlossaryField
from app.operations.operation import Body, with_example
from app.operations.parts.names import Language, ProfileName
from app.operations.review.change import QualityChange
from app.operations.review.faults import without_faults
from app.operations.review.files import PathLayout, Pattern, ReviewFile
from app.operations.review.gate import FailOn, limit_of
from app.operations.review.reading.strings import read_strings
from app.operations.review.reviewed import FileStrings
from app.operations.review.varieties import review_pair
from app.text.languages import LanguagePair

__all__ = [
    "CODES",
    "FILE_LIMIT",
    "MEANINGS",
    "Finding",
    "IgnoredFindings",
    "ReviewAnswer",
    "ReviewRequest",
    "ReviewedFile",
    "WorstString",
]

FILE_LIMIT: Final = 10_000
# Findings beside the warnings of single strings.
CODES: Final = {
    "stale": "the source changed, the translation did not",
    "plurals": "a plural form of the target language is missing",
    "too-long": "the text is longer than its file allows",
    "inconsistent": "one source has several translations in the files",
    "ambiguous": "several sources have one translation in the files",
    "quality": "the predicted quality is below the limit",
    "missing": "the change emptied or removed a translation",
    "unreadable": "the file cannot be read",
    "unjudged": "the string cannot be judged",
}
# Meanings of all codes of findings.
MEANINGS: Final = {**WARNINGS, **CODES}


class IgnoredFindings(Body):
    """Findings to leave out: those with this code, key and path, each any if null; `*` stands for any letters."""

    code: Pattern | None = None
    key: Pattern | None = None
    path: Pattern | None = None
    reason: Annotated[str, Field(min_length=1, max_length=500, description="Reason for leaving them out")]


class ReviewRequest(Body):
    """POST /v1/review: files of strings in several languages, or documents with source and translation."""

    model_config = with_example(
        {
            "source_language": "en",
            "files": [
                {"path": "locales/en.json", "text": '{"greeting": "Hello, {name}!"}'},
                {"path": "locales/de.json", "text": '{"greeting": "Hallo, {nom}!"}'},
            ],
        }
    )

    source_language: Language = "en"
    files: Annotated[list[ReviewFile], Field(min_length=1, max_length=FILE_LIMIT)]
    compare: Annotated[bool, Field(description="Judge only strings that differ from `old_text`")] = False
    predict: Annotated[bool, Field(description="Predict quality; false checks strings alone")] = True
    min_quality: Annotated[
        dict[str, Annotated[float, Field(ge=0.0, le=1.0)]],
        Field(
            default_factory=dict,
            description="Report strings of a lower confidence, by language, pt for pt-BR too; `*` is any other",
        ),
    ]
    fail_on: Annotated[
        FailOn,
        Field(description="The verdict is `findings` from this severity on, which may differ by language, as in `min_quality`"),
    ] = "error"
    fail_if_worse: Annotated[
        bool, Field(description="The verdict is `findings` too if `change` is worse; needs `compare` and `predict`")
    ] = False
    profile: ProfileName | None = None
    layouts: Annotated[list[PathLayout], Field(max_length=100, default_factory=list)]
    ignore: Annotated[list[IgnoredFindings], Field(max_length=1000, default_factory=list)]
    glossary: Annotated[GlossaryField, Field(description=GLOSSARY)] | None = None
    _files: list[FileStrings] | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _names_each_path_once(self) -> "ReviewRequest":
        paths: set[str] = set()
        for place, file in enumerate(self.files):
            if file.path in paths:
                raise InputError("invalid-request", "an earlier file has this path; send one of them", ("files", place, "path"))
            paths.add(file.path)
        return self

    def file_strings(self) -> list[FileStrings]:
        """Strings of all translated files, read once."""
        if self._files is None:
            layouts = [Layout(layout.source, layout.translation) for layout in self.layouts]
            self._files = list(read_strings(self.files, self.source_language, layouts, self.compare))
        return self._files

    def set_faults_apart(self, longest: int) -> None:
        """Take strings of more than `longest` characters, or with forbidden ones, out of the strings that are judged."""
        self._files = [without_faults(file, longest) for file in self.file_strings()]

    def quality_limit(self, language: str) -> float | None:
        """The lowest confidence of a language that is no finding; None without a limit."""
        return limit_of(self.min_quality, language)

    def pairs(self) -> list[LanguagePair]:
        """Language pairs of the files."""
        languages = dict.fromkeys(file.language for file in self.file_strings() if file.language)
        return [review_pair(self.source_language, language) for language in languages]


class Finding(TypedDict):
    """A finding about a string, or about a file without key; lines and columns count from 1."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    key: str
    language: str
    code: str
    severity: Severity
    message: str
    source: str
    translation: str
    source_spans: list[tuple[int, int]]
    translation_spans: list[tuple[int, int]]
    earlier_source: NotRequired[Annotated[str, Field(description="Source before the change, if it differs")]]
    earlier_translation: NotRequired[Annotated[str, Field(description="Translation before the change, if it differs")]]


class WorstString(TypedDict):
    """A string of low predicted quality; words that look wrong are spans of characters."""

    path: str
    line: int
    key: str
    language: str
    confidence: float
    source: str
    translation: str
    wrong_spans: list[tuple[int, int]]
    earlier_translation: NotRequired[Annotated[str, Field(description="Translation before the change, if it differs")]]


class ReviewedFile(TypedDict):
    """A translated file: its strings, those that were judged, and keys that only the source has."""

    path: str
    source_path: Annotated[str, Field(description="File of the sources; the path itself for files with both texts")]
    language: str
    strings: int
    judged_strings: int
    missing: int
    model: NotRequired[Annotated[str, Field(description="Predictor of the quality")]]


class ReviewAnswer(TypedDict):
    """Findings, errors first, then in the order of files; the strings of the lowest predicted quality."""

    strings: Annotated[int, Field(description="Strings that were judged")]
    verdict: Annotated[
        Literal["clean", "findings", "nothing"],
        Field(description="findings: one of `fail_on` or worse, or a failing `change`; nothing: no string was judged, so no pass"),
    ]
    counts: Annotated[dict[str, int], Field(description="Findings by severity")]
    ignored_findings: Annotated[int, Field(description="Findings that `ignore` left out")]
    findings: list[Finding]
    worst: list[WorstString]
    change: NotRequired[Annotated[QualityChange, Field(description="Only for ten strings or more with an earlier text")]]
    files: list[ReviewedFile]
    cautions: NotRequired[list[str]]
