"""Tags of words and gaps as they are answered."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.engine.segments import TaggedWords
from app.operations.parts.rounding import rounded
from app.text.pieces import places_of_words

__all__ = ["GapTag", "SegmentWords", "SourceWordTags", "Truncated", "WordTag", "word_rows"]


class WordTag(TypedDict):
    """A word, where it stands in its text (in characters, null if it is not there as it is), and its tag."""

    text: str
    start: int | None
    end: int | None
    tag: Literal["OK", "BAD"]
    bad: Annotated[float, Field(description="Probability of BAD")]


class GapTag(TypedDict):
    """A gap: BAD where words are missing."""

    tag: Literal["OK", "BAD"]
    bad: Annotated[float, Field(description="Probability of BAD")]


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
        bad = tags.words[begin : begin + len(words)].tolist()
        gaps = tags.gaps[first_gap : first_gap + len(words) + 1].tolist()
        row: SegmentWords = {
            "words": _words(text, words, bad, tags.word_threshold),
            "gaps": [_tag(p, tags.gap_threshold) for p in gaps],
        }
        if (source := answer.source) is not None:
            begin, of_source = int(source.words.offsets[i]), source.words.tokens(i)
            bad = source.bad[begin : begin + len(of_source)].tolist()
            row["source_tags"] = _words(source.texts[i], of_source, bad, source.threshold)
        if i in answer.truncated:
            row["truncated"] = True
        rows.append(row)
    return rows


def _words(text: str, words: Sequence[str], bad: Sequence[float], threshold: float) -> list[WordTag]:
    return [
        {"text": word, "start": place and place[0], "end": place and place[1], **_tag(p, threshold)}
        for word, place, p in zip(words, places_of_words(text, words), bad, strict=True)
    ]


def _tag(bad: float, threshold: float) -> GapTag:
    return {"tag": "BAD" if bad >= threshold else "OK", "bad": rounded(bad)}
