"""Moses' log (``moses -verbose 1`` to 3): counts of the search for each sentence.

A sentence has the statistics ``total hypotheses considered = 1524`` and so on (from ``-verbose 2``), and the line ``BEST
TRANSLATION``. Newer versions number sentences (``Line 0: Search took``), older ones write them in order. Other lines are skipped.
"""

from collections.abc import Iterator
from typing import Final

from app.errors import InputError
from app.text.reading.lines import TextFile
from app.text.reading.moses_n_best import MOST_SEGMENTS
from app.text.reading.numbers import whole_number

__all__ = ["read_verbose_log"]

Counts = dict[str, float]

HYPOTHESES: Final = "hypotheses"
# Statistics by their names in the log, which stand right-aligned before an equals sign.
STATISTICS: Final = {
    "total hypotheses considered": HYPOTHESES,
    "total hypotheses generated": HYPOTHESES,
    "number discarded": "discarded",
    "number recombined": "recombined",
    "number pruned": "pruned",
}
BEST: Final = "BEST TRANSLATION: "
NO_BEST: Final = "NO BEST TRANSLATION"
LINE: Final = "Line "
SEARCH: Final = ": Search took "
DECISION: Final = ": Decision rule took "
ANNOUNCEMENT: Final = "Translating line "
# Moses marks a word that its tables lack by this further factor.
UNKNOWN: Final = "|UNK"
THREADS: Final = "sentences overlap here; write the log with -threads 1"


class _Log:
    """Sentences of a log, read line by line."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sentences: dict[int, Counts] = {}
        self.has_numbers = False
        self.counts: Counts = {}
        self.is_open = False
        self.line = 0
        # Number of the sentence that a log without numbers began last, if it says so.
        self.next_number: int | None = None

    def refused(self, detail: str) -> InputError:
        return InputError("invalid-table", f"line {self.line} of {self.name}: {detail}", (self.name, self.line))

    def begin(self, number: int) -> None:
        if number in self.sentences:
            raise self.refused(f"sentence {number} stands in the log twice; give the log of one run")
        if number >= MOST_SEGMENTS:
            raise self.refused(f"sentences have numbers below {MOST_SEGMENTS}")
        self.counts = self.sentences[number] = {}
        self.is_open = True

    def begin_numbered(self, number: int) -> None:
        if self.is_open or (self.sentences and not self.has_numbers):
            raise self.refused(THREADS)
        self.has_numbers = True
        self.begin(number)

    def sentence(self, has_ended: bool) -> Counts:
        """Return the counts of the open sentence; without one, those of the next sentence of a log without numbers."""
        if self.is_open and not has_ended:
            return self.counts
        if self.has_numbers:
            raise self.refused(THREADS)
        if self.next_number not in (None, len(self.sentences)):
            raise self.refused(THREADS)
        self.begin(len(self.sentences))
        return self.counts

    def count(self, name: str, text: str) -> None:
        value = whole_number(text.strip())
        if value is None:
            raise self.refused(f"{name} must be a whole number; {THREADS}")
        # Minimum Bayes risk decoding writes no best translation that could end a sentence.
        counts = self.sentence(has_ended=name == HYPOTHESES and name in self.counts)
        if name in counts or (name != HYPOTHESES and HYPOTHESES not in counts):
            raise self.refused(THREADS)
        counts[name] = value

    def end(self, best: str | None) -> None:
        counts = self.sentence(has_ended=False)
        unknown_words = None if best is None else _unknown_words(best)
        if unknown_words is not None:
            counts["unknown_words"] = unknown_words
        self.is_open = False

    def decided(self, number: int) -> None:
        """End a sentence of a decision rule that writes no best translation."""
        if self.is_open and self.sentences.get(number) is not self.counts:
            raise self.refused(THREADS)
        self.is_open = False

    def read(self, text: str) -> None:
        if text.startswith(BEST):
            self.end(text.removeprefix(BEST))
        elif text.startswith(NO_BEST):
            self.end(None)
        elif text.startswith(ANNOUNCEMENT):
            self.next_number = whole_number(text.removeprefix(ANNOUNCEMENT).split(" ", 1)[0])
        elif text.startswith(LINE):
            number, colon, rest = text.removeprefix(LINE).partition(":")
            sentence = whole_number(number)
            if sentence is not None and f"{colon}{rest}".startswith(SEARCH):
                self.begin_numbered(sentence)
            elif sentence is not None and f"{colon}{rest}".startswith(DECISION):
                self.decided(sentence)
        else:
            statistic, equals, number = text.partition(" = ")
            name = STATISTICS.get(statistic.lstrip()) if equals else None
            if name is not None:
                self.count(name, number)


def read_verbose_log(file: TextFile) -> list[Counts]:
    """Counts of each sentence: `hypotheses`, `discarded`, `recombined`, `pruned` and `unknown_words`, as far as the log has them.

    InputError (`invalid-table`) names the line of a statistic that is no number or belongs to no sentence, as in logs of several
    threads. ``empty-input`` is the code of a log without sentences, ``unequal-lengths`` that of missing numbers.
    """
    log = _Log(file.name)
    for log.line, text in enumerate(file.lines(), 1):
        log.read(text)
    if not log.sentences:
        detail = "no sentence of Moses stands in this log; write it with moses -verbose 2"
        raise InputError("empty-input", detail, (file.name,))
    return list(_in_order(log.sentences, file.name))


def _in_order(sentences: dict[int, Counts], name: str) -> Iterator[Counts]:
    for number in range(len(sentences)):
        if number not in sentences:
            detail = f"{name} has {len(sentences)} sentences, but none with the number {number}; numbers count from 0"
            raise InputError("unequal-lengths", detail, (name,))
        yield sentences[number]


def _unknown_words(best: str) -> int | None:
    """Number of words that Moses did not know in ``Haus|UNK|UNK|UNK is small [111]  [total=-3.1] ...``.

    None without coverage by words, as in logs of the chart decoder: there the line has the last rule alone.
    """
    text, total, _ = best.rpartition(" [total=")
    words, bracket, coverage = text.rstrip().rpartition("[")
    if not total or not bracket or not coverage.endswith("]") or coverage[:-1].strip("01"):
        return None
    return sum(word.endswith(UNKNOWN) for word in words.split())
