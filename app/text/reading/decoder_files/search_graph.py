"""Moses' search graph (``-output-search-graph`` and ``-output-search-graph-extended``): hypotheses, and phrases of the best.

A line is a hypothesis: ``0 hyp=5 stack=1 back=0 score=-0.5 transition=-0.5 forward=18 fscore=-2.3 covered=0-0 out=I am``.
"""

from typing import Final, NamedTuple

from app.errors import InputError
from app.text.reading.lines import TextFile
from app.text.reading.moses_n_best import MOST_SEGMENTS
from app.text.reading.numbers import finite_number, whole_number

__all__ = ["is_search_graph", "read_search_graph"]

Counts = dict[str, float]

# Limit of a sentence: the predecessor and phrase length of each hypothesis stay in memory, about 200 bytes.
MOST_HYPOTHESES: Final = 1_000_000
FORM: Final = "expected: SENTENCE hyp=N stack=N back=N score=X ... forward=N ... out=WORDS"
OUT: Final = " out="
# Before version 1 of Moses, costs followed the words.
OLD_END: Final = " , pC="
# Next hypothesis of a complete one.
END_OF_PATH: Final = "-1"


class _Step(NamedTuple):
    """The last phrase of a hypothesis: the hypothesis before it, and its number of words."""

    back: int
    words: int


class _Sentence:
    """Hypotheses of a sentence."""

    def __init__(self) -> None:
        self.steps: dict[int, _Step] = {}
        self.recombined_count = 0
        self.best: int | None = None
        self.best_score = 0.0

    def counts(self) -> Counts:
        """Count lines and recombined hypotheses, and the phrases on the way back from the best complete hypothesis."""
        counts: Counts = {"nodes": len(self.steps), "recombined": self.recombined_count}
        if self.best is None:
            return counts
        lengths = []
        number = self.best
        # Numbers grow along a path, so that it ends.
        while number:
            step = self.steps[number]
            lengths.append(step.words)
            number = step.back
        return {**counts, "phrases": len(lengths), "longest_phrase": max(lengths, default=0)}


def is_search_graph(head: str) -> bool:
    """Return True if the first line of a file is one of a search graph."""
    number, hypothesis, _ = head.partition(" hyp=")
    return bool(hypothesis) and whole_number(number) is not None


def read_search_graph(file: TextFile) -> list[Counts]:
    """Counts of each sentence: `nodes`, `recombined`, and `phrases` and `longest_phrase` (words) of the best hypothesis.

    `nodes` are the lines of the graph, recombined hypotheses among them. Sentences are numbered from 0, and the lines of each stand
    together. InputError (`invalid-table`) names a line of another form; ``empty-input`` for an empty file, ``unequal-lengths`` if
    a sentence is missing.
    """
    finished: dict[int, Counts] = {}
    number, sentence = -1, _Sentence()
    for line, text in enumerate(file.lines(), 1):
        if not text:
            continue
        first, _, rest = text.partition(" ")
        next_number = whole_number(first)
        if next_number is None or next_number >= MOST_SEGMENTS:
            raise _refused(FORM, file.name, line)
        if next_number != number:
            if number >= 0:
                finished[number] = sentence.counts()
            if next_number in finished:
                raise _refused(f"lines of sentence {next_number} stand apart", file.name, line)
            number, sentence = next_number, _Sentence()
        fault = _add(sentence, rest)
        if fault:
            raise _refused(fault, file.name, line)
    if number < 0:
        raise InputError("empty-input", "this search graph is empty", (file.name,))
    finished[number] = sentence.counts()
    for k in range(len(finished)):
        if k not in finished:
            detail = f"{file.name} has {len(finished)} sentences, but none with the number {k}; numbers count from 0"
            raise InputError("unequal-lengths", detail, (file.name,))
    return [finished[k] for k in range(len(finished))]


def _add(sentence: _Sentence, text: str) -> str | None:
    """Add a hypothesis to its sentence; return the fault of a line of another form."""
    head, out, words = text.partition(OUT)
    # Scores of the extended form stand in quotation marks and may hold any word.
    fields = dict(word.partition("=")[::2] for word in head.partition(' scores="')[0].split())
    number, back = whole_number(fields.get("hyp", "")), whole_number(fields.get("back", ""))
    forward = fields.get("forward", "")
    if number == 0 and "stack" in fields and not sentence.steps:
        sentence.steps[0] = _Step(0, 0)
        # An empty sentence is complete without a phrase.
        sentence.best = 0 if forward == END_OF_PATH else None
        return None
    score = finite_number(fields.get("score", ""))
    if number is None or back is None or score is None or not out or whole_number(forward.removeprefix("-")) is None:
        return FORM
    if number in sentence.steps:
        return f"hypothesis {number} stands in the graph twice"
    if back >= number or back not in sentence.steps:
        return f"hypothesis {back} must stand before hypothesis {number}, which continues it"
    if len(sentence.steps) >= MOST_HYPOTHESES:
        return f"a sentence has at most {MOST_HYPOTHESES} hypotheses; this one has more"
    sentence.steps[number] = _Step(back, _words(words, fields.get("covered", "")))
    if "recombined" in fields:
        sentence.recombined_count += 1
    elif forward == END_OF_PATH and (sentence.best is None or score > sentence.best_score):
        sentence.best, sentence.best_score = number, score
    return None


def _words(out: str, span: str) -> int:
    """Number of words of a phrase; the extended form has ``"source phrase|target phrase"``."""
    if not (out.startswith('"') and out.endswith('"') and len(out) > 1):
        return len(out.partition(OLD_END)[0].split())
    phrases = out[1:-1]
    if phrases.count("|") == 1:
        return len(phrases.partition("|")[2].split())
    # Words have factors, and the last source word and the first target word are one piece.
    first, last = (whole_number(place) for place in span.partition("-")[::2])
    if first is None or last is None or phrases.endswith("|"):
        return 0
    return max(0, len(phrases.split()) - (last - first))


def _refused(detail: str, name: str, line: int) -> InputError:
    return InputError("invalid-table", f"line {line} of {name}: {detail}", (name, line))
