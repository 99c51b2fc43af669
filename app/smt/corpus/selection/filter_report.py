"""Report of a filter: pairs that each rule leaves out, alone and beside all others, with examples, and by corpus."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from app.arrays import Bools, Int64s
from app.errors import InputError

__all__ = ["FilterReport", "markdown_report"]

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
        # All, passing, broken by rule, broken by this rule alone.
        self.pairs, self.words = (np.zeros(2 + 2 * self.rules, np.int64) for _ in range(2))

    def add(self, masks: Bools, words: Int64s) -> None:
        """Add pairs: masks (n, 2 + 2 rules), and words of both sides (n,)."""
        self.pairs += masks.sum(0)
        self.words += words @ masks

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


class FilterReport:
    """Counts of pairs that rules leave out, in their order; `corpora` names the corpus of each pair, or is None.

    A pair breaks a rule alone if it passes all others: without the rule, so many more pairs would pass.
    """

    def __init__(self, rules: Sequence[str], corpora: Sequence[str] | None = None) -> None:
        self.rules = list(rules)
        self._corpora = corpora
        self._total = _Counts(len(rules))
        self._of_corpora: dict[str, _Counts] = {}
        self._examples: list[list[tuple[int, list[str]]]] = [[] for _ in rules]
        self._counts = np.zeros(len(rules), np.int64)
        self._rng = np.random.default_rng(SEED)
        self._count = 0

    def add(self, broken: Bools, texts: Texts) -> None:
        """Add pairs: mask (n, rules) of broken rules, and texts of both sides."""
        number_of_faults = broken.sum(1)
        sole = broken & (number_of_faults == 1)[:, None]
        masks = np.hstack([np.ones((len(broken), 1), bool), (number_of_faults == 0)[:, None], broken, sole])
        words = np.array([sum(len(text.split()) for text in pair) for pair in zip(*texts, strict=True)], np.int64)
        self._total.add(masks, words)
        if self._corpora is not None:
            names = np.array(self._corpora[self._count : self._count + len(broken)], object)
            if len(names) < len(broken):
                raise self._unequal(f"more than {len(self._corpora)}")
            for name in dict.fromkeys(names.tolist()):
                rows = names == name
                self._of_corpora.setdefault(name, _Counts(len(self.rules))).add(masks[rows], words[rows])
        for row, rule in zip(*np.nonzero(sole), strict=True):
            self._keep(int(rule), self._count + int(row), [text[row] for text in texts])
        self._count += len(broken)

    def _unequal(self, pairs: str) -> InputError:
        names = len(self._corpora or ())
        return InputError("unequal-lengths", f"there are {names} names of corpora for {pairs} pairs", ("--corpora",))

    def _keep(self, rule: int, number: int, texts: list[str]) -> None:
        """Keep a pair as an example of a rule with equal chances for all (Vitter 1985, algorithm R)."""
        self._counts[rule] += 1
        examples = self._examples[rule]
        if len(examples) < EXAMPLES:
            examples.append((number, texts))
            return
        place = int(self._rng.integers(0, self._counts[rule]))
        if place < EXAMPLES:
            examples[place] = number, texts

    def as_json(self, further: Mapping[str, int]) -> dict[str, Any]:
        """The report; `further` are pairs left out of those that pass, such as repetitions.

        InputError (`unequal-lengths`) if there is not one name of a corpus for each pair.
        """
        if self._corpora is not None and len(self._corpora) != self._count:
            raise self._unequal(str(self._count))
        answer = self._total.as_json(self.rules)
        for row, examples in zip(answer["rules"], self._examples, strict=True):
            row["examples"] = [
                {"pair": number + 1, "source": source[:LONGEST_SHOWN], "target": target[:LONGEST_SHOWN]}
                for number, (source, target) in sorted(examples)
            ]
        corpora = [{"corpus": name, **counts.as_json(self.rules)} for name, counts in sorted(self._of_corpora.items())]
        return {**answer, "left_out_later": dict(further), **({"corpora": corpora} if corpora else {})}


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
