"""Report of a filter: pairs that each rule leaves out, alone and beside all others, with examples, and by corpus."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np

from app.arrays import Bools, Int64s

__all__ = ["SEED", "FilterReport", "markdown_report"]

EXAMPLES: Final = 3
SEED: Final = 1
LONGEST_SHOWN: Final = 200
Texts = Sequence[Sequence[str]]


@dataclass
class _Counts:
    """Pairs and words of a corpus: total, without a fault, with a fault of each rule, and with a sole fault of each rule."""

    rules: int
    pairs: Int64s = field(init=False)
    words: Int64s = field(init=False)

    def __post_init__(self) -> None:
        self.pairs, self.words = (np.zeros(2 + 2 * self.rules, np.int64) for _ in range(2))

    def add(self, masks: Bools, words: Int64s) -> None:
        """Add pairs: masks (n, 2 + 2 rules), and words of both sides (n,)."""
        self.pairs += masks.sum(0)
        self.words += words @ masks

    def merge(self, numbers: Sequence[Sequence[int]]) -> None:
        """Add the numbers of another part of the corpus."""
        self.pairs += np.array(numbers[0], np.int64)
        self.words += np.array(numbers[1], np.int64)

    @property
    def numbers(self) -> list[list[int]]:
        """Numbers of pairs and of words."""
        return [self.pairs.tolist(), self.words.tolist()]

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Numbers by rule."""
        count = self.rules
        parts = {"pairs": self.pairs.tolist(), "words": self.words.tolist()}
        answer: dict[str, Any] = {unit: values[0] for unit, values in parts.items()}
        answer |= {f"passing_{unit}": values[1] for unit, values in parts.items()}
        answer["rules"] = [
            {
                "rule": name,
                **{unit: values[2 + row] for unit, values in parts.items()},
                **{f"{unit}_alone": values[2 + count + row] for unit, values in parts.items()},
            }
            for row, name in enumerate(names)
        ]
        return answer


# A pair as an example: a random key, the number of the pair, and both texts. Those with the lowest keys are a uniform sample.
Example: TypeAlias = tuple[float, int, list[str]]


class FilterReport:
    """Counts of pairs that rules leave out, in their order. Reports of parts of a corpus add up, if their seeds differ.

    A pair breaks a rule alone if it passes all others: without the rule, so many more pairs would pass.
    """

    def __init__(self, rules: Sequence[str], seed: Sequence[int] = (SEED,)) -> None:
        self.rules = list(rules)
        self.count = 0
        self._total = _Counts(len(rules))
        self._of_corpora: dict[str, _Counts] = {}
        self._examples: list[list[Example]] = [[] for _ in rules]
        self._rng = np.random.default_rng(list(seed))

    def add(self, broken: Bools, texts: Texts, corpora: Sequence[str] | None = None) -> None:
        """Add pairs: mask (n, rules) of broken rules, texts of both sides, and the name of the corpus of each pair."""
        number_of_faults = broken.sum(1)
        sole = broken & (number_of_faults == 1)[:, None]
        masks = np.hstack([np.ones((len(broken), 1), bool), (number_of_faults == 0)[:, None], broken, sole])
        words = np.array([sum(len(text.split()) for text in pair) for pair in zip(*texts, strict=True)], np.int64)
        self._total.add(masks, words)
        if corpora is not None:
            names = np.array(corpora, object)
            for name in dict.fromkeys(corpora):
                rows = np.asarray(names == name)
                self._counts_of(name).add(masks[rows], words[rows])
        for rule in range(len(self.rules)):
            places = np.flatnonzero(sole[:, rule])
            keys = self._rng.random(len(places))
            lowest = np.argsort(keys)[:EXAMPLES]
            rows_of_examples = zip(keys[lowest].tolist(), places[lowest].tolist(), strict=True)
            self._offer(
                rule, [(key, self.count + row, [_example_text(text[row]) for text in texts]) for key, row in rows_of_examples]
            )
        self.count += len(broken)

    @property
    def part(self) -> dict[str, Any]:
        """The argument of `merge`, as JSON."""
        corpora = {name: counts.numbers for name, counts in self._of_corpora.items()}
        return {"count": self.count, "total": self._total.numbers, "corpora": corpora, "examples": self._examples}

    def merge(self, part: Mapping[str, Any]) -> None:
        """Add the next part of the corpus."""
        self._total.merge(part["total"])
        for name, numbers in part["corpora"].items():
            self._counts_of(name).merge(numbers)
        for rule, examples in enumerate(part["examples"]):
            self._offer(rule, [(key, self.count + number, list(texts)) for key, number, texts in examples])
        self.count += part["count"]

    def _counts_of(self, corpus: str) -> _Counts:
        return self._of_corpora.setdefault(corpus, _Counts(len(self.rules)))

    def _offer(self, rule: int, examples: Sequence[Example]) -> None:
        self._examples[rule] = sorted([*self._examples[rule], *examples])[:EXAMPLES]

    def as_json(self, further: Mapping[str, int]) -> dict[str, Any]:
        """The report; `further` are pairs left out of those that pass, such as repetitions."""
        answer = self._total.as_json(self.rules)
        for row, examples in zip(answer["rules"], self._examples, strict=True):
            row["examples"] = [
                {"pair": number + 1, "source": source, "target": target}
                for number, (source, target) in sorted((number, texts) for _, number, texts in examples)
            ]
        corpora = [{"corpus": name, **counts.as_json(self.rules)} for name, counts in sorted(self._of_corpora.items())]
        return {**answer, "left_out_later": dict(further), **({"corpora": corpora} if corpora else {})}


def _example_text(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def markdown_report(report: Mapping[str, Any], reasons: Mapping[str, str]) -> str:
    """A report as Markdown; `reasons` explain rules."""
    lines = ["# Filter of parallel text", "", *_table(report, reasons)]
    for name, count in report["left_out_later"].items():
        lines.append(f"\nOf the pairs that pass, {count} are left out {reasons.get(name, name)}.")
    for corpus in report.get("corpora", ()):
        lines += ["", f"## {_cell(corpus['corpus'])}", "", *_table(corpus, reasons)]
    lines += ["", "## Examples", "", "Pairs that break one rule and pass all others."]
    for rule in report["rules"]:
        if rule["examples"]:
            reason = reasons.get(rule["rule"], rule["rule"])
            lines += ["", f"### Pairs {reason}", "", "| Pair | Source | Target |", "| --- | --- | --- |"]
            lines += [f"| {row['pair']} | {_cell(row['source'])} | {_cell(row['target'])} |" for row in rule["examples"]]
    return "\n".join(lines) + "\n"


def _table(counts: Mapping[str, Any], reasons: Mapping[str, str]) -> list[str]:
    total, words = max(counts["pairs"], 1), max(counts["words"], 1)
    lines = [
        f"{counts['pairs']} pairs, {counts['passing_pairs']} pass ({counts['passing_pairs'] / total:.1%} of pairs, "
        f"{counts['passing_words'] / words:.1%} of words).",
        "",
        "| Rule | Pairs | share | and no other rule | share of words |",
        "| --- | --- | --- | --- | --- |",
    ]
    return lines + [_line(rule, reasons, total, words) for rule in counts["rules"]]


def _line(rule: Mapping[str, Any], reasons: Mapping[str, str], pairs: int, words: int) -> str:
    name = reasons.get(rule["rule"], rule["rule"])
    return f"| {name} | {rule['pairs']} | {rule['pairs'] / pairs:.1%} | {rule['pairs_alone']} | {rule['words'] / words:.1%} |"


def _cell(text: str) -> str:
    """Text of a cell of Markdown, without signs that would end it or act."""
    for sign in "\\`*_{}[]<>|#":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
