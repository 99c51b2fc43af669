"""Labelled rows for the training of the cross-encoder, from four corpora that allow trained models to be shared.

A folder holds ``mlqe-pe`` and ``mlqe-pe-critical`` (CC0-1.0), ``wmt-mqm`` and ``bio-mqm`` (Apache-2.0).
"""

import csv
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np
from sacremoses import MosesDetokenizer

from scripts.mqm.judged_outputs import PENALTIES, PUNCTUATION, TALKS, TALKS_HELD_OUT

__all__ = [
    "CRITICAL_PAIRS",
    "LABELS",
    "QUALITY_PAIRS",
    "Label",
    "Row",
    "Span",
    "WordTags",
    "critical_rows",
    "joiner_of",
    "judged_rows",
    "quality_rows",
    "shipped_pairs",
    "standardised",
    "words_of",
]

# Labels of a row. DA is better when higher, the others when lower.
LABELS: Final = ("da", "hter", "mqm", "critical")
Label = str
QUALITY_PAIRS: Final = ("en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en")
CRITICAL_PAIRS: Final = ("en-cs", "en-de", "en-ja", "en-zh")
# HTER above this value is cut: insertions can make it arbitrarily large.
HIGHEST_HTER: Final = 1.0
# Annotators with fewer rows share the moments of their pair.
FEWEST_ROWS: Final = 50
# Limit on MQM points per 100 words, as for a text with a critical error in every fourth word.
HIGHEST_MQM: Final = 200.0


@dataclass(frozen=True)
class Span:
    """Characters ``begin`` to ``end`` (exclusive) of a translation with an error."""

    begin: int
    end: int
    major: bool


@dataclass(frozen=True)
class WordTags:
    """Words of both sides, with tags: n source tags, and 2n + 1 tags of the translation's gaps and words in turn. 1 is wrong."""

    source: Sequence[str]
    target: Sequence[str]
    source_tags: Sequence[int]
    target_tags: Sequence[int]


@dataclass(frozen=True)
class Row:
    """A source, a translation and what people said of it; absent labels are unknown, not good.

    `spans` is None where nobody looked for errors. `post_edit` is a better translation, `joined_translation` the translation
    itself. Both are joined from tokens in one way, so that their spelling says nothing.
    """

    pair: str
    source: str
    translation: str
    labels: Mapping[Label, float] = field(default_factory=dict)
    annotator: str = ""
    tags: WordTags | None = None
    spans: tuple[Span, ...] | None = None
    post_edit: str | None = None
    joined_translation: str | None = None


def _lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def _table(path: Path) -> Iterator[dict[str, str]]:
    columns, *rows = (line.split("\t") for line in _lines(path))
    return (dict(zip(columns, row, strict=True)) for row in rows)


def quality_rows(folder: Path, pair: str, split: str) -> list[Row]:
    """Rows of MLQE-PE with DA, HTER, tags of words and post-edits."""
    base = folder / "mlqe-pe" / pair
    names = ("tok.src", "tok.mt", "tok.pe", "src.tags", "mt.tags")
    sides = zip(*([line.split() for line in _lines(base / f"{split}.{name}.gz")] for name in names), strict=True)
    language = pair.partition("-")[2]
    join = joiner_of(language)
    out = []
    for row, (source, target, edit, source_tags, target_tags) in zip(_table(base / f"{split}.tsv.gz"), sides, strict=True):
        labels = {"da": float(row["da_z"]), "hter": min(float(row["hter"]), HIGHEST_HTER)}
        tags = WordTags(source, target, *([int(tag == "BAD") for tag in line] for line in (source_tags, target_tags)))
        texts = row["source"], row["translation"]
        out.append(Row(pair, *texts, labels, tags=tags, post_edit=join(edit), joined_translation=join(target)))
    return out


def joiner_of(language: str) -> Callable[[Sequence[str]], str]:
    """A function from tokens to a text, for post-edits, which are stored as tokens only."""
    if language in ("zh", "ja"):
        return "".join
    detokenise = MosesDetokenizer(lang=language).detokenize
    return lambda tokens: str(detokenise(tokens, unescape=False))


def critical_rows(folder: Path, pair: str, split: str) -> list[Row]:
    """Rows of comments with verdicts on critical errors: 1 if at least two of three annotators saw one."""
    out = []
    for line in _lines(folder / "mlqe-pe-critical" / pair / f"{split}.tsv.gz"):
        _, source, translation, _, verdict = line.split("\t")
        out.append(Row(pair, source, translation, {"critical": float(verdict == "ERR")}))
    return out


def judged_rows(folder: Path, split: str) -> list[Row]:
    """Rows with MQM points per 100 words, and spans of errors; people's translations are among them."""
    rows = [row for direction, name in TALKS.items() for row in _talks(folder / "wmt-mqm" / name, direction, split)]
    for path in sorted((folder / "bio-mqm").glob(f"*/{split}.jsonl.gz")):
        rows += _abstracts(path)
    return rows


def _abstracts(path: Path) -> Iterator[Row]:
    segments: dict[tuple[str, str, str], str] = {}
    for row in sorted((json.loads(line) for line in _lines(path)), key=lambda row: int(row["segment"])):
        # A later row with an earlier source is a copy with errors of another text.
        if segments.setdefault((row["system"], row["document"], row["source"]), row["segment"]) != row["segment"]:
            continue
        spans = tuple(
            Span(int(error["start"]), int(error["end"]) + 1, error["severity"] != "Minor")
            for error in row["errors"]
            if isinstance(error["start"], int) and isinstance(error["end"], int) and error["severity"] != "Neutral"
        )
        yield _judged(
            path.parent.name, row["source"], row["target"], float(row["mqm"]), f"abstracts {row['annotator'].strip()}", spans
        )


def _talks(path: Path, direction: str, split: str) -> list[Row]:
    points: dict[tuple[str, ...], float] = {}
    spans: dict[tuple[str, ...], list[Span]] = {}
    texts: dict[tuple[str, ...], tuple[str, str]] = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        if (row["doc"] in TALKS_HELD_OUT[direction]) != (split == "dev"):
            continue
        key = row["doc"], row["seg_id"], row["system"], row["rater"]
        before, _, rest = row["target"].partition("<v>")
        inside, _, after = rest.partition("</v>")
        # Marks of omissions and of errors of the source lie in the source.
        source = row["source"].replace("<v>", "").replace("</v>", "")
        texts[key] = source, before + inside + after
        points.setdefault(key, 0.0)
        error_spans = spans.setdefault(key, [])
        if row["category"] == "Source error" or row["severity"] not in PENALTIES:
            continue
        minor_sign = (row["category"], row["severity"]) == ("Fluency/Punctuation", "Minor")
        points[key] += PUNCTUATION if minor_sign else PENALTIES[row["severity"]]
        if inside:
            error_spans.append(Span(len(before), len(before) + len(inside), row["severity"] == "Major"))
    return [_judged(direction, *texts[key], points[key], f"talks {key[3]}", tuple(spans[key])) for key in texts]


def _judged(pair: str, source: str, translation: str, points: float, annotator: str, spans: tuple[Span, ...]) -> Row:
    per_100 = min(100 * points / max(words_of(pair, translation), 1), HIGHEST_MQM)
    return Row(pair, source, translation, {"mqm": float(np.log1p(per_100))}, f"{pair} {annotator}", spans=spans)


def words_of(pair: str, translation: str) -> float:
    """Number of words; of two characters in Chinese."""
    return len(translation) / 2 if pair.endswith("-zh") else len(translation.split())


def shipped_pairs(folder: Path) -> tuple[str, ...]:
    """Pairs of all labelled rows, sorted; their places are the numbers of pairs in the network."""
    mqm_pairs = {path.parent.name for path in (folder / "bio-mqm").glob("*/train.jsonl.gz")}
    return tuple(sorted({*QUALITY_PAIRS, *CRITICAL_PAIRS, *TALKS, *mqm_pairs}))


def standardised(
    rows: Sequence[Row], labels: Sequence[Label] = LABELS[:3]
) -> tuple[list[Row], dict[str, dict[str, tuple[float, float]]]]:
    """Rows with z-scores of labels by pair (MQM: by annotator), and the means and deviations by label and pair."""
    groups: dict[tuple[Label, str], list[float]] = {}
    for row in rows:
        for label, value in row.labels.items():
            for group in {row.pair, row.annotator or row.pair}:
                groups.setdefault((label, group), []).append(value)
    moments = {key: (float(np.mean(values)), float(np.std(values)) or 1.0) for key, values in groups.items()}

    def scaled(row: Row) -> Row:
        out = dict(row.labels)
        for label in labels:
            if label in out:
                has_many = len(groups[label, row.annotator or row.pair]) >= FEWEST_ROWS
                mean, deviation = moments[label, (row.annotator or row.pair) if has_many else row.pair]
                out[label] = (out[label] - mean) / deviation
        return replace(row, labels=out)

    by_label: dict[str, dict[str, tuple[float, float]]] = {}
    pairs = {row.pair for row in rows}
    for (label, group), values in moments.items():
        if group in pairs:
            by_label.setdefault(label, {})[group] = values
    return [scaled(row) for row in rows], by_label
