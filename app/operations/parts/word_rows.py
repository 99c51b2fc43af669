"""Tags of words and gaps as they are answered."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.engine import Engine
from app.engine.segments import TaggedWords
from app.engine.word_tags import marks_of
from app.operations.parts.rounding import rounded
from app.predictors.word_tags import WordTagger
from app.predictors.word_tags.marks import Mark, Marks
from app.text.languages import LanguagePair
from app.text.pieces import places_of_words

__all__ = ["GapTag", "SegmentWords", "SourceWordTags", "Truncated", "WordMarks", "WordTag", "word_marks", "word_rows"]


Tag = Annotated[
    Literal["OK", "BAD"], Field(description="BAD where a word of this probability is at least as likely wrong as right")
]
BadProbability = Annotated[float, Field(description="Probability of BAD")]
Possible = Annotated[bool, Field(description="True for a word with the tag OK that may be wrong; absent otherwise")]


class WordTag(TypedDict):
    """A word, where it stands in its text (in characters, null if it is not there as it is), and its tag."""

    text: str
    start: int | None
    end: int | None
    tag: Tag
    bad: BadProbability
    possible: NotRequired[Possible]


class GapTag(TypedDict):
    """A gap: BAD where words are missing."""

    tag: Tag
    bad: BadProbability
    possible: NotRequired[Possible]


class MarkAccuracy(TypedDict):
    """A mark: its least probability, the share of marked words that are wrong, and the shares of wrong and of all words marked."""

    threshold: float
    precision: float
    recall: float
    share: float


class MarkAccuracies(TypedDict):
    """Accuracy of `wrong` marks (tag BAD) and of `possible` ones, measured on the tagger's dev data; null for a mark never set."""

    wrong: MarkAccuracy | None
    possible: MarkAccuracy | None


class WordMarks(TypedDict):
    """Accuracy of the marks of words, of gaps and of source words."""

    words: MarkAccuracies
    gaps: MarkAccuracies
    source_tags: NotRequired[MarkAccuracies]


Truncated = Annotated[bool, Field(description="True where a text is so long that only its first tokens were looked at")]


SourceWordTags = Annotated[
    list[WordTag], Field(description="Words of the source, BAD where not translated or wrongly; in the profile accurate alone")
]


class SegmentWords(TypedDict):
    """The words of a segment and the gaps around them, one more than words; and those of its source where they are tagged."""

    words: list[WordTag]
    gaps: list[GapTag]
    source_tags: NotRequired[SourceWordTags]
    truncated: NotRequired[Truncated]


def word_rows(answer: TaggedWords) -> list[SegmentWords]:
    """For each segment: its words with their character positions in the text of the request, and the gaps between words."""
    tags = answer.tags
    rows: list[SegmentWords] = []
    for i, text in enumerate(answer.texts):
        words = answer.words.tokens(i)
        begin, first_gap = int(tags.word_offsets[i]), int(tags.gap_offsets[i])
        bad, gaps = tags.words[begin : begin + len(words)], tags.gaps[first_gap : first_gap + len(words) + 1]
        row: SegmentWords = {"words": _words(text, words, bad, tags.word_marks), "gaps": _tags(gaps, tags.gap_marks)}
        if (source := answer.source) is not None:
            begin, of_source = int(source.words.offsets[i]), source.words.tokens(i)
            row["source_tags"] = _words(source.texts[i], of_source, source.bad[begin : begin + len(of_source)], source.marks)
        if i in answer.truncated:
            row["truncated"] = True
        rows.append(row)
    return rows


def _words(text: str, words: Sequence[str], bad: Float64s, marks: Marks) -> list[WordTag]:
    return [
        {"text": word, "start": place and place[0], "end": place and place[1], **tag}
        for word, place, tag in zip(words, places_of_words(text, words), _tags(bad, marks), strict=True)
    ]


def _tags(bad: Float64s, marks: Marks) -> list[GapTag]:
    rows: list[GapTag] = []
    for p, is_wrong, is_possible in zip(bad.tolist(), marks.wrong_words(bad), marks.possible_words(bad), strict=True):
        row: GapTag = {"tag": "BAD" if is_wrong else "OK", "bad": rounded(p)}
        rows.append({**row, "possible": True} if is_possible else row)
    return rows


def word_marks(engine: Engine, tagger: WordTagger, pair: LanguagePair) -> WordMarks:
    """Accuracy of the marks that a tagger sets in the engine's profile."""
    marks = marks_of(tagger, engine.pair_resources(pair), engine.profile != "fast")
    rows: WordMarks = {"words": _accuracies(marks.words), "gaps": _accuracies(marks.gaps)}
    return rows if marks.source is None else {**rows, "source_tags": _accuracies(marks.source)}


def _accuracies(marks: Marks) -> MarkAccuracies:
    return {"wrong": _accuracy(marks.wrong), "possible": _accuracy(marks.possible)}


def _accuracy(mark: Mark | None) -> MarkAccuracy | None:
    if mark is None:
        return None
    return {
        "threshold": rounded(mark.threshold),
        "precision": rounded(mark.precision),
        "recall": rounded(mark.recall),
        "share": rounded(mark.share),
    }
